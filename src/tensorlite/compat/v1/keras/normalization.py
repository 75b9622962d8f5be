"""tf.keras.layers.BatchNormalization of version 1: images are normalized by one operator."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v1.functions import nn_functions
from tensorlite.compat.v1.keras.written import written_by
from tensorlite.compat.v1.layer_kinds.normalizing import Normalizing
from tensorlite.compat.v1.layer_kinds.renormalization import Renormalization
from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.src.layers import phases
from tensorlite.compat.v2.keras.src.layers.dropping import chosen
from tensorlite.compat.views import shown
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype


class BatchNormalization(Normalizing, layers.BatchNormalization):
    """Takes off the batch's mean and divides by its spread; in use, those seen in training.

    The operator for images estimates the variance that is averaged without bias. A layer that is
    not trainable takes the batch's moments as others do, and leaves its averages as they are.
    """

    asks_phase = False

    def __init__(self, *args: Any, fused: bool | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fused = fused

    def _may_train(self) -> bool:
        return True

    def _move(self, mean: Any, variance: Any, share: Any) -> None:
        if self.trainable:
            super()._move(mean, variance, share)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        made = written_by(self, self._written, inputs, training)
        if made is not NotImplemented:
            return made
        told = phases.here() if training is None else training
        if not self._is_fused(inputs):
            return super().call(inputs, told, mask)
        made, mean, variance = chosen(
            told,
            lambda: self._by_one(inputs),
            lambda: self._by_one(inputs, self.moving_mean, self.moving_variance),
        )
        if isinstance(told, Tensor):
            trains = astype(told, tl.bool)
            share = chosen(trains, self._share, lambda: tl.constant(0.0))
            self._move(mean, variance, share)
        elif told:
            self._move(mean, variance, self._share())
        return made

    def _written(self, inputs: Any, training: Any) -> Any:
        """Return inputs normalized by TensorFlow's nodes, which note how the averages move."""
        if self.renorm:
            self._corrections = self._as_corrections()
        self.over = [self.axis % inputs.get_shape().ndims]
        told = phases.here() if training is None else training
        return self.normalized(inputs, shown(told))

    def _as_corrections(self) -> Renormalization:
        """Return what renormalizes in graphs, by the averages that the layer has."""
        held: Any = self._renewed
        made = Renormalization(held.limits, held.momentum, self.epsilon)
        own: Any = self
        made.moving_stddev = own.moving_stddev
        made.mean, made.stddev = own.renorm_mean, own.renorm_stddev
        return made

    def _share(self) -> Any:
        """Return how much of a batch's moments the averages take on."""
        return tl.constant(1.0 - self.momentum, tl.float32)

    def _is_fused(self, inputs: Any) -> bool:
        """Return whether inputs are images of a dtype that the operator takes."""
        takes = inputs.dtype in {tl.float16, tl.bfloat16, tl.float32}
        images = len(inputs.shape) == 4 and self.axis in (1, 3, -1, -3)
        return takes and images and self.fused is not False

    def _by_one(self, x: Any, mean: Any = None, variance: Any = None) -> Any:
        """Return images normalized, and the moments that they were normalized by."""
        size = self.moving_mean.shape
        scale = tl.ones(size, dtype=tl.float32) if self.gamma is None else self.gamma
        shift = tl.zeros(size, dtype=tl.float32) if self.beta is None else self.beta
        form = "NCHW" if self.axis in (1, -3) else "NHWC"
        return nn_functions.fused_batch_norm(
            *(x, scale, shift, mean, variance, self.epsilon, form),
            is_training=mean is None,
        )
