"""Graphs on TensorBoard's graph page: loops that open, functions, and what each node takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    TracingError,
)
from tensorlite.ops.summaries.event_messages import message
from tests.train.events import accumulated


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "logs")


@pytest.fixture
def writer(folder: str) -> Iterator[tl.summary.SummaryWriter]:
    made = tl.summary.create_file_writer(folder)
    yield made
    made.close()


@tl.function
def refine(x: Any, w: Any) -> Any:
    with tl.name_scope("refine"):
        i = tl.asarray(0)
        while i < 3:
            x = tl.tanh(x @ w)
            i = i + 1
        if tl.mean(x) > 0.0:
            x = x * 2.0
    return x


ROWS, SQUARE = tl.ones((2, 4)), tl.ones((4, 4)) * 0.1


def page(given: Any, folder: str) -> Any:
    """Return a graph as TensorBoard reads it."""
    with tl.summary.create_file_writer(folder).as_default():
        assert bool(tl.summary.graph(given))
    return accumulated(folder).Graph()


def check_edges(nodes: Any) -> None:
    """Raise AssertionError unless names are unique, and inputs are names of nodes."""
    names = [node.name for node in nodes]
    assert len(names) == len(set(names))
    taken = {
        x.removeprefix("^").partition(":")[0] for node in nodes for x in node.input
    }
    assert taken <= set(names)


def test_loops_and_branches_are_scopes_on_the_graph_page(folder: str) -> None:
    found = page(refine.get_concrete_function(ROWS, SQUARE), folder)
    nodes = {node.name: node for node in found.node}
    check_edges(found.node)
    assert nodes["refine/While/body/MatMul"].op == "MatMul"
    assert nodes["refine/While/cond/Less"].op == "Less"
    assert nodes["refine/If/then/Mul"].op == "Mul"
    assert "refine/While/body/Tanh" in nodes["refine/While"].input
    (inner,) = nodes["refine/While/body/MatMul"].input[:1]
    assert nodes[inner].input == ["x"]
    shape = nodes["refine/While/body/MatMul"].attr["_output_shapes"].list.shape[0]
    assert [dim.size for dim in shape.dim] == [2, 4]
    line = nodes["refine/While/body/MatMul"].attr["_line"].s.decode()
    assert "test_graph_pages.py" in line


def test_names_that_differ_by_their_scope_only_stay_apart(folder: str) -> None:
    @tl.function
    def twice(x: Any) -> Any:
        with tl.name_scope("a"):
            i = tl.asarray(0)
            while i < 3:
                with tl.name_scope("While"):
                    x = tl.tanh(x)
                x = tl.tanh(x)
                i = i + 1
        return x

    found = page(twice.get_concrete_function(ROWS), folder)
    check_edges(found.node)
    shown = {node.name for node in found.node if node.op == "Tanh"}
    assert shown == {"a/While/body/Tanh", "a/While/body/Tanh_"}


def test_primitives_devices_and_unknown_sizes_are_shown(folder: str) -> None:
    lowered = refine.get_concrete_function(
        tl.TensorSpec((None, 4), tl.float32), SQUARE
    ).lowered
    found = page(lowered, folder)
    check_edges(found.node)
    kinds = {node.op for node in found.node}
    assert {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"} <= kinds
    nodes = {node.name: node for node in found.node}
    sizes = nodes["x"].attr["_output_shapes"].list.shape[0].dim
    assert [dim.size for dim in sizes] == [-1, 4]
    graph = tl.Graph()
    with graph.as_default(), tl.device("/device:CPU:0"):
        tl.exp(tl.placeholder(tl.float32, None))
    shown = page(graph, folder + "2")
    assert shown.node[1].device == "/device:CPU:0"
    assert shown.node[0].attr["_output_shapes"].list.shape[0].unknown_rank


def test_called_functions_are_in_the_library(folder: str) -> None:
    @tl.function
    def block(x: Any) -> Any:
        return tl.tanh(x) * 2.0

    @tl.function
    def model(x: Any) -> Any:
        with tl.name_scope("first"):
            x = block(x)
        return block(x)

    found = page(model.get_concrete_function(ROWS), folder)
    check_edges(found.node)
    (function,) = found.library.function
    assert function.signature.name == "block"
    assert [node.op for node in found.node] == ["Placeholder", "block", "block"]
    inside = {node.name for node in function.node_def}
    inside |= {x.name for x in function.signature.input_arg}
    assert {x for node in function.node_def for x in node.input} <= inside
    assert {"result_0", "Tanh"} <= inside


def test_a_function_that_calls_itself_is_written_once(folder: str) -> None:
    @tl.function(output_signature=tl.TensorSpec((), tl.int32))
    def factorial(n: Any) -> Any:
        if n < 2:
            return tl.asarray(1)
        return n * factorial(n - 1)

    found = page(factorial.get_concrete_function(tl.asarray(4)), folder)
    assert len(found.library.function) == 1


def test_what_is_no_graph_is_refused(writer: tl.summary.SummaryWriter) -> None:
    with writer.as_default(), pytest.raises(DTypeError, match="is no graph"):
        tl.summary.graph("x")
    with pytest.raises(TracingError, match="writes at once"):
        tl.function(lambda: tl.summary.graph(tl.Graph()))()


@pytest.mark.parametrize("runner", [None, "frames"])
def test_times_are_told_for_the_nodes_of_the_page(runner: str | None) -> None:
    traced = tl.function(refine.python_function, runner=runner)
    traced(ROWS, SQUARE)
    with tl.profiler.trace() as profile:
        traced(ROWS, SQUARE)
    concrete = traced.get_concrete_function(ROWS, SQUARE)
    graph = concrete.lowered if runner == "frames" else concrete.graph
    proto = tl.summary.run_metadata(profile, graph)
    (device,) = proto.step_stats.dev_stats
    assert device.device == "/device:CPU:0"
    ran = {node.node_name: node for node in device.node_stats}
    assert len(ran) == len(device.node_stats)
    shown = proto.function_graphs[0].pre_optimization_graph
    inside = "refine/While/body/" if runner is None else "refine/"
    assert ran[f"{inside}MatMul"].memory[0].total_bytes == 32
    assert all(node.all_end_rel_micros > 0 for node in ran.values())
    assert {f"{inside}MatMul", f"{inside}Tanh"} <= set(ran)
    if runner is None:
        assert set(ran) <= {node.name for node in shown.node}


def exported(folder: str, name: str) -> Any:
    """Return what a trace wrote."""
    (event,) = accumulated(folder).Tensors(name)
    return message("RunMetadata").FromString(event.tensor_proto.string_val[0])


def test_a_trace_collects_the_graphs_that_run(
    folder: str, writer: tl.summary.SummaryWriter
) -> None:
    refine(ROWS, SQUARE)
    tl.summary.trace_on()
    with pytest.raises(FailedPreconditionError, match="goes on already"):
        tl.summary.trace_on()
    for _ in range(2):
        refine(ROWS, SQUARE)
    with writer.as_default():
        tl.summary.trace_export("refine", step=0)
    found = exported(folder, "refine")
    assert len(found.function_graphs) == 1
    assert not found.step_stats.dev_stats
    metadata = accumulated(folder).SummaryMetadata("refine")
    assert metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    with pytest.raises(FailedPreconditionError, match="trace_on"):
        tl.summary.trace_export("again", step=0)


def test_a_trace_with_the_profiler_has_times_and_a_timeline(
    folder: str, writer: tl.summary.SummaryWriter, tmp_path: Path
) -> None:
    refine(ROWS, SQUARE)
    tl.summary.trace_on(profiler=True, profiler_outdir=tmp_path / "out")
    refine(ROWS, SQUARE)
    with writer.as_default():
        tl.summary.trace_export("refine", step=0)
    names = [
        x.node_name
        for x in exported(folder, "refine").step_stats.dev_stats[0].node_stats
    ]
    assert "refine/While/body/MatMul" in names
    assert len(list((tmp_path / "out").rglob("*.trace.json.gz"))) == 1
    tl.summary.trace_on(profiler=True)
    tl.summary.trace_off()
    with tl.profiler.trace():  # which no trace is in the way of
        pass
