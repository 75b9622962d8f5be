"""Feature columns of tf.contrib.layers: names, values and gradients that TensorFlow 1.15 gives."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, UnimplementedError

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
layers: Any = tf.contrib.layers


def words(rows: Any, places: Any = ((0, 0), (0, 1), (1, 0))) -> Any:
    return tf.SparseTensor(list(places), rows, [2, 2])


def features() -> dict[str, Any]:
    return {
        "a": tf.constant([[1.0, 2], [0, 3]]),
        "b": tf.constant([[1.0], [-2]]),
        "c": words(["x", "z", "y"]),
        "w": words([1.0, 2.0, 3.0]),
        "d": words(["q", "r", "s"]),
        "e": tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 7], tf.int64), [2, 1]),
        "f": tf.constant([[2], [3]], tf.int64),
    }


A = layers.real_valued_column("a", 2)
B = layers.bucketized_column(layers.real_valued_column("b"), [0, 1, 1, 5])
B2 = layers.bucketized_column(A, [0.5, 2])
C = layers.sparse_column_with_keys("c", ["x", "y", "z"])
D = layers.sparse_column_with_hash_bucket("d", 7)
E = layers.sparse_column_with_integerized_feature("e", 5)
F = layers.sparse_column_with_integerized_feature("f", 5)
W = layers.weighted_sparse_column(C, "w")
X = layers.crossed_column([C, D], 11)
X2 = layers.crossed_column([C, B, D], 13, hash_key=1234)


def counting(rows: int) -> Any:
    return tf.constant_initializer(np.arange(2 * rows).reshape(rows, 2))


def begun(session: Any) -> None:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])


def test_rows_of_columns_for_a_network() -> None:
    shared = layers.shared_embedding_columns([E, F], 2, initializer=counting(5))
    columns = [
        *(A, B, B2, layers.one_hot_column(D), layers.one_hot_column(W), *shared),
        layers.embedding_column(C, 2, initializer=counting(3)),
        layers.embedding_column(W, 2, initializer=counting(3)),
    ]
    kept: dict[Any, Any] = {}
    with tf.Graph().as_default(), tf.Session() as session:
        net = layers.input_from_feature_columns(
            features(), columns, cols_to_outs=kept
        )
        names = [x.name for x in tf.global_variables()]
        begun(session)
        found = session.run(net)
        assert session.run(kept[B]).tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert names == [
        "input_from_feature_columns/e_shared_embedding/e_f_shared_embedding:0",
        "input_from_feature_columns/c_embedding/weights:0",
        "input_from_feature_columns/c_weighted_by_w_embedding/weights:0",
    ]
    third = 2 / 3
    first: list[float] = [
        0,
        1,
        0,
        0,
        0,
        1,
        0,
        0,
        1,
        0,
        2,
        3,
        4,
        5,
        2,
        3,
        2 + third,
        3 + third,
    ]
    second: list[float] = [1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 4, 5, 6, 7, 2, 3, 2, 3]
    first += [0, 1, 0, 0, 1, 0, 0, 1, 0, 2, 1, 2]
    second += [0, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 3]
    np.testing.assert_allclose(found, [first, second], rtol=1e-6)


def test_weighted_sums_of_columns_and_their_gradients() -> None:
    columns = [A, B, B2, C, W, D, E, X, X2]
    wanted: dict[str, Any] = {
        "a_bucketized/weights": ([1, 5, 0], [[2, 4, 6], [10, 14, 18], [8, 10, 12]]),
        "b_bucketized/weights": ([2, 0], [[2, 4, 6], [8, 10, 12]]),
        "b_bucketized_X_c_X_d/weights": (
            [3, 8, 11, 10],
            [[4, 8, 12], [2, 4, 6], [2, 4, 6], [8, 10, 12]],
        ),
        "c_X_d/weights": (
            [4, 2, 7, 8],
            [[2, 4, 6], [2, 4, 6], [4, 8, 12], [8, 10, 12]],
        ),
        "a/weight": ([0, 1], [[2, 4, 6], [28, 38, 48]]),
        "d/weights": ([1, 4], [[10, 14, 18], [2, 4, 6]]),
        "e/weights": ([1, 2], [[2, 4, 6], [8, 10, 12]]),
        "c/weights": ([0, 2, 1], [[2, 4, 6], [2, 4, 6], [8, 10, 12]]),
        "c_weighted_by_w/weights": (
            [0, 2, 1],
            [[2, 4, 6], [4, 8, 12], [24, 30, 36]],
        ),
        "bias_weight": ([0, 1, 2], [10, 14, 18]),
    }
    with tf.Graph().as_default(), tf.Session() as session:
        total, variables, bias = layers.weighted_sum_from_feature_columns(
            features(), columns, 3, scope="lin", weight_collections=["own"]
        )
        assert [x.op.name for x in tf.get_collection("own")] == [
            f"lin/{name}" for name in wanted
        ]
        assert variables[X][0].name == "lin/c_X_d/weights:0"
        assert bias.name == "lin/bias_weight:0"
        loss = tf.reduce_sum(tf.square(total - [[1.0, 2, 3], [4, 5, 6]]))
        by_name = {x.op.name.removeprefix("lin/"): x for x in tf.global_variables()}
        asked = {name: tf.gradients(loss, by_name[name])[0] for name in wanted}
        asked = {name: tf.convert_to_tensor(x) for name, x in asked.items()}
        begun(session)
        assert session.run(total).tolist() == [[0.0] * 3] * 2
        found = session.run(asked)
    for name, (places, values) in wanted.items():
        assert found[name][places].tolist() == (-np.array(values)).tolist(), name
        assert np.count_nonzero(found[name]) == np.size(values), name


def test_joint_sums_have_one_variable() -> None:
    with tf.Graph().as_default():
        total, variables, _ = layers.joint_weighted_sum_from_feature_columns(
            features(), [C, D, E, X], 2
        )
        assert total.get_shape().as_list() == [None, 2]
        assert [(x.op.name, x.shape.as_list()) for x in variables] == [
            (
                "joint_weighted_sum_from_feature_columns/linear_weights/weights",
                [26, 2],
            )
        ]
        with pytest.raises(InvalidArgumentError, match="not supported for joint"):
            layers.joint_weighted_sum_from_feature_columns(features(), [W], 2)
        with pytest.raises(UnimplementedError, match="Real-valued columns"):
            layers.joint_weighted_sum_from_feature_columns(features(), [A], 2)


def test_what_is_transformed_and_hashes_with_keys(tmp_path: Path) -> None:
    hashes = layers.sparse_column_with_hash_bucket("d", 7, hash_keys=[[1, 2], [3, 4]])
    file = tmp_path / "words"
    file.write_text("x\ny\n")
    listed = layers.sparse_column_with_vocabulary_file("c", str(file), 2, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        made = layers.transform_features(features(), [X, X2, hashes, B, listed])
        begun(session)
        found = session.run(made)
    assert found[B].tolist() == [[2], [0]]
    assert found[X].values.tolist() == [4, 2, 7, 7, 8]
    assert found[X2].values.tolist() == [3, 8, 3, 11, 10]
    assert found[X2].dense_shape.tolist() == [2, 4]
    assert found[hashes].values.tolist() == [0, 5, 4, 4, 1, 6]
    assert found[listed].values.tolist()[::2] == [0, 1]


def test_older_crosses_are_hashed_as_they_were() -> None:
    inside: Any = import_module(
        "tensorlite.compat.v1.contrib.layers.python.ops.sparse_feature_cross_op"
    )
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.constant([5, -7], tf.int64)
        given = [
            words(["a", "b", "c"]),
            tf.SparseTensor([[0, 0], [1, 0]], numbers, [2, 1]),
        ]
        cross = inside.sparse_feature_cross
        key = layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY
        older = cross(given, hashed_output=True, num_buckets=1000)
        newer = cross(given, hashed_output=True, num_buckets=1000, hash_key=key)
        one = cross(given[:1], hashed_output=True)
        text = cross([given[0], tf.constant([["x"], ["y"]])])
        found = session.run([x.values for x in (older, newer, one, text)])
    assert found[0].tolist() == [930, 376, 887]
    assert found[1].tolist() == [463, 673, 595]
    assert found[2].tolist()[0] == 5872754970799185692
    assert found[3].tolist() == [b"a_X_x", b"b_X_x", b"c_X_y"]


def test_examples_are_read_for_columns() -> None:
    spec = layers.create_feature_spec_for_parsing([A, B, W, X])
    assert spec == {
        "a": tf.FixedLenFeature([2], tf.float32),
        "b": tf.FixedLenFeature([1], tf.float32),
        "c": tf.VarLenFeature(tf.string),
        "d": tf.VarLenFeature(tf.string),
        "w": tf.VarLenFeature(tf.float32),
    }
    example = tf.train.Example()
    example.features.feature["b"].float_list.value.append(3.0)
    example.features.feature["c"].bytes_list.value.extend([b"z", b"?"])
    with tf.Graph().as_default(), tf.Session() as session:
        made = layers.parse_feature_columns_from_examples(
            [example.SerializeToString()], [B, C]
        )
        begun(session)
        found = session.run({"b": made["b"], "bucket": made[B], "c": made[C]})
    assert found["b"].tolist() == [[3.0]]
    assert found["bucket"].tolist() == [[2]]
    assert found["c"].values.tolist() == [2, -1]


def test_columns_are_inferred_from_tensors() -> None:
    with tf.Graph().as_default():
        one = layers.infer_real_valued_columns(tf.zeros([3, 4, 2], tf.int64))
        assert [(x.name, x.dimension, x.dtype) for x in one] == [("", 8, tf.int64)]
        several = layers.infer_real_valued_columns({"x": tf.zeros([3])})
        assert [(x.name, x.dimension) for x in several] == [("x", 1)]
        with pytest.raises(InvalidArgumentError, match="Non integer or non floating"):
            layers.infer_real_valued_columns(tf.constant(["a"]))


def test_steps_of_columns_side_by_side() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        given = {
            "a": tf.reshape(tf.range(12.0), [2, 3, 2]),
            "e": tf.SparseTensor(
                [[0, 0], [1, 2]], tf.constant([1, 2], tf.int64), [2, 3]
            ),
        }
        net = layers.sequence_input_from_feature_columns(
            given, [A, layers.one_hot_column(E)]
        )
        found = session.run(net)
    assert found.shape == (2, 3, 7)
    assert found[1, 2].tolist() == [0, 0, 1, 0, 0, 10, 11]
    with pytest.raises(InvalidArgumentError, match="not currently supported"):
        layers.sequence_input_from_feature_columns({}, [B])


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: layers.real_valued_column("x", 0), ValueError, "greater than 0"),
        (
            lambda: layers.real_valued_column("x", 1.5),
            TypeError,
            "must be an integer",
        ),
        (lambda: layers.real_valued_column("x", 2, [1.0]), ValueError, "length of"),
        (
            lambda: layers.real_valued_column("x", 2, 1.5, tf.int32),
            TypeError,
            "compatible with dtype",
        ),
        (lambda: layers.bucketized_column(A, [2, 1]), ValueError, "sorted list"),
        (lambda: layers.bucketized_column(C, [2, 1]), TypeError, "_RealValued"),
        (lambda: layers.crossed_column([C], 10), ValueError, "at least 2"),
        (lambda: layers.crossed_column([C, A], 10), TypeError, "columns must be"),
        (
            lambda: layers.shared_embedding_columns([C, D], 2),
            ValueError,
            "not compatible",
        ),
        (lambda: layers.check_feature_columns([A, C, A]), ValueError, "Duplicate"),
        (
            lambda: layers.input_from_feature_columns({}, [A]),
            ValueError,
            "doesn't contain key",
        ),
        (
            lambda: layers.input_from_feature_columns(features(), [C]),
            ValueError,
            "not supported in DNN",
        ),
        (
            lambda: layers.weighted_sum_from_feature_columns(
                features(), [layers.embedding_column(C, 2)], 1
            ),
            ValueError,
            "not supported in linear models",
        ),
    ],
)
def test_columns_that_are_wrong(make: Any, error: type[Exception], text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        make()


def test_defaults_and_keys_of_columns() -> None:
    assert layers.real_valued_column("x", 2, 1).default_value == (1.0, 1.0)
    assert A.key.startswith("_RealValuedColumn(column_name=a, dimension=2, ")
    assert layers.embedding_column(C, 2).name == "c_embedding"
    assert X2.name == "b_bucketized_X_c_X_d"


def test_columns_are_taken_by_the_newer_functions_of_columns() -> None:
    kept: dict[Any, Any] = {}
    embedded = layers.embedding_column(C, 2, initializer=counting(3))
    with tf.Graph().as_default(), tf.Session() as session:
        columns = [A, B, layers.one_hot_column(D), embedded]
        rows = tf.feature_column.input_layer(features(), columns, cols_to_vars=kept)
        total = tf.feature_column.linear_model(features(), [A, B, W, X])
        names = [x.op.name for x in tf.global_variables()]
        begun(session)
        found = session.run(rows)
        assert session.run(total).tolist() == [[0.0], [0.0]]
    first = [1, 2, 0, 0, 1, 0, 2, 3, 0, 1, 0, 0, 1, 0, 0]
    second = [0, 3, 1, 0, 0, 0, 2, 3, 0, 1, 0, 0, 0, 0, 0]
    assert found.tolist() == [first, second]
    assert [x.op.name for x in kept[embedded]] == names[:1]
    assert names == [
        "input_layer/c_embedding/weights",
        "linear_model/a/weights",
        "linear_model/b_bucketized/weights",
        "linear_model/c_X_d/weights",
        "linear_model/c_weighted_by_w/weights",
        "linear_model/bias_weights",
    ]


def test_classes_below_0_have_no_place_in_weighted_ones() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        given = {"c": words(["x", "?", "y"]), "w": words([1.0, 2.0, 3.0])}
        rows = layers.input_from_feature_columns(given, [layers.one_hot_column(W)])
        begun(session)
        assert session.run(rows).tolist() == [[1, 0, 0], [0, 3, 0]]
