"""What libraries take from TensorFlow's inside: decorators, notes, parts of cells, messages."""

from __future__ import annotations

import logging
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
import tensorlite.compat.v2 as tf2
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError

INSIDE = "tensorlite.compat.v1.python"
CONTRIB = "tensorlite.compat.v1.contrib"


def _of(path: str, name: str) -> Any:
    return getattr(import_module(path), name)


def test_what_is_deprecated_works_and_is_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    deprecated: Any = _of(f"{INSIDE}.util.deprecation", "deprecated")

    def add(x: int, *, y: int = 1) -> int:
        """Add."""
        return x + y

    f = deprecated("2030-01-01", "Use g.")(add)
    with caplog.at_level(logging.WARNING):
        assert (f(1), f(1, y=2), f.__name__, f.__doc__) == (2, 3, "add", "Add.")
    (told,) = [x.getMessage() for x in caplog.records]
    assert "will be removed after 2030-01-01" in told
    assert told.endswith("Use g.")
    assert f.__wrapped__(1) == 2


def test_arguments_that_are_deprecated_are_told_unless_they_may_stay(
    caplog: pytest.LogCaptureFixture,
) -> None:
    mark = _of(f"{INSIDE}.util.deprecation", "deprecated_args")
    f = mark(None, "Use z.", "x", ("y", 0))(lambda x=1, y=0, z=2: (x, y, z))
    with caplog.at_level(logging.WARNING):
        assert f(z=3) == (1, 0, 3)
        assert f(y=0) == (1, 0, 2)
        assert not caplog.records
        assert f(5, y=6) == (5, 6, 2)
    assert ["with x" in y.getMessage() for y in caplog.records] == [True, False]
    with pytest.raises(InvalidArgumentError, match=r"not present .* \['w'\]"):
        mark(None, "Use z.", "w")(lambda x: x)


def test_an_argument_of_two_names_is_given_by_one() -> None:
    lookup = _of(f"{INSIDE}.util.deprecation", "deprecated_argument_lookup")
    assert lookup("axis", 1, "dim", None) == 1
    assert lookup("axis", None, "dim", 0) == 0
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        lookup("axis", 1, "dim", 0)


class Callable1:
    """Takes one argument."""

    def __call__(self, x: int, **more: int) -> int:
        return x


def test_arguments_of_functions_are_told() -> None:
    """TensorFlow 2.21 gives these."""
    args = _of(f"{INSIDE}.util.function_utils", "fn_args")
    has_kwargs = _of(f"{INSIDE}.util.function_utils", "has_kwargs")
    assert args(lambda x, y=1, *z, w=2: x) == ("x", "y")
    assert args(partial(lambda x, y, z: x, 1, z=2)) == ("y",)
    assert args(Callable1()) == ("x",)
    assert args(Callable1().__call__) == ("x",)
    assert has_kwargs(Callable1())
    assert not has_kwargs(lambda x: x)


def test_wrappers_tell_what_they_wrap() -> None:
    decorators = import_module(f"{INSIDE}.util.tf_decorator")

    def f(x: int) -> int:
        return x

    made = decorators.make_decorator(f, lambda *a: f(*a) + 1, "more")
    found, inner = decorators.unwrap(made)
    assert (made(1), made.__name__, inner) == (2, "f", f)
    assert [x.decorator_name for x in found] == ["more"]


def test_inputs_side_by_side_are_multiplied_by_one_matrix() -> None:
    """The names are those of TensorFlow 1.15's _Linear; the values, NumPy's."""
    linear = _of(f"{CONTRIB}.rnn.python.ops.core_rnn_cell", "_linear")
    a, b = np.ones((2, 3), np.float32), np.full((2, 1), 2, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("cell"):
            made = linear(
                [tf.constant(a), tf.constant(b)],
                4,
                True,
                bias_initializer=tf.constant_initializer(0.5),
            )
        session.run(tf.global_variables_initializer())
        kernel, bias = tf.global_variables()
        assert [x.op.name for x in (kernel, bias)] == ["cell/kernel", "cell/bias"]
        got, by = session.run([made, kernel])
    np.testing.assert_allclose(got, np.hstack([a, b]) @ by + 0.5, rtol=1e-6)


def test_values_wait_for_others() -> None:
    with_dependencies = _of(f"{INSIDE}.ops.control_flow_ops", "with_dependencies")
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        made = with_dependencies([v.assign_add(2.0).op], tf.constant(5.0))
        assert (made.op.name, session.run(made), session.run(v)) == (
            "control_dependency",
            5.0,
            3.0,
        )


def test_variables_made_behind_an_operation_are_read_once() -> None:
    """As in TensorFlow 1.15, where the reading is made beside the variable."""
    with tf.Graph().as_default():
        with tf.control_dependencies([tf.no_op(name="before")]):
            v = tf.get_variable("v", [5, 3])
            y = tf.slice(v, [0, 0], [2, -1])
        assert next(x.name for x in y.op.inputs) == "v/read:0"


def test_modules_of_contrib_have_its_names() -> None:
    """TensorFlow 1.15 has the function arg_scope here, not the module of that name."""
    contrib: Any = tf.contrib
    inside = import_module(f"{CONTRIB}.framework.python.ops")
    assert inside.arg_scope is contrib.framework.arg_scope
    assert inside.variables.model_variable is contrib.framework.model_variable
    layers = import_module(f"{CONTRIB}.layers.python.layers.layers")
    assert layers.batch_norm is contrib.layers.batch_norm
    wrapper = import_module(f"{CONTRIB}.seq2seq.python.ops.attention_wrapper")
    assert wrapper.AttentionWrapper is contrib.seq2seq.AttentionWrapper


@pytest.mark.parametrize(
    ("labels", "predictions", "diff", "expected"),
    [
        ((3, 1), (3,), 0, ((3,), (3,))),
        ((3,), (3, 1), 0, ((3,), (3,))),
        ((3,), (3, 1), 1, ((3,), (3, 1))),
        ((3, 1), (3, 4), 1, ((3,), (3, 4))),
    ],
)
def test_axes_too_many_are_taken_away(
    labels: Any, predictions: Any, diff: int, expected: Any
) -> None:
    """TensorFlow 1.15 gives these shapes."""
    squeezed = _of(f"{INSIDE}.ops.confusion_matrix", "remove_squeezable_dimensions")
    with tf.Graph().as_default():
        made = squeezed(tf.zeros(labels), tf.zeros(predictions), diff)
    assert tuple([tuple(x.get_shape().as_list()) for x in made]) == expected


def test_messages_are_those_of_public_names() -> None:
    core = "tensorlite.compat.v2.core"
    config = import_module(f"{core}.protobuf.config_pb2")
    assert config.ConfigProto is tf.ConfigProto
    assert _of(f"{core}.example.example_pb2", "Example") is tf2.train.Example
    types = import_module(f"{core}.framework.types_pb2")
    assert (types.DT_FLOAT, types.DT_HALF) == (1, 19)
    with pytest.raises(AttributeError, match="no attribute 'NoSuchMessage'"):
        _of(f"{core}.framework.graph_pb2", "NoSuchMessage")


def test_hooks_watch_the_count_of_evaluations_that_they_are_given() -> None:
    evaluation = import_module(f"{INSIDE}.training.evaluation")
    with tf.Graph().as_default():
        counted = tf.Variable(0).assign_add(1)
        hook = evaluation._StopAfterNEvalsHook(3)
        hook._set_evals_completed_tensor(counted)
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            turns = [
                session.run(counted) for _ in range(3) if not session.should_stop()
            ]
            assert session.should_stop()
    assert turns == [1, 2, 3]


def test_whether_programs_are_of_version_2() -> None:
    assert _of(f"{INSIDE}.tf2", "enabled")() is (tf.executing_eagerly())


def test_shells_for_runs_are_refused_where_they_are_made() -> None:
    debug = import_module(f"{INSIDE}.debug")
    with pytest.raises(UnimplementedError, match="no shell"):
        debug.LocalCLIDebugWrapperSession(None)
    assert debug.has_inf_or_nan(None, np.array([np.nan]))


def test_shards_of_tpus_are_told_inside_a_block() -> None:
    tpu = import_module(f"{INSIDE}.tpu.tpu_function")
    assert tpu.get_tpu_context().number_of_shards is None
    with tpu.tpu_shard_context(4):
        assert tpu.get_tpu_context().number_of_shards == 4
        with pytest.raises(InvalidArgumentError), tpu.tpu_shard_context(2):
            pass
    assert tpu.get_tpu_context().number_of_shards is None


def test_traced_functions_are_seen_through_as_wrappers() -> None:
    class Layer:
        @tf2.function
        def double(self, x: Any, times: int = 2) -> Any:
            return x * times

    tf_inspect = import_module(f"{INSIDE}.util.tf_inspect")
    unwrap = _of(f"{INSIDE}.util.tf_decorator", "unwrap")
    for function in (Layer.double, Layer().double):
        assert tf_inspect.getfullargspec(function).args == ["self", "x", "times"]
        wrappers, inner = unwrap(function)
        assert [x.decorator_name for x in wrappers] == ["tf.function"]
        assert inner == function.python()
