"""Functions have TensorFlow's parameters, by its names and in its order."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode
from tests.compat.parameters import APART, recorded

CASES = [
    (version, title, names)
    for version in ("v1", "v2")
    for title, names in recorded(version).items()
    if title not in APART[version]
]


@pytest.fixture
def eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


def _found(version: str, title: str) -> Any:
    place: Any = import_module(f"tensorlite.compat.{version}")
    for part in title.split("."):
        place = getattr(place, part)
    return place


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_parameters_are_those_of_tensorflow(version: str) -> None:
    wrong = {}
    for kind, title, names in CASES:
        if kind == version:
            told = inspect.signature(_found(version, title)).parameters
            if list(told)[: len(names)] != names and not any(
                x.kind is x.VAR_POSITIONAL for x in told.values()
            ):
                wrong[title] = names, list(told)
    assert not wrong


@pytest.mark.usefixtures("eager")
def test_operands_are_given_by_their_names() -> None:
    """An angle is that of `y` to `x`, whichever stands first in a call; values are NumPy's."""
    np.testing.assert_allclose(
        tf.atan2(y=1.0, x=2.0), np.arctan2(1.0, 2.0), rtol=1e-6
    )
    assert float(tf.math.nextafter(x1=2.0, x2=3.0)) == np.nextafter(
        np.float32(2), np.float32(3)
    )
    np.testing.assert_allclose(tf.math.zeta(x=2.0, q=1.0), np.pi**2 / 6, rtol=1e-6)
    np.testing.assert_allclose(
        tf.math.igamma(a=1.0, x=2.0), 1 - np.exp(-2.0), rtol=1e-6
    )
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'y'"):
        tf.math.zeta(x=2.0, q=1.0, y=1.0)


def test_inspect_tells_parameters_of_what_is_wrapped() -> None:
    """It follows no wrappers itself: `tf.rank` is one."""
    assert inspect.getfullargspec(tf.rank).args == ["input", "name"]
    inside = import_module("tensorlite.compat.v2.python.util.tf_inspect")

    def rank(input: Any, name: Any = None) -> Any:
        return input, name

    given = inside.getfullargspec(rank)._replace(annotations={})
    assert inside.getfullargspec(tf.rank) == given


@pytest.mark.usefixtures("eager")
def test_places_of_last_parameters() -> None:
    values, places = tf.math.top_k([1.0, 3.0], 1, True, tf.int64)
    assert (values.numpy().tolist(), places.dtype) == ([3.0], tf.int64)
    np.testing.assert_allclose(tf.nn.l2_normalize([3.0, 4.0], dim=0), [0.6, 0.8])
    assert tf.linalg.diag([1, 2], "named").numpy().tolist() == [[1, 0], [0, 2]]
