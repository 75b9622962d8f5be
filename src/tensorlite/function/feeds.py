"""What a session is fed: which tensors may be, and values made arrays that fit them.

Running is session.py's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const, array_of
from tensorlite.core.dtypes import DType, of_numpy
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.opaque import Resource
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array, is_array
from tensorlite.graph.graph import Placeholder, SymbolicTensor
from tensorlite.graph.manual import ManualGraph

ndarray = np.ndarray


class Feed:
    """A tensor that is fed, and what its values must be."""

    __slots__ = ("dtype", "fitted", "tensor")

    def __init__(self, tensor: SymbolicTensor) -> None:
        self.tensor = tensor
        self.dtype = tensor.dtype.numpy
        self.fitted: tuple[int, ...] | None = None
        """The last shape that was found to fit: mostly the next one, too."""

    def array(self, value: Any) -> Array:
        """Return a value as an array of its own; DTypeError or ShapeError when it does not fit."""
        if type(value) is ndarray and value.dtype == self.dtype:
            if value.shape != self.fitted:
                self._check(value)
                self.fitted = value.shape
            return value.copy()
        if self.tensor.dtype.kind == "R":
            return self._handle(value)
        return self._converted(value)

    def _handle(self, value: Any) -> Array:
        """Return the resource whose handle is fed; DTypeError for what is none, or of a graph."""
        found = value.__tensor__() if isinstance(value, Operand) else value
        if isinstance(found, EagerTensor) and isinstance(found.array, Resource):
            return found.array
        raise DTypeError(
            f"{self._what()} stands for a resource, and is fed {value!r}; allowed is the handle of "
            "one that is made outside of graphs, such as a table's resource_handle"
        )

    def _converted(self, value: Any) -> Array:
        if isinstance(value, SymbolicTensor):
            raise DTypeError(
                f"The value of a feed cannot be a tf.Tensor object: {self._what()} is fed "
                f"{value.name}, a tensor of a graph; feed a value, which session.run gives"
            )
        if isinstance(value, Operand):
            array = value.__tensor__().array
        elif isinstance(value, ndarray):
            array = np.array(value, order="C")
        elif is_array(value) or isinstance(value, np.generic):
            array = value.copy()
        else:
            array = self._array_of(value)
        if not is_array(array) and not isinstance(array, np.generic):
            raise DTypeError(f"{self._what()} is fed {array!r}, which is no array")
        if array.dtype != self.dtype:
            if array.size and not _is_held(array, self.dtype):
                raise DTypeError(
                    f"{self._what()} is fed {of_numpy(array.dtype).name}"
                    f"{shape_text(array.shape)}, which it may not hold as it is; cast it, as in "
                    f"x.astype(np.{self.tensor.dtype.name})"
                )
            array = array.astype(self.dtype)
        self._check(array)
        return array

    def _array_of(self, value: Any) -> Array:
        """Return numbers, strings and lists as an array of the dtype wanted."""
        try:
            return _as(value, self.tensor.dtype)
        except (DTypeError, InvalidArgumentError) as error:
            raise type(error)(
                f"{self._what()} is fed what it cannot hold: {error}"
            ) from None

    def _check(self, array: Array) -> None:
        spec = self.tensor.spec
        if not spec.accepts(TensorSpec(array.shape, spec.dtype)):
            raise ShapeError(
                f"Cannot feed value of shape {shape_text(array.shape)}: {self._what()} has shape "
                f"{shape_text(spec.shape)}"
            )

    def _what(self) -> str:
        x = self.tensor
        return f"{x.name} ({x.spec}), made at {x.node.line},"


def _as(value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    natural = array_of(value)
    if not _kind_fits(of_numpy(natural.dtype).kind, dtype.kind):
        raise DTypeError(f"{value!r} is {of_numpy(natural.dtype).name}")
    return array_of(value, dtype)


_KINDS = "biufc"
"""Kinds of dtypes, each of which the next can hold as far as a Python number goes."""


def _kind_fits(given: str, wanted: str) -> bool:
    """Return whether Python values of a kind may become the wanted kind without being changed."""
    if given not in _KINDS or wanted not in _KINDS:
        return given == wanted
    integers = given in "iu" and wanted in "iu"
    return integers or _KINDS.index(given) <= _KINDS.index(wanted)


def _is_held(array: Array, wanted: np.dtype[Any]) -> bool:
    """Return whether the wanted dtype has every value of the array's, as far as promotion says."""
    given, want = of_numpy(array.dtype), of_numpy(wanted)
    try:
        return dtypes.promote(given, want) is want
    except DTypeError:
        return False


def feeds_of(graph: ManualGraph, given: Iterable[Any]) -> list[Feed]:
    """Return what is known of the tensors that are fed, each of which must be one of `graph`.

    Names may stand for tensors. InvalidArgumentError for what cannot be fed: another graph's
    tensors, variables and constants, of which equal ones are one node, and a tensor twice.
    """
    found: list[Feed] = []
    seen: set[int] = set()
    for key in given:
        x = graph.get_tensor_by_name(key) if isinstance(key, str) else key
        feed = Feed(_feedable(graph, x))
        if id(feed.tensor) in seen:
            raise InvalidArgumentError(
                f"{feed.tensor.name} is fed twice; equal calls are one node, and what is fed to "
                "one is fed to all"
            )
        seen.add(id(feed.tensor))
        found.append(feed)
    return found


def _feedable(graph: ManualGraph, x: Any) -> SymbolicTensor:
    if isinstance(x, EagerTensor) or not isinstance(x, SymbolicTensor):
        kind = type(x).__name__
        raise InvalidArgumentError(
            f"{x!r} cannot be fed, it is no tensor of a graph but of type {kind}. Feed a "
            "tl.placeholder, or a tensor that was made in the graph; of a variable, what reads "
            "it: value = v.value()"
        )
    own = x.node.outputs[x.index]
    if x.node.graph is not graph:
        raise InvalidArgumentError(
            f"{x.name}, made at {x.node.line}, is of the graph {x.node.graph.name!r}; the session "
            f"runs {graph.name!r}, another one, and cannot be fed it"
        )
    if isinstance(x.node.op, Const) and graph.is_shared(x.node):
        raise InvalidArgumentError(
            f"{x.name}, made at {x.node.line}, is a constant and cannot be fed: equal constants "
            "are one node, wherever they are used. Make it a tl.placeholder"
        )
    is_handle = x.dtype.kind == "R" and isinstance(x.node.op, Placeholder)
    if (x.dtype.kind in "RV" and not is_handle) or own in graph.captured:
        raise InvalidArgumentError(
            f"{x.name} ({x.spec}) stands for a resource or a list, which cannot be fed"
        )
    return own
