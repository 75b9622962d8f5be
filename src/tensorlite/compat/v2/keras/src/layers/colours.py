"""Keras' layers that change images' colours in training, and how sharp they are."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.ops.imaging import gaussian_blur
from tensorlite.compat.v2.keras.src.layers.augmenting import (
    RandomBrightness,
    RandomContrast,
    RandomImages,
    drawn_between,
    of_each,
    range_of_values,
)
from tensorlite.compat.v2.keras.src.layers.convolutions import sizes_of
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype

_SMALL = 1e-7


class _Coloured(RandomImages):
    """A layer of a factor, that is drawn for each image, and of the range that values are in."""

    bounds = (0.0, 1.0)

    def __init__(
        self,
        factor: Any,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.factor = drawn_between(factor, *self.bounds)
        self.value_range = range_of_values(value_range)

    def drawn_for(self, images: Any) -> Any:
        return {"factor": self.between(*self.factor, images)}


def _ranged(images: Any, own: Any, wanted: Any) -> Any:
    """Return values of one range as those of another."""
    share = (images - own[0]) / (own[1] - own[0])
    return share * (wanted[1] - wanted[0]) + wanted[0]


class RandomHue(_Coloured):
    """Turns the hue of images in training."""

    def drawn_for(self, images: Any) -> Any:
        turned = self.between(0.0, 1.0, images) > 0.5
        share = self.between(*self.factor, images)
        return {"factor": tl.where(turned, -share, share) * 0.5}

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        shares = _ranged(images, self.value_range, (0.0, 1.0))
        hue, depth, value = tl.unstack(tl.image.rgb_to_hsv(shares), axis=-1)
        hue = hue + of_each(how["factor"], images)[..., 0]
        hue = tl.where(hue > 1.0, hue - 1.0, hue)
        hue = tl.where(hue < 0.0, hue + 1.0, hue)
        made = tl.image.hsv_to_rgb(tl.stack([hue, depth, value], axis=-1))
        return _ranged(tl.clip(made, 0.0, 1.0), (0.0, 1.0), self.value_range)


class RandomSaturation(_Coloured):
    """Makes colours paler or stronger in training."""

    bounds = (-1.0, 1.0)

    def drawn_for(self, images: Any) -> Any:
        share = self.between(*self.factor, images)
        return {"factor": share / (1.0 - share + _SMALL)}

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        hue, depth, value = tl.unstack(tl.image.rgb_to_hsv(images), axis=-1)
        depth = depth * of_each(how["factor"], images)[..., 0]
        low, high = self.value_range
        made = tl.stack([hue, tl.clip(depth, low, high), value], axis=-1)
        return tl.image.hsv_to_rgb(made)


class RandomSharpness(_Coloured):
    """Blurs or sharpens images in training."""

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        sharpness = of_each(how["factor"], images) * 2.0
        kernel = [[1.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 1.0, 1.0]]
        weights = tl.asarray(kernel, dtype=images.dtype)[..., None, None] / 13.0
        filters = tl.tile(weights, [1, 1, images.shape[-1], 1])
        smooth = tl.nn.depthwise_conv2d(images, filters, 1, "SAME")
        made = images + (1.0 - sharpness) * (smooth - images)
        return tl.clip(made, *self.value_range)


class RandomPosterization(_Coloured):
    """Leaves of each value so many bits of eight."""

    bounds = (1.0, 8.0)

    def drawn_for(self, images: Any) -> Any:
        bits = tl.floor(self.between(*self.factor, images))
        return {"shift_factor": 8.0 - bits}

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        step = 2.0 ** of_each(how["shift_factor"], images)
        whole = tl.floor(_ranged(images, self.value_range, (0.0, 255.0)))
        left = tl.floor(whole / step) * step
        return _ranged(left, (0.0, 255.0), self.value_range)


class RandomInvert(_Coloured):
    """Subtracts an image from the greatest value, as likely as the factor says."""

    def __init__(
        self,
        factor: Any = 1.0,
        value_range: Any = (0, 255),
        seed: Any = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(factor, value_range, data_format, seed, **kwargs)

    def drawn_for(self, images: Any) -> Any:
        return {"apply_inversion": self.happens(self.factor, images)}

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        is_inverted = tl.reshape(tl.asarray(how["apply_inversion"]), [-1, 1, 1, 1])
        return tl.where(is_inverted, self.value_range[1] - images, images)


class RandomGrayscale(RandomImages):
    """Takes an image's colour away, as likely as the factor says."""

    def __init__(
        self,
        factor: float = 0.5,
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        if not 0 <= factor <= 1:
            raise InvalidArgumentError(
                f"`factor` should be between 0 and 1. Received: factor={factor}"
            )
        self.factor = factor

    def drawn_for(self, images: Any) -> Any:
        return self.between(0.0, 1.0, images) < self.factor

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        return tl.where(how, tl.image.rgb_to_grayscale(images), images)


class RandomGaussianBlur(_Coloured):
    """Blurs an image, as likely as the factor says, by as much as sigma says."""

    def __init__(
        self,
        factor: Any = 1.0,
        kernel_size: Any = 3,
        sigma: Any = 1.0,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(factor, value_range, data_format, seed, **kwargs)
        self.kernel_size = tuple(sizes_of(kernel_size, 2))
        if any(n % 2 == 0 for n in self.kernel_size):
            raise InvalidArgumentError(
                f"kernel_size must be an odd number. Received: kernel_size={kernel_size}"
            )
        self.sigma = drawn_between(sigma, 0.0, 1.0)

    def drawn_for(self, images: Any) -> Any:
        return {
            "should_apply_blur": self.happens(self.factor, images),
            "blur_factor": self.uniform([2], *self.sigma) + 1e-6,
        }

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        spreads = astype(tl.asarray(how["blur_factor"]), images.dtype)
        blurred = gaussian_blur(images, self.kernel_size, spreads)
        is_blurred = tl.reshape(tl.asarray(how["should_apply_blur"]), [-1, 1, 1, 1])
        return tl.clip(tl.where(is_blurred, blurred, images), *self.value_range)


class Solarization(RandomImages):
    """Adds to values, and inverts those that reach a threshold."""

    def __init__(
        self,
        addition_factor: Any = 0.0,
        threshold_factor: Any = 0.0,
        value_range: Any = (0, 255),
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        self.addition_factor = drawn_between(addition_factor, 0.0, 1.0)
        self.threshold_factor = drawn_between(threshold_factor, 0.0, 1.0)
        self.value_range = range_of_values(value_range)

    def drawn_for(self, images: Any) -> Any:
        added, threshold = self.addition_factor, self.threshold_factor
        return {
            "additions": self.between(added[0], added[1] * 255.0, images),
            "thresholds": self.between(threshold[0], threshold[1] * 255.0, images),
        }

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        x = _ranged(images, self.value_range, (0.0, 255.0))
        x = tl.clip(x + of_each(how["additions"], images), 0.0, 255.0)
        x = tl.where(x < of_each(how["thresholds"], images), x, 255.0 - x)
        return _ranged(x, (0.0, 255.0), self.value_range)


class RandomColorJitter(RandomImages):
    """Changes brightness, contrast, saturation and hue, those whose factors are given."""

    def __init__(
        self,
        value_range: Any = (0, 255),
        brightness_factor: Any = None,
        contrast_factor: Any = None,
        saturation_factor: Any = None,
        hue_factor: Any = None,
        seed: Any = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.value_range = range_of_values(value_range)
        self.brightness_factor, self.contrast_factor = (
            brightness_factor,
            contrast_factor,
        )
        self.saturation_factor, self.hue_factor = saturation_factor, hue_factor
        kinds: list[tuple[Any, Any]] = [
            (RandomBrightness, brightness_factor),
            (RandomContrast, contrast_factor),
            (RandomSaturation, saturation_factor),
            (RandomHue, hue_factor),
        ]
        self._changes = [
            kind(factor, value_range=self.value_range, seed=seed)
            for kind, factor in kinds
            if factor is not None
        ]
        for layer in self._changes:
            layer.generator = self.generator

    def drawn_for(self, images: Any) -> Any:
        return [layer.drawn_for(images) for layer in self._changes]

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        for layer, drawn in zip(self._changes, how, strict=True):
            images = layer.changed(images, drawn)
        return images
