"""Strategies of one machine: OneDevice, Mirrored and CentralStorage, and what these reduce by."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.distribute.options import how_of
from tensorlite.compat.v2.distribute.strategy import Strategy, devices_given
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.distributed.strategies.per_replica import PerReplica
from tensorlite.distributed.strategies.reducing import mirrored, reduced
from tensorlite.distributed.strategies.replicas import Replicas


class CrossDeviceOps:
    """How values of devices become one: on one of them, in the order of the devices."""

    def reduce(
        self,
        reduce_op: Any,
        per_replica_value: Any,
        destinations: Any,
        options: Any = None,
    ) -> Any:
        """Return the sum or the mean of values per replica.

        Where it goes, and options, have no effect.
        """
        if not isinstance(per_replica_value, PerReplica):
            return per_replica_value
        return reduced(how_of(reduce_op), per_replica_value, len(per_replica_value))

    def batch_reduce(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Return what reduce does of each pair of a value and where it goes."""
        return [self.reduce(reduce_op, x, to) for x, to in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """Return a tensor as what all devices have."""
        return mirrored(tensor, len(devices_given(destinations) or ("",)))


class ReductionToOneDevice(CrossDeviceOps):
    """Values are copied to one device and added there."""

    def __init__(
        self, reduce_to_device: Any = None, accumulation_fn: Any = None
    ) -> None:
        self.reduce_to_device, self.accumulation_fn = (
            reduce_to_device,
            accumulation_fn,
        )


class NcclAllReduce(CrossDeviceOps):
    """Values are added as by the others; how many packs are asked for has no effect."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise InvalidArgumentError(
                f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified"
            )
        self.num_packs = num_packs


class HierarchicalCopyAllReduce(NcclAllReduce):
    """Values are added as by the others."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise InvalidArgumentError(
                "HierarchicalCopy requires num_packs >= 0, but "
                f"{num_packs} is specified"
            )
        super().__init__(num_packs)


class OneDeviceStrategy(Strategy):
    """One replica on the device that is given."""

    def __init__(self, device: str) -> None:
        super().__init__(Replicas([device]))


class MirroredStrategy(Strategy):
    """A replica on each of some devices of this machine, with a copy of the variables.

    Without devices these are the machine's GPUs, or its logical CPUs. Gradients that are applied
    for a replica are summed over all. cross_device_ops has no effect: values are added in the
    order of devices.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        if cross_device_ops is not None and not isinstance(
            cross_device_ops, CrossDeviceOps
        ):
            raise DTypeError(
                f"cross_device_ops={cross_device_ops!r}; give one of tf.distribute's "
                "CrossDeviceOps, such as tf.distribute.ReductionToOneDevice()"
            )
        super().__init__(Replicas(devices_given(devices)))


class CentralStorageStrategy(Strategy):
    """A replica on each of some devices, which all use the variables that one device has.

    That is parameter_device: without it the one compute device, or the CPU if there are several.
    """

    def __init__(
        self, compute_devices: Any = None, parameter_device: Any = None
    ) -> None:
        given = devices_given(compute_devices)
        devices = Replicas(given).devices
        keeper = parameter_device or (devices[0] if len(devices) == 1 else "/cpu:0")
        super().__init__(Replicas(devices, keeper))
