"""Examples of sequences in GraphDefs: a context as other examples have, and lists of features."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.parsing import (
    check_alike,
    read_of,
    texts_of,
    wanted_in,
)
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.records.examples import Wanted, attributes_of
from tensorlite.ops.records.sequence_examples import (
    ParseFeatureLists,
    SequenceContext,
)


class _Keys(NamedTuple):
    """The keys that a node is told, in the order of its outputs."""

    context_sparse: Sequence[str]
    context_dense: Sequence[str]
    context_ragged: Sequence[str]
    sparse: Sequence[str]
    dense: Sequence[str]
    ragged: Sequence[str]
    optional: Sequence[str]
    """Lists that may be missing."""


def _read(
    given: Given, keys: _Keys, defaults: Sequence[int], with_lengths: bool
) -> Values:
    context = wanted_in(
        given, keys.context_sparse, keys.context_dense, defaults, _OF_CONTEXT
    )
    more, kinds = _ragged(given, "context", keys.context_ragged)
    more = [one._replace(kind="sparse") for one in more]
    ragged, ends = _ragged(given, "feature_list", keys.ragged)
    lists = [*_sparse(given, keys.sparse), *_dense(given, keys), *ragged]
    own, op = read_of(context, more, kinds), ParseFeatureLists(*attributes_of(lists))

    def read(serialized: Tensor, *values: Tensor) -> list[Tensor]:
        inner = call(SequenceContext(), serialized)
        found = calls(op, serialized)
        first = 3 * len(keys.sparse)
        second = first + 2 * len(keys.dense)
        sparse, dense = found[:first], found[first:second]
        rows = found[second:]
        splits = [
            astype(one, kind)
            for i in (1, 2)
            for one, kind in zip(rows[i::3], ends, strict=True)
        ]
        by_part = [x for i in range(3) for x in sparse[i::3]]
        lengths = dense[1::2] if with_lengths else ()
        return [
            *own(inner, *values),
            *by_part,
            *dense[0::2],
            *lengths,
            *rows[0::3],
            *splits,
        ]

    return given.composed(read, *[given.tensor(i) for i in (0, *defaults)])


def _ragged(
    given: Given, what: str, keys: Sequence[str]
) -> tuple[list[Wanted], tuple[DType, ...]]:
    """Return ragged features, and the dtypes of their bounds; older operators have none."""
    if f"{what}_ragged_value_types" not in given.record.attributes:
        return [], ()
    kinds = given.dtypes(f"{what}_ragged_value_types")
    splits = given.dtypes(f"{what}_ragged_split_types")
    check_alike(given, keys, kinds, splits)
    return [Wanted(*x, (), "ragged") for x in zip(keys, kinds, strict=True)], splits


def _sparse(given: Given, keys: Sequence[str]) -> list[Wanted]:
    kinds = given.dtypes("feature_list_sparse_types")
    check_alike(given, keys, kinds)
    return [Wanted(*x, (), "sparse") for x in zip(keys, kinds, strict=True)]


def _dense(given: Given, keys: _Keys) -> list[Wanted]:
    kinds = given.dtypes("feature_list_dense_types")
    shapes = given.listed("feature_list_dense_shapes", Shape)
    check_alike(given, keys.dense, kinds, shapes)
    found = []
    for key, dtype, shape in zip(keys.dense, kinds, shapes, strict=True):
        sizes = tuple([n for n in shape.sizes or () if n is not None])
        if sizes != (shape.sizes or ()):
            raise GraphDefError(
                f"{given.record}: {key!r} has the shape {shape.sizes}"
            )
        kind = "rows?" if key in keys.optional else "rows"
        found.append(Wanted(key, dtype, sizes, kind))
    return found


def _single(given: Given) -> Values:
    """Read one SequenceExample, whose keys are inputs, each by itself."""
    counts = [given.typed(f"N{kind}", int) for kind in _KINDS]
    starts = [*accumulate(counts, initial=2)]
    keys = [texts_of(given, range(*ends)) for ends in pairwise(starts)]
    defaults = range(starts[-1], starts[-1] + counts[1])
    optional = texts_of(given, [1])
    asked = _Keys(keys[0], keys[1], (), keys[2], keys[3], (), optional)
    return _read(given, asked, defaults, with_lengths=False)


def _version_1(given: Given) -> Values:
    """Read SequenceExamples, whose keys are attributes."""
    keys = [given.listed(f"{kind}_keys", str) for kind in _KINDS]
    _use_counts(given)
    optional = given.listed("feature_list_dense_missing_assumed_empty", str)
    asked = _Keys(keys[0], keys[1], (), keys[2], keys[3], (), optional)
    return _read(given, asked, range(2, 2 + len(keys[1])), with_lengths=True)


def _version_2(given: Given) -> Values:
    """Read SequenceExamples, whose keys are inputs, each kind a vector."""
    keys = [texts_of(given, [i]) for i in range(2, 8)]
    may_miss = given.constant(8).ravel().tolist()
    check_alike(given, keys[4], may_miss)
    _use_counts(given)
    optional = [key for key, may in zip(keys[4], may_miss, strict=True) if may]
    defaults = range(9, 9 + len(keys[1]))
    asked = _Keys(keys[0], keys[1], keys[2], keys[3], keys[4], keys[5], optional)
    return _read(given, asked, defaults, with_lengths=True)


def _use_counts(given: Given) -> None:
    """Look at the attributes that only count others, some of which older operators lack."""
    for kind in _KINDS:
        if f"N{kind}" in given.record.attributes:
            given.attribute(f"N{kind}")


_KINDS = (
    "context_sparse",
    "context_dense",
    "feature_list_sparse",
    "feature_list_dense",
)
_OF_CONTEXT = ("context_sparse_types", "Tcontext_dense", "context_dense_shapes")

SEQUENCES: dict[str, Adapter] = {
    "ParseSequenceExample": _version_1,
    "ParseSequenceExampleV2": _version_2,
    "ParseSingleSequenceExample": _single,
}
