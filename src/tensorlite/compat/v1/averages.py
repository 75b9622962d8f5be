"""Moving averages of a graph's variables, and its step: parts of TensorFlow 1's tf.train."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.calling import converted
from tensorlite.compat.v1 import framework, scopes
from tensorlite.compat.v1.variables import Variable
from tensorlite.compat.views import GraphTensor, in_graph, plain
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
from tensorlite.ops.bounds import minimum
from tensorlite.ops.shape import astype


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
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
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
                first = framework.constant(0, spec.dtype, spec.shape)
            return new_slot(x, first, self._name, Variable)

    def _decay_now(self) -> Any:
        if self._num_updates is None:
            return self._decay

        def made() -> Any:
            n = astype(converted(plain(self._num_updates)), float32)
            return minimum(self._decay, (1.0 + n) / (10.0 + n))

        return in_graph(made, "decay")

    def _moved(self, x: Any, decay: Any) -> Any:
        debias = self._zero_debias and isinstance(x, GraphTensor)
        return assign_moving_average(self._averages[id(x)][1], x, decay, debias)

    def average(self, var: Any) -> Any:
        found = self._averages.get(id(var))
        return None if found is None else found[1]

    def average_name(self, var: Any) -> str:
        if id(var) in self._averages:
            return str(self._averages[id(var)][1].op.name)
        here = marks.get().name
        whole = f"{var.op.name}/{self._name}"
        return get_default_graph().unique_name(
            f"{here}/{whole}" if here else whole, mark=False
        )

    def variables_to_restore(
        self, moving_avg_variables: Any = None
    ) -> dict[str, Any]:
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
        if not zero_debias:
            share = _share(decay, variable.dtype)
            step = (variable.value() - value) * share
            return variable.assign_sub(step, name=prefix)
        return _debiased(variable, value, decay)


def _share(decay: Any, dtype: Any) -> Any:
    """Return the part of the way that averages move, as TensorFlow makes it."""
    if isinstance(decay, (int, float)):
        return framework.constant(1.0 - decay, dtype, name="decay")
    return 1.0 - decay


def _debiased(variable: Any, value: Any, decay: Any) -> Any:
    with scopes.variable_scope(variable.op.name, values=[variable, value]):
        sizes = variable.get_shape()
        biased = scopes.get_variable(
            "biased",
            initializer=framework.constant(0, variable.dtype, sizes),
            trainable=False,
        )
        counted = scopes.get_variable(
            "local_step",
            initializer=framework.constant(0, variable.dtype),
            trainable=False,
        )
    moved = biased.assign_sub((biased.value() - value) * (1 - decay))
    with framework.control_dependencies([moved, counted.assign_add(1)]):
        whole = biased.read_value() / (1 - decay ** counted.read_value())
        return variable.assign(whole)


def create_global_step(graph: Any = None) -> Any:
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
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    return int(sess.run(global_step_tensor))
