"""verify: hold a graph against what every pass relies on. Passes do not repair; this only tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tensorlite.core.errors import GraphError, TensorliteError
from tensorlite.core.op import Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node
from tensorlite.passes.rewrite import branches


def verify(graph: Graph) -> Graph:
    """Return `graph` as it is; GraphError tells the first thing that is wrong with it.

    Names are unique; inputs, outputs, effects and control edges are of this graph; nodes come
    after what they use, but for the back edges from NextIteration to Merge; specs are what
    inference says; inner graphs hold the same.
    """
    _check_names(graph)
    place = {node: i for i, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        _check_edges(node, place)
        _check_specs(node)
        for region in branches(node.op):
            verify(region)
    _check_ends(graph, place)
    _check_frames(graph)
    return graph


def _check_names(graph: Graph) -> None:
    for name, times in Counter(node.name for node in graph.nodes).items():
        if times > 1:
            raise GraphError(f"{graph.name}: {times} nodes are named {name!r}")


def _check_edges(node: Node, place: dict[Node, int]) -> None:
    for source in [*[x.node for x in node.inputs], *node.control]:
        if source not in place:
            raise GraphError(
                f"{node.name} uses {source.name}, which is of another graph"
            )
        back = node.op.role is Role.MERGE and source.op.role is Role.NEXT
        if place[source] >= place[node] and not back:
            raise GraphError(f"{node.name} comes before {source.name}, which it uses")


def _check_specs(node: Node) -> None:
    if node.op.role is Role.INPUT:
        return
    try:
        inferred = node.op.infer(*[x.spec for x in node.inputs])
    except (
        TensorliteError,
        TypeError,
        ValueError,
        AttributeError,
        IndexError,
    ) as error:
        raise GraphError(
            f"{node.name}: {node.op.name} does not take its inputs: {error}"
        ) from error
    specs = inferred if isinstance(inferred, tuple) else (inferred,)
    if len(specs) != len(node.outputs):
        raise GraphError(
            f"{node.name} has {len(node.outputs)} outputs; inference: {len(specs)}"
        )
    for x, spec in zip(node.outputs, specs, strict=True):
        if not _agree(x.spec, spec):
            raise GraphError(f"{x.name} is {x.spec}; inference says {spec}")


def _agree(have: TensorSpec, inferred: TensorSpec) -> bool:
    return inferred.accepts(have) or have.accepts(inferred)


def _check_ends(graph: Graph, place: dict[Node, int]) -> None:
    ends: Iterable[Node] = [
        *[x.node for x in (*graph.inputs, *graph.outputs)],
        *graph.effects,
    ]
    for node in ends:
        if node not in place:
            raise GraphError(
                f"{graph.name}: {node.name} is an end of it, and not a node"
            )
    inputs = {x.node for x in graph.inputs}
    for node in graph.nodes:
        if node.op.role is Role.INPUT and node not in inputs:
            raise GraphError(
                f"{graph.name}: {node.name} is no longer among its inputs"
            )


def _check_frames(graph: Graph) -> None:
    """Check that what meets in a node is of one frame, and that a loop is closed in its own."""
    frame: dict[Node, tuple[str, ...]] = {}
    for node in graph.nodes:
        sources = [*[x.node for x in node.inputs], *node.control]
        found = {_after(source, frame) for source in sources if source in frame}
        if len(found) > 1:
            listed = " and ".join(
                sorted("/".join(one) or "the outermost" for one in found)
            )
            raise GraphError(
                f"{node.name} takes values of frames {listed}; Enter or Exit is due"
            )
        # Constants are of every frame: they wait for nothing.
        if sources or node.op.role is not Role.PLAIN:
            frame[node] = found.pop() if found else ()
    for node in graph.nodes:
        for x in node.inputs if node.op.role is Role.MERGE else ():
            if x.node in frame and _after(x.node, frame) != frame.get(node, ()):
                raise GraphError(
                    f"{node.name} is given {x.name}, which is of another frame"
                )


def _after(node: Node, frame: dict[Node, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the frame that a node's outputs belong to."""
    here = frame[node]
    if node.op.role is Role.ENTER:
        return (*here, str(node.op.attributes()["frame_name"]))
    if node.op.role is Role.EXIT:
        if not here:
            raise GraphError(f"{node.name} is an Exit outside all frames")
        return here[:-1]
    return here
