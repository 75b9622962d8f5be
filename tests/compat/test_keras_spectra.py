"""Spectrograms: against NumPy's transforms of frames, and what Keras 3.15 says of mel scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError

layers = tf.keras.layers


def _sound() -> Any:
    times = np.arange(3 * 1600).reshape(3, 1600)
    return (np.sin(times * 0.05) + 0.1 * np.cos(times * 0.31)).astype(np.float32)


def _framed(window: Any, step: int) -> Any:
    """Return the transforms of windows of 256 samples, of one channel."""
    frames = np.lib.stride_tricks.sliding_window_view(_sound(), 256, axis=1)
    return np.fft.rfft(frames[:, ::step] * window, n=256)


def test_spectra_are_those_of_numpys_transforms() -> None:
    window = np.hanning(256)
    expected = _framed(window / np.sqrt((window**2).sum()), 128)
    sound = _sound()[..., None]
    made = layers.STFTSpectrogram("stft", expand_dims=True)(sound).numpy()[..., 0]
    np.testing.assert_allclose(made[..., :129], expected.real, atol=1e-4)
    np.testing.assert_allclose(made[..., 129:], expected.imag, atol=1e-4)
    size = layers.STFTSpectrogram("magnitude", frame_step=64)(sound).numpy()
    wanted = np.abs(_framed(window / np.sqrt((window**2).sum()), 64))
    np.testing.assert_allclose(size, np.maximum(wanted, 1e-7**0.5), atol=1e-4)
    power = layers.STFTSpectrogram("psd", scaling="spectrum")(sound).numpy()
    squares = np.abs(_framed(window / window.sum(), 128)) ** 2
    squares[..., 1:-1] *= 2
    np.testing.assert_allclose(power, squares, atol=1e-5)


def test_channels_are_transformed_one_by_one_and_kernels_train() -> None:
    # In 64 bits: logarithms of what is nearly 0 show how sums are rounded in 32.
    both = np.stack([_sound(), _sound()[::-1]], -1).astype(np.float64)
    made_as: Any = {"mode": "log", "padding": "same", "dtype": "float64"}
    layer = layers.STFTSpectrogram(**made_as)
    made = layer(both)
    assert made.shape == (3, 13, 2 * 129) == layer.compute_output_shape(both.shape)
    alone = layers.STFTSpectrogram(**made_as)(both[..., 1:]).numpy()
    np.testing.assert_allclose(made.numpy()[..., 129:], alone, atol=1e-9)
    first = layers.STFTSpectrogram(**made_as, data_format="channels_first")
    turned = first(both.transpose(0, 2, 1)).numpy()
    np.testing.assert_allclose(turned.transpose(0, 2, 1), made.numpy(), atol=1e-9)
    with tf.GradientTape() as tape:
        cost = tf.reduce_mean(layer(both))
    slopes = tape.gradient(cost, layer.trainable_variables)
    assert [x.shape for x in slopes] == [(256, 1, 129)] * 2


def test_mel_spectra_are_keras() -> None:
    layer = layers.MelSpectrogram(512, 128, num_mel_bins=32)
    made = layer(_sound()).numpy()
    assert made.shape == (3, 32, 13)
    assert made.sum() == pytest.approx(-24687.72, rel=1e-5)
    np.testing.assert_allclose(made[1, 3:5, 2], [-11.8996, -25.8443], atol=1e-3)
    plain = layers.MelSpectrogram(256, 100, num_mel_bins=20, power_to_db=False)
    powers = plain(_sound()).numpy()
    assert powers.shape == (3, 20, 17)
    assert powers.sum() == pytest.approx(284437.44, rel=1e-5)
    assert layers.MelSpectrogram.from_config(layer.get_config()).top_db == 80.0
    mapped = tf.data.Dataset.from_tensors(_sound()).map(layer)
    np.testing.assert_allclose(next(iter(mapped)).numpy(), made, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"mode": "phase"}, "Output mode is invalid"),
        ({"frame_step": 0}, "positive integer"),
        ({"fft_length": 128}, "not less than"),
        ({"scaling": "x"}, "Scaling is invalid"),
        ({"padding": "causal"}, "Padding is invalid"),
        ({"window": "no window"}, "Unknown window"),
        ({"window": np.ones(3)}, "shape of `window`"),
    ],
)
def test_what_is_wrong_with_a_spectrogram_is_told(arguments: Any, told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        layers.STFTSpectrogram(**arguments)
    with pytest.raises(InvalidArgumentError, match="greater than or equal"):
        layers.MelSpectrogram(128, sequence_length=256)
    with pytest.warns(UserWarning, match="power of two"):
        layers.STFTSpectrogram(fft_length=300)
