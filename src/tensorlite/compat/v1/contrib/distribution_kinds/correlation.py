"""auto_correlation: how like elements are to those some steps later."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, elementwise, padding, spectra
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.dtypes import float64, int32
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.graph_mode.graph import name_scope


def auto_correlation(
    x: Any,
    axis: int = -1,
    max_lags: Any = None,
    center: bool = True,
    normalize: bool = True,
    name: str = "auto_correlation",
) -> Any:
    """Return the mean product of elements and those so many steps later, from 0 to max_lags.

    Means are subtracted if `center`; products are divided by those of 0 steps if `normalize`.
    """
    with name_scope(name):
        given = convert_to_tensor(x, name="x")
        rank = given.get_shape().rank
        if rank is None:
            raise ShapeError(
                "auto_correlation: the number of axes of x must be known"
            )
        turned = _moved(given, axis % rank, rank - 1)
        if center:
            mean = numbers.reduce_mean(turned, axis=-1, keepdims=True)
            turned = turned - mean
        products = _products(turned, given.dtype)
        size = turned.get_shape()[-1].value
        count = v1_arrays.shape(turned)[-1] if size is None else size
        lags = _lags(max_lags, count)
        kind = given.dtype.real_dtype
        steps = arrays.range(0, lags + 1)
        pairs = elementwise.cast(elementwise.cast(count - steps, kind), given.dtype)
        found = products[..., : lags + 1] / pairs
        if normalize:
            found = found / found[..., :1]
        return _moved(found, rank - 1, axis % rank)


def _moved(x: Any, place: int, to: int) -> Any:
    """Return a tensor with an axis elsewhere."""
    axes = [i for i in range(x.get_shape().rank) if i != place]
    axes.insert(to, place)
    return x if axes == sorted(axes) else arrays.transpose(x, axes)


def _lags(most: Any, count: Any) -> Any:
    if most is None:
        return count - 1
    known = get_static_value(convert_to_tensor(most, name="max_lags"))
    if known is not None and isinstance(count, int):
        return min(count - 1, int(known))
    return elementwise.minimum(count - 1, most)


def _products(x: Any, dtype: Any) -> Any:
    """Return the sums of products of elements and those later, by Fourier transforms.

    Zeros are appended up to a power of 2, that is twice the size at least, as sums go round.
    """
    if not dtype.is_complex and not dtype.is_floating:
        raise DTypeError(
            f"Argument x must have either float or complex dtype found: {dtype!r}"
        )
    size = elementwise.cast(v1_arrays.shape(x)[-1], float64)
    two = elementwise.cast(2.0, float64)
    power = elementwise.ceil(elementwise.log(size * 2) / elementwise.log(two))
    more = elementwise.cast(elementwise.pow(two, power) - size, int32)
    nothing = [[0, 0]] * (x.get_shape().rank - 1)
    last = arrays.stack([0, more])[None]
    paddings = arrays.concat([nothing, last], 0) if nothing else last
    wide = padding.pad(x, paddings)
    if not dtype.is_complex:
        wide = elementwise.complex(wide, v1_arrays.zeros_like(wide))
    spectrum = spectra.fft(wide)
    found = spectra.ifft(spectrum * elementwise.conj(spectrum))
    return found if dtype.is_complex else elementwise.real(found)
