"""ParameterServer: some tasks keep the variables, others compute gradients.

Synchronous training without backup workers is here, in one graph for all; asynchronous training
and backup workers, whose replicas are steps of their own, are in asynchronous.py and backup.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core.check import whole
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import DTypeError, InvalidArgumentError, TracingError
from tensorlite.distributed.strategies.apart import Apart
from tensorlite.distributed.strategies.asynchronous import Asynchronous
from tensorlite.distributed.strategies.backup import Backup
from tensorlite.distributed.strategies.placing import BySize, Placing, Policy
from tensorlite.distributed.strategies.shards import Batch, Reduce
from tensorlite.distributed.strategies.sources import Source, batches, check_short
from tensorlite.distributed.strategies.steps import Step
from tensorlite.distributed.strategies.tasks import tasks_of
from tensorlite.distributed.strategies.together import Joint, Together
from tensorlite.ops.state.variable import Variable
from tensorlite.train.optimizers import Optimizer

MODES = ("sync", "async")


class ParameterServer(Together):
    """Trains on the workers of a cluster, whose servers keep the variables.

    With `mode="sync"` a step's batch is cut into the workers' shares, and the mean of their
    gradients applied once: the losses are those of one machine. With `backup=k` a step is over
    when all but k workers have brought their gradients; those that come later are dropped, and
    counted in `dropped`, and their worker is given no share until it is through (OSDI'16, section
    4.4). `run` returns the mean over those that came in time. The rows of the shares that nobody
    computed in time are left out: over an epoch a straggler's part of the data counts less, which
    does no harm where batches are drawn at random.

    With `mode="async"` `run` gives the batch, whole, to a worker that is free, which applies its
    gradients as soon as it has them, and returns a handle of the result, which waits for it when
    it is read. With `staleness=s` no worker begins a step when it has done more than s steps more
    than the slowest. `join` waits for all.

    `policy` says on which server a variable is kept: `BySize()`, `RoundRobin()`, or `ByRows()`,
    which splits large tables. Variables that are not trainable, such as a BatchNorm's averages,
    are kept there too, and each replica writes to them.

    >>> tasks = tl.distribute.LocalTasks(["/device:CPU:0"], servers=["/device:CPU:0"])
    >>> strategy = tl.distribute.ParameterServer(tasks)
    >>> with strategy.scope():
    ...     w, optimizer = tl.Variable(3.0), tl.optimizers.SGD(0.1)
    >>> def step(x):
    ...     with tl.GradientTape() as tape:
    ...         loss = tl.mean((w - x) ** 2)
    ...     optimizer.minimize(loss, [w], tape)
    ...     return loss
    >>> losses = [strategy.run(step, tl.asarray([1.0, 1.0])) for _ in range(3)]
    >>> print(losses[0], losses[1])
    4.0 2.56
    """

    def __init__(
        self,
        cluster: Any,
        mode: str = "sync",
        backup: int = 0,
        staleness: int | None = None,
        policy: Policy | None = None,
        workers: str = "worker",
        servers: str = "ps",
    ) -> None:
        super().__init__(tasks_of(cluster, workers, servers))
        _check(mode, backup, staleness, self.count)
        chosen = BySize() if policy is None else policy
        if isinstance(chosen, (str, type)) or not callable(chosen):
            raise DTypeError(
                f"policy={policy!r}; allowed are tl.distribute.BySize(), RoundRobin() and "
                "ByRows(), and functions of a spec and the servers"
            )
        if not self.tasks.servers:
            raise InvalidArgumentError(
                "ParameterServer: there is no server to keep the variables"
            )
        self.mode, self.backup, self.staleness = mode, backup, staleness
        self._variables = Placing(self.tasks.servers, chosen)
        self._apart: Apart | None = None
        if mode == "async":
            self._apart = Asynchronous(self, staleness)
        elif backup:
            self._apart = Backup(self, backup)

    @property
    def dropped(self) -> int:
        """How many steps of workers came too late, so that gradients of theirs were dropped."""
        return self._apart.dropped if isinstance(self._apart, Backup) else 0

    def placing(self) -> Any:
        """Return the context in which new variables go to the servers."""
        return self._variables.scope()

    def owns(self, variable: Variable) -> bool:
        """Return whether a variable was made in this strategy's scope."""
        return variable in self._variables.owned

    def _run(self, step: Step, batch: tuple[Any, ...], reduce: Reduce) -> Any:
        if self._apart is None:
            return super()._run(step, batch, reduce)
        if tracer() is not None:
            raise TracingError(
                "strategy.run is called in a traced function: asynchronous training, and that with "
                "backup workers, begins steps from Python. Call it outside of tl.function"
            )
        return self._apart.run(step, batch, reduce)

    def _evaluate(
        self, function: Step, batch: tuple[Any, ...], reduce: Reduce
    ) -> Any:
        self.join()
        return super()._evaluate(function, batch, reduce)

    def distribute(
        self, data: Source, batch_size: int | None = None, short: str = "go on"
    ) -> Any:
        """Return the batches of a data source; see Strategy.distribute.

        In asynchronous training they are whole, since each is one worker's; those of a function,
        which has batches for each replica, go to that one.
        """
        if self.mode == "sync" or callable(data):
            return super().distribute(data, batch_size, short)
        check_short(short)
        return iter(batches(data, batch_size))

    def join(self) -> None:
        """Wait until all steps that were begun are over; raises what went wrong in any."""
        if self._apart is not None:
            self._apart.join()

    def reset(self) -> None:
        """Forget what steps have left on the tasks: call it when some were started anew."""
        if self._apart is not None:
            self._apart.reset()

    is_elastic = True

    def regroup(self) -> None:
        """Take the workers and servers that its cluster has now, and trace the steps anew."""
        super().regroup()
        self._variables.servers = self.tasks.servers
        if self._apart is not None:
            self._apart.forget()

    def apply(
        self, optimizer: Optimizer, joint: Sequence[Joint], batch: Batch
    ) -> None:
        """Add up the gradients where each variable is kept, and update it there."""
        self.update_where_kept(optimizer, joint, batch)


def _check(mode: str, backup: int, staleness: int | None, count: int) -> None:
    if mode not in MODES:
        raise InvalidArgumentError(f"mode={mode!r}; allowed are 'sync' and 'async'")
    whole(backup, "ParameterServer: backup", 0)
    if backup and mode == "async":
        raise InvalidArgumentError(
            f"backup={backup}: asynchronous training waits for no worker, and has no use for "
            "backup workers; leave it out, or take mode='sync'"
        )
    if backup >= count:
        raise InvalidArgumentError(
            f"backup={backup} of {count} workers: one at least has to be waited for, so that "
            f"{count - 1} is the most"
        )
    if staleness is not None:
        whole(staleness, "ParameterServer: staleness", 0)
        if mode == "sync":
            raise InvalidArgumentError(
                f"staleness={staleness}: synchronous training has none; take mode='async'"
            )
