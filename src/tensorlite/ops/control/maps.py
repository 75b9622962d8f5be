"""Maps from keys to tensors, as values that do not change: TensorFlow's operators on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host

__all__: list[str] = []

MAP = TensorSpec((), dtypes.variant)
"""The spec of a map."""


class TensorMap(Opaque):
    """An immutable map; a key is known by its dtype, shape and elements."""

    def __init__(self, held: Mapping[Any, tuple[Array, Any]]) -> None:
        self.held = held

    @property
    def spec(self) -> TensorSpec:
        """The spec of a map."""
        return MAP

    def find(self, op: str, key: Array) -> tuple[Any, Any]:
        """Return what a key is known by, and its value; InvalidArgumentError where it is not."""
        mark = marked(key)
        if mark not in self.held:
            raise InvalidArgumentError(
                f"{op}: Trying to look up non-existent key. Could not find key {key.tolist()!r} "
                f"in a map of {len(self.held)}"
            )
        return mark, self.held[mark][1]

    def __repr__(self) -> str:
        return f"<map of {len(self.held)}>"


def _map(op: str, value: Any) -> TensorMap:
    """Return a value that is a map; InvalidArgumentError for what is none."""
    if not isinstance(value, TensorMap):
        raise InvalidArgumentError(f"{op}: {value!r} is no map")
    return value


def _check(op: str, map_: TensorSpec) -> None:
    """Raise DTypeError for what cannot be a map."""
    if map_.dtype is not dtypes.variant:
        raise DTypeError(f"{op} takes a map, not {map_}")


def marked(key: Array) -> Any:
    """Return what a key is known by."""
    return key.dtype.str, key.shape, tuple(key.ravel().tolist())


class _Keyed(Op, abstract=True):
    """An operator on a map and a key, which lies in host memory."""

    differentiable = False
    aliases = True
    host = (1,)


class EmptyTensorMap(Op):
    """A map of nothing."""

    differentiable = False

    def infer(self) -> TensorSpec:
        """Return the spec of a map."""
        return MAP

    def kernel(self, xp: Xp) -> TensorMap:
        """Return the map."""
        return TensorMap({})


class TensorMapInsert(_Keyed):
    """A map with a value for a key, in the place of the one that it has."""

    def infer(
        self, map_: TensorSpec, key: TensorSpec, value: TensorSpec
    ) -> TensorSpec:
        """Return the spec of a map."""
        return MAP

    def kernel(self, xp: Xp, map_: TensorMap, key: Array, value: Any) -> TensorMap:
        """Return the other map."""
        return TensorMap({**_map(self.name, map_).held, marked(key): (key, value)})


class TensorMapLookup(_Keyed):
    """The value of a key."""

    value_dtype: DType

    def infer(self, map_: TensorSpec, key: TensorSpec) -> TensorSpec:
        """Return a spec of an unknown shape."""
        _check(self.name, map_)
        return TensorSpec(None, self.value_dtype)

    def kernel(self, xp: Xp, map_: TensorMap, key: Array) -> Any:
        """Return the value; InvalidArgumentError for keys that are not there."""
        value = _map(self.name, map_).find(self.name, key)[1]
        is_opaque = isinstance(value, Opaque)
        found = value.spec.dtype.numpy if is_opaque else value.dtype
        if found != self.value_dtype.numpy:
            raise InvalidArgumentError(
                f"{self.name}: the value is of {found}; asked for is {self.value_dtype}"
            )
        return value


class TensorMapErase(_Keyed):
    """A map without a key."""

    value_dtype: DType

    def infer(self, map_: TensorSpec, key: TensorSpec) -> TensorSpec:
        """Return the spec of a map."""
        _check(self.name, map_)
        return MAP

    def kernel(self, xp: Xp, map_: TensorMap, key: Array) -> TensorMap:
        """Return the other map; InvalidArgumentError for keys that are not there."""
        mark, _ = _map(self.name, map_).find(self.name, key)
        return TensorMap({k: held for k, held in map_.held.items() if k != mark})


class TensorMapHasKey(_Keyed):
    """Whether a key is there."""

    def infer(self, map_: TensorSpec, key: TensorSpec) -> TensorSpec:
        """Return the spec of a truth value."""
        _check(self.name, map_)
        return TensorSpec((), dtypes.bool_)

    def kernel(self, xp: Xp, map_: TensorMap, key: Array) -> Array:
        """Return it."""
        return xp.asarray(marked(key) in _map(self.name, map_).held)


class TensorMapSize(Op):
    """How many keys there are."""

    differentiable = False

    def infer(self, map_: TensorSpec) -> TensorSpec:
        """Return the spec of a number."""
        _check(self.name, map_)
        return TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, map_: TensorMap) -> Array:
        """Return it."""
        return xp.asarray(len(_map(self.name, map_).held), xp.int32)


class TensorMapStackKeys(Op):
    """All keys as the rows of a tensor."""

    differentiable = False
    key_dtype: DType

    def infer(self, map_: TensorSpec) -> TensorSpec:
        """Return a spec of an unknown shape."""
        _check(self.name, map_)
        return TensorSpec(None, self.key_dtype)

    def kernel(self, xp: Xp, map_: TensorMap) -> Array:
        """Return the keys; InvalidArgumentError where there are none, or of several shapes."""
        keys = [to_host(key) for key, _ in _map(self.name, map_).held.values()]
        if not keys or len({key.shape for key in keys}) > 1:
            raise InvalidArgumentError(
                f"{self.name}: {len(keys)} keys of the shapes {sorted({k.shape for k in keys})}; "
                "stacked are one or more of one shape"
            )
        return xp.asarray(np.stack(keys))
