"""Convolutions: the operators of TensorFlow, and the functions of tl.nn that call them.

The kernels' arithmetic on arrays is in conv_kernels.py and depthwise_kernels.py, the geometry in
windows.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tensorlite.core.check import several, whole_numbers
from tensorlite.core.dispatch import call, floating, promoted
from tensorlite.core.dtypes import DType, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import REGISTRY, Call, Grads, Op, Specs
from tensorlite.core.spec import Dims, TensorSpec, check_rank, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import needs
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.nn import conv_kernels as kernels, depthwise_kernels
from tensorlite.ops.nn.batches import over_batches
from tensorlite.ops.nn.sequences import (
    InsertSize,
    as_images,
    as_sequences,
    image_format,
    raised,
    row_axis,
)
from tensorlite.ops.nn.windows import (
    Window,
    assembled,
    channels_of,
    check_attributes,
    check_filters,
    check_image,
    four,
    pads_of,
    places,
    spatial,
    spatial_dims,
    window_on,
)

__all__ = [
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "depthwise_conv2d",
]

Padding = str | Sequence[int] | Sequence[Sequence[int]]


class _Convolution(Op, abstract=True):
    """What a convolution and its two gradients share: attributes, and that each is bilinear."""

    family: ClassVar[str] = "Conv2D"
    whole: ClassVar[tuple[DType, ...]] = (int32,)
    """The dtypes of whole numbers that it takes."""
    selective = True
    strides: tuple[int, ...] = (1, 1, 1, 1)
    padding: str = "VALID"
    explicit_paddings: tuple[int, ...] = ()
    data_format: str = "NHWC"
    dilations: tuple[int, ...] = (1, 1, 1, 1)

    def sibling(self, suffix: str) -> Op:
        """Return the operator of this family, with these attributes, that `suffix` names."""
        return REGISTRY[self.family + suffix](**self.attributes())

    def window(self, image: Sequence[int], size: Sequence[int]) -> Window:
        """Return the window of `size` on an image of known shape."""
        layout = self.data_format
        pads = pads_of(self.padding, self.explicit_paddings, layout)
        return window_on(
            spatial(image, layout),
            (size[0], size[1]),
            spatial(self.strides, layout),
            spatial(self.dilations, layout),
            pads,
        )

    def check(self, *operands: TensorSpec) -> None:
        """Raise the error that says which attribute, rank or dtype is not allowed."""
        check_attributes(
            self.name, self.strides, self.dilations, self.padding, self.data_format
        )
        first = operands[0].dtype
        for operand in operands:
            fits = operand.dtype.is_floating or operand.dtype in self.whole
            if not fits or operand.dtype is not first:
                listed = ", ".join(map(str, operands))
                kinds = "".join([f"{x.name} or " for x in self.whole])
                raise DTypeError(
                    f"{self.name} takes {kinds}floating tensors of one dtype, not {listed}; "
                    "cast them with tl.astype"
                )
            check_rank(self.name, operand, 4)

    def last(self, xp: Xp, x: Array) -> Array:
        """Return images with their channels last, as kernels want them."""
        return x if self.data_format == "NHWC" else xp.transpose(x, (0, 2, 3, 1))

    def back(self, xp: Xp, x: Array) -> Array:
        """Return images of channels last in this operator's format."""
        if self.data_format == "NHWC":
            return x
        return xp.ascontiguousarray(xp.transpose(x, (0, 3, 1, 2)))


class Conv2D(_Convolution):
    """Images convolved with filters (height, width, channels / groups, results)."""

    def infer(self, x: TensorSpec, filters: TensorSpec) -> TensorSpec:
        """Return the result's shape; ShapeError when channels or sizes do not fit."""
        self.check(x, filters)
        have, kernel = check_image(self.name, x.shape), filters.shape
        if have is None or kernel is None:
            return x.with_shape((None,) * 4)
        layout = self.data_format
        pads = pads_of(self.padding, self.explicit_paddings, layout)
        if kernel[0] is None or kernel[1] is None:
            image: Sequence[int | None] = (None, None)
        else:
            steps = spatial(self.strides, layout), spatial(self.dilations, layout)
            image = places(
                self.name,
                spatial_dims(have, layout),
                (kernel[0], kernel[1]),
                *steps,
                pads,
            )
        results = self.results(channels_of(have, layout), kernel)
        return x.with_shape(assembled(have[0], image, results, layout))

    def results(self, channels: int | None, kernel: Dims) -> int | None:
        """Return the number of channels that filters of a shape make out of `channels`."""
        depth, made = kernel[2:]
        if (
            channels is not None
            and depth is not None
            and (not depth or channels % depth)
        ):
            raise ShapeError(
                f"{self.name}: images have {channels} channels, the filters {shape_text(kernel)} "
                f"take {depth}; filters are (height, width, channels, results)"
            )
        groups = channels // depth if channels and depth else 1
        if made is not None and made % groups:
            raise ShapeError(
                f"{self.name}: {made} results do not divide into {groups} groups"
            )
        return made

    def kernel(self, xp: Xp, x: Array, filters: Array) -> Array:
        """Return the convolution; InvalidArgumentError for filters without elements."""
        check_filters(self.name, filters)
        window = self.window(x.shape, filters.shape)
        return self.back(xp, kernels.convolve(xp, self.last(xp, x), filters, window))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for images and filters."""
        x, filters = call.inputs
        dx = dw = None
        if needs(call, 0):
            dx = apply(self.sibling("BackpropInput"), shape_of(x), filters, dy)
        if needs(call, 1):
            dw = apply(self.sibling("BackpropFilter"), x, shape_of(filters), dy)
        return dx, dw


class Conv2DBackpropInput(_Convolution):
    """The gradient of a convolution for its images, of which only the shape is given."""

    host = (0,)

    def infer(
        self, sizes: TensorSpec, filters: TensorSpec, dy: TensorSpec
    ) -> TensorSpec:
        """Return the images' shape; ShapeError when the gradient does not fit it."""
        self.check(filters, dy)
        shape = sizes.vector() or (None,) * 4
        given = self.sibling("").infer(dy.with_shape(shape), filters)
        _check_flow(self.name, given, dy)
        return dy.with_shape(shape)

    def kernel(self, xp: Xp, sizes: Array, filters: Array, dy: Array) -> Array:
        """Return the gradient for the images."""
        shape = sizes.tolist()
        window = self.window(shape, filters.shape)
        channels = shape[3] if self.data_format == "NHWC" else shape[1]
        flow = self.last(xp, dy)
        return self.back(xp, self.spread(xp, flow, filters, window, channels))

    def spread(
        self, xp: Xp, dy: Array, filters: Array, window: Window, channels: int
    ) -> Array:
        """Return the gradient, channels last."""
        return kernels.image_gradient(xp, dy, filters, window, channels)

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for filters and the result's gradient."""
        _, filters, dy = call.inputs
        return (
            None,
            apply(self.sibling("BackpropFilter"), flow, shape_of(filters), dy),
            apply(self.sibling(""), flow, filters),
        )


class Conv2DBackpropFilter(_Convolution):
    """The gradient of a convolution for its filters, of which only the shape is given."""

    host = (1,)

    def infer(self, x: TensorSpec, sizes: TensorSpec, dy: TensorSpec) -> TensorSpec:
        """Return the filters' shape; ShapeError when the gradient does not fit it."""
        self.check(x, dy)
        shape = sizes.vector() or (None,) * 4
        given = self.sibling("").infer(x, dy.with_shape(shape))
        _check_flow(self.name, given, dy)
        return dy.with_shape(shape)

    def kernel(self, xp: Xp, x: Array, sizes: Array, dy: Array) -> Array:
        """Return the gradient for the filters."""
        shape = sizes.tolist()
        window = self.window(x.shape, shape)
        images, flow = self.last(xp, x), self.last(xp, dy)
        return self.gather(xp, images, flow, shape, window)

    def gather(
        self, xp: Xp, x: Array, dy: Array, shape: Sequence[int], window: Window
    ) -> Array:
        """Return the gradient for filters of `shape`."""
        flow = xp.ascontiguousarray(dy)
        return kernels.filter_gradient(xp, x, flow, shape[2], window)

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for images and the result's gradient."""
        x, _, dy = call.inputs
        return (
            apply(self.sibling("BackpropInput"), shape_of(x), flow, dy),
            None,
            apply(self.sibling(""), x, flow),
        )


class DepthwiseConv2dNative(Conv2D):
    """Each channel of images convolved with its own filters (height, width, channels, each)."""

    family = "DepthwiseConv2dNative"
    whole = ()

    def results(self, channels: int | None, kernel: Dims) -> int | None:
        """Return the number of channels that filters of a shape make out of `channels`."""
        depth, multiplier = kernel[2:]
        if channels is not None and depth is not None and channels != depth:
            raise ShapeError(
                f"{self.name}: images have {channels} channels, the filters {shape_text(kernel)} "
                f"are for {depth}; filters are (height, width, channels, results of each)"
            )
        depth = channels if depth is None else depth
        return None if depth is None or multiplier is None else depth * multiplier

    def kernel(self, xp: Xp, x: Array, filters: Array) -> Array:
        """Return the convolution."""
        window = self.window(x.shape, filters.shape)
        return self.back(
            xp, depthwise_kernels.depthwise(xp, self.last(xp, x), filters, window)
        )


class DepthwiseConv2dNativeBackpropInput(Conv2DBackpropInput):
    """The gradient of a depthwise convolution for its images."""

    family = "DepthwiseConv2dNative"
    whole = ()

    def spread(
        self, xp: Xp, dy: Array, filters: Array, window: Window, channels: int
    ) -> Array:
        """Return the gradient, channels last."""
        return depthwise_kernels.depthwise_image_gradient(xp, dy, filters, window)


class DepthwiseConv2dNativeBackpropFilter(Conv2DBackpropFilter):
    """The gradient of a depthwise convolution for its filters."""

    family = "DepthwiseConv2dNative"
    whole = ()

    def gather(
        self, xp: Xp, x: Array, dy: Array, shape: Sequence[int], window: Window
    ) -> Array:
        """Return the gradient for filters of `shape`."""
        return depthwise_kernels.depthwise_filter_gradient(
            xp, x, dy, shape[3], window
        )


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


def _check_flow(what: str, result: Specs, dy: TensorSpec) -> None:
    assert isinstance(result, TensorSpec)
    if dy.shape is None or result.shape is None:
        return
    if any(
        None not in (a, b) and a != b
        for a, b in zip(result.shape, dy.shape, strict=True)
    ):
        raise ShapeError(
            f"{what}: the gradient has shape {shape_text(dy.shape)}, the convolution's result "
            f"{shape_text(result.shape)}; they must be equal"
        )


def conv2d(
    x: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: Padding = "VALID",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return images convolved with filters (TensorFlow's Conv2D: a cross-correlation).

    `x` is (batch, height, width, channels), or as `data_format` "NCHW" says; `filters` are
    (height, width, channels / groups, results). There may be more axes of batches. `padding` is
    "VALID", "SAME", or the zeros to put ((top, bottom), (left, right)). Raises ShapeError when
    channels or sizes do not fit.

    >>> image = tl.reshape(tl.arange(9, dtype=tl.float32), (1, 3, 3, 1))
    >>> print(tl.nn.conv2d(image, tl.ones((2, 2, 1, 1)))[0, :, :, 0])
    [[ 8. 12.]
     [20. 24.]]
    """
    op = configured(Conv2D, strides, padding, data_format, dilations)
    images, kernel = _pair(x, filters)
    return over_batches(images, 3, lambda flat: call(op, flat, kernel))


def depthwise_conv2d(
    x: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: Padding = "VALID",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return each channel of images convolved with its own filters (TF's DepthwiseConv2dNative).

    `filters` are (height, width, channels, multiplier); the result has channels * multiplier
    channels.

    >>> images = tl.ones((1, 3, 3, 2))
    >>> print(tl.nn.depthwise_conv2d(images, tl.ones((3, 3, 2, 1)))[0, 0, 0])
    [9. 9.]
    """
    op = configured(DepthwiseConv2dNative, strides, padding, data_format, dilations)
    return call(op, *_pair(x, filters))


def conv2d_transpose(
    x: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: Padding = "SAME",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return the transpose of a convolution, the one whose result has the shape of `x`.

    `filters` are (height, width, results, channels), as TensorFlow has them; `output_shape` is
    the shape of the result.

    >>> tl.nn.conv2d_transpose(tl.ones((1, 2, 2, 3)), tl.ones((2, 2, 5, 3)), (1, 4, 4, 5), 2).shape
    (1, 4, 4, 5)
    """
    op = configured(Conv2DBackpropInput, strides, padding, data_format, dilations)
    images, kernel = _pair(x, filters)
    return call(op, as_shape(output_shape), kernel, images)


def conv1d(
    x: TensorLike,
    filters: TensorLike,
    stride: int = 1,
    padding: Padding = "VALID",
    data_format: str = "NWC",
    dilations: int = 1,
) -> Tensor:
    """Return sequences (batch, width, channels) convolved with filters (width, channels, results).

    >>> print(tl.nn.conv1d(tl.ones((1, 4, 1)), tl.ones((3, 1, 1)))[0, :, 0])
    [3. 3.]
    """
    layout = image_format(data_format)
    op = configured(
        Conv2D, (1, stride), _flat_padding(padding), layout, (1, dilations)
    )
    sequences, kernel = _pair(x, filters)
    raised = _raised_filters(kernel)

    def convolve(flat: Tensor) -> Tensor:
        return as_sequences(call(op, as_images(flat, layout), raised), layout)

    return over_batches(sequences, 2, convolve)


def conv1d_transpose(
    x: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int = 1,
    padding: Padding = "SAME",
    data_format: str = "NWC",
    dilations: int = 1,
) -> Tensor:
    """Return the transpose of a convolution of sequences; filters are (width, results, channels).

    >>> tl.nn.conv1d_transpose(tl.ones((1, 2, 3)), tl.ones((2, 5, 3)), (1, 4, 5), 2).shape
    (1, 4, 5)
    """
    layout = image_format(data_format)
    op = configured(
        Conv2DBackpropInput,
        (1, strides),
        _flat_padding(padding),
        layout,
        (1, dilations),
    )
    sizes = call(InsertSize(row_axis(layout)), as_shape(output_shape))
    sequences, kernel = _pair(x, filters)
    result = call(op, sizes, _raised_filters(kernel), as_images(sequences, layout))
    return as_sequences(result, layout)


def _pair(x: TensorLike, filters: TensorLike) -> tuple[Tensor, Tensor]:
    """Return both operands as floating tensors of the dtype that they meet in."""
    images, kernel = promoted(x, filters)
    return floating(images), floating(kernel)


def configured(
    kind: type[_Convolution],
    strides: int | Sequence[int],
    padding: Padding,
    data_format: str,
    dilations: int | Sequence[int],
) -> _Convolution:
    """Return the operator of a kind with these attributes, each checked."""
    word, numbers = _padding(padding, data_format)
    steps = four(strides, data_format, "strides")
    gaps = four(dilations, data_format, "dilations")
    check_attributes(kind.__name__, steps, gaps, word, data_format)
    return kind(steps, word, numbers, data_format, gaps)


def _padding(padding: Padding, data_format: str) -> tuple[str, tuple[int, ...]]:
    if isinstance(padding, str):
        return padding.upper(), ()
    pairs: list[tuple[int, ...]] = [
        (p, p) if isinstance(p, int) else tuple(whole_numbers(p, "padding"))
        for p in several(padding, "padding", "'VALID', 'SAME' or pairs of integers")
    ]
    if any(len(pair) != 2 for pair in pairs) or len(pairs) not in (2, 4):
        raise InvalidArgumentError(
            f"padding={padding!r}; allowed: 'VALID', 'SAME', ((top, bottom), (left, right)), or a "
            "pair for each of the four axes"
        )
    if len(pairs) == 2:
        outer: list[tuple[int, ...]] = [(0, 0)]
        pairs = (
            outer + pairs + outer if data_format == "NHWC" else outer + outer + pairs
        )
    return "EXPLICIT", tuple([number for pair in pairs for number in pair])


def _flat_padding(padding: Padding) -> Padding:
    if isinstance(padding, str):
        return padding
    before, after = padding
    return ((0, 0), (before, after))  # type: ignore[return-value]


def _raised_filters(filters: Tensor) -> Tensor:
    if filters.spec.rank not in (None, 3):
        raise ShapeError(f"filters of sequences have rank 3, not {filters.spec}")
    return raised(filters, 0)
