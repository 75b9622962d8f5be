"""Divergences between kinds of distributions: which are registered, and how they are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.v1.functions import numbers
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import name_scope

_divergences: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Decorates the function that computes a divergence between two kinds."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(kl_fn):
            raise DTypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _divergences:
            raise InvalidArgumentError(
                f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already been "
                "registered"
            )
        _divergences[self._key] = kl_fn
        return kl_fn


def _registered(left: type, right: type) -> Callable[..., Any] | None:
    """Return the function of the classes that are the fewest steps away."""
    steps = [
        (i + j, _divergences[a, b])
        for i, a in enumerate(left.__mro__)
        for j, b in enumerate(right.__mro__)
        if (a, b) in _divergences
    ]
    return min(steps, key=lambda x: x[0])[1] if steps else None


def kl_divergence(
    distribution_a: Any,
    distribution_b: Any,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Any:
    """Return the Kullback-Leibler divergence of distribution_b from distribution_a, in nats.

    UnimplementedError is raised for pairs of classes without one; unless `allow_nan_stats`, an
    error where the divergence is not a number.
    """
    kinds = type(distribution_a), type(distribution_b)
    found = _registered(*kinds)
    if found is None:
        raise UnimplementedError(
            f"No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{kinds[0].__name__} and distribution_b type {kinds[1].__name__}"
        )
    with name_scope("KullbackLeibler"):
        apart = found(distribution_a, distribution_b, name=name)
        return apart if allow_nan_stats else _checked(apart, kinds)


def _checked(apart: Any, kinds: tuple[type, type]) -> Any:
    apart = arrays.identity(apart, name="kl")
    is_nan = numbers.reduce_any(elementwise.is_nan(apart))
    told = (
        f"KL calculation between distributions of {kinds[0].__name__} and "
        f"{kinds[1].__name__} returned NaN values (and was called with "
        "allow_nan_stats=False). Values:"
    )
    with control_dependencies(
        [checks.Assert(elementwise.logical_not(is_nan), [told, apart])]
    ):
        return arrays.identity(apart, name="checked_kl")


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """Return the cross entropy of two distributions, in nats."""
    with name_scope(name, "cross_entropy"):
        apart = kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
        return ref.entropy() + apart
