"""Gradients of replicas, added up in buckets, each as soon as its members are there.

The operators that this is made of are all_reduce_op.py's, so that it works in traces.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from tensorlite.core.dispatch import call
from tensorlite.core.op import Gradient
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.distributed.collectives.all_reduce_op import Bucket, gathered, reduced
from tensorlite.distributed.collectives.meetings import Members
from tensorlite.ops.arrays.shape import reshape

LIMIT = 25_000_000
"""Bytes of a bucket: enough for the links to be used well, few enough to begin early."""


def buckets(specs: Sequence[TensorSpec], limit_bytes: int = LIMIT) -> list[list[int]]:
    """Return the positions of tensors to be reduced together, each bucket of one dtype.

    The last come first, since the backward pass has their gradients first. What has no fixed
    shape, or is as large as a bucket, is alone.

    >>> specs = [tl.TensorSpec((n,)) for n in (50, 10, 20, 30)]
    >>> buckets(specs, limit_bytes=240)
    [[3, 2, 1], [0]]
    """
    found: list[list[int]] = []
    room: dict[Any, tuple[list[int], int]] = {}
    for i in reversed(range(len(specs))):
        spec = specs[i]
        size = spec.size
        if size is None:
            found.append([i])
            continue
        nbytes = size * spec.dtype.itemsize
        bucket, left = room.get(spec.dtype, ([], 0))
        if not bucket or nbytes > left:
            bucket, left = [], max(limit_bytes, nbytes)
            found.append(bucket)
        bucket.append(i)
        room[spec.dtype] = bucket, left - nbytes
    return found


def all_reduce_gradients(
    gradients: Sequence[Gradient],
    members: Members,
    key: str = "gradients",
    op: str = "mean",
    limit_bytes: int = LIMIT,
    algorithm: str = "auto",
    deterministic: bool = False,
) -> list[Gradient]:
    """Return the mean (or sum) over all members of each gradient, in the same order.

    None stays None, on all members alike. Of IndexedSlices the rows of all are gathered, not
    made dense.

    >>> members = Members(("/device:CPU:0",), 0)
    >>> means = all_reduce_gradients([tl.ones(2), None, tl.ones((1, 3))], members)
    >>> [None if x is None else x.shape for x in means]
    [(2,), None, (1, 3)]
    """
    found: list[Gradient] = [None] * len(gradients)
    dense = [(i, g) for i, g in enumerate(gradients) if isinstance(g, Tensor)]
    packed = buckets([g.spec for _, g in dense], limit_bytes)
    for number, bucket in enumerate(packed):
        taken = [dense[at] for at in bucket]
        flat = _flat([g for _, g in taken])
        total = reduced(
            flat, members, f"{key}/{number}", op, algorithm, deterministic
        )
        for (i, _), part in zip(taken, _parted(total, taken), strict=True):
            found[i] = part
    for i, g in enumerate(gradients):
        if isinstance(g, IndexedSlices):
            found[i] = _rows(g, members, f"{key}/rows {i}", op)
    return found


def _flat(gradients: Sequence[Tensor]) -> Tensor:
    """Return gradients as one; a single one as it is."""
    if len(gradients) == 1:
        return gradients[0]
    return call(Bucket(len(gradients)), *[reshape(g, (-1,)) for g in gradients], 0)


def _parted(total: Tensor, taken: Sequence[tuple[int, Tensor]]) -> list[Tensor]:
    """Return the parts of what `_flat` has made one."""
    if len(taken) == 1:
        return [total]
    sizes = [g.spec.size or 0 for _, g in taken]
    ends = accumulate(sizes)
    return [
        reshape(total[end - size : end], g.shape)
        for end, size, (_, g) in zip(ends, sizes, taken, strict=True)
    ]


def _rows(g: IndexedSlices, members: Members, key: str, op: str) -> IndexedSlices:
    """Return the rows of all members; equal ones are added up by whoever uses them."""
    values = gathered(g.values, members, f"{key}, values")
    if op == "mean":
        values = values / len(members.tasks)
    indices = gathered(g.indices, members, f"{key}, indices")
    return IndexedSlices(values, indices, g.dense_shape)
