"""tf.keras.ops.linalg, and products of tensors, segments, transforms of signals, windows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.ops.making import (
    counted,
    fraction,
    fractional,
    named,
    of_two,
    operation,
    tensor,
    together,
)
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of


def _inner(x: Any, y: Any) -> Any:
    if not (len(x.shape) and len(y.shape)):
        return x * y
    return tl.tensordot(x, y, axes=([-1], [-1]))


def _dot(x: Any, y: Any) -> Any:
    if not (len(x.shape) and len(y.shape)):
        return x * y
    return tl.tensordot(x, y, axes=([-1], [-1 if len(y.shape) == 1 else -2]))


def _kron(x: Any, y: Any) -> Any:
    rank = max(len(x.shape), len(y.shape))
    x = tl.reshape(x, [*[1] * (rank - len(x.shape)), *x.shape])
    y = tl.reshape(y, [*[1] * (rank - len(y.shape)), *y.shape])
    wide = tl.reshape(x, [n for size in x.shape for n in (size, 1)])
    made = wide * tl.reshape(y, [n for size in y.shape for n in (1, size)])
    return tl.reshape(made, [a * b for a, b in zip(x.shape, y.shape, strict=True)])


matmul = of_two("matmul", tl.matmul)
inner = of_two("inner", _inner)
outer = of_two("outer", lambda x, y: tl.reshape(x, [-1, 1]) * tl.reshape(y, [1, -1]))
vdot = of_two(
    "vdot", lambda x, y: tl.sum(tl.reshape(tl.conj(x), [-1]) * tl.reshape(y, [-1]))
)
dot = of_two("dot", _dot)
kron = of_two("kron", _kron)
gcd = of_two("gcd", lambda x, y: _by_value(np.gcd, x, y))
lcm = of_two("lcm", lambda x, y: _by_value(np.lcm, x, y))
det = fractional("det", tl.linalg.det)
inv = fractional("inv", tl.linalg.inv)
logdet = fractional("logdet", lambda x: tl.linalg.slogdet(x)[1])
slogdet = fractional("slogdet", lambda x: tuple(tl.linalg.slogdet(x)))
eig = fractional("eig", lambda x: tuple(tl.linalg.eig(x)))
eigh = fractional("eigh", lambda x: tuple(tl.linalg.eigh(x)))
solve = named("solve", lambda a, b: tl.linalg.solve(*map(fraction, (a, b))))


def _by_value(function: Any, x: Any, y: Any) -> Any:
    return tl.numpy_function(function, [x, y], tl.TensorSpec(None, x.dtype))


@operation
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Return the sums of products that subscripts name; further arguments have no effect."""
    return tl.einsum(subscripts, *together(*operands))


@operation
def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Return the products summed over axes: a number of last and first ones, or two lists."""
    return tl.tensordot(*together(x1, x2), axes=axes)


@operation
def cross(
    x1: Any,
    x2: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Any:
    """Return the vectors perpendicular to two others, or of flat ones its length."""
    x, y = together(x1, x2)
    first, second, last = (axis,) * 3 if axis is not None else (axisa, axisb, axisc)
    x, y = tl.moveaxis(x, first, -1), tl.moveaxis(y, second, -1)
    if {x.shape[-1], y.shape[-1]} == {2}:
        return x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    x, y = (
        tl.concat([v, tl.zeros_like(v[..., :1])], axis=-1) if v.shape[-1] == 2 else v
        for v in (x, y)
    )
    return tl.moveaxis(tl.linalg.cross(*tl.broadcast_arrays(x, y)), -1, last)


@operation
def diag(x: Any, k: int = 0) -> Any:
    """Return a matrix with a vector on its k-th diagonal, or the diagonal of a matrix."""
    value = tensor(x)
    if len(value.shape) == 1:
        above, below = max(k, 0), max(-k, 0)
        return tl.pad(tl.diag(value), [(below, above), (above, below)])
    return tl.linalg.diagonal(value, offset=k)


@operation
def diagflat(x: Any, k: int = 0) -> Any:
    """Return a matrix with all elements on its k-th diagonal."""
    return diag(tl.reshape(tensor(x), [-1]), k)


@operation
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonals of the matrices that two axes make."""
    value = tl.moveaxis(tensor(x), (axis1, axis2), (-2, -1))
    return tl.linalg.diagonal(value, offset=offset)


@operation
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the sums of the diagonals of the matrices that two axes make."""
    return tl.sum(diagonal(counted(x), offset, axis1, axis2), axis=-1)


@operation
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of a vector's elements as rows, the highest first."""
    value = counted(x)
    count = shape_of(value)[0] if N is None else N
    powers = tl.arange(0, count, dtype=value.dtype)
    made = tl.pow(value[:, None], powers[None])
    return made if increasing else tl.flip(made, axis=-1)


@operation
def cholesky(x: Any, upper: bool = False) -> Any:
    """Return the triangular root of positive definite matrices, the lower or upper one."""
    return tl.linalg.cholesky(fraction(x), upper=upper)


@operation
def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    """Return the inverse of matrices from their triangular roots."""
    value = fraction(x)
    inverse = tl.linalg.inv(value)
    turned = tl.matrix_transpose(inverse)
    return tl.matmul(inverse, turned) if upper else tl.matmul(turned, inverse)


@operation
def qr(x: Any, mode: Literal["reduced", "complete"] = "reduced") -> Any:
    """Return matrices with perpendicular columns and triangular ones: (q, r)."""
    return tuple(tl.linalg.qr(fraction(x), mode=mode))


@operation
def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return singular vectors and values (u, s, v transposed), or the values alone."""
    if not compute_uv:
        return tl.linalg.svdvals(fraction(x))
    return tuple(tl.linalg.svd(fraction(x), full_matrices=full_matrices))


@operation
def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Return the x with the least |a x - b|, for one b or for each column."""
    x, y = map(fraction, (a, b))
    if len(y.shape) == 1:
        return tl.linalg.lstsq(x, y[:, None], rtol=rcond)[:, 0]
    return tl.linalg.lstsq(x, y, rtol=rcond)


@operation
def pinv(x: Any, rcond: Any = None) -> Any:
    """Return the pseudo-inverse, with singular values below rcond times the largest as 0."""
    return tl.linalg.pinv(fraction(x), rtol=rcond)


@operation
def matrix_rank(x: Any, tol: Any = None) -> Any:
    """Return how many singular values are above tol, as int32."""
    value = fraction(x)
    if tol is None:
        return astype(tl.linalg.matrix_rank(value), int32)
    return astype(
        tl.sum(astype(tl.linalg.svdvals(value) > tol, int32), axis=-1), int32
    )


@operation
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Return the x with a x = b, where a is upper or lower triangular."""
    x, y = map(fraction, (a, b))
    if len(y.shape) == len(x.shape) - 1:
        return tl.linalg.triangular_solve(x, y[..., None], lower=lower)[..., 0]
    return tl.linalg.triangular_solve(x, y, lower=lower)


@operation
def lu_factor(x: Any) -> Any:
    """Return triangular factors in one matrix, and the order of rows: (lu, pivots)."""
    return tuple(tl.linalg.lu(fraction(x)))


@operation
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norm of vectors along an axis, of matrices along two, or of all."""
    value = fraction(x)
    axes = tuple(axis) if isinstance(axis, list) else axis
    return tl.linalg.norm(value, ord=ord, axis=axes, keepdims=keepdims)


@operation
def cdist(x: Any, y: Any) -> Any:
    """Return the distance of each row of x from each row of y."""
    a, b = map(fraction, together(x, y))
    apart = a[..., :, None, :] - b[..., None, :, :]
    return tl.sqrt(tl.sum(tl.square(apart), axis=-1))


@operation
def correlate(x1: Any, x2: Any, mode: str = "valid") -> Any:
    """Return the sums of products of two vectors moved along each other.

    mode is "valid", "same" or "full".
    """
    x, y = map(fraction, together(x1, x2))
    long, short = x.shape[0], y.shape[0]
    swapped = long < short
    if swapped:
        x, y, long, short = y, x, short, long
    wide = {"valid": 0, "same": short // 2, "full": short - 1}[mode]
    after = {"valid": 0, "same": short - 1 - short // 2, "full": short - 1}[mode]
    padded = tl.pad(x, [(wide, after)])
    frames = tl.signal.frame(padded, short, 1)
    made = tl.sum(frames * y, axis=-1)
    return tl.flip(made, axis=0) if swapped else made


def _segments(name: str, function: Any) -> Any:
    """Return a function of the rows that belong together."""

    def reduce(
        data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False
    ) -> Any:
        value, ids = tensor(data), tensor(segment_ids)
        count = tl.max(ids) + 1 if num_segments is None else num_segments
        return function(value, ids, count)

    return named(name, reduce)


segment_sum = _segments("segment_sum", tl.unsorted_segment_sum)
segment_max = _segments("segment_max", tl.unsorted_segment_max)
segment_min = _segments("segment_min", tl.unsorted_segment_min)
segment_prod = _segments("segment_prod", tl.unsorted_segment_prod)


@operation
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Return whether each target class is among the k that are predicted most."""
    return tl.in_top_k(tensor(targets), tensor(predictions), k)


def _parts(x: Any) -> Any:
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise InvalidArgumentError(
            "x is a pair of tensors: the real and the imaginary part of the signal"
        )
    return tl.astype(fraction(x[0]), tl.complex64) + tl.astype(
        fraction(x[1]), tl.complex64
    ) * tl.asarray(1j, dtype=tl.complex64)


def _parted(x: Any) -> tuple[Any, Any]:
    return tl.real(x), tl.imag(x)


@operation
def fft(x: Any) -> Any:
    """Return the Fourier transform along the last axis: (real parts, imaginary parts)."""
    return _parted(tl.fft.fft(_parts(x)))


@operation
def fft2(x: Any) -> Any:
    """Return the Fourier transform along the last two axes: (real parts, imaginary parts)."""
    return _parted(tl.fft.fftn(_parts(x), axes=(-2, -1)))


@operation
def ifft2(x: Any) -> Any:
    """Return the inverse transform along two axes: (real parts, imaginary parts)."""
    return _parted(tl.fft.ifftn(_parts(x), axes=(-2, -1)))


@operation
def rfft(x: Any, fft_length: int | None = None) -> Any:
    """Return the transform of real numbers: (real parts, imaginary parts).

    The last axis is cut or filled with zeros to fft_length.
    """
    return _parted(tl.fft.rfft(fraction(x), n=fft_length))


@operation
def irfft(x: Any, fft_length: int | None = None) -> Any:
    """Return the real numbers of which (real parts, imaginary parts) are the transform."""
    return tl.fft.irfft(_parts(x), n=fft_length)


@operation
def view_as_complex(x: Any) -> Any:
    """Return complex numbers of a last axis with real and imaginary part."""
    value = fraction(x)
    return _parts((value[..., 0], value[..., 1]))


@operation
def view_as_real(x: Any) -> Any:
    """Return real and imaginary parts along a new last axis."""
    return tl.stack(_parted(tensor(x)), axis=-1)


@operation
def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    """Return windows of the last axis, sequence_stride apart, as a new axis."""
    return tl.signal.frame(tensor(x), sequence_length, sequence_stride)


def _window(window: Any, length: int, wide: int) -> Any:
    """Return a window of a length, amid zeros."""
    if window is None:
        made = tl.ones((length,))
    elif isinstance(window, str):
        known = {"hann": tl.signal.hann_window, "hamming": tl.signal.hamming_window}
        made = known[window](length)
    else:
        made = fraction(window)
    before = (wide - length) // 2
    return tl.pad(made, [(before, wide - length - before)])


def _overlaps(squares: Any, stride: int) -> Any:
    """Return, for each point of a window, the sum over the windows that lie there, none missing."""
    wide = int(squares.shape[0])
    turns = -(-wide // stride)
    rows = tl.reshape(tl.pad(squares, [(0, turns * stride - wide)]), (turns, stride))
    return tl.tile(tl.sum(rows, axis=0), (turns,))[:wide]


@operation
def stft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Return the transforms of windows of signals: (real parts, imaginary parts).

    Signals are mirrored at their ends if center; window is "hann", "hamming", a tensor or None.
    """
    value = fraction(x)
    if center:
        widths = [(0, 0)] * (len(value.shape) - 1) + [
            (fft_length // 2, fft_length // 2)
        ]
        value = tl.pad(value, widths, "reflect")
    frames = tl.signal.frame(value, fft_length, sequence_stride)
    shaped = frames * _window(window, sequence_length, fft_length)
    return _parted(tl.fft.rfft(shaped, n=fft_length))


@operation
def istft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """Return the signals of which (real parts, imaginary parts) are the windows' transforms."""
    frames = tl.fft.irfft(_parts(x), n=fft_length)
    if window is not None:
        shape = _window(window, sequence_length, fft_length)
        frames = frames * (shape / _overlaps(tl.square(shape), sequence_stride))
    made = tl.signal.overlap_and_add(frames, sequence_stride)
    start = fft_length // 2 if center else 0
    whole = made.shape[-1] - start
    end = start + (length if length is not None else whole - start)
    return made[..., start:end]


def _even(name: str, function: Any) -> Any:
    """Return a window of NumPy's, of so many points."""
    return named(
        name, lambda x, *more: tl.asarray(function(int(x), *more), dtype=tl.float32)
    )


bartlett = _even("bartlett", np.bartlett)
blackman = _even("blackman", np.blackman)
hamming = _even("hamming", np.hamming)
hanning = _even("hanning", np.hanning)
kaiser = _even("kaiser", np.kaiser)


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Return what a function makes of values, and how that changes along tangents.

    With `has_aux` the function returns something beside, which comes last.
    """
    given = nest.map_structure(tensor, tuple(primals))
    with tl.ForwardAccumulator(
        given, nest.map_structure(tensor, tuple(tangents))
    ) as on:
        made = fun(*given)
    value, *aside = made if has_aux else (made,)
    changes = nest.map_structure(
        lambda x, y: tl.zeros_like(x) if y is None else y, value, on.jvp(value)
    )
    return (value, changes, *aside)
