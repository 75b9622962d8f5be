"""Variable scopes: what getters and creators are told, which first values are refused, nesting.

The expected values are those of TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import v1, v2
from tensorlite.core.errors import GraphError, InvalidArgumentError

tf: Any = v1
tf2: Any = v2


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def test_getters_are_told_how_copies_are_joined() -> None:
    told = []

    def getter(ask: Any, *args: Any, **kwargs: Any) -> Any:
        told.append((kwargs["synchronization"], kwargs["aggregation"]))
        return ask(*args, **kwargs)

    on_read, mean = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.MEAN
    with tf.variable_scope("a", custom_getter=getter):
        tf.get_variable("v", [1])
        tf.get_variable("w", [1], synchronization=on_read, aggregation=mean)
    auto, none = tf.VariableSynchronization.AUTO, tf.VariableAggregation.NONE
    assert told == [(auto, none), (on_read, mean)]


def test_what_copies_join_as_it_is_read_is_not_trained_unless_asked_for() -> None:
    on_read = tf.VariableSynchronization.ON_READ
    tf.get_variable("a", [], synchronization=on_read)
    tf.get_variable("b", [], synchronization=on_read, trainable=True)
    tf.Variable(1.0, name="c", synchronization=on_read)
    on_write = tf.VariableSynchronization.ON_WRITE
    tf.get_variable("d", [], synchronization=on_write)
    assert [x.name for x in tf.trainable_variables()] == ["b:0", "d:0"]


def test_what_getters_make_lies_in_no_scope_of_names() -> None:
    def getter(ask: Any, *args: Any, **kwargs: Any) -> Any:
        return tf.identity(ask(*args, **kwargs), name="seen")

    with tf.variable_scope("a", custom_getter=getter):
        assert tf.get_variable("v", [1]).name == "seen:0"
    with pytest.raises(InvalidArgumentError, match="not callable: 3"):
        tf.get_variable("w", [1], custom_getter=3)


def test_variables_of_texts_begin_empty() -> None:
    v = tf.get_variable("v", [2], dtype=tf.string)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(v).tolist() == [b"", b""]


def test_first_values_that_do_not_fit() -> None:
    with pytest.raises(InvalidArgumentError, match="initializer passed is not valid"):
        tf.get_variable("v", initializer=lambda x: [2])
    tf.get_variable("w", initializer=lambda: [2.0])
    tf.get_variable("u", [1])
    refused = pytest.raises(InvalidArgumentError, match="specified dtype int32")
    with tf.variable_scope("", reuse=True), refused:
        tf.get_variable("u", [1], dtype=tf.int32)
    with tf2.init_scope(), pytest.raises(InvalidArgumentError, match="don't match"):
        tf2.compat.v1.get_variable("x", initializer=tf2.constant(1), dtype=tf.float32)


def test_scalars_are_not_cut_and_cuts_stay_as_they_are() -> None:
    def halves(shape: Any, dtype: Any) -> list[int]:
        return [2] + [1] * (len(shape) - 1)

    with tf.variable_scope("a", partitioner=halves):
        assert tf.get_variable("scalar", []).name == "a/scalar:0"
        whole = tf.get_variable("v", [4, 3])
    with tf.variable_scope("a", reuse=True):
        assert tf.get_variable("v", [4, 3]) is whole
    with (
        tf.variable_scope("a", reuse=True, partitioner=lambda **_: [4, 1]),
        pytest.raises(InvalidArgumentError, match=r"\[4, 1\].* found .*\[2, 1\]"),
    ):
        tf.get_variable("v", [4, 3])


def test_scopes_are_left_in_the_order_in_which_they_were_entered() -> None:
    with pytest.raises(TypeError, match="auxiliary_name_scope"):
        tf.variable_scope("a", auxiliary_name_scope="no").__enter__()
    outer = tf.variable_scope("a")
    outer.__enter__()
    with tf.variable_scope("b"), pytest.raises(GraphError, match="Improper nesting"):
        outer.__exit__(None, None, None)


def test_test_cases_begin_with_a_session_of_their_own() -> None:
    class Case(tf2.test.TestCase):  # type: ignore[misc]
        def tearDown(self) -> None:
            pass

    case = Case("run")
    with case.cached_session() as first:
        assert first.graph is tf.get_default_graph()
    with tf.Graph().as_default() as graph:
        case.setUp()
        with case.cached_session() as second:
            assert second.graph is graph


def test_templates_tell_which_of_their_variables_are_not_trained() -> None:
    def made() -> Any:
        trained = tf.get_variable("w", [2])
        return trained + tf.get_variable("mean", [2], trainable=False)

    template = tf.make_template("norm", made)
    assert template.non_trainable_variables == []
    template()
    template()
    assert [x.name for x in template.weights] == ["norm/w:0", "norm/mean:0"]
    assert [x.name for x in template.trainable_weights] == ["norm/w:0"]
    assert [x.name for x in template.non_trainable_variables] == ["norm/mean:0"]
