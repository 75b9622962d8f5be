"""Ragged tensors in graphs of version 1: what is written as TensorFlow 1 writes it has its values.

What nodes there are, and how they are called, is in naming/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode

FLAT = [[1, 2], [3], [], [4, 5, 6]]
DEEP = [[[1, 2], [3]], [], [[4], [], [5, 6, 7]]]
PAIRS = [[[1, 2], [3, 4]], [], [[5, 6]]]


@pytest.fixture(autouse=True)
def _graphs() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def listed(x: Any) -> Any:
    """Return the value of a result as lists."""
    if isinstance(x, list):
        return [listed(one) for one in x]
    return x.to_list() if hasattr(x, "to_list") else np.asarray(x).tolist()


def check(program: str, expected: Any) -> None:
    """Check a program's value, of rows that the graph knows and of some that are fed."""
    with tf.Session() as session:
        known = {
            "r": tf.ragged.constant(FLAT),
            "d": tf.ragged.constant(DEEP),
            "p": tf.ragged.constant(PAIRS, inner_shape=(2,)),
            "f": tf.ragged.constant([[0.5, -1.0], [2.0]]),
            "t": tf.ragged.constant([["a b", "c"], ["d"]]),
        }
        made = eval(program, {"tf": tf, **known})  # noqa: S307  # of this file
        assert listed(session.run(made)) == expected
        fed = {
            key: tf.ragged.placeholder(
                x.dtype, x.ragged_rank, x.flat_values.shape.as_list()[1:]
            )
            for key, x in known.items()
        }
        feeds = {fed[key]: session.run(x) for key, x in known.items()}
        made = eval(program, {"tf": tf, **fed})  # noqa: S307
        assert listed(session.run(made, feeds)) == expected


ASKED = {
    "r.row_lengths()": [2, 1, 0, 3],
    "r.nrows()": 4,
    "r.value_rowids()": [0, 0, 1, 3, 3, 3],
    "d.row_lengths(2)": [[2, 1], [], [1, 0, 3]],
    "d.bounding_shape()": [3, 3, 3],
    "d.bounding_shape(axis=1)": 3,
    "p.to_tensor(default_value=[7, 8])": [
        [[1, 2], [3, 4]],
        [[7, 8], [7, 8]],
        [[5, 6], [7, 8]],
    ],
    "tf.sparse.to_dense(d.to_sparse())[0]": [[1, 2, 0], [3, 0, 0], [0, 0, 0]],
    "[r[0], r[-1], d[2, 0], r[3, 1]]": [[1, 2], [4, 5, 6], [4], 5],
    "r[1:]": [[3], [], [4, 5, 6]],
    "r[::2]": [[1, 2], []],
    "r[:, 1:]": [[2], [], [], [5, 6]],
    "r[:, -1:]": [[2], [3], [], [6]],
    "r[:, :0]": [[], [], [], []],
    "r[:, ::2]": [[1], [3], [], [4, 6]],
    "r[:, ::-1]": [[2, 1], [3], [], [6, 5, 4]],
    "d[..., :1]": [[[1], [3]], [], [[4], [], [5]]],
    "d[:, tf.newaxis]": [[[[1, 2], [3]]], [[]], [[[4], [], [5, 6, 7]]]],
    "r[:, tf.constant(-1):]": [[2], [3], [], [6]],
}
MADE = {
    "r * 2 - r": FLAT,
    "r + tf.constant([[10], [20], [30], [40]])": [[11, 12], [23], [], [44, 45, 46]],
    "d + tf.constant([[[5]], [[6]], [[7]]])": [
        [[6, 7], [8]],
        [],
        [[11], [], [12, 13, 14]],
    ],
    "p * [1, 2]": [[[1, 4], [3, 8]], [], [[5, 12]]],
    "~((r > 1) & (r < 5))": [[True, False], [False], [], [False, True, True]],
    "tf.clip_by_value(f, 0.0, 1.0)": [[0.5, 0.0], [1.0]],
    "tf.add_n([r, r])": [[2, 4], [6], [], [8, 10, 12]],
    "tf.reduce_sum(r, 0)": [8, 7, 6],
    "tf.reduce_sum(d, [0, 2])": [7, 3, 18],
    "tf.reduce_max(d, 2)[0]": [2, 3],
    "tf.reduce_mean(r, 0)": [8 / 3, 3.5, 6.0],
    "tf.reduce_any(r > 5, 1)": [False, False, False, True],
    "tf.reduce_sum(r, 1, keepdims=True)": [[3], [3], [0], [15]],
    "tf.unsorted_segment_sum(r, [1, 0, 1, 1], 2)": [[3], [5, 7, 6]],
    "tf.concat([r, r], 1)": [[1, 2, 1, 2], [3, 3], [], [4, 5, 6, 4, 5, 6]],
    "tf.concat([d, d], 2)[0]": [[1, 2, 1, 2], [3, 3]],
    "tf.stack([r, r], 1)[0]": [[1, 2], [1, 2]],
    "tf.ragged.stack([[1, 2], [3]])": [[1, 2], [3]],
    "tf.gather(d, [2, 0])": [DEEP[2], DEEP[0]],
    "tf.gather(r, [[3], [0]])": [[[4, 5, 6]], [[1, 2]]],
    "tf.gather_nd(d, [[0, 1, 0], [2, 2, 1]])": [3, 6],
    "tf.batch_gather(r, tf.ragged.constant([[1], [0], [], [2, 0]]))": [
        [2],
        [3],
        [],
        [6, 4],
    ],
    "tf.expand_dims(r, 1)": [[x] for x in FLAT],
    "tf.tile(d, [1, 2, 2])[2][0]": [4, 4],
    "tf.squeeze(tf.expand_dims(r, 1), 1)": FLAT,
    "tf.size(d)": 7,
    "tf.where(r > 2, r, -r)": [[-1, -2], [3], [], [4, 5, 6]],
    "tf.where(d > 4)": [[2, 2, 0], [2, 2, 1], [2, 2, 2]],
    "tf.where([True, False, True, False], r, r + 10)": [
        [1, 2],
        [13],
        [],
        [14, 15, 16],
    ],
    "tf.ragged.boolean_mask(r, [True, False, True, True])": [[1, 2], [], [4, 5, 6]],
    "tf.ragged.boolean_mask(d, d > 2)": [[[], [3]], [], [[4], [], [5, 6, 7]]],
    "tf.dynamic_partition(r, [1, 0, 1, 0], 2)": [[[3], [4, 5, 6]], [[1, 2], []]],
    "tf.ragged.range([0, 3], [2, 9], 3)": [[0], [3, 6]],
    "tf.ragged.segment_ids_to_row_splits([0, 0, 3], 5)": [0, 2, 2, 2, 3, 3],
    "tf.strings.split(t, result_type='RaggedTensor')": [
        [[b"a", b"b"], [b"c"]],
        [[b"d"]],
    ],
    "tf.strings.bytes_split('ab')": [b"a", b"b"],
    "tf.stack([t[1][0], tf.constant('x')])": [b"d", b"x"],
    "tf.strings.bytes_split(['ab', ''])": [[b"a", b"b"], []],
    "tf.strings.unicode_split(t, 'UTF-8')[1]": [[b"d"]],
    "tf.strings.unicode_transcode([['\xe9', 'a']], 'UTF-8', 'UTF-16-BE')": [
        [b"\x00\xe9", b"\x00a"]
    ],
    "tf.strings.unicode_transcode(t, 'UTF-8', 'UTF-32-BE')[1]": [b"\x00\x00\x00d"],
    "tf.strings.ngrams(t, 2)": [[b"a b c"], []],
    "tf.repeat([[1, 2], [3, 4]], [2, 1], axis=1)": [[1, 1, 2], [3, 3, 4]],
    "tf.bincount([1, 1, 5], maxlength=3)": [0, 2, 0],
}


@pytest.mark.parametrize("program", [*ASKED, *MADE])
def test_what_is_written_into_graphs_has_its_value(program: str) -> None:
    check(program, {**ASKED, **MADE}[program])


def test_rows_are_told_in_several_ways_and_checked_as_they_run() -> None:
    kind, values = tf.RaggedTensor, tf.placeholder(tf.int32, [None])
    made = [
        kind.from_row_splits(values, [0, 2, 2, 5]),
        kind.from_row_lengths(values, [2, 0, 3]),
        kind.from_row_starts(values, [0, 2, 2]),
        kind.from_row_limits(values, [2, 2, 5]),
        kind.from_value_rowids(values, [0, 0, 2, 2, 2]),
    ]
    with tf.Session() as session:
        found = session.run(made, {values: [1, 2, 3, 4, 5]})
        assert [x.to_list() for x in found] == [[[1, 2], [], [3, 4, 5]]] * 5
        for x in made[:2]:
            with pytest.raises(InvalidArgumentError, match="valid RaggedTensor"):
                session.run(x, {values: [1, 2, 3, 4]})


def test_what_tells_rows_is_at_hand_again() -> None:
    ids = tf.placeholder(tf.int64, [3])
    rows = tf.RaggedTensor.from_value_rowids([1, 2, 3], ids, validate=False)
    assert rows.value_rowids() is ids
    assert rows.with_values(tf.constant([4, 5, 6])).value_rowids() is ids
    assert rows.row_lengths().name == "RaggedFromValueRowIds/bincount/Bincount:0"


def test_dense_rows_become_ragged() -> None:
    x = tf.placeholder(tf.int32, [None, None])
    made = tf.RaggedTensor.from_tensor
    rows = [made(x), made(x, padding=0), made(x, lengths=[1, 9])]
    deep = made(
        tf.placeholder_with_default(np.ones([1, 2, 1]), [None] * 3), ragged_rank=2
    )
    with tf.Session() as session:
        found = session.run(rows, {x: [[1, 0, 0], [0, 2, 0]]})
        assert [y.to_list() for y in found] == [
            [[1, 0, 0], [0, 2, 0]],
            [[1], [0, 2]],
            [[1], [0, 2, 0]],
        ]
        assert session.run(deep).to_list() == [[[1.0], [1.0]]]


def test_gradients_flow_back_through_rows() -> None:
    x = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
    rows = tf.RaggedTensor.from_row_splits(x, [0, 2, 3])
    picked = tf.gather(rows, [1, 0, 1]).flat_values
    joined = tf.concat([rows, rows * rows], 1).flat_values
    sums = [picked, joined, rows.to_sparse().values, tf.reduce_sum(rows, 0)]
    flows = [tf.convert_to_tensor(tf.gradients(y, x)[0]) for y in sums]
    with tf.Session() as session:
        assert [y.tolist() for y in session.run(flows)] == [
            [1, 1, 2],
            [3, 5, 7],
            [1, 1, 1],
            [1, 1, 1],
        ]


def test_branches_ask_rows_of_the_graph_around_them() -> None:
    rows = tf.ragged.constant(FLAT)
    flag = tf.placeholder(tf.bool, [])
    made = tf.cond(
        flag, lambda: tf.reduce_sum(rows, 1), lambda: rows.flat_values[:4], True
    )
    with tf.Session() as session:
        assert session.run(made, {flag: True}).tolist() == [3, 3, 0, 15]


def test_values_of_ragged_tensors_are_operands_wherever_these_are() -> None:
    rows: Any = tf.ragged.constant_value([[1.0, 2.0], [3.0]])
    ids: Any = tf.ragged.constant_value([[0, 1], [0]])
    held: Any = tf.ragged.constant_value([[True, False], [True]])
    places: Any = tf.ragged.constant_value([[[0, 1]], [[1, 0]]], ragged_rank=1)
    made = {
        "where": tf.where(held, rows, rows),
        "rows": tf.where([False, True], rows, rows),
        "sum": tf.math.unsorted_segment_sum(rows, ids, 2),
        "within": tf.batch_gather(rows, tf.ragged.constant_value([[1], [0]])),
        "at": tf.gather_nd(rows, [[0, 1]]),
        "at_rows": tf.gather_nd(rows, places),
    }
    with tf.Session() as session:
        found = session.run(made)
    assert {
        key: x.to_list() if hasattr(x, "to_list") else x.tolist()
        for key, x in found.items()
    } == {
        "where": [[1.0, 2.0], [3.0]],
        "rows": [[1.0, 2.0], [3.0]],
        "sum": [4.0, 2.0],
        "within": [[2.0], [3.0]],
        "at": [2.0],
        "at_rows": [[2.0], [3.0]],
    }
