"""Operators of TensorFlow that others here say as well, with the attributes that they have there.

Those that later versions replaced under a new number are in older.py, small compositions in
composing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.errors import GraphDefError, ShapeError, TooLargeError
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import MOST, Adapter, Plain
from tensorlite.ops.arrays.arrange import matrix_transpose
from tensorlite.ops.arrays.blocks import batch_to_space, space_to_batch
from tensorlite.ops.arrays.gather import UnsortedSegmentSum, take
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.repeat import MirrorPad
from tensorlite.ops.arrays.segment import (
    UnsortedSegmentMax,
    UnsortedSegmentMin,
    UnsortedSegmentProd,
)
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.control.differentiate import gradients
from tensorlite.ops.images.resize import ResizeBilinear
from tensorlite.ops.linear.bands import (
    banded_triangular_solve,
)
from tensorlite.ops.linear.decompose import cholesky
from tensorlite.ops.linear.linalg import lstsq
from tensorlite.ops.linear.matrix_functions import regularised_lstsq
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.elementwise import sqrt
from tensorlite.ops.nn.conv import Conv2D
from tensorlite.ops.nn.fake_quantised import quantize_and_dequantize
from tensorlite.ops.nn.pool import MaxPoolGrad, MaxPoolGradGrad
from tensorlite.ops.older_forms import AccumulateNV2, ParallelConcat
from tensorlite.ops.random import draws as random
from tensorlite.ops.signals.spectrograms import audio_spectrogram, mfcc
from tensorlite.ops.strings.hashing import fingerprint
from tensorlite.ops.strings.joining import unsorted_segment_join

PHILOX = 1


def _composed(function: Callable[..., Any]) -> Adapter:
    return lambda given: given.composed(function, *given.tensors)


def _normalised(given: Given) -> Values:
    epsilon = float(given.typed("variance_epsilon", (int, float)))
    scales = given.typed("scale_after_normalization", bool)

    def normed(
        x: Tensor, mean: Tensor, var: Tensor, beta: Tensor, gamma: Tensor
    ) -> Tensor:
        scale = 1.0 / sqrt(var + epsilon)
        return (x - mean) * (scale * gamma if scales else scale) + beta

    return given.composed(normed, *given.tensors)


def _blocks(function: Callable[[Tensor, Any, Tensor], Tensor]) -> Adapter:
    def adapter(given: Given) -> Values:
        size = given.typed("block_size", int)
        return given.composed(
            lambda x, ends: function(x, [size, size], ends), *given.tensors
        )

    return adapter


def _untiled(x: Tensor, multiples: Tensor) -> Tensor:
    """Add up what tiles have in common."""
    sizes = shape_of(x)
    split = []
    for axis in range(x.ndim):
        count = multiples[axis : axis + 1]
        split += [count, sizes[axis : axis + 1] // count]
    return sum_of(reshape(x, concat(split)), axis=list(range(0, 2 * x.ndim, 2)))


def _permuted(given: Given) -> Values:
    """Put numbers for axes in the order of another format: for all, or all but N and C."""
    order = _order(given)

    def permuted(x: Tensor) -> Tensor:
        rows = x.shape[0]
        if rows not in (None, len(order), len(order) - 2):
            raise ShapeError(
                f"{given.record}: input must be of size {len(order) - 2} or {len(order)}, and has "
                f"{rows}"
            )
        kept = [i for i in order if rows == len(order) or given_axes[i] in "DHW"]
        least = sorted(kept)
        return take(x, constant([least.index(i) for i in kept]), axis=0)

    given_axes = given.typed("src_format", str)
    return given.composed(permuted, given.tensor(0))


def _order(given: Given) -> list[int]:
    """Return where in the first format each axis of the second stands."""
    first, second = [given.typed(f"{x}_format", str) for x in ("src", "dst")]
    if sorted(first) != sorted(second) or len(set(first)) != len(first):
        raise GraphDefError(
            f"{given.record}: formats {first!r} and {second!r}; allowed are two orders of one set "
            "of axes"
        )
    return [first.index(axis) for axis in second]


def _renumbered(given: Given) -> Values:
    order = _order(given)
    places = constant([order.index(i) for i in range(len(order))])
    size = len(order)
    return given.composed(
        lambda x: astype(take(places, (x + size) % size, axis=0), x.dtype),
        given.tensor(0),
    )


def _pool_gradient(kind: type[MaxPoolGrad | MaxPoolGradGrad], given: Given) -> Values:
    if not given.is_known(3, 4):
        return Plain(given.record.op)(given)
    ksize, strides = [tuple(given.constant(i).ravel().tolist()) for i in (3, 4)]
    op = kind(
        ksize, strides, given.typed("padding", str), given.typed("data_format", str)
    )
    return given.made(op, *given.tensors[:3])


def _banded(given: Given) -> Values:
    lower, adjoint = [given.typed(name, bool) for name in ("lower", "adjoint")]
    return given.composed(
        lambda bands, rhs: banded_triangular_solve(
            bands, rhs, lower=lower, adjoint=adjoint
        ),
        *given.tensors,
    )


def _least_squares(given: Given) -> Values:
    fast = given.typed("fast", bool)
    return given.composed(
        lambda a, b, weight: regularised_lstsq(a, b, weight) if fast else lstsq(a, b),
        *given.tensors,
    )


def _padded_convolution(given: Given) -> Values:
    strides = given.listed("strides", int)
    op = Conv2D(strides, given.typed("padding", str))
    pad = MirrorPad(given.typed("mode", str))
    inputs = given.tensors
    sizes = given.record.op == "FusedResizeAndPadConv2D"
    resize = ResizeBilinear(
        given.typed("resize_align_corners", bool) if sizes else False, False
    )

    def convolved(x: Tensor, *rest: Tensor) -> Tensor:
        *size, paddings, filters = rest
        resized = call(resize, x, *size) if size else x
        return call(op, call(pad, resized, paddings), filters)

    return given.composed(convolved, *inputs)


def _factor_gradient(given: Given) -> Values:
    """Return the gradient of a matrix by that of its factor."""

    def flows(factor: Tensor, dy: Tensor) -> Tensor:
        matrix = factor @ matrix_transpose(factor)
        (dx,) = gradients(cholesky(matrix), [matrix], [dy])
        found: Tensor = dx
        return (found + matrix_transpose(found)) / 2.0

    return given.composed(flows, *given.tensors)


def _joined_texts(given: Given) -> Values:
    separator = given.typed("separator", str)
    return given.composed(
        lambda x, rows, count: unsorted_segment_join(x, rows, count, separator),
        *given.tensors,
    )


def _rounded_within(given: Given) -> Values:
    """Round as if to integers, with gradients within the range that is given alone."""
    return _rounded(given, True)


def _rounded(given: Given, clips_gradients: bool = False) -> Values:
    """Round as if to integers; the range is given, or the tensor's own."""
    signed, narrow = [
        given.typed(name, bool) for name in ("signed_input", "narrow_range")
    ]
    is_told, axis = given.typed("range_given", bool), given.typed("axis", int)
    along = None if axis < 0 else axis
    mode: Any = "HALF_TO_EVEN"
    inputs = given.tensors
    bits = given.typed("num_bits", int) if len(inputs) == 3 else 0
    if len(inputs) == 4:
        bits = int(given.constant(3))
    if "round_mode" in given.record.attributes:
        mode = given.typed("round_mode", str)

    def rounded(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        ends = (low, high) if is_told else (None, None)
        through = (low, high) if clips_gradients else None
        return quantize_and_dequantize(
            x, ends[0], ends[1], signed, bits, mode, narrow, along, through
        )

    return given.composed(rounded, *inputs[:3])


def _shaped(kind: Callable[[Any], Op], given: Given) -> Values:
    return given.made(kind(given.shape("shape")), *given.tensors)


def _named_digests(given: Given) -> Values:
    if given.constant(1).item() not in (b"farmhash64", "farmhash64"):
        raise GraphDefError(f"{given.record}: the only method is farmhash64")
    return given.composed(fingerprint, given.tensor(0))


def _segments(op: type[Op]) -> Adapter:
    return lambda given: given.made(op(), *given.tensors)


def _any_integers(given: Given) -> Values:
    dtype = given.dtype("dtype")

    def drawn(shape: Tensor, seed: Tensor) -> Tensor:
        key, counter = calls(random.StatelessRandomGetKeyCounter(), seed)
        number = constant(PHILOX, dtypes.int32)
        op = random.StatelessRandomUniformFullIntV2(dtype)
        return call(op, shape, key, counter, number)

    return given.composed(drawn, *given.tensors)


def _with_algorithm(seed: Tensor) -> Sequence[Tensor]:
    key, counter = calls(random.StatelessRandomGetKeyCounter(), seed)
    return key, counter, constant(PHILOX, dtypes.int32)


def _count(given: Given, name: str) -> int:
    found: int = given.typed(name, int)
    if not 1 <= found <= MOST:
        raise GraphDefError(
            f"{given.record}: its attribute {name!r} is {found}; allowed are 1 to {MOST}"
        )
    return found


LONGEST = 2**22
"""How many samples, or frequencies, a sound of known size may have."""


def _check_size(given: Given, axis: int, what: str) -> None:
    """Raise TooLargeError where tables are made for a known size, and it is beyond all sense."""
    size = (given.tensor(0).spec.shape or (0,))[axis] or 0
    if size > LONGEST:
        raise TooLargeError(
            f"{given.record}: its input has {size} {what}; at most {LONGEST} may be"
        )


def _spectrogram(given: Given) -> Values:
    size, stride = _count(given, "window_size"), _count(given, "stride")
    squared = given.typed("magnitude_squared", bool)
    _check_size(given, 0, "samples")
    return given.composed(
        lambda x: audio_spectrogram(x, size, stride, squared), given.tensor(0)
    )


def _cepstrum(given: Given) -> Values:
    high, low = [
        float(given.typed(f"{end}_frequency_limit", (int, float)))
        for end in ("upper", "lower")
    ]
    channels = _count(given, "filterbank_channel_count")
    count = _count(given, "dct_coefficient_count")
    _check_size(given, -1, "frequencies")
    return given.composed(
        lambda x, rate: mfcc(x, rate, high, low, channels, count), *given.tensors
    )


REWRITTEN: dict[str, Adapter] = {
    "AudioSpectrogram": _spectrogram,
    "BandedTriangularSolve": _banded,
    "BatchCholeskyGrad": _factor_gradient,
    "BatchMatrixSolveLs": _least_squares,
    "BatchNormWithGlobalNormalization": _normalised,
    "BatchToSpace": _blocks(batch_to_space),
    "CholeskyGrad": _factor_gradient,
    "DataFormatDimMap": _renumbered,
    "DataFormatVecPermute": _permuted,
    "Fingerprint": _named_digests,
    "FusedPadConv2D": _padded_convolution,
    "FusedResizeAndPadConv2D": _padded_convolution,
    "MatrixSolveLs": _least_squares,
    "MaxPoolGradGradV2": partial(_pool_gradient, MaxPoolGradGrad),
    "MaxPoolGradV2": partial(_pool_gradient, MaxPoolGrad),
    "Mfcc": _cepstrum,
    "AccumulateNV2": partial(_shaped, AccumulateNV2),
    "ParallelConcat": partial(_shaped, ParallelConcat),
    "QuantizeAndDequantizeV3": _rounded,
    "QuantizeAndDequantizeV4": _rounded_within,
    "SegmentMaxV2": _segments(UnsortedSegmentMax),
    "SegmentMinV2": _segments(UnsortedSegmentMin),
    "SegmentProdV2": _segments(UnsortedSegmentProd),
    "SegmentSumV2": _segments(UnsortedSegmentSum),
    "SpaceToBatch": _blocks(space_to_batch),
    "StatelessRandomGetKeyCounterAlg": _composed(_with_algorithm),
    "StatelessRandomUniformFullInt": _any_integers,
    "TileGrad": _composed(_untiled),
    "UnsortedSegmentJoin": _joined_texts,
}
for _name in (
    *("BandPart", "Determinant", "Inverse", "Solve", "TriangularSolve"),
    *("SetDiag", "Diag", "DiagPart"),
):
    REWRITTEN[f"BatchMatrix{_name}"] = Plain(f"Matrix{_name}").__call__
for _name, _new in {
    "BatchCholesky": "Cholesky",
    "BatchSelfAdjointEigV2": "SelfAdjointEigV2",
    "BatchSvd": "Svd",
}.items():
    REWRITTEN[_name] = Plain(_new).__call__
