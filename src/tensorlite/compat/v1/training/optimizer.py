"""Optimizer: what TensorFlow 1's optimizers, and those of programs, are made on.

The optimizers themselves are in optimizer_classes.py, the rules that they apply in
ops/nn/training.py, the variables that they keep in graph_mode/slots.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, nullcontext
from typing import Any

from tensorlite.compat.shared.arrays import zeros
from tensorlite.compat.shared.picking import (
    unique,
)
from tensorlite.compat.shared.segments import (
    unsorted_segment_sum,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.together import tuple_
from tensorlite.compat.v1.graphs.variables import of_kind
from tensorlite.compat.v1.training.summed import applied
from tensorlite.compat.views import GraphTensor, Operation, in_graph, plain, shown
from tensorlite.core import nest
from tensorlite.core.check import one_of, pairs_of, several
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.tape import GradientTape
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.slots import Slots, new_slot
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.sparse.slices import densify

Pair = tuple[Any, Any]


class Optimizer:
    """Computes gradients, and applies them to variables.

    Subclasses override `_apply_dense` and `_apply_sparse` (or those that begin with
    `_resource_apply`), `_create_slots`, `_prepare` and `_finish`.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise InvalidArgumentError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots = Slots()

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints of objects hold of it, but for its slots."""
        return self._slots.owned()

    def saved_slots(self) -> list[tuple[Any, str, Any]]:
        """Return its slots for checkpoints of objects, with the variables they belong to."""
        return self._slots.beside()

    def build(self, var_list: Sequence[Any]) -> None:
        """Make the slots of variables, which a checkpoint may have values for."""
        with framework.init_scope():
            self._create_slots(var_list)

    def get_name(self) -> str:
        """Return the optimizer's name."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """Return an operator that changes variables so that the loss gets smaller.

        The variables are all trainable ones if var_list is None; global_step, if given, is counted
        up. colocate_gradients_with_ops and aggregation_method have no effect. If there are no
        gradients at all, InvalidArgumentError is raised. Where programs run at once, loss is a
        function.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            raise InvalidArgumentError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[Pair]:
        """Return pairs of the loss's gradients and the variables; None where there is none.

        The variables are all trainable ones if var_list is None; grad_loss is what flows into the
        loss.
        """
        if callable(loss):
            return self._gradients_of_call(loss, var_list, grad_loss)
        if active_graph() is None:
            raise DTypeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        if var_list is None:
            variables = scopes.trainable_variables()
        else:
            several(var_list, "var_list", "a list or tuple of variables")
            variables = nest.flatten(
                list(var_list) if not isinstance(var_list, dict) else var_list
            )
        if not variables:
            raise InvalidArgumentError("No variables to optimize.")
        self._assert_valid_dtypes([loss])
        found = framework.gradients(
            loss,
            list(variables),
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
        )
        if gate_gradients == Optimizer.GATE_GRAPH:
            found = tuple_(found)
        return list(zip(found, variables, strict=True))

    def _gradients_of_call(
        self, loss: Callable[[], Any], var_list: Any, grad_loss: Any
    ) -> list[Pair]:
        if active_graph() is not None:
            return self.compute_gradients(loss(), var_list, grad_loss=grad_loss)
        with GradientTape() as tape:
            for x in nest.flatten(var_list or []):
                tape.watch(x)
            value = loss()
        variables = list(tape.watched_variables() if var_list is None else var_list)
        return list(
            zip(tape.gradient(value, variables, grad_loss), variables, strict=True)
        )

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Pair],
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return an operator that changes variables by their gradients.

        None as a gradient leaves a variable alone; none at all raises InvalidArgumentError.
        global_step, if given, is counted up behind.
        """
        pairs = pairs_of(
            grads_and_vars, "grads_and_vars", "pairs of a gradient and its variable"
        )
        if not pairs:
            raise InvalidArgumentError("No variables provided.")
        given = [pair for pair in pairs if pair[0] is not None]
        if not given:
            raise InvalidArgumentError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        for _, variable in given:
            if isinstance(variable, GraphTensor):
                raise UnimplementedError(
                    f"Trying to update a Tensor {variable}; give the variable"
                )
        return applied(lambda own: self._apply_pairs(own, global_step, name), given)

    def _apply_pairs(
        self, given: list[Pair], global_step: Any, name: str | None
    ) -> Any:
        with framework.init_scope():
            self._create_slots([variable for _, variable in given])
        with name_scope(name, self._name) as prefix:
            self._prepare()
            updates = [self._updated(*pair) for pair in given]
            return self._applied(updates, global_step, prefix)

    def _updated(self, gradient: Any, variable: Any) -> Any:
        own = variable.op.name if active_graph() is not None else ""
        with name_scope(f"update_{own}") if own else nullcontext():
            update = self._apply(gradient, variable)
            constraint = getattr(variable, "constraint", None)
            if constraint is None:
                return update
            with framework.control_dependencies([update]):
                return variable.assign(
                    constraint(variable.read_value() if own else variable)
                )

    def _apply(self, gradient: Any, variable: Any) -> Any:
        """Return the update of one variable, by the method that a subclass has for its kind."""
        ways = ["_apply", "_resource_apply"]
        if not getattr(variable, "is_reference", False):
            ways.reverse()
        if not isinstance(plain(gradient), IndexedSlices):
            way = next((x for x in ways if _has(self, f"{x}_dense")), ways[0])
            return getattr(self, f"{way}_dense")(gradient, variable)
        kinds = ("_sparse", "_sparse_duplicate_indices")
        way = next(
            (x for x in ways if any(_has(self, x + y) for y in kinds)), ways[0]
        )
        if way == "_apply":
            return self._apply_sparse_duplicate_indices(gradient, variable)
        rows = shown(plain(gradient))
        return self._resource_apply_sparse_duplicate_indices(
            rows.values, variable, rows.indices
        )

    def _applied(self, updates: list[Any], global_step: Any, prefix: str) -> Any:
        if global_step is not None and not hasattr(global_step, "assign_add"):
            raise DTypeError(f"global_step={global_step!r}; give a variable")
        if active_graph() is None:
            self._finish(updates, prefix)
            return None if global_step is None else global_step.assign_add(1)
        if global_step is None:
            made = self._finish(updates, prefix)
        else:
            with framework.control_dependencies([self._finish(updates, "update")]):
                made = global_step.assign_add(1, name=prefix, read_value=False)
        node = made if isinstance(made, Operation) else made.op
        ends = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if not any(x is node for x in ends):
            ends.append(node)
        return node

    def get_slot(self, var: Any, name: str) -> Any:
        """Return the variable that the optimizer keeps for var by a name, or None."""
        return self._slots.get(var, name)

    def get_slot_names(self) -> list[str]:
        """Return the names of the slots, sorted."""
        return self._slots.names()

    def variables(self) -> list[Any]:
        """Return all variables that the optimizer keeps."""
        return self._slots.all()

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Make slots; a subclass that has some says which."""

    def _prepare(self) -> None:
        """Make tensors of hyperparameters, once before they are used."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self._own("_apply_dense")(grad, handle)

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        return self._apply_sparse(self._without_twins(grad), var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: Any
    ) -> Any:
        rows = self._without_twins(IndexedSlices(grad, indices))
        return self._resource_apply_sparse(rows.values, handle, rows.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        sizes = tuple(handle.get_shape().as_list())
        return self._own("_apply_sparse")(IndexedSlices(grad, indices, sizes), handle)

    def _own(self, name: str) -> Any:
        """Return a method as this library has it, for a program's own that calls it by `super`."""
        for kind in type(self).__mro__:
            is_own = kind.__module__.startswith("tensorlite.")
            if is_own and kind is not Optimizer and name in vars(kind):
                return vars(kind)[name].__get__(self)
        raise NotImplementedError(f"{type(self).__name__}.{name} is not written")

    def _without_twins(self, grad: Any) -> Any:
        """Return rows of which each is named once."""
        slices = shown(plain(grad))
        rows, places = unique(slices.indices)
        count = v1_arrays.shape(rows)[0]
        values = unsorted_segment_sum(slices.values, places, count)
        return IndexedSlices(values, rows, slices.dense_shape)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        return framework.group(*update_ops, name=name_scope or None)

    def _valid_dtypes(self) -> set[str]:
        return {"float16", "bfloat16", "float32", "float64"}

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        for x in tensors:
            one_of(x, Operand, "loss", "a tensor of the graph")
            if x.dtype.name not in self._valid_dtypes():
                raise InvalidArgumentError(
                    f"Invalid type {x.dtype!r} for {x.name}, expected: "
                    f"{sorted(self._valid_dtypes())}."
                )

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def _slot_dict(self, slot_name: str) -> dict[Any, Any]:
        return self._slots.of(slot_name)

    def _get_or_make_slot(
        self, var: Any, val: Any, slot_name: str, op_name: str
    ) -> Any:
        return self._slots.found_or_made(
            var, slot_name, lambda: new_slot(var, val, op_name, of_kind(var))
        )

    def _get_or_make_slot_with_initializer(
        self,
        var: Any,
        initializer: Any,
        shape: Any,
        dtype: Any,
        slot_name: str,
        op_name: str,
    ) -> Any:
        sizes = plain(shape)
        return self._get_or_make_slot(
            var, lambda: initializer(sizes, dtype=dtype), slot_name, op_name
        )

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        return self._get_or_make_slot(var, lambda: _zeros(var), slot_name, op_name)

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Any
    ) -> Any:
        def made() -> Any:
            with ExitStack() as stack:
                if active_graph() is not None:
                    stack.enter_context(framework.device(None))
                    stack.enter_context(framework.device(colocate_with.device))
                make = of_kind(colocate_with)
                return make(initial_value, name=name, trainable=False)

        return self._slots.own_or_made(name, made)

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        found = self._slots.own(name)
        if found is None:
            raise NotFoundError(f"the optimizer has no variable {name!r}")
        return found


def _has(optimizer: Optimizer, name: str) -> bool:
    """Return whether a class of a program overrides a method."""
    return getattr(type(optimizer), name) is not getattr(Optimizer, name)


def _zeros(variable: Any) -> Any:
    sizes = variable.spec
    if sizes.is_static:
        return zeros(sizes.shape, sizes.dtype)
    return zeros_like(plain(variable.initial_value))


def dense(gradient: Any) -> Any:
    """Return a gradient as a dense tensor."""
    slices = plain(gradient)
    if isinstance(slices, IndexedSlices):
        return in_graph(lambda: densify(slices), "densify")
    return gradient
