"""Variables that are kept by name without graphs, and what custom getters are told.

What is expected is what TensorFlow 1.15 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1
_KEYS = ("variables", "trainable_variables", "local_variables", "mine")


@pytest.fixture
def _eager() -> Iterator[None]:
    before = mode.eager, mode.graph
    mode.eager, mode.graph = True, None
    yield
    mode.eager, mode.graph = before


def _names() -> list[list[str]]:
    return [[x.name for x in tf.get_collection(key)] for key in _KEYS]


def _losses() -> list[float]:
    return [float(x) for x in tf.get_collection("regularization_losses")]


@pytest.mark.usefixtures("_eager")
def test_variables_of_eager_stores_are_in_collections() -> None:
    with tf.contrib.eager.EagerVariableStore().as_default():
        ones = tf.ones_initializer()
        tf.get_variable("a", [2], initializer=ones, regularizer=tf.reduce_sum)
        tf.get_variable("b", [2], trainable=False)
        tf.get_variable("c", [2], collections=["mine"])
        tf.get_local_variable("d", [2])
        tf.get_variable("e", [2], collections=[])
        tf.Variable(1.0, name="f")
    trained = ["a:0", "c:0", "e:0"]
    assert _names() == [["a:0", "b:0", "e:0"], trained, ["d:0"], ["c:0"]]
    assert _losses() == [2.0]


@pytest.mark.usefixtures("_eager")
def test_variables_of_eager_templates_are_in_collections_once() -> None:
    template = tf.make_template("t", lambda: tf.get_variable("w", [2]))
    template()
    template()
    assert _names()[:2] == [["t/w:0"], ["t/w:0"]]


@pytest.mark.usefixtures("_eager")
def test_only_the_costs_of_variables_that_nothing_keeps_are_noted() -> None:
    with tf.variable_scope("s", regularizer=tf.reduce_sum):
        tf.get_variable("a", [3], initializer=tf.ones_initializer())
    assert _names() == [[], [], [], []]
    assert _losses() == [3.0]


def test_an_empty_regularizer_is_none() -> None:
    with tf.Graph().as_default(), tf.variable_scope("s", regularizer=tf.reduce_sum):
        tf.get_variable("a", [3], regularizer={})
        assert not tf.get_collection("regularization_losses")


def test_custom_getters_are_told_what_is_trained() -> None:
    told: dict[str, Any] = {}

    def custom_getter(getter: Any, name: str, **kwargs: Any) -> Any:
        told[name] = kwargs["trainable"]
        return getter(name, **kwargs)

    on_read = tf.VariableSynchronization.ON_READ
    with (
        tf.Graph().as_default(),
        tf.variable_scope("s", custom_getter=custom_getter),
    ):
        tf.get_variable("a", [2])
        tf.get_variable("b", [2], trainable=False)
        tf.get_variable("c", [2], synchronization=on_read)
    assert told == {"s/a": True, "s/b": False, "s/c": False}


@pytest.mark.usefixtures("_eager")
def test_the_store_of_a_template_is_entered_before_it_is_called() -> None:
    template = tf.make_template("t", lambda: tf.get_variable("w", [2]), True)
    with (
        template._template_store.as_default(),
        tf.variable_scope(template.variable_scope),
    ):
        before = tf.get_variable("w", [2])
    assert template() is before
    assert [x.name for x in template.variables] == ["t/w:0"]
