"""What TensorFlow's tests of tapes, functions and graphs found."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2
from tensorlite.compat.v2 import custom_gradient
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
    @custom_gradient
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
    @custom_gradient
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

    @custom_gradient
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


def test_graphs_of_modes_are_those_that_programs_know() -> None:
    context: Any = import_module("tensorlite.compat.v2.python.eager.context")
    with tf.Graph().as_default() as graph, context.graph_mode():
        assert tf1.get_default_graph() is graph
    with context.graph_mode():
        assert tf1.get_default_graph().get_operations() == []
        assert isinstance(tf1.get_default_graph(), tf.Graph)


INT = tf.TensorSpec((), tf.int32)
MATRIX = tf.TensorSpec((None, None), tf.int32)
ANY = tf.TensorSpec(None, tf.float32)


def rows_of(x: Any, size: Any) -> Any:
    return tf.ones(tf.stack([tf.shape(x)[0], size]), tf.int32)


def filled(rows: Any, columns: Any) -> Any:
    return tf.ones(tf.concat([[rows], [columns]], axis=-1))


def in_threes(x: Any) -> Any:
    return tf.reshape(x, [-1, 3])


@pytest.mark.parametrize(
    ("function", "takes", "given", "shape"),
    [
        (rows_of, [MATRIX, INT], lambda: (tf.zeros([3, 6], tf.int32), 5), [3, 5]),
        (filled, [INT, INT], lambda: (1, 2), [1, 2]),
        (in_threes, [ANY], lambda: (tf.zeros([10, 10, 3]),), [100, 3]),
    ],
)
def test_calls_in_functions_have_the_shapes_of_their_arguments(
    function: Any, takes: list[Any], given: Any, shape: list[int]
) -> None:
    inner = tf.function(function, input_signature=takes)
    outer = tf.function(lambda: inner(*given()))
    assert outer.get_concrete_function().output_shapes == shape
    assert outer().shape == shape
    twice = tf.function(lambda: tf.function(inner)(*given()))
    assert twice.get_concrete_function().output_shapes == shape


def test_tensors_of_unknown_shape_are_taken_by_functions_of_a_shape() -> None:
    def checking(x: Any) -> Any:
        assert x.shape == [1]
        return x

    specific = tf.function(checking, input_signature=[tf.TensorSpec([1])])
    general = tf.function(specific, input_signature=[tf.TensorSpec(None)])
    assert general(tf.constant([1.0])).numpy().tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected shape"):
        general(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a, b: a, "missing type constraint for b"),
        (lambda a, *, b: a, "missing type constraint for b"),
        (lambda: None, "1 extra type constraints"),
    ],
)
def test_signatures_have_a_spec_for_each_parameter(
    function: Any, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        tf.function(function, input_signature=[INT])


def test_signatures_leave_out_defaults_and_what_takes_more() -> None:
    for function in (
        lambda a, b=4: a + b,
        lambda *a: a[0] + 4,
        lambda a, *, b=4: a + b,
    ):
        assert tf.function(function, input_signature=[INT])(1).numpy() == 5


def test_tensors_of_several_elements_are_no_numbers() -> None:
    for kind in (int, float):
        with pytest.raises(TypeError):
            kind(tf.constant([1.5, 2.0]))


def test_what_was_traced_for_variables_is_not_saved(tmp_path: Any) -> None:
    root, v = tf.Module(), tf.Variable(2.0)
    root.f = tf.function(lambda x: x * x)
    assert (root.f(v), root.f(tf.constant(1.0))) == (4.0, 1.0)
    tf.saved_model.save(root, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert (loaded.f(v), loaded.f(tf.constant(3.0))) == (4.0, 9.0)


def test_pruned_functions_take_tensors_of_unknown_shape() -> None:
    seen: list[Any] = []

    def more(x: Any) -> Any:
        seen[:] = [x, x + 1.0]
        return seen[1]

    wrapped = tf1.wrap_function(more, [tf.TensorSpec((), tf.float32)])
    pruned = wrapped.prune(*seen)
    general = tf.function(pruned, input_signature=[tf.TensorSpec(None, tf.float32)])
    assert general(tf.constant(2.0)).numpy() == 3.0


def test_modules_have_one_scope_of_names() -> None:
    module = tf.Module(name="name")
    scope = module.name_scope
    assert module.name_scope is scope
    assert scope.name == "name/"
    with scope as outer, scope as inner:
        assert outer == inner == "name/"


def test_a_tape_tells_variables_as_they_were_made() -> None:
    a, b, c = (
        tf.Variable(x, name=name) for x, name in ((1.0, "a"), (2.0, "b"), (3.0, "c"))
    )

    product = tf.function(lambda: c * b * a)

    def traced() -> list[str]:
        with tf.GradientTape() as inner:
            product()
        return [v.name for v in inner.watched_variables()]

    for made in (lambda: c * b * a, product):
        with tf.GradientTape() as tape:
            made()
        assert tape.watched_variables() == (a, b, c)
    assert [x.numpy() for x in tf.function(traced)()] == [b"a:0", b"b:0", b"c:0"]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([c, a])
    assert [v.name for v in tape.watched_variables()] == ["a:0", "c:0"]
