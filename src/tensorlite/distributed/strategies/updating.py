"""Own: a replica that does by itself what others do as well, such as updates of its copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tensorlite.core.device import DeviceName
from tensorlite.core.scope import device
from tensorlite.ops.fetchable import Fetchable
from tensorlite.train.optimizers import Optimizer, Pair
from tensorlite.train.replica import replica


class Own:
    """The replica whose copies are updated."""

    def __init__(self, index: int, count: int, device: DeviceName) -> None:
        self.index, self.count, self.device = index, count, device

    def apply_gradients(
        self, optimizer: Optimizer, pairs: Sequence[Pair]
    ) -> Fetchable:
        """Update the copies, by these gradients alone."""
        return optimizer.update(pairs)


@contextmanager
def on(place: DeviceName) -> Iterator[None]:
    """Work on a device, whatever scopes are around."""
    with device(None), device(place):
        yield


@contextmanager
def as_replica(index: int, count: int, place: DeviceName) -> Iterator[None]:
    """Do as a replica, on its device, what stands inside."""
    token = replica.set(Own(index, count, place))
    try:
        with on(place):
            yield
    finally:
        replica.reset(token)


@contextmanager
def apart() -> Iterator[None]:
    """Do as no replica what stands inside."""
    token = replica.set(None)
    try:
        yield
    finally:
        replica.reset(token)
