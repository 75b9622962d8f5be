"""Keras' layers that make rows of categories: noughts and ones, counts, hashes.

Bins that are learnt stand in bins.py, vocabularies in lookups.py.
"""

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
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.data.dataset import Dataset
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.crossing import sparse_cross_hashed
from tensorlite.ops.sparse.dense import from_dense, to_dense
from tensorlite.ops.sparse.tensor import SparseTensor

_OF_ROWS = ("one_hot", "multi_hot", "count")


def as_terms(x: Any) -> Any:
    """Return a value as a tensor, unless it is a ragged or sparse one already."""
    return x if isinstance(x, (RaggedTensor, SparseTensor)) else converted(x)


def is_of_batches(data: Any) -> bool:
    """Whether data are batches, one after the other, rather than one array of all rows."""
    if isinstance(data, (Dataset, Iterator, feeding.Sequence)):
        return True
    return isinstance(data, list) and all(
        isinstance(x, tuple) or len(getattr(x, "shape", ())) > 1 for x in data
    )


def batches(data: Any, steps: int | None = None) -> Iterator[Any]:
    """Yield the batches of data as tensors, of an endless source so many; labels are left out."""
    for part in islice(_parts(data), steps):
        x = part[0] if isinstance(part, tuple) else part
        yield x if isinstance(x, Operand) else constant(np.asarray(x))


def _parts(data: Any) -> Iterator[Any]:
    if isinstance(data, feeding.Sequence):
        return (data[i] for i in range(len(data)))
    return iter(data if is_of_batches(data) else [data])


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


def encoded(
    numbers: Any,
    depth: int,
    mode: str,
    dtype: Any,
    sparse: bool = False,
    weights: Any = None,
    scales: Any = None,
) -> Any:
    """Return categories in the form that an output mode says, each times its scale if any.

    Places that rows have no number at, of ragged and sparse tensors, count as none.
    """
    if mode == "int" and isinstance(numbers, SparseTensor):
        values = astype(numbers.values, as_dtype(dtype))
        return SparseTensor(numbers.indices, values, numbers.dense_shape)
    if mode == "int":
        return astype(numbers, as_dtype(dtype))
    if isinstance(numbers, RaggedTensor):  # -1 is none of the categories
        numbers = numbers.to_tensor(default_value=-1)
    if isinstance(numbers, SparseTensor):
        numbers = to_dense(numbers, -1)
    if isinstance(weights, SparseTensor):
        weights = to_dense(weights)
    counts = counted(astype(numbers, tl.int64), depth, mode, weights)
    made = astype(counts, as_dtype(dtype))
    if scales is not None:
        made = made * constant(np.asarray(scales), dtype=as_dtype(dtype))
    return from_dense(made) if sparse else made


def check_sparse(sparse: bool, output_mode: str) -> None:
    """Refuse sparse results where these are numbers, not rows."""
    if sparse and output_mode == "int":
        raise InvalidArgumentError(
            "`sparse` may only be true if `output_mode` is `'one_hot'`, `'multi_hot'`, `'count'` "
            f"or `'tf_idf'`. Received: sparse={sparse} and output_mode={output_mode}"
        )


def salt_of(salt: Any, owner: str) -> list[int]:
    """Return the two numbers that a hash is salted with, of one number or two."""
    if isinstance(salt, int):
        return [salt, salt]
    if isinstance(salt, (list, tuple)) and len(salt) == 2:
        return list(salt)
    raise InvalidArgumentError(
        f"The `salt` argument for `{owner}` can only be a tuple of size 2 integers, or a single "
        f"integer. Received: salt={salt}."
    )


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
        self.num_tokens, self.sparse = num_tokens, sparse
        self.output_mode = "multi_hot" if output_mode == "binary" else output_mode
        if self.output_mode not in _OF_ROWS:
            raise InvalidArgumentError(
                f"Unknown arg for output_mode: {output_mode}; it is one of {_OF_ROWS}"
            )
        if num_tokens is None:
            raise InvalidArgumentError(
                "num_tokens must be set to use this layer. If the number of tokens is not known "
                "beforehand, use the IntegerLookup layer instead."
            )
        if num_tokens < 1:
            raise InvalidArgumentError(
                f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}."
            )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what a call on such a shape returns."""
        shape = tuple(input_shape)
        if self.output_mode == "one_hot" and (len(shape) < 2 or shape[-1] != 1):
            return (*shape, self.num_tokens)
        return (*shape[:-1], self.num_tokens)

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        if count_weights is not None and self.output_mode != "count":
            raise InvalidArgumentError(
                "`count_weights` is not used when `output_mode` is not `'count'`. Received: "
                f"count_weights={count_weights}"
            )
        depth, mode = int(self.num_tokens or 0), self.output_mode
        numbers, weights = as_terms(inputs), count_weights
        return encoded(numbers, depth, mode, self.dtype, self.sparse, weights)


class Hashing(Layer):
    """The number of a bin for each thing, by a hash of it."""

    keeps_sparse = True

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: Any = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("dtype") is None and output_mode == "int":
            kwargs["dtype"] = "int64"
        super().__init__(**kwargs)
        if not num_bins or num_bins < 0:
            raise InvalidArgumentError(
                "The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: "
                f"num_bins={num_bins}."
            )
        modes = ("int", *_OF_ROWS)
        if output_mode not in modes:
            raise InvalidArgumentError(
                f"Invalid value for argument `output_mode`. Expected one of {modes}. Received: "
                f"output_mode={output_mode}"
            )
        if output_mode == "int" and self.dtype not in {"int32", "int64"}:
            raise InvalidArgumentError(
                "When `output_mode=\"int\"`, `dtype` should be an integer type, 'int32' or "
                f"'int64'. Received: dtype={self.dtype}"
            )
        check_sparse(sparse, output_mode)
        self.num_bins, self.mask_value, self.sparse = num_bins, mask_value, sparse
        self.output_mode = output_mode
        self.salt = None if salt is None else salt_of(salt, "Hashing")

    def call(self, inputs: Any) -> Any:
        inputs = as_terms(inputs)
        if isinstance(inputs, SparseTensor):
            bins = self._bins(inputs.values)
            found: Any = SparseTensor(inputs.indices, bins, inputs.dense_shape)
        else:
            found = self._bins(inputs)
        mode = self.output_mode
        return encoded(found, self.num_bins, mode, self.dtype, self.sparse)

    def _bins(self, values: Any) -> Any:
        masks = self.mask_value is not None and self.num_bins > 1
        bins = self.num_bins - masks
        terms = astype(values, tl.int64) if values.dtype.is_floating else values
        if terms.dtype is not tl.string:
            terms = strings.as_string(terms)
        if self.salt is None:
            found = strings.to_hash_bucket_fast(terms, bins)
        else:
            found = strings.to_hash_bucket_strong(terms, bins, self.salt)
        if not masks:
            return found
        masked = values == self.mask_value
        return tl.where(masked, tl.zeros_like(found), found + 1)


class HashedCrossing(Layer):
    """The number of a bin for each pair of things, by a hash of both."""

    keeps_sparse = True

    def __init__(
        self,
        num_bins: int,
        output_mode: str = "int",
        sparse: bool = False,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        if output_mode == "int" and dtype is None:
            dtype = "int64"
        super().__init__(name=name, dtype=dtype, **kwargs)
        checking.word(
            "HashedCrossing", "output_mode", output_mode, ("int", "one_hot")
        )
        self.num_bins, self.output_mode, self.sparse = num_bins, output_mode, sparse

    def call(self, inputs: Any) -> Any:
        given = _checked_pair(inputs)
        columns = [tl.reshape(x, (-1, 1)) for x in given]
        crossed = tl.sparse.to_dense(sparse_cross_hashed(columns, self.num_bins))
        found = tl.reshape(crossed, tl.shape(given[0]))
        mode = self.output_mode
        return encoded(found, self.num_bins, mode, self.dtype, self.sparse)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a layer."""
        own = super().get_config()
        own.pop("trainable")
        return own


def _checked_pair(inputs: Any) -> list[Any]:
    """Return the tensors that are crossed; they have one number or word in each row."""
    what = "All `HashedCrossing` inputs should"
    if not isinstance(inputs, (list, tuple)):
        raise InvalidArgumentError(
            f"`HashedCrossing` should be called on a list or tuple of inputs. Received: {inputs}"
        )
    if len(inputs) < 2:
        raise InvalidArgumentError(
            f"`HashedCrossing` should be called on at least two inputs. Received: {inputs}"
        )
    given = [as_terms(x) for x in inputs]
    if any(isinstance(x, (RaggedTensor, SparseTensor)) for x in given):
        raise InvalidArgumentError(f"{what} be dense tensors. Received: {inputs}")
    first = given[0].shape
    if len(first) > 2 or (len(first) == 2 and first[-1] != 1):
        raise ShapeError(
            f"{what} have shape `()`, `(batch_size)` or `(batch_size, 1)`. Received: "
            f"{[x.shape for x in given]}"
        )
    if len({tuple(x.shape) for x in given}) > 1:
        raise ShapeError(
            f"{what} have equal shape. Received: {[x.shape for x in given]}"
        )
    if not all(x.dtype.is_integer or x.dtype is tl.string for x in given):
        raise InvalidArgumentError(
            f"{what} have an integer or string dtype. Received: {[x.dtype for x in given]}"
        )
    return given
