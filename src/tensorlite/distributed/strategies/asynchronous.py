"""Asynchronous training: a batch goes to a worker that is free, and its gradients apply at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError, note
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.distributed.strategies.apart import Alone, Apart
from tensorlite.distributed.strategies.per_replica import PerReplica, leaves
from tensorlite.distributed.strategies.shards import (
    Batch,
    Reduce,
    Share,
    cut,
    joined,
)
from tensorlite.distributed.strategies.steps import Step, name_of
from tensorlite.train.optimizers import Optimizer, Pair

if TYPE_CHECKING:
    from tensorlite.distributed.strategies.base import Strategy


class Run:
    """A step that a worker has begun."""

    def __init__(self, worker: int) -> None:
        self.worker = worker
        self.is_over = False
        self.outcome: Any = None
        self.is_told = False
        """Whether its error was raised already."""

    def result(self) -> Any:
        """Return what the step returned, or raise its error."""
        if isinstance(self.outcome, BaseException):
            self.is_told = True
            raise self.outcome
        return self.outcome


class Pending(Operand):
    """The result of a step that may not be over yet; used as a tensor, it is waited for.

    >>> tasks = tl.distribute.LocalTasks(["/device:CPU:0"], servers=["/device:CPU:0"])
    >>> strategy = tl.distribute.ParameterServer(tasks, mode="async")
    >>> with strategy.scope():
    ...     w, optimizer = tl.Variable(3.0), tl.optimizers.SGD(0.1)
    >>> def step(x):
    ...     optimizer.apply_gradients([(w - x, w)])
    ...     return w - x
    >>> loss = strategy.run(step, 1.0)
    >>> print(loss.is_over(), loss.result())
    True 1.8
    """

    def __init__(
        self, owner: Asynchronous, runs: list[Run], batch: Batch, reduce: Reduce
    ) -> None:
        self._owner, self._runs = owner, runs
        self._batch, self._reduce = batch, reduce

    def is_over(self) -> bool:
        """Return whether the result is there, or an error."""
        return all(run.is_over for run in self._runs)

    def result(self) -> Any:
        """Return what the step returned, waiting for it; its error is raised here."""
        self._owner.strategy.tasks.wait(self.is_over, "the result of a step")
        return joined([run.result() for run in self._runs], self._batch, self._reduce)

    def __tensor__(self) -> Tensor:
        """Return the result of a step that returns a tensor."""
        found = self.result()
        if not isinstance(found, Tensor):
            raise InvalidArgumentError(
                f"the step returned {nest.describe(found)}, no tensor: take it from .result()"
            )
        return found

    def __float__(self) -> float:
        return float(self.__tensor__())

    def __int__(self) -> int:
        return int(self.__tensor__())

    def __repr__(self) -> str:
        workers = ", ".join(str(run.worker) for run in self._runs)
        state = "over" if self.is_over() else "under way"
        return f"<step of worker {workers}, {state}>"


class Asynchronous(Apart):
    """Gives each batch to the free worker that has done the fewest steps."""

    def __init__(self, strategy: Strategy, staleness: int | None) -> None:
        super().__init__(strategy)
        self.staleness = staleness
        self.clocks = [0] * strategy.count
        """How many steps each worker has done."""
        self._busy: dict[int, Run] = {}
        self._failed: list[Run] = []

    def run(self, step: Step, batch: tuple[Any, ...], reduce: Reduce) -> Pending:
        """Begin a step, as soon as there is a worker for it, and return a handle of its result."""
        self._raise_failed()
        count = self.strategy.count
        is_cut = any(isinstance(leaf, PerReplica) for leaf in leaves(batch))
        if not is_cut:
            whole = cut(batch, 1)
            worker = self._free(range(count), range(count))
            return Pending(
                self, [self._begun(step, whole.shares[0], worker)], whole, reduce
            )
        own = cut(batch, count)
        racing = [share.replica for share in own.shares]
        runs = [
            self._begun(step, share, self._free([share.replica], racing))
            for share in own.shares
        ]
        return Pending(self, runs, own, reduce)

    def _free(self, candidates: Sequence[int], racing: Sequence[int]) -> int:
        """Return a worker of the candidates that may begin a step, once there is one.

        It may not when it is too far ahead of the slowest of those that are `racing`.
        """

        def found() -> list[int]:
            with self.lock:
                slowest = min(self.clocks[i] for i in racing)
                most = None if self.staleness is None else slowest + self.staleness
                free = [i for i in candidates if i not in self._busy]
                return [i for i in free if most is None or self.clocks[i] <= most]

        self.strategy.tasks.wait(lambda: bool(found()), "a worker that is free")
        return min(found(), key=lambda i: (self.clocks[i], i))

    def _begun(self, step: Step, share: Share, worker: int) -> Run:
        run = Run(worker)
        with self.lock:
            self._busy[worker] = run
        program = self.program(step, worker)
        ended = partial(self._ended, run, name_of(step))
        try:
            self.strategy.tasks.begin(program, share.arguments, ended)
        except BaseException:
            with self.lock:
                self._busy.pop(worker, None)
            raise
        if isinstance(run.outcome, BaseException):
            with self.lock:
                self._failed.remove(run)
            run.result()
        return run

    def _ended(self, run: Run, name: str, found: Any) -> None:
        if isinstance(found, BaseException):
            where = self.strategy.workers[run.worker]
            note(found, f"in a step of {name} by worker {run.worker}, {where}")
        with self.lock:
            run.outcome, run.is_over = found, True
            if self._busy.get(run.worker) is not run:
                return  # all began anew meanwhile
            self.clocks[run.worker] += 1
            del self._busy[run.worker]
            if isinstance(found, BaseException):
                self._failed.append(run)

    def _raise_failed(self) -> None:
        """Raise the error of a step that nobody was told of yet."""
        with self.lock:
            failed, self._failed = self._failed, []
        for run in failed:
            if not run.is_told:
                run.result()

    def apply(self, here: Alone, optimizer: Optimizer, pairs: list[Pair]) -> None:
        """Apply a replica's gradients as they are."""
        optimizer.update(pairs)

    def join(self) -> None:
        """Wait until all steps are over, and raise the first error that was not told yet."""
        self.strategy.tasks.wait(lambda: not self._busy, "all workers")
        self._raise_failed()

    def reset(self) -> None:
        """Begin anew: no worker is ahead, and nothing is left to tell."""
        with self.lock:
            self.clocks = [0] * self.strategy.count
            self._failed = []
            self._busy.clear()
