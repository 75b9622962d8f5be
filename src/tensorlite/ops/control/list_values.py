"""Lists and bundles of arrays as values. The operators on them are in lists.py and bundles.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from threading import RLock
from typing import Any, Protocol

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import PlaceError
from tensorlite.core.opaque import Opaque
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import device_of, on_device, to_device

_WRITING = RLock()
AHEAD = 16
"""How many elements of a list are fetched before they are popped."""


class Keeper(Protocol):
    """What keeps the elements of a list elsewhere when memory is short; see swapping.py."""

    def keep(self, value: Any) -> Any:
        """Return what stands for a value in the list."""

    def take(self, item: Any, ahead: Sequence[Any] = ()) -> Any:
        """Return the value that an item stands for; those of `ahead` are next, the last first."""


class TensorList(Opaque):
    """An immutable list of arrays, of which None, an element not written yet, counts as zeros.

    Versions share one Python list, which belongs to the newest; an older one knows the newer and
    what to undo (Baker's persistent arrays). So pushing, popping and writing the newest version
    copy nothing, and a version that nobody holds costs nothing.

    With a `keeper` the list holds what that gives for the elements. They are kept and taken
    outside the lock, because that may wait for a disk.
    """

    __slots__ = ("_items", "_newer", "_undo", "element", "keeper", "limit")

    def __init__(
        self,
        items: list[Any],
        element: TensorSpec,
        limit: int | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self._items: list[Any] | None = items
        self._newer: TensorList | None = None
        self._undo: tuple[int, int, Any] = (0, 0, None)
        self.element = element
        self.limit = limit
        """The most elements it may have, if there is such a bound."""
        self.keeper = keeper

    @property
    def spec(self) -> TensorSpec:
        """The spec of a tensor that holds this list."""
        return TensorSpec((), dtypes.variant, None, (self.element,))

    def items(self) -> list[Any]:
        """Return the elements, in a list that must not be changed."""
        return self.held() if self.keeper is None else list(self.each())

    def each(self) -> Iterator[Any]:
        """Return an iterator over the elements, of which a kept one is taken when it is reached."""
        with _WRITING:
            held = [*self.held()]
        return map(self._taken, held)

    @property
    def length(self) -> int:
        """The number of elements."""
        return len(self.held())

    def like(self, values: Iterable[Any]) -> TensorList:
        """Return a list of other elements, which are kept as these are."""
        return TensorList(
            [self._kept(value) for value in values], self.element, None, self.keeper
        )

    def _kept(self, value: Any) -> Any:
        return value if self.keeper is None else self.keeper.keep(value)

    def _taken(self, item: Any, ahead: Sequence[Any] = ()) -> Any:
        return item if self.keeper is None else self.keeper.take(item, ahead)

    def held(self) -> list[Any]:
        """Return what is held for the elements, in a list that must not be changed."""
        found = self._items
        if found is None:
            with _WRITING:
                found = self._items
                if found is None:
                    found = self._items = self._recovered()
        return found

    def _recovered(self) -> list[Any]:
        """Return this older version's elements, from a newer one's and the steps to undo."""
        version, steps = self, []
        while version._items is None:
            assert version._newer is not None
            steps.append(version._undo)
            version = version._newer
        items = [*version.held()]
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
        newer = TensorList(self._items, self.element, self.limit, self.keeper)
        self._undo = (len(self._items), index, old)
        self._items, self._newer = None, newer
        return newer

    def push(self, value: Any) -> TensorList:
        """Return this list with one more element."""
        item = self._kept(value)
        with _WRITING:
            items = self.held()
            self._within(len(items) + 1)
            newer = self._succeed(0, None)
            items.append(item)
            return newer

    def pop(self) -> tuple[TensorList, Any]:
        """Return this list without its last element, and that."""
        with _WRITING:
            items = self.held()
            if not items:
                raise PlaceError("TensorListPopBack: the list is empty")
            newer = self._succeed(0, items[-1])
            item = items.pop()
            ahead = () if self.keeper is None else items[-AHEAD:]
        return newer, self._taken(item, ahead)

    def put(self, index: int, value: Any, grows: bool = True) -> TensorList:
        """Return this list with another element at `index`, grown to have it if it may grow."""
        item = self._kept(value)
        with _WRITING:
            items = self.held()
            if not 0 <= index < len(items):
                if index >= 0 and self.limit is None and grows:
                    return self.resized(index + 1).put(index, value)
                raise _not_there(index, len(items))
            newer = self._succeed(index, items[index])
            items[index] = item
            return newer

    def get(self, index: int) -> Any:
        """Return an element, None where nothing was written."""
        with _WRITING:
            items = self.held()
            if not 0 <= index < len(items):
                raise _not_there(index, len(items))
            item = items[index]
        return self._taken(item)

    def resized(self, length: int) -> TensorList:
        """Return this list cut or filled up to a length."""
        self._within(length)
        items = self.held()
        if len(items) == length:
            return self
        resized = _filled(items[:length], length)
        return TensorList(resized, self.element, self.limit, self.keeper)

    def _within(self, length: int) -> None:
        if self.limit is not None and length > self.limit:
            raise PlaceError(
                f"a list of at most {self.limit} elements cannot have {length}; make the "
                "TensorArray with dynamic_size=True"
            )

    def __add__(self, other: TensorList) -> TensorList:
        total = _filled(self.items(), max(self.length, other.length))
        for index, value in enumerate(other.each()):
            if value is not None:  # gradients of reading one element have but one
                total[index] = _sum(total[index], value)
        return self.like(total)

    def __repr__(self) -> str:
        return f"<list of {self.length}, each {self.element}>"


def _not_there(index: int, length: int) -> PlaceError:
    return PlaceError(
        f"index {index} is not in a list of {length} elements; a TensorArray made with "
        "dynamic_size=True grows when it is written to"
    )


def _filled(items: list[Any], length: int) -> list[Any]:
    return items + [None] * (length - len(items))


def _sum(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, Opaque):
        return a + b
    home = device_of(a)
    with on_device(home):
        # The other may have been made elsewhere.
        total = a + (b if device_of(b) == home else to_device(b, home))
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
