"""Keras' layers that change images at random in training, and let them be otherwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.base_layer import Layer
from tensorlite.compat.v2.keras.layers_core import chosen
from tensorlite.compat.v2.keras.layers_more import CenterCrop
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.shape import astype, shape_of


class _Random(Layer):
    """A layer that changes images in training; `changed` gets a batch of them."""

    def __init__(self, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        x = astype(inputs, tl.float32)

        def during() -> Any:
            return self.changed(x) if len(x.shape) == 4 else self.changed(x[None])[0]

        return chosen(training, during, lambda: tl.identity(x))

    def changed(self, images: Any) -> Any:
        raise NotImplementedError("a layer that changes images has a method changed")

    def drawn(self, images: Any, low: float, high: float) -> Any:
        """Return a number for each image."""
        return tl.random.uniform([shape_of(images)[0]], low, high)


def _bounds(factor: Any, lowest: float | None = None) -> tuple[float, float]:
    if isinstance(factor, (list, tuple)):
        return float(factor[0]), float(factor[1])
    least = -float(factor)
    return (least if lowest is None else max(least, lowest)), float(factor)


class RandomFlip(_Random):
    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        if mode not in {"horizontal", "vertical", "horizontal_and_vertical"}:
            raise InvalidArgumentError(
                f"RandomFlip: mode={mode!r}; it is horizontal, vertical or horizontal_and_vertical"
            )
        self.mode = mode

    def changed(self, images: Any) -> Any:
        for axis, name in ((2, "horizontal"), (1, "vertical")):
            if name in self.mode:
                turned = self.drawn(images, 0.0, 1.0)[:, None, None, None] < 0.5
                images = tl.where(turned, tl.flip(images, axis=axis), images)
        return images


class RandomContrast(_Random):
    def __init__(self, factor: Any, seed: Any = None, **kwargs: Any) -> None:
        kwargs.pop("value_range", None)
        super().__init__(seed, **kwargs)
        self.factor = factor

    def changed(self, images: Any) -> Any:
        low, high = _bounds(self.factor)
        share = 1.0 + self.drawn(images, low, high)[:, None, None, None]
        middle = tl.mean(images, axis=(1, 2), keepdims=True)
        return (images - middle) * share + middle


class RandomBrightness(_Random):
    def __init__(
        self,
        factor: Any,
        value_range: Any = (0, 255),
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        self.factor, self.value_range = factor, value_range

    def changed(self, images: Any) -> Any:
        low, high = _bounds(self.factor)
        least, most = map(float, self.value_range)
        more = self.drawn(images, low, high)[:, None, None, None] * (most - least)
        return tl.clip(images + more, least, most)


class RandomCrop(CenterCrop):
    """Takes a part of images: anywhere in training, else the middle."""

    def __init__(
        self, height: int, width: int, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(height, width, **kwargs)
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        def during() -> Any:
            sizes = [*inputs.shape[:-3], self.height, self.width, inputs.shape[-1]]
            return tl.image.random_crop(inputs, sizes)

        return chosen(training, during, lambda: CenterCrop.call(self, inputs))


class _Moving(_Random):
    """A layer that takes each place's colour from elsewhere in the image."""

    def __init__(
        self,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: Any = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        if fill_mode not in {"reflect", "wrap", "constant", "nearest"}:
            raise InvalidArgumentError(
                f"fill_mode={fill_mode!r}; it is reflect, wrap, constant or nearest"
            )
        self.fill_mode, self.fill_value = fill_mode, float(fill_value)
        self.interpolation = interpolation

    def changed(self, images: Any) -> Any:
        rows, columns = int(images.shape[1]), int(images.shape[2])
        y, x = np.mgrid[:rows, :columns].astype(np.float32)
        middle = (rows - 1) / 2, (columns - 1) / 2
        ys, xs = self.places(images, y - middle[0], x - middle[1])
        return self._taken(images, ys + middle[0], xs + middle[1])

    def places(self, images: Any, y: Any, x: Any) -> tuple[Any, Any]:
        """Return whence each place is taken; places count from the middle."""
        raise NotImplementedError("a layer that moves images has a method places")

    def _taken(self, images: Any, y: Any, x: Any) -> Any:
        if self.interpolation == "nearest":
            return self._at(images, tl.round(y), tl.round(x))
        top, left = tl.floor(y), tl.floor(x)
        down, right = (y - top)[..., None], (x - left)[..., None]
        upper = self._at(images, top, left) * (1 - right)
        upper = upper + self._at(images, top, left + 1) * right
        lower = self._at(images, top + 1, left) * (1 - right)
        lower = lower + self._at(images, top + 1, left + 1) * right
        return upper * (1 - down) + lower * down

    def _at(self, images: Any, y: Any, x: Any) -> Any:
        rows, columns = int(images.shape[1]), int(images.shape[2])
        own_y, own_x = self._inside(y, rows), self._inside(x, columns)
        flat = tl.reshape(images, [-1, rows * columns, images.shape[-1]])
        numbers = tl.reshape(own_y * columns + own_x, [-1, rows * columns])
        found = tl.reshape(
            tl.gather(flat, numbers, axis=1, batch_dims=1), shape_of(images)
        )
        if self.fill_mode != "constant":
            return found
        there = (y >= 0) & (y <= rows - 1) & (x >= 0) & (x <= columns - 1)
        return tl.where(there[..., None], found, self.fill_value)

    def _inside(self, places: Any, size: int) -> Any:
        whole = astype(places, tl.int32)
        if self.fill_mode == "wrap":
            return tl.remainder(whole, size)
        if self.fill_mode == "reflect":
            turn = tl.remainder(whole, 2 * size)
            return tl.minimum(turn, 2 * size - 1 - turn)
        return tl.clip(whole, 0, size - 1)


class RandomRotation(_Moving):
    def __init__(self, factor: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.factor = factor

    def places(self, images: Any, y: Any, x: Any) -> tuple[Any, Any]:
        low, high = _bounds(self.factor)
        angle = self.drawn(images, low * 2 * math.pi, high * 2 * math.pi)[
            :, None, None
        ]
        sine, cosine = tl.sin(angle), tl.cos(angle)
        return cosine * y - sine * x, sine * y + cosine * x


class RandomTranslation(_Moving):
    def __init__(
        self, height_factor: Any, width_factor: Any, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor

    def places(self, images: Any, y: Any, x: Any) -> tuple[Any, Any]:
        down = self.drawn(images, *_bounds(self.height_factor))[:, None, None]
        right = self.drawn(images, *_bounds(self.width_factor))[:, None, None]
        return y - down * images.shape[1], x - right * images.shape[2]


class RandomZoom(_Moving):
    def __init__(
        self, height_factor: Any, width_factor: Any = None, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor

    def places(self, images: Any, y: Any, x: Any) -> tuple[Any, Any]:
        tall = 1.0 + self.drawn(images, *_bounds(self.height_factor, -0.999))
        wide = tall
        if self.width_factor is not None:
            wide = 1.0 + self.drawn(images, *_bounds(self.width_factor, -0.999))
        return y * tall[:, None, None], x * wide[:, None, None]
