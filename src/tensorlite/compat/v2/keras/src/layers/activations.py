"""Keras' layers that are activations: rectified ones, and shares that add up to one."""

from __future__ import annotations

import warnings
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    constraints,
    initializers,
    regularizers,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.errors import InvalidArgumentError


class ReLU(Layer):
    """The greater of 0 and its input, with a slope below, a ceiling and a threshold."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: Any = 0.0,
        threshold: Any = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        bounds = {"negative_slope": negative_slope, "threshold": threshold}
        for name, value in (("max_value", max_value or 0.0), *bounds.items()):
            if value is None or value < 0.0:
                raise InvalidArgumentError(
                    f"{name} of a ReLU layer cannot be None or a negative value. Received: {value}"
                )
        self.max_value, self.threshold = max_value, threshold
        self.negative_slope = negative_slope

    def call(self, inputs: Any) -> Any:
        return activations.relu(
            inputs, self.negative_slope, self.max_value, self.threshold
        )


class LeakyReLU(Layer):
    """Its input above 0, and negative_slope times it below; alpha is the older name."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, negative_slope: Any = 0.3, **kwargs: Any) -> None:
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
            if naming.is_keras_3():
                warnings.warn(
                    "Argument `alpha` is deprecated. Use `negative_slope` instead.",
                    stacklevel=2,
                )
        super().__init__(**kwargs)
        self.negative_slope = negative_slope
        if self.negative_slope is None or self.negative_slope < 0:
            raise InvalidArgumentError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. "
                f"Expected a float. Received: negative_slope={self.negative_slope}"
            )

    def call(self, inputs: Any) -> Any:
        return nn.leaky_relu(inputs, self.negative_slope)


class ELU(Layer):
    """Its input above 0, and alpha * (exp(x) - 1) below."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        return activations.elu(inputs, self.alpha)


class Softmax(Layer):
    """Shares that add up to one; what a mask leaves out has none."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        axes = tuple(self.axis) if isinstance(self.axis, (list, tuple)) else self.axis
        if mask is None:
            return _shares(inputs, axes)
        _check_mask(mask, inputs)
        counts = mask if mask.dtype is tl.bool else mask > 0.5
        made = _shares(tl.where(counts, inputs, far_below(inputs.dtype)), axes)
        return tl.where(counts, made, 0.0)


def _shares(x: Any, axes: Any) -> Any:
    if axes is None or (isinstance(axes, tuple) and len(axes) > 1):
        return tl.exp(x - tl.logsumexp(x, axis=axes, keepdims=True))
    return nn.softmax(x, axes[0] if isinstance(axes, tuple) else axes)


def far_below(dtype: Any) -> float:
    """Return a number whose share in a softmax is nothing."""
    return -3e4 if dtype is tl.float16 else -1e9


def _check_mask(mask: Any, x: Any) -> None:
    sizes, own = mask.spec.dims, x.spec.dims
    pairs = zip(sizes[::-1], own[::-1], strict=False)
    fits = all(m in (1, n) or None in (m, n) for m, n in pairs)
    if len(sizes) > len(own) or not fits:
        raise InvalidArgumentError(
            "The `mask` must be broadcastable to `inputs` and must not have more dimensions. "
            f"Received: inputs.shape={own}, mask.shape={sizes}"
        )


class PReLU(Layer):
    """Its input above 0, and a weight times it below (He et al., 2015).

    The weight is the same along shared_axes.
    """

    supports_masking = True

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        one = isinstance(shared_axes, int)
        self.shared_axes = [shared_axes] if one else shared_axes and list(shared_axes)

    def build(self, input_shape: Any) -> None:
        sizes = [
            1 if i in (self.shared_axes or ()) else x
            for i, x in enumerate(input_shape)
        ][1:]
        self.alpha = self.add_weight(
            "alpha",
            sizes,
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        return tl.nn.relu(inputs) - self.alpha * tl.nn.relu(-inputs)
