"""Model.summary prints what Keras 3 prints. The tables were recorded from TensorFlow 2.21."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
layers = keras.layers

LINE = """\
Model: "seq"
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃ Layer (type)                    ┃ Output Shape           ┃       Param # ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ conv2d (Conv2D)                 │ (None, 6, 6, 4)        │            40 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ batch_normalization             │ (None, 6, 6, 4)        │            16 │
│ (BatchNormalization)            │                        │               │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ flatten (Flatten)               │ (None, 144)            │             0 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ dense (Dense)                   │ (None, 10000)          │     1,450,000 │
└─────────────────────────────────┴────────────────────────┴───────────────┘
 Total params: 1,450,056 (5.53 MB)
 Trainable params: 1,450,048 (5.53 MB)
 Non-trainable params: 8 (32.00 B)"""
JOINED = """\
Model: "two"
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ a (InputLayer)      │ (None, 4)         │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ b (InputLayer)      │ (None, 4)         │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ shared (Dense)      │ (None, 3)         │         15 │ a[0][0], b[0][0]  │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ concatenate         │ (None, 6)         │          0 │ shared[0][0],     │
│ (Concatenate)       │                   │            │ shared[1][0]      │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
 Total params: 47 (192.00 B)
 Trainable params: 15 (60.00 B)
 Non-trainable params: 0 (0.00 B)
 Optimizer params: 32 (132.00 B)"""
NESTED = """\
Model: "m"
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━┓
┃ Layer (type)                ┃ Output Shape          ┃    Param # ┃ Trai… ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━┩
│ in (InputLayer)             │ (None, 3)             │          0 │   -   │
├─────────────────────────────┼───────────────────────┼────────────┼───────┤
│ inner (Sequential)          │ (None, 4)             │         16 │   Y   │
├─────────────────────────────┼───────────────────────┼────────────┼───────┤
│    └ zz (Dense)             │ (None, 4)             │         16 │   Y   │
└─────────────────────────────┴───────────────────────┴────────────┴───────┘
 Total params: 16 (64.00 B)
 Trainable params: 16 (64.00 B)
 Non-trainable params: 0 (0.00 B)"""


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("COLUMNS", "80")
    before, mode.eager = mode.eager, True
    keras.backend.clear_session()
    yield
    mode.eager = before


def printed(model: Any, **kwargs: Any) -> str:
    found: list[str] = []
    model.summary(print_fn=found.append, **kwargs)
    assert "".join(found).endswith("\n")
    return "\n".join(found).removesuffix("\n")


def test_a_line_of_layers_has_three_columns() -> None:
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(4, 3),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(10000),
        ],
        name="seq",
    )
    assert printed(model) == LINE


def test_layers_that_are_joined_tell_what_they_are_connected_to() -> None:
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    shared = layers.Dense(3, name="shared")
    model = keras.Model(
        [a, b], layers.Concatenate()([shared(a), shared(b)]), name="two"
    )
    model.compile("adam", "mse")
    x = np.ones((2, 4), np.float32)
    model.fit([x, x], np.ones((2, 6)), verbose=0)
    assert printed(model) == JOINED


def test_models_in_models_are_unfolded() -> None:
    inputs = keras.Input((3,), name="in")
    inner = keras.Sequential([layers.Dense(4, name="zz")], name="inner")
    model = keras.Model(inputs, inner(inputs), name="m")
    assert printed(model, expand_nested=True, show_trainable=True) == NESTED
    only = printed(model, layer_range=["inner", "inner"])
    assert "inner (Sequential)" in only
    assert "InputLayer" not in only
    with pytest.raises(InvalidArgumentError, match="no layers of such names"):
        printed(model, layer_range=["x", "y"])


def test_what_is_not_built_is_said_to_be() -> None:
    class Two(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="two")
            self.first = layers.Dense(2, name="first")

        def call(self, inputs: Any) -> Any:
            return self.first(inputs)

    model = Two()
    assert re.search(r"first \(Dense\) +│ \? +│ +0 \(unbuilt\) │", printed(model))
    model(np.ones((2, 3), np.float32))
    assert re.search(r"first \(Dense\) +│ \(2, 2\) +│ +8 │", printed(model))
