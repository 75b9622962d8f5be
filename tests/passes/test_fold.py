"""What is known before a run is computed before it."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.constant import Const
from tensorlite.graph.graph import Graph
from tensorlite.ops.control.branches import cond
from tensorlite.passes.fold import LIMIT, fold
from tensorlite.passes.inline import inline
from tensorlite.passes.pipeline import optimise
from tensorlite.passes.prune import prune
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.programs import FLOAT, graph_of


def constants(graph: Graph) -> list[object]:
    """Return the values of the constants that are left."""
    return [
        n.op.value.tolist() for n in prune(graph).nodes if isinstance(n.op, Const)
    ]


def test_arithmetic_of_constants() -> None:
    graph = graph_of(lambda x: x * (tl.asarray(2.0) + 3.0), [FLOAT])
    assert constants(fold(graph)) == [5.0]
    assert run_plan(compile_plan(fold(graph)), [np.asarray(2, np.float32)]) == (10,)


def test_shapes_known_from_inference() -> None:
    graph = graph_of(lambda x: tl.raw_ops.Shape(x=x) * 2, [tl.TensorSpec((2, 3))])
    assert constants(fold(graph)) == [[4, 6]]


def test_what_is_large_is_not_kept_in_the_graph() -> None:
    size = LIMIT // 4 + 1
    graph = graph_of(lambda x: x + tl.broadcast_to(tl.asarray(1.0), (size,)), [FLOAT])
    assert constants(fold(graph)) == constants(graph)


def test_a_kernel_that_fails_is_left_to_fail_where_it_runs() -> None:
    def program(x: tl.Tensor) -> tl.Tensor:
        return x + tl.gather(tl.asarray([1.0, 2.0]), tl.asarray(7))

    graph = graph_of(program, [FLOAT])
    assert len(prune(fold(graph)).nodes) == len(prune(graph).nodes)


def test_a_decided_conditional_is_replaced_by_its_branch() -> None:
    def program(x: tl.Tensor) -> tl.Tensor:
        return cond(tl.asarray(1.0) < 2.0, lambda: x * 2.0, lambda: x * 3.0)

    graph = optimise(graph_of(program, [FLOAT]))
    assert [node.op.name for node in graph.nodes if node.inputs] == ["Mul"]
    assert run_plan(compile_plan(graph), [np.asarray(2, np.float32)]) == (4,)


def test_an_undecided_one_stays() -> None:
    graph = graph_of(
        lambda x: cond(x < 2.0, lambda: x * 2.0, lambda: x * 3.0), [FLOAT]
    )
    assert "If" in [node.op.name for node in inline(graph).nodes]


def test_what_waits_for_something_is_no_constant() -> None:
    queue, variable = tl.queue.FIFOQueue(9, tl.int32, ()), tl.Variable(1)
    graph = tl.Graph()
    with graph.as_default():
        checked = tl.debugging.assert_less(variable.value(), 0)
        with tl.control_dependencies([checked]):
            rows = tl.identity(tl.constant([1, 2]))
        put = queue.enqueue_many([rows])
    with pytest.raises(tl.errors.AssertionFailedError):
        tl.Session(graph).run(put)
    assert int(queue.size()) == 0
