"""Initializers of orthogonal kernels for convolutions, which keep the norms of what they take.

They are from "Dynamical isometry and a mean field theory of CNNs" (Xiao et al., 2018): the kernel
of a delta is an orthogonal matrix in the middle and zeros around; the others are made of blocks of
two elements along each axis, P and 1 - P of projections P, which are convolved with one another.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1.functions.init_ops import Initializer, floating, known_sizes
from tensorlite.compat.v1.functions.matrices import eye
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError, ShapeError

Kernel = Mapping[tuple[int, ...], Any]
"""The matrices of a kernel by their places."""


class _OfKernels(Initializer):
    """Draws kernels of a shape that fits."""

    fields = ("gain", "seed")

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, floating(dtype)

    def _orthogonal(self, size: int, dtype: Any) -> Any:
        drawn = self.source.normal([size, size], dtype=dtype, seed=self.seed)
        q, r = matrices.qr(drawn)
        return q * elementwise.sign(matrices.tensor_diag_part(r))


def _checked(shape: Any, ranks: tuple[int, ...], told: str) -> list[int]:
    """Return the sizes; ShapeError for others than so many, or more channels going in than out."""
    sizes = known_sizes(shape)
    if len(sizes) not in ranks:
        raise ShapeError(f"The tensor to initialize must be {told}, not {sizes}")
    if sizes[-2] > sizes[-1]:
        raise ShapeError(
            f"In_filters cannot be greater than out_filters: {sizes[-2]} and {sizes[-1]}"
        )
    return sizes


class ConvolutionDeltaOrthogonal(_OfKernels):
    """Draws a kernel whose middle is an orthogonal matrix, times gain; all else is zero."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        told = "at least three-dimensional and at most five-dimensional"
        sizes = _checked(shape, (3, 4, 5), told)
        wanted = self._chosen(dtype)
        matrix = self._orthogonal(sizes[-1], wanted)[: sizes[-2], :] * self.gain
        middle = [(size - 1) // 2 for size in sizes[:-2]]
        places = np.arange(prod(sizes[:-2])).reshape(sizes[:-2])
        number = int(places[tuple(middle)])
        rows = [number, prod(sizes[:-2]) - number - 1]
        around = [arrays.zeros([count, *sizes[-2:]], wanted) for count in rows]
        whole = arrays.concat([around[0], matrix[None], around[1]], 0)
        return arrays.reshape(whole, sizes)


class _Convolved(_OfKernels):
    """Draws a kernel that is orthogonal where what it is applied to goes round."""

    axes: ClassVar[int]
    told: ClassVar[str]

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        sizes = _checked(shape, (self.axes + 2,), self.told)
        if len(set(sizes[:-2])) > 1:
            raise InvalidArgumentError(
                f"Kernel sizes must be equal, not {sizes[:-2]}"
            )
        matrix = self._next_orthogonal(sizes[-1])[: sizes[-2], :]
        kernel: Kernel = {(0,) * self.axes: None}
        for step in range(sizes[0] - 1):
            kernel = (
                _convolved(kernel, self._block(sizes[-1]))
                if step
                else self._block(sizes[-1])
            )
        flat = [
            matrix
            if kernel[place] is None
            else matrices.matmul(matrix, kernel[place])
            for place in sorted(kernel)
        ]
        return arrays.reshape(arrays.stack(flat), sizes) * self.gain

    def _next_orthogonal(self, size: int) -> Any:
        found = self._orthogonal(size, self.dtype)
        self._count()
        return found

    def _count(self) -> None:
        """Let what is drawn next be of another seed."""
        if self.seed:
            self.seed += 1

    def _projection(self, size: int) -> Any:
        """Return a symmetric matrix that is its own square."""
        base = self._next_orthogonal(size)
        drawn = self.source.normal([size], seed=self.seed)
        self._count()
        columns = base * elementwise.cast(drawn > 0, self.dtype)
        return matrices.matmul(columns, matrices.matrix_transpose(columns))

    def _block(self, size: int) -> Kernel:
        """Return a kernel of two elements along each axis."""
        one = eye(size, dtype=self.dtype)
        pairs = [
            (x, one - x) for x in [self._projection(size) for _ in range(self.axes)]
        ]
        return {
            place: reduce(
                matrices.matmul,
                [pair[i] for pair, i in zip(pairs, place, strict=True)],
            )
            for place in product((0, 1), repeat=self.axes)
        }


def _convolved(first: Kernel, second: Kernel) -> Kernel:
    """Return the kernel that does what two kernels do one after the other."""
    made: dict[tuple[int, ...], Any] = {}
    for (one, x), (two, y) in product(first.items(), second.items()):
        place = tuple(i + j for i, j in zip(one, two, strict=True))
        term = matrices.matmul(x, y)
        made[place] = made[place] + term if place in made else term
    return made


class ConvolutionOrthogonal1D(_Convolved):
    """Draws an orthogonal kernel of three axes, times gain."""

    axes, told = 1, "three-dimensional"


class ConvolutionOrthogonal2D(_Convolved):
    """Draws an orthogonal kernel of four axes, times gain."""

    axes, told = 2, "four-dimensional"


class ConvolutionOrthogonal3D(_Convolved):
    """Draws an orthogonal kernel of five axes, times gain."""

    axes, told = 3, "five-dimensional"
