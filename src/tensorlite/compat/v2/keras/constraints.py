"""tf.keras.constraints: what weights are made to be after each step."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.missing import listing
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.compat.v2.keras.src.saving import lookup

_SMALL = 1e-7


class Constraint:
    """A function of a weight: what it becomes."""

    def __call__(self, w: Any) -> Any:
        return w

    def get_config(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


def _norm(w: Any, axis: Any) -> Any:
    return tl.sqrt(tl.sum(tl.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Makes weights smaller whose norm along an axis is above max_value."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    @anywhere
    def __call__(self, w: Any) -> Any:
        x = converted(w)
        norms = _norm(x, self.axis)
        wanted = tl.clip(norms, 0.0, float(self.max_value))
        return x * (wanted / (_SMALL + norms))


class NonNeg(Constraint):
    """Makes weights 0 that are below."""

    @anywhere
    def __call__(self, w: Any) -> Any:
        return tl.maximum(converted(w), 0.0)


class UnitNorm(Constraint):
    """Gives weights the norm 1 along an axis."""

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    @anywhere
    def __call__(self, w: Any) -> Any:
        x = converted(w)
        return x / (_SMALL + _norm(x, self.axis))


class MinMaxNorm(Constraint):
    """Brings norms along an axis between two values, by a share rate of the way."""

    def __init__(
        self,
        min_value: float = 0.0,
        max_value: float = 1.0,
        rate: float = 1.0,
        axis: Any = 0,
    ) -> None:
        self.min_value, self.max_value = min_value, max_value
        self.rate, self.axis = rate, axis

    @anywhere
    def __call__(self, w: Any) -> Any:
        x = converted(w)
        norms = _norm(x, self.axis)
        clipped = tl.clip(norms, float(self.min_value), float(self.max_value))
        wanted = self.rate * clipped + (1 - self.rate) * norms
        return x * (wanted / (_SMALL + norms))


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm
KNOWN = {x.__name__: x for x in (MaxNorm, NonNeg, UnitNorm, MinMaxNorm)}


def get(identifier: Any) -> Any:
    """Return the constraint of a name or configuration, a function itself, or None."""
    return lookup.found("constraint", identifier, KNOWN)


def serialize(constraint: Any, use_legacy_format: bool = False) -> Any:
    """Return the configuration from which `deserialize` makes the constraint.

    use_legacy_format has no effect.
    """
    return lookup.serialized(constraint)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the constraint of a configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(config)


__dir__ = listing(__name__, globals())
