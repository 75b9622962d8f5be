"""Strategy: what all strategies offer. How replicas work together is told where each is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.distributed.strategies.shards import Reduce, check_reduce
from tensorlite.distributed.strategies.sources import Source, distributed
from tensorlite.distributed.strategies.steps import Step, check_step
from tensorlite.distributed.strategies.tasks import Tasks
from tensorlite.ops.state.variable import Variable
from tensorlite.train.optimizers import Optimizer, Pair


class Strategy(ABC):
    """Trains a model on several devices or tasks, by the step that trains it on one.

    The model and the optimizer are made inside `scope`, and the step is called by `run`: a
    function that computes a loss, takes gradients and calls `optimizer.apply_gradients` or
    `minimize`, traced or not.

    >>> strategy = tl.distribute.Mirrored()
    >>> with strategy.scope():
    ...     w, optimizer = tl.Variable(3.0), tl.optimizers.SGD(0.1)
    >>> def step(x):
    ...     with tl.GradientTape() as tape:
    ...         loss = tl.mean((w - x) ** 2)
    ...     optimizer.minimize(loss, [w], tape)
    ...     return loss
    >>> print(strategy.run(step, tl.asarray([1.0, 1.0])))
    4.0
    """

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        if not tasks.workers:
            raise InvalidArgumentError(
                f"{type(self).__name__}: there is no device to compute on"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.count} replicas>"

    @property
    def workers(self) -> Sequence[DeviceName]:
        """Where replicas compute."""
        return self.tasks.workers

    @property
    def count(self) -> int:
        """The number of replicas."""
        return len(self.workers)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Let the variables that are made inside be this strategy's."""
        with self.placing():
            yield

    @abstractmethod
    def placing(self) -> Any:
        """Return the context in which new variables go where this strategy wants them."""

    @abstractmethod
    def owns(self, variable: Variable) -> bool:
        """Return whether a variable was made in this strategy's scope."""

    def run(self, step: Step, *batch: Any, reduce: Reduce = "mean") -> Any:
        """Return what the step returns for a batch, of which each replica has had its share.

        Tensors and arrays are cut along their first axis, into shares that differ by one row at
        most; 0-d ones and Python values go to all replicas. The mean of the replicas' results is
        returned, each weighed by its rows, so that a mean over the batch comes out as on one
        machine; `reduce` may be "sum", "concat", "stack", "none" for all of them, or a structure
        of these like the result.
        """
        check_step(step)
        check_reduce(reduce)
        return self._run(step, batch, reduce)

    @abstractmethod
    def _run(self, step: Step, batch: tuple[Any, ...], reduce: Reduce) -> Any:
        """Run a step on a batch."""

    def evaluate(self, function: Step, *batch: Any, reduce: Reduce = "mean") -> Any:
        """Return what a function returns that trains nothing; otherwise as `run`."""
        check_step(function)
        check_reduce(reduce)
        return self._evaluate(function, batch, reduce)

    @abstractmethod
    def _evaluate(
        self, function: Step, batch: tuple[Any, ...], reduce: Reduce
    ) -> Any:
        """Run a function that trains nothing."""

    def distribute(
        self, data: Source, batch_size: int | None = None, short: str = "go on"
    ) -> Iterator[Any]:
        """Return the batches of a data source, each cut into the replicas' shares.

        `data` is a `tl.data.Dataset`, or a structure of arrays whose rows are its elements; then
        `batch_size` says how many make a batch of all replicas together. Or it is a function,
        which is called with the index of a replica and their number, and returns the batches of
        that replica. When these end at different times, steps go on with the replicas that have
        some, or, if `short` is "error", end with an OutOfRangeError that names who has none.

        >>> strategy = tl.distribute.Mirrored()
        >>> [len(shares) for shares in strategy.distribute(tl.ones(8), batch_size=4)]
        [1, 1]
        """
        return distributed(data, batch_size, short, self.count)

    def join(self) -> None:  # noqa: B027  most strategies have nothing to wait for
        """Wait until all steps that were begun are over; only asynchronous ones may not be."""

    def reset(self) -> None:  # noqa: B027  most strategies leave nothing behind
        """Forget what steps have left on the tasks: call it when some were started anew."""

    is_elastic: ClassVar[bool] = False
    """Whether `regroup` lets it go on with other tasks than it began with."""

    def regroup(self) -> None:
        """Take the tasks that its cluster has now, and trace the steps anew."""
        raise FailedPreconditionError(
            f"{type(self).__name__} needs the tasks that it began with"
        )

    def check_owned(self, optimizer: Optimizer, pairs: Sequence[Pair]) -> None:
        """Raise InvalidArgumentError for variables that were not made in this strategy's scope."""
        given = [(variable, repr(variable.name)) for _, variable in pairs]
        given.append((optimizer.iterations, "the optimizer's step count"))
        for variable, what in given:
            if not self.owns(variable):
                raise InvalidArgumentError(
                    f"{what} was made outside of this strategy's scope: make model and optimizer "
                    "inside `with strategy.scope():`"
                )


def never_trained(name: str) -> InvalidArgumentError:
    """Return the error for a step that applies no gradients."""
    return InvalidArgumentError(
        f"{name} calls neither optimizer.apply_gradients nor optimizer.minimize, so that nothing "
        "is trained; to evaluate, call strategy.evaluate"
    )


def trains(name: str) -> InvalidArgumentError:
    """Return the error for a function that applies gradients where none are to be applied."""
    return InvalidArgumentError(
        f"{name} applies gradients, which strategy.evaluate does not; call strategy.run"
    )
