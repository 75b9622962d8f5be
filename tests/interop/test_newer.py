"""Operators of later versions in GraphDefs; expected is what TensorFlow 2.21 gives."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DataLossError, GraphDefError, InvalidArgumentError
from tensorlite.interop.tensorflow.attributes import Shape
from tests.interop.graphdefs import Program
from tests.interop.test_sequence_parsing import vector

WEIGHTS = (np.arange(8, dtype=np.float32) / 8).reshape(2, 4)
BIAS = np.array([0.1, 0.2, 0.3, 0.4], np.float32)


def run(made: Program, count: int) -> list[Any]:
    """Return the outputs of the node y, as lists."""
    return [x.tolist() for x in made.session().run([f"y:{i}" for i in range(count)])]


def test_the_greatest_are_found_nearly() -> None:
    made = Program()
    made.floats("x", 1.0, 5.0, 3.0, 2.0)
    made.node("ApproxTopK", "y", "x", k=2, aggregate_to_topk=False, T=tl.float32)
    assert run(made, 2) == [[5, 3], [1, 2]]


def test_numbers_that_fall() -> None:
    made = Program()
    made.const("x", np.array([[3, 1, 2, 1], [1, 2, 3, 4]], np.float32))
    made.node("IsotonicRegression", "y", "x", T=tl.float32, output_dtype=tl.float32)
    assert run(made, 2) == [
        [[3, 1.5, 1.5, 1], [2.5, 2.5, 2.5, 2.5]],
        [[0, 1, 1, 2], [0, 0, 0, 0]],
    ]


@pytest.mark.parametrize(
    ("kind", "compress"),
    [("ZLIB", zlib.compress), ("GZIP", gzip.compress), ("", bytes)],
)
def test_compressed_texts(kind: str, compress: Any) -> None:
    made = Program()
    made.const("x", vector(compress(b"abc"), compress(b"")))
    made.node("DecodeCompressed", "y", "x", compression_type=kind)
    assert run(made, 1) == [[b"abc", b""]]


def test_what_is_not_compressed_so_is_refused() -> None:
    with pytest.raises(DataLossError, match="decode_compressed"):
        tl.io.decode_compressed([b"abc"], "GZIP")
    with pytest.raises(InvalidArgumentError, match="allowed are"):
        tl.io.decode_compressed([b"abc"], "LZ4")


def test_texts_are_cut_or_filled_up_to_numbers() -> None:
    made = Program()
    made.const("x", vector(b"\x01\x00\x02", b"\x05"))
    made.const("n", np.array(4, np.int32))
    made.node("DecodePaddedRaw", "y", "x", "n", out_type=tl.int16)
    assert run(made, 1) == [[[1, 2], [5, 0]]]
    made.const("odd", np.array(3, np.int32))
    made.node("DecodePaddedRaw", "z", "x", "odd", out_type=tl.int16)
    with pytest.raises(GraphDefError, match="multiples of 2"):
        made.session()


def test_a_cell_whose_gates_stand_in_another_order() -> None:
    made = Program()
    made.const("n", np.array(1, np.int64))
    made.const("x", np.ones((2, 1, 1), np.float32))
    made.const("cs", np.array([[0.1]], np.float32))
    made.const("h", np.array([[0.2]], np.float32))
    made.const("w", WEIGHTS)
    made.floats("p", 0.0)
    made.const("b", BIAS)
    inputs = ("n", "x", "cs", "h", "w", "p", "p", "p", "b")
    made.node("BlockLSTMV2", "y", *inputs, T=tl.float32)
    made.const("d", np.ones((2, 1, 1), np.float32))
    outputs = [f"y:{i}" for i in range(7)]
    made.node(
        *("BlockLSTMGradV2", "g", *inputs, *outputs, "d", "d"),
        T=tl.float32,
        use_peephole=False,
    )
    session = made.session()
    got = [float(x[0, 0, 0]) for x in session.run(outputs)]
    wanted = [0.549834, 0.393366, 0.610639, 0.721115, 0.604368, 0.374258, 0.269883]
    np.testing.assert_allclose(got, wanted, atol=1e-5)
    dw = session.run("g:3")
    i, _, f, o, ci, co, _ = got
    flow = 1 + o * (1 - co * co)
    gates = [
        flow * ci * i * (1 - i),
        flow * 0.1 * f * (1 - f),
        flow * i * (1 - ci * ci),
        co * o * (1 - o),
    ]
    steps = np.array([gates[0], gates[2], gates[1], gates[3]])
    order = [0, 2, 1, 3]  # gates are i, f, ci, o here, as the weights' columns are
    np.testing.assert_allclose(dw[0], steps[order], atol=1e-5)


def test_draws_from_a_generator_that_is_given() -> None:
    made = Program()
    made.const("state", np.array([5, 0, 77], np.int64))
    made.const("algorithm", np.array(1, np.int64))
    made.const("shape", np.array([3], np.int32))
    made.const("delta", np.array(3, np.int64))
    variable: dict[str, Any] = {
        "dtype": tl.int64,
        "shape": Shape((3,)),
        "shared_name": "s",
    }
    made.node("VarHandleOp", "v", **variable)
    made.node("AssignVariableOp", "init", "v", "state", dtype=tl.int64)
    given = ("v", "algorithm", "shape")
    kinds: dict[str, Any] = {"dtype": tl.float32, "shape_dtype": tl.int32}
    made.node("StatefulStandardNormalV2", "normal", *given, **kinds)
    made.node("StatefulTruncatedNormal", "cut", *given, **kinds)
    made.node("StatefulUniform", "uniform", *given, **kinds)
    made.node(
        "StatefulUniformFullInt",
        "bits",
        *given,
        dtype=tl.uint32,
        shape_dtype=tl.int32,
    )
    made.node("RngSkip", "skip", "v", "algorithm", "delta")
    session = made.session()
    expected: dict[str, list[float]] = {
        "normal": [-0.5669067, -0.9683239, 0.2290054],
        "cut": [-0.5669067, -0.9683239, 0.2290054],
        "uniform": [0.532849, 0.5842969, 0.3342171],
        "bits": [1942238309, 264948286, 1319815072],
    }
    for name, numbers in expected.items():
        session.run("init", {})
        got = session.run(f"{name}:0")
        np.testing.assert_allclose(got, numbers, atol=1e-6)
    np.testing.assert_allclose(
        session.run("normal:0")[:2], [-0.36892077, 0.17949405], atol=1e-6
    )


@pytest.mark.parametrize(("size", "cut"), [(8, 8), (7, 7), (8, 5), (6, 9)])
def test_transforms_of_sizes_that_are_computed(size: int, cut: int) -> None:
    made = Program()
    made.placeholder("n", tl.int32, (1,))
    made.const("x", np.arange(size, dtype=np.float32) ** 2)
    made.node("RFFT", "z", "x", "n", Treal=tl.float32, Tcomplex=tl.complex64)
    made.node("IRFFT", "y", "z", "n", Treal=tl.float32, Tcomplex=tl.complex64)
    z, y = made.session().run(["z:0", "y:0"], {"n:0": np.array([cut], np.int32)})
    signal = np.arange(size, dtype=np.float64) ** 2
    expected = np.fft.rfft(signal, cut)
    np.testing.assert_allclose(z, expected, atol=1e-4)
    np.testing.assert_allclose(y, np.fft.irfft(expected, cut), atol=1e-4)


def test_normalised_images_with_what_was_fused_to_them() -> None:
    made = Program()
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 2, 3, 2)
    made.const("x", x)
    made.floats("scale", 1.0, 2.0)
    made.floats("offset", 0.5, -0.5)
    made.floats("mean", 0.1, 0.2)
    made.floats("variance", 1.0, 4.0)
    made.const("side", x * 3)
    made.node(
        *(
            "_FusedBatchNormEx",
            "y",
            "x",
            "scale",
            "offset",
            "mean",
            "variance",
            "side",
        ),
        T=tl.float32,
        U=tl.float32,
        num_side_inputs=1,
        activation_mode="Relu",
        is_training=False,
        epsilon=0.0,
    )
    normed = (x - [0.1, 0.2]) / [1.0, 2.0] * [1.0, 2.0] + [0.5, -0.5]
    got = made.session().run("y:0")
    np.testing.assert_allclose(got, np.maximum(normed + x * 3, 0), atol=1e-5)
