"""Keras' layers that change images at random in training, and let them be otherwise."""

from __future__ import annotations

import math
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import checking, defaults, seeding
from tensorlite.compat.v2.keras.ops.imaging import (
    channels_back,
    channels_last,
    perspective_transform,
)
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.dropping import chosen
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.images.projections import FILLINGS, projected


class RandomImages(Layer):
    """A layer that changes images in training, alone or in a dict with what belongs to them."""

    moves = False
    """Whether places are moved, those of segmentation masks as well."""
    mixes = False
    """Whether images of a batch are mixed, and their labels as well."""

    def __init__(
        self, seed: Any = None, data_format: str | None = None, **kwargs: Any
    ) -> None:
        boxes = kwargs.pop("bounding_box_format", None)
        if boxes is not None:
            raise InvalidArgumentError(
                f"{type(self).__name__}: bounding_box_format={boxes!r}; bounding boxes are not "
                "served, images, labels and segmentation masks are"
            )
        super().__init__(**kwargs)
        self.seed, self.data_format = (
            seed,
            data_format or defaults.image_data_format(),
        )
        self.generator = seeding.generator(seed)

    def call(self, inputs: Any, training: Any = True) -> Any:
        if not isinstance(inputs, dict):
            return self._images(inputs, training)
        images = inputs["images"]
        how = self.drawn_for(self._batch(images))
        made = {**inputs, "images": self._images(images, training, how)}
        masks, labels = inputs.get("segmentation_masks"), inputs.get("labels")
        if self.moves and masks is not None:
            made["segmentation_masks"] = self._images(masks, training, how, True)
        if self.mixes and labels is not None:
            made["labels"] = self.transform_labels(labels, how, training)
        return made

    def get_random_transformation(
        self, data: Any, training: bool = True, seed: Any = None
    ) -> Any:
        """Return what is drawn for images, None where nothing is changed."""
        images = data["images"] if isinstance(data, dict) else data
        return self.drawn_for(self._batch(images)) if training else None

    def transform_images(
        self, images: Any, transformation: Any = None, training: Any = True
    ) -> Any:
        """Return images changed as was drawn."""
        return self._images(images, training, transformation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: Any = True
    ) -> Any:
        """Return masks moved as their images are."""
        if not self.moves:
            return segmentation_masks
        return self._images(segmentation_masks, training, transformation, True)

    def transform_labels(
        self, labels: Any, transformation: Any, training: Any = True
    ) -> Any:
        """Return the labels of images changed as was drawn."""
        if not self.mixes:
            return labels
        x = astype(tl.asarray(labels), self.compute_dtype)
        return chosen(training, lambda: self.mixed(x, transformation), lambda: x)

    def mixed(self, labels: Any, how: Any) -> Any:
        """Return labels mixed as their images are."""
        raise NotImplementedError("a layer that mixes images has a method mixed")

    def _images(
        self, images: Any, training: Any, how: Any = None, are_masks: bool = False
    ) -> Any:
        x = astype(images, self.compute_dtype)

        def during() -> Any:
            batch = self._batch(x)
            drawn = self.drawn_for(batch) if how is None else how
            made = astype(self.changed(batch, drawn, are_masks), x.dtype)
            made = channels_back(made, self.data_format)
            return made if len(x.shape) == 4 else made[0]

        return chosen(training, during, lambda: tl.identity(x))

    def _batch(self, images: Any) -> Any:
        x = channels_last(astype(images, self.compute_dtype), self.data_format)
        return x if len(x.shape) == 4 else x[None]

    def drawn_for(self, images: Any) -> Any:
        """Return what is drawn for a batch of images."""
        raise NotImplementedError(
            "a layer that changes images has a method drawn_for"
        )

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        """Return a batch of images changed as was drawn."""
        raise NotImplementedError("a layer that changes images has a method changed")

    def between(self, low: float, high: float, images: Any) -> Any:
        """Return a number for each image, as large as one of its elements."""
        shape = [shape_of(images)[0], 1, 1, 1]
        return self.uniform(shape, low, high)

    def uniform(self, shape: Any, low: float, high: float) -> Any:
        """Return numbers between two, by the layer's generator if it has one."""
        if self.generator is None:
            return tl.random.uniform(shape, low, high)
        return seeding.uniform(shape, low, high, seed=self.generator)

    def happens(self, factor: tuple[float, float], images: Any) -> Any:
        """Return for each image whether it is changed, as likely as a number that is drawn."""
        likely = self.between(*factor, images)
        return self.between(0.0, 1.0, images) < likely


def of_each(numbers: Any, like: Any) -> Any:
    """Return a number for each image, in the shape and dtype that images are changed by."""
    return astype(tl.reshape(tl.asarray(numbers), [-1, 1, 1, 1]), like.dtype)


def _range(factor: Any, lowest: float = -math.inf) -> tuple[float, float]:
    """Return what is drawn between."""
    if isinstance(factor, (list, tuple)):
        if len(factor) != 2:
            raise InvalidArgumentError(
                f"factor={factor}: a number, or a list of two numbers"
            )
        low, high = sorted(factor)
        return float(low), float(high)
    size = abs(float(factor))
    return max(-size, lowest), size


def drawn_between(factor: Any, lowest: float, highest: float) -> tuple[float, float]:
    """Return what is drawn between: two numbers, or a number around zero, within bounds."""
    if isinstance(factor, (list, tuple)):
        two = sorted(factor)
    else:
        two = [max(-abs(factor), lowest), factor]
    if len(two) != 2 or not lowest <= two[0] <= two[1] <= highest:
        raise InvalidArgumentError(
            "The `factor` argument should be a number (or a list of two numbers) in the range "
            f"[{lowest}, {highest}]. Received: factor={factor}"
        )
    return float(two[0]), float(two[1])


def range_of_values(given: Any) -> tuple[float, float]:
    """Return the least and the greatest value that images may have."""
    if not isinstance(given, (list, tuple)) or len(given) != 2:
        raise InvalidArgumentError(
            "The `value_range` argument should be a list of two numbers. Received: "
            f"value_range={given}"
        )
    low, high = sorted(given)
    return low, high


class RandomFlip(RandomImages):
    """Turns images over in training, each way as likely as not.

    mode is "horizontal", "vertical" or "horizontal_and_vertical".
    """

    moves = True

    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        if mode not in {"horizontal", "vertical", "horizontal_and_vertical"}:
            raise InvalidArgumentError(
                f"RandomFlip: mode={mode!r}; it is horizontal, vertical or horizontal_and_vertical"
            )
        self.mode = mode

    def drawn_for(self, images: Any) -> Any:
        return self.between(0.0, 1.0, images) <= 0.5

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        for axis, name in ((2, "horizontal"), (1, "vertical")):
            if name in self.mode:
                images = tl.where(how, tl.flip(images, axis=axis), images)
        return images


class RandomContrast(RandomImages):
    """Moves values of images from their mean, or towards it, in training."""

    def __init__(
        self,
        factor: Any,
        value_range: Any = (0, 255),
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        self.factor, self.value_range = _range(factor, 0.0), value_range

    def drawn_for(self, images: Any) -> Any:
        low, high = self.factor
        return self.between(1.0 - low, 1.0 + high, images)

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        share = astype(how, images.dtype)
        middle = tl.mean(images, axis=(1, 2), keepdims=True)
        return tl.clip((images - middle) * share + middle, *self.value_range)


class RandomBrightness(RandomImages):
    """Adds the same number to all values of an image in training."""

    def __init__(
        self,
        factor: Any,
        value_range: Any = (0, 255),
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        self.factor, self.value_range = _range(factor, -1.0), sorted(value_range)

    def drawn_for(self, images: Any) -> Any:
        least, most = self.value_range
        return self.between(*self.factor, images) * float(most - least)

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        return tl.clip(images + astype(how, images.dtype), *self.value_range)


class RandomCrop(RandomImages):
    """Takes a part of images: anywhere in training, else the middle, enlarged if they are small."""

    moves = True

    def __init__(
        self, height: int, width: int, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        self.height, self.width = height, width

    def call(self, inputs: Any, training: Any = True) -> Any:
        return super().call(inputs, training)

    def drawn_for(self, images: Any) -> Any:
        rows, columns = images.shape[1], images.shape[2]
        if rows > self.height and columns > self.width:
            return [
                astype(self._start(spare), tl.int32)
                for spare in (rows - self.height, columns - self.width)
            ]
        tall = max(min(rows, int(float(columns * self.height) / self.width)), 1)
        wide = max(min(columns, int(float(rows * self.width) / self.height)), 1)
        return [(rows - tall) // 2, (columns - wide) // 2]

    def _start(self, spare: int) -> Any:
        return self.uniform((), 0.0, spare + 1.0)

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        top, left = how
        part = images[:, top : top + self.height, left : left + self.width]
        size = (self.height, self.width)
        if tuple(part.shape[1:3]) == size:
            return part
        return tl.image.resize(part, size)


class _Moving(RandomImages):
    """A layer that takes each place's colour from elsewhere in the image, by a projection."""

    moves = True

    def __init__(
        self,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: Any = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        if fill_mode not in FILLINGS:
            raise InvalidArgumentError(
                f"fill_mode={fill_mode!r}; it is {', '.join(FILLINGS)}"
            )
        self.fill_mode, self.fill_value = fill_mode, float(fill_value)
        self.interpolation = interpolation

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        rows, columns = (astype(x, tl.float32) for x in shape_of(images)[1:3])
        affine = self.map(how, rows, columns)
        numbers = [tl.broadcast_to(x, shape_of(how[0])) for x in (*affine, 0.0, 0.0)]
        maps = tl.concat(numbers, axis=1)
        way = "nearest" if are_masks else self.interpolation
        return projected(images, maps, way, self.fill_mode, self.fill_value)

    def map(self, how: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
        """Return the six numbers that say whence a column and a row are taken."""
        raise NotImplementedError("a layer that moves images has a method map")

    def each(self, low: float, high: float, images: Any) -> Any:
        """Return a row of one number for each image."""
        return self.between(low, high, images)[:, :, 0, 0]


class RandomRotation(_Moving):
    """Turns images in training by an angle, factor being a share of a whole turn."""

    def __init__(self, factor: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.factor = _range(factor)

    def drawn_for(self, images: Any) -> Any:
        low, high = self.factor
        return (self.each(low * 360.0, high * 360.0, images),)

    def map(self, how: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
        """Return the six numbers of a turn around the middle by an angle in degrees."""
        angle = how[0] * (math.pi / 180.0)
        sine, cosine = tl.sin(angle), tl.cos(angle)
        x, y = 0.5 * (columns - 1.0), 0.5 * (rows - 1.0)
        across = x - x * cosine + y * sine
        down = y - x * sine - y * cosine
        return cosine, -sine, across, sine, cosine, down


class RandomTranslation(_Moving):
    """Moves images in training by shares of their height and width."""

    def __init__(
        self, height_factor: Any, width_factor: Any, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor

    def drawn_for(self, images: Any) -> Any:
        both = (self.height_factor, self.width_factor)
        return tuple(self.each(*_range(x), images) for x in both)

    def map(self, how: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
        """Return the six numbers of a shift by shares of the sizes."""
        down, right = how
        return 1.0, 0.0, -right * columns, 0.0, 1.0, -down * rows


class RandomZoom(_Moving):
    """Makes images smaller or greater in training, by shares of their height and width."""

    def __init__(
        self, height_factor: Any, width_factor: Any = None, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor

    def drawn_for(self, images: Any) -> Any:
        given = (self.height_factor, self.width_factor)
        ranges = [_range(x) for x in given if x is not None]
        drawn = [self.each(1.0 + low, 1.0 + high, images) for low, high in ranges]
        return drawn[0], drawn[-1]

    def map(self, how: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
        """Return the six numbers of a zoom around the middle."""
        tall, wide = how
        across = (columns - 1.0) / 2.0 * (1.0 - wide)
        down = (rows - 1.0) / 2.0 * (1.0 - tall)
        return wide, 0.0, across, 0.0, tall, down


class RandomShear(_Moving):
    """Slants images in training."""

    def __init__(
        self, x_factor: Any = 0.0, y_factor: Any = 0.0, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.x_factor, self.y_factor = (
            drawn_between(x, 0.0 if isinstance(x, (list, tuple)) else -1.0, 1.0)
            for x in (x_factor, y_factor)
        )

    def drawn_for(self, images: Any) -> Any:
        turned = self.each(0.0, 1.0, images) > 0.5
        down, across = (self.each(*x, images) for x in (self.y_factor, self.x_factor))
        return tuple(tl.where(turned, -x, x) for x in (across, down))

    def map(self, how: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
        """Return the six numbers of a shear."""
        across, down = how
        return 1.0, across, 0.0, down, 1.0, 0.0


class RandomPerspective(RandomImages):
    """Moves the corners of images, and all between them."""

    moves = True

    def __init__(
        self,
        factor: Any = 1.0,
        scale: float = 1.0,
        interpolation: str = "bilinear",
        fill_value: float = 0.0,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(seed, **kwargs)
        self.factor = drawn_between(factor, 0.0, 1.0)
        checking.share(scale=scale)
        self.scale, self.interpolation = scale, interpolation
        self.fill_value = float(fill_value)

    def drawn_for(self, images: Any) -> Any:
        count, rows, columns = shape_of(images)[:3]
        tall, wide = (astype(x - 1, tl.float32) for x in (rows, columns))
        zero = tl.zeros_like(tall)
        corners = [zero, zero, wide, zero, zero, tall, wide, tall]
        start = tl.reshape(tl.stack(corners), [1, 4, 2])
        start = tl.broadcast_to(start, tl.stack([count, 4, 2]))
        is_moved = self.happens(self.factor, images)
        moved = self.uniform([count, 4, 2], -0.5 * self.scale, 0.5 * self.scale)
        return {
            "apply_perspective": is_moved,
            "start_points": start,
            "end_points": start * (1.0 + moved),
        }

    def changed(self, images: Any, how: Any, are_masks: bool = False) -> Any:
        way = "nearest" if are_masks else self.interpolation
        points = how["start_points"], how["end_points"]
        made = perspective_transform(images, *points, way, self.fill_value)
        is_moved = tl.reshape(tl.asarray(how["apply_perspective"]), [-1, 1, 1, 1])
        return tl.where(is_moved, made, images)
