"""Graphs built by hand as functions that are called outside of sessions, with variables of theirs.

What runs graphs in sessions is sessions.py; functions traced of Python code are in function/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled, ConcreteFunction, Result
from tensorlite.function.extract import extract
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import Session
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.arrays.ensure import ensure_shape
from tensorlite.ops.state.variable import Variable

Held = Mapping[SymbolicTensor, Variable]
"""The variables of a graph that functions of it use, by the handles that the graph has."""


def held_by(graph: Graph) -> dict[SymbolicTensor, Variable]:
    """Return a variable for each of a graph's, with its first value.

    >>> graph = Graph()
    >>> with graph.as_default():
    ...     graph.add_to_collection("variables", GraphVariable([1.0, 2.0], name="w"))
    >>> [x.numpy().tolist() for x in held_by(graph).values()]
    [[1.0, 2.0]]
    """
    listed = [
        *graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
        *graph.get_collection(GraphKeys.LOCAL_VARIABLES),
    ]
    known = [x for x in listed if isinstance(x, GraphVariable)]
    if not known:
        return {}
    with Session(graph=graph) as session:
        session.run([x.initializer for x in known])
        values = session.run([x.value() for x in known])
    return {
        x.handle: Variable(value, trainable=x.trainable, name=x.bare_name)
        for x, value in zip(known, values, strict=True)
    }


def as_function(
    graph: Graph,
    feeds: Sequence[SymbolicTensor],
    fetches: Any,
    held: Held,
    kind: type[ConcreteFunction] = ConcreteFunction,
) -> ConcreteFunction:
    """Return the part of a graph from some tensors to others as a function, of the class `kind`.

    `fetches` may be nested; for a node of it, which is only run, the function returns None.

    >>> graph = Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, ())
    ...     y = tl.exp(x)
    >>> print(as_function(graph, [x], {"y": y}, {})(0.0)["y"])
    1.0
    """
    leaves = [_own(x) for x in nest.flatten(fetches) if x is not None]
    handles = list(held)
    part = extract(graph, [*[_own(x) for x in feeds], *handles], leaves)
    tensors = iter(part.graph.outputs)
    filled = [
        None if x is None or isinstance(x, Node) else next(tensors)
        for x in nest.flatten(fetches)
    ]
    result = Result(nest.pack_like(fetches, filled), graph.name)
    specs = [TensorSpec(x.spec.shape, x.dtype, x.node.name) for x in feeds]

    def pick(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
        given = list(nest.flatten(list(args)))
        rest = [x.name for x in specs[len(given) :]]
        if len(given) > len(specs) or set(kwargs) != set(rest):
            raise InvalidArgumentError(
                f"the function of {graph.name} takes {[x.name for x in specs]}, in this order or "
                f"by name, and is given {len(given)} and {sorted(kwargs)}"
            )
        given += [kwargs[str(x)] for x in rest]
        return [_taken(spec, x) for spec, x in zip(specs, given, strict=True)]

    captured = [*[held[x].handle for x in handles], *part.captured]
    return kind(Compiled(part.graph), captured, result, (tuple(specs), {}), pick)


def _own(x: Any) -> Any:
    """Return a tensor as its node has it."""
    return x.node.outputs[x.index] if isinstance(x, SymbolicTensor) else x


def _taken(spec: TensorSpec, given: Any) -> Tensor:
    x = given if isinstance(given, Tensor) else to_tensor(given, spec.dtype)
    if not spec.accepts(x.spec) and x.spec.accepts(spec):
        return ensure_shape(x, spec.shape)  # less is known of it
    if not spec.accepts(x.spec):
        raise InvalidArgumentError(f"{spec.name} is {spec}, and is given {x.spec}")
    return x
