"""Layers: shapes, what training changes, errors; recurrent ones against plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.train.runs import both_ways

Array = np.ndarray[Any, Any]


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def lstm(layer: tl.layers.LSTM, x: Array) -> Array:
    """Return the outputs of an LSTM, time by time, in NumPy."""
    assert layer.kernel is not None
    assert layer.recurrent_kernel is not None
    assert layer.bias is not None
    kernel, recurrent, bias = map(
        np.asarray, (layer.kernel, layer.recurrent_kernel, layer.bias)
    )
    h = c = np.zeros((x.shape[0], layer.units), np.float32)
    outputs = []
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ kernel + bias + h @ recurrent, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, 1)


@pytest.mark.parametrize("traced", [False, True])
def test_lstm_is_the_recurrence_of_its_equations(traced: bool) -> None:
    x = np.random.default_rng(0).normal(size=(2, 5, 3)).astype(np.float32)
    layer = tl.layers.LSTM(4, return_sequences=True, inputs=3)
    run = both_ways(layer.__call__, traced)
    np.testing.assert_allclose(
        run(tl.asarray(x)).numpy(), lstm(layer, x), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("traced", [False, True])
def test_gru_is_the_recurrence_of_its_equations(traced: bool) -> None:
    x = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    layer = tl.layers.GRU(4, inputs=3)
    layer.recurrent_bias.assign(np.linspace(-1, 1, 12).astype(np.float32))
    assert layer.kernel is not None
    assert layer.recurrent_kernel is not None
    kernel, recurrent = np.asarray(layer.kernel), np.asarray(layer.recurrent_kernel)
    h = np.zeros((2, 4), np.float32)
    for t in range(4):
        zx, rx, hx = np.split(x[:, t] @ kernel, 3, axis=-1)
        zh, rh, hh = np.split(h @ recurrent + np.linspace(-1, 1, 12), 3, axis=-1)
        z, r = sigmoid(zx + zh), sigmoid(rx + rh)
        h = z * h + (1 - z) * np.tanh(hx + r * hh)
    run = both_ways(layer.__call__, traced)
    np.testing.assert_allclose(run(tl.asarray(x)).numpy(), h, rtol=1e-5, atol=1e-6)


def test_gradients_of_a_traced_lstm_are_those_of_the_eager_one() -> None:
    x = tl.asarray(np.random.default_rng(0).normal(size=(2, 6, 3)).astype(np.float32))
    layer = tl.layers.LSTM(4, inputs=3)

    def gradients(x: tl.Tensor) -> Any:
        with tl.GradientTape() as tape:
            loss = tl.sum(layer(x) ** 2)
        return tape.gradient(loss, layer.trainable_variables)

    for eager, traced in zip(gradients(x), tl.function(gradients)(x), strict=True):
        np.testing.assert_allclose(
            traced.numpy(), eager.numpy(), rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize("traced", [False, True])
def test_batch_norm_trains_on_the_batch_and_moves_its_averages(traced: bool) -> None:
    norm = tl.layers.BatchNorm(2, momentum=0.9)
    x = np.asarray([[1.0, 10.0], [3.0, 30.0]], np.float32)
    run = both_ways(lambda x: norm(x, training=True), traced)
    y = run(tl.asarray(x)).numpy()
    np.testing.assert_allclose(y.mean(0), 0, atol=1e-6)
    assert norm.mean is not None
    assert norm.variance is not None
    np.testing.assert_allclose(norm.mean.numpy(), 0.1 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(norm.variance.numpy(), 0.9 + 0.1 * x.var(0), rtol=1e-5)
    assert len(norm.trainable_variables) == 2


def test_dropout_drops_only_while_training_and_keeps_the_mean() -> None:
    tl.random.set_seed(0)
    x, layer = tl.ones((10_000,)), tl.layers.Dropout(0.25)
    np.testing.assert_array_equal(layer(x).numpy(), x.numpy())
    y = layer(x, training=True).numpy()
    assert set(np.round(np.unique(y), 5)) == {0.0, np.float32(1.33333)}
    assert abs(y.mean() - 1) < 0.03


def test_weights_made_inside_a_trace_are_made_once() -> None:
    model = tl.layers.Sequential(
        [tl.layers.Dense(4, activation=tl.nn.relu), tl.layers.Dense(1)]
    )
    run = tl.function(model.__call__)
    first = run(tl.ones((2, 3))).numpy()
    run(tl.ones((5, 3)))
    assert len(model.variables) == 4
    np.testing.assert_array_equal(run(tl.ones((2, 3))).numpy(), first)
    np.testing.assert_allclose(model(tl.ones((2, 3))).numpy(), first, rtol=1e-6)


def test_an_embeddings_gradient_is_sparse() -> None:
    layer = tl.layers.Embedding(10, 2)
    with tl.GradientTape() as tape:
        loss = tl.sum(layer(tl.asarray([1, 3, 1])))
    slices = tape.gradient(loss, layer.table)
    assert isinstance(slices, tl.IndexedSlices)
    expected = np.zeros((10, 2))
    expected[[1, 3]] = [[2, 2], [1, 1]]
    np.testing.assert_array_equal(tl.densify(slices).numpy(), expected)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: tl.layers.Dense(0), "units=0"),
        (lambda: tl.layers.Dense(2.5), "units=2.5"),  # type: ignore[arg-type]
        (lambda: tl.layers.Dropout(1.0), "rate=1.0"),
        (lambda: tl.layers.BatchNorm(momentum=2.0), "momentum=2.0"),
        (lambda: tl.layers.Embedding(0, 3), "size=0"),
        (lambda: tl.layers.LSTM(-1), "units=-1"),
        (lambda: tl.layers.Sequential([3]), "3 is no layer"),  # type: ignore[list-item]
    ],
)
def test_impossible_arguments_are_refused_when_the_layer_is_made(
    make: Any, says: str
) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=says):
        make()


def test_inputs_of_the_wrong_rank_or_size_say_what_is_wanted() -> None:
    with pytest.raises(
        tl.errors.ShapeError, match=r"LSTM takes \[batch, time, features\]"
    ):
        tl.layers.LSTM(3)(tl.ones((2, 3)))
    layer = tl.layers.Dense(3, inputs=4)
    with pytest.raises(tl.errors.ShapeError, match="inner sizes 5 and 4 differ"):
        layer(tl.ones((2, 5)))


def test_flatten_takes_sizes_that_a_trace_does_not_know() -> None:
    spec = tl.TensorSpec((None, None, 3), tl.float32)
    flat = tl.function(tl.layers.Flatten(), input_signature=[spec])
    assert flat(tl.ones((2, 4, 3))).shape == (2, 12)
