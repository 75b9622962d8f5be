"""verify accepts what traces and passes make, and names what is wrong with anything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError
from tensorlite.graph.graph import Graph
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph.trace import trace
from tensorlite.passes.pipeline import run_passes
from tensorlite.passes.prune import prune
from tensorlite.passes.verify import verify
from tests.programs import FLOAT, INT, collatz, graph_of, nested


def chain() -> Graph:
    return graph_of(lambda x: (x + 1.0) * 2.0, [FLOAT])


def test_what_a_trace_makes_is_well_formed() -> None:
    for graph in (chain(), graph_of(collatz, [INT]), graph_of(nested, [INT, FLOAT])):
        assert verify(graph) is graph


def same_name(graph: Graph) -> None:
    graph.nodes[-1].name = graph.nodes[-2].name


def wrong_order(graph: Graph) -> None:
    graph.nodes.reverse()


def foreign_input(graph: Graph) -> None:
    graph.nodes[-1].inputs = (chain().inputs[0], graph.nodes[-1].inputs[1])


def wrong_spec(graph: Graph) -> None:
    graph.outputs[0].respecify(tl.TensorSpec((), tl.int32))


def lost_input(graph: Graph) -> None:
    graph.inputs = []


def foreign_output(graph: Graph) -> None:
    graph.outputs = chain().outputs


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (same_name, "2 nodes are named"),
        (wrong_order, "comes before"),
        (foreign_input, "which is of another graph"),
        (wrong_spec, r"is int32\[\]; inference says float32\[\]"),
        (lost_input, "no longer among its inputs"),
        (foreign_output, "is an end of it, and not a node"),
    ],
)
def test_what_is_wrong_is_named(harm: Callable[[Graph], None], message: str) -> None:
    graph = chain()
    harm(graph)
    with pytest.raises(GraphError, match=message):
        verify(graph)


def test_an_exit_needs_a_frame() -> None:
    graph = ManualGraph()
    with graph.as_default():
        out = tl.raw_ops.Exit(data=graph.add_input(FLOAT))
        tl.raw_ops.Identity(x=out)
    with pytest.raises(GraphError, match="an Exit outside all frames"):
        verify(graph)


def test_a_loop_is_closed_in_its_own_frame() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(FLOAT)
        enter = tl.raw_ops.Enter(data=x, frame_name="loop")
        merged, _ = tl.raw_ops.Merge(inputs=[enter, enter])
        merged.node.set_input(1, tl.raw_ops.NextIteration(data=x))
    with pytest.raises(GraphError, match="which is of another frame"):
        verify(graph)


def test_the_pass_that_did_harm_is_named() -> None:
    def harmful(graph: Graph) -> Graph:
        wrong_spec(graph)
        return graph

    with pytest.raises(GraphError) as caught:
        run_passes(chain(), [harmful], verified=True)
    assert caught.value.__notes__[-1] == "after the pass 'harmful'"


def test_pruning_keeps_inputs_and_effects_and_drops_the_rest() -> None:
    v = tl.Variable(1.0)

    def program(x: tl.Tensor, unused: tl.Tensor) -> tl.Tensor:
        v.assign_add(x * 2.0)
        tl.negative(unused)
        return v.value() * 0.0 + x * 3.0

    traced = trace(lambda *xs: [program(*xs)], [FLOAT, FLOAT]).graph
    pruned = prune(traced)
    assert len(pruned.inputs) == len(traced.inputs) == 3
    kept = [node.op.name for node in pruned.nodes if node.inputs]
    assert sorted(kept) == [
        "AddV2",
        "AssignAddVariableOp",
        "Mul",
        "Mul",
        "Mul",
        "ReadVariableOp",
    ]
    assert [node.op.name for node in pruned.effects] == ["AssignAddVariableOp"]
