"""tf.autograph: what is converted as functions are traced, and what is not."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from functools import wraps
from types import SimpleNamespace
from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.views import shown
from tensorlite.core.dispatch import tracer
from tensorlite.function.staging import converted, do_not_convert as plainly
from tensorlite.graph_mode.graph import active_graph


class Feature(Enum):
    """Parts of the conversion; all of it is done here."""

    ALL, AUTO_CONTROL_DEPS, ASSERT_STATEMENTS, BUILTIN_FUNCTIONS = range(4)
    EQUALITY_OPERATORS, LISTS, NAME_SCOPES = range(4, 7)


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Return the function so marked that its statements run as Python's where it is traced.

    Without a function the decorator itself is returned.
    """
    return do_not_convert if func is None else plainly(func)


def set_loop_options(*args: Any, **kwargs: Any) -> None:
    """Do nothing: shapes of loops' variables are found by themselves."""


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Return a function with its loops and conditions on tensors converted, as tracing would.

    It adds to the graph that a program of TensorFlow 1 builds, if there is one. recursive and
    experimental_optional_features have no effect.
    """
    made = converted(getattr(entity, "python_function", entity))
    if isinstance(entity, type) or not callable(made):
        return made

    @wraps(made)
    def built(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None:
            return made(*args, **kwargs)
        if tracer() is not None:
            return shown(made(*args, **kwargs))
        with (
            graph.as_default()
        ):  # statements are traced into it, not its functions alone
            return shown(made(*args, **kwargs))

    return built


def to_code(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """Return the source that is converted; what it becomes has the same lines."""
    return inspect.getsource(getattr(entity, "python_function", entity))


def trace(*args: Any) -> None:
    """Print arguments as the function is traced."""
    print(*args)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Do nothing: nothing is logged of conversions."""


experimental = SimpleNamespace(
    Feature=Feature, do_not_convert=do_not_convert, set_loop_options=set_loop_options
)


__dir__ = listing(__name__, globals())
