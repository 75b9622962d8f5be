"""What holds for the whole process: its devices, where nodes go, memory, and how long steps wait.

The devices' threads are in runtime/devices.py, the counting of bytes in core/accounts.py.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Literal, SupportsIndex

import numpy as np

from tensorlite.core import accounts
from tensorlite.core.accounts import MemoryInfo
from tensorlite.core.device import DeviceName, placement_log, settings
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.xp import existing, set_cpu_count
from tensorlite.ops.control.swapping import set_swap
from tensorlite.runtime import devices

__all__ = [
    "LogicalDevice",
    "MemoryInfo",
    "PhysicalDevice",
    "count_memory",
    "get_log_device_placement",
    "get_numpy_operands",
    "get_promotion",
    "get_soft_placement",
    "get_step_timeout",
    "get_tensorflow_results",
    "list_logical_devices",
    "list_physical_devices",
    "memory_info",
    "reset_memory_peak",
    "set_log_device_placement",
    "set_logical_devices",
    "set_memory_limit",
    "set_numpy_operands",
    "set_promotion",
    "set_soft_placement",
    "set_step_timeout",
    "set_swap",
    "set_tensorflow_results",
]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class PhysicalDevice:
    """A device that the machine has.

    >>> tl.config.PhysicalDevice("/physical_device:CPU:0", "CPU").device_type
    'CPU'
    """

    name: str
    device_type: str


@dataclass(frozen=True)
class LogicalDevice:
    """A device that programs may name.

    >>> tl.config.LogicalDevice("/device:CPU:0", "CPU").name
    '/device:CPU:0'
    """

    name: str
    device_type: str


def list_physical_devices(kind: str | None = None) -> list[PhysicalDevice]:
    """Return what the machine has, or what it has of a kind, "CPU" or "GPU".

    All cores are one CPU. As TensorFlow's `tf.config.list_physical_devices`.

    >>> tl.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    wanted = _kind(kind)
    return [
        PhysicalDevice(f"/physical_device:{x.kind}:{x.index}", str(x.kind))
        for x in devices.physical_devices()
        if wanted in (None, x.kind)
    ]


def list_logical_devices(kind: str | None = None) -> list[LogicalDevice]:
    """Return the devices that programs may name, or those of a kind, "CPU" or "GPU".

    As TensorFlow's `tf.config.list_logical_devices`.

    >>> tl.config.list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    wanted = _kind(kind)
    return [
        LogicalDevice(str(x), str(x.kind))
        for x in devices.logical_devices()
        if wanted in (None, x.kind)
    ]


def _kind(kind: str | None) -> str | None:
    if kind not in (None, "CPU", "GPU"):
        raise InvalidArgumentError(
            f"{kind!r} is no kind of device; allowed are 'CPU', 'GPU' and None for all"
        )
    return kind


def set_logical_devices(kind: str, count: SupportsIndex) -> list[LogicalDevice]:
    """Return the logical CPUs, of which there are `count` from now on.

    They share the machine's memory, and each has a thread of its own, so that parts of a graph
    on different ones run at once. There may be more or fewer at any time. What lies on one that
    is taken away, tensors and variables, keeps its value and can go on being used; what asks for
    it by name is a DeviceError. InvalidArgumentError for another kind, which cannot be divided,
    and for a count below one. As TensorFlow's `tf.config.set_logical_device_configuration`.

    >>> [x.name for x in tl.config.set_logical_devices("CPU", 2)]
    ['/device:CPU:0', '/device:CPU:1']
    >>> [x.name for x in tl.config.set_logical_devices("CPU", 1)]
    ['/device:CPU:0']
    """
    if kind != "CPU":
        raise InvalidArgumentError(
            f"set_logical_devices takes 'CPU', not {kind!r}: only the CPU can stand for several"
        )
    number = _whole("set_logical_devices", "a whole number", count)
    before = devices.logical_devices()
    set_cpu_count(number)
    for device in before[number : len(before)]:
        if device.kind == "CPU":
            devices.release(device)
    return list_logical_devices("CPU")


def set_soft_placement(enabled: bool) -> None:
    """Let what asks for a device that is not there go to the nearest one, or raise DeviceError.

    The nearest is the last of its kind, or the CPU; each time the log `tensorlite.placement` says
    so. It is off at first. As TensorFlow's `tf.config.set_soft_device_placement`.

    >>> tl.config.set_soft_placement(True)
    >>> with tl.device("/device:CPU:63"):
    ...     print(tl.ones(2).device)
    /device:CPU:0
    >>> tl.config.set_soft_placement(False)
    """
    settings.soft_placement = _flag("set_soft_placement", enabled)


def get_soft_placement() -> bool:
    """Return whether what asks for a device that is not there goes to the nearest one.

    >>> tl.config.get_soft_placement()
    False
    """
    return settings.soft_placement


_printing = logging.StreamHandler()


def set_log_device_placement(enabled: bool) -> None:
    """Let the log `tensorlite.placement` tell where each node of a graph goes, as it is compiled.

    Of a graph that asks for no device it tells that, in one line: it runs where its data is.
    It is printed to stderr unless the program handles the log in its own way. As TensorFlow's
    `tf.debugging.set_log_device_placement`.

    >>> tl.config.set_log_device_placement(True)
    >>> tl.config.get_log_device_placement()
    True
    >>> tl.config.set_log_device_placement(False)
    """
    settings.log_placement = _flag("set_log_device_placement", enabled)
    placement_log.removeHandler(_printing)
    placement_log.setLevel(logging.INFO if enabled else logging.NOTSET)
    if enabled and not placement_log.hasHandlers():
        placement_log.addHandler(_printing)


def get_log_device_placement() -> bool:
    """Return whether compiling a graph logs where its nodes go.

    >>> tl.config.get_log_device_placement()
    False
    """
    return settings.log_placement


def _whole(name: str, wanted: str, value: object) -> int:
    if isinstance(value, (int, np.integer)) and value is not True and value >= 1:
        return int(value)
    raise InvalidArgumentError(f"{name} takes {wanted} of 1 or more, not {value!r}")


def _flag(name: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise InvalidArgumentError(f"{name} takes True or False, not {value!r}")
    return value


def set_step_timeout(seconds: float | None) -> None:
    """Let a step fail with DeadlineExceededError when it has waited for so long.

    None, which holds at first, lets it wait without end. An operator that waits while it runs
    eagerly is a step of its own. As the option `operation_timeout_in_ms`
    of TensorFlow's sessions.

    >>> tl.config.set_step_timeout(30.0)
    >>> tl.config.get_step_timeout()
    30.0
    >>> tl.config.set_step_timeout(None)
    """
    fits = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if seconds is not None and not (fits and isfinite(seconds) and seconds > 0):
        raise InvalidArgumentError(
            f"set_step_timeout takes seconds above 0, or None, not {seconds!r}"
        )
    settings.step_timeout = None if seconds is None else float(seconds)


def get_step_timeout() -> float | None:
    """Return for how many seconds a step may wait, or None where it may without end.

    >>> print(tl.config.get_step_timeout())
    None
    """
    return settings.step_timeout


def set_numpy_operands(rule: Literal["promote", "adopt"]) -> None:
    """Say which dtype an array of NumPy has beside a tensor: its own, or the tensor's.

    With "promote", which holds at first, an array is as a tensor of its dtype. With "adopt" it
    is cast to the tensor's dtype, fractions to whole numbers too; so it is in TensorFlow, and
    `tensorlite.compat.v2` asks for it.

    >>> (tl.ones(2) + np.ones(2)).dtype
    tl.float64
    >>> tl.config.set_numpy_operands("adopt")
    >>> (tl.ones(2) + np.ones(2)).dtype, (tl.asarray(1) + np.array(2.7)).dtype
    (tl.float32, tl.int32)
    >>> tl.config.set_numpy_operands("promote")
    """
    if rule not in ("promote", "adopt"):
        raise InvalidArgumentError(
            f"set_numpy_operands takes 'promote' or 'adopt', not {rule!r}"
        )
    settings.numpy_adopts = rule == "adopt"


def get_numpy_operands() -> Literal["promote", "adopt"]:
    """Return which dtype an array of NumPy has beside a tensor.

    >>> tl.config.get_numpy_operands()
    'promote'
    """
    return "adopt" if settings.numpy_adopts else "promote"


def set_promotion(rule: str) -> None:
    """Say in which dtype tensors of two dtypes meet: "standard", "numpy" or "safe".

    By the Array API's rules, whole numbers beside fractions take their dtype; by NumPy's, int32 and
    float32 meet in float64. "safe" refuses whole numbers beside fractions.

    >>> tl.config.set_promotion("numpy")
    >>> (tl.asarray(1) + tl.asarray(1.0)).dtype
    tl.float64
    >>> tl.config.set_promotion("standard")
    >>> (tl.asarray(1) + tl.asarray(1.0)).dtype
    tl.float32
    """
    allowed = ("standard", "numpy", "safe")
    if rule not in allowed:
        raise InvalidArgumentError(
            f"set_promotion takes {', '.join(allowed)}, not {rule!r}"
        )
    settings.promotion = rule


def get_promotion() -> str:
    """Return by which rule tensors of two dtypes meet in one.

    >>> tl.config.get_promotion()
    'standard'
    """
    return settings.promotion


def set_tensorflow_results(wanted: bool) -> None:
    """Say whether some results are what TensorFlow's programs rely on; `compat.v2` asks for it.

    Quotients of integers of 32 bits or more are float64 then, not float32, and `numpy()` of a
    tensor without axes is a scalar, of a string bytes, not an array. NumPy's functions of tensors
    give arrays. Tensors, variables, shapes, dtypes and specs print as TensorFlow's do; shapes are
    no tuples, and may be of a rank that is not known. A list as a key stands for a tuple.

    >>> tl.config.set_tensorflow_results(True)
    >>> (tl.asarray(1) / tl.asarray(3)).dtype, tl.asarray("text").numpy()
    (tf.float64, b'text')
    >>> print(tl.asarray([1, 2]))
    tf.Tensor([1 2], shape=(2,), dtype=int32)
    >>> tl.config.set_tensorflow_results(False)
    >>> (tl.asarray(1) / tl.asarray(3)).dtype
    tl.float32
    """
    settings.tensorflow_results = bool(wanted)


def get_tensorflow_results() -> bool:
    """Return whether some results are what TensorFlow's programs rely on.

    >>> tl.config.get_tensorflow_results()
    False
    """
    return settings.tensorflow_results


def memory_info(device: str | DeviceName = "/device:CPU:0") -> MemoryInfo:
    """Return the bytes of live arrays on a device, the most so far, and the limit.

    Asking for the first time begins to count on all CPU devices, at once with all tensors and
    variables that live; it costs some microseconds for each operator from then on, until
    `count_memory(False)`. An array counts once, whole, however many tensors look at parts of it.
    A step that is counted writes no result over an operand. On a GPU the bytes are those that
    CuPy's memory pool has given out, and the most is what the pool has taken from the device.
    As TensorFlow's `tf.config.experimental.get_memory_info`, which calls `live` current.

    >>> before = tl.config.memory_info().live
    >>> x = tl.ones((10, 10))
    >>> y = x[2:4]
    >>> tl.config.memory_info().live - before
    400
    >>> tl.config.count_memory(False)
    """
    return accounts.info(_device(device))


def reset_memory_peak(device: str | DeviceName = "/device:CPU:0") -> None:
    """Let the most bytes so far on a device be those that live there now.

    As TensorFlow's `tf.config.experimental.reset_memory_stats`.

    >>> x = tl.ones((10, 10))
    >>> tl.config.reset_memory_peak()
    >>> info = tl.config.memory_info()
    >>> info.peak - info.live
    0
    >>> tl.config.count_memory(False)
    """
    accounts.reset_peak(_device(device))


def set_memory_limit(device: str | DeviceName, limit: SupportsIndex | None) -> None:
    """Let arrays on a device take no more than `limit` bytes; None takes the limit away.

    What would go beyond it raises ResourceExhaustedError, which lists the largest live tensors
    and the lines that made them; it is dropped, and the next step works. What lives already
    stays, even beyond the limit, and what an operator has written to a variable does too. As the
    `memory_limit` of TensorFlow's `tf.config.LogicalDeviceConfiguration`.

    >>> tl.config.set_memory_limit("CPU:0", 50_000_000)
    >>> tl.config.memory_info("CPU:0").limit
    50000000
    >>> tl.config.count_memory(False)
    """
    if limit is not None:
        limit = _whole("set_memory_limit", "None or a whole number of bytes", limit)
    accounts.set_limit(_device(device), limit)


def count_memory(enabled: bool) -> None:
    """Begin or end to count the bytes of live arrays on CPU devices; ending forgets their limits.

    >>> tl.config.count_memory(True)
    >>> tl.config.count_memory(False)
    """
    if _flag("count_memory", enabled):
        accounts.begin()
    else:
        accounts.end()


def _device(name: str | DeviceName) -> DeviceName:
    if not isinstance(name, (str, DeviceName)):
        raise InvalidArgumentError(
            f"{name!r} is no device; a name such as '/device:CPU:0' is allowed"
        )
    return existing(DeviceName.parse(name))
