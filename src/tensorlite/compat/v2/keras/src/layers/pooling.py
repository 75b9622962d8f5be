"""Keras' layers that take windows together, fill borders, repeat and cut off."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.layers.convolutions import sizes_of
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of

_LAST = ("NWC", "NHWC", "NDHWC")
_FIRST = ("NCW", "NCHW", "NCDHW")


class _Pooling(Layer):
    """The largest or the mean of each window."""

    axes = 2
    kind: Any = None

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.pool_size = sizes_of(pool_size, self.axes)
        self.strides = sizes_of(strides or self.pool_size, self.axes)
        self.padding, self.data_format = (
            padding.lower(),
            checking.data_format(data_format),
        )
        self.input_spec = InputSpec(ndim=self.axes + 2)

    def call(self, inputs: Any) -> Any:
        first = self.data_format == "channels_first"
        form = (_FIRST if first else _LAST)[self.axes - 1]
        pooled = nn.max_pool if self.kind == "max" else nn.avg_pool
        return pooled(
            inputs, self.pool_size, self.strides, self.padding.upper(), form
        )


class MaxPooling1D(_Pooling):
    """The greatest element of each window of sequences."""

    axes, kind = 1, "max"


class MaxPooling2D(_Pooling):
    """The greatest element of each window of images."""

    axes, kind = 2, "max"


class MaxPooling3D(_Pooling):
    """The greatest element of each window of volumes."""

    axes, kind = 3, "max"


class AveragePooling1D(_Pooling):
    """The mean of each window of sequences."""

    axes, kind = 1, "avg"


class AveragePooling2D(_Pooling):
    """The mean of each window of images."""

    axes, kind = 2, "avg"


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes."""

    axes, kind = 3, "avg"


class _Global(Layer):
    """The largest or the mean over all places."""

    kind = ""

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = checking.data_format(data_format)
        self.keepdims = keepdims

    def call(self, inputs: Any, mask: Any = None) -> Any:
        rank = len(inputs.shape)
        first = self.data_format == "channels_first"
        axes = tuple(range(2, rank) if first else range(1, rank - 1))
        if self.kind == "max":
            return tl.max(inputs, axis=axes, keepdims=self.keepdims)
        if mask is not None and rank == 3:
            counts = tl.expand_dims(
                astype(mask, inputs.dtype), axis=1 if first else -1
            )
            total = tl.sum(inputs * counts, axis=axes, keepdims=self.keepdims)
            return total / tl.sum(counts, axis=axes, keepdims=self.keepdims)
        return tl.mean(inputs, axis=axes, keepdims=self.keepdims)


class GlobalMaxPooling1D(_Global):
    """The greatest element of each channel of sequences."""

    rows_taken = "filled"
    nothing = float("-inf")
    kind = "max"


class GlobalMaxPooling2D(_Global):
    """The greatest element of each channel of images."""

    kind = "max"


class GlobalMaxPooling3D(_Global):
    """The greatest element of each channel of volumes."""

    kind = "max"


class GlobalAveragePooling1D(_Global):
    """The mean of each channel of sequences, over the steps that count by a mask."""

    rows_taken = "filled"
    kind = "avg"
    supports_masking = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


class GlobalAveragePooling2D(_Global):
    """The mean of each channel of images."""

    kind = "avg"


class GlobalAveragePooling3D(_Global):
    """The mean of each channel of volumes."""

    kind = "avg"


def _ends(name: str, value: Any, axes: int) -> Any:
    """Return what is before and behind each axis, of a single one without a list."""
    if axes == 1:
        return checking.sizes(name, value, 2, least=0)
    if isinstance(value, int):
        value = (value,) * axes
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != axes:
        raise InvalidArgumentError(
            f"`{name}` should be an int, {axes} ints, or {axes} pairs of ints. Received: "
            f"{name}={value}"
        )
    return tuple(checking.sizes(f"entry of {name}", x, 2, least=0) for x in value)


def _pairs(ends: Any, axes: int) -> list[tuple[int, int]]:
    return [ends] if axes == 1 else list(ends)


class _Bordered(Layer):
    """Changes the borders of each axis of places."""

    axes = 2

    def __init__(
        self, padding: Any = 1, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.padding = _ends("padding", padding, self.axes)
        self.data_format = checking.data_format(data_format)

    def call(self, inputs: Any) -> Any:
        first = self.data_format == "channels_first"
        widths = [
            (0, 0),
            *([(0, 0)] if first else []),
            *_pairs(self.padding, self.axes),
        ]
        return tl.pad(inputs, widths if first else [*widths, (0, 0)])


class ZeroPadding1D(_Bordered):
    """Sequences with steps of zeros before and after them."""

    axes = 1


class ZeroPadding2D(_Bordered):
    """Images with a border of zeros."""

    axes = 2


class ZeroPadding3D(_Bordered):
    """Volumes with a border of zeros."""

    axes = 3


class _Cropping(Layer):
    axes = 2

    def __init__(
        self, cropping: Any, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.cropping = _ends("cropping", cropping, self.axes)
        self.data_format = checking.data_format(data_format)
        self.input_spec = InputSpec(ndim=self.axes + 2)

    def call(self, inputs: Any) -> Any:
        before = 2 if self.data_format == "channels_first" else 1
        pairs = _pairs(self.cropping, self.axes)
        for size, pair in zip(inputs.spec.dims[before:], pairs, strict=False):
            if size is not None and sum(pair) >= size + (not naming.is_keras_3()):
                self._refuse(inputs.shape)
        parts = [slice(a, -b if b else None) for a, b in pairs]
        return inputs[(*[slice(None)] * before, *parts)]

    def _refuse(self, shape: Any) -> None:
        told = (
            f"`cropping` parameter of `{type(self).__name__}` layer must be smaller than the input "
            "length."
            if self.axes == 1
            else "Values in `cropping` argument should be smaller than the corresponding spatial "
            "dimension of the input."
        )
        raise InvalidArgumentError(
            f"{told} Received: inputs.shape={tuple(shape)}, cropping={self.cropping}"
        )


class Cropping1D(_Cropping):
    """Sequences without their first and last steps."""

    axes = 1
    not_described = frozenset({"data_format"})

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(cropping, **kwargs)


class Cropping2D(_Cropping):
    """Images without their outermost rows and columns."""

    def __init__(
        self,
        cropping: Any = ((0, 0), (0, 0)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Volumes without their outermost elements."""

    axes = 3

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cropping, data_format, **kwargs)


class UpSampling1D(Layer):
    """Sequences in which each step is repeated."""

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        checking.whole(size=size)
        self.size = int(size)

    def call(self, inputs: Any) -> Any:
        return tl.repeat(inputs, self.size, axis=1)


class UpSampling2D(Layer):
    """Images made greater by whole factors, by repetition or as interpolation says."""

    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.size = sizes_of(size, 2)
        self.data_format = checking.data_format(data_format)
        self.interpolation = interpolation

    def call(self, inputs: Any) -> Any:
        first = self.data_format == "channels_first"
        x = tl.moveaxis(inputs, 1, -1) if first else inputs
        if self.interpolation == "nearest":
            made = tl.repeat(tl.repeat(x, self.size[0], axis=1), self.size[1], axis=2)
        else:
            own = shape_of(x)
            sizes = tl.stack([own[1] * self.size[0], own[2] * self.size[1]])
            made = tl.image.resize(x, sizes, self.interpolation)
        return tl.moveaxis(made, -1, 1) if first else made
