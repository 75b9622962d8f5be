"""tf.contrib.nn: dropout for SELU's networks, elements by rank, losses of swapped arguments."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1 import nn
from tensorlite.compat.v1.functions import arrays
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.random import random_uniform
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.math import counting
from tensorlite.ops.nn.activations import SELU_ALPHA, SELU_SCALE

_AFTER = {"conv1d_transpose"}
"""What tf.nn has, too."""


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    if name not in _AFTER:
        raise attribute_error(__name__, name, globals())
    return getattr(nn, name)


@named("NthElement")
def nth_element(
    input: Any, n: Any, reverse: bool = False, name: str | None = None
) -> Any:
    """Return the n-th smallest element along the last axis, from 0; if reverse, the largest."""
    return counting.nth_element(converted(input), n, reverse)


def alpha_dropout(
    x: Any,
    keep_prob: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return x with elements dropped so that SELU's mean 0 and variance 1 stay.

    keep_prob is in (0, 1], else InvalidArgumentError is raised. Klambauer et al. 2017.
    """
    if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
        raise InvalidArgumentError(
            "keep_prob must be a scalar tensor or a float in the range (0, 1], got "
            f"{keep_prob:g}"
        )
    with name_scope(name, "alpha_dropout"):
        value = convert_to_tensor(x, name="x")
        kept = convert_to_tensor(keep_prob, value.dtype, "keep_prob")
        if get_static_value(kept) == 1:
            return value
        return _alpha_dropped(value, kept, noise_shape, seed)


def _alpha_dropped(x: Any, kept: Any, noise_shape: Any, seed: Any) -> Any:
    """Return units of which some are set to what SELU saturates at, their moments being kept.

    What is computed several times is several nodes in TensorFlow 1, too.
    """
    sizes = arrays.shape(x) if noise_shape is None else noise_shape
    drawn = random_uniform(sizes, seed=seed, dtype=x.dtype)
    lowest = -SELU_SCALE * SELU_ALPHA
    mask = cast(drawn >= 1 - kept, x.dtype)
    mixed = x * mask + lowest * (1 - mask)
    scale = (kept + kept * (1 - kept) * lowest**2) ** -0.5
    moved = -scale * lowest * (1 - kept)
    return scale * mixed + moved


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, dim: int = -1, name: str | None = None
) -> Any:
    """Return softmax cross entropies along dim; logits come before labels."""
    return nn.softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, dim=dim, name=name
    )


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: Any, labels: Any, name: str | None = None
) -> Any:
    """Return softmax cross entropies of classes' numbers; logits come before labels."""
    return nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name=name
    )


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: Any, targets: Any, name: str | None = None
) -> Any:
    """Return sigmoid cross entropies of each element; logits come before targets."""
    return nn.sigmoid_cross_entropy_with_logits(
        labels=targets, logits=logits, name=name
    )
