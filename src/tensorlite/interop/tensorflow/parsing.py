"""Examples in GraphDefs, whose operators are told what is wanted by tensors beside attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, string
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.given import Given, Values
from tensorlite.interop.tensorflow.parts import Spelled
from tensorlite.interop.tensorflow.plain import Adapter
from tensorlite.ops.examples import (
    Features,
    FixedLenSequenceFeature,
    ParseExampleV2,
    VarLenFeature,
    Wanted,
    attributes_of,
)
from tensorlite.ops.ranges import arange
from tensorlite.ops.search import searchsorted
from tensorlite.ops.sequence_examples import (
    SequenceContext,
    parse_single_sequence_example,
)
from tensorlite.ops.shape import astype
from tensorlite.ops.sparse_tensor import SparseTensor


def _keys(texts: Sequence[str], name: str) -> Spelled:
    array = np.empty(len(texts), object)
    array[:] = [text.encode(errors="surrogateescape") for text in texts]
    return Spelled("Const", {"value": array, "dtype": string}, (), name)


def _shape(one: Wanted) -> Shape:
    outer = (None,) if one.kind.startswith("rows") else ()
    return Shape((*outer, *one.shape))


def _parsed(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Write the keys as constants; sparse features come first, as there."""
    assert isinstance(op, ParseExampleV2)
    sparse = [one for one in op.wanted if one.kind == "sparse"]
    dense = [one for one in op.wanted if one.kind != "sparse"]
    names = ("names", "sparse_keys", "dense_keys", "ragged_keys")
    listed: tuple[list[str], ...] = (
        [],
        [x.key for x in sparse],
        [x.key for x in dense],
        [],
    )
    attributes: dict[str, Any] = {
        "Tdense": tuple([x.dtype for x in dense]),
        "num_sparse": len(sparse),
        "sparse_types": tuple([x.dtype for x in sparse]),
        "ragged_value_types": (),
        "ragged_split_types": (),
        "dense_shapes": tuple(map(_shape, dense)),
    }
    defaults = range(1, len(node.inputs))
    return (
        *map(_keys, listed, names),
        Spelled("ParseExampleV2", attributes, (0, *names, *defaults)),
    )


def _texts(given: Given, places: Sequence[int]) -> list[str]:
    found = [given.constant(i).ravel().tolist() for i in places]
    return [
        str(x, errors="surrogateescape") if isinstance(x, bytes) else str(x)
        for y in found
        for x in y
    ]


def _wanted(
    given: Given,
    sparse: Sequence[str],
    dense: Sequence[str],
    defaults: Sequence[int],
    names: Sequence[str] = ("sparse_types", "Tdense", "dense_shapes"),
) -> list[Wanted]:
    """Return the features that are asked for; attributes of `names` say of which types."""
    kinds, own = given.dtypes(names[0]), given.dtypes(names[1])
    shapes = given.listed(names[2], Shape)
    _check(given, sparse, kinds)
    _check(given, dense, own, shapes, defaults)
    found = [Wanted(*x, (), "sparse") for x in zip(sparse, kinds, strict=True)]
    for key, dtype, shape, place in zip(dense, own, shapes, defaults, strict=True):
        found.append(_dense(given, (key, dtype), shape.sizes, place))
    return found


def _dense(given: Given, named: tuple[str, DType], sizes: Any, place: int) -> Wanted:
    any_rows = bool(sizes) and sizes[0] is None
    rest = tuple(sizes[1:] if any_rows else sizes or ())
    if None in rest:
        raise GraphDefError(f"{given.record}: {named[0]!r} has the shape {sizes}")
    optional = given.tensor(place).spec.shape != (0,)
    kind = ("rows" if any_rows else "fixed") + ("?" if optional else "")
    return Wanted(*named, rest, kind)


def _read(given: Given, wanted: list[Wanted], defaults: Sequence[int]) -> Values:
    given.check_attributes()
    op = ParseExampleV2(*attributes_of(wanted))
    inputs = [given.tensor(i) for i in (0, *defaults)]
    return given.node(op, *inputs).outputs


def _version_2(given: Given) -> Values:
    sparse, dense, ragged = [_texts(given, [i]) for i in (2, 3, 4)]
    kinds = given.dtypes("ragged_value_types")
    _check(given, ragged, kinds)
    given.typed("num_sparse", int)
    defaults = range(5, 5 + len(dense))
    wanted = _wanted(given, sparse, dense, defaults)
    splits = given.dtypes("ragged_split_types")
    if not ragged:
        return _read(given, wanted, defaults)
    more = [Wanted(*x, (), "sparse") for x in zip(ragged, kinds, strict=True)]
    return _read_ragged(
        given, (wanted[: len(sparse)], more), wanted, splits, defaults
    )


def _read_ragged(
    given: Given,
    sparse: tuple[list[Wanted], list[Wanted]],
    wanted: list[Wanted],
    kinds: Sequence[DType],
    defaults: Sequence[int],
) -> Values:
    """Read ragged features as sparse ones, whose places say how long the rows are."""
    own, more = map(len, sparse)
    op = ParseExampleV2(*attributes_of([*wanted[:own], *sparse[1], *wanted[own:]]))

    def read(*inputs: Tensor) -> tuple[Tensor, ...]:
        found = calls(op, *inputs)
        every = own + more
        places, values, shapes = [
            found[i * every : (i + 1) * every] for i in range(3)
        ]
        told = [x for part in (places, values, shapes) for x in part[:own]]
        splits = [
            astype(_bounds(x, y), kind)
            for x, y, kind in zip(places[own:], shapes[own:], kinds, strict=True)
        ]
        return (*told, *found[3 * every :], *values[own:], *splits)

    return given.composed(read, *[given.tensor(i) for i in (0, *defaults)])


def _bounds(places: Tensor, shape: Tensor) -> Tensor:
    """Return where the rows of a matrix begin and end among its elements, which are in order."""
    return searchsorted(places[:, 0], arange(shape[0] + 1, dtype=shape.dtype))


def _version_1(given: Given) -> Values:
    count, others = given.typed("Nsparse", int), given.typed("Ndense", int)
    sparse = _texts(given, range(2, 2 + count))
    dense = _texts(given, range(2 + count, 2 + count + others))
    first = 2 + count + others
    defaults = range(first, first + others)
    return _read(given, _wanted(given, sparse, dense, defaults), defaults)


def _single(given: Given) -> Values:
    """Read one example, whose features stand in attributes."""
    given.typed("num_sparse", int)
    keys = [given.listed(f"{kind}_keys", str) for kind in ("sparse", "dense")]
    defaults = range(1, 1 + len(keys[1]))
    return _read(given, _wanted(given, keys[0], keys[1], defaults), defaults)


def _lists(given: Given, keys: Sequence[str], optional: Sequence[str]) -> Features:
    """Return the features of lists: sparse ones first, then those of one shape."""
    sparse = given.dtypes("feature_list_sparse_types")
    dense = given.dtypes("feature_list_dense_types")
    shapes = given.listed("feature_list_dense_shapes", Shape)
    _check(given, keys, [*sparse, *dense], [None] * len(sparse) + [*shapes])
    found: dict[str, Any] = {
        key: VarLenFeature(dtype) for key, dtype in zip(keys, sparse, strict=False)
    }
    for key, dtype, shape in zip(keys[len(sparse) :], dense, shapes, strict=True):
        one = FixedLenSequenceFeature(shape.sizes or (), dtype, key in optional)
        found[key] = one
    return found


def _check(given: Given, *listed: Sequence[Any]) -> None:
    if len({len(one) for one in listed}) > 1:
        raise GraphDefError(f"{given.record}: there are not as many types as keys")


def _parts_of(features: Features, found: dict[str, Any]) -> list[Tensor]:
    """Return tensors by kinds: places, values and shapes of sparse ones, then dense ones."""
    values = [found[key] for key in features]
    sparse = [x for x in values if isinstance(x, SparseTensor)]
    dense = [x for x in values if not isinstance(x, SparseTensor)]
    return [*[part for kind in zip(*sparse, strict=True) for part in kind], *dense]


def _sequence(given: Given) -> Values:
    """Read one SequenceExample: a context, and lists."""
    counts = [given.typed(f"N{kind}", int) for kind in _KINDS]
    starts = [*accumulate(counts, initial=2)]
    keys = [_texts(given, range(*ends)) for ends in pairwise(starts)]
    defaults = range(starts[-1], starts[-1] + counts[1])
    asked = _wanted(given, keys[0], keys[1], defaults, _OF_CONTEXT)
    lists = _lists(given, [*keys[2], *keys[3]], _texts(given, [1]))

    def read(serialized: Tensor, *values: Tensor) -> list[Tensor]:
        inner = call(SequenceContext(), serialized)
        context = calls(ParseExampleV2(*attributes_of(asked)), inner, *values)
        _, found = parse_single_sequence_example(serialized, None, lists)
        return [*context, *_parts_of(lists, found)]

    return given.composed(read, *[given.tensor(i) for i in (0, *defaults)])


_KINDS = (
    "context_sparse",
    "context_dense",
    "feature_list_sparse",
    "feature_list_dense",
)
_OF_CONTEXT = ("context_sparse_types", "Tcontext_dense", "context_dense_shapes")

PARSED: dict[str, Adapter] = {
    "ParseExample": _version_1,
    "ParseExampleV2": _version_2,
    "ParseSingleExample": _single,
    "ParseSingleSequenceExample": _sequence,
}
"""How examples are read."""

PARSING: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "ParseExampleV2": _parsed
}
"""How they are written."""
