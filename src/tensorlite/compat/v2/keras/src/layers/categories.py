"""Keras' layers that make rows of categories: noughts and ones, counts, bins, hashes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2 import strings
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.trainers import feeding
from tensorlite.core.dispatch import constant
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.data.dataset import Dataset
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.crossing import sparse_cross_hashed
from tensorlite.ops.sparse.dense import from_dense


def batches(data: Any, steps: int | None = None) -> Iterator[Any]:
    """Yield the batches of data as tensors, of an endless source so many; labels are left out."""
    for part in islice(_parts(data), steps):
        x = part[0] if isinstance(part, tuple) else part
        yield x if isinstance(x, Operand) else constant(np.asarray(x))


def _parts(data: Any) -> Iterator[Any]:
    if isinstance(data, (Dataset, Iterator)):
        return iter(data)
    if isinstance(data, feeding.Sequence):
        return (data[i] for i in range(len(data)))
    if isinstance(data, list) and all(len(getattr(x, "shape", ())) > 1 for x in data):
        return iter(data)
    return iter([data])


def counted(numbers: Any, depth: int, mode: str, weights: Any = None) -> Any:
    """Return categories as rows of noughts and ones, or of how often each is."""
    if mode == "one_hot":
        last = numbers.shape[-1] if len(numbers.shape) > 1 else None
        flat = tl.squeeze(numbers, axis=-1) if last == 1 else numbers
        return tl.one_hot(flat, depth, dtype=tl.float32)
    rows = tl.one_hot(numbers, depth, dtype=tl.float32)
    if weights is not None:
        rows = rows * astype(converted(weights), tl.float32)[..., None]
    if len(numbers.shape) == 0:
        return rows
    # Keras brings together what lies along the second axis, also where there are more.
    over = 1 if len(numbers.shape) > 1 else 0
    return (tl.max if mode == "multi_hot" else tl.sum)(rows, axis=over)


class CategoryEncoding(Layer):
    """Whole numbers as rows of noughts and ones, or of counts."""

    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: str = "multi_hot",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_tokens, self.output_mode = num_tokens, output_mode
        self.sparse = sparse
        checking.among("output_mode", output_mode, ("count", "one_hot", "multi_hot"))
        if num_tokens is None:
            raise InvalidArgumentError(
                "num_tokens must be set to use this layer. If the number of tokens is not known "
                "beforehand, use the IntegerLookup layer instead."
            )
        checking.positive(num_tokens=num_tokens)

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        if count_weights is not None and self.output_mode != "count":
            raise InvalidArgumentError(
                "`count_weights` is not used when `output_mode` is not `'count'`. Received: "
                f"count_weights={count_weights}"
            )
        if isinstance(inputs, RaggedTensor):  # -1 is none of the categories
            inputs = inputs.to_tensor(default_value=-1)
        numbers = astype(inputs, tl.int64)
        depth = int(self.num_tokens or 0)
        made = counted(numbers, depth, self.output_mode, count_weights)
        return from_dense(made) if self.sparse else made


def _sampled(values: Any, share: float) -> Any:
    """Return values in equal steps through the sorted ones, and how many each stands for."""
    ordered = np.sort(np.asarray(values, np.float32).reshape(-1))
    step = max(ordered.size * share, 1)
    found = ordered[int(step - 1) :: int(step)]
    return np.stack([found, np.full_like(found, step)])


def _compressed(summary: Any, share: float) -> Any:
    """Return fewer values, each of which stands for a share of all."""
    if summary.shape[1] * share < 1:
        return summary
    wanted = share + np.arange(0.0, 1.0, share)
    sums = summary[1].cumsum()
    reached = np.interp(wanted, sums / sums[-1], summary[0])
    counts = np.diff(np.interp(wanted, sums / sums[-1], sums), prepend=0.0)
    return np.stack([reached, counts]).astype(np.float32)


class Discretization(Layer):
    """The number of the bin in which each value is."""

    rows_taken = "elements"

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bin_boundaries, self.num_bins = bin_boundaries, num_bins
        self.epsilon, self.output_mode, self.sparse = epsilon, output_mode, sparse

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn bins that hold about as many values each."""
        known = np.zeros((2, 0), np.float32)
        for x in batches(data, steps):
            part = _sampled(x.numpy(), self.epsilon)
            both = np.concatenate((part, known), axis=1)
            known = _compressed(both[:, np.argsort(both[0])], self.epsilon)
        bins = _compressed(known, 1.0 / int(self.num_bins or 1))
        self.bin_boundaries = bins[0, :-1].tolist()

    def call(self, inputs: Any) -> Any:
        edges = tl.asarray(list(self.bin_boundaries), dtype=tl.float32)
        x = astype(inputs, tl.float32)
        found = tl.sum(astype(x[..., None] >= edges, tl.int64), axis=-1)
        if self.output_mode == "int":
            return astype(found, tl.int32)
        made = counted(found, len(self.bin_boundaries) + 1, self.output_mode)
        return from_dense(made) if self.sparse else made


class Hashing(Layer):
    """The number of a bin for each thing, by a hash of it."""

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_bins, self.mask_value, self.output_mode = (
            num_bins,
            mask_value,
            output_mode,
        )
        self.salt = [salt, salt] if isinstance(salt, int) else salt
        self.sparse = sparse

    def call(self, inputs: Any) -> Any:
        inputs = inputs if hasattr(inputs, "dtype") else tl.asarray(inputs)
        terms = inputs if inputs.dtype is tl.string else strings.as_string(inputs)
        bins = self.num_bins - (self.mask_value is not None)
        if self.salt is None:
            found = strings.to_hash_bucket_fast(terms, bins)
        else:
            found = strings.to_hash_bucket_strong(terms, bins, self.salt)
        if self.mask_value is not None:
            masked = inputs == self.mask_value
            found = tl.where(masked, tl.zeros_like(found), found + 1)
        if self.output_mode == "int":
            return found
        made = counted(found, self.num_bins, self.output_mode)
        return from_dense(made) if self.sparse else made


class HashedCrossing(Layer):
    """The number of a bin for each pair of things, by a hash of both."""

    def __init__(
        self,
        num_bins: int,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if output_mode not in {"int", "one_hot"}:
            raise InvalidArgumentError(
                f"HashedCrossing: output_mode={output_mode!r}; it is 'int' or 'one_hot'"
            )
        super().__init__(**kwargs)
        self.num_bins, self.output_mode, self.sparse = num_bins, output_mode, sparse

    def call(self, inputs: Any) -> Any:
        given = [converted(x) for x in inputs]
        first = given[0].shape
        if len(first) > 2 or (len(first) == 2 and first[-1] != 1):
            raise ShapeError(
                "All `HashedCrossing` inputs should have shape `()`, `(batch_size)` or "
                f"`(batch_size, 1)`. Received: {[x.shape for x in given]}"
            )
        columns = [tl.reshape(x, (-1, 1)) for x in given]
        crossed = tl.sparse.to_dense(sparse_cross_hashed(columns, self.num_bins))
        found = tl.reshape(crossed, tl.shape(given[0]))
        if self.output_mode == "int":
            return found
        made = counted(found, self.num_bins, self.output_mode)
        return from_dense(made) if self.sparse else made
