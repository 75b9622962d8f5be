"""Changes of parts of variables, tapes over graphs, and gradients of operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.overriding import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
    no_gradient,
)
from tensorlite.compat.shared import along, tapes
from tensorlite.compat.shared.values import UnconnectedGradients
from tensorlite.compat.shared.variable_parts import (
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
    scatter_sub,
    scatter_update,
)
from tensorlite.compat.v1.graphs.framework import gradients
from tensorlite.compat.v1.graphs.scopes import get_variable
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops.control.differentiate import VariableWatcher

__all__ = [
    "GradientTape",
    "NoGradient",
    "NotDifferentiable",
    "RegisterGradient",
    "container",
    "get_local_variable",
    "load_file_system_library",
    "load_library",
    "load_op_library",
    "no_gradient",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "vectorized_map",
]


class GradientTape(tapes.GradientTape):
    """A tape, which in a graph asks that for gradients, and only notes which variables are read."""

    _noting: VariableWatcher | None = None

    def __enter__(self) -> Any:
        if active_graph() is None:
            return super().__enter__()
        self._noting = VariableWatcher()
        self._noting.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._noting is None:
            super().__exit__(*error)
        else:
            self._noting.__exit__(*error)

    def watched_variables(self) -> tuple[Any, ...]:
        """Return the variables that were read; in a graph those that are resources."""
        if self._noting is None:
            return super().watched_variables()
        read = self._noting.variables() if self.watch_accessed_variables else []
        return tuple(x for x in read if not getattr(x, "is_reference", False))

    def watch(self, tensors: Any) -> None:
        """Let the tape record what is made of the tensors; in a graph nothing is needed."""
        if active_graph() is None:
            super().watch(tensors)

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the gradients of target by sources, in the structure of sources."""
        if active_graph() is None:
            rest = (output_gradients, unconnected_gradients)
            return super().gradient(target, sources, *rest)
        flat = nest.flatten(sources)
        found = gradients(
            nest.flatten(target),
            flat,
            output_gradients,
            unconnected_gradients=unconnected_gradients,
        )
        return nest.pack_like(sources, found)


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """Return the local variable of a name, made if it is new; trainable has no effect."""
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


def vectorized_map(fn: Callable[..., Any], elems: Any) -> Any:
    """Return fn of each element of elems along the first axis, all at once, stacked."""
    return along.vectorized_map(fn, elems)


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Do nothing: resources are kept by sessions, not by containers."""
    yield container_name


def load_op_library(library_filename: str) -> Any:
    """Raise InvalidArgumentError: libraries of TensorFlow's own kernels cannot be loaded."""
    raise InvalidArgumentError(
        f"load_op_library({library_filename!r}): libraries of TensorFlow's own kernels cannot be "
        "loaded; write the operator as a class of tl.extend, or use tf.py_func"
    )


def load_library(library_location: str) -> Any:
    """Raise InvalidArgumentError: libraries of TensorFlow's own kernels cannot be loaded."""
    load_op_library(library_location)


load_file_system_library = load_op_library
