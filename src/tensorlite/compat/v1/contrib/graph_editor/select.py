"""contrib.graph_editor.select: operations and tensors by name, and what is reached from some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from tensorlite.compat.v1.contrib.graph_editor import util
from tensorlite.compat.views import GraphTensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError

Within = Callable[[Any], bool]


def can_be_regex(obj: Any) -> bool:
    """Return whether an object is a regular expression, or text that can be one."""
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj: Any) -> re.Pattern[str]:
    """Return a compiled regular expression."""
    if not can_be_regex(obj):
        raise DTypeError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def filter_ts(ops: Any, positive_filter: Any) -> list[Any]:
    """Return those inputs and outputs of operations for which a function is true; all if True."""
    listed = util.make_list_of_op(ops)
    found: dict[Any, None] = {}
    for op in listed:
        found.update(dict.fromkeys(op.inputs))
    for op in listed:
        found.update(dict.fromkeys(op.outputs))
    if positive_filter is True:
        return list(found)
    return [x for x in found if positive_filter(x)]


def filter_ts_from_regex(ops: Any, regex: Any) -> list[Any]:
    """Return those inputs and outputs of operations in whose names, as "x:0", it is found."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda x: bool(pattern.search(x.name)))


def filter_ops(ops: Any, positive_filter: Any) -> list[Any]:
    """Return those operations for which a function is true; all if it is True."""
    listed = util.make_list_of_op(ops)
    return [op for op in listed if positive_filter is True or positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> list[Any]:
    """Return those operations in whose names a regular expression is found."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: bool(pattern.search(op.name)))


def get_name_scope_ops(ops: Any, scope: str) -> list[Any]:
    """Return those operations that are in a scope, or bear its name."""
    name = scope.rstrip("/")
    return filter_ops_from_regex(ops, f"^{re.escape(name)}(/.*)?$")


def _control(
    control_inputs: bool, control_outputs: Any, control_ios: Any
) -> tuple[bool, Any]:
    """Return whether to go along waits backwards, and by what forwards."""
    if control_ios is None:
        return control_inputs, control_outputs
    if control_outputs is not None:
        raise InvalidArgumentError(
            "control_outputs should be None when using control_ios"
        )
    return True, control_ios


def get_ops_ios(
    ops: Any,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """Return the operations that some take from, and that take from them."""
    back, ahead = _control(control_inputs, control_outputs, control_ios)
    found: dict[Any, None] = {}
    for op in util.make_list_of_op(ops):
        found.update(dict.fromkeys(_sources(op, back, ())))
        found.update(dict.fromkeys(_users(op, ahead, ())))
    return list(found)


def _sources(op: Any, waits: bool, stops: Iterable[Any]) -> list[Any]:
    found = [x.op for x in op.inputs if x not in stops]
    return [*found, *op.control_inputs] if waits else found


def _users(op: Any, waits: Any, stops: Iterable[Any]) -> list[Any]:
    found = [y for x in op.outputs if x not in stops for y in x.consumers()]
    return found if waits is None else [*found, *waits.get(op)]


def compute_boundary_ts(ops: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return (inputs, outputs, inner): tensors from outside, used outside, and used inside."""
    listed = util.make_list_of_op(ops)
    among = set(listed)
    taken = dict.fromkeys(x for op in listed for x in op.inputs)
    made = dict.fromkeys(x for op in listed for x in op.outputs)
    inner = [x for x in taken if x in made]
    hidden = {x for x in inner if not set(x.consumers()) - among}
    inputs = [x for x in taken if x not in made]
    return inputs, [x for x in made if x not in hidden], inner


def get_within_boundary_ops(
    ops: Any,
    seed_ops: Any,
    boundary_ops: Any = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Any]:
    """Return those of ops that are reached from seed_ops, either way, up to boundary_ops."""
    back, ahead = _control(control_inputs, control_outputs, control_ios)
    found = set(util.make_list_of_op(seed_ops, allow_graph=False))
    ends = set(util.make_list_of_op(boundary_ops))
    if ends & found:
        raise InvalidArgumentError("Boundary is intersecting with the seeds.")
    wave = set(found)
    while wave:
        near = set(get_ops_ios(wave, back, ahead)) - found
        found |= near if inclusive else near - ends
        wave = near - ends
    return [op for op in util.make_list_of_op(ops) if op in found]


def _walk(
    first: Any,
    within_ops: Any,
    within_ops_fn: Within | None,
    inclusive: bool,
    step: Any,
) -> list[Any]:
    """Return the operations that are reached by steps, wave by wave."""
    among = None
    if within_ops:
        among = frozenset(util.make_list_of_op(within_ops, allow_graph=False))
    seeds = [op for op in dict.fromkeys(first) if among is None or op in among]

    def is_within(op: Any) -> bool:
        return (among is None or op in among) and (
            within_ops_fn is None or within_ops_fn(op)
        )

    found, wave = dict.fromkeys(seeds), seeds
    while wave:
        near = dict.fromkeys(y for op in wave for y in step(op))
        wave = [op for op in near if op not in found and is_within(op)]
        found.update(dict.fromkeys(wave))
    return [op for op in found if inclusive or op not in seeds]


def _seeds(seed_ops: Any, of_tensors: Callable[[Any], list[Any]]) -> list[Any]:
    """Return operations to begin with; of tensors, those that a function says."""
    listed = list(seed_ops) if util.is_iterable(seed_ops) else [seed_ops]
    if listed and isinstance(listed[0], GraphTensor):
        return of_tensors(util.make_list_of_t(listed, allow_graph=False))
    return util.make_list_of_op(listed, allow_graph=False)


def get_forward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within | None = None,
    stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> list[Any]:
    """Return the operations that follow from some, or from tensors, up to stop_at_ts."""
    stops = frozenset(util.make_list_of_t(stop_at_ts))
    return _walk(
        _seeds(seed_ops, util.get_consuming_ops),
        within_ops,
        within_ops_fn,
        inclusive,
        lambda op: _users(op, control_outputs, stops),
    )


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within | None = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
) -> list[Any]:
    """Return the operations that some, or tensors, follow from, up to stop_at_ts."""
    stops = frozenset(util.make_list_of_t(stop_at_ts))
    return _walk(
        _seeds(seed_ops, util.get_generating_ops),
        within_ops,
        within_ops_fn,
        inclusive,
        lambda op: _sources(op, control_inputs, stops),
    )


def _walks(
    forward_seed_ops: Any,
    backward_seed_ops: Any,
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Within | None = None,
    control_inputs: bool = False,
    control_outputs: Any = None,
    control_ios: Any = None,
) -> tuple[list[Any], list[Any]]:
    back, ahead = _control(control_inputs, control_outputs, control_ios)
    within: dict[str, Any] = {
        "within_ops": within_ops,
        "within_ops_fn": within_ops_fn,
    }
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, **within, control_outputs=ahead
    )
    backward = get_backward_walk_ops(
        backward_seed_ops, backward_inclusive, **within, control_inputs=back
    )
    return forward, backward


def get_walks_intersection_ops(*args: Any, **kwargs: Any) -> list[Any]:
    """Return what follows from forward_seed_ops and leads to backward_seed_ops."""
    forward, backward = _walks(*args, **kwargs)
    among = set(backward)
    return [op for op in forward if op in among]


def get_walks_union_ops(*args: Any, **kwargs: Any) -> list[Any]:
    """Return what follows from forward_seed_ops, and what leads to backward_seed_ops."""
    forward, backward = _walks(*args, **kwargs)
    return list(dict.fromkeys([*forward, *backward]))


def _selected(
    listed: Callable[[Any], list[Any]],
    found_by: Callable[[Any, Any], list[Any]],
    others: str,
    args: Any,
    graph: Any = None,
    positive_filter: Within | None = None,
) -> list[Any]:
    """Return elements that are given, or found in a graph by expressions not for others."""
    found: dict[Any, None] = {}
    for given in args:
        if can_be_regex(given):
            if graph is None:
                raise InvalidArgumentError(
                    "Use the keyword argument 'graph' to use regex."
                )
            pattern = make_regex(given)
            is_other = pattern.pattern.startswith(others)
            parts = [] if is_other else found_by(graph, pattern)
        else:
            parts = listed(given)
        keep = [x for x in parts if positive_filter is None or positive_filter(x)]
        found.update(dict.fromkeys(keep))
    return list(found)


def select_ops(
    *args: Any, graph: Any = None, positive_filter: Any = None
) -> list[Any]:
    """Return operations: those given, and those whose names a regular expression is found in.

    `graph` is where to look for names, and positive_filter a function that has to be true.
    """

    def listed(given: Any) -> list[Any]:
        return util.make_list_of_op(given, ignore_ts=True)

    options = (args, graph, positive_filter)
    return _selected(listed, filter_ops_from_regex, "(?#ts)", *options)


def select_ts(
    *args: Any, graph: Any = None, positive_filter: Any = None
) -> list[Any]:
    """Return tensors: those given, and those in whose names an expression is found.

    `graph` is where to look for names, and positive_filter a function that has to be true.
    """

    def listed(given: Any) -> list[Any]:
        return util.make_list_of_t(given, ignore_ops=True)

    options = (args, graph, positive_filter)
    return _selected(listed, filter_ts_from_regex, "(?#ops)", *options)


def select_ops_and_ts(*args: Any, **kwargs: Any) -> tuple[list[Any], list[Any]]:
    """Return (operations, tensors); expressions for tensors begin with "(?#ts)"."""

    def is_for_ops(x: Any) -> bool:
        return can_be_regex(x) and not make_regex(x).pattern.startswith("(?#ts)")

    ts = select_ts(*[x for x in args if not is_for_ops(x)], **kwargs)
    return select_ops(*args, **kwargs), ts
