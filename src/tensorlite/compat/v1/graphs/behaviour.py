"""Whether programs build graphs or run at once, what kind variables are, and other switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.results import give_results, results_given
from tensorlite.config import get_tensorflow_results, set_tensorflow_results
from tensorlite.core.dispatch import executing_eagerly as runs_at_once
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.core.shapes import Results, TensorShape as PlainShape
from tensorlite.graph_mode.graph import active_graph, at_once, mode

__all__ = [
    "control_flow_v2_enabled",
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "disable_tensor_equality",
    "disable_v2_behavior",
    "disable_v2_tensorshape",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_tensor_equality",
    "enable_v2_behavior",
    "enable_v2_tensorshape",
    "executing_eagerly",
    "resource_variables_enabled",
]


def executing_eagerly() -> bool:
    """Return whether operations run at once, so that no graph is being built."""
    return runs_at_once() and active_graph() is None


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Make operations run at once; the arguments have no effect.

    FailedPreconditionError is raised where the default graph has operations already.
    """
    if mode.eager:
        return
    if mode.graph is not None and mode.graph.nodes:
        raise FailedPreconditionError(
            "tf.enable_eager_execution must be called at program startup: there is a graph with "
            f"{len(mode.graph.nodes)} nodes"
        )
    mode.eager = mode.older = True
    give_results()
    _choose_shapes()


def disable_eager_execution() -> None:
    """Make operations build graphs, which sessions run."""
    mode.plain_sizes |= mode.eager is True
    mode.eager = False


@contextmanager
def eager_mode() -> Iterator[None]:
    """Let operations run at once in the block, as after enable_eager_execution.

    What is asked of the process then (docs/decisions/0011) is so for all threads meanwhile.
    """
    before = mode.eager, mode.older, Results.kind
    with results_given(), at_once():
        if not mode.eager:
            mode.eager = mode.older = True
            _choose_shapes()
        try:
            yield
        finally:
            mode.eager, mode.older, Results.kind = before


@contextmanager
def graph_mode() -> Iterator[None]:
    """Let operations build a graph in the block: a new one where they would run at once.

    Programs stay of the version that they are, and sizes of shapes what they are in it.
    """
    is_open = active_graph() is not None
    before = mode.eager, mode.second, mode.plain_sizes
    mode.second = mode.is_second()
    mode.plain_sizes |= mode.second
    mode.eager = False
    try:
        with nullcontext() if is_open else mode.kind().as_default():
            yield
    finally:
        mode.eager, mode.second, mode.plain_sizes = before


def disable_v2_behavior() -> None:
    """Make operations build graphs, and sizes of shapes Dimension objects, as in TensorFlow 1."""
    mode.eager = False
    disable_resource_variables()
    disable_v2_tensorshape()


def enable_v2_behavior() -> None:
    """Make operations run at once, and sizes of shapes plain integers, as in TensorFlow 2."""
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_resource_variables()
    mode.older = False


def enabled() -> bool:
    """Return whether programs are of TensorFlow 2: tensorflow.python.tf2 asks so."""
    return mode.is_second()


def enable_resource_variables() -> None:
    """Make variables of graphs resources from here on, unless they are asked not to be."""
    mode.resources = True


def disable_resource_variables() -> None:
    """Make variables of graphs references from here on, unless they are asked to be resources."""
    mode.resources = False


def resource_variables_enabled() -> bool:
    """Return whether variables of graphs are resources that do not say what they are."""
    return mode.resources


def enable_v2_tensorshape() -> None:
    """Make sizes of a TensorShape plain integers or None."""
    mode.plain_sizes = True
    _choose_shapes()


def disable_v2_tensorshape() -> None:
    """Make sizes of a TensorShape Dimension objects."""
    mode.plain_sizes = False
    _choose_shapes()


@contextmanager
def dimensions_shown() -> Iterator[None]:
    """Let shapes of what a program of version 1 is given outside of graphs have its sizes."""
    before, results = Results.kind, get_tensorflow_results()
    set_tensorflow_results(True)
    Results.kind = TensorShape
    try:
        yield
    finally:
        Results.kind = before
        set_tensorflow_results(results)


def _choose_shapes() -> None:
    """Have the shapes of what is computed at once have sizes of the kind that was chosen."""
    of_version_1 = mode.eager and not mode.plain_sizes
    Results.kind = TensorShape if of_version_1 else PlainShape


def enable_tensor_equality() -> None:
    """Make == compare the elements of tensors that are computed at once, as TensorFlow 2 does."""
    mode.equality = True


def disable_tensor_equality() -> None:
    """Make == ask whether two tensors that are computed at once are one, as TensorFlow 1 does."""
    mode.equality = False


def _setting(about: str, answer: Any = None) -> Callable[[], Any]:
    def setting() -> Any:
        return answer

    told = "Do nothing" if answer is None else f"Return {answer}"
    return explained(setting, "setting", f"{told}: {about}.")


enable_control_flow_v2 = disable_control_flow_v2 = _setting(
    "branches and loops are made in one way"
)
control_flow_v2_enabled = _setting("branches and loops are functions", True)
