"""MetaGraphDefs: a GraphDef with what programs note beside it, as plain data.

Collections, the names of a saver's nodes, signatures, assets. What a graph's nodes become is
reading.py's, and which objects of a program the notes stand for is the program's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DataLossError, GraphDefError
from tensorlite.interop.tensorflow.messages import message, parsed
from tensorlite.interop.tensorflow.stored.contexts import (
    BranchInfo,
    LoopInfo,
    context_info,
    context_proto,
)
from tensorlite.interop.tensorflow.tensors import (
    OF_DTYPE,
    dtype_of,
    shape_of,
    shape_proto,
)
from tensorlite.ops.records import wire


class VariableInfo(NamedTuple):
    """A variable of a graph: the names of its parts, as collections note them."""

    variable_name: str
    initializer_name: str = ""
    snapshot_name: str = ""
    initial_value_name: str = ""
    is_resource: bool = False
    trainable: bool = True
    full_name: str = ""
    """Of which variable it is a slice, if it is one."""
    full_shape: tuple[int, ...] = ()
    var_offset: tuple[int, ...] = ()
    var_shape: tuple[int, ...] = ()
    synchronization: int = 0
    aggregation: int = 0
    """How copies are joined, by the numbers of TensorFlow's enumerations."""


class QueueRunnerInfo(NamedTuple):
    """Who fills a queue: the names of its operations."""

    queue_name: str
    enqueue_op_name: tuple[str, ...] = ()
    close_op_name: str = ""
    cancel_op_name: str = ""
    queue_closed_exception_types: tuple[int, ...] = ()
    """The numbers of TensorFlow's error codes."""


class SaverInfo(NamedTuple):
    """What saves and restores a graph's variables: the names of its nodes."""

    filename_tensor_name: str = ""
    save_tensor_name: str = ""
    restore_op_name: str = ""
    max_to_keep: int = 0
    sharded: bool = False
    keep_checkpoint_every_n_hours: float = 0.0
    version: int = 2


class AnyInfo(NamedTuple):
    """A message of a kind that is said beside it."""

    type_url: str
    value: bytes


class TensorInfo(NamedTuple):
    """A tensor of a graph, by name."""

    name: str
    dtype: DType
    shape: tuple[int | None, ...] | None = None
    sparse: tuple[str, ...] = ()
    """The names of values, indices and shape, of a sparse tensor."""


class SignatureInfo(NamedTuple):
    """What part of a graph to run: the tensors to feed and to fetch, by the names of arguments."""

    inputs: dict[str, TensorInfo]
    outputs: dict[str, TensorInfo]
    method_name: str = "tensorflow/serving/predict"


START = "__saved_model_init_op"
"""The signature that names what is run when a graph is loaded."""
_STARTS = ("saved_model_main_op", "legacy_init_op")
"""Collections that name it."""


@dataclass
class MetaGraph:
    """A graph and the notes beside it.

    Members of collections are names of nodes, numbers, bytes, VariableInfo, QueueRunnerInfo,
    SaverInfo, BranchInfo, LoopInfo or AnyInfo.

    >>> graph = message("GraphDef")(node=[{"name": "x", "op": "NoOp"}])
    >>> meta = MetaGraph(graph, {"train_op": ["x"], "variables": [VariableInfo("v:0")]})
    >>> meta_graph_of(to_message(meta)).collections["variables"][0].variable_name
    'v:0'
    """

    graph_def: Any
    collections: dict[str, list[Any]] = field(default_factory=dict)
    saver: SaverInfo | None = None
    signatures: dict[str, SignatureInfo] = field(default_factory=dict)
    assets: dict[str, str] = field(default_factory=dict)
    """The names of files by the names of the tensors that are to be given their paths."""
    tags: list[str] = field(default_factory=list)
    objects: Any = None
    """The SavedObjectGraph message of a SavedModel, None if there is none."""

    def starts(self) -> list[str]:
        """Return the names of the operations that are run when the graph is loaded."""
        if START in self.signatures:
            named = [x.name for x in self.signatures[START].outputs.values()]
        else:
            named = [y for x in _STARTS for y in self.collections.get(x, [])]
        return [x.partition(":")[0] for x in named]


def load_meta_graph(path: str | Path) -> MetaGraph:
    """Return the MetaGraphDef in a file, as bytes or as text.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "model.meta")
    >>> save_meta_graph(MetaGraph(message("GraphDef")(), {"losses": ["loss:0"]}), path)
    >>> load_meta_graph(path).collections
    {'losses': ['loss:0']}
    """
    data = Path(path).read_bytes()
    try:
        return meta_graph_of(data)
    except GraphDefError:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = ""
        if "{" not in text:
            raise
        return meta_graph_of(text)


def save_meta_graph(
    meta: MetaGraph, path: str | Path, *, as_text: bool = False
) -> None:
    """Write a MetaGraphDef to a file.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "model.meta")
    >>> meta = tl.interop.tensorflow.MetaGraph(message("GraphDef")(), {"losses": ["loss:0"]})
    >>> tl.interop.tensorflow.save_meta_graph(meta, path)
    >>> tl.interop.tensorflow.load_meta_graph(path).collections
    {'losses': ['loss:0']}
    """
    proto = to_message(meta)
    data = str(proto).encode() if as_text else proto.SerializeToString()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data)


def meta_graph_of(given: Any) -> MetaGraph:
    """Return what a MetaGraphDef says: a message, its bytes or its text.

    GraphDefError when it is damaged.
    """
    proto = parsed(given, "MetaGraphDef")
    try:
        return _read(proto)
    except (DataLossError, UnicodeDecodeError) as error:
        raise GraphDefError(f"a MetaGraphDef is damaged: {error}") from None


def _read(proto: Any) -> MetaGraph:
    saver = _saver(proto.saver_def) if proto.HasField("saver_def") else None
    return MetaGraph(
        proto.graph_def,
        {key: _members(key, x) for key, x in proto.collection_def.items()},
        saver,
        {key: signature_info(x) for key, x in proto.signature_def.items()},
        _assets(proto),
        list(proto.meta_info_def.tags),
        proto.object_graph_def if proto.HasField("object_graph_def") else None,
    )


def _assets(proto: Any) -> dict[str, str]:
    """Return the files of a graph, which older versions have in a collection."""
    found: dict[str, str] = {}
    if "saved_model_assets" in proto.collection_def:
        for one in proto.collection_def["saved_model_assets"].any_list.value:
            given = dict(wire.fields(one.value))
            about, file = given.get(1, b""), given.get(2, b"")
            if isinstance(about, bytes) and isinstance(file, bytes):
                name = dict(wire.fields(about)).get(1, b"")
                if isinstance(name, bytes):
                    found[name.decode()] = file.decode()
    return found | {x.tensor_info.name: x.filename for x in proto.asset_file_def}


def _members(key: str, collection: Any) -> list[Any]:
    kind = collection.WhichOneof("kind")
    if kind is None:
        return []
    values = list(getattr(collection, kind).value)
    if kind == "any_list":
        return [AnyInfo(x.type_url, x.value) for x in values]
    if kind != "bytes_list":
        return values
    reader = _VALUES.get(key, bytes)
    return [reader(x) for x in values]


def variable_info(given: Any) -> VariableInfo:
    """Return what a VariableDef says: a message, or its bytes.

    >>> variable_info(variable_proto(VariableInfo("v:0"))).variable_name
    'v:0'
    """
    proto = parsed(given, "VariableDef")
    part = proto.save_slice_info_def
    return VariableInfo(
        proto.variable_name,
        proto.initializer_name,
        proto.snapshot_name,
        proto.initial_value_name,
        proto.is_resource,
        proto.trainable,
        part.full_name,
        tuple(part.full_shape),
        tuple(part.var_offset),
        tuple(part.var_shape),
        proto.synchronization,
        proto.aggregation,
    )


def variable_proto(info: VariableInfo) -> Any:
    """Return what is noted of a variable as a VariableDef."""
    proto = message("VariableDef")(
        variable_name=info.variable_name,
        initializer_name=info.initializer_name,
        snapshot_name=info.snapshot_name,
        initial_value_name=info.initial_value_name,
        is_resource=info.is_resource,
        trainable=info.trainable,
        synchronization=info.synchronization,
        aggregation=info.aggregation,
    )
    if info.full_name:
        proto.save_slice_info_def.full_name = info.full_name
        for name in ("full_shape", "var_offset", "var_shape"):
            getattr(proto.save_slice_info_def, name).extend(getattr(info, name))
    return proto


def _queue_runner(data: bytes) -> QueueRunnerInfo:
    """Return what a QueueRunnerDef says, for which no package has a message."""
    texts: dict[int, list[str]] = {1: [], 2: [], 3: [], 4: []}
    errors: list[int] = []
    for number, value in wire.fields(data):
        if isinstance(value, int):
            errors.append(value)
        elif number in texts:
            texts[number].append(value.decode())
        else:
            errors += list(value)  # packed, and all of them small
    ends = ["".join(texts[i][-1:]) for i in (1, 3, 4)]
    return QueueRunnerInfo(ends[0], tuple(texts[2]), ends[1], ends[2], tuple(errors))


def _queue_runner_bytes(info: QueueRunnerInfo) -> bytes:
    texts = [
        (1, info.queue_name),
        *[(2, x) for x in info.enqueue_op_name],
        (3, info.close_op_name),
        (4, info.cancel_op_name),
    ]
    made = [wire.field(number, x.encode()) for number, x in texts if x]
    codes = bytes(info.queue_closed_exception_types)
    return b"".join(made) + (wire.field(5, codes) if codes else b"")


def _saver(proto: Any) -> SaverInfo:
    return SaverInfo(
        proto.filename_tensor_name,
        proto.save_tensor_name,
        proto.restore_op_name,
        proto.max_to_keep,
        proto.sharded,
        proto.keep_checkpoint_every_n_hours,
        proto.version,
    )


def _saver_proto(info: SaverInfo) -> Any:
    return message("SaverDef")(**info._asdict())


VARIABLES = (
    *("variables", "trainable_variables", "local_variables", "model_variables"),
    *("moving_average_variables", "metric_variables", "global_step"),
    *("trainable_resource_variables", "concatenated_variables"),
)
"""Collections whose members are noted as variables; in others they are names of tensors."""
_VALUES: dict[str, Callable[[bytes], Any]] = {
    **dict.fromkeys(VARIABLES, variable_info),
    "cond_context": lambda data: context_info(data, BranchInfo),
    "queue_runners": _queue_runner,
    "while_context": lambda data: context_info(data, LoopInfo),
    "savers": lambda data: _saver(parsed(data, "SaverDef")),
}
"""What the bytes in a collection are, by its name; those of others stay bytes."""


def signature_info(proto: Any) -> SignatureInfo:
    """Return what a SignatureDef message says."""
    return SignatureInfo(
        {key: _tensor(x) for key, x in proto.inputs.items()},
        {key: _tensor(x) for key, x in proto.outputs.items()},
        proto.method_name,
    )


def _tensor(proto: Any) -> TensorInfo:
    sparse: tuple[str, ...] = ()
    if proto.WhichOneof("encoding") == "coo_sparse":
        names = ("values", "indices", "dense_shape")
        sparse = tuple([getattr(proto.coo_sparse, f"{x}_tensor_name") for x in names])
    # What starts a model has no dtype: it is an operation.
    dtype = dtype_of(proto.dtype or 1)
    return TensorInfo(proto.name, dtype, shape_of(proto.tensor_shape), sparse)


def signature_proto(info: SignatureInfo) -> Any:
    """Return a signature as a SignatureDef message."""
    proto = message("SignatureDef")(method_name=info.method_name)
    for key, x in info.inputs.items():
        proto.inputs[key].CopyFrom(tensor_proto(x))
    for key, x in info.outputs.items():
        proto.outputs[key].CopyFrom(tensor_proto(x))
    return proto


def tensor_proto(info: TensorInfo) -> Any:
    """Return a tensor of a graph, by name, as a TensorInfo message.

    >>> from tensorlite.core.dtypes import float32
    >>> tensor_proto(TensorInfo("x:0", float32, (2,))).name
    'x:0'
    """
    proto = message("TensorInfo")(dtype=OF_DTYPE[info.dtype])
    proto.tensor_shape.CopyFrom(shape_proto(info.shape))
    if info.sparse:
        sparse = proto.coo_sparse
        sparse.values_tensor_name, sparse.indices_tensor_name = info.sparse[:2]
        sparse.dense_shape_tensor_name = info.sparse[2]
    else:
        proto.name = info.name
    return proto


def to_message(meta: MetaGraph) -> Any:
    """Return a MetaGraphDef message; GraphDefError for members of no known kind."""
    proto = message("MetaGraphDef")()
    proto.graph_def.CopyFrom(meta.graph_def)
    proto.meta_info_def.tags.extend(meta.tags)
    proto.meta_info_def.stripped_default_attrs = False
    if meta.saver is not None:
        proto.saver_def.CopyFrom(_saver_proto(meta.saver))
    for key, members in meta.collections.items():
        _put(proto.collection_def[key], key, members)
    for key, info in meta.signatures.items():
        proto.signature_def[key].CopyFrom(signature_proto(info))
    for name, filename in meta.assets.items():
        made = proto.asset_file_def.add(filename=filename)
        made.tensor_info.name = name
    if meta.objects is not None:
        proto.object_graph_def.CopyFrom(meta.objects)
    return proto


def _put(collection: Any, key: str, members: list[Any]) -> None:
    """Add members to a collection, all of one kind."""
    if all(isinstance(x, str) for x in members):
        collection.node_list.value.extend(members)
    elif all(isinstance(x, AnyInfo) for x in members):
        for x in members:
            collection.any_list.value.add(**x._asdict())
    elif all(isinstance(x, int) for x in members):
        collection.int64_list.value.extend(members)
    elif all(isinstance(x, (int, float)) for x in members):
        collection.float_list.value.extend(members)
    else:
        collection.bytes_list.value.extend([_as_bytes(key, x) for x in members])


def _as_bytes(key: str, member: Any) -> bytes:
    if isinstance(member, bytes):
        return member
    if isinstance(member, QueueRunnerInfo):
        return _queue_runner_bytes(member)
    made: bytes
    if isinstance(member, VariableInfo):
        made = variable_proto(member).SerializeToString()
    elif isinstance(member, SaverInfo):
        made = _saver_proto(member).SerializeToString()
    elif isinstance(member, (BranchInfo, LoopInfo)):
        made = context_proto(member).SerializeToString()
    else:
        raise GraphDefError(
            f"the collection {key!r} has a {type(member).__name__}, or members of several kinds; "
            "allowed are names, numbers, bytes, and what is noted of variables, queue runners, "
            "savers, branches and loops"
        )
    return made
