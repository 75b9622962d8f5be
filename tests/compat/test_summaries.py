"""tf.summary of TensorFlow 1 and 2: names of nodes, tags and values are TensorFlow's."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat.v1 import messages, summaries_before, summary
from tensorlite.compat.v2 import summary as summary_2
from tensorlite.core.errors import DTypeError
from tensorlite.ops.summaries.event_messages import message
from tests.train.events import accumulated, written

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped

# From TensorFlow 1.15: the nodes of the same program, with the inputs of each.
NODES = """
a/loss/tags Const
a/loss ScalarSummary a/loss/tags x
a/loss_1/tags Const
a/loss_1 ScalarSummary a/loss_1/tags x
a/h_h/tag Const
a/h_h HistogramSummary a/h_h/tag x
a/fam/f/tags Const
a/fam/f ScalarSummary a/fam/f/tags x
im/tag Const
im ImageSummary im/tag pixels
au/sample_rate Const
au/tag Const
au AudioSummaryV2 au/tag sound au/sample_rate
Const Const
t/tag Const
t/serialized_summary_metadata Const
t TensorSummaryV2 t/tag Const t/serialized_summary_metadata
ts/tag Const
ts/serialized_summary_metadata Const
ts TensorSummaryV2 ts/tag x ts/serialized_summary_metadata
lead/tags Const
lead/values Const
lead ScalarSummary lead/tags lead/values
Merge/MergeSummary MergeSummary a/loss a/loss_1 a/h_h a/fam/f im au t ts lead
mm/mm MergeSummary a/loss a/loss_1 a/h_h a/fam/f im au t ts lead
"""
TAGS = [
    *("a/loss", "a/loss_1", "a/h_h", "fam/a/fam/f", "im/image/0", "im/image/1"),
    *("au/audio/0", "t", "ts", "lead"),
]


def program() -> tuple[Any, ...]:
    """Return placeholders and a merged summary of the graph being built."""
    x = tf.placeholder(tf.float32, (), name="x")
    pixels = tf.placeholder(tf.float32, (2, 4, 4, 3), name="pixels")
    sound = tf.placeholder(tf.float32, (1, 30), name="sound")
    with tf.name_scope("a"):
        summary.scalar("loss", x)
        summary.scalar("loss", x)
        summary.histogram("h h", x)
        summary.scalar("f", x, family="fam")
    summary.image("im", pixels, max_outputs=2)
    summary.audio("au", sound, 8000.0)
    summary.text("t", tf.constant("hi"))
    summary.tensor_summary("ts", x)
    summary.scalar("/lead", 1.0)
    return x, pixels, sound, summary.merge_all(), summary.merge_all(name="mm")


def test_nodes_have_the_names_that_tensorflow_gives_them() -> None:
    with tf.Graph().as_default() as graph:
        program()
    found = {
        " ".join([node.name, node.op.name, *[x.node.name for x in node.inputs]])
        for node in graph.nodes
        if node.op.name != "Placeholder"
    }
    assert found == set(NODES.strip().splitlines())


def test_a_session_runs_what_a_file_writer_writes(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        x, pixels, sound, merged, _ = program()
        session = tf.Session()
        feeds = {x: 2.0, pixels: np.ones((2, 4, 4, 3)), sound: np.zeros((1, 30))}
        with summary.FileWriter(str(tmp_path), session.graph) as writer:
            metadata = messages.RunMetadata()
            full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            value = session.run(merged, feeds, full, metadata)
            writer.add_summary(value, 3)
            writer.add_run_metadata(metadata, "run", 3)
            by_hand = messages.Summary.Value(tag="by hand", simple_value=4.0)
            writer.add_summary(messages.Summary(value=[by_hand]), 4)
    made = message("Summary").FromString(value)
    assert [one.tag for one in made.value] == TAGS
    found = accumulated(str(tmp_path))
    assert [one.value for one in found.Scalars("a/loss")] == [2.0]
    assert [one.step for one in found.Scalars("by hand")] == [4]
    names = {node.name for node in found.Graph().node}
    (device,) = found.RunMetadata("run").step_stats.dev_stats
    ran = {node.node_name for node in device.node_stats}
    assert {"a/loss", "Merge/MergeSummary"} <= ran <= names


def test_collections_and_nothing_to_merge() -> None:
    with tf.Graph().as_default():
        assert summary.merge_all() is None
        summary.scalar("one", 1.0, collections=["mine"])
        assert summary.merge_all() is None
        merged = summary.merge_all("mine")
        assert merged is not None
        assert tf.Session().run(merged) == tf.Session().run("one:0")


def test_names_from_before_1_0(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        summaries_before.scalar_summary("loss", 1.0)
        summaries_before.histogram_summary("w", tf.constant([1.0, 2.0]))
        merged = summaries_before.merge_all_summaries()
        writer = summaries_before.SummaryWriter(str(tmp_path), graph_def=graph)
        writer.add_summary(tf.Session().run(merged), 1)
        writer.close()
    assert accumulated(str(tmp_path)).Tags()["scalars"] == ["loss"]


def test_one_writer_for_each_folder(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        tf.constant(1.0, name="here")
        first = summary.FileWriterCache.get(str(tmp_path))
        assert summary.FileWriterCache.get(str(tmp_path)) is first
    summary.FileWriterCache.clear()
    names = [node.name for node in accumulated(str(tmp_path)).Graph().node]
    assert names == ["here"]


def test_only_strings_are_texts() -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(DTypeError, match="to have dtype string"),
    ):
        summary.text("t", tf.constant(1.0))


def test_messages_that_are_not_there_are_no_attributes() -> None:
    for module in (messages, summary):
        with pytest.raises(AttributeError, match="no attribute 'Sumary'"):
            _ = module.Sumary


def test_version_2_writes_in_graphs_and_traced_functions(tmp_path: Path) -> None:
    folder = str(tmp_path)
    writer = summary_2.create_file_writer(folder, filename_suffix=".mine")

    @tl.function
    def train(x: Any) -> None:
        summary_2.scalar("traced", x)
        summary_2.histogram("h", [x, x], buckets=1)
        summary_2.flush(writer)

    with tf.Graph().as_default(), writer.as_default():
        x = tf.placeholder(tf.float32, ())
        with tf.name_scope("part"):
            done = summary_2.scalar("built", x, step=0)
        written_or_not = summary_2.write("raw", x, 2, name="w")
        session = tf.Session()
        assert session.run([done, written_or_not], {x: 3.0}) == [True, True]
    with writer.as_default():
        summary_2.experimental.set_step(7)
        train(tl.asarray(4.0))
        summary_2.experimental.set_step(None)
    writer.close()
    assert sorted(written(folder)) == [
        ("h", 7, [[4.0, 4.0, 2.0]]),
        ("part/built", 0, 3.0),
        ("raw", 2, 3.0),
        ("traced", 7, 4.0),
    ]
    assert next(tmp_path.iterdir()).name.endswith(".mine")
