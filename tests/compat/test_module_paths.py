"""Each of TensorFlow's namespaces can be imported from by its whole path."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tensorlite.compat.missing import known_names
from tests.compatibility import reached

SERVED = [title for title in known_names() if reached(title) is not None]


@pytest.mark.parametrize("title", SERVED)
def test_paths_have_the_names_of_their_namespaces(title: str) -> None:
    module, namespace = import_module(f"tensorlite.compat.{title}"), reached(title)
    for name in known_names()[title]:
        if hasattr(namespace, name):
            assert hasattr(module, name), name


def test_names_are_those_that_attributes_lead_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tf1: Any = import_module("tensorlite.compat.v1")
    callbacks = import_module("tensorlite.compat.v1.keras.callbacks")
    assert callbacks.EarlyStopping is tf1.keras.callbacks.EarlyStopping
    assert "EarlyStopping" in callbacks.__all__
    # What a program puts in place of a name is seen by both ways.
    monkeypatch.setattr(tf1.keras.callbacks, "EarlyStopping", 1)
    assert callbacks.EarlyStopping == 1


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("callbacks", "EarlyStopping TensorBoard"),
        ("layers", "Dense Input LSTM"),
        ("utils", "plot_model to_categorical"),
        ("losses", "MeanSquaredError mse"),
        ("optimizers", "Adam get"),
    ],
)
def test_all_names_of_keras_namespaces_can_be_imported(
    title: str, names: str
) -> None:
    found: dict[str, Any] = {}
    exec(f"from tensorlite.compat.v1.keras.{title} import *", found)
    assert set(names.split()) <= set(found)
    assert not {"Any", "annotations", "listing"} & set(found)


def test_what_is_not_there_is_said_by_the_namespace() -> None:
    module = import_module("tensorlite.compat.v1.nn.rnn_cell")
    with pytest.raises(AttributeError, match="near it are: LSTMCell"):
        _ = module.LSTMCel
    with pytest.raises(ImportError, match="no_such_namespace"):
        import_module("tensorlite.compat.v1.keras.no_such_namespace")
    with pytest.raises(AttributeError, match="__file__"):
        _ = module.__file__
