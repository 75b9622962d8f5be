"""Tensors and sparse tensors as bytes: TensorFlow's own bytes, round trips, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError

# What TensorFlow 1.15's tf.serialize_tensor returns.
WRITTEN: dict[str, tuple[list[Any], bytes]] = {
    "float32": (
        [[1.5, -2.0]],
        b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\x00\x00\xc0?\x00\x00\x00\xc0',
    ),
    "string": (["ab", ""], b"\x08\x07\x12\x04\x12\x02\x08\x02B\x02abB\x00"),
}
# Made by tf.make_tensor_proto(...).SerializeToString(), which writes lists of numbers.
LISTED = [
    (b"\x08\x01\x12\x00*\x04\x00\x00\xc0?", "float32", np.float32(1.5)),
    (
        b"\x08\x03\x12\x04\x12\x02\x08\x02:\x01\x07",
        "int32",
        np.array([7, 7], np.int32),
    ),
    (
        b"\x08\t\x12\x00R\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        "int64",
        np.int64(-1),
    ),
]


@pytest.mark.parametrize("kind", WRITTEN)
def test_bytes_are_those_of_tensorflow(kind: str) -> None:
    value, written = WRITTEN[kind]
    tensor = tl.asarray(value, dtype=kind)
    assert tl.io.serialize_tensor(tensor).numpy().item() == written
    read = tl.io.parse_tensor(written, tensor.dtype)
    assert read.numpy().tolist() == [
        x.encode() if kind == "string" else x for x in value
    ]


@pytest.mark.parametrize(("data", "kind", "expected"), LISTED)
def test_lists_of_numbers_are_read(data: bytes, kind: str, expected: object) -> None:
    read = tl.io.parse_tensor(data, kind)
    np.testing.assert_array_equal(read.numpy(), expected)


@pytest.mark.parametrize(
    "kind", ["bool", "uint8", "int64", "float64", "complex64", "bfloat16"]
)
def test_every_dtype_makes_the_round_trip(kind: str) -> None:
    x = tl.astype(tl.asarray([[0, 1], [1, 1]]), kind)
    read = tl.io.parse_tensor(tl.io.serialize_tensor(x), kind)
    assert read.dtype is x.dtype
    np.testing.assert_array_equal(read.numpy(), x.numpy())


def test_other_bytes_and_other_dtypes_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Could not parse"):
        tl.io.parse_tensor(b"\x08", tl.float32)
    with pytest.raises(InvalidArgumentError, match="Type mismatch"):
        tl.io.parse_tensor(tl.io.serialize_tensor([1.0]), tl.int32)


def test_sparse_tensors_of_several_sizes_become_rows_of_one() -> None:
    a = tl.sparse.SparseTensor([[0, 1]], [5], (2, 2))
    b = tl.sparse.SparseTensor([[2, 0]], [6], (3, 1))
    both = tl.stack([tl.io.serialize_sparse(x) for x in (a, b)])
    found = tl.io.deserialize_many_sparse(both, tl.int32, rank=2)
    np.testing.assert_array_equal(found.indices.numpy(), [[0, 0, 1], [1, 2, 0]])
    np.testing.assert_array_equal(found.values.numpy(), [5, 6])
    np.testing.assert_array_equal(found.dense_shape.numpy(), [2, 3, 2])


def test_rows_of_a_sparse_tensor_keep_empty_ones() -> None:
    x = tl.sparse.SparseTensor([[0, 1], [2, 0]], ["a", "b"], (4, 2))
    rows = tl.io.serialize_many_sparse(x)
    assert rows.numpy().shape == (4, 3)
    again = tl.io.deserialize_many_sparse(rows, tl.string)
    np.testing.assert_array_equal(again.indices.numpy(), x.indices.numpy())
    np.testing.assert_array_equal(again.dense_shape.numpy(), [4, 2])


def test_ranks_that_differ_are_refused() -> None:
    a = tl.sparse.SparseTensor([[0, 1]], [5], (2, 2))
    b = tl.sparse.SparseTensor([[2]], [6], (3,))
    both = tl.stack([tl.io.serialize_sparse(x) for x in (a, b)])
    with pytest.raises(InvalidArgumentError, match="Inconsistent rank"):
        tl.io.deserialize_many_sparse(both, tl.int32)


def test_texts_of_sparse_tensors_are_one_piece_of_memory() -> None:
    # What TensorFlow 2.21's tf.io.serialize_sparse returns.
    written = [
        b'\x08\t\x12\x08\x12\x02\x08\x02\x12\x02\x08\x01"\x10'
        + bytes(8)
        + b"\x01"
        + bytes(7),
        b'\x08\x07\x12\x04\x12\x02\x08\x02"\x10\x07\x07a@b.comc@d.com',
        b'\x08\t\x12\x04\x12\x02\x08\x01"\x08\x02' + bytes(7),
    ]
    row = tl.sparse.SparseTensor([[0], [1]], [b"a@b.com", b"c@d.com"], (2,))
    assert tl.io.serialize_sparse(row).numpy().tolist() == written
    rows = tl.sparse.SparseTensor([[0, 0], [0, 1]], [b"a@b.com", b"c@d.com"], (1, 2))
    assert tl.io.serialize_many_sparse(rows).numpy().tolist() == [written]
    again = tl.io.deserialize_many_sparse([written], tl.string)
    assert again.values.numpy().tolist() == [b"a@b.com", b"c@d.com"]


def test_texts_that_do_not_fill_their_memory_are_refused() -> None:
    with pytest.raises(
        InvalidArgumentError, match="2 texts are told to have 2 bytes"
    ):
        tl.io.parse_tensor(
            b'\x08\x07\x12\x04\x12\x02\x08\x02"\x03\x01\x01a', tl.string
        )
