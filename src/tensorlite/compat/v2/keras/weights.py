"""Weight: a variable of Keras' own objects; it has its value though a graph may be being built."""

from __future__ import annotations

from tensorlite.compat.v2.framework import Variable


class Weight(Variable):
    """A variable of a layer, a metric, an optimizer or a generator of seeds."""

    __slots__ = ()

    @property
    def path(self) -> str:
        """The names of the layers that lead to it, and its own."""
        return str(self.name).removesuffix(":0")
