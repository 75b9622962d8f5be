"""Gradients of arrays, which are arrays that a graph's asking for gradients has of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tensorlite.core.op import Gradient
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.rewinding.making import Maker
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.step_arrays import (
    TensorArrayConcatV3,
    TensorArrayGatherV3,
    TensorArrayGradV3,
    TensorArrayReadV3,
    TensorArrayScatterV3,
    TensorArraySplitV3,
    TensorArrayWriteV3,
)

OfArray: TypeAlias = Callable[[Maker, Node, SymbolicTensor, str], Sequence[Gradient]]


def _array(
    maker: Maker, handle: SymbolicTensor, flow: SymbolicTensor, source: str
) -> tuple[SymbolicTensor, SymbolicTensor]:
    """Return the handle and flow of the array of gradients."""
    op = TensorArrayGradV3(source)
    made = maker.node(op, (handle, flow), f"TensorArrayGrad/{op.name}")
    title = "TensorArrayGrad/gradient_flow"
    passed = maker.node(Identity(), (flow,), title, (made,))
    return made.outputs[0], passed.outputs[0]


def _read(
    maker: Maker, node: Node, dy: SymbolicTensor, source: str
) -> list[Gradient]:
    handle, index, flow = node.inputs
    array, after = _array(maker, handle, flow, source)
    title = "TensorArrayWrite/TensorArrayWriteV3"
    made = maker.node(TensorArrayWriteV3(), (array, index, dy, after), title)
    return [None, None, made.outputs[0]]


def _written(
    maker: Maker, node: Node, dy: SymbolicTensor, source: str
) -> list[Gradient]:
    handle, index, value, _ = node.inputs
    array, after = _array(maker, handle, dy, source)
    made = maker.node(TensorArrayReadV3(), (array, index, after))
    made.outputs[0].respecify(value.spec.without_value())
    return [None, None, made.outputs[0], dy]


def _gathered(
    maker: Maker, node: Node, dy: SymbolicTensor, source: str
) -> list[Gradient]:
    handle, indices, flow = node.inputs
    array, after = _array(maker, handle, flow, source)
    title = "TensorArrayScatter/TensorArrayScatterV3"
    made = maker.node(TensorArrayScatterV3(), (array, indices, dy, after), title)
    return [None, None, made.outputs[0]]


def _scattered(
    maker: Maker, node: Node, dy: SymbolicTensor, source: str
) -> list[Gradient]:
    handle, indices, value, _ = node.inputs
    array, after = _array(maker, handle, dy, source)
    made = maker.node(TensorArrayGatherV3(), (array, indices, after))
    made.outputs[0].respecify(value.spec.without_value())
    return [None, None, made.outputs[0], dy]


def _joined(
    maker: Maker, node: Node, dy: SymbolicTensor, source: str
) -> list[Gradient]:
    handle, flow = node.inputs
    array, after = _array(maker, handle, flow, source)
    title = "TensorArraySplit/TensorArraySplitV3"
    inputs = (array, dy, node.outputs[1], after)
    return [None, maker.node(TensorArraySplitV3(), inputs, title).outputs[0]]


def _split(
    maker: Maker, node: Node, dy: SymbolicTensor, source: str
) -> list[Gradient]:
    array, after = _array(maker, node.inputs[0], dy, source)
    made = maker.node(TensorArrayConcatV3(), (array, after))
    made.outputs[0].respecify(node.inputs[1].spec.without_value())
    return [None, made.outputs[0], None, dy]


OF_ARRAYS: dict[str, OfArray] = {
    "TensorArrayConcatV3": _joined,
    "TensorArrayGatherV3": _gathered,
    "TensorArrayReadV3": _read,
    "TensorArrayScatterV3": _scattered,
    "TensorArraySplitV3": _split,
    "TensorArrayWriteV3": _written,
}
