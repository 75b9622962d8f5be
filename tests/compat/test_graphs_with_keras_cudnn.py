"""CuDNNLSTM and CuDNNGRU: their weights, and files that they share with LSTM and GRU.

The numbers expected are those of TensorFlow 1.15, which converted the weights for its plain layers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers = keras.layers
INPUTS = np.linspace(-1, 1, 12).reshape(2, 3, 2).astype(np.float32)
EXPECTED = {
    "LSTM": [
        *(-0.15071236, 0.12034259, 0.11253815, -0.26074454, 0.19026610, 0.11470748),
        *(-0.31697598, 0.20835425, 0.08982826, -0.21969371, 0.17109483, 0.07846954),
        *(-0.27037370, 0.20575251, 0.05476064, -0.25891861, 0.21073756, 0.04030976),
    ],
    "GRU": [
        *(-0.11167232, -0.57138431, 0.20824838, -0.12410614, -0.51450145, 0.40631813),
        *(-0.05285608, -0.24248917, 0.53593922, 0.03656521, 0.25611523, 0.08331069),
        *(0.08066257, 0.45610774, -0.25763273, 0.12473916, 0.55021596, -0.77116424),
    ],
}


def _model(kind: str, **told: Any) -> Any:
    make = getattr(layers, f"CuDNN{kind}")
    layer = make(3, return_sequences=True, input_shape=(3, 2), **told)
    return keras.Sequential([layer])


def _plain(kind: str, **told: Any) -> Any:
    told |= {"recurrent_activation": "sigmoid", "return_sequences": True}
    if kind == "GRU":
        told.setdefault("reset_after", True)
    make = getattr(layers, kind)
    return keras.Sequential([make(3, input_shape=(3, 2), **told)])


def _give_sines(model: Any) -> None:
    shapes = [w.shape for w in model.get_weights()]
    model.set_weights([np.sin(np.arange(np.prod(s))).reshape(s) for s in shapes])


@pytest.mark.parametrize("kind", EXPECTED)
def test_weights_lie_on_the_layer_and_compute_what_tensorflow_converts(
    kind: str,
) -> None:
    model = _model(kind)
    gates = 4 if kind == "LSTM" else 3
    names = [w.name.removesuffix(":0").rpartition("/")[2] for w in model.weights]
    shapes = dict(zip(names, [list(w.shape) for w in model.weights], strict=True))
    wide = 3 * gates
    expected = {"kernel": [2, wide], "recurrent_kernel": [3, wide]}
    assert shapes == {**expected, "bias": [2 * wide]}
    _give_sines(model)
    found = model.predict(INPUTS).ravel()
    np.testing.assert_allclose(found, EXPECTED[kind], rtol=1e-4, atol=1e-6)


def test_the_second_bias_of_forgetting_begins_with_ones() -> None:
    bias = _model("LSTM").get_weights()[2]
    np.testing.assert_array_equal(bias, [0.0] * 15 + [1.0] * 3 + [0.0] * 6)
    assert not _model("LSTM", unit_forget_bias=False).get_weights()[2].any()
    assert not _model("GRU").get_weights()[2].any()


@pytest.mark.parametrize("kind", EXPECTED)
@pytest.mark.parametrize("back", [False, True])
def test_files_pass_to_plain_layers_and_back(
    tmp_path: Path, kind: str, back: bool
) -> None:
    model, plain = (make(kind, go_backwards=back) for make in (_model, _plain))
    _give_sines(model)
    expected = model.predict(INPUTS)
    path = str(tmp_path / "weights.h5")
    model.save_weights(path)
    plain.load_weights(path)
    np.testing.assert_allclose(plain.predict(INPUTS), expected, atol=1e-6)
    plain.save_weights(path)
    model.set_weights([np.zeros_like(w) for w in model.get_weights()])
    model.load_weights(path)
    np.testing.assert_allclose(model.predict(INPUTS), expected, atol=1e-6)


def test_layers_inside_others_are_converted_too(tmp_path: Path) -> None:
    path = str(tmp_path / "weights.h5")
    kinds = (layers.CuDNNLSTM(3), layers.LSTM(3, recurrent_activation="sigmoid"))
    models = [
        keras.Sequential([layers.Bidirectional(kind, input_shape=(3, 2))])
        for kind in kinds
    ]
    models[0].save_weights(path)
    models[1].load_weights(path)
    found, expected = (model.predict(INPUTS) for model in models)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_gru_that_resets_before_its_product_takes_no_weights_of_cudnn(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "weights.h5")
    _model("GRU").save_weights(path)
    with pytest.raises(ValueError, match="is not compatible with GRU"):
        _plain("GRU", reset_after=False).load_weights(path)


@pytest.mark.parametrize("kind", EXPECTED)
def test_checkpoints_have_the_weights_under_keys_of_the_layer(
    tmp_path: Path, kind: str
) -> None:
    model = _model(kind)
    path = str(tmp_path / "weights")
    model.save_weights(path)
    keys = {name for name, _ in tf.train.list_variables(path) if "layer" in name}
    end = "/.ATTRIBUTES/VARIABLE_VALUE"
    names = ("bias", "kernel", "recurrent_kernel")
    assert keys == {f"layer_with_weights-0/{name}{end}" for name in names}
    before = model.get_weights()
    model.set_weights([np.ones_like(w) for w in before])
    model.load_weights(path)
    for now, old in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(now, old)


def test_models_are_read_again_train_and_keep_their_states(tmp_path: Path) -> None:
    layer = layers.CuDNNGRU(3, stateful=True, batch_input_shape=(2, 3, 2))
    model = keras.Sequential([layer])
    first = model.predict(INPUTS)
    assert np.abs(model.predict(INPUTS) - first).max() > 0
    model.reset_states()
    np.testing.assert_allclose(model.predict(INPUTS), first, atol=1e-7)
    model.compile("sgd", "mse")
    losses = []
    for _ in range(5):
        model.reset_states()
        losses.append(model.train_on_batch(INPUTS, np.zeros((2, 3))))
    assert losses[-1] < losses[0]
    path = str(tmp_path / "model.h5")
    model.save(path)
    again = keras.models.load_model(path)
    assert isinstance(again.layers[0], layers.CuDNNGRU)
    for now, old in zip(again.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(now, old)


def test_masks_are_refused() -> None:
    model = keras.Sequential([layers.Masking(input_shape=(3, 2))])
    with pytest.raises(ValueError, match="Masking is not supported for CuDNN"):
        model.add(layers.CuDNNLSTM(3))
