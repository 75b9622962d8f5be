"""Examples of sequences in GraphDefs: a context as other examples have, and lists of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.parsing import (
    check_alike,
    key_part,
    keys_part,
    read_of,
    texts_of,
    wanted_in,
)
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.records.examples import Wanted, attributes_of
from tensorlite.ops.records.sequence_examples import (
    ParseFeatureLists,
    ParseSequenceExample,
    ParseSingleSequenceExample,
    SequenceContext,
    SequenceExamples,
    by_part,
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
    tensors = [given.tensor(i) for i in (0, *defaults)]
    whole = _WHOLE.get(given.record.op)
    if whole is not None and tensors[0].spec.rank == whole.rank:
        given.check_attributes()
        told = *attributes_of(context), *attributes_of(lists)
        return given.node(whole(*told), *tensors).outputs
    own, op = read_of(context, more, kinds), ParseFeatureLists(*attributes_of(lists))

    def read(serialized: Tensor, *values: Tensor) -> list[Tensor]:
        inner = call(SequenceContext(), serialized)
        found = calls(op, serialized)
        counts = len(keys.sparse), len(keys.dense)
        rows = found[3 * counts[0] + 2 * counts[1] :]
        splits = [
            astype(one, kind)
            for i in (1, 2)
            for one, kind in zip(rows[i::3], ends, strict=True)
        ]
        return [
            *own(inner, *values),
            *by_part(found, *counts, with_lengths),
            *rows[0::3],
            *splits,
        ]

    return given.composed(read, *tensors)


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

_WHOLE = {
    "ParseSequenceExample": ParseSequenceExample,
    "ParseSingleSequenceExample": ParseSingleSequenceExample,
}


def _told(op: SequenceExamples) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return attributes that both operators have, and the keys of each kind of features."""
    parts = {
        kind: [one for one in ones if (one.kind == "sparse") is is_sparse]
        for what, ones in (("context", op.context), ("feature_list", op.lists))
        for kind, is_sparse in ((f"{what}_sparse", True), (f"{what}_dense", False))
    }
    types = {kind: tuple([x.dtype for x in ones]) for kind, ones in parts.items()}
    shapes = {
        f"{kind}_shapes": tuple([Shape(x.shape) for x in parts[kind]])
        for kind in ("context_dense", "feature_list_dense")
    }
    attributes = {
        "context_sparse_types": types["context_sparse"],
        "Tcontext_dense": types["context_dense"],
        "feature_list_sparse_types": types["feature_list_sparse"],
        "feature_list_dense_types": types["feature_list_dense"],
        **{f"N{kind}": len(ones) for kind, ones in parts.items()},
        **shapes,
    }
    return attributes, {kind: [x.key for x in ones] for kind, ones in parts.items()}


def _optional(op: SequenceExamples) -> list[str]:
    return [one.key for one in op.lists if one.kind == "rows?"]


def _single_written(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Write what reads one SequenceExample: keys are inputs, each by itself."""
    assert isinstance(op, ParseSingleSequenceExample)
    attributes, keys = _told(op)
    parts = [
        key_part(text, f"{kind}_keys_{i}")
        for kind in _KINDS
        for i, text in enumerate(keys[kind])
    ]
    optional = keys_part(_optional(op), "feature_list_dense_missing_assumed_empty")
    names = [part.name for part in (optional, *parts)]
    inputs = (0, *names, *range(1, len(node.inputs)), "debug_name")
    last = Spelled("ParseSingleSequenceExample", attributes, inputs)
    return (optional, *parts, key_part("", "debug_name"), last)


def _several_written(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Write what reads SequenceExamples: keys are attributes."""
    assert isinstance(op, ParseSequenceExample)
    attributes, keys = _told(op)
    attributes |= {f"{kind}_keys": tuple(texts) for kind, texts in keys.items()}
    attributes["feature_list_dense_missing_assumed_empty"] = tuple(_optional(op))
    inputs = (0, "debug_name", *range(1, len(node.inputs)))
    last = Spelled("ParseSequenceExample", attributes, inputs)
    return (keys_part([], "debug_name"), last)


SEQUENCES_WRITTEN: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "ParseSequenceExample": _several_written,
    "ParseSingleSequenceExample": _single_written,
}
"""How they are written."""

SEQUENCES: dict[str, Adapter] = {
    "ParseSequenceExample": _version_1,
    "ParseSequenceExampleV2": _version_2,
    "ParseSingleSequenceExample": _single,
}
