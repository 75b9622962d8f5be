"""Matrices of one number along each diagonal: circulant ones, in blocks too, and Toeplitz's."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar, Self

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import (
    arrays,
    cutting,
    elementwise,
    picking,
    reductions,
    signal,
)
from tensorlite.compat.shared.linear import layouts, matrices
from tensorlite.compat.shared.linear.known_matrices import (
    kept,
    log_abs_product,
    sizes_of,
    tensor_of,
)
from tensorlite.compat.shared.linear.linear_operator import LinearOperator, conjugate
from tensorlite.compat.shared.linear.operator_checks import always, with_rank
from tensorlite.core.dtypes import as_dtype, complex64, complex128, float64
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.state.variable import Variable

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
        self._forms = None
        if active_graph() is not None and not isinstance(self._spectrum, Variable):
            with name_scope(self.name):
                self._forms = self._common_forms()

    @property
    def spectrum(self) -> Any:
        """The Fourier transform of the kernel: the eigenvalues."""
        return self._spectrum

    @property
    def block_shape(self) -> Any:
        """TensorShape of the blocks: the spectrum's last sizes."""
        return self._spectrum.get_shape()[-self.block_depth :]

    def _shape(self) -> Any:
        known = self._spectrum.get_shape()
        if known.rank is None:
            return known
        sizes = known.as_list()
        size = prod(sizes[-self.block_depth :])
        return as_shape((*sizes[: -self.block_depth], size, size))

    def _common_forms(self) -> tuple[Any, Any, Any]:
        """Return the spectrum's block sizes, itself as complex numbers, and those conjugated."""
        spectrum = tensor_of(self._spectrum)
        block = layouts.sizes(spectrum)[-self.block_depth :]
        complex_one = _complex(spectrum)
        if active_graph() is not None:
            elementwise.abs(
                spectrum
            )  # TensorFlow makes it beforehand, for determinants
        return block, complex_one, conjugate(complex_one)

    def with_members(self, members: dict[str, Any]) -> Self:
        """Return such an operator of another spectrum."""
        made = super().with_members(members)
        vars(made)["_forms"] = None  # of the spectrum that there was
        return made

    def _complex_spectrum(self, adjoint: bool = False) -> Any:
        """Return the spectrum as complex numbers, conjugated for the adjoint."""
        if self._forms is not None:
            return self._forms[2 if adjoint else 1]
        found = _complex(tensor_of(self._spectrum))
        return conjugate(found) if adjoint else found

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Return the kernel that the matrix convolves with."""
        kernel = _TRANSFORMS[self.block_depth][1](self._complex_spectrum())
        return self._narrow(kernel)

    def _narrow(self, x: Any) -> Any:
        return elementwise.cast(
            x if self.dtype.is_complex else elementwise.real(x), self.dtype
        )

    def _filtered(self, x: Any, weighed: Any, adjoint: bool) -> Any:
        """Return the columns of a matrix with their frequencies weighed by the spectrum."""
        spectrum = self._complex_spectrum(adjoint)
        right, weights = self._of_one_batch(
            elementwise.cast(x, spectrum.dtype), spectrum
        )
        rows = layouts.rotated(right, 1)
        forth, back = _TRANSFORMS[self.block_depth]
        block = self.block_shape.as_list()
        blocks = arrays.reshape(rows, [*sizes_of(rows)[:-1], *block])
        found = back(weighed(forth(blocks), weights))
        batch = sizes_of(found)[: -self.block_depth]
        flat = arrays.reshape(found, [*batch, prod(block)])
        return self._narrow(layouts.rotated(flat, -1))

    def _of_one_batch(self, x: Any, spectrum: Any) -> tuple[Any, Any]:
        """Return a matrix and a spectrum, both of the batch that theirs broadcast to."""
        own = self.batch_shape.as_list()
        if active_graph() is None and x.get_shape().as_list()[:-2] == own:
            return x, spectrum
        column = layouts.in_a_row(layouts.batch_sizes(self), [-1, 1])
        right, flat = layouts.of_one_batch([x, arrays.reshape(spectrum, column)])
        batch = layouts.sizes(right)[:-2]
        block = self.block_shape.as_list() if self._forms is None else self._forms[0]
        return right, arrays.reshape(flat, layouts.in_a_row(batch, block))

    def _matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(x) if adjoint_arg else x
        return self._filtered(right, lambda y, weights: weights * y, adjoint)

    def _solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False
    ) -> Any:
        right = matrices.adjoint(rhs) if adjoint_arg else rhs
        return self._filtered(right, lambda y, weights: y / weights, adjoint)

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


def _complex(x: Any) -> Any:
    """Return complex numbers of the precision of others, or of real ones."""
    double = as_dtype(x.dtype) in {float64, complex128}
    return elementwise.cast(x, complex128 if double else complex64)


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
        if None in (one.rank, other.rank):
            return as_shape(None)
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
