"""tf.config: devices, and switches of which most have no meaning here and are only kept."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from tensorlite import config
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.config import LogicalDevice, PhysicalDevice
from tensorlite.core.check import (
    one_of,
    several,
)
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.function import function

set_soft_device_placement = config.set_soft_placement
get_soft_device_placement = config.get_soft_placement
__all__ = ["LogicalDevice", "PhysicalDevice"]


@dataclass
class LogicalDeviceConfiguration:
    """How much of a device one of the logical devices has that stand for it."""

    memory_limit: Any = None
    experimental_priority: Any = None
    experimental_device_ordinal: Any = None


class _Kept:
    """What programs have set and may ask for again."""

    visible: dict[str, list[PhysicalDevice]]
    logical: dict[str, list[LogicalDeviceConfiguration]]

    def __init__(self) -> None:
        self.visible, self.logical = {}, {}
        self.growth: dict[str, bool] = {}
        self.optimizer: dict[str, Any] = {}
        self.jit: Any = False
        self.threads = {"inter": 0, "intra": 0}
        self.eagerly = False


_kept = _Kept()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the machine's devices, or those of a type, "CPU" or "GPU"; of others, none.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.config.list_physical_devices("CPU")[0].device_type
    'CPU'
    """
    return config.list_physical_devices(device_type) if _is_known(device_type) else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Return the devices that work can be placed on, or those of a type, "CPU" or "GPU"."""
    return config.list_logical_devices(device_type) if _is_known(device_type) else []


def _is_known(device_type: str | None) -> bool:
    """Return whether there may be devices of a kind here: of others, such as TPU, are none."""
    return device_type in {None, "CPU", "GPU"}


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices that set_visible_devices named, or all, of one type or both."""
    kinds = [device_type] if device_type else ["CPU", "GPU"]
    found = []
    for kind in kinds:
        found += _kept.visible.get(kind, list_physical_devices(kind))
    return found


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Keep which devices are to be seen; work goes elsewhere only where it is asked to."""
    listed = list(devices) if isinstance(devices, (list, tuple)) else [devices]
    listed = [_physical(x) for x in listed if x is not None]
    for kind in [device_type] if device_type else ["CPU", "GPU"]:
        _kept.visible[kind] = [x for x in listed if x.device_type == kind]


def set_logical_device_configuration(device: Any, logical_devices: Any) -> None:
    """Let a CPU stand for several; a GPU stands for one."""
    several(
        logical_devices, "logical_devices", "a list of LogicalDeviceConfiguration"
    )
    if _physical(device).device_type != "CPU" and len(logical_devices) > 1:
        raise InvalidArgumentError(
            f"{device.name}: only the CPU can stand for several devices here"
        )
    _kept.logical[device.name] = list(logical_devices)
    if device.device_type == "CPU":
        config.set_logical_devices("CPU", len(logical_devices))


def get_logical_device_configuration(device: Any) -> Any:
    """Return the list that was set for a physical device, or None."""
    return _kept.logical.get(_physical(device).name)


def _physical(device: Any) -> Any:
    allowed = "one of tf.config.list_physical_devices()"
    return one_of(device, PhysicalDevice, "device", allowed)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let functions of tf.function run as plain Python from here on, or traced again."""
    _kept.eagerly = bool(run_eagerly)
    function._eagerly.set(bool(run_eagerly))  # noqa: SLF001  the switch of tl.debugging.run_eagerly


def functions_run_eagerly() -> bool:
    """Return whether run_functions_eagerly was called with true."""
    return _kept.eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


def set_memory_growth(device: Any, enable: bool) -> None:
    """Keep it: memory is taken as it is needed in any case."""
    _kept.growth[device.name] = bool(enable)


def get_memory_growth(device: Any) -> bool:
    """Return what was set for a device, and true if nothing was."""
    return _kept.growth.get(device.name, True)


def get_memory_info(device: str) -> dict[str, int]:
    """Return the bytes in use on a device now and at most, as "current" and "peak".

    The device is named as "GPU:0" or "/device:GPU:0".
    """
    name = device if device.startswith("/") else f"/device:{device}"
    found = config.memory_info(name)
    return {"current": found.live, "peak": found.peak}


def reset_memory_stats(device: str) -> None:
    """Let the peak that get_memory_info tells of a device begin again at what is in use now."""
    config.reset_memory_peak(
        device if device.startswith("/") else f"/device:{device}"
    )


def get_device_details(device: Any) -> dict[str, Any]:
    """Return an empty dict: no details of devices are known."""
    return {}


def enable_op_determinism() -> None:
    """Do nothing: kernels give the same result each time."""


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Do nothing: products are computed in the dtype of their operands."""


def tensor_float_32_execution_enabled() -> bool:
    """Return false: products are computed in the dtype of their operands."""
    return False


def experimental_connect_to_cluster(*args: Any, **kwargs: Any) -> None:
    """Raise InvalidArgumentError: clusters are begun by tl.distribute.connect."""
    raise InvalidArgumentError(
        "experimental_connect_to_cluster: clusters are begun by tl.distribute.connect"
    )


experimental_connect_to_host = experimental_connect_to_cluster


def _set_threads(kind: str) -> Any:
    def set_them(num_threads: int) -> None:
        _kept.threads[kind] = int(num_threads)

    return set_them


threading = SimpleNamespace(
    set_inter_op_parallelism_threads=_set_threads("inter"),
    set_intra_op_parallelism_threads=_set_threads("intra"),
    get_inter_op_parallelism_threads=lambda: _kept.threads["inter"],
    get_intra_op_parallelism_threads=lambda: _kept.threads["intra"],
)


def _set_jit(enabled: Any) -> None:
    _kept.jit = enabled


optimizer = SimpleNamespace(
    set_jit=_set_jit,
    get_jit=lambda: _kept.jit,
    set_experimental_options=_kept.optimizer.update,
    get_experimental_options=lambda: dict(_kept.optimizer),
)
experimental = SimpleNamespace(
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    get_visible_devices=get_visible_devices,
    set_visible_devices=set_visible_devices,
    set_memory_growth=set_memory_growth,
    get_memory_growth=get_memory_growth,
    get_memory_info=get_memory_info,
    reset_memory_stats=reset_memory_stats,
    get_device_details=get_device_details,
    set_virtual_device_configuration=set_logical_device_configuration,
    get_virtual_device_configuration=get_logical_device_configuration,
    enable_op_determinism=enable_op_determinism,
    enable_tensor_float_32_execution=enable_tensor_float_32_execution,
    tensor_float_32_execution_enabled=tensor_float_32_execution_enabled,
)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
