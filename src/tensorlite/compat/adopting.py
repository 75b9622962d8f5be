"""adopted: operands that are no tensors take the dtype of one that is, as TensorFlow has it."""

from __future__ import annotations

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


def adopted(value: Any, dtype: DType | None, name: str = "Const") -> Tensor:
    """Return an operand as a tensor, which takes a dtype if its values may."""
    if isinstance(value, Operand):
        return value.__tensor__()
    if isinstance(value, (list, tuple)) and _holds_operand(value):
        is_named = name != "Const"
        parts = [
            adopted(x, dtype, f"{name}/{i}" if is_named else name)
            for i, x in enumerate(value)
        ]
        made = operand.operators.stack(parts)
        return inner_named(made, name) if is_named else made
    array = array_of(value) if dtype is None else adopted_array(value, dtype)
    return _named_constant(encoded(array), name)


def _named_constant(array: np.ndarray[Any, Any], name: str) -> Tensor:
    """Return an array as a tensor, which bears a name in a graph."""
    made = constant(array)
    return made if name == "Const" else inner_named(made, name)


def inner_named(x: Tensor, name: str) -> Tensor:
    """Return a tensor just made, which bears a name below that of the call in a graph."""
    if isinstance(x, SymbolicTensor):
        prefix = scope.get().name
        node, graph = x.node, x.node.graph
        if graph.as_called and prefix:
            rename(node, f"{prefix}/{name}")
            keep_name(node)
    return x


def _holds_operand(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_operand(x) for x in value)
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
