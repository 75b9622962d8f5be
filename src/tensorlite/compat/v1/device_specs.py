"""tf.DeviceSpec of TensorFlow 1, whose parts may be set; what else it does is in shared."""

from __future__ import annotations

from typing import Any, Self

from tensorlite.compat.shared import device_specs
from tensorlite.core.device import DeviceName


class DeviceSpec(device_specs.DeviceSpec):
    """A device's name; of parts that are not given any will do."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in device_specs.PARTS:
            self.parse_from_string(self.replace(**{name: value}).to_string())
        else:
            super().__setattr__(name, value)

    def parse_from_string(self, spec: str) -> Self:
        """Take all parts from a name like "/job:worker/device:GPU:0", and return the object."""
        self._name = DeviceName.parse(spec)
        return self

    def merge_from(self, dev: device_specs.DeviceSpec) -> None:
        """Take over those parts that another spec has."""
        self.parse_from_string(self.make_merged_spec(dev).to_string())


DeviceSpecV1 = DeviceSpec
"""The class by the name that it has in TensorFlow's inside."""
