"""Strategies of one machine: OneDevice, Mirrored and CentralStorage."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.distribute.strategy import Strategy
from tensorlite.core.errors import InvalidArgumentError


class OneDeviceStrategy(Strategy):
    """One replica on the device that is given."""

    def __init__(self, device: str) -> None:
        super().__init__(device)


def _single(name: str, devices: Any) -> str | None:
    listed = list(devices or ())
    if len(listed) > 1:
        raise InvalidArgumentError(
            f"{name}: {len(listed)} devices; this one trains on one. "
            "tl.distribute.Mirrored(devices) trains on several of a machine, and "
            "tl.distribute.AllReduce on the workers of a cluster"
        )
    return listed[0] if listed else None


class MirroredStrategy(Strategy):
    """One replica; of several devices InvalidArgumentError is raised."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(_single("MirroredStrategy", devices))


class CentralStorageStrategy(Strategy):
    """One replica; of several devices InvalidArgumentError is raised."""

    def __init__(
        self, compute_devices: Any = None, parameter_device: Any = None
    ) -> None:
        super().__init__(_single("CentralStorageStrategy", compute_devices))


def _operation(*args: Any, **kwargs: Any) -> None:
    """Stand for how gradients would be added up between devices."""


HierarchicalCopyAllReduce = NcclAllReduce = ReductionToOneDevice = _operation
