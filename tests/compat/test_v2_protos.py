"""Messages taken apart into tensors and put together; what is expected is TensorFlow 2.21's."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v2
from tensorlite.core.errors import DataLossError, DTypeError, InvalidArgumentError

# name: (protobuf's number of the type, whether repeated, dtype, value, what stands in the message)
FIELDS: dict[str, tuple[int, bool, Any, Any, bytes]] = {
    "d": (1, False, tl.float64, [0.25], b"\x09\x00\x00\x00\x00\x00\x00\xd0\x3f"),
    "r": (2, True, tl.float32, [1.5], b"\x15\x00\x00\xc0\x3f"),
    "i64": (3, False, tl.int64, [-2], b"\x18" + b"\xfe" + b"\xff" * 8 + b"\x01"),
    "u64": (4, False, tl.uint64, [2**63 + 1], b"\x20\x81" + b"\x80" * 8 + b"\x01"),
    "id": (5, False, tl.int32, [123], b"\x28\x7b"),
    "f64": (6, False, tl.uint64, [10], b"\x31\x0a" + bytes(7)),
    "f32": (7, False, tl.uint32, [9], b"\x3d\x09" + bytes(3)),
    "b": (8, False, tl.bool, [True], b"\x40\x01"),
    "name": (9, False, tl.string, [b"Al"], b"\x4a\x02Al"),
    "sub": (11, False, tl.string, [b"\x4a\x02in"], b"\x52\x04\x4a\x02in"),
    "bytes": (12, False, tl.string, [b"\xff"], b"\x5a\x01\xff"),
    "u32": (13, False, tl.uint64, [2**31 + 5], b"\x60\x85\x80\x80\x80\x08"),
    "e": (14, False, tl.int32, [3], b"\x68\x03"),
    "s32": (17, False, tl.int64, [-3], b"\x70\x05"),
    "s64": (18, True, tl.int64, [-5, 4], b"\x78\x09\x78\x08"),
}


@pytest.fixture
def source() -> bytes:
    """Return the description of a message with a field of each type, and of a second one."""
    files = import_module("google.protobuf.descriptor_pb2").FileDescriptorSet()
    file = files.file.add(name="p.proto", package="pk", syntax="proto2")
    one = file.enum_type.add(name="E")
    one.value.add(name="A", number=0)
    one.value.add(name="B", number=3)
    message = file.message_type.add(name="P")
    for number, (name, (kind, repeated, *_)) in enumerate(FIELDS.items(), 1):
        field = message.field.add(
            name=name, number=number, type=kind, label=3 if repeated else 1
        )
        if name in {"sub", "e"}:
            field.type_name = ".pk.P" if name == "sub" else ".pk.E"
    message.field[4].default_value = "7"
    newer = files.file.add(name="q.proto", package="pk", syntax="proto3")
    packed = newer.message_type.add(name="Q")
    packed.field.add(name="n", number=1, type=5, label=3)
    described: bytes = files.SerializeToString()
    return b"bytes://" + described


@pytest.mark.parametrize("name", FIELDS)
def test_fields_are_read_and_written(source: bytes, name: str) -> None:
    _, _, dtype, values, written = FIELDS[name]
    sizes, (found,) = tl.io.decode_proto([written], "pk.P", [name], [dtype], source)
    assert sizes.numpy().tolist() == [[len(values)]]
    assert (found.dtype, found.numpy().tolist()) == (dtype, [values])
    given = np.array([values], object if dtype is tl.string else dtype.numpy)
    again = tl.io.encode_proto(sizes, [given], [name], "pk.P", source)
    assert again.numpy().tolist() == [written]


def test_fewer_values_are_filled_up(source: bytes) -> None:
    # Defaults stand for single values, zeros for repeated ones; of a single one the last counts.
    messages = [
        [b"\x28\x01\x28\x02\x15\x00\x00\xc0\x3f\x15\x00\x00\x00\x40", b"\x4a\x01k"]
    ]
    sizes, (n, r, name) = v2.io.decode_proto(
        messages,
        "pk.P",
        ["id", "r", "name"],
        [tl.int64, tl.float64, "string"],
        source,
    )
    assert sizes.numpy().tolist() == [[[1, 2, 0], [0, 0, 1]]]
    assert n.numpy().tolist() == [[[2], [7]]]
    assert r.numpy().tolist() == [[[1.5, 2.0], [0.0, 0.0]]]
    assert name.numpy().tolist() == [[[b""], [b"k"]]]


def test_messages_are_written_by_their_fields_numbers(source: bytes) -> None:
    values = [[["zz", "y"], ["x", "w"]], [[5], [6]]]
    made = v2.io.encode_proto(
        [[1, 1], [2, 0]], values, ["name", "id"], "pk.P", source
    )
    assert made.numpy().tolist() == [b"\x28\x05\x4a\x02zz", b"\x4a\x01x\x4a\x01w"]


def test_packed_numbers(source: bytes) -> None:
    made = tl.io.encode_proto([[3]], [[[1, -1, 2]]], ["n"], "pk.Q", source)
    assert made.numpy().tolist() == [b"\n\x0c\x01" + b"\xff" * 9 + b"\x01\x02"]
    _, (n,) = tl.io.decode_proto(made, "pk.Q", ["n"], [tl.int32], source)
    assert n.numpy().tolist() == [[1, -1, 2]]


def test_texts_describe_messages(source: bytes) -> None:
    kinds = [tl.int32, tl.string]
    _, (n, name) = tl.io.decode_proto(
        ['id: 5 name: "x"'], "pk.P", ["id", "name"], kinds, source, "text"
    )
    assert (n.numpy().tolist(), name.numpy().tolist()) == ([[5]], [[b"x"]])
    with pytest.raises(DataLossError, match="Unable to parse text protobuf"):
        tl.io.decode_proto(["id: z"], "pk.P", ["id"], [tl.int32], source, "text")


def test_descriptions_are_read_from_files(source: bytes, tmp_path: Path) -> None:
    file = tmp_path / "person.desc"
    file.write_bytes(source.removeprefix(b"bytes://"))
    found = v2.io.decode_proto(b"\x28\x7b", "pk.P", ["id"], [tl.int32], str(file))
    assert found.sizes.numpy().tolist() == [1]
    assert found.values[0].numpy().tolist() == [123]


def test_in_traced_functions(source: bytes) -> None:
    def ids(messages: Any) -> Any:
        found = v2.io.decode_proto(messages, "pk.P", ["id"], [tl.int32], source)
        assert found.values[0].shape.as_list() == [None, None]
        return v2.io.encode_proto(found.sizes, found.values, ["id"], "pk.P", source)

    traced = v2.function(ids, input_signature=[v2.TensorSpec([None], v2.string)])
    assert traced(v2.constant([b"\x28\x7b", b""])).numpy().tolist() == [
        b"\x28\x7b",
        b"",
    ]


def test_what_is_refused(source: bytes) -> None:
    def decoded(names: Any, kinds: Any, messages: Any = (b"",), **k: Any) -> Any:
        return v2.io.decode_proto(messages, "pk.P", names, kinds, source, **k)

    for names, kinds, said in [
        (
            ["id"],
            [tl.float32],
            "Unexpected output type for pk.P.id: int32 to float32",
        ),
        (["u32"], [tl.int64], "allowed are uint32 and uint64"),
        (["no"], [tl.int32], "Unknown field: no in message type pk.P"),
        (["id", "r"], [tl.int32], "must have the same length, not 2 and 1"),
    ]:
        with pytest.raises(InvalidArgumentError, match=said):
            decoded(names, kinds)
    with pytest.raises(InvalidArgumentError, match="must contain at least one value"):
        decoded(["id"], [tl.int32], [])
    with pytest.raises(InvalidArgumentError, match="one of binary or text"):
        decoded(["id"], [tl.int32], message_format="json")
    with pytest.raises(DataLossError):
        decoded(["id"], [tl.int32], [b"\xff\xff"])
    with pytest.raises(DataLossError, match="a number stands in name"):
        decoded(["name"], [tl.string], [b"\x48\x01"])
    with pytest.raises(InvalidArgumentError, match="No descriptor found"):
        tl.io.decode_proto([b""], "pk.P", ["id"], [tl.int32])
    with pytest.raises(InvalidArgumentError, match="no file that can be read"):
        tl.io.decode_proto([b""], "pk.P", ["id"], [tl.int32], "/nowhere/person.desc")
    with pytest.raises(InvalidArgumentError, match="serialized file descriptor set"):
        tl.io.decode_proto([b""], "pk.P", ["id"], [tl.int32], b"bytes://\xff")


def test_what_is_refused_of_values(source: bytes) -> None:
    def encoded(sizes: Any, value: Any, names: Any = ("id",)) -> Any:
        return tl.io.encode_proto(sizes, [value], names, "pk.P", source)

    for sizes, value, said in [
        ([[2]], [[1]], "2 > 1 at message 0 field 0"),
        ([1], [1], "should be at least a matrix"),
        ([[1]], [[1.5]], "Saw dtype: float32 but field type is: int32"),
        ([[1, 1]], [[1]], r"Saw: \[1, 2\] but expected: \[1, 1\]"),
    ]:
        with pytest.raises(InvalidArgumentError, match=said):
            encoded(sizes, value)
    with pytest.raises(InvalidArgumentError, match="must match field_names: 1 and 2"):
        encoded([[1, 1]], [[1]], ["id", "name"])
    with pytest.raises(DTypeError, match="sizes must be of int32"):
        encoded([[1.0]], [[1]])
