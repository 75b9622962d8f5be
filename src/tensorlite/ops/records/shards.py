"""A task's part of a checkpoint, written and read where it lies; queues as arrays and back.

The files are storage.py's, the manifest that makes one checkpoint of the shards manifests.py's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import InvalidArgumentError, StructureError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.queues.contents import QueueState
from tensorlite.ops.records import manifests, storage
from tensorlite.ops.records.saving import check_path, check_stored


class SaveShard(Op):
    """Writes tensors to one file, when it runs; its size and the digest of it come back.

    The file's name is the prefix given and `suffix`. It is part of no checkpoint until a manifest
    says so.
    """

    effect = Effect.IO
    differentiable = False
    host = (0,)
    entries: tuple[str, ...]
    suffix: str

    def infer(
        self, prefix: TensorSpec, *tensors: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs of size and digest; DTypeError when the prefix is no string."""
        check_path(prefix)
        return TensorSpec((), dtypes.int64), TensorSpec((32,), dtypes.uint8)

    def kernel(self, xp: Xp, prefix: Array, *tensors: Array) -> tuple[Array, ...]:
        """Write the file."""
        named = zip(self.entries, tensors, strict=True)
        arrays = {name: to_host(tensor) for name, tensor in named}
        written = storage.write_payload(Path(f"{prefix.item()}{self.suffix}"), arrays)
        digest = np.frombuffer(bytes.fromhex(written.sha256), np.uint8)
        return xp.asarray(np.asarray(written.bytes, np.int64)), xp.asarray(digest)


class RestoreShard(Op):
    """Tensors of a checkpoint, or some rows of them, from whichever of its shards they lie in."""

    effect = Effect.IO
    differentiable = False
    host = (0,)
    tensor_names: tuple[str, ...]
    first_rows: tuple[int, ...]
    """The first row wanted of each tensor; -1: all of it."""
    specs: tuple[TensorSpec, ...]

    def infer(self, path: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs asked for; DTypeError when the path is no string."""
        check_path(path)
        return self.specs

    def kernel(self, xp: Xp, path: Array) -> tuple[Array, ...]:
        """Read the files; CheckpointError when a tensor is absent or of another spec."""
        found = manifests.contents(path.item())
        wanted = []
        for name, first, spec in zip(
            self.tensor_names, self.first_rows, self.specs, strict=True
        ):
            there = found.specs
            count = 0 if first < 0 else spec.dims[0] or 0
            if first >= 0 and name in there:
                there[name] = _some_rows(there[name], first, count)
            check_stored(there, name, spec)
            wanted.append((name, first, count))
        return tuple([xp.asarray(x) for x in manifests.read_rows(found, wanted)])


def _some_rows(spec: TensorSpec, first: int, count: int) -> TensorSpec:
    """Return the spec of as many rows from `first` as there are of `count`."""
    rows, *rest = spec.dims or (0,)
    return spec.with_shape((max(min(count, (rows or 0) - first), 0), *rest))


class QueueContent(Op):
    """What is in a queue, one array with a first axis for each component; it stays in."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the components' specs with a new axis; they must be of known shapes."""
        for spec in handle.inner:
            if spec.shape is None or None in spec.shape:
                raise InvalidArgumentError(
                    f"QueueContent: a component of the queue is {shape_text(spec.shape)}; only "
                    "queues whose elements are of one shape can be saved"
                )
        return tuple([spec.with_shape((None, *spec.dims)) for spec in handle.inner])

    def kernel(self, xp: Xp, handle: QueueState) -> tuple[Array, ...]:
        """Return the elements, in the order in which they would come out."""
        return handle.batch(handle.content())


class QueueRefill(Op):
    """Makes the rows of arrays the only elements of a queue."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec, *rows: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing; StructureError unless there is an array for each component."""
        if len(rows) != len(handle.inner):
            raise StructureError(
                f"QueueRefill: {len(rows)} arrays for a queue of {len(handle.inner)} components"
            )
        return ()

    def kernel(self, xp: Xp, handle: QueueState, *rows: Array) -> tuple[Array, ...]:
        """Replace the elements; InvalidArgumentError when the queue holds fewer."""
        handle.refill(rows)
        return ()
