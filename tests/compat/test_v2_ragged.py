"""tf.ragged beside what TensorFlow 2.21 gives for the same programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


def x() -> Any:
    return tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])


def y() -> Any:
    return tf.ragged.constant([[[3, 1, 4, 1], []], [], [[5, 9], [2], [6]]])


def f() -> Any:
    return tf.ragged.constant([[1.0, 2.0], [3.0]])


def s() -> Any:
    return tf.ragged.constant([["a b", "cd"], ["e"]])


# What TensorFlow 2.21 gives for each.
EXPECTED: list[tuple[Any, Any]] = [
    (lambda: tf.reduce_mean(f(), axis=0), [2.0, 2.0]),
    (lambda: tf.reduce_sum(x(), axis=1), [9, 0, 16, 6, 0]),
    (lambda: tf.reduce_sum(x(), axis=1, keepdims=True), [[9], [0], [16], [6], [0]]),
    (lambda: tf.reduce_max(y(), axis=-1), [[4, -(2**31)], [], [9, 2, 6]]),
    (lambda: tf.reduce_all(x() > 2, axis=1), [False, True, False, True, True]),
    (lambda: tf.concat([f(), [[5.0], [6.0]]], axis=1), [[1, 2, 5], [3, 6]]),
    (lambda: tf.matmul(f()[:1], [[3.0], [4.0]]), [[11.0]]),
    (lambda: tf.stack([f(), f()]), [[[1, 2], [3]], [[1, 2], [3]]]),
    (lambda: tf.tile(f(), [1, 2]), [[1, 2, 1, 2], [3, 3]]),
    (lambda: tf.gather(f(), [1, 0]), [[3], [1, 2]]),
    (
        lambda: tf.gather(tf.range(10, 20), tf.ragged.constant([[1], [2, 3]])),
        [[11], [12, 13]],
    ),
    (lambda: tf.add(f(), 1.0), [[2, 3], [4]]),
    (lambda: tf.constant([[1.0], [2.0]]) * f(), [[1, 2], [6]]),
    (lambda: np.float32(2) * f(), [[2, 4], [6]]),
    (lambda: tf.cast(f(), tf.int32), [[1, 2], [3]]),
    (lambda: tf.expand_dims(f(), 2), [[[1], [2]], [[3]]]),
    (lambda: tf.where(f() > 1.5, f(), -f()), [[-1, 2], [3]]),
    (lambda: tf.where(f() > 1.5), [[0, 1], [1, 0]]),
    (lambda: tf.size(x()), 8),
    (lambda: tf.rank(y()), 3),
    (lambda: tf.one_hot(tf.cast(f(), tf.int32) - 1, 2)[1], [[0, 0]]),
    (lambda: tf.clip_by_value(f(), 1.5, 2.5), [[1.5, 2], [2.5]]),
    (lambda: tf.cumsum(f(), axis=1), [[1, 3], [3]]),
    (lambda: tf.math.add_n([f(), f()]), [[2, 4], [6]]),
    (
        lambda: tf.map_fn(tf.reduce_sum, x(), fn_output_signature=tf.int32),
        [9, 0, 16, 6, 0],
    ),
    (lambda: tf.strings.substr(s(), 0, 1), [[b"a", b"c"], [b"e"]]),
    (lambda: tf.strings.split(["a b", "c"]), [[b"a", b"b"], [b"c"]]),
    (lambda: tf.strings.split("a b"), [b"a", b"b"]),
    (lambda: tf.strings.split(s()), [[[b"a", b"b"], [b"cd"]], [[b"e"]]]),
    (lambda: tf.strings.join([s(), "!"]), [[b"a b!", b"cd!"], [b"e!"]]),
    (lambda: tf.strings.reduce_join(s(), axis=1), [b"a bcd", b"e"]),
    (lambda: tf.strings.unicode_split("hé", "UTF-8"), [b"h", "é".encode()]),
    (lambda: tf.strings.unicode_decode(["ab", "c"], "UTF-8"), [[97, 98], [99]]),
    (
        lambda: tf.strings.unicode_split_with_offsets(["éa", "b"], "UTF-8")[1],
        [[0, 2], [0]],
    ),
    (
        lambda: tf.nn.embedding_lookup(tf.eye(2), tf.ragged.constant([[1], []])),
        [[[0, 1]], []],
    ),
    (lambda: tf.ragged.range([0, 5], [3, 7]), [[0, 1, 2], [5, 6]]),
    (lambda: tf.ragged.stack([[1, 2], [3]]), [[1, 2], [3]]),
    (lambda: tf.ragged.boolean_mask(x(), x() > 2), [[3, 4], [], [5, 9], [6], []]),
]


@pytest.mark.parametrize("at", range(len(EXPECTED)))
def test_functions_take_ragged_tensors(at: int) -> None:
    made, expected = EXPECTED[at]
    found = made()
    have = (
        found.to_list()
        if isinstance(found, tf.RaggedTensor)
        else found.numpy().tolist()
    )
    assert have == expected


def test_softmax_is_that_of_each_row() -> None:
    rows = tf.nn.softmax(f()).to_list()
    np.testing.assert_allclose(rows[0], [0.26894142, 0.73105858], rtol=1e-6)
    assert rows[1] == [1.0]


def test_signatures_and_structures() -> None:
    spec: Any = tf.RaggedTensorSpec([None, None], tf.int32)
    double = tf.function(lambda rows: rows * 2, input_signature=[spec])
    assert double(x()).to_list()[2] == [10, 18, 4]
    assert double(x()[:1]).to_list() == [[6, 2, 8, 2]]
    assert spec.shape.as_list() == [None, None]
    assert isinstance(spec, tf.RaggedTensorSpec)
    assert tf.nest.flatten({"a": x()})[0].to_list() == x().to_list()
    assert repr(tf.shape(f())) == (
        "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>"
    )


def test_gradients_go_through_rows() -> None:
    with tf.GradientTape() as tape:
        v = tf.constant([1.0, 2.0, 3.0])
        tape.watch(v)
        rows = tf.RaggedTensor.from_row_lengths(v, [1, 2])
        total = tf.reduce_sum(tf.reduce_sum(rows * rows, axis=1) * [1.0, 10.0])
    assert tape.gradient(total, v).numpy().tolist() == [2.0, 40.0, 60.0]


def test_batches_of_tensors_whose_sizes_differ() -> None:
    ranges = tf.data.Dataset.from_tensor_slices([1, 3]).map(tf.range)
    batch = tf.data.experimental.dense_to_ragged_batch(2)
    assert next(iter(ranges.apply(batch))).to_list() == [[0], [0, 1, 2]]
    assert next(iter(ranges.ragged_batch(2))).to_list() == [[0], [0, 1, 2]]


def test_ngrams_between_bytes() -> None:
    found = tf.strings.ngrams([b"a", b"b", b"c"], 2, separator=b"|", pad_values=b"_")
    assert found.numpy().tolist() == [b"_|a", b"a|b", b"b|c", b"c|_"]


def test_repeats_of_a_number_and_of_unknown_shapes() -> None:
    assert tf.repeat(3, 4, axis=0).numpy().tolist() == [3, 3, 3, 3]
    later = tf.function(lambda x, n: tf.repeat(x, n, axis=0))
    spec = tf.TensorSpec(None, tf.int32), tf.TensorSpec(None, tf.int32)
    found = later.get_concrete_function(*spec)(tf.constant([1, 2]), tf.constant(2))
    assert found.numpy().tolist() == [1, 1, 2, 2]


def test_segments_of_rows() -> None:
    found = tf.math.unsorted_segment_mean(f(), [1, 1], 2)
    assert found.to_list() == [[], [2.0, 2.0]]
    assert tf.one_hot(tf.ragged.constant([[0], [1, 2]]), 2, axis=2).to_list() == [
        [[1, 0]],
        [[0, 1], [0, 0]],
    ]
