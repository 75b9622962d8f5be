"""settled: the value that a tensor has in every run, where constants and known shapes make it.

Inference asks it of structural inputs alone, whose value decides what shapes follow. The pass
that puts such values in place of what computes them is passes/fold.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensorlite.core.constant import Const, known_array
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.spec import TensorSpec, element
from tensorlite.core.xp import Array

if TYPE_CHECKING:
    from tensorlite.graph.graph import Node, SymbolicTensor

MEMO = "settled"
"""Under which a graph keeps what was found out of its nodes."""
LONGEST = 64
"""How many elements a structural input may have to be computed."""
LARGEST = 1 << 16
"""How many bytes each of the values may have that are computed on the way."""
DEEPEST = 100
"""How many operators may stand between the input and a constant."""

Arrays = tuple[Array, ...]


def settled_specs(op: Op, inputs: tuple[SymbolicTensor, ...]) -> list[TensorSpec]:
    """Return what is known of the inputs, with the values of structural ones that are settled."""
    specs = [x.spec for x in inputs]
    for place in op.host:
        if place < len(specs) and _is_asked(specs[place]):
            value = _of(inputs[place])
            if value is not None:
                old = specs[place]
                specs[place] = TensorSpec(
                    value.shape, old.dtype, old.name, known=element(value)
                )
    return specs


def _is_asked(spec: TensorSpec) -> bool:
    """Return whether the elements are whole numbers, few, and not known yet."""
    if not spec.dtype.is_integer or spec.inner or spec.rank not in (0, 1):
        return False
    size = spec.size
    if size is None or not 0 < size <= LONGEST:
        return False
    return spec.known is None or (
        isinstance(spec.known, tuple) and None in spec.known
    )


def _of(x: SymbolicTensor, depth: int = 0) -> Array | None:
    arrays = _outputs(x.node, depth)
    return None if arrays is None else arrays[x.index]


def _outputs(node: Node, depth: int) -> Arrays | None:
    """Return the values of a node's outputs, None where they may differ from run to run."""
    memo = node.graph.kept.setdefault(MEMO, {})
    if node not in memo:
        memo[node] = None  # while it is asked of what comes before it
        memo[node] = _told(node) or _computed(node, depth)
    found: Arrays | None = memo[node]
    return found


def _told(node: Node) -> Arrays | None:
    """Return the values if inference knows all of them."""
    if isinstance(node.op, Const):
        return (np.asarray(node.op.value),)
    arrays = []
    for spec in [x.spec for x in node.outputs]:
        array = known_array(spec)
        if array is None:
            return None
        arrays.append(array)
    return tuple(arrays)


def _computed(node: Node, depth: int) -> Arrays | None:
    op = node.op
    if op.role is not Role.PLAIN or op.effect is not Effect.NONE or node.control:
        return None
    if depth > DEEPEST or not node.inputs:
        return None
    if any(_bytes(y.spec) > LARGEST for y in node.outputs):
        return None
    values = []
    for x in node.inputs:
        value = _of(x, depth + 1)
        if value is None:
            return None
        values.append(value)
    try:
        result = op.kernel(np, *values)
    except (TensorliteError, ArithmeticError, TypeError, ValueError):
        return None  # it fails in the run, where the program sees it
    arrays = result if type(result) is tuple else (result,)
    if not all(isinstance(array, (np.ndarray, np.generic)) for array in arrays):
        return None
    return tuple([np.asarray(array) for array in arrays])


def _bytes(spec: TensorSpec) -> int:
    """Return how large a value is; 0 where it is not known, as its operands are small."""
    return (spec.size or 0) * int(spec.dtype.itemsize)
