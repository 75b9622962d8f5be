"""Images in another size. The matrices of weights that this takes are in resampling.py."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import REGISTRY, Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims, squeeze
from tensorlite.ops.arrays.ensure import ensure_shape
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.arrays.repeat import pad
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.images import resampling
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.reduce import max as max_of, min as min_of
from tensorlite.ops.math.rounding import floor, round as round_of
from tensorlite.ops.operators import astype, reshape, stack

__all__ = [
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "scale_and_translate",
]

Size = TensorLike | Sequence[TensorLike]


def applied(xp: Xp, matrices: Sequence[Any], x: Array, dtype: Any) -> Array:
    """Return images (n, h, w, c) whose rows and columns are mixed by two matrices."""
    wide = x.astype(dtype)
    count, height, width, channels = x.shape
    down, across = [xp.asarray(matrix, dtype) for matrix in matrices]
    wide = xp.matmul(down, wide.reshape(count, height, width * channels))
    wide = wide.reshape(count * down.shape[0], width, channels)
    return xp.matmul(across, wide).reshape(
        count, down.shape[0], across.shape[0], channels
    )


def float_of(dtype: DType) -> DType:
    """Return the dtype that images of a dtype are resized in: float64 stays, others are float32."""
    if not dtype.is_floating and not dtype.is_integer:
        raise DTypeError(f"images hold real numbers, not {dtype!r}")
    return dtype if dtype is dtypes.float64 else dtypes.float32


def _sized(what: str, x: TensorSpec, size: TensorSpec) -> tuple[Any, ...]:
    if x.rank not in (None, 4):
        raise ShapeError(
            f"{what} takes images (batch, height, width, channels), not {x}"
        )
    height, width = size.vector() or (None, None)
    have = x.shape or (None,) * 4
    return have[0], height, width, have[3]


class _Resize(Op, abstract=True):
    """Images in another size, by one matrix for rows and one for columns."""

    host = (1,)
    align_corners: bool = False
    half_pixel_centers: bool = False

    def infer(self, images: TensorSpec, size: TensorSpec) -> TensorSpec:
        """Return images of that size as floats."""
        shape = _sized(self.name, images, size)
        return TensorSpec(shape, self.result(images.dtype))

    def result(self, dtype: DType) -> DType:
        """Return the dtype of the result."""
        return float_of(dtype)

    def matrix(self, have: int, want: int) -> Any:
        """Return the weights of an axis."""
        return self.rule()(have, want, self.align_corners, self.half_pixel_centers)

    @abstractmethod
    def rule(self) -> Callable[[int, int, bool, bool], Any]:
        """Return the function of resampling.py."""

    def kernel(self, xp: Xp, images: Array, size: Array) -> Array:
        """Return the images resized."""
        height, width = size.tolist()
        rows = self.matrix(images.shape[1], height)
        columns = self.matrix(images.shape[2], width)
        dtype = "float64" if images.dtype == "float64" else "float32"
        return applied(xp, (rows, columns), images, dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, spread as the elements were mixed."""
        images = call.inputs[0]
        if not images.dtype.is_differentiable:
            return None, None
        op = REGISTRY[self.name + "Grad"](**self.attributes())
        return apply(op, dy, images), None


class _ResizeGrad(Op, abstract=True):
    """The gradient of resizing, for images of which only shape and dtype count."""

    align_corners: bool = False
    half_pixel_centers: bool = False

    def infer(self, dy: TensorSpec, original_image: TensorSpec) -> TensorSpec:
        """Return the spec of the images."""
        return original_image.without_value()

    def kernel(self, xp: Xp, dy: Array, original_image: Array) -> Array:
        """Return the gradient for the images."""
        op: Any = self.forward()
        rows = op.matrix(original_image.shape[1], dy.shape[1])
        columns = op.matrix(original_image.shape[2], dy.shape[2])
        found = applied(xp, (rows.T, columns.T), dy, dy.dtype)
        return found.astype(original_image.dtype)

    def forward(self) -> Op:
        """Return the operator that this is the gradient of."""
        return REGISTRY[self.name.removesuffix("Grad")](**self.attributes())

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return what resizing makes of the gradient."""
        size = shape_of(call.inputs[0])[1:3]
        return astype(apply(self.forward(), flow, size), call.inputs[0].dtype), None


class ResizeBilinear(_Resize):
    """Images resized by weights of the two nearest rows and columns."""

    def rule(self) -> Callable[[int, int, bool, bool], Any]:
        """Return the function of resampling.py."""
        return resampling.bilinear


class ResizeBilinearGrad(_ResizeGrad):
    """The gradient of ResizeBilinear."""


class ResizeBicubic(_Resize):
    """Images resized by cubic weights of the four nearest rows and columns."""

    def rule(self) -> Callable[[int, int, bool, bool], Any]:
        """Return the function of resampling.py."""
        return resampling.bicubic


class ResizeBicubicGrad(_ResizeGrad):
    """The gradient of ResizeBicubic."""


class ResizeArea(_Resize):
    """Images resized by means over the area that an element covers."""

    def rule(self) -> Callable[[int, int, bool, bool], Any]:
        """Return the function of resampling.py."""
        return resampling.area


class ResizeAreaGrad(_ResizeGrad):
    """The gradient of ResizeArea."""


class ResizeNearestNeighbor(_Resize):
    """Images resized by taking the nearest element; the dtype stays."""

    def result(self, dtype: DType) -> DType:
        """Return the dtype of the images."""
        return dtype

    def rule(self) -> Callable[[int, int, bool, bool], Any]:
        """Return the function of resampling.py."""
        return resampling.nearest_matrix

    def kernel(self, xp: Xp, images: Array, size: Array) -> Array:
        """Return the nearest elements."""
        rule = self.align_corners, self.half_pixel_centers
        rows, columns = (
            xp.asarray(resampling.nearest(have, want, *rule))
            for have, want in zip(images.shape[1:3], size.tolist(), strict=True)
        )
        return images[:, rows][:, :, columns]


class ResizeNearestNeighborGrad(_ResizeGrad):
    """The gradient of ResizeNearestNeighbor."""


class ScaleAndTranslate(Op):
    """Images scaled and moved, by a sampling kernel."""

    host = (1, 2, 3)
    kernel_type: str = "lanczos3"
    antialias: bool = True

    def infer(
        self,
        images: TensorSpec,
        size: TensorSpec,
        scale: TensorSpec,
        translation: TensorSpec,
    ) -> TensorSpec:
        """Return images of that size as floats."""
        if self.kernel_type not in resampling.KERNELS:
            raise InvalidArgumentError(
                f"kernel_type={self.kernel_type!r}; allowed: {sorted(resampling.KERNELS)}"
            )
        return TensorSpec(_sized(self.name, images, size), float_of(images.dtype))

    def matrices(
        self, have: Sequence[int], want: Sequence[int], scale: Array, offset: Array
    ) -> list[Any]:
        """Return the weights of rows and of columns."""
        return [
            resampling.sampled(
                have[i],
                want[i],
                self.kernel_type,
                float(scale[i]),
                float(offset[i]),
                self.antialias,
            )
            for i in range(2)
        ]

    def kernel(
        self, xp: Xp, images: Array, size: Array, scale: Array, translation: Array
    ) -> Array:
        """Return the images resized."""
        dtype = "float64" if images.dtype == "float64" else "float32"
        found = self.matrices(images.shape[1:3], size.tolist(), scale, translation)
        return applied(xp, found, images, dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, spread as the elements were mixed."""
        images, _, scale, translation = call.inputs
        if not images.dtype.is_differentiable:
            return None, None, None, None
        op = ScaleAndTranslateGrad(self.kernel_type, self.antialias)
        return apply(op, dy, images, scale, translation), None, None, None


class ScaleAndTranslateGrad(Op):
    """The gradient of ScaleAndTranslate."""

    host = (2, 3)
    kernel_type: str = "lanczos3"
    antialias: bool = True

    def infer(
        self,
        dy: TensorSpec,
        original_image: TensorSpec,
        scale: TensorSpec,
        translation: TensorSpec,
    ) -> TensorSpec:
        """Return the spec of the images."""
        return original_image.without_value()

    def kernel(
        self,
        xp: Xp,
        dy: Array,
        original_image: Array,
        scale: Array,
        translation: Array,
    ) -> Array:
        """Return the gradient for the images."""
        forward = ScaleAndTranslate(self.kernel_type, self.antialias)
        have, want = original_image.shape[1:3], dy.shape[1:3]
        rows, columns = forward.matrices(have, want, scale, translation)
        return applied(xp, (rows.T, columns.T), dy, dy.dtype).astype(
            original_image.dtype
        )

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return what resizing makes of the gradient."""
        dy, _, scale, translation = call.inputs
        op = ScaleAndTranslate(self.kernel_type, self.antialias)
        found = apply(op, flow, shape_of(dy)[1:3], scale, translation)
        return astype(found, dy.dtype), None, None, None


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""

_METHODS: dict[str, type[_Resize]] = {
    "area": ResizeArea,
    "bicubic": ResizeBicubic,
    "bilinear": ResizeBilinear,
    "nearest": ResizeNearestNeighbor,
}
_KERNEL_OF = {
    "bicubic": "keyscubic",
    "bilinear": "triangle",
    "gaussian": "gaussian",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "mitchellcubic": "mitchellcubic",
}


def batched(images: TensorLike) -> tuple[Tensor, bool]:
    """Return images of rank 4, and whether one without a batch was given, as where none is known.

    TensorFlow takes what files hold, whose rank is not known before they are read, for one image.
    """
    x = to_tensor(images)
    if x.spec.rank is None:
        x = ensure_shape(x, (None, None, None))
    if x.spec.rank not in (3, 4):
        raise ShapeError(
            "'image' must have either 3 or 4 dimensions: (batch, height, width, channels), or one "
            f"of these, not {x.spec}"
        )
    return (expand_dims(x, 0), True) if x.ndim == 3 else (x, False)


def filled_sizes(x: Tensor) -> list[Any]:
    """Return the sizes of images; InvalidArgumentError for such as have no elements."""
    if 0 in x.shape[1:]:
        raise InvalidArgumentError(
            f"all dims of 'image.shape' must be > 0, and it is {x.spec}"
        )
    return sizes(x)


def as_size(size: Size) -> Tensor:
    """Return a height and width as a vector of two integers."""
    found = as_shape(size)
    known = found.static_shape
    if known is not None and known != (2,):
        raise ShapeError(f"size={size!r}; it is (height, width)")
    return astype(found, dtypes.int32)


def resize(
    images: TensorLike,
    size: Size,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    align_corners: bool = False,
    half_pixel_centers: bool = True,
) -> Tensor:
    """Return images, or one image, with `size` rows and columns.

    `method` is "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or
    "mitchellcubic". The result is float32 (of float64 images float64), but that of "nearest", which
    keeps the dtype. Positions are those of TensorFlow 2; with `half_pixel_centers=False` those of
    TensorFlow 1. `antialias` widens the kernel where the image shrinks.

    >>> print(tl.image.resize([[[0.0], [1.0]]], (1, 4))[0, :, 0])
    [0.   0.25 0.75 1.  ]
    """
    x, single = batched(images)
    want = as_size(size)
    if preserve_aspect_ratio:
        want = _inside(x, want)
    if method in _METHODS and not (antialias and method in ("bilinear", "bicubic")):
        centred = half_pixel_centers and method != "area"
        y = call(_METHODS[method](align_corners, centred), x, want)
    elif method in _KERNEL_OF:
        have = astype(shape_of(x)[1:3], dtypes.float32)
        ratio = astype(want, dtypes.float32) / have
        y = scale_and_translate(
            x, want, ratio, (0.0, 0.0), _KERNEL_OF[method], antialias
        )
    else:
        raise InvalidArgumentError(
            f"method={method!r}; allowed: {sorted({*_METHODS, *_KERNEL_OF})}"
        )
    return squeeze(y, 0) if single else y


def _inside(x: Tensor, want: Tensor) -> Tensor:
    """Return the greatest size within `want` with the proportions of `x`."""
    have = astype(shape_of(x)[1:3], dtypes.float32)
    ratio = min_of(astype(want, dtypes.float32) / have)
    return astype(round_of(have * ratio), dtypes.int32)


def scale_and_translate(
    images: TensorLike,
    size: Size,
    scale: TensorLike,
    translation: TensorLike = (0.0, 0.0),
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Tensor:
    """Return images scaled by `scale`, then moved, in a frame of `size`: each (rows, columns).

    >>> tl.image.scale_and_translate(tl.ones((1, 2, 2, 1)), (4, 4), (2.0, 2.0)).shape
    (1, 4, 4, 1)
    """
    op = ScaleAndTranslate(kernel_type, antialias)
    return call(op, images, as_size(size), scale, translation)


def resize_with_crop_or_pad(
    images: TensorLike, height: int | Tensor, width: int | Tensor
) -> Tensor:
    """Return images cut, or bordered by zeros, on both sides alike, to a height and a width.

    >>> print(tl.image.resize_with_crop_or_pad(tl.ones((1, 3, 1)), 1, 1)[0, 0])
    [1.]
    """
    x, single = batched(images)
    filled_sizes(x)
    for axis, want in ((1, height), (2, width)):
        if isinstance(want, int) and want <= 0:
            side = "height" if axis == 1 else "width"
            raise InvalidArgumentError(f"target_{side} must be > 0, and is {want}")
        x = _fitted(x, axis, want)
    return squeeze(x, 0) if single else x


def _fitted(x: Tensor, axis: int, want: int | Tensor) -> Tensor:
    have = sizes(x)[axis]
    excess = _greater(have - want, 0) // 2
    keys = [slice(None)] * 4
    keys[axis] = slice(excess, excess + _less(have, want))
    missing = _greater(want - have, 0)
    ends: list[Any] = [[0, 0]] * 4
    ends[axis] = [missing // 2, missing - missing // 2]
    y = pad(x[tuple(keys)], stack([stack(row) for row in ends]))
    shape: list[Any] = sizes(y)
    shape[axis] = want
    return reshape(y, shape)


def _greater(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else maximum(a, b)


def _less(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else minimum(a, b)


def resize_with_pad(
    images: TensorLike,
    height: int,
    width: int,
    method: str = "bilinear",
    antialias: bool = False,
    align_corners: bool = False,
    half_pixel_centers: bool = True,
) -> Tensor:
    """Return images resized with their proportions kept, bordered by zeros to a height and width.

    >>> print(tl.image.resize_with_pad(tl.ones((2, 2, 1)), 2, 4)[:, :, 0])
    [[0. 1. 1. 0.]
     [0. 1. 1. 0.]]
    """
    x, single = batched(images)
    have = astype(shape_of(x)[1:3], dtypes.float64)
    wanted = constant([float(height), float(width)], dtypes.float64)
    ratio = max_of(have / wanted)
    fitting = have / ratio
    inner = astype(floor(fitting), dtypes.int32)
    y = resize(x, inner, method, False, antialias, align_corners, half_pixel_centers)
    before = maximum(astype(floor((wanted - fitting) / 2.0), dtypes.int32), 0)
    behind = constant([height, width], dtypes.int32) - before - inner
    ends = pad(stack([before, behind], axis=1), [[1, 1], [0, 0]])
    y = pad(y, ends)
    y = reshape(y, [sizes(x)[0], height, width, sizes(x)[3]])
    return squeeze(y, 0) if single else y
