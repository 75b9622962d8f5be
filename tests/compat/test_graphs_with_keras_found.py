"""What programs of TensorFlow 1 that use Keras found: summaries, names, phases, cells, inner names.

What is expected is what TensorFlow 1.15 gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers: Any = keras.layers
backend: Any = keras.backend


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def test_summaries_of_chains_are_those_of_keras_2() -> None:
    model = keras.Sequential(
        [
            layers.Dense(3, input_shape=(4,), name="q"),
            layers.BatchNormalization(name="bn"),
        ],
        name="sq",
    )
    found: list[str] = []
    model.summary(line_length=60, print_fn=found.append)
    rule, double = "_" * 60, "=" * 60
    assert found == [
        'Model: "sq"',
        rule,
        "Layer (type)               Output Shape            Param #  ",
        double,
        "q (Dense)                  (None, 3)               15       ",
        rule,
        "bn (BatchNormalization)    (None, 3)               12       ",
        double,
        "Total params: 27",
        "Trainable params: 21",
        "Non-trainable params: 6",
        rule,
    ]


def test_summaries_of_joined_layers_say_what_leads_to_each() -> None:
    x = keras.Input((28, 28, 1), name="im")
    y = layers.Dense(3, name="d")(layers.Flatten(name="f")(x))
    model = keras.Model(x, layers.Concatenate(name="cc")([y, y]), name="net")
    found: list[str] = []
    model.summary(print_fn=found.append)
    assert found[1] == "_" * 98
    assert [row.rstrip() for row in found[4:12:2]] == [
        "im (InputLayer)                 [(None, 28, 28, 1)]  0",
        "f (Flatten)                     (None, 784)          0           im[0][0]",
        "d (Dense)                       (None, 3)            2355        f[0][0]",
        "cc (Concatenate)                (None, 6)            0           d[0][0]",
    ]
    assert found[11].split() == ["d[0][0]"]
    assert found[13:16] == [
        "Total params: 2,355",
        "Trainable params: 2,355",
        "Non-trainable params: 0",
    ]


def test_summaries_of_models_that_are_not_built_are_refused() -> None:
    with pytest.raises(ValueError, match="has not yet been built"):
        keras.Sequential([layers.Dense(2)]).summary()


def test_names_of_metrics_are_known_before_the_first_batch() -> None:
    x = keras.Input((3,))
    ends = [layers.Dense(1, name="o1")(x), layers.Dense(1, name="o2")(x)]
    model = keras.Model(x, ends)
    model.compile("sgd", "mse", metrics=["mae"])
    assert model.metrics_names == [
        *("loss", "o1_loss", "o2_loss"),
        *("o1_mean_absolute_error", "o2_mean_absolute_error"),
    ]
    alone = keras.Model(x, ends[0])
    alone.compile("sgd", "mse", metrics=["acc"])
    assert alone.metrics_names == ["loss", "acc"]


def test_layers_of_programs_ask_the_phase_of_the_step() -> None:
    class Doubled(layers.Layer):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            return backend.in_train_phase(x * 2, x)

    model = keras.Sequential([Doubled(input_shape=(3,))])
    model.compile("sgd", "mse")
    ones = np.ones((1, 3))
    np.testing.assert_array_equal(model.predict(ones), ones)
    assert model.evaluate(ones, ones, verbose=0) == 0.0
    assert model.train_on_batch(ones, ones) == 1.0


def test_cells_are_no_layers_of_keras() -> None:
    class Sum:
        state_size = output_size = 3

        def __call__(self, x: Any, states: Any) -> Any:
            return x + states[0], [states[0] + 1.0]

        call = __call__

    x = keras.Input((3, 3))
    model = keras.Model(x, layers.RNN(Sum())(x))
    np.testing.assert_array_equal(
        model.predict(np.ones((2, 3, 3))), np.full((2, 3), 3)
    )


def test_layers_that_are_built_have_states() -> None:
    layer = layers.LSTM(5, stateful=True)
    layer.build((2, 3, 4))
    layer.reset_states()
    assert [backend.eval(x).shape for x in layer.states] == [(2, 5), (2, 5)]


def test_the_slope_of_elu_comes_second() -> None:
    x = backend.placeholder(ndim=1)
    made = backend.function([x], [keras.activations.elu(x, 0.5)])(
        [np.array([-1.0, 2.0])]
    )[0]
    np.testing.assert_allclose(made, [0.5 * np.expm1(-1.0), 2.0], rtol=1e-6)


def test_datasets_without_an_end_need_steps() -> None:
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensors((np.ones((2, 3)), np.ones((2, 1)))).repeat()
    for method in (model.fit, model.evaluate, model.predict):
        with pytest.raises(ValueError, match="infinitely repeating dataset"):
            method(data)
    assert len(model.predict(data, steps=2)) == 4


def test_images_are_loaded_in_grey(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    pillow.fromarray(np.zeros((8, 9, 3), np.uint8)).save(tmp_path / "a.png")
    load = keras.preprocessing.image.load_img
    assert load(tmp_path / "a.png", True).mode == "L"
    small = load(tmp_path / "a.png", grayscale=True, target_size=(4, 5))
    assert (small.mode, small.size) == ("L", (5, 4))
    assert load(tmp_path / "a.png", color_mode="rgba").mode == "RGBA"


def _inner(path: str) -> Any:
    return import_module(f"tensorlite.compat.v1.python.keras.{path}")


def test_sizes_of_convolutions_are_known_to_layers_of_programs() -> None:
    conv_utils = _inner("utils.conv_utils")
    lengths = [
        conv_utils.conv_output_length(10, 3, padding, 2, 2)
        for padding in ("valid", "same", "full", "causal")
    ]
    assert lengths == [3, 5, 7, 5]
    assert conv_utils.conv_input_length(4, 3, "same", 2) == 7
    assert conv_utils.deconv_output_length(4, 3, "same", stride=2) == 8
    assert conv_utils.deconv_output_length(4, 3, "valid", 1, 2) == 10
    assert conv_utils.normalize_tuple((1, 2), 2, "strides") == (1, 2)
    assert conv_utils.convert_data_format("channels_last", 5) == "NDHWC"
    with pytest.raises(ValueError, match="tuple of 2 integers"):
        conv_utils.normalize_tuple((1, 2, 3), 2, "strides")


def test_shapes_are_tuples_to_methods_that_ask_for_it() -> None:
    tf_utils = _inner("utils.tf_utils")

    class Own(layers.Layer):  # type: ignore[misc]
        @tf_utils.shape_type_conversion  # type: ignore[untyped-decorator]
        def compute_output_shape(self, input_shape: Any) -> Any:
            assert isinstance(input_shape, tuple)
            return (*input_shape[:-1], 7)

    made = Own().compute_output_shape(tf.TensorShape([None, 3]))
    assert made.as_list() == [None, 7]


def test_inner_modules_have_what_layers_of_programs_use() -> None:
    assert _inner("utils.generic_utils").has_arg(lambda x, scale=1: x, "scale")
    assert _inner("utils.generic_utils").to_list(1) == [1]
    assert _inner("utils.layer_utils").count_params([np.ones((2, 3))]) == 6
    find = _inner("applications.imagenet_utils").obtain_input_shape
    assert find((64, 64, 1), 224, 32, "channels_last", True) == (64, 64, 1)
    assert find(None, 224, 32, "channels_first", False) == (3, None, None)
    with pytest.raises(ValueError, match="at least 32x32"):
        find((16, 16, 3), 224, 32, "channels_last", False)
    assert _inner("layers.serialization").deserialize is layers.deserialize
    assert _inner("saving.save").load_model is keras.models.load_model


def _joined() -> Any:
    x = keras.Input((3,), name="xx")
    y = layers.Dense(2, kernel_initializer="ones", name="dd")(x)
    y = tf.nn.relu(y * 2.0) + tf.reduce_mean(x, 1, keepdims=True)
    return keras.Model(x, layers.Dense(2, kernel_initializer="ones", name="ee")(y))


_ROWS = np.array([[0.5, 1.0, 3.0], [-1.0, 0.0, 0.25]])
_JOINED = np.array([[21.0, 21.0], [-0.5, -0.5]])


def test_models_with_functions_between_layers_are_copied() -> None:
    model = _joined()
    np.testing.assert_allclose(model.predict(_ROWS), _JOINED, rtol=1e-6)
    for again in (
        keras.models.clone_model(model),
        keras.Model.from_config(model.get_config()),
        keras.models.model_from_json(model.to_json()),
    ):
        again.set_weights(model.get_weights())
        np.testing.assert_allclose(again.predict(_ROWS), _JOINED, rtol=1e-6)
        again.compile("sgd", "mse")
        assert again.train_on_batch(_ROWS, _JOINED) == pytest.approx(0.0, abs=1e-9)


def test_models_with_functions_between_layers_are_saved(tmp_path: Path) -> None:
    model = _joined()
    model.compile("sgd", "mse")
    path = str(tmp_path / "model.h5")
    keep = keras.callbacks.ModelCheckpoint(path)
    model.fit(_ROWS, _JOINED, verbose=0, callbacks=[keep])
    again = keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(_ROWS), model.predict(_ROWS), rtol=1e-6)


def test_parts_of_one_function_go_into_several_layers() -> None:
    x = keras.Input((4,))
    first, second = tf.split(x, 2, 1)
    y = tf.concat([layers.Dense(1, kernel_initializer="ones")(first), second], 1)
    model = keras.Model(x, y)
    again = keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    rows = np.arange(8.0).reshape(2, 4)
    np.testing.assert_allclose(again.predict(rows), [[1, 2, 3], [9, 6, 7]])


def test_parts_that_read_variables_are_not_described() -> None:
    x = keras.Input((3,))
    model = keras.Model(x, layers.Dense(1)(x * backend.variable(2.0)))
    with pytest.raises(ValueError, match="reads variables of the graph"):
        model.to_json()


def test_losses_and_layers_use_variables_of_the_graph() -> None:
    share, factor = backend.variable(0.5), backend.variable(2.0)
    x = keras.Input((3,))
    model = keras.Model(x, layers.Lambda(lambda x: x * factor)(x))
    model.compile("sgd", lambda y, p: share * backend.mean(backend.square(y - p)))
    ones = np.ones((2, 3))
    assert model.test_on_batch(ones, ones) == 0.5
    backend.set_value(share, 1.0)
    assert model.test_on_batch(ones, ones) == 1.0
    backend.set_value(factor, 3.0)
    np.testing.assert_array_equal(model.predict(ones), 3 * ones)


def _gate(x: Any) -> Any:
    return np.clip(0.2 * x + 0.5, 0, 1)


def test_states_that_recurrent_layers_begin_with_are_variables() -> None:
    x = keras.Input((3, 4))
    first = [backend.variable(np.full((2, 5), 0.25)) for _ in range(2)]
    layer = layers.LSTM(
        5, kernel_initializer="zeros", recurrent_initializer="identity"
    )
    model = keras.Model(x, layer(x, initial_state=first))
    state = output = np.full((2, 5), 0.25)
    for _ in range(3):
        parts = [output, np.zeros((2, 5)), np.zeros((2, 5)), np.zeros((2, 5))]
        state = _gate(parts[1] + 1.0) * state + _gate(parts[0]) * np.tanh(parts[2])
        output = _gate(parts[3]) * np.tanh(state)
    np.testing.assert_allclose(model.predict(np.ones((2, 3, 4))), output, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("SGD", []),
        ("Adam", ["m", "v"]),
        ("Adadelta", ["accum_grad", "accum_var"]),
        ("Adagrad", ["accumulator"]),
        ("RMSprop", ["rms"]),
        ("Adamax", ["m", "v"]),
        ("Nadam", ["m", "v"]),
    ],
)
def test_optimizers_tell_what_they_keep_by_keras_names(
    name: str, slots: list[str]
) -> None:
    optimizer = getattr(keras.optimizers, name)(0.1)
    variable = tf.Variable([1.0, 2.0], use_resource=True)
    optimizer.apply_gradients([(tf.constant([0.1, 0.1]), variable)])
    assert optimizer.get_slot_names() == slots
    names = [optimizer.get_slot(variable, slot).name for slot in slots]
    assert names == [f"{name}/Variable/{slot}:0" for slot in slots]
    assert optimizer.decay == (0.004 if name == "Nadam" else 0.0)


def test_optimizers_tell_how_their_rates_fall() -> None:
    assert keras.optimizers.Adam(0.1, decay=0.5).decay == 0.5


def test_images_are_whitened_by_variances_and_a_little_more() -> None:
    make = keras.preprocessing.image.ImageDataGenerator
    generator = make(zca_whitening=True, zca_epsilon=0.5)
    images = np.random.default_rng(0).random((20, 2, 2, 1)).astype(np.float32)
    generator.fit(images)
    made = next(generator.flow(images, batch_size=20, shuffle=False))
    rows = (images - images.mean()).reshape(20, 4)
    sizes, ways = np.linalg.eigh(rows.T @ rows / 20)
    expected = rows @ (ways / np.sqrt(sizes + 0.5)) @ ways.T
    np.testing.assert_allclose(made.reshape(20, 4), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "expected"), [("Adamax", [0.9, 1.9]), ("Nadam", [0.8945, 1.895])]
)
def test_optimizers_update_halves(name: str, expected: list[float]) -> None:
    optimizer = getattr(keras.optimizers, name)(0.1)
    variable = tf.Variable([1.0, 2.0], dtype=tf.float16, use_resource=True)
    gradient = tf.constant([0.1, 0.2], tf.float16)
    step = optimizer.apply_gradients([(gradient, variable)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run(variable), expected, atol=6e-4)


def cells_of_kinds(kind: str) -> Any:
    """Return cells whose weights are 0.1: one of long memory, one of gates, or both."""
    a_tenth = tf.constant_initializer(0.1)
    made: dict[str, Any] = {
        "gates": partial(tf.nn.rnn_cell.GRUCell, 2, kernel_initializer=a_tenth),
        "memory": partial(tf.nn.rnn_cell.LSTMCell, 3, initializer=a_tenth),
    }
    found = [made[name]() for name in kind.split()]
    return found if len(found) > 1 else found[0]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("gates", -0.5066), ("memory", -0.3178), ("gates memory", -0.3574)],
)
def test_recurrent_layers_take_the_cells_of_version_1(
    kind: str, expected: float
) -> None:
    x = tf.placeholder(tf.float32, (None, 6, 4))
    made = layers.RNN(cells_of_kinds(kind), return_sequences=True)(x)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    step = optimizer.minimize(tf.reduce_sum(made))
    ones = {x: np.ones((2, 6, 4))}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step, ones)
        np.testing.assert_allclose(
            session.run(made, ones)[:, -1], expected, atol=1e-4
        )


def test_generators_need_a_number_of_steps() -> None:
    def batches() -> Iterator[Any]:
        while True:
            yield np.ones((2, 3)), np.ones((2, 1))

    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="via the `steps_per_epoch` argument"):
        model.fit_generator(batches())
    with pytest.raises(ValueError, match="via the `steps` argument"):
        model.evaluate_generator(batches())
    with pytest.raises(ValueError, match="via the `steps` argument"):
        model.predict_generator(batches())
    assert model.predict_generator(batches(), steps=3).shape == (6, 1)


def test_nadam_keeps_the_product_of_its_momentums_in_sessions() -> None:
    variable = tf.Variable([1.0, 2.0], use_resource=True)
    gradient = tf.constant([0.1, 0.2])
    step = keras.optimizers.Nadam(0.1).apply_gradients([(gradient, variable)])
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
            found.append(session.run(variable)[0])
    np.testing.assert_allclose(found, [0.894355, 0.815987, 0.742765], atol=1e-5)
