"""tf.DeviceSpec: the name of a device, or a part of one, in its parts."""

from __future__ import annotations

from typing import Any, Self

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError

PARTS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """A device's name; of parts that are not given any will do."""

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        kind = None if device_type is None else str(device_type).upper()
        numbers = [
            None if x is None else int(x) for x in (replica, task, device_index)
        ]
        self._name = DeviceName(job, numbers[0], numbers[1], kind, numbers[2])

    @classmethod
    def from_string(cls, spec: str) -> Self:
        """Return the parts of a name such as '/job:worker/task:1/device:GPU:0'."""
        return cls(*DeviceName.parse(spec).parts())

    def to_string(self) -> str:
        """Return the name that the parts make."""
        return str(self._name)

    @property
    def job(self) -> str | None:
        """Job, or None."""
        return self._name.job

    @property
    def replica(self) -> int | None:
        """Number of the replica, or None."""
        return self._name.replica

    @property
    def task(self) -> int | None:
        """Number of the task, or None."""
        return self._name.task

    @property
    def device_type(self) -> str | None:
        """Kind of device in capitals, such as 'GPU', or None."""
        return self._name.kind

    @property
    def device_index(self) -> int | None:
        """Number of the device among those of its kind, or None."""
        return self._name.index

    def replace(self, **kwargs: Any) -> Self:
        """Return a name with parts replaced; InvalidArgumentError for other keywords."""
        unknown = sorted(set(kwargs) - set(PARTS))
        if unknown:
            raise InvalidArgumentError(
                f"DeviceSpec.replace: {unknown} are none of {PARTS}"
            )
        return type(self)(
            **{key: kwargs.get(key, getattr(self, key)) for key in PARTS}
        )

    def parse_from_string(self, spec: str) -> Self:
        """Return the parts of a name, as `from_string` does."""
        return self.from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> Self:
        """Return this with the parts that another has in their place."""
        pairs = {key: getattr(dev, key) for key in PARTS}
        return self.replace(**{k: x for k, x in pairs.items() if x is not None})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<DeviceSpec {self.to_string()!r}>"
