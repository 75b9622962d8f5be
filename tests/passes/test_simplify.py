"""Rules of algebra: what each leaves of a graph, and what none of them may touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.math.arithmetic import AddV2
from tensorlite.passes import simplify as rules
from tensorlite.passes.prune import prune
from tensorlite.passes.rewrite import Rules, apply, rewrite, rule
from tensorlite.passes.simplify import simplify
from tensorlite.passes.verify import verify
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.programs import FLOAT, INT, collatz, graph_of

raw = tl.raw_ops
MATRIX = tl.TensorSpec((2, 3))
OPEN = tl.TensorSpec((None, 3))


def kinds(graph: Graph) -> dict[str, int]:
    """Return how many nodes of each operator do something in a graph."""
    names = Counter(node.op.name for node in prune(verify(graph)).nodes)
    del names["Placeholder"]
    names.pop("Const", None)
    return dict(names)


CASES: dict[str, tuple[Callable[..., Any], dict[str, int]]] = {
    "x + 0": (lambda x: x + 0.0, {}),
    "0 + x": (lambda x: 0.0 + x, {}),
    "x - 0": (lambda x: x - 0.0, {}),
    "0 - x": (lambda x: 0.0 - x, {"Neg": 1}),
    "x * 1": (lambda x: x * 1.0, {}),
    "x / 1": (lambda x: x / 1.0, {}),
    "-(-x)": (lambda x: -(tl.negative(x)), {}),
    "x + -x": (lambda x: x + -x, {"Sub": 1}),
    "-x + x": (lambda x: -x + x, {"Sub": 1}),
    "x - -x": (lambda x: x - -x, {"AddV2": 1}),
    "identity": (lambda x: tl.identity(tl.identity(x)), {}),
    "add_n of one": (lambda x: tl.add_n([x]), {}),
    "add_n of two": (lambda x: tl.add_n([x, x * 2.0]), {"Mul": 1, "AddV2": 1}),
    "end of an index": (
        lambda x: raw.StridedSlice(
            x=x,
            begin=tl.stack([tl.argmax(x[:, 0]), 0]),
            end=tl.stack([tl.argmax(x[:, 0]) + 1, 0]),
            strides=tl.constant([1, 1], tl.int64),
            begin_mask=0,
            ellipsis_mask=0,
            new_axis_mask=0,
            shrink_axis_mask=1,
            end_mask=2,
        ),
        {"ArgMax": 1, "Cast": 1, "Reshape": 1, "Pack": 1, "StridedSlice": 2},
    ),
    "transpose twice": (
        lambda x: tl.permute_dims(tl.permute_dims(x, (1, 0)), (1, 0)),
        {},
    ),
    "reshape twice": (
        lambda x: tl.reshape(tl.reshape(x, (6,)), (3, 2)),
        {"Reshape": 1},
    ),
    "reshape back": (lambda x: tl.reshape(tl.reshape(x, (6,)), (2, 3)), {}),
    "broadcast to itself": (lambda x: tl.broadcast_to(x, (2, 3)), {}),
    "sum over nothing": (lambda x: tl.sum(x, axis=()), {}),
    "cast wider twice": (
        lambda x: tl.astype(tl.astype(x, tl.float64), tl.complex128),
        {"Cast": 1},
    ),
    "cast wider and back": (
        lambda x: tl.astype(tl.astype(x, tl.float64), tl.float32),
        {},
    ),
    "cast narrower and back": (
        lambda x: tl.astype(tl.astype(x, tl.float16), tl.float32),
        {"Cast": 2},
    ),
    "x * 0": (lambda x: x * 0.0, {"Mul": 1}),
    "x / x": (lambda x: x / x, {"RealDiv": 1}),
    "x - x": (lambda x: x - x, {"Sub": 1}),
    "zeros that stretch": (
        lambda x: x + tl.zeros((4, 2, 3)),
        {"Fill": 1, "AddV2": 1},
    ),
    "where true": (
        lambda x: tl.where(tl.ones((2, 3), dtype=tl.bool), x, x * 2.0),
        {},
    ),
    "product of a transpose": (
        lambda x: tl.matmul(tl.permute_dims(x, (1, 0)), x),
        {"MatMul": 1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_left(name: str) -> None:
    function, left = CASES[name]
    graph = graph_of(function, [MATRIX])
    simple = simplify(graph)
    assert kinds(simple) == left
    x = np.asarray([[1, -2, np.nan], [np.inf, 0, 5]], np.float32)
    if "product" in name or "cast" in name:
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with np.errstate(all="ignore"):
        (expected,), (found,) = (
            run_plan(compile_plan(g), [x]) for g in (graph, simple)
        )
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_unknown_sizes_keep_what_might_stretch() -> None:
    graph = graph_of(lambda x, y: (x + tl.zeros((1, 3)), y * 1.0), [OPEN, OPEN])
    assert kinds(simplify(graph)) == {"Fill": 1, "AddV2": 1}


def test_a_rule_keeps_line_name_and_device() -> None:
    def program(x: tl.Tensor) -> tl.Tensor:
        with tl.name_scope("here"), tl.device("/device:CPU:0"):
            return 0.0 - x

    graph = graph_of(program, [FLOAT])
    (node,) = [n for n in simplify(graph).nodes if n.op.name == "Neg"]
    assert node.name.startswith("here/Sub")
    assert node.line == graph.outputs[0].node.line
    assert str(node.device) == "/device:CPU:0"


def test_inner_graphs_are_simplified_too() -> None:
    graph = simplify(graph_of(lambda n: collatz(n * 1 + 0), [INT]))
    assert kinds(graph) == {"While": 1}
    assert graph.nodes[-1].op.regions()[1] is not None


def test_rules_that_run_in_circles_are_told() -> None:
    table: Rules = {}

    @rule(table, AddV2)
    def exchange(node: Node) -> SymbolicTensor | None:
        """Rewrite x + y -> y + x."""
        return apply(node, AddV2(), *reversed(node.inputs))

    with pytest.raises(GraphError, match="'exchange' applies without end"):
        rewrite(graph_of(lambda x, y: x + y, [FLOAT, FLOAT]), table)


def test_every_rule_says_before_and_after() -> None:
    found = {one for listed in rules.RULES.values() for one in listed}
    assert len(found) >= 14
    assert all("->" in (one.__doc__ or "") for one in found)


def test_what_is_known_of_a_value_does_not_hide_that_it_may_be_dead() -> None:
    graph, w = tl.Graph(), tl.Variable(0.0)
    with graph.as_default():
        taken = tl.placeholder(tl.bool, ())
        x = tl.placeholder(tl.float32, (2,))
        no, yes = tl.raw_ops.Switch(data=x, pred=taken)
        with tl.control_dependencies([tl.identity(yes)]):
            write = w.assign_add(1.0)
        size = tl.astype(
            tl.raw_ops.Shape(x=yes), tl.float32
        )  # known, and dead all the same
        merged, _ = tl.raw_ops.Merge(inputs=[size, no])
    session = tl.Session(graph)
    fed = np.asarray([5.0, 6.0], np.float32)
    np.testing.assert_array_equal(
        session.run(merged, {taken: False, x: fed}), [5.0, 6.0]
    )
    np.testing.assert_array_equal(session.run(merged, {taken: True, x: fed}), [2.0])
    with pytest.raises(tl.errors.InvalidArgumentError, match="dead"):
        session.run(write, {taken: False, x: fed})
    assert w.item() == 0.0
    session.run(write, {taken: True, x: fed})
    assert w.item() == 1.0
