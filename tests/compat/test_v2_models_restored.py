"""What SavedModels give back of version 2's objects and functions, as TensorFlow 2.21 gives it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import tensorlite.compat.v2 as tf

tf1 = tf.compat.v1


class Scaled(tf.Module):
    """Has a variable, lists with gaps, and functions with and without traces."""

    def __init__(self) -> None:
        super().__init__()
        how = tf.VariableAggregation.ONLY_FIRST_REPLICA
        self.by = tf.Variable(3.0, trainable=False, aggregation=how)
        self.rows = [tf.Variable(1.0), 1, tf.Variable(2.0)]

    @tf.function
    def untraced(self, x: Any) -> Any:
        return x

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])  # type: ignore[untyped-decorator]
    def scale(self, values: Any) -> Any:
        return values * self.by


def test_what_is_restored_is_as_it_was(tmp_path: Path) -> None:
    """As TensorFlow 2.21 restores the same."""
    module = Scaled()
    module.power = tf.function(lambda x, n: x**n).get_concrete_function(
        tf.TensorSpec([], tf.float32), 2
    )
    tf.saved_model.save(module, tmp_path)
    model = tf.saved_model.load(tmp_path)
    assert not callable(model)
    assert model.by.aggregation is tf.VariableAggregation.ONLY_FIRST_REPLICA
    assert model.by.synchronization is tf.VariableSynchronization.AUTO
    assert model.rows[1] is None
    assert model.rows[2].numpy() == 2.0
    assert list(inspect.signature(model.scale).parameters) == ["values"]
    with pytest.raises(ValueError, match="Found zero restored functions"):
        model.untraced(1)
    with pytest.raises(TypeError, match="no trace for"):
        model.scale([[1.0]])
    with pytest.raises(TypeError):
        model.signatures["other"] = 3
    power = model.power
    assert isinstance(power, tf.types.experimental.ConcreteFunction)
    assert power(tf.constant(3.0)).numpy() == power(x=3.0, n=2).numpy() == 9.0
    with pytest.raises(TypeError, match="Can not cast 3 to 2"):
        power(3.0, 3)
    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant(3.0))
        y = power(x)
    assert tape.gradient(y, x).numpy() == 6.0


def test_traces_are_called_in_graphs() -> None:
    square = tf.function(lambda x: x * x)
    concrete = square.get_concrete_function(tf.TensorSpec([], tf.float32))
    with tf1.Graph().as_default(), tf1.Session() as session:
        with tf.GradientTape() as tape:
            tape.watch(x := tf.constant(3.0))
            y = concrete(x)
        assert session.run([y, tape.gradient(y, x)]) == [9.0, 6.0]
    assert next(x.op for x in concrete.function_def.node_def) == "Mul"
