"""Windows on volumes (batches of rank 5), and convolutions by them. Pooling is in volume_pool.py.

Images have their own, faster kernels in conv.py. Here each element of the window is treated with
all its places at once: one matrix product for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

from tensorlite.core.check import (
    one_of,
    whole_numbers,
)
from tensorlite.core.dispatch import call, floating, promoted
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import REGISTRY, Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import needs
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.nn.batches import over_batches
from tensorlite.ops.nn.windows import check_filters, place_count

__all__ = ["conv3d", "conv3d_transpose"]

FIVE = (1, 1, 1, 1, 1)
_FORMATS = ("NDHWC", "NCDHW")
_ALL = slice(None)
Tap: TypeAlias = tuple[tuple[int, ...], tuple[slice, ...], tuple[slice, ...]]


@dataclass(frozen=True)
class Box:
    """A window on a volume of known size, and all its places."""

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    """How many elements of padding are put before each axis."""
    volume: tuple[int, ...]
    places: tuple[int, ...]

    @cached_property
    def taps(self) -> tuple[Tap, ...]:
        """Each element's index, the part of the volume it meets, and that of the result."""
        found = []
        for index in product(*map(range, self.size)):
            pairs = [self._tap(axis, i) for axis, i in enumerate(index)]
            parts = tuple([p[0] for p in pairs]), tuple([p[1] for p in pairs])
            found.append((index, *parts))
        return tuple(found)

    def _tap(self, axis: int, index: int) -> tuple[slice, slice]:
        step = self.strides[axis]
        offset = index * self.dilations[axis] - self.before[axis]
        first = max(0, -(offset // step))
        last = min(self.places[axis], (self.volume[axis] - 1 - offset) // step + 1)
        count = max(last - first, 0)
        start = first * step + offset if count else 0
        stop = start + (count - 1) * step + 1 if count else 0
        return slice(start, stop, step), slice(first, first + count)


class Volumetric(Op, abstract=True):
    """What operators with windows on volumes share: attributes, and the geometry they mean."""

    strides: tuple[int, ...] = FIVE
    padding: str = "VALID"
    data_format: str = "NDHWC"

    def sibling(self, name: str) -> Op:
        """Return the operator of another name with these attributes."""
        return REGISTRY[name](**self.attributes())

    def inner(self, five: Sequence[int]) -> tuple[int, ...]:
        """Return the three of five sizes that are depth, height and width."""
        return tuple(five[1:4] if self.data_format == "NDHWC" else five[2:5])

    def channels(self, shape: Dims) -> Dim:
        """Return the size that counts channels."""
        return shape[4] if self.data_format == "NDHWC" else shape[1]

    def assembled(self, batch: Dim, inner: Sequence[Dim], channels: Dim) -> Dims:
        """Return five sizes in the order of the data format."""
        if self.data_format == "NDHWC":
            return (batch, *inner, channels)
        return (batch, channels, *inner)

    def check(self, x: TensorSpec, *steps: tuple[int, ...]) -> None:
        """Raise the error that says which attribute or rank is not allowed."""
        if self.data_format not in _FORMATS or self.padding not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f"{self.name}: data_format={self.data_format!r}, padding={self.padding!r}; "
                f"allowed: {_FORMATS}, and 'SAME' or 'VALID'"
            )
        for step in steps:
            if (
                len(step) != 5
                or min(step) < 1
                or (step[0], self.channels(step)) != (1, 1)
            ):
                raise InvalidArgumentError(
                    f"{self.name}: {step}; allowed are five positive integers, 1 for the batch "
                    "and 1 for the channels"
                )
        if x.rank not in (None, 5):
            raise ShapeError(
                f"{self.name} takes a batch of volumes of rank 5, not {x}; "
                "add an axis with tl.expand_dims"
            )

    def places(
        self, shape: Dims, size: Sequence[Dim], dilations: Sequence[int]
    ) -> tuple[Dim, ...]:
        """Return the number of places along each inner axis, None for those not known."""
        inner = shape[1:4] if self.data_format == "NDHWC" else shape[2:5]
        rows = zip(inner, size, self.inner(self.strides), dilations, strict=True)
        return tuple(
            None
            if width is None
            else place_count(self.name, have, width, step, apart, self.padding)
            for have, width, step, apart in rows
        )

    def box(
        self, shape: Sequence[int], size: Sequence[int], dilations: Sequence[int]
    ) -> Box:
        """Return the window of `size` on a volume of known shape."""
        volume, strides = self.inner(shape), self.inner(self.strides)
        found = self.places(tuple(shape), size, dilations)
        places = tuple(int(place or 0) for place in found)
        reach = zip(volume, size, strides, dilations, places, strict=True)
        before = tuple(
            max((count - 1) * step + (width - 1) * apart + 1 - have, 0) // 2
            if self.padding == "SAME"
            else 0
            for have, width, step, apart, count in reach
        )
        return Box(tuple(size), strides, tuple(dilations), before, volume, places)

    def at(self, part: tuple[slice, ...]) -> tuple[slice, ...]:
        """Return the index of a part of a batch of volumes."""
        return (_ALL, *part) if self.data_format == "NDHWC" else (_ALL, _ALL, *part)


class _Convolution(Volumetric, abstract=True):
    """What a convolution of volumes and its two gradients share."""

    selective = True
    dilations: tuple[int, ...] = FIVE

    def operands(self, *specs: TensorSpec) -> None:
        """Raise the error that says what is wrong with operands or attributes."""
        for spec in specs:
            self.check(spec, self.strides, self.dilations)
            if not spec.dtype.is_floating or spec.dtype is not specs[0].dtype:
                listed = ", ".join(map(str, specs))
                raise DTypeError(
                    f"{self.name} takes floating tensors of one dtype, not {listed}; "
                    "cast them with tl.astype"
                )

    def window(self, shape: Sequence[int], size: Sequence[int]) -> Box:
        """Return the window of filters of a size on volumes of a shape."""
        return self.box(shape, size[:3], self.inner(self.dilations))

    def last(self, xp: Xp, x: Array) -> Array:
        """Return volumes with their channels last."""
        return x if self.data_format == "NDHWC" else xp.moveaxis(x, 1, 4)

    def back(self, xp: Xp, x: Array) -> Array:
        """Return volumes of channels last in this operator's format."""
        if self.data_format == "NDHWC":
            return x
        return xp.ascontiguousarray(xp.moveaxis(x, 4, 1))

    def result(self, x: TensorSpec, filters: TensorSpec) -> TensorSpec:
        """Return the spec of the convolution of volumes with filters."""
        self.operands(x, filters)
        have, kernel = x.shape, filters.shape
        if have is None or kernel is None:
            return x.with_shape((None,) * 5)
        channels = self.channels(have)
        if None not in (channels, kernel[3]) and channels != kernel[3]:
            raise ShapeError(
                f"{self.name}: volumes have {channels} channels, the filters "
                f"{shape_text(kernel)} take {kernel[3]}; filters are (depth, height, width, "
                "channels, results)"
            )
        inner = self.places(have, kernel[:3], self.inner(self.dilations))
        return x.with_shape(self.assembled(have[0], inner, kernel[4]))


class Conv3D(_Convolution):
    """Volumes convolved with filters (depth, height, width, channels, results)."""

    def infer(self, x: TensorSpec, filters: TensorSpec) -> TensorSpec:
        """Return the result's shape; ShapeError when channels or sizes do not fit."""
        return self.result(x, filters)

    def kernel(self, xp: Xp, x: Array, filters: Array) -> Array:
        """Return the sum over the window's elements of what each makes of the volume."""
        check_filters(self.name, filters)
        box = self.window(x.shape, filters.shape)
        volumes = self.last(xp, x)
        out = xp.zeros((x.shape[0], *box.places, filters.shape[4]), x.dtype)
        for index, part, place in box.taps:
            out[(_ALL, *place)] += xp.matmul(volumes[(_ALL, *part)], filters[index])
        return self.back(xp, out)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for volumes and filters."""
        x, filters = call.inputs
        dx = dw = None
        if needs(call, 0):
            dx = apply(
                self.sibling("Conv3DBackpropInputV2"), shape_of(x), filters, dy
            )
        if needs(call, 1):
            dw = apply(
                self.sibling("Conv3DBackpropFilterV2"), x, shape_of(filters), dy
            )
        return dx, dw


class Conv3DBackpropInputV2(_Convolution):
    """The gradient of a convolution for its volumes, of which only the shape is given."""

    host = (0,)

    def infer(
        self, input_sizes: TensorSpec, filters: TensorSpec, dy: TensorSpec
    ) -> TensorSpec:
        """Return the volumes' shape; ShapeError when the gradient does not fit it."""
        shape = input_sizes.vector() or (None,) * 5
        _check_flow(self.name, self.result(dy.with_shape(shape), filters), dy)
        return dy.with_shape(shape)

    def kernel(self, xp: Xp, input_sizes: Array, filters: Array, dy: Array) -> Array:
        """Return the gradient for the volumes."""
        shape = input_sizes.tolist()
        box = self.window(shape, filters.shape)
        flow = self.last(xp, dy)
        dx = xp.zeros((shape[0], *box.volume, filters.shape[3]), dy.dtype)
        for index, part, place in box.taps:
            dx[(_ALL, *part)] += xp.matmul(flow[(_ALL, *place)], filters[index].T)
        return self.back(xp, dx)

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for filters and the result's gradient."""
        _, filters, dy = call.inputs
        dw = apply(
            self.sibling("Conv3DBackpropFilterV2"), flow, shape_of(filters), dy
        )
        return None, dw, apply(self.sibling("Conv3D"), flow, filters)


class Conv3DBackpropFilterV2(_Convolution):
    """The gradient of a convolution for its filters, of which only the shape is given."""

    host = (1,)

    def infer(
        self, x: TensorSpec, filter_sizes: TensorSpec, dy: TensorSpec
    ) -> TensorSpec:
        """Return the filters' shape; ShapeError when the gradient does not fit it."""
        shape = filter_sizes.vector() or (None,) * 5
        _check_flow(self.name, self.result(x, dy.with_shape(shape)), dy)
        return dy.with_shape(shape)

    def kernel(self, xp: Xp, x: Array, filter_sizes: Array, dy: Array) -> Array:
        """Return the gradient for the filters."""
        shape = filter_sizes.tolist()
        box = self.window(x.shape, shape)
        volumes, flow = self.last(xp, x), self.last(xp, dy)
        dw = xp.zeros(shape, dy.dtype)
        for index, part, place in box.taps:
            seen = volumes[(_ALL, *part)].reshape(-1, shape[3])
            dw[index] = xp.matmul(seen.T, flow[(_ALL, *place)].reshape(-1, shape[4]))
        return dw

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the gradient for volumes and the result's gradient."""
        x, _, dy = call.inputs
        dx = apply(self.sibling("Conv3DBackpropInputV2"), shape_of(x), flow, dy)
        return dx, None, apply(self.sibling("Conv3D"), x, flow)


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


def _check_flow(what: str, result: TensorSpec, dy: TensorSpec) -> None:
    if dy.shape is None or result.shape is None:
        return
    pairs = zip(result.shape, dy.shape, strict=True)
    if any(None not in (a, b) and a != b for a, b in pairs):
        raise ShapeError(
            f"{what}: the gradient has shape {shape_text(dy.shape)}, the convolution's result "
            f"{shape_text(result.shape)}; they must be equal"
        )


def five(value: int | Sequence[int], data_format: str, name: str) -> tuple[int, ...]:
    """Return strides, sizes or dilations, given as one, three or five numbers, as five."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    whole_numbers(given, name)
    if len(given) == 5:
        return given
    if len(given) not in (1, 3):
        raise InvalidArgumentError(
            f"{name}={value!r}; give one, three or five numbers"
        )
    inner = given * 3 if len(given) == 1 else given
    return (1, *inner, 1) if data_format == "NDHWC" else (1, 1, *inner)


def conv3d(
    x: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return volumes (batch, depth, height, width, channels) convolved with filters.

    `filters` are (depth, height, width, channels, results). Raises ShapeError when channels or
    sizes do not fit.

    >>> volume = tl.ones((1, 3, 3, 3, 1))
    >>> print(tl.nn.conv3d(volume, tl.ones((2, 3, 3, 1, 1)))[0, :, 0, 0, 0])
    [18. 18.]
    """
    a, b = promoted(x, filters)
    op = configured(Conv3D, strides, padding, data_format, dilations)
    kernel = floating(b)
    return over_batches(floating(a), 4, lambda flat: call(op, flat, kernel))


def conv3d_transpose(
    x: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int | Sequence[int] = 1,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] = 1,
) -> Tensor:
    """Return the transpose of a convolution of volumes, the one whose result has the shape of `x`.

    `filters` are (depth, height, width, results, channels); `output_shape` is the whole shape of
    the result.

    >>> x, filters = tl.ones((1, 2, 2, 2, 3)), tl.ones((2, 2, 2, 5, 3))
    >>> tl.nn.conv3d_transpose(x, filters, (1, 4, 4, 4, 5), 2).shape
    (1, 4, 4, 4, 5)
    """
    a, b = promoted(x, filters)
    op = configured(Conv3DBackpropInputV2, strides, padding, data_format, dilations)
    return call(op, as_shape(output_shape), floating(b), floating(a))


def configured(
    op: type[_Convolution],
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    dilations: int | Sequence[int],
) -> Op:
    """Return the operator of a kind with these attributes."""
    return op(
        strides=five(strides, data_format, "strides"),
        padding=one_of(padding, str, "padding", "'SAME' or 'VALID'").upper(),
        data_format=data_format,
        dilations=five(dilations, data_format, "dilations"),
    )
