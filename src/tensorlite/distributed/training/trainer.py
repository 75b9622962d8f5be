"""Trainer: a training loop that outlives its tasks and its own process.

It saves what training stands on, and goes on from the last checkpoint when a task was lost or the
program was started anew. Starting tasks anew is the engine's; how often is saved, interval.py's.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from tensorlite.core import nest
from tensorlite.core.check import a_function, check_seconds, one_of, whole
from tensorlite.core.errors import (
    AbortedError,
    CheckpointError,
    InvalidArgumentError,
    OutOfRangeError,
    UnavailableError,
    note,
)
from tensorlite.core.tensor import EagerTensor
from tensorlite.distributed.strategies.base import Strategy
from tensorlite.distributed.training.crew import Crew, Recovers
from tensorlite.distributed.training.feed import Data, Feed
from tensorlite.distributed.training.interval import (
    AutoInterval,
    Interval,
    in_words,
    interval_of,
)
from tensorlite.distributed.training.progress import Progress, progress_of
from tensorlite.distributed.training.stopping import asked_to_stop
from tensorlite.function.function import Function, function
from tensorlite.ops.random.generators import global_generator
from tensorlite.train.checkpoint import Checkpoint, Manager
from tensorlite.train.optimizers import Optimizer

T = TypeVar("T")
_FRESH = 2.0
"""Seconds for which what is shown of the tasks is not asked for again."""
LOST = (UnavailableError, AbortedError)
"""What a step ends with when a task is lost."""


@dataclass(frozen=True)
class Failure:
    """A failure that training went on after, or not."""

    step: int
    """How many steps were done when it came."""
    error: BaseException

    def __str__(self) -> str:
        return f"after step {self.step}: {_said(self.error)}"


class Trainer:
    """Runs a step on batch after batch, saves as it goes, and goes on after failures.

    `step` is what `strategy.run` takes, or without a strategy a function that is traced. `data` is
    a `tl.data.Dataset`, another iterable of batches, or a function that returns one; a tuple's
    members are the step's arguments. `checkpoint` names what training changes: model, optimizer,
    queues; with it are saved the global random generator, the step and the position in the data.
    What is in `folder` is taken up; it must be on storage that all nodes share.

    A checkpoint is written at first, in the end, and between every `interval`: a number of steps
    (int), seconds (float), or "auto", which weighs the time that saving takes against the failures
    that come. When a task is lost the trainer waits for it, up to `timeout` seconds, restores
    the last checkpoint and goes on; after `max_failures` in a row that came no step further the
    error is raised. A task that does not come back in time is gone on without, if `min_workers`
    and a server are left; what it kept is restored on others, and it is taken back at the next
    checkpoint, or failure, after it is there again. With the same data, synchronous steps give the
    same losses as without failures.
    SIGTERM and Ctrl-C let the step end, save, and leave; `stopped` says so.

    >>> import tempfile
    >>> w, optimizer = tl.Variable(0.0), tl.optimizers.SGD(0.5)
    >>> def step(x):
    ...     with tl.GradientTape() as tape:
    ...         loss = (w - x) ** 2
    ...     optimizer.minimize(loss, [w], tape)
    ...     return loss
    >>> trainer = tl.distribute.Trainer(
    ...     step, [1.0] * 8, checkpoint={"w": w, "optimizer": optimizer},
    ...     folder=tempfile.mkdtemp(), progress=False,
    ... )
    >>> print(trainer.run(3), trainer.step_count)
    0.0 3
    """

    def __init__(
        self,
        step: Callable[..., Any],
        data: Data,
        *,
        checkpoint: Checkpoint | Mapping[str, Any],
        folder: str | Path,
        strategy: Strategy | None = None,
        cluster: Recovers | None = None,
        interval: object = "auto",
        keep: int = 3,
        max_failures: int = 3,
        timeout: float | None = None,
        min_workers: int = 1,
        on_step: Callable[[int, Any], object] | None = None,
        progress: bool | Progress = True,
        retry: tuple[type[Exception], ...] = LOST,
    ) -> None:
        _check(step, max_failures, min_workers, cluster)
        _check_kinds(checkpoint, folder, strategy, timeout, on_step)
        self.step_count = 0
        """How many steps are done."""
        self.stopped = ""
        """Why training was left before its end, such as "SIGTERM"; "" if it was not."""
        self.failures: list[Failure] = []
        self.strategy = strategy
        own = getattr(getattr(strategy, "tasks", None), "cluster", None)
        self.cluster: Recovers | None = own if cluster is None else cluster
        self.interval: Interval = interval_of(interval)
        self.manager = Manager(_whole(checkpoint), folder, keep, sharded=True)
        self.max_failures, self.timeout, self.retry = max_failures, timeout, retry
        self.on_step = on_step
        self._step = (
            step if strategy or isinstance(step, Function) else function(step)
        )
        self._crew = Crew(
            self.cluster,
            strategy,
            self.manager.checkpoint,
            min_workers,
            self._tell,
        )
        self._feed, self._shows = Feed(data), progress
        self._progress: Progress = progress_of(False)
        self._lines: Sequence[str] = ()
        self._asked_at, self._begun = -math.inf, False
        self._saved_step, self._saved_at, self._looked_at = -1, 0.0, 0.0
        self._tried_step = -1
        """At which step saving was tried last."""
        self._furthest, self._in_row = -1, 0

    def run(self, until: int | None = None) -> Any:
        """Train until so many steps are done in all, or the data ends; return the last result.

        Steps that were done before the program was started anew count. Raises OutOfRangeError when
        the data ends before step `until`; what was done is saved.
        """
        last = deque(self.steps(until), maxlen=1)
        return last[0][1] if last else None

    def steps(self, until: int | None = None) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each step, as `run` does them.

        After a failure the numbers go on from the last checkpoint: some come again.
        """
        if until is not None:
            whole(until, "Trainer: until", 0)
        self.stopped, self._in_row = "", 0
        self._progress = progress_of(self._shows, self._task_lines)
        try:
            with asked_to_stop(self.stop):
                yield from self._steps(until)
        except GeneratorExit:
            self._go_on_after_failures(self.save)
            raise
        except BaseException:
            self._begun = False  # what was under way may be half done
            raise
        finally:
            self._progress.close()

    def _steps(self, until: int | None) -> Iterator[tuple[int, Any]]:
        while not self._begun:
            self._go_on_after_failures(self._begin)
        while True:
            while not self.stopped and (until is None or self.step_count < until):
                batch = next(self._feed, self)
                if batch is self:
                    break
                done = self._go_on_after_failures(
                    partial(self._advance, batch, until)
                )
                if done is not None:
                    yield done
                if self._saved_step == self.step_count:
                    self._go_on_after_failures(self._take_back)
            if self._go_on_after_failures(self._saved):
                break
        if self.stopped:
            self._progress.event(f"{self.stopped}: left after step {self.step_count}")
        elif until is not None and self.step_count < until:
            raise OutOfRangeError(
                f"the data ends after {self._feed.position} batches, before step {until}; give "
                "more, such as data.repeat(), or call run() without a number"
            )

    def stop(self, why: str = "asked to stop") -> None:
        """Let training end when the step that runs is done; any thread may call this."""
        self.stopped = why

    def save(self) -> None:
        """Write a checkpoint of now, unless this step's is the last that was written."""
        if self._saved_step == self.step_count:
            return
        if self.strategy is not None:
            self.strategy.join()
        begun = time.monotonic()
        self.manager.save(self.step_count, self._state())
        self._saved_step, self._saved_at = self.step_count, time.monotonic()
        self._feed.mark()
        if isinstance(self.interval, AutoInterval):
            self.interval.saved(self._saved_at - begun)

    def _begin(self) -> None:
        """Take up what is in the folder, or write the first checkpoint."""
        if self._begun:
            return
        _build_slots(self.manager.checkpoint)
        if self.manager.latest is None:
            self.save()
        else:
            self._restore()
            self._progress.event(f"goes on after step {self.step_count}")
        self._begun = True
        self._looked_at = time.monotonic()
        self._tell_interval()

    def _advance(self, batch: Any, until: int | None) -> tuple[int, Any]:
        """Take a step, and save if that is due."""
        plain = type(batch) is tuple
        arguments = batch if plain else (batch,)
        if self.strategy is None:
            result = self._step(*arguments)
        else:
            result = self.strategy.run(self._step, *arguments)
        self.step_count += 1
        if self._is_due():
            self._save_if_possible()
        self._progress.step(self.step_count, until, lambda: _shown(result))
        if self.on_step is not None:
            self.on_step(self.step_count, result)
        return self.step_count, result

    def _is_due(self) -> bool:
        now = time.monotonic()
        if isinstance(self.interval, AutoInterval):
            self.interval.trained += now - self._looked_at
            self._looked_at = now
        elif self.interval.steps is not None:
            last = max(self._saved_step, self._tried_step)
            return self.step_count - last >= self.interval.steps
        return now - self._saved_at >= self.interval.seconds

    def _save_if_possible(self) -> None:
        """Save; where that cannot be done, such as on a full disk, say so and train on."""
        self._tried_step = self.step_count
        try:
            self.save()
        except CheckpointError as error:
            self._saved_at = time.monotonic()
            self._tell(f"step {self.step_count} is not saved{_where(error)}: {error}")

    def _take_back(self) -> None:
        """Go on from the checkpoint of now with tasks too that are there again, if there are."""
        if self._crew.returned():
            found = self._crew.recover(self.timeout)
            self._restore(found.is_other)

    def _saved(self) -> bool:
        self.save()
        return True

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            "step": self.step_count,
            "position": self._feed.position,
        }
        if isinstance(self.interval, AutoInterval):
            state["interval"] = self.interval.state()
        return state

    def _restore(self, with_others: bool = False) -> None:
        """Make all as it was at the last checkpoint, with other tasks than before if so told."""
        report = self.manager.restore()
        state = report.extra
        for path, why in report.damaged.items():
            self._tell(f"{path} is not whole, an older checkpoint is taken: {why}")
        if not {"step", "position"} <= state.keys():
            raise CheckpointError(
                f"the checkpoint {report.path} was not written by a trainer: it tells "
                "neither step nor position in the data; give another folder, and restore it with "
                "tl.checkpoint"
            )
        if with_others:
            self._feed.renew()  # it may be cut for the tasks that there were
        self._feed.go_to(state["position"])
        self.step_count = self._saved_step = self._tried_step = state["step"]
        self._saved_at = time.monotonic()
        if isinstance(self.interval, AutoInterval) and not self._begun:
            self.interval.resume(state.get("interval", {}))

    def _go_on_after_failures(self, action: Callable[[], T]) -> T | None:
        """Return what `action` does; None, with all as at the last checkpoint, when it failed."""
        try:
            return action()
        except self.retry as error:
            failure = error
        while True:
            self._note(failure)
            try:
                self._recover(failure)
            except self.retry as error:
                failure = error
            else:
                return None

    def _note(self, error: Exception) -> None:
        """Note a failure; raise it if training cannot go on."""
        self.failures.append(Failure(self.step_count, error))
        if isinstance(self.interval, AutoInterval):
            self.interval.failed()
        if self.step_count > self._furthest:
            self._furthest, self._in_row = self.step_count, 0
        self._in_row += 1
        self._progress.event(f"failed {self.failures[-1]}")
        if self._in_row > self.max_failures:
            history = "\n".join(f"  {failure}" for failure in self.failures)
            note(
                error,
                f"the trainer gave up: {self._in_row} failures in a row came no further than "
                f"step {self._furthest}. All failures:\n{history}",
            )
            raise error

    def _recover(self, failure: Exception) -> None:
        """Wait until all tasks run again, and go back to the last checkpoint."""
        begun, done = time.monotonic(), self.step_count
        if self.strategy is not None:
            with suppress(*self.retry):  # steps that were begun before fail likewise
                self.strategy.join()
        held = _holders(self.manager.checkpoint)
        found = self._crew.recover(self.timeout)
        back, tasks = time.monotonic(), found.back
        if tasks:
            runs = f"{', '.join(tasks)} {'runs' if len(tasks) == 1 else 'run'} again"
            self._progress.event(f"{runs} after {in_words(back - begun)}")
        if self.manager.latest is None:
            # Nothing was trained yet: what no task has lost is as it was.
            gone = sorted({*tasks, *found.missing} & held)
            if gone:
                raise CheckpointError(
                    f"{' and '.join(gone)} held variables and was lost before there was a "
                    "checkpoint: start the program anew"
                ) from failure
            return
        self._restore(found.is_other)
        now = time.monotonic()
        self._progress.event(
            f"restored step {self.step_count} in {in_words(now - back)}: "
            f"{done - self.step_count} steps are taken again"
        )
        self._looked_at = now
        self._begun = True
        self._tell_interval()

    def _tell(self, text: str) -> None:
        self._progress.event(text)

    def _tell_interval(self) -> None:
        self._progress.event(f"checkpoints {self.interval.reason}")

    def _task_lines(self) -> Sequence[str]:
        """Return the cluster's table, as it was a moment ago at most: asking takes time."""
        status, now = getattr(self.cluster, "status", None), time.monotonic()
        if status is not None and now - self._asked_at >= _FRESH:
            self._lines, self._asked_at = str(status()).splitlines(), now
        return self._lines


def _check(
    step: object, max_failures: object, min_workers: object, cluster: object
) -> None:
    if not callable(step):
        raise InvalidArgumentError(
            f"Trainer: step={step!r} is no function; give one that takes a batch"
        )
    whole(max_failures, "Trainer: max_failures", 0)
    whole(min_workers, "Trainer: min_workers", 1)
    if cluster is not None and not isinstance(cluster, Recovers):
        raise InvalidArgumentError(
            f"Trainer: cluster={cluster!r} has no method recover; give what "
            "tl.distribute.connect returns"
        )


def _check_kinds(
    checkpoint: object,
    folder: object,
    strategy: object,
    timeout: object,
    on_step: object,
) -> None:
    wanted = "a dict of what training changes, such as {'model': model, 'optimizer': optimizer}"
    one_of(checkpoint, (Checkpoint, Mapping), "Trainer: checkpoint", wanted)
    one_of(folder, (str, PathLike), "Trainer: folder", "a path")
    if strategy is not None:
        one_of(strategy, Strategy, "Trainer: strategy", "one of tl.distribute's")
    if timeout is not None:
        check_seconds("Trainer: timeout", timeout, 0.0)
    if on_step is not None:
        a_function(on_step, "Trainer: on_step")


def _whole(given: Checkpoint | Mapping[str, Any]) -> Checkpoint:
    """Return a checkpoint of the objects given and of the global random generator."""
    objects = dict(given.objects if isinstance(given, Checkpoint) else given)
    generator = global_generator()
    if any(value is generator for value in objects.values()):
        return Checkpoint(**objects)
    if "random" in objects:
        raise InvalidArgumentError(
            "Trainer: 'random' is what the global random generator is called in checkpoints; give "
            "the object another name"
        )
    return Checkpoint(**objects, random=generator)


def _holders(checkpoint: Checkpoint) -> set[str]:
    """Return the tasks that hold variables of a checkpoint."""
    copies = [
        copy
        for variable in checkpoint.variables().values()
        for copy in getattr(variable, "copies", (variable,))
    ]
    return {f"/job:{x.device.job}/task:{x.device.task}" for x in copies}


def _build_slots(checkpoint: Checkpoint) -> None:
    """Make the slots of optimizers that have none, so that checkpoints hold them from the first."""
    trainable = {
        id(x): x for x in checkpoint.variables().values() if x.trainable
    }.values()
    for optimizer in nest.flatten(list(checkpoint.objects.values())):
        if isinstance(optimizer, Optimizer) and len(optimizer.variables) == 1:
            optimizer.build(trainable)


def _where(error: BaseException) -> str:
    """Return, in words, the task that an error comes from; nothing for one of this process."""
    notes = getattr(error, "__notes__", ())
    return "".join([f", {x}" for x in notes if x.startswith("in task ")])


def _said(error: BaseException) -> str:
    first, *_ = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {first}"


def _shown(result: Any) -> str:
    """Return the numbers of a result, with what they are called."""
    found = []
    for path, leaf in zip(nest.paths(result), nest.flatten(result), strict=True):
        if isinstance(leaf, EagerTensor) and leaf.shape == ():
            found.append(f"{path} {leaf.item():.4g}".strip())
    return ", ".join(found)
