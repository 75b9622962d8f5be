"""Synchronous training gives the losses and weights of one machine, whatever the strategy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tensorlite as tl
from tests.distributed.strategies.training import (
    CPUS,
    Optimizers,
    convolutional,
    crossed,
    digits,
    local_tasks,
    noise,
    perceptron,
    squared,
    trained,
    values,
)

Make = Callable[[int], tl.distribute.Strategy]
by_rows = tl.distribute.ByRows(least=10)
STRATEGIES: dict[str, Make] = {
    "mirrored": lambda n: tl.distribute.Mirrored(CPUS[:n]),
    "all-reduce": lambda n: tl.distribute.AllReduce(local_tasks(n)),
    "small buckets": lambda n: tl.distribute.AllReduce(
        local_tasks(n), bucket_bytes=64
    ),
    "servers": lambda n: tl.distribute.ParameterServer(local_tasks(n)),
    "in turn": lambda n: tl.distribute.ParameterServer(
        local_tasks(n), policy=tl.distribute.RoundRobin()
    ),
    "by rows": lambda n: tl.distribute.ParameterServer(
        local_tasks(n), policy=by_rows
    ),
    "micro-batches": lambda n: tl.distribute.Pipeline(local_tasks(2), microbatches=n),
}
OPTIMIZERS: dict[str, Optimizers] = {
    "adam": lambda: tl.optimizers.Adam(0.01),
    "momentum": lambda: tl.optimizers.SGD(0.05, momentum=0.9),
    "schedule": lambda: tl.optimizers.SGD(
        tl.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    ),
}


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("name", STRATEGIES)
def test_losses_and_weights_are_those_of_one_machine(name: str, workers: int) -> None:
    batches = noise(30, 32)
    alone, model, _ = trained(None, batches)
    losses, other, _ = trained(STRATEGIES[name](workers), batches)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)
    if name != "by rows":
        for have, want in zip(values(other), values(model), strict=True):
            np.testing.assert_allclose(have, want, rtol=0, atol=1e-4)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", ["all-reduce", "servers", "micro-batches"])
def test_with_other_optimizers(name: str, optimizer: str) -> None:
    batches, make = noise(30, 32), OPTIMIZERS[optimizer]
    alone, *_ = trained(None, batches, optimizers=make)
    losses, *_ = trained(STRATEGIES[name](3), batches, optimizers=make)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 31])
@pytest.mark.parametrize("name", STRATEGIES)
def test_shares_that_differ_by_a_row_count_by_their_rows(
    name: str, rows: int
) -> None:
    batches = noise(20, rows)
    alone, *_ = trained(None, batches)
    losses, *_ = trained(STRATEGIES[name](4), batches)
    np.testing.assert_allclose(losses, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("name", ["all-reduce", "servers"])
def test_a_convolutional_network_over_100_steps(name: str, workers: int) -> None:
    given = digits(100, 32), convolutional, OPTIMIZERS["momentum"], crossed
    alone, *_ = trained(None, *given)
    losses, *_ = trained(STRATEGIES[name](workers), *given)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)
    assert losses[-1] < losses[0] / 2


class Embedded(tl.layers.Layer):
    """A table of vectors, of which a batch uses some, some of them twice."""

    def __init__(self) -> None:
        self.table = tl.layers.Embedding(50, 4)
        self.end = tl.layers.Dense(1)

    def __call__(self, x: tl.TensorLike, training: bool = False) -> tl.Tensor:
        return self.end(tl.sum(self.table(x), axis=1))


@pytest.mark.parametrize("rows", [8, 9])
@pytest.mark.parametrize("name", STRATEGIES)
def test_sparse_gradients(name: str, rows: int) -> None:
    draw = np.random.default_rng(0)
    batches = [
        (
            draw.integers(0, 20, (rows, 3)),
            draw.standard_normal((rows, 1)).astype(np.float32),
        )
        for _ in range(20)
    ]
    alone, model, _ = trained(None, batches, Embedded)
    losses, other, _ = trained(STRATEGIES[name](3), batches, Embedded)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)
    table, want = other.table.table, model.table.table.numpy()  # type: ignore[attr-defined]
    np.testing.assert_allclose(table.numpy(), want, rtol=0, atol=1e-4)
    assert (name == "by rows") == isinstance(table, tl.distribute.SplitVariable)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_step_may_be_plain_python_and_run_eagerly(name: str) -> None:
    batches = noise(3, 8)
    alone, *_ = trained(None, batches)
    with tl.debugging.run_eagerly():
        losses, *_ = trained(STRATEGIES[name](2), batches)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_second_optimizer_sees_what_the_first_has_done(name: str) -> None:
    """As in adversarial training: gradients are joined where each is applied, not at the end."""

    def losses(strategy: tl.distribute.Strategy | None) -> list[list[float]]:
        tl.random.set_seed(0)
        if strategy is None:
            model, rates = (
                perceptron(),
                [tl.optimizers.SGD(0.1), tl.optimizers.SGD(0.2)],
            )
        else:
            with strategy.scope():
                model = perceptron()
                rates = [tl.optimizers.SGD(0.1), tl.optimizers.SGD(0.2)]

        @tl.function
        def step(x: tl.Tensor, y: tl.Tensor) -> list[tl.Tensor]:
            found = []
            for i, optimizer in enumerate(rates):
                with tl.GradientTape() as tape:
                    loss = squared(model, x, y)
                mine = model.layers[i].trainable_variables  # type: ignore[attr-defined]
                optimizer.minimize(loss, mine, tape)
                found.append(loss)
            return found

        def run(x: tl.Tensor, y: tl.Tensor) -> list[float]:
            found = step(x, y) if strategy is None else strategy.run(step, x, y)
            return [float(loss) for loss in found]

        return [run(tl.asarray(x), tl.asarray(y)) for x, y in noise(10, 8)]

    np.testing.assert_allclose(
        losses(STRATEGIES[name](2)), losses(None), rtol=0, atol=1e-5
    )


def test_a_run_gives_the_same_to_the_last_bit_each_time() -> None:
    batches = noise(10, 31)
    for name in ("all-reduce", "servers", "mirrored"):
        runs = [trained(STRATEGIES[name](4), batches)[0] for _ in range(2)]
        assert runs[0] == runs[1]
