"""Descriptions of what a model of TensorFlow 1 computes between layers: a GraphDef of that part.

Which parts there are is found by histories.py.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from tensorlite.compat.v1.graphs.framework import placeholder
from tensorlite.compat.v1.graphs.graphdefs import bare
from tensorlite.compat.v2.keras.src.models import in_graphs, sketch
from tensorlite.compat.v2.keras.src.models.histories import PartOfGraph, recovered
from tensorlite.compat.v2.keras.src.models.in_sessions import (
    graph_of_models,
    in_graph_of_models,
)
from tensorlite.compat.views import plain, view
from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import Graph
from tensorlite.interop.tensorflow.reading import from_graphdef
from tensorlite.interop.tensorflow.writing import to_graphdef

KIND = "TensorFlowOperations"
"""What such a part is called where layers have the names of their classes."""


def config_of(part: PartOfGraph) -> dict[str, Any]:
    """Return the configuration of a part; InvalidArgumentError if it reads variables."""
    if part.reads_variables:
        raise InvalidArgumentError(
            f"{part.name}, which the model computes, reads variables of the graph and cannot be "
            "described: make it the call of a layer that has them as weights"
        )
    names = {_title(x): f"keras_input_{i}" for i, x in enumerate(part.feeds)}
    whole = to_graphdef(part.graph)
    nodes = {node.name: node for node in whole.node}
    kept: dict[str, Any] = {}
    waiting = [_title(part.fetch)]
    while waiting:
        name = bare(waiting.pop())
        if name not in kept:
            kept[name] = node = nodes[name]
            given = [names.get(_full(x), x) for x in node.input]
            del node.input[:]
            node.input.extend(given)
            waiting += [x for x in given if x not in names.values()]
    made = to_graphdef(_starts(part, list(names.values())))
    made.node.extend([node for node in whole.node if node.name in kept])
    made.library.CopyFrom(whole.library)
    return {
        "name": part.name,
        "graph": b64encode(made.SerializeToString()).decode(),
        "inputs": list(names.values()),
        "output": _title(part.fetch),
    }


def _starts(part: PartOfGraph, names: list[str]) -> Graph:
    """Return a graph of what a part is given, and nothing else."""
    graph = Graph()
    with interpreted_by(None), graph.as_default():
        for name, x in zip(names, part.feeds, strict=True):
            placeholder(x.dtype, x.get_shape(), name=name)
    return graph


def _title(x: Any) -> str:
    return f"{x.node.name}:{x.index}"


def _full(name: str) -> str:
    """Return the name of an input with the number of the output that it is."""
    return name if ":" in name else f"{name}:0"


def of_config(config: dict[str, Any]) -> PartOfGraph:
    """Return the part that a configuration describes, in a graph of its own."""
    graph = Graph()
    from_graphdef(b64decode(config["graph"]), graph)
    known = {node.name: node for node in graph.nodes}
    feeds = [view(known[name].outputs[0]) for name in config["inputs"]]
    node, _, index = config["output"].rpartition(":")
    return PartOfGraph(graph, feeds, view(known[node].outputs[int(index)]))


def placed(part: PartOfGraph, *tensors: Any) -> Any:
    """Return what a part makes of other tensors, which are symbolic or those of a graph."""
    given = [recovered(x) for x in nest.flatten(tensors)]
    graph = graph_of_models()
    if graph is None or any(sketch.is_leaf(x) and x.placed is None for x in given):
        return sketch.noted(part.call, tuple(given), {}, part.name)
    with in_graph_of_models(graph):
        return in_graphs.in_default(
            part.call, *plain([sketch.shown(x) for x in given])
        )
