"""Loops of functions as TensorFlow's own are: with a counter and a limit as first variables.

TensorFlow 2 takes gradients of such loops only: the counter says how many turns there were, the
limit how many at most, -1 for any number. What other operators become is in spelling.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import int32
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.copying import Copy
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.writers.parts import Spelled, constant_part
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.regions import While
from tensorlite.ops.math.arithmetic import AddV2

_ADDED = 2
"""How many variables come first."""


def counted(node: Node) -> tuple[Spelled, ...] | None:
    """Return how a loop is written with a counter and a limit; None where it has them, or is none.

    >>> start = tl.function(lambda x: tl.while_loop(lambda y: y < 9, lambda y: (y * 2,), (x,)))
    >>> graph = start.get_concrete_function(tl.TensorSpec((), tl.int32)).graph
    >>> [part.op for part in counted(graph.nodes[-1])]
    ['Const', 'Const', 'StatelessWhile']
    """
    op = node.op
    if not isinstance(op, While) or _counts(node, op):
        return None
    given: dict[str, Any] = {
        "T": (int32, int32, *[x.dtype for x in node.inputs]),
        "cond": _taking_counter(op.cond),
        "body": _counting(op.body),
        "parallel_iterations": op.parallel_iterations,
        "output_shapes": (Shape(()), Shape(()), *shapes_of(node)),
    }
    own = range(len(node.inputs))
    return (
        constant_part("loop_counter", 0),
        constant_part("maximum_iterations", -1),
        Spelled(
            written_name(op),
            given,
            ("loop_counter", "maximum_iterations", *own),
            skips=_ADDED,
        ),
    )


def written_name(op: Any) -> str:
    """Return what TensorFlow calls an operator with graphs inside, as these have effects or not."""
    effect = getattr(op.effect, "name", "NONE")
    is_plain = effect not in {"WRITE", "IO", "READ", "DRAW"}
    return f"Stateless{op.name}" if is_plain else str(op.name)


def shapes_of(node: Node) -> tuple[Shape, ...]:
    """Return the shapes of a node's outputs, as an attribute has them."""
    return tuple([Shape(x.spec.shape) for x in node.outputs])


def _taking_counter(graph: Graph) -> Graph:
    """Return a copy of a graph that takes a counter and a limit first."""
    made = Copy(graph).graph
    own, made.inputs = made.inputs, []
    for name in ("loop_counter", "maximum_iterations"):
        made.add_input(TensorSpec((), int32), name)
    made.inputs += own
    return made


def _counting(graph: Graph) -> Graph:
    made = _taking_counter(graph)
    counter, limit = made.inputs[:_ADDED]
    one = made.add(Const(np.array(1, np.int32)), ()).outputs[0]
    made.outputs = [
        made.add(AddV2(), (counter, one)).outputs[0],
        limit,
        *made.outputs,
    ]
    return made


def _counts(node: Node, op: While) -> bool:
    """Return whether a loop's first variables are a counter from 0 on, and a limit that stays."""
    body = op.body
    if len(body.inputs) < _ADDED or any(
        x.spec.shape != () or x.dtype is not int32 for x in body.inputs[:_ADDED]
    ):
        return False
    start, after = (
        _behind_identities(node.inputs[0]),
        _behind_identities(body.outputs[0]),
    )
    return (
        _behind_identities(body.outputs[1]) is body.inputs[1]
        and _is_constant(start, 0)
        and isinstance(after.node.op, AddV2)
        and after.node.inputs[0] is body.inputs[0]
        and _is_constant(_behind_identities(after.node.inputs[1]), 1)
    )


def _behind_identities(x: SymbolicTensor) -> SymbolicTensor:
    while isinstance(x.node.op, Identity):
        x = x.node.inputs[0]
    return x


def _is_constant(x: SymbolicTensor, value: int) -> bool:
    op = x.node.op
    return isinstance(op, Const) and bool(np.all(op.value == value))
