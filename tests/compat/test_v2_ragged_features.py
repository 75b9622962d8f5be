"""Ragged features of examples, whose rows other features tell; TensorFlow 2.21 gave the values."""

from __future__ import annotations

from typing import Any

import pytest

from tensorlite.compat import v2

tf: Any = v2
Ragged: Any = v2.io.RaggedFeature


def example(**numbers: list[int]) -> Any:
    features = {
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=given))
        for name, given in numbers.items()
    }
    return tf.train.Example(
        features=tf.train.Features(feature=features)
    ).SerializeToString()


FIRST = example(
    values=[3, 1, 4, 1, 5, 9],
    splits=[0, 2, 2, 6],
    lengths=[2, 0, 4],
    starts=[0, 2, 2],
    limits=[2, 2, 6],
    ids=[0, 0, 2, 2, 2, 2],
    outer=[0, 1, 3],
)
SECOND = example(
    values=[7, 8],
    splits=[0, 1, 2],
    lengths=[1, 1],
    starts=[0, 1],
    limits=[1, 2],
    ids=[0, 1],
    outer=[0, 2],
)
ROWS = [[3, 1], [], [4, 1, 5, 9]]


def read(partitions: list[Any]) -> dict[str, Any]:
    return {"x": Ragged(tf.int64, value_key="values", partitions=partitions)}


@pytest.mark.parametrize(
    "partition",
    [
        Ragged.RowSplits("splits"),
        Ragged.RowLengths("lengths"),
        Ragged.RowStarts("starts"),
        Ragged.RowLimits("limits"),
        Ragged.ValueRowIds("ids"),
    ],
)
def test_rows_end_where_another_feature_says(partition: Any) -> None:
    features = read([partition])
    found = tf.io.parse_example([FIRST, example(), SECOND], features)["x"]
    assert found.to_list() == [ROWS, [], [[7], [8]]]
    assert found.row_splits.dtype is tf.int32
    assert tf.io.parse_single_example(FIRST, features)["x"].to_list() == ROWS


def test_rows_of_one_length() -> None:
    features = read([Ragged.UniformRowLength(2)])
    found = tf.io.parse_example([FIRST, SECOND], features)["x"]
    assert found.to_list() == [[[3, 1], [4, 1], [5, 9]], [[7, 8]]]
    assert found.shape.as_list() == [2, None, 2]
    single = tf.io.parse_single_example(FIRST, features)["x"]
    assert single.numpy().tolist() == [[3, 1], [4, 1], [5, 9]]


@pytest.mark.parametrize(
    ("partitions", "expected"),
    [
        (
            [Ragged.UniformRowLength(1), Ragged.RowLengths("lengths")],
            [[[[3, 1]], [[]], [[4, 1, 5, 9]]], [[[7]], [[8]]]],
        ),
        (
            [Ragged.RowLengths("lengths"), Ragged.UniformRowLength(1)],
            [[[[3], [1]], [], [[4], [1], [5], [9]]], [[[7]], [[8]]]],
        ),
        (
            [Ragged.RowSplits("outer"), Ragged.RowLengths("lengths")],
            [[[[3, 1]], [[], [4, 1, 5, 9]]], [[[7], [8]]]],
        ),
    ],
)
def test_rows_of_rows(partitions: list[Any], expected: list[Any]) -> None:
    found = tf.io.parse_example([FIRST, SECOND], read(partitions))
    assert found["x"].to_list() == expected


@pytest.mark.parametrize("partitions", [Ragged.RowSplits("splits"), [1]])
def test_what_is_no_list_of_partitions_is_refused(partitions: Any) -> None:
    with pytest.raises(TypeError, match="partitions"):
        Ragged(tf.int64, "values", partitions)


def test_features_share_values_in_functions_of_datasets() -> None:
    features = {
        **read([Ragged.RowSplits("splits")]),
        "values": Ragged(tf.int64),
        "splits": tf.io.VarLenFeature(tf.int64),
    }
    batches = tf.data.Dataset.from_tensor_slices([FIRST, SECOND]).batch(2)
    parsed = batches.map(lambda texts: tf.io.parse_example(texts, features))
    assert parsed.element_spec["x"].ragged_rank == 2
    found = next(iter(parsed))
    assert found["x"].to_list() == [ROWS, [[7], [8]]]
    assert found["values"].to_list() == [[3, 1, 4, 1, 5, 9], [7, 8]]
    assert found["splits"].values.numpy().tolist() == [0, 2, 2, 6, 0, 1, 2]


def test_writers_that_are_closed_write_no_more(tmp_path: Any) -> None:
    for kind in ("", "GZIP"):
        writer = tf.io.TFRecordWriter(str(tmp_path / "records"), kind)
        writer.write(b"one")
        writer.close()
        for action in (lambda: writer.write(b"two"), writer.flush):  # noqa: B023
            with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
                action()
