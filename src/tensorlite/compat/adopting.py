"""adopted: operands that are no tensors take the dtype of one that is, as TensorFlow has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.arguments import keep_name, rename
from tensorlite.core import operand
from tensorlite.core.constant import adopted_array, array_of, encoded
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import DType
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import active_graph


def adopted(value: Any, dtype: DType | None, name: str = "Const") -> Tensor:
    """Return an operand as a tensor, which takes a dtype if its values may.

    A name is that below the call's in a graph; "Const" leaves the node its own, "" is the call's.
    """
    if isinstance(value, Operand):
        return value.__tensor__()
    if isinstance(value, (list, tuple)) and holds_operand(value):
        if active_graph() is not None:
            value, dtype = _alike(value, dtype)
        parts = [adopted(x, dtype) for x in value]
        made = operand.operators.stack(parts)
        if name not in ("Const", ""):
            made = inner_named(made, name)
        _number_parts(made, value, parts, in_scope=not name)
        return made
    array = array_of(value) if dtype is None else adopted_array(value, dtype)
    return _named_constant(encoded(array), name)


def _alike(
    value: Sequence[Any], dtype: DType | None
) -> tuple[Sequence[Any], DType | None]:
    """Return a list, its tensors cast to a dtype, and the dtype of what is no tensor.

    That is the dtype of the first tensor where none is given. TensorFlow casts tensors in lists
    where a dtype is wanted, or is an operator's own for what tells none.
    """
    if dtype is not None:
        return _cast_inside(value, dtype), dtype
    return value, dtype_of(next(_operands(value)))


def dtype_of(x: Operand) -> DType:
    """Return a tensor's dtype, and a variable's without reading it."""
    known = getattr(x, "dtype", None)
    return known if isinstance(known, DType) else x.__tensor__().dtype


def _operands(value: Any) -> Iterator[Operand]:
    """Yield the tensors in a list."""
    if isinstance(value, (list, tuple)):
        for x in value:
            yield from _operands(x)
    elif isinstance(value, Operand):
        yield value


def _cast_inside(value: Any, dtype: DType) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast_inside(x, dtype) for x in value]
    if isinstance(value, Operand) and dtype_of(value) != dtype:
        return operand.operators.astype(value.__tensor__(), dtype)
    return value


def _named_constant(array: np.ndarray[Any, Any], name: str) -> Tensor:
    """Return an array as a tensor, which bears a name in a graph."""
    made = constant(array)
    return made if name == "Const" else inner_named(made, name)


def _number_parts(
    made: Tensor, values: Sequence[Any], parts: Sequence[Tensor], in_scope: bool
) -> None:
    """Call the parts of a list that were no tensors by their numbers, below the whole."""
    if not isinstance(made, SymbolicTensor) or not made.node.graph.as_called:
        return
    whole = scope.get().name if in_scope else made.node.name
    for i, (x, part) in enumerate(zip(values, parts, strict=True)):
        if not isinstance(x, Operand) and isinstance(part, SymbolicTensor):
            is_list = isinstance(x, (list, tuple)) and not holds_operand(x)
            rename(part.node, f"{whole}/{i}_1" if is_list else f"{whole}/{i}")
            keep_name(part.node)


def inner_named(x: Tensor, name: str) -> Tensor:
    """Return a tensor just made, which bears a name below that of the call in a graph."""
    if isinstance(x, SymbolicTensor):
        prefix = scope.get().name
        node, graph = x.node, x.node.graph
        if graph.as_called and prefix:
            rename(node, f"{prefix}/{name}")
            keep_name(node)
    return x


def holds_operand(value: Any) -> bool:
    """Return whether a value is a tensor, or a list that has one in it."""
    if isinstance(value, (list, tuple)):
        return any(holds_operand(x) for x in value)
    return isinstance(value, Operand)


REFLECTED = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "true_divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "power": "__rpow__",
    "matmul": "__rmatmul__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
}
"""What NumPy's operators on an array and a tensor mean for the tensor."""
