"""Examples of sequences by TensorFlow's names; expected is TensorFlow 2.21's."""

from __future__ import annotations

import tensorlite.compat.v2 as tf
from tests.interop.test_sequence_parsing import FIRST, SECOND


def test_ragged_features_of_several_and_of_one() -> None:
    asked = {"s": tf.io.RaggedFeature(tf.string)}
    lists = {
        "rows": tf.io.RaggedFeature(tf.string, "w"),
        "f": tf.io.FixedLenSequenceFeature([2], tf.float32),
    }
    context, found, lengths = tf.io.parse_sequence_example(
        [FIRST, SECOND], asked, lists
    )
    assert context["s"].to_list() == [[b"a", b"b"], []]
    assert found["rows"].to_list() == [[[b"x"], [b"y", b"z"], []], []]
    assert found["f"].shape == [2, 2, 2]
    assert lengths["f"].numpy().tolist() == [2, 1]
    assert list(lengths) == ["f"]
    context, found = tf.io.parse_single_sequence_example(FIRST, asked, lists)
    assert context["s"].numpy().tolist() == [b"a", b"b"]
    assert found["rows"].to_list() == [[b"x"], [b"y", b"z"], []]
