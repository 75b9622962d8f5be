"""Names of Keras' layers and models: `dense`, `dense_1`, numbered as they are made."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tensorlite.core.scope import scope
from tensorlite.graph_mode.graph import active_graph, mode

_counts: Counter[str] = Counter()
_path: ContextVar[tuple[str, ...]] = ContextVar("keras_path", default=())
"""The names of the layers that are being called, outermost first."""
_scope: ContextVar[str] = ContextVar("keras_scope", default="")
"""The name scope in which the innermost of them is called."""
OLDER_IS_ASKED_FOR = os.environ.get("TF_USE_LEGACY_KERAS") in {"1", "true", "True"}
"""Whether programs of TensorFlow 2 are for Keras 2, which this variable says to TensorFlow too."""


def snake(kind: str) -> str:
    """Return the name of a class in lower case, words parted by underscores."""
    word = "[a-z]+" if is_keras_3() else "[a-z0-9]+"
    parted = re.sub(rf"(.)([A-Z]{word})", r"\1_\2", kind)
    found = re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{found}" if found.startswith("_") else found


def _counted() -> Counter[str]:
    """Return how often names were given, in the graph being built or where there is none."""
    graph = active_graph()
    if graph is None:
        return _counts
    found: Counter[str] = graph.scopes.setdefault("names of layers", Counter())
    return found


def number(base: str) -> int:
    """Return how often a name was asked for, this time included."""
    counts = _counted()
    counts[base] += 1
    return counts[base]


def unique(base: str) -> str:
    """Return a name that no layer has yet."""
    before = number(base) - 1
    return f"{base}_{before}" if before else base


def of_input() -> str:
    """Return a name for what a model is given; Keras 2, of TensorFlow 1, counts from 1."""
    if is_keras_3():
        return unique("input_layer")
    counts = _counted()
    counts["input"] += 1
    return f"input_{counts['input']}"


def of_model() -> str:
    """Return a name for a model that is made of inputs and outputs."""
    return unique("functional" if is_keras_3() else "model")


def of_optimizer(kind: str) -> str:
    """Return a name for an optimizer of a class."""
    return unique(snake(kind)) if is_keras_3() else kind


def of_weight() -> str:
    """Return a name for a weight that was given none."""
    return unique("variable") if is_keras_3() else "Variable"


def is_keras_3() -> bool:
    """Return whether programs are for Keras 3: those of TensorFlow 2, unless 2 is asked for."""
    return mode.is_second() and not OLDER_IS_ASKED_FOR


def is_version_1() -> bool:
    """Return whether programs are TensorFlow 1's."""
    return not mode.is_second()


def forget() -> None:
    """Number anew."""
    _counted().clear()


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Let weights that are made inside have a name before theirs, once if it is there."""
    path = _here()
    token = _path.set(path if path[-1:] == (name,) else (*path, name))
    scoped = _scope.set(scope.get().name)
    try:
        yield
    finally:
        _scope.reset(scoped)
        _path.reset(token)


@contextmanager
def apart() -> Iterator[None]:
    """Leave the name scopes around out of weights' names, as where models are put together."""
    token = _scope.set(scope.get().name)
    try:
        yield
    finally:
        _scope.reset(token)


@contextmanager
def without_innermost() -> Iterator[None]:
    """Let weights that are made inside not have the innermost name before theirs."""
    token = _path.set(_path.get()[:-1])
    try:
        yield
    finally:
        _path.reset(token)


def prefixed(name: str) -> str:
    """Return the whole name of a weight."""
    return "/".join([*_here(), name])


def _here() -> tuple[str, ...]:
    """Return the names of the layers around and, in Keras 2, of name scopes opened in them.

    In a graph these scopes are before the name of any node.
    """
    path, whole = _path.get(), scope.get().name
    if is_keras_3() or active_graph() is not None or not whole:
        return path
    opened = whole.removeprefix(_scope.get()).strip("/")
    return (*path, *opened.split("/")) if opened else path
