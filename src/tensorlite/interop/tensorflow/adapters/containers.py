"""What lives beside the tensors: queues, accumulators, stacks, arrays, lists, files, generators."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.containers import OF_A_RUN
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.ops.arrays.create import ZerosLike
from tensorlite.ops.control import lists, step_arrays, step_stacks
from tensorlite.ops.control.bundles import (
    Bundle,
    OptionalHasValue,
    Unbundle,
    VariantZerosLike,
)
from tensorlite.ops.nn.candidates import UniformCandidates
from tensorlite.ops.nn.sampled import LogUniformCandidates
from tensorlite.ops.queues import (
    accumulator_ops,
    barrier_ops,
    kinds as queue_kinds,
    mutex,
    operators as queue_ops,
    sparse_accumulator_ops,
)
from tensorlite.ops.random import draws as random, stateful_draws
from tensorlite.ops.random.words import Seeds
from tensorlite.ops.state import kept_values
from tensorlite.ops.state.making import Making
from tensorlite.ops.state.resource import VarHandleOp

PHILOX = 1
"""The number of the algorithm that draws."""


def _named(given: Given) -> dict[str, str]:
    """Return the attributes by which others find a resource."""
    return {
        "debug_name": given.name,
        "container": given.typed("container", str),
        "shared_name": given.typed("shared_name", str) or given.name,
    }


def _components(given: Given) -> tuple[TensorSpec, ...]:
    kinds = given.dtypes("component_types")
    shapes = given.typed("shapes", tuple)
    if not all(isinstance(one, Shape) for one in shapes):
        raise GraphDefError(f"{given.record}: its shapes are {shapes!r}")
    if shapes and len(shapes) != len(kinds):
        raise GraphDefError(f"{given.record}: {len(shapes)} shapes for {len(kinds)}")
    sizes = [one.sizes for one in shapes] or [None] * len(kinds)
    return tuple([TensorSpec(x, y) for x, y in zip(sizes, kinds, strict=True)])


def _queue(kind: Callable[..., Making], given: Given) -> Values:
    specs = _components(given)
    if kind is queue_kinds.PriorityQueueV2:
        specs = (TensorSpec((), dtypes.int64), *specs)
    extra: dict[str, Any] = {}
    if kind is queue_kinds.RandomShuffleQueueV2:
        extra["min_after_dequeue"] = given.typed("min_after_dequeue", int)
        extra["seed"], extra["seed2"] = _seeds(given)
    capacity, names = given.typed("capacity", int), _named(given)
    given.check_attributes()
    op = kind(components=specs, capacity=capacity, **extra, **names)
    return given.node(op).outputs


def _seeds(given: Given) -> Seeds:
    first, second = given.typed("seed", int), given.typed("seed2", int)
    if not first and not second:
        return secrets.randbits(31), 0
    return first, second


def _done(op: Callable[[], Op], given: Given) -> Values:
    given.check_attributes()
    return given.node(op(), *given.tensors).outputs


def _kept(given: Given) -> Values:
    op = kept_values.GetSessionTensor(given.dtype("dtype"))
    return given.node(op, *given.tensors).outputs


def _mutex(given: Given) -> Values:
    return given.node(mutex.MutexV2(**_named(given))).outputs


def _close(given: Given) -> Values:
    op = queue_ops.QueueCloseV2(given.typed("cancel_pending_enqueues", bool))
    return _done(lambda: op, given)


def _accumulator(kind: Callable[..., Making], given: Given) -> Values:
    spec = TensorSpec(given.shape("shape"), given.dtype("dtype"))
    reduction = given.typed("reduction_type", str)
    if reduction not in {"MEAN", "SUM"}:
        raise GraphDefError(
            f"{given.record}: reduction_type={reduction!r}; allowed are MEAN and SUM"
        )
    return given.node(
        kind(value=spec, reduction_type=reduction, **_named(given))
    ).outputs


def _barrier(given: Given) -> Values:
    given.typed("capacity", int)
    op = barrier_ops.Barrier(components=_components(given), **_named(given))
    return _done(lambda: op, given)


def _barrier_insert(given: Given) -> Values:
    op = barrier_ops.BarrierInsertMany(given.typed("component_index", int))
    return _done(lambda: op, given)


def _barrier_take(given: Given) -> Values:
    for name in ("component_types", "wait_for_incomplete"):
        given.attribute(name)
    op = barrier_ops.BarrierTakeMany(given.typed("allow_small_batch", bool))
    return _done(lambda: op, given)


def _barrier_close(given: Given) -> Values:
    op = barrier_ops.BarrierClose(given.typed("cancel_pending_enqueues", bool))
    return _done(lambda: op, given)


def _sparse_apply(given: Given) -> Values:
    op = sparse_accumulator_ops.SparseAccumulatorApplyGradient(
        given.typed("has_known_shape", bool)
    )
    return _done(lambda: op, given)


def _stack(given: Given) -> Values:
    element = TensorSpec(None, given.dtype("elem_type"))
    return _done(lambda: step_stacks.StackV2(element), given)


def _stack_push(given: Given) -> Values:
    """Push; a stack of handles is known by what the first of them are of."""
    found = _done(step_stacks.StackPushV2, given)
    stack, elem = given.tensor(0).node, given.tensor(1).spec
    while stack.op.role is not Role.PLAIN and stack.inputs:
        stack = stack.inputs[0].node
    is_new = isinstance(stack.op, step_stacks.StackV2) and not stack.op.element.inner
    if elem.inner and is_new:
        stack.op = step_stacks.StackV2(elem.without_value())
        given.graph.infer_again(stack)
    return found


def _array(given: Given) -> Values:
    alike = "identical_element_shapes"  # which older versions do not say
    spec = TensorSpec(given.shape("element_shape"), given.dtype("dtype"))
    op = step_arrays.TensorArrayV3(
        spec.dtype,
        spec,
        given.typed("dynamic_size", bool),
        given.typed("clear_after_read", bool),
        alike in given.record.attributes and given.typed(alike, bool),
    )
    return given.node(op, *given.tensors).outputs


def _array_gradient(given: Given) -> Values:
    op = step_arrays.TensorArrayGradV3(given.typed("source", str))
    return given.node(op, *given.tensors).outputs


def _array_read(op: Callable[[], Op], given: Given) -> Values:
    given.attribute("dtype")
    for name in ("element_shape", "element_shape_except0"):
        if name in given.record.given:
            given.attribute(name)
    return _done(op, given)


def drawn(op: type[stateful_draws.StatefulDraw], dtype: str, given: Given) -> Values:
    """Draw from a generator of this node's own, as TensorFlow's does: the same numbers."""
    generator = generator_of(given)
    kind: dict[str, Any] = {dtype: given.dtype(dtype)} if dtype else {}
    seeds = {name: given.typed(name, int) for name in ("seed", "seed2")}
    given.check_attributes()
    return given.node(op(**seeds, **kind), generator, *given.tensors).outputs


def generator_of(
    given: Given, state: TensorSpec = stateful_draws.STATE
) -> SymbolicTensor:
    """Return the handle of a generator of a node's own."""
    handle = VarHandleOp(
        state,
        debug_name=given.name,
        container=OF_A_RUN,
        shared_name=f"{given.name}/generator",
    )
    # In a loop or a conditional it is there as well.
    inside = [given.tensor(0).node, *given.control]
    made = given.helper(handle, control=tuple(dict.fromkeys(inside)))
    return made.outputs[0]


def _candidates(kind: type[LogUniformCandidates], given: Given) -> Values:
    """Draw candidates from a generator of this node's own."""
    given.typed("num_true", int)
    op = kind(
        given.typed("num_sampled", int),
        given.typed("range_max", int),
        given.typed("unique", bool),
    )
    return of_counter(given, op, 2 * op.num_sampled, given.tensors)


def of_counter(
    given: Given, op: Op, numbers: int, inputs: Sequence[SymbolicTensor]
) -> Values:
    """Return what an operator draws from a generator of this node's own, so many numbers."""
    seeds = {name: given.typed(name, int) for name in ("seed", "seed2")}
    given.check_attributes()
    made = stateful_draws.FromCounter(op, numbers, **seeds)
    return given.node(made, generator_of(given), *inputs).outputs


def _reserved(given: Given) -> Values:
    """Return a list of elements not written yet, which may grow where writing asks for it."""
    dtype = given.dtype("element_dtype")
    given.attribute("shape_type")
    given.check_attributes()
    shape, count = given.tensors
    limit = given.helper(Const(np.asarray(-1, np.int32))).outputs[0]
    empty = given.helper(lists.EmptyTensorList(dtype), shape, limit).outputs[0]
    return given.node(lists.TensorListResize(), empty, count).outputs


def _zeros_like(given: Given) -> Values:
    x = given.tensor(0)
    return given.made(
        VariantZerosLike() if x.dtype is dtypes.variant else ZerosLike(), x
    )


def _optional_value(given: Given) -> Values:
    kinds, shapes = given.dtypes("output_types"), given.typed("output_shapes", tuple)
    if len(kinds) != len(shapes):
        raise GraphDefError(f"{given.record}: {len(shapes)} shapes for {len(kinds)}")
    specs = [TensorSpec(x.sizes, y) for x, y in zip(shapes, kinds, strict=True)]
    return given.node(Unbundle(tuple(specs)), *given.tensors).outputs


CONTAINERS: dict[str, Adapter] = {
    "Barrier": _barrier,
    "BarrierClose": _barrier_close,
    "BarrierIncompleteSize": partial(_done, barrier_ops.BarrierIncompleteSize),
    "BarrierInsertMany": _barrier_insert,
    "BarrierReadySize": partial(_done, barrier_ops.BarrierReadySize),
    "BarrierTakeMany": _barrier_take,
    "ConsumeMutexLock": partial(_done, mutex.ConsumeMutexLock),
    "DeleteSessionTensor": partial(_done, kept_values.DeleteSessionTensor),
    "GetSessionHandle": partial(_done, kept_values.GetSessionHandle),
    "GetSessionTensor": _kept,
    "LogUniformCandidateSampler": partial(_candidates, LogUniformCandidates),
    "Multinomial": partial(drawn, stateful_draws.Multinomial, "output_dtype"),
    "MutexLock": partial(_done, mutex.MutexLock),
    "MutexV2": _mutex,
    "OptionalFromValue": partial(_done, Bundle),
    "OptionalGetValue": _optional_value,
    "OptionalHasValue": partial(_done, OptionalHasValue),
    "OptionalNone": partial(_done, Bundle),
    "RngReadAndSkip": partial(_done, random.RngReadAndSkip),
    "RandomShuffle": partial(drawn, stateful_draws.RandomShuffle, ""),
    "RandomStandardNormal": partial(
        drawn, stateful_draws.RandomStandardNormal, "dtype"
    ),
    "RandomUniform": partial(drawn, stateful_draws.RandomUniform, "dtype"),
    "RandomUniformInt": partial(drawn, stateful_draws.RandomUniformInt, ""),
    "SparseAccumulatorApplyGradient": _sparse_apply,
    "SparseAccumulatorTakeGradient": partial(
        _done, sparse_accumulator_ops.SparseAccumulatorTakeGradient
    ),
    "SparseConditionalAccumulator": partial(
        _accumulator, sparse_accumulator_ops.SparseConditionalAccumulator
    ),
    "TensorArrayCloseV3": partial(_done, step_arrays.TensorArrayCloseV3),
    "TensorArrayConcatV3": partial(_array_read, step_arrays.TensorArrayConcatV3),
    "TensorArrayGatherV3": partial(_array_read, step_arrays.TensorArrayGatherV3),
    "TensorArrayGradV3": _array_gradient,
    "TensorArrayReadV3": partial(_array_read, step_arrays.TensorArrayReadV3),
    "TensorArrayScatterV3": partial(_done, step_arrays.TensorArrayScatterV3),
    "TensorArraySizeV3": partial(_done, step_arrays.TensorArraySizeV3),
    "TensorArraySplitV3": partial(_done, step_arrays.TensorArraySplitV3),
    "TensorArrayV3": _array,
    "TensorArrayWriteV3": partial(_done, step_arrays.TensorArrayWriteV3),
    "TensorListReserve": _reserved,
    "UniformCandidateSampler": partial(_candidates, UniformCandidates),
    "ZerosLike": _zeros_like,
    "TruncatedNormal": partial(drawn, stateful_draws.TruncatedNormal, "dtype"),
}
for _kind in (
    *("Close", "Concat", "Gather", "Grad", "Read", "Scatter", "Size", "Split", ""),
    "Write",
):
    for _end in ("", "V2"):
        CONTAINERS[f"TensorArray{_kind}{_end}"] = CONTAINERS[f"TensorArray{_kind}V3"]
for _end in ("", "V2"):
    CONTAINERS |= {
        f"FIFOQueue{_end}": partial(_queue, queue_kinds.FIFOQueueV2),
        f"PaddingFIFOQueue{_end}": partial(_queue, queue_kinds.PaddingFIFOQueueV2),
        f"PriorityQueue{_end}": partial(_queue, queue_kinds.PriorityQueueV2),
        f"RandomShuffleQueue{_end}": partial(
            _queue, queue_kinds.RandomShuffleQueueV2
        ),
        f"QueueClose{_end}": _close,
        f"QueueDequeue{_end}": partial(_done, queue_ops.QueueDequeueV2),
        f"QueueDequeueMany{_end}": partial(_done, queue_ops.QueueDequeueManyV2),
        f"QueueDequeueUpTo{_end}": partial(_done, queue_ops.QueueDequeueUpToV2),
        f"QueueEnqueue{_end}": partial(_done, queue_ops.QueueEnqueueV2),
        f"QueueEnqueueMany{_end}": partial(_done, queue_ops.QueueEnqueueManyV2),
        f"QueueIsClosed{_end}": partial(_done, queue_ops.QueueIsClosedV2),
        f"QueueSize{_end}": partial(_done, queue_ops.QueueSizeV2),
        f"Stack{_end}": _stack,
        f"StackClose{_end}": partial(_done, step_arrays.TensorArrayCloseV3),
        f"StackPop{_end}": partial(_done, step_stacks.StackPopV2),
        f"StackPush{_end}": _stack_push,
    }
for _start in ("", "Resource"):
    CONTAINERS |= {
        f"{_start}AccumulatorApplyGradient": partial(
            _done, accumulator_ops.AccumulatorApplyGradient
        ),
        f"{_start}AccumulatorNumAccumulated": partial(
            _done, accumulator_ops.AccumulatorNumAccumulated
        ),
        f"{_start}AccumulatorSetGlobalStep": partial(
            _done, accumulator_ops.AccumulatorSetGlobalStep
        ),
        f"{_start}AccumulatorTakeGradient": partial(
            _done, accumulator_ops.AccumulatorTakeGradient
        ),
        f"{_start}ConditionalAccumulator": partial(
            _accumulator, accumulator_ops.ConditionalAccumulator
        ),
    }
