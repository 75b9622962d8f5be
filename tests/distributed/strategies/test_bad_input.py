"""What strategies refuse, and how they say so; what is done right afterwards works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.distributed.strategies.training import CPUS, local_tasks

D = tl.distribute
ONES = np.ones(4, np.float32)
MADE_BADLY: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "mode": (
        lambda: D.ParameterServer(local_tasks(2), mode="asinc"),
        tl.errors.InvalidArgumentError,
        "mode='asinc'; allowed are 'sync' and 'async'",
    ),
    "backup": (
        lambda: D.ParameterServer(local_tasks(2), backup=2),
        tl.errors.InvalidArgumentError,
        "backup=2 of 2 workers.*1 is the most",
    ),
    "negative backup": (
        lambda: D.ParameterServer(local_tasks(2), backup=-1),
        tl.errors.InvalidArgumentError,
        "backup=-1; allowed are 0 and more",
    ),
    "backup when asynchronous": (
        lambda: D.ParameterServer(local_tasks(2), mode="async", backup=1),
        tl.errors.InvalidArgumentError,
        "has no use for backup",
    ),
    "staleness": (
        lambda: D.ParameterServer(local_tasks(2), mode="async", staleness=1.5),  # type: ignore[arg-type]
        tl.errors.DTypeError,
        "staleness=1.5; allowed are integers",
    ),
    "staleness when synchronous": (
        lambda: D.ParameterServer(local_tasks(2), staleness=1),
        tl.errors.InvalidArgumentError,
        "take mode='async'",
    ),
    "policy": (
        lambda: D.ParameterServer(local_tasks(2), policy="by size"),  # type: ignore[arg-type]
        tl.errors.DTypeError,
        r"'by size'; allowed are tl.distribute.BySize\(\)",
    ),
    "a class as policy": (
        lambda: D.ParameterServer(local_tasks(2), policy=D.BySize),  # type: ignore[arg-type]
        tl.errors.DTypeError,
        "allowed are",
    ),
    "rows": (
        lambda: D.ByRows(parts=0),
        tl.errors.InvalidArgumentError,
        "parts=0.*1 and more",
    ),
    "no servers": (
        lambda: D.ParameterServer(D.LocalTasks(CPUS[:2])),
        tl.errors.InvalidArgumentError,
        "no server",
    ),
    "no workers": (
        lambda: D.Mirrored([]),
        tl.errors.InvalidArgumentError,
        "no device to compute on",
    ),
    "no cluster": (
        lambda: D.AllReduce("10.0.0.1:6379"),
        tl.errors.DTypeError,
        "give what tl.distribute.connect returns",
    ),
    "a device twice": (
        lambda: D.Mirrored([CPUS[0], CPUS[0]]),
        tl.errors.DeviceError,
        "each must be on a device of its own",
    ),
    "bucket": (
        lambda: D.AllReduce(local_tasks(2), bucket_bytes=0),
        tl.errors.InvalidArgumentError,
        "bucket_bytes=0",
    ),
    "micro-batches": (
        lambda: D.Pipeline(local_tasks(2), microbatches=0),
        tl.errors.InvalidArgumentError,
        "microbatches=0",
    ),
    "stage": (
        lambda: D.Pipeline(local_tasks(2)).stage(2).__enter__(),
        tl.errors.InvalidArgumentError,
        "stage 2; there are 2 workers",
    ),
    "starts": (
        lambda: D.Pipeline(local_tasks(2)).staged(
            [tl.layers.Flatten()] * 3, [0, 2, 1]
        ),
        tl.errors.InvalidArgumentError,
        r"starts=\[0, 2, 1\]",
    ),
}


@pytest.mark.parametrize("name", MADE_BADLY)
def test_a_strategy_that_cannot_be_is_refused(name: str) -> None:
    make, kind, text = MADE_BADLY[name]
    with pytest.raises(kind, match=text):
        make()


STRATEGIES: dict[str, Callable[[], tl.distribute.Strategy]] = {
    "mirrored": lambda: D.Mirrored(CPUS[:2]),
    "servers": lambda: D.ParameterServer(local_tasks(2)),
    "backup": lambda: D.ParameterServer(local_tasks(2), backup=1),
    "async": lambda: D.ParameterServer(local_tasks(2), mode="async"),
    "pipeline": lambda: D.Pipeline(local_tasks(2), microbatches=2),
}


class Line:
    """A model of one weight, with ways to train it wrongly."""

    def __init__(self, strategy: tl.distribute.Strategy) -> None:
        self.strategy = strategy
        with strategy.scope():
            self.weight = tl.Variable(0.0, name="weight")
            self.optimizer = tl.optimizers.SGD(1.0)
        self.outside = tl.Variable(0.0, name="outside")

    def right(self, x: tl.Tensor) -> tl.Tensor:
        self.optimizer.apply_gradients([(tl.mean(x), self.weight)])
        return tl.mean(x)

    def never(self, x: tl.Tensor) -> tl.Tensor:
        return tl.mean(x)

    def foreign(self, x: tl.Tensor) -> None:
        self.optimizer.apply_gradients([(tl.mean(x), self.outside)])

    def none(self, x: tl.Tensor) -> None:
        self.optimizer.apply_gradients([(None, self.weight)])

    def inside(self, x: tl.Tensor) -> tl.Tensor:
        return tl.function(self.right)(x)

    def branch(self, x: tl.Tensor) -> None:
        if tl.mean(x) > 0:
            self.optimizer.apply_gradients([(tl.mean(x), self.weight)])


def outside_optimizer(line: Line) -> Callable[[tl.Tensor], None]:
    optimizer = tl.optimizers.SGD(1.0)

    def step(x: tl.Tensor) -> None:
        optimizer.apply_gradients([(tl.mean(x), line.weight)])

    return step


REFUSED: dict[str, tuple[Callable[[Line], Any], str]] = {
    "no gradients": (lambda line: line.never, "calls neither .*strategy.evaluate"),
    "a variable from outside": (
        lambda line: line.foreign,
        r"'outside' was made outside .*with strategy.scope\(\)",
    ),
    "an optimizer from outside": (
        outside_optimizer,
        "the optimizer's step count was made outside",
    ),
    "no gradient that is one": (lambda line: line.none, "every one is None"),
}


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("what", REFUSED)
def test_a_step_that_cannot_be_is_refused_and_the_next_works(
    name: str, what: str
) -> None:
    line = Line(STRATEGIES[name]())
    choose, text = REFUSED[what]
    with pytest.raises(tl.errors.InvalidArgumentError, match=text):
        line.strategy.run(choose(line), ONES)
    assert float(line.strategy.run(line.right, ONES)) == 1.0
    line.strategy.join()
    assert float(line.weight) == -1.0


@pytest.mark.parametrize("name", ["mirrored", "servers", "backup", "pipeline"])
@pytest.mark.parametrize("what", ["inside", "branch"])
def test_gradients_are_applied_in_the_step_itself(name: str, what: str) -> None:
    line = Line(STRATEGIES[name]())
    with pytest.raises(
        tl.errors.TracingError, match="branch, a loop or another traced function"
    ):
        line.strategy.run(getattr(line, what), ONES)
    assert float(line.strategy.run(line.right, ONES)) == 1.0


@pytest.mark.parametrize("name", STRATEGIES)
def test_evaluating_trains_nothing(name: str) -> None:
    line = Line(STRATEGIES[name]())
    assert float(line.strategy.evaluate(line.never, ONES)) == 1.0
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"applies gradients.*call strategy.run"
    ):
        line.strategy.evaluate(line.right, ONES)


@pytest.mark.parametrize("name", STRATEGIES)
def test_what_is_no_function_is_refused(name: str) -> None:
    strategy = STRATEGIES[name]()
    with pytest.raises(
        tl.errors.DTypeError, match=r"strategy.run\(step, images, labels\)"
    ):
        strategy.run(tl.ones(3))  # type: ignore[arg-type]


def test_replicas_that_do_different_things() -> None:
    line = Line(D.Mirrored(CPUS[:2]))

    def uneven(x: tl.Tensor) -> None:
        for _ in range(1 + tl.distribute.replica_index()):
            line.right(x)

    def other(x: tl.Tensor) -> None:
        with line.strategy.scope():
            fresh = tl.Variable(0.0, name="fresh")
        chosen = [line.weight, fresh][tl.distribute.replica_index()]
        line.optimizer.apply_gradients([(tl.mean(x), chosen)])

    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"replica 1 .* for the 2. time"
    ):
        line.strategy.run(uneven, ONES)
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"\['weight'\] and \['fresh'\]"
    ):
        line.strategy.run(other, ONES)


def test_copies_that_would_differ() -> None:
    line = Line(D.Mirrored(CPUS[:2]))

    def step(x: tl.Tensor) -> None:
        line.weight.assign_sub(tl.mean(x))

    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"'weight'.*they would differ"
    ):
        line.strategy.run(step, ONES)
    assert float(line.weight) == 0.0


def test_an_error_of_the_step_says_where_it_arose() -> None:
    line = Line(D.ParameterServer(local_tasks(2)))

    def step(x: tl.Tensor) -> tl.Tensor:
        return line.right(x @ tl.ones((3, 3)))

    with pytest.raises(tl.errors.ShapeError) as caught:
        line.strategy.run(step, np.ones((4, 2), np.float32))
    assert "test_bad_input.py" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("name", ["mirrored", "servers", "pipeline"])
def test_steps_may_be_taken_in_a_loop_of_a_traced_function(name: str) -> None:
    line = Line(STRATEGIES[name]())

    @tl.function
    def several(x: tl.Tensor) -> tl.Tensor:
        total = tl.zeros(())
        for _ in tl.range(3):
            total = total + line.strategy.run(line.right, x)
        return total

    assert float(several(tl.asarray(ONES))) == 3.0
    assert float(line.weight) == -3.0
    unknown = tl.TensorSpec((None,), tl.float32)
    with pytest.raises(tl.errors.InvalidArgumentError, match="rows is not known"):
        several.get_concrete_function(unknown)


@pytest.mark.parametrize("name", ["backup", "async"])
def test_steps_that_python_begins_are_not_traced(name: str) -> None:
    line = Line(STRATEGIES[name]())
    with pytest.raises(tl.errors.TracingError, match=r"outside of tl\.function"):
        tl.function(lambda x: line.strategy.run(line.right, x))(tl.asarray(ONES))
