"""tf.contrib.cudnn_rnn: its layers, held against steps of NumPy's, and cells like them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
cudnn = tf.contrib.cudnn_rnn
KINDS = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
LAYERS = [cudnn.CudnnLSTM, cudnn.CudnnGRU, cudnn.CudnnRNNTanh, cudnn.CudnnRNNRelu]


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def step(kind: str, x: list[Any], h: list[Any], state: list[Any]) -> list[Any]:
    """Return the next state, by NVIDIA's formulas."""
    if kind == "gru":
        r, u = sigmoid(x[0] + h[0]), sigmoid(x[1] + h[1])
        return [(1 - u) * np.tanh(x[2] + r * h[2]) + u * state[0]]
    if kind == "lstm":
        i, f, new, o = [a + b for a, b in zip(x, h, strict=True)]
        c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(new)
        return [sigmoid(o) * np.tanh(c), c]
    total = x[0] + h[0]
    return [np.tanh(total) if kind == "rnn_tanh" else np.maximum(total, 0)]


def by_hand(layer: Any, flat: Any, x: Any, states: Any, lengths: list[int]) -> Any:
    """Return outputs and last states of each sequence alone, step by step."""
    kind, parts, begin = layer.rnn_mode, [], 0
    for shape in [*layer.canonical_weight_shapes, *layer.canonical_bias_shapes]:
        parts.append(flat[begin : begin + np.prod(shape)].reshape(shape))
        begin += np.prod(shape)
    assert begin == len(flat)
    gates, cut = KINDS[kind], len(layer.canonical_weight_shapes)
    last = [np.zeros_like(s) for s in states]
    for at in range(layer.num_layers):
        made = np.zeros([*x.shape[:2], layer.num_dirs * layer.num_units])
        for way in range(layer.num_dirs):
            place = at * layer.num_dirs + way
            own = slice(place * 2 * gates, (place + 1) * 2 * gates)
            w, b = parts[:cut][own], parts[cut:][own]
            for row, length in enumerate(lengths):
                state = [s[place, row] for s in states]
                times = range(length)[::-1] if way else range(length)
                for t in times:
                    into = [
                        m @ x[t, row] + v for m, v in zip(w[:gates], b, strict=False)
                    ]
                    pairs = zip(w[gates:], b[gates:], strict=True)
                    state = step(
                        kind, into, [m @ state[0] + v for m, v in pairs], state
                    )
                    cells = slice(way * layer.num_units, (way + 1) * layer.num_units)
                    made[t, row, cells] = state[0]
                for s, value in zip(last, state, strict=True):
                    s[place, row] = value
        x = made
    return x, last


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("lengths", [None, [4, 2, 1]])
def test_layers_take_the_steps_of_their_formulas(
    kind: Any, direction: str, lengths: Any
) -> None:
    draws = np.random.default_rng(0)
    x = draws.standard_normal((4, 3, 2)).astype(np.float32)
    layer = kind(
        2, 5, direction=direction, bias_initializer=tf.random_normal_initializer()
    )
    rows = 2 * layer.num_dirs
    given = [draws.standard_normal((rows, 3, 5)).astype(np.float32)] * (
        2 if layer.rnn_mode == "lstm" else 1
    )
    outputs, states = layer(tf.constant(x), tuple(given), lengths)
    (kernel,) = layer.trainable_variables
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, last, flat = session.run([outputs, list(states), kernel])
    wanted, ends = by_hand(layer, flat, x, given, lengths or [4, 4, 4])
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last, ends, rtol=1e-4, atol=1e-5)


def test_a_layers_variable_and_its_shapes() -> None:
    layer = cudnn.CudnnLSTM(1, 4, name="rnn")
    x = tf.placeholder(tf.float32, [None, None, 3])
    outputs, (h, c) = layer(x, training=False)
    assert [v.name for v in tf.trainable_variables()] == ["rnn/opaque_kernel:0"]
    assert layer.canonical_weight_shapes == [(4, 3)] * 4 + [(4, 4)] * 4
    assert layer.canonical_bias_shapes == [[4]] * 8
    assert (layer.input_size, layer.num_dirs, layer.rnn_mode) == (3, 1, "lstm")
    again, _ = layer(x)
    assert len(tf.global_variables()) == 1
    slopes = tf.gradients(outputs, layer.trainable_variables)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {x: np.ones([5, 2, 3])}
        found = session.run([outputs, again, h, c, layer.kernel, *slopes], feeds)
    assert [y.shape for y in found] == [(5, 2, 4)] * 2 + [(1, 2, 4)] * 2 + [
        (144,)
    ] * 2
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0][-1], found[2][0])
    assert np.abs(found[4][112:]).sum() == 0, "biases begin with zeros"


def test_the_batch_may_be_first_and_layers_drop_out() -> None:
    x = np.random.default_rng(1).standard_normal((2, 6, 3)).astype(np.float32)
    layer = cudnn.CudnnGRU(2, 4, dropout=0.5, seed=1)
    first, (state,) = layer(tf.constant(x), time_major=False, training=False)
    second, (other,) = layer(tf.constant(x.transpose(1, 0, 2)), training=False)
    dropped, _ = layer(tf.constant(x), time_major=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([first, state, second, other, dropped])
    np.testing.assert_allclose(found[0], found[2].transpose(1, 0, 2), rtol=1e-5)
    np.testing.assert_allclose(found[1], found[3].transpose(1, 0, 2), rtol=1e-5)
    assert np.abs(found[4] - found[0]).max() > 1e-3


def test_cells_take_the_same_steps() -> None:
    x = tf.constant(np.random.default_rng(2).standard_normal((2, 3)), tf.float32)
    gru = cudnn.CudnnCompatibleGRUCell(4)
    h = 0.5 * tf.ones([2, 4])
    found, _ = gru(x, h)
    assert [
        v.op.name.removeprefix("cudnn_compatible_gru_cell/") for v in gru.weights
    ] == [
        "gates/kernel",
        "gates/bias",
        "candidate/input_projection/kernel",
        "candidate/hidden_projection/kernel",
        "candidate/input_projection/bias",
        "candidate/hidden_projection/bias",
    ]
    parts = {v.op.name.partition("/")[2]: v for v in tf.global_variables()}
    lstm = cudnn.CudnnCompatibleLSTMCell(4)
    lstm(x, lstm.zero_state(2, tf.float32))
    assert [v.op.name for v in lstm.trainable_variables] == [
        "cudnn_compatible_lstm_cell/kernel",
        "cudnn_compatible_lstm_cell/bias",
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value, given, held = session.run([found, x, parts])
    joined = np.concatenate([given, np.full([2, 4], 0.5)], 1)
    r, u = np.split(sigmoid(joined @ held["gates/kernel"] + held["gates/bias"]), 2, 1)
    inward = given @ held["candidate/input_projection/kernel"]
    onward = np.full([2, 4], 0.5) @ held["candidate/hidden_projection/kernel"]
    expected = (1 - u) * np.tanh(inward + r * onward) + u * 0.5
    np.testing.assert_allclose(value, expected, rtol=1e-4)


def test_what_is_no_such_layer_is_refused() -> None:
    lstm = cudnn.CudnnLSTM
    with pytest.raises(InvalidArgumentError, match="direction"):
        lstm(1, 2, direction="both")
    with pytest.raises(InvalidArgumentError, match="input_mode"):
        lstm(1, 2, input_mode="none")
    with pytest.raises(DTypeError):
        lstm(1, 2, dtype=tf.int32)
    with pytest.raises(ShapeError):
        lstm(1, 2)(tf.zeros([2, 3]))
    with pytest.raises(UnimplementedError, match="linear_input"):
        lstm(1, 2, input_mode="skip_input")(tf.zeros([2, 3, 2]))
    with pytest.raises(DTypeError, match="tuple"):
        lstm(1, 2)(tf.zeros([2, 3, 2]), initial_state=tf.zeros([1, 3, 2]))
    with pytest.raises(InvalidArgumentError, match="not been built"):
        _ = lstm(1, 2).input_size
