"""Datasets of few graphs: of databases, tables and keys, and those that others here say as well.

What a node of a dataset becomes is in datasets.py; the operators are in data/further_steps.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import variant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.data import further_steps
from tensorlite.data.iterator_ops import IteratorV2
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.datasets import (
    DATASETS,
    Inputs,
    as_it_is,
    constant_of,
    counted,
    dataset,
    functions_of_elements,
    in_turns,
    nothing_kept,
    specs_of,
    written,
)
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.control.bundles import Bundle, Unbundle


def _sliding(given: Given) -> Values:
    """Return overlapping batches; an older version has whole ones only."""
    whole = given.record.attributes.get("drop_remainder", True)
    op = further_steps.SlidingWindowDataset(bool(whole), specs=specs_of(given))
    return given.node(op, *given.tensors).outputs


def _by_key(given: Given) -> Values:
    made = functions_of_elements(given, given.tensors)
    op = further_steps.GroupByReducerDataset(**made, specs=specs_of(given))
    return given.node(op, *given.tensors).outputs


def _without_offsets(given: Given, inputs: Inputs) -> Inputs:
    """Return the inputs of files that are read from their beginning."""
    if given.constant(3).size:
        raise GraphDefError(
            f"{given.record}: byte_offsets are given; supported are whole files"
        )
    return inputs[:3]


def _for_one_worker(given: Given) -> Values:
    count = int(given.constant(1))
    if count != 1:
        raise GraphDefError(
            f"{given.record} is for {count} workers; supported is one"
        )
    return as_it_is(given)


def _pieces(given: Given) -> Values:
    """Return an element's parts as one value."""
    return given.node(Bundle(), *given.tensors).outputs


def _parts(given: Given) -> Values:
    return given.node(Unbundle(specs_of(given)), *given.tensors).outputs


def _iterator(given: Given) -> Values:
    return given.node(IteratorV2(specs_of(given))).outputs


def _device(given: Given) -> Values:
    """Return where an iterator is: on the CPU."""
    return given.node(Const(np.asarray(b"/device:CPU:0", object))).outputs


def _unseeded(given: Given, inputs: Inputs) -> Inputs:
    """Return the inputs of a dataset whose seeds are a generator's, of no numbers here."""
    zero = constant_of(given, np.int64(0))
    return [*inputs[:2], zero, zero]


def _same_again(given: Given, inputs: Inputs) -> Inputs:
    """Return the seeds of random numbers that are the same in each round."""
    if given.typed("rerandomize_each_iteration", bool):
        raise GraphDefError(
            f"{given.record}: rerandomize_each_iteration is True; supported is False"
        )
    return inputs[:2]


_UNCHANGED = (
    *("AssertNextDataset", "AssertPrevDataset", "BytesProducedStatsDataset"),
    *("ChooseFastestDataset", "LatencyStatsDataset", "MaxIntraOpParallelismDataset"),
    *("NonSerializableDataset", "PrivateThreadPoolDataset"),
    *("SetStatsAggregatorDataset", "SleepDataset", "SnapshotDataset"),
    *("SnapshotDatasetV2", "ThreadPoolDataset"),
)
"""What changes when elements come, or notes something, and not which."""
_TAKEN: dict[str, Adapter] = {
    **dict.fromkeys(_UNCHANGED, as_it_is),
    "AutoShardDataset": _for_one_worker,
    "CSVDataset": partial(dataset, "CSVDataset"),
    "DatasetCardinality": counted,
    "DirectedInterleaveDataset": partial(dataset, "DirectedInterleaveDataset"),
    "GroupByReducerDataset": _by_key,
    "IgnoreErrorsDataset": partial(dataset, "IgnoreErrorsDataset"),
    "IteratorGetDevice": _device,
    "MapDataset": partial(dataset, "MapDataset"),
    "MatchingFilesDataset": partial(dataset, "MatchingFilesDataset"),
    "ParallelInterleaveDataset": partial(dataset, "ParallelInterleaveDataset"),
    "SlidingWindowDataset": _sliding,
    "SqlDataset": partial(dataset, "SqlDataset"),
}
"""What there is twice: under its name, and as an experiment."""

FURTHER_DATASETS: dict[str, Adapter] = {
    **{name: one for name, one in _TAKEN.items() if name not in DATASETS},
    **{
        f"Experimental{name}": one
        for name, one in _TAKEN.items()
        if name not in {"SnapshotDataset", "SnapshotDatasetV2", "AssertPrevDataset"}
    },
    "AnonymousIterator": _iterator,
    "AnonymousRandomSeedGenerator": nothing_kept,
    "CSVDatasetV2": partial(dataset, "CSVDatasetV2"),
    "CompressElement": _pieces,
    "LegacyParallelInterleaveDatasetV2": partial(
        dataset, "InterleaveDataset", taken=in_turns(2)
    ),
    "RandomDatasetV2": partial(dataset, "RandomDataset", taken=_same_again),
    "ShuffleDatasetV2": partial(dataset, "ShuffleDataset", taken=_unseeded),
    "TFRecordDatasetV2": partial(dataset, "TFRecordDataset", taken=_without_offsets),
    "UncompressElement": _parts,
}


def _keyed(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a dataset by keys, with the dtypes of what its functions take beside."""
    (made,) = written(op, node)
    kinds = [x.dtype for x in node.inputs[node.inputs[0].dtype is variant :]]
    for name in ("key_func", "init_func", "reduce_func", "finalize_func"):
        count = op.attributes()[name].captured
        made.attributes[f"T{name}_other_arguments"] = tuple(kinds[:count])
        kinds = kinds[count:]
    experiment = f"Experimental{op.name}"  # as it is named in graphs of version 1
    if node.name.rpartition("/")[2].startswith(experiment):
        return (Spelled(experiment, made.attributes, made.inputs),)
    return (made,)


FURTHER_WRITTEN: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    **dict.fromkeys(
        (
            "CSVDataset",
            "CSVDatasetV2",
            "MatchingFilesDataset",
            "SlidingWindowDataset",
            "SqlDataset",
        ),
        written,
    ),
    "GroupByReducerDataset": _keyed,
}
"""How they are written."""
