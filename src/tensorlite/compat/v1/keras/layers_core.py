"""Keras' layers of products and shapes, composed in graphs as TensorFlow 1 composes them."""

from __future__ import annotations

from math import prod
from typing import Any

from tensorlite.compat.shared.arrays import (
    expand_dims,
    reshape,
    squeeze,
    stack,
    transpose,
)
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import cast, not_equal
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add
from tensorlite.compat.shared.reductions import reduce_any
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.contracting import tensordot
from tensorlite.compat.v1.keras.written import Written, activated, written_by
from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.src.layers import masks
from tensorlite.compat.views import plain


class Dense(Written, layers.Dense):
    """Inputs times a matrix plus biases, along the last axis."""

    def written(self, inputs: Any) -> Any:
        """Return products of matrices, for which further axes are laid out as one."""
        rank = inputs.get_shape().ndims
        given = inputs if inputs.dtype.is_floating else cast(inputs, self.dtype)
        if rank is not None and rank > 2:
            made = tensordot(given, self.kernel, [[rank - 1], [0]])
            made.set_shape([*given.get_shape().as_list()[:-1], self.units])
        else:
            made = matmul(given, self.kernel)
        if self.bias is not None:
            made = bias_add(made, self.bias)
        return activated(self, made)


class Activation(Written, layers.Activation):
    """A function of its input."""

    def written(self, inputs: Any) -> Any:
        """Return what the function makes."""
        return activated(self, inputs)


class Flatten(Written, layers.Flatten):
    """All elements of an example in a row."""

    def written(self, inputs: Any) -> Any:
        """Return as many examples, each in a row."""
        dims = inputs.get_shape().as_list()
        if self.data_format == "channels_first" and len(dims) > 2:
            inputs = transpose(inputs, [0, *range(2, len(dims)), 1])
        made = reshape(inputs, (dims[0] or shape(inputs)[0], -1))
        made.set_shape([dims[0], None if None in dims[1:] else prod(dims[1:])])
        return made


class Reshape(Written, layers.Reshape):
    """Examples in another shape."""

    def written(self, inputs: Any) -> Any:
        """Return as many examples, of the new shape."""
        rows = shape(inputs)[0]
        made = reshape(inputs, (rows, *self.target_shape))
        made.set_shape(self._known(inputs.get_shape().as_list()))
        return made

    def _known(self, dims: Any) -> list[Any]:
        """Return what is known of the new shape: a size that is left open follows from the rest."""
        sizes = list(self.target_shape)
        if -1 in sizes:
            rest, known = dims[1:], -prod(sizes)
            is_open = None in rest or not known
            sizes[sizes.index(-1)] = None if is_open else prod(rest) // known
        return [dims[0], *sizes]


class RepeatVector(Written, layers.RepeatVector):
    """Each row n times, as steps of a sequence."""

    def written(self, inputs: Any) -> Any:
        """Return rows repeated along a new axis."""
        return tile(expand_dims(inputs, 1), stack([1, self.n, 1]))


class Masking(Written, layers.Masking):
    """Leaves out steps of which all features have a value."""

    masks_jointly = True

    def written(self, inputs: Any) -> Any:
        """Return inputs without such steps, and remember which are left."""
        differs = not_equal(inputs, self.mask_value)
        counts = reduce_any(differs, axis=-1, keepdims=True)
        made = inputs * cast(counts, inputs.dtype)
        masks.remember(plain(made), plain(squeeze(counts, axis=-1)))
        return made


class TimeDistributed(layers.TimeDistributed):
    """A layer at each step."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        is_open = inputs.spec.dims[0] is None
        if mask is None and (is_open or not self.layer.non_trainable_weights):
            made = written_by(self, self._written, inputs, training)
            if made is not NotImplemented:
                return made
        return super().call(inputs, training, mask)

    def _written(self, inputs: Any, training: Any) -> Any:
        """Return the results for all steps as if these were examples."""
        dims = inputs.get_shape().as_list()
        steps = shape(inputs)[1] if dims[1] is None else dims[1]
        told = {"training": training} if self.layer.takes("training") else {}
        made = self.layer(reshape(inputs, _sizes((-1,), inputs, 2)), **told)
        return reshape(made, _sizes((-1, steps), made, 1))


def _sizes(first: tuple[Any, ...], x: Any, start: int) -> tuple[Any, ...]:
    """Return sizes, and those of a tensor's axes behind some; those unknown are looked up."""
    known = x.get_shape().as_list()[start:]
    if None not in known:
        return (*first, *known)
    found = shape(x)
    own = [found[start + i] if n is None else n for i, n in enumerate(known)]
    return (*first, *own)


KINDS = {
    kind.__name__: kind
    for kind in (
        *(Dense, Activation, Flatten, Reshape, RepeatVector),
        *(Masking, TimeDistributed),
    )
}
"""What is found by its name in programs of version 1."""
