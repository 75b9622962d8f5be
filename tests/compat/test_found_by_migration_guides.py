"""What guides for going from TensorFlow 1 to 2 have shown to be wrong, by as little as shows it."""

from collections.abc import Iterator
from typing import Any

import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


def test_sizes_of_shapes_know_their_value() -> None:
    """What version 1 has for a size is what `dims` lists in version 2, too."""
    dims: Any = tf.TensorShape([16, None]).dims
    assert [size.value for size in dims] == [16, None]
    assert dims[0].is_compatible_with(16)
    assert tf.zeros([2, 3]).shape.dims[1].value == 3


def test_views_of_dicts_are_structures() -> None:
    """The values of a dict are a list of them, as TensorFlow's nest takes them."""
    named = {"b": 1, "a": 2}
    assert tf.nest.is_nested(named.values())
    assert tf.nest.flatten(named.values()) == [1, 2]
    assert tf.nest.map_structure(lambda x: x + 1, named.values()) == [2, 3]
    inputs = {"x": tf.keras.Input([1]), "y": tf.keras.Input([2])}
    joined = tf.keras.layers.Concatenate()(inputs.values())
    assert joined.shape.as_list() == [None, 3]


class _Named(tf.keras.Model):
    """Gives its base itself, which Keras 2 passes over."""

    def __init__(self) -> None:
        super().__init__(self)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return inputs + 1.0


def test_models_with_a_call_pass_over_one_more_argument() -> None:
    assert _Named()(tf.zeros([1])).numpy().tolist() == [1.0]


def test_what_a_model_function_gives_is_checked_and_made_scalar() -> None:
    """TensorFlow 1.15's messages; a loss of unknown size is reshaped."""
    spec = tf1.estimator.EstimatorSpec
    with tf1.Graph().as_default():
        loss = tf1.placeholder(tf1.float32, [None])
        made = spec("train", loss=loss, train_op=tf1.no_op())
        assert made.loss.get_shape().as_list() == []
        assert made._replace(mode="eval").loss is made.loss
        two = tf1.constant([1.0, 2.0])
        for given, message in (
            ({"mode": "train", "loss": loss}, "Missing train_op."),
            ({"mode": "eval"}, "Missing loss."),
            ({"mode": "infer"}, "Missing predictions."),
            ({"mode": "eval", "loss": two}, "Loss must be scalar"),
        ):
            with pytest.raises(InvalidArgumentError, match=message):
                spec(**given)
        for given, message in (
            ({"mode": "eval", "loss": 1.0}, "loss must be Tensor"),
            ({"mode": "infer", "predictions": {"a": 1}}, r"predictions\[a\]"),
            (
                {"mode": "eval", "loss": two[0], "eval_metric_ops": {"a": 3}},
                "for key",
            ),
            ({"mode": "eval", "loss": two[0], "training_hooks": [3]}, "All hooks"),
        ):
            with pytest.raises(DTypeError, match=message):
                spec(**given)
