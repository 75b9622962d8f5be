"""Crew: the tasks that training goes on with when some do not come back, and who has their part.

That a cluster gives tasks up, and takes them back, is cluster.py's; how work is shared out among
those that are there, the strategy's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import FailedPreconditionError, UnavailableError, note
from tensorlite.core.remote import RemoteResource
from tensorlite.core.tensor import EagerTensor
from tensorlite.distributed.cluster import Cluster, jobs_text
from tensorlite.distributed.strategies.base import Strategy
from tensorlite.distributed.strategies.mirrored_variable import MirroredVariable
from tensorlite.distributed.training.interval import in_words
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.state.making import Making, made_at
from tensorlite.ops.state.variable import Variable
from tensorlite.train.checkpoint import Checkpoint


@runtime_checkable
class Recovers(Protocol):
    """What the trainer needs of a cluster: `tl.distribute.Cluster` has it."""

    def recover(self, timeout: float | None = None) -> Sequence[str]:
        """Wait until all tasks that were lost run again, and return their names.

        What they held is there again, without values. UnavailableError when one does not come
        back within `timeout` seconds.
        """


class Recovered(NamedTuple):
    """What has become of tasks that were lost."""

    back: Sequence[str] = ()
    missing: Sequence[str] = ()
    """Those that training goes on without from now on."""
    is_other: bool = False
    """Whether training goes on with other tasks than before."""


class Crew:
    """The tasks that a training has. What they hold is `checkpoint`'s; `tell` is told of changes.

    It goes on with `least` workers at least, and one server if the strategy has such.
    """

    def __init__(
        self,
        cluster: Recovers | None,
        strategy: Strategy | None,
        checkpoint: Checkpoint,
        least: int,
        tell: Callable[[str], object],
    ) -> None:
        self.cluster, self.strategy = cluster, strategy
        self.checkpoint, self.least, self.tell = checkpoint, least, tell
        self._homes: dict[int, DeviceName] = {}
        """Where each variable and queue was at first."""
        self._stand_ins: dict[str, DeviceName] = {}
        """Where that is now which lay on a task that is not there."""
        self._devices = self._devices_now()

    def recover(self, timeout: float | None) -> Recovered:
        """Wait until all tasks that were lost run again; what they held has no values then.

        Training goes on without those that do not come back in time, if it can; else this raises
        UnavailableError.
        """
        back, missing = self._recovered(timeout)
        if self.strategy is not None:
            self.strategy.reset()
        return Recovered(back, missing, self._regroup())

    def _recovered(
        self, timeout: float | None
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Return the tasks that run again, and those that were given up."""
        if self.cluster is None:
            return (), ()
        try:
            return self.cluster.recover(timeout), ()
        except UnavailableError as error:
            missing = self._give_up(error, timeout)
            return self.cluster.recover(timeout), missing

    def returned(self) -> Sequence[str]:
        """Return which tasks are there again that training went on without."""
        cluster = self.cluster
        if not isinstance(cluster, Cluster) or not cluster.given_up:
            return ()
        return cluster.returned()

    def _devices_now(self) -> Sequence[DeviceName]:
        return self.cluster.devices if isinstance(self.cluster, Cluster) else ()

    def _give_up(
        self, error: UnavailableError, timeout: float | None
    ) -> Sequence[str]:
        """Go on without the tasks that are lost, and return them; else raise `error`."""
        cluster = self.cluster
        if not isinstance(cluster, Cluster):
            raise error
        missing = [task for task in cluster.lost if task not in cluster.given_up]
        if not missing:
            raise error
        why = self._why_not_without(missing)
        if why:
            note(error, f"training cannot go on without {', '.join(missing)}: {why}")
            raise error
        cluster.give_up(*missing)
        within = "" if timeout is None else f" within {in_words(timeout)}"
        self.tell(
            f"{', '.join(missing)} did not come back{within}: goes on with {self._there()}"
        )
        return missing

    def _why_not_without(self, missing: Sequence[str]) -> str:
        """Return why training cannot go on without tasks; "": it can."""
        strategy = self.strategy
        if strategy is None or not strategy.is_elastic:
            what = (
                "without a strategy" if strategy is None else type(strategy).__name__
            )
            return f"{what} needs all tasks that it began with"
        tasks = strategy.tasks
        workers = [x for x in tasks.workers if _task(x) not in missing]
        if len(workers) < self.least:
            return (
                f"{len(workers)} workers would be left, and min_workers={self.least}"
            )
        if tasks.servers and all(_task(x) in missing for x in tasks.servers):
            return "no server would be left to keep the variables"
        return ""

    def _there(self) -> str:
        jobs = {_task(device): device.job or "" for device in self._devices_now()}
        return jobs_text(Counter(jobs.values()))

    def _regroup(self) -> bool:
        """Share the work out among the tasks there are; return whether they are others."""
        now = self._devices_now()
        if self.strategy is None or list(now) == list(self._devices):
            return False
        self.strategy.regroup()
        for holder in self.checkpoint.holders().values():
            if isinstance(holder, MirroredVariable):
                holder.spread(self.strategy.workers)
                continue
            place = self._place(holder)
            if place != holder.handle.device:
                _move(holder, place)
        came = sorted(set(map(_task, now)) - set(map(_task, self._devices)))
        self._devices = now
        if came:
            verb = "is" if len(came) == 1 else "are"
            self.tell(f"{', '.join(came)} {verb} back: goes on with {self._there()}")
        return True

    def _place(self, holder: Variable | QueueBase) -> DeviceName:
        """Return where a variable or a queue is to be: where it was at first, if that is there.

        What was on one task goes to one other, as operators may need it in one place.
        """
        home = self._homes.setdefault(id(holder), holder.handle.device)
        there = {_task(device) for device in self._devices_now()}
        if home.job is None or _task(home) in there:
            return home
        known = self._stand_ins.get(_task(home))
        if known is None or _task(known) not in there:
            known = self._stand_ins[_task(home)] = self._least_loaded()
        return known

    def _least_loaded(self) -> DeviceName:
        """Return, of the tasks that keep variables, the one that keeps the fewest bytes."""
        assert self.strategy is not None
        loads: Counter[DeviceName] = Counter()
        for variable in self.checkpoint.variables().values():
            spec = variable.spec
            loads[variable.handle.device] += (
                spec.size or 0
            ) * spec.dtype.numpy.itemsize
        tasks = self.strategy.tasks
        return min(tasks.servers or tasks.workers, key=lambda device: loads[device])


def _task(device: DeviceName) -> str:
    return f"/job:{device.job}/task:{device.task}"


def _move(holder: Variable | QueueBase, place: DeviceName) -> None:
    """Make anew, on another device and without values, what a variable or a queue stands for."""
    handle = holder.handle
    kept = handle.array
    made_by = kept.made_by if isinstance(kept, RemoteResource) else None
    if not isinstance(made_by, Making) or not isinstance(handle, EagerTensor):
        raise FailedPreconditionError(
            f"{holder!r} cannot be made anew on {place}: it is not known what made it"
        )
    handle.become(made_at(made_by, place))
