"""What was known to differ from TensorFlow 1.15 and 2.21, and is expected as those give it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, ShapeError

tf: Any = v1
ops: Any = tf.python.framework.ops


@pytest.mark.parametrize(
    ("condition", "x", "y", "expected"),
    [
        ((2,), (None, 3), (None, 3), [None, 3]),
        ((2,), (None, 3), (2, None), [2, 3]),
        ((None,), (None, None), (None, None), [None, None]),
        ((2, 3), (None, 3), (None, 3), [2, 3]),
        ((None, 3), (None, None), (None, None), [None, 3]),
        ((), (None, 3), (None, 3), [None, 3]),
    ],
)
def test_where_tells_of_rows_what_both_tensors_tell(
    condition: Any, x: Any, y: Any, expected: list[int | None]
) -> None:
    with tf.Graph().as_default():
        parts = tf.placeholder(tf.float32, x), tf.placeholder(tf.float32, y)
        found = tf.where(tf.placeholder(tf.bool, condition), *parts)
    assert found.shape.as_list() == expected


@pytest.mark.parametrize(("condition", "x"), [((2,), ()), ((2, 3), (None,))])
def test_where_refuses_conditions_of_another_rank(condition: Any, x: Any) -> None:
    with tf.Graph().as_default():
        part = tf.placeholder(tf.float32, x)
        with pytest.raises(ShapeError, match="rank"):
            tf.where(tf.placeholder(tf.bool, condition), part, part)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1 << 31, "int32", -(1 << 31)),
        (~(1 << 31), "int32", (1 << 31) - 1),
        ([1 << 31, 2], "int32", [-(1 << 31), 2]),
        (256, "uint8", 0),
        (-1, "uint32", (1 << 32) - 1),
        (300, "int8", 44),
    ],
)
def test_constants_take_the_lowest_bits(
    value: Any, dtype: str, expected: Any
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.constant(value, dtype)).tolist() == expected


def test_constants_hold_no_numbers_of_more_than_64_bits() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="does not fit"):
        tf.constant(1 << 64, tf.int64)


def test_variables_convert_to_references_where_asked() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        r = tf.Variable(2.0, name="r", use_resource=True)
        convert = ops.internal_convert_to_tensor
        assert convert(v, as_ref=True).name == "v:0"
        assert convert(v, as_ref=False).name == "v/read:0"
        assert convert(r, as_ref=True).op.type == "ReadVariableOp"
        found = ops.internal_convert_n_to_tensor([v, 2.0], name="q", as_ref=True)
        assert [x.name for x in found] == ["v:0", "q_1:0"]
        rows = ops.internal_convert_n_to_tensor_or_indexed_slices
        assert [getattr(x, "name", None) for x in rows([v, None], as_ref=True)] == [
            "v:0",
            None,
        ]
        with pytest.raises(ValueError, match="Incompatible type conversion"):
            convert(v, tf.int32, as_ref=True)


class _Named:
    @property
    def name(self) -> str:
        return "named"


class _Like(_Named):
    @property
    def dtype(self) -> Any:
        return np.float32


def test_classes_with_name_and_dtype_may_pass_for_tensors() -> None:
    with pytest.raises(DTypeError, match="does not define a `name` property"):
        ops.register_dense_tensor_like_type(object)
    with pytest.raises(DTypeError, match="does not define a `dtype` property"):
        ops.register_dense_tensor_like_type(_Named)
    ops.register_dense_tensor_like_type(_Like)
    assert tf.is_tensor(_Like())
    assert not tf.is_tensor(_Named())


def names_of(part: str) -> list[str]:
    nodes = tf.get_default_graph().get_operations()
    return [node.name for node in nodes if part in node.name]


def test_constants_of_datasets_bear_the_names_that_their_operators_will_have() -> (
    None
):
    with tf.Graph().as_default():
        for _ in range(2):
            made = tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x))
            made = made.apply(tf.data.experimental.dense_to_sparse_batch(2, [5]))
            made.make_initializable_iterator()
        kind = "DenseToSparseBatchDataset"
        expected = [f"{kind}/batch_size", kind, f"{kind}_1/batch_size", f"{kind}_1"]
        assert names_of(kind) == expected


def test_sparse_elements_are_constants_below_names_of_their_own() -> None:
    whole = tf.SparseTensorValue(np.array([[0, 1]]), np.array([1]), np.array([2, 2]))
    with tf.Graph().as_default():
        made = tf.data.Dataset.from_tensors((whole, np.array(3), whole))
        made.make_initializable_iterator()
        expected = [
            f"normalize_element/SparseTensor{number}/{part}"
            for number in ("", "_1")
            for part in ("indices", "values", "dense_shape")
        ]
        assert names_of("/SparseTensor") == expected


def test_groups_that_are_reduced_are_the_experiment_of_version_1() -> None:
    reducer = tf.data.experimental.Reducer(
        lambda _: tf.constant(0, tf.int64), lambda state, x: state + x, lambda x: x
    )
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.data.Dataset.range(9).apply(
            tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)
        )
        iterator = made.make_initializable_iterator()
        found = iterator.get_next()
        session.run(iterator.initializer)
        assert [session.run(found) for _ in range(3)] == [9, 12, 15]
        kinds = [x.op for x in tf.get_default_graph().as_graph_def().node]
    assert "ExperimentalGroupByReducerDataset" in kinds


@pytest.mark.parametrize(
    ("drops", "expected"), [(False, [2, 4, 8, 11, 5]), (True, [2, 4, 8, 11])]
)
def test_buckets_are_groups_that_graphs_hold(
    drops: bool, expected: list[int]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.data.Dataset.range(1, 12).map(lambda x: tf.fill([x], x))
        bucketed = tf.data.experimental.bucket_by_sequence_length(
            lambda x: tf.shape(x)[0], [3, 6], [2, 2, 3], drop_remainder=drops
        )
        iterator = made.apply(bucketed).make_initializable_iterator()
        found = iterator.get_next()
        kinds = [x.op for x in tf.get_default_graph().as_graph_def().node]
        assert "GroupByWindowDataset" in kinds
        assert "GeneratorDataset" not in kinds
        session.run(iterator.initializer)
        lengths = [session.run(found).shape[1] for _ in expected]
        assert lengths == expected
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(found)


@pytest.mark.parametrize(
    ("weights", "seed", "expected"),
    [
        (None, 7, [10, 0, 11, 1, 2, 12, 13, 14, 3, 15, 4]),
        ([0.2, 0.8], 3, [10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4]),
    ],
)
def test_mixed_datasets_are_choices_that_graphs_hold(
    weights: Any, seed: int, expected: list[int]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        parts = [tf.data.Dataset.range(5), tf.data.Dataset.range(10, 16)]
        mixed = tf.data.experimental.sample_from_datasets(parts, weights, seed)
        iterator = mixed.make_initializable_iterator()
        found = iterator.get_next()
        kinds = [x.op for x in tf.get_default_graph().as_graph_def().node]
        assert "DirectedInterleaveDataset" in kinds
        session.run(iterator.initializer)
        assert [session.run(found) for _ in expected] == expected
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(found)


@pytest.mark.timeout(60)
def test_endless_choices_end_with_the_last_of_the_datasets() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 13)]
        places = tf.data.Dataset.range(2).repeat()
        chosen = tf.data.experimental.choose_from_datasets(parts, places)
        iterator = chosen.make_initializable_iterator()
        found = iterator.get_next()
        session.run(iterator.initializer)
        assert [session.run(found) for _ in range(5)] == [0, 10, 1, 11, 12]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(found)
