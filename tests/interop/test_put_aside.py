"""Staging areas and pooling by ratios in GraphDefs; expected is what TensorFlow gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow import from_graphdef, to_graphdef
from tests.interop.graphdefs import Program, Session

AREA: dict[str, Any] = {"dtypes": (tl.float32, tl.int32), "shared_name": "area"}


def staging() -> Program:
    """Return nodes that work on one area, by its name."""
    made = Program()
    made.placeholder("x", shape=(2,))
    made.placeholder("n", tl.int32, ())
    made.node("Stage", "put", "x", "n", **AREA)
    made.node("StagePeek", "peek", "n", **AREA)
    made.node("Unstage", "get", **AREA)
    made.node("StageSize", "size", **AREA)
    made.node("StageClear", "clear", **AREA)
    return made


@pytest.mark.parametrize("again", [False, True])
def test_elements_are_put_aside(again: bool) -> None:
    graph = from_graphdef(staging().bytes())
    if again:
        proto = to_graphdef(graph)
        kinds = {node.op for node in proto.node}
        assert kinds >= {"Stage", "Unstage", "StagePeek", "StageSize", "StageClear"}
        put = next(node for node in proto.node if node.op == "Stage")
        assert list(put.input) == ["x", "n"]
        assert put.attr["shared_name"].s == b"area"
        graph = from_graphdef(proto)
    session = Session(graph)
    for n in range(3):
        session.run("put", {"x:0": [n, n + 0.5], "n:0": n})
    assert session.run("size:0") == 3
    assert session.run(["peek:0", "peek:1"], {"n:0": 1})[1] == 1
    first, n = session.run(["get:0", "get:1"])
    np.testing.assert_array_equal(first, [0.0, 0.5])
    assert (n, session.run("size:0")) == (0, 2)
    session.run("clear")
    assert session.run("size:0") == 0


X = np.random.RandomState(3).randn(2, 7, 6, 2).astype(np.float32).round(2)
X[0, 2:5, 1:4] = 1.0
DY = np.arange(64, dtype=np.float32).reshape(2, 4, 4, 2)
ROWS, COLUMNS = np.array([0, 2, 4, 5, 7]), np.array([0, 1, 3, 5, 6])
PLACES = np.arange(X.size).reshape(X.shape)


@pytest.mark.parametrize(
    ("overlapping", "of_max", "of_mean"),
    [(False, 227208.0, 227600.0), (True, 238436.0, 236983.99902633832)],
)
def test_gradients_of_pooling_by_ratios(
    overlapping: bool, of_max: float, of_mean: float
) -> None:
    made = Program()
    for name, value in (("x", X), ("dy", DY), ("rows", ROWS), ("columns", COLUMNS)):
        made.const(name, value)
    made.const("shape", np.array(X.shape, np.int64))
    kinds: dict[str, Any] = {"T": tl.float32, "overlapping": overlapping}
    rest = ("dy", "rows", "columns")
    made.node("FractionalMaxPoolGrad", "max", "x", "dy", *rest, **kinds)
    made.node("FractionalAvgPoolGrad", "mean", "shape", *rest, **kinds)
    greatest, mean = made.session().run(["max:0", "mean:0"])
    np.testing.assert_allclose((greatest * PLACES).sum(), of_max, rtol=1e-6)
    np.testing.assert_allclose((mean * PLACES).sum(), of_mean, rtol=1e-6)


@pytest.mark.parametrize("overlapping", [False, True])
def test_images_are_pooled_by_ratios(overlapping: bool) -> None:
    made = Program()
    made.const("x", X)
    kinds: dict[str, Any] = {
        "T": tl.float32,
        "pooling_ratio": (1.0, 1.44, 1.73, 1.0),
        "overlapping": overlapping,
        "deterministic": True,
        "seed": 5,
    }
    made.node("FractionalMaxPool", "max", "x", **kinds)
    made.node("FractionalAvgPool", "mean", "x", pseudo_random=True, **kinds)
    session = made.session()
    for name, pool in (("max", np.max), ("mean", np.mean)):
        y, rows, columns = session.run([f"{name}:{i}" for i in range(3)])
        assert y.shape == (2, 4, 3, 2)
        assert (rows[0], rows[-1], columns[0], columns[-1]) == (0, 7, 0, 6)
        assert set(np.diff(rows)) == {1, 2}
        for i in range(4):
            for j in range(3):
                last, end = rows[i + 1] + overlapping, columns[j + 1] + overlapping
                window = X[:, rows[i] : last, columns[j] : end]
                wanted = pool(window, axis=(1, 2))
                np.testing.assert_allclose(y[:, i, j], wanted, rtol=1e-5, atol=1e-6)


def test_seeds_without_an_order_to_keep_them_are_refused() -> None:
    made = Program()
    made.const("x", X)
    ratios = (1.0, 1.5, 1.5, 1.0)
    made.node(
        "FractionalMaxPool", "y", "x", T=tl.float32, pooling_ratio=ratios, seed=5
    )
    with pytest.raises(GraphDefError, match="0 unless it is deterministic"):
        made.session()
