"""ConvLSTM2D of version 1: its steps in graphs, gate by gate as TensorFlow 1 composes them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat, split, zeros
from tensorlite.compat.shared.nn import bias_add
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.v1.functions.arrays import zeros_like
from tensorlite.compat.v1.functions.convolutions import convolution
from tensorlite.compat.v1.keras.activations import hard_sigmoid
from tensorlite.compat.v1.keras.cells_written import Gate, MemoryCell
from tensorlite.compat.v1.keras.recurrent_written import Looped
from tensorlite.compat.v2.keras import initializers, layers
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.graph_mode.graph import active_graph


class ConvolvedStep(MemoryCell):
    """A step of an LSTM of images, whose weights are those of its layer."""

    gates, implementation = 4, 1

    def __init__(self, layer: Any, training: Any) -> None:
        self.layer, self.training = layer, training
        self.dropout, self.recurrent_dropout = layer.dropout, layer.recurrent_dropout
        self.activation = layer.activation
        self.recurrent_activation = layer.recurrent_activation

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        return self.written(inputs, states, self.training)

    def _apart(self, x: Any, h: Any, of_inputs: Any, of_states: Any) -> Gate:
        layer = self.layer
        kernels = split(layer.kernel, 4, axis=3)
        held = split(layer.recurrent_kernel, 4, axis=3)
        biases = [None] * 4 if layer.bias is None else split(layer.bias, 4)
        flows = [
            layer.convolved_inputs(x if of_inputs is None else x * of_inputs[i], *own)
            for i, own in enumerate(zip(kernels, biases, strict=True))
        ]
        inner = [
            convolution(
                h if of_states is None else h * of_states[i],
                *(kernel, "SAME", (1, 1)),
                data_format=layer.order_of_axes,
            )
            for i, kernel in enumerate(held)
        ]
        return lambda i: flows[i] + inner[i]


class ConvLSTM2D(Looped, layers.ConvLSTM2D):
    """Long short-term memory of images, whose gates are cut off."""

    unroll = time_major = zero_output_for_mask = False
    counts_turns = True
    cell: Any = None

    def __init__(
        self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any
    ) -> None:
        if len(args) < 6:
            kwargs.setdefault("recurrent_activation", hard_sigmoid)
        super().__init__(filters, kernel_size, *args, **kwargs)

    def call(  # type: ignore[override]  # in TensorFlow 1's order
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        if in_graphs.building.get() is None:
            return layers.ConvLSTM2D.call(self, inputs, initial_state, mask, training)
        self.cell = ConvolvedStep(self, training)
        return super().call(inputs, mask, training, initial_state)

    @property
    def order_of_axes(self) -> str:
        """In which order images have their axes, as TensorFlow calls it."""
        return "NCHW" if self.first else "NHWC"

    def convolved_inputs(self, x: Any, kernel: Any, bias: Any = None) -> Any:
        """Return what is seen in images, by nodes."""
        made = convolution(
            *(x, kernel, self.padding.upper(), self.strides, self.dilation_rate),
            data_format=self.order_of_axes,
        )
        return made if bias is None else bias_add(made, bias, self.order_of_axes)

    def beginning(self, inputs: Any) -> list[Any]:
        """Return states of zeros, of the sizes that images have once they are convolved."""
        first = reduce_sum(zeros_like(inputs), axis=1)
        sizes = [*self.kernel.shape[:3], self.filters]
        made = self.convolved_inputs(first, zeros(sizes))
        return [made, made]

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        """Return biases of zeros, of ones for the gates that forget."""
        if active_graph() is None or not self.unit_forget_bias:
            return super().first_bias(shape, dtype)
        count, first = int(self.filters or 0), self.bias_initializer
        forget = initializers.Ones()((count,), dtype=dtype)
        parts = [
            first((count,), dtype=dtype),
            forget,
            first((2 * count,), dtype=dtype),
        ]
        return concat(parts, -1)
