"""Datasets and iterators in GraphDefs: operators whose functions make other elements of elements.

The operators are in data/beginnings.py, data/steps.py and data/iterator_ops.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from tensorlite.core import nest
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls
from tensorlite.core.dtypes import int32, int64, variant
from tensorlite.core.errors import (
    GraphDefError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tensorlite.core.op import REGISTRY, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.data import beginnings, iterator_ops, steps
from tensorlite.data.beginnings import PythonDataset
from tensorlite.data.files import STRING
from tensorlite.data.iterators import (
    IteratorGetNext,
    IteratorGetNextAsOptional,
    of_tensors,
    present,
)
from tensorlite.data.reducing import DatasetCardinality, OnlyElement, ReduceDataset
from tensorlite.data.variants import DatasetOp, tensors_of
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.trace import trace
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Called, Shape
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.arrays.shape import Cast
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.control.effects import PyFunc

Inputs = list[SymbolicTensor]

_LENGTHS = {
    "init_func": "Tinit_func_args",
    "next_func": "Tnext_func_args",
    "finalize_func": "Tfinalize_func_args",
    "key_func": "Tkey_func_other_arguments",
    "reduce_func": "Treduce_func_other_arguments",
    "window_size_func": "Twindow_size_func_other_arguments",
}
"""The attributes that say what functions take beside elements, where there are several."""
_KEYED = {"reduce_func", "window_size_func"}
"""Functions that take a key of a group."""
_STATES = {"init_func", "reduce_func", "finalize_func"}
"""Functions that take a key or its state."""


def _length_of(given: Given, name: str) -> str:
    """Return the attribute that says what a function takes beside elements."""
    own = (_LENGTHS.get(name, ""), f"T{name}_other_arguments")
    return next((x for x in own if x in given.record.attributes), "Targuments")


FILES = ("TextLineDataset", "TFRecordDataset", "FixedLengthRecordDatasetV2")
"""What gives strings, and does not say so."""


def specs_of(given: Given) -> tuple[TensorSpec, ...]:
    """Return the specs of a dataset's elements."""
    if "output_shapes" not in given.record.attributes:
        return (STRING,)
    key = "output_types"
    key = key if key in given.record.attributes else "Toutput_types"
    kinds, shapes = given.dtypes(key), given.typed("output_shapes", tuple)
    if len(kinds) != len(shapes) or not all(isinstance(x, Shape) for x in shapes):
        raise GraphDefError(f"{given.record}: {shapes!r} are no shapes for {kinds!r}")
    return tuple(
        [TensorSpec(x.sizes, kind) for x, kind in zip(shapes, kinds, strict=True)]
    )


def functions_of_elements(given: Given, inputs: Inputs) -> dict[str, Compiled]:
    """Return the functions that a dataset calls, with the tensors that they take beside."""
    signature = given.record.signature
    assert signature is not None
    names = [key for key, one in signature.attributes.items() if one.kind == "func"]
    begins = given.record.op == "GeneratorDataset"
    known, rest = ((), inputs) if begins else (inputs[0].spec.inner, inputs[1:])
    by_key = given.record.op.endswith("GroupByReducerDataset")
    keyed = _STATES if by_key else _KEYED
    found = {}
    if given.record.op.endswith(("ScanDataset", "ReduceDataset")):
        rest = rest[len(given.dtypes("Tstate")) :]
    for name in names:
        called = given.typed(name, Called)
        number = len(given.dtypes(_length_of(given, name)))
        beside, rest = rest[:number], rest[number:]
        wanted = given.library.arguments(called)
        specs = [TensorSpec(None, kind) for kind in wanted[: len(wanted) - number]]
        if len(known) == len(specs) and name not in keyed:
            specs = list(known)
        specs += [x.spec.without_value() for x in beside]
        compiled = Compiled(given.library.graph(called, specs))
        compiled.captured = number
        found[name] = compiled
    return found


def dataset(
    kind: str,
    given: Given,
    taken: Callable[[Given, Inputs], Inputs] = lambda _, inputs: inputs,
) -> Values:
    """Return a node of a dataset, whose inputs are chosen of those that are there."""
    inputs = given.tensors
    own: dict[str, Any] = dict(functions_of_elements(given, inputs))
    if kind == "ScanDataset":
        own["states"] = len(given.dtypes("Tstate"))
    if kind == "PaddedBatchDatasetV2":
        own["number"] = len(given.dtypes("Toutput_types"))
    if kind == "DirectedInterleaveDataset":
        own["N"] = given.typed("N", int)
        own["stop_on_empty_dataset"] = given.typed("stop_on_empty_dataset", bool)
    if kind == "ShuffleDataset":
        own["reshuffle_each_iteration"] = given.typed(
            "reshuffle_each_iteration", bool
        )
    if kind == "ParallelMapDataset":
        own["deterministic"] = _is_in_order(given)
    cls: Any = REGISTRY[kind]
    made = cls(specs=specs_of(given), **own)
    return given.node(made, *taken(given, inputs)).outputs


def _is_in_order(given: Given) -> bool:
    if "sloppy" in given.record.attributes:
        return not given.typed("sloppy", bool)
    return bool(given.typed("deterministic", str) != "false")


def constant_of(given: Given, value: Any) -> SymbolicTensor:
    """Return a constant beside a node."""
    return given.helper(Const(np.asarray(value))).outputs[0]


def _keep_rest(given: Given, inputs: Inputs) -> Inputs:
    """Return the inputs of what drops no batch that is not full."""
    return [*inputs, constant_of(given, False)]


def _uncompressed(given: Given, inputs: Inputs) -> Inputs:
    return [*inputs, constant_of(given, np.asarray(b"", object))]


def _int32_calls(given: Given, inputs: Inputs) -> Inputs:
    *rest, calls = inputs
    return [*rest, given.helper(Cast(int32), calls).outputs[0]]


def _one_batch_at_a_time(_: Given, inputs: Inputs) -> Inputs:
    return [*inputs[:2], inputs[3]]


def in_turns(number: int) -> Callable[[Given, Inputs], Inputs]:
    """Return what leaves out how many are read at a time, the last inputs."""
    return lambda _, inputs: inputs[:-number]


def nothing_kept(given: Given) -> Values:
    """Return what stands for the memory or the seeds of a dataset, which it has itself here."""
    signature = given.record.signature
    count = 1 if signature is None else len(signature.outputs)
    return given.give([constant_of(given, 0) for _ in range(count)])


def _released(given: Given) -> Values:
    """Do nothing: what nobody holds goes by itself."""
    given.node(NoOp())
    return ()


def as_it_is(given: Given) -> Values:
    """Pass on a dataset, of which only the speed is said."""
    return given.give([given.tensor(0)])


def _named(given: Given) -> dict[str, str]:
    return {
        "container": given.typed("container", str),
        "shared_name": given.typed("shared_name", str) or given.name,
    }


def _iterator(given: Given) -> Values:
    op = iterator_ops.IteratorV2(specs_of(given), **_named(given))
    return given.node(op).outputs


def _anonymous(given: Given) -> Values:
    """Return an iterator that is made anew each time, and what deletes it where that is due."""
    made = given.node(iterator_ops.IteratorV2(specs_of(given))).outputs
    is_newest = given.record.op.endswith("V3")
    return made if is_newest else [*made, constant_of(given, 0)]


def _one_shot(given: Given) -> Values:
    called = given.typed("dataset_factory", Called)
    factory = Compiled(given.library.graph(called, []))
    op = iterator_ops.OneShotIterator(factory, specs_of(given), **_named(given))
    return given.node(op).outputs


def _make_iterator(given: Given) -> Values:
    given.node(iterator_ops.MakeIterator(), *given.tensors)
    return ()


def _with_specs(kind: Callable[[tuple[TensorSpec, ...]], Op], given: Given) -> Values:
    return given.node(kind(specs_of(given)), *given.tensors).outputs


def _folded(given: Given) -> Values:
    """Return the state after all elements of a dataset."""
    given.attribute("use_inter_op_parallelism")
    op = ReduceDataset(
        functions_of_elements(given, given.tensors)["f"],
        len(given.dtypes("Tstate")),
        specs_of(given),
    )
    return given.node(op, *given.tensors).outputs


def counted(given: Given) -> Values:
    """Return how many elements a dataset has."""
    if "cardinality_options" in given.record.attributes:
        given.attribute("cardinality_options")
    return given.node(DatasetCardinality(), *given.tensors).outputs


def _string_of(given: Given) -> Values:
    op = iterator_ops.IteratorToStringHandle()
    return given.node(op, *given.tensors).outputs


_SAME = (
    *("TensorDataset", "TensorSliceDataset", "RangeDataset", "GeneratorDataset"),
    *(
        "ZipDataset",
        "ConcatenateDataset",
        "MapDataset",
        "ParallelMapDataset",
        "FilterDataset",
    ),
    *("TakeWhileDataset", "FlatMapDataset", "InterleaveDataset", "ScanDataset"),
    *("BatchDatasetV2", "PaddedBatchDatasetV2", "UnbatchDataset", "WindowDataset"),
    *("GroupByWindowDataset", "ShuffleDataset", "ShuffleAndRepeatDataset"),
    *("RepeatDataset", "TakeDataset", "SkipDataset", "ShardDataset"),
    *("UniqueDataset", "PrefetchDataset", "CacheDataset", *FILES),
    *("IgnoreErrorsDataset", "AssertCardinalityDataset", "RebatchDatasetV2"),
    *("DirectedInterleaveDataset", "ModelDataset", "OptimizeDataset"),
    *("MapAndBatchDataset", "ParallelInterleaveDataset", "RandomDataset"),
    "ParallelInterleaveDatasetV2",
)
_EXPERIMENTAL = (
    *("GroupByWindow", "MapAndBatch", "Random", "Scan"),
    *("TakeWhile", "Unbatch", "Unique"),
)

DATASETS: dict[str, Adapter] = {
    "DatasetCardinality": counted,
    "DatasetToSingleElement": partial(_with_specs, OnlyElement),
    "ReduceDataset": _folded,
    **{name: partial(dataset, name) for name in _SAME},
    **{
        f"Experimental{name}Dataset": partial(dataset, f"{name}Dataset")
        for name in _EXPERIMENTAL
    },
    "AnonymousIteratorV2": _anonymous,
    "AnonymousIteratorV3": _anonymous,
    "AnonymousMemoryCache": nothing_kept,
    "AnonymousSeedGenerator": nothing_kept,
    "BatchDataset": partial(dataset, "BatchDatasetV2", taken=_keep_rest),
    "CacheDatasetV2": partial(dataset, "CacheDataset", taken=in_turns(1)),
    "DeleteIterator": _released,
    "DeleteMemoryCache": _released,
    "DeleteSeedGenerator": _released,
    "DummyMemoryCache": nothing_kept,
    "DummySeedGenerator": nothing_kept,
    "FinalizeDataset": as_it_is,
    "FixedLengthRecordDataset": partial(dataset, FILES[2], taken=_uncompressed),
    "Iterator": _iterator,
    "IteratorFromStringHandle": partial(
        _with_specs, iterator_ops.IteratorFromStringHandleV2
    ),
    "IteratorFromStringHandleV2": partial(
        _with_specs, iterator_ops.IteratorFromStringHandleV2
    ),
    "IteratorGetNext": partial(_with_specs, IteratorGetNext),
    "IteratorGetNextAsOptional": partial(_with_specs, IteratorGetNextAsOptional),
    "IteratorGetNextSync": partial(_with_specs, IteratorGetNext),
    "IteratorToStringHandle": _string_of,
    "IteratorV2": _iterator,
    "MakeIterator": _make_iterator,
    "MaxIntraOpParallelismDataset": as_it_is,
    "NonSerializableDataset": as_it_is,
    "OneShotIterator": _one_shot,
    "OptimizeDatasetV2": as_it_is,
    "OptionsDataset": as_it_is,
    "PaddedBatchDataset": partial(dataset, "PaddedBatchDatasetV2", taken=_keep_rest),
    "ParallelBatchDataset": partial(
        dataset, "BatchDatasetV2", taken=_one_batch_at_a_time
    ),
    "ParallelFilterDataset": partial(dataset, "FilterDataset", taken=in_turns(1)),
    "ParallelInterleaveDatasetV3": partial(
        dataset, "InterleaveDataset", taken=in_turns(1)
    ),
    "ParallelInterleaveDatasetV4": partial(
        dataset, "InterleaveDataset", taken=in_turns(3)
    ),
    "ParallelMapDatasetV2": partial(
        dataset, "ParallelMapDataset", taken=_int32_calls
    ),
    "PrivateThreadPoolDataset": as_it_is,
    "RewriteDataset": as_it_is,
    "ShuffleAndRepeatDatasetV2": partial(
        dataset, "ShuffleAndRepeatDataset", taken=in_turns(1)
    ),
    "ShuffleDatasetV3": partial(dataset, "ShuffleDataset", taken=in_turns(1)),
}


def _elements(specs: Sequence[TensorSpec]) -> dict[str, Any]:
    """Return the attributes that say what elements are, by the names that they may have."""
    kinds = tuple([spec.dtype for spec in specs])
    return {
        "output_types": kinds,
        "Toutput_types": kinds,
        "output_shapes": tuple([Shape(spec.shape) for spec in specs]),
    }


def written(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a dataset's node, with the dtypes of what its functions take beside elements."""
    assert isinstance(op, DatasetOp)
    given = op.attributes()
    made = given | _elements(given["specs"])
    has_source = bool(node.inputs) and node.inputs[0].dtype is variant
    dtypes = [x.dtype for x in node.inputs[has_source:]]
    if isinstance(op, steps.ScanDataset):
        made["Tstate"] = tuple(dtypes[: op.states])
        made["Targuments"] = tuple(dtypes[op.states :])
    if isinstance(op, (beginnings.GeneratorDataset, steps.GroupByWindowDataset)):
        for name, kinds in [x for x in _LENGTHS.items() if x[0] in given]:
            count = given[name].captured
            made[kinds], dtypes = tuple(dtypes[:count]), dtypes[count:]
    if isinstance(op, steps.ParallelMapDataset):
        made["sloppy"] = not op.deterministic
    if isinstance(op, steps.PaddedBatchDatasetV2):
        made["N"] = op.number
    return (Spelled(op.name, made),)


def _iterators(op: Op, _: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    specs = given.pop("specs", ()) or given.pop("output_types", ())
    if "factory" in given:
        # It may have no name that is shared, there.
        given |= {"dataset_factory": given["factory"], "shared_name": ""}
    if isinstance(op, iterator_ops.IteratorV2) and not op.shared_name:
        return (Spelled("AnonymousIteratorV3", _elements(specs)),)
    return (Spelled(op.name, given | _elements(specs)),)


_generated: WeakKeyDictionary[Op, dict[str, Compiled]] = WeakKeyDictionary()
"""The functions of datasets that Python makes: calls of it, which tokens stand for."""


def _python(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a dataset that Python makes as one of a generator, which only its process has."""
    assert isinstance(op, PythonDataset)
    if op not in _generated:
        _generated[op] = _functions_of(op, [x.spec for x in node.inputs])
    kinds = tuple([x.dtype for x in node.inputs])
    lengths: dict[str, Any] = dict.fromkeys(_LENGTHS.values(), ())
    lengths["Tinit_func_args"] = kinds
    made = _generated[op] | lengths | _elements(op.specs)
    return (Spelled("GeneratorDataset", made),)


def _functions_of(op: PythonDataset, given: list[TensorSpec]) -> dict[str, Compiled]:
    """Return functions that open a run through a dataset, give its next element, and close it."""
    known = ref(op)
    runs: dict[int, Iterator[Any]] = {}
    number = TensorSpec((), int64)
    numbers = count()

    def begin(*arrays: Any) -> int:
        place = next(numbers)
        here = known()
        if here is None:
            raise InvalidArgumentError("the graph that had this dataset is gone")
        runs[place] = here.made(*arrays).source()
        return place

    def following(place: Any) -> Any:
        element = next(runs[int(place)], None)
        if element is None:
            raise OutOfRangeError("End of sequence")
        return [x.numpy() for x in nest.flatten(element)]

    def finish(place: Any) -> int:
        runs.pop(int(place), None)
        return 0

    def graph(call: Any, specs: Any, result: Any) -> Compiled:
        def made(*x: Any) -> Sequence[Any]:
            found = calls(PyFunc(call, present(result)), *x)
            return tensors_of(of_tensors(result, found))

        return Compiled(trace(made, specs, call.__name__).graph)

    return {
        "init_func": graph(begin, given, (number,)),
        "next_func": graph(following, [number], op.dataset.element_spec),
        "finalize_func": graph(finish, [number], (number,)),
    }


def _fold(op: Op, node: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, ReduceDataset)
    kinds = tuple([x.dtype for x in node.inputs[1:]])
    own = {"f": op.f, "Tstate": kinds[: op.states], "Targuments": kinds[op.states :]}
    return (Spelled("ReduceDataset", own | _elements(op.output_types)),)


def _only(op: Op, _: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, OnlyElement)
    return (Spelled("DatasetToSingleElement", _elements(op.output_types)),)


WRITTEN: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    **dict.fromkeys(_SAME, written),
    "DatasetCardinality": lambda op, _: (Spelled(op.name, {}),),
    "ReduceDataset": _fold,
    "OnlyElement": _only,
    "PythonDataset": _python,
    **dict.fromkeys(
        (
            *("IteratorFromStringHandleV2", "IteratorGetNext", "IteratorV2"),
            "IteratorGetNextAsOptional",
            *("IteratorToStringHandle", "MakeIterator", "OneShotIterator"),
        ),
        _iterators,
    ),
}
"""How datasets and iterators are written."""
