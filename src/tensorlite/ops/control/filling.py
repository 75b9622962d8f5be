"""Gradients of regions that are zeros rather than None, where TensorFlow has them so.

How all others are computed is in region_gradients.py and call_gradients.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorlite.core.errors import GradientError
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor
from tensorlite.graph.backprop import RegionCall
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.trace import outermost
from tensorlite.ops.control.bundles import zeros_of
from tensorlite.ops.control.dependencies import bits_of, dependencies, union


def forward_node(call: Call) -> Node:
    """Return the node that a region's call is; GradientError when it ran eagerly."""
    for y in call.outputs:
        if isinstance(y, SymbolicTensor):
            return y.node
    raise GradientError(f"{call.op.name} has a gradient in a trace only")


def is_as_called(call: Call) -> bool:
    """Return whether a call, or the gradient around it, is of a graph of what was called."""
    around = outermost()
    known = forward_node(call).graph.as_called
    return known or (around is not None and around.graph.as_called)


def needed_of(call: Call) -> tuple[bool, ...]:
    """Return which inputs need a gradient: what the sweep says, or all that can have one."""
    if isinstance(call, RegionCall) and call.needed:
        return call.needed
    return tuple([x.dtype.is_differentiable for x in call.inputs])


def with_zeros(call: RegionCall, grads: Grads, places: int) -> Grads:
    """Return gradients of a region's inputs, zeros for those at `places` (bits) that have none.

    TensorFlow 2 lets zeros flow into outputs that nothing else flows into. In graphs that hold what
    was called it is TensorFlow 1's gradients that are asked for, which have none there.
    """
    if is_as_called(call):
        return grads
    return filled(call, grads, places)


def with_zeros_in_turns(
    call: RegionCall,
    dys: Sequence[Tensor | None],
    grads: Grads,
    is_carried: Callable[[SymbolicTensor], bool],
) -> Grads:
    """Return gradients of a loop's inputs with zeros where TensorFlow has them.

    That is for all inputs in version 2; in graphs that hold what was called for variables of the
    program's that have an influence on an output, be it none that gradients flow through.
    """
    if not is_as_called(call):
        return filled(call, grads, -1)
    _, body = call.op.regions()
    reaching = dependencies(body, whatever=True)
    influence = bits_of(i for i, dy in enumerate(dys) if dy is not None)
    for _ in reaching:
        influence |= union(
            bits for i, bits in enumerate(reaching) if influence >> i & 1
        )
    carried = bits_of(
        i
        for i, x in enumerate(body.inputs)
        if is_carried(x) or x is not body.outputs[i]
    )
    return filled(call, grads, influence & carried)


def filled(call: RegionCall, grads: Grads, places: int) -> Grads:
    """Return gradients of a region's inputs, zeros for needed ones at `places` that have none."""
    needed = needed_of(call)
    return tuple(
        [
            zeros_of(x) if dx is None and needed[j] and places >> j & 1 else dx
            for j, (x, dx) in enumerate(zip(call.inputs, grads, strict=True))
        ]
    )
