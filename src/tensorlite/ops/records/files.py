"""Whole files as strings: reading, writing, and finding them by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from glob import glob
from pathlib import Path

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError, NotFoundError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.fetchable import Fetchable, effect
from tensorlite.ops.strings.joining import as_bytes, as_text

__all__: list[str] = []


def contents(path: str) -> bytes:
    """Return what a file holds; NotFoundError if it is not there."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{path}; No such file or directory") from None


def matching(patterns: Iterable[str], recursive: bool = False) -> list[str]:
    """Return the names of the files that match patterns, sorted, each once.

    As in TensorFlow names begin with './' where a pattern names no folder before it is open.
    """
    found = set[str]()
    for pattern in patterns:
        known, *is_open = re.split(r"[*?\[]", pattern, maxsplit=1)
        here = "./" if is_open and "/" not in known else ""
        found.update(here + name for name in glob(pattern, recursive=recursive))  # noqa: PTH207
    return sorted(found)


class ReadFile(Op):
    """What a file holds."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self, filename: TensorSpec) -> TensorSpec:
        """Return a 0-d string."""
        if filename.dtype is not dtypes.string or filename.rank not in (0, None):
            raise DTypeError(f"read_file takes the name of one file, not {filename}")
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, filename: Array) -> Array:
        """Return the bytes."""
        out = np.empty((), object)
        out[()] = contents(as_text(filename.item()))
        return out


class WriteFile(Op):
    """Makes a file, and the folders around it."""

    effect = Effect.IO
    differentiable = False

    def infer(self, filename: TensorSpec, data: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        for x in (filename, data):
            if x.dtype is not dtypes.string or x.rank not in (0, None):
                raise DTypeError(f"write_file takes a name and one string, not {x}")
        return ()

    def kernel(self, xp: Xp, filename: Array, data: Array) -> tuple[Array, ...]:
        """Write the bytes."""
        path = Path(as_text(filename.item()))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(data.item()))
        return ()


class MatchingFiles(Op):
    """The names of the files that match patterns."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self, pattern: TensorSpec) -> TensorSpec:
        """Return a vector of strings."""
        if pattern.dtype is not dtypes.string:
            raise DTypeError(f"matching_files takes strings, not {pattern}")
        return TensorSpec((None,), dtypes.string)

    def kernel(self, xp: Xp, pattern: Array) -> Array:
        """Return the names, sorted."""
        names = matching([as_text(x) for x in pattern.ravel().tolist()])
        out = np.empty(len(names), object)
        out[:] = [name.encode() for name in names]
        return out


def read_file(filename: TensorLike) -> Tensor:
    """Return what a file holds, as a 0-d string; NotFoundError if it is not there.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> tl.io.write_file(path, "text")
    >>> print(tl.io.read_file(path))
    b'text'
    """
    return call(ReadFile(), filename)


def write_file(filename: TensorLike, data: TensorLike) -> Fetchable:
    """Make a file that holds a string, and the folders around it; an older one goes.

    >>> import tempfile, os
    >>> tl.io.write_file(os.path.join(tempfile.mkdtemp(), "new", "a.txt"), "text")
    """
    return effect(WriteFile(), filename, data)


def matching_files(pattern: TensorLike) -> Tensor:
    """Return the names of the files that match a pattern or several, sorted.

    >>> print(tl.io.matching_files("/no such folder/*"))
    []
    """
    return call(MatchingFiles(), pattern)
