"""Control flow, Python functions, assertions, random numbers and sparse tensors of graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.v1.contrib import lookup
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default() as made:
        yield made
    mode.eager = before


def run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


@pytest.mark.parametrize(("number", "expected"), [(5.0, 1.0), (-5.0, 0.0)])
def test_a_branch_changes_variables_only_when_it_is_taken(
    number: float, expected: float
) -> None:
    count = tf.Variable(0.0)
    x = tf.placeholder(tf.float32, [])
    done = tf.cond(x > 0, lambda: tf.group(tf.assign_add(count, 1.0)), tf.no_op)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(done, {x: number})
        assert session.run(count) == expected


def test_cond_takes_its_older_names() -> None:
    assert run(tf.cond(tf.constant(1) > 0, fn1=lambda: 2.0, fn2=lambda: 3.0)) == 2.0
    with pytest.raises(InvalidArgumentError, match="both"):
        tf.cond(tf.constant(True), lambda: 1, lambda: 2, fn1=lambda: 3)


def test_a_loop_grows_what_its_invariants_leave_open() -> None:
    sizes = [tf.TensorShape([]), tf.TensorShape([None, 2])]
    _, rows = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, a: (i + 1, tf.concat([a, a], 0)),
        [tf.constant(0), tf.ones([1, 2])],
        shape_invariants=sizes,
    )
    assert rows.get_shape().as_list() == [None, 2]
    assert run(rows).shape == (8, 2)


def test_gradients_flow_through_loops_and_arrays() -> None:
    x = tf.constant([1.0, 2.0])
    array = tf.TensorArray(tf.float32, size=3)
    _, array = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, a: (i + 1, a.write(i, x * tf.to_float(i))),
        [0, array],
    )
    (slope,) = tf.gradients(tf.reduce_sum(array.stack()), x)
    np.testing.assert_array_equal(run(slope), [3.0, 3.0])


def test_python_functions_get_arrays_and_may_return_nothing() -> None:
    seen: list[Any] = []
    x = tf.constant([1.0, 2.0])
    double = tf.py_func(lambda a: a * 2, [x], tf.float32)
    told = tf.py_func(seen.append, [x], [])
    text = tf.py_func(lambda a: a + b"!", [tf.constant("hi")], tf.string)
    found, _, said = run([double, told, text])
    np.testing.assert_array_equal(found, [2.0, 4.0])
    assert said == b"hi!"
    assert len(seen) == 1


def test_a_python_function_of_tensors_runs_them_at_once() -> None:
    total = tf.py_function(lambda a: tf.reduce_sum(a) * 2, [tf.ones([3])], tf.float32)
    assert run(total) == 6.0


def test_a_gradient_of_ones_own() -> None:
    @tf.custom_gradient
    def square(x: Any) -> Any:
        return tf.square(x), lambda dy: dy * 100.0

    x = tf.constant(3.0)
    y = square(x)
    assert run([y, *tf.gradients(y, x)]) == [9.0, 100.0]


def test_assertions_raise_when_they_run() -> None:
    x = tf.placeholder(tf.float32, [None])
    with tf.control_dependencies([tf.assert_less(x, 2.0, message="too much")]):
        y = tf.identity(x)
    assert run(y, {x: [1.0]}) == [1.0]
    with pytest.raises(InvalidArgumentError, match="too much"):
        run(y, {x: [3.0]})


def test_a_rank_that_is_known_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="rank"):
        tf.assert_rank(tf.ones([2]), 2)
    with pytest.raises(TypeError):
        tf.assert_type(tf.ones([2]), tf.int32)


def test_a_printed_tensor_passes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tf.Print(tf.constant(2.0), [tf.constant([1, 2, 3, 4])], "of: ")) == 2.0
    assert capsys.readouterr().err == "of: [1 2 3...]\n"


@pytest.mark.parametrize(
    ("summarize", "wanted"),
    [
        (None, "[[0 1 2]...][[a \\n\\377\\'][c...]...][? ?][0.333333343 1e+10][1 0]"),
        (0, "[...][...][...][...][...]"),
        (
            5,
            "[[0 1 2][3 4...]...][[a \\n\\377\\'][c \\\"]][? ?][0.333333343 1e+10][1 0]",
        ),
        (
            -1,
            "[[0 1 2][3 4 5]][[a \\n\\377\\'][c \\\"]][? ?][0.333333343 1e+10][1 0]",
        ),
    ],
)
def test_elements_are_printed_as_tensorflow_1_prints_them(
    summarize: int | None, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = [
        tf.reshape(tf.range(6), [2, 3]),
        tf.constant([[b"a", b"\n\xff'"], [b"c", b'"']]),
        tf.constant([1 + 2j, 3]),
        tf.constant([1 / 3, 1e10]),
        tf.constant([True, False]),
    ]
    run(tf.Print(1.0, data, summarize=summarize))
    assert capsys.readouterr().err == f"{wanted}\n"


def test_each_node_counts_how_often_it_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    x = tf.constant([2.0])
    first, second = tf.Print(x, [x], "a", 1), tf.Print(x, [x], "a", 1)
    slope = tf.gradients(tf.Print(x * x, [x], first_n=0), x)[0]
    with tf.Session() as session:
        for _ in range(2):
            session.run([first, second])
        assert session.run(slope) == 4.0
    assert capsys.readouterr().err == "a[2]\na[2]\n"


def test_printing_is_written_and_read(capsys: pytest.CaptureFixture[str]) -> None:
    tf.Print(tf.constant(2.0), [tf.constant([1, 2, 3])], "of: ", 1, 2, "shown")
    made: Any = tf.get_default_graph()
    proto = made.as_graph_def()
    node = {x.name: x for x in proto.node}["shown"]
    assert (node.op, len(node.input)) == ("Print", 2)
    assert (node.attr["first_n"].i, node.attr["summarize"].i) == (1, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        found: Any = tf.import_graph_def(proto, return_elements=["shown:0"])
        (again,) = found
        assert [session.run(again) for _ in range(2)] == [2.0, 2.0]
    assert capsys.readouterr().err == "of: [1 2...]\n"


def test_sessions_draw_from_the_beginning() -> None:
    x = tf.random_normal([3], seed=1)
    first, second = tf.Session(), tf.Session()
    numbers = first.run(x)
    assert not np.array_equal(numbers, first.run(x))
    np.testing.assert_array_equal(numbers, second.run(x))


def test_without_seeds_numbers_differ() -> None:
    x = tf.random_uniform([8])
    assert not np.array_equal(run(x), run(x))


def test_the_graphs_seed_is_enough() -> None:
    def drawn() -> Any:
        with tf.Graph().as_default():
            tf.set_random_seed(4)
            return run([tf.random_uniform([2]), tf.random_normal([2])])

    np.testing.assert_array_equal(drawn(), drawn())


def test_in_a_loop_every_turn_draws_anew() -> None:
    rows = tf.map_fn(lambda _: tf.random_uniform([], seed=3), tf.zeros([4]))
    assert len(set(run(rows).tolist())) == 4


def test_sparse_tensors_are_fed_and_fetched() -> None:
    sp = tf.sparse_placeholder(tf.float32, [None, 2], name="sp")
    value = tf.SparseTensorValue([[0, 1]], [3.0], [2, 2])
    dense, same = run([tf.sparse_tensor_to_dense(sp), sp], {sp: value})
    np.testing.assert_array_equal(dense, [[0, 3], [0, 0]])
    assert isinstance(same, tf.SparseTensorValue)
    assert (sp.values.name, sp.get_shape().as_list()) == ("sp/values:0", [None, None])


def test_strings_are_bytes() -> None:
    x = tf.placeholder(tf.string, [])
    assert run([tf.constant("a"), x], {x: "b"}) == [b"a", b"b"]


def test_older_orders_of_arguments() -> None:
    x = tf.ones([2, 4])
    joined, parts = run([tf.concat(1, [x, x]), tf.split(1, 2, x)])
    assert joined.shape == (2, 8)
    assert [part.shape for part in parts] == [(2, 2), (2, 2)]


def test_static_values() -> None:
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.get_static_value(tf.placeholder(tf.int32, [2])) is None
    assert tf.get_static_value(tf.shape(tf.ones([2, 3]))).tolist() == [2, 3]


def test_nests() -> None:
    made = tf.nest.map_structure(
        lambda x, y: x + y, {"a": 1, "b": (2,)}, {"a": 3, "b": (4,)}
    )
    assert made == {"a": 4, "b": (6,)}
    with pytest.raises(TypeError):
        tf.nest.assert_same_structure([1], (1,))


def test_dtypes_tell_what_they_hold() -> None:
    assert tf.float32.as_numpy_dtype is np.float32
    assert (tf.int8.min, tf.uint8.max, tf.bool.is_bool) == (-128, 255, True)
    assert tf.as_dtype("float") is tf.float32
    assert tf.as_dtype(1) is tf.float32
    assert tf.complex64.real_dtype is tf.float32
    assert tf.float32.base_dtype.is_compatible_with(np.float32)


def test_what_is_missing_is_told_with_what_is_near() -> None:
    with pytest.raises(AttributeError, match="near it are: reduce_sum"):
        tf.reduce_summ  # noqa: B018
    with pytest.raises(AttributeError, match=r"tf\.math\.sobol_sample"):
        tf.math.sobol_sample  # noqa: B018
    with pytest.raises(AttributeError, match=r"tf\.nn\.relu"):
        tf.relu  # noqa: B018


@tf.RegisterGradient("TestOfTens")
def _tens(op: Any, dy: Any) -> Any:
    return dy * op.inputs[0] * 10.0


def test_gradients_are_overridden_by_registered_ones(graph: Any) -> None:
    x = tf.constant([1.5, 2.5])
    names = {"Round": "Identity", "PyFunc": "TestOfTens"}
    with graph.gradient_override_map(names):
        rounded = tf.round(x)
        doubled = tf.py_func(lambda a: a * 2, [x], tf.float32)
    slopes = [tf.gradients(y, x)[0] for y in (rounded, doubled)]
    np.testing.assert_array_equal(run(slopes), [[1.0, 1.0], [15.0, 25.0]])


@tf.RegisterGradient("TestOfGuided")
def _guided(op: Any, dy: Any) -> Any:
    """Return what flows back only where both ways are positive, as pictures of networks use it."""
    kept = tf.logical_and(op.outputs[0] > 0.0, dy > 0.0)
    return tf.where(kept, dy, tf.zeros_like(dy))


def _weighted_relu() -> Any:
    """Return a placeholder and elements that flow both up and down."""
    x = tf.placeholder(tf.float32, [3], name="x")
    tf.multiply(tf.nn.relu(x, name="relu"), [1.0, 2.0, -3.0], name="y")
    return x


def test_nodes_bear_the_names_of_their_own_gradients(graph: Any) -> None:
    with graph.gradient_override_map({"Relu": "TestOfGuided"}):
        x = _weighted_relu()
    node = graph.get_operation_by_name("relu")
    assert node.type == "Relu"
    assert node.get_attr("_gradient_op_type") == b"TestOfGuided"
    exported = {x.name: x for x in tf.train.export_meta_graph().graph_def.node}
    assert exported["relu"].attr["_gradient_op_type"].s == b"TestOfGuided"
    dx = tf.gradients(graph.get_tensor_by_name("y:0"), x)[0]
    np.testing.assert_array_equal(run(dx, {x: [2.0, -1.0, 2.0]}), [1.0, 0.0, 0.0])


@pytest.mark.parametrize("is_given", [True, False])
def test_graph_defs_are_read_with_own_gradients(graph: Any, is_given: bool) -> None:
    """By what stands around their reading, or by what they say themselves."""
    names = {"Relu": "TestOfGuided"}
    other = tf.Graph()
    around = other.gradient_override_map({} if is_given else names)
    with other.as_default(), around:
        _weighted_relu()
    with graph.gradient_override_map(names if is_given else {}):
        found = tf.import_graph_def(
            other.as_graph_def(), return_elements=["x:0", "y:0"], name="read"
        )
    assert found is not None
    dx = tf.gradients(found[1], found[0])[0]
    np.testing.assert_array_equal(
        run(dx, {"read/x:0": [2.0, -1.0, 2.0]}), [1.0, 0, 0]
    )


def test_branches_have_own_gradients(graph: Any) -> None:
    x = tf.constant([2.0, -1.0, 2.0])
    with graph.gradient_override_map({"Relu": "TestOfGuided"}):
        y = tf.cond(
            x[0] > 0.0, lambda: tf.nn.relu(x) * [1.0, 2.0, -3.0], lambda: x * 0.0
        )
    np.testing.assert_array_equal(run(tf.gradients(y, x)[0]), [1.0, 0.0, 0.0])


def test_tables_are_filled_by_their_initializer(tmp_path: Any) -> None:
    words = tmp_path / "words.txt"
    words.write_text("a\nb\nc\n")
    numbers = lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
    of_file = lookup.index_table_from_file(str(words))
    strings = lookup.index_to_string_table_from_tensor(["x", "y"])
    changing = lookup.MutableHashTable(tf.string, tf.int64, -1)
    found = [
        numbers.lookup(["b", "zz"]),
        of_file.lookup(tf.constant(["c", "d"])),
        strings.lookup(tf.constant([1, 7], tf.int64)),
    ]
    insert, read = changing.insert(["a"], [3]), changing.lookup(["a", "b"])
    with tf.Session() as session:
        with pytest.raises(FailedPreconditionError, match="not initialized"):
            session.run(found[0])
        session.run(tf.tables_initializer())
        first, second, third = session.run(found)
        session.run(insert)
        fourth = session.run(read)
    assert (first.tolist(), second.tolist()) == ([1, 2], [2, -1])
    assert (third.tolist(), fourth.tolist()) == ([b"y", b"UNK"], [3, -1])


def test_a_key_has_one_value() -> None:
    filler = tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2])
    tf.lookup.StaticHashTable(filler, -1)
    with pytest.raises(InvalidArgumentError, match="different value for same key"):
        run(tf.tables_initializer())


def test_rows_of_variables_change() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for changed, expected in (
            (tf.scatter_update(v, [0], [9.0]), [9, 2, 3]),
            (tf.scatter_add(v, 1, 1.0), [9, 3, 3]),
            (tf.scatter_mul(v, [2, 2], [2.0, 3.0]), [9, 3, 18]),
            (tf.scatter_nd_sub(v, [[1]], [1.0]), [9, 2, 18]),
        ):
            assert session.run(changed).tolist() == expected


def test_tapes_work_in_graphs() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert run(tape.gradient(y, x)) == 6.0


def test_linear_operators_are_their_matrices() -> None:
    lower = tf.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 3.0]])
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    both = tf.linalg.LinearOperatorBlockDiag([lower, diagonal])
    update = tf.linalg.LinearOperatorLowRankUpdate(diagonal, [[1.0], [2.0]], [2.0])
    solved, size, dense, moved = run(
        [
            lower.solvevec([1.0, 2.0]),
            both.determinant(),
            update.to_dense(),
            tf.linalg.LinearOperatorIdentity(2).matmul([[1.0], [2.0]]),
        ]
    )
    np.testing.assert_allclose(solved, [0.5, 0.5])
    np.testing.assert_allclose(size, 12.0, 1e-6)
    np.testing.assert_array_equal(dense, [[3, 4], [4, 10]])
    np.testing.assert_array_equal(moved, [[1], [2]])
    assert both.shape.as_list() == [4, 4]


def test_where_is_of_the_shape_of_its_tensors_though_the_condition_is_of_none() -> (
    None
):
    condition = tf.placeholder(tf.bool)
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.placeholder(tf.float32, [4, None])
    chosen = tf.where(condition, x, y)
    assert chosen.shape.as_list() == [4, None]  # as TensorFlow 1.15 says
    zeros, ones = np.zeros((4, 2)), np.ones((4, 2))
    for given in (True, [True, False, True, False], zeros < ones):
        found = run(chosen, {condition: given, x: zeros, y: ones})
        column = np.reshape(given, (-1, 1)) if np.ndim(given) == 1 else given
        np.testing.assert_array_equal(found, np.where(column, zeros, ones))
