"""Sparse tensors of version 1 are made of TensorFlow's nodes, by its names: those of 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1
PLACES = [[0, 0], [1, 2]]
VALUES = [1.0, 2.0]
SIZES = [4, 3]
NUMBERS = [1, 2]


def sparse(values: Any = VALUES) -> Any:
    return tf.SparseTensor(PLACES, values, SIZES)


def plain(values: Any = VALUES) -> Any:
    return tl.sparse.SparseTensor(PLACES, values, SIZES)


def open_shape() -> Any:
    return tf.SparseTensor(
        PLACES, VALUES, tf.placeholder_with_default(np.array(SIZES), [2])
    )


def numbers() -> Any:
    return sparse(tf.constant(NUMBERS, tf.int64))


Made = tuple[Callable[[], Any], str, Callable[[], Any]]
CASES: dict[str, Made] = {
    "reshape": (
        lambda: tf.sparse_reshape(sparse(), [-1, 6]),
        "SparseReshape:0 SparseReshape/Identity:0 SparseReshape/Const:0",
        lambda: tl.sparse.reshape(plain(), [2, 6]),
    ),
    "reshape_open": (
        lambda: tf.sparse_reshape(open_shape(), [-1]),
        "SparseReshape:0 SparseReshape/Identity:0 SparseReshape:1",
        lambda: tl.sparse.reshape(plain(), [12]),
    ),
    "transpose": (
        lambda: tf.sparse_transpose(sparse()),
        (
            "SparseTranspose/SparseReorder:0 SparseTranspose/SparseReorder:1 "
            "SparseTranspose/Identity:0"
        ),
        lambda: tl.sparse.transpose(plain()),
    ),
    "transpose_as_told": (
        lambda: tf.sparse_transpose(sparse(), [1, 0], name="turned"),
        "turned/SparseReorder:0 turned/SparseReorder:1 turned/SparseTensor_1/dense_shape:0",
        lambda: tl.sparse.transpose(plain(), [1, 0]),
    ),
    "expand_dims": (
        lambda: tf.sparse.expand_dims(sparse(), -1),
        "expand_dims/concat:0 SparseTensor/values:0 expand_dims/concat_1:0",
        lambda: tl.sparse.expand_dims(plain(), -1),
    ),
    "eye": (
        lambda: tf.sparse.eye(3, 4),
        "eye/stack:0 eye/ones:0 eye/SparseTensor/dense_shape:0",
        lambda: tl.sparse.eye(3, 4),
    ),
    "retain": (
        lambda: tf.sparse_retain(sparse(), [True, False]),
        "GatherV2:0 GatherV2_1:0 Identity:0",
        lambda: tl.sparse.retain(plain(), [True, False]),
    ),
    "reset": (
        lambda: tf.sparse_reset_shape(sparse()),
        "Identity:0 Identity_1:0 Maximum:0",
        lambda: tl.sparse.reset_shape(plain()),
    ),
    "reset_as_told": (
        lambda: tf.sparse_reset_shape(sparse(), [5, 5]),
        "Identity:0 Identity_1:0 SparseTensor_1/dense_shape:0",
        lambda: tl.sparse.reset_shape(plain(), [5, 5]),
    ),
    "dense_to_sparse": (
        lambda: tf.contrib.layers.dense_to_sparse([[1.0, 3.0]], eos_token=3),
        "dense_to_sparse/Where:0 dense_to_sparse/GatherNd:0 dense_to_sparse/Shape:0",
        lambda: tl.sparse.SparseTensor([[0, 0]], [1.0], [1, 2]),
    ),
    "merge": (
        lambda: tf.sparse_merge(numbers(), sparse(), 3),
        "SparseMerge/SparseReorder:0 SparseMerge/SparseReorder:1 SparseMerge/concat_1:0",
        lambda: tl.sparse.SparseTensor([[0, 1], [1, 2]], VALUES, SIZES),
    ),
    "merge_of_several": (
        lambda: tf.sparse_merge([numbers(), numbers()], sparse(), [3, 5], name="all"),
        "all/SparseReorder:0 all/SparseReorder:1 all/concat_1:0",
        lambda: tl.sparse.SparseTensor([[0, 1, 1], [1, 2, 2]], VALUES, [4, 3, 5]),
    ),
    "concat": (
        lambda: tf.sparse_concat(1, [sparse(), sparse()]),
        "SparseConcat:0 SparseConcat:1 Const:0",
        lambda: tl.sparse.concat(1, [plain(), plain()]),
    ),
    "concat_widened": (
        lambda: tf.sparse_concat(
            0,
            [sparse(), tf.SparseTensor([[0, 4]], [3.0], [1, 6])],
            expand_nonconcat_dim=True,
        ),
        "SparseConcat:0 SparseConcat:1 SparseConcat:2",
        lambda: tl.sparse.concat(
            0, [plain(), tl.sparse.SparseTensor([[0, 4]], [3.0], [1, 6])], True
        ),
    ),
    "reorder": (
        lambda: tf.sparse_reorder(open_shape()),
        "SparseReorder:0 SparseReorder:1 Identity:0",
        plain,
    ),
    "square": (
        lambda: tf.square(sparse()),
        "SparseTensor/indices:0 Square_1:0 SparseTensor/dense_shape:0",
        lambda: plain([1.0, 4.0]),
    ),
    "cast": (
        lambda: tf.cast(sparse(), tf.int32),
        "SparseTensor/indices:0 Cast:0 SparseTensor/dense_shape:0",
        lambda: plain(tl.constant(NUMBERS, tl.int32)),
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_parts_of_sparse_tensors_have_tensorflows_names(what: str) -> None:
    make, names, wanted = CASES[what]
    with tf.Graph().as_default(), tf.Session() as session:
        made = make()
        found = session.run(made)
    assert " ".join(x.name for x in made) == names
    for part, other in zip(found, wanted(), strict=True):
        np.testing.assert_array_equal(part, np.asarray(other))
        assert part.dtype == np.asarray(other).dtype


def test_indicators_and_masks_have_tensorflows_names() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.sparse_to_indicator(numbers(), 3)
        rows = tf.IndexedSlices(tf.constant([5.0, 6.0, 7.0]), [4, 8, 2])
        masked = tf.sparse_mask(rows, [8], name="left")
        found = session.run([made, masked.values, masked.indices])
    assert made.name == "SparseToIndicator:0"
    assert [masked.values.name, masked.indices.name] == ["left:0", "left/ListDiff:0"]
    assert np.argwhere(found[0]).tolist() == [[0, 1], [1, 2]]
    assert found[1].tolist() == [5.0, 7.0]
    assert found[2].tolist() == [4, 2]


def test_a_shape_that_is_too_small_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="3"):
        tf.sparse_reset_shape(sparse(), [4, 2])
