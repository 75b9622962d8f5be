"""Keras' layers that make images taller or wider at random in training, not otherwise."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers.augmenting import RandomImages
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of


class _Stretching(RandomImages):
    """Draws the share by which all images of a batch become longer along one axis."""

    moves = True
    axis: int
    """Which of rows and columns there are other numbers of."""

    def __init__(
        self,
        factor: Any,
        interpolation: str = "bilinear",
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        self.factor, self.interpolation = factor, interpolation
        two = factor if isinstance(factor, (list, tuple)) else (-factor, factor)
        self._low, self._high = two
        if self._high < self._low:
            raise InvalidArgumentError(
                "`factor` argument cannot have an upper bound lesser than the lower bound. "
                f"Received: factor={factor}"
            )
        if self._low < -1.0 or self._high < -1.0:
            raise InvalidArgumentError(
                f"`factor` argument must have values larger than -1. Received: factor={factor}"
            )

    def drawn_for(self, images: Any) -> Any:
        return self.uniform((), 1.0 + self._low, 1.0 + self._high)

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        sizes = list(tl.unstack(shape_of(images)[1:3], num=2))
        longer = astype(sizes[self.axis], tl.float32) * how
        sizes[self.axis] = astype(longer, tl.int32)
        method = "nearest" if are_masks else self.interpolation
        return tl.image.resize(images, tl.stack(sizes), method)

    def get_config(self) -> dict[str, Any]:
        found = super().get_config()
        del found["data_format"]  # which Keras' has not
        return found

    def compute_output_shape(self, input_shape: Any) -> Any:
        place = len(input_shape) - 3 + self.axis
        return (*input_shape[:place], None, *input_shape[place + 1 :])


class RandomHeight(_Stretching):
    """Images with another number of rows."""

    axis = 0


class RandomWidth(_Stretching):
    """Images with another number of columns."""

    axis = 1
