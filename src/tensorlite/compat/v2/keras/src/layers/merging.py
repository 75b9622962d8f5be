"""Keras' layers that bring several inputs together."""

from __future__ import annotations

import functools
from string import ascii_letters
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers import masks, naming, ragged_rows
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.ragged import arrange as ragged


class Merge(Layer):
    """A layer of a list of inputs; those of fewer axes get some behind the first."""

    rows_taken: str | None = "elements"
    supports_masking = True

    def build(self, input_shape: Any) -> None:
        if not input_shape or not isinstance(input_shape[0], (tuple, list)):
            raise InvalidArgumentError(
                "A merge layer should be called on a list of inputs. Received: "
                f"input_shape={input_shape} (not a list of shapes)"
            )
        _check_count("merge", input_shape)
        rows = {shape[0] for shape in input_shape if len(shape)} - {None}
        if len(rows) > 1:
            raise InvalidArgumentError(
                "Cannot merge tensors with different batch sizes. Received tensors with shapes "
                f"{input_shape}"
            )

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or not inputs:
            raise InvalidArgumentError(
                f"A merge layer should be called on a list of inputs. Received: {inputs!r}"
            )
        rank = max(len(x.shape) for x in inputs)
        made, *others = [_of_rank(x, rank) for x in self.shown(inputs)]
        for x in others:
            made = self.joined(made, x)
        return self.finished(made, len(inputs))

    def shown(self, inputs: Any) -> Any:
        """Return inputs as they are joined, some with regard to their masks."""
        return inputs

    def joined(self, x: Any, y: Any) -> Any:
        """Return two inputs as one; a subclass says how."""
        raise NotImplementedError("a merge layer says how two inputs are joined")

    def finished(self, x: Any, count: int) -> Any:
        """Return what count inputs were joined to, brought to its end."""
        return x

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return which steps count in any of the inputs; in Keras 2 in all that have a mask."""
        if mask is None:
            return None
        _check_masks(inputs, mask)
        if not naming.is_keras_3():
            known = [tl.expand_dims(x, axis=0) for x in mask if x is not None]
            return tl.all(tl.concat(known, axis=0), axis=0) if known else None
        if any(x is None for x in mask):
            return None
        made = mask[0]
        for x in mask[1:]:
            made = tl.logical_or(astype(made, tl.bool), astype(x, tl.bool))
        return made


def _check_count(kind: str, shapes: Any) -> None:
    """Raise InvalidArgumentError for fewer inputs than there are to be, in Keras 2 two."""
    least = 1 if naming.is_keras_3() else 2
    if not isinstance(shapes, (list, tuple)) or len(shapes) < least:
        raise InvalidArgumentError(
            f"A {kind} layer should be called on a list of at least {least} "
            f"input{'s' if least > 1 else ''}. Received: input_shape={shapes}"
        )


def _of_rank(x: Any, rank: int) -> Any:
    while len(x.shape) < rank:
        x = tl.expand_dims(x, axis=1)
    return x


def _where(mask: Any, x: Any, other: Any) -> Any:
    """Return an input where a mask of its steps says so, something else elsewhere."""
    return tl.where(
        astype(mask, tl.bool)[..., None], x, tl.asarray(other, dtype=x.dtype)
    )


def _check_masks(inputs: Any, mask: Any) -> None:
    for name, value in (("mask", mask), ("inputs", inputs)):
        if not isinstance(value, (tuple, list)):
            raise InvalidArgumentError(
                f"`{name}` should be a list. Received: {name}={value}"
            )
    if len(mask) != len(inputs):
        raise InvalidArgumentError(
            "The lists `inputs` and `mask` should have the same length. Received: "
            f"inputs={inputs} of length {len(inputs)}, and mask={mask} of length {len(mask)}"
        )


class Add(Merge):
    """The sum of a list of inputs."""

    def joined(self, x: Any, y: Any) -> Any:
        """Return the sum of two inputs."""
        return x + y


class Subtract(Merge):
    """The first of two inputs less the second."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise InvalidArgumentError(
                "A `Subtract` layer should be called on exactly 2 inputs. Received: "
                f"input_shape={input_shape}"
            )

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) != 2:
            raise InvalidArgumentError(
                "A `Subtract` layer should be called on exactly 2 inputs. Received: "
                f"inputs={inputs}"
            )
        return super().call(inputs)

    def joined(self, x: Any, y: Any) -> Any:
        """Return the first input less the second."""
        return x - y


class Multiply(Merge):
    """The product of a list of inputs."""

    def shown(self, inputs: Any) -> Any:
        """Return inputs with ones where a mask leaves them out, noughts where all are left out."""
        own = [masks.of_one(x) for x in inputs]
        each = list(zip(inputs, own, strict=True))
        made = [x if mask is None else _where(mask, x, 1) for x, mask in each]
        if any(mask is None for mask in own):
            return made
        seen = functools.reduce(tl.logical_or, [astype(x, tl.bool) for x in own])
        return [_where(seen, made[0], 0), *made[1:]]

    def joined(self, x: Any, y: Any) -> Any:
        """Return the product of two inputs."""
        return x * y


class Average(Add):
    """The mean of a list of inputs."""

    def finished(self, x: Any, count: int) -> Any:
        """Return the sum divided by the number of inputs."""
        return x / count


class _Choice(Merge):
    """Joins inputs by an operation that no number leaves as they are: a mask leaves the other."""

    def call(self, inputs: Any) -> Any:
        if masks.of(inputs) is None:
            return super().call(inputs)
        made, seen = inputs[0], masks.of_one(inputs[0])
        for x in inputs[1:]:
            mask = masks.of_one(x)
            other = x if mask is None else _where(mask, x, made)
            made = self.joined(
                made if seen is None else _where(seen, made, other), other
            )
            none = mask is None or seen is None
            seen = None if none else tl.logical_or(seen, mask)
        return made


class Maximum(_Choice):
    """The greatest elements of a list of inputs."""

    def joined(self, x: Any, y: Any) -> Any:
        """Return the greater elements of two inputs."""
        return tl.maximum(x, y)


class Minimum(_Choice):
    """The least elements of a list of inputs."""

    def joined(self, x: Any, y: Any) -> Any:
        """Return the lesser elements of two inputs."""
        return tl.minimum(x, y)


class Concatenate(Merge):
    """A list of inputs, one behind the other along an axis."""

    rows_taken = None

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        if not input_shape or not isinstance(input_shape[0], (tuple, list)):
            raise InvalidArgumentError(
                "A `Concatenate` layer should be called on a list of inputs. Received: "
                f"input_shape={input_shape}"
            )
        _check_count("`Concatenate`", input_shape)
        rank = len(input_shape[0])
        others = [i for i in range(rank) if i != self.axis % rank]
        fits = all(len(shape) == rank for shape in input_shape)
        for i in others if fits else ():
            fits = fits and len({shape[i] for shape in input_shape} - {None}) < 2
        if not fits:
            raise InvalidArgumentError(
                "A `Concatenate` layer requires inputs with matching shapes except for the "
                f"concatenation axis. Received: input_shape={input_shape}"
            )

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise InvalidArgumentError(
                "A `Concatenate` layer should be called on a list of inputs. Received: "
                f"inputs={inputs}"
            )
        if ragged_rows.are_in(inputs):
            return ragged.concat(list(inputs), axis=self.axis)
        return tl.concat(list(inputs), axis=self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return None
        _check_masks(inputs, mask)
        if all(x is None for x in mask):
            return None
        whole = [_spread(x, own) for x, own in zip(inputs, mask, strict=True)]
        return tl.any(tl.concat(whole, axis=self.axis), axis=-1)


def _spread(x: Any, mask: Any) -> Any:
    """Return a mask for each place of an input."""
    if mask is None:
        return tl.ones_like(x, dtype=tl.bool)
    if len(mask.shape) < len(x.shape):
        return mask[..., None] | tl.zeros_like(x, dtype=tl.bool)
    return mask


class Dot(Merge):
    """Products of two inputs along an axis of each, row by row of the batch."""

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _check_axes(axes)
        self.axes, self.normalize = axes, normalize

    def _places(self, first: int, second: int) -> tuple[int, int]:
        """Return the axes in inputs of two ranks."""
        ends = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        return int(ends[0]) % first, int(ends[1]) % second

    def build(self, input_shape: Any) -> None:
        is_listed = isinstance(input_shape, (tuple, list)) and len(input_shape) == 2
        if not is_listed or not isinstance(input_shape[0], (tuple, list)):
            raise InvalidArgumentError(
                "A `Dot` layer should be called on a list of 2 inputs. Received: "
                f"input_shape={input_shape}"
            )
        x, y = input_shape
        one, other = self._places(len(x), len(y))
        if x[one] != y[other]:
            raise InvalidArgumentError(
                f"Incompatible input shapes: axis values {x[one]} (at axis {one}) != {y[other]} "
                f"(at axis {other}). Full input shapes: {x}, {y}"
            )

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) != 2:
            raise InvalidArgumentError(
                f"A `Dot` layer should be called on exactly 2 inputs. Received: inputs={inputs}"
            )
        x, y = inputs
        one, other = self._places(len(x.shape), len(y.shape))
        if self.normalize:
            x, y = tl.nn.l2_normalize(x, one), tl.nn.l2_normalize(y, other)
        ours = ascii_letters[: len(x.shape)]
        theirs = [ours[0], *ascii_letters[len(ours) :][: len(y.shape) - 1]]
        theirs[other] = ours[one]
        kept = [c for c in (*ours, *theirs[1:]) if c != ours[one]]
        made = tl.einsum(f"{ours},{''.join(theirs)}->{''.join(kept)}", x, y)
        return made[:, None] if len(kept) == 1 else made

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


def _check_axes(axes: Any) -> None:
    """Raise DTypeError or InvalidArgumentError unless axes are a whole number, or two."""
    if isinstance(axes, int):
        return
    if not isinstance(axes, (list, tuple)):
        raise DTypeError(
            "Invalid type for argument `axes`: it should be a list or an int. Received: "
            f"axes={axes}"
        )
    if len(axes) != 2 or not all(isinstance(x, int) for x in axes):
        what = "list elements should be integers" if len(axes) == 2 else ""
        raise InvalidArgumentError(
            "Invalid format for argument `axes`: "
            f"{what or 'it should contain two elements'}. Received: axes={axes}"
        )


def add(inputs: Any, **kwargs: Any) -> Any:
    """Return the sum of a list of tensors, by a layer `Add`."""
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """Return the first of two tensors less the second, by a layer `Subtract`."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """Return the product of a list of tensors, by a layer `Multiply`."""
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """Return the mean of a list of tensors, by a layer `Average`."""
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """Return the greatest elements of a list of tensors, by a layer `Maximum`."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """Return the least elements of a list of tensors, by a layer `Minimum`."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Return tensors one behind the other along an axis, by a layer `Concatenate`."""
    return Concatenate(axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any = -1, normalize: bool = False, **kwargs: Any) -> Any:
    """Return the products of two tensors along an axis of each, by a layer `Dot`.

    normalize gives both the length 1 first, which makes cosines of angles.
    """
    return Dot(axes, normalize, **kwargs)(inputs)
