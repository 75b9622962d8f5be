"""Keras' layers that bring images to a size. Those that change them at random are elsewhere."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.ops import imaging
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.ops.arrays.shape import astype


class _Sized(Layer):
    """A layer that brings images to a size, and segmentation masks that are with them in a dict."""

    def __init__(
        self, height: int, width: int, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.height, self.width = height, width
        self.data_format = data_format or defaults.image_data_format()

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, dict):
            return self.changed(inputs)
        made = {**inputs, "images": self.changed(inputs["images"])}
        if "segmentation_masks" in inputs:
            masks = inputs["segmentation_masks"]
            made["segmentation_masks"] = self.changed(masks, are_masks=True)
        return made

    def changed(self, images: Any, are_masks: bool = False) -> Any:
        raise NotImplementedError("a layer of images has a method changed")


class Resizing(_Sized):
    """Images in another size, stretched, cut or with a border."""

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        fill_mode: str = "constant",
        fill_value: float = 0.0,
        antialias: bool = False,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(height, width, data_format, **kwargs)
        self.interpolation, self.antialias = interpolation, bool(antialias)
        self.crop_to_aspect_ratio = crop_to_aspect_ratio
        self.pad_to_aspect_ratio = pad_to_aspect_ratio
        self.fill_mode, self.fill_value = fill_mode, fill_value

    def changed(self, images: Any, are_masks: bool = False) -> Any:
        return imaging.resize(
            images,
            (self.height, self.width),
            "nearest" if are_masks else self.interpolation,
            self.antialias,
            self.crop_to_aspect_ratio,
            self.pad_to_aspect_ratio,
            self.fill_mode,
            self.fill_value,
            self.data_format,
        )


class CenterCrop(_Sized):
    """Takes the middle of images, enlarged if they are small."""

    def changed(self, images: Any, are_masks: bool = False) -> Any:
        own = images if are_masks else astype(images, self.compute_dtype)
        x = imaging.channels_last(own, self.data_format)
        rows, columns = x.shape[-3], x.shape[-2]
        size = (self.height, self.width)
        if rows < self.height or columns < self.width:
            way = "nearest" if are_masks else "bilinear"
            made = imaging.resize(x, size, way, crop_to_aspect_ratio=True)
        else:
            top, left = (rows - self.height) // 2, (columns - self.width) // 2
            made = x[..., top : top + self.height, left : left + self.width, :]
        return imaging.channels_back(made, self.data_format)
