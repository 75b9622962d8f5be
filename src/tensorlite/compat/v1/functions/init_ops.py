"""TensorFlow 1's initializers: what makes the first values of variables, given their shapes.

The names under which programs find them also stand in v1/initializers.py; Keras' are others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.functions.matrices import eye
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import as_dtype, float32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.first_values import default_initializers

__all__ = [
    "constant_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "ones_initializer",
    "orthogonal_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "uniform_unit_scaling_initializer",
    "variance_scaling_initializer",
    "zeros_initializer",
]


class Initializer:
    """A function of a shape and a dtype that can be described and made again."""

    fields: ClassVar[tuple[str, ...]] = ()
    """The attributes that describe it, with which it is made again."""
    dtype: Any = float32
    source: Any = random
    """Where numbers are drawn: what has functions of version 1's names and arguments."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} is a kind of initializer; define __call__(shape, dtype)"
        )

    def get_config(self) -> dict[str, Any]:
        described = {name: getattr(self, name) for name in self.fields}
        return (
            {**described, "dtype": as_dtype(self.dtype).name} if self.fields else {}
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)

    def _chosen(self, dtype: Any) -> Any:
        return as_dtype(self.dtype if dtype is None else dtype)


def known_sizes(shape: Any) -> list[int]:
    """Return a shape's sizes, which are all known."""
    given = plain(shape.as_list() if hasattr(shape, "as_list") else shape)
    return [int(x) for x in (given if isinstance(given, Sequence) else [given])]


def sizes_of(shape: Any) -> list[int] | None:
    """Return a shape's sizes; None where no shape is asked for."""
    return None if shape is None else known_sizes(shape)


class Zeros(Initializer):
    """Makes zeros."""

    fields = ("dtype",)

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        return arrays.zeros(shape, self._chosen(dtype))


class Ones(Initializer):
    """Makes ones."""

    fields = ("dtype",)

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        return arrays.ones(shape, self._chosen(dtype))


class Constant(Initializer):
    """Makes one value, or the values of a list, the last one repeated where they are too few."""

    fields = ("value",)

    def __init__(
        self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {value!r} of {type(value)}; expected a number, a "
                "list or tuple of numbers, or an array"
            )
        self.value, self.dtype, self.verify_shape = (
            value,
            as_dtype(dtype),
            verify_shape,
        )

    def __call__(
        self,
        shape: Any = None,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Any:
        exact = self.verify_shape if verify_shape is None else verify_shape
        sizes = sizes_of(shape)
        if exact and sizes is not None and list(np.shape(self.value)) != sizes:
            raise ShapeError(
                f"Expected Tensor's shape: {tuple(sizes)}, got {np.shape(self.value)}."
            )
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        return framework.constant(self.value, wanted, sizes)


class RandomUniform(Initializer):
    """Draws uniformly from [minval, maxval); maxval is 1 if None for floating types."""

    fields = ("minval", "maxval", "seed")

    def __init__(
        self,
        minval: Any = 0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed
        self.dtype = as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        return self.source.uniform(
            shape, self.minval, self.maxval, self._chosen(dtype), self.seed
        )


class RandomNormal(Initializer):
    """Draws normal numbers."""

    fields = ("mean", "stddev", "seed")

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self.dtype = floating(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        return self.source.normal(
            shape, self.mean, self.stddev, self._chosen(dtype), self.seed
        )


class TruncatedNormal(RandomNormal):
    """Draws normal numbers within two standard deviations of the mean."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        return self.source.truncated_normal(
            shape, self.mean, self.stddev, self._chosen(dtype), self.seed
        )


def floating(dtype: Any) -> Any:
    """Return a dtype of floating numbers; InvalidArgumentError for any other."""
    found = as_dtype(dtype)
    if not found.is_floating:
        raise InvalidArgumentError(f"Expected floating point type, got {found.name}.")
    return found


def _whole(shape: Any, partition_info: Any) -> list[int]:
    """Return the shape of the variable of which something may be a part."""
    if partition_info is None:
        return known_sizes(shape)
    return [int(x) for x in partition_info.full_shape]


class UniformUnitScaling(Initializer):
    """Draws uniformly from +-factor * sqrt(3 / inputs), which keeps the inputs' variance."""

    fields = ("factor", "seed")

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = float32
    ) -> None:
        self.factor, self.seed, self.dtype = factor, seed, floating(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        inputs = max(float(prod(_whole(shape, partition_info)[:-1])), 1.0)
        limit = math.sqrt(3 / inputs) * self.factor
        return self.source.uniform(
            shape, -limit, limit, self._chosen(dtype), self.seed
        )


class VarianceScaling(Initializer):
    """Draws with the variance scale over the number of inputs, of outputs or of both's mean.

    mode is "fan_in", "fan_out" or "fan_avg"; distribution "truncated_normal", "untruncated_normal"
    or "uniform".
    """

    fields: ClassVar[tuple[str, ...]] = ("scale", "mode", "distribution", "seed")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0.0:
            raise InvalidArgumentError(f"`scale` must be positive float, not {scale}")
        if mode not in {"fan_in", "fan_out", "fan_avg"}:
            raise InvalidArgumentError(
                f"Invalid `mode` argument: {mode}; it is one of fan_in, fan_out, fan_avg"
            )
        known = {"normal", "uniform", "truncated_normal", "untruncated_normal"}
        if distribution.lower() not in known:
            raise InvalidArgumentError(
                f"Invalid `distribution` argument: {distribution}; it is one of {sorted(known)}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution.lower()
        self.seed, self.dtype = seed, floating(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        wanted = self._chosen(dtype)
        fan_in, fan_out = self.fans(_whole(shape, partition_info))
        fan = {"fan_in": fan_in, "fan_out": fan_out}.get(
            self.mode, (fan_in + fan_out) / 2.0
        )
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return self.source.uniform(shape, -limit, limit, wanted, self.seed)
        if self.distribution == "untruncated_normal":
            return self.source.normal(shape, 0.0, math.sqrt(scale), wanted, self.seed)
        stddev = math.sqrt(scale) / _TRUNCATED_STDDEV
        return self.source.truncated_normal(shape, 0.0, stddev, wanted, self.seed)

    def fans(self, shape: Sequence[int]) -> tuple[float, float]:
        """Return how many inputs and outputs each unit of a weight has."""
        return fans(shape)


_TRUNCATED_STDDEV = 0.87962566103423978
"""The standard deviation of standard normal numbers of which those beyond 2 are drawn again."""


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """Return how many inputs and outputs each unit of a kernel has."""
    if len(shape) == 0:
        return 1.0, 1.0
    if len(shape) == 1:
        return float(shape[0]), float(shape[0])
    field = float(prod(shape[:-2]))
    return shape[-2] * field, shape[-1] * field


class GlorotUniform(VarianceScaling):
    """Draws uniformly from +-sqrt(6 / (inputs + outputs)) (Glorot and Bengio 2010)."""

    fields: ClassVar[tuple[str, ...]] = ("seed",)

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Draws truncated normal numbers of variance 2 / (inputs + outputs) (Glorot 2010)."""

    fields: ClassVar[tuple[str, ...]] = ("seed",)

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Return an initializer: truncated normal, with variance 1 / inputs (LeCun et al. 1998)."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Return an initializer: uniform in +-sqrt(3 / inputs) (LeCun et al. 1998)."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Return an initializer: truncated normal, with variance 2 / inputs (He et al. 2015)."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Return an initializer: uniform in +-sqrt(6 / inputs) (He et al. 2015)."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


class Orthogonal(Initializer):
    """Draws a matrix whose rows or columns are orthogonal, times gain (Saxe et al. 2013)."""

    fields = ("gain", "seed")

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, floating(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        sizes = known_sizes(shape)
        if len(sizes) < 2:
            raise ShapeError(
                f"The tensor to initialize must be at least two-dimensional, not {sizes}"
            )
        rows, columns = prod(sizes[:-1]), sizes[-1]
        wide = rows < columns
        flat = [columns, rows] if wide else [rows, columns]
        drawn = self.source.normal(flat, dtype=self._chosen(dtype), seed=self.seed)
        q, r = matrices.qr(drawn)
        q *= elementwise.sign(matrices.tensor_diag_part(r))
        return self.gain * arrays.reshape(
            matrices.matrix_transpose(q) if wide else q, sizes
        )


class Identity(Initializer):
    """Makes an identity matrix, times gain."""

    fields = ("gain",)

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        self.gain, self.dtype = gain, floating(dtype)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        whole = _whole(shape, partition_info)
        if len(whole) != 2:
            raise ShapeError(
                f"Identity matrix initializer can only be used for 2D matrices, not {whole}"
            )
        wanted = self._chosen(dtype)
        made = eye(whole[0], whole[1], dtype=wanted)
        if partition_info is not None:
            made = cutting.slice(made, partition_info.var_offset, shape)
        return self.gain * made


def value_of(initializer: Any, shape: Any, dtype: Any) -> Any:
    """Return the first value of what is given as an initializer: a function, a class, a value."""
    if isinstance(initializer, type):
        initializer = initializer()
    if callable(initializer) and not isinstance(initializer, Operand):
        return initializer(shape, dtype=dtype)
    return framework.convert_to_tensor(initializer, dtype)


default_initializers["f"] = GlorotUniform
default_initializers["0"] = Zeros

constant_initializer = Constant
glorot_normal_initializer = GlorotNormal
glorot_uniform_initializer = GlorotUniform
ones_initializer = Ones
orthogonal_initializer = Orthogonal
random_normal_initializer = RandomNormal
random_uniform_initializer = RandomUniform
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
zeros_initializer = Zeros
