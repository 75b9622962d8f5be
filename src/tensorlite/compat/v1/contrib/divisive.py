"""GDN of tf.contrib.layers: channels are divided by what all of them together are.

Ballé, Laparra, Simoncelli 2016, "Density modeling of images using a generalized normalization
transformation".
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.shared.python import custom_gradient
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.functions import convolutions
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.core.errors import InvalidArgumentError

_AXES = {"channels_first": 1, "channels_last": -1}


@custom_gradient
def _at_least(x: Any, bound: Any) -> Any:
    """Return max(x, bound); below the bound only gradients that raise x reach it."""

    def gradient(dy: Any) -> Any:
        through = elementwise.logical_or(x >= bound, dy < 0.0)
        return elementwise.cast(through, dy.dtype) * dy, None

    return elementwise.maximum(x, bound), gradient


class GDN(Layer):
    """Divides x_i by sqrt(beta_i + sum_j gamma_ji x_j^2), over channels; `inverse` multiplies.

    The variables are "reparam_beta" and "reparam_gamma", roots that an offset keeps from zero.
    Inputs have one to three axes between the batch and the channels, which are where data_format
    says: "channels_last" or "channels_first".
    """

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            trainable=trainable,
            name=name,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        if data_format not in _AXES:
            raise InvalidArgumentError(
                f"Unsupported `data_format` for GDN layer: {data_format}."
            )
        self.inverse, self.data_format = inverse, data_format
        self._beta_min, self._gamma_init = beta_min, gamma_init
        self._reparam_offset = reparam_offset
        self.input_spec = InputSpec(min_ndim=3, max_ndim=5)

    def build(self, input_shape: Any) -> None:
        """Make the variables; InvalidArgumentError where the number of channels is not known."""
        shape, axis = TensorShape(input_shape), _AXES[self.data_format]
        channels = shape.as_list()[axis]
        if channels is None:
            raise InvalidArgumentError(
                "The channel dimension of the inputs to `GDN` must be defined."
            )
        self._rank = shape.rank or 0
        self.input_spec = InputSpec(ndim=shape.rank, axes={axis: channels})
        pedestal = self._reparam_offset**2

        def rooted(values: Any) -> Any:
            return elementwise.sqrt(values + framework.constant(pedestal, self.dtype))

        def first_beta(
            shape: Any, dtype: Any = None, partition_info: Any = None
        ) -> Any:
            return rooted(arrays.ones(shape, dtype))

        def first_gamma(
            shape: Any, dtype: Any = None, partition_info: Any = None
        ) -> Any:
            return rooted(self._gamma_init * arrays.eye(shape[0], dtype=dtype))

        least = (self._beta_min + pedestal) ** 0.5
        self.beta = self._parameter("reparam_beta", [channels], first_beta, least)
        self.gamma = self._parameter(
            "reparam_gamma", [channels] * 2, first_gamma, self._reparam_offset
        )
        self.built = True

    def _parameter(self, name: str, shape: Any, first: Any, least: float) -> Any:
        """Return a parameter, of which the variable is the root, but for the offset."""
        root = self.add_variable(
            name, shape=shape, initializer=first, dtype=self.dtype, trainable=True
        )
        bound = framework.constant(least, self.dtype)
        held = _at_least(framework.convert_to_tensor(root), bound)
        pedestal = framework.constant(self._reparam_offset**2, self.dtype)
        return elementwise.square(held) - pedestal

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the channels, each divided by what they are together."""
        x = framework.convert_to_tensor(inputs, dtype=self.dtype)
        count = self._rank - 2
        kernel = arrays.reshape(
            self.gamma, [1] * count + self.gamma.get_shape().as_list()
        )
        squares = elementwise.square(x)
        if self.data_format == "channels_first":
            form = "NC" + "DHW"[-count:]
            pooled = convolutions.convolution(
                squares, kernel, "VALID", data_format=form
            )
            sizes = [-1] + [1] * count
            pooled = pooled + arrays.reshape(self.beta, sizes)
        else:
            pooled = convolutions.convolution(squares, kernel, "VALID")
            pooled = shared_nn.bias_add(pooled, self.beta)
        norm = elementwise.sqrt(pooled)
        outputs = x * norm if self.inverse else x / norm
        outputs.set_shape(x.get_shape())
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the inputs, which must have 3 to 5 axes and known channels."""
        shape = TensorShape(input_shape)
        if shape.rank is None or not 3 <= shape.rank <= 5:
            raise InvalidArgumentError(
                "`input_shape` must be of rank 3 to 5, inclusive."
            )
        if shape.as_list()[_AXES[self.data_format]] is None:
            raise InvalidArgumentError(
                "The channel dimension of `input_shape` must be defined."
            )
        return shape


@add_arg_scope
def gdn(
    inputs: Any,
    inverse: bool = False,
    beta_min: float = 1e-6,
    gamma_init: float = 0.1,
    reparam_offset: float = 2**-18,
    data_format: str = "channels_last",
    activity_regularizer: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Any:
    """Return what a GDN layer makes of inputs; layers of one name with reuse share variables."""
    layer = GDN(
        inverse,
        beta_min,
        gamma_init,
        reparam_offset,
        data_format,
        activity_regularizer,
        trainable,
        name,
        dtype=inputs.dtype.base_dtype,
        _scope=name,
        _reuse=reuse,
    )
    return layer(inputs)
