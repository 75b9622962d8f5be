"""Arguments of tf.experimental.numpy's functions: their names and their order.

The functions that compute are those of tf.keras.ops, which call their arguments otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

_LISTED = """
all a axis= keepdims=
amax a axis= out= keepdims=
amin a axis= out= keepdims=
any a axis= keepdims=
argmax a axis=
argmin a axis=
argsort a axis= kind= order=
broadcast_to array shape
clip a a_min a_max
concatenate arys axis=
count_nonzero a axis=
cross a b axisa= axisb= axisc= axis=
cumprod a axis= dtype=
cumsum a axis= dtype=
diag v k=
diagflat v k=
diagonal a offset= axis1= axis2=
dot a b
dsplit ary indices_or_sections
dstack tup
expand_dims a axis
flip m axis=
fliplr m
flipud m
hsplit ary indices_or_sections
hstack tup
imag val
inner a b
isclose a b rtol= atol= equal_nan=
kron a b
max a axis= keepdims=
mean a axis= dtype= out= keepdims=
min a axis= keepdims=
moveaxis a source destination
nanmean a axis= dtype= keepdims=
nanprod a axis= dtype= keepdims=
nansum a axis= dtype= keepdims=
nonzero a
ones_like a dtype=
outer a b
prod a axis= dtype= keepdims=
ptp a axis= keepdims=
ravel a
real val
repeat a repeats axis=
roll a shift axis=
rot90 m k= axes=
sort a axis= kind= order=
split ary indices_or_sections axis=
squeeze a axis=
stack arrays axis=
std a axis= keepdims=
sum a axis= dtype= keepdims=
swapaxes a axis1 axis2
take a indices axis= out= mode=
take_along_axis arr indices axis
tensordot a b axes=
tile a reps
trace a offset= axis1= axis2= dtype=
transpose a axes=
tril m k=
triu m k=
vdot a b
vsplit ary indices_or_sections
vstack tup
zeros_like a dtype=
"""
_RENAMED = {"a_min": "x_min", "a_max": "x_max", "reps": "repeats"}
_REFUSED = ("out", "order")
"""What no function takes any value of."""
_IDLE = {*_REFUSED, "kind", "mode"}
"""What has no effect."""


def _parameter(told: str) -> Parameter:
    optional = told.endswith("=")
    return Parameter(
        told.removesuffix("="),
        Parameter.POSITIONAL_OR_KEYWORD,
        default=None if optional else Parameter.empty,
    )


def _signatures() -> dict[str, Signature]:
    rows = [line.split() for line in _LISTED.split("\n") if line]
    return {name: Signature([_parameter(x) for x in names]) for name, *names in rows}


SIGNATURES: Mapping[str, Signature] = _signatures()
"""The arguments of functions by name; those that are not here have what tf.keras.ops has."""


def bound(
    name: str, count: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return a function's arguments as tf.keras.ops takes them: `count` arrays, the rest by name.

    >>> bound("clip", 1, ([1, 5],), {"a_min": 2, "a_max": 3})
    (([1, 5],), {'x_min': 2, 'x_max': 3})
    """
    given = list(SIGNATURES[name].bind(*args, **kwargs).arguments.items())
    for key, value in given:
        if key in _REFUSED and value is not None:
            raise InvalidArgumentError(f"{name}: Setting {key} is not supported.")
    rest = {_RENAMED.get(k, k): v for k, v in given[count:] if k not in _IDLE}
    kept = {k: v for k, v in rest.items() if v is not None or k not in _OPTIONAL}
    return tuple(value for _, value in given[:count]), kept


_OPTIONAL = {"keepdims", "dtype"}
"""What None of is nothing given."""
