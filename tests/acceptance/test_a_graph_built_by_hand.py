"""A graph built from `tl.raw_ops` alone runs: two nested frames, back edges, a dead branch."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.runtime.step import execute

raw = tl.raw_ops
INT = tl.TensorSpec((), tl.int32)


def triangle() -> tuple[tl.Graph, tl.SymbolicTensor, tl.SymbolicTensor]:
    """Return a graph: the sum over i < n, j < i of j if that is even, else of -i.

    And its input and its result.
    """
    graph = tl.Graph("triangle")
    with graph.as_default():
        n = graph.add_input(INT, name="n")
        zero = raw.Const(value=np.asarray(0, np.int32))
        bound = raw.Enter(data=n, frame_name="rows", is_constant=True)
        first = raw.Enter(data=zero, frame_name="rows")
        start = raw.Enter(data=zero, frame_name="rows")
        i, _ = raw.Merge(inputs=[first, first])
        total, _ = raw.Merge(inputs=[start, start])
        rows = raw.LoopCond(input=raw.Less(x=i, y=bound))
        _, i_on = raw.Switch(data=i, pred=rows)
        total_out, total_on = raw.Switch(data=total, pred=rows)

        row = raw.Enter(data=i_on, frame_name="columns", is_constant=True)
        begin = raw.Enter(data=raw.Sub(x=i_on, y=i_on), frame_name="columns")
        carried = raw.Enter(data=total_on, frame_name="columns")
        j, _ = raw.Merge(inputs=[begin, begin])
        inner, _ = raw.Merge(inputs=[carried, carried])
        columns = raw.LoopCond(input=raw.Less(x=j, y=row))
        _, j_on = raw.Switch(data=j, pred=columns)
        inner_out, inner_on = raw.Switch(data=inner, pred=columns)

        even = raw.Equal(x=raw.FloorMod(x=j_on, y=tl.asarray(2)), y=tl.asarray(0))
        _, kept = raw.Switch(data=j_on, pred=even)
        odd, _ = raw.Switch(data=row, pred=even)
        term, _ = raw.Merge(inputs=[raw.Neg(x=odd), kept])
        j.node.set_input(
            1, raw.NextIteration(data=raw.AddV2(x=j_on, y=tl.asarray(1)))
        )
        inner.node.set_input(1, raw.NextIteration(data=raw.AddV2(x=inner_on, y=term)))

        i.node.set_input(
            1, raw.NextIteration(data=raw.AddV2(x=i_on, y=tl.asarray(1)))
        )
        total.node.set_input(1, raw.NextIteration(data=raw.Exit(data=inner_out)))
        result = raw.Exit(data=total_out)
    return graph, n, result


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_nested_frames_with_a_dead_branch_compute_what_python_does(n: int) -> None:
    graph, given, result = triangle()
    wanted = sum(j if j % 2 == 0 else -i for i in range(n) for j in range(i))
    feeds = {given: np.asarray(n, np.int32)}
    (found,) = tl.graphs.run(graph, [result], feeds, runner="frames")
    assert int(found) == wanted


def test_the_graph_says_what_it_is_made_of() -> None:
    graph, *_ = triangle()
    names = {node.op.name for node in graph.nodes}
    assert names >= {"Enter", "Exit", "Switch", "Merge", "NextIteration", "LoopCond"}
    assert not names & {"While", "If"}


def test_a_value_that_is_dead_cannot_be_fetched() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = graph.add_input(INT)
        flag = graph.add_input(tl.TensorSpec((), tl.bool))
        no, yes = raw.Switch(data=x, pred=flag)
        either, which = raw.Merge(inputs=[raw.Neg(x=no), yes])
    feeds = {x: np.asarray(3, np.int32), flag: np.asarray(True)}
    assert [int(y) for y in execute(graph, feeds, [either, which])] == [3, 1]
    with pytest.raises(InvalidArgumentError, match="dead"):
        execute(graph, feeds, [no])
