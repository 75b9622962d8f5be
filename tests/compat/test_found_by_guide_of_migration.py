"""What the guides on migration have shown to be unlike TensorFlow 2's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.compat.v1.keras import utils


def saved_by_name(folder: Path) -> str:
    """Return a checkpoint of version 1 with variables "a", "b" and "scoped/c"."""
    with tf1.Graph().as_default():
        tf1.get_variable("a", initializer=1.0)
        tf1.get_variable("b", initializer=2.0)
        tf1.get_variable("scoped/c", initializer=3.0)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            return str(tf1.train.Saver().save(session, f"{folder}/one"))


def test_checkpoints_of_version_1_are_restored_by_names(tmp_path: Path) -> None:
    a = tf.Variable(0.0, name="a")
    with tf.name_scope("scoped"):
        c = tf.Variable(0.0, name="c")
    status = tf.train.Checkpoint(variables=[a, c]).restore(saved_by_name(tmp_path))
    assert (float(a), float(c)) == (1.0, 3.0)
    status.assert_consumed()
    other = tf.Variable(5.0, name="other")
    found = tf.train.Checkpoint(x=a, other=other).restore(f"{tmp_path}/one")
    with pytest.raises(AssertionError, match="other"):
        found.assert_existing_objects_matched()
    assert other.numpy() == 5.0


def test_variables_made_later_get_what_version_1_saved(tmp_path: Path) -> None:
    class Late(tf.Module):
        def made(self) -> Any:
            self.a = tf.Variable(0.0, name="a")
            return self.a

    module = Late()
    tf.train.Checkpoint(m=module).restore(saved_by_name(tmp_path)).expect_partial()
    assert module.made().numpy() == 1.0


def test_a_checkpoint_is_the_saver_of_a_scaffold(tmp_path: Path) -> None:
    with tf1.Graph().as_default():
        step = tf1.train.get_or_create_global_step()
        w = tf1.get_variable("w", initializer=[1.0, 2.0])
        train = tf1.group(w.assign_add([1.0, 1.0]), step.assign_add(1))
        checkpoint = tf.train.Checkpoint(step=step, held={"w": w})
        scaffold = tf1.train.Scaffold(saver=checkpoint)
        with tf1.train.MonitoredTrainingSession(
            scaffold=scaffold, checkpoint_dir=str(tmp_path), save_checkpoint_steps=1
        ) as session:
            session.run(train)
    path = tf.train.latest_checkpoint(str(tmp_path))
    assert path is not None
    names = dict(tf.train.list_variables(path))
    assert names["held/w/.ATTRIBUTES/VARIABLE_VALUE"] == [2]
    restored = tf.Variable([0.0, 0.0])
    status = tf.train.Checkpoint(held={"w": restored}).restore(path)
    status.assert_existing_objects_matched()
    np.testing.assert_array_equal(restored.numpy(), [2.0, 3.0])


class Dense(tf.keras.layers.Layer):
    """Layers of version 1 in one of version 2."""

    @utils.track_tf1_style_variables
    def call(self, inputs: Any) -> Any:
        with tf1.variable_scope("both"):
            kinds = {"kernel_regularizer": tf.keras.regularizers.L2(0.5)}
            x = tf1.layers.dense(inputs, 4, name="one", **kinds)
            return tf1.layers.dense(x, 2)


def test_variables_by_name_are_those_of_a_layer() -> None:
    layer, x = Dense(), tf.ones([3, 5])
    first, second = layer(x), tf.function(layer)(x)
    np.testing.assert_allclose(first, second, rtol=1e-6)
    names = {w.name: tuple(w.shape) for w in layer.weights}
    assert names == {
        "both/one/kernel:0": (5, 4),
        "both/one/bias:0": (4,),
        "both/dense/kernel:0": (4, 2),
        "both/dense/bias:0": (2,),
    }
    (loss,) = layer.losses
    kernel = next(w for w in layer.weights if w.name == "both/one/kernel:0")
    np.testing.assert_allclose(loss, 0.5 * np.sum(kernel.numpy() ** 2), rtol=1e-6)


def test_variables_by_name_are_saved_where_tensorflow_saves_them(
    tmp_path: Path,
) -> None:
    class Scaled(tf.Module):
        @utils.track_tf1_style_variables
        def __call__(self, x: Any) -> Any:
            with tf1.variable_scope("a", reuse=tf1.AUTO_REUSE):
                return x * tf1.get_variable("w", initializer=2.0)

    module = Scaled()
    assert [float(module(1.0)), float(module(2.0))] == [2.0, 4.0]
    assert [v.name for v in module.trainable_variables] == ["a/w:0"]
    path = tf.train.Checkpoint(module).save(f"{tmp_path}/one")
    key = "_tf1_style_var_store/_vars/a.Sw/.ATTRIBUTES/VARIABLE_VALUE"
    assert key in dict(tf.train.list_variables(path))


def test_layers_are_made_once_in_tracked_methods() -> None:
    class Around(tf.keras.layers.Layer):
        @utils.track_tf1_style_variables
        def call(self, inputs: Any) -> Any:
            return utils.get_or_create_layer("inner", self.made)(inputs)

        def made(self) -> Any:
            return tf.keras.layers.Dense(2, kernel_regularizer="l2")

    layer = Around()
    np.testing.assert_array_equal(layer(tf.ones([1, 3])), layer(tf.ones([1, 3])))
    assert len(layer.weights) == 2
    with pytest.raises(ValueError, match="track_tf1_style_variables"):
        utils.get_or_create_layer("inner", Dense)
    with pytest.raises(ValueError, match=r"a tf\.Module"):
        utils.track_tf1_style_variables(lambda x: x)(3)


@pytest.mark.parametrize("mode", ["constant", "num_random_ops"])
def test_graphs_and_eager_programs_draw_alike(mode: str) -> None:
    def drawn() -> list[Any]:
        return [
            tf.random.uniform([3]),
            tf.random.normal([2, 2]),
            tf.random.uniform([]),
        ]

    eager = utils.DeterministicRandomTestTool(mode=mode)
    with eager.scope():
        found = [x.numpy() for x in drawn()]
    graphs = utils.DeterministicRandomTestTool(mode=mode)
    with graphs.scope(), tf1.Graph().as_default(), tf1.Session() as session:
        wanted = session.run(drawn())
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(x, y)
    assert (found[0][0] == found[2]) == (mode == "constant")
    if mode == "num_random_ops":
        assert eager.operation_seed == 3
        eager.operation_seed = 1
        with eager.scope(), pytest.raises(ValueError, match="re-use the used"):
            tf.random.uniform([])


def test_layers_of_version_1_take_names_of_regularizers_and_constraints() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        named = {"kernel_regularizer": "l2", "kernel_constraint": "non_neg"}
        tf1.layers.dense(tf1.ones([2, 3]), 2, kernel_initializer="ones", **named)
        (loss,) = tf1.losses.get_regularization_losses()
        session.run(tf1.global_variables_initializer())
        np.testing.assert_allclose(session.run(loss), 0.01 * 6, rtol=1e-6)
        (kernel, _) = tf1.trainable_variables()
        kept = kernel.constraint(tf1.constant([-1.0, 2.0]))
        np.testing.assert_array_equal(session.run(kept), [0.0, 2.0])


def test_tracked_methods_in_scopes_of_others() -> None:
    class Inner(tf.Module):
        @utils.track_tf1_style_variables
        def __call__(self) -> Any:
            return tf1.get_variable("w", initializer=1.0)

    class Outer(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()

        @utils.track_tf1_style_variables
        def __call__(self) -> Any:
            with tf1.variable_scope("outer"):
                return tf1.get_variable("v", initializer=1.0), self.inner()

    outer = Outer()
    assert [x.name for x in outer()] == ["outer/v:0", "outer/w:0"]
    assert outer()[1] is outer()[1]
    assert len(outer.variables) == 2
