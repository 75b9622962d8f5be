"""tf.contrib.graph_editor: what is found in graphs, copied, and connected otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import (
    DTypeError,
    GraphError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
ge = tf.contrib.graph_editor


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def small() -> dict[str, Any]:
    """Return the tensors of a graph: c = a + b, e = c * d, f = c + d, g = e + f behind c."""
    a = tf.constant(1.0, name="a")
    with tf.name_scope("foo"):
        b = tf.constant(2.0, name="b")
        c = tf.add(a, b, name="c")
        d = tf.constant(5.0, name="d")
        with tf.name_scope("bar"):
            e = tf.multiply(c, d, name="e")
            f = tf.add(c, d, name="f")
            with tf.control_dependencies([b.op]):
                g = tf.add(e, f, name="g")
    return {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g}


def names(found: Any) -> list[str]:
    return [x.name.rpartition("/")[2] for x in found]


def test_walks_go_forward_and_back() -> None:
    x = small()
    assert names(ge.get_forward_walk_ops(x["c"].op)) == ["c", "e", "f", "g"]
    assert names(ge.get_forward_walk_ops([x["c"]], stop_at_ts=[x["e"]])) == [
        "e",
        "f",
        "g",
    ]
    assert names(ge.get_forward_walk_ops(x["e"].op, inclusive=False)) == ["g"]
    assert names(ge.get_backward_walk_ops(x["c"])) == ["c", "a", "b"]
    assert names(ge.get_backward_walk_ops(x["g"], stop_at_ts=[x["c"]])) == list(
        "gefd"
    )
    inside = ge.get_backward_walk_ops([x["g"].op], within_ops=[x["g"].op, x["e"].op])
    assert names(inside) == ["g", "e"]
    assert "b" in names(
        ge.get_backward_walk_ops(x["g"], control_inputs=True, stop_at_ts=[x["c"]])
    )
    assert names(ge.get_walks_intersection_ops(x["c"].op, x["f"].op)) == ["c", "f"]
    assert set(names(ge.get_walks_union_ops(x["e"].op, x["c"].op))) == set("egcab")
    assert names(ge.get_ops_ios([x["c"].op])) == ["a", "b", "e", "f"]


def test_elements_are_found_by_name() -> None:
    x = small()
    graph = tf.get_default_graph()
    assert names(ge.select_ops("^foo/bar/.*", graph=graph)) == ["e", "f", "g"]
    assert names(ge.select_ts("[ab]:0$", graph=graph)) == ["a:0", "b:0"]
    assert names(ge.get_name_scope_ops(graph, "foo/bar")) == ["e", "f", "g"]
    assert names(ge.filter_ops_from_regex([x["e"].op, x["f"].op], "e$")) == ["e"]
    assert names(ge.filter_ts_from_regex(graph, "foo/c")) == ["c:0"]
    assert names(ge.filter_ts([x["e"].op], True)) == ["c:0", "d:0", "e:0"]
    assert names(ge.get_consuming_ops([x["c"], x["d"]])) == ["e", "f"]
    assert names(ge.get_generating_ops([x["c"], x["d"]])) == ["c", "d"]
    assert len(ge.get_tensors(graph)) == 7
    assert ge.ControlOutputs(graph).get(x["b"].op) == [x["g"].op]
    with pytest.raises(InvalidArgumentError, match="graph"):
        ge.select_ops("a")
    with pytest.raises(DTypeError):
        ge.make_list_of_op([x["a"]])


def test_parts_have_tensors_at_their_boundaries() -> None:
    x = small()
    part = ge.sgv(x["c"].op, x["e"].op)
    assert (names(part.inputs), names(part.outputs)) == (
        ["a:0", "b:0", "d:0"],
        ["c:0", "e:0"],
    )
    assert names(part.remap_outputs([1]).outputs) == ["e:0"]
    whole = ge.sgv(tf.get_default_graph())
    assert (names(whole.inputs), names(whole.outputs)) == ([], ["g:0"])
    assert names(ge.sgv_scope("foo/bar", tf.get_default_graph()).ops) == [
        "e",
        "f",
        "g",
    ]
    assert names(part.remap_outputs([0]).remove_unused_ops().ops) == ["c"]
    inputs, outputs, inner = ge.compute_boundary_ts([x["e"].op, x["f"].op, x["g"].op])
    assert (names(inputs), names(outputs)) == (["c:0", "d:0"], ["g:0"])
    assert names(inner) == ["e:0", "f:0"]


def test_targets_are_computed_with_other_tensors() -> None:
    x = small()
    g, f = ge.graph_replace(
        [x["g"], x["f"]], {x["c"]: x["c"] * 10.0}, dst_scope="new"
    )
    assert g.op.name == "new/foo/bar/g"
    assert run([x["g"], g, f]) == [23.0, 185.0, 35.0]
    assert (
        ge.graph_replace(x["g"], {x["d"]: tf.constant(0.0)}).op.name == "foo/bar/g_1"
    )
    with pytest.raises(InvalidArgumentError, match="not connected"):
        ge.graph_replace(x["a"], {x["d"]: x["c"]})


def test_targets_go_through_branches_loops_and_gradients() -> None:
    x = tf.constant(3.0)
    y = tf.cond(x > 2.0, lambda: x * x, lambda: -x)
    _, z = tf.while_loop(lambda i, _: i < 2, lambda i, v: (i + 1, v * x), [0, y])
    (dx,) = tf.gradients(z, x)
    new = ge.graph_replace({"z": z, "dx": dx}, {x: tf.constant(1.5)})
    assert run([z, dx, new["z"]]) == [81.0, 108.0, pytest.approx(-3.375)]
    w = tf.Variable(2.0)
    seen = w.value()
    other = ge.graph_replace(seen * seen, {seen: tf.constant(5.0)})
    assert run(other) == 25.0


def test_parts_are_copied_to_the_same_graph_or_another() -> None:
    x = small()
    copied, info = ge.copy_with_input_replacements(
        ge.sgv([x["e"].op, x["g"].op]), {x["d"]: tf.constant(7.0)}
    )
    assert names(copied.ops) == ["e_1", "g_1"]
    assert info.transformed(x["g"]) in copied.outputs
    assert info.original(copied.ops[0]) is x["e"].op
    assert info.transformed(x["a"]) is None
    assert run(info.transformed(x["g"])) == 29.0
    other = tf.Graph()
    _, info = ge.copy(ge.sgv(x["c"].op), other, dst_scope="there", src_scope="foo")
    inputs = tf.contrib.framework.get_placeholders(other)
    c = info.transformed(x["c"])
    assert (c.op.name, [t.op.name for t in inputs]) == (
        "there/c",
        ["there/geph__a_0", "there/geph__b_0"],
    )
    with tf.Session(graph=other) as session:
        assert session.run(c, dict(zip(inputs, [4.0, 5.0], strict=True))) == 9.0


def test_a_graph_with_branches_is_copied_whole() -> None:
    choice = tf.placeholder(tf.bool, [])
    result = tf.cond(choice, lambda: tf.constant(1), lambda: tf.constant(2))
    other = tf.Graph()
    _, info = ge.copy(tf.get_default_graph(), other, dst_scope="imported")
    with tf.Session(graph=other) as session:
        fed = {info.transformed(choice): True}
        assert session.run(info.transformed(result), fed) == 1
    inside = [
        op for op in tf.get_default_graph().get_operations() if "switch_t" in op.name
    ]
    with pytest.raises(UnimplementedError, match="as a whole"):
        ge.copy_with_input_replacements(ge.sgv(inside), {})


def test_uses_of_tensors_move() -> None:
    x = small()
    assert ge.reroute_ts([x["a"]], [x["b"]], can_modify=[x["c"].op]) == 1
    assert names(x["c"].op.inputs) == ["a:0", "a:0"]
    later = tf.constant(10.0, name="later")
    assert (
        ge.reroute_ts([later], [x["d"]]) == 2
    )  # which is made behind what takes it now
    assert run(x["g"]) == 2 * 10 + 12
    assert ge.swap_ts([x["e"]], [x["f"]]) == 2
    assert names(x["g"].op.inputs) == ["f:0", "e:0"]
    with pytest.raises(GraphError, match="behind itself"):
        ge.reroute_ts([x["g"]], [x["c"]])
    assert run(x["g"]) == 32
    with pytest.raises(DTypeError):
        ge.reroute_ts([tf.constant(1)], [x["c"]])
    with pytest.raises(InvalidArgumentError, match="sizes"):
        ge.reroute_ts([x["a"], x["b"]], [x["c"]])


def test_parts_are_connected() -> None:
    first = tf.constant(3.0, name="first")
    second = tf.negative(tf.constant(1.0, name="dropped"), name="second")
    ge.connect(ge.sgv(first.op), ge.sgv(second.op))
    assert run(second) == -3.0
    a, b = tf.abs(tf.constant(-5.0)), tf.sqrt(tf.constant(16.0))
    ge.swap_inputs(a.op, b.op)
    assert run(a) == 16.0
    one, two = tf.constant(1.0), tf.constant(2.0)
    users = [one + 0.5, two + 0.25]
    ge.swap_outputs(one.op, two.op)
    assert run(users) == [2.5, 1.25]


def test_operations_wait_for_others() -> None:
    v = tf.Variable(0.0)
    read = tf.identity(v.value() * 1.0, name="read")
    write = v.assign(4.0)
    ge.add_control_inputs(read.op, [write.op])
    assert read.op.control_inputs == [write.op]
    with pytest.raises(InvalidArgumentError, match="already"):
        ge.add_control_inputs(read.op, write.op)
    with pytest.raises(GraphError, match="behind itself"):
        ge.add_control_inputs(write.op.inputs[1].op, [read.op])
    ge.remove_control_inputs(read.op, [write.op])
    assert read.op.control_inputs == []
    with pytest.raises(InvalidArgumentError, match="is not a control_input"):
        ge.remove_control_inputs(read.op, [write.op])


def test_what_is_between_checkpoints_is_computed_again_for_gradients() -> None:
    """As programs do that trade computing for memory."""
    x = tf.constant(np.linspace(0.1, 1.0, 4), tf.float32)
    kept = tf.sin(x, name="kept")
    inner = tf.exp(tf.cos(kept, name="inner"), name="last")
    y = tf.reduce_sum(inner)
    held = tf.stop_gradient(kept)
    between = ge.get_backward_walk_ops(y.op, stop_at_ts=[kept])
    copied, info = ge.copy_with_input_replacements(ge.sgv(between), {})
    ge.reroute_ts([held], [kept], can_modify=copied.ops)
    dy = tf.gradients(info.transformed(y), held)[0]
    again = tf.gradients(kept, x, grad_ys=dy)[0]
    found, wanted = run([again, tf.gradients(y, x)[0]])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_placeholders_stand_for_tensors() -> None:
    x = small()
    assert ge.ph(tf.float32, [2], scope="s").op.name == "s/geph"
    made = ge.make_placeholder_from_tensor(x["c"])
    assert (made.op.name, made.dtype) == ("foo/geph__c_0", tf.float32)
