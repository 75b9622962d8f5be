"""Numbers as small integers between two limits, as TensorFlow's quantised dtypes hold them.

Rounding as if to them, which stays with floats, is in fake_quantised.py.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, float32, float64
from tensorlite.core.errors import (
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.bounds import clip, maximum, minimum
from tensorlite.ops.math.rounding import (
    abs as magnitude,
    floor,
    round as nearest,
    sign,
)
from tensorlite.ops.nn.quantised_numbers import Limits, fitted, value_of

MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


class QuantizeV2(Composite):
    """Numbers as integers of a dtype between two limits, and the limits these stand for."""

    differentiable: ClassVar[bool] = False
    T: DType
    mode: str = "MIN_COMBINED"
    round_mode: str = "HALF_AWAY_FROM_ZERO"
    narrow_range: bool = False
    axis: int = -1
    ensure_minimum_range: float = 0.01

    def compose(self, x: Tensor, low: Tensor, high: Tensor) -> tuple[Tensor, ...]:
        """Return the integers and their limits; along an axis each slice has its own."""
        to_even = self.round_mode == "HALF_TO_EVEN"
        if to_even and self.mode != "SCALED":
            raise InvalidArgumentError(
                f"{self.name}: Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', "
                f"but mode is '{self.mode}'"
            )
        made, least, most = quantized(
            x,
            _along(self, x, (low, high)),
            self.T.held,
            self.mode,
            to_even=to_even,
            narrow=self.narrow_range,
            least_range=self.ensure_minimum_range,
        )
        shape = [] if self.axis < 0 else [-1]
        return astype(made, self.T), reshape(least, shape), reshape(most, shape)


class Dequantize(Composite):
    """The numbers that integers between two limits stand for."""

    differentiable: ClassVar[bool] = False
    mode: str = "MIN_COMBINED"
    narrow_range: bool = False
    axis: int = -1
    dtype: DType = float32

    def compose(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """Return the numbers; along an axis each slice has limits of its own."""
        limits = _along(self, x, (low, high))
        held = astype(x, x.dtype.held)
        found = dequantized(held, limits, self.mode, self.narrow_range)
        return astype(found, self.dtype)


def _along(op: QuantizeV2 | Dequantize, x: Tensor, limits: Limits) -> Limits:
    """Return limits shaped to be broadcast along the axis they are for."""
    rank = 0 if op.axis < 0 else 1
    for what, limit in zip(("min_range", "max_range"), limits, strict=True):
        found = limit.spec.rank
        if found not in (None, rank) and not (found == 1 and limit.size == 1):
            raise ShapeError(
                f"{op.name}: `{what}` must be rank {rank} for axis={op.axis} but is rank {found}"
            )
    if op.axis < 0:
        return reshape(limits[0], []), reshape(limits[1], [])
    if op.mode == "MIN_FIRST":
        raise UnimplementedError(
            f"{op.name}: MIN_FIRST mode is not implemented with an axis; use SCALED or MIN_COMBINED"
        )
    shape = [-1, *[1] * (x.ndim - 1 - op.axis)]
    return reshape(limits[0], shape), reshape(limits[1], shape)


def quantize(
    x: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    dtype: DTypeLike,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return `x` as integers of a (quantized) dtype between two limits, and the limits then.

    These are moved to hold 0, and apart; along an axis each slice has limits of its own.

    >>> made, low, high = tl.quantization.quantize([-1.0, 0.0, 4.0], -1.0, 4.0, "quint8")
    >>> made.dtype, made.tolist(), low.item(), high.item()
    (tl.quint8, [0, 51, 255], -1.0, 4.0)
    """
    along = -1 if axis is None else int(axis)
    wanted = as_dtype(dtype)
    op = QuantizeV2(
        wanted, mode, round_mode, narrow_range, along, float(ensure_minimum_range)
    )
    limits = to_tensor(min_range), to_tensor(max_range)
    _check_order(limits)
    made: tuple[Tensor, Tensor, Tensor] = composed(op, x, *limits)
    return made


def _check_order(limits: Limits) -> None:
    """Raise InvalidArgumentError where limits that have values are the wrong way round."""
    known = [x.array for x in limits if isinstance(x, EagerTensor)]
    if len(known) == len(limits) and (known[1] < known[0]).any():
        low, high = (x.tolist() for x in known)
        raise InvalidArgumentError(
            f"quantize: input_max_range {high} must be larger than input_min_range {low}"
        )


def dequantize(
    x: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    narrow_range: bool = False,
    axis: int | None = None,
    dtype: DTypeLike = float32,
) -> Tensor:
    """Return the numbers that integers between two limits stand for: `quantize`, taken back.

    >>> x = tl.asarray([0, 51, 255], dtype="quint8")
    >>> print(tl.quantization.dequantize(x, -1.0, 4.0))
    [-1.  0.  4.]
    """
    along = -1 if axis is None else int(axis)
    op = Dequantize(mode, narrow_range, along, as_dtype(dtype))
    made: Tensor = composed(op, x, min_range, max_range)
    return made


def quantized(
    x: Tensor,
    limits: tuple[Tensor, Tensor],
    dtype: DType,
    mode: str = "MIN_COMBINED",
    *,
    to_even: bool = False,
    narrow: bool = False,
    least_range: float = 0.01,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return numbers as integers, and the limits that these stand for.

    `least_range` is how wide these are at least, as a part of the larger of them.
    """
    first, last = _ends(dtype)
    _check(mode)
    low = minimum(limits[0], 0.0)
    size = maximum(1.0, maximum(magnitude(limits[0]), magnitude(limits[1])))
    high = maximum(0.0, maximum(limits[1], low + size * least_range))
    if mode == "SCALED":
        rounded = nearest if to_even else _away
        first += narrow
        scale = float(last) / high
        if first < 0:
            below = float(first) / minimum(low, -np.finfo(np.float32).tiny)
            scale = minimum(scale, below)
        low, high = first / scale, last / scale
        return _fitted(rounded(clip(x, low, high) * scale), dtype), low, high
    steps = float(last - first)
    if mode == "MIN_FIRST":
        return fitted(x, (low, high), dtype), low, high
    scale = steps / (high - low)
    found = (clip(x, low, high) - low) * scale - _half(dtype)
    return _fitted(_away(found), dtype), low, high


def dequantized(
    x: Tensor,
    limits: tuple[Tensor, Tensor],
    mode: str = "MIN_COMBINED",
    narrow: bool = False,
) -> Tensor:
    """Return the numbers that integers between two limits stand for."""
    low, high = limits
    first, last = _ends(x.dtype)
    _check(mode)
    given = astype(x, float32)
    if mode == "SCALED":
        scale = high / float(last)
        return given * (
            maximum(scale, low / (first + narrow)) if first < 0 else scale
        )
    scale = (high - low) / float(last - first)
    if mode == "MIN_FIRST":
        return astype(value_of(x, limits), float32)
    return (given + _half(x.dtype)) * scale + low


def _check(mode: str) -> None:
    if mode not in MODES:
        raise InvalidArgumentError(f"mode={mode!r}; allowed are {', '.join(MODES)}")


def _ends(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest integer of a dtype."""
    if not dtype.is_integer:
        raise InvalidArgumentError(f"{dtype} holds no integers")
    ends = np.iinfo(dtype.numpy)
    return int(ends.min), int(ends.max)


def _half(dtype: DType) -> float:
    """Return how far zero is from the least integer, in the middle of those with a sign."""
    first, last = _ends(dtype)
    return (last - first + 1) / 2 if first else 0.0


def _away(x: Tensor) -> Tensor:
    """Return the nearest integer, of two the one that is farther from zero."""
    size = magnitude(x)
    whole = floor(size)  # adding a half would round up what lies just below it
    return sign(x) * (whole + astype(size - whole >= 0.5, x.dtype))


def _fitted(x: Tensor, dtype: DType) -> Tensor:
    """Return whole numbers as integers; float32 does not hold the last ones of 32 bits."""
    return astype(clip(astype(x, float64), *_ends(dtype)), dtype)
