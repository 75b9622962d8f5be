"""More elements than before: tile, repeat, pad; and blocks of space traded for depth.

Padding with a constant, on which gradients rest, is the operator PadV2 in pieces.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.constant import structure
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DTypeLike, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, all_known, normalise_axis
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.pieces import padded, padded_shape
from tensorlite.ops.arrays.places import sums_at
from tensorlite.ops.arrays.shape import astype, reshape, reshape_like, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite
from tensorlite.ops.math.arithmetic import Range, sum
from tensorlite.ops.math.compare import less
from tensorlite.ops.math.reduce import max as greatest

__all__ = [
    "pad",
    "repeat",
    "reverse_sequence",
    "sequence_mask",
    "tile",
]


class Tile(Op):
    """A tensor repeated as a whole along each axis."""

    host = (1,)

    def infer(self, x: TensorSpec, multiples: TensorSpec) -> TensorSpec:
        """Return the sizes times the multiples; ShapeError unless there is one per axis."""
        times = multiples.vector()
        if times is None or x.shape is None:
            known = x.rank if times is None else len(times)
            return x.with_shape(None if known is None else (None,) * known)
        if len(times) != len(x.shape):
            raise ShapeError(
                f"Tile: {len(times)} multiples for {x}; give one per axis"
            )
        if any(n is not None and n < 0 for n in times):
            raise InvalidArgumentError(
                f"Tile: multiples={list(times)}; allowed are 0 and more"
            )
        pairs = zip(x.shape, times, strict=True)
        return x.with_shape(
            [prod(pair) if all_known(pair) else None for pair in pairs]
        )

    def kernel(self, xp: Xp, x: Array, multiples: Array) -> Array:
        """Return the repeated tensor."""
        return xp.tile(x, tuple(multiples.tolist())).reshape(
            np.multiply(x.shape, multiples).tolist()
        )

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient summed over the repetitions."""
        x, multiples = call.inputs
        count = multiples.spec.dims[0]
        if count is None:
            count = len(x.shape)
        sizes = stack([multiples, shape_of(x, multiples.dtype)], axis=1)
        apart = reshape(dy, reshape(sizes, (-1,)))
        return reshape_like(
            sum(apart, axis=tuple(range(0, 2 * count, 2)), dtype=dy.dtype), x
        ), None


class Repeat(Op):
    """A tensor with each element along an axis repeated: so often, or each so often as listed."""

    host = (1,)
    axis: int = 0

    def infer(self, x: TensorSpec, repeats: TensorSpec) -> TensorSpec:
        """Return the shape with another size on the axis; ShapeError for counts that do not fit."""
        if x.shape is None:
            return x.with_shape(None)
        axis = normalise_axis(self.axis, len(x.shape))
        counts = repeats.vector()
        if (
            counts is not None
            and len(counts) > 1
            and x.shape[axis] not in (None, len(counts))
        ):
            raise ShapeError(f"repeat: {len(counts)} counts for axis {axis} of {x}")
        if any(n is not None and n < 0 for n in counts or ()):
            raise InvalidArgumentError(
                f"repeat: repeats={counts}; allowed are 0 and more"
            )
        size = _repeated(x.shape[axis], repeats.constant())
        return x.with_shape((*x.shape[:axis], size, *x.shape[axis + 1 :]))

    def kernel(self, xp: Xp, x: Array, repeats: Array) -> Array:
        """Return the repeated elements."""
        counts = np.ravel(repeats).tolist()
        return xp.repeat(x, counts[0] if len(counts) == 1 else counts, axis=self.axis)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient summed over each element's repetitions."""
        x, repeats = call.inputs
        return gathered(dy, repeats, shape_of(x), self.axis), None


def _repeated(size: int | None, counts: tuple[int, ...] | None) -> int | None:
    if counts is None or size is None:
        return None
    return size * counts[0] if len(counts) == 1 else int(np.sum(counts))


class RepeatGrad(Op):
    """Repeated elements summed into those that they came from, in a tensor of the given shape."""

    host = (1, 2)
    axis: int = 0

    def infer(
        self, dy: TensorSpec, repeats: TensorSpec, shape: TensorSpec
    ) -> TensorSpec:
        """Return the shape given."""
        return dy.with_shape(shape.vector())

    def kernel(self, xp: Xp, dy: Array, repeats: Array, shape: Array) -> Array:
        """Return the sums."""
        size = int(shape[self.axis])
        source = xp.asarray(np.repeat(np.arange(size), repeats))
        sums = sums_at(xp, size, source, xp.moveaxis(dy, self.axis, 0))
        return xp.moveaxis(sums, 0, self.axis)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient repeated."""
        return _repeat(dy, call.inputs[1], self.axis), None, None


def gathered(dy: Tensor, repeats: Tensor, into: Tensor, axis: int) -> Tensor:
    """Return repeated elements summed into a tensor of the shape `into`."""
    return call(RepeatGrad(axis), dy, repeats, into)


def _repeat(x: Tensor, repeats: Tensor, axis: int) -> Tensor:
    return call(Repeat(axis), x, repeats)


Mode = Literal["constant", "reflect", "symmetric"]


class MirrorPad(Op):
    """A tensor with its mirror images around it; REFLECT leaves out the border."""

    host = (1,)
    mode: str

    def infer(self, x: TensorSpec, paddings: TensorSpec) -> TensorSpec:
        """Return the padded shape; ShapeError when a mirror image is larger than the tensor."""
        rows = paddings.pairs()
        if rows is not None and x.shape is not None and len(rows) == len(x.shape):
            for size, row in zip(x.shape, rows, strict=True):
                if size is not None:
                    _check_mirrored(size, row, self.mode)
        return x.with_shape(padded_shape(x, paddings))

    def kernel(self, xp: Xp, x: Array, paddings: Array) -> Array:
        """Return the padded tensor."""
        for axis, source in enumerate(_mirrored(x.shape, paddings, self.mode)):
            x = xp.take(x, xp.asarray(source), axis=axis)
        return x

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient with the mirror images' added to the originals'."""
        return _unmirrored(dy, call.inputs[1], self.mode), None


def _check_mirrored(size: int, row: Sequence[int | None], mode: str) -> None:
    limit = size - (mode == "REFLECT")
    if any(side is not None and side > limit for side in row):
        raise ShapeError(
            f"pad: {tuple(row)} elements around an axis of {size}; mode {mode.lower()!r} allows "
            f"{limit} on each side"
        )


def _mirrored(sizes: Sequence[int], paddings: Array, mode: str) -> list[Array]:
    """Return, per axis, which element stands at each place."""
    name: Mode = "reflect" if mode == "REFLECT" else "symmetric"
    pairs = list(zip(sizes, paddings.tolist(), strict=True))
    for size, row in pairs:
        _check_mirrored(size, row, mode)
    return [np.pad(np.arange(size), row, mode=name) for size, row in pairs]


class MirrorPadGrad(Op):
    """A padded tensor's gradient folded into that of the tensor."""

    host = (1,)
    mode: str

    def infer(self, dy: TensorSpec, paddings: TensorSpec) -> TensorSpec:
        """Return the shape less what was put around it."""
        rows, dims = paddings.pairs(), dy.shape
        if rows is None or dims is None:
            return dy.with_shape(dims and (None,) * len(dims))
        pairs = zip(dims, rows, strict=True)
        return dy.with_shape(tuple([_less(n, row) for n, row in pairs]))

    def kernel(self, xp: Xp, dy: Array, paddings: Array) -> Array:
        """Return the sums, axis by axis."""
        shape = [
            size - before - behind
            for size, (before, behind) in zip(
                dy.shape, paddings.tolist(), strict=True
            )
        ]
        for axis, source in enumerate(_mirrored(shape, paddings, self.mode)):
            given = xp.moveaxis(dy, axis, 0)
            sums = sums_at(xp, shape[axis], xp.asarray(source), given)
            dy = xp.moveaxis(sums, 0, axis)
        return dy

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient padded."""
        return _mirror(dy, call.inputs[1], self.mode), None


def _less(size: int | None, row: Sequence[int | None]) -> int | None:
    """Return a size without what was put around it, None where that is not known."""
    before, behind = row
    if size is None or before is None or behind is None:
        return None
    return size - before - behind


def _unmirrored(dy: Tensor, paddings: Tensor, mode: str) -> Tensor:
    return call(MirrorPadGrad(mode), dy, paddings)


def _mirror(x: Tensor, paddings: Tensor, mode: str) -> Tensor:
    return call(MirrorPad(mode), x, paddings)


class ReverseSequence(Op):
    """A tensor whose sequences, one per batch element, are reversed up to their lengths."""

    host = (1,)
    seq_dim: int
    batch_dim: int = 0

    def infer(self, x: TensorSpec, lengths: TensorSpec) -> TensorSpec:
        """Return the operand's spec; ShapeError unless there is one length per batch element."""
        if x.shape is not None:
            place = normalise_axis(self.batch_dim, len(x.shape))
            batch = x.shape[place]
            normalise_axis(self.seq_dim, len(x.shape))
            given = None if lengths.shape is None else lengths.dims[0]
            if None not in (batch, given) and batch != given:
                raise ShapeError(
                    f"reverse_sequence: {given} lengths for {batch} sequences"
                )
            known = given if batch is None else batch
            return x.with_shape((*x.shape[:place], known, *x.shape[place + 1 :]))
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, lengths: Array) -> Array:
        """Return the reversed sequences."""
        steps = np.arange(x.shape[self.seq_dim])[:, None]
        order = np.where(steps < lengths, lengths - 1 - steps, steps)
        ahead = xp.moveaxis(x, (self.seq_dim, self.batch_dim), (0, 1))
        found = ahead[xp.asarray(order), xp.arange(lengths.size)]
        return xp.moveaxis(found, (0, 1), (self.seq_dim, self.batch_dim))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient reversed likewise."""
        return reverse_sequence(
            dy, call.inputs[1], self.seq_dim, self.batch_dim
        ), None


def tile(x: TensorLike, repetitions: Sequence[int] | Tensor, /) -> Tensor:
    """Return `x` repeated as a whole, so many times along each axis; missing axes are put in front.

    >>> print(tl.tile([1, 2], (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    tensor = to_tensor(x)
    if isinstance(repetitions, Tensor):
        return call(Tile(), tensor, repetitions)
    times = [repetitions] if isinstance(repetitions, int) else list(repetitions)
    for count in times:
        whole(count, f"tile: repetitions={times}: a member", least=0)
    known = tensor.spec.rank
    if known is not None:
        times = [1] * (known - len(times)) + times
        if len(times) > known:
            ones = constant(np.ones(len(times) - known, np.int32))
            tensor = reshape(tensor, concat([ones, shape_of(tensor)]))
    return call(Tile(), tensor, constant(structure(tuple(times))))


def repeat(
    x: TensorLike, repeats: TensorLike, /, *, axis: int | None = None
) -> Tensor:
    """Return `x` with each element along `axis` repeated, all `repeats` times or each as listed.

    Without an axis the elements are repeated in their flattened order.

    >>> print(tl.repeat([1, 2, 3], [2, 0, 1]))
    [1 1 3]
    """
    tensor = to_tensor(x)
    if axis is None or tensor.spec.rank == 0:
        tensor, axis = reshape(tensor, (-1,)), 0
    counts = to_tensor(repeats)
    if not counts.dtype.is_integer or counts.spec.rank not in (0, 1, None):
        raise InvalidArgumentError(
            f"repeat: counts are one integer or a vector, not {counts.spec}"
        )
    return _repeat(
        tensor, expand_dims(counts) if counts.spec.rank == 0 else counts, axis
    )


class Pad(Composite):
    """A tensor with zeros before and after it along each axis; of texts, empty ones."""

    def compose(self, x: Tensor, paddings: Tensor) -> Tensor:
        """Return the tensor with zeros around it."""
        return padded(x, paddings, b"" if x.dtype is string else 0)


def pad(
    x: TensorLike,
    /,
    paddings: TensorLike,
    mode: Mode = "constant",
    constant_values: TensorLike = 0,
) -> Tensor:
    """Return `x` with elements put before and after it, as `paddings` has them for each axis.

    The elements are a constant, or the tensor's own mirrored at its border: `"reflect"` does not
    repeat the border, `"symmetric"` does. Raises ShapeError when a mirror image is too large.

    >>> print(tl.pad([1, 2, 3], [[1, 2]], mode="reflect"))
    [2 1 2 3 2 1]
    """
    tensor = to_tensor(x)
    if mode.lower() == "constant":
        return padded(tensor, paddings, constant_values)
    if mode.lower() not in ("reflect", "symmetric"):
        raise InvalidArgumentError(
            f"pad: mode={mode!r}; allowed: 'constant', 'reflect', 'symmetric'"
        )
    return _mirror(tensor, to_tensor(paddings), mode.upper())


def reverse_sequence(
    x: TensorLike, /, lengths: TensorLike, seq_axis: int, batch_axis: int = 0
) -> Tensor:
    """Return `x` with the first `lengths[i]` steps of sequence `i` in reverse order.

    >>> print(tl.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1))
    [[2 1 3]
     [6 5 4]]
    """
    return call(ReverseSequence(seq_axis, batch_axis), x, lengths)


def _longest(counts: Tensor) -> Tensor:
    """Return the greatest count, 0 where there is none."""
    least = constant(np.zeros(1, counts.dtype.numpy))
    return greatest(concat([reshape(counts, -1), least], axis=0))


def sequence_mask(
    lengths: TensorLike,
    /,
    maxlen: int | Tensor | None = None,
    dtype: DTypeLike = dtypes.bool_,
) -> Tensor:
    """Return, for each length, so many ones (True) and then zeros, `maxlen` in all.

    Without `maxlen` the greatest length is taken.

    >>> print(tl.sequence_mask([1, 3], dtype=tl.int32))
    [[1 0 0]
     [1 1 1]]
    """
    counts = to_tensor(lengths)
    if not counts.dtype.is_integer:
        raise DTypeError(
            f"sequence_mask: lengths are {counts.spec}; allowed are integers"
        )
    size = _longest(counts) if maxlen is None else to_tensor(maxlen)
    if size.spec.rank:
        raise ShapeError(f"sequence_mask: `maxlen` must be scalar, not {size.spec}")
    steps = call(
        Range(), astype(constant(0), dtypes.int32), astype(size, dtypes.int32), 1
    )
    return astype(less(astype(steps, counts.dtype), expand_dims(counts, -1)), dtype)
