"""Datasets of few graphs: of sparse rows, of examples, of lists; and what fills tables of them.

The operators are in data/rare_steps.py; what other nodes of datasets become is in datasets.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dtypes import int64
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.data.rare_steps import (
    DenseToSparseBatchDataset,
    InitializeTableFromDataset,
    ListDataset,
    ParseExampleDatasetV2,
    SparseTensorSliceDataset,
)
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.datasets import (
    as_it_is,
    specs_of,
    written,
)
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.parsing import check_alike, wanted_in
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.records.examples import Wanted, attributes_of


def _sparse_rows(given: Given) -> Values:
    """Return the rows of a sparse tensor, whose rank says that of theirs."""
    sizes, values = given.tensor(2).spec, given.dtype("Tvalues")
    rank = None if not sizes.shape or sizes.shape[0] is None else sizes.shape[0] - 1
    specs = (
        TensorSpec((None, rank), int64),
        TensorSpec((None,), values),
        TensorSpec((rank,), int64),
    )
    return given.node(SparseTensorSliceDataset(specs=specs), *given.tensors).outputs


def _sparse_batches(given: Given) -> Values:
    op = DenseToSparseBatchDataset(specs=specs_of(given))
    return given.node(op, *given.tensors).outputs


def _listed(given: Given) -> Values:
    op = ListDataset(specs=specs_of(given))
    return given.node(op, *given.tensors).outputs


def _examples(given: Given) -> Values:
    """Return the features of batches of examples; an older version has no ragged ones."""
    sparse, dense = [given.listed(f"{x}_keys", str) for x in ("sparse", "dense")]
    ragged: tuple[Any, ...] = ()
    splits: tuple[Any, ...] = ()
    if "ragged_keys" in given.record.attributes:
        keys = given.listed("ragged_keys", str)
        values, splits = [
            given.dtypes(f"ragged_{x}_types") for x in ("value", "split")
        ]
        check_alike(given, keys, values, splits)
        ragged = tuple(
            [Wanted(*x, (), "sparse") for x in zip(keys, values, strict=True)]
        )
    for name in ("sloppy", "deterministic"):
        if name in given.record.attributes:
            given.attribute(name)
    defaults = range(2, 2 + len(dense))
    wanted = wanted_in(given, sparse, dense, defaults)
    every = [*wanted[: len(sparse)], *ragged, *wanted[len(sparse) :]]
    op = ParseExampleDatasetV2(*attributes_of(every), splits, specs=specs_of(given))
    return given.node(op, *given.tensors).outputs


def _table(given: Given) -> Values:
    given.node(InitializeTableFromDataset(), *given.tensors)
    return ()


RARE_DATASETS: dict[str, Adapter] = {
    "DenseToSparseBatchDataset": _sparse_batches,
    "ExperimentalDenseToSparseBatchDataset": _sparse_batches,
    "ExperimentalParseExampleDataset": _examples,
    "InitializeTableFromDataset": _table,
    "ListDataset": _listed,
    "ParseExampleDataset": _examples,
    "ParseExampleDatasetV2": _examples,
    "SparseTensorSliceDataset": _sparse_rows,
    "UnwrapDatasetVariant": as_it_is,
    "WrapDatasetVariant": as_it_is,
}


def _list_written(op: Op, node: Node) -> tuple[Spelled, ...]:
    (made,) = written(op, node)
    made.attributes["Tinput_types"] = tuple([x.dtype for x in node.inputs])
    return (made,)


def _rows_written(op: Op, node: Node) -> tuple[Spelled, ...]:
    return (Spelled(op.name, {"Tvalues": node.inputs[1].dtype}),)


def _examples_written(op: Op, node: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, ParseExampleDatasetV2)
    (made,) = written(op, node)
    count, every = op.sparse, op.sparse + len(op.splits)
    features = list(zip(op.keys, op.features, op.kinds, strict=True))
    sparse, ragged, dense = (
        features[:count],
        features[count:every],
        features[every:],
    )
    for name in ("keys", "features", "kinds", "splits"):
        del made.attributes[name]
    made.attributes.update(
        sparse_keys=tuple([x[0] for x in sparse]),
        sparse_types=tuple([x[1].dtype for x in sparse]),
        dense_keys=tuple([x[0] for x in dense]),
        Tdense=tuple([x[1].dtype for x in dense]),
        dense_shapes=tuple([_shape(spec, kind) for _, spec, kind in dense]),
    )
    if not ragged:  # TensorFlow 1 reads this one, too
        return (Spelled("ParseExampleDataset", made.attributes, made.inputs),)
    made.attributes.update(
        ragged_keys=tuple([x[0] for x in ragged]),
        ragged_value_types=tuple([x[1].dtype for x in ragged]),
        ragged_split_types=op.splits,
    )
    return (made,)


def _shape(spec: TensorSpec, kind: str) -> Shape:
    outer = (None,) if kind.startswith("rows") else ()
    return Shape((*outer, *spec.dims))


RARE_WRITTEN: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "DenseToSparseBatchDataset": written,
    "InitializeTableFromDataset": lambda op, _: (Spelled(op.name, {}),),
    "ListDataset": _list_written,
    "ParseExampleDatasetV2": _examples_written,
    "SparseTensorSliceDataset": _rows_written,
}
"""How they are written."""
