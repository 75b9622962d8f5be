"""cost_table: measured costs as a JSON file and back. What the costs are is in cost.py.

A file belongs to one machine: its processor, Python, NumPy and threads. One that is torn, or from
another machine, is not believed: it is left out with a warning, and costs are measured anew.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
import warnings
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.errors import CostsWarning, InvalidArgumentError
from tensorlite.passes.cost import Costs, Fixed, Link, Rates

FORMAT = "tensorlite costs 1"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that decide on how many cores a product of matrices runs."""


@cache
def machine() -> str:
    """Return what measured costs depend on: processor, cores, threads, Python and NumPy."""
    threads = [f"{name}={os.environ[name]}" for name in THREADS if name in os.environ]
    parts = [
        _processor(),
        f"{os.cpu_count()} cores",
        f"Python {platform.python_version()}",
        f"NumPy {np.__version__}",
        *threads,
    ]
    return ", ".join(parts)


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def default_path() -> Path:
    """Return this machine's file in the user's cache folder."""
    digest = sha256(machine().encode()).hexdigest()[:12]
    return cache_folder() / "tensorlite" / f"costs-{digest}.json"


def cache_folder() -> Path:
    """Return where the platform keeps what may be made again; XDG_CACHE_HOME goes first."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():  # the standard: relative ones are not valid
        return named
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    return Path.home() / ".cache"


def read(costs: Costs, path: str | Path) -> bool:
    """Take over the costs in a file; return whether there were any that can be believed.

    A file that is not there says nothing. One that is torn, has another form, or belongs to another
    machine is left out with a CostsWarning; `costs` stays as it was.
    """
    try:
        text = Path(path).read_text("utf-8")
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError) as error:
        return _left_out(path, str(error))
    try:
        found = _checked(json.loads(text))
    except (ValueError, RecursionError) as error:
        return _left_out(path, str(error))
    kernels, links, rates, fixed = found
    for kind, table in kernels.items():
        costs.kernels.setdefault(kind, {}).update(table)
    costs.links.update(links)
    costs.known_links.update(links)
    costs.rates.update(rates)
    costs.fixed = fixed
    costs.forget()
    return True


def _left_out(path: str | Path, why: str) -> bool:
    text = f"{path} holds no costs of this machine, and is left out: {why}"
    warnings.warn(text, CostsWarning, stacklevel=3)
    return False


def _checked(
    found: Any,
) -> tuple[
    dict[str, dict[str, float]],
    dict[tuple[str, str], Link],
    dict[str, Rates],
    Fixed,
]:
    """Return what a file holds; ValueError when it is not what `write` writes here."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    if found.get("machine") != machine():
        raise ValueError(
            f"it is from {found.get('machine')!r}, this is {machine()!r}"
        )
    try:
        kernels = {
            kind: {name: _number(x) for name, x in table.items()}
            for kind, table in found["kernels"].items()
        }
        links = {
            (a, b): Link(_number(latency), math.inf if rate is None else _rate(rate))
            for a, b, latency, rate in found["links"]
        }
        rates = {
            kind: Rates(_rate(row[0]), _rate(row[1]), _number(row[2]))
            for kind, row in found["rates"].items()
        }
        fixed = Fixed(*[_number(x) for x in found["fixed"]])
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"a part is missing or of another kind: {error!r}") from None
    return kernels, links, rates, fixed


def _number(value: Any) -> float:
    """Return a number of seconds; ValueError for anything else."""
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ValueError(f"{value!r} is no number of seconds")
    return float(value)


def _rate(value: Any) -> float:
    if not (rate := _number(value)):
        raise ValueError("a rate is 0")
    return rate


def write(costs: Costs, path: str | Path) -> Path:
    """Write costs to a file, wholly or not at all; return its path.

    Raises InvalidArgumentError when the file cannot be written.
    """
    target = Path(path)
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(
            json.dumps(_as_json(costs), indent=1, sort_keys=True), "utf-8"
        )
        aside.replace(target)
    except OSError as error:
        raise InvalidArgumentError(
            f"costs cannot be written to {str(target)!r}: {error.strerror}; name a file in a "
            "folder that may be written to"
        ) from error
    return target


def _as_json(costs: Costs) -> dict[str, Any]:
    links = [
        [a, b, link.latency, None if math.isinf(link.bandwidth) else link.bandwidth]
        for (a, b), link in sorted(costs.links.items())
        if (a, b) in costs.known_links
    ]
    return {
        "format": FORMAT,
        "machine": machine(),
        "kernels": costs.kernels,
        "links": links,
        "rates": costs.rates,
        "fixed": costs.fixed,
    }
