"""Writers of TensorFlow 2 in graphs of version 1, and tf.contrib.summary."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.compat.v2 import summary as summary_2
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    UnimplementedError,
)

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
contrib: Any = import_module("tensorlite.compat.v1.contrib.summary")


def told(folder: Path) -> list[tuple[int, str, str]]:
    """Return step, tag and kind of each value that was written."""
    return [
        (event.step, value.tag, value.WhichOneof("value"))
        for event in tl.summary.read_events(str(folder))
        for value in event.summary.value
    ]


def test_a_session_writes_the_summaries_of_version_2(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        step = tf.Variable(0, dtype=tf.int64)
        count = step.assign_add(1)
        writer: Any = summary_2.create_file_writer(tmp_path)
        with writer.as_default(step=step):
            summary_2.scalar("loss", 0.5)
            with summary_2.record_if(tf.equal(step % 2, 0)):
                summary_2.histogram("even", tf.range(5))
            with tf.name_scope("scope"):
                summary_2.write("raw", tf.constant([1.0]))
        ops, flush, close = (
            tf.summary.all_v2_summary_ops(),
            writer.flush(),
            writer.close(),
        )
        with tf.Session() as session:
            session.run([writer.init(), step.initializer])
            for even in (True, False):
                assert session.run(ops) == [True, even, True]
                session.run(count)
            assert session.run(flush) is None
            assert told(tmp_path) == [
                *((0, tag, "tensor") for tag in ("loss", "even", "raw")),
                *((1, tag, "tensor") for tag in ("loss", "raw")),
            ]
            session.run(close)
            with pytest.raises(FailedPreconditionError, match="closed"):
                session.run(ops)
    assert tf.Graph().get_collection("_SUMMARY_V2") == []


def test_forms_and_tags_of_contrib_summaries(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        step = tf.train.get_or_create_global_step()
        count = step.assign_add(1)
        writer = contrib.create_file_writer(str(tmp_path))
        with writer.as_default(), contrib.always_record_summaries():
            contrib.scalar("a", 3)
            with tf.name_scope("n"):
                contrib.histogram("h", tf.range(5.0), step=7)
            contrib.image("im", tf.zeros([1, 4, 4, 3]), max_images=2)
            contrib.scalar("a", 2.5, family="fam")
            contrib.generic("gen", tf.constant([1, 2]))
            contrib.audio("au", tf.zeros([1, 8, 1]), 8000, 1)
        with writer.as_default():
            with contrib.record_summaries_every_n_global_steps(2):
                contrib.scalar("every", tf.constant(3.0))
            contrib.scalar("unsaid", 1.0)
            with contrib.never_record_summaries():
                contrib.scalar("never", 1.0)
        ops = contrib.all_summary_ops()
        with tf.Session() as session, writer.as_default():
            session.run(tf.global_variables_initializer())
            contrib.initialize(graph=graph, session=session)
            for even in (True, False):
                assert session.run(ops) == [*[True] * 6, even, False, False]
                session.run(count)
            session.run(writer.flush())
    always = [
        ("a", "simple_value"),
        ("im/image/0", "image"),
        ("fam/fam/a", "simple_value"),
        ("gen", "tensor"),
        ("au/audio", "audio"),
    ]
    assert sorted(told(tmp_path)) == sorted(
        [
            *((step, *one) for one in always for step in (0, 1)),
            *[(7, "n/h", "histo")] * 2,
            (0, "every", "simple_value"),
        ]
    )
    graphs = [
        x.graph_def for x in tl.summary.read_events(str(tmp_path)) if x.graph_def
    ]
    assert len(graphs) == 1


def test_what_contrib_summaries_refuse(tmp_path: Path) -> None:
    assert contrib.eval_dir("model", "two") == str(Path("model", "eval_two"))
    with pytest.raises(UnimplementedError, match="create_file_writer"):
        contrib.create_db_writer("sqlite:")
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(FailedPreconditionError, match="No default"):
            contrib.initialize()
        with pytest.raises(DTypeError, match="initialize"):
            contrib.graph(tf.get_default_graph())
        writer = contrib.create_file_writer(str(tmp_path))
        with writer.as_default():
            contrib.initialize()
        assert session.run(contrib.summary_writer_initializer_op()) == [None]
