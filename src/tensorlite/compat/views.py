"""What programs of TensorFlow 1 see of a graph: tensors and operations with its attributes.

They stand for tensors and nodes of tensorlite, which the functions below unpack and wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorlite.compat import keys
from tensorlite.compat.adopting import REFLECTED, adopted
from tensorlite.compat.arguments import name_arguments
from tensorlite.compat.conversions import any_registered, is_convertible, registered
from tensorlite.compat.described import Described, dtype_name, seen_spec
from tensorlite.compat.identity import TensorsOfAnyKind
from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.operands import OF_TRUTH, divided, either
from tensorlite.compat.shapes import TensorShape, shape_told
from tensorlite.compat.titles import bear, is_composite, rebuilt
from tensorlite.core import operand
from tensorlite.core.check import a_function
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, bool_
from tensorlite.core.errors import DTypeError
from tensorlite.core.shapes import SCALAR, AnyShape
from tensorlite.core.sizes import Dimension
from tensorlite.core.spec import TensorSpec, merge
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node, NodesSeen, SymbolicTensor
from tensorlite.graph_mode.graph import (
    Graph,
    active_graph,
    built,
    name_scope,
    outermost_graph,
)
from tensorlite.graph_mode.resource_variables import ResourceVariable
from tensorlite.graph_mode.sessions import Session, chosen_session, reading
from tensorlite.interop.tensorflow.inspection.expanding import (
    Expanded,
    as_listed,
    check_runs,
    consumers_listed,
    original,
    tensor_as_listed,
)


class Operation(Described):
    """A node of a graph."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Name of the operation."""
        return self.node.name

    @property
    def graph(self) -> Any:
        """Graph that the operation is in."""
        return graph_of(self.node)

    @property
    def inputs(self) -> list[GraphTensor]:
        """Tensors that the operation takes."""
        return [own_view(x) for x in as_listed(self.node).inputs]

    @property
    def outputs(self) -> list[GraphTensor]:
        """Tensors that the operation makes."""
        return [own_view(x) for x in self.node.outputs]

    @property
    def control_inputs(self) -> list[Operation]:
        """Operations that run before this one."""
        return [_own_operation(node) for node in as_listed(self.node).control]

    @property
    def _control_outputs(self) -> list[Operation]:
        return [operation(x) for x in self.node.graph.nodes if self.node in x.control]

    _inputs, _outputs, _control_inputs = inputs, outputs, control_inputs
    _original_op = property(lambda x: x.node.origin and _own_operation(x.node.origin))

    @property
    def device(self) -> str:
        """Name of the device it is placed on, empty if any will do."""
        return str(self.node.device)

    def values(self) -> tuple[GraphTensor, ...]:
        """Return the tensors that the operation makes."""
        return tuple(self.outputs)

    def colocation_groups(self) -> list[bytes]:
        """Return names of groups of operations on one device, as bytes."""
        return [f"loc:@{self.node.group or self.node.name}".encode()]

    def run(self, feed_dict: Any = None, session: Session | None = None) -> None:
        """Run the operation in a session, the default one unless given."""
        chosen_session(session, "operation.run").run(self, feed_dict)

    def __fetch__(self) -> Node:
        check_runs(self.node)
        return self.node

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


def _binary(name: str, default: str, swapped: bool = False) -> Callable[..., Any]:
    """Return the method of an operator of two operands, the other taking this one's dtype."""

    def method(self: Any, other: Any) -> Any:
        if is_convertible(other):
            other = registered(other)
        if not operand.is_operand(other):
            return NotImplemented

        mine = _taken(self)

        def made() -> Any:
            theirs = adopted(other, mine.dtype, "x" if swapped else "y")
            first, second = (theirs, mine) if swapped else (mine, theirs)
            if first.dtype is not second.dtype:
                raise DTypeError(
                    f"{default}: the operands are {first.spec} and {second.spec}; cast one of them"
                )
            if default == "truediv" and first.dtype.is_integer:
                first, second = divided(first), divided(second)
            if first.dtype is bool_ and name == "bitwise_xor":
                return either(first, second)
            function = OF_TRUTH.get(name, name) if first.dtype is bool_ else name
            return getattr(operand.operators, function)(first, second)

        return in_graph(made, default)

    return at_home(method)


def _taken(x: Any) -> Tensor:
    """Return a tensor, or the value of a variable, which is read before the call begins."""
    graph = None if isinstance(x, GraphTensor) else active_graph()
    if graph is None:
        return to_tensor(x)
    with built(graph):
        return to_tensor(x.value() if isinstance(x, ResourceVariable) else x)


def _unary(name: str, default: str) -> Callable[..., Any]:
    def method(self: Any) -> Any:
        x = _taken(self)
        function = OF_TRUTH.get(name, name) if x.dtype is bool_ else name
        return in_graph(lambda: getattr(operand.operators, function)(x), default)

    return at_home(method)


class Operators:
    """Python's operators on what belongs to a graph, with the names and dtypes of TensorFlow."""

    __slots__ = ()

    __add__ = _binary("add", "add")
    __radd__ = _binary("add", "add", swapped=True)
    __sub__ = _binary("subtract", "sub")
    __rsub__ = _binary("subtract", "sub", swapped=True)
    __mul__ = _binary("multiply", "mul")
    __rmul__ = _binary("multiply", "mul", swapped=True)
    __truediv__ = _binary("divide", "truediv")
    __rtruediv__ = _binary("divide", "truediv", swapped=True)
    __div__ = __truediv__
    __floordiv__ = _binary("floor_divide", "floordiv")
    __rfloordiv__ = _binary("floor_divide", "floordiv", swapped=True)
    __mod__ = _binary("remainder", "mod")
    __rmod__ = _binary("remainder", "mod", swapped=True)
    __pow__ = _binary("pow", "pow")
    __rpow__ = _binary("pow", "pow", swapped=True)
    __matmul__ = _binary("matmul", "matmul")
    __rmatmul__ = _binary("matmul", "matmul", swapped=True)
    __and__ = _binary("bitwise_and", "and")
    __rand__ = _binary("bitwise_and", "and", swapped=True)
    __or__ = _binary("bitwise_or", "or")
    __ror__ = _binary("bitwise_or", "or", swapped=True)
    __xor__ = _binary("bitwise_xor", "xor")
    __rxor__ = _binary("bitwise_xor", "xor", swapped=True)
    __lt__ = _binary("less", "Less")
    __le__ = _binary("less_equal", "LessEqual")
    __gt__ = _binary("greater", "Greater")
    __ge__ = _binary("greater_equal", "GreaterEqual")
    __neg__ = _unary("negative", "Neg")
    __pos__ = _unary("positive", "Identity")
    __abs__ = _unary("abs", "Abs")
    __invert__ = _unary("bitwise_invert", "LogicalNot")
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    @at_home
    def __getitem__(self, key: Any) -> Any:
        x = _taken(self)
        select = keys.selection(plain(key), _taken, lambda at: plain(view(at) + 1))
        return in_graph(lambda: select(x), "strided_slice")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"{type(self).__name__!r} object does not support item assignment: a tensor of a graph "
            "does not change; use tf.tensor_scatter_nd_update, or a variable"
        )

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        name = (
            ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        )
        if name in REFLECTED and isinstance(inputs[0], (np.ndarray, np.generic)):
            return getattr(inputs[1], REFLECTED[name])(inputs[0])
        arguments = plain(inputs)
        return in_graph(
            lambda: operand.operators.numpy_call(name, arguments, kwargs), name
        )


class GraphTensor(Operators, SymbolicTensor):
    """An output of a node."""

    __slots__ = ()

    def __tensor__(self) -> Tensor:
        return reading(self.node.outputs[self.index])

    @property
    def spec(self) -> TensorSpec:
        """What is known of the tensor."""
        return self.node.outputs[self.index].spec

    @property
    def dtype(self) -> DType:
        """Dtype of the tensor."""
        return seen_spec(self).dtype

    @property
    def shape(self) -> Any:
        """TensorShape of the tensor; sizes may be unknown."""
        return shape_told(seen_spec(self))

    def get_shape(self) -> Any:
        """Return the TensorShape of the tensor."""
        return shape_told(seen_spec(self))

    def _shape_as_list(self) -> list[int | None] | None:
        shape = seen_spec(self).shape
        return None if shape is None else list(shape)

    def set_shape(self, shape: Any) -> None:
        """Say what else is known of the shape; ShapeError if it does not fit."""
        own = self.node.outputs[self.index]
        spec = own.spec
        known = TensorSpec(TensorShape(shape).known(), spec.dtype).shape
        merged = merge(spec.shape, known)
        own.respecify(
            TensorSpec(
                merged, spec.dtype, spec.name, spec.inner, spec.trainable, spec.known
            )
        )

    @property
    def name(self) -> str:
        """Name of the tensor: its operation's, and ':' with its number."""
        own = tensor_as_listed(self)
        return f"{own.node.name}:{own.index}"

    @property
    def op(self) -> Operation:
        """Operation that makes the tensor."""
        return _own_operation(tensor_as_listed(self).node)

    _op = op

    @property
    def graph(self) -> Any:
        """Graph that the tensor is in."""
        return graph_of(self.node)

    @property
    def value_index(self) -> int:
        """Number of the tensor among those of its operation."""
        return self.index

    @property
    def device(self) -> Any:
        """Name of the device of its operation, empty if any will do."""
        return str(self.node.device)

    def consumers(self) -> list[Operation]:
        """Return the operations that take the tensor."""
        own = self.node.outputs[self.index]
        return [_own_operation(x) for x in consumers_listed(own)]

    def eval(self, feed_dict: Any = None, session: Session | None = None) -> Any:
        """Return the value as an array, computed in a session or the default one."""
        return chosen_session(session, "tensor.eval").run(self, feed_dict)

    experimental_ref = Tensor.ref

    @property
    def ndim(self) -> int:
        """How many axes the tensor has."""
        return len(seen_spec(self).dims)

    def __len__(self) -> int:
        raise TypeError(
            f"len() of {self.name}: its size is known when the graph runs; use tf.shape(x)[0], or "
            "x.shape[0] where that is known"
        )

    def __iter__(self) -> Iterator[Any]:
        dims = seen_spec(self).shape
        if not dims or dims[0] is None:
            raise TypeError(
                f"{self.name} has the shape {self.shape}, and cannot be iterated over"
            )
        return iter([self[i] for i in range(dims[0])])

    def __copy__(self) -> GraphTensor:
        return self

    def __deepcopy__(self, memo: Any) -> GraphTensor:
        return self

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor {self.name!r} shape={self.shape} dtype={dtype_name(self)}>"
        )

    def __str__(self) -> str:
        shape = self.shape
        known = f", shape={shape}" if shape.rank is not None else ""
        return f'Tensor("{self.name}"{known}, dtype={dtype_name(self)})'

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class ShownTensor(GraphTensor, metaclass=TensorsOfAnyKind):
    """tf.Tensor of version 1: the type of what programs hold of graphs, and put attributes on."""


class ListedTensor(ShownTensor):
    """A tensor within a branch or a loop: programs may look at it, and nothing else."""

    def __tensor__(self) -> Tensor:
        check_runs(self.node)
        return super().__tensor__()

    __fetch__ = __tensor__


ShownTensor.__name__ = ListedTensor.__name__ = "Tensor"


def _own_operation(node: Node) -> Operation:
    """Return what stands for a node that runs, if one is written as this one."""
    graph = original(node)
    return operation(node if graph is None else Expanded.of(graph).own(node))


def own_view(x: SymbolicTensor) -> GraphTensor:
    """Return what stands for a tensor that is computed, if one is written as this one."""
    graph = original(x.node)
    return view(x if graph is None else Expanded.of(graph).own_tensor(x))


def view(x: SymbolicTensor) -> GraphTensor:
    """Return what stands for a tensor of a graph: always the same."""
    if isinstance(x, GraphTensor):
        return x
    own = x.node.outputs[x.index]
    known = x.node.graph.kept.setdefault("views", {})
    found = known.get(id(own))
    if found is None:
        kind = ShownTensor if original(x.node) is None else ListedTensor
        found = known[id(own)] = (own, kind(x.node, x.index, own.spec))
    shown: GraphTensor = found[1]
    return shown


def operation(node: Node) -> Operation:
    """Return what stands for a node: always the same."""
    known = node.graph.kept.setdefault("operations", {})
    if node not in known:
        known[node] = Operation(node)
    found: Operation = known[node]
    return found


NodesSeen.kind = staticmethod(operation)


def graph_of(node: Node) -> Any:
    """Return the graph that a program has of a node, though it be in a branch or a loop."""
    graph = node.graph
    if isinstance(graph, Graph):
        return graph
    return original(node) or outermost_graph() or graph


SHOWN_AS: dict[type, Any] = {}
"""What stands for named tuples of tensors that have attributes of their own."""


def plain(x: Any) -> Any:
    """Return tensors and nodes in the place of what stands for them, in nests too."""
    if isinstance(x, GraphTensor):
        return x.__tensor__()
    if isinstance(x, Operation):
        return x.node
    if isinstance(x, Dimension):
        return x.value
    kind = type(x)
    if any_registered() and is_convertible(x):
        return plain(registered(x))
    if kind is list:
        return [plain(y) for y in x]
    if kind is dict:
        return {key: plain(y) for key, y in x.items()}
    if isinstance(x, AnyShape):
        return x.known() if x.rank != 0 else SCALAR
    if isinstance(x, tuple):
        kind = getattr(kind, "plain_kind", kind)
        return kind(*map(plain, x)) if hasattr(x, "_fields") else tuple(map(plain, x))
    if kind is slice:
        return slice(plain(x.start), plain(x.stop), plain(x.step))
    return rebuilt(x, plain) if is_composite(x) else x


def shown(x: Any) -> Any:
    """Return what stands for tensors and nodes, in nests too."""
    if isinstance(x, SymbolicTensor):
        return view(x)
    if isinstance(x, Node):
        return operation(x)
    kind = type(x)
    if kind is list:
        return [shown(y) for y in x]
    if kind is dict:
        return {key: shown(y) for key, y in x.items()}
    if isinstance(x, tuple) and not isinstance(x, AnyShape):
        kind = SHOWN_AS.get(kind, kind)
        return kind(*map(shown, x)) if hasattr(x, "_fields") else tuple(map(shown, x))
    return rebuilt(x, shown) if is_composite(x) else x


def in_graph(
    make: Callable[[], Any],
    default: str | None,
    name: str | None = None,
    inner: str | None = "",
) -> Any:
    """Return what `make` makes, in the graph being built, its node bearing a name.

    That is the scope's, or `inner` below it; None leaves the node the name it has. Without a name
    and a default there is no scope of its own.
    """
    graph = active_graph()
    if graph is None:
        return make()
    with graph.lock, built(graph) as within:
        count = len(within.nodes)
        with name_scope(name, default) as prefix:
            made = make()
        if inner is not None:
            bear(graph, within, count, made, prefix[:-1], inner)
        name_arguments(within, count, prefix[:-1])
    return shown(made)


def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that gives a program's function what stands for them."""
    a_function(function, "the function to call")

    def called(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None:
            return function(*args, **kwargs)
        named = {k: shown(v) for k, v in kwargs.items()}
        return plain(graph.lock.lent_for(function, *map(shown, args), **named))

    return called
