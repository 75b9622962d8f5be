"""tensorflow.python.trackable: what objects hold, and what of it no checkpoint is to know.

Modules keep copies of lists and dicts that tell of changes (held.py); here are their names, and
what keeps an attribute as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.held import (
    DictWrapper,
    ListWrapper,
    NoDependency,
    held,
    untracked,
)

__all__ = [
    "ListWrapper",
    "NoDependency",
    "Trackable",
    "TrackableReference",
    "no_automatic_dependency_tracking",
    "no_automatic_dependency_tracking_scope",
    "sticky_attribute_assignment",
    "wrap_or_unwrap",
]

Trackable = AutoTrackable = Module
_DictWrapper = DictWrapper


class TrackableReference(NamedTuple):
    """What an object holds, and by which name."""

    name: str
    ref: Any


def wrap_or_unwrap(value: Any) -> Any:
    """Return what a module holds where it is given a value; of a NoDependency, what is in it.

    >>> wrap_or_unwrap([1]), wrap_or_unwrap(NoDependency([1]))
    (ListWrapper([1]), [1])
    """
    return held(value)


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Return what an attribute is to hold: objects tell by themselves what is in them."""
    return held(value)


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """Have an object take attributes as they are inside the block."""
    with untracked():
        yield


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Any:
    """Return a method that sets attributes as they are given to it."""

    @wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        with untracked():
            return method(self, *args, **kwargs)

    return called
