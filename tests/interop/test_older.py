"""Operators that TensorFlow replaced since give what it says they gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.interop.graphdefs import Program, Shape
from tests.interop.test_operators import ran
from tests.interop.test_reading import variable

X = np.array([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]], np.float32)
FLOAT: dict[str, Any] = {"T": tl.float32}


def test_quotients_and_rests() -> None:
    whole, by = np.array([7, -7, 8], np.int32), np.array([2, 2, -3], np.int32)
    assert ran("Div", whole, by, T=tl.int32).tolist() == [3, -3, -2]
    assert ran("TruncateMod", whole, by, T=tl.int32).tolist() == [1, -1, 2]
    assert ran("Div", X[0], X[1], **FLOAT).tolist() == (X[0] / X[1]).tolist()


def test_rows_and_the_largest() -> None:
    places = np.array([1, 0, 1], np.int32)
    rows = ran("Gather", X, places, Tparams=tl.float32, Tindices=tl.int32)
    np.testing.assert_array_equal(rows, X[places])
    values, places = ran("TopK", X, outputs=2, k=2, **FLOAT)
    assert (values.tolist(), places.tolist()) == (
        [[3, 2], [6, 5]],
        [[0, 2], [1, 2]],
    )
    found = ran("InTopK", X, np.array([1, 2], np.int32), k=2, T=tl.int32)
    assert found.tolist() == [False, True]


def test_diagonals_of_matrices_and_of_more_axes() -> None:
    np.testing.assert_array_equal(ran("Diag", X[0], **FLOAT), np.diag(X[0]))
    np.testing.assert_array_equal(ran("DiagPart", np.diag(X[0]), **FLOAT), X[0])
    whole = ran("Diag", X, **FLOAT)
    np.testing.assert_array_equal(whole.reshape(6, 6), np.diag(X.reshape(-1)))
    np.testing.assert_array_equal(ran("DiagPart", whole, **FLOAT), X)


def test_space_goes_to_the_channels_and_comes_back() -> None:
    x = np.arange(16, dtype=np.float32).reshape(1, 2, 4, 2)
    deep = ran("SpaceToDepth", x, block_size=2, **FLOAT)
    np.testing.assert_array_equal(
        deep, [[[[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]]]]
    )
    np.testing.assert_array_equal(ran("DepthToSpace", deep, block_size=2, **FLOAT), x)


def test_near_and_of_a_shape() -> None:
    assert ran("ApproximateEqual", X, X + 1e-7, **FLOAT).all()
    assert ran("EnsureShape", X, shape=Shape((None, 3)), **FLOAT).shape == (2, 3)


def test_integers_from_a_seed() -> None:
    seed, low, high = np.array([1, 2]), np.int32(3), np.int32(9)
    shape: Any = np.array([50], np.int32)
    kinds: dict[str, Any] = {"T": tl.int32, "Tseed": tl.int64, "dtype": tl.int32}
    drawn = ran("StatelessRandomUniformInt", shape, seed, low, high, **kinds)
    assert set(drawn.tolist()) == set(range(3, 9))


@pytest.mark.parametrize("kind", ["VariableV2", "VarHandleOp"])
def test_slices_of_variables_are_written(kind: str) -> None:
    made = Program()
    variable(made, "v", 0.0, kind)
    for node in made.proto.node:
        if node.name == "v/initial":
            node.attr["value"].tensor.CopyFrom(_vector())
        if node.op == kind:
            node.attr["shape"].shape.dim.add(size=3)
    made.const("where", np.array([[2], [0]], np.int32))
    made.floats("what", 5.0, 7.0)
    start = "" if kind == "VariableV2" else "Resource"
    types: dict[str, Any] = {"T": tl.float32, "Tindices": tl.int32}
    made.node(f"{start}ScatterNdAdd", "add", "v", "where", "what", **types)
    made.node(f"{start}ScatterNdUpdate", "put", "v", "where", "what", **types)
    session = made.session()
    session.run("v/Assign")
    for target, wanted in (("add", [8, 2, 8]), ("put", [7, 2, 5])):
        session.run(target)
        assert session.run("v/read:0").tolist() == wanted


def _vector() -> Any:
    made = Program()
    made.floats("x", 1.0, 2.0, 3.0)
    return made.proto.node[0].attr["value"].tensor


def test_printing_passes_the_first_input_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = Program()
    made.floats("x", 2.0)
    made.floats("y", 1.0, 2.0)
    kinds: dict[str, Any] = {"T": tl.float32, "U": (tl.float32, tl.float32)}
    made.node("Print", "p", "x", "y", "x", message="seen: ", **kinds)
    assert made.session().run("p:0") == 2.0
    assert capsys.readouterr().err == "seen: [1 2][2]\n"


def test_images_are_resized() -> None:
    x = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)
    size = np.array([4, 4], np.int32)
    near = ran("ResizeNearestNeighbor", x, size, **FLOAT)
    np.testing.assert_array_equal(near, x.repeat(2, 1).repeat(2, 2))
    smooth = ran("ResizeBilinear", x, size, half_pixel_centers=True, **FLOAT)
    assert smooth[0, 1, 1, 0] == 0.75


@pytest.mark.parametrize(("producer", "dims"), [(21, None), (24, ())])
def test_an_empty_shape_of_an_early_graph_is_one_that_is_not_known(
    producer: int, dims: tuple[int, ...] | None
) -> None:
    graph = tl.interop.tensorflow.from_graphdef(f"""
        node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
            attr {{ key: "shape" value {{ shape {{ }} }} }} }}
        node {{ name: "y" op: "Neg" input: "x" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
        versions {{ producer: {producer} }}""")
    (x,) = graph.inputs
    assert x.spec.shape == dims
