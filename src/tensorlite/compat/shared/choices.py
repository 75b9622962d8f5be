"""One of several functions, by a number or by conditions: switch_case and case.

One of two is in control_flow.py, with loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared.arrays import stack
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.control_flow import (
    alike,
    cond,
    flat_branch,
    single,
    under,
    whole,
)
from tensorlite.compat.shared.elementwise import cast, less_equal
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.views import plain, shown
from tensorlite.core import nest
from tensorlite.core.check import pairs_of
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import control_dependencies
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.control import loops as control
from tensorlite.ops.control.assertions import assert_true


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Any = None,
    name: str | None = "switch_case",
) -> Any:
    """Return what the function of a number returns, out of a list or of pairs with numbers.

    The last one, or `default`, stands for all other numbers. TypeError if the number is no tensor.
    """
    if not isinstance(branch_index, Operand):
        raise TypeError(f"branch_index must be a Tensor, got {type(branch_index)}")
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    listed = list(pairs)
    if listed and not callable(listed[0]):
        listed = _numbered(listed)
    chosen = partial(to_tensor, plain(branch_index))
    branches = [alike(flat_branch(fn, "branch_fns", chosen)) for fn in listed]
    last = None
    if default is not None:
        last = alike(flat_branch(default, "default", chosen))
    return single(_switch_case(branch_index, branches, last, name=name))


def _numbered(pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return branches by their numbers, which are those from 0 on."""
    numbers = [number for number, _ in pairs]
    for number in numbers:
        if not isinstance(number, int):
            raise TypeError(
                f"key {number!r} must be a Python `int`, got {type(number)}"
            )
    if sorted(numbers) != list(range(len(numbers))):
        raise InvalidArgumentError(
            f"branch indices must form contiguous range of [0 to {len(numbers)}) but found "
            f"{sorted(numbers)}"
        )
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]


@named("switch_case", "indexed_case/Identity")
def _switch_case(
    index: Any, branches: Any, default: Any, name: str | None = None
) -> Any:
    found = control.switch_case(converted(index), branches, default)
    return under(found, "indexed_case/Identity")


def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str | None = "case",
) -> Any:
    """Return what the function of the first true condition returns, `default`'s if none is.

    Without a default the last one must be true. exclusive=True raises if more than one is.
    """
    is_dict = isinstance(pred_fn_pairs, dict)
    pairs = pairs_of(
        pred_fn_pairs.items() if is_dict else pred_fn_pairs,
        "case: pred_fn_pairs",
        "pairs of a condition and a function",
    )
    if active_graph() is not None:
        if is_dict:
            pairs = sorted(pairs, key=lambda pair: str(shown(pair[0]).name))
        chosen = partial(cond, strict=strict)
        return _case_in_graph(chosen, pairs, default, exclusive, name)
    preds = [pred for pred, _ in pairs]
    kept = whole if strict else single
    functions = [function for _, function in pairs]
    if default is not None:
        functions.append(default)
    # A branch is told by its predicate, the last one by that of the branch before.
    held = [True] * (len(functions) - 1) + [len(functions) == 1]
    branches = [_case_branch(*one, kept) for one in zip(functions, held, strict=True)]
    last = None if default is None else branches.pop()
    return _case(preds, branches, last, exclusive, name=name)


def _case_in_graph(
    choose: Callable[..., Any],
    pairs: Sequence[tuple[Any, Any]],
    default: Any,
    exclusive: bool,
    name: str | None,
) -> Any:
    """Return what `case` does, of TensorFlow's nodes: one choice in another, and its checks."""
    with name_scope(name, "case"):
        given, chosen = list(pairs), default
        if default is None:
            end = given.pop()[1]
            chosen = _last_of([pred for pred, _ in pairs], end)
        preds = [pred for pred, _ in given]
        for pred, function in reversed(given):
            chosen = partial(choose, pred, true_fn=function, false_fn=chosen)
        if not exclusive or not preds:
            return chosen()
        with control_dependencies(
            [_few_hold(preds, 1, "Input error: exclusive=True")]
        ):
            return chosen()


def _last_of(preds: Sequence[Any], function: Callable[[], Any]) -> Callable[[], Any]:
    """Return the function of the last condition, which fails unless that one alone holds."""
    number = len(preds) - 1

    def called() -> Any:
        told = (
            "Input error: None of conditions evaluated as True:",
            stack(preds, name="preds_c"),
        )
        others = (
            f"Implementation error: selected default action #{number} was called, but some of "
            "other predicates are True: "
        )
        checks = [_few_hold(preds[:-1], 0, others)] if number else []
        with control_dependencies([*checks, plain(Assert(preds[-1], told))]):
            return function()

    return called


def _few_hold(preds: Sequence[Any], most: int, told: str) -> Any:
    """Return a check that so many of some conditions hold at most."""
    held = stack(preds, name="preds_c")
    number = reduce_sum(cast(held, int32), name="num_true_conds")
    allowed = less_equal(number, given_constant(most, int32, name="n_true_conds"))
    names = ", ".join([str(getattr(pred, "name", "?")) for pred in preds])
    said = f"{told}: more than {most} conditions ({names}) evaluated as True:"
    return plain(Assert(allowed, [said, held], len(preds)))


def _case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Any,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """Return what `case` does, of conditions that a function of one decides, the first first."""
    is_dict = isinstance(pred_fn_pairs, dict)
    pairs = pairs_of(
        pred_fn_pairs.items() if is_dict else pred_fn_pairs,
        "case: pred_fn_pairs",
        "pairs of a condition and a function",
    )
    *given, (end, last) = pairs if default is None else [*pairs, (None, default)]
    chosen = last
    if default is None:
        told = "Input error: None of the conditions evaluated as True"
        chosen = _provided(converted(end), told, last)
    for pred, function in reversed(given):
        chosen = partial(
            cond_fn, pred, true_fn=function, false_fn=chosen, **cond_kwargs
        )
    with tl.name_scope(name or "case"):
        if not exclusive or len(pairs) < 2:
            return chosen()
        holding = tl.sum(
            tl.stack([tl.astype(converted(p), tl.int32) for p, _ in pairs])
        )
        told = "Input error: exclusive=True: more than 1 conditions evaluated as True"
        with control_dependencies([assert_true(holding <= 1, told)]):
            return chosen()


def _case_branch(function: Any, holds: bool, kept: Any) -> Callable[[], Any]:
    called = flat_branch(function, "fn", partial(constant, holds))
    return alike(lambda: kept(called()))


@named("case", "cond/Merge")
def _case(
    preds: Any,
    branches: Any,
    default: Any,
    exclusive: bool = False,
    name: str | None = None,
) -> Any:
    given = [converted(p) for p in preds]
    last = default
    if default is None:
        *given, end = given
        *branches, function = branches
        told = "Input error: None of the conditions evaluated as True"
        last = _provided(end, told, function)
    if exclusive and len(preds) > 1:
        holding = tl.sum(tl.stack([tl.astype(converted(p), tl.int32) for p in preds]))
        told = "Input error: exclusive=True: more than 1 conditions evaluated as True"
        branches = [_provided(holding <= 1, told, branch) for branch in branches]
        last = _provided(holding <= 1, told, last)
    if not given:
        return under(last(), "cond/Merge")
    found = control.case(list(zip(given, branches, strict=True)), last)
    return under(found, "cond/Merge")


def _provided(
    condition: Any, told: str, branch: Callable[[], Any]
) -> Callable[[], Any]:
    """Return a branch that fails unless a condition holds."""

    def checked() -> Any:
        with control_dependencies([assert_true(condition, told)]):
            return nest.map_structure(
                lambda x: tl.identity(x) if isinstance(x, Operand) else x, branch()
            )

    return checked
