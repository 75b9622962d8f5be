"""tf.get_variable where there are no graphs and no store is entered: a new variable at each call.

Variables that are kept by name, and scopes, are in scopes.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.core.dtypes import as_dtype
from tensorlite.graph_mode import first_values, variable_scopes
from tensorlite.graph_mode.graph import name_scope
from tensorlite.graph_mode.variable_stores import store_of


def eager_variable(
    name: str,
    shape: Any,
    dtype: Any,
    initializer: Any,
    regularizer: Any,
    trainable: bool | None,
) -> Any:
    """Return a new variable: eagerly nothing keeps them by name, but what they cost is noted."""
    around = variable_scopes.get_variable_scope()
    prefix = around.name
    start = around.initializer if initializer is None else initializer
    wanted = around.dtype if dtype is None else dtype
    if dtype is not None:
        variable_scopes.agreed_dtype(as_dtype(dtype), start)
    found = first_values.first_value(name, start, shape, wanted)
    with name_scope(""):
        whole = f"{prefix}/{name}" if prefix else name
        made = Variable(found, trainable, name=whole, dtype=dtype)
    cost = around.regularizer if regularizer is None else regularizer
    if cost:
        store_of().regularise(made, whole, cost)
    return made
