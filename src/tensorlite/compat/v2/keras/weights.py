"""Weight: a variable of Keras' own objects; it has its value though a graph may be being built."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.framework import Variable
from tensorlite.compat.v2.keras import naming
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.scope import device
from tensorlite.ops.state import Variable as AnyVariable

_whole: Any = vars(AnyVariable)["name"]
"""Where a variable keeps its name: that of a weight has those of the layers before it."""


class Weight(Variable):
    """A variable of a layer, a metric, an optimizer or a generator of seeds."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its own name; in Keras 2 those of the layers that lead to it as well."""
        whole = str(_whole.__get__(self))
        return self.path.split("/")[-1] if naming.is_keras_3() else whole

    @name.setter
    def name(self, whole: str) -> None:
        _whole.__set__(self, whole)

    @property
    def path(self) -> str:
        """The names of the layers that lead to it, and its own."""
        return str(_whole.__get__(self)).removesuffix(":0")

    def beside(self, value: Any, name: str) -> Weight:
        """Return a new weight that lies where this one does."""
        with interpreted_by(None), device(self.device):
            return Weight(value, trainable=False, name=name)
