"""Transforms of real signals as TensorFlow has them: an operator for each number of axes.

How many numbers are transformed is an input, which may be known only as a graph runs.
"""

from __future__ import annotations

from typing import ClassVar

from tensorlite.core.errors import ShapeError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.arrange import flip
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.pieces import padded, sliced
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import conj
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.rounding import real
from tensorlite.ops.signals import fft

__all__: list[str] = []


class _OfReal(Composite, abstract=True):
    """A transform of the last axes, as many as the operator has in its name."""

    count: ClassVar[int]

    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self.count, 0))

    def _known(self, sizes: Tensor) -> tuple[int, ...] | None:
        """Return the sizes that are transformed to, if they are known."""
        found = sizes.spec.vector()
        if found is None or None in found:
            return None
        return tuple([n for n in found if n is not None])


class _Spectrum(_OfReal, abstract=True):
    """The half of a spectrum that says all of it."""

    def compose(self, x: Tensor, fft_length: Tensor) -> Tensor:
        """Return the spectrum of as many numbers as the second input says."""
        sizes = self._known(fft_length)
        if sizes is not None:
            return fft.rfftn(x, s=sizes, axes=self._axes())
        return fft.rfftn(_cut(x, fft_length, self.count), axes=self._axes())


class _Signal(_OfReal, abstract=True):
    """The real signal of the half of a spectrum."""

    def compose(self, x: Tensor, fft_length: Tensor) -> Tensor:
        """Return the signal, of sizes that the second input says."""
        axes, sizes = self._axes(), self._known(fft_length)
        if sizes is not None:
            return fft.irfftn(x, s=sizes, axes=axes)
        last = fft_length[-1:]
        z = _cut(x, concat([fft_length[:-1], last // 2 + 1]), self.count)
        z = fft.ifftn(z, axes=axes[:-1]) if len(axes) > 1 else z
        mirrored = flip(z[..., 1 : (last[0] + 1) // 2], axis=-1)
        return real(fft.ifftn(concat([z, conj(mirrored)], axis=-1), axes=(-1,)))


def _cut(x: Tensor, sizes: Tensor, count: int) -> Tensor:
    """Return the beginning of the last axes, filled up with zeros to sizes."""
    own = shape_of(x)
    first = own.spec.dims[0] if own.spec.shape else None
    if first is not None and first < count:
        raise ShapeError(f"a transform of the last {count} axes of {x.spec}")
    due = concat([own[:-count], sizes])
    more = maximum(due - own, 0)
    filled = padded(x, stack([zeros_like(more), more], axis=1))
    return sliced(filled, zeros_like(due), due)


class RFFT(_Spectrum):
    """The spectrum of real numbers along the last axis."""

    count = 1


class RFFT2D(_Spectrum):
    """The spectrum of real numbers over the last two axes."""

    count = 2


class RFFT3D(_Spectrum):
    """The spectrum of real numbers over the last three axes."""

    count = 3


class IRFFT(_Signal):
    """The real numbers of a spectrum along the last axis."""

    count = 1


class IRFFT2D(_Signal):
    """The real numbers of a spectrum over the last two axes."""

    count = 2


class IRFFT3D(_Signal):
    """The real numbers of a spectrum over the last three axes."""

    count = 3
