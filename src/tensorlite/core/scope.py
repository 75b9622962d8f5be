"""Scopes that mark what is made inside them: names, devices, control inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Self

from tensorlite.core import operand
from tensorlite.core.constant import Const
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dispatch import (
    Interpreter,
    Tensors,
    default_device,
    interpreted_by,
    run,
)
from tensorlite.core.op import Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.tensor import EagerTensor, Tensor, moved
from tensorlite.core.xp import CPU, xp_for


class Scope(NamedTuple):
    """What nodes made in a trace inherit from the `with` blocks around them."""

    name: str = ""
    device: DeviceName = ANYWHERE
    control: tuple[Any, ...] = ()
    group: str = ""


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


class _Placing(Interpreter):
    """Runs eager operators on one device, copying inputs there."""

    def __init__(self, device: DeviceName) -> None:
        self.device = device

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`, computed on this scope's device."""
        if self.tracer is None:
            if isinstance(op, Const):
                # In host memory until it is used as data: it may be structure.
                return (EagerTensor(op.value),)
            inputs = tuple(
                [x if i in op.host else self._moved(x) for i, x in enumerate(inputs)]
            )
        return run(self.below, op, inputs)

    def __enter__(self) -> Self:
        """Put this interpreter on top; on the CPU it leaves arrays there to the short way."""
        super().__enter__()
        self.observing = self.device == CPU and (
            self.below is None or self.below.observing
        )
        return self

    def observe(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:
        """Hand the note down."""
        if self.below is not None:
            self.below.observe(op, inputs, outputs)

    def _moved(self, x: Tensor) -> Tensor:
        if not isinstance(x, EagerTensor) or x.device == self.device:
            return x
        if self.below is None or isinstance(x.array, Opaque):
            return moved(x, self.device)
        with interpreted_by(self.below):  # a tape wants to know
            return operand.operators.to_device(x, self.device)


@contextmanager
def device(name: str | DeviceName) -> Iterator[DeviceName]:
    """Run, or place, the operators inside on the named device; DeviceError when it is not there.

    >>> with tl.device("/device:CPU:0"):
    ...     x = tl.ones(2)
    >>> str(x.device)
    '/device:CPU:0'
    """
    given = DeviceName.parse(name) if isinstance(name, str) else name
    here = scope.get()
    whole = here.device.merge(given)
    eager = DeviceName(kind=whole.kind or "CPU", index=whole.index or 0)
    xp_for(eager)
    token = scope.set(here._replace(device=whole))
    place = default_device.set(eager)
    try:
        with _Placing(eager):
            yield whole
    finally:
        default_device.reset(place)
        scope.reset(token)


def placed(tensor: Tensor) -> Tensor:
    """Return a new tensor on the device that `tl.device` around asks for; it stays if none is."""
    if scope.get().device.kind is None or not isinstance(tensor, EagerTensor):
        return tensor
    return moved(tensor, default_device.get())


@contextmanager
def control_dependencies(inputs: Sequence[Any] | None) -> Iterator[None]:
    """Make nodes traced inside run after `inputs`; eagerly all have run already.

    Given may be tensors and, of a `tl.Graph`, nodes; None inside another such block takes back
    what that asked for.

    >>> with tl.control_dependencies([tl.ones(1)]):
    ...     x = tl.zeros(1)
    """
    here = scope.get()
    control = () if inputs is None else (*here.control, *inputs)
    token = scope.set(here._replace(control=control))
    try:
        yield
    finally:
        scope.reset(token)
