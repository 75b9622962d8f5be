"""Iterators of graphs: made by a name, set to the beginning of datasets, and known by strings.

What reads them is in iterators.py.
"""

from __future__ import annotations

from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.containers import current_container
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.data.iterators import IteratorState
from tensorlite.function.compile import Compiled
from tensorlite.ops.state.making import Making
from tensorlite.ops.strings.joining import as_text


class IteratorV2(Making):
    """An iterator that is at no dataset yet: the same in all runs that share its name."""

    free = (*Making.free, "specs")
    specs: tuple[TensorSpec, ...] = ()
    """The specs of the elements' tensors."""

    def fresh(self, xp: Xp) -> IteratorState:
        """Return an iterator at no dataset."""
        return IteratorState()


class OneShotIterator(Making):
    """An iterator over a dataset, from its beginning when it is first asked for."""

    free = (*Making.free, "factory", "specs")
    factory: Compiled
    """A graph that makes the dataset."""
    specs: tuple[TensorSpec, ...] = ()

    def infer(self, *captured: TensorSpec) -> TensorSpec:
        """Return the spec of the handle."""
        return TensorSpec((), dtypes.resource)

    def kernel(self, xp: Xp, *captured: Array) -> Any:
        """Return the iterator; `captured` is what the graph takes."""

        def fresh() -> IteratorState:
            state = IteratorState()
            (made,) = self.factory.run(captured)
            state.begin(made.dataset)
            return state

        if not self.shared_name:
            return fresh()
        return current_container.get().shared(
            self.shared_name, self.kind(), fresh, self.container
        )


class MakeIterator(Op):
    """Sets an iterator to the beginning of a dataset."""

    effect = Effect.WRITE
    differentiable = False

    def infer(
        self, dataset: TensorSpec, iterator: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(
        self, xp: Xp, dataset: Any, iterator: IteratorState
    ) -> tuple[Array, ...]:
        """Begin the dataset."""
        iterator.begin(dataset.dataset)
        return ()


_by_string: WeakValueDictionary[str, IteratorState] = WeakValueDictionary()
_lock = Lock()


class IteratorToStringHandle(Op):
    """A string by which an iterator is found while it lives."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d string."""
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, handle: IteratorState) -> Array:
        """Return the string."""
        name = f"tensorlite iterator {id(handle):#x}"
        with _lock:
            _by_string[name] = handle
        out = np.empty((), object)
        out[()] = name.encode()
        return out


class IteratorFromStringHandleV2(Op):
    """The iterator that a string stands for."""

    effect = Effect.DRAW
    differentiable = False
    specs: tuple[TensorSpec, ...] = ()

    def infer(self, string_handle: TensorSpec) -> TensorSpec:
        """Return the spec of a handle."""
        if string_handle.dtype is not dtypes.string:
            raise DTypeError(
                f"an iterator's string handle is a string, not {string_handle}"
            )
        return TensorSpec((), dtypes.resource)

    def kernel(self, xp: Xp, string_handle: Array) -> IteratorState:
        """Return the iterator; InvalidArgumentError when it is gone, or never was."""
        name = as_text(string_handle.item())
        with _lock:
            found = _by_string.get(name)
        if found is None:
            raise InvalidArgumentError(
                f"{name!r} stands for no iterator: give what session.run(iterator.string_handle()) "
                "returned, while that session is open"
            )
        return found
