"""contrib.graph_editor.transform: copies of parts of graphs, with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.v1.contrib.graph_editor import util
from tensorlite.compat.v1.contrib.graph_editor.subgraph import SubGraphView, make_view
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import GraphTensor, plain, shown
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode import editing


class TransformerInfo:
    """Which operations and tensors are copies of which."""

    def __init__(self, copies: Mapping[Node, Node]) -> None:
        self._transformed_ops = {shown(x): shown(y) for x, y in copies.items()}
        self._transformed_ts = {
            shown(x): shown(y)
            for node, copy in copies.items()
            for x, y in zip(node.outputs, copy.outputs, strict=True)
        }

    def transformed(
        self, original: Any, missing_fn: Callable[[Any], Any] | None = None
    ) -> Any:
        """Return the copies of operations and tensors, in any structure.

        What was not copied is what missing_fn gives of it, None without one.
        """
        return util.transform_tree(original, lambda x: self._one(x, True, missing_fn))

    def original(
        self, transformed: Any, missing_fn: Callable[[Any], Any] | None = None
    ) -> Any:
        """Return what operations and tensors are copies of, in any structure."""
        return util.transform_tree(
            transformed, lambda x: self._one(x, False, missing_fn)
        )

    def _one(self, x: Any, ahead: bool, missing: Callable[[Any], Any] | None) -> Any:
        is_tensor = isinstance(x, GraphTensor)
        pairs = self._transformed_ts if is_tensor else self._transformed_ops
        known = pairs if ahead else {y: x for x, y in pairs.items()}
        if x in known:
            return known[x]
        return None if missing is None else missing(x)


def copy(
    sgv: Any,
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:
    """Return (copy, info) of a part of a graph, in another one or in the same.

    Placeholders stand in the place of its inputs. Names are below dst_scope, without src_scope.
    """
    view = make_view(sgv)
    graph = view.graph if dst_graph is None else dst_graph
    made: dict[SymbolicTensor, Any] = {}

    def instead(x: SymbolicTensor) -> Any:
        if x not in made:
            with graph.as_default():
                scope = None if view.graph is graph and not dst_scope else dst_scope
                found = util.make_placeholder_from_tensor(shown(x), scope)
            made[x] = plain(found)
        return made[x]

    return _copied(view, graph, dst_scope, src_scope, reuse_dst_scope, instead)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Mapping[Any, Any],
    dst_graph: Any = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:
    """Return (copy, info) of a part of a graph, which takes others in the place of some tensors.

    Inputs that are not replaced are kept. Names are below dst_scope, without src_scope.
    """
    view = make_view(sgv)
    graph = view.graph if dst_graph is None else dst_graph
    instead = {plain(x): plain(y) for x, y in replacement_ts.items()}
    return _copied(
        view,
        graph,
        dst_scope,
        src_scope,
        reuse_dst_scope,
        lambda x: instead.get(x, x),
    )


def _copied(
    view: SubGraphView,
    graph: Any,
    dst_scope: str,
    src_scope: str,
    reuse: bool,
    instead: editing.Instead,
) -> tuple[SubGraphView, TransformerInfo]:
    source, scope = util.scope_finalize(src_scope), util.scope_finalize(dst_scope)
    if scope and not reuse:
        with graph.as_default(), framework.name_scope(""):
            scope = util.scope_finalize(graph.unique_name(scope[:-1]))
    nodes = _running(view)
    copies = editing.copied(
        nodes, graph, lambda node: scope + node.name.removeprefix(source), instead
    )
    info = TransformerInfo(copies)
    return SubGraphView([shown(x) for x in copies.values()]), info


def _running(view: SubGraphView) -> list[Node]:
    """Return the nodes that operations stand for; of a whole graph also branches and loops."""
    nodes = [plain(op) for op in view.ops]
    inner = [node for node in nodes if node.graph is not view.graph]
    if not inner:
        return nodes
    if set(view.graph.get_operations()) <= set(view.ops):
        return list(view.graph.nodes)
    raise UnimplementedError(
        f"{inner[0].name} is inside of a branch or a loop, which is copied as a whole: copy the "
        "graph, or give its tensors to graph_replace"
    )


def graph_replace(
    target_ts: Any,
    replacement_ts: Mapping[Any, Any],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Return target_ts, in any structure, computed anew with others in the place of some tensors.

    Only what lies between is copied. InvalidArgumentError where nothing does.
    """
    targets = util.flatten_tree(target_ts)
    graph = util.get_unique_graph(targets, check_types=(GraphTensor,))
    between = _between(
        [plain(x) for x in replacement_ts], [plain(x) for x in targets]
    )
    if not between:
        raise InvalidArgumentError("Targets and replacements are not connected!")
    _, info = copy_with_input_replacements(
        SubGraphView([shown(node) for node in between]),
        replacement_ts,
        graph,
        dst_scope,
        src_scope,
        reuse_dst_scope,
    )
    return info.transformed(target_ts, lambda x: x)


def _between(first: list[SymbolicTensor], last: list[SymbolicTensor]) -> list[Node]:
    """Return the nodes that follow from tensors and lead to others, also by waiting."""
    graph = last[0].node.graph
    reached = set(first)
    after: dict[Node, None] = {}
    for node in graph.nodes:
        if any(x in reached for x in node.inputs) or any(
            x in after for x in node.control
        ):
            after[node] = None
            reached.update(node.outputs)
    wanted = {x.node for x in last}
    for node in reversed(graph.nodes):
        if node in wanted:
            wanted.update([*[x.node for x in node.inputs], *node.control])
    return [node for node in after if node in wanted]
