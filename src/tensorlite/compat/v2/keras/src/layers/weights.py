"""Weight: a variable of Keras' own objects; it has its value though a graph may be being built."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.values import (
    VariableAggregation,
    VariableSynchronization,
)
from tensorlite.compat.v2.framework import Variable
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import device
from tensorlite.ops.state.variable import Variable as AnyVariable

_whole: Any = vars(AnyVariable)["name"]
"""Where a variable keeps its name: that of a weight has those of the layers before it."""


def joining(
    synchronization: Any = None, aggregation: Any = None, **_: Any
) -> dict[str, Any]:
    """Return how replicas' copies of a weight become one, by Keras' names or TensorFlow's values.

    ValueError is raised for names that there are not.
    """
    return {
        "synchronization": _member(VariableSynchronization, synchronization),
        "aggregation": _member(VariableAggregation, aggregation),
    }


def _member(kind: Any, given: Any) -> Any:
    """Return a member of an enumeration by its name in small letters, or itself."""
    if not isinstance(given, str):
        return given
    known = {x.name.lower(): x for x in kind}
    if given not in known:
        raise InvalidArgumentError(
            f"Invalid value {given!r}. Expected one of {{None, {', '.join(map(repr, known))}}}"
        )
    return known[given]


class Reading(Operand):
    """The value of a weight, which Keras 3 has as an attribute and Keras 2 as a method."""

    __slots__ = ("_weight",)

    def __init__(self, weight: Any) -> None:
        self._weight = weight

    def __tensor__(self) -> Any:
        return self._weight.__tensor__()

    __call__ = __tensor__

    def __getattr__(self, name: str) -> Any:
        """Return what the tensor has under a name."""
        return getattr(self.__tensor__(), name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.__tensor__().__array__(dtype, copy)

    def __float__(self) -> float:
        return float(self.__tensor__())

    def __int__(self) -> int:
        return int(self.__tensor__())

    def __bool__(self) -> bool:
        return bool(self.__tensor__())

    def __format__(self, form: str) -> str:
        return format(self.__tensor__(), form)

    def __len__(self) -> int:
        return len(self.__tensor__())

    def __iter__(self) -> Any:
        return iter(self.__tensor__())

    def __repr__(self) -> str:
        return repr(self.__tensor__())

    def __str__(self) -> str:
        return str(self.__tensor__())


class Weight(Variable):
    """A variable of a layer, a metric, an optimizer or a generator of seeds."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its own name; in Keras 2 those of the layers that lead to it as well."""
        is_keras_3 = naming.is_keras_3()
        return self.path.split("/")[-1] if is_keras_3 else f"{self.path}:0"

    @name.setter
    def name(self, whole: str) -> None:
        """Set the name."""
        _whole.__set__(self, whole)

    @property
    def path(self) -> str:
        """The names of the layers that lead to it, and its own."""
        return str(_whole.__get__(self)).removesuffix(":0")

    def beside(self, value: Any, name: str) -> Weight:
        """Return a new weight that lies where this one does."""
        with interpreted_by(None), device(self.device):
            return Weight(value, trainable=False, name=name)


setattr(Weight, "value", property(Reading))  # noqa: B010  a method of other variables
