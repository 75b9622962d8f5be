"""How operators are written in a GraphDef: names, attributes, and nodes that are due beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.dtypes import bool_, int32, int64, string
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node
from tensorlite.interop.tensorflow.adapters.datasets import WRITTEN
from tensorlite.interop.tensorflow.adapters.filing import FILED
from tensorlite.interop.tensorflow.adapters.further_datasets import FURTHER_WRITTEN
from tensorlite.interop.tensorflow.adapters.parsing import PARSING
from tensorlite.interop.tensorflow.adapters.plain import PLAIN, Plain
from tensorlite.interop.tensorflow.adapters.putting_aside import STAGED
from tensorlite.interop.tensorflow.adapters.rare_datasets import RARE_WRITTEN
from tensorlite.interop.tensorflow.adapters.sequence_parsing import SEQUENCES_WRITTEN
from tensorlite.interop.tensorflow.adapters.spectra import TRANSFORMS
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.python_calls import written as _python_call
from tensorlite.interop.tensorflow.writers.calling_others import (
    MADE_OF,
    as_call,
    bins,
)
from tensorlite.interop.tensorflow.writers.counting import shapes_of, written_name
from tensorlite.interop.tensorflow.writers.decomposing import DECOMPOSED
from tensorlite.interop.tensorflow.writers.guarding import GUARDED, asserted
from tensorlite.interop.tensorflow.writers.iterating import ITERATED
from tensorlite.interop.tensorflow.writers.parts import Spelled, constant_part
from tensorlite.interop.tensorflow.writers.tabling import TABLES


class Parts(NamedTuple):
    """All that is written for a node."""

    parts: tuple[Spelled, ...]


def spelled(node: Node, op: Op | None = None) -> Parts | None:
    """Return how a node is written, as if it were of another operator if one is given.

    None when TensorFlow has nothing of that kind.
    """
    op = node.op if op is None else op
    special = _SPECIAL.get(op.name)
    if special is not None:
        made = special(op, node)
        return None if made is None else Parts(made)
    adapter = PLAIN.get(op.name)
    if not isinstance(adapter, Plain) and op.name not in _SAME:
        return None
    names = adapter.names if isinstance(adapter, Plain) else {}
    return Parts((Spelled(op.name, _plainly(op, names)),))


def _plainly(op: Op, names: dict[str, str]) -> dict[str, Any]:
    return {
        names.get(key, key): Shape(value.shape)
        if isinstance(value, TensorSpec)
        else value
        for key, value in op.attributes().items()
    }


def _typed(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Return a node of which a spec says dtype and shape."""
    spec: TensorSpec = op.attributes()["spec"]
    return (Spelled(op.name, {"dtype": spec.dtype, "shape": Shape(spec.shape)}),)


def _shaped(op: Op, _: Node) -> tuple[Spelled, ...]:
    return (Spelled(op.name, {"shape": Shape(op.attributes()["shape"])}),)


def _handle(op: Op, node: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    (made,) = _typed(op, node)
    name = given["shared_name"] or given["debug_name"] or node.name
    made.attributes |= {"shared_name": name, "container": given["container"]}
    return (made,)


def _const(op: Op, _: Node) -> tuple[Spelled, ...]:
    return (Spelled("Const", {"value": op.attributes()["value"]}),)


def _slice_written(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a write to a slice, which says by masks what its bounds mean."""
    write, *read = _written(op, node)
    write.attributes = {k: x for k, x in op.attributes().items() if k != "returns"}
    return (write, *read)


def _written(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a write, and the read that is its output here, if it has one."""
    if not node.outputs:
        return (Spelled(op.name, {}),)
    write = Spelled(op.name, {}, name="write")
    read = Spelled("ReadVariableOp", {}, (0,), after=("write",))
    return (write, read)


def _regions(op: Op, node: Node) -> tuple[Spelled, ...]:
    given = {key: x for key, x in op.attributes().items() if key not in _OWN}
    given["output_shapes"] = shapes_of(node)
    return (Spelled(written_name(op), given),)


_OWN = ("swap_memory", "back_prop")
"""What loops say that is written nowhere."""


def _added(_: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a sum; that of texts is an operator of its own there."""
    return (Spelled("Add" if node.inputs[0].dtype is string else "AddV2", {}),)


def _bitwise(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a bitwise operator; that of truth values has another name there."""
    is_truth = node.inputs[0].dtype is bool_
    return (Spelled(_OF_TRUTH[op.name] if is_truth else op.name, {}),)


_OF_TRUTH = {
    "BitwiseAnd": "LogicalAnd",
    "BitwiseOr": "LogicalOr",
    "BitwiseXor": "NotEqual",
    "Invert": "LogicalNot",
}


def _called(op: Op, node: Node) -> tuple[Spelled, ...]:
    graph: Graph = op.regions()[0]
    effect = getattr(op.effect, "name", "NONE")
    name = "PartitionedCall" if effect == "NONE" else "StatefulPartitionedCall"
    return (Spelled(name, {"f": graph, "_output_shapes": shapes_of(node)}),)


def _image_summary(op: Op, _: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    color = np.asarray(given["bad_color"], np.uint8)
    return (Spelled(op.name, given | {"bad_color": color}),)


def _queue(op: Op, _: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    specs: tuple[TensorSpec, ...] = given["components"]
    if op.name == "PriorityQueueV2":
        specs = specs[1:]
    known = all(spec.shape is not None for spec in specs)
    kept = {key: x for key, x in given.items() if key != "components"}
    kinds = {
        "component_types": tuple([spec.dtype for spec in specs]),
        "shapes": tuple([Shape(spec.shape) for spec in specs]) if known else (),
    }
    return (Spelled(op.name, kept | kinds),)


def _barrier(op: Op, node: Node) -> tuple[Spelled, ...]:
    (made,) = _queue(op, node)
    made.attributes["shared_name"] = made.attributes["shared_name"] or node.name
    return (made,)


def _shared(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return what makes a resource, by the name under which others find it."""
    given = op.attributes()
    given["shared_name"] = given["shared_name"] or node.name
    return (Spelled(op.name, given),)


def _sized(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return the gradient of resizing, which takes the images' size there."""
    known = node.inputs[1].spec.dims[1:3] if node.inputs[1].spec.rank else (None,)
    if None not in known:
        sizes = {"value": np.array(known, np.int32), "dtype": int32}
        return (
            Spelled("Const", sizes, (), "size"),
            Spelled(op.name, op.attributes(), (0, "size")),
        )
    begin, two = [{"value": np.array([n], np.int32), "dtype": int32} for n in (1, 2)]
    kinds = {"T": int32, "Index": int32}
    return (
        Spelled("Shape", {"out_type": int32}, (1,), "shape"),
        Spelled("Const", begin, (), "begin"),
        Spelled("Const", two, (), "two"),
        Spelled("Slice", kinds, ("shape", "begin", "two"), "size"),
        Spelled(op.name, op.attributes(), (0, "size")),
    )


def _named(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a node that saves, whose names are inputs there."""
    names: tuple[str, ...] = op.attributes()["tensor_names"]
    listed, empty = np.empty(len(names), object), np.empty(len(names), object)
    listed[:], empty[:] = names, ""
    first = Spelled("Const", {"value": listed, "dtype": string}, (), "tensor_names")
    second = Spelled(
        "Const", {"value": empty, "dtype": string}, (), "shape_and_slices"
    )
    given: dict[str, Any] = {}
    tensors = range(1, len(node.inputs))
    inputs: list[int | str] = [0, "tensor_names", "shape_and_slices", *tensors]
    if op.name == "RestoreV2":
        given["dtypes"] = tuple([x.dtype for x in op.attributes()["specs"]])
    return first, second, Spelled(op.name, given, tuple(inputs))


def _adam(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Return Adam's update, which takes the powers of its two rates."""
    first = Spelled("Pow", {}, (4, 7), "beta1_power")
    second = Spelled("Pow", {}, (5, 7), "beta2_power")
    powers = ("beta1_power", "beta2_power")
    return (
        first,
        second,
        Spelled(op.name, op.attributes(), (0, 1, 2, *powers, 3, 4, 5, 6, 8)),
    )


_NAMES = """
    BarrierClose BarrierIncompleteSize BarrierInsertMany BarrierReadySize BarrierTakeMany
    AudioSummaryV2 HistogramSummary MergeSummary ScalarSummary TensorSummaryV2 Equal Identity
    IdentityN InitializeTableFromTextFileV2 NotEqual OptionalHasValue QueueCloseV2
    QueueDequeueManyV2
    QueueDequeueUpToV2 QueueDequeueV2 QueueEnqueueManyV2 QueueEnqueueV2 QueueIsClosedV2
    QueueSizeV2 ReadVariableOp ResourceApplyFtrlV2 ResourceGather ResourceGatherNd
    SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient StackPopV2 StackPushV2
    TensorListReserve
    TensorArrayCloseV3 TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayGradV3 TensorArrayReadV3
    TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3
    UniqueWithCountsV2 VarIsInitializedOp VariableShape ZerosLike
    DecodeAndCropJpeg EncodeJpegVariableQuality Eig ExtractJpegShape GatherTree StringNGrams
    UnsortedSegmentJoin NonMaxSuppressionWithOverlaps RaggedTensorFromVariant
    RaggedTensorToVariant RaggedTensorToVariantGradient MutexLock ConsumeMutexLock
    RaggedGather RaggedRange RaggedTensorToSparse
    CreateSummaryFileWriter WriteSummary WriteRawProtoSummary WriteGraphSummary ImportEvent
    FlushSummaryWriter CloseSummaryWriter TakeManySparseFromTensorsMap GetSessionHandle
    GetSessionTensor DeleteSessionTensor BoostedTreesCreateEnsemble BoostedTreesPredict
    BoostedTreesDeserializeEnsemble BoostedTreesSerializeEnsemble
    IsBoostedTreesEnsembleInitialized
    MaxPoolV2 MaxPoolGradV2 MaxPoolGradGradV2 DeserializeSparse
"""
_SAME = set(_NAMES.split())
"""Operators that are written as they are, though more is done when they are read."""


def _applied(op: Op, _: Node) -> tuple[Spelled, ...]:
    return (Spelled(op.name, op.attributes()),)


def _sparse(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return the update of some rows: the gradient and the indices of its rows stand together."""
    rule: Op = op.attributes()["rule"]
    name = rule.name.replace("ResourceApply", "ResourceSparseApply")
    made = Spelled(name, rule.attributes())
    return _counted(made, node) if rule.name == "ResourceApplyAdagradDA" else (made,)


def _renamed(name: str) -> Callable[[Op, Node], tuple[Spelled, ...]]:
    return lambda op, _: (Spelled(name, _plainly(op, {})),)


def _accumulator(op: Op, node: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    spec: TensorSpec = given.pop("value")
    prefix = "" if op.name.startswith("Sparse") else "Resource"
    given["shared_name"] = given["shared_name"] or node.name
    given |= {"dtype": spec.dtype, "shape": Shape(spec.shape)}
    return (Spelled(f"{prefix}{op.name}", given),)


def _saved(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Return a node that saves to TensorFlow's checkpoints, of the format that it asks for."""
    is_first = op.attributes()["version"] == 1
    return (Spelled("SaveSlices" if is_first else "SaveV2", {}),)


def _accumulating(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return what works on an accumulator: those of sparse gradients are references there."""
    made_by = node.inputs[0].node.op.name
    prefix = "" if made_by == "SparseConditionalAccumulator" else "Resource"
    return (Spelled(f"{prefix}{op.name}", _plainly(op, {})),)


def _reached(op: Any, _: Node) -> tuple[Spelled, ...]:
    """Spell what a predicate is where no branch is left that tells it."""
    return (constant_part("", op.holds, bool_),)


def _drawn(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a draw, whose generator is its own there."""
    inputs = tuple(range(1, len(node.inputs)))
    return (Spelled(op.name, op.attributes(), inputs),)


def _slice_grad(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return the gradient of a slice, whose shape is of the dtype that its bounds have."""
    shape, begin = node.inputs[0].dtype, node.inputs[1].dtype
    if shape is begin:
        return (Spelled(op.name, op.attributes()),)
    cast = Spelled("Cast", {"SrcT": shape, "DstT": begin}, (0,), "shape")
    rest = range(1, len(node.inputs))
    return cast, Spelled(op.name, op.attributes(), ("shape", *rest))


def _sampler(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return a draw of candidates, or of a window, whose generator is its own there."""
    given = op.attributes()
    drawn: Op = given.pop("op")
    if drawn.name == "StatelessSampleDistortedBoundingBox":
        name, made = "SampleDistortedBoundingBoxV2", given | drawn.attributes()
        return (Spelled(name, made | {"T": int32}, (1, 2, 3)),)
    labels = node.inputs[1].spec.shape
    name = _SAMPLERS.get(drawn.name, "")
    if not name or labels is None:
        return None
    # Rows of a length that is not known have the one label that losses take by default.
    given |= drawn.attributes() | {"num_true": labels[-1] or 1}
    given["unigrams"] = given.pop("weights", ())
    return (Spelled(name, given, (1,)),)


_SAMPLERS = {
    "FixedUnigramCandidates": "FixedUnigramCandidateSampler",
    "LogUniformCandidates": "LogUniformCandidateSampler",
    "UniformCandidates": "UniformCandidateSampler",
}


def _as_it_is(op: Op, _: Node) -> tuple[Spelled, ...]:
    """Return results whose gradients were taken in another way; there they are not any more."""
    return (Spelled("IdentityN", {}, tuple(range(op.attributes()["number"]))),)


def _adagrad_da(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return dual Adagrad's update, which takes the step as an integer."""
    return _counted(Spelled(op.name, {}), node)


def _counted(update: Spelled, node: Node) -> tuple[Spelled, ...]:
    *rest, step = range(len(node.inputs))
    if node.inputs[step].dtype is int64:
        return (update,)
    cast = Spelled("Cast", {"DstT": int64}, (step,), "global_step")
    update.inputs = (*rest, "global_step")
    return cast, update


def _bundle(_: Op, node: Node) -> tuple[Spelled, ...]:
    if not node.inputs:
        return (Spelled("OptionalNone", {}),)
    kinds = tuple([x.dtype for x in node.inputs])
    return (Spelled("OptionalFromValue", {"Toutput_types": kinds}),)


def _unbundle(op: Op, _: Node) -> tuple[Spelled, ...]:
    specs: tuple[TensorSpec, ...] = op.attributes()["specs"]
    kinds = {
        "output_types": tuple([spec.dtype for spec in specs]),
        "output_shapes": tuple([Shape(spec.shape) for spec in specs]),
    }
    return (Spelled("OptionalGetValue", kinds),)


_SPECIAL: dict[str, Callable[[Op, Node], tuple[Spelled, ...] | None]] = {
    **DECOMPOSED,
    **PARSING,
    **SEQUENCES_WRITTEN,
    **FILED,
    **FURTHER_WRITTEN,
    **RARE_WRITTEN,
    **GUARDED,
    **ITERATED,
    **STAGED,
    **TABLES,
    **TRANSFORMS,
    **WRITTEN,
    **dict.fromkeys(MADE_OF, as_call),
    "AccumulatorApplyGradient": _accumulating,
    "AccumulatorNumAccumulated": _accumulating,
    "AccumulatorSetGlobalStep": _accumulating,
    "AccumulatorTakeGradient": _accumulating,
    "AddManySparseToTensorsMap": _shared,
    "AddSparseToTensorsMap": _shared,
    "AddV2": _added,
    "AdamByPowers": _renamed("ResourceApplyAdam"),
    "AmsgradByPowers": _renamed("ResourceApplyAdamWithAmsgrad"),
    "Assert": asserted,
    **dict.fromkeys(_OF_TRUTH, _bitwise),
    "Barrier": _barrier,
    "Bincount": bins,
    "BoostedTreesEnsembleResourceHandleOp": _shared,
    "Bundle": _bundle,
    "ConditionalAccumulator": _accumulator,
    "Const": _const,
    "CustomGradient": _as_it_is,
    "CountUpToVariableOp": _renamed("ResourceCountUpTo"),
    "DeserializeManySparse": lambda op, _: (
        Spelled(op.name, {"dtype": op.attributes()["out_type"]}),
    ),
    "EagerPyFunc": _python_call,
    **dict.fromkeys(("AccumulateNV2", "EnsureShape", "ParallelConcat"), _shaped),
    "FIFOQueueV2": _queue,
    "FromCounter": _sampler,
    "If": _regions,
    "FractionalAvgPool": _drawn,
    "FractionalMaxPool": _drawn,
    "ImageSummary": _image_summary,
    "MergeCheckpoints": _renamed("MergeV2Checkpoints"),
    "Multinomial": _drawn,
    "MutexV2": _shared,
    "PaddingFIFOQueueV2": _queue,
    "PartitionedCall": _called,
    "Placeholder": _typed,
    "PlaceholderWithDefault": _typed,
    "PriorityQueueV2": _queue,
    "Reached": _reached,
    "LearnedUnigramCandidateSampler": _drawn,
    "ParameterizedTruncatedNormal": _drawn,
    "PyFunc": _python_call,
    "RandomGamma": _drawn,
    "RandomPoissonV2": _drawn,
    "RandomShuffle": _drawn,
    "RandomShuffleQueueV2": _queue,
    "RandomStandardNormal": _drawn,
    "RandomUniform": _drawn,
    "RandomUniformInt": _drawn,
    "ResizeNearestNeighborGrad": _sized,
    "ResourceApplyAdagradDA": _adagrad_da,
    "ResourceApplyAdam": _adam,
    "RestoreTensors": _renamed("RestoreV2"),
    "RestoreV2": _named,
    "SaveTensors": _saved,
    "SaveV2": _named,
    "SparseApply": _sparse,
    "StackV2": lambda op, _: (
        Spelled(op.name, {"elem_type": op.attributes()["element"].dtype}),
    ),
    "StridedSliceGrad": _slice_grad,
    "SparseConditionalAccumulator": _accumulator,
    "SummaryWriter": _shared,
    "ThreadUnsafeUnigramCandidateSampler": _drawn,
    "TruncatedNormal": _drawn,
    "Unbundle": _unbundle,
    "VarHandleOp": _handle,
    "VariantZerosLike": _renamed("ZerosLike"),
    "While": _regions,
}
for _name in (
    *(
        "AdaMax",
        "Adadelta",
        "AddSign",
        "PowerSign",
        "Adagrad",
        "AdagradV2",
        "CenteredRMSProp",
        "Ftrl",
        "FtrlV2",
        "GradientDescent",
        "KerasMomentum",
    ),
    *("Momentum", "ProximalAdagrad", "ProximalGradientDescent", "RMSProp"),
):
    _SPECIAL[f"ResourceApply{_name}"] = _applied
for _name in ("Assign", "AssignAdd", "AssignSub"):
    _SPECIAL[f"{_name}VariableOp"] = _written
for _name in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update"):
    _SPECIAL[f"ResourceScatter{_name}"] = _written
for _name in ("Add", "Max", "Min", "Sub", "Update"):
    _SPECIAL[f"ResourceScatterNd{_name}"] = _written
_SPECIAL["ResourceStridedSliceAssign"] = _slice_written
