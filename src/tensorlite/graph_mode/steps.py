"""The step that a graph counts: the variable that training adds one to, and its collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.check import one_of
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import DType, int64
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.core.scope import scoped
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import Graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.variable_scopes import get_variable

GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"
"""The collection of what reads a graph's step for hooks, once made."""


def get_global_step(graph: Graph | None = None) -> Any:
    """Return the variable that counts a graph's steps, None where none does."""
    chosen = get_default_graph() if graph is None else graph
    one_of(chosen, Graph, "graph", "a tf.Graph")
    found = chosen.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise InvalidArgumentError("Multiple tensors in global_step collection.")
    if not found:
        variables = chosen.get_collection(GraphKeys.GLOBAL_VARIABLES)
        found = [x for x in variables if x.name == "global_step:0"]
    if not found:
        return None
    assert_global_step(found[0])
    return found[0]


def _zero(*_: Any, dtype: DType) -> Tensor:
    """Return where steps begin, as TensorFlow names it."""
    made = constant(0, dtype)
    if isinstance(made, SymbolicTensor) and isinstance(made.node.graph, Graph):
        graph = made.node.graph
        graph.rename(made.node, graph.free_name(scoped("zeros")))
    return made


def create_global_step(
    graph: Graph | None = None, *, make: Callable[..., Any]
) -> Any:
    """Return a new variable that counts a graph's steps, made by `make` as get_variable does."""
    chosen = get_default_graph() if graph is None else graph
    if get_global_step(chosen) is not None:
        raise InvalidArgumentError('"global_step" already exists.')
    with chosen.as_default(), name_scope(""):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            (),
            int64,
            _zero,
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
            make=make,
        )


def get_or_create_global_step_read(graph: Graph | None = None) -> Any:
    """Return what reads the step that a graph counts, None where none does.

    It is a copy, which what counts in the same run leaves as it is, and gives the step's first
    value where the variable has none yet. All of a graph's hooks use the same one.
    """
    chosen = get_default_graph() if graph is None else graph
    made = chosen.get_collection(GLOBAL_STEP_READ_KEY)
    if len(made) > 1:
        raise FailedPreconditionError(
            f"There are multiple items in collection {GLOBAL_STEP_READ_KEY}. There should "
            "be only one."
        )
    if made:
        return made[0]
    step = get_global_step(chosen)
    if step is None:
        return None
    with chosen.as_default(), name_scope(f"{step.op.name}/"):
        begun = getattr(step, "initialized_value", None)
        read = (step if begun is None else begun()) + 0
    chosen.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise DTypeError for what cannot count steps."""
    if not hasattr(global_step_tensor, "dtype"):
        raise DTypeError(f"{global_step_tensor!r} is no tensor or variable")
    if not global_step_tensor.dtype.is_integer:
        raise DTypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype!r}'
        )
    if global_step_tensor.get_shape().rank not in (0, None):
        raise DTypeError(
            f'Existing "global_step" is not scalar: {global_step_tensor.get_shape()}'
        )
