"""What lives beside the tensors: queues, accumulators, stacks, arrays, lists, files, generators."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.given import Given, Values
from tensorlite.interop.tensorflow.plain import Adapter
from tensorlite.ops import (
    accumulator_ops,
    queue_kinds,
    queue_ops,
    random,
    sparse_accumulator_ops,
    step_arrays,
    step_stacks,
)
from tensorlite.ops.bundles import Bundle, Unbundle, VariantZerosLike
from tensorlite.ops.create import ZerosLike
from tensorlite.ops.making import Making
from tensorlite.ops.resource import AssignFirstValue, VarHandleOp
from tensorlite.ops.shape import shape_of

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
        extra["seed"] = _seed(given)
    capacity = given.typed("capacity", int)
    given.check_attributes()
    op = kind(components=specs, capacity=capacity, **extra, **_named(given))
    return given.node(op).outputs


def _seed(given: Given) -> int:
    first, second = given.typed("seed", int), given.typed("seed2", int)
    if not first and not second:
        return secrets.randbits(31)
    return hash((first, second)) & (2**31 - 1)


def _done(op: Callable[[], Op], given: Given) -> Values:
    given.check_attributes()
    return given.node(op(), *given.tensors).outputs


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


def _sparse_apply(given: Given) -> Values:
    op = sparse_accumulator_ops.SparseAccumulatorApplyGradient(
        given.typed("has_known_shape", bool)
    )
    return _done(lambda: op, given)


def _stack(given: Given) -> Values:
    return _done(lambda: step_stacks.StackV2(given.dtype("elem_type")), given)


def _array(given: Given) -> Values:
    spec = TensorSpec(given.shape("element_shape"), given.dtype("dtype"))
    op = step_arrays.TensorArrayV3(
        spec.dtype,
        spec,
        given.typed("dynamic_size", bool),
        given.typed("clear_after_read", bool),
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


def _drawn(draw: Callable[..., Tensor], given: Given) -> Values:
    """Draw from a generator of this node's own, as TensorFlow's does: the same numbers."""
    key, counter, again = _generator(given, given.tensor(0))
    algorithm = constant(PHILOX, dtypes.int32)
    return given.composed(
        lambda *rest: draw(given, again, key, counter, algorithm, *rest),
        *given.tensors[1:],
    )


def _generator(
    given: Given, shape: SymbolicTensor
) -> tuple[SymbolicTensor, SymbolicTensor, SymbolicTensor]:
    """Return key and counter for the next numbers, as many as a shape has."""
    first, second = given.typed("seed", int), given.typed("seed2", int)
    if not first and not second:
        first, second = secrets.randbits(63), secrets.randbits(63)
    spec = TensorSpec((3,), dtypes.int64)
    op = VarHandleOp(
        spec, debug_name=given.name, shared_name=f"{given.name}/generator"
    )
    # In a loop or a conditional, all of it is there.
    inside = tuple(dict.fromkeys([shape.node, *given.control]))
    handle = given.helper(op, control=inside).outputs[0]
    start = given.helper(Const(np.array([0, second, first], np.int64))).outputs[0]
    begun = given.helper(AssignFirstValue(), handle, start)
    count = given.helper(random.CountOf(), shape).outputs[0]
    number = given.helper(Const(np.array(PHILOX, np.int32))).outputs[0]
    state = given.helper(
        random.RngReadAndSkip(),
        handle,
        number,
        count,
        control=(begun, *given.control),
    )
    key, counter = given.helper(random.KeyAndCounter(), state.outputs[0]).outputs
    return key, counter, shape


def _of_dtype(op: Callable[[Any], Op]) -> Callable[..., Tensor]:
    def draw(given: Given, shape: Tensor, *rest: Tensor) -> Tensor:
        return call(op(given.dtype("dtype")), shape, *rest)

    return draw


def _integers(_: Given, shape: Tensor, *rest: Tensor) -> Tensor:
    return call(random.StatelessRandomUniformIntV2(), shape, *rest)


def _shuffled(given: Given) -> Values:
    x = given.tensor(0)
    with given.graph.as_default():
        from_shape = shape_of(x)
    assert isinstance(from_shape, SymbolicTensor)
    key, counter, _ = _generator(given, from_shape)
    algorithm = constant(PHILOX, dtypes.int32)
    return given.composed(
        lambda x: call(random.StatelessShuffle(), x, key, counter, algorithm), x
    )


def _categories(given: Given) -> Values:
    logits, number = given.tensors
    with given.graph.as_default():
        shape = shape_of(logits)
    assert isinstance(shape, SymbolicTensor)
    key, counter, _ = _generator(given, shape)
    op = random.StatelessCategorical(given.dtype("output_dtype"))
    algorithm = constant(PHILOX, dtypes.int32)
    return given.composed(
        lambda x, n: call(op, x, n, key, counter, algorithm), logits, number
    )


def _stateless_uniform(given: Given) -> Values:
    dtype = given.dtype("dtype")

    def drawn(shape: Tensor, seed: Tensor) -> Tensor:
        key, counter = calls(random.StatelessRandomGetKeyCounter(), seed)
        op = random.StatelessRandomUniformV2(dtype)
        return call(op, shape, key, counter, constant(PHILOX, dtypes.int32))

    return given.composed(drawn, *given.tensors)


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
    "Multinomial": _categories,
    "OptionalFromValue": partial(_done, Bundle),
    "OptionalGetValue": _optional_value,
    "OptionalNone": partial(_done, Bundle),
    "RandomShuffle": _shuffled,
    "RandomStandardNormal": partial(
        _drawn, _of_dtype(random.StatelessRandomNormalV2)
    ),
    "RandomUniform": partial(_drawn, _of_dtype(random.StatelessRandomUniformV2)),
    "RandomUniformInt": partial(_drawn, _integers),
    "SparseAccumulatorApplyGradient": _sparse_apply,
    "SparseAccumulatorTakeGradient": partial(
        _done, sparse_accumulator_ops.SparseAccumulatorTakeGradient
    ),
    "SparseConditionalAccumulator": partial(
        _accumulator, sparse_accumulator_ops.SparseConditionalAccumulator
    ),
    "StatelessRandomUniform": _stateless_uniform,
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
    "ZerosLike": _zeros_like,
    "TruncatedNormal": partial(_drawn, _of_dtype(random.StatelessTruncatedNormalV2)),
}
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
        f"StackPush{_end}": partial(_done, step_stacks.StackPushV2),
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
