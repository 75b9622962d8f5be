"""Operators that TensorFlow 1's functions make, where others have taken their place since."""

from __future__ import annotations

from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import Dims
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.composite import Composite
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.arithmetic import add, add_n
from tensorlite.ops.math.rounding import round as rounded


class Add(Composite):
    """The sum of two tensors; of strings, one behind the other."""

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x + y."""
        return add(x, y)


class Round(Composite):
    """The nearest whole numbers, even ones of those that are as near."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the rounded elements."""
        return rounded(x)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return nothing."""
        return (None,)


class AccumulateNV2(Composite):
    """The sum of tensors of one shape."""

    shape: Dims | None

    def compose(self, *xs: Tensor) -> Tensor:
        """Return the sum."""
        return add_n(xs)


class GuaranteeConst(Composite):
    """The operand, of which it is promised that it never changes."""

    def compose(self, x: Tensor) -> Tensor:
        """Return the operand."""
        return identity(x)


class ParallelConcat(Composite):
    """Tensors of one shape, whose first axis has size 1, behind each other along that."""

    shape: Dims | None

    def compose(self, *xs: Tensor) -> Tensor:
        """Return them in one tensor."""
        return concat(xs, axis=0)


class SparseMatMul(Composite):
    """The product of matrices of which one has many zeros, of float32."""

    transpose_a: bool = False
    transpose_b: bool = False
    a_is_sparse: bool = False
    b_is_sparse: bool = False

    def compose(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the product."""
        wide = [astype(one, "float32") for one in (x, y)]
        return matmul(
            *wide, transpose_a=self.transpose_a, transpose_b=self.transpose_b
        )
