"""Blocks of pixels as channels or as members of a batch, and back."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, check_rank, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.rounding import remainder

__all__ = ["batch_to_space", "depth_to_space", "space_to_batch", "space_to_depth"]


class _Channels(Op, abstract=True):
    """What both ways between blocks of pixels and channels share."""

    block_size: int
    data_format: str = "NHWC"

    def sizes(self, x: TensorSpec) -> tuple[Dim, Dim, Dim, Dim]:
        """Return batch, height, width and channels; the error for what cannot be such images."""
        if self.block_size < 2:
            raise InvalidArgumentError(
                f"{self.name}: block_size={self.block_size}; allowed are 2 and more"
            )
        check_rank(f"{self.name} takes images", x, 4)
        a, b, c, d = x.shape or (None,) * 4
        return (a, b, c, d) if self.data_format == "NHWC" else (a, c, d, b)

    def shaped(self, batch: Dim, height: Dim, width: Dim, depth: Dim) -> Dims:
        """Return these sizes in the order of the format."""
        if self.data_format == "NHWC":
            return batch, height, width, depth
        return batch, depth, height, width

    def divided(self, size: Dim, by: int) -> Dim:
        """Return a part of a size; ShapeError when it is not whole."""
        if size is not None and size % by:
            raise ShapeError(
                f"{self.name}: {size} does not divide into parts of {by}"
            )
        return None if size is None else size // by

    def turned(self, xp: Xp, x: Array, to: str) -> Array:
        """Return images from one order of axes to the other, where they are in NCHW."""
        if self.data_format == "NHWC":
            return x
        return xp.transpose(x, (0, 2, 3, 1) if to == "NHWC" else (0, 3, 1, 2))


class SpaceToDepth(_Channels):
    """Images with each block of pixels as one pixel of more channels."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec; ShapeError when blocks do not tile the images."""
        batch, height, width, depth = self.sizes(x)
        block = self.block_size
        more = None if depth is None else depth * block * block
        sides = self.divided(height, block), self.divided(width, block)
        return x.with_shape(self.shaped(batch, *sides, more))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the blocks, row by row."""
        self.infer(TensorSpec(x.shape, dtypes.float32))
        images, block = self.turned(xp, x, "NHWC"), self.block_size
        batch, height, width, depth = images.shape
        sides = height // block, width // block
        parts = images.reshape(batch, sides[0], block, sides[1], block, depth)
        deep = xp.transpose(parts, (0, 1, 3, 2, 4, 5))
        more = depth * block * block
        return self.turned(xp, deep.reshape(batch, *sides, more), "NCHW")

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the channels as blocks again."""
        return (apply(DepthToSpace(self.block_size, self.data_format), dy),)


class DepthToSpace(_Channels):
    """Images with the channels of each pixel as a block of pixels."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the spec; ShapeError when channels do not make blocks."""
        batch, height, width, depth = self.sizes(x)
        block = self.block_size
        rest = self.divided(depth, block * block)
        high = None if height is None else height * block
        wide = None if width is None else width * block
        return x.with_shape(self.shaped(batch, high, wide, rest))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the blocks, row by row."""
        self.infer(TensorSpec(x.shape, dtypes.float32))
        images, block = self.turned(xp, x, "NHWC"), self.block_size
        batch, height, width, depth = images.shape
        rest = depth // (block * block)
        parts = images.reshape(batch, height, width, block, block, rest)
        flat = xp.transpose(parts, (0, 1, 3, 2, 4, 5))
        shape = (batch, height * block, width * block, rest)
        return self.turned(xp, flat.reshape(shape), "NCHW")

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the blocks as channels again."""
        return (apply(SpaceToDepth(self.block_size, self.data_format), dy),)


class _Batches(Op, abstract=True):
    """What both ways between blocks of axes and batches share."""

    host = (1, 2)

    def known(
        self, x: TensorSpec, blocks: TensorSpec, pairs: TensorSpec
    ) -> tuple[Dims, Sequence[tuple[Dim, Dim]]] | None:
        """Return blocks and pairs as far as they are known; the error for what does not fit."""
        if blocks.rank not in (1, None):
            raise ShapeError(f"{self.name}: block_shape is a vector, not {blocks}")
        if pairs.rank not in (2, None):
            raise ShapeError(f"{self.name}: a matrix has the pairs, not {pairs}")
        listed = blocks.vector()
        if listed is None:
            return None
        number = len(listed)
        if pairs.shape is not None and pairs.shape not in _fitting(number):
            raise ShapeError(
                f"{self.name}: {number} blocks and pairs of shape {shape_text(pairs.shape)}; "
                f"allowed is [{number}, 2]"
            )
        if x.rank is not None and x.rank < number + 1:
            raise ShapeError(
                f"{self.name}: input rank should be >= {number + 1} instead of {x.rank}"
            )
        found = pairs.pairs() or [(None, None)] * number
        self.check(listed, found)
        return listed, [(a, b) for a, b in found]

    def check(self, blocks: Dims, pairs: Sequence[Sequence[Dim]]) -> None:
        """Raise the error for numbers that are not allowed."""
        for block in blocks:
            if block is not None and block < 1:
                raise InvalidArgumentError(
                    f"{self.name}: block_shape={list(blocks)}; allowed are 1 and more"
                )
        for one in pairs:
            if any(x is not None and x < 0 for x in one):
                raise InvalidArgumentError(
                    f"{self.name}: a pair {list(one)}; allowed are 0 and more"
                )

    def numbers(
        self, x: Array, blocks: Array, pairs: Array
    ) -> tuple[list[int], list[list[int]]]:
        """Return blocks and pairs, which fit the array."""
        listed, each = blocks.tolist(), pairs.tolist()
        specs = [TensorSpec(a.shape, dtypes.int64) for a in (x, blocks, pairs)]
        self.known(*specs)
        self.check(listed, each)
        return listed, each


def _fitting(number: int) -> list[Any]:
    return [(a, b) for a in (None, number) for b in (None, 2)]


class SpaceToBatchND(_Batches):
    """A tensor, padded, with blocks of the axes behind the first moved into the first."""

    def infer(
        self, x: TensorSpec, blocks: TensorSpec, paddings: TensorSpec
    ) -> TensorSpec:
        """Return the spec; the errors for what is known not to fit."""
        known = self.known(x, blocks, paddings)
        if known is None or x.shape is None:
            return x.with_shape(None if x.shape is None else (None,) * len(x.shape))
        listed, pairs = known
        batch, *inner = x.shape
        for i, (block, (before, after)) in enumerate(zip(listed, pairs, strict=True)):
            batch = None if batch is None or block is None else batch * block
            inner[i] = self._side(_sum(inner[i], before, after), block)
        return x.with_shape((batch, *inner))

    def _side(self, size: Dim, block: Dim) -> Dim:
        if size is None or block is None:
            return None
        if size % block:
            raise ShapeError(
                f"{self.name}: {size}, padded, is not divisible by the block's {block}"
            )
        return size // block

    def kernel(self, xp: Xp, x: Array, blocks: Array, paddings: Array) -> Array:
        """Return the blocks."""
        listed, pairs = self.numbers(x, blocks, paddings)
        number, batch = len(listed), x.shape[0]
        rest = x.shape[number + 1 :]
        ends = [(0, 0), *map(tuple, pairs), *[(0, 0)] * len(rest)]
        wide = xp.pad(x, ends) if any(map(any, pairs)) else x
        have = zip(wide.shape[1:], listed, strict=False)
        sides = [self._side(size, block) for size, block in have]
        split = [
            y
            for side, block in zip(sides, listed, strict=True)
            for y in (side, block)
        ]
        parts = wide.reshape(batch, *split, *rest)
        inner = range(2, 2 * number + 1, 2)
        outer = range(1, 2 * number + 1, 2)
        last = range(2 * number + 1, parts.ndim)
        moved = xp.transpose(parts, (*inner, 0, *outer, *last))
        return moved.reshape(batch * prod(listed), *sides, *rest)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the batches as blocks again."""
        _, blocks, paddings = call.inputs
        return apply(BatchToSpaceND(), dy, blocks, paddings), None, None


class BatchToSpaceND(_Batches):
    """A tensor with its first axis moved back into blocks of those behind, and these cut."""

    def infer(
        self, x: TensorSpec, blocks: TensorSpec, crops: TensorSpec
    ) -> TensorSpec:
        """Return the spec; the errors for what is known not to fit."""
        known = self.known(x, blocks, crops)
        if known is None or x.shape is None:
            return x.with_shape(None if x.shape is None else (None,) * len(x.shape))
        listed, pairs = known
        batch, *inner = x.shape
        for i, (block, (before, after)) in enumerate(zip(listed, pairs, strict=True)):
            batch = self._members(batch, block)
            side = inner[i]
            whole = None if side is None or block is None else side * block
            inner[i] = self._cut(whole, before, after)
        return x.with_shape((batch, *inner))

    def _members(self, batch: Dim, block: Dim) -> Dim:
        if batch is None or block is None:
            return None
        if batch % block:
            raise ShapeError(
                f"{self.name}: a batch of {batch} is not divisible by the block's {block}"
            )
        return batch // block

    def _cut(self, size: Dim, before: Dim, after: Dim) -> Dim:
        if size is None or before is None or after is None:
            return None
        if size < before + after:
            raise ShapeError(
                f"{self.name}: {before} and {after} are cut off, of {size} elements"
            )
        return size - before - after

    def kernel(self, xp: Xp, x: Array, blocks: Array, crops: Array) -> Array:
        """Return the blocks, put together and cut."""
        listed, pairs = self.numbers(x, blocks, crops)
        number, batch = len(listed), self._members(x.shape[0], prod(listed))
        parts = x.reshape(*listed, batch, *x.shape[1:])
        places = [place for i in range(number) for place in (number + 1 + i, i)]
        last = range(2 * number + 1, parts.ndim)
        moved = xp.transpose(parts, (number, *places, *last))
        sides = [a * b for a, b in zip(x.shape[1:], listed, strict=False)]
        whole = moved.reshape(batch, *sides, *x.shape[number + 1 :])
        ends = [
            (a, self._cut(n, a, b)) for n, (a, b) in zip(sides, pairs, strict=True)
        ]
        cuts = [slice(first, first + (size or 0)) for first, size in ends]
        return whole[(slice(None), *cuts)]

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the blocks as batches again, zeros where they were cut."""
        _, blocks, crops = call.inputs
        return apply(SpaceToBatchND(), dy, blocks, crops), None, None


def _sum(*sizes: Dim) -> Dim:
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


apply = call
"""`call` under another name, for `grad`, where `call` is the argument."""


def space_to_depth(
    x: TensorLike, /, block_size: int, data_format: str = "NHWC"
) -> Tensor:
    """Return images with each block of pixels as one pixel of more channels.

    >>> tl.space_to_depth(tl.ones((1, 4, 4, 3)), 2).shape
    (1, 2, 2, 12)
    """
    return call(SpaceToDepth(block_size, data_format), x)


def depth_to_space(
    x: TensorLike, /, block_size: int, data_format: str = "NHWC"
) -> Tensor:
    """Return images with the channels of each pixel spread over a block of pixels.

    >>> tl.depth_to_space(tl.ones((1, 2, 2, 12)), 2).shape
    (1, 4, 4, 3)
    """
    return call(DepthToSpace(block_size, data_format), x)


def space_to_batch(
    x: TensorLike, block_shape: TensorLike, paddings: TensorLike
) -> Tensor:
    """Return `x`, padded, with blocks of the axes behind the first moved into the first.

    `block_shape` has a size for each of these axes, or is one for the first two; `paddings` has a
    row (before, after) for each.

    >>> x = tl.reshape(tl.arange(4), (1, 4, 1))
    >>> print(tl.nn.space_to_batch(x, [2], [[0, 0]])[:, :, 0])
    [[0 2]
     [1 3]]
    """
    return call(SpaceToBatchND(), x, _sides(block_shape), _pairs(paddings))


def batch_to_space(
    x: TensorLike, block_shape: TensorLike, crops: TensorLike
) -> Tensor:
    """Return `x` with its first axis moved back into blocks of those behind, and these cut.

    >>> print(tl.nn.batch_to_space([[[0], [2]], [[1], [3]]], [2], [[0, 1]])[:, :, 0])
    [[0 1 2]]
    """
    return call(BatchToSpaceND(), x, _sides(block_shape), _pairs(crops))


def _sides(block_shape: TensorLike) -> Tensor:
    both = (block_shape,) * 2 if isinstance(block_shape, int) else block_shape
    return _whole(both)


def _pairs(pairs: TensorLike) -> Tensor:
    return _whole(pairs)


def _whole(sizes: TensorLike) -> Tensor:
    x = to_tensor(sizes)
    return x if x.dtype is dtypes.int32 else astype(x, dtypes.int64)


def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
) -> tuple[Tensor, Tensor]:
    """Return paddings so that blocks tile axes of these sizes, and what is to be cut off again.

    `base_paddings` is what is padded at least.

    >>> from tensorlite.ops.arrays.blocks import required_space_to_batch_paddings as required
    >>> paddings, crops = required([5, 6], [2, 3])
    >>> print(paddings.numpy().tolist(), crops.numpy().tolist())
    [[0, 1], [0, 0]] [[0, 1], [0, 0]]
    """
    have, blocks = to_tensor(input_shape), to_tensor(block_shape)
    if base_paddings is None:
        base = stack([zeros_like(blocks), zeros_like(blocks)], axis=1)
    else:
        base = to_tensor(base_paddings)
    first, last = base[:, 0], base[:, 1]
    more = remainder(-(have + first + last), blocks)
    paddings = stack([first, last + more], axis=1)
    return paddings, stack([zeros_like(more), more], axis=1)
