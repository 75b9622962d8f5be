"""Examples and SequenceExamples; what is expected was read by TensorFlow 2.21 of the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl

pytest.importorskip("google.protobuf", reason="Examples are protobuf messages")

FixedLenFeature = tl.io.FixedLenFeature
InvalidArgumentError = tl.errors.InvalidArgumentError


def example(i: int) -> bytes:
    made = tl.io.Example()
    features = made.features.feature
    features["i"].int64_list.value.extend([i, i + 1])
    features["v"].int64_list.value.extend(range(i))
    features["x"].float_list.value.append(i / 2)
    features["s"].bytes_list.value.append(b"\0s%d\0" % i)
    features["r"].float_list.value.extend([1.0, 2.0] * i)
    return bytes(made.SerializeToString())


EXAMPLES = [example(i) for i in range(3)]


def same(x: Any, expected: Any) -> None:
    assert x.numpy().tolist() == expected


def test_batches_of_examples() -> None:
    found = tl.io.parse_example(
        EXAMPLES,
        {
            "i": FixedLenFeature([2], tl.int64),
            "v": tl.io.VarLenFeature(tl.int64),
            "s": FixedLenFeature([], tl.string),
            "r": tl.io.FixedLenSequenceFeature([2], tl.float32, True, -1.0),
            "none": FixedLenFeature([2], tl.float32, [0.5, 1.5]),
        },
    )
    same(found["i"], [[0, 1], [1, 2], [2, 3]])
    same(found["s"], [b"\0s0\0", b"\0s1\0", b"\0s2\0"])
    same(found["r"], [[[-1, -1], [-1, -1]], [[1, 2], [-1, -1]], [[1, 2], [1, 2]]])
    same(found["none"], [[0.5, 1.5]] * 3)
    same(found["v"].indices, [[1, 0], [2, 0], [2, 1]])
    same(found["v"].values, [0, 0, 1])
    same(found["v"].dense_shape, [3, 2])


def test_one_example_in_a_pipeline() -> None:
    def parsed(serialized: Any) -> Any:
        return tl.io.parse_single_example(
            serialized,
            {
                "x": FixedLenFeature([], tl.float32),
                "v": tl.io.VarLenFeature(tl.int64),
            },
        )

    dataset = tl.data.Dataset.from_tensor_slices(EXAMPLES).map(parsed)
    assert dataset.element_spec["x"] == tl.TensorSpec((), tl.float32)
    (batch,) = dataset.batch(3)
    same(batch["x"], [0.0, 0.5, 1.0])
    same(batch["v"].indices, [[1, 0], [2, 0], [2, 1]])
    same(batch["v"].dense_shape, [3, 2])


def test_the_same_in_a_traced_function() -> None:
    @tl.function
    def parsed(serialized: Any) -> Any:
        return tl.io.parse_example(serialized, {"i": FixedLenFeature([2], tl.int64)})[
            "i"
        ]

    same(parsed(tl.asarray(EXAMPLES)), [[0, 1], [1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ({"zz": FixedLenFeature([], tl.int64)}, "zz .* is required but"),
        ({"i": FixedLenFeature([2], tl.float32)}, "Data types don't match"),
        (
            {"i": FixedLenFeature([3], tl.int64)},
            "Values size: 2 but output shape: .3",
        ),
        ({"x": FixedLenFeature([None], tl.float32)}, "every size must be known"),
        ({"i": FixedLenFeature([2], tl.int64, [1, 2, 3])}, "has 3 elements"),
    ],
)
def test_what_is_not_there_is_said(feature: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        tl.io.parse_example(EXAMPLES, feature)


def test_default_values_may_be_computed_in_the_graph() -> None:
    @tl.function
    def read(data: tl.Tensor, by: tl.Tensor) -> tl.Tensor:
        missing = FixedLenFeature([2], tl.int64, default_value=by + 1)
        found: tl.Tensor = tl.io.parse_example(data, {"none": missing})["none"]
        return found

    data = tl.asarray(EXAMPLES[:2])
    same(read(data, tl.asarray([6, 7], dtype=tl.int64)), [[7, 8], [7, 8]])
    with pytest.raises(tl.errors.DTypeError, match="the feature int64"):
        read(data, tl.asarray([6.0, 7.0]))


def test_what_is_no_example_is_refused() -> None:
    for data in (b"\xff\xffabc", EXAMPLES[1][:-3], b"\x0a\xff\xff\xff\xff\x0f"):
        with pytest.raises(InvalidArgumentError, match="Could not parse"):
            tl.io.parse_single_example(data, {"i": FixedLenFeature([2], tl.int64)})
    with pytest.raises(tl.errors.DTypeError, match="allowed are float32, int64"):
        tl.io.parse_example(EXAMPLES, {"i": FixedLenFeature([2], tl.int32)})
    with pytest.raises(InvalidArgumentError, match="parse_example takes several"):
        tl.io.parse_single_example(EXAMPLES, {"i": FixedLenFeature([2], tl.int64)})


def test_values_with_places() -> None:
    made = tl.io.Example()
    made.features.feature["at"].int64_list.value.extend([7, 2])
    made.features.feature["x"].float_list.value.extend([0.5, 1.5])
    data = made.SerializeToString()
    feature = tl.io.SparseFeature("at", "x", tl.float32, 10)
    found = tl.io.parse_example([data], {"q": feature})["q"]
    same(found.indices, [[0, 2], [0, 7]])
    same(found.values, [1.5, 0.5])
    same(found.dense_shape, [1, 10])


def test_sequences() -> None:
    made = tl.io.SequenceExample()
    made.context.feature["c"].int64_list.value.append(4)
    steps = made.feature_lists.feature_list["a"].feature
    words = made.feature_lists.feature_list["w"].feature
    for i in range(3):
        steps.add().float_list.value.extend([i, i + 0.5])
        words.add().bytes_list.value.extend([b"q"] * i)
    data = made.SerializeToString()
    sequence = tl.io.FixedLenSequenceFeature
    context, lists = tl.io.parse_single_sequence_example(
        data,
        {"c": FixedLenFeature([], tl.int64)},
        {
            "a": sequence([2], tl.float32),
            "w": tl.io.VarLenFeature(tl.string),
            "no": sequence([], tl.int64, allow_missing=True),
        },
    )
    same(context["c"], 4)
    same(lists["a"], [[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    same(lists["w"].indices, [[1, 0], [2, 0], [2, 1]])
    same(lists["w"].dense_shape, [3, 2])
    same(lists["no"], [])
    for wanted, message in (
        ({"no": sequence([], tl.int64)}, "is required but"),
        ({"a": sequence([3], tl.float32)}, "Number of values 2 != expected 3"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            tl.io.parse_single_sequence_example(data, sequence_features=wanted)


def test_columns_of_lines_and_numbers_of_bytes() -> None:
    n, s, x = tl.io.decode_csv(["1,a,2.5", "3,,4"], [[0], ["z"], [0.0]])
    same(n, [1, 3])
    assert [t if isinstance(t, bytes) else t.encode() for t in s.tolist()] == [
        b"a",
        b"z",
    ]
    same(x, [2.5, 4.0])
    with pytest.raises(InvalidArgumentError, match="not a valid int32"):
        tl.io.decode_csv(["x"], [[0]])
    data = tl.asarray([b"\x01\x00\x02\x00"])
    same(tl.io.decode_raw(data, tl.int16), [[1, 2]])
    same(tl.io.decode_raw(data, tl.int16, little_endian=False), [[256, 512]])
    same(tl.io.decode_raw(data, tl.uint8, fixed_length=6), [[1, 0, 2, 0, 0, 0]])
    with pytest.raises(InvalidArgumentError, match="not a multiple of 8"):
        tl.io.decode_raw(data, tl.int64)
    with pytest.raises(InvalidArgumentError, match="same size"):
        tl.io.decode_raw([b"a", b"bb"], tl.uint8)


def test_strings_keep_the_zeros_at_their_ends() -> None:
    assert tl.asarray([b"a\0", b"b"]).tolist() == [b"a\0", b"b"]
    assert tl.asarray(b"\0").item() == b"\0"
    assert np.asarray(tl.asarray([["a\0"]])).shape == (1, 1)
