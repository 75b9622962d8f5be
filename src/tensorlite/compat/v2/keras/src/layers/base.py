"""Layer: what Keras' layers and models are made on. Symbolic calls are src/models/sketch.py's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.v2.framework import Module
from tensorlite.compat.v2.keras import (
    constraints,
    dtype_policies,
    initializers,
    regularizers,
)
from tensorlite.compat.v2.keras.src.layers import (
    autocast,
    masks,
    naming,
    penalties,
    ragged_rows,
)
from tensorlite.compat.v2.keras.src.layers.arguments import (
    Arguments,
    build_parameters,
)
from tensorlite.compat.v2.keras.src.layers.foretelling import Foretelling, shapes_of
from tensorlite.compat.v2.keras.src.layers.input_spec import (
    InputSpec as InputSpec,
    check_inputs,
)
from tensorlite.compat.v2.keras.src.layers.older import OlderLayer
from tensorlite.compat.v2.keras.src.layers.own_weights import (
    Held,
    LayerWeights,
    leaves,
)
from tensorlite.compat.v2.keras.src.layers.phases import Calling, surrounding
from tensorlite.compat.v2.keras.src.layers.views import Views
from tensorlite.compat.v2.keras.src.layers.weights import Weight, joining
from tensorlite.compat.v2.keras.src.models import (
    histories,
    in_graphs,
    in_sessions,
    sketch,
)
from tensorlite.compat.v2.keras.src.saving import (
    describing,
    lookup,
    older_configs,
    saved_ways,
)
from tensorlite.compat.v2.keras.src.trainers.fitting import filled
from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by, tracer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.shapes import AnyShape, TensorShape
from tensorlite.function.staging import converted
from tensorlite.graph_mode.partitioned import PartitionedVariable
from tensorlite.ops.ragged.base import RaggedParts

_NOT_SAVED = frozenset({"awaiting", "nodes", "seed_generator"})
"""Attributes that checkpoints do not have, nor those of Keras 3."""


class Layer(Arguments, Foretelling, LayerWeights, OlderLayer, Views, Module):
    """A function with weights, which are made when it is first called.

    Subclasses make them in `build`, and compute in `call`.
    """

    supports_masking = False
    starts_masks = False
    """Whether its results may have a mask though its inputs have none."""
    masks_jointly = False
    """Whether a call may remember its results' mask itself."""
    rows_taken: str | None = None
    """How its call takes rows of different lengths: by their "elements", or "filled" up."""
    nothing: Any = 0
    """What rows are filled up with."""
    return_sequences: Any = False
    keeps_sparse = False
    """Whether it is given sparse tensors as they are, as layers of programs' own are."""
    opens_scope = True
    is_called_by_program = False
    """Whether its call is a program's own."""
    tells_penalty = True
    """Whether its configuration has the regularizer of what it returns."""
    dtype_policy: Any = None
    _first_weights: Any = None
    built: bool
    nodes: tuple[Any, ...]
    awaiting: tuple[Any, ...]
    input_spec: Any
    given_shape: Any
    built_shape: Any = None
    was_called = is_told_dtype = False
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

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.is_called_by_program = not describing.is_ours(cls.call)
        if cls.is_called_by_program:
            cls.asks_phase = False
        if not describing.is_ours(cls):
            cls.keeps_sparse = True
            if "compute_output_spec" in vars(cls):
                cls.tells_spec = True
            if "compute_output_shape" in vars(cls):
                cls.tells_shape = True
            if "compute_mask" in vars(cls):
                cls.supports_masking = cls.starts_masks = True
        elif "get_config" in vars(cls):
            type.__setattr__(cls, "get_config", _told(vars(cls)["get_config"]))
        if "build" in vars(cls):
            type.__setattr__(cls, "build", _building(vars(cls)["build"]))

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
        self._trainable, self.runs_anew = trainable, dynamic
        self.dtype_policy = dtype_policies.get(dtype)
        self.is_told_dtype = dtype is not None
        self.autocast = kwargs.pop("autocast", self.autocast)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.given_shape = sketch.given_shape(kwargs)
        self._first_weights = kwargs.pop("weights", None)
        self.built = type(self).build is Layer.build and describing.is_ours(
            type(self)
        )
        if kwargs:
            raise TypeError(
                f"{type(self).__name__}: unexpected arguments {sorted(kwargs)}"
            )

    @property
    def name(self) -> str:
        """The layer's name, `dense_1`."""
        return getattr(self, "_name", "") or naming.snake(type(self).__name__)

    @property
    def dtype(self) -> str:
        """The dtype of weights."""
        return self.policy_used().variable_dtype

    variable_dtype = dtype

    @property
    def compute_dtype(self) -> str:
        """The name of the dtype in which the layer computes."""
        return self.policy_used().compute_dtype

    def policy_used(self) -> dtype_policies.DTypePolicy:
        """Return the policy of dtypes: its own, or what is usual."""
        return self.dtype_policy or dtype_policies.dtype_policy()

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the weights; classes take the shapes of what they will be called with."""
        self.built = True

    def note_built(self) -> None:
        """Do nothing: classes do here what waits for the weights."""

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
        autocast: bool = True,
        **kwargs: Any,
    ) -> Any:
        """Return a new weight of the layer, its name below the layer's.

        The initializer is "glorot_uniform" if None, "zeros" for what is not floating. A shape may
        also come first. Of further arguments synchronization and aggregation say what strategies
        do with the copies of replicas.
        """
        if name is not None and not isinstance(name, str):
            name, shape = None, name  # Keras 3 has the shape first
        wanted = as_dtype(self.variable_dtype if dtype is None else dtype)
        sizes = [int(x) for x in TensorShape(shape)] if shape is not None else []
        kind = "glorot_uniform" if wanted.is_floating else "zeros"
        make = initializers.get(kind if initializer is None else initializer)
        own = name or naming.of_weight()
        first = partial(make, tuple(sizes), dtype=wanted)
        told: dict[str, Any] = {
            "trainable": trainable is not False,
            "dtype": wanted,
            "constraint": constraints.get(constraint),
        }
        graph = in_sessions.graph_of_models()
        if graph is None:
            kind = self.__kind_of_weight(wanted, autocast)
            told |= joining(**kwargs)
            with interpreted_by(None):
                made: Any = kind(first(), name=naming.prefixed(own), **told)
        else:
            inside = in_graphs.building.get() is not None
            with in_sessions.in_graph_of_models(graph), graph.building():
                name = own if inside else f"{naming.prefixed(own)}"
                made = in_sessions.weight(first, name=name, **told)
        parts = made.parts if isinstance(made, PartitionedVariable) else [made]
        self._held.weights.extend(parts)
        if trainable is False:
            self._held.untrained.update(map(id, parts))
        if regularizer is not None:
            self._held.regularized.append((made, regularizers.get(regularizer)))
        return made

    add_variable = add_weight

    def __kind_of_weight(self, dtype: Any, is_cast: bool) -> Any:
        mixed = self.compute_dtype != self.variable_dtype and dtype.is_floating
        cast = is_cast and self.autocast and mixed
        return autocast.CastVariable if cast else Weight

    @property
    def losses(self) -> list[Any]:
        """The penalties of regularizers, and what add_loss was given."""
        found: list[Any] = in_graphs.in_default(penalties.of, self)
        return found

    def forget_losses(self) -> None:
        """Drop the tensors that calls have added to what the layer costs."""
        self._held.added = [x for x in self._held.added if callable(x)]
        for layer in self.sublayers():
            layer.forget_losses()

    def members(self) -> dict[str, Any]:
        """Return what the layer holds, by the names that programs use."""
        return dict(vars(self))

    def saved_members(self) -> dict[str, Any]:
        """Return what is saved of the layer, by the names that Keras saves it under."""
        found = {
            key: value
            for key, value in self.members().items()
            if not key.startswith("_") and key not in _NOT_SAVED
        }
        reached = {id(x) for value in found.values() for x in leaves(value)}
        for weight in self._held.weights:
            if id(weight) not in reached:
                found[weight.path.split("/", 1)[-1]] = weight
        return found | saved_ways.of_layer(found)

    def as_version_1(self, config: dict[str, Any]) -> dict[str, Any]:
        """Return a configuration of the layer as TensorFlow 1.15 has it."""
        return older_configs.of_layer(self, config)

    def get_config(self) -> dict[str, Any]:
        own = {"name": self.name, "trainable": self.trainable}
        own["dtype"] = dtype_policies.serialize(self.policy_used())
        maker = describing.maker_of(self, Layer)
        if maker is not None:
            own.update(
                describing.described(describing.given_arguments(self, maker, Layer))
            )
        if self.activity_regularizer is not None and self.tells_penalty:
            told = describing.described(self.activity_regularizer)
            own["activity_regularizer"] = told
        elif naming.is_keras_3():
            own.pop("activity_regularizer", None)
        return own

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        own = config
        if cls.__module__.startswith(describing.OURS):
            own = lookup.fitting(cls, config)
        return cls(**{key: describing.revived(value) for key, value in own.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if getattr(value, "holds_resources", None) is False:  # one of tf.layers
            value.holds_resources = True

    def copied(self) -> Any:
        """Return a layer like this one, with weights of its own."""
        return type(self).from_config(self.get_config())

    def get_build_config(self) -> dict[str, Any] | None:
        """Return the shape that the layer was built for, by "input_shape", or None."""
        return None if self.built_shape is None else {"input_shape": self.built_shape}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Make the weights for inputs of a shape that was kept, unless they are there."""
        shape = config.get("input_shape")
        if self.built or shape is None:
            return
        shapes = describing.as_shapes(shape)
        if isinstance(shapes, dict) and len(build_parameters(type(self))) > 1:
            self.build_with(**shapes)
        else:
            self.build_with(shapes)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return mask if self.supports_masking else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        return sketch.output_shape(self, input_shape)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        """Return the specs of what a call would return, without computing it."""
        told = self.specs_by_shape(args, kwargs) if self.tells_shape else None
        return sketch.output_spec(self, args, kwargs, told)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple([[*x] if isinstance(x, nest.VIEWS) else x for x in args])
        args, kwargs = histories.recovered((args, kwargs))
        if sketch.is_symbolic([args, kwargs]):
            return histories.shown(histories.record(self, args, kwargs))
        return self._applied(*args, **kwargs)

    @in_graphs.anywhere
    def _applied(self, *args: Any, **kwargs: Any) -> Any:
        if not self.keeps_sparse:
            args, kwargs = filled(args), filled(kwargs)
        around = surrounding.get()
        is_first = around is None or not around.is_layer
        if is_first and (naming.is_keras_3() or not in_graphs.building.get()):
            self.forget_losses()
        self.take_dtype(args, kwargs)
        args, kwargs = self.as_tensors(args, kwargs)
        calling = Calling(self.told_inside(args, kwargs, around))
        kwargs = self.with_training(args, kwargs, around)
        first = self.first_given(args, kwargs)
        told = self.given(args, kwargs, "mask")
        mask = masks.of(first) if told is None else told
        if told is not None and not self.takes("mask") and not self.takes("kwargs"):
            kwargs.pop("mask")
        kwargs = self.with_masks(args, kwargs)
        with in_graphs.inside(self.name):
            self.build_called(args, kwargs)
            token = surrounding.set(calling)
            try:
                made = self.__called(args, kwargs)
            finally:
                surrounding.reset(token)
            return self.__finished(made, first, mask)

    def __called(self, args: Any, kwargs: Any) -> Any:
        call = self.call if tracer() is None else converted(self.call)
        if self.is_called_by_program:
            call = in_graphs.of_program(call)
        elif self.rows_taken is not None and ragged_rows.are_in(args):
            call = self._on_rows(call)
        with self.__reading():
            if not self.opens_scope:
                return call(*args, **kwargs)
            with naming.inside(self.name):
                return call(*args, **kwargs)

    def _on_rows(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call that takes rows of different lengths."""
        if self.rows_taken == "elements":
            return ragged_rows.by_elements(call)
        return ragged_rows.filled_up(call, self.nothing, self.return_sequences)

    def __reading(self) -> AbstractContextManager[None]:
        """Return in what weights are read as the layer computes."""
        mixed = self.compute_dtype != self.variable_dtype
        if not (mixed or autocast.is_asked()):
            return nullcontext()
        wanted = as_dtype(self.compute_dtype)
        return autocast.to(wanted if self.autocast and wanted.is_floating else None)

    def __finished(self, made: Any, first: Any, mask: Any) -> Any:
        if self.activity_regularizer is not None:
            results = nest.flatten(made)
            for loss in penalties.of_results(self.activity_regularizer, results):
                self.add_loss(loss)
        if isinstance(made, RaggedParts):
            return made
        is_remembered = self.masks_jointly and masks.of(made) is not None
        if (mask is not None or self.starts_masks) and not is_remembered:
            masks.remember(made, self.compute_mask(first, mask))
        return made

    def build_called(self, args: Any, kwargs: Any) -> None:
        """Make the weights for a call like this, if they are not made yet."""
        names = [x for x in build_parameters(type(self)) if x.endswith("_shape")]
        if len(names) < 2 or self.built:
            self.build_for(self.first_given(args, kwargs))
            return
        self.build_with(**self.named_shapes(args, kwargs, names))

    def build_for(self, inputs: Any) -> None:
        """Make the weights for inputs like these, if they are not made yet."""
        if self.input_spec is not None:
            check_inputs(self.input_spec, inputs, self.name)
        self.was_called = True
        if self.built:
            return
        self.build_with(shapes_of(inputs))

    def build_with(self, *shapes: Any, **named: Any) -> None:
        """Build the layer for shapes, then give weights what waits for them."""
        self.built_shape = describing.kept(shapes[0] if shapes else named)
        self.build(*shapes, **named)
        self.built = True
        if getattr(self, "_first_weights", None) is not None:
            given = self._first_weights
            self.set_weights(given if isinstance(given, (list, tuple)) else [given])
            self._first_weights = None
        for restore in self.awaiting:
            restore.again()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _as_program_sees(shape: Any) -> Any:
    """Return shapes with sizes of the kind that programs of this process expect."""
    if isinstance(shape, AnyShape):
        return as_shape(shape.known())
    if isinstance(shape, list):
        return [_as_program_sees(x) for x in shape]
    return shape


_telling: ContextVar[frozenset[int]] = ContextVar("telling", default=frozenset())
"""The layers whose configurations are being made."""


def _told(get_config: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that tells a configuration in the form of the version of a program.

    Where methods call one another the outermost of Keras' own gives it its form.
    """

    @wraps(get_config)
    def made(self: Layer) -> Any:
        others = _telling.get()
        if not naming.is_version_1() or id(self) in others:
            return get_config(self)
        token = _telling.set(others | {id(self)})
        try:
            found = get_config(self)
        finally:
            _telling.reset(token)
        return self.as_version_1(found)

    return made


def _building(build: Callable[..., None]) -> Callable[..., None]:
    """Let weights that a method makes bear the layer's name, and the layer be built then."""
    of_program = not describing.is_ours(build)

    @wraps(build)
    def made(self: Layer, *args: Any, **kwargs: Any) -> None:
        scope = naming.inside(self.name) if self.opens_scope else nullcontext()
        if self.built_shape is None:
            self.built_shape = describing.kept(args[0] if args else kwargs)
        with interpreted_by(None), scope:
            self.note_path()
            if of_program:
                args = tuple(_as_program_sees(x) for x in args)
                kwargs = {key: _as_program_sees(x) for key, x in kwargs.items()}
            build(self, *args, **kwargs)
        self.built = True
        self.note_built()

    return made


type.__setattr__(Layer, "get_config", _told(Layer.get_config))
