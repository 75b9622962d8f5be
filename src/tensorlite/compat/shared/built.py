"""What the library was built with, and whether two GraphDefs are equal, for tests."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.testing.cases import is_built_with_cuda

is_built_with_gpu_support = is_built_with_cuda


def is_built_with_rocm() -> bool:
    """Return False."""
    return False


def is_built_with_xla() -> bool:
    """Return False."""
    return False


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Raise AssertionError unless two GraphDefs are equal."""
    if expected != actual:
        raise AssertionError(f"the graphs differ:\n{expected}\n{actual}")
