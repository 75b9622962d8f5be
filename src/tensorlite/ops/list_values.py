"""Lists and bundles of arrays as values. The operators on them are in lists.py and bundles.py."""

from __future__ import annotations

from threading import RLock
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import OutOfRangeError
from tensorlite.core.opaque import Opaque
from tensorlite.core.spec import TensorSpec

_WRITING = RLock()


class TensorList(Opaque):
    """An immutable list of arrays, of which None, an element not written yet, counts as zeros.

    Versions share one Python list, which belongs to the newest; an older one knows the newer and
    what to undo (Baker's persistent arrays). So pushing, popping and writing the newest version
    copy nothing, and a version that nobody holds costs nothing.
    """

    __slots__ = ("_items", "_newer", "_undo", "element", "limit")

    def __init__(
        self, items: list[Any], element: TensorSpec, limit: int | None = None
    ) -> None:
        self._items: list[Any] | None = items
        self._newer: TensorList | None = None
        self._undo: tuple[int, int, Any] = (0, 0, None)
        self.element = element
        self.limit = limit
        """The most elements it may have, if there is such a bound."""

    @property
    def spec(self) -> TensorSpec:
        """The spec of a tensor that holds this list."""
        return TensorSpec((), dtypes.variant, None, (self.element,))

    def items(self) -> list[Any]:
        """Return the elements, in a list that must not be changed."""
        with _WRITING:
            if self._items is None:
                self._items = self._recovered()
            return self._items

    def _recovered(self) -> list[Any]:
        """Return this older version's elements, from a newer one's and the steps to undo."""
        version, steps = self, []
        while version._items is None:
            assert version._newer is not None
            steps.append(version._undo)
            version = version._newer
        items = list(version.items())
        for length, index, value in reversed(steps):
            if len(items) > length:
                items.pop()
            elif len(items) < length:
                items.append(value)
            else:
                items[index] = value
        self._newer = None
        return items

    def _succeed(self, index: int, old: Any) -> TensorList:
        """Return a newer version that takes over the shared list, about to be changed."""
        assert self._items is not None
        newer = TensorList(self._items, self.element, self.limit)
        self._undo = (len(self._items), index, old)
        self._items, self._newer = None, newer
        return newer

    def push(self, value: Any) -> TensorList:
        """Return this list with one more element."""
        with _WRITING:
            items = self.items()
            self._within(len(items) + 1)
            newer = self._succeed(0, None)
            items.append(value)
            return newer

    def pop(self) -> tuple[TensorList, Any]:
        """Return this list without its last element, and that."""
        with _WRITING:
            items = self.items()
            if not items:
                raise OutOfRangeError("TensorListPopBack: the list is empty")
            newer = self._succeed(0, items[-1])
            return newer, items.pop()

    def put(self, index: int, value: Any) -> TensorList:
        """Return this list with another element at `index`, grown to have it if it may grow."""
        with _WRITING:
            if index >= len(self.items()) and self.limit is None:
                return self.resized(index + 1).put(index, value)
            items = self.items()
            _check_index(index, len(items))
            newer = self._succeed(index, items[index])
            items[index] = value
            return newer

    def get(self, index: int) -> Any:
        """Return an element, None where nothing was written."""
        with _WRITING:
            items = self.items()
            _check_index(index, len(items))
            return items[index]

    def resized(self, length: int) -> TensorList:
        """Return this list cut or filled up to a length."""
        self._within(length)
        items = self.items()
        if len(items) == length:
            return self
        return TensorList(_filled(items[:length], length), self.element, self.limit)

    def _within(self, length: int) -> None:
        if self.limit is not None and length > self.limit:
            raise OutOfRangeError(
                f"a list of at most {self.limit} elements cannot have {length}; make the "
                "TensorArray with dynamic_size=True"
            )

    def __add__(self, other: TensorList) -> TensorList:
        mine, theirs = self.items(), other.items()
        total = _filled(mine, max(len(mine), len(theirs)))
        for index, value in enumerate(theirs):
            if value is not None:  # gradients of reading one element have but one
                total[index] = _sum(total[index], value)
        return TensorList(total, self.element)

    def __repr__(self) -> str:
        return f"<list of {len(self.items())}, each {self.element}>"


def _check_index(index: int, length: int) -> None:
    if not 0 <= index < length:
        raise OutOfRangeError(
            f"index {index} is not in a list of {length} elements; a TensorArray made with "
            "dynamic_size=True grows when it is written to"
        )


def _filled(items: list[Any], length: int) -> list[Any]:
    return items + [None] * (length - len(items))


def _sum(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    total = a + b
    return np.asarray(total) if isinstance(total, np.generic) else total


class Bundled(Opaque):
    """Arrays of any kind, held together."""

    __slots__ = ("members",)

    def __init__(self, members: tuple[Any, ...]) -> None:
        self.members = members

    @property
    def spec(self) -> TensorSpec:
        """The spec of a tensor that holds a bundle."""
        return BUNDLE

    def __add__(self, other: Bundled) -> Bundled:
        pairs = zip(self.members, other.members, strict=True)
        return Bundled(tuple([_sum(a, b) for a, b in pairs]))

    def __repr__(self) -> str:
        return f"<bundle of {len(self.members)}>"


BUNDLE = TensorSpec((), dtypes.variant)
