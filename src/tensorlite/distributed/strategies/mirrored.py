"""Mirrored and AllReduce: each replica has a copy of the variables, and all apply equal gradients.

Variables with copies are in mirrored_variable.py, how replicas are traced is in together.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.core.check import whole
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DeviceError
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.distributed.strategies.buckets import buckets, joined, parted
from tensorlite.distributed.strategies.mirrored_variable import (
    MirroredVariable,
    mirroring,
)
from tensorlite.distributed.strategies.shards import Batch
from tensorlite.distributed.strategies.tasks import LocalTasks, own_devices, tasks_of
from tensorlite.distributed.strategies.together import Joint, Together, on
from tensorlite.ops.fetchable import Fetchable
from tensorlite.ops.sparse import accumulate
from tensorlite.ops.state import Variable
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
def as_replica(index: int, count: int, place: DeviceName) -> Iterator[None]:
    """Do as a replica, on its device, what stands inside."""
    token = replica.set(Own(index, count, place))
    try:
        with on(place):
            yield
    finally:
        replica.reset(token)


class Copies(Together):
    """A strategy whose replicas have copies of the variables."""

    def __init__(self, tasks: Any) -> None:
        super().__init__(tasks)
        if len(set(self.workers)) < self.count:
            listed = ", ".join(map(str, self.workers))
            raise DeviceError(
                f"{type(self).__name__}: replicas on {listed}; each must be on a device of its own"
            )

    def placing(self) -> Any:
        """Return the context in which new variables have a copy for each replica."""
        return mirroring(self.workers)

    def owns(self, variable: Variable) -> bool:
        """Return whether a variable has a copy for each replica of this strategy."""
        return (
            isinstance(variable, MirroredVariable)
            and variable.devices == self.workers
        )

    def apply(
        self, optimizer: Optimizer, joint: Sequence[Joint], batch: Batch
    ) -> None:
        """Reduce the gradients, and update every replica's copies."""
        reduced = self.reduced(joint, batch)
        for index, place in enumerate(self.workers):
            pairs = [
                (own[index], one.variable)
                for own, one in zip(reduced, joint, strict=True)
            ]
            with as_replica(index, self.count, place):
                optimizer.update(pairs)

    def reduced(
        self, joint: Sequence[Joint], batch: Batch
    ) -> list[list[Tensor | IndexedSlices]]:
        """Return the mean gradient of each variable, for each replica.

        Each is added up on one device, which all others have it from; different variables' on
        different ones.
        """
        means = []
        for at, one in enumerate(joint):
            with on(self.workers[at % self.count]):
                means.append([self.mean(one, batch)] * self.count)
        return means


class Mirrored(Copies):
    """Trains on the devices of one machine, each with a copy of the variables.

    Without `devices` these are its GPUs, or its logical CPUs if it has none. Gradients are added
    in the order of the devices, so that a run gives the same result each time.

    >>> strategy = tl.distribute.Mirrored(["/device:CPU:0"])
    >>> strategy.count
    1
    """

    def __init__(self, devices: Sequence[str | DeviceName] | None = None) -> None:
        super().__init__(LocalTasks(own_devices() if devices is None else devices))


class AllReduce(Copies):
    """Trains on the workers of a cluster, each with a copy of the variables.

    The workers add up their gradients among themselves, in buckets of `bucket_bytes`, each as soon
    as the backward pass has its last, which comes in the reverse order of layers. With
    `deterministic` they are added in the order of workers, so that a run gives the same result
    each time.

    >>> strategy = tl.distribute.AllReduce(tl.distribute.LocalTasks(["/device:CPU:0"]))
    >>> strategy.count
    1
    """

    def __init__(
        self,
        cluster: Any,
        workers: str = "worker",
        bucket_bytes: int = 4 << 20,
        deterministic: bool = False,
    ) -> None:
        super().__init__(tasks_of(cluster, workers))
        self.bucket_bytes = int(whole(bucket_bytes, "AllReduce: bucket_bytes", 1))
        self.deterministic = deterministic

    def reduced(
        self, joint: Sequence[Joint], batch: Batch
    ) -> list[list[Tensor | IndexedSlices]]:
        """Return the mean gradient of each variable, for each replica, added up in buckets."""
        dense = [one for one in joint if _is_dense(one)]
        others = [one for one in joint if not _is_dense(one)]
        found = dict(
            zip(map(id, others), super().reduced(others, batch), strict=True)
        )
        groups = buckets([one.variable for one in dense], self.bucket_bytes)
        for number, group in enumerate(groups):
            bucket = [dense[at] for at in group]
            sums = self._added_up(bucket, batch, number)
            for one, own in zip(bucket, zip(*sums, strict=True), strict=True):
                found[id(one)] = list(own)
        return [found[id(one)] for one in joint]

    def _added_up(
        self, bucket: Sequence[Joint], batch: Batch, number: int
    ) -> list[list[Tensor]]:
        """Return, for each replica, the sums of a bucket's gradients, weighed by rows."""
        variables = [one.variable for one in bucket]
        positions = {share.replica: i for i, share in enumerate(batch.shares)}
        vectors = []
        for index, place in enumerate(self.workers):
            position = positions.get(index)
            given = [_own(one, position) for one in bucket]
            factor = 1.0 if position is None else batch.weights[position]
            with on(place):
                vectors.append(joined(given, variables, factor))
        sums = self.all_reduced(vectors, number)
        parts = []
        for place, whole_sum in zip(self.workers, sums, strict=True):
            with on(place):
                parts.append(parted(whole_sum, variables))
        return parts

    def all_reduced(self, vectors: Sequence[Tensor], number: int) -> list[Tensor]:
        """Return the sum of the replicas' vectors, for each of them.

        It is added up on one worker, a different one for each bucket, in the order of workers.
        """
        with on(self.workers[number % self.count]):
            total = accumulate(vectors)
        assert isinstance(total, Tensor)
        return [total] * self.count


def _is_dense(one: Joint) -> bool:
    fixed = None not in one.variable.shape
    return fixed and all(isinstance(g, Tensor) for g in one.gradients)


def _own(one: Joint, position: int | None) -> Tensor | None:
    """Return the gradient that a replica has brought, if any."""
    if position not in one.positions:
        return None
    g = one.gradients[one.positions.index(position)]
    assert isinstance(g, Tensor)
    return g
