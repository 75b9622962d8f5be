"""Layer: what Keras' layers and models are made on. Symbolic calls are sketch.py's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from tensorlite.compat.v1.variables import Variable as GraphVariable
from tensorlite.compat.v2.framework import Module, Variable
from tensorlite.compat.v2.keras import (
    constraints,
    defaults,
    describing,
    in_graphs,
    initializers,
    lookup,
    masks,
    naming,
    regularizers,
    sketch,
)
from tensorlite.compat.v2.keras.input_spec import InputSpec as InputSpec
from tensorlite.core import nest
from tensorlite.core.dispatch import constant, interpreted_by, tracer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import TensorShape
from tensorlite.function.staging import converted
from tensorlite.ops.shape import astype
from tensorlite.ops.state import Variable as AnyVariable


class Calling(NamedTuple):
    """What layers that are called by another layer's call know of it."""

    training: Any = None


_calling: ContextVar[Calling | None] = ContextVar("keras_calling", default=None)


class Held:
    """The weights that a layer has made itself."""

    def __init__(self) -> None:
        self.weights: list[Any] = []
        self.regularized: list[tuple[Any, Callable[[Any], Any]]] = []
        self.added: list[Any] = []
        self.checked: dict[Any, bool] = {}


class Layer(Module):
    """A function with weights, which are made when it is first called.

    Subclasses make them in `build`, and compute in `call`.
    """

    supports_masking = False
    opens_scope = True
    _self_dtype: Any = None
    _held: Held
    _arguments: tuple[Any, Any]
    _first_weights: Any = None
    built: bool
    nodes: tuple[Any, ...]
    awaiting: tuple[Any, ...]
    input_spec: Any
    given_shape: Any
    built_shape: Any = None
    stateful: bool

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made._held = Held()
        made.built = False
        made._trainable = True
        made.input_spec = None
        made.nodes = ()
        made.stateful = False
        made.given_shape = None
        made._arguments = (args, kwargs)
        made.awaiting = ()
        return made

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        dynamic: bool = False,
        activity_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        self._name = name or naming.unique(naming.snake(type(self).__name__))
        self._trainable = trainable
        kind = getattr(dtype, "variable_dtype", dtype)
        self._self_dtype = defaults.kind_of(kind)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.given_shape = sketch.given_shape(kwargs)
        self._first_weights = kwargs.pop("weights", None)
        kwargs.pop("autocast", None)
        if kwargs:
            raise TypeError(
                f"{type(self).__name__}: unexpected arguments {sorted(kwargs)}"
            )

    @property
    def name(self) -> str:
        return getattr(self, "_name", "") or naming.snake(type(self).__name__)

    @property
    def dtype(self) -> Any:
        return (self._self_dtype or defaults.width()).name

    compute_dtype = variable_dtype = dtype

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        for layer in self.sublayers():
            layer.trainable = value

    def build(self, input_shape: Any) -> None:
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return inputs

    def add_weight(
        self,
        name: Any = None,
        shape: Any = (),
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = True,
        constraint: Any = None,
        **kwargs: Any,
    ) -> Any:
        if name is not None and not isinstance(name, str):
            name, shape = None, name  # Keras 3 has the shape first
        wanted = (
            self._self_dtype or defaults.width() if dtype is None else as_dtype(dtype)
        )
        sizes = [int(x) for x in TensorShape(shape)] if shape is not None else []
        kind = "glorot_uniform" if wanted.is_floating else "zeros"
        make = initializers.get(kind if initializer is None else initializer)
        whole = naming.prefixed(name or "Variable")
        graph = in_graphs.building.get()
        with interpreted_by(None) if graph is None else graph.building():
            made: Any = (Variable if graph is None else GraphVariable)(
                make(tuple(sizes), dtype=wanted),
                trainable=trainable is not False,
                name=whole,
                dtype=wanted,
                constraint=constraints.get(constraint),
            )
        self._held.weights.append(made)
        if regularizer is not None:
            self._held.regularized.append((made, regularizers.get(regularizer)))
        return made

    add_variable = add_weight

    def add_loss(self, losses: Any, **kwargs: Any) -> None:
        self._held.added += nest.flatten(losses)

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        raise InvalidArgumentError(
            "add_metric: keep a tf.keras.metrics object as an attribute, and update it in call"
        )

    @property
    def losses(self) -> list[Any]:
        found = [term(weight) for weight, term in self._held.regularized]
        found += [x() if callable(x) else x for x in self._held.added]
        return [*found, *[x for layer in self.sublayers() for x in layer.losses]]

    def _forget_losses(self) -> None:
        self._held.added = [x for x in self._held.added if callable(x)]
        for layer in self.sublayers():
            layer._forget_losses()  # noqa: SLF001  a layer as well

    def sublayers(self) -> list[Layer]:
        """Return the layers among the attributes, each once."""
        found: dict[int, Layer] = {}
        for value in list(vars(self).values()):
            for x in _leaves(value):
                if isinstance(x, Layer) and x is not self:
                    found.setdefault(id(x), x)
        return list(found.values())

    def own_weights(self) -> list[Any]:
        """Return the variables that this layer has made, then those among its attributes."""
        found = {id(x): x for x in self._held.weights}
        for value in list(vars(self).values()):
            for x in _leaves(value):
                if isinstance(x, AnyVariable):
                    found.setdefault(id(x), x)
        return list(found.values())

    @property
    def trainable_weights(self) -> Any:
        if not self.trainable:
            return []
        inner = [w for layer in self.sublayers() for w in layer.trainable_weights]
        own = [w for w in self.own_weights() if w.trainable]
        return once([*own, *inner])

    @property
    def non_trainable_weights(self) -> Any:
        own = [w for w in self.own_weights() if not (self.trainable and w.trainable)]
        if not self.trainable:
            inner = [w for layer in self.sublayers() for w in layer.weights]
        else:
            inner = [
                w for layer in self.sublayers() for w in layer.non_trainable_weights
            ]
        return once([*own, *inner])

    @property
    def weights(self) -> Any:
        return once([*self.trainable_weights, *self.non_trainable_weights])

    @property
    def variables(self) -> Any:
        return self.weights

    @property
    def trainable_variables(self) -> Any:
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> Any:
        return self.non_trainable_weights

    def get_weights(self) -> list[np.ndarray]:
        return [np.array(w.numpy()) for w in self.weights]

    def set_weights(self, weights: Any) -> None:
        own = self.weights
        if len(own) != len(weights):
            raise InvalidArgumentError(
                f'set_weights(weights) on layer "{self.name}" with a weight list of length '
                f"{len(weights)}, but the layer was expecting {len(own)} weights"
            )
        for variable, value in zip(own, weights, strict=True):
            variable.assign(np.asarray(value, variable.dtype.numpy))

    def saved_members(self) -> dict[str, Any]:
        """Return what is saved of the layer, by the names that Keras saves it under."""
        found = {
            key: value
            for key, value in vars(self).items()
            if not key.startswith("_") and key not in {"awaiting", "nodes"}
        }
        reached = {id(x) for value in found.values() for x in _leaves(value)}
        for weight in self._held.weights:
            if id(weight) not in reached:
                found[str(weight.name).removesuffix(":0").split("/", 1)[-1]] = weight
        return found

    def count_params(self) -> int:
        return sum(int(np.prod(tuple(w.shape))) for w in self.weights)

    def get_config(self) -> dict[str, Any]:
        own = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        maker = describing.maker_of(self, Layer)
        if maker is not None:
            own.update(describing.described(describing.given_arguments(self, maker)))
        return own

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        own = config
        if cls.__module__.startswith(describing.OURS):
            own = lookup.fitting(cls, config)
        return cls(**{key: describing.revived(value) for key, value in own.items()})

    def get_build_config(self) -> dict[str, Any] | None:
        return None if self.built_shape is None else {"input_shape": self.built_shape}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Make the weights for inputs of a shape that was kept, unless they are there."""
        shape = config.get("input_shape")
        if not self.built and shape is not None:
            self.build_with(describing.as_shapes(shape))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return mask if self.supports_masking else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        return sketch.output_shape(self, input_shape)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if sketch.is_symbolic([args, kwargs]):
            return sketch.record(self, args, kwargs)
        return self._applied(*args, **kwargs)

    @in_graphs.anywhere
    def _applied(self, *args: Any, **kwargs: Any) -> Any:
        around = _calling.get()
        if around is None:
            self._forget_losses()
        args = (self._as_inputs(args[0]), *args[1:]) if args else args
        kwargs = self._with_training(args, kwargs, around)
        if "mask" in kwargs and not self._takes("mask") and not self._takes("kwargs"):
            kwargs.pop("mask")
        mask = masks.of(args[0]) if args else None
        if mask is not None and self._takes("mask") and kwargs.get("mask") is None:
            kwargs["mask"] = mask
        first = args[0] if args else next(iter(kwargs.values()), None)
        self.build_for(first)
        token = _calling.set(Calling(kwargs.get("training", _training(around))))
        try:
            made = self._called(args, kwargs)
        finally:
            _calling.reset(token)
        return self._finished(made, first, mask)

    def _called(self, args: Any, kwargs: Any) -> Any:
        call = self.call if tracer() is None else converted(self.call)
        if not self.opens_scope:
            return call(*args, **kwargs)
        with naming.inside(self.name):
            return call(*args, **kwargs)

    def _finished(self, made: Any, first: Any, mask: Any) -> Any:
        if self.activity_regularizer is not None:
            for x in nest.flatten(made):
                self.add_loss(self.activity_regularizer(x))
        if mask is not None or isinstance(self, masks.Starting):
            masks.remember(made, self.compute_mask(first, mask))
        return made

    def _as_inputs(self, inputs: Any) -> Any:
        """Return inputs as tensors; arrays and floats of another width take the layer's dtype."""
        wanted = self._self_dtype or defaults.width()

        def one(x: Any) -> Any:
            if isinstance(x, (np.ndarray, np.generic, float, int)) and not isinstance(
                x, bool
            ):
                x = constant(np.asarray(x))
            if not isinstance(x, Operand):
                return x
            tensor = x.__tensor__()
            other = tensor.dtype.is_floating and tensor.dtype is not wanted
            return astype(tensor, wanted) if other else x

        if isinstance(inputs, list) and inputs and _is_value(inputs[0]):
            inputs = np.asarray(inputs)
        return nest.map_structure(one, inputs)

    def _with_training(self, args: Any, kwargs: Any, around: Calling | None) -> Any:
        if not self._takes("training"):
            if "training" in kwargs and not self._takes("kwargs"):
                kwargs = {k: v for k, v in kwargs.items() if k != "training"}
            return kwargs
        place = list(_parameters(type(self))).index("training")
        if len(args) > place or kwargs.get("training") is not None:
            return kwargs
        default = _parameters(type(self))["training"].default
        chosen = _training(around)
        if chosen is None:
            chosen = default if isinstance(default, bool) else False
        return {**kwargs, "training": chosen}

    def _takes(self, name: str) -> bool:
        return name in _parameters(type(self))

    def build_for(self, inputs: Any) -> None:
        """Make the weights for inputs like these, if they are not made yet."""
        if self.input_spec is not None:
            _check(self.input_spec, inputs, self.name)
        if self.built:
            return
        shapes = nest.map_structure(
            lambda x: x.get_shape() if hasattr(x, "get_shape") else TensorShape(()),
            inputs,
        )
        self.build_with(shapes)

    def build_with(self, shapes: Any) -> None:
        self.built_shape = describing.kept(shapes)
        with interpreted_by(None), naming.inside(self.name):
            self.build(shapes)
        self.built = True
        if getattr(self, "_first_weights", None) is not None:
            self.set_weights(self._first_weights)
            self._first_weights = None
        for restore in self.awaiting:
            restore.again()

    @property
    def input(self) -> Any:
        return self._node().inputs

    @property
    def output(self) -> Any:
        return self._node().outputs

    @property
    def input_shape(self) -> Any:
        return nest.map_structure(lambda x: tuple(x.shape), self.input)

    @property
    def output_shape(self) -> Any:
        return nest.map_structure(lambda x: tuple(x.shape), self.output)

    def _node(self) -> Any:
        if not self.nodes:
            raise AttributeError(
                f"the layer {self.name} has not been called on keras.Input yet, and thus has no "
                "defined input and output"
            )
        return self.nodes[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _training(around: Calling | None) -> Any:
    return None if around is None else around.training


_known: dict[Any, Any] = {}


def _parameters(kind: Any) -> Any:
    """Return the parameters of a layer's `call`, without self."""
    call = kind.call
    found = _known.get(call)
    if found is None:
        inner = getattr(call, "python_function", call)
        own = list(inspect.signature(inner).parameters.items())[1:]
        found = _known[call] = dict(own)
    return found


def _check(spec: Any, inputs: Any, name: str) -> None:
    pairs = zip(nest.flatten(spec), nest.flatten(inputs), strict=False)
    for one, x in pairs:
        if hasattr(x, "shape") and x.get_shape().rank is not None:
            one.check(x, name)


def _is_value(x: Any) -> bool:
    if isinstance(x, list):
        return bool(x) and _is_value(x[0])
    return isinstance(x, (int, float, str, bytes, np.generic))


def _leaves(value: Any) -> Iterator[Any]:
    """Yield what lists, tuples and dicts hold, at any depth."""
    if isinstance(value, (list, tuple)):
        for x in value:
            yield from _leaves(x)
    elif isinstance(value, dict):
        for x in value.values():
            yield from _leaves(x)
    else:
        yield value


def once(values: list[Any]) -> list[Any]:
    """Return what a list holds, each object once."""
    return list({id(x): x for x in values}.values())
