"""freeze: a trace with the values that variables have now as constants of its graph.

What is known then is folded; which functions may be frozen is checked here, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import ConcreteFunction
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.gather import GatherV2
from tensorlite.ops.control.regions import graphs_within
from tensorlite.ops.sparse.state import ResourceGather
from tensorlite.ops.state.resource import ReadVariableOp
from tensorlite.passes import pipeline
from tensorlite.passes.inline import inline
from tensorlite.passes.prune import prune
from tensorlite.passes.rewrite import Copy, branches

HARMLESS = ("Assert", "NoOp")
"""Operators with effects that a model may lack."""


def frozen(concrete: ConcreteFunction) -> Graph:
    """Return the graph of a trace whose inputs are its arguments alone, optimised.

    InvalidArgumentError for a function that does more than compute its results.
    """
    graph = prune(inline(concrete.graph))
    _check_effects(graph)
    first = len(graph.inputs) - len(concrete.captured)
    values = {
        first + i: _value(x, concrete.name) for i, x in enumerate(concrete.captured)
    }
    bare = _frozen(graph, values, range(first))
    bare.effects = []
    return pipeline.optimise(bare)


def _value(x: Tensor, name: str) -> np.ndarray[Any, Any]:
    if isinstance(x, SymbolicTensor):
        raise InvalidArgumentError(
            f"{name} uses {x.name} of another function that is being traced; export it outside"
        )
    array = x.array
    if x.dtype.kind == "R":
        held = getattr(array, "array", None)
        if held is None:
            raise FailedPreconditionError(
                f"{name} uses {x!r}, which holds no array here; assign it a value first"
            )
        array = held
    return cast(
        "np.ndarray[Any, Any]", array.get() if hasattr(array, "get") else array
    )


def _check_effects(graph: Graph) -> None:
    """Raise InvalidArgumentError for nodes that do more than compute, with their lines."""
    inner = [one for node in graph.nodes for one in graphs_within(node.op)]
    found = [
        node
        for one in [graph, *inner]
        for node in one.nodes
        if not node.op.regions()
        and node.op.effect in (Effect.WRITE, Effect.IO, Effect.DRAW)
        and node.op.name not in HARMLESS
    ]
    if found:
        listed = "; ".join(f"{x.name} ({x.op.name}) at {x.line}" for x in found[:5])
        raise InvalidArgumentError(
            f"{graph.name} does more than compute its results, {len(found)} times: {listed}. "
            "Allowed are functions that write no variables, draw no random numbers and print "
            "nothing: export the model as it is used after training, with training=False"
        )


def _frozen(
    graph: Graph, values: Mapping[int, np.ndarray[Any, Any]], kept: Sequence[int]
) -> Graph:
    """Return a graph in which some inputs are constants; variables' handles hold these."""
    copy = Copy(Graph(graph.name))
    copy.inputs(graph, kept)
    known: dict[tuple[Node, int], np.ndarray[Any, Any]] = {}
    for i, array in values.items():
        x = graph.inputs[i]
        known[x.node, x.index] = array
        made = copy.target.add(Const(array), (), name=x.node.name, line=x.node.line)
        copy.stand_in(x.node, made.outputs, made)
    for node in graph.nodes:
        if node not in copy.nodes:
            _copied(node, copy, known)
    return copy.finish(graph)


def _copied(
    node: Node, copy: Copy, known: dict[tuple[Node, int], np.ndarray[Any, Any]]
) -> None:
    constants = [known.get((x.node, x.index)) for x in node.inputs]
    if isinstance(node.op, ReadVariableOp) and constants[0] is not None:
        copy.stand_in(node, [copy.tensors[id(node.inputs[0])]])
        known[node, 0] = constants[0]
    elif isinstance(node.op, ResourceGather):
        zero = copy.target.add(Const(np.asarray(0)), ()).outputs[0]
        given = [copy.tensors[id(x)] for x in node.inputs]
        made = copy.target.add(
            GatherV2(), (*given, zero), name=node.name, line=node.line
        )
        copy.stand_in(node, made.outputs, made)
    elif branches(node.op):
        _region(node, copy, constants)
    else:
        copy.node(node)


def _region(
    node: Node, copy: Copy, constants: list[np.ndarray[Any, Any] | None]
) -> None:
    """Copy a branch or loop that no longer takes the handles whose values are known."""
    first = 1 if node.op.role is Role.IF else 0
    handles = [
        i for i, x in enumerate(node.inputs) if x.dtype.kind == "R" and i >= first
    ]
    kept = [i for i in range(len(node.inputs)) if i not in handles]
    values = {i - first: constants[i] for i in handles if constants[i] is not None}
    inside = [i - first for i in kept if i >= first]
    op = node.op
    regions = [_frozen(one, cast("Any", values), inside) for one in op.regions()]
    outputs = list(range(len(node.outputs)))
    if op.role is Role.WHILE:
        outputs = kept
        regions[1].outputs = [regions[1].outputs[i] for i in kept]
    narrow: Op = op.with_regions(tuple(regions))
    made = copy.target.add(
        narrow,
        [copy.tensors[id(node.inputs[i])] for i in kept],
        name=node.name,
        line=node.line,
    )
    copy.nodes[node] = (made,)
    for new, old in zip(made.outputs, outputs, strict=True):
        copy.bind(node.outputs[old], new)
    for i in handles if op.role is Role.WHILE else ():
        copy.bind(node.outputs[i], copy.tensors[id(node.inputs[i])])
