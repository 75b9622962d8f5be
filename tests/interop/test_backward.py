"""Gradients that are operators in GraphDefs, where TensorFlow has no kernel to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tests.interop.graphdefs import Program

RNG = np.random.default_rng(5)
POOL: dict[str, Any] = {
    "ksize": (1, 2, 2, 1),
    "strides": (1, 1, 1, 1),
    "padding": "VALID",
    "T": tl.float32,
}


def floats(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("whole", [False, True])
def test_what_lies_where_the_greatest_were(whole: bool) -> None:
    made = Program()
    made.const("x", floats(2, 3, 3, 2))
    made.const("flow", floats(2, 3, 3, 2))
    own: dict[str, Any] = {
        **POOL,
        "Targmax": tl.int64,
        "include_batch_in_index": whole,
    }
    made.node("MaxPoolWithArgmax", "pool", "x", **own)
    made.node("MaxPoolGradGradWithArgmax", "y", "x", "flow", "pool:1", **own)
    made.node("MaxPoolGradGrad", "wanted", "x", "pool", "flow", **POOL)
    y, wanted = made.session().run(["y:0", "wanted:0"])
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize(
    ("name", "newer"),
    [
        ("Conv2DBackpropInputV2", "Conv2DBackpropInput"),
        ("Conv2DBackpropFilterV2", "Conv2DBackpropFilter"),
        ("Conv3DBackpropInput", "Conv3DBackpropInputV2"),
        ("Conv3DBackpropFilter", "Conv3DBackpropFilterV2"),
    ],
)
def test_gradients_told_shapes_by_tensors(name: str, newer: str) -> None:
    flat = "Conv2D" in name
    parts = {
        "x": floats(1, 4, 4, 2) if flat else floats(1, 3, 4, 4, 2),
        "w": floats(2, 2, 2, 3) if flat else floats(2, 2, 2, 2, 3),
        "dy": floats(1, 3, 3, 3) if flat else floats(1, 2, 3, 3, 3),
    }
    made = Program()
    for key, value in parts.items():
        made.const(key, value)
    known = "w" if "Filter" in name else "x"
    made.const("sizes", np.array(parts[known].shape, np.int32))
    kinds: dict[str, Any] = {"T": tl.float32, "padding": "VALID"}
    kinds["strides"] = (1,) * (4 if flat else 5)
    made.node(name, "y", "x", "w", "dy", **kinds)
    given = ["sizes" if one == known else one for one in ("x", "w", "dy")]
    made.node(newer, "wanted", *given, **kinds)
    y, wanted = made.session().run(["y:0", "wanted:0"])
    np.testing.assert_array_equal(y, wanted)


def test_arrays_of_older_versions() -> None:
    made = Program()
    made.const("n", np.int32(2))
    made.const("i", np.int32(1))
    made.floats("x", 3.0, 4.0)
    made.floats("flow", 0.0)
    made.node("TensorArrayV2", "a", "n", dtype=tl.float32)
    made.node("TensorArrayWriteV2", "w", "a", "i", "x", "flow", T=tl.float32)
    made.node("TensorArrayReadV2", "y", "a", "i", "w", dtype=tl.float32)
    assert made.session().run("y:0").tolist() == [3, 4]


def test_graphs_of_one_replica() -> None:
    made = Program()
    made.floats("x", 1.0)
    made.node("TPUReplicateMetadata", "told", num_replicas=1, topology="")
    made.node("TPUReplicatedInput", "in", "x", N=1, T=tl.float32, control=["told"])
    made.node("XlaSharding", "shard", "in", T=tl.float32, sharding="x")
    made.node("TPUReplicatedOutput", "out", "shard", num_replicas=1, T=tl.float32)
    assert made.session().run("out:0").tolist() == 1.0
    made.node("TPUReplicatedInput", "both", "x", "x", N=2, T=tl.float32)
    with pytest.raises(GraphDefError, match="one replica"):
        made.session()


def test_values_that_a_session_keeps() -> None:
    made = Program()
    made.floats("x", 1.0, 2.0)
    made.placeholder("handle", tl.string, ())
    made.node("GetSessionHandle", "kept", "x", T=tl.float32)
    made.node("GetSessionTensor", "y", "handle", dtype=tl.float32)
    made.node("DeleteSessionTensor", "gone", "handle")
    session = made.session()
    handle = session.run("kept:0")
    assert session.run("y:0", {"handle:0": bytes(handle)}).tolist() == [1, 2]
    gone = session.graph.get_operation_by_name("gone")
    session.run(gone, {"handle:0": bytes(handle)})
    with pytest.raises(tl.errors.InvalidArgumentError, match="session store"):
        session.run("y:0", {"handle:0": bytes(handle)})


def test_transforms_along_axes() -> None:
    made = Program()
    x = floats(2, 4, 3)
    made.const("x", x)
    made.const("z", x.astype(np.complex64))
    made.const("sizes", np.array([4, 2], np.int32))
    made.const("axes", np.array([1, 0], np.int32))
    kinds: dict[str, Any] = {"Tcomplex": tl.complex64}
    made.node("FFTND", "whole", "z", "sizes", "axes", **kinds)
    made.node("RFFTND", "half", "x", "sizes", "axes", Treal=tl.float32, **kinds)
    whole, half = made.session().run(["whole:0", "half:0"])
    np.testing.assert_allclose(whole, np.fft.fftn(x, axes=(1, 0)), atol=1e-5)
    np.testing.assert_allclose(half, np.fft.rfftn(x, axes=(1, 0)), atol=1e-5)


def test_a_sparse_tensor_is_taken_once() -> None:
    made = Program()
    made.const("handles", np.array([5], np.int64))
    kinds: dict[str, Any] = {"dtype": tl.float32, "container": ""}
    made.node(
        *("TakeManySparseFromTensorsMap", "y", "handles"), shared_name="m", **kinds
    )
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="no sparse tensor is kept"
    ):
        made.session().run("y:1")
