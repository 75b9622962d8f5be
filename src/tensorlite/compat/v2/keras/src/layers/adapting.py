"""Keras' layer that learns the scale of data before training.

Vocabularies are learnt in lookups.py and texts.py, bins in bins.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.categories import batches
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.shapes import TensorShape
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.arithmetic import broadcast_to


class Normalization(Layer):
    """Takes off a mean and divides by a spread, which are given or learnt from data."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(
        self,
        axis: Any = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        listed = () if axis is None else axis
        self.axis = tuple(listed) if isinstance(listed, (list, tuple)) else (listed,)
        self.invert = invert
        self.input_mean, self.input_variance = mean, variance
        self.mean: Any = None
        self.variance: Any = None
        if (mean is None) != (variance is None):
            raise InvalidArgumentError(
                "When setting values directly, both `mean` and `variance` must be set. Received: "
                f"mean={mean} and variance={variance}"
            )
        if np.ndim(mean) > len(self.axis) and mean is not None:
            raise InvalidArgumentError(
                "The rank of `mean` must be less than or equal to the number of axes "
                f"({len(self.axis)}). Received: mean shape {np.shape(mean)} for axis {self.axis}"
            )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "axis": self.axis,
            "mean": np.array(self.input_mean).tolist(),
            "variance": np.array(self.input_variance).tolist(),
        }

    def _kept_of(self, shape: Any) -> tuple[int, ...]:
        """Return the axes that have scales of their own, of inputs of a shape."""
        rank = len(shape)
        if any(not -rank <= x < rank for x in self.axis):
            raise InvalidArgumentError(
                "All `axis` values must be in the range [-ndim, ndim). Received inputs with "
                f"ndim={rank}, while axis={self.axis}"
            )
        kept = tuple(sorted(int(x) % rank for x in self.axis))
        unknown = [i for i in kept if shape[i] is None]
        if unknown:
            raise InvalidArgumentError(
                "All `axis` values to be kept must have a known shape. Received "
                f"axis={self.axis}, inputs.shape={shape}, with unknown axis at index {unknown[0]}"
            )
        return kept

    def build(self, input_shape: Any) -> None:
        kept = self._kept_of(input_shape)
        sizes = [int(input_shape[i]) for i in kept]
        self._kept = kept
        self._form = [x if i in kept else 1 for i, x in enumerate(input_shape)]
        if self.input_mean is not None:
            self.mean = self._formed(self.input_mean)
            self.variance = self._formed(self.input_variance)
        else:
            self.adapt_mean = self.add_weight(
                "mean", sizes, initializer="zeros", trainable=False
            )
            self.adapt_variance = self.add_weight(
                "variance", sizes, initializer="ones", trainable=False
            )
            self.count = self.add_weight(
                "count", (), dtype="int64", initializer="zeros", trainable=False
            )
            self._take_learnt()
        self.built = True

    def _formed(self, given: Any) -> Any:
        """Return numbers for the last of the kept axes, broadcast over the others."""
        made = tl.asarray(given, dtype=tl.float32)
        sizes = [1] * len(self._form)
        for axis, size in zip(
            self._kept[::-1], tuple(made.shape)[::-1], strict=False
        ):
            sizes[axis] = int(size)
        return broadcast_to(tl.reshape(made, sizes), self._form)

    def _take_learnt(self) -> None:
        self.mean = tl.reshape(self.adapt_mean.value(), self._form)
        self.variance = tl.reshape(self.adapt_variance.value(), self._form)

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn mean and variance from data."""
        parts = list(self._parts_of(data, steps))
        if not parts:
            raise InvalidArgumentError(
                "adapt() received an empty iterable (no batches): there is nothing to learn from"
            )
        if not self.built:
            self.build_with(TensorShape((None, *parts[0].shape[1:])))
        for part in parts:
            self._check_part(part)
        rows = np.concatenate(parts)
        axes = tuple(i for i in range(rows.ndim) if i not in self._kept)
        self.adapt_mean.assign(rows.mean(axes).astype(np.float32))
        self.adapt_variance.assign(rows.var(axes).astype(np.float32))
        self._take_learnt()

    def _parts_of(self, data: Any, steps: Any) -> Iterator[Any]:
        for x in batches(data, steps):
            part = x.numpy()
            if part.dtype.kind not in "biuf" or not part.ndim:
                raise TypeError(
                    "adapt() expects arrays or tensors of numbers with a `.shape`, got elements "
                    f"of dtype {x.dtype} and shape {part.shape}"
                )
            yield part.astype(np.float64)[(...,) + (None,) * (part.ndim == 1)]

    def _check_part(self, part: Any) -> None:
        fits = part.ndim == len(self._form)
        if not fits or any(part.shape[i] != self._form[i] for i in self._kept):
            raise ShapeError(
                f"The layer was built for inputs of the form {self._form}, but adapt() is being "
                f"called with data with an incompatible shape, data.shape={part.shape}"
            )

    def call(self, inputs: Any) -> Any:
        x = astype(inputs, tl.float32)
        if self.input_mean is not None:
            mean, variance = self.mean, self.variance
        else:  # the weights themselves, which a graph reads when it runs
            mean = tl.reshape(self.adapt_mean, self._form)
            variance = tl.reshape(self.adapt_variance, self._form)
        spread = tl.maximum(tl.sqrt(variance), 1e-7)
        return mean + x * spread if self.invert else (x - mean) / spread
