"""SequenceExamples: a context of features, and lists of features, read into tensors.

Plain Examples are in examples.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.example_messages import example_from
from tensorlite.ops.examples import (
    Features,
    FixedLenSequenceFeature,
    VarLenFeature,
    Wanted,
    array_of_values as array_of,
    attributes_of,
    features_of,
    parse_single_example,
    values_of,
    wanted_of,
)
from tensorlite.ops.sparse_tensor import SparseTensor
from tensorlite.ops.strings import as_bytes

__all__: list[str] = []

WHERE = "parse_single_sequence_example"


class SequenceContext(Op):
    """The context of a serialized SequenceExample, as a serialized Example."""

    differentiable = False

    def infer(self, serialized: TensorSpec) -> TensorSpec:
        """Return a string."""
        if serialized.dtype is not dtypes.string or serialized.rank not in (0, None):
            raise DTypeError(f"{WHERE} takes one string, not {serialized}")
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, serialized: Array) -> Array:
        """Return the context; a message is its fields, and both have it as their first."""
        message = example_from("SequenceExample", as_bytes(serialized.item()))
        message.ClearField("feature_lists")
        out = np.empty((), object)
        out[()] = message.SerializeToString()
        return out


class ParseFeatureLists(Op):
    """The lists of features of a serialized SequenceExample."""

    differentiable = False
    keys: tuple[str, ...]
    specs: tuple[TensorSpec, ...]
    kinds: tuple[str, ...]

    def infer(self, serialized: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return what each list is."""
        wanted = features_of(self.keys, self.specs, self.kinds)
        return tuple([spec for one in wanted for spec in _specs(one)])

    def kernel(self, xp: Xp, serialized: Array) -> tuple[Array, ...]:
        """Return the lists; InvalidArgumentError for one that is not there and must be."""
        message = example_from("SequenceExample", as_bytes(serialized.item()))
        lists = message.feature_lists.feature_list
        outputs: list[Array] = []
        for one in features_of(self.keys, self.specs, self.kinds):
            found = list(lists[one.key].feature) if one.key in lists else None
            outputs.extend(_parts(found, one))
        return tuple(outputs)


def _specs(one: Wanted) -> Iterator[TensorSpec]:
    if one.kind == "sparse":
        yield TensorSpec((None, 2), dtypes.int64)
        yield TensorSpec((None,), one.dtype)
        yield TensorSpec((2,), dtypes.int64)
    else:
        yield TensorSpec((None, *one.shape), one.dtype)


def _parts(found: list[Any] | None, one: Wanted) -> list[Array]:
    if found is None and one.required:
        raise InvalidArgumentError(
            f"{WHERE}: Feature list {one.key!r} is required but could not be found. Did you "
            "mean to include it in feature_list_dense_missing_assumed_empty (allow_missing=True)?"
        )
    rows = [values_of(feature, one, WHERE) or [] for feature in found or []]
    if one.kind == "sparse":
        return _sparse(rows, one)
    size = prod(one.shape)
    for place, row in enumerate(rows):
        if len(row) != size:
            raise InvalidArgumentError(
                f"{WHERE}: Feature list: {one.key}, Index: {place}. Number of values {len(row)} != "
                f"expected {size}"
            )
    joined = array_of([x for row in rows for x in row], one.dtype)
    return [joined.reshape(len(rows), *one.shape)]


def _sparse(rows: list[Any], one: Wanted) -> list[Array]:
    lengths = [len(row) for row in rows]
    places = [(i, j) for i, length in enumerate(lengths) for j in range(length)]
    return [
        np.asarray(places, np.int64).reshape(-1, 2),
        array_of([x for row in rows for x in row], one.dtype),
        np.asarray([len(rows), max(lengths, default=0)], np.int64),
    ]


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
    context: dict[str, Any] = {}
    if context_features:
        (inner,) = calls(SequenceContext(), one)
        context = parse_single_example(inner, context_features)
    if not sequence_features:
        return context, {}
    keys = sorted(sequence_features)
    asked = [_asked(key, sequence_features[key]) for key in keys]
    op = ParseFeatureLists(*attributes_of(asked))
    outputs = iter(calls(op, one))
    found = {key: _taken(sequence_features[key], outputs) for key in keys}
    return context, {key: found[key] for key in sequence_features}


def _asked(key: str, feature: Any) -> Wanted:
    if not isinstance(feature, (FixedLenSequenceFeature, VarLenFeature)):
        raise DTypeError(
            f"sequence_features[{key!r}] is {feature!r}; allowed are FixedLenSequenceFeature and "
            "VarLenFeature"
        )
    ((one, _),) = wanted_of(key, feature)
    needed = (
        isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing
    )
    return one if needed or one.kind == "sparse" else one._replace(kind="rows?")


def _taken(feature: Any, outputs: Iterator[Tensor]) -> Any:
    if isinstance(feature, VarLenFeature):
        return SparseTensor(next(outputs), next(outputs), next(outputs))
    return next(outputs)
