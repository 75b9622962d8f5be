"""What help says of functions, also of those that other functions make."""

from __future__ import annotations

from inspect import getdoc, isfunction
from types import ModuleType
from typing import Any

import pytest

import tensorlite.compat.v2 as tf

OLD: Any = tf.compat.v1
SPACES: list[Any] = [
    tf,
    tf.bitwise,
    tf.data.experimental,
    tf.debugging,
    tf.experimental.numpy,
    tf.image,
    tf.io,
    tf.keras.activations,
    tf.keras.backend,
    tf.keras.losses,
    tf.keras.ops,
    tf.linalg,
    tf.math,
    tf.math.special,
    tf.nest,
    tf.nn,
    tf.random,
    tf.sets,
    tf.signal,
    tf.sparse,
    tf.strings,
    tf.test,
    OLD,
    OLD.layers,
    OLD.losses,
    OLD.metrics,
]


def functions(space: ModuleType) -> dict[str, Any]:
    """Return the functions that a namespace has."""
    held = {name: getattr(space, name) for name in dir(space) if name[0] != "_"}
    return {name: x for name, x in held.items() if isfunction(x)}


@pytest.mark.parametrize("space", SPACES, ids=lambda x: x.__name__.rpartition(".")[2])
def test_help_says_what_comes_back(space: ModuleType) -> None:
    found = functions(space)
    said = {name: (getdoc(x) or "").partition("\n")[0] for name, x in found.items()}
    assert not [name for name, line in said.items() if not line.endswith(".")]


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (
            tf.split,
            "Return a list of the parts that a tensor is cut into along an axis.",
        ),
        (
            tf.abs,
            "Return the magnitude of each element; of complex ones as a real tensor.",
        ),
        (tf.greater, "Return whether elements of `x` are greater than those of `y`."),
        (
            tf.signal.ifft2d,
            "Return the inverse Fourier transform over the last axes: 2.",
        ),
    ],
)
def test_made_functions_name_their_own_parameters(function: Any, line: str) -> None:
    assert (getdoc(function) or "").partition("\n")[0] == line
