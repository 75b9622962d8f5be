"""tf.keras.backend of version 1: functions of graphs, their sessions, and the learning phase.

What it has in common with version 2 takes tensors of graphs here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

import numpy as np

from tensorlite.compat import v1
from tensorlite.compat.documenting import explained
from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras import backend_written
from tensorlite.compat.v1.keras.activations import hard_sigmoid as hard_sigmoid
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import backend as backend_2, defaults
from tensorlite.compat.v2.keras.models import Model
from tensorlite.compat.v2.keras.src.layers import naming, phases
from tensorlite.compat.v2.keras.src.models import histories, in_sessions
from tensorlite.core import nest
from tensorlite.core.operand import Operand
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import (
    active_graph,
    at_once,
    get_default_graph,
    reset_default_graph,
    stack,
)
from tensorlite.graph_mode.variables import GraphVariable


def get_session(op_input_list: Any = ()) -> Any:
    """Return the session that models have their values in; those that had none have one then."""
    graph = get_default_graph()
    in_sessions.initialize(graph)
    return in_sessions.session_of(graph)


def set_session(session: Any) -> None:
    """Make a session the one in which Keras runs."""
    in_sessions.use_session(session)


def clear_session() -> None:
    """Forget Keras' session, its default graph, its counts of names and the learning phase."""
    naming.forget()
    defaults.chosen.learning_phase = None
    if active_graph() is None:
        return
    in_sessions.forget_session(get_default_graph())
    if not stack.graphs:
        reset_default_graph()
    learning_phase()  # TensorFlow 1 has its node from the beginning


def reset_uids() -> None:
    """Begin anew with counting names."""
    naming.forget()


def get_uid(prefix: str = "") -> int:
    """Return the next number for names that begin with prefix, from 1."""
    return int(naming.unique(prefix).removeprefix(prefix).lstrip("_") or 0) + 1


def manual_variable_initialization(value: Any) -> None:
    """Do nothing: variables that have a value keep it."""


def learning_phase() -> Any:
    """Return 1 in training, 0 in testing, or a tensor that is fed with either."""
    return phases.asked()


@contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """Let the learning phase be value, 0 or 1, inside the block."""
    before = defaults.chosen.learning_phase
    backend_2.set_learning_phase(value)
    try:
        yield
    finally:
        defaults.chosen.learning_phase = before


def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
    ragged: bool = False,
) -> Any:
    """Return a tensor that is to be fed; ndim stands for so many unknown sizes.

    dtype is Keras' floatx if None. ragged has no effect.
    """
    sizes = [None] * ndim if shape is None and ndim else shape
    kind = dtype or backend_2.floatx()
    if active_graph() is None:
        return histories.placed_input(sizes, kind, name)
    if sparse:
        return v1.sparse_placeholder(kind, sizes, name)
    return v1.placeholder(kind, sizes, name)


def is_placeholder(x: Any) -> bool:
    """Return whether x is a tensor that is to be fed."""
    return isinstance(x, SymbolicTensor) and x.node.op.name.startswith("Placeholder")


def variable(
    value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None
) -> Any:
    """Return a variable, which has its first value in the session that models use."""
    if active_graph() is None:
        return backend_2.variable(value, dtype, name, constraint)
    kind = dtype or backend_2.floatx()
    return in_sessions.SessionWeight(
        value, dtype=kind, name=name, constraint=constraint
    )


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = None
) -> Any:
    """Return a tensor of these values, of Keras' floatx unless a dtype is given."""
    return v1.constant(value, dtype or backend_2.floatx(), shape, name or "Const")


def _filled(name: str, value: float) -> Callable[..., Any]:
    title = name

    def made(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
        kind = dtype or backend_2.floatx()
        tensor = v1.fill(shape, v1.cast(value, kind), name=name)
        known = tensor.shape.is_fully_defined() and tensor.shape.num_elements()
        return variable(tensor, kind, name) if known else tensor

    help_text = f"Return a variable of {title} in Keras' floatx; a tensor if sizes are unknown."
    return explained(made, title, help_text)


zeros, ones = _filled("zeros", 0.0), _filled("ones", 1.0)


def get_value(x: Any) -> Any:
    """Return the value of a variable or tensor, a NumPy array."""
    if isinstance(x, GraphVariable) and active_graph() is not None:
        return _session_for(x).run(x)
    if isinstance(x, SymbolicTensor):
        return get_session().run(x)
    with at_once():
        return backend_2.get_value(x)


eval = get_value


def _session_for(x: Any) -> Any:
    if isinstance(x, in_sessions.SessionWeight):
        in_sessions.handle_of(x)
    return in_sessions.session_of(x.graph)


def batch_get_value(tensors: Any) -> list[Any]:
    """Return the values of variables or tensors, a list of NumPy arrays."""
    return [get_value(x) for x in tensors]


def set_value(x: Any, value: Any) -> None:
    """Give a variable a value, in its session where it has one."""
    fitting = np.asarray(value, x.dtype.as_numpy_dtype)
    if isinstance(x, in_sessions.SessionWeight) or not isinstance(x, GraphVariable):
        with at_once():
            x.assign(fitting)
    else:
        _session_for(x).run(x.initializing, {x.initializing.inputs[1]: fitting})


def batch_set_value(tuples: Any) -> None:
    """Give variables values, by pairs of these."""
    for x, value in tuples:
        set_value(x, value)


def print_tensor(x: Any, message: str = "") -> Any:
    """Return x; running it prints the message and the value."""
    return v1.Print(x, [x], message)


def gradients(loss: Any, variables: Any) -> Any:
    """Return the loss's gradients by the variables, a list."""
    return v1.gradients(loss, variables)


def function(
    inputs: Any, outputs: Any, updates: Any = None, name: Any = None, **kwargs: Any
) -> Any:
    """Return a function of values that gives those of `outputs`, and changes what updates say."""
    if active_graph() is None:
        return _computed(Model(inputs, nest.flatten(outputs)), outputs)
    return _Run(inputs, outputs, updates or [], kwargs)


def _computed(model: Any, outputs: Any) -> Callable[[Any], Any]:
    """Return a function that gives a model's results as arrays."""

    def run(inputs: Any) -> Any:
        made = [x.numpy() for x in nest.flatten(model(inputs))]
        return nest.pack_like(outputs, made)

    return run


class _Run:
    """A part of a graph as a function, run in the session that models use."""

    def __init__(self, inputs: Any, outputs: Any, updates: Any, told: Any) -> None:
        self.inputs, self.outputs = nest.flatten(inputs), outputs
        self.feeds = dict(told.get("feed_dict") or {})
        self.fetches = list(told.get("fetches") or [])
        with v1.control_dependencies(_tensors(outputs)):
            self.updates = [_changed(x) for x in updates]

    def __call__(self, inputs: Any) -> Any:
        given = dict(zip(self.inputs, nest.flatten(inputs), strict=True))
        known = {x: y for x, y in given.items() if isinstance(x, Operand)}
        wanted = [_tensors(self.outputs), self.updates, self.fetches]
        made = get_session().run(wanted, {**self.feeds, **known})[0]
        return nest.pack_like(self.outputs, made)


def _tensors(outputs: Any) -> list[Any]:
    return [histories.shown(x) for x in nest.flatten(outputs)]


def _changed(update: Any) -> Any:
    """Return what makes a change: a node, or the assignment that a pair says."""
    if isinstance(update, tuple):
        return update[0].assign(update[1])
    return update


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Return one of two expressions, or of their values, by a scalar or by each element.

    Where the condition is a scalar, functions are called only if they are chosen.
    """

    def called(x: Any) -> Any:
        return x() if callable(x) else x

    if not len(condition.shape):
        return v1.cond(
            v1.cast(condition, "bool"),
            lambda: called(then_expression),
            lambda: called(else_expression),
        )
    pair = [called(x) for x in (then_expression, else_expression)]
    rank = len(pair[0].shape)
    chosen = v1.cast(condition, "bool")
    for _ in range(rank - len(condition.shape)):
        chosen = v1.expand_dims(chosen, -1)
    return v1.where_v2(chosen, *pair)


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Return x in training and alt in testing; training is the learning phase if None."""
    phase = learning_phase() if training is None else training
    if isinstance(phase, (bool, int)):
        chosen = x if phase else alt
        return chosen() if callable(chosen) else chosen
    return switch(phase, x, alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Return x in testing and alt in training; training is the learning phase if None."""
    return in_train_phase(alt, x, training)


def random_binomial(
    shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Return numbers that are 1 with probability p, else 0."""
    kind = dtype or backend_2.floatx()
    drawn = v1.random_uniform(shape, dtype=kind, seed=seed)
    return v1.cast(drawn <= p, kind)


__dir__ = listing(__name__, globals(), vars(backend_2))
_rest = rest_of(backend_2, __name__, globals(), takes_graphs=True)


def __getattr__(name: str) -> Any:
    """Return what version 2 has by a name, as one that is written into graphs."""
    found = _rest(name)
    return _written(name, found) if name in backend_written.WRITTEN else found


@cache
def _written(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    own: Any = backend_written.WRITTEN[name]

    @wraps(function)
    def made(*args: Any, **kwargs: Any) -> Any:
        found = NotImplemented if active_graph() is None else own(*args, **kwargs)
        return function(*args, **kwargs) if found is NotImplemented else found

    return made
