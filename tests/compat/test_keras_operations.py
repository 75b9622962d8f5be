"""keras.Operation and keras.Function; expected values are TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
ONES = np.ones((3, 2), np.float32)


class Times(keras.Operation):  # type: ignore[misc]
    """Products by a number."""

    def __init__(self, by: float, name: str | None = None) -> None:
        super().__init__(name=name)
        self.by = by

    def call(self, x: Any) -> Any:
        return x * self.by

    def compute_output_spec(self, x: Any) -> Any:
        return keras.KerasTensor(x.shape, x.dtype)


class Sum(keras.Operation):  # type: ignore[misc]
    """Sums, of which a trace says what they are like."""

    def call(self, x: Any, y: Any = None) -> Any:
        return x + 1.0 if y is None else x + y


def test_operations_are_called_on_values_and_on_symbolic_tensors() -> None:
    keras.backend.clear_session()
    times, x, y = Times(3.0), keras.Input((2,), name="x"), keras.Input((2,))
    np.testing.assert_array_equal(times(ONES), ONES * 3.0)
    made = times(x)
    assert tuple(made.shape) == (None, 2)
    assert (times.name, times.input.name) == ("times", "x")
    assert times.output is made
    model = keras.Model([x, y], Sum()(made, y=y))
    np.testing.assert_array_equal(model.predict([ONES, ONES], verbose=0), ONES * 4.0)
    copy = keras.models.clone_model(model)
    np.testing.assert_array_equal(copy.predict([ONES, ONES], verbose=0), ONES * 4.0)
    assert times.get_config() == {"name": "times", "by": 3.0}
    assert Times.from_config(times.get_config()).by == 3.0
    assert Times(1.0).name == "times_1"


def test_layers_are_operations_and_models_functions() -> None:
    x = keras.Input((2,))
    function = keras.Function(x, x + 1.0)
    assert isinstance(keras.layers.Dense(1), keras.Operation)
    assert issubclass(keras.layers.Layer, keras.Operation)
    assert isinstance(keras.Model(x, x + 1.0), keras.Function)
    assert isinstance(function, keras.Operation)
    assert not isinstance(function, keras.layers.Layer)


def test_functions_lead_from_inputs_to_outputs() -> None:
    i, j = keras.Input((2,), name="i"), keras.Input((2,), name="j")
    ends = [i + j, keras.ops.sum(i * j, axis=1)]
    function = keras.Function({"i": i, "j": j}, ends, name="fn")
    added, summed = function({"j": 2.0 * ONES, "i": ONES})
    np.testing.assert_array_equal(added, ONES * 3.0)
    np.testing.assert_array_equal(summed, [4.0, 4.0, 4.0])
    assert function.name == "fn"
    assert [x.name for x in function.inputs] == ["i", "j"]
    made = function({"i": keras.Input((2,)), "j": keras.Input((2,))})
    assert [tuple(x.shape) for x in made] == [(None, 2), (None,)]
    given = {"i": keras.KerasTensor((4, 2)), "j": keras.KerasTensor((4, 2))}
    told = function.compute_output_spec(given)
    assert [tuple(x.shape) for x in told] == [(4, 2), (4,)]


def test_operations_refuse_what_does_not_fit() -> None:
    x, y = keras.Input((2,)), keras.Input((2,))
    with pytest.raises(ValueError, match="cannot contain character"):
        Times(1.0, name="a/b")
    with pytest.raises(NotImplementedError):
        keras.Operation()(ONES)
    with pytest.raises(ValueError, match="disconnected"):
        keras.Function(x, y + 1.0)
    with pytest.raises(ValueError, match="invalid input structure"):
        keras.Function({"a": x, "b": y}, x + y)([ONES, ONES])
    with pytest.raises(ValueError, match="incompatible inputs"):
        keras.Function(x, x + 1.0)(np.ones((3, 4)))
    with pytest.raises(NotImplementedError, match="get_config"):
        keras.Function(x, x + 1.0).get_config()
