"""SequenceExamples: a context of features, and lists of features, read into tensors.

Plain Examples are in examples.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.records.example_messages import example_from
from tensorlite.ops.records.examples import (
    Features,
    FixedLenSequenceFeature,
    VarLenFeature,
    Wanted,
    array_of_values as array_of,
    attributes_of,
    features_of,
    nothing,
    parse_example,
    values_of,
    wanted_of,
)
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.joining import as_bytes

__all__: list[str] = []

WHERE = "parse_sequence_example"


class RaggedLists(NamedTuple):
    """A list of features of any number of values each, read as rows of a RaggedTensor."""

    dtype: DTypeLike
    row_splits_dtype: DTypeLike = dtypes.int64


class SequenceContext(Op):
    """The contexts of serialized SequenceExamples, as serialized Examples."""

    differentiable = False

    def infer(self, serialized: TensorSpec) -> TensorSpec:
        """Return strings."""
        return _checked(serialized).without_value()

    def kernel(self, xp: Xp, serialized: Array) -> Array:
        """Return the contexts; a message is its fields, and both have it as their first."""
        out = np.empty(serialized.shape, object)
        for place, text in enumerate(serialized.ravel().tolist()):
            message = example_from("SequenceExample", as_bytes(text))
            message.ClearField("feature_lists")
            out.reshape(-1)[place] = message.SerializeToString()
        return out


class ParseFeatureLists(Op):
    """The lists of features of serialized SequenceExamples: of one, or of a vector of them.

    Each wanted list becomes several outputs, one list behind another: of a sparse one its indices,
    values and shape; of a ragged one its values, where examples end among its rows, and where
    rows end; of any other one its values, and how many steps each example has.
    """

    differentiable = False
    keys: tuple[str, ...]
    specs: tuple[TensorSpec, ...]
    kinds: tuple[str, ...]

    def infer(self, serialized: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return what each list is."""
        batch: Dims = _checked(serialized).shape or ()
        wanted = features_of(self.keys, self.specs, self.kinds)
        return tuple([spec for one in wanted for spec in _specs(one, batch)])

    def kernel(self, xp: Xp, serialized: Array) -> tuple[Array, ...]:
        """Return the lists; InvalidArgumentError for one that is not there and must be."""
        texts = serialized.ravel().tolist()
        messages = [example_from("SequenceExample", as_bytes(text)) for text in texts]
        lists = [message.feature_lists.feature_list for message in messages]
        outputs: list[Array] = []
        for one in features_of(self.keys, self.specs, self.kinds):
            rows = [_rows(found, one) for found in lists]
            outputs.extend(_PARTS.get(one.kind, _dense)(rows, one, serialized.ndim))
        return tuple(outputs)


def _checked(serialized: TensorSpec) -> TensorSpec:
    if serialized.dtype is not dtypes.string or (serialized.rank or 0) > 1:
        raise DTypeError(
            f"{WHERE} takes strings, one or a vector of them, not {serialized}"
        )
    return serialized


def _specs(one: Wanted, batch: Dims) -> Iterator[TensorSpec]:
    if one.kind == "sparse":
        rank = len(batch) + 2
        yield TensorSpec((None, rank), dtypes.int64)
        yield TensorSpec((None,), one.dtype)
        yield TensorSpec((rank,), dtypes.int64)
    elif one.kind == "ragged":
        yield TensorSpec((None,), one.dtype)
        yield TensorSpec((None,), dtypes.int64)
        yield TensorSpec((None,), dtypes.int64)
    else:
        yield TensorSpec((*batch, None, *one.shape), one.dtype)
        yield TensorSpec(batch, dtypes.int64)


def _rows(lists: Any, one: Wanted) -> list[Any]:
    """Return the values of each step of a list."""
    found = lists[one.key].feature if one.key in lists else None
    if found is None and one.required and one.kind != "ragged":
        raise InvalidArgumentError(
            f"{WHERE}: Feature list {one.key!r} is required but could not be found. Did you "
            "mean to include it in feature_list_dense_missing_assumed_empty (allow_missing=True)?"
        )
    return [values_of(feature, one, WHERE) or [] for feature in found or []]


def _joined(rows: Iterable[list[Any]], one: Wanted) -> Array:
    return array_of([x for steps in rows for row in steps for x in row], one.dtype)


def _ends(lengths: Iterable[int]) -> Array:
    return np.cumsum([0, *lengths], dtype=np.int64)


def _dense(rows: list[list[Any]], one: Wanted, rank: int) -> list[Array]:
    """Return the steps, filled up to the most that an example has, and their numbers."""
    size = prod(one.shape)
    for steps in rows:
        for place, row in enumerate(steps):
            if len(row) != size:
                raise InvalidArgumentError(
                    f"{WHERE}: Feature list: {one.key}, Index: {place}. Number of values "
                    f"{len(row)} != expected {size}"
                )
    counts = np.array([len(steps) for steps in rows], np.int64)
    most = max(counts.tolist(), default=0)
    found = np.full(
        (len(rows), most, *one.shape), nothing(one.dtype), one.dtype.numpy
    )
    is_there = np.arange(most) < counts[:, None]
    found[is_there] = _joined(rows, one).reshape(-1, *one.shape)
    return [found, counts] if rank else [found[0], counts[0]]


def _sparse(rows: list[list[Any]], one: Wanted, rank: int) -> list[Array]:
    places = [
        (i, j, k)
        for i, steps in enumerate(rows)
        for j, row in enumerate(steps)
        for k in range(len(row))
    ]
    most = max(map(len, rows), default=0)
    longest = max((len(row) for steps in rows for row in steps), default=0)
    shape = np.asarray([len(rows), most, longest], np.int64)
    found = np.asarray(places, np.int64).reshape(-1, 3)
    skipped = 0 if rank else 1
    return [found[:, skipped:], _joined(rows, one), shape[skipped:]]


def _ragged(rows: list[list[Any]], one: Wanted, _: int) -> list[Array]:
    inner = _ends([len(row) for steps in rows for row in steps])
    return [_joined(rows, one), _ends(map(len, rows)), inner]


_PARTS = {"ragged": _ragged, "sparse": _sparse}


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the features of serialized SequenceExamples: contexts, lists, and lengths of lists.

    Lists are FixedLenSequenceFeature, a tensor filled up with zeros whose lengths are told,
    VarLenFeature, a SparseTensor, or RaggedLists, a RaggedTensor. Source: ParseSequenceExampleV2.

    >>> made = tl.io.SequenceExample()
    >>> steps = made.feature_lists.feature_list["x"].feature
    >>> for number in (1, 2):
    ...     steps.add().int64_list.value.append(number)
    >>> wanted = {"x": tl.io.FixedLenSequenceFeature((), tl.int64, allow_missing=True)}
    >>> _, lists, lengths = tl.io.parse_sequence_example(
    ...     [made.SerializeToString(), b""], sequence_features=wanted)
    >>> print(lists["x"], lengths["x"])
    [[1 2]
     [0 0]] [2 0]
    """
    texts = to_tensor(serialized)
    context: dict[str, Any] = {}
    if context_features:
        (inner,) = calls(SequenceContext(), texts)
        context = parse_example(inner, context_features)
    if not sequence_features:
        return context, {}, {}
    keys = sorted(sequence_features)
    asked = [_asked(key, sequence_features[key]) for key in keys]
    outputs = iter(calls(ParseFeatureLists(*attributes_of(asked)), texts))
    rank = texts.spec.rank or 0
    found = {key: _taken(sequence_features[key], outputs, rank) for key in keys}
    pairs = {key: found[key] for key in sequence_features}
    return (
        context,
        {key: value for key, (value, _) in pairs.items()},
        {key: length for key, (_, length) in pairs.items() if length is not None},
    )


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Features | None = None,
    sequence_features: Features | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the features of a serialized SequenceExample: of its context, and its lists.

    Lists are FixedLenSequenceFeature, a tensor whose first axis is the list's, or VarLenFeature, a
    SparseTensor with a row for each member.

    >>> made = tl.io.SequenceExample()
    >>> steps = made.feature_lists.feature_list["x"].feature
    >>> for number in (1, 2):
    ...     steps.add().int64_list.value.append(number)
    >>> wanted = {"x": tl.io.FixedLenSequenceFeature((), tl.int64)}
    >>> _, lists = tl.io.parse_single_sequence_example(
    ...     made.SerializeToString(), sequence_features=wanted)
    >>> print(lists["x"])
    [1 2]
    """
    one = to_tensor(serialized)
    if one.spec.rank not in (0, None):
        raise DTypeError(f"{WHERE} takes one string, not {one.spec}")
    return parse_sequence_example(one, context_features, sequence_features)[:2]


def _asked(key: str, feature: Any) -> Wanted:
    if isinstance(feature, RaggedLists):
        return Wanted(key, as_dtype(feature.dtype), (), "ragged")
    if not isinstance(feature, (FixedLenSequenceFeature, VarLenFeature)):
        raise DTypeError(
            f"sequence_features[{key!r}] is {feature!r}; allowed are FixedLenSequenceFeature, "
            "VarLenFeature and RaggedLists"
        )
    ((one, _),) = wanted_of(key, feature)
    needed = (
        isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing
    )
    return one if needed or one.kind == "sparse" else one._replace(kind="rows?")


def _taken(
    feature: Any, outputs: Iterator[Tensor], rank: int
) -> tuple[Any, Tensor | None]:
    """Return a list, and the number of its steps where it has been filled up."""
    if isinstance(feature, VarLenFeature):
        return SparseTensor(next(outputs), next(outputs), next(outputs)), None
    if not isinstance(feature, RaggedLists):
        return next(outputs), next(outputs)
    values, *splits = next(outputs), next(outputs), next(outputs)
    kept = [
        astype(one, as_dtype(feature.row_splits_dtype))
        for one in splits[0 if rank else 1 :]
    ]
    return RaggedTensor.from_nested_row_splits(values, kept, validate=False), None
