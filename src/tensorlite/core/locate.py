"""Where an operator runs eagerly: on the device that holds its data. Placing graphs is passes'."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Op
from tensorlite.core.opaque import Resource
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU

default_device: ContextVar[DeviceName] = ContextVar("default_device", default=CPU)
"""Where operators without inputs run; `tl.device` sets it."""


def device_for(op: Op, inputs: Sequence[Tensor]) -> DeviceName:
    """Return the device on which an operator works on inputs."""
    for x in inputs:
        device = x._device if type(x) is EagerTensor else x.device
        if device is not CPU and device != CPU:
            return _among(op, inputs)
    return CPU if len(op.host) < len(inputs) else default_device.get()


_GATHERED = DeviceName(kind="CPU", index=0)
"""The CPU by another object, so that `dispatch.execute` brings there what lies elsewhere."""


def _among(op: Op, inputs: Sequence[Tensor]) -> DeviceName:
    """Return where to work on inputs of which some lie elsewhere than on the first CPU.

    That is where a resource lives; else on the first GPU that holds data; else on the first
    other CPU that does; else, where all inputs are structure, on the device that holds any.
    """
    for x in inputs:
        if isinstance(x.array, Resource):
            return _GATHERED if x.device == CPU else x.device
    data = [x.device for i, x in enumerate(inputs) if i not in op.host]
    away = [device for device in data or [x.device for x in inputs] if device != CPU]
    gpus = [device for device in away if device.kind == "GPU"]
    return (gpus or away or [_GATHERED])[0]
