"""`make bench`: measure tensorlite against its budgets, NumPy, and other libraries.

Of those, the ones count that this Python has, or the Pythons that TENSORLITE_BENCH_TF,
TENSORLITE_BENCH_TORCH and TENSORLITE_BENCH_JAX name.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks import budgets, devices, ours, placements, swapping
from tests.benchmarks.fresh import importing
from tests.benchmarks.timing import least

ROOT = Path(__file__).parents[2]
OTHERS = {
    "tensorflow": "TENSORLITE_BENCH_TF",
    "torch": "TENSORLITE_BENCH_TORCH",
    "jax": "TENSORLITE_BENCH_JAX",
}


def others() -> dict[str, dict[str, Any]]:
    """Return what the other libraries measured, by their names."""
    found = {}
    for name, variable in OTHERS.items():
        python = os.environ.get(variable) or (
            sys.executable if find_spec(name) else ""
        )
        if not python:
            print(
                f"{name}: not installed here; {variable} may name a Python that has it"
            )
            continue
        command = [python, "-m", "tests.benchmarks.other", name]
        ran = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            print(
                f"{name}: failed on {python}:\n{ran.stderr.strip().splitlines()[-1]}"
            )
            continue
        found[name] = json.loads(ran.stdout.splitlines()[-1])
    return found


def measured() -> dict[str, float]:
    """Return the microseconds of our own cases."""
    quick = (ours.eager_cases, ours.plan_cases, ours.call_cases, ours.loop_cases)
    found: dict[str, float] = {}
    for cases in quick:
        found |= least(cases())
    for cases in (ours.first_call_cases, ours.step_cases):
        found |= least(cases(), rounds=20)
    return found | least(devices.loop_cases())


def main() -> None:
    """Print the tables."""
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores"
    )
    found, (import_ms, modules) = measured(), importing("numpy", "tensorlite")
    print("\n".join(["", *budgets.comparison(found, others()), ""]))
    print(f"{'budget':<52} {'measured':>8} {'allowed':>8}")
    for budget in budgets.budgets(found, import_ms):
        print(budget.row)
    turns = ", ".join(
        f"{1e6 / found[f'turn, {name}']:,.0f} {name}" for name in ours.RUNNERS
    )
    turns += f", {1e6 / found['turn, two devices']:,.0f} over two devices"
    print(f"\nloop turns a second: {turns}")
    print("\n".join([*devices.report(), *swapping.report(), *placements.report()]))
    print(f"a traced function's first call: {found['first call']:.2f} us a node")
    print(f"import tensorlite loads {modules} modules beside NumPy's")


if __name__ == "__main__":
    main()
