"""What TensorFlow's own unit tests found; what is expected is what TensorFlow 1.15 gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [((), [[]]), ([], [[]]), ((2, 3), [[2, 3]]), ([[2]], [[2]])],
)
def test_the_shape_of_one_component_may_stand_bare(
    shapes: Any, expected: Any
) -> None:
    queue = tf.FIFOQueue(10, [tf.float32], shapes=shapes)
    assert [shape.as_list() for shape in queue.shapes] == expected


def test_templates_make_their_variables_once() -> None:
    scaled = tf.make_template(
        "scaled",
        lambda x, by: x * tf.get_variable("w", [], initializer=by),
        by=tf.ones_initializer(),
    )
    first, second = scaled(2.0), scaled(3.0)
    other = tf.make_template("scaled", lambda x: x * tf.get_variable("w", []))
    other(1.0)
    assert [v.name for v in tf.global_variables()] == ["scaled/w:0", "scaled_1/w:0"]
    assert (first.op.name, second.op.name) == ("scaled/mul", "scaled_1/mul")
    assert [v.name for v in scaled.variables] == ["scaled/w:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([first, second]) == [2.0, 3.0]


def test_scopes_of_templates_may_be_made_at_once() -> None:
    late = tf.make_template("a", lambda: tf.get_variable("w", []))
    early = tf.make_template(
        "a", lambda: tf.get_variable("w", []), create_scope_now_=True
    )
    named = tf.make_template("b", lambda: tf.get_variable("w", []), unique_name_="c")
    with tf.variable_scope("outer"):
        assert [f().name for f in (late, early, named)] == [
            "outer/a/w:0",
            "a/w:0",
            "outer/c/w:0",
        ]
    assert early.variable_scope.name == "a"


def test_a_template_that_trains_new_variables_is_refused() -> None:
    wrong = tf.make_template("wrong", lambda: tf.Variable(1.0))
    wrong()
    with pytest.raises(
        ValueError, match="Trainable variable created when calling a template"
    ):
        wrong()


def test_datasets_of_contrib() -> None:
    data = tf.contrib.data
    threads = tf.placeholder(tf.int32, [])
    made = data.Dataset.range(7).map(
        lambda x: x * x, num_threads=threads, output_buffer_size=2
    )
    batches = made.apply(data.batch_and_drop_remainder(3))
    assert batches.output_shapes.as_list() == [3]
    iterator = data.Iterator.from_dataset(batches)
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer, {threads: 2})
        np.testing.assert_array_equal(session.run(element), [0, 1, 4])
        np.testing.assert_array_equal(session.run(element), [9, 16, 25])
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_accumulators() -> None:
    mean = tf.ConditionalAccumulator(tf.float32, [2], name="mean")
    rows = tf.SparseConditionalAccumulator(tf.float32, shape=(), name="rows")
    puts = [mean.apply_grad([1.0, 2.0]), mean.apply_grad([3.0, 4.0])]
    put = rows.apply_indexed_slices_grad(
        tf.IndexedSlices([[2.0]], tf.constant([1], tf.int64))
    )
    with tf.Session() as session:
        session.run(puts)
        session.run(put)
        np.testing.assert_array_equal(session.run(mean.take_grad(2)), [2.0, 3.0])
        slices = session.run(rows.take_indexed_slices_grad(1))
    np.testing.assert_array_equal(slices.values, [[2.0]])
    np.testing.assert_array_equal(slices.indices, [1])


def test_messages_are_compared_with_their_text() -> None:
    queue = tf.FIFOQueue(1, tf.float32, shared_name="S")
    attributes = queue.queue_ref.op.node_def.attr
    tf.test.TestCase().assertProtoEquals("s: 'S'", attributes["shared_name"])
    with pytest.raises(AssertionError):
        tf.test.TestCase().assertProtoEquals("s: 'T'", attributes["shared_name"])


def test_averages_are_named_below_the_scope_and_restored() -> None:
    with tf.variable_scope("a"):
        v = tf.Variable(1.0, name="v")
        tensor = tf.add(v, 1.0, name="sum")
    with tf.variable_scope("b"):
        averages = tf.train.ExponentialMovingAverage(0.5, name="avg")
        assert averages.average_name(v) == "b/a/v/avg"
        averages.apply([v, tensor])
    assert averages.average(v).op.name == averages.average_name(v) == "b/a/v/avg"
    assert sorted(averages.variables_to_restore()) == ["b/a/sum/avg", "b/a/v/avg"]


def test_texts_of_python_functions_are_bytes() -> None:
    text = tf.py_func(lambda: "u", [], tf.string)
    texts = tf.py_func(lambda x: [x.decode() + "!"], [tf.constant("k")], [tf.string])
    with tf.Session() as session:
        assert session.run([text, texts]) == [b"u", [b"k!"]]


def test_texts_that_sessions_return_are_bytes() -> None:
    queue = tf.FIFOQueue(2, [tf.string], [[]])
    put, took = queue.enqueue_many([["a", "b"]]), queue.dequeue_many(2)
    variable = tf.Variable("q")
    element = (
        tf.data.Dataset.from_tensor_slices(["m"]).make_one_shot_iterator().get_next()
    )
    with tf.Session() as session:
        session.run([variable.initializer, put])
        found = session.run([took, variable, element])
        assert [found[0].tolist(), *found[1:]] == [[b"a", b"b"], b"q", b"m"]
        assert session.run(variable.assign("z")) == b"z"


def test_values_stay_in_a_session_by_their_handles() -> None:
    product = tf.constant(10) * tf.constant(5)
    keep = tf.get_session_handle(product)
    with tf.Session() as session:
        handle, value = session.run([keep, product])
        assert (handle.eval(), value) == (50, 50)
        holder, kept = tf.get_session_tensor(handle.handle, tf.int32)
        more = tf.get_session_handle(kept + 1)
        for _ in range(3):
            handle = session.run(more, {holder: handle.handle})
        assert handle.eval() == 53
        assert session.run(product + 1, {product: handle}) == 54
        raw = handle.get_raw_handle()
        del handle
        assert session.run(kept, {holder: raw}) == 53
        gone, delete = tf.delete_session_tensor(raw)
        session.run(delete, {gone: raw})
        with pytest.raises(tf.errors.InvalidArgumentError, match="session store"):
            session.run(kept, {holder: raw})


def test_shape_invariants_of_what_has_several_tensors() -> None:
    slices = tf.IndexedSlices(
        tf.constant([[2.0, 4.0], [3.0, 5.0]]),
        tf.constant([0, 3]),
        tf.constant([10, 2]),
    )
    sparse = tf.SparseTensor([[0], [3]], [2.0, 4.0], [10])
    pair = [tf.constant([1.0]), slices]

    def more(i: Any, x: Any, y: Any, z: Any) -> Any:
        grown = [tf.concat([z[0], [2.0]], 0), z[1]]
        doubled = tf.IndexedSlices(x.values * 2.0, x.indices, x.dense_shape)
        return [
            i + 1,
            doubled,
            tf.SparseTensor(y.indices, -y.values, y.dense_shape),
            grown,
        ]

    shapes = [[], [None, 2], [1], [[None], [None, 2]]]
    _, x, y, z = tf.while_loop(
        lambda i, *_: i < 3, more, [tf.constant(0), slices, sparse, pair], shapes
    )
    assert (x.values.shape.as_list(), z[0].shape.as_list()) == ([None, 2], [None])
    with tf.Session() as session:
        values = session.run([x.values, y.values, z[0]])
    expected = [[[16.0, 32.0], [24.0, 40.0]], [-2.0, -4.0], [1.0, 2.0, 2.0, 2.0]]
    assert [v.tolist() for v in values] == expected
    with pytest.raises(ValueError, match="is not compatible with"):
        tf.while_loop(
            lambda i, *_: i < 3,
            lambda i, x: (i + 1, x),
            [tf.constant(0), slices],
            [[], [None, 5]],
        )


def test_a_part_of_a_variable_is_assigned_to() -> None:
    table = tf.Variable([[1, 2, 3], [4, 5, 6]])
    changes = [tf.assign(table[:, 1], [7, 8]), tf.assign(table[1, ::-2], [9, 10])]
    with tf.Session() as session:
        session.run(table.initializer)
        for change in changes:
            session.run(change)
        assert session.run(table).tolist() == [[1, 7, 3], [10, 8, 9]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is no variable"):
        tf.assign(tf.identity(table)[0], [1, 2, 3])


def test_variables_that_are_made_in_parts() -> None:
    whole = tf.constant([[1, 2, 3, 4], [5, 6, 7, 8]])
    with tf.variable_scope("hi"):
        first = tf.create_partitioned_variables([2, 4], [1, 2], whole)
        second = tf.create_partitioned_variables([5], [2], tf.zeros_initializer())
    assert [v.op.name for v in first + second] == [
        f"hi/PartitionedVariable{n}/part_{i}" for n in ("", "_1") for i in range(2)
    ]
    assert [v.dtype.base_dtype for v in first] == [tf.int32] * 2
    assert second[0]._get_save_slice_info().spec == "5 0,3"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        parts = session.run(first)
    assert [x.tolist() for x in parts] == [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    for shape, slicing in (([], []), ([2], [1, 2]), ([4, 4], [2, 2])):
        with pytest.raises(ValueError, match=r"slic|part"):
            tf.create_partitioned_variables(shape, slicing, tf.ones_initializer())


def test_all_tensors_of_a_graph_are_checked() -> None:
    factor = tf.placeholder(tf.float32, [None])
    product = tf.multiply([1.0, 0.5], tf.stop_gradient(factor), name="product")
    with tf.control_dependencies([tf.add_check_numerics_ops()]):
        checked = tf.identity(product)
    with tf.Session() as session:
        assert session.run(checked, {factor: [2.0, 1.0]}).tolist() == [2.0, 0.5]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r":0.*NaN"):
            session.run(checked, {factor: [np.nan, 0.0]})


def test_examples_written_as_json() -> None:
    made = tf.train.Example()
    made.features.feature["a"].float_list.value.extend([1.0, 2.5])
    text = '{"features": {"feature": {"a": {"floatList": {"value": [1, 2.5]}}}}}'
    given = tf.placeholder(tf.string, [None, None])
    decoded = tf.decode_json_example(given)
    with tf.Session() as session:
        found = session.run(decoded, {given: [[text], ["{}"]]})
        assert found.tolist() == [[made.SerializeToString()], [b""]]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="while parsing JSON"
        ):
            session.run(decoded, {given: [["{"]]})


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ValueError, "InvalidArgumentError"),
        (TypeError, "InvalidArgumentError"),
        (StopIteration, "OutOfRangeError"),
        (MemoryError, "ResourceExhaustedError"),
        (NotImplementedError, "UnimplementedError"),
        (LookupError, "UnknownError"),
    ],
)
def test_what_python_functions_raise(raised: type[Exception], told: str) -> None:
    def fail(*_: Any) -> Any:
        raise raised("blah")

    one, two = (
        f(fail, [tf.constant(1)], tf.int32) for f in (tf.py_func, tf.py_function)
    )
    with tf.Session() as session:
        for made in (one, two):
            with pytest.raises(getattr(tf.errors, told), match="blah"):
                session.run(made)


def test_values_of_one_hot_are_of_the_dtype_that_is_asked_for() -> None:
    one = np.float32(1.0)
    for given in ({"on_value": one}, {"off_value": tf.constant(0.0)}):
        with pytest.raises(TypeError, match="float32, and int32 is wanted"):
            tf.one_hot([0, 1], 2, dtype=tf.int32, **given)
    with tf.Session() as session:
        found = session.run(tf.one_hot([1], 2, on_value=one, dtype=tf.float32))
    np.testing.assert_array_equal(found, [[0.0, 1.0]])


def test_sparse_features_bear_their_own_names() -> None:
    made = tf.train.Example()
    made.features.feature["places"].int64_list.value.extend([3, 0])
    made.features.feature["values"].float_list.value.extend([4.0, 5.0])
    asked = {"sp": tf.SparseFeature("places", "values", tf.float32, 9)}
    parsed = tf.parse_example([made.SerializeToString()], asked)
    with tf.Session() as session:
        found = session.run(parsed["sp"])
    assert (found.indices.tolist(), found.values.tolist()) == (
        [[0, 0], [0, 3]],
        [5, 4],
    )


def test_what_gives_and_writes_a_variable_is_where_it_is() -> None:
    cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        first, second = tf.Variable([1, 2]), tf.Variable([2, 1])
        total = first + second
        written = second.assign([3, 4])
    assert first.device == first.initializer.device == "/job:ps/task:0"
    assert second.initializer.device == written.device == "/job:ps/task:1"
    assert total.device == "/job:worker"


def test_functions_of_devices_leave_what_others_asked_for() -> None:
    kept = tf.train.replica_device_setter(ps_tasks=2, merge_devices=False)
    with tf.device(kept):
        with tf.device("/job:ps"):
            bare = tf.Variable([1.0])
        placed = tf.Variable([1.0])
    assert (bare.device, placed.device) == ("/job:ps", "/job:ps/task:0")
    with tf.device(tf.train.replica_device_setter(2, "/job:ps/task:1")):
        with tf.device("/job:moon"):
            elsewhere = tf.Variable([1.0])
        in_turn = tf.Variable([1.0])
    assert (elsewhere.device, in_turn.device) == (
        "/job:moon/task:1",
        "/job:ps/task:0",
    )


def test_layers_are_numbered_from_one_and_their_scopes_from_none() -> None:
    tf.layers.Conv2D(2, 3)
    dense = tf.layers.Dense(2)
    dense(tf.zeros([2, 2]))
    assert (dense.name, dense.kernel.name) == ("dense_1", "dense/kernel:0")


def test_dictionaries_that_are_batched_have_the_same_keys() -> None:
    with pytest.raises(ValueError, match="must have the same keys"):
        tf.train.batch_join([{"a": tf.zeros([2])}, {"b": tf.zeros([2])}], 2)


def test_variables_of_layers_may_be_made_before_they_are_called() -> None:
    layer = tf.layers.Layer(name="mine")
    first = layer.add_variable("w", [2], initializer=tf.zeros_initializer())
    second = layer.add_variable("v", [2], trainable=False)
    assert (first.name, first.dtype.base_dtype) == ("mine/w:0", tf.float32)
    assert (layer.trainable_variables, layer.variables) == ([first], [first, second])


def test_checkpoints_at_addresses_of_files(tmp_path: Path) -> None:
    v = tf.Variable(3.0)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, f"file://{tmp_path}/model")
        session.run(v.assign(1.0))
        saver.restore(session, f"file://{tmp_path}/model")
        assert session.run(v) == 3.0
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model")


def test_what_sessions_refuse() -> None:
    with (
        tf.Session(graph=tf.Graph()) as session,
        pytest.raises(RuntimeError, match="graph is empty"),
    ):
        session.run([])
    x = tf.placeholder(tf.float32)
    with tf.Session() as session:
        with pytest.raises(TypeError, match=r"cannot be a tf\.Tensor"):
            session.run(x + 1.0, {x: tf.constant(1.0)})
        with pytest.raises(RuntimeError, match="not re-entrant"), session:
            pass
        with session.as_default(), session.as_default():
            assert session.run(x, {x: 2.0}) == 2.0
