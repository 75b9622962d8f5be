"""SequenceExamples: a context of features, and lists of features, read into tensors.

Plain Examples are in examples.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.records.example_messages import example_from
from tensorlite.ops.records.examples import (
    Asked,
    Default,
    Features,
    FixedLenSequenceFeature,
    ParseExampleV2,
    VarLenFeature,
    Wanted,
    array_of_values as array_of,
    attributes_of,
    features_of,
    nothing,
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


class SequenceExamples(Composite, abstract=True):
    """Serialized SequenceExamples as tensors: of contexts, and of lists of features.

    Sparse features come first, in contexts and in lists. Outputs are the indices of sparse features
    of contexts, their values, their shapes, and dense tensors of others; then the same of lists,
    and, of several examples, how many steps each has of dense lists. Inputs behind the examples
    are the default values of dense features of contexts.
    """

    differentiable = False
    rank: ClassVar[int]
    context_keys: tuple[str, ...]
    context_specs: tuple[TensorSpec, ...]
    context_kinds: tuple[str, ...]
    keys: tuple[str, ...]
    specs: tuple[TensorSpec, ...]
    kinds: tuple[str, ...]

    @property
    def context(self) -> list[Wanted]:
        """The features of contexts."""
        return features_of(self.context_keys, self.context_specs, self.context_kinds)

    @property
    def lists(self) -> list[Wanted]:
        """The lists."""
        return features_of(self.keys, self.specs, self.kinds)

    def compose(self, serialized: Tensor, *defaults: Tensor) -> list[Tensor]:
        """Return what is read of contexts and of lists, by parts."""
        own, read = _apart(self.context, self.lists, serialized, defaults)
        count = self.kinds.count("sparse")
        return [*own, *by_part(read, count, len(self.kinds) - count, self.rank > 0)]

    def lists_have(self) -> int:
        """Return how many outputs there are of lists."""
        count = self.kinds.count("sparse")
        return 3 * count + (len(self.kinds) - count) * (2 if self.rank else 1)

    def by_list(self, outputs: Sequence[Tensor]) -> Iterator[Tensor | None]:
        """Yield the outputs of lists, one list behind another; None for lengths not given."""
        count = self.kinds.count("sparse")
        for i in range(count):
            yield from outputs[i : 3 * count : count]
        dense = outputs[3 * count :]
        step = len(self.kinds) - count
        for i in range(step):
            yield dense[i]
            yield dense[i + step] if self.rank else None


def by_part(
    read: Sequence[Tensor], sparse: int, dense: int, with_lengths: bool
) -> list[Tensor]:
    """Return parts of lists, each of all of them together: sparse ones come first, then dense."""
    places, rows = read[: 3 * sparse], read[3 * sparse : 3 * sparse + 2 * dense]
    parts = [x for i in range(3) for x in places[i::3]]
    return [*parts, *rows[0::2], *(rows[1::2] if with_lengths else ())]


class ParseSequenceExample(SequenceExamples):
    """A vector of SequenceExamples."""

    rank = 1


class ParseSingleSequenceExample(SequenceExamples):
    """One SequenceExample."""

    rank = 0


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
    return parsed(
        ParseSequenceExample, serialized, context_features, sequence_features
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
    return parsed(
        ParseSingleSequenceExample, one, context_features, sequence_features
    )[:2]


def parsed(
    kind: type[SequenceExamples],
    serialized: TensorLike,
    context_features: Features | None,
    sequence_features: Features | None,
    default_of: Default | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return what `parse_sequence_example` does, read by an operator that TensorFlow has, too.

    It reads no ragged lists, and texts of one rank. `default_of` makes tensors of default values.
    """
    texts, features = to_tensor(serialized), sequence_features or {}
    context = Asked(context_features or {}, default_of)
    lists = {key: _asked(key, features[key]) for key in sorted(features)}
    order = sorted(lists, key=lambda key: lists[key].kind != "sparse")
    ones = [lists[key] for key in order]
    is_known = texts.spec.rank == kind.rank
    own: Sequence[Tensor]
    found: Iterator[Tensor | None]
    if not (context.ones or ones):
        return {}, {}, {}
    if is_known and all(one.kind != "ragged" for one in ones):
        op = kind(*attributes_of(context.ones), *attributes_of(ones))
        made: Any = composed(op, texts, *context.defaults)
        outputs = [made] if isinstance(made, Tensor) else list(made)
        count = len(outputs) - op.lists_have()
        own, found = outputs[:count], op.by_list(outputs[count:])
    else:
        own, rest = _apart(context.ones, ones, texts, context.defaults)
        found = iter(rest)
    rank = texts.spec.rank or 0
    taken = {key: _taken(features[key], found, rank) for key in order}
    pairs = {key: taken[key] for key in features}
    return (
        context.taken(own),
        {key: value for key, (value, _) in pairs.items()},
        {key: length for key, (_, length) in pairs.items() if length is not None},
    )


def _apart(
    context: Sequence[Wanted],
    lists: Sequence[Wanted],
    texts: Tensor,
    defaults: Sequence[TensorLike],
) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
    """Return what is read of contexts, and what of lists, one list behind another."""
    own: Sequence[Tensor] = ()
    if context:
        inner = call(SequenceContext(), texts)
        own = calls(ParseExampleV2(*attributes_of(context)), inner, *defaults)
    read = calls(ParseFeatureLists(*attributes_of(lists)), texts) if lists else ()
    return own, read


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
    feature: Any, outputs: Iterator[Any], rank: int
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
