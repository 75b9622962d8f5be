"""tf.contrib.framework: choices that are made while a graph is built, where they can be.

Choices that are made when a graph runs are tf.cond's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import choices, control_flow
from tensorlite.compat.v1.layer_kinds.core import static_bool
from tensorlite.core.errors import DTypeError
from tensorlite.core.operand import Operand


def smart_constant_value(pred: Any) -> bool | None:
    """Return what a condition is known to be now, None where only a run tells."""
    if not isinstance(pred, Operand) and pred not in {0, 1}:
        raise DTypeError(
            "`pred` must be a Tensor, or a Python bool, or 1 or 0. "
            f"Found instead: {type(pred)}"
        )
    return static_bool(pred)


def smart_cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None
) -> Any:
    """Return true_fn() or false_fn(), chosen while the graph is built if pred is known.

    Else tf.cond chooses when it runs. Arguments that cannot be called raise an error.
    """
    _check_callable("true_fn", true_fn)
    _check_callable("false_fn", false_fn)
    known = smart_constant_value(pred)
    if known is None:
        return control_flow.cond(pred, true_fn, false_fn, name)
    return true_fn() if known else false_fn()


def smart_case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """Return what the function of the first true condition gives, default's where none is.

    Conditions that are known now choose now; tf.case chooses among the others when it runs.
    """
    given = pred_fn_pairs
    pairs = list(given.items() if isinstance(given, dict) else given)
    open_pairs = []
    for pred, function in pairs:
        _check_callable("fn", function)
        known = smart_constant_value(pred)
        if known is None:
            open_pairs.append((pred, function))
        elif known and not open_pairs:
            return function()
        elif known:
            default = function
            break
    if not open_pairs:
        _check_callable("default", default)
        return default()
    return choices.case(open_pairs, default, exclusive, name=name)


def _check_callable(which: str, function: Callable[[], Any] | None) -> None:
    if not callable(function):
        raise DTypeError(f"`{which}` must be callable.")
