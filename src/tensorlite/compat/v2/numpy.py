"""tf.experimental.numpy: NumPy's functions over tensors, with NumPy's dtypes.

Most functions are those of tf.keras.ops; what differs are the dtypes of operands: numbers of Python
are of 64 bits, operands meet in the dtype that NumPy says, and fractions of whole numbers are
float64 (numpy_operands.py). Those that tf.keras.ops has not are in numpy_functions.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import deferring
from tensorlite.compat.documenting import documented, told
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras import ops
from tensorlite.compat.v2.keras.ops.telling import SAID
from tensorlite.compat.v2.numpy_functions import (
    allclose,
    angle,
    append,
    around,
    array_equal,
    asanyarray,
    ascontiguousarray,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    average,
    bitwise_not,
    broadcast_arrays,
    compress,
    diag_indices,
    divmod,
    einsum,
    empty_like,
    fix,
    flatten,
    float_power,
    iscomplex,
    iscomplexobj,
    isrealobj,
    isscalar,
    issubdtype,
    ix_,
    ndim,
    nextafter,
    polyval,
    positive,
    remainder,
    reshape,
    select,
    shape,
    size,
    var,
    where,
)
from tensorlite.compat.v2.numpy_operands import (
    array,
    asarray,
    copy,
    dtype_of,
    fraction,
    fractions,
    meeting,
    promote_types,
    result_type,
    rules,
    widened,
)
from tensorlite.compat.v2.numpy_signatures import SIGNATURES, bound
from tensorlite.config import set_numpy_operands, set_promotion
from tensorlite.core.device import settings
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype, reshape as reshaped

__all__ = [
    "allclose",
    "angle",
    "append",
    "around",
    "array",
    "array_equal",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bitwise_not",
    "broadcast_arrays",
    "compress",
    "copy",
    "diag_indices",
    "divmod",
    "einsum",
    "empty_like",
    "fix",
    "flatten",
    "float_power",
    "iscomplex",
    "iscomplexobj",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "ix_",
    "ndarray",
    "ndim",
    "newaxis",
    "nextafter",
    "polyval",
    "positive",
    "promote_types",
    "remainder",
    "reshape",
    "result_type",
    "select",
    "shape",
    "size",
    "var",
    "where",
]

ndarray = Tensor
newaxis = np.newaxis
e, inf, nan, pi = np.e, np.inf, np.nan, np.pi
bool_, int_, float_, complex_ = np.bool_, np.int64, np.float64, np.complex128
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
iinfo, finfo, inexact = np.iinfo, np.finfo, np.inexact
object_, string_, unicode_ = np.object_, np.bytes_, np.str_


_MEETING = """
add arctan2 bitwise_and bitwise_or bitwise_xor concatenate cross divide dot equal floor_divide fmax
fmin fmod greater greater_equal heaviside hypot inner isclose kron less less_equal logaddexp
logaddexp2 matmul maximum minimum mod multiply not_equal outer power stack subtract tensordot
true_divide vdot hstack vstack dstack
"""
"""Functions whose operands meet in one dtype."""
_FRACTIONAL = """
arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh deg2rad divide exp exp2
expm1 hypot log log10 log1p log2 logaddexp logaddexp2 mean median nanmean nanstd nanvar rad2deg
reciprocal sin sinc sinh sqrt std tan tanh true_divide
"""
"""Functions that make fractions of whole numbers."""
_MADE = """
arange empty eye full geomspace identity linspace logspace ones tri zeros bartlett blackman hamming
hanning
"""
"""Functions that make arrays of numbers of Python."""
_OTHERS = """
abs absolute all amax amin any argmax argmin argsort bincount broadcast_to ceil clip
conj conjugate count_nonzero cumprod cumsum diag diagflat diagonal diff digitize expand_dims
fabs flip fliplr flipud floor full_like gcd histogram imag isfinite isin isinf isnan isneginf
isposinf isreal lcm ldexp logical_and logical_not logical_or logical_xor max meshgrid min moveaxis
nan_to_num nanargmax nanargmin nanmax nanmin nanprod nansum negative nonzero ones_like pad
percentile prod ptp quantile ravel real repeat roll rot90 round searchsorted
sign signbit sort split square squeeze sum swapaxes take take_along_axis tile trace transpose
trapezoid tril triu trunc vander vsplit hsplit dsplit zeros_like
"""


_JOINING = {"concatenate", "stack", "hstack", "vstack", "dstack"}
"""Functions of one list of arrays."""


def _count(name: str) -> int:
    """Return how many arrays a function takes before its other arguments."""
    return 2 if name in _MEETING.split() and name not in _JOINING else 1


def _operands(name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a function, its arrays as tensors of NumPy's dtypes."""
    listed = name in _JOINING
    count = _count(name)
    given = list(args[0]) if listed else list(args[:count])
    meet = name in _MEETING.split()
    xs = meeting(given) if meet else [asarray(x) for x in given]
    if name in _FRACTIONAL.split():
        xs = fractions(xs)
    return (xs, *args[1:]) if listed else (*xs, *args[count:])


_SUMMED = "cumprod cumsum mean nanmean nanprod nansum prod std sum"
"""Functions that compute in a dtype which may be given."""
_WIDENING = "cumprod cumsum nanprod nansum prod sum"
"""Functions that compute in 64 bits of numbers that are narrower, bools and integers."""
_PLACES = "argmax argmin nanargmax nanargmin"
"""Functions that say where elements are, which NumPy does in 64 bits."""


def _of_arrays(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    is_summed = name in _SUMMED.split()
    is_widening = name in _WIDENING.split()
    result = tl.int64 if name in _PLACES.split() else None

    @deferring
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if name in SIGNATURES:
            args, kwargs = bound(name, _count(name), args, kwargs)
        given = _operands(name, args) if args else args
        wanted = result
        if is_summed and "dtype" in kwargs:
            wanted = dtype_of(kwargs.pop("dtype") or given[0].dtype)
            given = (astype(given[0], wanted), *given[1:])
        elif is_widening:
            given = (widened(given[0]), *given[1:])
        elif name in _PLACES and kwargs.get("axis") is not None:
            given = (atleast_1d(given[0]), *given[1:])
        elif isinstance(kwargs.get("dtype"), type):
            kwargs["dtype"] = dtype_of(kwargs["dtype"])
        if isinstance(kwargs.get("axis"), np.ndarray):
            axes = kwargs["axis"].tolist()
            kwargs["axis"] = tuple(axes) if isinstance(axes, list) else axes
        made = function(*given, **kwargs)
        return made if wanted is None else astype(made, wanted)

    if name in SIGNATURES:
        call.__signature__ = SIGNATURES[name]  # type: ignore[attr-defined]
    return call


def _making(name: str) -> Callable[..., Any]:
    made = getattr(np, name)

    def call(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        given = [np.asarray(x) if isinstance(x, Operand) else x for x in args]
        wanted = (
            kwargs if dtype is None else {**kwargs, "dtype": dtype_of(dtype).numpy}
        )
        found = made(*given, **wanted)
        is_own = dtype is None and found.dtype == np.float64
        return constant(found.astype(fraction()) if is_own else found)

    call.__name__ = name
    return documented(call, SAID.get(name) or told(getattr(tl, name, None)) or "")


def _randn(*shape: int) -> Any:
    return astype(
        tl.random.normal(tuple(shape), dtype=tl.float64), as_dtype(fraction())
    )


def _rand(*shape: int) -> Any:
    return _uniform(size=shape)


def _uniform(low: float = 0.0, high: float = 1.0, size: Any = ()) -> Any:
    drawn = tl.random.uniform(_sizes(size), low, high, dtype=tl.float64)
    return astype(drawn, as_dtype(fraction()))


def _randint(
    low: int, high: int | None = None, size: Any = (), dtype: Any = np.int64
) -> Any:
    ends = (0, low) if high is None else (low, high)
    return tl.random.uniform(_sizes(size), *ends, dtype=dtype_of(dtype))


def _poisson(lam: Any = 1.0, size: Any = None) -> Any:
    mean = astype(asarray(lam), tl.float64)
    sizes = tuple(mean.shape) if size is None else _sizes(size)
    return tl.random.poisson(sizes, mean, tl.int64)


def _sizes(size: Any) -> tuple[int, ...]:
    return () if size is None else tuple(np.atleast_1d(size).tolist())


random = SimpleNamespace(
    randn=_randn,
    standard_normal=lambda size=(): _randn(*_sizes(size)),
    normal=lambda loc=0.0, scale=1.0, size=(): loc + scale * _randn(*_sizes(size)),
    rand=_rand,
    random=lambda size=(): _uniform(size=size),
    uniform=_uniform,
    randint=_randint,
    poisson=_poisson,
    seed=tl.random.set_seed,
)

_MODES = {"legacy": "numpy", "all": "standard", "safe": "safe", "off": "standard"}


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Let tensors have NumPy's methods, and meet in NumPy's dtypes."""
    rule = _MODES.get(dtype_conversion_mode)
    if rule is None:
        raise InvalidArgumentError(
            f"dtype_conversion_mode={dtype_conversion_mode!r}; allowed are {', '.join(_MODES)}"
        )
    rules.prefers_float32 = prefer_float32
    rules.narrow = dtype_conversion_mode in {"all", "safe"}
    set_promotion(rule)
    set_numpy_operands("promote")
    settings.numpy_behavior = True
    for name, method in METHODS.items():
        if not hasattr(Tensor, name):
            setattr(Tensor, name, method)


def _reshape(self: Any, *shape: Any) -> Any:
    return reshaped(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Any, *axes: Any) -> Any:
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return ops.transpose(self, given or None)


globals().update({name: _making(name) for name in _MADE.split()})
globals().update(
    {
        name: _of_arrays(name, getattr(ops, name))
        for name in [*_MEETING.split(), *_FRACTIONAL.split(), *_OTHERS.split()]
        if hasattr(ops, name)
    }
)
METHODS: dict[str, Any] = {
    "__round__": lambda self, digits=0: around(self, digits),
    "astype": lambda self, dtype: astype(self, dtype_of(dtype)),
    "data": property(lambda self: self),
    "flatten": flatten,
    "ravel": lambda self: _reshape(self, -1),
    "reshape": _reshape,
    "transpose": _transpose,
    **{
        name: globals()[name]
        for name in ("clip", "max", "mean", "min", "prod", "sum")
    },
}


__dir__ = listing("tensorlite.compat.v2.experimental.numpy", globals())


def __getattr__(name: str) -> Any:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.experimental.numpy", name, globals())
