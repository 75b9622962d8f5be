"""Matrices of one number along each diagonal: circulant ones, in blocks too, and Toeplitz's."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import (
    arrays,
    cutting,
    elementwise,
    picking,
    reductions,
    signal,
)
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.known_matrices import (
    kept,
    log_abs_product,
    sizes_of,
    tensor_of,
)
from tensorlite.compat.shared.linear.linear_operator import LinearOperator, conjugate
from tensorlite.compat.shared.linear.operator_checks import always, with_rank
from tensorlite.core.dtypes import as_dtype, complex64, complex128, float64

_TRANSFORMS = {
    1: (signal.fft, signal.ifft),
    2: (signal.fft2d, signal.ifft2d),
    3: (signal.fft3d, signal.ifft3d),
}


class LinearOperatorCirculant(LinearOperator):
    """A matrix of which each column is the one before it, moved on by one; it has a spectrum."""

    block_depth: ClassVar[int] = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        self._spectrum = with_rank(kept(spectrum), self.block_depth, "spectrum")
        symmetric = is_self_adjoint
        if not self._spectrum.dtype.is_complex:
            always("An operator of a real spectrum", [None, symmetric], [False, True])
            symmetric = True
        hints = (is_non_singular, symmetric, is_positive_definite, True)
        super().__init__(input_output_dtype, None, *hints, name)

    @property
    def spectrum(self) -> Any:
        """The Fourier transform of the kernel: the eigenvalues."""
        return self._spectrum

    @property
    def block_shape(self) -> Any:
        """TensorShape of the blocks: the spectrum's last sizes."""
        return self._spectrum.get_shape()[-self.block_depth :]

    def _shape(self) -> Any:
        sizes = self._spectrum.get_shape().as_list()
        size = prod(sizes[-self.block_depth :])
        return as_shape((*sizes[: -self.block_depth], size, size))

    def _wide(self, x: Any) -> Any:
        double = as_dtype(x.dtype) in {float64, complex128}
        return elementwise.cast(x, complex128 if double else complex64)

    def _complex_spectrum(self) -> Any:
        kind = complex128 if self.dtype in {float64, complex128} else complex64
        return elementwise.cast(tensor_of(self._spectrum), kind)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Return the kernel that the matrix convolves with."""
        kernel = _TRANSFORMS[self.block_depth][1](self._complex_spectrum())
        return self._narrow(kernel)

    def _narrow(self, x: Any) -> Any:
        return elementwise.cast(
            x if self.dtype.is_complex else elementwise.real(x), self.dtype
        )

    def _filtered(self, x: Any, spectrum: Any, turned: bool) -> Any:
        """Return the columns of a matrix with their frequencies weighed."""
        rows = conjugate(x) if turned else matrices.matrix_transpose(x)
        *batch, count, _ = sizes_of(rows)
        block = list(self.block_shape.as_list())
        forth, back = _TRANSFORMS[self.block_depth]
        blocks = arrays.reshape(rows, [*batch, count, *block])
        weights = arrays.expand_dims(spectrum, -self.block_depth - 1)
        found = back(forth(self._wide(blocks)) * weights)
        *batch, _ = sizes_of(found)[: -self.block_depth]
        flat = arrays.reshape(found, [*batch, count, prod(block)])
        return self._narrow(matrices.matrix_transpose(flat))

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        spectrum = self._complex_spectrum()
        return self._filtered(
            x, conjugate(spectrum) if adjoint else spectrum, adjoint_arg
        )

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        spectrum = 1.0 / self._complex_spectrum()
        return self._filtered(
            rhs, conjugate(spectrum) if adjoint else spectrum, adjoint_arg
        )

    def _flat(self) -> Any:
        *batch, size, _ = self.shape.as_list()
        return arrays.reshape(self._complex_spectrum(), [*batch, size])

    def _determinant(self) -> Any:
        return self._narrow(reductions.reduce_prod(self._flat(), -1))

    def _log_abs_determinant(self) -> Any:
        return elementwise.cast(log_abs_product(self._flat()), self.dtype)

    def _eigvals(self) -> Any:
        return self._narrow(self._flat())

    def _diag_part(self) -> Any:
        *batch, size, _ = self.shape.as_list()
        mean = reductions.reduce_mean(self._flat(), -1, keepdims=True)
        return self._narrow(mean) * arrays.ones([*batch, size], dtype=self.dtype)

    def _linop_inverse(self) -> LinearOperator:
        inverse = 1.0 / tensor_of(self._spectrum)
        return type(self)(inverse, self.dtype, True, *self.hints[1:])

    def _linop_adjoint(self) -> LinearOperator:
        spectrum = conjugate(tensor_of(self._spectrum))
        return type(self)(spectrum, self.dtype, *self.hints)

    def times(self, other: LinearOperator) -> LinearOperator:
        """Return the product with another operator, circulant if both are."""
        if type(other) is not type(self):
            return super().times(other)
        assert isinstance(other, LinearOperatorCirculant)
        both = tensor_of(self.spectrum) * tensor_of(other.spectrum)
        return type(self)(both, self.dtype)


class LinearOperatorCirculant2D(LinearOperatorCirculant):
    """A matrix of circulant blocks that stand in circulant order."""

    block_depth = 2


class LinearOperatorCirculant3D(LinearOperatorCirculant):
    """A matrix of blocks in circulant order, which are of circulant blocks in that order."""

    block_depth = 3


class LinearOperatorToeplitz(LinearOperator):
    """A matrix of one number along each diagonal, by its first column and its first row."""

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        self._col = with_rank(kept(col), 1, "col")
        self._row = with_rank(kept(row), 1, "row")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._col.dtype, None, *hints, name)

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> Any:
        one, other = self._col.get_shape(), self._row.get_shape()
        sizes = cutting.broadcast_static_shape(one, other).as_list()
        return as_shape((*sizes, sizes[-1]))

    def _to_dense(self) -> Any:
        size = self.shape.as_list()[-1]
        numbers = arrays.range(size)
        places = arrays.expand_dims(numbers, -1) - numbers + (size - 1)
        batch = list(self.batch_shape.as_list())
        row = cutting.broadcast_to(tensor_of(self._row), [*batch, size])
        col = cutting.broadcast_to(tensor_of(self._col), [*batch, size])
        along = arrays.concat([cutting.reverse(row[..., 1:], [-1]), col], -1)
        return picking.gather(along, places, axis=-1)

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        """Return the product by that of a circulant matrix of twice the size."""
        right = matrices.adjoint(x) if adjoint_arg else x
        col, row = tensor_of(self._col), tensor_of(self._row)
        if adjoint:
            col, row = conjugate(row), conjugate(col)
        size = self.shape.as_list()[-1]
        around = arrays.concat([col, cutting.reverse(row[..., 1:], [-1])], -1)
        double = as_dtype(self.dtype) in {float64, complex128}
        spectrum = signal.fft(
            elementwise.cast(around, complex128 if double else complex64)
        )
        circulant = LinearOperatorCirculant(spectrum, self.dtype)
        *batch, _, columns = sizes_of(right)
        zeros = arrays.zeros([*batch, size - 1, columns], dtype=self.dtype)
        return circulant.matmul(arrays.concat([right, zeros], -2))[..., :size, :]

    def _diag_part(self) -> Any:
        *batch, size, _ = self.shape.as_list()
        return tensor_of(self._col)[..., :1] * arrays.ones(
            [*batch, size], dtype=self.dtype
        )
