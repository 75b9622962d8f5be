"""What help says of functions and classes of version 1, those that others make among them."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getdoc, isclass, isfunction
from types import ModuleType
from typing import Any

import pytest

from tensorlite.compat import v1 as tf

OWN = "tensorlite.compat.v1."
SPACES = (
    "contrib",
    "estimator",
    "keras",
    "layers",
    "losses",
    "metrics",
    "nn",
    "train",
)


def held_by(
    space: ModuleType, path: str, seen: set[int]
) -> Iterator[tuple[str, Any]]:
    """Yield a namespace's names, and those of namespaces in it, with what they stand for."""
    for name in dir(space):
        x = getattr(space, name, None)
        if name.startswith("_") or id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, ModuleType) and x.__name__.startswith(OWN):
            yield from held_by(x, f"{path}.{name}", seen)
        elif isfunction(x) or isclass(x):
            yield f"{path}.{name}", x


def test_help_says_what_things_are() -> None:
    seen: set[int] = set()
    every = dict(held_by(tf, "tf", seen))
    for name in SPACES:
        every |= dict(held_by(getattr(tf, name), f"tf.{name}", seen))
    own = {k: x for k, x in every.items() if str(x.__module__).startswith(OWN)}
    assert len(own) > 1000
    silent = [k for k, x in own.items() if not (x.__doc__ or "").strip()]
    assert not silent
    told = {k: x for k, x in own.items() if not hasattr(x, "_fields")}
    lines = {k: (getdoc(x) or "").partition("\n")[0] for k, x in told.items()}
    assert not [k for k, line in lines.items() if not line.endswith(".")]


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (tf.layers.conv2d, "Return what a new layer of the class Conv2D gives."),
        (tf.assert_less, "Return an operator that fails unless x < y everywhere."),
        (
            tf.losses.mean_squared_error,
            "Return the weighted mean of squared differences, added to a collection of losses.",
        ),
        (
            tf.metrics.recall,
            "Return (share of positive labels that are predicted, update operator).",
        ),
    ],
)
def test_functions_that_others_make_tell_of_themselves(made: Any, line: str) -> None:
    assert (getdoc(made) or "").partition("\n")[0] == line
