"""ManualGraph: a graph built by hand, node by node. trace.py makes graphs of Python functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dispatch import current
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.trace import Tracer


class ManualGraph(Graph):
    """A graph that takes up the operators called while it is the default.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = graph.add_input(tl.TensorSpec((2,)))
    ...     y = x + 1.0
    >>> y
    SymbolicTensor(shape=(2,), dtype=float32, name=AddV2:0, made at ...)
    """

    def __init__(self, name: str = "graph") -> None:
        super().__init__(name)
        self._building = _Building(self)

    @property
    def captured(self) -> dict[SymbolicTensor, Tensor]:
        """The inputs that stand for tensors from outside, such as variables' handles."""
        return {inner: outer for outer, inner in self._building.captures.values()}

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """Make nodes of this graph out of the operators called inside the block."""
        top = current.get()
        if top is not None and top.tracer is self._building:
            yield self
            return
        with self._building:
            yield self
        self.effects = list(self._building.effects)


class _Building(Tracer):
    """A tracer whose graph stays open, and in which eager tensors are constants."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.name)
        self.graph = graph

    def own(self, x: Tensor) -> SymbolicTensor:
        """Return `x` as a tensor of this graph, a constant if it has a value."""
        if isinstance(x, EagerTensor) and isinstance(x.array, np.ndarray):
            return self.graph.add(Const(x.array), ()).outputs[0]
        return super().own(x)
