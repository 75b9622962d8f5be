"""tf.keras.utils.plot_model: boxes and arrows, and what is said where pydot is missing."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.keras.src.models import diagrams

keras = tf.keras
layers = keras.layers


def joined() -> Any:
    x = keras.Input((8,), name="x")
    first = layers.Dense(3, activation="relu", name="first")(x)
    inner = keras.Sequential(
        [keras.Input((3,)), layers.Dense(3, name="in"), layers.Dense(3, name="out")],
        name="inner",
    )
    both = layers.Add(name="both")([first, inner(first)])
    return keras.Model(x, both, name="joined")


def test_arrows_go_from_layer_to_layer() -> None:
    pairs = {(a.name, b.name) for a, b in diagrams.arrows(joined())}
    assert pairs == {
        ("x", "first"),
        ("first", "inner"),
        ("first", "both"),
        ("inner", "both"),
    }
    chain = joined().get_layer("inner")
    assert [(a.name, b.name) for a, b in diagrams.arrows(chain)] == [("in", "out")]


def test_boxes_tell_what_is_asked() -> None:
    model = joined()
    model.get_layer("first").trainable = False
    wanted = diagrams.Wanted(True, True, True, True, True)
    text = diagrams.label(model.get_layer("first"), wanted)
    for part in (
        *("<b>first</b> (Dense)", "Activation: <b>relu</b>", "<b>Non-trainable</b>"),
        *("Input shape: <b>(None, 8)</b>", "Output shape: <b>(None, 3)</b>"),
        *("Output dtype: <b>float32</b>", 'colspan="4"'),
    ):
        assert part in text
    shapes = diagrams.label(model.get_layer("both"), diagrams.Wanted(shapes=True))
    assert "[(None, 3), (None, 3)]" in shapes
    plain = diagrams.label(model.get_layer("x"), diagrams.Wanted(names=False))
    assert "<b>InputLayer</b>" in plain
    assert "shape" not in plain


def test_pictures_need_pydot_and_a_model_that_was_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> ModuleType:
        raise ImportError(name)

    model = joined()
    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(ImportError, match="install pydot"):
        keras.utils.plot_model(model)
    with pytest.raises(ValueError, match="not yet been built"):
        keras.utils.model_to_dot(keras.Sequential([layers.Dense(1)]))


def test_pydot_writes_the_picture_as_text(tmp_path: Path) -> None:
    pytest.importorskip("pydot")
    keras.utils.plot_model(joined(), tmp_path / "m.dot", expand_nested=True)
    text = (tmp_path / "m.dot").read_text()
    assert text.count("->") == 5
    assert "subgraph cluster_inner" in text
