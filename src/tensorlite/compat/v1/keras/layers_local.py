"""LocallyConnected layers of version 1: convolutions whose weights differ from place to place."""

from __future__ import annotations

from math import prod
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.layers_convolutions import Convolution
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.core.shapes import TensorShape
from tensorlite.ops.shape import shape_of


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
        if padding.lower() != "valid":
            raise InvalidArgumentError(
                f"Invalid border mode for {type(self).__name__} (only 'valid' is supported if "
                f"implementation is 1): {padding}"
            )
        if implementation != 1:
            raise UnimplementedError(
                f"{type(self).__name__}: implementation={implementation} is not served; "
                "implementation=1 computes the same with fewer weights"
            )
        super().__init__(
            filters, kernel_size, strides, padding, data_format, **kwargs
        )
        self.implementation = implementation

    def _last(self, shape: Any) -> list[Any]:
        """Return the sizes behind the batch, that of the channels last."""
        first, *others = list(shape)[1:]
        is_first = self.data_format == "channels_first"
        return [*others, first] if is_first else [first, *others]

    def _places(self, sizes: Any) -> list[int]:
        rows = zip(sizes, self.kernel_size, self.strides, strict=True)
        return [(int(size) - width) // step + 1 for size, width, step in rows]

    def build(self, input_shape: Any) -> None:
        *sizes, channels = self._last(TensorShape(input_shape).as_list())
        if None in sizes:
            raise InvalidArgumentError(
                f"The spatial dimensions of the inputs to a {type(self).__name__} layer should be "
                f"fully-defined, but layer received the inputs shape {tuple(input_shape)}"
            )
        places = self._places(sizes)
        window = prod(self.kernel_size) * int(channels)
        self.kernel = self.add_kernel("kernel", (prod(places), window, self.filters))
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (*places, self.filters),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        is_first = self.data_format == "channels_first"
        x = tl.moveaxis(inputs, 1, -1) if is_first else inputs
        places = self._places(x.spec.dims[1:-1])
        flat = x if self.axes == 2 else x[:, :, None]
        rest = [1] * (2 - self.axes)
        kernel = self.kernel.value()
        windows = tl.image.extract_patches(
            flat, [*self.kernel_size, *rest], [*self.strides, *rest]
        )
        rows = tl.reshape(windows, [shape_of(x)[0], *kernel.spec.dims[:2]])
        made = tl.matmul(tl.permute_dims(rows, (1, 0, 2)), kernel)
        made = tl.permute_dims(made, (1, 0, 2))
        made = tl.reshape(made, [shape_of(x)[0], *places, self.filters])
        made = made if self.bias is None else made + self.bias.value()
        return self.activation(tl.moveaxis(made, -1, 1) if is_first else made)


class LocallyConnected1D(_Local):
    """A convolution over steps, whose weights differ from step to step."""

    axes = 1


class LocallyConnected2D(_Local):
    """A convolution over images, whose weights differ from place to place."""

    axes = 2
