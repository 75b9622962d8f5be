"""The writing of a graph as ONNX nodes, and what the handlers of operators are given for it.

Values are in values.py; what each operator becomes is in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.dtypes import DType
from tensorlite.core.spec import Dims, TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.interop.onnx.messages import module, number_of
from tensorlite.interop.onnx.values import (
    MISSING,
    Array,
    Flat,
    Known,
    Names,
    Order,
    Scope,
    Step,
    Store,
    UnsupportedError,
    Value,
    View,
    normal,
)

Made: TypeAlias = str | Value | Sequence[str | Value]


class Writer:
    """Writes graphs into scopes, by a table of what handles each operator."""

    def __init__(
        self, handlers: dict[str, Callable[[Site], Made]], opset: int
    ) -> None:
        self.handlers = handlers
        self.names = Names()
        self.store = Store(self.names)
        self.opset = opset
        self.missing: dict[str, Step] = {}
        """Steps for which there is no operator, by their first outputs."""

    def scope(self) -> Scope:
        """Return a new graph in the making."""
        return Scope(self.store, self.opset)

    def run(self, graph: Graph, inputs: Sequence[Value], scope: Scope) -> list[Value]:
        """Write a graph's nodes for some values of its inputs; return those of its outputs."""
        values: dict[tuple[Node, int], Value] = {
            (x.node, x.index): value
            for x, value in zip(graph.inputs, inputs, strict=True)
        }
        for node in graph.nodes:
            if (node, 0) not in values:
                made = self._node(Site(self, node, values, scope))
                values.update({(node, i): one for i, one in enumerate(made)})
        return [values[x.node, x.index] for x in graph.outputs]

    def _node(self, site: Site) -> list[Value]:
        node, scope = site.node, site.scope
        handler = self.handlers.get(node.op.name)
        try:
            if handler is None:
                raise UnsupportedError("")  # noqa: TRY301  as handlers do
            made = handler(site)
        except UnsupportedError as error:
            made = scope.missing(node, site.names(), str(error))
        listed = [made] if isinstance(made, (str, View, Known, Flat)) else list(made)
        return [View(x, scope) if isinstance(x, str) else x for x in listed]

    def message(
        self, scope: Scope, name: str, inputs: list[Any], outputs: list[Any]
    ) -> Any:
        """Return a scope as a GraphProto, and note what is missing in it."""
        helper = module("onnx.helper")
        steps = scope.pruned([x.name for x in outputs])
        self.missing |= {x.outputs[0]: x for x in steps if x.op == MISSING}
        nodes = [
            helper.make_node(
                step.op,
                step.inputs,
                step.outputs,
                name=self.names.unique(f"{step.op}/{step.outputs[0]}"),
                **step.attributes,
            )
            for step in steps
        ]
        return helper.make_graph(nodes, name, inputs, outputs)


class Site:
    """A node that is being written, as the handler of its operator sees it."""

    def __init__(
        self,
        writer: Writer,
        node: Node,
        values: dict[tuple[Node, int], Value],
        scope: Scope,
    ) -> None:
        self.writer = writer
        self.node = node
        self.scope = scope
        self._values = values

    def attribute(self, name: str) -> Any:
        """Return an attribute of the operator."""
        return getattr(self.node.op, name)

    @property
    def count(self) -> int:
        """How many inputs the node has."""
        return len(self.node.inputs)

    @property
    def values(self) -> list[Value]:
        """The inputs as they are in the model."""
        return [self.value(i) for i in range(self.count)]

    @property
    def dtype(self) -> DType:
        """The dtype of the first output."""
        return self.node.outputs[0].dtype

    def tensor(self, i: int) -> SymbolicTensor:
        """Return an input of the node."""
        return self.node.inputs[i]

    def spec(self, i: int) -> TensorSpec:
        """Return what is known of an input."""
        return self.tensor(i).spec

    def shape(self, i: int) -> Dims:
        """Return the sizes of an input; UnsupportedError when its rank is not known."""
        shape = self.spec(i).shape
        if shape is None:
            raise UnsupportedError(f"the rank of its input {i} is not known")
        return shape

    def axis(self, given: int, i: int, more: int = 0) -> int:
        """Return an axis of an input counted from the front."""
        return given % max(len(self.shape(i)) + more, 1)

    def value(self, i: int) -> Value:
        """Return an input as it is in the model."""
        x = self.tensor(i)
        return self._values[x.node, x.index]

    def order(self, i: int) -> Order:
        """Return which axes of what is stored the axes of an input are."""
        value = self.value(i)
        return value.order if isinstance(value, View) else None

    def maker(self, i: int) -> Step | None:
        """Return the step of this graph that makes an input, if there is one."""
        value = self.value(i)
        return self.scope.made.get(value.name) if isinstance(value, View) else None

    def is_only_user(self, i: int) -> bool:
        """Return whether nothing but this node uses an input."""
        x = self.tensor(i)
        users = [y for node in x.node.graph.nodes for y in node.inputs]
        users += x.node.graph.outputs
        return sum((y.node, y.index) == (x.node, x.index) for y in users) == 1

    def name(self, i: int, order: Order = None) -> str:
        """Return the name of an input, stored so that `order` makes the tensor of it."""
        return self.scope.name(self.value(i), order)

    def names(self) -> list[str]:
        """Return the names of all inputs."""
        return [self.name(i) for i in range(self.count)]

    def known(self, i: int) -> Array | None:
        """Return the value of an input if it is the same in every run."""
        value = self.value(i)
        if isinstance(value, Known):
            return value.array
        spec, op = self.spec(i), self.tensor(i).node.op
        if isinstance(op, Const):
            return op.value
        constant = spec.constant()
        if constant is None:
            return None
        array = np.asarray(constant, spec.dtype.numpy)
        return array if spec.shape is None else array.reshape(spec.shape)

    def ints(self, i: int, what: str) -> list[int]:
        """Return the integers that an input holds; UnsupportedError when they are computed."""
        found = self.known(i)
        if found is None:
            raise UnsupportedError(f"its {what} are computed, and must be constant")
        return [int(x) for x in found.ravel()]

    def vector(self, i: int) -> str:
        """Return the name of an input as an int64 vector."""
        known = self.known(i)
        if known is not None:
            return self.constant(known.reshape(-1), dtypes.int64)
        name = self.name(i)
        if self.spec(i).dtype is not dtypes.int64:
            name = self.cast(name, dtypes.int64)
        return name if self.spec(i).rank == 1 else self.reshaped(name, [-1])

    def sizes(self, i: int) -> str:
        """Return the name of an input that is a shape, of which one size may be told as -1."""
        sizes = self.spec(i).vector()
        if self.known(i) is not None or sizes is None or sizes.count(None) != 1:
            return self.vector(i)
        if all(size is None or size > 0 for size in sizes):
            listed = [-1 if size is None else size for size in sizes]
            return self.constant(listed, dtypes.int64)
        return self.vector(i)

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        """Return the output of a new node."""
        return self.scope.emit(op, inputs, source=self.node, **attributes)[0]

    def add_many(
        self, count: int, op: str, *inputs: str, **attributes: Any
    ) -> list[str]:
        """Return the outputs of a new node."""
        return self.scope.emit(op, inputs, count, source=self.node, **attributes)

    def constant(self, value: Any, dtype: DType | None = None) -> str:
        """Return the name of a constant, of the output's dtype unless another is given."""
        array = np.asarray(value, (dtype or self.dtype).numpy)
        return self.scope.name(Known(array))

    def cast(self, name: str, dtype: DType) -> str:
        """Return a tensor cast."""
        return self.add("Cast", name, to=number_of(dtype, self.node.name))

    def reshaped(self, name: str, shape: Sequence[int]) -> str:
        """Return a tensor in a shape, of which one size may be -1."""
        return self.add("Reshape", name, self.constant(shape, dtypes.int64))

    def unsqueezed(self, name: str, *axes: int) -> str:
        """Return a tensor with axes of size 1 put in."""
        return self.add("Unsqueeze", name, self.constant(axes, dtypes.int64))

    def squeezed(self, name: str, *axes: int) -> str:
        """Return a tensor without axes of size 1."""
        return self.add("Squeeze", name, self.constant(axes, dtypes.int64))

    def transposed(self, value: Value, perm: Sequence[int]) -> Value:
        """Return a value with its axes in another order, for which nothing is moved yet."""
        if isinstance(value, Known):
            return Known(value.array.transpose(perm), value.hint)
        if isinstance(value, Flat):
            value = View(self.scope.name(value), self.scope)
        have = value.order or tuple(range(len(perm)))
        return View(value.name, value.scope, normal([have[p] for p in perm]))

    def view(self, name: str, order: Sequence[int] | None) -> View:
        """Return what is stored under a name as a tensor whose axes have an order."""
        return View(name, self.scope, normal(order))


def nodes_of(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a GraphProto, and of the graphs within it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes_of(attribute.g)


def aligned(site: Site, places: Sequence[int]) -> tuple[list[str], Order]:
    """Return names of inputs that broadcast against each other, in an order that they share."""
    ranks = [site.spec(i).rank for i in places]
    orders = {site.order(i) for i in places if site.order(i) is not None}
    if None in ranks or not orders:
        return [site.name(i) for i in places], None
    rank = max(rank for rank in ranks if rank is not None)
    order = next(order for order in orders if order is not None)
    names = [_in_order(site, i, order, rank) for i in places]
    if len(order) != rank or None in names:
        return [site.name(i) for i in places], None
    return [name for name in names if name is not None], order


def _in_order(site: Site, i: int, order: tuple[int, ...], rank: int) -> str | None:
    """Return an input that broadcasts against stored tensors of an order; None if it does not."""
    shape, value = site.shape(i), site.value(i)
    if shape in ((), (1,)):
        return site.name(i)
    if isinstance(value, Known):
        wide = value.array.reshape((1,) * (rank - len(shape)) + value.array.shape)
        return site.scope.name(Known(wide, value.hint), order)
    return site.name(i, order) if len(shape) == rank else None
