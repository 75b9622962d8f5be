"""contrib.graph_editor.reroute: operations take other tensors, and wait for other operations."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.contrib.graph_editor import util
from tensorlite.compat.v1.contrib.graph_editor.subgraph import SubGraphView, make_view
from tensorlite.compat.views import plain
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph_mode import editing


def _pairs(ts0: Any, ts1: Any) -> list[tuple[Any, Any]]:
    """Return tensors by pairs, which must be alike."""
    first, second = util.make_list_of_t(list(ts0)), util.make_list_of_t(list(ts1))
    if len(first) != len(second):
        raise InvalidArgumentError(
            f"ts0 and ts1 have different sizes: {len(first)} != {len(second)}"
        )
    for x, y in zip(first, second, strict=True):
        if x.dtype is not y.dtype:
            raise DTypeError(f"Dtypes {x.dtype} and {y.dtype} are not compatible.")
        if not x.get_shape().is_compatible_with(y.get_shape()):
            raise ShapeError(
                f"Shapes {x.get_shape()} and {y.get_shape()} are not compatible."
            )
    return list(zip(first, second, strict=True))


def _rerouted(uses: Any, can_modify: Any, cannot_modify: Any) -> int:
    """Let operations that may be changed take the values of a dict in the place of its keys."""
    bare = {plain(old): plain(new) for old, new in uses}
    graph = next(iter(bare)).node.graph if bare else None
    users = [] if graph is None else list(graph.nodes)
    if can_modify is not None:
        may = {plain(op) for op in util.make_list_of_op(can_modify)}
        users = [node for node in users if node in may]
    if cannot_modify is not None:
        must_not = {plain(op) for op in util.make_list_of_op(cannot_modify)}
        users = [node for node in users if node not in must_not]
    return editing.reroute(bare, users)


def swap_ts(
    ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None
) -> int:
    """Let what takes ts0 take ts1, and the other way round; return how many inputs changed."""
    pairs = _pairs(ts0, ts1)
    both = [*pairs, *[(y, x) for x, y in pairs]]
    return _rerouted(both, can_modify, cannot_modify)


def reroute_ts(
    ts0: Any, ts1: Any, can_modify: Any = None, cannot_modify: Any = None
) -> int:
    """Let what takes ts1 take ts0; return how many inputs changed.

    Only operations of can_modify, if given, and none of cannot_modify are changed.
    """
    pairs = [(y, x) for x, y in _pairs(ts0, ts1)]
    return _rerouted(pairs, can_modify, cannot_modify)


def reroute_inputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Let sgv1 take the inputs of sgv0 in the place of its own; return both parts anew."""
    first, second = make_view(sgv0), make_view(sgv1)
    reroute_ts(first.inputs, second.inputs, can_modify=second.ops)
    return make_view(first.ops), make_view(second.ops)


def swap_inputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Let two parts take each other's inputs; return both anew."""
    first, second = make_view(sgv0), make_view(sgv1)
    swap_ts(first.inputs, second.inputs, can_modify=[*first.ops, *second.ops])
    return make_view(first.ops), make_view(second.ops)


def reroute_outputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Let what takes the outputs of sgv1 take those of sgv0; return both parts anew."""
    first, second = make_view(sgv0), make_view(sgv1)
    inside = [*first.ops, *second.ops]
    reroute_ts(first.outputs, second.outputs, cannot_modify=inside)
    return make_view(first.ops), make_view(second.ops)


def swap_outputs(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Let what takes the outputs of two parts take the other's; return both anew."""
    first, second = make_view(sgv0), make_view(sgv1)
    inside = [*first.ops, *second.ops]
    swap_ts(first.outputs, second.outputs, cannot_modify=inside)
    return make_view(first.ops), make_view(second.ops)


def reroute_ios(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Let sgv1 take the inputs of sgv0, and what takes its outputs those of sgv0."""
    reroute_outputs(sgv0, sgv1)
    return reroute_inputs(sgv0, sgv1)


def swap_ios(sgv0: Any, sgv1: Any) -> tuple[SubGraphView, SubGraphView]:
    """Let two parts change places."""
    swap_outputs(sgv0, sgv1)
    return swap_inputs(sgv0, sgv1)


def connect(
    sgv0: Any, sgv1: Any, disconnect_first: bool = False
) -> tuple[SubGraphView, SubGraphView]:
    """Let sgv1 take the outputs of sgv0 as its inputs; return both parts.

    The inputs that it had are not connected any more, so disconnect_first has no effect.
    """
    first, second = make_view(sgv0), make_view(sgv1)
    reroute_ts(first.outputs, second.inputs, can_modify=second.ops)
    return make_view(first.ops), make_view(second.ops)


def add_control_inputs(op: Any, cops: Any) -> None:
    """Let an operation run behind others as well; one it waits for raises InvalidArgumentError."""
    known = set(op.control_inputs)
    others = util.make_list_of_op(cops, allow_graph=False)
    for other in others:
        if other in known:
            raise InvalidArgumentError(
                f"{other.name} is already a control_input of {op.name}"
            )
    editing.wait_for(plain(op), [plain(x) for x in others])


def remove_control_inputs(op: Any, cops: Any) -> None:
    """Let an operation not wait for others; one it does not wait for raises an error."""
    node = plain(op)
    others = [plain(x) for x in util.make_list_of_op(cops, allow_graph=False)]
    for other in others:
        if other not in node.control:
            raise InvalidArgumentError(
                f"{other.name} is not a control_input of {op.name}"
            )
    node.control = tuple([x for x in node.control if x not in others])
