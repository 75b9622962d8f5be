"""What meta graphs say of their graphs beside the nodes, and parts of graphs by their scope."""

from __future__ import annotations

from typing import Any

from tensorlite.interop.tensorflow.definitions import op_def
from tensorlite.interop.tensorflow.messages import message


def part_below(proto: Any, scope: str) -> Any:
    """Return the nodes of a GraphDef whose names begin with a scope, by their names within it.

    What they use from outside is left out, for the reader to give.
    """
    made = message("GraphDef")()
    made.library.CopyFrom(proto.library)
    made.versions.CopyFrom(proto.versions)
    for node in proto.node:
        if not node.name.startswith(scope):
            continue
        part = made.node.add()
        part.CopyFrom(node)
        part.name = node.name.removeprefix(scope)
        del part.input[:]
        for given in node.input:
            mark = "^" if given.startswith("^") else ""
            name = given.removeprefix("^")
            if name.startswith(scope):
                part.input.append(f"{mark}{name.removeprefix(scope)}")
            elif not mark:
                part.input.append(f"$unbound_inputs_{name.replace(':', '_')}")
    return made


_SAVING = {"SaveV2", "Save", "SaveSlices", "RestoreV2", "Restore", "RestoreSlice"}


def without_savers(proto: Any, saver_def: Any) -> Any:
    """Return a GraphDef without the nodes of savers other than one, each in a scope of its own."""
    kept = set()
    if saver_def is not None:
        named = saver_def.save_tensor_name, saver_def.restore_op_name
        kept = {x.rpartition("/")[0] for x in named}
    scopes = {x.name.rpartition("/")[0] for x in proto.node if x.op in _SAVING}
    left = tuple(f"{x}/" for x in scopes - kept if x)
    made = message("GraphDef")()
    made.CopyFrom(proto)
    nodes = [x for x in proto.node if not x.name.startswith(left)]
    del made.node[:]
    made.node.extend(nodes)
    return made


def strip_defaults(proto: Any) -> None:
    """Leave out attributes that are as TensorFlow has them where nothing is said."""
    for node in proto.node:
        defined = op_def(node.op)
        for one in () if defined is None else defined.attr:
            said = one.HasField("default_value") and one.name in node.attr
            if said and node.attr[one.name] == one.default_value:
                del node.attr[one.name]


def describe(meta: Any, given: Any, stripped: bool, version: str) -> None:
    """Say which operators a MetaGraphDef uses, and what wrote it."""
    said = meta.meta_info_def
    if given is not None:
        said.MergeFrom(given)
    said.stripped_default_attrs = stripped
    said.tensorflow_version = version
    bodies = [x for f in meta.graph_def.library.function for x in f.node_def]
    del said.stripped_op_list.op[:]
    for name in sorted({x.op for x in [*meta.graph_def.node, *bodies]}):
        defined = op_def(name)
        if defined is not None:
            said.stripped_op_list.op.add().CopyFrom(defined)
