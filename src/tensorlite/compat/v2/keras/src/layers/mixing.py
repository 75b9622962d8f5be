"""Keras' layers that mix images of a batch, erase parts of them, or chain other changes."""

from __future__ import annotations

import random as python_random
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import random
from tensorlite.compat.v2.keras.src.layers.augmenting import (
    RandomBrightness,
    RandomContrast,
    RandomImages,
    RandomRotation,
    RandomShear,
    RandomTranslation,
    drawn_between,
    of_each,
)
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.colours import (
    RandomPosterization,
    RandomSharpness,
    Solarization,
)
from tensorlite.compat.v2.keras.src.layers.contrast import (
    AutoContrast,
    Equalization,
    RandomColorDegeneration,
)
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of


class MixUp(RandomImages):
    """Adds to each image a share of another, to labels as well."""

    moves = mixes = True

    def __init__(
        self,
        alpha: float = 0.2,
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.alpha = alpha

    def drawn_for(self, images: Any) -> Any:
        count = shape_of(images)[0]
        order = random.shuffle(tl.arange(count), seed=self.generator)
        share = random.beta([count], self.alpha, self.alpha, seed=self.generator)
        return {"mix_weight": share, "permutation_order": order}

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        others = tl.gather(images, how["permutation_order"], axis=0)
        share = of_each(how["mix_weight"], images)
        return share * images + (1.0 - share) * others

    def mixed(self, labels: Any, how: Any) -> Any:
        """Return labels mixed by the shares by which images are."""
        return _mixed(labels, how)


def _mixed(labels: Any, how: Any) -> Any:
    """Return labels and those of other images, each with its share."""
    others = tl.gather(labels, how["permutation_order"], axis=0)
    sizes = [-1, *[1] * (len(labels.shape) - 1)]
    share = astype(tl.reshape(tl.asarray(how["mix_weight"]), sizes), labels.dtype)
    return share * labels + (1.0 - share) * others


def boxes_of(layer: RandomImages, images: Any, share: tuple[Any, Any]) -> Any:
    """Return what lies in a box at a place drawn for each image, and which part of it that is.

    The box takes a share of the rows and one of the columns, a number for each image.
    """
    count, rows, columns = shape_of(images)[:3]
    inside: Any = True
    part: Any = 1.0
    for size, axis, own in ((columns, 2, share[1]), (rows, 1, share[0])):
        whole = astype(size, tl.float32)
        length = tl.reshape(own, [-1, 1, 1, 1]) * whole
        start = layer.uniform([count, 1, 1, 1], 0.0, 1.0) * (whole - length)
        sizes = [1, -1, 1, 1] if axis == 1 else [1, 1, -1, 1]
        at = tl.reshape(astype(tl.arange(size), tl.float32), sizes)
        inside = (at >= start) & (at < start + length) & inside
        part = part * (length / whole)
    return inside, part


class CutMix(RandomImages):
    """Puts a part of another image into each, and as much of its label into the label."""

    moves = mixes = True

    def __init__(
        self,
        factor: Any = 1.0,
        seed: Any = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.factor = drawn_between(factor, 0.0, 1.0)

    def drawn_for(self, images: Any) -> Any:
        count = shape_of(images)[0]
        alpha = self.uniform([], *self.factor) + 1e-6
        left = random.beta([count], alpha, alpha, seed=self.generator)
        side = tl.sqrt(1.0 - left)
        inside, part = boxes_of(self, images, (side, side))
        order = random.shuffle(tl.arange(count), seed=self.generator)
        return {
            "permutation_order": order,
            "batch_masks": inside,
            "mix_weight": 1.0 - part,
        }

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        others = tl.gather(images, how["permutation_order"], axis=0)
        return tl.where(how["batch_masks"], others, images)

    def mixed(self, labels: Any, how: Any) -> Any:
        """Return labels mixed by the shares of the images' area."""
        return _mixed(labels, how)


class RandomErasing(RandomImages):
    """Fills a part of an image, as likely as the factor says."""

    def __init__(
        self,
        factor: Any = 1.0,
        scale: Any = (0.02, 0.33),
        fill_value: Any = None,
        value_range: Any = (0, 255),
        seed: Any = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.factor = drawn_between(factor, 0.0, 1.0)
        self.scale = drawn_between(scale, 0.0, 1.0)
        if isinstance(fill_value, (list, tuple)) and len(fill_value) != 3:
            raise InvalidArgumentError(
                "The `fill_value` argument should be a number (or a list of three numbers). "
                f"Received: fill_value={fill_value}"
            )
        self.fill_value, self.value_range = fill_value, value_range

    def drawn_for(self, images: Any) -> Any:
        sides = tl.sqrt(self.uniform([shape_of(images)[0], 2], *self.scale))
        inside, _ = boxes_of(self, images, (sides[:, 1], sides[:, 0]))
        return {
            "apply_erasing": self.happens(self.factor, images),
            "batch_masks": inside,
            "fill_value": tl.clip(self._filling(images), *self.value_range),
        }

    def _filling(self, images: Any) -> Any:
        if self.fill_value is not None:
            return tl.asarray(self.fill_value, dtype=images.dtype)
        noise = random.normal(shape_of(images), seed=self.generator)
        return astype(noise, images.dtype) * float(self.value_range[1])

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        is_erased = tl.reshape(tl.asarray(how["apply_erasing"]), [-1, 1, 1, 1])
        filling = astype(tl.asarray(how["fill_value"]), images.dtype)
        return tl.where(is_erased & how["batch_masks"], filling, images)


class _Chosen(RandomImages):
    """A layer that makes some changes out of many."""

    moves = True

    def __init__(
        self,
        value_range: Any,
        factor: Any,
        interpolation: str,
        seed: Any,
        data_format: str | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, data_format, **kwargs)
        self.value_range, self.interpolation = value_range, interpolation
        self.factor = two = drawn_between(factor, 0.0, 1.0)
        moving = {"interpolation": interpolation, "seed": seed}
        ranged = {"value_range": value_range, "seed": seed}
        self._colours: dict[str, Any] = {
            "solarization": Solarization(two, two, **ranged),
            "random_posterization": RandomPosterization(
                max(1, int(8 * two[1])), **ranged
            ),
            "auto_contrast": AutoContrast(value_range),
            "equalization": Equalization(value_range),
        }
        self._shades: dict[str, Any] = {
            "random_brightness": RandomBrightness(two, **ranged),
            "random_color_degeneration": RandomColorDegeneration(two, **ranged),
            "random_contrast": RandomContrast(two, **ranged),
            "random_sharpness": RandomSharpness(two, **ranged),
        }
        self._moves: dict[str, Any] = {
            "random_shear": RandomShear(two, two, **moving),
            "random_translation": RandomTranslation(two, two, **moving),
            "random_rotation": RandomRotation(two, **moving),
        }


def _drawn(layer: Any, images: Any) -> Any:
    return layer.drawn_for(images) if isinstance(layer, RandomImages) else None


def _applied(layer: Any, images: Any, how: Any, are_masks: bool) -> Any:
    """Return images changed by a layer, which leaves masks as they are unless it moves places."""
    if are_masks and not getattr(layer, "moves", False):
        return images
    if isinstance(layer, RandomImages):
        return astype(layer.changed(images, how, are_masks), images.dtype)
    return layer.spread(images)


class RandAugment(_Chosen):
    """Makes some changes, drawn from eleven for each batch."""

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_ops: int = 2,
        factor: Any = 0.5,
        interpolation: str = "bilinear",
        seed: Any = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            value_range, factor, interpolation, seed, data_format, **kwargs
        )
        self.num_ops = num_ops

    def _all(self) -> list[Any]:
        groups = (self._moves, self._shades, self._colours)
        return [layer for group in groups for layer in group.values()]

    def drawn_for(self, images: Any) -> Any:
        layers = self._all()
        places = self.uniform([self.num_ops], 0.0, float(len(layers)))
        return {
            "transforms": [_drawn(layer, images) for layer in layers],
            "layer_idxes": astype(places, tl.int32),
        }

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        both = list(zip(self._all(), how["transforms"], strict=True))
        for number in range(self.num_ops):
            now = images
            changes = [
                lambda layer=layer, drawn=drawn, now=now: _applied(
                    layer, now, drawn, are_masks
                )
                for layer, drawn in both
            ]
            images = tl.switch_case(how["layer_idxes"][number], changes)
        return images


class AugMix(_Chosen):
    """Adds up what chains of changes make of images, and them as they were."""

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_chains: int = 3,
        chain_depth: int = 3,
        factor: Any = 0.3,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: str = "bilinear",
        seed: Any = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            value_range, factor, interpolation, seed, data_format, **kwargs
        )
        self.num_chains, self.chain_depth = num_chains, chain_depth
        self.alpha, self.all_ops = alpha, all_ops

    def drawn_for(self, images: Any) -> Any:
        groups = [self._moves, self._colours, *([self._shades] * self.all_ops)]
        layers = [layer for group in groups for layer in group.values()]
        chains = []
        for _ in range(self.num_chains):
            picked = python_random.choices([*layers, None], k=self.chain_depth)  # noqa: S311
            chains.append([(x, _drawn(x, images)) for x in picked if x is not None])
        parts = random.gamma([self.num_chains], self.alpha, seed=self.generator)
        return {
            "chain_mixing_weights": parts / tl.sum(parts),
            "weight_sample": random.beta(
                (), self.alpha, self.alpha, seed=self.generator
            ),
            "chain_transforms": chains,
        }

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        total: Any = 0.0
        for number, chain in enumerate(how["chain_transforms"]):
            made = images
            for layer, drawn in chain:
                made = _applied(layer, made, drawn, are_masks)
            share = astype(how["chain_mixing_weights"][number], images.dtype)
            total = total + made * share
        own = astype(how["weight_sample"], images.dtype)
        mixed = own * images + (1.0 - own) * total
        return mixed if are_masks else tl.clip(mixed, *self.value_range)


class MaxNumBoundingBoxes(Layer):
    """Lets every image have as many boxes: those too many are left out, others are filled in."""

    def __init__(self, max_number: int, fill_value: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_number, self.fill_value = int(max_number), int(fill_value)

    def call(self, inputs: Any, training: Any = True) -> Any:
        if not isinstance(inputs, dict) or "bounding_boxes" not in inputs:
            return inputs
        given = inputs["bounding_boxes"]
        fitted = {key: self._fitted(given[key]) for key in ("boxes", "labels")}
        return {**inputs, "bounding_boxes": {**given, **fitted}}

    def _fitted(self, rows: Any) -> Any:
        x = tl.asarray(rows)[:, : self.max_number]
        missing = self.max_number - shape_of(x)[1]
        widths = [[0, 0], [0, missing], *[[0, 0]] * (len(x.shape) - 2)]
        filled = tl.pad(
            x, widths, "constant", tl.asarray(self.fill_value, dtype=x.dtype)
        )
        sizes = [shape_of(x)[0], self.max_number, *x.spec.dims[2:]]
        return tl.reshape(filled, sizes)
