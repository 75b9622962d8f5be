"""tf.keras.regularizers: what weights cost."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.compat.v2.keras.src.saving import lookup


class Regularizer:
    """A function of a weight: what it adds to the loss."""

    def __call__(self, x: Any) -> Any:
        return 0.0

    def get_config(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


class L1L2(Regularizer):
    """A penalty l1 * sum |w| + l2 * sum w * w."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = float(l1 or 0.0), float(l2 or 0.0)
        checking.not_negative(l1=self.l1, l2=self.l2)

    @anywhere
    def __call__(self, x: Any) -> Any:
        weight = converted(x)
        total: Any = 0.0
        if self.l1:
            total = total + self.l1 * tl.sum(tl.abs(weight))
        if self.l2:
            total = total + self.l2 * tl.sum(tl.square(weight))
        return total if self.l1 or self.l2 else tl.zeros((), dtype=weight.dtype)


class L1(Regularizer):
    """A penalty l1 * sum |w|."""

    def __init__(self, l1: float = 0.01, **kwargs: Any) -> None:
        self.l1 = float(kwargs.get("l", l1))
        checking.not_negative(l1=self.l1)

    @anywhere
    def __call__(self, x: Any) -> Any:
        return self.l1 * tl.sum(tl.abs(converted(x)))


class L2(Regularizer):
    """A penalty l2 * sum w * w."""

    def __init__(self, l2: float = 0.01, **kwargs: Any) -> None:
        self.l2 = float(kwargs.get("l", l2))
        checking.not_negative(l2=self.l2)

    @anywhere
    def __call__(self, x: Any) -> Any:
        return self.l2 * tl.sum(tl.square(converted(x)))


class OrthogonalRegularizer(Regularizer):
    """What rows, or columns, have in common costs."""

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor, self.mode = float(factor), mode
        checking.not_negative(factor=self.factor)
        checking.among("mode", mode, ("rows", "columns"))

    def __call__(self, x: Any) -> Any:
        weight = converted(x)
        weight = weight if self.mode == "rows" else tl.matrix_transpose(weight)
        unit = tl.nn.l2_normalize(weight, 1)
        size = int(unit.shape[0])
        shared = tl.abs(tl.matmul(unit, tl.matrix_transpose(unit)))
        others = shared * (1.0 - tl.eye(size, dtype=unit.dtype))
        return self.factor * 0.5 * tl.sum(others) / (size * (size - 1.0) / 2.0)


orthogonal_regularizer = OrthogonalRegularizer


def l1_l2(l1: float | None = None, l2: float | None = None) -> L1L2:
    """Return the penalty l1 * sum |w| + l2 * sum w * w.

    What is not given is 0, before Keras 3 it is 0.01.
    """
    usual = 0.0 if naming.is_keras_3() else 0.01
    return L1L2(usual if l1 is None else l1, usual if l2 is None else l2)


l1, l2 = L1, L2
KNOWN: dict[str, Any] = {
    "OrthogonalRegularizer": OrthogonalRegularizer,
    "L1": L1,
    "L2": L2,
    "L1L2": L1L2,
    "l1_l2": l1_l2,
}


def get(identifier: Any) -> Any:
    """Return the regularizer of a name or configuration, a function itself, or None."""
    if identifier == "l1_l2" and naming.is_keras_3():
        return l1_l2(0.01, 0.01)
    if identifier in ("l1", "l2") and not naming.is_keras_3():
        kind = lookup.of_version("L1L2", L1L2)
        return kind(**{identifier: 0.01})
    return lookup.found("regularizer", identifier, KNOWN)


def serialize(regularizer: Any, use_legacy_format: bool = False) -> Any:
    """Return the configuration from which `deserialize` makes the regularizer.

    use_legacy_format has no effect.
    """
    return lookup.serialized(regularizer)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the regularizer of a configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(config)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
