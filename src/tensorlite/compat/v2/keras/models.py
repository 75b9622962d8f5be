"""tf.keras.models: Model, by its layers' calls or by a class of one's own, and Sequential."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tensorlite.compat.v2.keras import (
    describing,
    graphs,
    lambdas,
    lookup,
    naming,
    saved_ways,
    saving,
    sketch,
    summaries,
)
from tensorlite.compat.v2.keras.base_layer import Layer, once
from tensorlite.compat.v2.keras.fitting import fitted
from tensorlite.compat.v2.keras.layers_core import InputLayer
from tensorlite.compat.v2.keras.training import Training
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import TensorSpec


class Model(Training, Layer):
    """Layers that are trained together.

    With inputs and outputs it does what was called between them; a class of one's own has `call`.
    """

    _plan: Any
    first_inputs: Any = None
    """Specs of what it was called with first."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        joined = len(args) > 1 or "outputs" in kwargs
        kind = Functional if cls is Model and joined else cls
        made = super().__new__(kind, *args, **kwargs)
        made._plan = None
        return made

    def __init__(
        self,
        inputs: Any = None,
        outputs: Any = None,
        name: str | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        if isinstance(inputs, str) and outputs is None and name is None:
            inputs, name = None, inputs
        if name is None and type(self) is Functional:
            name = naming.of_model()
        super().__init__(trainable=trainable, name=name, **kwargs)
        if (inputs is None) != (outputs is None):
            raise InvalidArgumentError(
                f"{type(self).__name__} is given {'outputs' if inputs is None else 'inputs'} "
                "alone: give inputs and outputs, or neither to a model that has a call of its own"
            )
        if inputs is not None:
            self._join(inputs, outputs)

    def _join(self, inputs: Any, outputs: Any) -> None:
        """Let the model do what was called between inputs and outputs."""
        self.inputs = nest.flatten(inputs)
        self.outputs = nest.flatten(outputs)
        self._input_form, self._output_form = inputs, outputs
        is_alone = isinstance(outputs, list) and len(outputs) == 1
        self._result_form = outputs[0] if is_alone else outputs
        self._plan = sketch.needed(outputs, self.inputs)
        self.opens_scope = False
        self.built = True
        self.input_names = [x.name for x in self.inputs]
        self.output_names = [_title(x) for x in self.outputs]
        layers = sketch.by_depth(outputs, self.inputs)
        self._functional_layers = [x for x in layers if isinstance(x, Layer)]

    def inputs_known(self) -> bool:
        """Return whether it is known what the model takes."""
        return getattr(self, "inputs", None) is not None

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if self._plan is None:
            raise NotImplementedError(
                "When subclassing the `Model` class, you should implement a `call()` method."
            )
        given = self._flat_inputs(inputs)
        for x, y in zip(self.inputs, given, strict=True):
            if y is None and not getattr(x.node.layer, "optional", False):
                raise InvalidArgumentError(
                    f'the input "{x.name}" of the model "{self.name}" is not optional, and None '
                    "was given for it"
                )
        values = {
            id(x): fitted(y, x) for x, y in zip(self.inputs, given, strict=True)
        }
        return sketch.replayed(self._plan, values, self._result_form)

    def _flat_inputs(self, inputs: Any) -> list[Any]:
        if isinstance(inputs, dict):
            if isinstance(self._input_form, dict):
                return [inputs[key] for key in sorted(self._input_form)]
            return [inputs[name] for name in self.input_names]
        given = nest.flatten(inputs)
        if len(given) != len(self.inputs):
            raise InvalidArgumentError(
                f'the model "{self.name}" takes {len(self.inputs)} inputs; {len(given)} were given'
            )
        return given

    def build(self, input_shape: Any) -> None:
        """Make the weights, by calling the model on inputs of a shape."""
        if self._plan is not None or type(self).call is Model.call:
            self.built = True
            return
        many = isinstance(input_shape, list) or (
            isinstance(input_shape, tuple)
            and bool(input_shape)
            and isinstance(input_shape[0], (tuple, AnyShape))
        )
        shapes = list(input_shape) if many else [input_shape]
        self.built = True
        made = [sketch.placed_input(shape) for shape in shapes]
        sketch.record(self, (made if many else made[0],), {})

    def note_inputs(self, inputs: Any) -> None:
        """Keep what the model is called with first, batches of any size."""
        if self.first_inputs is None and not sketch.is_symbolic(inputs):
            given = self.as_inputs(inputs)
            self.first_inputs = nest.map_structure(
                lambda x: (
                    None
                    if x is None
                    else TensorSpec((None, *plain(x.get_shape())[1:]), x.dtype)
                ),
                given,
            )

    def build_for(self, inputs: Any) -> None:
        self.note_inputs(inputs)
        if not self.built and type(self).build is Model.build:
            self.built = True  # the layers are built as they are called
            self.built_shape = describing.kept(
                nest.map_structure(lambda x: x.get_shape(), self.as_inputs(inputs))
            )
            return
        super().build_for(inputs)

    @property
    def layers(self) -> list[Any]:
        if self._plan is not None:
            return list(self._functional_layers)
        return self.sublayers()

    def saved_members(self) -> dict[str, Any]:
        found = super().saved_members()
        for key in (
            "inputs",
            "outputs",
            "history",
            "compiled_loss",
            "compiled_metrics",
        ):
            found.pop(key, None)
        layers = self.layers
        with_weights = [layer for layer in layers if layer.weights]
        found.update({f"layer-{i}": x for i, x in enumerate(layers)})
        found.update(
            {f"layer_with_weights-{i}": x for i, x in enumerate(with_weights)}
        )
        return found | saved_ways.of_model(layers, isinstance(self, Sequential))

    @property
    def weights(self) -> Any:
        inner = [w for layer in self.sublayers() for w in layer.weights]
        found = once([*self.own_weights(), *inner])
        if not found and not self._is_made():
            raise InvalidArgumentError(
                f"Weights for model {self.name} have not yet been created. Weights are created "
                "when the Model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )
        return found

    def _is_made(self) -> bool:
        return self.built

    @property
    def input(self) -> Any:
        return self._input_form if self._plan is not None else super().input

    @property
    def output(self) -> Any:
        return self._output_form if self._plan is not None else super().output

    @property
    def state_updates(self) -> list[Any]:
        return []

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise InvalidArgumentError(
            f"No such layer: {name}. Existing layers are: {[x.name for x in self.layers]}."
        )

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        **kwargs: Any,
    ) -> None:
        (print_fn or print)(summaries.summary(self, line_length, positions, kwargs))

    def save_weights(
        self, filepath: Any, overwrite: bool = True, **kwargs: Any
    ) -> None:
        saving.save_weights(self, filepath, overwrite)

    def load_weights(
        self, filepath: Any, by_name: bool = False, **kwargs: Any
    ) -> Any:
        skip = bool(kwargs.get("skip_mismatch"))
        return saving.load_weights(self, filepath, by_name, skip)

    def save(self, filepath: Any, overwrite: bool = True, **kwargs: Any) -> None:
        saving.save_model(self, filepath, overwrite, kwargs.get("save_format"))

    def save_spec(self) -> Any:
        """Return what it is called with, batches of any size; None before that is known."""
        specs = saving.inputs_of(self)
        if specs is None:
            return None
        return ([specs] if isinstance(specs, TensorSpec) else specs), {}

    def export(self, filepath: Any, **kwargs: Any) -> None:
        saving.export(self, filepath)

    @property
    def is_made_of_layers(self) -> bool:
        """Return whether its layers say what the model is."""
        return self._plan is not None

    @property
    def described_as(self) -> tuple[str, str]:
        """Return where Keras has the class, and under which name."""
        kind = type(self)
        if kind is Functional:
            return "keras.src.models.functional", "Functional"
        return describing.namespace_of(kind), kind.__name__

    def get_config(self) -> dict[str, Any]:
        if self._plan is not None and type(self).__init__ is Model.__init__:
            return graphs.config_of(self)
        return super().get_config()

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        with lookup.adding(custom_objects):
            if "input_layers" in config:
                return graphs.remade(cls, config)
            return super().from_config(config)

    def to_json(self, **kwargs: Any) -> str:
        return json.dumps(describing.plain(describing.description(self)), **kwargs)

    def reset_states(self) -> None:
        for layer in self.layers:
            if hasattr(layer, "reset_states"):
                layer.reset_states()


class Functional(Model):
    """A model that does what was called between its inputs and its outputs."""


class Sequential(Model):
    """Layers one after the other."""

    opens_scope = False

    def __init__(
        self,
        layers: Sequence[Any] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.opens_scope = naming.is_keras_3()
        self._chain: list[Any] = []
        self._tip: Any = None
        self.inputs: Any = None
        for layer in layers or ():
            self._append(layer)
        self._count()

    def _count(self) -> None:
        """Let the names of models go on: what layers make together is one, in Keras 3."""
        if naming.is_keras_3() and self._tip is not None and self._chain:
            naming.of_model()

    def add(self, layer: Any) -> None:
        self._append(layer)
        self._count()

    def _append(self, layer: Any) -> None:
        if sketch.is_leaf(layer):
            layer = layer.node.layer
        if not isinstance(layer, Layer):
            if not callable(layer):
                raise TypeError(
                    f"The added layer must be an instance of class Layer. Received: {layer!r}"
                )
            layer = _Function(layer)
        if isinstance(layer, InputLayer):
            self._begin(layer.output)
            return
        if self._tip is None and not self._chain:
            shape = getattr(layer, "given_shape", None)
            if shape is None and isinstance(layer, Model) and layer.inputs_known():
                shape = tuple(layer.inputs[0].shape)
            if shape is not None:
                self._begin(sketch.placed_input(shape, layer=InputLayer.silent()))
        self._chain.append(layer)
        self._extend(layer)

    def _begin(self, tensor: Any) -> None:
        self.inputs, self._tip = [tensor], tensor
        self.input_names = [tensor.name]

    def _extend(self, layer: Any) -> None:
        """Go on from what is there with a layer, if it is known what that is."""
        if self._tip is None:
            return
        with naming.inside(self.name) if self.opens_scope else nullcontext():
            self._tip = layer(self._tip)
        self.outputs = nest.flatten(self._tip)
        self.output_names = [_title(x) for x in self.outputs]
        self.built = True

    def pop(self) -> Any:
        layer = self._chain.pop()
        if self.inputs is not None:
            self._tip = self.inputs[0] if not self._chain else self._chain[-1].output
            self.outputs = nest.flatten(self._tip)
        return layer

    @property
    def layers(self) -> list[Any]:
        return list(self._chain)

    def sublayers(self) -> list[Any]:
        return once(self._chain)

    @property
    def input(self) -> Any:
        return self.inputs[0] if self.inputs is not None else super().input

    @property
    def output(self) -> Any:
        return self._tip if self._tip is not None else super().output

    def build(self, input_shape: Any = None) -> None:
        if self.inputs is None and input_shape is not None:
            self._begin(sketch.placed_input(input_shape, layer=InputLayer.silent()))
            for layer in self._chain:
                self._extend(layer)
            self._count()
        self.built = True

    def build_for(self, inputs: Any) -> None:
        self.note_inputs(inputs)
        if not self.built and naming.is_keras_3():
            naming.of_model()
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made = fitted(inputs, self.inputs[0]) if self.inputs else inputs
        for layer in self._chain:
            made = layer(made)
        return made

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        found = self.predict(x, batch_size=batch_size, verbose=verbose)
        many = found.shape[-1] > 1
        return found.argmax(axis=-1) if many else (found > 0.5).astype("int32")

    @property
    def is_made_of_layers(self) -> bool:
        return True

    def get_config(self) -> dict[str, Any]:
        layers = [describing.description(x) for x in self.layers]
        made = {"name": self.name, "trainable": self.trainable, "layers": layers}
        if self.inputs is not None:
            shape = list(self.inputs[0].shape)
            config = {
                "batch_shape": shape,
                "dtype": self.inputs[0].dtype.name,
                "name": self.inputs[0].name,
            }
            first = {
                "module": "keras.layers",
                "class_name": "InputLayer",
                "config": config,
                "registered_name": None,
            }
            made = {**made, "layers": [first, *layers], "build_input_shape": shape}
        return made

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        with lookup.adding(custom_objects):
            layers = [describing.restored(x) for x in config["layers"]]
        made = cls(layers, name=config.get("name"))
        shape = config.get("build_input_shape")
        if made.inputs is None and shape is not None:
            made.build(tuple(shape))
        return made


class _Function(Layer):
    """A function among the layers of a Sequential."""

    def __init__(self, function: Any) -> None:
        super().__init__(name=getattr(function, "__name__", None))
        self._function = function

    def call(self, inputs: Any) -> Any:
        return self._function(inputs)


def _title(x: Any) -> str:
    return str(getattr(x.node.layer, "name", x.name))


def load_model(
    filepath: Any,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    options: Any = None,
) -> Any:
    with lookup.adding(custom_objects), lambdas.safe_mode(safe_mode):
        return saving.load_model(filepath, compile)


def save_model(
    model: Any, filepath: Any, overwrite: bool = True, **kwargs: Any
) -> None:
    model.save(filepath, overwrite, **kwargs)


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    return model_from_config(json.loads(json_string), custom_objects)


def model_from_config(config: Any, custom_objects: Any = None) -> Any:
    with lookup.adding(custom_objects):
        return describing.restored(config)


def clone_model(
    model: Any,
    input_tensors: Any = None,
    clone_function: Any = None,
    **kwargs: Any,
) -> Any:
    again = clone_function or (
        lambda layer: type(layer).from_config(layer.get_config())
    )
    if isinstance(model, Sequential):
        made = type(model)([again(x) for x in model.layers], name=model.name)
        if model.inputs is not None and made.inputs is None:
            made.build(tuple(model.inputs[0].shape))
        return made
    if not model.is_made_of_layers:
        return again(model)
    return graphs.copied(model, again, input_tensors)
