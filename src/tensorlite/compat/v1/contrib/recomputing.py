"""recompute_grad of tf.contrib.layers: blocks whose variables are found again as they are redone.

What computes a function again for its gradients is in shared/python.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import Any

from tensorlite.compat.shared.python import recompute_grad as recomputed
from tensorlite.compat.v1.graphs import scopes


def recompute_grad(
    fn: Callable[..., Any], use_data_dep: Any = None, tupleize_grads: bool = False
) -> Callable[..., Any]:
    """Return a function that computes again for its gradients what it would have to keep.

    Variables that `fn` makes, by get_variable or layers with names, are found again the second
    time. What is computed again always waits for the gradients, so `use_data_dep` and
    `tupleize_grads` have no effect. Chen et al. 2016, "Training deep nets with sublinear memory
    cost".
    """

    @wraps(fn)
    def called(*args: Any) -> Any:
        scope, turns = scopes.get_variable_scope(), count()

        def within(*given: Any) -> Any:
            reuse = True if next(turns) else None
            with scopes.variable_scope(
                scope, reuse=reuse, auxiliary_name_scope=False
            ):
                return fn(*given)

        return recomputed(within)(*args)

    return called
