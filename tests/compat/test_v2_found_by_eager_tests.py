"""What TensorFlow's tests of tapes, functions and graphs found."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2
from tensorlite.core.errors import GradientError

tf: Any = v2
tf1: Any = v1


def test_graphs_that_are_built_by_hand_are_no_functions() -> None:
    assert not tf.inside_function()
    with tf.Graph().as_default():
        assert not tf.inside_function()
    noted = []
    tf.function(lambda: noted.append(tf.inside_function()))()
    assert noted == [True]


def test_what_has_no_gradient_is_not_differentiated_ahead() -> None:
    @tf.custom_gradient
    def failing(x: Any) -> Any:
        def grad(_: Any) -> Any:
            raise AssertionError("nothing leads here")

        return x, grad

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(failing)(tf.stop_gradient(x))
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize(
    ("target", "source", "message"),
    [
        ([4, 3], [2, 3], "Need first dimension"),
        ([2, 2], [2], "must have rank at least 2"),
        ([2], [2, 2], "must have rank at least 2"),
    ],
)
def test_jacobians_of_batches_have_batches(
    target: list[int], source: list[int], message: str
) -> None:
    x = tf.ones(source)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reshape(tf.reduce_sum(x) * tf.ones([np.prod(target)]), target)
    with pytest.raises(ValueError, match=message):
        tape.batch_jacobian(y, x)


def test_gradient_functions_that_do_not_fit_are_errors_of_values() -> None:
    @tf.custom_gradient
    def identity(x: Any) -> Any:
        return x, lambda _: []

    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        with pytest.raises(ValueError, match="recording already"), tape:
            pass
        y = identity(v)
    with pytest.raises(ValueError, match="returned 0 gradients for 1") as told:
        tape.gradient(y, v)
    assert isinstance(told.value, GradientError)

    @tf.custom_gradient
    def reading(x: Any) -> Any:
        return x * v, lambda dy: dy

    with pytest.raises(TypeError, match="no parameter `variables`"):
        reading(tf.constant(1.0))


def test_modes_of_tests_are_decorators_with_and_without_parentheses() -> None:
    test_util: Any = import_module("tensorlite.compat.v2.python.framework.test_util")

    def test(self: Any) -> None:
        """Do nothing."""

    assert test_util.assert_no_new_tensors(test) is test
    assert test_util.assert_no_new_pyobjects_executing_eagerly()(test) is test
    assert (
        test_util.assert_no_new_pyobjects_executing_eagerly(warmup_iters=2)(test)
        is test
    )
    assert test_util.disable_eager_op_as_function("reason")(test) is test


def test_signatures_are_of_the_functions_that_say_what_they_take(
    tmp_path: Any,
) -> None:
    root = tf.Module()
    root.f = tf.function(lambda x: x * 2.0)
    root.f(tf.constant(1.0))
    tf.saved_model.save(root, tmp_path / "one")
    loaded = tf.saved_model.load(tmp_path / "one")
    root.f(tf.constant([1.0]))
    loaded.g = root.f
    tf.saved_model.save(
        loaded, tmp_path / "two"
    )  # what was restored has no signature, either
    assert not tf.saved_model.load(tmp_path / "two").signatures

    root.f = tf.function(root.f, input_signature=[tf.TensorSpec(None, tf.float32)])
    root.f(tf.constant(1.0))
    with tf.device("/CPU:0"):  # a trace of its own
        tf.saved_model.save(root, tmp_path / "three")
    (signature,) = tf.saved_model.load(tmp_path / "three").signatures.values()
    assert signature(tf.constant(3.0))["output_0"].numpy() == 6.0
