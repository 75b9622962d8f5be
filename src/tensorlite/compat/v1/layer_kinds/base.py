"""Layer: what TensorFlow 1's layers and recurrent cells are made on.

It finds its variables by scopes, so that layers of one scope share them. The layers are in
v1/layers.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tensorlite.compat.missing import UNUSED_BY_LAYERS, refuse_arguments
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.creators import variable_creator_scope
from tensorlite.compat.v1.functions import arrays
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v2.keras import constraints, regularizers
from tensorlite.compat.v2.keras.src.models import in_sessions
from tensorlite.compat.views import GraphTensor, plain
from tensorlite.core import nest
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.variable_stores import (
    VariableScope,
    are_kept,
    entered,
    store_of,
)


class InputSpec:
    """What a layer's inputs must be like."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype)
        self.shape = shape
        self.ndim = ndim if shape is None else len(shape)
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, axes or {}

    def mismatch(self, dtype: Any, shape: Any) -> str:
        """Return why an input does not fit, "" if it does."""
        if self.dtype is not None and self.dtype is not dtype:
            return f"expected dtype={self.dtype.name}, found dtype={dtype.name}"
        rank = shape.rank
        if rank is None:
            if (self.ndim, self.min_ndim, self.max_ndim) == (None, None, None):
                return ""
            return "its rank is undefined, but the layer requires a defined rank."
        whole = f"Full shape received: {shape.as_list()}"
        fits = {
            "ndim": self.ndim in (None, rank),
            "min_ndim": self.min_ndim is None or rank >= self.min_ndim,
            "max_ndim": self.max_ndim is None or rank <= self.max_ndim,
        }
        for what in [what for what, is_so in fits.items() if not is_so]:
            return (
                f"expected {what}={getattr(self, what)}, found ndim={rank}. {whole}"
            )
        return self._size_mismatch(shape.as_list())

    def _size_mismatch(self, sizes: list[int | None]) -> str:
        for axis, size in self.axes.items():
            if size is not None and sizes[axis] not in (None, size):
                return (
                    f"expected axis {axis} of input shape to have value {size} but received input "
                    f"with shape {sizes}"
                )
        pairs = zip(sizes, plain(TensorShape(self.shape)) or (), strict=False)
        if any(None not in pair and pair[0] != pair[1] for pair in pairs):
            return f"expected shape={self.shape}, found shape={sizes}"
        return ""


def _mismatch(spec: Any, x: Any) -> str:
    """Return why an input does not fit, by a spec of this kind or of Keras'; "" if it does."""
    if spec is None:
        return ""
    kept = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
    if not isinstance(spec, InputSpec):
        spec = InputSpec(*[getattr(spec, name) for name in kept])
    found: str = spec.mismatch(x.dtype, x.get_shape())
    return found


class Layer:
    """A function with variables, which are made when it is first called.

    Subclasses make them in `build`, and compute in `call`.
    """

    _is_held = False

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        self._scope: VariableScope | None = None
        self._reuse = kwargs.pop("_reuse", None)
        scope = kwargs.pop("_scope", None)
        self.graph = active_graph()
        self.trainable, self.built = trainable, False
        self._dtype = None if dtype is None else as_dtype(dtype)
        self.input_spec: Any = None
        self.activity_regularizer = kwargs.pop("activity_regularizer", None)
        refuse_arguments(type(self).__name__, kwargs.keys() - UNUSED_BY_LAYERS)
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        self._of_inputs: set[int] = set()
        """Which updates and losses are of inputs, not of variables alone."""
        self._kept: dict[str, Any] = {}
        self._base_name = name or snake(type(self).__name__)
        self._name = name or unique_layer_name(self._base_name)
        if scope is not None:
            with scopes.variable_scope(scope) as captured:
                self._scope = captured

    @property
    def holds_resources(self) -> bool:
        """Whether its variables are weights of models, as those of Keras' layers that hold it."""
        return self._is_held

    @holds_resources.setter
    def holds_resources(self, value: bool) -> None:
        """Set it for the layers inside as well."""
        self._is_held = value
        for layer in self._layers():
            layer.holds_resources = value

    @property
    def name(self) -> str:
        """The layer's name, which its variables' scope ends with."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of the layer's variables, None before it is known."""
        return self._dtype

    @property
    def scope_name(self) -> str:
        """Name of the scope of the layer's variables.

        Before the layer is used, InvalidArgumentError is raised.
        """
        if self._scope is None:
            raise InvalidArgumentError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet."
            )
        return self._scope.name

    @property
    def variables(self) -> list[Any]:
        """All variables of the layer, those that are trained first."""
        return self.weights

    @property
    def weights(self) -> list[Any]:
        """All variables of the layer, those that are trained first."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained: none if `trainable` is False."""
        own = self._trainable_weights if self.trainable else []
        return [*own, *[w for x in self._layers() for w in x.trainable_weights]]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained: all if `trainable` is False."""
        own = [] if self.trainable else self._trainable_weights
        inner = [w for x in self._layers() for w in x.non_trainable_weights]
        return [*own, *self._non_trainable_weights, *inner]

    def _layers(self) -> Iterable[Layer]:
        """Yield the layers that are attributes of this one."""
        for value in self.__dict__.values():
            for x in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(x, Layer):
                    yield x

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints of objects hold of it: variables and layers, by attribute."""
        kinds = (Variable, Layer)
        return {k: x for k, x in vars(self).items() if isinstance(x, kinds)}

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def updates(self) -> list[Any]:
        """The operators that change the layer's variables as it runs."""
        return list(self._updates)

    @property
    def losses(self) -> list[Any]:
        """The losses that the layer adds."""
        return list(self._losses)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """Return the updates that follow from inputs; with None, those that need none."""
        return self._following(self.updates, inputs)

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Return the losses that follow from inputs; with None, those that need none."""
        return self._following(self.losses, inputs)

    def _following(self, made: list[Any], inputs: Any) -> list[Any]:
        if inputs is None:
            return [x for x in made if id(x) not in self._of_inputs]
        given = list(nest.flatten(inputs))
        return [x for x in made if id(x) in self._of_inputs and follows(x, given)]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Note operators that change variables; they go to the collection UPDATE_OPS.

        With inputs, they belong to these.
        """
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            if inputs is not None:
                self._of_inputs.add(id(getattr(update, "op", update)))
            if active_graph() is None:
                self._updates.append(update)
                continue
            node = getattr(update, "op", update)
            self._updates.append(node)
            get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, node)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Note losses; they go to the collection REGULARIZATION_LOSSES.

        With inputs, they belong to these.
        """
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append(loss)
            if inputs is not None:
                self._of_inputs.add(id(loss))
            if active_graph() is not None:
                get_default_graph().add_to_collection(
                    GraphKeys.REGULARIZATION_LOSSES, loss
                )

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return a variable of the layer's scope, made now or shared with another layer."""
        regularizer = regularizers.get(regularizer)
        constraint = constraints.get(constraint)
        wanted = self._dtype if dtype is None else as_dtype(dtype)
        watched = trainable is not False and self.trainable
        if not are_kept():
            made = self._eager_weight(name, shape, wanted, initializer, watched)
        else:
            known = set(map(id, store_of().variables.values()))
            self._set_scope()
            with self._making():
                made = scopes.get_variable(
                    name,
                    shape,
                    wanted,
                    initializer,
                    trainable=watched,
                    constraint=constraint,
                    partitioner=partitioner,
                    use_resource=use_resource or self.holds_resources or None,
                )
                if regularizer is not None and id(made) not in known:
                    self._regularise(made, name, regularizer)
        is_kept_back = trainable is False or (watched and not _is_trained(made))
        held = (
            self._non_trainable_weights if is_kept_back else self._trainable_weights
        )
        held.append(made)
        return made

    add_variable = add_weight

    @contextmanager
    def _making(self) -> Iterator[None]:
        """Let variables that are made be of the layer's scope, and weights of models if held."""
        with ExitStack() as around:
            if self.holds_resources and in_sessions.graph_of_models():
                around.enter_context(variable_creator_scope(in_sessions.weight_of))
            reuse = self.built or self._reuse
            opened = scopes.variable_scope(
                self._scope, reuse=reuse, auxiliary_name_scope=False
            )
            around.enter_context(opened)
            yield

    def _regularise(self, made: Any, name: str, regularizer: Any) -> None:
        store = entered()
        if store is not None:
            store.regularise(made, made.name, regularizer)
            return
        for part in getattr(made, "parts", [made]):
            with name_scope(f"{name}/Regularizer"):
                self.add_loss(regularizer(part))

    def _eager_weight(
        self, name: str, shape: Any, dtype: Any, initializer: Any, trainable: bool
    ) -> Any:
        whole = f"{self._name}/{name}"
        if whole not in self._kept:
            self._kept[whole] = scopes.get_variable(
                whole, shape, dtype, initializer, trainable=trainable
            )
        return self._kept[whole]

    def build(self, input_shape: Any) -> None:
        """Make the variables; those without any need not override this."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what the layer makes of its inputs."""
        return inputs

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self._set_scope(kwargs.pop("scope", None))
        with ExitStack() as stack:
            if are_kept():
                stack.enter_context(
                    scopes.variable_scope(
                        self._scope,
                        reuse=self.built or self._reuse,
                        auxiliary_name_scope=False,
                    )
                )
                assert self._scope is not None
                stack.enter_context(name_scope(self._name_scope()))
            return self._called(inputs, *args, **kwargs)

    def _called(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        given = nest.map_structure(_tensor, inputs)
        leaves: list[Any] = [x for x in nest.flatten(given) if isinstance(x, Operand)]
        if not self.built:
            if self._dtype is None and leaves:
                self._dtype = leaves[0].dtype
            self._check(leaves)
            shapes = nest.map_structure(_shape, given)
            with framework.init_scope():
                self.build(shapes)
            self.built = True
        self._check(leaves)
        outputs = self.call(given, *args, **kwargs)
        if self.activity_regularizer is not None:
            self.add_loss(self._activity_losses(outputs), inputs=given)
        return outputs

    def _activity_losses(self, outputs: Any) -> list[Any]:
        """Return what outputs cost, in the mean over the rows of a batch."""
        assert self.activity_regularizer is not None
        found = []
        with name_scope("ActivityRegularizer"):
            for x in nest.flatten(outputs):
                loss = self.activity_regularizer(x)
                rows = elementwise.cast(arrays.shape(x)[0], loss.dtype)
                found.append(elementwise.divide(loss, rows))
        return found

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the layer's output, as calling it does."""
        return self(inputs, *args, **kwargs)

    def _name_scope(self) -> str:
        """Return the name scope of the layer's operators, entered anew at each call."""
        assert self._scope is not None
        whole = self._scope.original_name_scope
        return whole or ""

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None or not are_kept():
            return
        if self._reuse:
            opened = scopes.variable_scope(
                scope if scope is not None else self._base_name
            )
        else:
            opened = scopes.variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def _check(self, inputs: list[Any]) -> None:
        specs = self.input_spec
        if specs is None:
            return
        listed = specs if isinstance(specs, (list, tuple)) else [specs]
        for place, (x, spec) in enumerate(zip(inputs, listed, strict=False)):
            wrong = _mismatch(spec, x)
            if wrong:
                raise ShapeError(
                    f"Input {place} of layer {self._name} is incompatible with the layer: {wrong}"
                )

    def count_params(self) -> int:
        """Return how many numbers the layer's variables have."""
        return sum(x.get_shape().num_elements() or 0 for x in self.weights)

    def get_config(self) -> dict[str, Any]:
        return {"name": self._name, "trainable": self.trainable}

    def __deepcopy__(self, memo: Any) -> Layer:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made


def _is_trained(made: Any) -> bool:
    """Return whether a variable is trained, or its parts: custom getters may let it be not so."""
    return all(getattr(x, "trainable", True) for x in getattr(made, "parts", [made]))


def follows(made: Any, inputs: list[Any]) -> bool:
    """Return whether a tensor or operation of a graph is computed from one of `inputs`."""
    wanted = {plain(x).node for x in inputs if isinstance(plain(x), SymbolicTensor)}
    waiting, seen = [getattr(made, "op", made)], set()
    while waiting:
        operation = waiting.pop()
        if operation.node in wanted:
            return True
        if operation.node not in seen:
            seen.add(operation.node)
            waiting += [x.op for x in operation.inputs]
    return False


def _tensor(x: Any) -> Any:
    if isinstance(x, (GraphTensor, Variable)) or x is None or not _is_value(x):
        return x
    return framework.convert_to_tensor(x)


def _is_value(x: Any) -> bool:
    return hasattr(x, "__array__") or isinstance(x, (int, float, list))


def _shape(x: Any) -> Any:
    shape = x.get_shape() if hasattr(x, "get_shape") else None
    if shape is None or active_graph() is None:
        return shape
    return TensorShape(None if shape.rank is None else shape.as_list())


def snake(name: str) -> str:
    """Return a class's name as layers are called: `conv2d` of `Conv2D`."""
    spaced = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    lower = re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{lower}" if lower[0] == "_" else lower


def unique_layer_name(base: str) -> str:
    """Return a name for a layer, unlike those of others of its graph: `dense_1`, then `dense_2`."""
    graph = active_graph()
    counts: dict[str, int] = (
        _eager_counts if graph is None else graph.scopes.setdefault("layers", {})
    )
    counts[base] = counts.get(base, 0) + 1
    return f"{base}_{counts[base]}"


_eager_counts: dict[str, int] = {}
