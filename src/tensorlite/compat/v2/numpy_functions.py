"""Functions of tf.experimental.numpy that are written out, as no others make them.

What becomes of operands: numpy_operands.py. The namespace: numpy.py.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras import ops
from tensorlite.compat.v2.numpy_operands import array, asarray, fractions, meeting
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype, reshape as reshaped


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return the elements of x or y by a condition, or the indices of true elements."""
    if x is None and y is None:
        return tuple(ops.nonzero(asarray(condition)))
    return tl.where(asarray(condition, np.bool_), *meeting([x, y]))


def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Return the elements in another shape, in the order of rows, or of columns for "F"."""
    if order not in {"C", "F"}:
        raise InvalidArgumentError(
            f"reshape: order={order!r}; allowed are 'C' and 'F'"
        )
    made = asarray(a)
    if order == "C":
        return reshaped(made, newshape)
    sizes = [newshape] if isinstance(newshape, int) else list(newshape)
    return ops.transpose(reshaped(ops.transpose(made), sizes[::-1]))


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Any:
    """Return variances, as fractions; `ddof` is taken from the counts of elements."""
    if out is not None:
        raise InvalidArgumentError("var: Setting out is not supported.")
    (x,) = fractions([asarray(a, dtype)])
    found = ops.var(x, axis=axis, keepdims=bool(keepdims))
    if not ddof:
        return found
    count = astype(tl.size(x) / tl.maximum(tl.size(found), 1), found.dtype)
    return found * count / (count - ddof)


def average(
    a: Any, axis: int | None = None, weights: Any = None, returned: bool = False
) -> Any:
    """Return means, weighted ones if there are weights, and with `returned` the weights' sums.

    Weights are of the shape of `a`, or one for each element along the axis.
    """
    if axis is not None and not isinstance(axis, int):
        raise InvalidArgumentError(f"average: axis={axis!r}; give an integer or None")
    (x,) = fractions([asarray(a)])
    if weights is None:
        by = tl.ones_like(x)
    else:
        x, by = meeting([x, asarray(weights)])
    if axis is not None and by.ndim == 1 != x.ndim:
        sizes = [1] * x.ndim
        sizes[axis] = -1
        by = reshaped(by, sizes)
    elif tuple(by.shape) != tuple(x.shape):
        raise InvalidArgumentError(
            f"average: weights of shape {tuple(by.shape)} for {tuple(x.shape)}; give as many, or "
            "one for each element along the axis"
        )
    whole = tl.sum(by, axis=axis)
    found = tl.sum(x * by, axis=axis) / whole
    return (found, tl.broadcast_to(whole, found.shape)) if returned else found


def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Return a tensor of an array, or of numbers of Python, which are of 64 bits."""
    return asarray(a, dtype)


def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Return a tensor of one axis at least; where its elements lie in memory is not told."""
    return array(a, dtype, ndmin=1)


def empty_like(a: Any, dtype: Any = None) -> Any:
    """Return a tensor of another's shape, and of its dtype unless one is given; it has zeros."""
    made = asarray(a)
    return tl.zeros_like(made if dtype is None else astype(made, dtype))


def shape(a: Any) -> Any:
    """Return the sizes of the axes, as a tuple."""
    return asarray(a).shape


def ndim(a: Any) -> int:
    """Return how many axes an array has."""
    return int(asarray(a).ndim)


def size(x: Any, axis: Any = None) -> int:
    """Return how many elements an array has; axis is refused, as TensorFlow refuses it."""
    if axis is not None:
        raise UnimplementedError(
            f"size: axis={axis!r} is not served; take shape(x)[axis]"
        )
    found = asarray(x)
    known = found.spec.size
    return int(tl.size(found)) if known is None else known


def flatten(a: Any, order: str = "C") -> Any:
    """Return the elements on one axis, by rows, or by columns for order "F"."""
    if order not in {"C", "A", "K", "F"}:
        raise InvalidArgumentError(
            f"flatten: order={order!r}; allowed are 'C', 'A', 'K', 'F'"
        )
    made = asarray(a)
    return reshaped(ops.transpose(made) if order == "F" else made, (-1,))


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return an array with others behind it: of one axis, unless axis says along which."""
    one, two = meeting([arr, values])
    return ops.append(one, two, axis)


def atleast_1d(*arys: Any) -> Any:
    """Return arrays, of one axis at least; a single one not as a list."""
    return _each(arys, lambda x: x if x.ndim else reshaped(x, (1,)))


def atleast_2d(*arys: Any) -> Any:
    """Return arrays, of two axes at least, the new ones in front."""
    return _each(arys, lambda x: array(x, ndmin=2))


def atleast_3d(*arys: Any) -> Any:
    """Return arrays, of three axes at least: of one axis the middle one, of two the first two."""

    def widened(x: Any) -> Any:
        sizes = tuple(x.shape)
        return {0: (1, 1, 1), 1: (1, *sizes, 1), 2: (*sizes, 1)}.get(x.ndim, sizes)

    return _each(arys, lambda x: reshaped(x, widened(x)))


def _each(arrays: tuple[Any, ...], function: Any) -> Any:
    made = [function(asarray(x)) for x in arrays]
    return made[0] if len(made) == 1 else made


def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Return arrays of the shape that they broadcast to; `subok` has no effect."""
    if unknown := set(kwargs) - {"subok"}:
        raise InvalidArgumentError(
            f"broadcast_arrays takes subok, not {', '.join(sorted(unknown))}"
        )
    return tl.broadcast_arrays(*[asarray(x) for x in args])


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """Return what lies along an axis where a condition of one axis holds.

    Without axis it is of the flattened array. What is beyond the condition's end is left out.
    """
    made, chosen = asarray(a), np.asarray(asarray(condition)).astype(bool)
    if chosen.ndim != 1:
        raise InvalidArgumentError(
            f"compress: condition has {chosen.ndim} axes; allowed is 1"
        )
    if axis is None:
        made, axis = flatten(made), 0
    return tl.take(made, asarray(np.flatnonzero(chosen)), axis=axis)


def diag_indices(n: int, ndim: int = 2) -> Any:
    """Return the indices of a cube's main diagonal, n int32 numbers for each axis."""
    if n < 0:
        raise InvalidArgumentError(f"diag_indices: n={n}; allowed are 0 or more")
    return (tl.arange(n, dtype=tl.int32),) * ndim


def ix_(*args: Any) -> Any:
    """Return arrays of one axis laid along an axis each, so that they index a block together."""
    found = []
    for place, given in enumerate(args):
        x = asarray(given)
        if x.ndim != 1:
            raise InvalidArgumentError(
                f"ix_: argument {place} has {x.ndim} axes; allowed is 1"
            )
        x = ops.nonzero(x)[0] if x.dtype == tl.bool else x
        sizes = [1] * len(args)
        sizes[place] = -1
        found.append(reshaped(astype(x, tl.int64), tuple(sizes)))
    return tuple(found)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return elements of the first choice whose condition holds, default's where none does."""
    if len(condlist) != len(choicelist):
        raise InvalidArgumentError(
            f"select: {len(condlist)} conditions and {len(choicelist)} choices; allowed are as many"
        )
    *choices, found = meeting([*choicelist, default])
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        found = tl.where(astype(asarray(condition), tl.bool), choice, found)
    return found


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Return whether all elements are near each other, a tensor."""
    return tl.all(ops.isclose(*meeting([a, b]), rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> Any:
    """Return whether two arrays have the same shape and elements, a tensor."""
    one, two = meeting([a1, a2])
    same = tuple(one.shape) == tuple(two.shape)
    return tl.all(tl.equal(one, two)) if same else asarray(False)


def angle(z: Any, deg: bool = False) -> Any:
    """Return the angles of complex numbers, in radians or degrees."""
    (made,) = fractions([asarray(z)])
    real, imag = ops.real(made), ops.imag(made)
    found = tl.atan2(astype(imag, real.dtype), real)
    return found * (180.0 / np.pi) if deg else found


def bitwise_not(x: Any) -> Any:
    """Return whole numbers with every bit turned, and bools turned."""
    made = asarray(x)
    return tl.logical_not(made) if made.dtype == tl.bool else tl.bitwise_invert(made)


def divmod(x1: Any, x2: Any) -> Any:
    """Return quotients rounded down, and remainders of the divisor's sign."""
    one, two = meeting([x1, x2])
    return tl.floor_divide(one, two), tl.remainder(one, two)


def remainder(x1: Any, x2: Any) -> Any:
    """Return remainders, which have the divisor's sign."""
    return tl.remainder(*meeting([x1, x2]))


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Return sums of products that subscripts name; `casting` and `optimize` have no effect."""
    if unknown := set(kwargs) - {"casting", "optimize"}:
        raise InvalidArgumentError(
            f"einsum takes casting and optimize, not {', '.join(sorted(unknown))}"
        )
    return tl.einsum(subscripts, *meeting(list(operands)))


def around(a: Any, decimals: int = 0) -> Any:
    """Return numbers rounded to so many places, halves to even ones, in their own dtype."""
    made = asarray(a)
    (exact,) = fractions([made])
    scale = 10.0 ** abs(decimals)
    found = tl.round(exact * scale) / scale
    if decimals < 0:
        found = tl.round(exact / scale) * scale
    return astype(found, made.dtype)


def fix(x: Any) -> Any:
    """Return numbers rounded towards zero, as fractions."""
    return tl.trunc(*fractions([asarray(x)]))


def float_power(x1: Any, x2: Any) -> Any:
    """Return powers, in the dtype that the operands meet in, as TensorFlow does."""
    return tl.pow(*meeting([x1, x2]))


def iscomplex(x: Any) -> Any:
    """Return of each element whether it has an imaginary part."""
    made = asarray(x)
    return tl.not_equal(ops.imag(made), 0)


def iscomplexobj(x: Any) -> bool:
    """Return whether an array is of complex numbers."""
    return bool(asarray(x).dtype.kind == "c")


def isrealobj(x: Any) -> bool:
    """Return whether an array is of no complex numbers."""
    return not iscomplexobj(x)


def isscalar(num: Any) -> bool:
    """Return whether a value is a number, or a tensor without axes."""
    return num.ndim == 0 if isinstance(num, Tensor) else bool(np.isscalar(num))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Return whether a dtype of NumPy is of a kind of them."""
    return bool(np.issubdtype(arg1, arg2))


def nextafter(x1: Any, x2: Any) -> Any:
    """Return the fractions that come next to x1 on the way to x2."""
    return tl.nextafter(*meeting([x1, x2]))


def polyval(p: Any, x: Any) -> Any:
    """Return a polynomial at x; p has its factors, that of the highest power first."""
    factors, at = meeting([p, x])
    if factors.ndim == 0:
        factors = reshaped(factors, (1,))
    start = tl.zeros_like(at)
    return reduce(lambda sum_, i: sum_ * at + factors[i], range(len(factors)), start)


def positive(x: Any) -> Any:
    """Return the elements as they are."""
    return tl.identity(asarray(x))
