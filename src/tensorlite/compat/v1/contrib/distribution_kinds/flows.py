"""Bijectors by networks: RealNVP, MaskedAutoregressiveFlow, BatchNormalization; networks for them.

Dinh et al. 2016, "Density estimation using Real NVP"; Papamakarios et al. 2017, "Masked
autoregressive flow for density estimation"; Germain et al. 2015, "MADE".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, elementwise, nn
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    nn_functions,
    numbers,
)
from tensorlite.compat.v1.functions.control_flow import while_loop
from tensorlite.compat.v1.functions.init_ops import GlorotNormal
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.scopes import (
    get_variable_scope,
    make_template,
    variable_scope,
)
from tensorlite.compat.v1.layer_kinds.core import Dense
from tensorlite.compat.v1.layer_kinds.normalization import (
    BatchNormalization as NormalizationLayer,
)
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.graph import name_scope


def _known_depth(x: Any) -> int:
    depth = x.get_shape()[-1].value
    if depth is None:
        raise UnimplementedError(
            "Rightmost dimension must be known prior to graph execution."
        )
    return int(depth)


def _moved(x: Any, shift: Any, log_scale: Any) -> Any:
    y = x if log_scale is None else x * elementwise.exp(log_scale)
    return y if shift is None else y + shift


def _moved_back(y: Any, shift: Any, log_scale: Any) -> Any:
    x = y if shift is None else y - shift
    return x if log_scale is None else x * elementwise.exp(-log_scale)


class RealNVP(Bijector):
    """The last elements of vectors, shifted and scaled by the first ones."""

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise InvalidArgumentError("num_masked must be a positive integer.")
        super().__init__(
            validate_args=validate_args,
            is_constant_jacobian=is_constant_jacobian,
            forward_min_event_ndims=1,
            name=name or "real_nvp",
        )
        self._masked, self._function = num_masked, shift_and_log_scale_fn

    def _parts(self, x: Any) -> tuple[Any, Any, Any, Any]:
        """Return the first and the last elements, and how the last ones are moved."""
        rest = _known_depth(x) - self._masked
        if rest <= 0:
            raise InvalidArgumentError(
                "Number of masked units must be smaller than the event size."
            )
        first, last = x[..., : self._masked], x[..., self._masked :]
        return first, last, *self._function(first, rest)

    def _forward(self, x: Any) -> Any:
        first, last, shift, log_scale = self._parts(x)
        return arrays.concat([first, _moved(last, shift, log_scale)], -1)

    def _inverse(self, y: Any) -> Any:
        first, last, shift, log_scale = self._parts(y)
        return arrays.concat([first, _moved_back(last, shift, log_scale)], -1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        log_scale = self._parts(x)[-1]
        if log_scale is None:
            return constant(0.0, dtype=x.dtype, name="fldj")
        return numbers.reduce_sum(log_scale, axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        log_scale = self._parts(y)[-1]
        if log_scale is None:
            return constant(0.0, dtype=y.dtype, name="ildj")
        return -numbers.reduce_sum(log_scale, axis=-1)


def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Any = nn.relu,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Return a network of dense layers that tells RealNVP how to move elements."""

    def network(x: Any, output_units: int) -> Any:
        for units in hidden_layers:
            x = _dense(x, units, activation, *args, **kwargs)
        count = 1 if shift_only else 2
        x = _dense(x, count * output_units, None, *args, **kwargs)
        if shift_only:
            return x, None
        shift, log_scale = arrays.split(x, 2, axis=-1)
        return shift, log_scale

    with name_scope(name, "real_nvp_default_template"):
        return make_template("real_nvp_default_template", network)


def _dense(x: Any, units: int, activation: Any, *args: Any, **kwargs: Any) -> Any:
    layer = Dense(
        units, activation, *args, _scope=kwargs.get("name"), _reuse=None, **kwargs
    )
    return layer.apply(x)


class MaskedAutoregressiveFlow(Bijector):
    """Each element of vectors, shifted and scaled by those before it."""

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )
        self._function, self._unroll = shift_and_log_scale_fn, unroll_loop

    def _forward(self, x: Any) -> Any:
        known = x.get_shape()[-1].value
        y = v1_arrays.zeros_like(x, name="y0")
        if self._unroll:
            return self._unrolled(x, y, known)
        size = v1_arrays.shape(x)[-1]
        # Variables are made outside of the loop.
        self._function(y)

        def step(index: Any, y: Any) -> Any:
            with variable_scope(get_variable_scope()):
                return index + 1, _moved(x, *self._function(y))

        return while_loop(
            lambda index, _: index < size,
            step,
            (0, y),
            maximum_iterations=known,
        )[1]

    def _unrolled(self, x: Any, y: Any, size: int | None) -> Any:
        if size is None:
            raise InvalidArgumentError(
                "The final dimension of `x` must be known at graph construction time if "
                f"`unroll_loop=True`. `x.shape: {x.get_shape()!r}`"
            )
        for _ in range(size):
            y = _moved(x, *self._function(y))
        return y

    def _inverse(self, y: Any) -> Any:
        return _moved_back(y, *self._function(y))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        _, log_scale = self._function(y)
        if log_scale is None:
            return constant(0.0, dtype=y.dtype, name="ildj")
        return -numbers.reduce_sum(log_scale, axis=-1)


def autoregressive_mask(
    num_blocks: int, inputs: int, outputs: int, exclusive: bool, dtype: Any
) -> Any:
    """Return which inputs each output may depend on, [inputs, outputs]: of blocks before it.

    Outputs of a block depend on its own inputs too, unless `exclusive`.
    """
    into, out = inputs // num_blocks, outputs // num_blocks
    mask = np.zeros([inputs, outputs], dtype)
    for block in range(num_blocks):
        start = block * out + (out if exclusive else 0)
        mask[block * into : (block + 1) * into, start:] = 1
    return mask


def masked_dense(
    inputs: Any,
    units: int,
    num_blocks: int | None = None,
    exclusive: bool = False,
    kernel_initializer: Any = None,
    reuse: Any = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Return a dense layer of inputs, each of whose blocks depends on the blocks up to its own."""
    depth, kind = _known_depth(inputs), inputs.dtype.base_dtype
    mask = autoregressive_mask(num_blocks or 1, depth, units, exclusive, kind.numpy)
    start = GlorotNormal() if kernel_initializer is None else kernel_initializer

    def masked(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return mask * start(shape, dtype, partition_info)

    with name_scope(name, "masked_dense"):
        own = {
            "kernel_initializer": masked,
            "kernel_constraint": lambda x: mask * x,
            "name": name,
            "dtype": kind,
            "_scope": name,
            "_reuse": reuse,
        }
        layer = Dense(units, *args, **{**kwargs, **own})
        return layer.apply(inputs)


def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Any = nn.relu,
    log_scale_min_clip: Any = -5.0,
    log_scale_max_clip: Any = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Return a network of masked layers that tells a MaskedAutoregressiveFlow how to move."""
    title = name or "masked_autoregressive_default_template"
    ends = log_scale_min_clip, log_scale_max_clip
    clip = elementwise.clip_by_value if log_scale_clip_gradient else _clipped

    def network(x: Any) -> Any:
        depth, shape = _known_depth(x), v1_arrays.shape(x)
        for place, units in enumerate(hidden_layers):
            x = masked_dense(
                x,
                units,
                depth,
                place == 0,
                *args,
                activation=activation,
                **kwargs,
            )
        count = 1 if shift_only else 2
        x = masked_dense(x, count * depth, depth, *args, activation=None, **kwargs)
        if shift_only:
            return arrays.reshape(x, shape), None
        pairs = arrays.reshape(x, arrays.concat([shape, [2]], 0))
        shift, log_scale = arrays.unstack(pairs, num=2, axis=-1)
        return shift, clip(log_scale, *ends)

    with name_scope(title):
        return make_template(title, network)


def _clipped(x: Any, least: Any, most: Any) -> Any:
    """Return what is within bounds, whose gradients are those of what is not bounded."""
    with name_scope("clip_by_value_preserve_grad"):
        inside = elementwise.clip_by_value(x, least, most)
        return x + arrays.stop_gradient(inside - x)


class BatchNormalization(Bijector):
    """What has been normalized over a batch, as it was before; the inverse normalizes."""

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        own = batchnorm_layer or NormalizationLayer(
            gamma_constraint=lambda x: nn.relu(x) + 1e-6
        )
        if not isinstance(own, NormalizationLayer):
            raise InvalidArgumentError(
                "batchnorm_layer must be an instance of BatchNormalization layer."
            )
        if own.renorm or own.virtual_batch_size:
            raise InvalidArgumentError(
                "BatchNorm Bijector does not support "
                + ("renormalization." if own.renorm else "virtual batch sizes.")
            )
        self.batchnorm, self._training = own, training
        axes = 1 if isinstance(own.axis, int) else len(own.axis)
        super().__init__(
            forward_min_event_ndims=axes, validate_args=validate_args, name=name
        )

    def _axes(self, x: Any) -> list[int]:
        """Return the axes that have statistics of their own, from the layer made for a shape."""
        shape = x.get_shape()
        if not shape.is_fully_defined():
            raise InvalidArgumentError(
                "Input must have shape known at graph construction."
            )
        if not self.batchnorm.built:
            self.batchnorm.build(shape)
        axis = self.batchnorm.axis
        given = [axis] if isinstance(axis, int) else list(axis)
        return [place % shape.rank for place in given]

    def _forward(self, x: Any) -> Any:
        axes, sizes = self._axes(x), x.get_shape().as_list()
        layer = self.batchnorm
        shape = [size if i in axes else 1 for i, size in enumerate(sizes)]

        def beside(part: Any) -> Any:
            return part if axes == [len(sizes) - 1] else arrays.reshape(part, shape)

        wide = elementwise.sqrt(beside(layer.moving_variance) + layer.epsilon)
        if layer.scale:
            wide = wide / beside(layer.gamma)
        place = beside(layer.moving_mean)
        if layer.center:
            place = place - beside(layer.beta) * wide
        return x * wide + place

    def _inverse(self, y: Any) -> Any:
        return self.batchnorm.apply(y, training=self._training)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        self._axes(x)
        return -self._volume(self.batchnorm.moving_variance)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        axes = self._axes(y)
        if not self._training:
            return self._volume(self.batchnorm.moving_variance)
        others = [i for i in range(y.get_shape().rank) if i not in axes]
        _, variance = nn_functions.moments(y, axes=others, keep_dims=True)
        return self._volume(variance)

    def _volume(self, variance: Any) -> Any:
        """Return by how much normalizing by a variance makes volumes larger, its logarithm."""
        logs = elementwise.log(variance + self.batchnorm.epsilon)
        whole = -0.5 * numbers.reduce_sum(logs)
        if not self.batchnorm.scale:
            return whole
        return numbers.reduce_sum(elementwise.log(self.batchnorm.gamma)) + whole
