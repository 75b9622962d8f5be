"""tf.keras, as programs of many kinds use it. Expected values are those of TensorFlow 2.21."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras
layers = keras.layers


def test_chains_learn_their_shapes_from_what_they_are_first_called_with() -> None:
    called = keras.Sequential([layers.Flatten(), layers.Dense(2)])
    called(np.ones((3, 4), np.float32))
    assert [x.output.shape for x in called.layers] == [(3, 4), (3, 2)]
    fitted = keras.Sequential([layers.Flatten(), layers.Dense(2)])
    fitted.compile("sgd", "mse")
    fitted.fit(np.ones((3, 4)), np.ones((3, 2)), verbose=0)
    assert (fitted.input_shape, fitted.output_shape) == ((None, 4), (None, 2))


def test_shapes_of_symbolic_tensors_are_tuples() -> None:
    shape: Any = keras.Input((2, 3)).shape
    assert isinstance(shape, tuple)
    assert repr(shape) == "(None, 2, 3)"
    assert isinstance(shape[1:], tuple)
    assert (*shape[1:], 4) == (2, 3, 4)
    assert keras.Input((2, 3)).shape.as_list() == [None, 2, 3]


def test_layers_tell_where_they_stand_and_what_they_count() -> None:
    class Counting(layers.Layer):
        def __init__(self) -> None:
            super().__init__(name="counting")
            self.inner = layers.Dense(2, name="inner")
            self.seen = keras.metrics.Mean(name="seen")

        def call(self, x: Any) -> Any:
            self.seen(x)
            return self.inner(x)

    layer = Counting()
    layer(np.ones((2, 3), np.float32))
    assert (layer.path, layer.inner.path) == ("counting", "counting/inner")
    assert [x.name for x in layer.metrics] == ["seen"]
    assert [x.path for x in layer.metrics_variables] == ["seen/total", "seen/count"]


def test_layers_compute_with_values_that_are_given_for_their_weights() -> None:
    layer = layers.BatchNormalization()
    layer.build((None, 2))
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    held = layer.trainable_variables, layer.non_trainable_variables
    _, after = layer.stateless_call(*held, x, training=True)
    np.testing.assert_allclose(after[0].numpy(), [0.02, 0.03], rtol=1e-5)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), [0, 0])
    with pytest.raises(ValueError, match="1 were given"):
        layer.stateless_call([], [x], x)


def test_models_tell_whether_they_were_compiled() -> None:
    model = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
    assert not model.compiled
    with pytest.raises(ValueError, match="must call `compile"):
        model.fit(np.ones((2, 3)), np.ones((2, 1)))
    model.compile("sgd", "mse")
    assert (model.compiled, model.loss, model.jit_compile) == (True, "mse", False)


def test_outputs_without_names_are_listed_by_their_losses() -> None:
    class Two(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = layers.Dense(1), layers.Dense(1)

        def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
            return self.first(inputs), self.second(inputs)

    model = Two()
    model.compile("sgd", ["mse", "mae"], metrics=[["mae"], ["mse"]])
    x, y = np.ones((4, 3)), np.ones((4, 1))
    history = model.fit(x, (y, y), verbose=0).history
    assert sorted(history) == ["loss", "mae", "mae_loss", "mse", "mse_loss"]


def test_sequences_of_both_ways_are_nought_where_steps_do_not_count() -> None:
    both = layers.Bidirectional(layers.LSTM(2, return_sequences=True))
    mask = tf.constant([[True, True, False]])
    found = both(np.ones((1, 3, 4), np.float32), mask=mask).numpy()
    assert np.all(found[0, :2] != 0)
    assert np.all(found[0, 2] == 0)


def test_states_of_several_cells_come_cell_by_cell() -> None:
    cells = [layers.LSTMCell(2), layers.LSTMCell(3)]
    found = layers.RNN(cells, return_state=True)(np.ones((2, 3, 4), np.float32))
    assert [tuple(x.shape) for x in found[1]] == [(2, 2), (2, 2)]
    assert [tuple(x.shape) for x in found[2]] == [(2, 3), (2, 3)]


def test_recurrent_layers_tell_what_their_cells_were_made_with() -> None:
    layer = layers.LSTM(3, dropout=0.25, recurrent_activation="hard_sigmoid")
    assert (layer.units, layer.dropout, layer.use_bias) == (3, 0.25, True)
    assert layer.activation is keras.activations.tanh
    assert layer.recurrent_activation is keras.activations.hard_sigmoid
    with pytest.raises(AttributeError, match="colour"):
        _ = layer.colour


def test_how_far_nadams_momentum_has_come_is_one_number() -> None:
    model = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
    optimizer = keras.optimizers.Nadam(0.1)
    optimizer.build(model.trainable_variables)
    assert len(optimizer.variables) == 2 + 2 * 2 + 1
    optimizer.apply([tf.ones((2, 1)), tf.ones((1,))], model.trainable_variables)
    product = 0.9 * (1 - 0.5 * 0.96)
    np.testing.assert_allclose(optimizer.variables[-1].numpy(), product, rtol=1e-6)


def test_bins_are_found_as_keras_samples_values() -> None:
    layer = layers.Discretization(num_bins=4, epsilon=0.01)
    values = np.random.default_rng(0).normal(size=(64, 8)).astype("float32")[:, 0]
    layer.adapt(values)
    found = [-0.5000084, -0.005876027, 0.78758824]
    np.testing.assert_allclose(layer.bin_boundaries, found, rtol=1e-5)


def test_what_a_model_was_trained_with_is_not_saved_with_its_owner(
    tmp_path: Path,
) -> None:
    class Serving(tf.Module):
        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model
            spec = tf.TensorSpec([None, 3], tf.float32)
            self.traced = tf.function(self.serve, input_signature=[spec])

        def serve(self, x: Any) -> Any:
            return {"p": self.model(x, training=False)}

    model = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
    model.compile("sgd", "mse")
    x = np.ones((4, 3), np.float32)
    model.fit(x, np.ones((4, 2)), verbose=0)
    tf.saved_model.save(Serving(model), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    np.testing.assert_allclose(loaded.traced(x)["p"].numpy(), model(x).numpy())


def test_inputs_may_be_sparse() -> None:
    diagonal = tf.sparse.from_dense(np.eye(4, dtype="float32"))
    x = keras.Input((4,), sparse=True)
    model = keras.Model(x, layers.Dense(2, kernel_initializer="ones")(x))
    assert model.get_config()["layers"][0]["config"]["sparse"]
    assert keras.Model.from_config(model.get_config()).inputs[0].sparse
    np.testing.assert_array_equal(model(diagonal).numpy(), np.ones((4, 2)))
    np.testing.assert_array_equal(model.predict(diagonal, verbose=0), np.ones((4, 2)))
    model.compile("sgd", "mse")
    rows = tf.data.Dataset.from_tensor_slices((diagonal, np.ones((4, 2)))).batch(2)
    assert model.fit(rows, verbose=0).history == {"loss": [0.0]}
    own = layers.CategoryEncoding(4, output_mode="multi_hot", sparse=True)
    dense = tf.sparse.to_dense(own(np.array([[0, 1], [2, 2]])))
    np.testing.assert_array_equal(dense, [[1, 1, 0, 0], [0, 0, 1, 0]])


def test_functions_are_told_masks_and_whether_layers_learn() -> None:
    def scaled(x: Any, mask: Any = None, training: Any = None) -> Any:
        assert mask is not None
        return x * (2.0 if training else 1.0)

    layer = layers.Lambda(scaled, mask=lambda inputs, mask: None)
    x = layers.Masking()(np.ones((1, 2, 3), np.float32))
    np.testing.assert_array_equal(layer(x, training=True), np.full((1, 2, 3), 2.0))
    np.testing.assert_array_equal(layer(x), np.ones((1, 2, 3)))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: layers.Dense("3"), "expected a positive integer"),
        (lambda: layers.Dense(2.5), "expected a positive integer"),
        (lambda: layers.Embedding(-1, 2), "input_dim"),
        (lambda: layers.LeakyReLU(-1.0), "negative_slope"),
        (lambda: layers.Flatten(data_format="x"), "data_format"),
        (lambda: layers.Conv1D(4, 3, data_format="x"), "data_format"),
        (lambda: layers.MaxPooling2D(data_format="x"), "data_format"),
        (lambda: layers.GaussianNoise(-1.0), "stddev"),
        (lambda: layers.Permute((0, 1)), "start from 1"),
        (lambda: layers.TimeDistributed(1), "TimeDistributed"),
        (lambda: layers.Bidirectional(layers.Dense(1)), "Bidirectional"),
        (layers.CategoryEncoding, "num_tokens"),
        (lambda: layers.CategoryEncoding(3, output_mode="x"), "output_mode"),
        (keras.Input, "shape"),
    ],
)
def test_arguments_are_refused_as_keras_refuses_them(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_arguments_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="integer"):
        layers.RepeatVector("a")
    with pytest.raises(TypeError, match="not callable"):
        layers.Lambda(1)


class Adding(layers.Layer):
    """A cell of a program's own, with one state, which it is given in a list."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.units = self.state_size = units

    def build(self, input_shape: Any) -> None:
        sizes = {"kernel": input_shape[-1], "before": self.units}
        self.held = {
            name: self.add_weight(name, (size, self.units), initializer="ones")
            for name, size in sizes.items()
        }

    def call(self, inputs: Any, states: Any) -> Any:
        seen = keras.ops.matmul(inputs, self.held["kernel"])
        made = seen + keras.ops.matmul(states[0], self.held["before"])
        return made, [made]


STEPS = np.arange(24, dtype=np.float32).reshape((2, 3, 4))


def test_cells_of_programs_go_on_from_their_only_state() -> None:
    layer = layers.RNN(Adding(2), stateful=True, return_state=True)
    layer(STEPS)
    for found in layer(STEPS):
        np.testing.assert_array_equal(found, [[954, 954], [3978, 3978]])
    mask = np.array([[True, True, False], [True, False, False]])
    masked = layers.RNN(Adding(2))(STEPS, mask=mask)
    np.testing.assert_array_equal(masked, [[34, 34], [54, 54]])


def test_cells_in_a_stack_keep_their_states_as_they_are() -> None:
    cells = layers.RNN([Adding(3), Adding(2)], return_state=True)
    _, first, second = cells(STEPS)
    np.testing.assert_array_equal(first, [[158] * 3, [782] * 3])
    np.testing.assert_array_equal(second, [[786] * 2, [4386] * 2])


def test_channels_may_stand_first_along_a_line() -> None:
    pool = layers.GlobalAveragePooling1D(data_format="channels_first")
    mask = np.array([[1, 1, 0, 0], [0, 1, 0, 1]])
    found = pool(STEPS, mask=mask)
    np.testing.assert_allclose(found, [[0.5, 4.5, 8.5], [14.0, 18.0, 22.0]])
    given: Any = {"depthwise_initializer": "ones", "data_format": "channels_first"}
    deep = layers.DepthwiseConv1D(2, **given)(STEPS)
    np.testing.assert_array_equal(deep, STEPS[..., 1:] + STEPS[..., :-1])


def test_values_of_weights_are_attributes_and_methods() -> None:
    layer = layers.Dense(2, kernel_initializer="ones")
    layer.build((None, 3))
    value = layer.kernel.value
    np.testing.assert_array_equal(value, np.ones((3, 2)))
    np.testing.assert_array_equal(value(), np.ones((3, 2)))
    np.testing.assert_array_equal((value + 1)[0], [2, 2])
    assert (tuple(value.shape), value.dtype, tf.is_tensor(value)) == (
        (3, 2),
        tf.float32,
        True,
    )
    rate = keras.optimizers.SGD(0.5).learning_rate.value
    assert (float(rate), f"{rate:.2f}", bool(rate == 0.5)) == (0.5, "0.50", True)
    traced = tf.function(lambda: layer.kernel.value * 2 + layer.kernel.value())
    np.testing.assert_array_equal(traced(), np.full((3, 2), 3))
    layer.kernel.assign(np.zeros((3, 2)))
    assert tf.reduce_sum(value).numpy() == 0


def test_layers_that_vary_images_do_so_unless_they_are_told() -> None:
    x = np.random.default_rng(7).uniform(size=(2, 8, 8, 3)).astype("float32")
    chain = keras.Sequential([layers.Rescaling(2.0), layers.RandomContrast(0.5)])
    assert not np.allclose(chain(x), 2 * x)
    np.testing.assert_allclose(chain(x, training=False), 2 * x)
    np.testing.assert_allclose(chain.predict(x, verbose=0), 2 * x)
    dropping = keras.Sequential([layers.Rescaling(2.0), layers.Dropout(0.5)])
    np.testing.assert_allclose(dropping(x), 2 * x)


def test_layers_tell_the_shape_they_were_built_for() -> None:
    layer = layers.Dense(3)
    layer.build((None, 2))
    assert layer.get_build_config() == {"input_shape": (None, 2)}


def test_inputs_take_the_dtype_that_a_model_has_declared() -> None:
    inputs = tf.keras.Input((4, 3))
    model = tf.keras.Model(inputs, [tf.keras.layers.GRU(2)(inputs), inputs * 2.0])
    for x in (np.eye(4, 3) > 0, np.eye(4, 3, dtype=np.int64), np.eye(4, 3)):
        state, doubled = model(tf.constant(x[None]))
        assert state.dtype == doubled.dtype == tf.float32
        assert doubled.numpy().tolist() == (2.0 * x[None]).tolist()
    chain = tf.keras.Sequential([tf.keras.layers.LSTM(2, input_shape=(4, 3))])
    assert chain.predict(np.ones((2, 4, 3), bool), verbose=0).shape == (2, 2)


def test_programs_put_notes_on_tensors_and_variables() -> None:
    for holder in (tf.constant(1.0), tf.Variable(1.0), tf.keras.Input((2,))):
        noted: Any = holder
        noted.note = "seen"
        assert noted.note == "seen"

    def doubled(x: Any) -> Any:
        setattr(x, "note", 2.0)  # noqa: B010  writes to attributes are warned of
        return x * x.note

    assert tf.function(doubled)(tf.constant(3.0)).numpy() == 6.0


def test_a_layer_may_have_a_property_where_dense_has_its_bias() -> None:
    class Noisy(tf.keras.layers.Dense):
        @property
        def bias(self) -> Any:
            return None

        def build(self, input_shape: Any) -> None:
            self.kernel = self.add_weight("kernel", (input_shape[-1], self.units))

    assert Noisy(2)(tf.ones([1, 3])).shape == (1, 2)


def test_metrics_give_and_take_their_weights() -> None:
    metric = tf.keras.metrics.Mean()
    metric([1.0, 3.0])
    other = tf.keras.metrics.Mean()
    other.set_weights(metric.get_weights())
    assert other.result().numpy() == 2.0


def test_the_backend_chooses_by_the_phase() -> None:
    backend = tf.keras.backend
    chosen = [backend.in_train_phase(lambda: 1, 2, training=x) for x in (1, 0)]
    assert [*chosen, backend.in_test_phase(1, lambda: 2, training=True)] == [1, 2, 2]
    traced = tf.function(lambda told: backend.in_train_phase(3.0, 4.0, told))
    assert traced(tf.constant(False)).numpy() == 4.0


@pytest.mark.filterwarnings("ignore:When providing `inputs` as a dict")
@pytest.mark.filterwarnings("ignore:The structure of `inputs` does")
def test_inputs_are_found_by_keys_of_any_depth_and_by_names() -> None:
    first, second = keras.Input((1,), name="first"), keras.Input((2,), name="second")
    made = layers.Concatenate()([first, second])
    deep = keras.Model({"1": first, "others": {"2": second}}, made)
    x, y = np.ones((2, 1), np.float32), np.zeros((2, 2), np.float32)
    wanted = np.concatenate([x, y], axis=1)
    np.testing.assert_array_equal(deep({"1": x, "others": {"2": y}}), wanted)
    keyed = keras.Model({"a": first, "b": second}, made)
    for given in ({"a": x, "b": y}, {"first": x, "second": y}, [x, y]):
        np.testing.assert_array_equal(keyed(given), wanted)
    listed = keras.Model([first, second], made)
    np.testing.assert_array_equal(listed({"second": y, "first": x}), wanted)
    with pytest.raises(ValueError, match="'second', and nothing was given"):
        listed({"first": x})


def test_copies_of_models_are_compiled_as_these_are() -> None:
    model = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
    assert not keras.models.clone_model(model).compiled
    model.compile(keras.optimizers.SGD(0.25), "mse", metrics=["mae"])
    made = keras.models.clone_model(model)
    assert (made.compiled, made.loss) == (True, "mse")
    assert made.optimizer is not model.optimizer
    assert float(made.optimizer.learning_rate) == 0.25


def test_activations_are_those_of_operations_too() -> None:
    x = np.array([-2.0, -0.25, 0.75, 3.0], np.float32)
    found = keras.activations.get("hard_shrink")(x)
    np.testing.assert_array_equal(found, [-2, 0, 0.75, 3])
    layer = layers.Activation("sparse_plus")
    np.testing.assert_allclose(layer(x), [0, 0.140625, 0.765625, 3])
    made = layers.Activation.from_config(layer.get_config())
    np.testing.assert_allclose(made(x), layer(x))
    np.testing.assert_allclose(
        keras.activations.threshold(x, 0.5, 9.0), [9, 9, 0.75, 3]
    )


def test_names_and_devices_hold_for_what_is_made_inside() -> None:
    with keras.name_scope("outer"):
        weight = layers.Layer(name="layer").add_weight(name="w")
    assert weight.path == "outer/w"
    with keras.device("cpu:0"):
        assert str(tf.ones(2).device).endswith("CPU:0")


def test_images_are_cut_to_the_form_they_are_to_have() -> None:
    x = np.arange(4 * 8, dtype=np.float32).reshape((4, 8, 1))
    found = keras.preprocessing.image.smart_resize(x, (4, 4))
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, x[:, 2:6])


def test_tensors_and_variables_stand_before_inputs_too() -> None:
    x = tf.keras.Input((3,))
    row, scale = tf.constant([1.0, 2.0, 3.0]), tf.Variable(2.0)
    for made, expected in (
        (row + x, [2.0, 4.0, 6.0]),
        (row - x, [0.0, 0.0, 0.0]),
        (scale * x, [2.0, 4.0, 6.0]),
        (row / x, [1.0, 1.0, 1.0]),
        (row**x, [1.0, 4.0, 27.0]),
    ):
        found = tf.keras.Model(x, made)(tf.constant([[1.0, 2.0, 3.0]]))
        np.testing.assert_allclose(found, [expected])
    columns = tf.keras.Input((3, 2))
    assert (tf.ones([2, 3]) @ columns).shape == (None, 2, 2)
