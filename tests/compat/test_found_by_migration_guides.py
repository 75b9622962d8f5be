"""What guides for going from TensorFlow 1 to 2 have shown to be wrong, by as little as shows it."""

from collections.abc import Iterator
from pathlib import Path
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


estimators: Any = tf.estimator
"""Imported at first use, so that types know nothing of it."""


def _counting(features: Any, labels: Any, mode: str) -> Any:
    """Return a model whose loss is the number of steps taken."""
    step = tf1.train.get_global_step()
    loss = tf.reduce_mean(features) * 0.0 + tf.cast(step, tf.float32)
    return estimators.EstimatorSpec(mode, loss=loss, train_op=step.assign_add(1))


def _rows() -> Any:
    return tf.data.Dataset.from_tensor_slices(([1.0] * 4, [0.0] * 4)).repeat()


@pytest.mark.parametrize(
    ("make", "given", "last"),
    [
        ("stop_if_higher_hook", 3.5, 5),
        ("stop_if_higher_hook", 9.0, 12),
        ("stop_if_no_decrease_hook", 3, 5),
        ("stop_if_no_increase_hook", 3, 12),
    ],
)
def test_training_ends_early_by_what_was_found(
    tmp_path: Path, make: str, given: float, last: int
) -> None:
    """Evaluations after 2 and 5 steps found 2 and 5 as the loss, which version 2 trains, too."""
    model = estimators.Estimator(_counting, str(tmp_path))
    for steps in (2, 5):
        model.train(_rows, max_steps=steps)
        model.evaluate(_rows, steps=1)
    make_hook = getattr(tf1.estimator.experimental, make)
    hook = make_hook(model, "loss", given, run_every_secs=None, run_every_steps=1)
    model.train(_rows, hooks=[hook], max_steps=12)
    assert model.get_variable_value("global_step") == pytest.approx(last, abs=1)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_losses_of_version_2_are_means(tmp_path: Path) -> None:
    """A linear classifier begins with even chances; version 1 adds up what 2 takes the mean of."""
    column = tf.feature_column.numeric_column("x")

    def rows() -> Any:
        features = {"x": [[1.0], [2.0], [3.0], [4.0]]}
        return tf.data.Dataset.from_tensor_slices((features, [0, 1, 1, 0])).batch(4)

    older, newer = tf1.estimator.LinearClassifier, estimators.LinearClassifier
    assert issubclass(newer, older)
    found = []
    for kind in (older, newer):
        model = kind([column], str(tmp_path / kind.__module__), optimizer="SGD")
        model.train(rows, steps=1)
        found.append(model.evaluate(rows)["loss"])
    assert found[0] > 2 * found[1]


def test_parts_of_checkpoints_have_any_name(tmp_path: Path) -> None:
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    saved = tf.train.Checkpoint(variables=[a, b])
    path = saved.save(str(tmp_path / "saved"))
    assert saved.variables[1] is b
    keys = [name for name, _ in tf.train.list_variables(path)]
    assert "variables/1/.ATTRIBUTES/VARIABLE_VALUE" in keys
    other = tf.Variable(0.0)
    tf.train.Checkpoint(variables=[tf.Variable(0.0), other]).restore(path)
    assert float(other) == 2.0
