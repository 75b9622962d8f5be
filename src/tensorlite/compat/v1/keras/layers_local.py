"""LocallyConnected layers of version 1: convolutions whose weights differ from place to place."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers.convolutions import Convolution
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.ops.arrays.shape import shape_of


class _Local(Convolution):
    """Windows of inputs times weights of their own."""

    not_described = frozenset({"dilation_rate", "groups"})

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        if padding.lower() != "valid" and implementation == 1:
            raise InvalidArgumentError(
                f"Invalid border mode for {type(self).__name__} (only 'valid' is supported if "
                f"implementation is 1): {padding}"
            )
        if implementation not in (1, 2, 3):
            raise InvalidArgumentError(
                f"Unrecognized implementation mode: {implementation}; allowed are 1, 2 and 3"
            )
        super().__init__(
            filters, kernel_size, strides, padding, data_format, **kwargs
        )
        self.implementation = implementation

    def places_and_channels(self, shape: Any) -> list[Any]:
        """Return the sizes behind the batch, that of the channels last."""
        first, *others = list(shape)[1:]
        is_first = self.data_format == "channels_first"
        return [*others, first] if is_first else [first, *others]

    def places_of(self, sizes: Any) -> list[int]:
        """Return how many windows there are along each axis of these sizes."""
        rows = zip(sizes, self.kernel_size, self.strides, strict=True)
        if self.padding == "same":
            return [-(-int(size) // step) for size, _, step in rows]
        return [(int(size) - width) // step + 1 for size, width, step in rows]

    def _ordered(self, places: Sequence[int], channels: int) -> tuple[int, ...]:
        """Return sizes as the layer has them, that of the channels first or last."""
        is_first = self.data_format == "channels_first"
        return (channels, *places) if is_first else (*places, channels)

    def _reached(self, sizes: Sequence[int], channels: int) -> Any:
        """Return which inputs each result is made of, with the axes of inputs before the others."""
        rows = zip(
            *(sizes, self.places_of(sizes), self.kernel_size, self.strides),
            strict=True,
        )
        found: Any = np.ones((), bool)
        for size, count, width, step in rows:
            middle = width // 2
            begins = np.arange(count) * step - (
                middle if self.padding == "same" else 0
            )
            at = np.arange(size)[:, None]
            found = np.multiply.outer(found, (at >= begins) & (at < begins + width))
        axes = range(found.ndim)
        found = found.transpose([*axes[::2], *axes[1::2]])
        places = self.places_of(sizes)
        single = *self._ordered(sizes, 1), *self._ordered(places, 1)
        ends = self._ordered(places, int(self.filters or 0))
        whole = *self._ordered(sizes, channels), *ends
        return np.broadcast_to(found.reshape(single), whole)

    def build(self, input_shape: Any) -> None:
        *sizes, channels = self.places_and_channels(
            TensorShape(input_shape).as_list()
        )
        if None in sizes:
            raise InvalidArgumentError(
                f"The spatial dimensions of the inputs to a {type(self).__name__} layer should be "
                f"fully-defined, but layer received the inputs shape {tuple(input_shape)}"
            )
        places = self.places_of(sizes)
        self.kernel = self.add_kernel("kernel", self._kernel_shape(sizes, channels))
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (*places, self.filters),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def _kernel_shape(self, sizes: Sequence[int], channels: int) -> tuple[int, ...]:
        """Return the shape of weights: by windows, or of all that could be, or in one row."""
        if self.implementation == 1:
            window = prod(self.kernel_size) * int(channels)
            return prod(self.places_of(sizes)), window, int(self.filters or 0)
        reached = self._reached(sizes, channels)
        whole: tuple[int, ...] = reached.shape
        return whole if self.implementation == 2 else (int(reached.sum()),)

    def _whole(self, sizes: Sequence[int], channels: int) -> Any:
        """Return the matrix from all inputs to all results."""
        reached = self._reached(sizes, channels)
        count = prod(self._ordered(sizes, channels))
        kernel = self.kernel.value()
        if self.implementation == 2:
            kept = tl.asarray(reached, dtype=kernel.dtype)
            return tl.reshape(kernel * kept, (count, -1))
        flat = reached.reshape(count, -1).T  # one result's weights after the other's
        numbers = np.cumsum(flat).reshape(flat.shape) - 1
        rows = tl.gather(kernel, tl.asarray(np.where(flat, numbers, 0)))
        return tl.matrix_transpose(tl.where(tl.asarray(flat), rows, 0.0))

    def _at_once(self, inputs: Any) -> Any:
        """Return results that are one product of matrices."""
        *sizes, channels = self.places_and_channels(inputs.shape.as_list())
        flat = tl.reshape(inputs, [shape_of(inputs)[0], -1])
        made = tl.matmul(flat, self._whole(sizes, channels))
        ends = self._ordered(self.places_of(sizes), int(self.filters or 0))
        return tl.reshape(made, [shape_of(inputs)[0], *ends])

    def call(self, inputs: Any) -> Any:
        is_first = self.data_format == "channels_first"
        if self.implementation != 1:
            made = self._at_once(inputs)
            return self._with_bias(tl.moveaxis(made, 1, -1) if is_first else made)
        x = tl.moveaxis(inputs, 1, -1) if is_first else inputs
        places = self.places_of(x.spec.dims[1:-1])
        flat = x if self.axes == 2 else x[:, :, None]
        rest = [1] * (2 - self.axes)
        kernel = self.kernel.value()
        windows = tl.image.extract_patches(
            flat, [*self.kernel_size, *rest], [*self.strides, *rest]
        )
        rows = tl.reshape(windows, [shape_of(x)[0], *kernel.spec.dims[:2]])
        made = tl.matmul(tl.permute_dims(rows, (1, 0, 2)), kernel)
        made = tl.permute_dims(made, (1, 0, 2))
        return self._with_bias(
            tl.reshape(made, [shape_of(x)[0], *places, self.filters])
        )

    def _with_bias(self, made: Any) -> Any:
        """Return results, whose channels come last so far, as the layer gives them."""
        made = made if self.bias is None else made + self.bias.value()
        is_first = self.data_format == "channels_first"
        return self.activation(tl.moveaxis(made, -1, 1) if is_first else made)


class LocallyConnected1D(_Local):
    """A convolution over steps, whose weights differ from step to step."""

    axes = 1


class LocallyConnected2D(_Local):
    """A convolution over images, whose weights differ from place to place."""

    axes = 2
