"""Values that are no arrays: handles of resources, lists and bundles of tensors.

They flow through tensors and plans beside arrays; each says its own spec. The classes that
use this base stand with their operators (ops/state/variable.py, ops/control/lists.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DTypeError
from tensorlite.core.spec import TensorSpec


class Opaque(ABC):
    """A value that a tensor of dtype `resource` or `variant` holds."""

    @property
    @abstractmethod
    def spec(self) -> TensorSpec:
        """The spec of a tensor that holds this value."""

    @property
    def memory(self) -> object:
        """An array that lies on the device where this value lives; None: in host memory."""
        return None

    @property
    def where(self) -> DeviceName | None:
        """The device of another task that has this value; None: it is in this process."""
        return None

    def on(self, device: DeviceName) -> Any:
        """Return this as what works on a device takes it: as it is, for what cannot move."""
        return self

    def read(self) -> np.ndarray[Any, Any]:
        """Return the array that this stands for; DTypeError for what stands for none."""
        raise DTypeError(f"{self!r} is no data, and has no value to be read")

    def abandon(self) -> None:  # noqa: B027  most hold nothing but memory
        """Give up what this holds, such as a lock: the step that made it has failed."""


class Resource(Opaque):
    """Mutable state that lives on a device and is passed by handle."""
