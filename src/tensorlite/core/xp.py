"""Arrays and the array modules: NumPy, and CuPy when a GPU is there, found at first use."""

from __future__ import annotations

import importlib
import sys
import warnings
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.device import DeviceName, local, placement_log, settings
from tensorlite.core.errors import DeviceError
from tensorlite.core.opaque import Opaque
from tensorlite.core.remote import resolved

Array: TypeAlias = Any
"""An array of the module at hand, NumPy's or CuPy's; neither stubs a common type."""
Xp: TypeAlias = Any
"""The array module at hand. tests/ops/test_xp.py proves that kernels name only what both have."""

# Infinities and what is not a number are values, as on a GPU: `tl.debugging` finds them. NumPy's
# words would name a line in here, and end kernels where warnings are errors.
warnings.filterwarnings(
    "ignore",
    r"(divide by zero|overflow|underflow|invalid value) encountered",
    RuntimeWarning,
    r"tensorlite\.",
)

CPU = local("CPU", 0)
_NOTHING = nullcontext()


@cache
def _cupy() -> ModuleType | None:
    try:
        module = importlib.import_module("cupy")
        return module if module.cuda.runtime.getDeviceCount() > 0 else None
    except Exception:  # noqa: BLE001  a missing or broken driver raises CuPy's own errors
        return None


def gpu_count() -> int:
    """Return how many GPUs are there."""
    cupy = _cupy()
    return 0 if cupy is None else int(cupy.cuda.runtime.getDeviceCount())


def xp_of(array: Array) -> Xp:
    """Return the module that `array` belongs to; NumPy for values that are no arrays."""
    if type(array) is np.ndarray or "cupy" not in sys.modules:
        return np  # without looking for a GPU: while CuPy is not loaded nobody has its arrays
    cupy = _cupy()
    return cupy if cupy is not None and isinstance(array, cupy.ndarray) else np


_cpus = [1]


def cpu_count() -> int:
    """Return how many logical CPU devices there are; all share one memory."""
    return _cpus[0]


def set_cpu_count(count: int) -> None:
    """Let there be `count` logical CPU devices; `tl.config` checks what is asked for."""
    _cpus[0] = count


def is_array(value: object) -> bool:
    """Return whether `value` is an array of NumPy or of CuPy."""
    return isinstance(value, np.ndarray) or xp_of(value) is not np


def xp_for(device: DeviceName) -> Xp:
    """Return the array module of a device; DeviceError when the device is not there."""
    if device.kind in (None, "CPU"):
        if (device.index or 0) < cpu_count():
            return np
        raise DeviceError(
            f"{device} does not exist; of its kind there is {_listed(cpu_count())}. "
            "tl.config.set_logical_devices('CPU', n) makes more of it"
        )
    if (device.index or 0) >= gpu_count():
        raise DeviceError(
            f"{device} does not exist; {gpu_count()} GPUs are found. A GPU needs CuPy: install "
            "tensorlite[cuda12] or tensorlite[cuda13], and a driver"
        )
    return _cupy()


def _listed(count: int) -> str:
    """Return the names of the logical CPU devices."""
    return ", ".join([f"/device:CPU:{i}" for i in range(count)])


def existing(device: DeviceName) -> DeviceName:
    """Return the device that a name stands for, of which any part may be missing.

    With a job it is one of another task, which is to be there; else one of this process.

    DeviceError when it is not there; under soft placement the nearest one instead, which is
    logged: the last of its kind, or the CPU.
    """
    if device.job is not None:
        device = resolved(device)
        if device.job is not None:
            return device
    asked = local(device.kind or "CPU", device.index or 0)
    try:
        xp_for(asked)
    except DeviceError:
        if not settings.soft_placement:
            raise
        count = cpu_count() if asked.kind == "CPU" else gpu_count()
        nearest = local(asked.kind or "CPU", count - 1) if count else CPU
        tell_once(asked, nearest)
        return nearest
    return asked


@cache
def tell_once(asked: DeviceName, nearest: DeviceName) -> None:
    """Log which device is taken for one that does not exist, the first time."""
    placement_log.warning(
        "%s does not exist; soft placement takes %s", asked, nearest
    )


def device_of(array: Array) -> DeviceName:
    """Return the device whose memory holds `array`, or the state behind a handle."""
    if type(array) is np.ndarray:
        return CPU
    if isinstance(array, Opaque):
        if array.where is not None:
            return array.where
        return CPU if array.memory is None else device_of(array.memory)
    if "cupy" not in sys.modules or xp_of(array) is np:
        return CPU
    return local("GPU", int(array.device.id))


def on_device(device: DeviceName) -> AbstractContextManager[Any]:
    """Return a `with` block in which the device's module makes arrays there, not on another."""
    xp = xp_for(device)
    return _NOTHING if xp is np else xp.cuda.Device(device.index or 0)


def to_device(array: Array, device: DeviceName) -> Array:
    """Return `array` in the memory of `device`, copied only if it lies elsewhere."""
    if isinstance(array, Opaque):
        return array.on(device)
    if device.job is not None:
        return array  # it is sent there when it is used
    xp = xp_for(device)
    if xp is np:
        return array if type(array) is np.ndarray else xp_of(array).asnumpy(array)
    if array.dtype == object:
        return array
    with on_device(device):
        return xp.asarray(array)


def array_of_scalar(value: Any) -> Array:
    """Return what a NumPy function gave in place of an array; a text stays an object in it."""
    if isinstance(value, (bytes, str)):
        return np.array(value, object)
    return np.asarray(value)


def for_module(xp: Xp, value: Any) -> Any:
    """Return a value as `xp` works on it: an array from elsewhere is brought where `xp` is."""
    if isinstance(value, Opaque) or (xp is np and type(value) is np.ndarray):
        return value
    return to_host(value) if xp is np else xp.asarray(value)


def to_host(array: Array) -> np.ndarray[Any, Any]:
    """Return `array` as a NumPy array."""
    if type(array) is np.ndarray:
        return array
    if isinstance(array, Opaque):
        return array.read()
    copied: np.ndarray[Any, Any] = xp_of(array).asnumpy(array)
    return copied


def shown(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array as it is shown: of quantized numbers the integers, without their field."""
    names = array.dtype.names
    found: np.ndarray[Any, Any] = array if names is None else array[names[0]]
    return found
