"""Moving averages of a graph's variables, and its step: parts of TensorFlow 1's tf.train."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import count
from typing import Any

from tensorlite.compat.shared.arrays import zeros
from tensorlite.compat.shared.elementwise import cast, minimum, pow
from tensorlite.compat.v1.functions.init_ops import zeros_initializer
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.variables import Variable, of_kind
from tensorlite.compat.views import GraphTensor, plain
from tensorlite.core.dtypes import float32, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.scope import scope as marks
from tensorlite.graph_mode import steps
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.slots import new_slot
from tensorlite.graph_mode.steps import (
    assert_global_step as assert_global_step,
    get_global_step as get_global_step,
)
from tensorlite.graph_mode.variables import GraphVariable


class ExponentialMovingAverage:
    """Keeps averages of variables and tensors, as variables of the graph."""

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay, self._num_updates = decay, num_updates
        self._zero_debias, self._name = zero_debias, name
        self._averages: dict[int, tuple[Any, Any]] = {}

    @property
    def name(self) -> str:
        """Name that the averages' own names end with."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """Return an operator that moves the averages: decay * average + (1 - decay) * value.

        The averages, variables that are not trained, are made here. var_list is all trainable
        variables if None. Types that are not floating raise DTypeError.
        """
        given = list(scopes.trainable_variables() if var_list is None else var_list)
        for x in given:
            if not x.dtype.is_floating:
                raise DTypeError(
                    f"The variables must be half, float, or double: {x.name} is {x.dtype.name}"
                )
            if id(x) not in self._averages:
                self._averages[id(x)] = (x, self._shadow(x))
        with name_scope(self._name, "ExponentialMovingAverage") as prefix:
            decay = self._decay_now()
            updates = [self._moved(x, decay) for x in given]
            return framework.group(*updates, name=prefix)

    def _shadow(self, x: Any) -> Any:
        with framework.init_scope():
            if isinstance(x, GraphVariable):
                first = x.initialized_value()
                graph = get_default_graph()
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, x)
            elif isinstance(x, Variable):
                first = x.value()
            else:
                spec = plain(x).spec
                first = partial(zeros, spec.shape, spec.dtype)  # type: ignore[assignment]
            return new_slot(x, first, self._name, of_kind(x))

    def _decay_now(self) -> Any:
        decay = framework.convert_to_tensor(self._decay, name="decay")
        if self._num_updates is None:
            return decay
        n = cast(self._num_updates, float32, name="num_updates")
        return minimum(decay, (1.0 + n) / (10.0 + n))

    def _moved(self, x: Any, decay: Any) -> Any:
        debias = self._zero_debias and isinstance(x, GraphTensor)
        return assign_moving_average(self._averages[id(x)][1], x, decay, debias)

    def average(self, var: Any) -> Any:
        """Return the variable that holds the average of var, None before apply(var)."""
        found = self._averages.get(id(var))
        return None if found is None else found[1]

    def average_name(self, var: Any) -> str:
        """Return the name of the variable that holds the average of var, or would hold it."""
        if id(var) in self._averages:
            return str(self._averages[id(var)][1].op.name)
        here = marks.get().name
        whole = f"{var.op.name}/{self._name}"
        return get_default_graph().free_name(
            f"{here}/{whole}" if here else whole, mark=False
        )

    def variables_to_restore(
        self, moving_avg_variables: Any = None
    ) -> dict[str, Any]:
        """Return a dict for Saver that restores averages in place of the variables themselves.

        Names of averages lead to moving_avg_variables (all trainable and averaged variables if
        None); the other global variables have their own names.
        """
        if moving_avg_variables is None:
            moved = [
                *scopes.trainable_variables(),
                *scopes.moving_average_variables(),
            ]
        else:
            moved = list(moving_avg_variables)
        held = {id(x): x for x in moved}
        found = {self.average_name(x): x for x in held.values()}
        for x in scopes.global_variables():
            if id(x) not in held and x.op.name not in found:
                found[x.op.name] = x
        return found


def assign_moving_average(
    variable: Any,
    value: Any,
    decay: Any,
    zero_debias: bool = True,
    name: str | None = None,
) -> Any:
    """Move a variable towards a value; `zero_debias` corrects for its beginning at zero."""
    with name_scope(name, "AssignMovingAvg") as prefix:
        share = _share(decay, variable.dtype)
        if not zero_debias:
            step = (variable.value() - value) * share
            return scopes.assign_sub(variable, step, name=prefix)
        return _debiased(variable, value, share, prefix)


def _share(decay: Any, dtype: Any) -> Any:
    """Return the part of the way that averages move, as TensorFlow makes it."""
    if isinstance(decay, (int, float)):
        return framework.constant(1.0 - decay, dtype, name="decay")
    share = 1.0 - decay
    return share if share.dtype is dtype else cast(share, dtype)


def _debiased(variable: Any, value: Any, share: Any, name: str) -> Any:
    around = str(variable.name).removesuffix(":0")
    with scopes.variable_scope(around, values=[variable, value]) as scope:
        sizes = variable.get_shape()
        biased, counted = [
            scopes.get_variable(
                _new_in(scope, own),
                shape,
                variable.dtype,
                zeros_initializer(),
                trainable=False,
            )
            for own, shape in (("biased", sizes), ("local_step", []))
        ]
    moved = biased.assign_sub((biased.value() - value) * share, name="AssignSub")
    steps_done = counted.assign_add(1, name="AssignAdd")
    whole = moved / (1 - pow(1.0 - share, steps_done))
    return variable.assign(whole, name=name)


def _new_in(scope: Any, name: str) -> str:
    """Return a name that no variable of a scope has, unless the scope finds them again."""
    if active_graph() is None or scope.reuse:
        return name
    taken = {x.op.name for x in scope.global_variables()}
    numbered = (f"{name}_{i}" if i else name for i in count())
    return next(one for one in numbered if f"{scope.name}/{one}" not in taken)


def create_global_step(graph: Any = None) -> Any:
    """Return a new int64 variable that counts steps, in the collection GLOBAL_STEP.

    A graph that has one raises an error.
    """
    if active_graph() is None and graph is None:
        return _eager_global_step()
    return steps.create_global_step(graph, make=Variable)


def _eager_global_step() -> Any:
    """Return a new variable, which the default graph knows though it is not in it."""
    graph = get_default_graph()
    if get_global_step(graph) is not None:
        raise InvalidArgumentError('"global_step" already exists.')
    made = Variable(0, trainable=False, name="global_step", dtype=int64)
    graph.add_to_collection(GraphKeys.GLOBAL_STEP, made)
    return made


def get_or_create_global_step(graph: Any = None) -> Any:
    """Return the variable that counts the graph's steps, made if there is none.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.train.get_or_create_global_step().op.name
    'global_step'
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


_get_or_create_global_step_read = steps.get_or_create_global_step_read


def _increment_global_step(increment: Any, graph: Any = None) -> Any:
    """Return what adds to the step that a graph counts, behind what reads it for hooks."""
    chosen = get_default_graph() if graph is None else graph
    step = get_global_step(chosen)
    if step is None:
        raise InvalidArgumentError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before "
            "calling increment."
        )
    read = steps.get_or_create_global_step_read(chosen)
    inside = name_scope(f"{step.op.name}/")
    with chosen.as_default(), inside, framework.control_dependencies([read]):
        return scopes.assign_add(step, increment)


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Return the step that the session's variable holds, a Python integer."""
    if not hasattr(sess, "run"):
        raise DTypeError(f"sess={sess!r}; give a tf.Session")
    return int(sess.run(global_step_tensor))
