"""Keras 3's models whose outputs lie inside one another, and inputs in another structure.

Expected values are those of TensorFlow 2.21.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
X = np.arange(8.0, dtype=np.float32).reshape(4, 2)
Y = np.ones((4, 1), np.float32)
SUMS = X.sum(1, keepdims=True)


def made(form: str) -> tuple[Any, Any]:
    x = keras.Input((2,), name="x")
    a, b, c = [
        keras.layers.Dense(1, kernel_initializer="ones", name=name)(x)
        for name in "abc"
    ]
    outputs, labels = {
        "dicts": (
            {"p": {"a": a, "b": b}, "q": c},
            {"p": {"a": Y, "b": 2 * Y}, "q": 3 * Y},
        ),
        "lists": ([a, [b, c]], [Y, [2 * Y, 3 * Y]]),
        "both": ({"p": [a, b], "q": c}, {"p": [Y, 2 * Y], "q": 3 * Y}),
    }[form]
    return keras.Model(x, outputs), labels


NAMES = {"dicts": ("p/a", "p/b", "q"), "lists": ("a", "1/b", "1/c")}
NAMES["both"] = NAMES["dicts"]
LOSSES: dict[str, Any] = {
    "dicts": {"p": {"a": "mse", "b": "mae"}, "q": "mse"},
    "lists": ["mse", ["mae", "mse"]],
    "both": {"p": ["mse", "mae"], "q": "mse"},
}
WEIGHTS: dict[str, Any] = {
    "dicts": {"p": {"a": 0.5, "b": 2.0}, "q": 3.0},
    "lists": [0.5, [2.0, 3.0]],
    "both": {"p": [0.5, 2.0], "q": 3.0},
}
METRICS: dict[str, Any] = {
    "dicts": {"p": {"a": ["mae"]}, "q": "mae"},
    "lists": [["mae"], [[], "mae"]],
    "both": {"p": ["mae", None], "q": ["mae"]},
}


@pytest.mark.parametrize("form", ["dicts", "lists", "both"])
def test_losses_weights_and_metrics_have_the_structure_of_outputs(form: str) -> None:
    model, labels = made(form)
    parts = LOSSES[form], WEIGHTS[form], METRICS[form]
    model.compile("sgd", loss=parts[0], loss_weights=parts[1], metrics=parts[2])
    first, second, third = (f"{name}_loss" for name in NAMES[form])
    found = model.evaluate(X, labels, verbose=0, return_dict=True)
    costs = {first: 56.0, second: 5.5, third: 36.0}  # of 1, 2 and 3 as labels
    expected = {"loss": 147.0, **costs, "a_mae": 6.0, "c_mae": 5.0}
    assert found == pytest.approx(expected)
    listed = model.evaluate(X, labels, verbose=0)
    assert listed == pytest.approx(list(expected.values()))
    told = model.train_on_batch(X, labels, return_dict=True)
    assert told == pytest.approx(expected)
    history = model.fit(X, labels, verbose=0).history
    assert history["loss"] == pytest.approx([157.9316], rel=1e-5)


def test_one_loss_is_that_of_all_outputs_and_what_has_none_is_not_listed() -> None:
    model, labels = made("dicts")
    model.compile("sgd", "mse")
    found = model.evaluate(X, labels, verbose=0, return_dict=True)
    costs = {"p/a_loss": 56.0, "p/b_loss": 45.0, "q_loss": 36.0}
    assert found == pytest.approx({"loss": 137.0, **costs})
    model.compile("sgd", {"p": {"a": "mse"}})
    assert model.evaluate(X, labels, verbose=0, return_dict=True) == {"loss": 56.0}


@pytest.mark.parametrize(
    ("loss", "metrics", "said"),
    [
        ("mse", ["mae"], "metrics.*structure of the model's outputs"),
        ({"p": {"other": "mse"}}, None, r"loss.*\['other'\] at p"),
        ({"p": ["mse"]}, None, "structure of the model's outputs at p"),
    ],
)
def test_what_does_not_fit_the_outputs_is_refused(
    loss: Any, metrics: Any, said: str
) -> None:
    model, labels = made("dicts")
    model.compile("sgd", loss, metrics=metrics)
    with pytest.raises(ValueError, match=said):
        model.evaluate(X, labels, verbose=0)


def warned(call: Any, *args: Any, **kwargs: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(*args, **kwargs)
    return [str(x.message) for x in found]


def test_inputs_of_another_structure_are_told_of() -> None:
    u, v = keras.Input((2,), name="u"), keras.Input((2,), name="v")
    named = keras.Model({"u": u, "v": v}, keras.layers.Add()([u, v]))
    (said,) = warned(named, [X, X])
    assert said == (
        "The structure of `inputs` doesn't match the expected structure.\n"
        "Expected: {'u': 'u', 'v': 'v'}\n"
        "Received: inputs=['Tensor(shape=(4, 2))', 'Tensor(shape=(4, 2))']"
    )
    assert not warned(named, {"u": X, "v": X})
    listed = keras.Model([u, v], keras.layers.Add()([u, v]))
    for given in ([X, X], (X, X), {"u": X, "v": X}):
        assert not warned(listed, given)
        assert not warned(listed.predict, given, verbose=0)
    chain = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    assert not warned(chain, X)
    (said_of_list,) = warned(chain, [X])
    assert "Received: inputs=['Tensor(shape=(4, 2))']" in said_of_list
    (said_of_keys,) = warned(keras.Model, {"other": u}, keras.layers.Dense(1)(u))
    assert "Received key 'other' mapping" in said_of_keys
