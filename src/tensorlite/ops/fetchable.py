"""group, and what else is called for its effect: what a session may fetch so that it runs.

Eagerly and in traced functions effects run by themselves, and there is nothing to fetch.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import nest
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.graph import Node
from tensorlite.graph.manual import ManualGraph, building
from tensorlite.ops.control.dataflow import NoOp

__all__ = ["group"]

Fetchable: TypeAlias = Tensor | Node | None


def effect(op: Op, *inputs: TensorLike) -> Fetchable:
    """Apply `op` for what it does; in a `tl.Graph` return what a session fetches to run it.

    That is its first output, or its node if it has none. In a branch or a loop's body, which run
    whole, a constant stands for the node, since only tensors leave those, but in graphs of what a
    program called: who builds such sees to what leaves.
    """
    outputs = calls(op, *inputs)
    return outputs[0] if outputs and building() is not None else ran()


def ran() -> Fetchable:
    """Return what a session fetches to run the operator that was called last."""
    tracer = building()
    if tracer is None:
        return None
    if isinstance(tracer.graph, ManualGraph) or tracer.graph.as_called:
        return tracer.last
    return calls(Const(np.asarray(True)))[0]


def group(*inputs: Any) -> Fetchable:
    """Return one thing to fetch that runs all of `inputs`: tensors, nodes, and nests of these.

    In a `tl.Graph` that is a NoOp, whose value is None; in a branch or loop of it, the constant
    True. Eagerly and in traced functions all have run already, and None comes back. Source:
    TensorFlow's `tf.group`.

    >>> v, graph = tl.Variable(0.0), tl.Graph()
    >>> with graph.as_default():
    ...     both = tl.group(v.assign_add(1.0), v.assign_add(10.0))
    >>> tl.Session(graph).run(both)
    >>> print(v.value())
    11.0
    """
    given = [x for x in nest.flatten(inputs) if x is not None]
    for x in given:
        if not isinstance(x, (Operand, Node)):
            raise DTypeError(
                f"tl.group: {x!r} is neither a tensor nor a node, and there is nothing to run"
            )
    if building() is None:
        return None
    with control_dependencies(given):
        return effect(NoOp())
