"""Described: what operations say of themselves in TensorFlow's words: messages and attributes.

What else programs see of a graph stands in views.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, MissingOperatorError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.attributes import proto_of_value
from tensorlite.interop.tensorflow.definitions import op_def
from tensorlite.interop.tensorflow.inspection.expanding import as_listed
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.tensors import dtype_of
from tensorlite.interop.tensorflow.writers.referring import type_of
from tensorlite.interop.tensorflow.writing import node_def
from tensorlite.ops.state.resource import VarHandleOp


class Described:
    """The part of tf.Operation that tells of an operator and its attributes."""

    __slots__ = ("__weakref__", "node")

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def type(self) -> str:
        """Name of the operator, as TensorFlow has it."""
        return type_of(as_listed(self.node))

    @property
    def node_def(self) -> Any:
        """The node as a NodeDef message."""
        node = as_listed(self.node)
        try:
            made = node_def(node)
        except MissingOperatorError:
            made = message("NodeDef")(name=node.name, op=self.type)
            made.input.extend([x.name.removesuffix(":0") for x in node.inputs])
            made.input.extend([f"^{x.name}" for x in node.control])
        for key, value in given_attributes(self.node).items():
            made.attr[key].CopyFrom(value)
        return made

    _node_def = node_def

    @property
    def op_def(self) -> Any:
        """The operator as an OpDef message; MissingOperatorError if TensorFlow has none."""
        found = op_def(self.type)
        if found is None:
            raise MissingOperatorError(
                f"{self.node.name}: TensorFlow has no operator {self.type}"
            )
        return found

    _op_def = op_def

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute, the operator's default if none is set.

        InvalidArgumentError for a name that the operator has not.
        """
        given = given_attributes(self.node).get(name)
        if given is not None:
            return attribute_value(given)
        try:
            known = node_def(as_listed(self.node)).attr
        except MissingOperatorError:
            own = self.node.op.attributes()
            if name in own:
                return own[name]
            known = own
        if name in known:
            return attribute_value(known[name])
        defined = op_def(self.type)
        for one in () if defined is None else defined.attr:
            if one.name == name and one.HasField("default_value"):
                return attribute_value(one.default_value)
        raise InvalidArgumentError(
            f"Operation {self.node.name!r} has no attr named {name!r}; it is of {self.type}, and "
            f"has {sorted(known)}"
        )

    def _set_attr(self, name: str, value: Any) -> None:
        give_attribute(self.node, name, value)

    @property
    def traceback(self) -> list[tuple[str, int, str, str]]:
        """The line of the program that made the node, as (file, line, function, '')."""
        line = self.node.line
        return [(line.file, line.number, line.function, "")]

    @property
    def _id(self) -> int:
        return self.node.graph.nodes.index(self.node) + 1


def given_attributes(node: Node) -> dict[str, Any]:
    """Return the attributes that a program gave a node beside those of its operator."""
    known: dict[Node, dict[str, Any]] = node.graph.kept.get("attributes", {})
    return known.get(node, {})


def give_attribute(node: Node, name: str, value: Any) -> None:
    """Give a node an attribute: a message, or what one can be made of."""
    known = node.graph.kept.setdefault("attributes", {})
    known.setdefault(node, {})[name] = (
        value if hasattr(value, "WhichOneof") else proto_of_value(value)
    )


def attribute_value(proto: Any) -> Any:
    """Return the value of an attribute as get_attr has it: texts as bytes, shapes as messages."""
    kind = proto.WhichOneof("value")
    if kind is None:
        return None
    value = getattr(proto, kind)
    if kind == "type":
        return _dtype(value)
    if kind != "list":
        return value
    for field, members in value.ListFields():
        return [_dtype(x) for x in members] if field.name == "type" else list(members)
    return []


def _dtype(number: int) -> DType:
    return dtype_of(number)


def seen_spec(x: SymbolicTensor) -> TensorSpec:
    """Return what programs see of a tensor: of a reference to a variable, what is known of that."""
    op = x.node.op
    if isinstance(op, VarHandleOp) and op.is_reference:
        return op.spec
    return x.spec


def dtype_name(x: SymbolicTensor) -> str:
    """Return what the dtype of a tensor is called; that of references ends in _ref."""
    seen = seen_spec(x)
    return seen.dtype.name if seen is x.spec else f"{seen.dtype.name}_ref"
