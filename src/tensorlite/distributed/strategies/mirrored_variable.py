"""MirroredVariable: a variable of which each replica has a copy of its own.

The copies of what optimizers update stay equal, since all are given the same gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.scope import device
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.distributed.strategies.placing import at_home
from tensorlite.distributed.strategies.shared import shared
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.fetchable import Fetchable, effect, group
from tensorlite.ops.sparse.slices import accumulate
from tensorlite.ops.state.variable import Variable, variety
from tensorlite.train.replica import replica


class MirroredVariable(Variable):
    """A variable with a copy on each of some devices; `AllReduce` and `Mirrored` make them.

    A replica of a step reads and writes its own copy. Elsewhere what is written is written to all
    copies, and the first is read; but of one that is not trainable, such as the averages of a
    BatchNorm, which replicas assign to each by itself, the mean of the copies is read. A checkpoint
    holds one tensor.

    >>> strategy = tl.distribute.Mirrored()
    >>> with strategy.scope():
    ...     w = tl.Variable([1.0, 2.0])
    >>> len(w.copies) == strategy.count
    True
    """

    __slots__ = ("copies", "devices", "is_averaged")

    devices: Sequence[DeviceName]
    """Where the copies lie; given before it is initialised."""
    copies: tuple[Variable, ...]
    is_averaged: bool
    """Whether the copies may differ, and stand for their mean."""

    def __init__(
        self,
        initial: TensorLike | Callable[[], TensorLike],
        trainable: bool = True,
        name: str = "Variable",
        *args: Any,
        **options: Any,
    ) -> None:
        def copy(first: Any) -> Variable:
            return Variable(first, trainable, name, *args, **options)

        self.copies = shared(lambda: self._made(initial, copy))
        self.name = name
        self.trainable = self.copies[0].trainable
        self.is_averaged = not trainable and self.dtype.is_differentiable

    def _made(
        self, initial: Any, copy: Callable[[Any], Variable]
    ) -> tuple[Variable, ...]:
        """Return the copies, the first value computed once."""
        token = variety.set(None)
        try:
            with device(None), device(self.devices[0]):
                first = copy(partial(at_home, initial))
            with interpreted_by(None):
                value = first.value()
            others = []
            for place in self.devices[1:]:
                with device(None), device(place):
                    others.append(copy(value))
        finally:
            variety.reset(token)
        return (first, *others)

    def spread(self, devices: Sequence[DeviceName]) -> None:
        """Have copies on these devices and no others; what is new has no value yet: assign one."""
        known = {copy.device: copy for copy in self.copies}
        first = self.copies[0]
        token = variety.set(None)
        try:
            with interpreted_by(None):
                for place in devices:
                    if place not in known:
                        with device(None), device(place):
                            zero = zeros(first.shape, dtype=first.dtype)
                            known[place] = Variable(zero, first.trainable, first.name)
        finally:
            variety.reset(token)
        self.devices = devices
        self.copies = tuple([known[place] for place in devices])

    @property
    def handle(self) -> Tensor:  # type: ignore[override]
        """The handle of the replica's own copy, elsewhere of the first."""
        here = replica.get()
        return self.copies[0 if here is None else here.index].handle

    def __tensor__(self) -> Tensor:
        """Return the value as it is now; see above which."""
        if not self.is_averaged or replica.get() is not None:
            return super().__tensor__()
        return accumulate_mean([copy.value() for copy in self.copies])

    def _write(self, op: Op, *inputs: TensorLike) -> Fetchable:
        if replica.get() is None:
            own = [to_tensor(x) for x in inputs]
            written = [effect(op, copy.handle, *own) for copy in self.copies]
            return group(*written)
        if self.trainable:
            raise InvalidArgumentError(
                f"the step assigns to {self.name!r}, of which each replica has a copy, and they "
                "would differ: update it by optimizer.apply_gradients, or make it with "
                "trainable=False if the copies may differ"
            )
        return effect(op, self.handle, *inputs)

    def check_update(self) -> None:
        """Raise InvalidArgumentError outside of steps, where the first copy alone would change."""
        if replica.get() is None and len(self.copies) > 1:
            raise InvalidArgumentError(
                f"{self.name!r} has a copy for each replica, and gradients would be applied to the "
                "first alone: call the step by strategy.run, as in strategy.run(step, batch)"
            )

    def beside(self, value: TensorLike, name: str) -> Variable:
        """Return a new variable with copies on the same devices, which tapes do not watch."""
        other = mirrored_on(self.devices)
        with interpreted_by(None):
            other.__init__(value, trainable=False, name=name)  # type: ignore[misc]
        other.is_averaged = False  # all are updated alike
        return other


def accumulate_mean(values: Sequence[Tensor]) -> Tensor:
    """Return the mean of tensors."""
    total = accumulate(values)
    assert isinstance(total, Tensor)
    return total / len(values)


def mirrored_on(devices: Sequence[DeviceName]) -> MirroredVariable:
    """Return a variable that is yet to be initialised, with copies on these devices."""
    made: MirroredVariable = object.__new__(MirroredVariable)
    made.devices = devices
    return made


@contextmanager
def mirroring(devices: Sequence[DeviceName]) -> Iterator[None]:
    """Let the variables that are made inside have copies on these devices."""
    token = variety.set(lambda *_args, **_options: mirrored_on(devices))
    try:
        yield
    finally:
        variety.reset(token)
