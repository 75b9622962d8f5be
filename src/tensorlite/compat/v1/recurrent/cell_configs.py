"""How cells of recurrent networks are told as dicts, and made of these again.

Activations and initializers are told by their names, as tf.keras does it, and found by these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from tensorlite.compat.shared import nn
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.layer_kinds.base import Layer
from tensorlite.core.errors import InvalidArgumentError


def activation_of(given: Any) -> Callable[[Any], Any]:
    """Return a function of tensors, which may be given by its name; tanh for None.

    >>> from tensorlite.compat import v1 as tf
    >>> tf.nn.rnn_cell.GRUCell(4, activation="relu").get_config()["activation"]
    'relu'
    """
    if callable(given):
        found: Callable[[Any], Any] = given
        return found
    if given == "linear":
        return _unchanged
    known = nn.tanh if given is None else getattr(nn, str(given), None)
    if not callable(known):
        raise InvalidArgumentError(
            f"Unknown activation function: {given!r}; give a function, or the name of one of tf.nn"
        )
    return known


def _unchanged(x: Any) -> Any:
    return x


_unchanged.__name__ = "linear"


def initializer_of(given: Any) -> Any:
    """Return an initializer, which may be given by its name or told by a dict; None as it is."""
    if isinstance(given, Mapping):
        name, config = str(given["class_name"]), dict(given["config"])
    elif isinstance(given, str):
        name, config = given, {}
    else:
        return given
    for title in (name, "".join(x.capitalize() for x in name.split("_"))):
        kind = getattr(init_ops, title, None)
        if callable(kind) and title != "Initializer":
            return kind(**config)
    raise InvalidArgumentError(
        f"Unknown initializer: {name!r}; give a function, or the name of one of tf.initializers"
    )


class ToldLayer(Layer):
    """A layer whose arguments are told as a dict, by their names."""

    told: ClassVar[tuple[str, ...]] = ()
    """Names of arguments, which attributes with a line before them hold."""

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by their names, activations and initializers as names tell them."""
        dtype = None if self._dtype is None else self._dtype.name
        own = {name: _of_argument(getattr(self, f"_{name}")) for name in self.told}
        return {**super().get_config(), "dtype": dtype, **own}

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Any = None
    ) -> Self:
        """Return what such a dict tells of; custom_objects has no effect."""
        return cls(**config)


def _of_argument(value: Any) -> Any:
    if isinstance(value, init_ops.Initializer):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return value.__name__ if callable(value) and hasattr(value, "__name__") else value
