"""The one reverse sweep over tapes and graphs, and regions being extended for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import call
from tensorlite.core.errors import GradientError
from tensorlite.core.op import Call, Gradient, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.backprop import gradients
from tensorlite.graph.copying import Copy
from tensorlite.graph.trace import trace
from tests.interpreter import run_graph

SPEC = TensorSpec((3,), tl.float64)
X = tl.asarray(np.array([1.0, 2.0, 3.0]))


def test_a_graph_is_differentiated_like_a_tape() -> None:
    def program(x: Any, z: Any) -> Any:
        y = x * tl.exp(z) + x
        return [*tl.gradients(y, [x, z]), tl.gradients(tl.gradients(y * y, x), x)]

    made = trace(program, [SPEC, SPEC])
    dx, dz, second = run_graph(made.graph, [X, X])
    x = X.numpy()
    np.testing.assert_allclose(dx.numpy(), np.exp(x) + 1)
    np.testing.assert_allclose(dz.numpy(), x * np.exp(x))
    np.testing.assert_allclose(second.numpy(), 2 * (np.exp(x) + 1) ** 2)


def test_gradients_of_a_graph_reach_variables_loops_and_weights() -> None:
    w = tl.Variable(np.float64(2.0))

    def program(x: Any) -> Any:
        y = tl.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), (0, x))[1]
        return [tl.gradients(y, w, X), tl.gradients(y, [x, x])[1]]

    made = trace(program, [SPEC])
    dw, dx = run_graph(made.graph, [X, *made.captured])
    assert dw.item() == pytest.approx(3 * 4 * np.sum(X.numpy() ** 2))
    np.testing.assert_allclose(dx.numpy(), np.full(3, 8.0))


def test_gradients_without_a_graph_are_refused() -> None:
    with pytest.raises(GradientError, match=r"use tl\.GradientTape"):
        tl.gradients(X, X)


def test_no_path_gives_none_and_integers_stop_the_flow() -> None:
    def program(x: Any) -> Any:
        y = x * tl.astype(tl.astype(x, tl.int32), tl.float64)
        assert tl.gradients(y, tl.gradients(y, x)) is None
        return [tl.gradients(y, x)]

    made = trace(program, [SPEC])
    np.testing.assert_allclose(run_graph(made.graph, [X * 1.5])[0].numpy(), [1, 3, 4])


class BadCount(Op, abstract=True):
    """Returns one gradient too many."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        return x

    def kernel(self, xp: Any, x: Any) -> Any:
        return x

    def grad(self, call: Call, dy: Tensor) -> tuple[Gradient, ...]:
        return dy, dy


class NoGradient(Op, abstract=True):
    """Has no gradient, and is not marked so."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        return x

    def kernel(self, xp: Any, x: Any) -> Any:
        return x


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (BadCount(), "returned 2 gradients for 1 inputs"),
        (NoGradient(), "NoGradient has no grad"),
    ],
)
def test_faulty_gradients_tell_the_operator_and_its_line(
    op: Op, message: str
) -> None:
    def program(x: Any) -> Any:
        return [tl.gradients(call(op, x), x)]

    with pytest.raises(GradientError, match=message):
        trace(program, [SPEC])


def test_sparse_gradients_stay_sparse_until_an_operator_wants_them_dense() -> None:
    table = tl.Variable(np.ones((4, 2)))
    with tl.GradientTape(persistent=True) as tape:
        rows = tl.gather(table, [0, 2, 0])
        through = tl.gather(table * 2.0, [1])
    direct = tape.gradient(rows, table)
    assert isinstance(direct, IndexedSlices)
    np.testing.assert_allclose(
        tl.densify(direct).numpy(), [[2, 2], [0, 0], [1, 1], [0, 0]]
    )
    np.testing.assert_allclose(tape.gradient(through, table).numpy()[1], [2, 2])


def test_sparse_gradients_become_dense_at_the_border_of_a_region() -> None:
    table = tl.Variable(np.ones((4, 2)))

    def program(i: Any) -> Any:
        def body(j: Any, y: Any) -> Any:
            return j + 1, y + tl.gather(table, [i])

        y = tl.while_loop(
            lambda j, y: j < 3, body, (0, tl.zeros((1, 2), dtype=tl.float64))
        )[1]
        return [tl.gradients(y, table)]

    made = trace(program, [TensorSpec((), tl.int32)])
    found = run_graph(made.graph, [tl.asarray(2), *made.captured])[0]
    np.testing.assert_allclose(found.numpy(), [[0, 0], [0, 0], [3, 3], [0, 0]])


def test_a_copy_computes_the_same_and_shares_no_node() -> None:
    v = tl.Variable(1.0)

    def program(x: Any) -> Any:
        v.assign_add(1.0)
        return [tl.sum(x) * tl.astype(v, tl.float64)]

    made = trace(program, [SPEC])
    copy = Copy(made.graph).graph
    assert not {id(node) for node in copy.nodes} & {
        id(node) for node in made.graph.nodes
    }
    assert [node.op.name for node in copy.effects] == ["AssignAddVariableOp"]
    controls = [[before.name for before in node.control] for node in copy.nodes]
    assert controls == [
        [before.name for before in node.control] for node in made.graph.nodes
    ]
    assert run_graph(copy, [X, *made.captured])[0].item() == 12.0


def test_nodes_of_a_gradient_are_at_the_lines_of_their_operators() -> None:
    def program(x: Any) -> Any:
        y = tl.exp(x)
        return [tl.gradients(y, x, X)]

    made = trace(program, [SPEC])
    first = program.__code__.co_firstlineno
    lines = {node.op.name: node.line.number - first for node in made.graph.nodes}
    assert (lines["Exp"], lines["Mul"]) == (1, 1)


def test_the_sweep_takes_flows_for_some_targets_only() -> None:
    with tl.GradientTape() as tape:
        tape.watch(X)
        y, z = X * 2.0, X * 5.0
    (found,) = gradients(tape._records, [y, z], [X], [None, X])
    assert isinstance(found, Tensor)
    assert found.tolist() == [5.0, 10.0, 15.0]
