"""Given: a node of a GraphDef while it is read, as the adapters of operators see it.

What each operator becomes is in tensorflow/operators.py and the modules beside it; the order is
tensorflow/reading.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from tensorlite.core.constant import Const, known_array
from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import GraphDefError, TensorliteError, TooLargeError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.provenance import Line, at_line
from tensorlite.core.scope import name_scope
from tensorlite.core.spec import TensorSpec, element
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.attributes import Called, Shape, is_default
from tensorlite.interop.tensorflow.records import Record
from tensorlite.interop.tensorflow.references import Reference, Sources, Value, Writes
from tensorlite.ops.arrays.identity import Identity, IdentityN
from tensorlite.ops.arrays.shape import Cast
from tensorlite.ops.state.resource import ReadVariableOp

Values: TypeAlias = Sequence[Value]
T = TypeVar("T")

IGNORED = {
    "N",
    "_class",
    "allowed_devices",
    "clear_after_read",
    "config",
    "config_proto",
    "container",
    "delete_old_dirs",
    "executor_type",
    "grad_a",
    "grad_b",
    "grad_x",
    "grad_y",
    "identical_element_shapes",
    "message",
    "output_shapes",
    "parallel_iterations",
    "perturb_singular",
    "stack_name",
    "swap_memory",
    "tensor_array_name",
    "timeout_ms",
    "use_cudnn_on_gpu",
    "use_locking",
    "validate_indices",
    "validate_shape",
}
"""Attributes that change nothing here, whatever they are."""


SHORT = 64
"""How many elements a tensor may have whose value is noted."""
SMALL = 2**16
"""How many elements a constant may have to be worked with while a graph is read."""


class OwnGradient(NamedTuple):
    """The function that a program gave as the gradient of some tensors, as SavedModels have it."""

    function: str
    captured: tuple[tuple[str, str] | Callable[[], Tensor], ...]
    """What it takes beside gradients: tensors of functions, both by name, and others."""
    returned: tuple[bool, ...]
    """Of which inputs of the node it returns gradients."""


class Library(Protocol):
    """The functions of a GraphDef."""

    gradients: dict[str, str]
    own_gradients: Mapping[str, OwnGradient]

    def graph(self, called: Called, specs: Sequence[TensorSpec]) -> Graph:
        """Return the graph of a function, for arguments of some specs."""

    def arguments(self, called: Called) -> list[DType]:
        """Return the dtypes of what a function takes."""


class Given:
    """A node to be read, with what it uses."""

    def __init__(
        self,
        record: Record,
        name: str,
        graph: ManualGraph,
        values: Values,
        control: tuple[Node, ...],
        writes: Writes,
        library: Library,
    ) -> None:
        self.record = record
        self.name = name
        self.graph = graph
        self.values = values
        self.control = control
        self.library = library
        self._writes = writes
        self._used: set[str] = set()
        self.before = 0
        """The writes to variables that come before this node."""
        self.sources: Sources = ()
        """The nodes that it comes after, with theirs."""
        self.device: DeviceName
        self.group = ""
        self.prefix = ""
        """What stands before the names of all nodes that are read."""
        self.line: Line
        self.find: Callable[[str, str], SymbolicTensor]
        """Finds a tensor of a function, both by name, when all of it has been read."""

    def attribute(self, name: str) -> Any:
        """Return the value of an attribute; GraphDefError when there is none."""
        self._used.add(name)
        try:
            return self.record.attributes[name]
        except KeyError:
            raise GraphDefError(
                f"{self.record} lacks the attribute {name!r}"
            ) from None

    def typed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """Return an attribute; GraphDefError unless it is of a type."""
        value = self.attribute(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise GraphDefError(
                f"{self.record}: its attribute {name!r} is {value!r}, of another type"
            )
        return value

    def dtype(self, name: str) -> DType:
        """Return an attribute that is a dtype."""
        found: DType = self.typed(name, DType)
        return found

    def dtypes(self, name: str) -> tuple[DType, ...]:
        """Return an attribute that is a list of dtypes."""
        return self.listed(name, DType)

    def listed(self, name: str, kind: type[T]) -> tuple[T, ...]:
        """Return an attribute that is a list; GraphDefError unless all in it is of a type."""
        found = self.typed(name, tuple)
        if not all(isinstance(one, kind) for one in found):
            raise GraphDefError(
                f"{self.record}: its attribute {name!r} is {found!r}, no list of {kind.__name__}"
            )
        return tuple(found)

    def shape(self, name: str) -> tuple[int | None, ...] | None:
        """Return an attribute that is a shape."""
        found: Shape = self.typed(name, Shape)
        return found.sizes

    @property
    def tensors(self) -> list[SymbolicTensor]:
        """The values of the inputs; of variables, what they are when this node runs."""
        return [self.tensor(i) for i in range(len(self.values))]

    def tensor(self, i: int) -> SymbolicTensor:
        """Return the value of an input."""
        value = self._value(i)
        if isinstance(value, SymbolicTensor):
            return value
        unseen = self._writes.unseen(value, self.sources)
        if not unseen:
            return value.value
        read = self.graph.add(
            ReadVariableOp(),
            (value.handle,),
            control=unseen,
            name=f"{self.name}/ReadVariableOp",
        )
        return self.placed(read).outputs[0]

    def reference(self, i: int) -> Reference:
        """Return an input that is a variable, to wait for the writes to it that come before.

        GraphDefError when it is a value.
        """
        value = self._value(i)
        if isinstance(value, Reference):
            written = self._writes.behind(value, self.sources)
            self.control = tuple(dict.fromkeys([*self.control, *written]))
            return value
        raise GraphDefError(
            f"{self.record}: input {i} should be a variable, and is {value.name}, a value"
        )

    def reread(self, value: Reference) -> Node:
        """Return a node of this name that reads a variable behind the writes that come before."""
        written = self._writes.behind(value, self.sources)
        return self.node(ReadVariableOp(), value.handle, control=written)

    def _value(self, i: int) -> Value:
        if i >= len(self.values):
            raise GraphDefError(
                f"{self.record} has {len(self.values)} inputs, and needs {i + 1}"
            )
        return self.values[i]

    def written(self, variable: Reference, value: SymbolicTensor) -> Reference:
        """Return a variable behind a write to it that this node does."""
        seen = self._writes.add(self.record.name, variable.variable)
        return Reference(
            variable.variable, variable.handle, value, seen | self.before
        )

    def node(
        self, op: Op, *inputs: SymbolicTensor, control: Iterable[Node] = ()
    ) -> Node:
        """Return the node that bears the name, and waits for what this one is to wait for."""
        waits = tuple(dict.fromkeys([*self.control, *control]))
        return self.placed(self.graph.append(op, _own(inputs), self.name, waits))

    def helper(
        self, op: Op, *inputs: SymbolicTensor, control: Iterable[Node] = ()
    ) -> Node:
        """Return a node that is needed beside, named below this one."""
        name = f"{self.name}/{op.name}"
        made = self.graph.add(op, _own(inputs), control=tuple(control), name=name)
        return self.placed(made)

    def placed(self, node: Node) -> Node:
        """Return a node, placed as this one is to be."""
        node.device, node.group, node.line = self.device, self.group, self.line
        return node

    def composed(self, function: Callable[..., Any], *inputs: Any) -> Values:
        """Return what a function makes of tensors, as outputs of the node of this name."""
        self.check_attributes()
        count = len(self.graph.nodes)
        with self.graph.as_default(), name_scope(self.name), at_line(self.line):
            made = function(*inputs)
        for node in self.graph.nodes[count:]:
            self.placed(node)
            _fold(node)
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        return self.give(results)

    def give(self, results: Sequence[Tensor]) -> Values:
        """Return tensors as outputs of the node of this name."""
        own = [x for x in results if isinstance(x, SymbolicTensor)]
        assert len(own) == len(results)
        op = Identity() if len(own) == 1 else IdentityN()
        return self.node(op, *own).outputs

    def made(self, op: Op, *inputs: SymbolicTensor) -> Values:
        """Return the outputs of an operator, cast where TensorFlow has them of other dtypes."""
        self.check_attributes()
        inferred = op.infer(*[x.spec for x in inputs])
        specs = inferred if isinstance(inferred, tuple) else (inferred,)
        wanted = self.output_dtypes(len(specs))
        if all(y is None or x.dtype is y for x, y in zip(specs, wanted, strict=True)):
            return self.node(op, *inputs).outputs
        outputs = self.helper(op, *inputs).outputs
        return self.give(
            [
                x if y is None or x.dtype is y else self.helper(Cast(y), x).outputs[0]
                for x, y in zip(outputs, wanted, strict=True)
            ]
        )

    def output_dtypes(self, number: int) -> list[DType | None]:
        """Return the dtype of each of a number of outputs, None where it is not said."""
        signature = self.record.signature
        if signature is None or len(signature.outputs) != number:
            return [None] * number
        return [
            None if one.number else one.dtype(self.record.attributes)
            for one in signature.outputs
        ]

    def check_attributes(self) -> None:
        """Raise GraphDefError for an attribute that is not at its default, and was not used."""
        signature = self.record.signature
        known = {} if signature is None else signature.attributes
        for name in self.record.given:
            if name in self._used or name in IGNORED:
                continue
            value = self.record.attributes[name]
            expected = known[name].default if name in known else None
            if isinstance(value, DType) or is_default(value, expected):
                continue
            if isinstance(value, tuple) and all(isinstance(x, DType) for x in value):
                continue
            raise GraphDefError(
                f"{self.record}: its attribute {name!r} is {value!r}; supported is "
                f"{'nothing' if expected is None else repr(expected)}"
            )

    def is_known(self, *places: int) -> bool:
        """Return whether inputs are constants."""
        return all(isinstance(self._origin(i).node.op, Const) for i in places)

    def _origin(self, i: int) -> SymbolicTensor:
        x = self.tensor(i)
        while isinstance(x.node.op, Identity):
            x = x.node.inputs[0]
        return x

    def constant(self, i: int) -> np.ndarray[Any, Any]:
        """Return the value of an input that is a constant; GraphDefError when it is none."""
        x = self._origin(i)
        if isinstance(x.node.op, Const):
            if x.node.op.value.size > SMALL:
                raise TooLargeError(
                    f"{self.record}: input {i} has the shape {x.shape}"
                )
            return x.node.op.value
        raise GraphDefError(
            f"{self.record}: input {i}, {x.name}, is computed; supported is a constant"
        )


def _fold(node: Node) -> None:
    """Make a constant of what is made of constants: it is there in every frame, as they are."""
    if not node.inputs or len(node.outputs) != 1 or node.control:
        return
    ops = [x.node.op for x in node.inputs if not x.node.control]
    values = [op.value for op in ops if isinstance(op, Const)]
    sizes = [node.outputs[0].spec.size, *[x.size for x in values]]
    if any(size is None or size > SMALL for size in sizes):
        return
    if node.op.effect is Effect.NONE and len(values) == len(node.inputs):
        made = _computed(node, values)
        if made is not None and made.dtype == node.outputs[0].dtype.numpy:
            node.op, node.inputs = Const(made), ()
            node.infer_again()


def learn(node: Node) -> None:
    """Note the value of small integers that are computed of others: shapes are made of these."""
    is_pure = node.op.effect is Effect.NONE and node.op.role is Role.PLAIN
    if not is_pure or not node.inputs or len(node.outputs) != 1:
        return
    (y,) = node.outputs
    sizes = [x.spec.size for x in (y, *node.inputs)]
    values = [_value_of(x) for x in node.inputs]
    if not _countable(y.spec) or any(size is None or size > SHORT for size in sizes):
        return
    known = [value for value in values if value is not None]
    found = _computed(node, known) if len(known) == len(values) else None
    if (
        found is not None
        and found.dtype == y.dtype.numpy
        and found.shape == y.spec.shape
    ):
        y.respecify(TensorSpec(found.shape, y.dtype, known=element(found)))


def _computed(node: Node, values: Sequence[Array]) -> Array | None:
    """Return what a node makes of values; None where it cannot, which a run of it will tell."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(node.op.kernel(np, *values))
    except (TensorliteError, ArithmeticError, LookupError, TypeError, ValueError):
        return None


def _countable(spec: TensorSpec) -> bool:
    return spec.dtype.is_integer and spec.known is None


def _value_of(x: SymbolicTensor) -> np.ndarray[Any, Any] | None:
    """Return the value of a tensor, if all of it is known."""
    if isinstance(x.node.op, Const) and not x.node.control:
        return x.node.op.value
    return known_array(x.spec)


def _own(inputs: Iterable[SymbolicTensor]) -> tuple[SymbolicTensor, ...]:
    """Return tensors as their nodes have them: equal calls give copies."""
    return tuple([x.node.outputs[x.index] for x in inputs])
