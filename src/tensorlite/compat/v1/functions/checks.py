"""Assertions with the order of arguments of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared import checks
from tensorlite.compat.v1.graphs.framework import control_dependencies, group
from tensorlite.compat.v1.renamed import renamed
from tensorlite.compat.views import shown
from tensorlite.graph_mode.graph import get_default_graph

__all__ = [
    "add_check_numerics_ops",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_scalar",
    "verify_tensor_all_finite",
]


def add_check_numerics_ops() -> Any:
    """Return what checks every floating tensor that is in the graph by now, in their order."""
    graph = get_default_graph()
    made: list[Any] = []
    for node in list(graph.nodes):
        for i, x in enumerate(node.outputs):
            if x.dtype.is_floating and x.dtype.kind == "f":
                with control_dependencies(made):
                    made = [checks.check_numerics(shown(x), f"{node.name}:{i}")]
    return group(*made)


def _help(claim: str) -> str:
    return f"""Return an operator that fails unless {claim}.

    What is known while the graph is built fails at once. The message is told, and data with
    `summarize` elements of each.
    """


def _comparison(
    title: str, function: Callable[..., Any], claim: str
) -> Callable[..., Any]:
    def made(
        x: Any = None,
        y: Any = None,
        data: Any = None,
        summarize: Any = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        return function(x, y, message, summarize, name, data)

    return explained(made, title, _help(f"{claim} everywhere"))


def _condition(
    title: str, function: Callable[..., Any], claim: str
) -> Callable[..., Any]:
    def made(
        x: Any = None,
        data: Any = None,
        summarize: Any = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        return function(x, message, summarize, name, data)

    return explained(made, title, _help(f"{claim} everywhere"))


def _ranks(
    title: str, function: Callable[..., Any], claim: str
) -> Callable[..., Any]:
    def made(
        x: Any,
        rank: Any,
        data: Any = None,
        summarize: Any = None,
        message: Any = None,
        name: str | None = None,
    ) -> Any:
        return function(x, rank, message, summarize, name, data)

    return explained(made, title, _help(claim))


assert_equal = _comparison("assert_equal", checks.assert_equal, "x == y")
assert_none_equal = _comparison(
    "assert_none_equal", checks.assert_none_equal, "x != y"
)
assert_less = _comparison("assert_less", checks.assert_less, "x < y")
assert_less_equal = _comparison(
    "assert_less_equal", checks.assert_less_equal, "x <= y"
)
assert_greater = _comparison("assert_greater", checks.assert_greater, "x > y")
assert_greater_equal = _comparison(
    "assert_greater_equal", checks.assert_greater_equal, "x >= y"
)
assert_positive = _condition("assert_positive", checks.assert_positive, "x > 0")
assert_negative = _condition("assert_negative", checks.assert_negative, "x < 0")
assert_non_negative = _condition(
    "assert_non_negative", checks.assert_non_negative, "x >= 0"
)
assert_non_positive = _condition(
    "assert_non_positive", checks.assert_non_positive, "x <= 0"
)
assert_rank = _ranks("assert_rank", checks.assert_rank, "x has rank axes")
assert_rank_at_least = _ranks(
    "assert_rank_at_least", checks.assert_rank_at_least, "x has at least rank axes"
)


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an operator that fails unless x has as many axes as one of ranks.

    data is printed on failure, summarize elements of each.
    """
    return checks.assert_rank_in(x, ranks, message, summarize, name, data)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: Any = None,
    message: Any = None,
    name: str | None = None,
) -> Any:
    """Return an operator that fails unless |x - y| <= atol + rtol * |y| everywhere.

    The tolerances are ten times the machine's precision of the dtype if None. data is printed on
    failure, summarize elements of each.
    """
    return checks.assert_near(x, y, rtol, atol, message, summarize, name, data)


def assert_scalar(tensor: Any, name: str | None = None, message: Any = None) -> Any:
    """Return the tensor, or raise an error if it has axes."""
    return checks.assert_scalar(tensor, message, name)


def verify_tensor_all_finite(
    t: Any = None,
    msg: Any = None,
    name: str | None = None,
    x: Any = None,
    message: Any = None,
) -> Any:
    """Return the tensor; running it fails with the message if an element is infinite or NaN.

    x and message are the newer names of t and msg.
    """
    given = renamed("t", t, "x", x)
    text = renamed("msg", msg, "message", message)
    return checks.assert_all_finite(given, text, name)


assert_all_finite = verify_tensor_all_finite
