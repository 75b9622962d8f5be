"""tf.keras: layers that learn from data, image layers, and layers in graphs of TensorFlow 1.

What is expected was computed by TensorFlow 2.21 where no closed form stands beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError

keras = tf.keras
keras1: Any = tf1.keras
config1: Any = tf1.config
distribute1: Any = tf1.distribute
layers = keras.layers
HASHED = [1, 0, 1, 1, 2]


def drawn(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def test_normalization_learns_mean_and_variance() -> None:
    x = drawn(20, 3) * 3 + 1
    layer = layers.Normalization()
    layer.adapt(x)
    want = (x - x.mean(0)) / x.std(0)
    np.testing.assert_allclose(layer(x).numpy(), want, atol=1e-5)
    whole = layers.Normalization(axis=None)
    whole.adapt(tf.data.Dataset.from_tensor_slices(x).batch(7))
    np.testing.assert_allclose(whole(x).numpy(), (x - x.mean()) / x.std(), atol=1e-5)
    given = layers.Normalization(mean=2.0, variance=4.0, invert=True)
    np.testing.assert_allclose(given(x).numpy(), 2 + x * 2, rtol=1e-5)


def test_texts_are_numbered_by_how_often_words_are() -> None:
    layer = layers.TextVectorization(max_tokens=8, output_sequence_length=4)
    texts = ["the cat, sat.", "the dog sat down", "a cat and the dog"]
    layer.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(2))
    assert layer.get_vocabulary() == [
        "",
        "[UNK]",
        "the",
        "sat",
        "dog",
        "cat",
        "down",
        "and",
    ]
    found = layer(tf.constant(["The cat flew", "dog"])).numpy()
    np.testing.assert_array_equal(found, [[2, 5, 1, 0], [4, 0, 0, 0]])


def test_texts_are_counted() -> None:
    layer = layers.TextVectorization(output_mode="tf_idf")
    layer.adapt(["the cat the", "the dog sat"])
    known = np.log(1 + 2 / (1 + np.asarray([2, 1, 1, 1])))
    weights = np.asarray([known.mean(), *known])
    found = layer(["the the bird"]).numpy()
    np.testing.assert_allclose(found, [weights * [1, 2, 0, 0, 0]], rtol=1e-6)


def test_lookups_number_terms_and_turn_numbers_back() -> None:
    there = layers.StringLookup(vocabulary=["a", "b", "c"])
    back = layers.StringLookup(vocabulary=there.get_vocabulary(), invert=True)
    found = there(tf.constant([["a", "c"], ["d", "b"]]))
    np.testing.assert_array_equal(found.numpy(), [[1, 3], [0, 2]])
    assert back(found).numpy().tolist() == [[b"a", b"c"], [b"[UNK]", b"b"]]
    many = layers.IntegerLookup(vocabulary=[10, 20], output_mode="multi_hot")
    np.testing.assert_array_equal(many(np.array([[10, 5]])).numpy(), [[1, 1, 0]])
    with pytest.raises(FailedPreconditionError, match="adapt"):
        layers.StringLookup()(tf.constant(["a"]))


def test_categories_and_bins() -> None:
    counts = layers.CategoryEncoding(4, output_mode="count")
    np.testing.assert_array_equal(
        counts(np.array([[0, 0], [3, 1]])), [[2, 0, 0, 0], [0, 1, 0, 1]]
    )
    bins = layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])
    np.testing.assert_array_equal(
        bins(np.array([[-1.5, 1.0, 3.4, 0.5]])), [[0, 2, 3, 1]]
    )
    # The hashes are those of TensorFlow 2.21.
    names = tf.constant([["A"], ["B"], ["C"], ["D"], ["E"]])
    np.testing.assert_array_equal(layers.Hashing(3)(names).numpy().ravel(), HASHED)


def test_layers_of_text_work_in_models_and_datasets() -> None:
    layer = layers.TextVectorization(output_sequence_length=3)
    layer.adapt(["a b c", "b c", "c"])
    data = tf.data.Dataset.from_tensor_slices((["a b", "c"], [0, 1])).batch(2)
    rows = next(iter(data.map(lambda x, y: (layer(x), y))))[0]
    np.testing.assert_array_equal(rows.numpy(), [[4, 3, 0], [2, 0, 0]])
    model = keras.Sequential(
        [layers.Embedding(6, 2), layers.Flatten(), layers.Dense(1)]
    )
    model.compile("sgd", loss="mse")
    model.fit(data.map(lambda x, y: (layer(x), y)), verbose=0)


def test_images_are_changed_in_training_alone() -> None:
    x = np.abs(drawn(2, 6, 6, 3))
    made = [
        layers.RandomFlip(),
        layers.RandomRotation(0.1),
        layers.RandomZoom(0.2),
        layers.RandomTranslation(0.2, 0.2, fill_mode="constant"),
        layers.RandomContrast(0.3),
        layers.RandomBrightness(0.3),
    ]
    for layer in made:
        np.testing.assert_array_equal(layer(x, training=False).numpy(), x)
        assert layer(x, training=True).shape == x.shape
    np.testing.assert_array_equal(layers.CenterCrop(2, 2)(x).numpy(), x[:, 2:4, 2:4])
    assert layers.RandomCrop(4, 4)(x, training=True).shape == (2, 4, 4, 3)
    assert layers.Resizing(3, 5)(x).shape == (2, 3, 5, 3)


def test_masks_are_changed_as_the_images_that_they_belong_to() -> None:
    x = np.arange(8, dtype=np.float32).reshape(2, 2, 2, 1)
    given = {"images": x, "segmentation_masks": x, "labels": np.array([0, 1])}
    made = layers.RandomFlip(seed=3)(given, training=True)
    np.testing.assert_array_equal(made["images"], made["segmentation_masks"])
    np.testing.assert_array_equal(made["labels"], [0, 1])
    first = layers.Resizing(4, 4, data_format="channels_first")
    assert first(x.transpose(0, 3, 1, 2)).shape == (2, 1, 4, 4)
    padded = layers.Resizing(2, 4, pad_to_aspect_ratio=True)(x).numpy()
    np.testing.assert_array_equal(padded[:, :, 1:3], x)
    cut = layers.CenterCrop(3, 3)(np.ones((1, 2, 8, 1), np.float32))
    np.testing.assert_array_equal(cut.numpy(), np.ones((1, 3, 3, 1)))
    with pytest.raises(InvalidArgumentError, match="bounding_box_format"):
        layers.RandomFlip(bounding_box_format="xyxy")


def test_weights_of_a_layer_come_layer_by_layer() -> None:
    bounded = layers.SpectralNormalization(layers.Dense(3))
    bounded.build((None, 2))
    names = [w.path.split("/")[-1] for w in bounded.weights]
    assert names == ["kernel", "vector_u", "bias"]
    depthwise = layers.DepthwiseConv2D(2)
    depthwise.build((1, 4, 4, 2))
    assert depthwise.kernel.path.split("/")[-1] == "kernel"
    assert depthwise.depthwise_kernel is depthwise.kernel


def test_moving_by_whole_places_and_turning_all_the_way_round() -> None:
    x = drawn(1, 4, 4, 1)
    moved = layers.RandomTranslation((0.25, 0.25), (0.0, 0.0), fill_mode="constant")
    want = np.pad(x[:, :-1], ((0, 0), (1, 0), (0, 0), (0, 0)))
    np.testing.assert_allclose(moved(x, training=True).numpy(), want, atol=1e-6)
    turned = layers.RandomRotation((0.5, 0.5))
    np.testing.assert_allclose(
        turned(x, training=True).numpy(), x[:, ::-1, ::-1], atol=1e-5
    )


def test_groups_of_channels_are_normalised() -> None:
    x = drawn(4, 3, 4)
    parts = x.reshape(4, 3, 2, 2)
    mean, spread = parts.mean((1, 3), keepdims=True), parts.var((1, 3), keepdims=True)
    want = ((parts - mean) / np.sqrt(spread + 1e-3)).reshape(x.shape)
    np.testing.assert_allclose(
        layers.GroupNormalization(2)(x).numpy(), want, atol=1e-5
    )
    power = np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(
        layers.RMSNormalization()(x).numpy(), x / power, atol=1e-5
    )


def test_einsum_dense_takes_an_equation() -> None:
    layer = layers.EinsumDense(
        "abc,cde->abde", output_shape=(None, 2, 5), bias_axes="de"
    )
    x = drawn(2, 3, 4)
    found = layer(x).numpy()
    kernel, bias = layer.get_weights()
    assert (kernel.shape, bias.shape) == ((4, 2, 5), (2, 5))
    np.testing.assert_allclose(
        found, np.einsum("abc,cde->abde", x, kernel), rtol=1e-4, atol=1e-5
    )


def test_padded_steps_count_for_no_loss() -> None:
    x, y = drawn(3, 6, 2), drawn(3, 6, 2)
    x[0, 3:] = x[1, 1:] = 0
    model = keras.Sequential([keras.Input((6, 2)), layers.Masking()])
    model.compile("sgd", loss="mse")
    kept = (x != 0).any(-1)
    want = ((x - y) ** 2).mean(-1)[kept].mean()
    assert model.evaluate(x, y, verbose=0) == pytest.approx(want, rel=1e-5)


def test_layers_in_a_graph_have_variables_of_the_graph() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        given = tf1.placeholder(tf1.float32, [None, 4])
        hidden = keras1.layers.Dense(3, activation="relu", name="hidden")
        made = keras1.layers.BatchNormalization()(hidden(given), training=False)
        loss = keras1.losses.mean_squared_error(tf1.zeros_like(made), made)
        names = [x.name for x in tf1.trainable_variables()]
        assert names[:2] == ["hidden/kernel:0", "hidden/bias:0"]
        step = tf1.train.GradientDescentOptimizer(0.1).minimize(tf1.reduce_mean(loss))
        session.run(tf1.global_variables_initializer())
        x = drawn(5, 4)
        before = session.run(tf1.reduce_mean(loss), {given: x})
        session.run(step, {given: x})
        assert session.run(tf1.reduce_mean(loss), {given: x}) < before
        assert isinstance(made, tf1.Tensor)


def test_models_train_while_a_graph_is_being_built() -> None:
    x = drawn(16, 4)
    with tf1.Graph().as_default():
        model = keras1.Sequential([keras1.layers.Dense(1, input_shape=(4,))])
        model.compile("sgd", "mse", ["mae"])
        history = model.fit(x, x.sum(1, keepdims=True), epochs=3, verbose=0)
    assert history.history["loss"][-1] < history.history["loss"][0]
    assert config1.list_physical_devices("CPU")
    assert distribute1.get_strategy() is not None


LABELS = np.array([0, 1, 1, 0, 1, 1], np.float32)
SCORES = np.array([0.1, 0.4, 0.8, 0.6, 0.9, 0.3], np.float32)


@pytest.mark.parametrize(
    ("metric", "want"),
    [
        (keras.metrics.BinaryIoU(threshold=0.5), (1 / 4 + 2 / 5) / 2),
        (keras.metrics.PrecisionAtRecall(0.5), 1.0),
        (keras.metrics.RecallAtPrecision(0.9), 1 / 2),
        (keras.metrics.SensitivityAtSpecificity(0.5), 1.0),
        (keras.metrics.SpecificityAtSensitivity(0.5), 1.0),
    ],
)
def test_metrics_of_yes_and_no(metric: Any, want: float) -> None:
    metric.update_state(LABELS, SCORES)
    assert float(metric.result()) == pytest.approx(want, rel=1e-5)


def test_metrics_of_classes() -> None:
    true = np.eye(3, dtype=np.float32)[[0, 1, 2, 1]]
    found = np.array(
        [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.5, 0.3, 0.2], [0.1, 0.3, 0.6]]
    )
    scores = keras.metrics.F1Score()
    scores.update_state(true, found)
    np.testing.assert_allclose(scores.result().numpy(), [2 / 3, 2 / 3, 0], atol=1e-5)
    top = keras.metrics.Recall(top_k=2, class_id=1)
    top.update_state(true, found)
    assert float(top.result()) == pytest.approx(1.0)
    overlap = keras.metrics.OneHotMeanIoU(3)
    overlap.update_state(true, found)
    assert float(overlap.result()) == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    again = type(top).from_config(top.get_config())
    assert (again.top_k, again.class_id, again.name) == (2, 1, top.name)


def test_the_share_of_variance_that_is_explained() -> None:
    true, found = drawn(8, 2), drawn(8, 2) + 0.5
    metric = keras.metrics.R2Score()
    metric.update_state(true[:3], found[:3])
    metric.update_state(true[3:], found[3:])
    want = 1 - ((true - found) ** 2).sum(0) / ((true - true.mean(0)) ** 2).sum(0)
    assert float(metric.result()) == pytest.approx(want.mean(), rel=1e-5)


def test_losses_of_overlap() -> None:
    true, found = LABELS[:, None], SCORES[:, None]
    both = (true * found).sum()
    want = 1 - 2 * both / (true.sum() + found.sum())
    assert float(keras.losses.Dice()(true, found)) == pytest.approx(want, rel=1e-5)
    assert float(keras.losses.Tversky()(true, found)) == pytest.approx(want, rel=1e-5)


def test_texts_become_numbers_in_models_that_are_evaluated() -> None:
    given = (["a b c", "a b", "c d e f", "a"], [0, 1, 0, 1])
    texts: Any = tf.data.Dataset.from_tensor_slices(given).batch(2)
    numbered = layers.TextVectorization(output_sequence_length=3)
    numbered.adapt(texts.map(lambda x, y: x))
    inner = tf.keras.Sequential(
        [layers.Embedding(9, 4), layers.GlobalAveragePooling1D()]
    )
    model = tf.keras.Sequential([numbered, inner, layers.Dense(1)])
    model.compile(loss="mse", optimizer="adam")
    found = model.evaluate(texts, verbose=0)
    batches = [(model(x), y) for x, y in texts]
    wanted = [np.square(p.numpy()[:, 0] - y.numpy()).mean() for p, y in batches]
    np.testing.assert_allclose(found, np.mean(wanted), rtol=1e-5)
    assert model.predict(tf.constant(["a b", "c"]), verbose=0).shape == (2, 1)


def test_what_was_learnt_of_data_is_in_files(tmp_path: Path) -> None:
    learnt = layers.Normalization()
    learnt.adapt(drawn(20, 3) + 5)
    assert learnt.get_config()["mean"] is None
    given = layers.Normalization(mean=[1.0, 2.0, 3.0], variance=4.0)
    model = keras.Sequential([keras.Input((3,)), learnt, given])
    path = str(tmp_path / "m.keras")
    model.save(path)
    again = keras.models.load_model(path)
    x = drawn(2, 3)
    np.testing.assert_array_equal(again(x).numpy(), model(x).numpy())


@pytest.mark.parametrize(
    ("layer", "shape", "said"),
    [
        (layers.Dense(2), (3,), "expected min_ndim=2, found ndim=1. Full shape"),
        (
            layers.Conv2D(2, 3),
            (1, 4, 3),
            "expected min_ndim=4, found ndim=3. Full shape",
        ),
        (layers.LSTM(2), (1, 3), "is incompatible with the layer"),
    ],
    ids=["too_few", "not_so_many", "of_cells"],
)
def test_layers_say_which_inputs_they_do_not_take(
    layer: Any, shape: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        layer(np.ones(shape, np.float32))


def test_specs_of_inputs_are_checked() -> None:
    class Own(layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs

    layer = Own()
    layer.input_spec = keras.layers.InputSpec(shape=(None, 3), dtype="float32")
    layer(np.ones((2, 3), np.float32))
    with pytest.raises(ValueError, match=r"expected shape=\(None, 3\)"):
        layer(np.ones((2, 4), np.float32))
    layer.input_spec = [keras.layers.InputSpec(ndim=2)] * 2
    with pytest.raises(ValueError, match="expects 2 input"):
        layer(np.ones((2, 4), np.float32))


@pytest.mark.parametrize(
    ("axes", "bias"),
    [(None, None), ("d", (3, 1, 1)), ("e", (4, 1)), ("de", (3, 4, 1))],
)
def test_equations_may_leave_out_the_last_axes(axes: Any, bias: Any) -> None:
    layer = layers.EinsumDense("bc...,cde->bde...", (3, 4), bias_axes=axes)
    made = layer(drawn(2, 1, 2))
    assert tuple(made.shape) == (2, 3, 4, 2)
    assert tuple(layer.kernel.shape) == (1, 3, 4)
    assert bias is None or tuple(layer.bias.shape) == bias


def test_layers_are_named_as_in_keras_3() -> None:
    keras.backend.clear_session()
    assert layers.ConvLSTM2D(1, 2).name == "conv_lstm2d"
    assert layers.Conv2DTranspose(1, 2).name == "conv2d_transpose"


class _Joined(layers.Layer):
    def call(self, inputs: Any, other: Any = None) -> Any:
        return inputs if other is None else inputs + other


def test_inputs_may_be_left_out_where_they_are_optional() -> None:
    one, other = keras.Input((2,)), keras.Input((2,), optional=True)
    model = keras.Model([one, other], _Joined()(one, other))
    x = drawn(3, 2)
    for made in (
        model,
        keras.Model.from_config(model.get_config(), {"_Joined": _Joined}),
    ):
        np.testing.assert_array_equal(made([x, None]), x)
        np.testing.assert_array_equal(made([x, x]), x + x)
        with pytest.raises(ValueError, match="not optional"):
            made([None, x])


def test_input_layers_tell_what_they_take() -> None:
    layer = layers.InputLayer(batch_shape=(2, 3), dtype="int32", name="i")
    assert (layer.batch_shape, layer.dtype) == ((2, 3), "int32")
    assert layer.get_config() == {
        "batch_shape": (2, 3),
        "dtype": "int32",
        "sparse": False,
        "ragged": False,
        "optional": False,
        "name": "i",
    }


def test_relu_to_six_has_no_slope_at_its_bounds() -> None:
    x = tf.constant([-1.0, 0.0, 3.0, 6.0, 7.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layers.ReLU(6.0)(x)
    assert y.numpy().tolist() == [0, 0, 3, 6, 6]
    assert tape.gradient(y, x).numpy().tolist() == [0, 0, 1, 0, 0]


def test_batch_normalization_in_training_is_that_of_its_formula() -> None:
    """Its gradients are held against finite differences in float64."""
    x, flow = drawn(6, 3, 3, 2).astype("d"), drawn(7, 3, 3, 2)[1:].astype("d")
    layer = layers.BatchNormalization(dtype="float64")
    layer.build(x.shape)
    gamma, beta = np.array([1.5, 0.5]), np.array([0.25, -1.0])
    layer.set_weights([gamma, beta, np.zeros(2), np.ones(2)])

    def formula(x: Any) -> Any:
        spread = np.sqrt(x.var((0, 1, 2)) + 1e-3)
        return (x - x.mean((0, 1, 2))) / spread * gamma + beta

    with tf.GradientTape() as tape:
        given = tf.constant(x)
        tape.watch(given)
        y = layer(given, training=True)
    np.testing.assert_allclose(y.numpy(), formula(x), rtol=1e-9)
    found = tape.gradient(y, [given, *layer.trainable_variables], flow)
    for place in [(0, 0, 0, 0), (2, 1, 2, 1), (5, 2, 2, 0)]:
        nudge = np.zeros_like(x)
        nudge[place] = 1e-5
        away = formula(x + nudge) - formula(x - nudge)
        assert float(found[0][place]) == pytest.approx((away * flow).sum() / 2e-5)
    normal = (formula(x) - beta) / gamma
    np.testing.assert_allclose(found[1].numpy(), (flow * normal).sum((0, 1, 2)))
    np.testing.assert_allclose(found[2].numpy(), flow.sum((0, 1, 2)))
    np.testing.assert_allclose(
        layer.moving_mean.numpy(), 0.01 * x.mean((0, 1, 2)), rtol=1e-9
    )
