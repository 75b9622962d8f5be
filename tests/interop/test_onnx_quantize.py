"""Weights and activations as int8: what becomes of them, of the size, and of the results."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tests.interop.onnxruns import exported, operators, run

RNG = np.random.default_rng(0)


def constants(model: Any) -> dict[str, Any]:
    """Return a model's constants as arrays."""
    to_array = import_module("onnx.numpy_helper").to_array
    return {x.name: to_array(x) for x in model.graph.initializer}


def spread(*shape: int) -> Any:
    """Return weights whose channels, the last axis, differ in size a thousandfold."""
    sizes = 10.0 ** RNG.uniform(-3, 0, shape[-1])
    return (RNG.normal(size=shape) * sizes).astype(np.float32)


def test_each_channel_has_its_scale() -> None:
    weights = spread(32, 16)
    spec = tl.TensorSpec((None, 32), tl.float32)
    model = exported(lambda x: x @ tl.asarray(weights), spec, quantize="int8")
    assert operators(model) == {"DequantizeLinear": 1, "MatMul": 1}
    stored = constants(model)
    (levels,) = [x for name, x in stored.items() if name.endswith("int8")]
    (scales,) = [x for name, x in stored.items() if name.endswith("scales")]
    assert levels.dtype == np.int8
    assert levels.min() >= -127
    np.testing.assert_array_equal(np.abs(levels).max(axis=0), np.full(16, 127))
    np.testing.assert_allclose(
        levels * scales, weights, atol=scales.max() / 2 * 1.001
    )
    assert np.all(np.abs(levels * scales - weights) <= scales * 0.5001)
    x = RNG.normal(size=(4, 32)).astype(np.float32)
    (found,) = run(model, x, as_written=True)
    np.testing.assert_allclose(found, x @ (levels * scales), rtol=1e-4, atol=1e-5)


def test_convolutions_and_embeddings_and_loops() -> None:
    filters, table = tl.asarray(spread(3, 3, 4, 16)), tl.asarray(spread(40, 8))
    lstm = tl.layers.LSTM(16, inputs=8)

    def model(images: tl.Tensor, ids: tl.Tensor) -> Any:
        return tl.nn.conv2d(images, filters), lstm(tl.take(table, ids, axis=0))

    specs = (
        tl.TensorSpec((None, 5, 5, 4), tl.float32),
        tl.TensorSpec((None, 6), tl.int32),
    )
    made = exported(model, *specs)
    small = tl.interop.onnx.quantize(made)
    assert operators(small)["DequantizeLinear"] == 4
    images = RNG.normal(size=(2, 5, 5, 4)).astype(np.float32)
    ids = RNG.integers(0, 40, (2, 6)).astype(np.int32)
    for y, x in zip(run(small, images, ids), run(made, images, ids), strict=True):
        np.testing.assert_allclose(y, x, atol=0.02 * np.abs(x).max())


def test_small_weights_stay() -> None:
    weights = spread(4, 4)
    spec = tl.TensorSpec((None, 4), tl.float32)
    made = exported(lambda x: x @ tl.asarray(weights), spec)
    assert operators(tl.interop.onnx.quantize(made)) == {"MatMul": 1}
    assert operators(made) == {"MatMul": 1}
    again = tl.interop.onnx.quantize(made, smallest=16)
    assert operators(again) == {"DequantizeLinear": 1, "MatMul": 1}


def test_a_channel_of_zeros() -> None:
    weights = spread(64, 8)
    weights[:, 3] = 0
    spec = tl.TensorSpec((1, 64), tl.float32)
    model = exported(lambda x: x @ tl.asarray(weights), spec, quantize="int8")
    assert run(model, np.ones((1, 64), np.float32))[0][0, 3] == 0


def test_files_are_a_quarter_of_the_size(tmp_path: Path) -> None:
    layers = [tl.layers.Dense(256, tl.nn.relu, inputs=256) for _ in range(3)]
    model = tl.function(tl.layers.Sequential(layers))
    large, small = tmp_path / "large.onnx", tmp_path / "small.onnx"
    tl.interop.onnx.export(model, large, tl.TensorSpec((None, 256), tl.float32))
    tl.interop.onnx.quantize(large, small)
    assert 3.7 < large.stat().st_size / small.stat().st_size < 4


def test_calibrated_activations() -> None:
    first, last = (
        tl.layers.Dense(32, tl.nn.relu, inputs=16),
        tl.layers.Dense(8, inputs=32),
    )
    made = exported(lambda x: last(first(x)), tl.TensorSpec((None, 16), tl.float32))
    batches = [RNG.normal(size=(32, 16)) for _ in range(3)]
    small = tl.interop.onnx.quantize(made, smallest=1, calibration=batches)
    assert operators(small)["QuantizeLinear"] == 2
    x = batches[0].astype(np.float32)
    (wanted,), (found,) = run(made, x), run(small, x)
    np.testing.assert_allclose(found, wanted, atol=0.03 * np.abs(wanted).max())


def test_calibration_that_does_not_fit() -> None:
    weights = spread(32, 16)
    made = exported(
        lambda x: x @ tl.asarray(weights), tl.TensorSpec((None, 32), tl.float32)
    )
    with pytest.raises(InvalidArgumentError, match="no batches"):
        tl.interop.onnx.quantize(made, calibration=[])
    batch = (np.ones((1, 32)), np.ones((1, 32)))
    with pytest.raises(
        InvalidArgumentError, match="has 2 arrays; the model takes 1: x"
    ):
        tl.interop.onnx.quantize(made, calibration=[batch])


def test_models_of_others() -> None:
    weights = spread(32, 16)
    made = exported(
        lambda x: x @ tl.asarray(weights), tl.TensorSpec((None, 32), tl.float32)
    )
    made.opset_import[0].version = 12
    with pytest.raises(InvalidArgumentError, match=r"opset 12.*allowed is 13"):
        tl.interop.onnx.quantize(made)
    made.opset_import[0].version = 13
    # In files of old, constants may be arguments with a default, which a caller can replace.
    (weight,) = made.graph.initializer
    info = import_module("onnx.helper").make_tensor_value_info(
        weight.name, 1, (32, 16)
    )
    made.graph.input.append(info)
    assert operators(tl.interop.onnx.quantize(made)) == {"MatMul": 1}
