"""What the reference of TensorFlow 2 shows by examples; expected values are TensorFlow 2.21's."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


def test_variables_made_where_a_graph_is_built_are_the_graphs() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(0.0, name="v")
        add = v.assign_add(1.0)
        both = tf.tuple([tf.constant(1.0) + v], [tf.group(add)])
        assert isinstance(v, tf.Variable)
        assert [x.name for x in tf.compat.v1.global_variables()] == ["v:0"]
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            for i in range(1, 4):
                session.run(both)
                assert session.run(v) == i


def test_programs_that_leave_eager_execution_train_variables() -> None:
    tf.compat.v1.disable_eager_execution()
    mode.graph = None
    x = tf.compat.v1.placeholder(tf.float32, [None, 2])
    w = tf.Variable([[1.0], [2.0]], name="w")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert x.shape[0] is None
    assert str(x.shape) == "(None, 2)"
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(step, {x: np.ones((3, 2))})
        np.testing.assert_allclose(session.run(w), [[0.4], [1.4]], rtol=1e-6)


def test_a_gradient_function_is_given_the_variables() -> None:
    w = tf.Variable([2.0, 3.0])

    @tf.custom_gradient
    def line(x: Any) -> Any:
        def gradient(dy: Any, variables: Any = None) -> Any:
            assert [v is w for v in variables] == [True]
            return dy * w[0], [tf.stack([tf.reduce_sum(dy * x), tf.reduce_sum(dy)])]

        return x * w[0] + w[1], gradient

    x = tf.constant([1.0, 2.0])
    for function in (line, tf.function(line)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        for_x, for_w = tape.gradient(y, [x, w])
        np.testing.assert_array_equal(for_x, [2.0, 2.0])
        np.testing.assert_array_equal(for_w, [3.0, 2.0])


def test_gradients_of_tensors_of_several_parts_are_such_tensors() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.reduce_sum(rows * rows)
    assert tape.gradient(y, rows).to_list() == [[2.0, 4.0], [6.0]]
    sparse = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sparse)
        y = tf.reduce_sum(tf.sparse.to_dense(sparse) * 3.0)
    found = tape.gradient(y, sparse)
    np.testing.assert_array_equal(tf.sparse.to_dense(found), [[3.0, 0.0], [0.0, 3.0]])
    assert tape.gradient(tf.constant(1.0), sparse) is None


def test_numbers_are_counted_row_by_row() -> None:
    data = [[1, 2, 3, 0], [1, 1, 1, 7]]
    by_rows = [[1, 1, 1, 1, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(tf.math.bincount(data, axis=-1), by_rows)
    binary = tf.math.bincount(data, axis=-1, binary_output=True)
    np.testing.assert_array_equal(binary, np.minimum(by_rows, 1))
    ragged = tf.ragged.constant([[1, 1, 0], [2]])
    np.testing.assert_array_equal(
        tf.math.bincount(ragged, axis=-1), [[1, 2, 0], [0, 0, 1]]
    )
    np.testing.assert_array_equal(tf.math.bincount(ragged), [1, 2, 1])
    weighted = tf.math.bincount([1, 1, 5], weights=[0.5, 0.5, 2.0])
    np.testing.assert_array_equal(weighted, [0, 1, 0, 0, 0, 2])
    few = tf.math.bincount([1, 1, 5], minlength=3, maxlength=4)
    np.testing.assert_array_equal(few, [0, 2, 0, 0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="weights are not binary"
    ):
        tf.math.bincount([1], weights=[1.0], binary_output=True)


def test_ranks_and_places() -> None:
    scores = [[1.2, -0.3, 2.8, 5.2], [0.1, 0.0, 0.0, 0.0], [0.0, 0.5, 0.3, 0.3]]
    found = tf.math.in_top_k([0, 1, 3], scores, 2)
    np.testing.assert_array_equal(found, [False, True, True])
    top = tf.math.top_k([1, 1, 0, 1], k=3, index_type=tf.int16)
    assert top.indices.dtype == tf.int16
    np.testing.assert_array_equal(top.indices, [0, 1, 3])


def test_ragged_features_of_one_example_are_vectors() -> None:
    train: Any = tf.train
    numbers = train.Feature(int64_list=train.Int64List(value=[1, 2, 3]))
    features = train.Features(feature={"a": numbers})
    data = train.Example(features=features).SerializeToString()
    asked = {"a": tf.io.RaggedFeature(dtype=tf.int64)}
    np.testing.assert_array_equal(tf.io.parse_example(data, asked)["a"], [1, 2, 3])
    several = tf.io.parse_example([data, data], asked)["a"]
    assert several.to_list() == [[1, 2, 3], [1, 2, 3]]


def test_one_text_is_bytes() -> None:
    texts = tf.constant(["p0", "p1"])
    assert type(tf.gather(texts, 1).numpy()) is bytes
    assert type(tf.unstack(texts)[0].numpy()) is bytes


def test_specs_of_values() -> None:
    spec = tf.type_spec_from_value(np.array([4.0, 5.0]))
    assert spec == tf.TensorSpec([2], tf.float64)
    assert tf.type_spec_from_value(3.0) == tf.TensorSpec([], tf.float32)


def test_sparse_tensors_have_shapes() -> None:
    x = tf.sparse.from_dense([[1, 0], [0, 2]])
    assert x.shape.as_list() == [2, 2]
    assert tf.sparse.expand_dims(x, 0).shape.as_list() == [1, 2, 2]


SEEDED = {
    "flip_left_right": [[[2], [1]], [[4], [3]]],
    "flip_up_down": [[[3], [4]], [[1], [2]]],
}


@pytest.mark.parametrize("name", SEEDED)
def test_images_of_a_seed(name: str) -> None:
    """As `tf.image.stateless_random_...(image, seed=(2, 3))` of TensorFlow gives them."""
    image = np.array([[[1], [2]], [[3], [4]]])
    function = getattr(tf.image, f"stateless_random_{name}")
    np.testing.assert_array_equal(function(image, seed=(2, 3)), SEEDED[name])


LABELS, LENGTHS, STEPS = np.array([[1, 2, 2, 0], [3, 0, 0, 0]]), [3, 1], [6, 5]


def _alignments(labels: tuple[int, ...], steps: int) -> int:
    """Return in how many ways steps say labels, with 0 as the blank and equal ones joined."""
    said = 0
    for path in itertools.product(range(5), repeat=steps):
        joined = [one for one, _ in itertools.groupby(path)]
        said += tuple(one for one in joined if one) == labels
    return said


def test_the_loss_of_alignments() -> None:
    """Whatever the place of the blank, and however labels are given, as in the closed form."""
    logits = np.zeros((6, 2, 5), np.float32)
    paths = np.array([_alignments((1, 2, 2), 6), _alignments((3,), 5)])
    found = tf.nn.ctc_loss(LABELS, logits, LENGTHS, STEPS)
    wanted = np.log(5.0) * np.array(STEPS) - np.log(paths)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    turned = np.transpose(logits, (1, 0, 2))
    again = tf.nn.ctc_loss(
        LABELS, turned, LENGTHS, STEPS, logits_time_major=False, blank_index=0
    )
    np.testing.assert_allclose(again, found, rtol=1e-6)
    sparse = tf.sparse.from_dense(LABELS)
    same = tf.nn.ctc_loss(sparse, logits, None, STEPS, blank_index=0)
    np.testing.assert_allclose(same, found, rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="blank_index is needed"):
        tf.nn.ctc_loss(sparse, logits, None, STEPS)


def test_dense_tables_keep_two_keys_for_themselves() -> None:
    table = tf.lookup.experimental.DenseHashTable(
        tf.string, tf.int64, -1, empty_key="", deleted_key="$"
    )
    table.insert(["a", "b"], [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="deleted_key"):
        table.insert(["$"], [3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        table.remove([""])
    np.testing.assert_array_equal(table.lookup(["a", "c"]), [1, -1])
    table.remove(["a"])
    assert int(table.size()) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="must differ"):
        tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "a", "a")


def test_windows_may_be_padded_by_pairs() -> None:
    x = np.arange(1, 13, dtype=np.float32).reshape(1, 3, 4, 1) - 100
    pairs = [[0, 0], [1, 1], [1, 1], [0, 0]]
    found = tf.nn.max_pool2d(x, (2, 2), (2, 2), pairs)
    np.testing.assert_array_equal(
        found[0, :, :, 0], np.array([[1, 3, 4], [9, 11, 12]]) - 100
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="a pair of numbers"):
        tf.nn.max_pool2d(x, (2, 2), (2, 2), [[1, 1]])


def test_addresses_of_files_are_paths(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with tf.io.gfile.GFile(f"file://{path}", "w") as file:
        file.write("hi")
    assert path.read_text() == "hi"
    assert tf.io.gfile.exists(f"file://{path}")
