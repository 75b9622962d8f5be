"""MetaGraphDefs: what programs note beside a graph is read and written."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow import (
    MetaGraph,
    from_graphdef,
    load_meta_graph,
    save_meta_graph,
)
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.stored.metagraphs import (
    QueueRunnerInfo,
    SaverInfo,
    SignatureInfo,
    TensorInfo,
    VariableInfo,
    meta_graph_of,
    to_message,
)
from tensorlite.interop.tensorflow.stored.models import meta_graphs_of
from tests.interop.graphdefs import Program

DATA = Path(__file__).parent / "data"


def noted() -> MetaGraph:
    made = Program()
    made.floats("x", 1.0)
    variable = VariableInfo(
        "v:0", "v/Assign", "v/read:0", "v/init:0", trainable=False
    )
    part = VariableInfo(
        "p/part_0:0", "", "", "", True, True, "p", (4, 2), (0, 0), (2, 2)
    )
    runner = QueueRunnerInfo(
        "queue", ("enqueue", "other"), "close", "cancel", (11, 1)
    )
    tensors = {"x": TensorInfo("x:0", tl.float32, (None, 2))}
    sparse = {"s": TensorInfo("", tl.int64, None, ("v:0", "i:0", "d:0"))}
    return MetaGraph(
        made.proto,
        {
            "variables": [variable, part],
            "queue_runners": [runner],
            "losses": ["loss:0"],
            "numbers": [1, 2],
            "rates": [0.5, 1],
            "own": [b"\x08\x01"],
            "savers": [
                SaverInfo("save/Const:0", "save/Identity:0", "save/restore_all")
            ],
            "none": [],
        },
        SaverInfo(
            "save/Const:0", "save/Identity:0", "save/restore_all", 5, True, 1.5
        ),
        {"serve": SignatureInfo(tensors, sparse, "predict")},
        {"file:0": "words.txt"},
        ["serve", "gpu"],
    )


@pytest.mark.parametrize("as_text", [False, True])
def test_all_that_is_noted_is_kept(tmp_path: Path, as_text: bool) -> None:
    meta = noted()
    save_meta_graph(meta, tmp_path / "below" / "x.meta", as_text=as_text)
    found = load_meta_graph(tmp_path / "below" / "x.meta")
    assert found.collections == {**meta.collections, "rates": [0.5, 1.0]}
    assert found.saver == meta.saver
    assert found.signatures == meta.signatures
    assert found.assets == meta.assets
    assert found.tags == meta.tags
    assert found.objects is None
    assert tl.Session(from_graphdef(found.graph_def)).run("x:0") == 1.0


def test_what_tensorflow_notes() -> None:
    (meta,) = meta_graphs_of(DATA / "tf1" / "saved_model")
    first, second = meta.collections["variables"]
    assert first == VariableInfo("w:0", "w/Assign", "w/read:0", "w/initial_value:0")
    assert second.is_resource
    assert second.snapshot_name == "b/Read/ReadVariableOp:0"
    assert meta.collections["saved_model_main_op"] == ["start"]
    assert meta.saver is not None
    assert meta.saver.restore_op_name == "save/restore_all"
    assert meta.signatures["serving_default"].inputs == {
        "x": TensorInfo("x:0", tl.float32, (None, 2))
    }
    assert meta.assets == {"file:0": "words.txt"}
    again = to_message(meta).collection_def["variables"]
    assert list(again.bytes_list.value) == [
        x.SerializeToString()
        for x in (
            message("VariableDef").FromString(y) for y in again.bytes_list.value
        )
    ]


def test_what_is_no_metagraph(tmp_path: Path) -> None:
    with pytest.raises(GraphDefError, match="are no MetaGraphDef"):
        meta_graph_of(b"\x08\x01\x02\xff")
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    with pytest.raises(GraphDefError, match="are no MetaGraphDef"):
        load_meta_graph(tmp_path / "x")
    meta = noted()
    meta.collections = {"own": [object()]}
    with pytest.raises(GraphDefError, match="the collection 'own' has a object"):
        to_message(meta)
    proto = message("MetaGraphDef")()
    proto.collection_def["queue_runners"].bytes_list.value.append(b"\x0a\xff")
    with pytest.raises(GraphDefError, match="a MetaGraphDef is damaged"):
        meta_graph_of(proto)
