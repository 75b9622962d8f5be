"""tf.keras.utils.legacy: descriptions as Keras 2 wrote them. Expected ones are Keras 3.15's."""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
legacy = keras.utils.legacy


class Weighed(keras.regularizers.Regularizer):  # type: ignore[misc]
    def __init__(self, share: int, inner: Any = None) -> None:
        self.share, self.inner = share, inner

    def get_config(self) -> dict[str, Any]:
        return {"share": self.share, "inner": self.inner}


def doubled(x: int) -> int:
    return 2 * x


def test_objects_in_objects_are_described_and_made_again() -> None:
    described = legacy.serialize_keras_object(Weighed(3, Weighed(1)))
    inner: dict[str, Any] = {"class_name": "Weighed"}
    inner["config"] = {"share": 1, "inner": None}
    inner["__passive_serialization__"] = True
    config = {"share": 3, "inner": inner}
    assert described == {"class_name": "Weighed", "config": config}
    made = legacy.deserialize_keras_object(described, {"Weighed": Weighed})
    assert isinstance(made.inner, Weighed)
    assert (made.share, made.inner.share) == (3, 1)


def test_functions_are_their_names_and_nothing_is_nothing() -> None:
    assert legacy.serialize_keras_object(doubled) == "doubled"
    assert legacy.deserialize_keras_object("doubled", {"doubled": doubled})(2) == 4
    assert legacy.deserialize_keras_object(doubled) is doubled
    assert legacy.serialize_keras_object(None) is None
    assert legacy.deserialize_keras_object(None) is None


def test_names_of_classes_are_made_without_arguments() -> None:
    ones = {"Ones": keras.initializers.Ones}
    made = legacy.deserialize_keras_object("Ones", ones)
    assert made([2]).numpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("none", "Unknown thing: 'none'"),
        ({"class_name": "No", "config": {}}, "Unknown thing: 'No'"),
        ({"x": 1}, "Improper config format"),
    ],
)
def test_what_is_not_known_is_told(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        legacy.deserialize_keras_object(given, {}, None, "thing")


def test_metrics_of_programs_have_the_dtype_to_cast_to() -> None:
    assert keras.metrics.Mean()._dtype == "float32"
    assert keras.metrics.Mean(dtype="float64")._dtype == "float64"
