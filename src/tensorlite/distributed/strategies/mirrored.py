"""Mirrored and AllReduce: each replica has a copy of the variables, and all apply equal gradients.

Variables with copies are in mirrored_variable.py, how replicas are traced is in together.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core.check import whole
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import DeviceError, InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.distributed.collectives.collectives import ALGORITHMS
from tensorlite.distributed.collectives.gradients import LIMIT, all_reduce_gradients
from tensorlite.distributed.collectives.meetings import Members
from tensorlite.distributed.strategies.mirrored_variable import (
    MirroredVariable,
    mirroring,
)
from tensorlite.distributed.strategies.shards import Batch
from tensorlite.distributed.strategies.tasks import LocalTasks, own_devices, tasks_of
from tensorlite.distributed.strategies.together import Joint, Together, scaled
from tensorlite.distributed.strategies.updating import as_replica, on
from tensorlite.ops.arrays.create import zeros, zeros_like
from tensorlite.ops.sparse.slices import densify
from tensorlite.ops.state.variable import Variable
from tensorlite.train.optimizers import Optimizer


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
    as the backward pass has its last, which comes in the reverse order of layers. `algorithm` is
    "auto", "ring", "tree", "exchange" or "direct"; with `deterministic` gradients are added in
    the order of workers, so that a run gives the same result each time.

    >>> strategy = tl.distribute.AllReduce(tl.distribute.LocalTasks(["/device:CPU:0"]))
    >>> strategy.count
    1
    """

    def __init__(
        self,
        cluster: Any,
        workers: str = "worker",
        bucket_bytes: int = LIMIT,
        algorithm: str = "auto",
        deterministic: bool = False,
    ) -> None:
        super().__init__(tasks_of(cluster, workers))
        if algorithm != "auto" and algorithm not in ALGORITHMS:
            raise InvalidArgumentError(
                f"algorithm={algorithm!r}; allowed are 'auto', "
                f"{', '.join(map(repr, ALGORITHMS))}"
            )
        self.bucket_bytes = int(whole(bucket_bytes, "AllReduce: bucket_bytes", 1))
        self.algorithm, self.deterministic = algorithm, deterministic
        self._calls = 0

    is_elastic = True

    def reduced(
        self, joint: Sequence[Joint], batch: Batch
    ) -> list[list[Tensor | IndexedSlices]]:
        """Return the mean gradient of each variable, for each replica; all take part."""
        if (
            tracer() is None or self.count == 1
        ):  # one thread cannot be all replicas at once
            return super().reduced(joint, batch)
        self._calls += 1
        tasks = tuple([str(place) for place in self.workers])
        columns = []
        for index, place in enumerate(self.workers):
            with on(_host(place)):
                sums = all_reduce_gradients(
                    _weighed(joint, batch, index),
                    Members(tasks, index),
                    f"gradients {self._calls}",
                    "sum",
                    self.bucket_bytes,
                    self.algorithm,
                    self.deterministic,
                )
            columns.append([g for g in sums if g is not None])
        return [list(own) for own in zip(*columns, strict=True)]


def _host(place: DeviceName) -> DeviceName:
    """Return the CPU of a device's task, where collectives run."""
    return (
        place.merge(DeviceName(kind="CPU", index=0)) if place.kind == "GPU" else place
    )


def _weighed(
    joint: Sequence[Joint], batch: Batch, index: int
) -> list[Tensor | IndexedSlices]:
    """Return what a replica has of each gradient, weighed by its rows; zeros where it has none."""
    positions = {share.replica: i for i, share in enumerate(batch.shares)}
    found: list[Tensor | IndexedSlices] = []
    for one in joint:
        is_sparse = all(isinstance(g, IndexedSlices) for g in one.gradients)
        position = positions.get(index)
        if position not in one.positions:
            found.append(_nothing(one, is_sparse))
            continue
        g = one.gradients[one.positions.index(position)]
        mine = g if is_sparse or isinstance(g, Tensor) else densify(g)
        found.append(scaled(mine, batch.weights[position]))
    return found


def _nothing(one: Joint, is_sparse: bool) -> Tensor | IndexedSlices:
    """Return a gradient that changes nothing, like those that others have."""
    variable, like = one.variable, one.gradients[0]
    if not is_sparse:
        return zeros_like(variable)
    assert isinstance(like, IndexedSlices)
    rows = zeros((0, *variable.shape[1:]), dtype=like.dtype)
    return IndexedSlices(
        rows, zeros((0,), dtype=like.indices.dtype), like.dense_shape
    )
