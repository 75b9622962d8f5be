"""Examples in GraphDefs, whose operators are told what is wanted by tensors beside attributes.

Those of sequences are in sequence_parsing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import DType, string
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.search import searchsorted
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.records.examples import (
    ParseExampleV2,
    Wanted,
    attributes_of,
)


def keys_part(texts: Sequence[str], name: str) -> Spelled:
    """Return a constant of several texts."""
    array = np.empty(len(texts), object)
    array[:] = [_bytes(text) for text in texts]
    return Spelled("Const", {"value": array, "dtype": string}, (), name)


def key_part(text: str, name: str) -> Spelled:
    """Return a constant of one text."""
    return Spelled(
        "Const", {"value": np.array(_bytes(text), object), "dtype": string}, (), name
    )


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _shape(one: Wanted) -> Shape:
    outer = (None,) if one.kind.startswith("rows") else ()
    return Shape((*outer, *one.shape))


def _parsed(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Write what TensorFlow 1 reads, too, as far as it is known how many examples there are.

    Sparse features come first, as there.
    """
    assert isinstance(op, ParseExampleV2)
    sparse = [one for one in op.wanted if one.kind == "sparse"]
    dense = [one for one in op.wanted if one.kind != "sparse"]
    attributes: dict[str, Any] = {
        "Tdense": tuple([x.dtype for x in dense]),
        "sparse_types": tuple([x.dtype for x in sparse]),
        "dense_shapes": tuple(map(_shape, dense)),
    }
    texts = [x.key for x in sparse], [x.key for x in dense]
    defaults = tuple(range(1, len(node.inputs)))
    rank = node.inputs[0].spec.rank
    write: Write = _version_2_written if rank is None else _BY_RANK[rank]
    return write(attributes, texts, defaults)


Texts = tuple[list[str], list[str]]
"""The keys of sparse and of dense features."""
Write = Callable[[dict[str, Any], Texts, tuple[int, ...]], tuple[Spelled, ...]]
"""Returns what is written: of attributes, keys, and which inputs are default values."""


def _single_written(
    attributes: dict[str, Any], texts: Texts, defaults: tuple[int, ...]
) -> tuple[Spelled, ...]:
    sparse, dense = texts
    told = {
        **attributes,
        "num_sparse": len(sparse),
        "sparse_keys": tuple(sparse),
        "dense_keys": tuple(dense),
    }
    return (Spelled("ParseSingleExample", told, (0, *defaults)),)


def _version_1_written(
    attributes: dict[str, Any], texts: Texts, defaults: tuple[int, ...]
) -> tuple[Spelled, ...]:
    sparse, dense = texts
    told = {**attributes, "Nsparse": len(sparse), "Ndense": len(dense)}
    titles = "sparse_keys", "dense_keys"
    parts = [
        key_part(text, f"{title}_{i}")
        for title, listed in zip(titles, texts, strict=True)
        for i, text in enumerate(listed)
    ]
    inputs: tuple[int | str, ...] = (
        0,
        "names",
        *[part.name for part in parts],
        *defaults,
    )
    return (keys_part([], "names"), *parts, Spelled("ParseExample", told, inputs))


def _version_2_written(
    attributes: dict[str, Any], texts: Texts, defaults: tuple[int, ...]
) -> tuple[Spelled, ...]:
    names = ("names", "sparse_keys", "dense_keys", "ragged_keys")
    told = {
        **attributes,
        "num_sparse": len(texts[0]),
        "ragged_value_types": (),
        "ragged_split_types": (),
    }
    return (
        *map(keys_part, ([], *texts, []), names),
        Spelled("ParseExampleV2", told, (0, *names, *defaults)),
    )


_BY_RANK: dict[int, Write] = {0: _single_written, 1: _version_1_written}


def texts_of(given: Given, places: Sequence[int]) -> list[str]:
    """Return the texts in inputs that are constants."""
    found = [given.constant(i).ravel().tolist() for i in places]
    return [
        str(x, errors="surrogateescape") if isinstance(x, bytes) else str(x)
        for y in found
        for x in y
    ]


def wanted_in(
    given: Given,
    sparse: Sequence[str],
    dense: Sequence[str],
    defaults: Sequence[int],
    names: Sequence[str] = ("sparse_types", "Tdense", "dense_shapes"),
) -> list[Wanted]:
    """Return the features that are asked for; attributes of `names` say of which types."""
    kinds, own = given.dtypes(names[0]), given.dtypes(names[1])
    shapes = given.listed(names[2], Shape)
    check_alike(given, sparse, kinds)
    check_alike(given, dense, own, shapes, defaults)
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
    sparse, dense, ragged = [texts_of(given, [i]) for i in (2, 3, 4)]
    kinds = given.dtypes("ragged_value_types")
    check_alike(given, ragged, kinds)
    given.typed("num_sparse", int)
    defaults = range(5, 5 + len(dense))
    wanted = wanted_in(given, sparse, dense, defaults)
    splits = given.dtypes("ragged_split_types")
    check_alike(given, ragged, splits)
    if not ragged:
        return _read(given, wanted, defaults)
    more = [Wanted(*x, (), "sparse") for x in zip(ragged, kinds, strict=True)]
    tensors = [given.tensor(i) for i in (0, *defaults)]
    return given.composed(read_of(wanted, more, splits), *tensors)


def read_of(
    wanted: Sequence[Wanted], ragged: Sequence[Wanted], kinds: Sequence[DType]
) -> Callable[..., tuple[Tensor, ...]]:
    """Return what reads examples: parts of sparse features, dense ones, ragged values and bounds.

    Ragged features are read as sparse ones, whose places say how long the rows are.
    """
    own = [one for one in wanted if one.kind == "sparse"]
    dense = [one for one in wanted if one.kind != "sparse"]
    op = ParseExampleV2(*attributes_of([*own, *ragged, *dense]))

    def read(*inputs: Tensor) -> tuple[Tensor, ...]:
        found = calls(op, *inputs)
        count, every = len(own), len(own) + len(ragged)
        places, values, shapes = [
            found[i * every : (i + 1) * every] for i in range(3)
        ]
        told = [x for part in (places, values, shapes) for x in part[:count]]
        splits = [
            astype(_bounds(x, y), kind)
            for x, y, kind in zip(places[count:], shapes[count:], kinds, strict=True)
        ]
        return (*told, *found[3 * every :], *values[count:], *splits)

    return read


def _bounds(places: Tensor, shape: Tensor) -> Tensor:
    """Return where the rows of a matrix begin and end among its elements, which are in order.

    Of the places in one row there are no bounds.
    """
    if shape.spec.shape == (1,):
        return shape[:0]
    return searchsorted(places[:, 0], arange(shape[0] + 1, dtype=shape.dtype))


def _version_1(given: Given) -> Values:
    count, others = given.typed("Nsparse", int), given.typed("Ndense", int)
    sparse = texts_of(given, range(2, 2 + count))
    dense = texts_of(given, range(2 + count, 2 + count + others))
    first = 2 + count + others
    defaults = range(first, first + others)
    return _read(given, wanted_in(given, sparse, dense, defaults), defaults)


def _single(given: Given) -> Values:
    """Read one example, whose features stand in attributes."""
    given.typed("num_sparse", int)
    keys = [given.listed(f"{kind}_keys", str) for kind in ("sparse", "dense")]
    defaults = range(1, 1 + len(keys[1]))
    return _read(given, wanted_in(given, keys[0], keys[1], defaults), defaults)


def check_alike(given: Given, *listed: Sequence[Any]) -> None:
    """Raise GraphDefError unless lists are of one length."""
    if len({len(one) for one in listed}) > 1:
        raise GraphDefError(f"{given.record}: there are not as many types as keys")


PARSED: dict[str, Adapter] = {
    "ParseExample": _version_1,
    "ParseExampleV2": _version_2,
    "ParseSingleExample": _single,
}
"""How examples are read."""

PARSING: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "ParseExampleV2": _parsed
}
"""How they are written."""
