"""Tables whose buckets lie one beside the other, two of whose keys stand for none and for one gone.

Where a key lies is TensorFlow's choice, too, since checkpoints have the buckets as they lie. Tables
of other kinds are in tables.py, with the operators that read and change them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.state.making import Making
from tensorlite.ops.state.tables import TableState, array_of, key_rows, values_of
from tensorlite.ops.strings.hashing import hash64
from tensorlite.ops.strings.joining import as_bytes

__all__: list[str] = []

_ALL = 2**64 - 1
_NO_KEYS = ("empty_key", "deleted_key")
BUCKETS = 2**17
"""How many buckets a table has if nobody says."""
LOAD = 0.8
"""Which part of the buckets may be full."""


class DenseState(TableState):
    """A table as buckets: `slots` are the keys in them, by their numbers; others are empty."""

    def __init__(
        self,
        name: str,
        inner: tuple[TensorSpec, ...],
        no_keys: tuple[Any, Any],
        buckets: int,
        load: float,
    ) -> None:
        super().__init__(name, inner, {})
        self.empty, self.deleted = no_keys
        self.reserved = dict(zip(_NO_KEYS, no_keys, strict=True))
        self.buckets, self.load_factor = buckets, load
        self.slots: dict[int, Any] = {}
        self.values: dict[int, Any] = {}
        """What lies beside keys; that of one that is gone stays."""
        self.count = 0

    def begin(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Have these pairs and no others."""
        with self.lock:
            self.held, self.slots, self.values, self.count = {}, {}, {}, 0
            self.put(list(pairs))

    def size(self) -> int:
        """Return how many buckets have keys."""
        return self.count

    def put(self, pairs: Sequence[tuple[Any, Any]]) -> None:
        """Put values of keys in, among more buckets where these would be too full."""
        wanted = self.count + len(pairs)
        buckets = self.buckets
        while wanted > buckets * self.load_factor:
            buckets *= 2
        if buckets != self.buckets:
            self._move(buckets)
        for key, value in pairs:
            self._put(key, value)
        assert self.held is not None
        self.held = {**self.held, **dict(pairs)}

    def _move(self, buckets: int) -> None:
        before = sorted(self.slots.items())
        values = self.values
        self.buckets, self.slots, self.values, self.count = buckets, {}, {}, 0
        for at, key in before:
            if key != self.deleted:
                self._put(key, values[at])

    def _put(self, key: Any, value: Any) -> None:
        for at in self._asked(key):
            known = self.slots.get(at, self.empty)
            if known in (key, self.empty, self.deleted):
                self.count += known != key
                self.slots[at], self.values[at] = key, value
                return

    def take(self, keys: Sequence[Any]) -> None:
        """Take keys out, whose buckets are then those of keys that are gone."""
        for key in keys:
            at = self._found(key)
            if at is None:
                continue
            self.slots[at] = self.deleted
            self.count -= 1
            before = self._found(key)  # one that was put in twice is there once more
            self.held = {k: v for k, v in self.read_all().items() if k != key}
            if before is not None:
                self.held[key] = self.values[before]

    def _found(self, key: Any) -> int | None:
        for at in self._asked(key):
            known = self.slots.get(at, self.empty)
            if known == key:
                return at
            if known == self.empty:
                return None
        return None

    def _asked(self, key: Any) -> Iterator[int]:
        """Yield the numbers of the buckets in which a key may lie, in order."""
        at = _hash(key) & self.buckets - 1
        for step in range(1, self.buckets + 1):
            yield at
            at = at + step & self.buckets - 1

    def exported(self) -> tuple[Array, Array]:
        """Return the keys and values of all buckets, as rows."""
        keys, values = self.spec.inner
        sizes = [prod(key_rows(spec)) for spec in (keys, values)]
        blank: Any = b"" if values.dtype is dtypes.string else 0
        none = blank if not key_rows(values) else (blank,) * sizes[1]
        places = range(self.buckets)
        lying = [self.slots.get(i, self.empty) for i in places]
        beside = [self.values.get(i, none) for i in places]
        shape = (self.buckets,)
        every = array_of(lying, keys.dtype, shape, key_rows(keys))
        rows = array_of(beside, values.dtype, shape, key_rows(values))
        return every.reshape(-1, sizes[0]), rows.reshape(-1, sizes[1])

    def load(self, keys: Array, values: Array) -> None:
        """Have the buckets that rows of keys and values are, and no others."""
        own = self.spec.inner
        lying = values_of(keys, key_rows(own[0]))
        beside = values_of(values, key_rows(own[1]))
        if len(lying) < 4 or len(lying) & len(lying) - 1:
            raise InvalidArgumentError(
                f"{self.name!r}: {len(lying)} buckets are no power of 2 of 4 or more; allowed is "
                "what the export of such a table gave"
            )
        with self.lock:
            pairs = list(zip(lying, beside, strict=True))
            self.buckets = len(lying)
            self.slots = {i: k for i, (k, _) in enumerate(pairs) if k != self.empty}
            self.values = {i: pairs[i][1] for i in self.slots}
            none = (self.empty, self.deleted)
            self.held = {k: v for k, v in pairs if k not in none}
            self.count = sum(k not in none for k, _ in pairs)


def _hash(key: Any) -> int:
    if not isinstance(key, tuple):
        return _hash_of_one(key)
    if len(key) == 1:
        return _hash_of_one(key[0])
    found = 0
    for one in key:
        mixed = _hash_of_one(one) + 0x9E3779B97F4A7800 + (found << 10) + (found >> 4)
        found ^= mixed & _ALL
    return found


def _hash_of_one(key: Any) -> int:
    return hash64(key) if isinstance(key, bytes) else int(key) & _ALL


class MutableDenseHashTableV2(Making):
    """Makes a table that changes, whose keys may be arrays; two of them are no keys.

    In graphs these two are inputs as well, as they are in TensorFlow's.
    """

    key_dtype: DType
    value_dtype: DType
    empty_key: tuple[str, ...]
    """The elements of the first that is no key, as texts."""
    deleted_key: tuple[str, ...]
    key_shape: tuple[int, ...] = ()
    value_shape: tuple[int, ...] = ()
    initial_num_buckets: int = BUCKETS
    max_load_factor: float = LOAD

    def infer(self, *no_keys: TensorSpec) -> TensorSpec:
        """Return the spec of the handle; InvalidArgumentError for buckets that cannot be."""
        dtype, most = self.key_dtype, self.initial_num_buckets
        if dtype is not dtypes.string and not (dtype.is_integer or dtype.is_floating):
            raise InvalidArgumentError(
                f"{self.name}: keys of {dtype.name}; allowed are strings and real numbers"
            )
        if most < 4 or most & most - 1:
            raise InvalidArgumentError(
                f"{self.name}: Number of buckets must be at least 4 and a power of 2, got: {most}"
            )
        if len(no_keys) == len(_NO_KEYS) and self.empty_key == self.deleted_key:
            raise InvalidArgumentError(
                f"{self.name}: Empty and deleted keys cannot be equal; both are {self.empty_key}"
            )
        return super().infer()

    def kernel(self, xp: Xp, *no_keys: Array) -> Any:
        """Return the table."""
        return super().kernel(xp)

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the specs of one key and of one value."""
        value = TensorSpec(self.value_shape, self.value_dtype)
        return TensorSpec(self.key_shape, self.key_dtype), value

    def fresh(self, xp: Xp) -> TableState:
        """Return a new table."""
        given = [self.no_key(kind) for kind in _NO_KEYS]
        empty, deleted = [values_of(x, self.key_shape)[0] for x in given]
        sizes = self.initial_num_buckets, self.max_load_factor
        made = DenseState(self.label, self.inner(), (empty, deleted), *sizes)
        made.maker = self
        return made

    def no_key(self, kind: str) -> Array:
        """Return one of the two, "empty_key" or "deleted_key"."""
        texts: tuple[str, ...] = getattr(self, kind)
        found: list[Any] = [as_bytes(x) for x in texts]
        if self.key_dtype is not dtypes.string:
            read = int if self.key_dtype.is_integer else float
            found = [read(x) for x in texts]
        return array_of(found, self.key_dtype, self.key_shape)
