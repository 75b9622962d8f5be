"""Gradients made smaller before a step: each element, each gradient, or all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.optimizers import rows
from tensorlite.core.errors import InvalidArgumentError

CLIPPING = ("clipnorm", "global_clipnorm", "clipvalue")
"""What optimizers call the three ways; one at most is asked for."""


def check(optimizer: Any) -> None:
    """Raise InvalidArgumentError if more than one way is asked for, or a bound is negative.

    Keras 3 takes a negative bound for none.
    """
    given = {key: getattr(optimizer, key) for key in CLIPPING}
    for key, bound in () if naming.is_keras_3() else given.items():
        if bound is not None and bound < 0:
            raise InvalidArgumentError(f"Expected {key} >= 0, received: {bound}")
    if sum(x is not None for x in given.values()) > 1:
        raise InvalidArgumentError(
            "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
            f"{given}"
        )


@contextmanager
def done(optimizer: Any) -> Iterator[None]:
    """Let an optimizer take gradients as they are inside: they have been clipped."""
    optimizer.are_clipped = True
    try:
        yield
    finally:
        optimizer.are_clipped = False


def clipped(optimizer: Any, gradients: list[Any]) -> list[Any]:
    """Return gradients clipped as an optimizer was asked to, or as they are."""
    if _is_asked(optimizer.clipvalue):
        most = float(optimizer.clipvalue)
        return [rows.each(lambda x: tl.clip(x, -most, most), g) for g in gradients]
    if _is_asked(optimizer.clipnorm):
        return [_with_norm(g, float(optimizer.clipnorm)) for g in gradients]
    if _is_asked(optimizer.global_clipnorm):
        most = float(optimizer.global_clipnorm)
        found, _ = tl.clip_by_global_norm(gradients, most)
        return [tl.densify(g) for g in found if g is not None]
    return gradients


def _is_asked(bound: Any) -> bool:
    return bound is not None and (not naming.is_keras_3() or bound > 0)


def _with_norm(g: Any, most: float) -> Any:
    norm = tl.sqrt(tl.sum(tl.square(rows.values(g))))
    return rows.each(lambda x: x * (most / tl.maximum(norm, most)), g)
