"""What collections note of control flow: which tensors belong to which branch or loop.

The messages that say so are in no package; they are described here and made at first use. Which
contexts a graph has is found out in interop/tensorflow/writers/nesting.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from tensorlite.interop.tensorflow.messages import parsed

_PACKAGE = "tensorlite.control_flow"
_PLAIN = {"int32": 5, "bool": 8, "string": 9}
_OPTIONAL, _REPEATED = 1, 3
_ENTRY = "ExternalValuesEntry"

# message: field's name: number and type; a list has "*" before its type.
_FIELDS: dict[str, dict[str, tuple[int, str]]] = {
    "ValuesDef": {
        "values": (1, "*string"),
        "external_values": (2, f"*ValuesDef.{_ENTRY}"),
    },
    "ControlFlowContextDef": {
        "cond_ctxt": (1, "CondContextDef"),
        "while_ctxt": (2, "WhileContextDef"),
    },
    "CondContextDef": {
        "context_name": (1, "string"),
        "pred_name": (2, "string"),
        "pivot_name": (3, "string"),
        "branch": (4, "int32"),
        "values_def": (5, "ValuesDef"),
        "nested_contexts": (6, "*ControlFlowContextDef"),
    },
    "WhileContextDef": {
        "context_name": (1, "string"),
        "parallel_iterations": (2, "int32"),
        "back_prop": (3, "bool"),
        "swap_memory": (4, "bool"),
        "pivot_name": (5, "string"),
        "pivot_for_pred_name": (6, "string"),
        "pivot_for_body_name": (7, "string"),
        "loop_exit_names": (8, "*string"),
        "values_def": (9, "ValuesDef"),
        "loop_enter_names": (10, "*string"),
        "maximum_iterations_name": (11, "string"),
        "nested_contexts": (12, "*ControlFlowContextDef"),
    },
}


class BranchInfo(NamedTuple):
    """One branch of a conditional: the names of its tensors."""

    context_name: str
    pred_name: str
    pivot_name: str
    """What is there if, and only if, the branch is taken."""
    branch: int
    """1 is taken where the predicate holds, 0 where it does not."""
    values: tuple[str, ...] = ()
    external_values: Mapping[str, str] = {}
    """What tensors from outside are called inside."""
    nested: tuple[ContextInfo, ...] = ()


class LoopInfo(NamedTuple):
    """A loop: the names of its tensors."""

    context_name: str
    """The name of its frame."""
    parallel_iterations: int = 10
    back_prop: bool = True
    swap_memory: bool = False
    pivot_name: str = ""
    """Whether there is another turn."""
    pivot_for_pred_name: str = ""
    pivot_for_body_name: str = ""
    loop_exit_names: tuple[str, ...] = ()
    loop_enter_names: tuple[str, ...] = ()
    maximum_iterations_name: str = ""
    values: tuple[str, ...] = ()
    external_values: Mapping[str, str] = {}
    nested: tuple[ContextInfo, ...] = ()


ContextInfo: TypeAlias = BranchInfo | LoopInfo
_PLACED = {"values", "external_values", "nested"}
"""What stands in messages of its own."""
_KINDS: dict[type[ContextInfo], tuple[str, str]] = {
    BranchInfo: ("CondContextDef", "cond_ctxt"),
    LoopInfo: ("WhileContextDef", "while_ctxt"),
}


def context_proto(info: ContextInfo) -> Any:
    """Return what is noted of a branch or a loop as CondContextDef or WhileContextDef.

    >>> context_info(context_proto(LoopInfo("while", values=("a:0",))), LoopInfo).values
    ('a:0',)
    """
    given = {k: v for k, v in info._asdict().items() if k not in _PLACED}
    proto = context_message(_KINDS[type(info)][0])(**given)
    proto.values_def.values.extend(info.values)
    proto.values_def.external_values.update(info.external_values)
    for one in info.nested:
        place = getattr(proto.nested_contexts.add(), _KINDS[type(one)][1])
        place.CopyFrom(context_proto(one))
    return proto


def context_info(given: Any, kind: type[ContextInfo]) -> ContextInfo:
    """Return what a CondContextDef or a WhileContextDef says: a message, or its bytes."""
    proto = parsed(given, context_message(_KINDS[kind][0]))
    own = {key: getattr(proto, key) for key in kind._fields if key not in _PLACED}
    found: dict[str, Any] = {
        key: x if isinstance(x, (str, int)) else tuple(x) for key, x in own.items()
    }
    return kind(
        **found,
        values=tuple(proto.values_def.values),
        external_values=dict(proto.values_def.external_values),
        nested=tuple(map(_nested, proto.nested_contexts)),
    )


def _nested(proto: Any) -> ContextInfo:
    is_branch = proto.HasField("cond_ctxt")
    kind: type[ContextInfo] = BranchInfo if is_branch else LoopInfo
    return context_info(getattr(proto, _KINDS[kind][1]), kind)


@cache
def context_message(name: str) -> Any:
    """Return the class of a message.

    >>> context_message("CondContextDef")(branch=1).branch
    1
    """
    found = _pool().FindMessageTypeByName(f"{_PACKAGE}.{name}")
    return import_module("google.protobuf.message_factory").GetMessageClass(found)


@cache
def _pool() -> Any:
    """Return a pool in which the messages are described."""
    file = import_module("google.protobuf.descriptor_pb2").FileDescriptorProto(
        name="tensorlite/control_flow.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in _FIELDS.items():
        described = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            _describe(described, field, number, kind)
        if name == "ValuesDef":
            entry = described.nested_type.add(name=_ENTRY)
            _describe(entry, "key", 1, "string")
            _describe(entry, "value", 2, "string")
            entry.options.map_entry = True
        if name == "ControlFlowContextDef":
            described.oneof_decl.add(name="ctxt")
            for field in described.field:
                field.oneof_index = 0
    pool = import_module("google.protobuf.descriptor_pool").DescriptorPool()
    pool.Add(file)
    return pool


def _describe(described: Any, name: str, number: int, kind: str) -> None:
    plain = kind.removeprefix("*")
    label = _REPEATED if plain != kind else _OPTIONAL
    field = described.field.add(name=name, number=number, label=label, type=11)
    if plain in _PLAIN:
        field.type = _PLAIN[plain]
    else:
        field.type_name = f".{_PACKAGE}.{plain}"
