"""What is known of shapes that a graph computes, before it runs."""

from __future__ import annotations

from typing import Any

import tensorlite.compat.v1 as tf
from tensorlite.compat.views import plain


def _known(y: Any) -> Any:
    return plain(y).spec.known


def test_sizes_are_known_through_parts_negatives_and_rows() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder("float32", [2, 30])
        _, columns = tf.split(tf.shape(x), [1, 1])
        count = tf.reshape(columns, [])
        ends = tf.concat([tf.fill([1, 2], 0), [[0, count]]], 0)
        found = [_known(y) for y in (columns, -(-count // 4), ends)]
    assert found == [(30,), 8, (0, 0, 0, 30)]


def test_frames_of_padded_signals_have_known_sizes() -> None:
    graph: Any = tf.Graph()
    with graph.as_default():
        sound = tf.placeholder("float32", [2, 30])
        tf.signal.frame(sound, 8, 4, pad_end=True)
        padded = [x for x in graph.get_operations() if x.type == "PadV2"]
        assert padded[0].outputs[0].shape.as_list() == [2, 36]
