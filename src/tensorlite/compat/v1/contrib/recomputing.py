"""recompute_grad of tf.contrib.layers: blocks whose variables are found again as they are redone.

What computes a function again for its gradients is in shared/python.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from itertools import count
from typing import Any

from tensorlite.compat.shared.python import recompute_grad as recomputed
from tensorlite.compat.v1.contrib.arg_scopes import arg_scope, current_arg_scope
from tensorlite.compat.v1.graphs import scopes
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand


def recompute_grad(
    fn: Callable[..., Any] | None = None,
    use_data_dep: Any = None,
    tupleize_grads: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes again for its gradients what it would have to keep.

    Variables that `fn` makes, by get_variable or layers with names, are found again the second
    time, when `fn` is told `is_recomputing=True` if it takes that. Without `fn` it returns a
    decorator. A tensor that `fn` has from outside raises InvalidArgumentError: no gradient would
    reach it. What is computed again always waits for the gradients, so `use_data_dep` and
    `tupleize_grads` have no effect. Chen et al. 2016, "Training deep nets with sublinear memory
    cost".
    """
    if fn is None:
        return partial(
            recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads
        )
    _check_closed_over(fn)
    asks = "is_recomputing" in inspect.signature(fn).parameters
    function = fn

    @wraps(fn)
    def called(*args: Any) -> Any:
        scope, turns = scopes.get_variable_scope(), count()
        arguments = current_arg_scope()

        def within(*given: Any) -> Any:
            again = bool(next(turns))
            told = {"is_recomputing": again} if asks else {}
            with (
                arg_scope(arguments),
                scopes.variable_scope(
                    scope, reuse=True if again else None, auxiliary_name_scope=False
                ),
            ):
                return function(*given, **told)

        return recomputed(within)(*args)

    return called


def _check_closed_over(fn: Callable[..., Any]) -> None:
    """Raise InvalidArgumentError where a function has a tensor or a variable from around it."""
    names = getattr(getattr(fn, "__code__", None), "co_freevars", ())
    for name, cell in zip(
        names, getattr(fn, "__closure__", None) or (), strict=False
    ):
        try:
            held = cell.cell_contents
        except (
            ValueError
        ):  # nothing is there yet: the function itself, where it calls itself
            continue
        if isinstance(held, Operand):
            raise InvalidArgumentError(
                f"fn decorated with @recompute_grad closes over {held} (local variable name: "
                f"{name}); no gradient would reach it: make it an argument of fn"
            )
