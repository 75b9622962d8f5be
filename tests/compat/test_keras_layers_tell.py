"""tf.keras: what layers tell of shapes, seeds, masks and copies; values TensorFlow 2.21's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras
layers = keras.layers


class Told(layers.Layer):
    """A layer whose call no trace could follow."""

    supports_masking = True

    def call(self, x: Any) -> Any:
        raise AssertionError("shapes were told")

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (input_shape[0], 7), [(*input_shape, 2)]


def test_shapes_that_a_program_tells_are_taken() -> None:
    first, [second] = Told(dtype="float16")(keras.Input((3,)))
    assert (tuple(first.shape), tuple(second.shape)) == ((None, 7), (None, 3, 2))
    assert keras.backend.standardize_dtype(first.dtype) == "float16"

    class Specs(layers.Layer):
        def compute_output_spec(self, x: Any) -> Any:
            found = super().compute_output_spec(x)
            return keras.KerasTensor((*found.shape, 1), "int32")

    made = Specs()(keras.Input((3,)))
    assert tuple(made.shape) == (None, 3, 1)

    class Wrong(layers.Layer):
        def compute_output_shape(self, input_shape: Any) -> Any:
            return 3

    with pytest.raises(ValueError, match="cannot be interpreted as a shape"):
        Wrong()(keras.Input((3,)))


def test_lambda_has_the_shape_that_it_was_given() -> None:
    x = keras.Input((3,))
    assert tuple(layers.Lambda(lambda x: x, output_shape=(5,))(x).shape) == (None, 5)
    two = layers.Lambda(lambda x: (x, x), output_shape=((3,), (4,)))
    assert two.compute_output_shape((2, 3)) == ((2, 3), (2, 4))
    named = layers.Lambda(lambda x: x, output_shape=lambda s: (*s, 1))
    assert named.compute_output_shape((2, 3)) == (2, 3, 1)


def test_lambdas_in_configurations_are_code_and_copies_have_the_function() -> None:
    scale = np.float32(3.0)
    layer = layers.Lambda(lambda x: x * scale)
    config = layer.get_config()
    assert config["function"]["class_name"] == "__lambda__"
    assert "output_shape" not in config
    with pytest.raises(ValueError, match="safe_mode"):
        layers.Lambda.from_config(dict(config))
    plain = layers.Lambda(lambda x: x + 1)
    again = layers.Lambda.from_config(plain.get_config(), safe_mode=False)
    assert again.function(2) == 3
    model = keras.Sequential([keras.Input((2,)), layer])
    copy = keras.models.clone_model(model)
    np.testing.assert_array_equal(copy(np.ones((1, 2))), [[3.0, 3.0]])


def test_states_of_seeds_are_variables_and_no_weights() -> None:
    layer = layers.Dropout(0.5, seed=7)
    model = keras.Sequential([keras.Input((3,)), layers.Dense(2), layer])
    assert [x.name for x in model.variables] == [
        "kernel",
        "bias",
        "seed_generator_state",
    ]
    assert [x.name for x in model.non_trainable_variables] == ["seed_generator_state"]
    assert len(model.weights) == 2
    assert model.non_trainable_weights == []
    layer(np.ones((4, 4)), training=True)
    assert layer.variables[0].numpy().tolist() == [7, 1]


def test_a_mask_reaches_compute_mask_at_its_place_too() -> None:
    class Seen(layers.Layer):
        def call(self, inputs: Any, mask: Any = None) -> Any:
            return inputs

        def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
            return tf.zeros(()) if mask is None else mask

    made = Seen()(tf.ones((1, 1)), tf.ones((1, 1)))
    assert made._keras_mask.numpy().tolist() == [[1.0]]


def test_a_symbolic_call_costs_nothing() -> None:
    layer = layers.Dense(2, activity_regularizer="l1")
    layer(keras.Input((3,)))
    assert layer.losses == []
    layer(np.ones((2, 3)))
    assert len(layer.losses) == 1


def test_penalties_of_what_recurrent_layers_return_count() -> None:
    layer = layers.LSTM(4, activity_regularizer="l2", return_state=True)
    made = layer(np.ones((2, 3, 4), np.float32))
    want = [0.01 * np.square(x.numpy()).sum() / 2 for x in made]
    np.testing.assert_allclose([x.numpy() for x in layer.losses], want, rtol=1e-5)
    assert layer.get_config()["activity_regularizer"]["class_name"] == "L2"
    assert "activity_regularizer" not in layers.Dense(2).get_config()


def test_half_precision_is_normalized_in_single() -> None:
    x = (np.random.default_rng(0).normal(size=(2, 4, 6)) * 9000).astype(np.float16)
    for kind in (
        layers.GroupNormalization(3, dtype="mixed_float16"),
        layers.RMSNormalization(dtype="float16"),
        layers.LayerNormalization(axis=[1, 2], dtype="mixed_float16"),
    ):
        made = kind(x)
        assert made.dtype == tf.float16
        assert np.abs(made.numpy()).max() < 10
    assert layers.Rescaling(0.1, dtype="mixed_float16")(x).dtype == tf.float16


def test_normalizations_scale_and_move_as_they_are_told() -> None:
    x = np.array([[[1.0, 2.0], [3.0, 5.0]]], np.float32)
    group = layers.GroupNormalization(2, axis=1, beta_initializer="ones")
    want = [[[0.0019960, 1.9980040], [0.0004997, 1.9995003]]]
    np.testing.assert_allclose(group(x), want, atol=1e-5)
    rms = layers.RMSNormalization(axis=[2, 1])
    assert tuple(rms(x).shape) == tuple(x.shape)
    assert tuple(rms.scale.shape) == (2, 2)
    np.testing.assert_allclose(rms(x), x / np.sqrt(np.square(x).mean()), rtol=1e-5)
    with pytest.raises(ValueError, match="cannot be more than"):
        layers.GroupNormalization(5).build((None, 4))
    with pytest.raises(TypeError, match="axis"):
        layers.LayerNormalization(axis="x")


def test_channels_in_front_are_dropped_whole() -> None:
    made = layers.SpatialDropout2D(0.5, data_format="channels_first")(
        np.ones((4, 8, 3, 3)), training=True
    ).numpy()
    assert (made == made[:, :, :1, :1]).all()
    assert 0 < (made == 0).mean() < 1


def test_scores_of_attention_are_those_that_counted() -> None:
    query = np.random.default_rng(0).normal(size=(1, 8, 4)).astype(np.float32)
    made, scores = layers.Attention(dropout=0.5, seed=1)(
        [query, query], return_attention_scores=True, training=True
    )
    np.testing.assert_allclose(made, scores.numpy() @ query, rtol=1e-4, atol=1e-5)
    assert (scores.numpy() == 0).any()


def test_models_begin_where_other_layers_end() -> None:
    x = keras.Input((3,))
    middle = layers.Dense(4, name="a")(x)
    whole = keras.Model(x, layers.Dense(2, name="b")(keras.ops.sin(middle) + 1))
    end = keras.Model(middle, whole.output)
    assert [type(y).__name__ for y in end.layers] == ["InputLayer", "Dense"]
    given = np.ones((2, 3), np.float32)
    begun = keras.Model(x, middle)(given)
    np.testing.assert_allclose(end(begun), whole(given), rtol=1e-6)
    again = keras.Model.from_config(end.get_config())
    assert [y.name for y in again.layers[1:]] == ["b"]


def test_copies_of_models_reach_inner_models_and_calls() -> None:
    x = keras.Input((3,))
    model = keras.Model(x, layers.Dense(2)(layers.Dense(4)(x)))

    def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        made = layer(*args, **kwargs)
        return layers.Dropout(0.5)(made) if isinstance(layer, layers.Dense) else made

    copy = keras.models.clone_model(
        model, clone_function=lambda layer: layer, call_function=call
    )
    kinds = [type(layer).__name__ for layer in copy.layers]
    assert kinds == ["InputLayer", "Dense", "Dropout", "Dense", "Dropout"]
    assert copy.layers[1] is model.layers[1]
    outer = keras.Sequential([model, layers.Dense(1)])
    seen: list[Any] = []

    def note(layer: Any) -> Any:
        seen.append(type(layer).__name__)
        return layer.__class__.from_config(layer.get_config())

    keras.models.clone_model(outer, clone_function=note, recursive=True)
    assert seen == ["Dense", "Dense", "Dense"]
    with pytest.raises(ValueError, match="not supported with Sequential"):
        keras.models.clone_model(outer, call_function=call)


def test_state_goes_into_trees_and_back() -> None:
    model = keras.Sequential([keras.Input((3,)), layers.Dense(2, name="d")], name="m")
    model.compile(keras.optimizers.Adam(name="adam"), "mse", metrics=["mae"])
    model.fit(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    tree = model.get_state_tree("numpy_array")
    assert sorted(tree["trainable_variables"]["m"]["d"]) == ["bias", "kernel"]
    assert "iteration" in tree["optimizer_variables"]["adam"]
    assert "loss" in tree["metrics_variables"]
    tree["trainable_variables"]["m"]["d"]["bias"] = np.array([5.0, 6.0])
    model.set_state_tree(tree)
    assert model.layers[0].bias.numpy().tolist() == [5.0, 6.0]
    with pytest.raises(AttributeError, match="reserved"):
        model.layers = []


def test_a_file_may_not_ask_for_more_than_a_weight_has(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    model = keras.Sequential([keras.Input((4,)), layers.Dense(3)])
    path = str(tmp_path / "m.weights.h5")
    model.save_weights(path)
    with h5py.File(path, "r+") as file:
        found: list[str] = []
        file.visit(lambda name: found.append(name) if name.endswith("/0") else None)
        del file[found[0]]
        file.create_dataset(
            found[0], (2**50,), "float64", chunks=(1024,), fillvalue=0
        )
    with pytest.raises(ValueError, match="must match"):
        model.load_weights(path)


def test_what_holds_itself_is_looked_through_once() -> None:
    layer = layers.Dense(2)
    held: list[Any] = [1]
    held.append(held)
    layer.held = held
    layer.build((None, 3))
    assert len(layer.weights) == 2


def test_croppings_begin_as_keras_has_them_and_leave_something() -> None:
    line = np.arange(5.0).reshape(1, 5, 1)
    assert layers.Cropping1D()(line).numpy().ravel().tolist() == [1, 2, 3]
    assert tuple(layers.Cropping2D()(np.ones((1, 4, 4, 1))).shape) == (1, 4, 4, 1)
    volume = np.ones((1, 4, 5, 6, 1))
    assert tuple(layers.Cropping3D()(volume).shape) == (1, 2, 3, 4, 1)
    with pytest.raises(ValueError, match="smaller than the input"):
        layers.Cropping1D(3)(line)
    with pytest.raises(ValueError, match="smaller than the corresponding"):
        layers.Cropping2D(((2, 2), (0, 0)))(np.ones((1, 4, 4, 1)))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: layers.Cropping2D(((1, 2), (3, -4))), "do not satisfy"),
        (lambda: layers.ZeroPadding1D((1, 2, 3)), "tuple of 2 integers"),
        (lambda: layers.ZeroPadding3D("1"), "3 pairs of ints"),
        (lambda: layers.Conv2D(2, (1, 0)), r"including values \{0\}"),
        (lambda: layers.Conv2D(2, 2, strides=(1, 0)), "`strides` argument"),
        (lambda: layers.Conv1D(0, 1), "Received filters=0"),
        (lambda: layers.Conv2D(5, 2, groups=0), "groups must be a positive"),
        (lambda: layers.DepthwiseConv2D(2, depth_multiplier=0), "depth_multiplier=0"),
        (lambda: layers.RepeatVector(0), "positive integer"),
        (lambda: layers.UpSampling1D(-1), "positive integer"),
        (lambda: layers.Reshape((-1, -1, 5)), "at most one unknown"),
        (
            lambda: layers.Dropout(0.5, noise_shape=(20, -1)),
            "positive integers or None",
        ),
        (lambda: layers.Dropout(1.5), "float value between 0 and 1"),
        (lambda: layers.Embedding(0, 2), "`input_dim` must be a positive"),
        (lambda: layers.Wrapper(2), "isn't a supported layer type"),
    ],
)
def test_layers_are_not_made_of_numbers_that_mean_nothing(
    make: Any, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        make()
