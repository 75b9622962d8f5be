"""RaggedTensor: the class of ragged tensors, with operators and ways to make one.

Functions of them are in arrange.py and reduce.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from tensorlite.core import operand
from tensorlite.core.dispatch import call1, call2
from tensorlite.core.dtypes import DType, int64
from tensorlite.core.errors import CompositeError, DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.scope import name_scope
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.gather import gather, size_at
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import Cast, astype, reshape, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.families import Binary, Predicate, Unary
from tensorlite.ops.math.reduce import max as largest
from tensorlite.ops.ragged import making
from tensorlite.ops.ragged.base import RaggedParts, spec_of
from tensorlite.ops.ragged.broadcasting import mapped
from tensorlite.ops.ragged.slicing import getitem_ragged
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = ["RaggedTensor"]


def _binary(name: str, swapped: bool = False) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        operands = (other, self) if swapped else (self, other)
        return mapped(getattr(operand.operators, name), operands)

    return method


def _unary(name: str) -> Callable[..., Any]:
    return lambda self: mapped(getattr(operand.operators, name), (self,))


class RaggedTensor(RaggedParts):
    """Rows of different lengths: row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

    `values` is a tensor, or a ragged tensor where there are more axes with rows of different
    lengths. It is a structure of tensors: functions traced take it, and pipelines hold it.

    >>> x = tl.ragged.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [2, 0, 3])
    >>> x.to_list()
    [[3, 1], [], [4, 1, 5]]
    >>> (x * 10).to_list(), x[2, 1:].tolist()
    ([[30, 10], [], [40, 10, 50]], [1, 5])
    """

    @classmethod
    def from_row_splits(
        cls,
        values: Any,
        row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values in rows, each from one bound to the next."""
        with name_scope(name or "RaggedFromRowSplits"):
            return making.from_row_splits(cls, values, row_splits, validate)

    @classmethod
    def from_row_lengths(
        cls,
        values: Any,
        row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values in rows of some lengths."""
        with name_scope(name or "RaggedFromRowLengths"):
            return making.from_row_lengths(cls, values, row_lengths, validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values in rows, of which it is told in which each is."""
        with name_scope(name or "RaggedFromValueRowids"):
            return making.from_value_rowids(
                cls, values, value_rowids, nrows, validate
            )

    @classmethod
    def from_row_starts(
        cls,
        values: Any,
        row_starts: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values in rows with some beginnings."""
        with name_scope(name or "RaggedFromRowStarts"):
            return making.from_row_starts(cls, values, row_starts, validate)

    @classmethod
    def from_row_limits(
        cls,
        values: Any,
        row_limits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values in rows with some ends."""
        with name_scope(name or "RaggedFromRowLimits"):
            return making.from_row_limits(cls, values, row_limits, validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Return values in rows of one length."""
        with name_scope(name or "RaggedFromUniformRowLength"):
            return making.from_uniform_row_length(
                cls, values, uniform_row_length, nrows, validate
            )

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values below several axes that are split, given their bounds from outside in."""
        with name_scope(name or "RaggedFromNestedRowSplits"):
            return making.nested(cls, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values below several axes that are split, given the lengths of the rows."""
        with name_scope(name or "RaggedFromNestedRowLengths"):
            for lengths in reversed(list(nested_row_lengths)):
                flat_values = cls.from_row_lengths(
                    flat_values, lengths, name, validate
                )
            return flat_values

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Return values below several axes that are split, given in which row each is."""
        with name_scope(name or "RaggedFromNestedValueRowids"):
            counts = nested_nrows or [None] * len(nested_value_rowids)
            for ids, count in reversed(
                list(zip(nested_value_rowids, counts, strict=True))
            ):
                flat_values = cls.from_value_rowids(
                    flat_values, ids, count, name, validate
                )
            return flat_values

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DType = int64,
    ) -> Any:
        """Return the rows of a dense tensor: their first values, or all but the padding."""
        with name_scope(name or "RaggedFromTensor"):
            return making.from_tensor(
                cls, tensor, lengths, padding, ragged_rank, row_splits_dtype
            )

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: DType = int64
    ) -> Any:
        """Return the values of a sparse matrix whose rows have no gaps."""
        with name_scope(name or "RaggedFromSparse"):
            return making.from_sparse(cls, st_input, row_splits_dtype)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """Return the rows filled up to the longest, or to a shape, with a value or zeros."""
        with name_scope(name or "RaggedToTensor"):
            return making.to_dense(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Return the values at their places."""
        with name_scope(name or "RaggedToSparse"):
            return making.to_sparse(self)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: DType | None = None
    ) -> Tensor:
        """Return the sizes of the smallest dense tensor that has room for all."""
        with name_scope(name or "RaggedBoundingShape"):
            kind = self.row_splits.dtype if out_type is None else out_type
            sizes = [self.nrows()]
            for lengths in self.nested_row_lengths():
                none = astype(making.zeros_of(lengths.dtype, [1]), lengths.dtype)
                sizes.append(largest(concat([none, lengths])))
            inner = astype(shape_of(self.flat_values)[1:], kind)
            found = concat([astype(stack(sizes), kind), inner])
            return found if axis is None else gather(found, axis)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Return the axes from one to another as one."""
        rank = self.rank or 0
        outer = outer_axis + rank if outer_axis < 0 else outer_axis
        inner = inner_axis + rank if inner_axis < 0 else inner_axis
        return _merged(self, outer, inner)

    @property
    def spec(self) -> Any:
        """What is known of it without looking at its values: a ragged tensor of specs."""
        return structure_of(self)

    _type_spec = spec

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Say that this is no array: functions of tensors ask it what they do instead."""
        raise CompositeError(self, "a ragged tensor; x.to_tensor() fills its rows up")

    __array_ufunc__ = None
    """NumPy's operators leave it to ours."""

    def __operate__(self, op: Op, operands: tuple[Any, ...]) -> Any:
        """Return what an operator makes, element by element, of operands some of them ragged."""
        if not isinstance(op, (Unary, Predicate, Binary, Cast)):
            raise InvalidArgumentError(
                f"{op.name} does not take ragged tensors; tl.ragged has what does, and "
                "x.to_tensor() fills the rows up"
            )
        run = call2 if isinstance(op, Binary) else call1
        return mapped(lambda *flat: run(op, *flat), operands)

    __add__, __radd__ = _binary("add"), _binary("add", True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", True)
    __floordiv__ = _binary("floor_divide")
    __rfloordiv__ = _binary("floor_divide", True)
    __mod__, __rmod__ = _binary("remainder"), _binary("remainder", True)
    __pow__, __rpow__ = _binary("pow"), _binary("pow", True)
    __and__, __rand__ = _binary("bitwise_and"), _binary("bitwise_and", True)
    __or__, __ror__ = _binary("bitwise_or"), _binary("bitwise_or", True)
    __xor__, __rxor__ = _binary("bitwise_xor"), _binary("bitwise_xor", True)
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __neg__, __abs__ = _unary("negative"), _unary("abs")
    __invert__ = _unary("bitwise_invert")

    @property
    def is_spec(self) -> bool:
        """Whether this is no value, but what is known of one: its parts are specs."""
        return isinstance(self.flat_values, TensorSpec)

    @property
    def value_type(self) -> type:
        """The class of what a spec is of."""
        return type(self)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether another ragged tensor, or what is known of one, may be like this."""
        other = spec_or_value
        if not isinstance(other, RaggedTensor) or _facts(other) != _facts(self):
            return False
        return TensorShape(self.shape).is_compatible_with(other.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether every value of this spec is one of another, too."""
        if not isinstance(other, RaggedTensor) or _facts(other) != _facts(self):
            return False
        return TensorShape(self.shape).is_subtype_of(TensorShape(other.shape))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the spec of what has this or one of other specs; None where they differ in kind.

        >>> a, b = (tl.ragged.constant(x).spec for x in ([[1], [2, 3]], [[1, 2]]))
        >>> a.most_specific_common_supertype([b]).shape
        (None, None)
        """
        shape: Any = TensorShape(self.shape)
        for other in others:
            if not isinstance(other, RaggedTensor) or _facts(other) != _facts(self):
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        sizes, kind = shape.known(), spec_of(self.row_splits).dtype
        behind = None if sizes is None else (None, *sizes[self.ragged_rank + 1 :])
        flat = TensorSpec(behind, self.dtype)
        return ragged_spec(sizes, flat, self.ragged_rank, kind)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the spec of what has this or another one; InvalidArgumentError if none has."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise InvalidArgumentError(
                f"No TypeSpec is compatible with both {self} and {other}"
            )
        return found

    def __hash__(self) -> int:
        if not self.is_spec:
            return object.__hash__(self)
        return hash(_compared(self))

    def __eq__(self, other: object) -> Any:
        """Return where elements are equal; False where the two do not broadcast."""
        if self.is_spec:
            alike = isinstance(other, RaggedTensor) and other.is_spec
            return alike and _compared(self) == _compared(other)
        try:
            return mapped(operand.operators.equal, (self, other))
        except DTypeError:
            raise
        except InvalidArgumentError:
            return False

    def __ne__(self, other: object) -> Any:
        """Return where elements differ; True where the two do not broadcast."""
        if self.is_spec:
            return not self == other
        try:
            return mapped(operand.operators.not_equal, (self, other))
        except DTypeError:
            raise
        except InvalidArgumentError:
            return True

    def __getitem__(self, key: Any) -> Any:
        return getitem_ragged(self, key)

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __repr__(self) -> str:
        if self.is_spec:
            return (
                f"RaggedTensorSpec({self.shape!r}, tf.{self.dtype.name}, {self.ragged_rank}, "
                f"tf.{spec_of(self.row_splits).dtype.name})"
            )
        if not hasattr(self.flat_values, "node"):
            with np.printoptions(formatter={"all": _element_text}):
                return f"<tf.RaggedTensor {_element_text(self.numpy())}>"
        return f"tf.RaggedTensor(values={self.values}, row_splits={self.row_splits})"


RaggedParts.root = RaggedTensor


def _element_text(x: Any) -> str:
    """Return an element, or a row of them with commas between, as NumPy prints arrays."""
    if not isinstance(x, np.ndarray):
        return str(x)
    return np.array2string(x, separator=", ") if x.size else repr(x.tolist())


def structure_of(x: Any) -> Any:
    """Return a ragged tensor of what is known of the tensors that one is made of."""
    if isinstance(x, RaggedParts):
        return type(x)(structure_of(x.values), structure_of(x.row_splits))
    return spec_of(x).without_value()


def ragged_spec(
    sizes: Dims | None, flat: TensorSpec, ragged_rank: int, kind: DType
) -> Any:
    """Return the spec of a ragged tensor with specs for its values and for its rows' bounds.

    >>> from tensorlite.ops.ragged.tensor import ragged_spec
    >>> ragged_spec((2, None), tl.TensorSpec((None,)), 1, tl.int64).row_splits.shape
    (3,)
    """
    known = (None,) * (ragged_rank + 1) if sizes is None else sizes
    made: Any = flat
    for axis in reversed(range(ragged_rank)):
        count = known[0] if axis == 0 else None
        splits = TensorSpec((None if count is None else count + 1,), kind)
        made = RaggedTensor.of(made, splits, known[axis + 1])
    return made


def _facts(x: RaggedTensor) -> tuple[Any, ...]:
    """Return what two ragged tensors must have alike, beside their shape, to be of one kind."""
    return x.dtype, x.ragged_rank, spec_of(x.row_splits).dtype


def _compared(x: Any) -> tuple[Any, ...]:
    """Return what two specs must have alike to be equal."""
    return TensorShape(x.shape).known(), *_facts(x)


def _merged(x: Any, outer: int, inner: int) -> Any:
    if outer >= inner:
        return x
    if not isinstance(x, RaggedParts):
        sizes = shape_of(x)
        parts = [sizes[:outer], reshape(sizes[:1] * 0 - 1, [1]), sizes[inner + 1 :]]
        return reshape(x, concat(parts))
    if outer > 1:
        return x.with_values(_merged(x.values, outer - 1, inner - 1))
    values = x.values
    if outer == 0:
        return _merged(values, 0, inner - 1)
    if isinstance(values, RaggedParts):
        rows = x.of(values.values, gather(values.row_splits, x.row_splits))
    else:
        wide = astype(size_at(values, 1), x.row_splits.dtype)
        rows = x.of(_merged(values, 0, 1), x.row_splits * wide)
    return _merged(rows, 1, inner - 1)


def is_ragged(x: object) -> bool:
    """Return whether this is a ragged tensor."""
    return isinstance(x, RaggedParts)
