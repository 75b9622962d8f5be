"""For every run of pytest: examples in docstrings, README and documentation need no import."""

from __future__ import annotations

import linecache
import re
import signal
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.graph_mode.graph import mode

NAMES = {"np": np, "tl": tl}
FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE
IMPORT = re.compile(r">>> (?:from|import) tensorlite\.compat(?:\.| import )(v[12])\b")
CODE = re.compile(r"^```python\n(?!>>>)(.*?)^```", re.MULTILINE | re.DOTALL)


def pytest_configure() -> None:
    """Let tests interrupt themselves also where this runs in the background, which ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return the names that doctests find defined."""
    return dict(NAMES)


def as_at_first() -> None:
    """Take back what importing TensorFlow 2's names asks for, for the whole process."""
    tl.config.set_numpy_operands("promote")
    tl.config.set_soft_placement(False)
    tl.config.set_tensorflow_results(False)


def as_imported(version: str) -> None:
    """Set what importing TensorFlow's names of a version asks for, where it is imported first."""
    is_second = version == "v2"
    tl.config.set_numpy_operands("adopt" if is_second else "promote")
    tl.config.set_soft_placement(is_second)
    tl.config.set_tensorflow_results(is_second)
    mode.eager = is_second


@pytest.fixture(autouse=True)
def _as_at_first(request: pytest.FixtureRequest) -> Iterator[None]:
    if "compat" not in request.path.parts:
        as_at_first()
    example = getattr(request.node, "dtest", None)
    imported = None if example is None else IMPORT.search(example.docstring or "")
    before = mode.eager
    if imported is not None:
        as_imported(imported[1])
    # Examples show NaN as users see it: tensorlite silences NumPy's warnings.
    with nullcontext() if example is None else np.errstate(all="ignore"):
        yield
    if imported is not None:
        mode.eager = before


def beginning(namespace: dict[str, Any]) -> None:
    """Let a page begin with the names that need no import, and with nothing set."""
    as_at_first()
    np.seterr(all="ignore")  # as users see it: tensorlite silences NumPy's warnings
    namespace.update(NAMES)


def remember_code(document: Any) -> Iterable[Any]:
    """Let a page's code be found as source, which `tl.function` reads; prose is blank in it.

    To Sybil this is a parser, called with each page, that finds nothing to evaluate.
    """
    source, end = "", 0
    for block in CODE.finditer(document.text):
        source += "\n" * document.text.count("\n", end, block.start(1)) + block[1]
        end = block.end(1)
    lines = source.splitlines(keepends=True)
    linecache.cache[document.path] = (len(source), None, lines, document.path)
    return ()


def ending(_: dict[str, Any]) -> None:
    """Leave the process with one CPU device, however many a page made, and NumPy's warnings."""
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    tl.config.set_logical_devices("CPU", 1)


# Sybil is of the test group; a GPU machine may run the tests without it.
if find_spec("sybil"):
    from sybil import Sybil
    from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

    pytest_collect_file = Sybil(
        parsers=[
            remember_code,
            PythonCodeBlockParser(doctest_optionflags=FLAGS),
            SkipParser(),
        ],
        patterns=["*.md"],
        setup=beginning,
        teardown=ending,
    ).pytest()

collect_ignore = ["docs/conf.py"]
