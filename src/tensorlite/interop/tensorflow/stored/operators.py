"""Operators of a graph that save to TensorFlow's checkpoints, and restore from them.

They have the inputs of TensorFlow's: names and slices are tensors. How the formats look is not
known here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import CheckpointError, DTypeError, InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.interop.tensorflow.stored.bundle_writing import Saved, merge_bundles
from tensorlite.interop.tensorflow.stored.checkpoints import (
    FIRST,
    SECOND,
    CheckpointReader,
    write_saved,
)
from tensorlite.interop.tensorflow.stored.slices import Asked, asked


class SaveTensors(Op):
    """Writes tensors to a checkpoint: path, names, slices, and then the tensors."""

    effect = Effect.IO
    differentiable = False
    host = (0, 1, 2)
    version: int = SECOND

    def infer(
        self,
        path: TensorSpec,
        names: TensorSpec,
        parts: TensorSpec,
        *tensors: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError when paths, names or slices are no strings."""
        _check(path, names, parts)
        _check_count(names, len(tensors))
        return ()

    def kernel(
        self, xp: Xp, path: Array, names: Array, parts: Array, *tensors: Array
    ) -> tuple[Array, ...]:
        """Write the files."""
        listed = _listed(names, parts, len(tensors))
        saved = [
            Saved(name, to_host(x), part)
            for (name, part), x in zip(listed, tensors, strict=True)
        ]
        write_saved(_text(path), saved, self.version)
        return ()


class RestoreTensors(Op):
    """The tensors of a checkpoint: path, names, slices."""

    effect = Effect.IO
    differentiable = False
    host = (0, 1, 2)
    dtypes: tuple[DType, ...]

    def infer(
        self, path: TensorSpec, names: TensorSpec, parts: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return specs of the dtypes asked for; DTypeError when an input is no string."""
        _check(path, names, parts)
        _check_count(names, len(self.dtypes))
        return tuple([TensorSpec(None, x) for x in self.dtypes])

    def kernel(
        self, xp: Xp, path: Array, names: Array, parts: Array
    ) -> tuple[Array, ...]:
        """Read the files; NotFoundError when a tensor is absent, DTypeError if of another."""
        reader = CheckpointReader(_text(path))
        known = reader.get_variable_to_dtype_map()
        found = []
        listed = _listed(names, parts, len(self.dtypes))
        for (name, part), dtype in zip(listed, self.dtypes, strict=True):
            if name in reader and known[name] is not dtype:
                raise DTypeError(
                    f"{name!r} is of {known[name].name} in the checkpoint {reader.prefix}, and is "
                    f"asked for as {dtype.name}"
                )
            found.append(xp.asarray(_read(reader, name, part)))
        return tuple(found)


def _read(reader: CheckpointReader, name: str, part: Asked | None) -> Array:
    if part is None:
        return reader[name]
    if (
        name in reader
        and tuple(reader.get_variable_to_shape_map()[name]) != part.shape
    ):
        raise CheckpointError(
            f"{name!r} has the shape {reader.get_variable_to_shape_map()[name]} in the checkpoint "
            f"{reader.prefix}, and a slice of {list(part.shape)} is asked for"
        )
    return reader.get_slice(name, part.part)


class MergeCheckpoints(Op):
    """Makes one checkpoint of several, whose paths are the first input."""

    effect = Effect.IO
    differentiable = False
    host = (0, 1)
    delete_old_dirs: bool = True
    allow_missing_files: bool = False

    def infer(
        self, prefixes: TensorSpec, destination: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError when paths are no strings."""
        _check(prefixes, destination)
        return ()

    def kernel(
        self, xp: Xp, prefixes: Array, destination: Array
    ) -> tuple[Array, ...]:
        """Rename the shards, and put the indexes together."""
        merge_bundles(
            [_decoded(x) for x in prefixes.ravel()],
            _text(destination),
            not self.allow_missing_files,
            self.delete_old_dirs,
        )
        return ()


def _check(*given: TensorSpec) -> None:
    for spec in given:
        if spec.dtype is not dtypes.string:
            raise DTypeError(f"paths, names and slices are strings, not {spec}")


def _check_count(names: TensorSpec, count: int) -> None:
    if names.size is not None and names.size != count:
        raise InvalidArgumentError(
            f"{names.size} names are given for {count} tensors"
        )


def _listed(
    names: Array, parts: Array, count: int
) -> Sequence[tuple[str, Asked | None]]:
    if not len(names.ravel()) == len(parts.ravel()) == count:
        raise InvalidArgumentError(
            f"{names.size} names and {parts.size} slices are given for {count} tensors"
        )
    return [
        (_decoded(name), asked(_decoded(part)))
        for name, part in zip(names.ravel(), parts.ravel(), strict=True)
    ]


def _text(path: Array) -> str:
    if path.size != 1:
        raise InvalidArgumentError(f"a checkpoint has one path, not {path.size}")
    return os.fsdecode(path.item())


def _decoded(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode(errors="surrogateescape")


__all__ = ["FIRST", "SECOND", "MergeCheckpoints", "RestoreTensors", "SaveTensors"]
