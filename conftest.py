"""For every run of pytest: examples in docstrings, README and documentation need no import."""

from __future__ import annotations

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import tensorlite as tl

NAMES = {"np": np, "tl": tl}
FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    """Return the names that doctests find defined."""
    return dict(NAMES)


if find_spec("sybil"):  # of the test group; a GPU machine may run the tests without it
    from sybil import Sybil
    from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

    pytest_collect_file = Sybil(
        parsers=[PythonCodeBlockParser(doctest_optionflags=FLAGS), SkipParser()],
        patterns=["*.md"],
        setup=lambda namespace: namespace.update(NAMES),
    ).pytest()

collect_ignore = ["docs/conf.py"]
