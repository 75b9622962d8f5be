"""Conversions between tensors and values, and what is known of tensors as a graph is made."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    SparseTensorValue,
)
from tensorlite.compat.shared.specs.tensor_specs import TensorSpec
from tensorlite.compat.views import plain
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import executing_eagerly
from tensorlite.core.errors import DTypeError, InvalidArgumentError, NoValueYetError
from tensorlite.core.operand import Operand
from tensorlite.core.sizes import Dimension
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.sessions import PARTS_AS
from tensorlite.ops.control import differentiate
from tensorlite.ops.families import Binary
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse
from tensorlite.ops.state.variable import Variable as AnyVariable

__all__ = ["IndexedSlices", "SparseTensor", "SparseTensorValue", "TensorSpec"]


class IndexedSlicesValue(NamedTuple):
    """The value of slices: the rows, their places, and the shape of the whole."""

    values: Any
    indices: Any
    dense_shape: Any


PARTS_AS[IndexedSlices] = IndexedSlicesValue


class UnconnectedGradients(Enum):
    """What the gradient is of a tensor that another does not depend on."""

    NONE = "none"
    ZERO = "zero"


class AggregationMethod:
    """How gradients of several uses are added: by one operator, two by two, or accumulated."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class VariableSynchronization(Enum):
    """When copies of a variable are brought together."""

    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation(Enum):
    """How copies of a variable are brought together."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)
    ONLY_FIRST_TOWER = ONLY_FIRST_REPLICA  # the older name of it


VariableAggregationV2 = VariableAggregation


_alike: list[type] = []


def is_tensor(x: Any) -> bool:
    """Return whether something is a tensor, a variable, or sparse, ragged or slices."""
    kinds = (Operand, PlainSparse, IndexedSlices, RaggedParts, *_alike)
    return isinstance(x, kinds)


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Let objects of a class pass for tensors; DTypeError if it lacks name and dtype."""
    for name in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, name, None), property):
            told = f"Type {tensor_type.__name__} does not define a `{name}` property"
            raise DTypeError(told)
    _alike.append(tensor_type)


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of a tensor as an array if it is known without running, else None.

    Eagerly it always is. `partial` has no effect.
    """
    if not is_tensor(tensor):
        return tensor
    if not isinstance(tensor, Operand) or isinstance(tensor, AnyVariable):
        return None  # a variable may have another by then
    try:
        x = plain(tensor).__tensor__()
    except NoValueYetError:  # it stands for one while a model is described
        return None
    if not isinstance(x, SymbolicTensor):
        return x.numpy()
    own = x.node.outputs[x.index]
    value, known = _folded(own), own.spec.constant()
    if isinstance(own.node.op, Binary):  # of which TensorFlow tells shapes alone
        known = None
    if value is not None or known is None:
        return value
    found = np.asarray(known, own.dtype.numpy)
    return found.reshape(()) if own.spec.rank == 0 else found


_FOLDED = {"Cast", "ConcatV2", "Equal", "Fill", "NotEqual", "Pack", "Range"}
"""Operators of which TensorFlow tells the value where it knows those of the operands."""


def _folded(x: SymbolicTensor) -> Any:
    """Return the value of a constant, and of what some operators make of such; None for others."""
    op = x.node.op
    if isinstance(op, Const):
        return op.value
    if op.name not in _FOLDED or x.node.control:
        return None
    values = [_folded(y) for y in x.node.inputs]
    if any(value is None for value in values):
        return None
    return np.asarray(op.kernel(np, *values))


constant_value = get_static_value


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Return a sparse tensor as it is, anything else as a tensor."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor(*value)
    if isinstance(value, PlainSparse):
        return value
    return _tensor(value, dtype, name=name)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Return slices as they are, anything else as a tensor."""
    if isinstance(value, IndexedSlices):
        return value
    return _tensor(value, dtype, name=name)


@named("Const")
def _tensor(value: Any, dtype: Any, name: str | None = None) -> Any:
    return converted(value, None if dtype is None else tl.as_dtype(dtype))


def dimension_value(dimension: Any) -> Any:
    """Return the number or None of a Dimension; what is none as it is."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Any:
    """Return the size of an axis as a Dimension, unknown if the rank is."""
    sizes = TensorShape(shape)
    return Dimension(None) if sizes.dims is None else sizes.dims[index]


@named("hessians")
def hessians(
    ys: Any,
    xs: Any,
    name: str | None = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> Any:
    """Return for each x the second derivatives of the sum of ys, [*x.shape, *x.shape].

    x must have a known size, else an InvalidArgumentError. Arguments behind `name` have no effect.
    """
    sources = xs if isinstance(xs, (list, tuple)) else [xs]
    targets = ys if isinstance(ys, (list, tuple)) else [ys]
    total = targets[0] if len(targets) == 1 else tl.add_n(list(targets))
    return [_hessian(total, x) for x in sources]


def _hessian(y: Any, x: Any) -> Any:
    (slope,) = differentiate.gradients([y], [x])
    count = x.__tensor__().spec.size
    if count is None:
        raise InvalidArgumentError(
            f"hessians: {x.__tensor__().spec} must have a known size"
        )
    flat = tl.reshape(slope, [-1])
    rows = [differentiate.gradients([flat[i]], [x])[0] for i in range(count)]
    zero = tl.zeros_like(x.__tensor__())
    made = tl.stack([zero if row is None else row for row in rows])
    sizes = list(x.__tensor__().spec.dims)
    return tl.reshape(made, [*sizes, *sizes])


def executing_eagerly_outside_functions() -> bool:
    """Return whether operators run at once outside of tf.function."""
    return executing_eagerly()
