"""Which branches and loops graphs note, so that TensorFlow 1 takes gradients of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.op import Role
from tensorlite.interop.tensorflow import from_graphdef, load_meta_graph, to_graphdef
from tensorlite.interop.tensorflow.stored.contexts import (
    BranchInfo,
    ContextInfo,
    LoopInfo,
    context_info,
    context_proto,
)
from tensorlite.interop.tensorflow.writers.nesting import contexts_of
from tensorlite.interop.tensorflow.writers.primitives import as_primitives
from tests.interop.graphdefs import Program, Session
from tests.interop.test_raising import chosen, diamond, powers

FILE = Path(__file__).parent / "data" / "graphs" / "contexts.meta"
KEYS = ("cond_context", "while_context")


def structure(info: ContextInfo) -> tuple[Any, ...]:
    """Return what gradients are taken by, but for the names that branches have."""
    nested = tuple(map(structure, info.nested))
    inner = frozenset(info.external_values.values())
    if isinstance(info, BranchInfo):
        return info.pred_name, info.pivot_name, info.branch, nested
    return (
        *(info.context_name, info.parallel_iterations, info.pivot_name),
        *(info.pivot_for_pred_name, info.pivot_for_body_name),
        *(info.loop_exit_names, info.loop_enter_names, inner, nested),
    )


def test_what_is_found_is_what_tensorflow_noted() -> None:
    meta = load_meta_graph(FILE)
    found = contexts_of(meta.graph_def)
    for key in KEYS:
        wanted = meta.collections[key]
        assert [structure(x) for x in found[key]] == [structure(x) for x in wanted]
        for mine, its in zip(found[key], wanted, strict=True):
            outside = set(its.external_values)
            assert set(its.values) - outside <= set(mine.values)


def test_notes_are_written_as_they_were_read() -> None:
    meta = load_meta_graph(FILE)
    for key, kind in zip(KEYS, (BranchInfo, LoopInfo), strict=True):
        for info in meta.collections[key]:
            data = context_proto(info).SerializeToString()
            assert context_info(data, kind) == info


def test_a_graph_without_control_flow_has_no_notes() -> None:
    made = Program()
    made.floats("x", 1.0)
    assert contexts_of(made.proto) == {}


def test_what_lacks_a_part_is_not_noted() -> None:
    made = chosen()
    diamond(made)
    assert contexts_of(made.proto) == {}
    found = contexts_of(powers().proto)
    (loop,) = found["while_context"]
    assert loop.context_name == "loop"


def test_loops_that_pass_nothing_on_in_a_turn_are_noted() -> None:
    """As those that TensorFlow makes of gradients, which begin by counting down."""
    made = powers()
    for node in made.proto.node:
        if node.name.endswith("/Identity"):
            node.op = "Neg"
    (loop,) = contexts_of(made.proto)["while_context"]
    assert isinstance(loop, LoopInfo)
    assert loop.pivot_for_body_name in {"i/Identity:0", "y/Identity:0"}


def named(x: Any) -> str:
    assert isinstance(x, tl.SymbolicTensor)
    return x.name


def loops_and_branches() -> tuple[tl.Graph, list[str]]:
    """Return a graph, and the names of what to feed and to fetch: x, n and y."""
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, (2,))
        n = tl.placeholder(tl.int32, ())

        def turn(i: tl.Tensor, y: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            z = tl.cond(i > 1, lambda: y * 0.5, lambda: y + x)
            inner = tl.while_loop(
                lambda j, z: j < i, lambda j, z: (j + 1, tl.sin(z) * x), (0, z)
            )
            return i + 1, inner[1]

        y = tl.identity(tl.while_loop(lambda i, y: i < n, turn, (0, x))[1])
    return graph, [x.name, n.name, named(y)]


def test_primitives_give_what_regions_do() -> None:
    graph, (x, n, y) = loops_and_branches()
    made = as_primitives(graph)
    roles = {node.op.role for node in made.nodes}
    assert not roles & {Role.IF, Role.WHILE}
    names = {node.name for node in made.nodes}
    assert len(names) == len(made.nodes)
    assert {one.removesuffix(":0") for one in (x, n, y)} <= names
    again = from_graphdef(to_graphdef(made).SerializeToString())
    for turns in (0, 1, 4):
        feeds = {x: np.array([1.0, 2.0], np.float32), n: turns}
        wanted = Session(graph).run(y, feeds)
        np.testing.assert_allclose(Session(again).run(y, feeds), wanted, rtol=1e-6)


def test_primitives_are_noted_one_in_another() -> None:
    found = contexts_of(to_graphdef(as_primitives(loops_and_branches()[0])))
    assert list(found) == ["while_context"]
    (loop,) = found["while_context"]
    assert isinstance(loop, LoopInfo)
    assert sorted(type(one).__name__ for one in loop.nested) == [
        "BranchInfo",
        "BranchInfo",
        "LoopInfo",
    ]
    assert {x.branch for x in loop.nested if isinstance(x, BranchInfo)} == {0, 1}


def test_a_switch_is_of_one_branch_and_a_variable_used_once() -> None:
    made = as_primitives(loops_and_branches()[0])
    used = [id(x) for node in made.nodes for x in node.inputs]
    for node in made.nodes:
        if node.op.role is Role.SWITCH and node.inputs[0] is not node.inputs[1]:
            times = [used.count(id(x)) for x in node.outputs]
            loops = node.inputs[1].node.op.role is Role.LOOP_COND
            assert times[1] <= 1 if loops else 0 in times


@pytest.mark.parametrize("turns", [0, 3])
def test_the_false_branch_stands_first(turns: int) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        y = tl.identity(tl.cond(x > 0.0, lambda: x * 2.0, lambda: -x))
    made = as_primitives(graph)
    merges = [node for node in made.nodes if node.op.role is Role.MERGE]
    assert merges[0].inputs[0].node.op.name == "Neg"
    assert float(Session(made).run(named(y), {x.name: turns})) == 2.0 * turns


def test_results_of_branches_and_loops_keep_their_names() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        one = tl.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
        two = tl.cond(x > 0.0, lambda: (x, x + 1.0), lambda: (-x, x))
        more = tl.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))
    names = [named(y) for y in (one, *two, *more)]
    again = from_graphdef(to_graphdef(as_primitives(graph)).SerializeToString())
    wanted = Session(graph).run(names, {x.name: 2.0})
    assert Session(again).run(names, {x.name: 2.0}) == wanted
