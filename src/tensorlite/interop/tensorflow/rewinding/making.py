"""Maker: puts nodes into a graph under names of TensorFlow 1, out of a loop or in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import DType, int32
from tensorlite.core.op import Op
from tensorlite.core.provenance import UNKNOWN, Line
from tensorlite.core.scope import scope
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import NAMED, Graph
from tensorlite.ops.arrays.create import Fill
from tensorlite.ops.arrays.shape import Shape

_SMALL = 1000
"""From how many elements on zeros are no constant."""


class Maker:
    """What makes nodes in a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.line: Line = UNKNOWN
        self.base = ""
        """The scope of the gradient that is taken, in which nodes have no scopes of their own."""

    def node(
        self,
        op: Op,
        inputs: Sequence[SymbolicTensor] = (),
        title: str = "",
        control: Iterable[Node] = (),
    ) -> Node:
        """Return a new node below the name scope; what it takes from outside bears its name."""
        name = self._free(title or op.name)
        with self.below(name):
            taking = self.graph.taking
            given = list(inputs) if taking is None else taking(inputs, name)
        made = self.graph.append(op, given, name, tuple(control))
        made.line = self.line
        self.graph.kept.setdefault(NAMED, set()).add(made)
        return made

    def _free(self, title: str) -> str:
        here = scope.get().name
        whole = f"{here}/{title}" if here else title
        return self.graph.free_name(whole, mark=False)

    def constant(
        self,
        value: Any,
        title: str,
        dtype: DType = int32,
        control: Iterable[Node] = (),
    ) -> SymbolicTensor:
        """Return a constant."""
        array = np.asarray(value, dtype.numpy)
        return self.node(Const(array), (), title, control).outputs[0]

    @contextmanager
    def below(self, name: str) -> Iterator[None]:
        """Let what is made inside be below a name."""
        token = scope.set(scope.get()._replace(name=name))
        try:
            yield
        finally:
            scope.reset(token)

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Put a name before those of what is made inside, which no other one has."""
        whole = self._free(name)
        self.graph.free_name(whole)
        with self.below(whole):
            yield

    def zeros(
        self, shape: Any, dtype: DType, control: Iterable[Node] = ()
    ) -> SymbolicTensor:
        """Return zeros of a shape: sizes, or a tensor of them."""
        if isinstance(shape, SymbolicTensor):
            title = self._free("zeros").rpartition("/")[2]
            zero = self.constant(0, f"{title}/Const", dtype, control)
            return self.node(Fill(), (shape, zero), title, control).outputs[0]
        if int(np.prod(shape)) < _SMALL:
            return self.constant(np.zeros(shape), "zeros", dtype, control)
        sizes = self.constant(list(shape), "zeros/shape_as_tensor", control=control)
        return self.zeros(sizes, dtype, control)

    def shape(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return the shape of a tensor, even if it is known."""
        return self.node(Shape(int32), (x,), "Shape").outputs[0]
