"""What TensorFlow's tests of datasets found in graphs; the values are those that it gives."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
_INSIDE = "tensorlite.compat.v1.python.data"
dataset_ops: Any = import_module(f"{_INSIDE}.ops.dataset_ops")
iterator_ops: Any = import_module(f"{_INSIDE}.ops.iterator_ops")
nest: Any = import_module(f"{_INSIDE}.util.nest")


def elements_of(dataset: Any) -> list[Any]:
    found = tf.data.make_one_shot_iterator(dataset).get_next()
    made = []
    with tf.Session() as session:
        while True:
            try:
                made.append(session.run(found))
            except tf.errors.OutOfRangeError:
                return made


def test_conditions_in_functions_of_elements_are_those_of_their_graphs() -> None:
    def changed(x: Any) -> Any:
        if tf.equal(x, 0):
            return x + 10
        return x

    with tf.Graph().as_default():
        assert elements_of(tf.data.Dataset.range(3).map(changed)) == [10, 1, 2]


def test_loops_in_functions_of_elements_are_those_of_their_graphs() -> None:
    def summed(x: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for i in tf.range(x):
            if i > 1:
                break
            total += i + 1
        while total < 2:
            total += 1
        return {"total": total, "x": x}

    def either(found: Any) -> Any:
        kept = found["total"] if found["x"] > 1 else found["x"]
        return tf.data.Dataset.from_tensors(kept)

    with tf.Graph().as_default():
        numbers = tf.data.Dataset.range(4).filter(lambda x: x > 0 and x < 9)
        assert elements_of(numbers.map(summed).flat_map(either)) == [1, 3, 3]


def test_shapes_of_sparse_elements_are_told_as_far_as_they_are_known() -> None:
    value = tf.SparseTensorValue(np.array([[0, 0]]), np.array([5]), np.array([2, 3]))
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensors((value,))
        assert dataset_ops.get_legacy_output_shapes(dataset) == (
            tf.TensorShape([2, 3]),
        )
        rows = tf.data.Dataset.from_tensor_slices((value,))
        assert dataset_ops.get_legacy_output_types(rows) == (tf.int64,)
        assert dataset_ops.get_legacy_output_shapes(rows) == (tf.TensorShape([3]),)
        assert rows.batch(2).output_shapes[0].as_list() == [None, 3]


def test_iterators_have_the_names_of_the_inside() -> None:
    with tf.Graph().as_default():
        made = iterator_ops.Iterator.from_structure(tf.int64, ())
        assert made.output_types is tf.int64
        assert dataset_ops.UNKNOWN == -2


class Pair(NamedTuple):
    a: Any
    b: Any


def test_lists_are_no_structures_of_datasets() -> None:
    structure = {"b": [1, 2], "a": (3, Pair(4, 5))}
    assert nest.flatten(structure) == [3, 4, 5, [1, 2]]
    assert nest.pack_sequence_as(structure, "wxyz") == {
        "b": "z",
        "a": ("w", Pair("x", "y")),
    }
    assert nest.map_structure(len, ([1, 2], "abc")) == (2, 3)
    assert nest.flatten_up_to((0, 0), ((1, 2), [3])) == [(1, 2), [3]]
    assert nest.map_structure_up_to((0,), lambda a, b: (a, b), ([1],), (4,)) == (
        ([1], 4),
    )
    for leaf in ([1], tf.SparseTensorValue([[0]], [1], [1]), None):
        assert not nest.is_nested(leaf)
    assert nest.is_nested(())


@pytest.mark.parametrize(
    ("first", "second", "error"),
    [
        ((1,), [1], ValueError),
        ((1, 2), (1,), ValueError),
        ({"a": 1}, {"b": 1}, ValueError),
        (Pair(1, 2), (1, 2), TypeError),
        ({"a": 1}, (1,), TypeError),
    ],
)
def test_structures_of_datasets_that_differ_are_refused(
    first: Any, second: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match="don't have the same"):
        nest.assert_same_structure(first, second)
    with pytest.raises(error, match="don't have the same"):
        nest.map_structure(lambda x, y: x, first, second)


@pytest.mark.parametrize(
    ("shallow", "whole", "error"),
    [
        ((1, 2), [1, 2], TypeError),
        (Pair(1, 2), (1, 2), TypeError),
        ({"a": 1}, {"b": 1}, ValueError),
        ((1, 2), (1,), ValueError),
    ],
)
def test_structures_that_are_not_like_shallow_ones_are_refused(
    shallow: Any, whole: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        nest.flatten_up_to(shallow, whole)


def test_too_many_parts_fit_no_structure() -> None:
    with pytest.raises(ValueError, match="had 2 elements"):
        nest.pack_sequence_as((1, 2), [1])
    with pytest.raises(ValueError, match="is a scalar"):
        nest.pack_sequence_as(1, [1, 2])
    with pytest.raises(ValueError, match="at least one"):
        nest.map_structure(len)
    with pytest.raises(TypeError, match="callable"):
        nest.map_structure(1, (2,))
    with pytest.raises(ValueError, match="no sequences"):
        nest.map_structure_up_to((1,), len)


def test_elements_of_graphs_may_have_none_in_them() -> None:
    with tf.Graph().as_default():
        pairs = tf.data.Dataset.range(4).map(lambda x: (x, None)).batch(2)
        first, nothing = tf.data.make_one_shot_iterator(pairs).get_next()
        assert nothing is None
        with tf.Session() as session:
            assert session.run(first).tolist() == [0, 1]
        rows = pairs.unbatch().map(lambda x, none: x + 1 if none is None else x)
        assert elements_of(rows) == [1, 2, 3, 4]


def test_windows_of_sparse_elements_are_datasets_of_these() -> None:
    with tf.Graph().as_default():
        rows = tf.data.Dataset.range(3).map(
            lambda x: tf.SparseTensor([[0]], [x], [2])
        )
        batches = rows.window(2).flat_map(lambda window: window.batch(2))
        found = elements_of(batches)
    assert [x.values.tolist() for x in found] == [[0, 1], [2]]
    assert [x.dense_shape.tolist() for x in found] == [[2, 2], [1, 2]]


def test_texts_of_graphs_are_told_apart() -> None:
    with tf.Graph().as_default():
        words = tf.data.Dataset.from_tensor_slices(["a", "b", "a"])
        unique = words.apply(tf.data.experimental.unique())
        assert elements_of(unique) == [b"a", b"b"]


def test_weights_of_datasets_may_be_tensors_of_the_graph() -> None:
    with tf.Graph().as_default():
        made = tf.data.experimental.sample_from_datasets(
            [tf.data.Dataset.range(3), tf.data.Dataset.range(9)],
            weights=tf.constant([0.0, 1.0]),
        )
        assert elements_of(made) == list(range(9))


def test_damaged_lines_of_graphs_are_left_out(tmp_path: Any) -> None:
    path = tmp_path / "table.csv"
    path.write_text('1,2\n3,"4"5\n6,7\n')
    with tf.Graph().as_default():
        table = tf.data.experimental.CsvDataset(str(path), [tf.int32, tf.int32])
        rows = table.apply(tf.data.experimental.ignore_errors())
        assert elements_of(rows) == [(1, 2), (6, 7)]


def test_what_is_sparse_is_told_by_the_inside() -> None:
    inside = import_module("tensorlite.compat.v1.python.framework.sparse_tensor")
    with tf.Graph().as_default():
        assert inside.is_sparse(tf.SparseTensor([[0]], [1], [2]))
    assert inside.is_sparse(tf.SparseTensorValue([[0]], [1], [2]))
    assert not inside.is_sparse(np.zeros(2))


def test_values_of_keys_may_grow_in_graphs() -> None:
    reducer = tf.data.experimental.Reducer(
        lambda key: tf.zeros([0], tf.int64),
        lambda state, x: tf.concat([state, [x]], 0),
        lambda state: state,
    )
    with tf.Graph().as_default():
        grouped = tf.data.Dataset.range(4).apply(
            tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)
        )
        assert [x.tolist() for x in elements_of(grouped)] == [[0, 2], [1, 3]]


def test_functions_of_arrays_are_given_numbers_of_numpy() -> None:
    seen: list[Any] = []

    def called(x: Any) -> Any:
        seen.append(x)
        return {4: np.int64(40)}[x]

    with tf.Graph().as_default():
        found = tf.data.Dataset.range(4, 5).map(
            lambda x: tf.py_func(called, [x], tf.int64)
        )
        assert elements_of(found) == [40]
    assert [type(x) for x in seen] == [np.int64]


def test_the_next_element_of_a_graph_may_be_missing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        pairs = tf.data.Dataset.range(1).map(lambda x: (x, {"y": [x, x]}))
        iterator = tf.data.make_initializable_iterator(pairs)
        session.run(iterator.initializer)
        optional = tf.data.experimental.get_next_as_optional(iterator)
        has_value, value = optional.has_value(), optional.get_value()
        there, (x, inner) = session.run([has_value, value])
        assert (there, x, inner["y"].tolist()) == (True, 0, [0, 0])
        assert not session.run(has_value)
        with pytest.raises(tf.errors.InvalidArgumentError, match="have a value"):
            session.run(value)
        assert optional.element_spec[0].dtype is tf.int64
