"""Pipelines: where stages are, and that micro-batches do not wait for each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.graph.graph import Graph, Node
from tests.distributed.strategies.training import (
    CPUS,
    local_tasks,
    noise,
    squared,
    step_of,
    trained,
)


def pipeline(workers: int = 2, microbatches: int = 3) -> tl.distribute.Pipeline:
    return tl.distribute.Pipeline(local_tasks(workers), microbatches=microbatches)


def before(node: Node) -> set[Node]:
    """Return what has to run before a node."""
    found: set[Node] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += [*one.control, *[x.node for x in one.inputs]]
    return found


def plan_of(strategy: Any) -> dict[str, Graph]:
    """Return the graph of each device, of the one step that was taken."""
    (program,) = strategy._programs.values()
    (concrete,) = program.cache.concrete.values()
    return {str(device): graph for device, graph in concrete.partitions.items()}


def staged(strategy: tl.distribute.Pipeline) -> tl.layers.Layer:
    relu = tl.nn.relu
    layers = [tl.layers.Dense(16, relu), tl.layers.Dense(8, relu), tl.layers.Dense(1)]
    return tl.layers.Sequential(strategy.staged(layers, [0, 2]))


def test_a_stage_has_its_variables_slots_and_work_on_its_worker() -> None:
    strategy = pipeline()
    batches = noise(5, 12)
    losses, model, optimizer = trained(strategy, batches, lambda: staged(strategy))
    alone, *_ = trained(
        None,
        batches,
        lambda: tl.layers.Sequential([x.layer for x in staged(pipeline()).layers]),  # type: ignore[attr-defined]
    )
    np.testing.assert_allclose(losses, alone, rtol=0, atol=1e-5)
    places = [str(variable.device) for variable in model.variables]
    assert places == [CPUS[0]] * 4 + [CPUS[1]] * 2
    for variable in model.variables:
        assert optimizer.get_slot(variable, "mean").device == variable.device
    products = {
        place: [node for node in graph.nodes if node.op.name == "MatMul"]
        for place, graph in plan_of(strategy).items()
    }
    # Forward and for the weights' gradients; the inputs' gradients, but for the data's.
    assert {place: len(found) for place, found in products.items()} == {
        CPUS[0]: 3 * (2 + 2 + 1),
        CPUS[1]: 3 * (1 + 1 + 1),
    }


def test_no_micro_batch_waits_for_another_to_come_back() -> None:
    strategy = pipeline()
    trained(strategy, noise(1, 12), lambda: staged(strategy))
    first = plan_of(strategy)[CPUS[0]]
    sent = [node for node in first.nodes if node.op.name == "Send"]
    free = [
        node for node in sent if not any(x.op.name == "Recv" for x in before(node))
    ]
    # What the stage gives the next, and of which activations that is.
    assert len([node for node in free if "Relu" in node.name]) == 3


def test_stages_by_hand_and_layers_that_are_elsewhere() -> None:
    strategy = pipeline(2)
    with strategy.scope():
        with strategy.stage(1) as place:
            last = tl.layers.Dense(1, inputs=16)
        assert str(last.kernel.device) == str(place) == CPUS[1]  # type: ignore[union-attr]
        first = tl.layers.Dense(16)
        model = tl.layers.Sequential(strategy.staged([first, last]))
        optimizer = tl.optimizers.SGD(0.1)
    losses = [
        strategy.run(step_of(model, optimizer, squared), *batch)
        for batch in noise(2, 6)
    ]
    assert len(losses) == 2
    built = tl.layers.Dense(1, inputs=16)
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"layer 1 has its kernel on .*CPU:0"
    ):
        strategy.staged([first, built])


def test_layers_are_shared_out_evenly() -> None:
    for workers, expected in (
        (1, "0000000"),
        (2, "0000111"),
        (3, "0001122"),
        (4, "0011223"),
    ):
        strategy = pipeline(workers)
        layers: list[Any] = strategy.staged([tl.layers.Flatten() for _ in range(7)])
        assert "".join(str(layer.place.index) for layer in layers) == expected
