"""Maker: puts nodes into a graph under names of TensorFlow 1, into its branches and loops, too."""

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
from tensorlite.interop.tensorflow.rewinding.contexts import (
    Context,
    Contexts,
    loop_of,
)
from tensorlite.ops.arrays.create import Fill
from tensorlite.ops.arrays.shape import Shape

_SMALL = 1000
"""From how many elements on zeros are no constant."""


class Maker:
    """What makes nodes in a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.line: Line = UNKNOWN
        self.origin: Node | None = None
        self.base = ""
        """The scope of the gradient that is taken, in which nodes have no scopes of their own."""
        self.contexts = Contexts()
        self.now: Context | None = None
        """The branch or loop into which nodes are put; None: outside of all."""

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
            given = self.taken(op, inputs, name)
        made = self.graph.append(op, given, name, tuple(control))
        made.line, made.origin = self.line, self.origin
        self.graph.kept.setdefault(NAMED, set()).add(made)
        self.put(made)
        return made

    def taken(
        self, op: Op, inputs: Iterable[SymbolicTensor], name: str
    ) -> list[SymbolicTensor]:
        """Return what stands for the inputs of a node where it is put."""
        given, here = list(inputs), scope.get().name
        home = self._home(op, given)
        if home is None:
            return given
        with self.below(name if here == self.base else here):
            return [home.value(x) for x in given]

    def put(self, node: Node) -> None:
        """Put a new node into the branch or loop at hand."""
        home = self._home(node.op, node.inputs)
        if home is not None:
            self.contexts.of[node] = home
            home.adopt(node)

    def are_beside(self, x: SymbolicTensor, y: SymbolicTensor) -> bool:
        """Return whether two tensors are in the same branch or loop."""
        return self.contexts.of_output(x) is self.contexts.of_output(y)

    def _home(self, op: Op, inputs: Sequence[SymbolicTensor]) -> Context | None:
        """Return where a node is put: what only measures a tensor stands where that is made."""
        if self.now is not None and op.name in _MEASURES:
            measured = self.contexts.of.get(inputs[0].node)
            if measured is not None and self.going_back(measured) is not None:
                return measured
        return self.now

    def going_back(self, context: Context | None) -> Context | None:
        """Return the loop that nodes are put into, if it goes back through the one around these."""
        loop = loop_of(self.now)
        if loop is None or loop.forward is None:
            return None
        return loop if loop_of(context) is loop.forward else None

    def numbered(self, title: str) -> str:
        """Return a title with the number behind it that the next node of it gets."""
        return self._free(title).rpartition("/")[2]

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
    def at(self, context: Context | None) -> Iterator[None]:
        """Put what is made inside into a branch or a loop; None: outside of all."""
        before, self.now = self.now, context
        try:
            yield
        finally:
            self.now = before

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
            title = self.numbered("zeros")
            zero = self.constant(0, f"{title}/Const", dtype, control)
            return self.node(Fill(), (shape, zero), title, control).outputs[0]
        if int(np.prod(shape)) < _SMALL:
            return self.constant(np.zeros(shape), "zeros", dtype, control)
        sizes = self.constant(list(shape), "zeros/shape_as_tensor", control=control)
        return self.zeros(sizes, dtype, control)

    def shape(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return the shape of a tensor, even if it is known."""
        return self.node(Shape(int32), (x,), "Shape").outputs[0]


_MEASURES = {"Rank", "Shape", "Size"}
"""What tells of a tensor less than it holds: that is put on stacks in its place."""
