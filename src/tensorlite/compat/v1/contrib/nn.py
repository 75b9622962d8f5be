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
from tensorlite.compat.views import plain, shown
from tensorlite.core.errors import InvalidArgumentError
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
    value = convert_to_tensor(x)
    kept = convert_to_tensor(keep_prob, dtype=value.dtype)
    if get_static_value(kept) == 1:
        return value
    return _alpha_dropped(value, kept, noise_shape, seed, name=name)


@named("alpha_dropout", "add_2")
def _alpha_dropped(
    x: Any, keep_prob: Any, noise_shape: Any, seed: Any, name: str | None = None
) -> Any:
    """Return units of which some are set to what SELU saturates at, their moments being kept."""
    value, kept = shown(x), shown(keep_prob)
    sizes = arrays.shape(value) if noise_shape is None else noise_shape
    drawn = random_uniform(sizes, seed=seed, dtype=value.dtype)
    lowest, dropped = -SELU_SCALE * SELU_ALPHA, 1 - kept
    mask = cast(drawn >= dropped, value.dtype)
    mixed = value * mask + lowest * (1 - mask)
    scale = (kept + kept * dropped * lowest**2) ** -0.5
    return plain(scale * mixed + -scale * lowest * dropped)


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
