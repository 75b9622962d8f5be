"""Operators of images, sparse tensors, texts and tables in GraphDefs, read and written again.

The values expected are those of TensorFlow 1.15, for the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.interop.tensorflow.tensors import array_of, proto_of
from tests.interop.graphdefs import Program, Session

F = tl.float32


def floats(values: Any) -> Any:
    """Return an array of float32."""
    return np.array(values, np.float32)


def ints(values: Any) -> Any:
    """Return an array of int32."""
    return np.array(values, np.int32)


def longs(values: Any) -> Any:
    """Return an array of int64."""
    return np.array(values, np.int64)


SPARSE = (
    np.array([[0, 1], [1, 0], [1, 2]], np.int64),
    np.array([1, 2, 3], np.float32),
    np.array([2, 3], np.int64),
)
OTHER = (np.array([[0, 1], [1, 1]], np.int64), floats([4, 5]), SPARSE[2])


def made(op: str, *values: Any, **attributes: Any) -> Program:
    """Return a GraphDef of one node of constants, which is called y."""
    program = Program()
    names = [program.const(f"x{i}", value) for i, value in enumerate(values)]
    program.node(op, "y", *names, **attributes)
    return program


def outputs(program: Program, count: int) -> list[Any]:
    """Return the values of the outputs of y."""
    return list(program.session().run([f"y:{i}" for i in range(count)]))


CASES: list[tuple[str, Sequence[Any], dict[str, Any], list[Any]]] = [
    (
        "FakeQuantWithMinMaxArgs",
        [floats([0.1, 9])],
        {"min": -1.0, "max": 2.0, "num_bits": 2},
        [[0, 2]],
    ),
    (
        "FakeQuantWithMinMaxVarsGradient",
        [
            floats([1, 2, 3]),
            floats([-9, 0, 9]),
            np.float32(-1),
            np.float32(2),
        ],
        {"num_bits": 2},
        [[0, 2, 0], 1, 3],
    ),
    (
        "Dilation2D",
        [
            np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1),
            np.zeros((2, 2, 1), np.float32),
        ],
        {"T": F, "strides": (1, 1, 1, 1), "rates": (1, 1, 1, 1), "padding": "VALID"},
        [[[[[3]]]]],
    ),
    (
        "ExtractImagePatches",
        [np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)],
        {
            "T": F,
            "ksizes": (1, 2, 2, 1),
            "strides": (1, 1, 1, 1),
            "rates": (1, 1, 1, 1),
            "padding": "VALID",
        },
        [[[[[0, 1, 2, 3]]]]],
    ),
    (
        "CropAndResize",
        [
            np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1),
            floats([[0, 0, 1, 1]]),
            ints([0]),
            ints([1, 1]),
        ],
        {"T": F},
        [[[[[1.5]]]]],
    ),
    (
        "SparseReorder",
        [SPARSE[0][::-1].copy(), floats([3, 2, 1]), SPARSE[2]],
        {"T": F},
        [*SPARSE[:2]],
    ),
    ("SparseReduceSum", [*SPARSE, ints([1])], {"T": F}, [[1, 5]]),
    (
        "SparseAdd",
        [*SPARSE, *OTHER, np.float32(0)],
        {"T": F, "Treal": F},
        [[[0, 1], [1, 0], [1, 1], [1, 2]], [5, 2, 5, 3], [2, 3]],
    ),
    (
        "SparseConcat",
        [SPARSE[0], OTHER[0], SPARSE[1], OTHER[1], SPARSE[2], OTHER[2]],
        {"T": F, "N": 2, "concat_dim": 0},
        [[[0, 1], [1, 0], [1, 2], [2, 1], [3, 1]], [1, 2, 3, 4, 5], [4, 3]],
    ),
    (
        "SparseFillEmptyRows",
        [
            longs([[1, 0], [1, 2]]),
            floats([1, 2]),
            longs([3, 3]),
            np.float32(9),
        ],
        {"T": F},
        [[[0, 0], [1, 0], [1, 2], [2, 0]], [9, 1, 2, 9], [True, False, True], [1, 2]],
    ),
    (
        "SparseReshape",
        [SPARSE[0], SPARSE[2], longs([3, 2])],
        {},
        [[[0, 1], [1, 1], [2, 1]], [3, 2]],
    ),
    (
        "SparseTensorDenseMatMul",
        [*SPARSE, floats([[1], [2], [3]])],
        {"T": F},
        [[[2], [11]]],
    ),
    (
        "SparseSplit",
        [np.int64(1), *SPARSE],
        {"T": F, "num_split": 2},
        [[[0, 1], [1, 0]], [[1, 0]], [1, 2], [3], [2, 2], [2, 1]],
    ),
    (
        "Bincount",
        [ints([1, 1, 5]), np.int32(3), floats([])],
        {"T": F},
        [[0, 2, 0]],
    ),
    (
        "StringSplitV2",
        [np.array([b"a b", b"c"], object), np.array(b"", object)],
        {},
        [[[0, 0], [0, 1], [1, 0]], [b"a", b"b", b"c"], [2, 2]],
    ),
    (
        "StringToHashBucketFast",
        [np.array([b"a", b"b"], object)],
        {"num_buckets": 100},
        [[39, 22]],
    ),
    (
        "Substr",
        [np.array([b"text"], object), np.int32(1), np.int32(2)],
        {"T": tl.int32},
        [[b"ex"]],
    ),
]


@pytest.mark.parametrize(
    ("op", "values", "attributes", "wanted"), CASES, ids=[x[0] for x in CASES]
)
def test_operators_are_read(
    op: str, values: Sequence[Any], attributes: dict[str, Any], wanted: list[Any]
) -> None:
    found = outputs(made(op, *values, **attributes), len(wanted))
    for have, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(have, want)


def test_tables_are_filled_and_asked() -> None:
    program = Program()
    kinds: dict[str, Any] = {"key_dtype": tl.string, "value_dtype": tl.int64}
    program.node("HashTableV2", "table", **kinds)
    given: dict[str, Any] = {"Tin": tl.string, "Tout": tl.int64}
    program.const("keys", np.array([b"a", b"b"], object))
    program.const("values", longs([1, 2]))
    program.node("LookupTableImportV2", "fill", "table", "keys", "values", **given)
    program.const("asked", np.array([b"b", b"z"], object))
    program.const("default", np.int64(-1))
    program.node("LookupTableFindV2", "found", "table", "asked", "default", **given)
    session = program.session()
    session.run("fill")
    np.testing.assert_array_equal(session.run("found:0"), [2, -1])


def test_pictures_are_written_and_read_again() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((None, None, 3), tl.uint8, name="x"))
        y = tl.image.decode_png(tl.image.encode_png(x), channels=3)
        z = tl.image.resize(tl.astype(y, tl.float32)[None], (2, 2), "area")
    proto = tl.interop.tensorflow.to_graphdef(graph)
    assert {"EncodePng", "DecodePng", "ResizeArea"} <= {
        node.op for node in proto.node
    }
    assert isinstance(z, tl.SymbolicTensor)
    session = Session(tl.interop.tensorflow.from_graphdef(proto.SerializeToString()))
    picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    found = session.run(z.name, {"x:0": picture})
    np.testing.assert_array_equal(found[0, 0, 0], picture[:2, :2].mean((0, 1)))


def test_texts_are_written_and_read_again() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((None,), tl.string, name="x"))
        y = tl.strings.upper(tl.strings.substr(x, 0, 2))
    proto = tl.interop.tensorflow.to_graphdef(graph)
    assert isinstance(y, tl.SymbolicTensor)
    session = Session(tl.interop.tensorflow.from_graphdef(proto.SerializeToString()))
    assert session.run(y.name, {"x:0": np.array([b"abc"], object)}).tolist() == [
        b"AB"
    ]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (np.float32(10.0), "float_val"),
        (np.array([7], np.int32), "int_val"),
        (np.int64(-5), "int64_val"),
        (np.bool_(True), "bool_val"),
        (np.float16(1.5), "half_val"),
        (np.complex64(1 + 2j), "scomplex_val"),
        (np.array(b"a", object), "string_val"),
    ],
)
def test_one_number_stands_where_programs_look_for_it(value: Any, field: str) -> None:
    proto = proto_of(np.asarray(value))
    assert len(getattr(proto, field))
    assert not proto.tensor_content
    np.testing.assert_array_equal(array_of(proto), np.asarray(value))


def test_texts_are_read_from_one_piece_of_memory() -> None:
    # As constants that TensorFlow's optimiser has folded stand in a graph.
    proto = proto_of(np.array([b"", b"bcd"], object))
    proto.ClearField("string_val")
    proto.tensor_content = b"\x00\x03bcd"
    assert array_of(proto).tolist() == [b"", b"bcd"]
    proto.tensor_content = b"\x00\x04bcd"
    with pytest.raises(tl.errors.GraphDefError, match="told to have 4 bytes"):
        array_of(proto)


def test_what_is_printed_is_written_as_a_template(
    capsys: pytest.CaptureFixture[str],
) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((2,), tl.float32, name="x"))
        done: Any = tl.print("{} is", x, "here", end="!")
    proto = tl.interop.tensorflow.to_graphdef(graph)
    assert {"StringFormat", "PrintV2"} <= {node.op for node in proto.node}
    session = Session(tl.interop.tensorflow.from_graphdef(proto.SerializeToString()))
    session.run(done.name, {"x:0": [1.0, 2.0]})
    assert capsys.readouterr().out == "{} is [1 2] here!"
