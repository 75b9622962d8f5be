"""The dataflow machine on graphs built by hand: frames, dead values, and what goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError, InvalidArgumentError, ShapeError
from tensorlite.graph.manual import ManualGraph
from tensorlite.passes.prune import prune
from tensorlite.passes.verify import verify
from tensorlite.runtime import frames
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import execute, run_plan

raw = tl.raw_ops
SCALAR = tl.TensorSpec((), tl.float32)
FLAG = tl.TensorSpec((), tl.bool)


def value(x: float) -> np.ndarray[Any, Any]:
    return np.asarray(x, np.float32)


def test_the_side_of_a_switch_that_is_not_taken_is_dead() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x, flag = graph.add_input(SCALAR), graph.add_input(FLAG)
        no, yes = raw.Switch(data=x, pred=flag)
        merged, which = raw.Merge(inputs=[-no, yes * 10.0])
    for taken, expected in ((True, 30), (False, -3)):
        feeds = {x: value(3), flag: np.asarray(taken)}
        assert execute(graph, feeds, [merged, which]) == (expected, int(taken))
    with pytest.raises(InvalidArgumentError, match="fetched value is dead"):
        execute(graph, {x: value(3), flag: np.asarray(True)}, [no])


def test_what_follows_something_dead_is_skipped() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x, flag = graph.add_input(SCALAR), graph.add_input(FLAG)
        no, yes = raw.Switch(data=x, pred=flag)
        deep = raw.Neg(x=raw.Neg(x=no))
        both = deep + x
        merged, which = raw.Merge(inputs=[both, raw.Identity(x=yes)])
    assert execute(graph, {x: value(2), flag: np.asarray(True)}, [merged, which]) == (
        2,
        1,
    )
    assert execute(
        graph, {x: value(2), flag: np.asarray(False)}, [merged, which]
    ) == (4, 0)


def two_nested_frames() -> tuple[ManualGraph, list[Any], list[Any]]:
    """Return a graph: for i < n: y = x; while y < limit: y *= 2; total += y if flag else -1."""
    graph = ManualGraph()
    with graph.as_default():
        n, x, flag = (
            graph.add_input(SCALAR),
            graph.add_input(SCALAR),
            graph.add_input(FLAG),
        )
        i = raw.Enter(data=tl.asarray(0.0), frame_name="outer")
        total = raw.Enter(data=tl.asarray(0.0), frame_name="outer")
        limit = raw.Enter(data=n, frame_name="outer", is_constant=True)
        start = raw.Enter(data=x, frame_name="outer", is_constant=True)
        chosen = raw.Enter(data=flag, frame_name="outer", is_constant=True)
        i, _ = raw.Merge(inputs=[i, i])
        total, _ = raw.Merge(inputs=[total, total])
        go_on = raw.LoopCond(input=i < limit)
        _, i_stays = raw.Switch(data=i, pred=go_on)
        total_leaves, total_stays = raw.Switch(data=total, pred=go_on)
        begin = start + i_stays

        y = raw.Enter(data=begin, frame_name="inner")
        y, _ = raw.Merge(inputs=[y, y])
        again = raw.LoopCond(input=y < 100.0)
        y_leaves, y_stays = raw.Switch(data=y, pred=again)
        y.node.set_input(1, raw.NextIteration(data=y_stays * 2.0))
        grown = raw.Exit(data=y_leaves)

        no, yes = raw.Switch(data=grown, pred=chosen)
        added, _ = raw.Merge(inputs=[no * 0.0 - 1.0, yes])
        total.node.set_input(1, raw.NextIteration(data=total_stays + added))
        i.node.set_input(1, raw.NextIteration(data=i_stays + 1.0))
        result = raw.Exit(data=total_leaves)
    graph.outputs = [result]
    return graph, [n, x, flag], [result]


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("flag", [True, False])
def test_two_nested_frames_and_a_dead_branch(n: int, flag: bool) -> None:
    graph, inputs, fetches = two_nested_frames()
    total = 0.0
    for i in range(n):
        y = 3.0 + i
        while y < 100:
            y *= 2
        total += y if flag else -1
    feeds = dict(zip(inputs, (value(n), value(3), np.asarray(flag)), strict=True))
    assert execute(graph, feeds, fetches) == (total,)
    copy = prune(verify(graph))
    assert run_plan(compile_plan(verify(copy)), list(feeds.values())) == (total,)


def test_an_inner_loop_whose_entry_is_dead_gives_a_dead_exit() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x, flag = graph.add_input(SCALAR), graph.add_input(FLAG)
        no, yes = raw.Switch(data=x, pred=flag)
        y = raw.Enter(data=yes, frame_name="loop")
        bound = raw.Enter(data=yes * 50.0, frame_name="loop", is_constant=True)
        y, _ = raw.Merge(inputs=[y, y])
        leaves, stays = raw.Switch(data=y, pred=raw.LoopCond(input=y < bound))
        y.node.set_input(1, raw.NextIteration(data=stays + 7.0))
        merged, _ = raw.Merge(inputs=[raw.Exit(data=leaves), no])
    assert execute(graph, {x: value(1), flag: np.asarray(True)}, [merged]) == (50,)
    assert execute(graph, {x: value(1), flag: np.asarray(False)}, [merged]) == (1,)


@pytest.mark.parametrize("parallel", [1, 2, 10])
def test_no_more_turns_are_under_way_than_allowed(
    parallel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = ManualGraph()
    with graph.as_default():
        slow = raw.Enter(
            data=tl.asarray(0.0), frame_name="loop", parallel_iterations=parallel
        )
        fast = raw.Enter(
            data=tl.asarray(0.0), frame_name="loop", parallel_iterations=parallel
        )
        slow, _ = raw.Merge(inputs=[slow, slow])
        fast, _ = raw.Merge(inputs=[fast, fast])
        go_on = raw.LoopCond(input=fast < 30.0)
        leaves, slow_stays = raw.Switch(data=slow, pred=go_on)
        _, fast_stays = raw.Switch(data=fast, pred=go_on)
        fast.node.set_input(1, raw.NextIteration(data=fast_stays + 1.0))
        for _ in range(6):
            slow_stays = tl.negative(slow_stays)
        slow.node.set_input(1, raw.NextIteration(data=slow_stays + 2.0))
        result = raw.Exit(data=leaves)
    most, begin = [0], frames.Machine.begin

    def watched(machine: Any, frame: Any, number: int) -> Any:
        made = begin(machine, frame, number)
        most[0] = max(most[0], len(frame.iterations))
        return made

    monkeypatch.setattr(frames.Machine, "begin", watched)
    assert execute(graph, {}, [result]) == (60,)
    assert 1 <= most[0] <= parallel


def test_a_merge_covers_the_shapes_of_all_turns() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = raw.Enter(data=tl.asarray([1.0, 2.0]), frame_name="loop")
        x, _ = raw.Merge(inputs=[x, x])
        assert x.shape == (2,)
        doubled = raw.Neg(x=x)
        longer = tl.concat([x, x])
        x.node.set_input(1, raw.NextIteration(data=longer))
    assert x.shape == (None,)
    assert doubled.shape == (None,)


def test_a_value_of_another_frame_is_refused() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(SCALAR)
        inside = raw.Enter(data=x, frame_name="loop")
        wrong = inside + raw.Neg(x=x)
    with pytest.raises(GraphError, match=r"of frame '.*' .* uses it in frame"):
        execute(graph, {x: value(1)}, [wrong])
    with pytest.raises(GraphError, match="Enter or Exit is due"):
        verify(graph)


def test_an_input_used_in_a_frame_is_refused() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(SCALAR)
        result = raw.Exit(data=raw.Enter(data=x, frame_name="loop") + x)
    with pytest.raises(GraphError, match="bring it in with Enter"):
        execute(graph, {x: value(1)}, [result])


def test_a_fetch_inside_a_loop_is_refused() -> None:
    graph = ManualGraph()
    with graph.as_default():
        inside = raw.Enter(data=tl.asarray(1.0), frame_name="loop")
    with pytest.raises(GraphError, match="fetch what its Exit brings out"):
        execute(graph, {}, [inside])


def test_a_failing_kernel_is_told_with_node_and_line() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(tl.TensorSpec((None,)))
        y = graph.add_input(tl.TensorSpec((None,)))
        no, yes = raw.Switch(data=x + y, pred=tl.asarray(True))
        merged, _ = raw.Merge(inputs=[no, yes])
    with pytest.raises(ShapeError, match="do not broadcast") as caught:
        execute(
            graph, {x: np.ones(2, np.float32), y: np.ones(3, np.float32)}, [merged]
        )
    assert "in node 'AddV2' (AddV2), made at " in caught.value.__notes__[-1]
    assert "test_frames.py" in caught.value.__notes__[-1]


def test_primitives_run_on_frames_only() -> None:
    graph, inputs, fetches = two_nested_frames()
    plan = compile_plan(graph, inputs, fetches)
    for runner in ("straight", "structured"):
        with pytest.raises(
            InvalidArgumentError, match="which only runner='frames' runs"
        ):
            run_plan(plan, [value(1), value(1), np.asarray(True)], runner)


def test_a_tensor_of_another_graph_closes_no_loop() -> None:
    graph, other = ManualGraph(), ManualGraph()
    with other.as_default():
        foreign = other.add_input(SCALAR)
    with graph.as_default():
        x = raw.Enter(data=graph.add_input(SCALAR), frame_name="loop")
        x, _ = raw.Merge(inputs=[x, x])
    with pytest.raises(GraphError, match="is no tensor of the graph"):
        x.node.set_input(1, foreign)
