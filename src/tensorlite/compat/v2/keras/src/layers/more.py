"""Keras' less usual layers: other dropouts and normalisations, einsum.

Layers that learn from data what they do before training stand in adapting.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    constraints,
    defaults,
    initializers,
    regularizers,
)
from tensorlite.compat.v2.keras.src.layers import masks
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.convolutions import (
    DepthwiseConv2D,
    SeparableConv2D,
    sizes_of,
)
from tensorlite.compat.v2.keras.src.layers.core import Embedding
from tensorlite.compat.v2.keras.src.layers.low_rank import Adapted, LowRank
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype


class Identity(Layer):
    """Its input."""

    supports_masking = True


class Wrapper(Layer):
    """What layers that change another layer's work are made on."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise InvalidArgumentError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure "
                "wrapped layer is a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer: Any = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build_with(input_shape)
        self.built = True


class ThresholdedReLU(Layer):
    """Its input above theta, and 0 elsewhere."""

    rows_taken = "elements"

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = theta

    def call(self, inputs: Any) -> Any:
        return inputs * astype(inputs > self.theta, inputs.dtype)


def _of_rows(values: Any) -> tuple[int, int]:
    one = values if isinstance(values, int) else values[0]
    return (1, int(one))


class DepthwiseConv1D(DepthwiseConv2D):
    """A convolution of each channel of sequences by itself."""

    axes = 1

    def call(self, inputs: Any) -> Any:
        return self.finished(_placed(self, _along_line(self, inputs)))


class SeparableConv1D(SeparableConv2D):
    """A convolution of each channel of sequences by itself, then of all at each step."""

    axes = 1

    def call(self, inputs: Any) -> Any:
        pointwise = tl.squeeze(self.pointwise_kernel.value(), axis=0)
        made = tl.matmul(_along_line(self, inputs), pointwise)
        return self.finished(_placed(self, made))


def _along_line(layer: Any, inputs: Any) -> Any:
    """Return what filters of each channel make along a line, channels last."""
    x = tl.moveaxis(inputs, 1, -1) if layer.first else inputs
    x, padding = layer.padded(x)
    made = tl.nn.depthwise_conv2d(
        x[:, None],
        tl.expand_dims(layer.depthwise_kernel.value(), axis=0),
        (layer.strides[0],) * 2,
        padding.upper(),
        "NHWC",
        _of_rows(layer.dilation_rate),
    )
    return tl.squeeze(made, axis=1)


def _placed(layer: Any, made: Any) -> Any:
    """Return results with their channels where the layer has them."""
    return tl.moveaxis(made, -1, 1) if layer.first else made


class EinsumDense(LowRank):
    """A kernel that is multiplied in as an equation of einsum says."""

    kernel = Adapted()

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.ask_for_lora(lora_rank, lora_alpha)
        single = output_shape is None or isinstance(output_shape, int)
        self.equation, self.bias_axes = equation, bias_axes
        self.sizes = (output_shape,) if single else tuple(output_shape)
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias: Any = None

    def _letters(self) -> tuple[str, str, str]:
        taken, _, given = self.equation.replace(" ", "").partition("->")
        inputs, _, kernel = taken.partition(",")
        return inputs, kernel, given

    def _known_sizes(
        self, inputs: str, given: str, sizes: list[Any]
    ) -> dict[str, Any]:
        """Return the sizes of the letters, of which those that are left out are on one side."""
        ours, theirs = inputs.replace("...", ""), given.replace("...", "")
        if inputs.endswith("..."):  # the first of all is the batch
            known = dict(zip(ours, sizes, strict=False))
            made = dict(zip(theirs[1:], self.sizes, strict=False))
        else:
            known = dict(zip(reversed(ours), reversed(sizes), strict=False))
            made = dict(zip(reversed(theirs), reversed(self.sizes), strict=False))
        return {**known, **{k: x for k, x in made.items() if x is not None}}

    def build(self, input_shape: Any) -> None:
        inputs, kernel, given = self._letters()
        found = self._known_sizes(inputs, given, list(input_shape))
        rest = len(input_shape) - len(inputs) + 3 if inputs.endswith("...") else 0
        outputs = [i for i, x in enumerate(kernel) if x in given]
        inner = [i for i, x in enumerate(kernel) if x not in given]
        self.kernel = self.add_weight(
            "kernel",
            [found[x] for x in kernel],
            initializer=initializers.over_axes(
                self.kernel_initializer, inner, outputs
            ),
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.bias_axes:
            first = min(given.index(x) for x in self.bias_axes)
            named = given.removesuffix("...")[first:]
            shape = [found[x] if x in self.bias_axes else 1 for x in named]
            shape += [1] * rest
            self.bias = self.add_weight(
                "bias",
                shape,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        made = tl.einsum(self.equation, inputs, self.kernel.__tensor__())
        made = made if self.bias is None else made + self.bias
        return self.activation(made)


class UpSampling3D(Layer):
    """Volumes in which each element is repeated along its axes."""

    def __init__(
        self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.size = sizes_of(size, 3)
        self.data_format = data_format or defaults.image_data_format()

    def call(self, inputs: Any) -> Any:
        first = 2 if self.data_format == "channels_first" else 1
        made = inputs
        for i, times in enumerate(self.size):
            made = tl.repeat(made, times, axis=first + i)
        return made


class Pipeline(Layer):
    """Layers one after the other, which is no model."""

    def __init__(self, layers: Any, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.layers = list(layers)

    def call(self, inputs: Any, training: Any = True, mask: Any = None) -> Any:
        made = inputs
        for layer in self.layers:
            told = {"training": training, "mask": mask}
            made = layer(made, **{k: x for k, x in told.items() if layer.takes(k)})
            mask = masks.of(made)
        return made


class ReversibleEmbedding(Embedding):
    """Rows of a table, and back from rows to how alike each of the table's is to them."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        tie_weights: bool = True,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        reverse_dtype: Any = None,
        logit_soft_cap: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            input_dim,
            output_dim,
            embeddings_initializer,
            embeddings_regularizer,
            embeddings_constraint=embeddings_constraint,
            mask_zero=mask_zero,
            **kwargs,
        )
        self.tie_weights, self.reverse_dtype = tie_weights, reverse_dtype
        self.logit_soft_cap = logit_soft_cap

    def build(self, input_shape: Any = None) -> None:
        super().build(input_shape)
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                "reverse_embeddings",
                (self.output_dim, self.input_dim),
                initializer=self.embeddings_initializer,
            )

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            made = super().call(inputs)
            masks.remember(made, super().compute_mask(inputs))
            return made
        tied = self.tie_weights
        kernel = self.embeddings.__tensor__().mT if tied else self.reverse_embeddings
        if self.reverse_dtype is not None:
            inputs, kernel = (
                tl.astype(x, as_dtype(self.reverse_dtype))
                for x in (inputs, kernel.__tensor__())
            )
        logits = tl.matmul(inputs, kernel)
        cap = self.logit_soft_cap
        return logits if cap is None else tl.tanh(logits / cap) * cap

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None  # what is called one way has its mask there, the other way none
