"""Names, defaults and order of arguments as Keras 3 has them; values are TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1 as tf1, v2 as tf

keras: Any = tf.keras
keras_1: Any = tf1.keras


def test_losses_say_how_they_reduce() -> None:
    assert keras.losses.MeanSquaredError().reduction == "sum_over_batch_size"
    assert keras.losses.Huber().get_config()["reduction"] == "sum_over_batch_size"
    assert keras.losses.MeanSquaredError(reduction=None).reduction is None


def test_a_loss_of_a_program_takes_its_name_first() -> None:
    class Off(keras.losses.Loss):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__("off")

        def call(self, y_true: Any, y_pred: Any) -> Any:
            return tf.abs(y_true - y_pred)

    made = Off()
    assert (made.name, made.reduction) == ("off", "sum_over_batch_size")
    assert float(made([1.0, 2.0], [2.0, 4.0])) == 1.5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("selu", -1.1113307), ("silu", -0.26894143), ("swish", -0.26894143)),
        *(("relu6", 0.0), ("softplus", 0.3132617), ("softsign", -0.5)),
        ("tanh", -0.7615942),
    ],
)
def test_activations_call_their_tensor_x(name: str, expected: float) -> None:
    made = getattr(keras.activations, name)(x=tf.constant([-1.0]))
    np.testing.assert_allclose(made, [expected], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("bitwise_and", 4), ("bitwise_or", 6), ("bitwise_xor", 2)),
        *(("bitwise_left_shift", 96), ("left_shift", 96), ("right_shift", 0)),
    ],
)
def test_operations_of_bits_take_x_and_y(name: str, expected: int) -> None:
    assert getattr(keras.ops, name)(x=[6], y=[4]).numpy().tolist() == [expected]


def test_other_operations_take_the_names_of_keras_3() -> None:
    ops = keras.ops
    rows = tf.reshape(tf.range(6), (2, 3))
    assert ops.rearrange(tensor=rows, pattern="a b -> b a").shape == (3, 2)
    assert ops.stop_gradient(variable=tf.ones(2)).shape == (2,)
    image = tf.ones((1, 3, 12, 12))
    alike = ops.image.ssim(image1=image, image2=image, data_format="channels_first")
    np.testing.assert_allclose(alike, [1.0])
    ones = tf.ones((2, 3))
    assert keras.layers.dot([ones, ones]).numpy().tolist() == [[3.0], [3.0]]


def test_backend_takes_the_names_of_keras_3() -> None:
    backend = keras.backend
    x, kernel = tf.ones((1, 3, 3, 1)), tf.ones((2, 2, 1, 1))
    made = backend.depthwise_conv2d(x=x, depthwise_kernel=kernel)
    assert made.numpy().ravel().tolist() == [4.0] * 4
    lost = backend.sparse_categorical_crossentropy(
        [0, 1], [[0.5, 0.5], [0.1, 0.9]], ignore_class=1
    )
    np.testing.assert_allclose(lost, [0.6931472, 0.0], rtol=1e-6)
    backend.clear_session(free_memory=False)


def test_penalties_that_are_not_given_are_zero_but_in_version_1() -> None:
    assert keras.regularizers.l1_l2(l2=0.5).get_config() == {"l1": 0.0, "l2": 0.5}
    made = keras_1.regularizers.l1_l2().get_config()
    assert made["l1"] == made["l2"] == pytest.approx(0.01)


def test_classes_as_rows_take_x_or_y() -> None:
    rows = keras.utils.to_categorical(x=[0, 2], num_classes=3)
    assert rows.dtype == "float64"
    assert rows.tolist() == keras.utils.to_categorical(y=[0, 2]).tolist()


def test_a_scope_of_objects_is_a_class_that_opens_again() -> None:
    scope = keras.utils.CustomObjectScope(custom_objects={"one": 1})
    for _ in range(2):
        with scope:
            assert keras.utils.get_custom_objects()["one"] == 1
        assert "one" not in keras.utils.get_custom_objects()
    assert isinstance(scope, keras.utils.custom_object_scope)


def test_callbacks_take_functions_in_the_order_of_keras_3() -> None:
    calls: list[str] = []

    def noting(name: str) -> Any:
        return lambda *args: calls.append(name)

    order = ("epoch+", "epoch-", "train+", "train-", "batch+", "batch-")
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(
        np.ones((2, 1)),
        np.ones((2, 1)),
        callbacks=[keras.callbacks.LambdaCallback(*map(noting, order))],
        verbose=0,
    )
    assert calls == ["train+", "epoch+", "batch+", "batch-", "epoch-", "train-"]


def test_a_checkpoint_knows_what_is_to_be_beaten() -> None:
    made = keras.callbacks.ModelCheckpoint("a.keras", initial_value_threshold=0.1)
    assert made.best == 0.1


def test_schedules_have_names() -> None:
    schedules = keras.optimizers.schedules
    assert schedules.ExponentialDecay(0.1, 10, 0.5).name == "ExponentialDecay"
    piecewise = schedules.PiecewiseConstantDecay([1], [1.0, 2.0])
    assert piecewise.get_config()["name"] == "PiecewiseConstant"
    assert schedules.CosineDecayRestarts(0.1, 10).name == "SGDRDecay"
    assert schedules.InverseTimeDecay(0.1, 10, 0.5, name="own").name == "own"
