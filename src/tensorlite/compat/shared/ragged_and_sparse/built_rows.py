"""tf.RaggedTensor: rows whose methods make nodes wherever a graph is built.

The library's own class knows of traces, and nothing of the default graph.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tensorlite.compat.shared.ragged_and_sparse.written import (
    knowing,
    known_of,
    method_written,
    of_version_1,
)
from tensorlite.compat.views import GraphTensor, plain, shown
from tensorlite.core import nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.tensor import EagerTensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import active_graph, at_once, built
from tensorlite.ops.ragged import tensor
from tensorlite.ops.ragged.base import RaggedParts, forget_kinds


def building(
    method: Callable[..., Any], of_numbers: bool = True, name: str = ""
) -> Callable[..., Any]:
    """Return a method that adds what it makes to the graph that is built, if one is.

    Rows that are there, as the library's own functions make them, stay what runs at once; so does
    what is asked of numbers, unless they are to be nodes. `name` is what written.py knows it by.
    """

    @wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None:
            return method(*args, **kwargs)
        own = args[1:] if args and isinstance(args[0], type) else args
        all_given = (*own, *kwargs.values())
        if tracer() is not None:
            if not name or not of_version_1() or _is_inside(all_given):
                return method(*args, **kwargs)
        elif _is_there(all_given, of_numbers):
            with at_once():  # also what it is made of
                return method(*args, **kwargs)
        made = method_written(name, own, kwargs)
        if made is not NotImplemented:
            return made
        given = [x if isinstance(x, type) else plain(x) for x in args]
        with built(graph):
            return shown(method(*given, **{k: plain(x) for k, x in kwargs.items()}))

    return called


def _is_there(given: tuple[Any, ...], of_numbers: bool) -> bool:
    """Return whether a method is asked of what is there, and of nothing that will be."""
    if of_numbers and not isinstance(given[:1] and given[0], _THERE):
        return False
    flat = [part for x in given for part in _parts(x)]
    return not any(_will_be(plain(x)) for x in flat)


_THERE = (nest.Composite, EagerTensor)


def _is_inside(given: tuple[Any, ...]) -> bool:
    """Return whether the library asks: programs hold what stands for tensors of a graph."""
    flat = [part for x in given for part in _parts(x)]
    return any(
        isinstance(x, SymbolicTensor) and not isinstance(x, GraphTensor) for x in flat
    )


def _parts(x: Any) -> list[Any]:
    if isinstance(x, RaggedParts):
        return [x.flat_values]
    return nest.flatten(x) if nest.is_nested(x) else [x]


def _will_be(x: Any) -> bool:
    """Return whether something has its value in runs of a graph alone."""
    return isinstance(x, SymbolicTensor) or isinstance(
        getattr(x, "handle", None), SymbolicTensor
    )


class _Rows(type(tensor.RaggedTensor)):  # type: ignore[misc]
    """Takes rows for instances that were made before there was the class, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return type.__instancecheck__(tensor.RaggedTensor, instance)


class RaggedTensor(tensor.RaggedTensor, metaclass=_Rows):
    """Rows of different lengths, of tensors that are there or will be."""

    def with_values(self, values: Any) -> Any:
        """Return other values in rows of the same lengths."""
        made = super().with_values(values)
        return knowing(made, known_of(self))


_MADE = """
    from_row_splits from_row_lengths from_row_starts from_row_limits from_value_rowids
    from_uniform_row_length from_nested_row_splits from_nested_row_lengths
    from_nested_value_rowids from_tensor from_sparse
"""
_ASKED = """
    to_tensor to_sparse bounding_shape merge_dims nrows row_starts row_limits row_lengths
    nested_row_lengths value_rowids nested_value_rowids with_row_splits_dtype __getitem__
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__
    __rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ __and__ __rand__ __or__ __ror__ __xor__
    __rxor__ __lt__ __le__ __gt__ __ge__ __neg__ __abs__ __invert__ __eq__ __ne__
"""
for _name in _MADE.split():
    _own = getattr(tensor.RaggedTensor, _name).__func__
    setattr(RaggedTensor, _name, classmethod(building(_own, name=_name)))
for _name in _ASKED.split():
    _method = getattr(tensor.RaggedTensor, _name)
    setattr(RaggedTensor, _name, building(_method, name=_name))
RaggedParts.root = RaggedTensor
forget_kinds()
