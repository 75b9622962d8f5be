"""Tensors with something around them: tf.pad, whose three ways are operators of TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.sizes import as_whole
from tensorlite.core import nest
from tensorlite.core.check import integers_of
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import EagerTensor
from tensorlite.ops.arrays.repeat import Pad
from tensorlite.ops.composite import composed


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Any:
    """Return the tensor with elements put around it: [before, after] for each axis.

    `mode` is 'CONSTANT' (constant_values), 'REFLECT' (what lies behind the edge) or 'SYMMETRIC'
    (the edge, too); InvalidArgumentError for others, and for paddings below 0.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.pad([1, 2], [[1, 2]]).numpy().tolist()
    [0, 1, 2, 0, 0]
    """
    kind = str(mode).upper()
    if kind not in {"CONSTANT", "REFLECT", "SYMMETRIC"}:
        raise InvalidArgumentError(
            f"Unknown padding mode: {mode}; allowed are CONSTANT, REFLECT and SYMMETRIC"
        )
    plain_zero = not isinstance(constant_values, Operand) and constant_values == 0
    filled = _pad if plain_zero else _pad_v2
    return (filled if kind == "CONSTANT" else _mirror_pad)(
        tensor, paddings, kind, constant_values, name=name
    )


def _padding(default: str) -> Callable[..., Any]:
    @named(default)
    def padded(
        tensor: Any, paddings: Any, mode: Any, value: Any, name: str | None = None
    ) -> Any:
        paddings = as_whole(paddings)
        x, sizes = converted(tensor), converted(paddings, int32, "paddings")
        _check_paddings(paddings)
        if default == "Pad":
            return composed(Pad(), x, sizes)
        if default == "MirrorPad":
            return tl.pad(x, sizes, mode.lower())
        return tl.pad(x, sizes, mode.lower(), converted(value, x.dtype))

    return padded


def _check_paddings(paddings: Any) -> None:
    """Raise InvalidArgumentError for paddings below 0, which cut in tensorlite's own pad."""
    known = paddings
    if isinstance(paddings, Operand):
        known = paddings.numpy() if isinstance(paddings, EagerTensor) else None
    elif any(isinstance(x, Operand) for x in nest.flatten(paddings)):
        return
    if known is not None and min(integers_of(known, "paddings"), default=0) < 0:
        raise InvalidArgumentError(
            f"Paddings must be non-negative: {np.asarray(known).tolist()}"
        )


_pad, _pad_v2, _mirror_pad = map(_padding, ("Pad", "PadV2", "MirrorPad"))
