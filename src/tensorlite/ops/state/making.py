"""Operators that make resources, and how Python's classes come by a handle of a new one.

Such an operator has no inputs: its attributes hold all that is needed, so that the resource can be
made in another process, and made anew when that is started again. The kinds stand with their
states: VarHandleOp in resource.py, queues' in queues/kinds.py, the others' beside what waits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import KW_ONLY
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tensorlite.core.containers import current_container
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import call, interpreted_by
from tensorlite.core.dtypes import resource
from tensorlite.core.locate import default_device
from tensorlite.core.op import Effect, Op
from tensorlite.core.scope import asked_for, device
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU, Xp

Make = Callable[[Any], Tensor]
creation: ContextVar[Callable[[Any, Make], Tensor] | None] = ContextVar(
    "creation", default=None
)
"""What makes the handle of a new resource; a traced function finds the one of its first trace."""


standing: ContextVar[Callable[[Making], Tensor] | None] = ContextVar(
    "standing", default=None
)
"""What makes a node of a new resource's operator, in graphs whose sessions have their own."""


class Making(Op, abstract=True):
    """Makes a resource: a new one in every run, or with a `shared_name` the one of that name."""

    effect = Effect.DRAW
    differentiable = False
    free: ClassVar[tuple[str, ...]] = ("debug_name", "container", "shared_name")
    """Attributes in which those may differ that share one resource."""
    _: KW_ONLY
    debug_name: str = ""
    """What messages call the resource."""
    container: str = ""
    shared_name: str = ""

    def infer(self) -> TensorSpec:
        """Return the spec of the handle."""
        return TensorSpec((), resource, None, self.inner())

    def kernel(self, xp: Xp) -> Any:
        """Return the resource."""
        if not self.shared_name:
            return self.fresh(xp)
        return current_container.get().shared(
            self.shared_name, self.kind(), lambda: self.fresh(xp), self.container
        )

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the specs of what lies behind the handle."""
        return ()

    def fresh(self, xp: Xp) -> Any:
        """Return a new resource."""
        raise TypeError(f"{self.name} does not say what it makes")

    def kind(self) -> str:
        """Return, in words, what all must have in common that share one resource."""
        return self._common

    @cached_property
    def _common(self) -> str:
        """The kind, in words: steps ask for it again and again."""
        listed = [
            f"{key}={value!r}"
            for key, value in self.attributes().items()
            if key not in self.free
        ]
        return f"{self.name}({', '.join(listed)})"

    @property
    def label(self) -> str:
        """What messages call the resource."""
        return self.debug_name or self.shared_name


def made(make: Callable[[], Making]) -> Tensor:
    """Return the handle of a new resource; in a later trace of a function that of the first.

    It is on the device that `tl.device` asks for, and in host memory where that is a GPU. `make`
    returns the operator, and is called only where it is run.
    """
    stand = standing.get()
    if stand is not None:
        return stand(make())
    maker = creation.get()
    if maker is None:
        return _made_now(make())
    return maker(None, lambda _: _made_now(make()))


def _made_now(op: Making) -> Tensor:
    asked = asked_for(op)
    if asked.job is not None:
        return made_at(op, asked)
    here = default_device.get()
    return EagerTensor(op.kernel(np), here if here.kind == "CPU" else CPU)


def made_at(op: Making, place: DeviceName) -> Tensor:
    """Return the handle of a resource that another task makes."""
    with interpreted_by(None), device(None), device(place):
        return call(op)
