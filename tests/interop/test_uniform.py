"""Evenly spaced quantised numbers, maps, choices of many; expected is what TensorFlow 2.21 has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError, InvalidArgumentError
from tests.interop.graphdefs import Program

X = np.array([[-3.05, -0.25, 0.05], [0.149, 1.25, 30.0]], np.float32)
BYTES: dict[str, Any] = {"quantization_min_val": -128, "quantization_max_val": 127}
WORDS: dict[str, Any] = {
    "quantization_min_val": -(2**31),
    "quantization_max_val": 2**31 - 1,
}


def of(prefix: str, limits: dict[str, Any]) -> dict[str, Any]:
    """Return attributes of one operand."""
    return {f"{prefix}_{name}": value for name, value in limits.items()}


def spacing(made: Program, name: str, scales: Any, zeros: Any) -> tuple[str, str]:
    """Add scales and zero points; return their names."""
    first = made.const(f"{name}/scales", np.array(scales, np.float32))
    return first, made.const(f"{name}/zeros", np.array(zeros, np.int32))


def quantised(
    made: Program,
    name: str,
    x: Any,
    by: tuple[str, str],
    dtype: tl.DType,
    **more: Any,
) -> str:
    """Add numbers, and what makes integers of them."""
    given = made.const(f"{name}/x", np.asarray(x, np.float32))
    kinds: dict[str, Any] = {"Tin": tl.float32, "Tout": dtype}
    return made.node("UniformQuantize", name, given, *by, **kinds, **BYTES, **more)


def integers(made: Program, name: str, dtype: tl.DType) -> Any:
    """Return the integers of a node."""
    made.node("Cast", "integers", name, SrcT=dtype, DstT=tl.int32)
    return made.session().run("integers:0").tolist()


def test_numbers_become_integers_and_numbers_again() -> None:
    made = Program()
    by = spacing(made, "by", 0.1, 3)
    q = quantised(made, "q", X, by, tl.qint8)
    kinds: dict[str, Any] = {"Tin": tl.qint8, "Tout": tl.float32}
    made.node("UniformDequantize", "y", q, *by, **kinds, **BYTES)
    expected = [[-3.0, -0.2, 0.1], [0.1, 1.3, 12.4]]
    np.testing.assert_allclose(made.session().run("y:0"), expected, rtol=1e-6)
    assert integers(made, q, tl.qint8) == [[-27, 1, 4], [4, 16, 127]]


def test_columns_have_spacings_of_their_own() -> None:
    made = Program()
    by = spacing(made, "by", [0.1, 0.2, 0.3], [1, 2, 3])
    q = quantised(made, "q", X, by, tl.qint8, quantization_axis=1)
    assert integers(made, q, tl.qint8) == [[-29, 1, 3], [2, 8, 103]]


@pytest.mark.parametrize(
    ("scale", "zero", "expected"),
    [
        (0.2, 3, [[-12, 2, 4], [4, 10, 65]]),
        (0.037, -5, [[-86, -10, -2], [-2, 30, 127]]),
        (0.1, 3, [[-27, 1, 4], [4, 16, 127]]),
    ],
)
def test_integers_are_spaced_otherwise(
    scale: float, zero: int, expected: Any
) -> None:
    made = Program()
    by = spacing(made, "by", 0.1, 3)
    q = quantised(made, "q", X, by, tl.qint8)
    after = spacing(made, "after", scale, zero)
    limits = of("input", BYTES) | of("output", BYTES)
    kinds: dict[str, Any] = {"Tin": tl.qint8, "Tout": tl.qint8}
    y = made.node("UniformRequantize", "y", q, *by, *after, **kinds, **limits)
    assert integers(made, y, tl.qint8) == expected


def test_sums_and_bounds() -> None:
    made = Program()
    both = spacing(made, "a", 0.1, 3), spacing(made, "b", 0.07, -2)
    first = quantised(made, "q", X, both[0], tl.qint32)
    second = quantised(made, "p", X * np.float32(0.5), both[1], tl.qint32)
    after = spacing(made, "after", 0.13, 4)
    limits = of("lhs", WORDS) | of("rhs", WORDS) | of("output", WORDS)
    operands = first, second, *both[0], *both[1], *after
    y = made.node("UniformQuantizedAdd", "y", *operands, T=tl.qint32, **limits)
    assert integers(made, y, tl.qint32) == [[-31, 1, 5], [6, 19, 168]]
    ends = [
        made.node("Cast", name, made.const(f"{name}/x", np.int32(end)), **TO_WORDS)
        for name, end in (("low", -5), ("high", 20))
    ]
    clip = "UniformQuantizedClipByValue"
    made.node(clip, "c", first, *ends, *both[0], T=tl.qint32, **WORDS)
    made.node("Cast", "bounded", "c", SrcT=tl.qint32, DstT=tl.int32)
    found = made.session().run("bounded:0").tolist()
    assert found == [[-5, 1, 4], [4, 16, 20]]


TO_WORDS: dict[str, Any] = {"SrcT": tl.int32, "DstT": tl.qint32}


@pytest.mark.parametrize(
    ("second", "result", "axes", "expected"),
    [
        ((0.05, 0), (0.013, 4), {}, [[712, -1], [3, 6187]]),
        (
            ([0.05, 0.07], [0, 0]),
            ([0.013, 0.02], [4, 5]),
            {"rhs_quantization_axis": 1, "output_quantization_axis": 1},
            [[712, 16], [3, 5599]],
        ),
    ],
)
def test_products(second: Any, result: Any, axes: Any, expected: Any) -> None:
    made = Program()
    by, columns = spacing(made, "by", 0.1, 3), spacing(made, "columns", *second)
    axis = 1 if axes else -1
    q = quantised(made, "q", X, by, tl.qint8)
    w = quantised(made, "w", X.T, columns, tl.qint8, quantization_axis=axis)
    operands = q, w, *by, *columns, *spacing(made, "after", *result)
    limits = of("lhs", BYTES) | of("rhs", BYTES) | of("output", WORDS) | axes
    kinds: dict[str, Any] = {"Tin": tl.qint8, "Tout": tl.qint32}
    y = made.node("UniformQuantizedDot", "y", *operands, **kinds, **limits)
    assert integers(made, y, tl.qint32) == expected


def test_axes_and_limits_that_are_none() -> None:
    for wrong in (
        {"quantization_axis": -2},
        {"quantization_min_val": 5, "quantization_max_val": 4},
        {"quantization_axis": 2},
    ):
        made = Program()
        by = spacing(made, "by", 0.1, 3)
        x = made.const("x", X)
        kinds: dict[str, Any] = {"Tin": tl.float32, "Tout": tl.qint8}
        made.node("UniformQuantize", "q", x, *by, **kinds, **(BYTES | wrong))
        with pytest.raises(
            (GraphDefError, tl.errors.ShapeError), match=r"quant|from 5"
        ):
            made.session()


def filled() -> Program:
    """Return a program with a map of two keys."""
    made = Program()
    made.node("EmptyTensorMap", "empty")
    made.const("one", np.array([1, 2], np.int32))
    made.const("two", np.array([3, 4], np.int32))
    for i, name in enumerate(("one", "two")):
        made.const(f"value_{name}", f"value {i}")
        before = "map_one" if i else "empty"
        operands = before, name, f"value_{name}"
        made.node("TensorMapInsert", f"map_{name}", *operands, **KINDS)
    return made


KINDS: dict[str, Any] = {"key_dtype": tl.int32, "value_dtype": tl.string}


def test_maps() -> None:
    made = filled()
    made.node("TensorMapLookup", "found", "map_two", "two", **KINDS)
    made.node("TensorMapSize", "size", "map_two")
    made.node("TensorMapStackKeys", "keys", "map_two", key_dtype=tl.int32)
    made.node("TensorMapErase", "less", "map_two", "one", **KINDS)
    for name in ("map_two", "less"):
        made.node("TensorMapHasKey", f"in_{name}", name, "one", key_dtype=tl.int32)
    names = ("found", "size", "keys", "in_map_two", "in_less")
    found = made.session().run([f"{name}:0" for name in names])
    assert [np.asarray(x).tolist() for x in found] == [
        *(b"value 1", 2, [[1, 2], [3, 4]], True, False)
    ]


def test_keys_that_are_not_there() -> None:
    made = filled()
    made.const("other", np.array([1, 3], np.int32))
    made.node("TensorMapLookup", "found", "map_two", "other", **KINDS)
    made.node("TensorMapErase", "less", "map_two", "other", **KINDS)
    made.node("TensorMapSize", "size", "less")
    made.node("TensorMapStackKeys", "none", "empty", key_dtype=tl.int32)
    session = made.session()
    for name in ("found", "size"):
        with pytest.raises(InvalidArgumentError, match="non-existent key"):
            session.run(f"{name}:0")
    with pytest.raises(InvalidArgumentError, match="one or more"):
        session.run("none:0")


def test_what_is_no_map() -> None:
    made = filled()
    made.const("shape", np.array([], np.int32))
    made.const("number", np.int32(1))
    kinds: dict[str, Any] = {"element_dtype": tl.string, "shape_type": tl.int32}
    made.node("EmptyTensorList", "list", "shape", "number", **kinds)
    made.node("TensorMapLookup", "found", "list", "one", **KINDS)
    other: dict[str, Any] = KINDS | {"value_dtype": tl.float32}
    made.node("TensorMapLookup", "cast", "map_two", "one", **other)
    session = made.session()
    with pytest.raises(InvalidArgumentError, match="is no map"):
        session.run("found:0")
    with pytest.raises(InvalidArgumentError, match="asked for is"):
        session.run("cast:0")
    made.node("TensorMapSize", "size", "one")
    with pytest.raises(tl.errors.DTypeError, match="takes a map"):
        made.session()


def test_maps_are_written() -> None:
    made = filled()
    made.node("TensorMapLookup", "found", "map_two", "two", **KINDS)
    written = tl.interop.tensorflow.to_graphdef(made.session().graph)
    again = tl.interop.tensorflow.from_graphdef(written)
    assert tl.Session(again).run("found:0") == b"value 1"


@pytest.mark.parametrize(
    ("number", "side"), [(0, 0), (1, 1), (2, 2), (7, 2), (-1, 2)]
)
def test_one_of_many_sides(number: int, side: int) -> None:
    made = Program()
    made.floats("x", 5.0)
    made.placeholder("number", tl.int32, ())
    made.node("_SwitchN", "sides", "x", "number", num_outs=3, T=tl.float32)
    for i in range(3):
        source = f"sides:{i}"
        made.const(f"c_{i}", np.float32(10 * i))
        made.node("Mul", f"times_{i}", source, f"c_{i}", T=tl.float32)
    given = [f"times_{i}" for i in range(3)]
    made.node("Merge", "y", *given, N=3, T=tl.float32)
    session = made.session()
    assert session.run("y:0", {"number:0": number}) == 50 * side


def test_no_sides() -> None:
    made = Program()
    made.floats("x", 5.0)
    made.const("number", np.int32(0))
    made.node("_SwitchN", "sides", "x", "number", num_outs=0, T=tl.float32)
    with pytest.raises(GraphDefError, match="num_outs is 0"):
        made.session()
