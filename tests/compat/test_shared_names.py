"""Names that one version has from the other: functions, modules, queues, seeds, fixed names.

The numbers of seeds are those of TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v1")


@pytest.fixture
def eager() -> Iterator[None]:
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


def test_seeds_are_made_of_seeds(eager: None) -> None:
    random = tf.random.experimental
    assert random.stateless_shuffle(tf.range(6), [1, 2]).tolist() == [
        4,
        5,
        0,
        3,
        1,
        2,
    ]
    halves = [[1105988140, 1738052849], [-335576002, 370444179]]
    assert random.stateless_split([1, 2], 2).tolist() == halves
    assert random.stateless_fold_in([1, 2], 3).tolist() == [1105988140, 3]


def test_functions_and_modules_stand_in_graphs() -> None:
    class Scaled(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="scaled")
            with self.name_scope:
                self.w = tf.Variable(3.0, name="w")

        @tf.function  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            return tf.reduce_sum(x * self.w)

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        scaled = Scaled()
        total = scaled(x)
        assert total.graph is tf.get_default_graph()
        assert scaled.w.name == "scaled/w:0"
        gradient = tf.gradients(total, x)[0]
        session.run(tf.global_variables_initializer())
        assert session.run(total, {x: [1.0, 2.0]}) == 9.0
        assert session.run(gradient, {x: [1.0, 2.0]}).tolist() == [3.0, 3.0]


def test_queues_have_a_namespace(eager: None) -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32])
    queue.enqueue(3.0)
    assert queue.dequeue().item() == 3.0


def test_what_is_fixed_of_saved_models() -> None:
    assert tf.saved_model.SERVING == tf.saved_model.tag_constants.SERVING == "serve"
    assert tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    with pytest.raises(AttributeError, match="PREDICT_INPUTS"):
        _ = tf.saved_model.PREDICT_INPUT
