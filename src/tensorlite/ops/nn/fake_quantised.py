"""Numbers rounded as integers of few bits would be, with gradients that pass through.

Each is a value that gradients do not see, plus terms that are 0 and carry the gradient.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.identity import stop_gradient
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import clip, minimum
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.reduce import max as max_of, min as min_of
from tensorlite.ops.math.rounding import floor, round as round_of
from tensorlite.ops.operators import astype

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
    "quantize_and_dequantize",
]


def _through(x: Tensor) -> Tensor:
    """Return 0 that has the gradient of `x`."""
    return x - stop_gradient(x)


def nudged(
    low: Tensor, high: Tensor, num_bits: int, narrow_range: bool
) -> tuple[Tensor, Tensor]:
    """Return the ends of a range, moved so that 0 is one of its steps."""
    bottom, top = float(narrow_range), float(2**num_bits - 1)
    scale = (high - low) / (top - bottom)
    scale = where(equal(scale, 0), 1.0, scale)
    zero = floor(clip(bottom - low / scale, bottom, top) + 0.5)
    return (bottom - zero) * scale, (top - zero) * scale


class FakeQuantWithMinMaxVars(Composite):
    """Elements rounded to the steps of a range, which is given by its ends."""

    num_bits: int = 8
    narrow_range: bool = False
    rank: ClassVar[int] = 0
    """How many axes the ends have."""

    def compose(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """Return the elements rounded, with gradients for all three."""
        for what, end in (("min", low), ("max", high)):
            if end.spec.rank not in (None, self.rank):
                raise ShapeError(
                    f"{self.name}: `{what}` must be rank {self.rank} but is rank {end.spec.rank}"
                )
        return _rounded(x, low, high, self.num_bits, self.narrow_range)


class FakeQuantWithMinMaxVarsPerChannel(FakeQuantWithMinMaxVars):
    """The same with a range for each channel, along the last axis."""

    rank: ClassVar[int] = 1


class FakeQuantWithMinMaxArgs(Composite):
    """The same with a range that is known."""

    min: float = -6.0
    max: float = 6.0
    num_bits: int = 8
    narrow_range: bool = False

    def compose(self, x: Tensor) -> Tensor:
        """Return the elements rounded."""
        if not self.min < self.max:
            raise InvalidArgumentError(
                f"{self.name}: min has to be smaller than max, was: {self.min} >= {self.max}"
            )
        ends = to_tensor(self.min), to_tensor(self.max)
        return _rounded(x, *ends, self.num_bits, self.narrow_range)


class FakeQuantWithMinMaxVarsGradient(Composite):
    """What flows to the elements within a range, and to its ends from what is outside."""

    num_bits: int = 8
    narrow_range: bool = False
    by_channel: ClassVar[bool] = False

    def compose(self, dy: Tensor, x: Tensor, low: Tensor, high: Tensor) -> Any:
        """Return the gradients of the elements and of both ends."""
        bits = self.num_bits, self.narrow_range
        below, above = _outside(x, low, high, *bits)
        axes = tuple(range(dy.ndim - 1)) if self.by_channel else None
        ends = [sum_of(where(z, dy, 0.0), axis=axes) for z in (below, above)]
        return [where(below | above, 0.0, dy), *ends]


class FakeQuantWithMinMaxVarsPerChannelGradient(FakeQuantWithMinMaxVarsGradient):
    """The same with a range for each channel, along the last axis."""

    by_channel = True


class FakeQuantWithMinMaxArgsGradient(Composite):
    """The same with a range that is known, to which nothing flows."""

    min: float = -6.0
    max: float = 6.0
    num_bits: int = 8
    narrow_range: bool = False

    def compose(self, dy: Tensor, x: Tensor) -> Tensor:
        """Return the gradient of the elements."""
        ends = to_tensor(self.min), to_tensor(self.max)
        below, above = _outside(x, *ends, self.num_bits, self.narrow_range)
        return where(below | above, 0.0, dy)


def _outside(
    x: Tensor, low: Tensor, high: Tensor, num_bits: int, narrow_range: bool
) -> tuple[Tensor, Tensor]:
    """Return which elements are below a range whose ends are moved, and which above."""
    least, most = nudged(low, high, num_bits, narrow_range)
    return x < least, x > most


def _rounded(
    x: Tensor, min: Tensor, max: Tensor, num_bits: int, narrow_range: bool
) -> Tensor:
    """Return elements rounded to the steps of a range; InvalidArgumentError for wrong numbers."""
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError(f"num_bits={num_bits}; allowed are 2 to 16")
    values = floating(x)
    low, high = (
        astype(min, values.dtype),
        astype(max, values.dtype),
    )
    least, most = nudged(low, high, num_bits, narrow_range)
    flat = equal(high, low)
    scale = where(flat, 1.0, (high - low) / (2**num_bits - 1 - float(narrow_range)))
    inside = clip(values, least, most)
    rounded = floor((inside - least) / scale + 0.5) * scale + least
    below, above = values < least, values > most
    passed = where(below | above, 0.0, _through(values))
    ends = where(below, _through(low), 0.0) + where(above, _through(high), 0.0)
    return stop_gradient(where(flat, 0.0, rounded)) + passed + ends


def fake_quant_with_min_max_vars(
    x: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Tensor:
    """Return `x` rounded to the 2 ** num_bits steps from `min` to `max`, moved so that 0 is one.

    Gradients flow to `x` inside of the range, to its ends outside.

    >>> print(tl.quantization.fake_quant_with_min_max_vars([0.1, 9.0], -1.0, 2.0, num_bits=2))
    [0. 2.]
    """
    op = FakeQuantWithMinMaxVars(num_bits, narrow_range)
    made: Tensor = composed(op, x, min, max)
    return made


def fake_quant_with_min_max_args(
    x: TensorLike,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Tensor:
    """Return `x` rounded to the 2 ** num_bits steps of a fixed range, moved so that 0 is one.

    >>> print(tl.quantization.fake_quant_with_min_max_args([0.1, 9.0], -1.0, 2.0, num_bits=2))
    [0. 2.]
    """
    op = FakeQuantWithMinMaxArgs(float(min), float(max), num_bits, narrow_range)
    made: Tensor = composed(op, x)
    return made


def fake_quant_with_min_max_vars_per_channel(
    x: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Tensor:
    """Return `x` rounded to steps of a range for each channel, along the last axis.

    >>> print(tl.quantization.fake_quant_with_min_max_vars_per_channel(
    ...     [[0.1, 9.0]], [-1.0, -1.0], [2.0, 2.0], num_bits=2))
    [[0. 2.]]
    """
    op = FakeQuantWithMinMaxVarsPerChannel(num_bits, narrow_range)
    made: Tensor = composed(op, x, min, max)
    return made


def quantize_and_dequantize(
    x: TensorLike,
    input_min: TensorLike | None = None,
    input_max: TensorLike | None = None,
    signed_input: bool = True,
    num_bits: int = 8,
    round_mode: Literal["HALF_TO_EVEN", "HALF_UP"] = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int | None = None,
    through: tuple[TensorLike, TensorLike] | None = None,
) -> Tensor:
    """Return `x` as it is when it has been an integer, 0 exactly; gradients pass through.

    The range is that of `x`, or of each slice along `axis`, unless given. Where `through` is given,
    gradients pass for elements between its two numbers alone.

    >>> print(tl.quantization.quantize_and_dequantize([-1.0, 0.1, 1.0], num_bits=3))
    [-1.  0.  1.]
    """
    values = floating(to_tensor(x))
    least, most = _integers(signed_input, num_bits, narrow_range)
    axes = (
        None
        if axis is None
        else [i for i in range(values.ndim) if i != axis % values.ndim]
    )
    low = (
        min_of(values, axis=axes, keepdims=True)
        if input_min is None
        else _beside(values, input_min, axis)
    )
    high = (
        max_of(values, axis=axes, keepdims=True)
        if input_max is None
        else _beside(values, input_max, axis)
    )
    scale = _scale(least, most, low, high)
    limited = (
        clip(values, least / scale, most / scale) if input_min is not None else values
    )
    steps = limited * scale
    whole = round_of(steps) if round_mode == "HALF_TO_EVEN" else floor(steps + 0.5)
    passing = _through(values)
    if through is not None:
        least_passing, most_passing = [_beside(values, end, axis) for end in through]
        inside = (values >= least_passing) & (values <= most_passing)
        passing = where(inside, passing, 0.0)
    return stop_gradient(clip(whole, least, most) / scale) + passing


def _scale(least: float, most: float, low: Tensor, high: Tensor) -> Tensor:
    """Return what takes numbers from low to high to integers from least to most."""
    far = 3e38
    below = where(least * low > 0, least / where(equal(low, 0), 1.0, low), far)
    above = where(most * high > 0, most / where(equal(high, 0), 1.0, high), far)
    return minimum(below, above)


def _beside(x: Tensor, end: TensorLike, axis: int | None) -> Tensor:
    """Return numbers for the slices of `x` along an axis, shaped to be broadcast to it."""
    made = to_tensor(end)
    if axis is None or not made.ndim:
        return made
    return reshape(made, [-1, *[1] * (x.ndim - 1 - axis % x.ndim)])


def _integers(signed: bool, bits: int, narrow: bool) -> tuple[float, float]:
    """Return the least and the greatest integer."""
    if not signed:
        return 0.0, float(2**bits - 1)
    return float(-(2 ** (bits - 1)) + narrow), float(2 ** (bits - 1) - 1)
