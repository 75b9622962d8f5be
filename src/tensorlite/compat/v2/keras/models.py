"""tf.keras.models: Sequential, and models from files, descriptions and other models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import naming, phases
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.input import InputLayer, described_input
from tensorlite.compat.v2.keras.src.layers.own_weights import once
from tensorlite.compat.v2.keras.src.models import (
    graphs,
    histories,
    in_sessions,
    sketch,
)
from tensorlite.compat.v2.keras.src.models.base import (
    Functional as Functional,
    Model as Model,
    title_of,
)
from tensorlite.compat.v2.keras.src.saving import (
    describing,
    lambdas,
    lookup,
    older_files,
    revived,
)
from tensorlite.compat.v2.keras.src.trainers.fitting import fitted, picked
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor


class Sequential(Model):
    """Layers one after the other."""

    opens_scope = False
    is_chain = True

    is_built_on_request = False
    """Whether no layer said what it is given."""

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
        self.starts: Any = None
        is_single = isinstance(layers, Layer) and not naming.is_keras_3()
        for layer in [layers] if is_single else layers or ():
            self._append(layer)
        self._count()

    def _count(self) -> None:
        """Let the names of models go on: what layers make together is one, in Keras 3."""
        if naming.is_keras_3() and self._tip is not None and self._chain:
            naming.of_model()

    def add(self, layer: Any) -> None:
        """Put a layer at the end."""
        self._append(layer)
        self._count()

    def _append(self, layer: Any) -> None:
        layer = histories.recovered(layer)
        if sketch.is_leaf(layer):
            layer = layer.node.layer
        if not isinstance(layer, Layer):
            if not callable(layer):
                raise TypeError(
                    f"The added layer must be an instance of class Layer. Received: {layer!r}"
                )
            layer = _Function(layer)
        if isinstance(layer, InputLayer):
            self._begin(layer.kept)
            return
        if self._tip is None and not self._chain:
            shape = getattr(layer, "given_shape", None)
            if shape is None and isinstance(layer, Model) and layer.inputs_known():
                shape = tuple(layer.starts[0].spec.shape)
            if shape is not None:
                name = None if naming.is_keras_3() else f"{_first_of(layer)}_input"
                silent = InputLayer.silent()
                self._begin(histories.placed_input(shape, name=name, layer=silent))
        self._chain.append(layer)
        self._extend(layer)

    def _begin(self, tensor: Any) -> None:
        phases.keep(self)
        self.starts, self._input_form, self._tip = [tensor], tensor, tensor
        self.input_names = [tensor.name]

    def _extend(self, layer: Any) -> None:
        """Go on from what is there with a layer, if it is known what that is."""
        if self._tip is None:
            return
        with naming.inside(self.name) if self.opens_scope else nullcontext():
            self._tip = histories.recovered(layer(self._tip))
        self.ends = nests.flatten(self._tip)
        self.output_names = [title_of(x) for x in self.ends]
        self.built = True

    def pop(self) -> Any:
        """Take the last layer away and return it."""
        layer = self._chain.pop()
        if self.starts is not None:
            self._tip = (
                self.starts[0]
                if not self._chain
                else self._chain[-1].nodes[0].outputs
            )
            self.ends = nests.flatten(self._tip)
        return layer

    @property
    def layers(self) -> list[Any]:
        """The layers in their order."""
        return list(self._chain)

    @layers.setter
    def layers(self, _: Any) -> None:
        """Refuse: layers are added and taken away one by one."""
        raise AttributeError(
            "`Sequential.layers` attribute is reserved and should not be used. Use `add()` and "
            "`pop()` to change the layers in this model."
        )

    def sublayers(self) -> list[Any]:
        """Return the layers, each once."""
        return once(self._chain)

    @property
    def input(self) -> Any:
        """The symbolic tensor that the model begins with."""
        if self.starts is None:
            return super().input
        return histories.shown(self.starts[0])

    @property
    def output(self) -> Any:
        """The symbolic tensor that the model ends with."""
        return super().output if self._tip is None else histories.shown(self._tip)

    def build(self, input_shape: Any = None) -> None:
        if self.starts is None and input_shape is not None:
            self.is_built_on_request = True
            self._begin(
                histories.placed_input(input_shape, layer=InputLayer.silent())
            )
            for layer in self._chain:
                self._extend(layer)
            self._count()
        self.built = True

    def build_for(self, inputs: Any) -> None:
        """Make layers' weights for inputs like these, if they are not made yet."""
        self.note_inputs(inputs)
        if not self.built and in_sessions.graph_of_models() is None:
            self._begin_with(inputs)
        self.built = True

    def _begin_with(self, inputs: Any) -> None:
        """Let what the model is first called with say what it is given."""
        if self.starts is None:
            self.opens_scope = True  # in Keras 2, too, where no shape was given
        self.is_built_on_request = self.starts is None
        if self.starts is not None or not isinstance(inputs, Tensor):
            naming.of_model()
            return
        first = inputs.get_shape().known()
        states = any(getattr(layer, "stateful", False) for layer in self._chain)
        if first and tracer() is not None and not states:
            first = (None, *first[1:])
        self._begin(
            histories.placed_input(first, inputs.dtype, layer=InputLayer.silent())
        )
        for layer in self._chain:
            self._extend(layer)
        self._count()
        self.forget_losses()  # those that were noted on the way

    @phases.told
    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made = self._first_input(inputs) if self.starts else inputs
        for layer in self._chain:
            made = layer(made)
        return made

    def _first_input(self, inputs: Any) -> Any:
        """Return what is given for the one input: alone, in a list, or by the input's name."""
        given = picked(self._input_form, inputs, warns=True)
        return fitted(given[0], self.starts[0]) if len(given) == 1 else inputs

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Return the numbers of the classes that are predicted most.

        Of one output it is whether that is above 1/2.
        """
        found = self.predict(x, batch_size=batch_size, verbose=verbose)
        many = found.shape[-1] > 1
        return found.argmax(axis=-1) if many else (found > 0.5).astype("int32")

    @property
    def is_made_of_layers(self) -> bool:
        """Whether the model is what its layers are: true."""
        return True

    def get_config(self) -> dict[str, Any]:
        layers = [describing.description(x) for x in self.layers]
        made = {"name": self.name, "trainable": self.trainable, "layers": layers}
        if naming.is_version_1():
            return self._config_of_version_1(layers)
        if self.starts is not None:
            shape = list(self.starts[0].spec.shape)
            config = {**described_input(self.starts[0]), "batch_shape": shape}
            first = {
                "module": "keras.layers",
                "class_name": "InputLayer",
                "config": config,
                "registered_name": None,
            }
            made = {**made, "layers": [first, *layers], "build_input_shape": shape}
        return made

    def _config_of_version_1(self, layers: list[Any]) -> dict[str, Any]:
        """Return a configuration in which the first layer says what the model is given."""
        made = {"name": self.name, "layers": layers}
        first = layers[0]["config"] if layers else {}
        if self.starts is not None and self.is_built_on_request:
            return {**made, "build_input_shape": tuple(self.starts[0].spec.shape)}
        if self.starts is not None:
            first.setdefault("batch_input_shape", tuple(self.starts[0].spec.shape))
        return made

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        with lookup.adding(custom_objects):
            layers = [describing.restored(x) for x in config["layers"]]
        made = cls(layers, name=config.get("name"))
        shape = config.get("build_input_shape")
        if made.starts is None and shape is not None:
            made.build(tuple(shape))
        return made


def _first_of(layer: Any) -> str:
    """Return the name of a layer, of a model that of the first layer in it."""
    inner = layer.layers if isinstance(layer, Model) else ()
    return _first_of(inner[0]) if inner else str(layer.name)


class _Function(Layer):
    """A function among the layers of a Sequential."""

    def __init__(self, function: Any) -> None:
        super().__init__(name=getattr(function, "__name__", None))
        self._function = function

    def call(self, inputs: Any) -> Any:
        return self._function(inputs)


def load_model(
    filepath: Any,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    options: Any = None,
) -> Any:
    """Return the model of a .keras, .h5 or SavedModel path, compiled as it was if so asked.

    safe_mode refuses Python functions that a file brings. options have no effect.
    """
    with lookup.adding(custom_objects), lambdas.safe_mode(safe_mode):
        return revived.load_model(filepath, compile)


def save_model(
    model: Any, filepath: Any, overwrite: bool = True, **kwargs: Any
) -> None:
    """Write a model to a file, as its method `save` does."""
    model.save(filepath, overwrite, **kwargs)


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """Return the model of a description as JSON, without weights; it may be one of Keras 2."""
    said = json.loads(json_string)
    if "module" not in said:
        is_of_keras_2 = not str(said.get("keras_version", "2")).startswith("3")
        said = older_files.newer_model(said, is_of_keras_2)
    return model_from_config(said, custom_objects)


def model_from_config(config: Any, custom_objects: Any = None) -> Any:
    """Return the model of a description, without weights."""
    with lookup.adding(custom_objects):
        return describing.restored(config)


def clone_model(
    model: Any,
    input_tensors: Any = None,
    clone_function: Any = None,
    call_function: Any = None,
    recursive: bool = False,
    **kwargs: Any,
) -> Any:
    """Return a model of the same layers with weights of their own.

    clone_function is called with each layer to make its copy, with those in models inside as well
    if recursive; call_function with each copy and what it is called with. input_tensors are what
    the model begins with. Further arguments have no effect.
    """
    made = _cloned(model, input_tensors, clone_function, call_function, recursive)
    if naming.is_keras_3() and model.compiled:
        config = model.get_compile_config()
        if config:
            made.compile_from_config(config)
    return made


def _cloned(
    model: Any, input_tensors: Any, clone_function: Any, call: Any, recursive: bool
) -> Any:
    """Return a model of layers like those of another, with weights of their own."""

    def again(layer: Any) -> Any:
        if recursive and isinstance(layer, Model) and layer.is_made_of_layers:
            inner = None if isinstance(layer, Sequential) else call
            return _cloned(layer, None, clone_function, inner, recursive)
        return layer.copied() if clone_function is None else clone_function(layer)

    if isinstance(model, Sequential):
        if call is not None:
            raise InvalidArgumentError(
                "`call_function` argument is not supported with Sequential models. In a "
                "Sequential model, layers aren't called at model-construction time (they're "
                "merely listed). Use `call_function` with Functional models only. Received model "
                f"of type '{type(model).__name__}', with call_function={call}"
            )
        first = [
            InputLayer.from_config(described_input(x)) for x in model.starts or ()
        ]
        layers = [again(x) for x in model.layers]
        return type(model)([*first, *layers], name=model.name)
    if not model.is_made_of_layers:
        return again(model)
    return graphs.copied(model, again, input_tensors, call)


__dir__ = listing("keras.models", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("keras.models", name, globals())
