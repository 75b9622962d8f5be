"""Operators on strings, as TensorFlow's graphs have them: joined, matched; names of files."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.xp import Array, Xp

__all__: list[str] = []


def as_bytes(text: str | bytes) -> bytes:
    """Return a string as bytes."""
    return text if isinstance(text, bytes) else text.encode()


def as_text(text: str | bytes) -> str:
    """Return a string as text."""
    return text if isinstance(text, str) else text.decode(errors="surrogateescape")


def _strings(op: Op, *xs: TensorSpec) -> None:
    for x in xs:
        if x.dtype is not dtypes.string:
            raise DTypeError(f"{op.name} takes strings, not {x}")


class StringJoin(Op):
    """Strings put one behind the other, element by element."""

    differentiable = False
    separator: str = ""

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return the shape that all broadcast to."""
        _strings(self, *xs)
        return TensorSpec(broadcast(*[x.shape for x in xs]), dtypes.string)

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the strings, as bytes."""
        between = self.separator.encode()
        joined = np.frompyfunc(lambda *x: between.join(map(as_bytes, x)), len(xs), 1)
        return np.asarray(joined(*xs), object)


class StaticRegexFullMatch(Op):
    """Whether a pattern matches the whole of each string."""

    differentiable = False
    pattern: str

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype bool."""
        _strings(self, x)
        return x.with_dtype(dtypes.bool_)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the answers."""
        matches = _pattern(self.pattern).fullmatch
        found = np.frompyfunc(lambda text: matches(as_text(text)) is not None, 1, 1)
        return np.asarray(found(x), np.bool_)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.DOTALL)
    except re.error as error:
        raise InvalidArgumentError(
            f"{text!r} is no regular expression: Invalid pattern: {error}"
        ) from None


class ShardedFilename(Op):
    """The name of one of several files: base-00001-of-00003."""

    differentiable = False

    def infer(
        self, basename: TensorSpec, shard: TensorSpec, num_shards: TensorSpec
    ) -> TensorSpec:
        """Return a 0-d string."""
        _strings(self, basename)
        return TensorSpec((), dtypes.string)

    def kernel(
        self, xp: Xp, basename: Array, shard: Array, num_shards: Array
    ) -> Array:
        """Return the name."""
        base = as_text(basename.item())
        name = f"{base}-{int(shard):05d}-of-{int(num_shards):05d}"
        return np.asarray(name.encode(), object)
