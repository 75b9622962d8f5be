"""Device names as TensorFlow writes them, and what programs ask of devices. Nothing of memory."""

from __future__ import annotations

import logging
import re
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from tensorlite.core.errors import DeviceError, DTypeError

_PART = re.compile(
    r"/(?:(job|replica|task):([\w.-]+)|(?:device:)?(CPU|GPU|cpu|gpu)(?::(\d+|\*))?)"
)


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class DeviceName(str):  # noqa: SLOT000  # the decorator makes them
    """A device's name, whole or in part, which is a text; parts left out match everything.

    >>> str(tl.DeviceName.parse("/job:ps/task:1/gpu:0"))
    '/job:ps/task:1/device:GPU:0'
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    index: int | None = None  # type: ignore[assignment]  # a text's method, which nobody needs here

    def __new__(
        cls,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        kind: str | None = None,
        index: int | None = None,
        **_: Any,
    ) -> Self:
        """Return the name with the text that its parts make; subclasses have more beside these."""
        parts = [("job", job), ("replica", replica), ("task", task)]
        text = "".join(f"/{key}:{value}" for key, value in parts if value is not None)
        end = (
            ""
            if kind is None
            else f"/device:{kind}:{'*' if index is None else index}"
        )
        return str.__new__(cls, text + end)

    def __getnewargs__(self) -> Any:
        return self.parts()

    def __bool__(self) -> bool:
        return True

    @staticmethod
    @cache
    def parse(text: str) -> DeviceName:
        """Return the name that `text` spells; DeviceError with the allowed form if it does not."""
        found: dict[str, str] = {}
        position = 0
        spelled = text if text.startswith("/") or not text else f"/{text}"
        for part in _PART.finditer(spelled):
            if part.start() != position:
                break
            if part[3] and "kind" in found:
                raise DeviceError(f"Cannot specify multiple device types: {text!r}")
            position = part.end()
            if part[1]:
                found[part[1]] = part[2]
            else:
                found["kind"], found["index"] = part[3].upper(), part[4]
        if position != len(spelled):
            raise DeviceError(
                f"{text!r} is no device name; allowed: '/device:CPU:0', '/gpu:1', "
                "'/job:worker/task:0/device:GPU:0', or parts of these"
            )
        return DeviceName(
            found.get("job"),
            _number(found.get("replica")),
            _number(found.get("task")),
            found.get("kind"),
            _number(found.get("index")),
        )

    @staticmethod
    def of(given: object) -> DeviceName:
        """Return the device's name that is given, as it is or spelled; DTypeError for neither."""
        if isinstance(given, DeviceName):
            return given
        if isinstance(given, str):
            return DeviceName.parse(given)
        raise DTypeError(
            f"{given!r} is no device; allowed are a name such as '/device:CPU:0' and a "
            "tl.DeviceName"
        )

    def merge(self, inner: DeviceName) -> DeviceName:
        """Return this name with the parts that `inner` gives put in their place."""
        kind = inner.kind or self.kind
        same_kind = inner.kind in (None, self.kind)
        return DeviceName(
            inner.job or self.job,
            self.replica if inner.replica is None else inner.replica,
            self.task if inner.task is None else inner.task,
            kind,
            self.index if inner.index is None and same_kind else inner.index,
        )

    def matches(self, whole: DeviceName) -> bool:
        """Return whether `whole` has every part that this name gives."""
        pairs = zip(self.parts(), whole.parts(), strict=True)
        return all(
            mine is None or mine == theirs or (mine == 0 and theirs is None)
            for mine, theirs in pairs
        )

    def parts(self) -> tuple[Any, ...]:
        """Return job, replica, task, kind and index, None for each that is left out."""
        return self.job, self.replica, self.task, self.kind, self.index

    def __repr__(self) -> str:
        return f"<DeviceName {self}>"


def _number(text: str | None) -> int | None:
    return None if text in (None, "*") else int(text or 0)


@cache
def local(kind: str, index: int) -> DeviceName:
    """Return the name of a device of this process: one object for each, so that `is` compares."""
    return DeviceName(kind=kind, index=index)


ANYWHERE = DeviceName()
"""The name that asks for nothing: what most nodes have."""


@dataclass
class Settings:
    """What `tl.config` sets for the whole process; steps read it when they begin."""

    soft_placement: bool = False
    """Whether a node that asks for a device that is not there goes to the nearest one."""
    log_placement: bool = False
    """Whether compiling a graph logs where each node goes."""
    step_timeout: float | None = None
    """How many seconds a step may wait before it fails; None: without end."""
    numpy_adopts: bool = False
    """Whether an array of NumPy beside a tensor takes the tensor's dtype, if it may."""
    tensorflow_results: bool = False
    """Whether quotients of wide integers are float64, lists as keys stand for tuples, and values
    look as TensorFlow's do."""
    numpy_behavior: bool = False
    """Whether lists as keys are NumPy's nevertheless."""

    promotion: str = "standard"
    """By which rule two dtypes meet in one."""


settings = Settings()
step_timeout: ContextVar[float | None] = ContextVar("step_timeout", default=None)
"""How many seconds steps that begin here may wait; None: as the settings say."""


def seconds_to_wait() -> float | None:
    """Return how many seconds a step that begins now may wait; None: without end."""
    own = step_timeout.get()
    return settings.step_timeout if own is None else own


placement_log = logging.getLogger("tensorlite.placement")
"""Tells where nodes go, when that is asked for, and which devices others stand in for."""
