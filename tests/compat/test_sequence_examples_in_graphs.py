"""Examples of sequences in graphs of version 1: one operator, which TensorFlow 1.15 has, too."""

from __future__ import annotations

from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1
CONTEXT = {
    "size": tf.FixedLenFeature([2], tf.float32),
    "words": tf.VarLenFeature(tf.string),
    "kind": tf.FixedLenFeature([], tf.int64, 7),
}
LISTS = {
    "steps": tf.FixedLenSequenceFeature([], tf.int64),
    "marks": tf.VarLenFeature(tf.float32),
    "notes": tf.FixedLenSequenceFeature([2], tf.string, allow_missing=True),
}


def example(*steps: int, words: tuple[bytes, ...] = (), marks: Any = ()) -> bytes:
    made = tf.train.SequenceExample()
    feature = made.context.feature
    feature["size"].float_list.value.extend([1.0, len(steps)])
    if words:
        feature["words"].bytes_list.value.extend(words)
    for step in steps:
        one = made.feature_lists.feature_list["steps"].feature.add()
        one.int64_list.value.append(step)
    for row in marks:
        one = made.feature_lists.feature_list["marks"].feature.add()
        one.float_list.value.extend(row)
    data: bytes = made.SerializeToString()
    return data


FIRST = example(4, 5, 6, words=(b"x", b"y"), marks=[[0.5], [], [1.0, 2.0]])
SECOND = example(9)


def dense(found: Any) -> Any:
    return tf.sparse.to_dense(found, b"" if found.dtype == tf.string else 0)


def test_one_example_is_read_by_one_operator() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        own, lists = tf.parse_single_sequence_example(FIRST, CONTEXT, LISTS)
        assert {x.op.type for x in (own["size"], lists["steps"])} == {
            "ParseSingleSequenceExample"
        }
        own["words"], lists["marks"] = dense(own["words"]), dense(lists["marks"])
        context, found = session.run([own, lists])
    assert context["size"].tolist() == [1.0, 3.0]
    assert context["words"].tolist() == [b"x", b"y"]
    assert context["kind"] == 7
    assert found["steps"].tolist() == [4, 5, 6]
    assert found["marks"].tolist() == [[0.5, 0.0], [0.0, 0.0], [1.0, 2.0]]
    assert found["notes"].shape == (0, 2)
    assert "ParseSingleSequenceExample/key_kind" in [
        x.name for x in graph.get_operations()
    ]


def test_several_examples_are_filled_up_and_their_lengths_told() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        texts = tf.constant([FIRST, SECOND])
        own, lists, lengths = tf.io.parse_sequence_example(texts, CONTEXT, LISTS)
        assert lists["steps"].op.type == "ParseSequenceExample"
        own["words"], lists["marks"] = dense(own["words"]), dense(lists["marks"])
        context, found, counts = session.run([own, lists, lengths])
    assert context["size"].tolist() == [[1.0, 3.0], [1.0, 1.0]]
    assert context["words"].tolist() == [[b"x", b"y"], [b"", b""]]
    assert found["steps"].tolist() == [[4, 5, 6], [9, 0, 0]]
    assert found["marks"].shape == (2, 3, 2)
    assert counts["steps"].tolist() == [3, 1]
    assert counts["notes"].tolist() == [0, 0]


def test_graphs_that_read_sequences_are_written_and_read() -> None:
    with tf.Graph().as_default() as graph:
        text = tf.placeholder(tf.string, [], name="text")
        texts = tf.placeholder(tf.string, [None], name="texts")
        tf.parse_single_sequence_example(text, CONTEXT, LISTS, name="one")
        tf.io.parse_sequence_example(texts, CONTEXT, LISTS, name="several")
        written = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        names = ["one/one:9", "several/several:6", "several/several:11"]
        steps, *others = tf.import_graph_def(written, return_elements=names, name="")
        assert session.run(steps, {"text:0": SECOND}).tolist() == [9]
        marks, counts = session.run(others, {"texts:0": [SECOND, FIRST]})
    assert marks.tolist() == [0.5, 1.0, 2.0]
    assert counts.tolist() == [1, 3]


def test_lists_that_must_be_there_are_missed_as_it_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        asked = {"absent": tf.FixedLenSequenceFeature([], tf.int64)}
        _, lists = tf.parse_single_sequence_example(FIRST, None, asked)
        with pytest.raises(tf.errors.InvalidArgumentError, match="absent"):
            session.run(lists)


def test_defaults_are_constants_by_their_keys() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        asked = {
            "a b": tf.FixedLenFeature([2], tf.int64, [1, 2]),
            "rows": tf.FixedLenSequenceFeature([], tf.string, True, "-"),
        }
        found = tf.parse_example(tf.constant([b""]), asked)
        names = {x.name for x in graph.get_operations()}
        assert {"ParseExample/key_a_b", "ParseExample/padding_rows"} <= names
        assert session.run(found["a b"]).tolist() == [[1, 2]]
