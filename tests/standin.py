"""A stand-in for CuPy on machines without a GPU: NumPy inside, CuPy's manners outside.

Its arrays are no NumPy arrays and never become one by themselves; neither do they take one as an
operand. Reductions and indexing give 0-d arrays, never scalars. There is only what CuPy has: where
CuPy is installed, its own names, signatures and dtypes of element-by-element functions are asked,
all of which it tells without a driver. What it cannot stand for: numbers as a GPU rounds them,
kernels that do not compile, and time.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, Literal, Self

import numpy as np

from tests.standin_memory import Pool, Stream, alloc_pinned_memory

real: Any
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import cupy as real
except ImportError:
    real = None

OPERATORS = """
    add sub mul truediv floordiv mod pow matmul and or xor lshift rshift radd rsub rmul rtruediv
    rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift lt le eq ne gt ge neg pos abs
    invert
"""
IN_PLACE = """
    iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift
"""
METHODS = """
    all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy
    cumprod cumsum diagonal dot fill flatten item max mean min nonzero partition prod ptp put
    ravel repeat reshape round searchsorted sort squeeze std sum swapaxes take tobytes tolist
    trace transpose var view
"""
ATTRIBUTES = """
    T base dtype flags itemsize mT nbytes ndim shape size strides
"""
AXES = ("axis", "out", "keepdims")
KEYWORDS = {
    **dict.fromkeys(("all", "any", "max", "min"), AXES),
    **dict.fromkeys(("argmax", "argmin", "mean", "prod", "sum"), (*AXES, "dtype")),
    **dict.fromkeys(("std", "var"), (*AXES, "dtype", "ddof")),
    **dict.fromkeys(("cumprod", "cumsum"), ("axis", "dtype", "out")),
    **dict.fromkeys(("argsort", "sort"), ("axis", "kind")),
    "astype": ("dtype", "order", "casting", "subok", "copy"),
    "repeat": ("repeats", "axis"),
    "reshape": ("order", "copy"),
    "take": ("indices", "axis", "out"),
    "view": ("dtype",),
}
"""Keyword arguments of CuPy's methods, which it does not tell; other methods take any."""
FROM_HOST = {"array", "asarray", "ascontiguousarray"}
"""Functions that take NumPy's arrays."""
NAMES_OF_DTYPES = {
    "dtype",
    "finfo",
    "iinfo",
    "result_type",
    "can_cast",
    "promote_types",
}
ATOMIC = {
    "add": "efdiIL",
    "subtract": "iI",
    **dict.fromkeys(("maximum", "minimum"), "fdiIL"),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), "iIL"),
}
"""Functions that can be called `at` indices, and the dtypes for which a GPU has them."""


brought: list[np.ndarray[Any, Any]] = []
"""The NumPy arrays that were copied to a device, in order; a test may clear it."""
_current = 0


class ndarray:  # noqa: N801  CuPy's name; like CuPy's arrays it has no hash
    """An array in the memory of a device that is not there."""

    __slots__ = ("_device", "_host")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, host: np.ndarray[Any, Any], device: int | None = None) -> None:
        if host.dtype.kind not in "biufc" and host.dtype.name != "bfloat16":
            raise ValueError(f"Unsupported dtype {host.dtype}")
        self._host = host
        self._device = _current if device is None else device

    @property
    def device(self) -> Device:
        """The device of this array."""
        return Device(self._device)

    @property
    def real(self) -> ndarray:
        """The real parts, which may be assigned to."""
        return ndarray(self._host.real, self._device)

    @real.setter
    def real(self, value: Any) -> None:
        self._host.real = plain(value)

    @property
    def imag(self) -> ndarray:
        """The imaginary parts, which may be assigned to."""
        return ndarray(self._host.imag, self._device)

    @imag.setter
    def imag(self, value: Any) -> None:
        self._host.imag = plain(value)

    def get(
        self,
        stream: Stream | None = None,
        order: Literal["C", "F", "A"] = "C",
        out: np.ndarray[Any, Any] | None = None,
    ) -> np.ndarray[Any, Any]:
        """Return a copy in host memory."""
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def set(self, arr: np.ndarray[Any, Any], stream: Stream | None = None) -> None:
        """Copy an array in host memory to this one."""
        self._host[...] = arr

    def __getattr__(self, name: str) -> Any:
        if name in ATTRIBUTES.split():
            return wrapped(getattr(self._host, name))
        if name in METHODS.split():
            return _Method(self, name)
        raise AttributeError(f"cupy.ndarray has no attribute {name!r}")

    def __getitem__(self, key: Any) -> Any:
        return wrapped(self._host[_index(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._host[_index(key)] = plain(value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, **options: Any
    ) -> Any:
        function = getattr(module, ufunc.__name__)
        if "out" in options:
            (options["out"],) = options["out"]
        return (function if method == "__call__" else getattr(function, method))(
            *inputs, **options
        )

    def __array_function__(
        self, function: Any, types: Any, args: Any, options: Any
    ) -> Any:
        return getattr(module, function.__name__)(*args, **options)

    def __dlpack__(self, **options: Any) -> Any:
        return self

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self._device

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return len(self._host)

    def __bool__(self) -> bool:
        return bool(self._host)

    def __int__(self) -> int:
        return int(self._host)

    def __float__(self) -> float:
        return float(self._host)

    def __complex__(self) -> complex:
        return complex(self._host)

    def __copy__(self) -> ndarray:
        return wrapped(self._host.copy())  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: Any) -> ndarray:
        return wrapped(self._host.copy())  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return repr(self._host)

    def __str__(self) -> str:
        return str(self._host)


def _operator(name: str) -> Callable[..., Any]:
    method = f"__{name}__"

    def operate(self: ndarray, *others: Any) -> Any:
        return wrapped(
            getattr(plain(self), method)(*[plain(other) for other in others])
        )

    return operate


def _in_place_operator(name: str) -> Callable[..., Any]:
    method = f"__{name}__"

    def operate(self: ndarray, other: Any) -> ndarray:
        self._host = getattr(plain(self), method)(plain(other))
        return self

    return operate


for _name in OPERATORS.split():
    setattr(ndarray, f"__{_name}__", _operator(_name))
for _name in IN_PLACE.split():
    setattr(ndarray, f"__{_name}__", _in_place_operator(_name))


class _Method:
    """A method of an array, to be called."""

    def __init__(self, array: ndarray, name: str) -> None:
        self.array, self.name = array, name

    def __call__(self, *args: Any, **options: Any) -> Any:
        lacking = [x for x in options if x not in KEYWORDS.get(self.name, options)]
        if lacking:
            raise TypeError(
                f"cupy.ndarray.{self.name} takes no argument {lacking[0]!r}"
            )
        method = getattr(plain(self.array), self.name)
        result = method(
            *[plain(x) for x in args], **{k: plain(x) for k, x in options.items()}
        )
        return (
            result if self.name in {"item", "tolist", "tobytes"} else wrapped(result)
        )


def plain(value: Any) -> Any:
    """Return what NumPy is to work on; TypeError for an array of NumPy's, which CuPy refuses."""
    if isinstance(value, ndarray):
        if value._device != _current:
            raise ValueError(
                f"Array device must be same as the current device: {value._device}"
            )
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if type(value) in {list, tuple}:
        return type(value)([plain(member) for member in value])
    return value


def wrapped(value: Any) -> Any:
    """Return NumPy's result as CuPy would: arrays as those of the device, scalars 0-d."""
    if isinstance(value, (np.ndarray, np.generic)):
        return ndarray(np.asarray(value))
    if isinstance(value, tuple):
        members = [wrapped(member) for member in value]
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    if isinstance(value, list):
        return [wrapped(member) for member in value]
    return value


def _index(key: Any) -> Any:
    """Return an index as NumPy takes it: NumPy's arrays may index, but not bound a slice."""
    if isinstance(key, tuple):
        return tuple([_index(part) for part in key])
    if isinstance(key, slice):
        if any(
            isinstance(bound, ndarray) for bound in (key.start, key.stop, key.step)
        ):
            raise TypeError(
                "slice indices must be integers or None or have an __index__ method"
            )
        return key
    return key if isinstance(key, np.ndarray) else plain(key)


class _Function:
    """A function of NumPy's as CuPy has it."""

    def __init__(self, function: Any, name: str, genuine: Any) -> None:
        self.function, self.name = function, name
        self.signature = (
            inspect.signature(genuine) if inspect.isfunction(genuine) else None
        )

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.signature is not None:
            self.signature.bind(*args, **options)
        taken = _taken if self.name in FROM_HOST else plain
        result = self.function(
            *map(taken, args), **{k: taken(x) for k, x in options.items()}
        )
        return result if self.name in NAMES_OF_DTYPES else wrapped(result)


def _taken(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        brought.append(value)
        return value.copy()
    if isinstance(value, ndarray) and value._device != _current:
        return value.get()
    return plain(value)


class _Elementwise:
    """A NumPy ufunc as CuPy has it: over its dtypes, and `at` indices where a GPU can that."""

    def __init__(self, ufunc: np.ufunc, genuine: Any) -> None:
        self.ufunc = ufunc
        self.loops = (
            tuple(genuine.types) if type(genuine).__name__ == "ufunc" else None
        )

    def __call__(self, *args: Any, **options: Any) -> Any:
        out, dtype = options.pop("out", None), options.pop("dtype", None)
        if options:
            raise TypeError(f"Wrong arguments {options}")
        operands = [plain(x) for x in args]
        if self.loops is not None and dtype is None:
            dtypes = _dtypes(operands)
            dtype = _loop(self.loops, dtypes, self.ufunc.__name__)
        result = self.ufunc(*operands, **({} if out is None else {"out": plain(out)}))
        if out is not None:
            return out
        if isinstance(result, tuple):
            return wrapped(result)
        return ndarray(
            np.asarray(result) if dtype is None else np.asarray(result).astype(dtype)
        )

    def at(self, a: ndarray, indices: Any, b: Any) -> None:
        """Combine values into `a` at indices."""
        name = self.ufunc.__name__
        if name not in ATOMIC:
            raise NotImplementedError(f"`cupy_{name}.at` is not supported yet")
        if a.dtype.char not in ATOMIC[name]:
            raise TypeError(f"cupy.{name}.at does not support {a.dtype}")
        self.ufunc.at(plain(a), _index(indices), plain(b))

    def reduce(self, array: ndarray, axis: Any = 0, **options: Any) -> Any:
        """Return sums or products."""
        if self.ufunc not in {np.add, np.multiply}:
            raise NotImplementedError(
                f"`cupy_{self.ufunc.__name__}.reduce` is not supported yet"
            )
        return wrapped(self.ufunc.reduce(plain(array), axis, **options))


def _dtypes(operands: list[Any]) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes that operands have beside each other, Python's numbers being weak."""
    strong = [x.dtype for x in operands if isinstance(x, (np.ndarray, np.generic))]
    return tuple(
        [
            x.dtype
            if isinstance(x, (np.ndarray, np.generic))
            else np.result_type(*strong, x)
            for x in operands
        ]
    )


@lru_cache(None)
def _loop(
    loops: tuple[str, ...], dtypes: tuple[np.dtype[Any], ...], name: str
) -> Any:
    """Return the dtype of what CuPy computes: that of the first loop that takes the operands."""
    for loop in loops:
        ins, out = loop.split("->")
        pairs = zip(dtypes, map(_of_char, ins), strict=True)
        if len(out) == 1 and all(np.can_cast(a, b) for a, b in pairs):
            return _of_char(out)
    if all(len(loop.split("->")[1]) == 1 for loop in loops):
        raise TypeError(f"Wrong type ({dtypes}) of arguments for cupy_{name}")
    return None


def _of_char(char: str) -> np.dtype[Any]:
    return np.dtype("bfloat16" if char == "E" else char)


class _Namespace(ModuleType):
    """NumPy, or a module in it, with the names that CuPy's has."""

    def __init__(self, name: str, of: Any, genuine: Any) -> None:
        super().__init__(name)
        self._of, self._genuine = of, genuine

    def __getattr__(self, name: str) -> Any:
        genuine = getattr(self._genuine, name, None)
        if self._genuine is not None and genuine is None:
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        found = getattr(self._of, name)
        if isinstance(found, type) or not (
            callable(found) or isinstance(found, ModuleType)
        ):
            return found  # dtypes and numbers are NumPy's own in CuPy too
        made: Any
        if isinstance(found, ModuleType):
            made = _Namespace(f"{self.__name__}.{name}", found, genuine)
        elif isinstance(found, np.ufunc):
            made = _Elementwise(found, genuine)
        else:
            made = _Function(found, name, genuine)
        setattr(self, name, made)
        return made


class Device:
    """A device that is not there, current inside a `with` block."""

    def __init__(self, number: int) -> None:
        self.id = number
        self._before: list[int] = []

    def __enter__(self) -> Self:
        global _current  # noqa: PLW0603  CUDA's current device is a global too
        self._before.append(_current)
        _current = self.id
        return self

    def __exit__(self, *exc: object) -> None:
        global _current  # noqa: PLW0603
        _current = self._before.pop()


class _Runtime:
    """CUDA as far as it is asked."""

    CUDARuntimeError = RuntimeError

    @staticmethod
    def getDeviceCount() -> int:  # noqa: N802  CUDA's name
        """Return how many devices there are."""
        return 2

    @staticmethod
    def getDevice() -> int:  # noqa: N802  CUDA's name
        """Return the current device."""
        return _current


class _Cuda:
    """`cupy.cuda`."""

    Device = Device
    Stream = Stream
    runtime = _Runtime

    @staticmethod
    def get_current_stream() -> object:
        """Return the stream that work is given to."""
        return Stream.null

    alloc_pinned_memory = staticmethod(alloc_pinned_memory)


@cache
def _module() -> _Namespace:
    made = _Namespace("cupy", np, real)
    made.ndarray, made.cuda = ndarray, _Cuda  # type: ignore[attr-defined]
    made.asnumpy = _asnumpy  # type: ignore[attr-defined]
    made.get_default_memory_pool = Pool  # type: ignore[attr-defined]
    made.from_dlpack = _from_dlpack  # type: ignore[attr-defined]
    return made


def _asnumpy(array: Any) -> np.ndarray[Any, Any]:
    return array.get() if isinstance(array, ndarray) else np.asarray(array)


def _from_dlpack(exporter: Any, device: Any = None, copy: Any = None) -> ndarray:
    capsule = exporter.__dlpack__()
    assert isinstance(capsule, ndarray)
    return ndarray(capsule._host, capsule._device)


module = _module()
"""What `import cupy` is to give."""
