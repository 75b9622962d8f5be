"""GraphElements: what tf.Graph says of its elements: found by name, made by type, fed and fetched.

Scopes, devices and collections stand in framework.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.described import given_attributes
from tensorlite.compat.overriding import (
    note_gradient,
    overridden,
    overrides,
    own_gradient,
)
from tensorlite.compat.views import (
    GraphTensor,
    Operation,
    ShownTensor,
    operation,
    own_view,
    plain,
    shown,
)
from tensorlite.core.check import several
from tensorlite.core.errors import DTypeError, InvalidArgumentError, NotFoundError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.scope import Asked, decided, scope, scoped
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.graph_mode import graph as graphs
from tensorlite.interop.tensorflow.creating import created, reference_places
from tensorlite.interop.tensorflow.inspection.expanding import Expanded, is_region
from tensorlite.interop.tensorflow.inspection.shapes import shapes_told
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.tensors import shape_proto
from tensorlite.interop.tensorflow.writing import PRODUCER, to_graphdef


class GraphElements(graphs.Graph):
    """The part of TensorFlow's Graph that is about its elements."""

    def __init__(self) -> None:
        super().__init__("graph")
        self.unfeedable: set[SymbolicTensor] = set()
        self.unfetchable: set[Node] = set()

    @property
    def version(self) -> int:
        """How many operations the graph has."""
        return len(self.nodes)

    def count_written(self) -> int:
        """Return how many operations the graph is written with, of TensorFlow 1's primitives."""
        return len(Expanded.of(self).nodes)

    @property
    def graph_def_versions(self) -> Any:
        """The versions of GraphDef that as_graph_def writes, a message."""
        return message("GraphDef")(versions={"producer": PRODUCER}).versions

    def as_graph_def(self, from_version: Any = None, add_shapes: bool = False) -> Any:
        """Return the graph as a GraphDef.

        With from_version, only operations made since `version` was that; with add_shapes, the
        shapes of outputs stand in the attribute _output_shapes.
        """
        with self.lock:
            return self._as_graph_def(int(from_version or 0), add_shapes)

    def _as_graph_def(self, first: int, add_shapes: bool) -> Any:
        whole = Expanded.of(self)
        made = to_graphdef(whole.made)
        old = {node.name for node in self.nodes[:first]}
        for proto in made.node:
            node = whole.by_name.get(proto.name)
            if node is None:
                continue
            for key, value in given_attributes(whole.own(node)).items():
                proto.attr[key].CopyFrom(value)
            for shape in shapes_told(node, proto.op) if add_shapes else ():
                listed = proto.attr["_output_shapes"].list
                listed.shape.add().CopyFrom(shape_proto(shape))
        if old:
            kept = [x for x in made.node if x.name not in old]
            del made.node[:]
            made.node.extend(kept)
        return made

    def shown(self) -> ManualGraph:
        """Return the graph with its branches and loops as primitives, as TensorFlow 1 draws it."""
        return Expanded.of(self).made

    def gradient_override_map(self, op_type_map: Any) -> Any:
        """Return a block whose operations have the gradients registered by these names.

        op_type_map has names of tf.RegisterGradient by types of operations.
        """
        return overridden(self, op_type_map)

    def pulls(self, node: Node) -> bool:
        """Return whether the graph itself says what the node's gradient is."""
        return own_gradient(node) is not None or super().pulls(node)

    def _made(
        self,
        op: Op,
        inputs: tuple[SymbolicTensor, ...],
        specs: Sequence[TensorSpec] | None = None,
    ) -> Node:
        made = super()._made(op, inputs, specs)
        names = overrides(self)
        if names:
            note_gradient(made, names)
        return made

    def get_operations(self) -> list[Operation]:
        """Return the graph's operations, in the order in which they were made."""
        whole = Expanded.of(self)
        return [operation(whole.own(node)) for node in whole.nodes]

    def get_operation_by_name(self, name: str) -> Any:
        """Return the operation of a name.

        Tensors' names raise InvalidArgumentError; names that are not there raise an error.
        """
        _check_text(name, "Operation")
        if ":" in name:
            raise InvalidArgumentError(
                f"Name {name!r} appears to refer to a Tensor, not a Operation."
            )
        return operation(self._named_node(name))

    def _named_node(self, name: str) -> Node:
        """Return a node by name, which may be one that only the list of them has."""
        found: Node | None = None
        try:
            found = super().get_operation_by_name(name)
        except NotFoundError:
            listed = Expanded.of(self).by_name.get(name)
            if listed is None:
                raise
            return listed
        return (
            Expanded.of(self).by_name.get(name, found) if is_region(found) else found
        )

    def get_tensor_by_name(self, name: str) -> Any:
        """Return the tensor of a name like "add:0": an operation's name and its output.

        Operations' names raise InvalidArgumentError, outputs that are not there NotFoundError.
        """
        _check_text(name, "Tensor")
        node_name, colon, index = str(name).rpartition(":")
        if not colon:
            raise InvalidArgumentError(
                f"{name!r} looks like the name of an operation; tensor names must be of the form "
                f'"<op_name>:<output_index>", as in "{name}:0"'
            )
        found = self._named_node(node_name)
        if not index.isdecimal() or int(index) >= len(found.outputs):
            raise NotFoundError(
                f"{name!r}: {node_name} has {len(found.outputs)} outputs, counted from 0"
            )
        return own_view(found.outputs[int(index)])

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Return the tensor or operation of a name, or of an object that stands for one.

        What is of another kind than allowed raises DTypeError, what another graph has
        InvalidArgumentError.
        """
        if isinstance(obj, (str, bytes)):
            name = obj.decode() if isinstance(obj, bytes) else obj
            if (":" in name and allow_tensor) or not allow_operation:
                return self.get_tensor_by_name(name)
            return self.get_operation_by_name(name)
        found: Any = obj
        if type(obj) is not ShownTensor:  # which may stand for a variable itself
            found = shown(
                plain(obj.__tensor__() if isinstance(obj, Operand) else obj)
            )
        allowed: list[Any] = [Operation] * allow_operation
        allowed += [GraphTensor] * allow_tensor
        if not any(isinstance(found, kind) for kind in allowed):
            wanted = " or ".join(
                [x.__name__.removeprefix("Graph") for x in allowed[::-1]]
            )
            raise DTypeError(
                f"Can not convert a {type(obj).__name__.removeprefix('Graph')} into a {wanted}."
            )
        if found.graph is not self:
            raise InvalidArgumentError(f"{obj!r} is not an element of this graph.")
        return found

    def create_op(
        self,
        op_type: str,
        inputs: Iterable[Any],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Make a node of a type by TensorFlow's name of it."""
        here = scope.get()
        given = [self.as_graph_element(x, allow_operation=False) for x in inputs]
        places = reference_places(op_type)
        tensors = [
            x.node.outputs[x.index] if i in places else x.__tensor__()
            for i, x in enumerate(given)
        ]
        wanted = op_type if name is None else name
        is_whole = wanted.endswith("/")
        whole = f"{wanted}made" if is_whole else scoped(wanted)
        whole = self.free_name(whole, mark=False)
        node = created(self, op_type, tensors, whole, attrs or {})
        if is_whole:
            self.rename(node, wanted[:-1])
        asked = Asked(node.name, node.op, tuple(tensors), here.device)
        node.device, node.group = decided(here.device, asked), here.group
        node.origin = here.origin
        waits = [x.node if isinstance(x, SymbolicTensor) else x for x in here.control]
        node.control = (*node.control, *waits)
        return operation(node)

    @contextmanager
    def _original_op(self, op: Any) -> Iterator[None]:
        """Note, in nodes that are made inside the block, the one for whose sake they are made."""
        here = scope.get()
        token = scope.set(here._replace(origin=plain(op)))
        try:
            yield
        finally:
            scope.reset(token)

    @contextmanager
    def _attr_scope(self, attr_map: Mapping[str, Any]) -> Iterator[None]:
        """Give nodes attributes inside the block, which say nothing to this library's runtime."""
        several(attr_map, "attr_map", "attributes by their names")
        yield

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return a name, in the current scope, that the graph does not have yet.

        It is taken from now on, unless mark_as_used is False.
        """
        return self.free_name(scoped(name), mark_as_used)

    def is_feedable(self, tensor: Any) -> bool:
        """Return whether feed_dict may have the tensor."""
        return plain(tensor) not in self.unfeedable

    def prevent_feeding(self, tensor: Any) -> None:
        """Forbid feed_dict to have the tensor."""
        self.unfeedable.add(plain(tensor))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Return whether a session may run the tensor or operation."""
        return _node_of(tensor_or_op) not in self.unfetchable

    def prevent_fetching(self, op: Any) -> None:
        """Forbid sessions to run the operation."""
        self.unfetchable.add(_node_of(op))


def _node_of(x: Any) -> Node:
    found = plain(x)
    node: Node = found.node if isinstance(found, SymbolicTensor) else found
    return node


def _check_text(name: object, what: str) -> None:
    if not isinstance(name, str):
        raise DTypeError(
            f"{what} names are strings (or similar), not {type(name).__name__}."
        )
