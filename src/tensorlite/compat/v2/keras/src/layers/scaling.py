"""Keras' layers that normalize each example by itself; batches are normalization.py's.

All but UnitNormalization compute in float32 at least, and give what they were given the dtype of.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import constraints, initializers, regularizers
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of


def _wide(x: Any) -> Any:
    return x if x.dtype is tl.float64 else astype(x, tl.float32)


def _axes_in(axis: Any, rank: int) -> tuple[int, ...]:
    """Return axes counted from the front; refuse those that there are not."""
    listed = axis if isinstance(axis, (list, tuple)) else [axis]
    for one in listed:
        if not -rank <= one < rank:
            raise InvalidArgumentError(
                f"Axis {one} is out of bounds for inputs of {rank} axes. Received: axis={axis}"
            )
    return tuple(one % rank for one in listed)


def _check_axis(axis: Any) -> None:
    listed = axis if isinstance(axis, (list, tuple)) else [axis]
    if not all(isinstance(one, int) for one in listed):
        raise TypeError(
            "Invalid value for `axis` argument: expected an int or a list/tuple of ints. Received: "
            f"axis={axis}. Expected an int or a list/tuple of ints for the argument 'axis', but "
            f"received: {axis!r}"
        )


class _Scaled(Layer):
    """A normalisation whose results are scaled and moved, along some axes."""

    supports_masking = True

    def __init__(
        self,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.center, self.scale = center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma: Any = None
        self.beta: Any = None

    def add_scales(self, sizes: Any, moves: bool = True) -> None:
        """Make the weights for axes of these sizes, as far as the layer has them."""
        if self.scale:
            self.gamma = self._scale_of("gamma", sizes)
        if self.center and moves:
            self.beta = self._scale_of("beta", sizes)

    def _scale_of(self, name: str, sizes: Any) -> Any:
        return self.add_weight(
            name,
            sizes,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            autocast=False,
        )

    def scaled(self, x: Any, axes: tuple[int, ...]) -> Any:
        """Return x scaled and moved along axes, as far as the layer has weights for that."""
        sizes = [x.shape[i] if i in axes else 1 for i in range(len(x.shape))]
        if self.gamma is not None:
            x = x * astype(tl.reshape(self.gamma, sizes), x.dtype)
        if self.beta is not None:
            x = x + astype(tl.reshape(self.beta, sizes), x.dtype)
        return x


class LayerNormalization(_Scaled):
    """Takes off each example's mean and divides by its spread."""

    rows_taken = "elements"

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self.rms_scaling = bool(kwargs.pop("rms_scaling", False))
        _check_axis(axis)
        super().__init__(center, scale or self.rms_scaling, *args, **kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.epsilon = epsilon

    def build(self, input_shape: Any) -> None:
        axes = _axes_in(self.axis, len(input_shape))
        if naming.is_keras_3() and not isinstance(self.axis, list):
            self.axis = [self.axis]
        self.add_scales([int(input_shape[i]) for i in axes], not self.rms_scaling)

    def call(self, inputs: Any) -> Any:
        own = _axes_in(self.axis, len(inputs.shape))
        x = _wide(inputs)
        if self.rms_scaling:
            # Keras divides by the deviation, not by the root of the mean square.
            _, variance = tl.nn.moments(x, own, keepdims=True)
            made = x * tl.rsqrt(variance + self.epsilon)
        else:
            made = tl.nn.layer_norm(x, None, None, own, self.epsilon)
        return astype(self.scaled(made, own), inputs.dtype)

    def get_config(self) -> dict[str, Any]:
        own = super().get_config()
        return (
            {**own, "rms_scaling": self.rms_scaling} if naming.is_keras_3() else own
        )


class GroupNormalization(_Scaled):
    """Normalises groups of channels."""

    def __init__(
        self,
        groups: Any = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if groups != -1 and (not isinstance(groups, int) or groups <= 0):
            raise InvalidArgumentError(
                "Received an invalid value for argument `groups`, expected a positive integer (or "
                f"`-1` for instance normalization). Received: groups={groups}"
            )
        super().__init__(center, scale, *args, **kwargs)
        self.groups, self.axis, self.epsilon = groups, axis, epsilon

    def build(self, input_shape: Any) -> None:
        size = input_shape[self.axis]
        if size is None:
            raise InvalidArgumentError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer "
                f"received an input with shape {input_shape}."
            )
        self.groups = size if self.groups == -1 else self.groups
        if size < self.groups:
            raise InvalidArgumentError(
                f"Number of groups ({self.groups}) cannot be more than the number of channels "
                f"({size})."
            )
        if size % self.groups:
            raise InvalidArgumentError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels "
                f"({size})."
            )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: size})
        self.add_scales((int(size),))

    def call(self, inputs: Any) -> Any:
        x = tl.moveaxis(_wide(inputs), self.axis, -1)
        own = shape_of(x)
        sizes = [own[i] if n is None else n for i, n in enumerate(x.spec.dims)]
        parts = tl.reshape(x, [*sizes[:-1], self.groups, sizes[-1] // self.groups])
        rank = len(parts.shape)
        axes = (*range(1, rank - 2), rank - 1)
        made = tl.nn.layer_norm(parts, None, None, axes, self.epsilon)
        made = tl.moveaxis(tl.reshape(made, sizes), -1, self.axis)
        place = self.axis % len(made.shape)
        return astype(self.scaled(made, (place,)), inputs.dtype)


class RMSNormalization(Layer):
    """Divides by the root of the mean of squares."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _check_axis(axis)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape: Any) -> None:
        axes = _axes_in(self.axis, len(input_shape))
        sizes = [int(input_shape[i]) for i in sorted(axes)]
        self.scale = self.add_weight("scale", sizes, initializer="ones")
        self.axis = sorted(self.axis) if isinstance(self.axis, list) else self.axis
        self.built = True

    def call(self, inputs: Any) -> Any:
        own = _axes_in(self.axis, len(inputs.shape))
        sizes = [n if i in own else 1 for i, n in enumerate(inputs.spec.dims)]
        x = _wide(inputs)
        power = tl.mean(tl.square(x), axis=own, keepdims=True)
        scale = astype(tl.reshape(self.scale, sizes), x.dtype)
        return astype(x * tl.rsqrt(power + self.epsilon) * scale, inputs.dtype)


class UnitNormalization(Layer):
    """Its input divided by its length along an axis."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _check_axis(axis)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis

    def call(self, inputs: Any) -> Any:
        return tl.nn.l2_normalize(inputs, _axes_in(self.axis, len(inputs.shape)))
