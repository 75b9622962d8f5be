"""LinearModel and WideDeepModel of version 1: models that are there already."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.framework import GradientTape
from tensorlite.compat.v2.keras import (
    activations,
    initializers,
    optimizers,
    regularizers,
)
from tensorlite.compat.v2.keras.models import Model
from tensorlite.compat.v2.keras.src.layers.core import Dense
from tensorlite.compat.v2.keras.src.models import histories
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.compat.v2.keras.src.trainers import feeding
from tensorlite.core.errors import InvalidArgumentError


class LinearModel(Model):
    """The sum of inputs times weights of their own, and of a bias."""

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.dense_layers: list[Any] = []
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        many = isinstance(input_shape, list)
        for shape in input_shape if many else [input_shape]:
            layer = Dense(
                self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
            )
            layer.build_with(shape)
            self.dense_layers.append(layer)
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
            )
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        parts = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
        if len(parts) != len(self.dense_layers):
            raise InvalidArgumentError(
                f"Expected {len(self.dense_layers)} inputs, but got {len(parts)} inputs"
            )
        pairs = zip(parts, self.dense_layers, strict=True)
        first, *others = [layer(x) for x, layer in pairs]
        made = sum(others, start=first)
        return self.activation(made if self.bias is None else made + self.bias)


class WideDeepModel(Model):
    """The mean of what a linear model and a deep one say, each with an optimizer of its own."""

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model, self.dnn_model = linear_model, dnn_model
        self.activation = activations.get(activation)
        self._beside: Any = None

    def compile(self, optimizer: Any = "rmsprop", *args: Any, **kwargs: Any) -> None:
        """Compile; a list of two has the optimizer of the linear model and that of the other."""
        given = optimizer if isinstance(optimizer, (list, tuple)) else [optimizer]
        self._beside = optimizers.get(given[1]) if len(given) == 2 else None
        super().compile(given[0], *args, **kwargs)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        two = isinstance(inputs, (tuple, list)) and len(inputs) == 2
        wide, deep = inputs if two else (inputs, inputs)
        made = 0.5 * (self.linear_model(wide) + self.dnn_model(deep))
        return self.activation(made)

    @histories.stepping()
    def train_step(self, data: Any) -> Any:
        """Take a step by both models' optimizers, and return the metrics by name."""
        x, y, weights = feeding.unpacked(data)
        with GradientTape(persistent=True) as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, weights)
        second = self._beside or self.optimizer
        for model, optimizer in (
            (self.linear_model, self.optimizer),
            (self.dnn_model, second),
        ):
            own = model.trainable_variables
            pairs = zip(tape.gradient(loss, own), own, strict=True)
            optimizer.apply_gradients(pairs)
        return self.compute_metrics(x, y, y_pred, weights)

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "linear_model": describing.description(self.linear_model),
            "dnn_model": describing.description(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        inner = ("linear_model", "dnn_model")
        made = {key: describing.restored(config[key]) for key in inner}
        return cls(**{**config, **made})
