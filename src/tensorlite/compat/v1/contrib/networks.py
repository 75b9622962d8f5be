"""tf.contrib.eager.Network: a layer made of layers, as programs had it before tf.keras.Model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.v1.layer_kinds.base import Layer
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)


class Network(Layer):
    """A function of the layers that it keeps track of, whose variables are its own."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self._tracked: list[Layer] = []

    def track_layer(self, layer: Any) -> Any:
        """Return the layer, whose variables are then the network's.

        What is no tf.layers.Layer raises DTypeError.
        """
        if not isinstance(layer, Layer):
            raise DTypeError(
                f"Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer"
            )
        self._tracked.append(layer)
        return layer

    @property
    def layers(self) -> list[Layer]:
        """The layers that are tracked, in order."""
        return list(self._tracked)

    def _layers(self) -> Iterable[Layer]:
        return self._tracked

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """Return the layer of a name, or of a number in the order of tracking.

        Both, neither, or what is not there raises InvalidArgumentError.
        """
        if name is not None and index is not None:
            raise InvalidArgumentError(
                "Exactly one of 'index' or 'name' must be provided"
            )
        if index is not None:
            if index >= len(self._tracked):
                raise InvalidArgumentError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(self._tracked)} layers."
                )
            return self._tracked[index]
        if name is None:
            raise InvalidArgumentError("Provide either a layer name or layer index.")
        for layer in self._tracked:
            if layer.name == name:
                return layer
        raise InvalidArgumentError(f"No such layer: {name}")

    def add_weight(self, name: str, shape: Any, *args: Any, **kwargs: Any) -> Any:
        """Raise FailedPreconditionError: variables of a Network are those of its layers."""
        raise FailedPreconditionError(
            f"{self.name} cannot have the variable {name!r} itself: variables of a Network are "
            "those of the layers that it tracks"
        )

    add_variable = add_weight
