"""tf.keras: layers against closed forms in NumPy, models that train, weights that come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf

keras = tf.keras


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def data(rows: int = 64) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 4)).astype(np.float32)
    return x, (x.sum(1) > 0).astype(np.int64)


def test_a_sequential_model_learns() -> None:
    x, y = data()
    model = keras.Sequential(
        [
            keras.layers.Dense(16, activation="relu", input_shape=(4,)),
            keras.layers.Dense(2, activation="softmax"),
        ]
    )
    model.compile(
        keras.optimizers.Adam(0.05),
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    history = model.fit(x, y, epochs=15, verbose=0, validation_split=0.25)
    assert set(history.history) == {"loss", "accuracy", "val_loss", "val_accuracy"}
    assert history.history["loss"][-1] < history.history["loss"][0]
    assert model.evaluate(x, y, verbose=0)[1] > 0.9
    assert model.predict(x, verbose=0).shape == (64, 2)
    assert [w.name for w in model.weights] == ["kernel", "bias"] * 2
    assert [w.path.split("/")[0] for w in model.weights] == [model.name] * 4


def test_a_functional_model_takes_operators_and_functions() -> None:
    first, second = keras.Input((4,)), keras.Input((4,))
    dense = keras.layers.Dense(3)
    joined = tf.concat([dense(first) * 2.0, tf.nn.relu(dense(second))], axis=1)
    model = keras.Model([first, second], keras.layers.Dense(1)(joined))
    x, _ = data(5)
    made = model([x, -x])
    kernel, bias, last, end = [w.numpy() for w in model.weights]
    wanted = (
        np.concatenate(
            [(x @ kernel + bias) * 2, np.maximum(-x @ kernel + bias, 0)], axis=1
        )
        @ last
        + end
    )
    np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_control_flow_of_a_users_layer_is_converted() -> None:
    class Halving(keras.layers.Layer):
        def call(self, inputs: Any) -> Any:
            while tf.reduce_sum(inputs) > 1.0:
                inputs = inputs / 2.0
            return inputs

    layer = Halving()
    f = tf.function(layer.__call__)
    assert float(tf.reduce_sum(f(tf.constant([8.0, 8.0])))) == 1.0


@pytest.mark.parametrize("traced", [False, True])
def test_lstm_is_the_recurrence_of_its_weights(traced: bool) -> None:
    layer = keras.layers.LSTM(3, return_sequences=True, return_state=True)
    x = np.random.default_rng(1).normal(size=(2, 6, 4)).astype(np.float32)
    call = tf.function(layer.__call__) if traced else layer
    made, h_last, c_last = call(tf.constant(x))
    kernel, recurrent, bias = [w.numpy() for w in layer.weights]
    h = c = np.zeros((2, 3))
    rows = []
    for step in range(6):
        i, f, g, o = np.split(x[:, step] @ kernel + h @ recurrent + bias, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        rows.append(h)
    np.testing.assert_allclose(made.numpy(), np.stack(rows, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(h_last.numpy(), h, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(c_last.numpy(), c, rtol=1e-4, atol=1e-5)


def test_gru_is_the_recurrence_of_its_weights() -> None:
    layer = keras.layers.GRU(3)
    x = np.random.default_rng(1).normal(size=(2, 5, 4)).astype(np.float32)
    made = layer(tf.constant(x)).numpy()
    kernel, recurrent, bias = [w.numpy() for w in layer.weights]
    h = np.zeros((2, 3))
    for step in range(5):
        a = np.split(x[:, step] @ kernel + bias[0], 3, axis=1)
        b = np.split(h @ recurrent + bias[1], 3, axis=1)
        z, r = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
        h = z * h + (1 - z) * np.tanh(a[2] + r * b[2])
    np.testing.assert_allclose(made, h, rtol=1e-4, atol=1e-5)


def test_masked_steps_do_not_count() -> None:
    embedding = keras.layers.Embedding(10, 4, mask_zero=True)
    layer = keras.layers.SimpleRNN(3)
    short = layer(embedding(tf.constant([[1, 2]])))
    padded = layer(embedding(tf.constant([[1, 2, 0, 0]])))
    np.testing.assert_allclose(short.numpy(), padded.numpy(), rtol=1e-6)


def test_batch_normalization_keeps_moments() -> None:
    layer = keras.layers.BatchNormalization(momentum=0.5)
    x = np.random.default_rng(2).normal(3.0, 2.0, size=(50, 3)).astype(np.float32)
    made = layer(tf.constant(x), training=True).numpy()
    np.testing.assert_allclose(made.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(layer.moving_mean.numpy(), x.mean(0) / 2, rtol=1e-5)
    assert len(layer.trainable_weights) == len(layer.non_trainable_weights) == 2
    used = layer(tf.constant(x)).numpy()
    wanted = (x - layer.moving_mean.numpy()) / np.sqrt(
        layer.moving_variance.numpy() + 1e-3
    )
    np.testing.assert_allclose(used, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("layer", "shape", "wanted"),
    [
        (
            lambda: keras.layers.Conv2D(5, 3, padding="same"),
            (2, 8, 8, 3),
            (2, 8, 8, 5),
        ),
        (lambda: keras.layers.Conv1D(5, 3, padding="causal"), (2, 8, 3), (2, 8, 5)),
        (lambda: keras.layers.Conv2DTranspose(5, 3, 2), (2, 4, 4, 3), (2, 9, 9, 5)),
        (lambda: keras.layers.DepthwiseConv2D(3), (2, 8, 8, 3), (2, 6, 6, 3)),
        (lambda: keras.layers.SeparableConv2D(5, 3), (2, 8, 8, 3), (2, 6, 6, 5)),
        (keras.layers.MaxPooling2D, (2, 8, 8, 3), (2, 4, 4, 3)),
        (keras.layers.GlobalAveragePooling2D, (2, 8, 8, 3), (2, 3)),
        (keras.layers.UpSampling2D, (2, 4, 4, 3), (2, 8, 8, 3)),
        (lambda: keras.layers.ZeroPadding2D(1), (2, 4, 4, 3), (2, 6, 6, 3)),
        (keras.layers.Flatten, (2, 4, 5), (2, 20)),
        (lambda: keras.layers.Reshape((-1, 2)), (2, 4, 5), (2, 10, 2)),
        (keras.layers.LayerNormalization, (2, 4, 5), (2, 4, 5)),
        (
            lambda: keras.layers.Bidirectional(
                keras.layers.GRU(3, return_sequences=True)
            ),
            (2, 4, 5),
            (2, 4, 6),
        ),
        (
            lambda: keras.layers.TimeDistributed(keras.layers.Dense(3)),
            (2, 4, 5),
            (2, 4, 3),
        ),
    ],
)
def test_shapes_are_known_before_and_right_afterwards(
    layer: Any, shape: Any, wanted: Any
) -> None:
    symbolic = layer()(keras.Input(shape[1:]))
    assert tuple(symbolic.shape)[1:] == wanted[1:]
    made = layer()(tf.ones(shape))
    assert tuple(made.shape) == wanted


def test_attention_of_heads_is_softmax_of_products() -> None:
    layer = keras.layers.MultiHeadAttention(2, 3)
    x = np.random.default_rng(3).normal(size=(2, 4, 6)).astype(np.float32)
    made, weights = layer(
        tf.constant(x), tf.constant(x), return_attention_scores=True
    )
    assert tuple(made.shape) == (2, 4, 6)
    np.testing.assert_allclose(weights.numpy().sum(-1), 1, rtol=1e-5)
    q, k = layer.weights[0].numpy(), layer.weights[2].numpy()
    products = np.einsum("bte,ehd,bse,fhd->bhts", x, q, x, k, optimize=True)
    assert products.shape == weights.shape


OPTIMIZERS = ["SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam"]


@pytest.mark.parametrize("name", [*OPTIMIZERS, "Ftrl", "AdamW"])
def test_optimizers_descend_and_their_rate_may_be_set(name: str) -> None:
    w = tf.Variable([2.0, -3.0])
    optimizer = keras.optimizers.get(name)
    optimizer.learning_rate = 0.1
    before = float(tf.reduce_sum(w**2))
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(w**2), [w])
    assert float(tf.reduce_sum(w**2)) < before
    assert int(optimizer.iterations) == 3
    assert abs(float(optimizer.learning_rate) - 0.1) < 1e-7


def test_nadam_is_dozats() -> None:
    w = tf.Variable(1.0)
    optimizer = keras.optimizers.Nadam(0.1)
    for g in (1.0, 0.5):
        optimizer.apply_gradients([(tf.constant(g), w)])
    m = v = 0.0
    product, x = 1.0, 1.0
    for t, g in ((1, 1.0), (2, 0.5)):
        here = 0.9 * (1 - 0.5 * 0.96**t)
        ahead = 0.9 * (1 - 0.5 * 0.96 ** (t + 1))
        product *= here
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        guess = ahead * m / (1 - product * ahead) + (1 - here) * g / (1 - product)
        x -= 0.1 * guess / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
    assert abs(float(w) - x) < 1e-5


def test_losses_and_metrics_by_hand() -> None:
    true, predicted = [0.0, 1.0, 1.0], [0.1, 0.8, 0.4]
    wanted = -np.mean(np.log([0.9, 0.8, 0.4]))
    loss = keras.losses.BinaryCrossentropy()(true, predicted)
    assert abs(float(loss) - wanted) < 1e-5
    each = keras.losses.MeanSquaredError(reduction="none")(
        [[1.0], [2.0]], [[0.0], [0.0]]
    )
    assert each.numpy().tolist() == [1.0, 4.0]
    auc = keras.metrics.AUC()
    auc.update_state([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    assert abs(float(auc.result()) - 0.75) < 1e-6
    top = keras.metrics.SparseTopKCategoricalAccuracy(k=2)
    top.update_state([2, 0], [[0.1, 0.6, 0.3], [0.2, 0.5, 0.3]])
    assert float(top.result()) == 0.5
    top.reset_state()
    assert float(top.result()) == 0.0


def test_weights_are_saved_and_restored_before_they_are_made(tmp_path: Path) -> None:
    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = keras.layers.Dense(3)

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs)

    x = tf.ones((2, 4))
    first, second = Net(), Net()
    wanted = first(x).numpy()
    first.save_weights(tmp_path / "w")
    second.load_weights(tmp_path / "w")
    assert np.array_equal(second(x).numpy(), wanted)


def test_training_goes_on_from_a_checkpoint_as_it_would_have(tmp_path: Path) -> None:
    def fresh() -> tuple[Any, Any]:
        return keras.Sequential([keras.layers.Dense(2)]), keras.optimizers.Adam(0.1)

    def step(model: Any, optimizer: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones((1, 3))) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(
            zip(gradients, model.trainable_variables, strict=True)
        )

    model, optimizer = fresh()
    step(model, optimizer)
    checkpoint = tf.train.Checkpoint(optimizer=optimizer, net=model)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1)
    path = manager.save()
    other, again = fresh()
    status = tf.train.Checkpoint(optimizer=again, net=other).restore(path)
    other(tf.ones((1, 3)))
    status.assert_consumed()
    step(model, optimizer)
    step(other, again)
    assert np.array_equal(model.get_weights()[0], other.get_weights()[0])
    assert int(again.iterations) == 2
    manager.save()
    assert len(manager.checkpoints) == 1
    assert tf.train.latest_checkpoint(str(tmp_path)) == manager.latest_checkpoint


def test_callbacks_are_heard(tmp_path: Path) -> None:
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", "mse")
    heard: list[int] = []
    listeners = [
        keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: heard.append(e)),
        keras.callbacks.EarlyStopping("loss", patience=0, min_delta=1e9),
        keras.callbacks.ModelCheckpoint(tmp_path / "w", save_weights_only=True),
        keras.callbacks.TensorBoard(tmp_path / "logs"),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
    ]
    model.fit(x, y, epochs=5, verbose=0, callbacks=listeners)
    assert heard == [0, 1]
    assert (tmp_path / "w.index").exists()
    assert (tmp_path / "log.csv").read_text().startswith("epoch,loss")
    assert list((tmp_path / "logs" / "train").iterdir())


@pytest.mark.parametrize(
    "call",
    [
        lambda: keras.utils.get_file("x", "x"),
        keras.applications.ResNet50,
        lambda: keras.models.load_model("x.h5"),
        lambda: keras.losses.get("no such loss"),
    ],
)
def test_what_is_not_served_says_so(call: Any) -> None:
    with pytest.raises(tl.errors.TensorliteError):
        call()


def test_a_trained_model_is_saved_and_computes_the_same(tmp_path: Path) -> None:
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(x, y, verbose=0)
    tf.saved_model.save(model, str(tmp_path))
    again = tf.saved_model.load(str(tmp_path))
    np.testing.assert_allclose(again(tf.constant(x)).numpy(), model(x).numpy())


class Column:
    """A column of a table, as pandas has them."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.values, dtype)

    def to_numpy(self) -> Any:
        return self.values


def test_columns_of_tables_are_inputs_of_one_number() -> None:
    model = keras.Sequential(
        [keras.layers.Dense(1, use_bias=False, input_shape=(1,))]
    )
    model.set_weights([[[2.0]]])
    found = model.predict(Column([1.0, 2.0, 3.0]), verbose=0)
    assert found.tolist() == [[2.0], [4.0], [6.0]]


def test_a_layer_without_an_initializer_has_that_of_weights() -> None:
    layer = keras.layers.Dense(3, bias_initializer=None)
    layer.build((None, 2))
    limit = np.sqrt(6 / (3 + 3))
    assert 0 < np.abs(layer.bias.numpy()).max() <= limit


def test_models_take_inputs_without_their_last_axis_of_one() -> None:
    x, y = keras.Input((1,)), keras.Input((3,))
    model = keras.Model([x, y], x + keras.layers.Dense(1, use_bias=False)(y))
    rows = np.ones((2, 3), np.float32)
    given = np.asarray([1.0, 2.0], np.float32)
    flat = model([given, rows]).numpy()
    np.testing.assert_array_equal(flat, model([given[:, None], rows]).numpy())
    np.testing.assert_array_equal(flat, model([given, rows[..., None]]).numpy())


def test_a_chain_learns_from_a_vector_of_numbers() -> None:
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    scaled = keras.layers.Normalization(input_shape=(1,), axis=None)
    scaled.adapt(x)
    model = keras.Sequential([scaled, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    losses = model.fit(x, 2 * x, epochs=9, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    assert model.predict(x, verbose=0).shape == (32, 1)


def test_models_are_called_with_columns_of_tables() -> None:
    inputs = {"a": keras.Input((1,), name="a"), "b": keras.Input((1,), name="b")}
    model = keras.Model(inputs, inputs["a"] + inputs["b"])
    found = model({"a": Column([1.0, 2.0]), "b": Column([3.0, 4.0])})
    assert found.numpy().tolist() == [[4.0], [6.0]]


def _of_two_outputs(**options: Any) -> Any:
    inputs = keras.Input((2,))
    ones = keras.initializers.Ones()
    outputs = [
        keras.layers.Dense(1, kernel_initializer=ones, name=name)(inputs)
        for name in ("a", "b")
    ]
    model = keras.Model(inputs, outputs)
    model.compile("sgd", **options)
    return model


def test_an_output_may_have_several_losses_or_none() -> None:
    x, y = np.ones((2, 2)), np.zeros((2, 1))
    model = _of_two_outputs(loss={"a": ["mse", "mae"], "b": None})
    found = model.evaluate(x, [y, y], verbose=0, return_dict=True)
    assert found["loss"] == 6.0
    assert "b_loss" not in found


def test_logs_are_numbers_of_python() -> None:
    x, y = np.ones((2, 2)), np.zeros((2, 1))
    model = _of_two_outputs(loss="mse")
    seen: list[Any] = []
    ends = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda _, logs: seen.extend(logs.values())
    )
    model.fit(x, [y, y], verbose=0, callbacks=[ends])
    seen += model.evaluate(x, [y, y], verbose=0)
    seen += model.train_on_batch(x, [y, y])
    assert [type(x) for x in seen] == [float] * 9


def test_keys_that_are_no_outputs_are_refused() -> None:
    x, y = np.ones((2, 2)), np.zeros((2, 1))
    for options in (
        {"loss": {"a": "mse", "c": "mse"}},
        {"loss": "mse", "metrics": {"c": ["mae"]}},
    ):
        with pytest.raises(ValueError, match="Expected keys"):
            _of_two_outputs(**options).fit(x, [y, y], verbose=0)


def test_metrics_of_an_output_have_names_of_their_own() -> None:
    x, y = np.ones((2, 2)), np.zeros((2, 1))
    model = _of_two_outputs(
        loss="mse",
        metrics=[["mse"], ["mae"]],
        weighted_metrics=[["mse", "bce"], []],
    )
    found = model.evaluate(x, [y, y], verbose=0, return_dict=True)
    assert sorted(found) == sorted(
        [
            "loss",
            *("a_loss", "b_loss", "a_mse", "b_mae"),
            *("a_weighted_mse", "a_bce"),
        ]
    )


class Watching(tf.keras.layers.Layer):
    """Passes on what it is given, whose mean it watches."""

    def __init__(self) -> None:
        super().__init__()
        self.watched = tf.keras.metrics.Mean(name="watched")

    def call(self, inputs: Any) -> Any:
        self.watched(tf.reduce_mean(inputs))
        return inputs


def test_metrics_that_models_and_layers_keep_are_reported_and_start_anew() -> None:
    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.kept = tf.keras.metrics.Sum(name="kept")
            self.layer, self.last = Watching(), tf.keras.layers.Dense(1)

        def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            self.kept(tf.reduce_sum(inputs))
            return self.last(self.layer(inputs))

    model = Model()
    model.compile(loss="mse")
    x = np.full((4, 2), 3.0, np.float32)
    history = model.fit(x, x[:, :1], epochs=2, batch_size=2, verbose=0).history
    assert set(history) == {"loss", "kept", "watched"}
    assert history["kept"] == [24, 24]
    assert history["watched"] == [3, 3]
    assert [m.name for m in model.metrics] == ["loss", "kept", "watched"]


def test_models_are_given_inputs_and_outputs_together() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="inputs alone"):
        keras.Model(keras.Input((2,)))
