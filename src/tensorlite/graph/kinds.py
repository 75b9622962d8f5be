"""Kinds: what is asked of operators' attributes when they are read, by how their type is written.

How they are read is attributes.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import DType
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


def _tuple_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is tuple and all(type(x) is kind for x in value)


def _of_family(name: str) -> Callable[[Any], bool]:
    """Return whether an operator is of a family, whose class stands in a layer above."""
    return lambda value: any(kind.__name__ == name for kind in type(value).__mro__)


def _is_sizes(value: Any) -> bool:
    return type(value) is tuple and all(x is None or type(x) is int for x in value)


KINDS: dict[str, Callable[[Any], bool]] = {
    "bool": _is(bool),
    "int": _is(int),
    "float": _is(float, int),
    "str": _is(str),
    "bytes": _is(bytes),
    "DType": _is(DType),
    "DeviceName": _is(DeviceName),
    "TensorSpec": _is(TensorSpec),
    "np.ndarray[Any, Any]": _is(np.ndarray),
    "tuple[float, ...]": _tuple_of(float),
    "tuple[int, ...]": _tuple_of(int),
    "tuple[str, ...]": _tuple_of(str),
    "tuple[DType, ...]": _tuple_of(DType),
    "tuple[TensorSpec, ...]": _tuple_of(TensorSpec),
    "Dims | None": lambda value: value is None or _is_sizes(value),
    "Graph": lambda value: isinstance(value, Graph),
    "Callee": lambda value: isinstance(getattr(value, "graph", None), Graph),
    "Apply": _of_family("Apply"),
    "Squaring": _of_family("Squaring"),
    "Op": lambda value: isinstance(value, Op),
    "Callable[..., Any]": lambda _: False,
}
"""What is asked of attributes, by how their type is written; of other types, nothing."""
