"""refined_specs: what more is known of a graph's outputs where more is known of its inputs.

A function that was traced for shapes that are partly unknown is inferred anew where it is called
with shapes, or small whole numbers, that are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from tensorlite.core.constant import known_array
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Effect, Role
from tensorlite.core.spec import TensorSpec, all_known, element

if TYPE_CHECKING:
    from tensorlite.graph.graph import Graph, Node, SymbolicTensor

Specs = dict["SymbolicTensor", TensorSpec]
_within: ContextVar[tuple[int, ...]] = ContextVar("within", default=())
"""The graphs that are being inferred: functions that call themselves are not, once more."""


def refined_specs(
    graph: Graph, given: Sequence[TensorSpec]
) -> tuple[TensorSpec, ...]:
    """Return the specs of a graph's outputs for inputs of these specs."""
    told = tuple(graph.output_specs)
    if all(all_known(x.shape) for x in told) or id(graph) in _within.get():
        return told
    specs: Specs = {}
    for x, spec in zip(graph.inputs, given, strict=False):
        _put(specs, x, spec)
    if not specs:
        return told
    token = _within.set((*_within.get(), id(graph)))
    try:
        for node in graph.nodes:
            if any(x in specs for x in node.inputs):
                for y, spec in zip(
                    node.outputs, _inferred(node, specs), strict=False
                ):
                    _put(specs, y, spec)
    finally:
        _within.reset(token)
    found = [specs.get(y, y.spec).without_value() for y in graph.outputs]
    pairs = zip(told, found, strict=True)
    return tuple([new if old.accepts(new) else old for old, new in pairs])


def _put(specs: Specs, x: SymbolicTensor, spec: TensorSpec) -> None:
    """Keep what is known of a tensor, if that is more than its graph knows."""
    old = x.spec
    if old.accepts(spec) and (spec.shape != old.shape or spec.known != old.known):
        shape = old.shape if spec.shape is None else spec.shape
        specs[x] = TensorSpec(
            shape, old.dtype, old.name, old.inner, old.trainable, spec.known
        )


def _inferred(node: Node, specs: Specs) -> tuple[TensorSpec, ...]:
    """Return the specs of a node's outputs; what fails does so when it runs."""
    inputs = [specs.get(x, x.spec) for x in node.inputs]
    try:
        made = node.op.infer(*inputs)
        value = _value(node, inputs)
    except (TensorliteError, ArithmeticError, TypeError, ValueError):
        return ()
    found = made if isinstance(made, tuple) else (made,)
    if value is None or len(found) != 1 or found[0].known is not None:
        return found
    return (TensorSpec(value.shape, found[0].dtype, known=element(value)),)


def _value(
    node: Node, inputs: Sequence[TensorSpec]
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None:
    """Return a whole number or a vector of them that is known, None for other outputs."""
    op, out = node.op, node.outputs[0].spec if node.outputs else None
    if op.role is not Role.PLAIN or op.effect is not Effect.NONE or node.control:
        return None
    if out is None or not out.dtype.is_integer or out.rank not in {0, 1}:
        return None
    arrays = [known_array(spec) for spec in inputs]
    if any(array is None for array in arrays):
        return None
    result = op.kernel(np, *arrays)
    found = result if isinstance(result, (np.ndarray, np.generic)) else None
    return None if found is None or found.size > 64 else np.asarray(found)
