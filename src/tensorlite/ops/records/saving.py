"""SaveV2 and RestoreV2: checkpoints of one file as operators of a graph.

Checkpoints of many files are in shards.py, the files in storage.py, manifests in manifests.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import CheckpointError, DTypeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.fetchable import Fetchable, effect
from tensorlite.ops.records import manifests


class SaveV2(Op):
    """Writes tensors under names to the checkpoint at a path, when it runs."""

    effect = Effect.IO
    differentiable = False
    host = (0,)
    tensor_names: tuple[str, ...]

    def infer(self, path: TensorSpec, *tensors: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError when the path is no string."""
        check_path(path)
        return ()

    def kernel(self, xp: Xp, path: Array, *tensors: Array) -> tuple[Array, ...]:
        """Write the files."""
        named = zip(self.tensor_names, tensors, strict=True)
        manifests.write(
            _text(path), {name: to_host(tensor) for name, tensor in named}
        )
        return ()


class RestoreV2(Op):
    """The tensors of a checkpoint that bear the names asked for."""

    effect = Effect.IO
    differentiable = False
    host = (0,)
    tensor_names: tuple[str, ...]
    specs: tuple[TensorSpec, ...]

    def infer(self, path: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs asked for; DTypeError when the path is no string."""
        check_path(path)
        return self.specs

    def kernel(self, xp: Xp, path: Array) -> tuple[Array, ...]:
        """Read the files; CheckpointError when a tensor is absent or of another spec."""
        found = manifests.contents(_text(path))
        for name, spec in zip(self.tensor_names, self.specs, strict=True):
            check_stored(found.specs, name, spec)
        wanted = [(name, -1, 0) for name in self.tensor_names]
        return tuple([xp.asarray(x) for x in manifests.read_rows(found, wanted)])


def _text(path: Array) -> str:
    found = path.item()
    return found if isinstance(found, str) else os.fsdecode(found)


def check_path(path: TensorSpec) -> None:
    """Raise DTypeError when a path is no string."""
    if path.dtype is not dtypes.string or path.shape not in ((), None):
        raise DTypeError(f"a checkpoint's path is a 0-d string, not {path}")


def check_stored(
    found: Mapping[str, TensorSpec], name: str, spec: TensorSpec
) -> None:
    """Raise CheckpointError unless what was found has a tensor of that name and spec."""
    if name not in found:
        raise CheckpointError(
            f"the checkpoint has no {name!r}; it has: {', '.join(found)}"
        )
    if not spec.accepts(found[name]):
        raise CheckpointError(
            f"{name!r} is {found[name]} in the checkpoint, not {spec}"
        )


def save(path: TensorLike, tensors: Mapping[str, TensorLike]) -> Fetchable:
    """Write named tensors to the checkpoint at `path`, in a trace when the function runs.

    In a `tl.Graph` the node comes back that a session fetches to write; elsewhere nothing does.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "two")
    >>> tl.checkpoint.save(path, {"a": tl.ones(2)})
    >>> print(tl.checkpoint.load(path)["a"])
    [1. 1.]
    """
    return effect(SaveV2(tuple(tensors)), path, *tensors.values())


def restore(path: TensorLike, specs: Mapping[str, TensorSpec]) -> dict[str, Tensor]:
    """Return the named tensors of a checkpoint; CheckpointError when one is absent or differs.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "two")
    >>> tl.checkpoint.save(path, {"a": tl.ones(2)})
    >>> print(tl.checkpoint.restore(path, {"a": tl.TensorSpec((None,), tl.float32)})["a"])
    [1. 1.]
    """
    outputs = calls(RestoreV2(tuple(specs), tuple(specs.values())), path)
    return dict(zip(specs, outputs, strict=True))


def load(path: str) -> dict[str, Tensor]:
    """Return every tensor of a checkpoint by name, now; CheckpointError when it is torn.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "one")
    >>> tl.checkpoint.save(path, {"a": tl.ones(2)})
    >>> sorted(tl.checkpoint.load(path))
    ['a']
    """
    return restore(path, manifests.contents(path).specs)


def describe(path: str) -> str:
    """Return a checkpoint's tensors as a table: name, dtype, shape.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "one")
    >>> tl.checkpoint.save(path, {"a": tl.ones(2)})
    >>> print(tl.checkpoint.describe(path))
    a: float32[2]
    """
    specs = manifests.contents(path).specs
    rows = [f"{n}: {x.dtype.name}{shape_text(x.shape)}" for n, x in specs.items()]
    return "\n".join(rows) or "no tensors"
