"""Variables of strategies: where they go, how copies and parts stand for one, and checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.distributed.strategies.training import (
    CPUS,
    local_tasks,
    noise,
    perceptron,
    squared,
    step_of,
    trained,
    values,
)

by_rows = tl.distribute.ByRows(least=10)


def servers(policy: Any = None, count: int = 2) -> tl.distribute.ParameterServer:
    return tl.distribute.ParameterServer(local_tasks(2, count), policy=policy)


def test_variables_go_round_or_where_there_is_least() -> None:
    with servers(tl.distribute.RoundRobin()).scope():
        places = [str(tl.Variable(tl.ones(10 - i)).device) for i in range(4)]
    assert places == [CPUS[2], CPUS[3], CPUS[2], CPUS[3]]
    with servers().scope():
        places = [str(tl.Variable(tl.ones(n)).device) for n in (10, 3, 3, 3, 3)]
    assert places == [CPUS[2], CPUS[3], CPUS[3], CPUS[3], CPUS[3]]


def test_a_policy_may_be_any_function_and_a_scope_comes_first() -> None:
    with servers(lambda spec, there: there[-1]).scope():
        assert str(tl.Variable(1.0).device) == CPUS[3]
        with tl.device(CPUS[1]):
            assert str(tl.Variable(1.0).device) == CPUS[1]
        queue = tl.queue.FIFOQueue(1, tl.float32)
    assert str(queue.handle.device) == CPUS[0]
    assert str(tl.Variable(1.0).device) == CPUS[0]


def test_first_values_are_drawn_as_without_a_strategy() -> None:
    tl.random.set_seed(1)
    want = values(perceptron())
    strategies = [servers(), servers(by_rows), tl.distribute.Mirrored(CPUS[:2])]
    for strategy in strategies:
        tl.random.set_seed(1)
        with strategy.scope():
            model: Any = perceptron()
        have = [
            x.numpy() for layer in model.layers for x in (layer.kernel, layer.bias)
        ]
        for a, b in zip(have, want, strict=True):
            np.testing.assert_array_equal(a, b)


def test_slots_lie_with_their_variable() -> None:
    for strategy in (servers(), servers(by_rows)):
        _, model, optimizer = trained(strategy, noise(1, 8))
        for variable in model.trainable_variables:
            assert optimizer.get_slot(variable, "mean").device == variable.device


def test_a_variable_with_copies_is_read_and_written_as_one() -> None:
    strategy = tl.distribute.Mirrored(CPUS[:3])
    with strategy.scope():
        w = tl.Variable([1.0, 2.0], name="w")
    assert isinstance(w, tl.distribute.MirroredVariable)
    assert [str(copy.device) for copy in w.copies] == CPUS[:3]
    w.assign_add([10.0, 10.0])
    w.scatter_update(tl.IndexedSlices(tl.asarray([5.0]), tl.asarray([1]), (2,)))
    assert [copy.numpy().tolist() for copy in w.copies] == [[11.0, 5.0]] * 3
    assert (w + 1).numpy().tolist() == [12.0, 6.0]
    w[0] = 7.0
    assert [copy.numpy().tolist() for copy in w.copies] == [[7.0, 5.0]] * 3
    tl.function(lambda: w.assign([1.0, 1.0]))()
    assert [copy.numpy().tolist() for copy in w.copies] == [[1.0, 1.0]] * 3


def test_what_replicas_assign_themselves_is_read_as_the_mean() -> None:
    strategy = tl.distribute.Mirrored(CPUS[:2])
    with strategy.scope():
        seen = tl.Variable(0.0, trainable=False)
        count = tl.Variable(0, trainable=False)

    def function(x: tl.Tensor) -> tl.Tensor:
        seen.assign(tl.mean(x))
        count.assign_add(1)
        return seen.value()

    each = strategy.evaluate(
        function, np.asarray([1.0, 3.0], np.float32), reduce="none"
    )
    assert [float(x) for x in each] == [1.0, 3.0]
    assert [float(copy.value()) for copy in seen.copies] == [1.0, 3.0]  # type: ignore[attr-defined]
    assert float(seen) == 2.0
    assert int(count) == 1


class Normalised(tl.layers.Sequential):
    def __init__(self) -> None:
        super().__init__(
            [tl.layers.Dense(4), tl.layers.BatchNorm(), tl.layers.Dense(1)]
        )


@pytest.mark.parametrize("name", ["mirrored", "servers"])
def test_batch_norm(name: str) -> None:
    """Each replica normalises by its own rows: with the same rows for all, as on one machine."""
    strategy = tl.distribute.Mirrored(CPUS[:2]) if name == "mirrored" else servers()
    batches = noise(10, 8)
    twice = [
        tuple(np.concatenate([part, part]) for part in batch) for batch in batches
    ]
    alone, model, _ = trained(None, batches, Normalised)
    losses, other, _ = trained(strategy, twice, Normalised)
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)
    if name == "mirrored":
        for have, want in zip(values(other), values(model), strict=True):
            np.testing.assert_allclose(have, want, rtol=0, atol=1e-4)


def test_what_the_step_makes_is_made_once_for_all_replicas() -> None:
    for strategy in (tl.distribute.Mirrored(CPUS[:3]), servers()):
        made: list[tl.Variable] = []

        def function(x: tl.Tensor, made: list[tl.Variable] = made) -> tl.Tensor:
            total = tl.Variable(0.0, trainable=False, name="total")
            made.append(total)
            total.assign_add(tl.sum(x))
            return total.value()

        strategy.evaluate(tl.do_not_convert(function), np.ones(6, np.float32))
        assert len({id(variable.handle) for variable in made}) == 1


def test_a_function_that_the_step_calls_reads_the_replicas_own_copy() -> None:
    strategy = tl.distribute.Mirrored(CPUS[:2])
    with strategy.scope():
        w = tl.Variable(0.0, trainable=False)

    @tl.function
    def inner() -> tl.Tensor:
        return w + 1.0

    def function(x: tl.Tensor) -> tl.Tensor:
        w.assign(tl.sum(x))
        return inner()

    each = strategy.evaluate(
        function, np.asarray([3.0, 5.0], np.float32), reduce="none"
    )
    assert [float(x) for x in each] == [4.0, 6.0]


def test_a_split_variable_reads_as_a_whole_and_by_rows() -> None:
    start = np.arange(22, dtype=np.float32).reshape(11, 2)
    with servers(by_rows, 2).scope():
        table: Any = tl.Variable(start, name="table")
    assert isinstance(table, tl.distribute.SplitVariable)
    assert [(part.first, part.shape) for part in table.parts] == [
        (0, (6, 2)),
        (6, (5, 2)),
    ]
    np.testing.assert_array_equal(table.numpy(), start)
    np.testing.assert_array_equal(table.sparse_read([10, 0, 6]), start[[10, 0, 6]])
    np.testing.assert_array_equal(table @ tl.ones((2, 1)), start @ np.ones((2, 1)))
    table.assign(start + 1)
    np.testing.assert_array_equal(table.value(), start + 1)
    with pytest.raises(tl.errors.ShapeError, match=r"\[11, 2\], the value \[2, 11\]"):
        table.assign(start.T)
    with pytest.raises(tl.errors.InvalidArgumentError, match="into 3 parts by rows"):
        tl.distribute.SplitVariable(tl.ones((2, 2)), CPUS[:3])


@pytest.mark.parametrize("name", ["mirrored", "servers", "by rows"])
def test_checkpoints_are_those_of_one_machine_both_ways(
    name: str, tmp_path: Path
) -> None:
    batches = noise(6, 8)
    losses, *_ = trained(None, batches)
    _, model, optimizer = trained(None, batches[:3])
    tl.checkpoint.Checkpoint(model=model, optimizer=optimizer).save(
        tmp_path / "alone"
    )
    strategies: dict[str, tl.distribute.Strategy] = {
        "mirrored": tl.distribute.Mirrored(CPUS[:2]),
        "servers": servers(),
        "by rows": servers(by_rows),
    }
    strategy = strategies[name]
    _, other, its = trained(strategy, noise(1, 8))
    checkpoint = tl.checkpoint.Checkpoint(model=other, optimizer=its)
    assert checkpoint.restore(tmp_path / "alone").complete
    step = step_of(other, its, squared)
    went_on = [float(strategy.run(step, *batch)) for batch in batches[3:]]
    np.testing.assert_allclose(went_on, losses[3:], rtol=0, atol=1e-5)

    checkpoint.save(tmp_path / "together")
    _, model, optimizer = trained(None, noise(1, 8))
    tl.checkpoint.Checkpoint(model=model, optimizer=optimizer).restore(
        tmp_path / "together"
    )
    assert int(optimizer.iterations) == 6
