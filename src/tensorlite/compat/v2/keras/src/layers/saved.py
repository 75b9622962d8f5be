"""Keras' layer around a function of a SavedModel, whose variables are its weights."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2 import saved_model
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.errors import InvalidArgumentError


class TFSMLayer(Layer):
    """What a SavedModel computes, as a layer: one function, or another one while it trains."""

    def __init__(
        self,
        filepath: Any,
        call_endpoint: str = "serve",
        call_training_endpoint: str | None = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        self.filepath = filepath
        self.call_endpoint = call_endpoint
        self.call_training_endpoint = call_training_endpoint
        # No attribute that layers look through: only what the functions use are weights.
        model = saved_model.load(filepath)
        names = [x for x in (call_endpoint, call_training_endpoint) if x]
        self._functions = {x: _Endpoint(model, x) for x in names}
        used = {id(x): x for one in self._functions.values() for x in one.variables}
        self._held.weights += sorted(used.values(), key=lambda x: not x.trainable)
        self.built = True

    def call(self, inputs: Any, training: Any = False, **kwargs: Any) -> Any:
        trains = training and self.call_training_endpoint
        name = self.call_training_endpoint if trains else self.call_endpoint
        return self._functions[str(name)].function(inputs, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filepath": self.filepath,
            "call_endpoint": self.call_endpoint,
            "call_training_endpoint": self.call_training_endpoint,
        }


class _Endpoint:
    """A function of a SavedModel, and the variables that it uses."""

    def __init__(self, model: Any, name: str) -> None:
        self.model = model
        self.function = getattr(model, name, None) or model.signatures.get(name)
        if self.function is None:
            raise InvalidArgumentError(
                f"The endpoint {name!r} is neither an attribute of the reloaded SavedModel, nor an "
                "entry in its signatures; available endpoints for this SavedModel: "
                f"{list(model.signatures)}"
            )
        traces = getattr(self.function, "concrete_functions", [self.function])
        self.variables = [x for one in traces for x in one.variables]
