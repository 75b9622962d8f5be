"""TimeDistributed: a layer at each step of sequences. Recurrent layers are recurrent.py's."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.ragged.base import RaggedParts


class TimeDistributed(Layer):
    """A layer at each step."""

    asks_phase = False

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(layer, Layer):
            raise InvalidArgumentError(
                "Please initialize `TimeDistributed` layer with a `keras.layers.Layer` instance. "
                f"Received: {layer}"
            )
        self.layer = layer
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        if not self.layer.built:
            self.layer.build_with(input_shape[:1] + input_shape[2:])
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if isinstance(inputs, RaggedParts):
            return inputs.with_values(self.layer(inputs.values, training=training))
        own = shape_of(inputs)
        sizes = [own[i] if x is None else x for i, x in enumerate(inputs.spec.dims)]
        flat = tl.reshape(inputs, [-1, *sizes[2:]])
        if self.layer.non_trainable_weights and inputs.spec.dims[1] is not None:
            return self._step_by_step(inputs, training, mask)
        given: dict[str, Any] = {"training": training}
        if mask is not None:
            self._check_mask(mask.spec.dims, inputs.spec.dims)
            if self.layer.takes("mask"):
                given["mask"] = tl.reshape(mask, [-1, *mask.spec.dims[2:]])
        made = self.layer(flat, **given)
        return tl.reshape(made, [-1, sizes[1], *made.spec.dims[1:]])

    def _step_by_step(self, inputs: Any, training: Any, mask: Any) -> Any:
        """Return results where each step changes what the layer keeps."""
        made = []
        for i in range(inputs.spec.dims[1]):
            given: dict[str, Any] = {"training": training}
            if mask is not None and self.layer.takes("mask"):
                given["mask"] = mask[:, i]
            made.append(self.layer(inputs[:, i], **given))
        return tl.stack(made, axis=1)

    @staticmethod
    def _check_mask(mask: Any, sizes: Any) -> None:
        known = zip(mask[:2], sizes[:2], strict=False)
        if len(mask) < 2 or any(
            None not in both and both[0] != both[1] for both in known
        ):
            raise InvalidArgumentError(
                f"TimeDistributed: the mask has shape {mask}, the inputs {sizes}; the mask's first "
                "two axes are those of the inputs, batch and steps"
            )
