"""Keras' layers that spread the values of images, or take colour from them at random."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.ops.imaging import channels_back, channels_last
from tensorlite.compat.v2.keras.src.layers.augmenting import (
    RandomImages,
    drawn_between,
)
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.math.quotients import divide_no_nan


class _Spread(Layer):
    """A layer that spreads the values of each channel of each image over a range."""

    def __init__(
        self,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.value_range, self.data_format = tuple(value_range), data_format

    def call(self, inputs: Any) -> Any:
        x = astype(inputs, self.compute_dtype)
        batch = x if len(x.shape) == 4 else x[None]
        form = self.data_format or defaults.image_data_format()
        made = channels_back(self.spread(channels_last(batch, form)), form)
        return made if len(x.shape) == 4 else made[0]

    def spread(self, images: Any) -> Any:
        """Return images whose values are spread, those of each channel by themselves."""
        raise NotImplementedError("a layer that spreads values has a method spread")


class AutoContrast(_Spread):
    """Stretches what values there are over the whole range."""

    def spread(self, images: Any) -> Any:
        """Return images whose values span value_range in each channel."""
        first, last = (float(x) for x in self.value_range)
        low = tl.min(images, axis=(1, 2), keepdims=True)
        width = tl.max(images, axis=(1, 2), keepdims=True) - low
        is_flat = width == 0.0
        share = (images - low) / tl.where(is_flat, 1.0, width)
        return tl.where(is_flat, images, first + share * (last - first))


class Equalization(_Spread):
    """Gives each value of a channel the share of the batch's pixels that have at most it."""

    def __init__(
        self,
        value_range: Any = (0, 255),
        bins: int = 256,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, data_format, **kwargs)
        self.bins = int(bins)

    def spread(self, images: Any) -> Any:
        """Return images whose values are spread evenly over value_range."""
        first, last = (float(x) for x in self.value_range)
        shares = (tl.clip(images, first, last) - first) / (last - first)
        places = astype(shares * (self.bins - 1), tl.int32)
        sizes = shape_of(images)
        rows = tl.reshape(tl.moveaxis(places, 3, 0), [sizes[3], -1])
        counts = tl.sum(tl.one_hot(rows, self.bins, dtype=tl.float32), axis=1)
        steps = tl.cumulative_sum(counts, axis=1)
        whole = steps[:, -1:]
        lowest = tl.min(tl.where(steps > 0, steps, whole), axis=1, keepdims=True)
        levels = tl.round(divide_no_nan((steps - lowest) * 255.0, whole - lowest))
        levels = first + tl.clip(levels, 0.0, 255.0) / 255.0 * (last - first)
        made = tl.take_along_axis(levels, rows, axis=1)
        shape = tl.stack([sizes[3], sizes[0], sizes[1], sizes[2]])
        equal = astype(tl.moveaxis(tl.reshape(made, shape), 0, 3), images.dtype)
        return tl.where(tl.reshape(whole == lowest, [-1]), images, equal)


class RandomColorDegeneration(RandomImages):
    """Brings images nearer to grey."""

    def __init__(
        self,
        factor: Any,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.factor = drawn_between(factor, 0.0, 1.0)
        self.value_range = tuple(value_range)

    def drawn_for(self, images: Any) -> Any:
        return self.between(*self.factor, images)

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        shares = tl.asarray([0.2989, 0.587, 0.114], dtype=images.dtype)
        grey = tl.sum(images * shares, axis=-1, keepdims=True)
        return images + how * (grey - images)
