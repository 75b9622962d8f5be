"""Lists and dicts in attributes of modules: what is put into them later is restored, too.

As in TensorFlow, a module holds a copy of a list or dict that it is given. A restore of a
checkpoint leaves itself in those that have less than it has, and goes on when they get more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

_untracked = ContextVar("untracked", default=False)


def _telling(name: str, kind: type) -> Callable[..., Any]:
    """Return a method of lists or dicts after which restores that wait go on."""
    method = getattr(kind, name)

    @wraps(method)
    def changed(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        for restore in self.awaiting:
            restore.again()
        return result

    return changed


class ListWrapper(list[Any]):
    """A list that a module holds."""

    plain_kind = list
    """What structures are compared as."""
    awaiting: tuple[Any, ...] = ()
    """Restores that have something for what will be here."""

    append = _telling("append", list)
    extend = _telling("extend", list)
    insert = _telling("insert", list)
    __setitem__ = _telling("__setitem__", list)
    __iadd__ = _telling("__iadd__", list)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Return what copies are made of: the members alone."""
        return ListWrapper, (list(self),)

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"


class DictWrapper(dict[Any, Any]):
    """A dict that a module holds."""

    plain_kind = dict
    """What structures are compared as."""
    awaiting: tuple[Any, ...] = ()
    """Restores that have something for what will be here."""

    update = _telling("update", dict)
    setdefault = _telling("setdefault", dict)
    __setitem__ = _telling("__setitem__", dict)
    __ior__ = _telling("__ior__", dict)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Return what copies are made of: the members alone."""
        return DictWrapper, (dict(self),)

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"


@dataclass(frozen=True)
class NoDependency:
    """What a module is to hold as it is, be it a list or a dict."""

    value: Any


@contextmanager
def untracked() -> Iterator[None]:
    """Have modules hold lists and dicts themselves inside the block."""
    token = _untracked.set(True)
    try:
        yield
    finally:
        _untracked.reset(token)


def held(value: Any, within: tuple[Any, ...] = ()) -> Any:
    """Return what a module holds where it is given a value: a list or dict that tells of changes.

    What lies `within` itself stays there as it is, and so does what a NoDependency is given.

    >>> held([1, {"a": []}])
    ListWrapper([1, DictWrapper({'a': ListWrapper([])})])
    """
    if type(value) is NoDependency:
        return value.value
    if type(value) not in {list, dict} or any(x is value for x in within):
        return value
    if _untracked.get():
        return value
    around = (*within, value)
    if type(value) is list:
        return ListWrapper([held(x, around) for x in value])
    return DictWrapper({key: held(x, around) for key, x in value.items()})
