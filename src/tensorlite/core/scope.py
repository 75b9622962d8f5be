"""Scopes that mark what is made inside them: names, devices, control inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self, TypeAlias

from tensorlite.core import operand
from tensorlite.core.constant import Const
from tensorlite.core.device import ANYWHERE, DeviceName, local, settings
from tensorlite.core.dispatch import (
    Interpreter,
    Tensors,
    interpreted_by,
    run,
    tracer,
)
from tensorlite.core.errors import DTypeError
from tensorlite.core.locate import default_device
from tensorlite.core.op import Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.tensor import EagerTensor, Tensor, moved
from tensorlite.core.xp import CPU, cpu_count, existing, xp_for


class Scope(NamedTuple):
    """What nodes made in a trace inherit from the `with` blocks around them."""

    name: str = ""
    device: DeviceName = ANYWHERE
    control: tuple[Any, ...] = ()
    group: str = ""
    origin: Any = None
    """The node for whose sake nodes are made: of gradients, the one that is differentiated."""


scope: ContextVar[Scope] = ContextVar("scope", default=Scope())


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Prefix the names of nodes made inside with `name/`; yields the whole prefix.

    >>> with tl.name_scope("layer"), tl.name_scope("dense") as prefix:
    ...     print(prefix)
    layer/dense
    """
    here = scope.get()
    whole = f"{here.name}/{name}" if here.name else name
    token = scope.set(here._replace(name=whole))
    try:
        yield whole
    finally:
        scope.reset(token)


def scoped(name: str) -> str:
    """Return a name with the prefix that the name scopes around ask for."""
    prefix = scope.get().name
    return f"{prefix}/{name}" if prefix else name


@dataclass(frozen=True)
class Asked:
    """A node that is about to be made, or an eager call: what a device function is asked about."""

    name: str
    """In a trace, without the number that may be put behind it."""
    op: Op
    inputs: Tensors
    device: DeviceName
    """What scopes inside that of the function ask for."""

    @property
    def type(self) -> str:
        """The operator's name."""
        return self.op.name


Chooser: TypeAlias = Callable[[Asked], str | DeviceName | None]
"""A device function: returns a device's name, whole or in part, or None to leave it at that."""


_PARTS = tuple(field.name for field in fields(DeviceName))


@dataclass(frozen=True, repr=False, eq=False)
class DeviceRule(DeviceName):
    """What scopes ask for where one of them has a function: decided for each node."""

    function: Chooser | None = None
    around: DeviceName = ANYWHERE
    """What scopes around the function's ask for."""

    def __eq__(self, other: object) -> bool:
        """Return whether the other is the same rule; a name never is, whatever its text."""
        if not isinstance(other, DeviceRule):
            return False
        mine = (*self.parts(), self.function, self.around)
        return mine == (*other.parts(), other.function, other.around)

    def __ne__(self, other: object) -> bool:
        """Return whether the other is another rule, or none; text has a way of its own for this."""
        return not self == other

    def __hash__(self) -> int:
        """Return a number that equal rules share."""
        return hash((*self.parts(), self.function, self.around))

    def merge(self, inner: DeviceName) -> DeviceName:
        """Return this rule, with the name that scopes inside ask for."""
        parts = dict(zip(_PARTS, super().merge(inner).parts(), strict=True))
        return replace(self, **parts)

    def decided(self, asked: Asked) -> DeviceName:
        """Return the device of a node: the function's choice, within what is asked for around it.

        What it chooses takes the place of what scopes inside it asked for, as in TensorFlow.
        """
        assert self.function is not None
        inner = DeviceName(*self.parts())
        choice = self.function(replace(asked, device=inner))
        chosen = inner if choice is None else _named(choice, self.function)
        return decided(self.around.merge(chosen), asked)

    def __str__(self) -> str:
        function = getattr(self.function, "__qualname__", repr(self.function))
        return f"{self.around}{super().__str__()} by {function}"


def decided(device: DeviceName, asked: Asked) -> DeviceName:
    """Return the device that scopes ask for, for this node; their functions are asked."""
    if not isinstance(device, DeviceRule):
        return device
    found = device.decided(asked)
    if found.kind is None or _is_elsewhere(found):
        return ANYWHERE if found == ANYWHERE else found
    return _there(found)


def _is_elsewhere(device: DeviceName) -> bool:
    """Return whether a name asks for another process, whose devices are not known here."""
    if isinstance(device, DeviceRule) and _is_elsewhere(device.around):
        return True
    own = device.job in (None, "localhost") and not (device.replica or device.task)
    return not own


def _there(device: DeviceName) -> DeviceName:
    """Return `device` with the one of this process that it stands for; DeviceError without."""
    if _is_elsewhere(device):
        return existing(device)
    if device.index is None and not settings.soft_placement:
        xp_for(device)
        return device
    return device.merge(existing(device))


def _default(asked: DeviceName) -> DeviceName:
    """Return where operators without inputs run, by what scopes ask for."""
    if _is_elsewhere(asked):
        return asked
    return local(asked.kind or "CPU", asked.index or 0)


def _named(given: object, function: Chooser | None = None) -> DeviceName:
    """Return a device's name, as it is or parsed; DTypeError for what is none."""
    if isinstance(given, (str, DeviceName)):
        return DeviceName.of(given)
    if function is not None:
        raise DTypeError(
            f"the device function {function!r} returned {given!r}; allowed are a device's name, "
            "such as '/device:CPU:0', a tl.DeviceName, and None"
        )
    raise DTypeError(
        f"{given!r} is no device; allowed are a name such as '/device:CPU:0', a tl.DeviceName, a "
        "function of a node, and None"
    )


class _Placing(Interpreter):
    """Runs eager operators on the device that scopes ask for, copying inputs there."""

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, computed on the device asked for."""
        if self.tracer is not None:
            return run(self.below, op, inputs)
        if isinstance(op, Const):
            # In host memory until it is used as data: it may be structure.
            return (EagerTensor(op.value),)
        asked = scope.get().device
        if isinstance(asked, DeviceRule):
            return self._decided(asked, op, inputs)
        if asked.kind is None and not _is_elsewhere(asked):
            return run(self.below, op, inputs)
        return self._on(default_device.get(), op, inputs)

    def _decided(self, rule: DeviceRule, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, computed where a device function wants it."""
        found = decided(rule, Asked(scoped(op.name), op, inputs, ANYWHERE))
        device = _default(found)
        # Functions are asked once for each call, by the innermost scope.
        inside = scope.set(scope.get()._replace(device=found))
        token = default_device.set(device)
        try:
            if found.kind is None and not _is_elsewhere(found):
                return run(self.below, op, inputs)
            return self._on(device, op, inputs)
        finally:
            default_device.reset(token)
            scope.reset(inside)

    def _on(self, device: DeviceName, op: Op, inputs: Tensors) -> Tensors:
        if device.job is not None:
            device = existing(device)
        moved_there = [
            x if i in op.host else self._moved(x, device)
            for i, x in enumerate(inputs)
        ]
        return run(self.below, op, tuple(moved_there))

    def __enter__(self) -> Self:
        """Put this interpreter on top; on the only CPU it leaves arrays to the short way."""
        super().__enter__()
        asked = scope.get().device
        free = not isinstance(asked, DeviceRule) and (
            (asked.kind is None and not _is_elsewhere(asked))
            or (default_device.get() is CPU and cpu_count() == 1)
        )
        self.observing = free and (self.below is None or self.below.observing)
        return self

    def observe(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:
        """Hand the note down."""
        if self.below is not None:
            self.below.observe(op, inputs, outputs)

    def _moved(self, x: Tensor, device: DeviceName) -> Tensor:
        if not isinstance(x, EagerTensor) or x.device == device:
            return x
        if self.below is None or isinstance(x.array, Opaque):
            return moved(x, device)
        with interpreted_by(self.below):  # a tape wants to know
            return operand.operators.to_device(x, device)


def _merged(name: str | DeviceName | Chooser | None) -> DeviceName:
    """Return what is asked for inside the scopes around and one more."""
    around = scope.get().device
    if name is None:
        return ANYWHERE
    if callable(name):
        return DeviceRule(function=name, around=around)
    return around.merge(_named(name))


@contextmanager
def placed_later(name: str | DeviceName | Chooser | None) -> Iterator[None]:
    """Mark nodes made inside with a device, which is looked for when their graph runs."""
    token = scope.set(scope.get()._replace(device=_merged(name)))
    try:
        yield
    finally:
        scope.reset(token)


@contextmanager
def beside_nothing() -> Iterator[None]:
    """Place nodes made inside on their own, whatever those around lie beside."""
    token = scope.set(scope.get()._replace(group=""))
    try:
        yield
    finally:
        scope.reset(token)


@contextmanager
def device(name: str | DeviceName | Chooser | None) -> Iterator[DeviceName]:
    """Run, or place, the operators inside on the named device; yields all that is asked for.

    A name in part, such as "/task:1", is merged into that of scopes around. A function is asked
    about each node, given its `name`, `op`, `type`, `inputs` and `device`, and returns a name or
    None; eagerly it is asked about each call. None forgets the scopes around. Raises DeviceError
    for a device that is not there, unless `tl.config.set_soft_placement` says otherwise. As
    TensorFlow's `tf.device`.

    >>> with tl.device("/device:CPU:0"):
    ...     x = tl.ones(2)
    >>> str(x.device)
    '/device:CPU:0'
    """
    here = scope.get()
    whole = _merged(name)
    if whole.kind is not None and (tracer() is None or not _is_elsewhere(whole)):
        whole = _there(whole)
    token = scope.set(here._replace(device=whole))
    place = default_device.set(_default(whole))
    try:
        with _Placing():
            yield whole
    finally:
        default_device.reset(place)
        scope.reset(token)


def placed(tensor: Tensor) -> Tensor:
    """Return a new tensor on the device that `tl.device` around asks for; it stays if none is.

    Device functions are asked about a constant.
    """
    asked = scope.get().device
    if not isinstance(tensor, EagerTensor):
        return tensor
    if isinstance(asked, DeviceRule):
        asked = asked_for(Const(tensor.array))
    if asked.job is not None and tracer() is None:
        return operand.operators.to_device(tensor, asked)
    if asked.kind is None:
        return tensor
    return moved(tensor, local(asked.kind, asked.index or 0))


def asked_for(op: Op) -> DeviceName:
    """Return the device that `tl.device` around asks for, where `op` has no inputs.

    Device functions are asked.
    """
    asked = scope.get().device
    if isinstance(asked, DeviceRule):
        return decided(asked, Asked(scoped(op.name), op, (), ANYWHERE))
    return asked


@contextmanager
def control_dependencies(inputs: Sequence[Any] | None) -> Iterator[None]:
    """Make nodes traced inside run after `inputs`; eagerly all have run already.

    Given may be tensors and, of a `tl.Graph`, nodes; None inside another such block takes back
    what that asked for.

    >>> with tl.control_dependencies([tl.ones(1)]):
    ...     x = tl.zeros(1)
    """
    here = scope.get()
    control = () if inputs is None else (*here.control, *_awaited(inputs))
    token = scope.set(here._replace(control=control))
    try:
        yield
    finally:
        scope.reset(token)


def _awaited(inputs: Any) -> tuple[Any, ...]:
    """Return what is to run before, as it is given; DTypeError for what never runs."""
    several = isinstance(inputs, Iterable) and not isinstance(inputs, operand.Operand)
    given = tuple(inputs) if several else (inputs,)
    if several and all(
        x is None or isinstance(x, operand.Operand) or hasattr(x, "op") for x in given
    ):
        return given
    raise DTypeError(
        f"control_dependencies: {inputs!r}; allowed are lists of tensors and nodes, and None"
    )
