"""list_local_devices: what programs of TensorFlow 1 ask of tensorflow.python.client.device_lib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensorlite.config import list_logical_devices


@dataclass(frozen=True)
class DeviceAttributes:
    """A device of this process; there is no telling how much memory a CPU may take."""

    name: str
    device_type: str
    memory_limit: int = 0
    physical_device_desc: str = ""


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """Return the devices of this process, each with name and type."""
    return [
        DeviceAttributes(f"/device:{kind}:{i}", kind)
        for kind in ("CPU", "GPU")
        for i in range(len(list_logical_devices(kind)))
    ]
