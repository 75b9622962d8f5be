"""tf.contrib.eager: names of programs that run at once before TensorFlow 2."""

from __future__ import annotations

from inspect import getfullargspec
from typing import Any

import tensorlite as tl
from tensorlite.compat.later import of_version_2
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.arrays import identity
from tensorlite.compat.shared.device_lists import list_local_devices
from tensorlite.compat.shared.python import (
    custom_gradient,
    py_function as py_func,
)
from tensorlite.compat.v1.contrib import eager_metrics as metrics
from tensorlite.compat.v1.contrib.networks import Network
from tensorlite.compat.v1.datasets import EagerIterator as Iterator
from tensorlite.compat.v1.graphs.behaviour import (
    enable_eager_execution,
    executing_eagerly,
)
from tensorlite.compat.v1.graphs.scopes import make_template
from tensorlite.compat.v1.graphs.state import GradientTape
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.test_modes import (
    run_all_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes,
    run_in_graph_and_eager_modes as run_test_in_graph_and_eager_modes,
)
from tensorlite.compat.v1.training.saver import Saver as GraphSaver
from tensorlite.config import list_physical_devices
from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph_mode.variable_stores import EagerVariableStore

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "EagerVariableStore",
    "GradientTape",
    "Iterator",
    "Network",
    "SYNC",
    "Saver",
    "TensorSpec",
    "Variable",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "get_optimizer_variables",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "make_template",
    "metrics",
    "num_gpus",
    "py_func",
    "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes",
    "value_and_gradients_function",
]


def defun(
    func: Any = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """Return a function that is traced for each kind of arguments; without func a decorator."""
    return of_version_2("functions", "function")(
        func,
        input_signature,
        autograph,
        experimental_relax_shapes=experimental_relax_shapes,
    )


def _places(f: Any, params: Any, count: int) -> list[int]:
    """Return at which places the arguments are that a function is differentiated by."""
    names = list(getfullargspec(f).args)
    if names[:1] == ["self"]:
        names.pop(0)
    if params is None:
        return list(range(len(names) or count))
    kinds = {type(x) for x in params}
    if kinds <= {int}:
        return list(params)
    if kinds <= {str} and set(params) <= set(names):
        return [names.index(x) for x in params]
    raise InvalidArgumentError(
        f"params must be all strings or all integers; got {params!r}, of a function of {names}"
    )


def make_vjp(f: Any, params: Any = None, persistent: bool = True) -> Any:
    """Return a function that gives f's value, and a function of that value's gradient.

    The latter, of `dy`, gives gradients by params: numbers or names of arguments, None for all.
    If persistent, it may be called several times.
    """

    def called(*args: Any) -> tuple[Any, Any]:
        chosen = _places(f, params, len(args))
        given = [
            identity(to_tensor(x)) if i in chosen else x for i, x in enumerate(args)
        ]
        sources = [given[i] for i in chosen]
        with tl.GradientTape(persistent=persistent) as tape:
            for x in sources:
                if x.dtype.is_differentiable:
                    tape.watch(x)
            value = f(*given)
            if value is None:
                raise InvalidArgumentError(
                    "Cannot differentiate a function that returns None; did you forget to return "
                    f"a value from {getattr(f, '__name__', f)!r}?"
                )
            value = nest.map_structure(lambda x: identity(to_tensor(x)), value)
        targets = nest.flatten(value)

        def vjp(dy: Any = None) -> list[Any]:
            seeds = None if dy is None else [to_tensor(x) for x in nest.flatten(dy)]
            return list(tape.gradient(targets, sources, seeds))

        return value, vjp

    return called


def value_and_gradients_function(f: Any, params: Any = None) -> Any:
    """Return a function that gives f's value and its gradients by params, or all arguments.

    `dy` are gradients of the value, 1 where it is not given.
    """
    made = make_vjp(f, params, persistent=False)

    def called(*args: Any, dy: Any = None) -> tuple[Any, list[Any]]:
        value, vjp = made(*args)
        return value, vjp(dy)

    return called


def gradients_function(f: Any, params: Any = None) -> Any:
    """Return a function that gives f's gradients by params, or by all arguments.

    params are numbers or names of arguments; `dy` are gradients of the value.
    """
    inner = value_and_gradients_function(f, params)
    return lambda *args, dy=None: inner(*args, dy=dy)[1]


def implicit_value_and_gradients(f: Any) -> Any:
    """Return a function of the same arguments: its value, and gradients with their variables."""

    def called(*args: Any, **kwargs: Any) -> Any:
        with tl.GradientTape() as tape:
            value = f(*args, **kwargs)
        variables = tape.watched_variables()
        found = tape.gradient(value, variables)
        return value, list(zip(found, variables, strict=True))

    return called


def implicit_gradients(f: Any) -> Any:
    """Return a function that gives pairs of gradients and the variables that f reads."""
    inner = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: inner(*args, **kwargs)[1]


SYNC, ASYNC = 0, 1
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT = range(3)
in_eager_mode = executing_eagerly
_OF_VERSION_2 = {"Checkpoint": "train", "function": "functions"}


class Saver:
    """Writes variables to checkpoints and reads them, where programs run at once."""

    def __init__(self, var_list: Any) -> None:
        self._saver = GraphSaver(var_list)

    def save(self, file_prefix: Any, global_step: Any = None) -> Any:
        """Write the variables to a checkpoint and return its prefix, which global_step ends."""
        return self._saver.save(None, file_prefix, global_step=global_step)

    def restore(self, file_prefix: Any) -> None:
        """Read the variables' values from a checkpoint."""
        self._saver.restore(None, file_prefix)


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """Return the optimizer's own variables."""
    return list(optimizer.variables())


def list_devices() -> list[str]:
    """Return the names of this process's devices."""
    here = "/job:localhost/replica:0/task:0"
    return [f"{here}{x.name}" for x in list_local_devices()]


def num_gpus() -> int:
    """Return how many GPUs there are."""
    return len(list_physical_devices("GPU"))


__dir__ = listing(__name__, globals(), _OF_VERSION_2)


def __getattr__(name: str) -> object:
    if name in _OF_VERSION_2:
        return of_version_2(_OF_VERSION_2[name], name)
    raise attribute_error(__name__, name, __all__)
