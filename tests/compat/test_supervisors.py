"""What supervisors, monitored sessions and their hooks write, as TensorFlow 1.15 does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    with tf.Graph().as_default():
        yield
    tf.summary.FileWriterCache.clear()
    mode.eager = before


def _training() -> Any:
    """Return what takes a step of a model."""
    step = tf.train.get_or_create_global_step()
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(v * v)
    tf.summary.scalar("loss", loss)
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


def _events(folder: Path) -> list[tuple[int, str, Any]]:
    """Return step, kind and what matters of each event in a folder."""
    found = []
    for path in sorted(folder.glob("events*")):
        for event in tf.train.summary_iterator(str(path)):
            kind = event.WhichOneof("what")
            found.append((event.step, kind, _said(event, kind)))
    return found


def _said(event: Any, kind: str) -> Any:
    if kind == "summary":
        return [x.tag for x in event.summary.value]
    if kind == "session_log":
        return event.session_log.SessionStatus.Name(event.session_log.status)
    if kind == "graph_def":
        return len(tf.GraphDef.FromString(event.graph_def).node)
    if kind == "meta_graph_def":
        meta = tf.MetaGraphDef.FromString(event.meta_graph_def)
        return len(meta.graph_def.node), meta.HasField("saver_def")
    return ""


def test_monitored_sessions_write_the_graph_at_both_times_and_what_was_done(
    tmp_path: Path,
) -> None:
    train = _training()
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path),
        save_checkpoint_secs=None,
        save_checkpoint_steps=2,
        save_summaries_steps=2,
        log_step_count_steps=3,
    ) as session:
        for _ in range(6):
            session.run(train)
    tf.summary.FileWriterCache.clear()
    # As TensorFlow 1.15 wrote it, numbers of nodes included.
    assert _events(tmp_path) == [
        (0, "file_version", ""),
        (0, "graph_def", 31),
        (0, "meta_graph_def", (31, False)),
        (0, "graph_def", 142),
        (0, "meta_graph_def", (142, True)),
        (0, "session_log", "CHECKPOINT"),
        (1, "session_log", "START"),
        (1, "summary", ["loss"]),
        (2, "session_log", "CHECKPOINT"),
        (3, "summary", ["loss"]),
        (4, "summary", ["global_step/sec"]),
        (4, "session_log", "CHECKPOINT"),
        (5, "summary", ["loss"]),
        (6, "session_log", "CHECKPOINT"),
    ]
    text = (tmp_path / "graph.pbtxt").read_text()
    assert "_output_shapes" in text


def test_supervisors_write_the_graph_and_how_sessions_begin_and_end(
    tmp_path: Path,
) -> None:
    train = _training()
    supervisor = tf.train.Supervisor(
        logdir=str(tmp_path), summary_op=None, save_model_secs=0
    )
    with supervisor.managed_session(start_standard_services=False) as session:
        session.run(train)
        assert supervisor.start_standard_services(session) != []
        supervisor.loop(None, supervisor.request_stop)
        supervisor.wait_for_stop()
    assert supervisor.should_stop()
    first, *rest = [x for x in _events(tmp_path) if x[1] != "summary"]
    assert first[1] == "file_version"
    assert rest == [
        (0, "graph_def", 80),
        (0, "meta_graph_def", (80, True)),
        (1, "session_log", "START"),
        (0, "session_log", "STOP"),
    ]


def test_steps_of_supervisors_may_have_an_axis(tmp_path: Path) -> None:
    tf.Variable([123], name="global_step")
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    session = supervisor.prepare_or_wait_for_session(
        "", start_standard_services=False
    )
    _, _, saving = [None, None, *supervisor.start_standard_services(session)][-3:]
    saving.run_loop()
    supervisor.stop()
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/model.ckpt-123"
    assert (123, "session_log", "CHECKPOINT") in _events(tmp_path)


def test_those_who_are_not_chiefs_want_devices_and_write_nothing(
    tmp_path: Path,
) -> None:
    with tf.Graph().as_default():
        tf.Variable([1.0])
        with pytest.raises(ValueError, match="must have their device set"):
            tf.train.Supervisor(logdir=str(tmp_path), is_chief=False)
    with tf.Graph().as_default(), tf.device("/job:ps"):
        tf.Variable([1.0])
        other = tf.train.Supervisor(logdir=str(tmp_path), is_chief=False)
    assert (other.save_path, other.summary_writer) == (None, None)
    with pytest.raises(RuntimeError, match="Only chief supervisor"):
        other.start_standard_services(None)
    assert list(tmp_path.iterdir()) == []


def test_supervisors_have_collected_parts() -> None:
    v = tf.Variable(2.0, name="v")
    tf.add_to_collection(tf.GraphKeys.INIT_OP, v.initializer)
    ready = tf.report_uninitialized_variables()
    tf.add_to_collection(tf.GraphKeys.READY_FOR_LOCAL_INIT_OP, ready)
    supervisor = tf.train.Supervisor()
    assert supervisor.init_op is v.initializer
    assert supervisor.ready_for_local_init_op is ready
    assert tf.get_collection(tf.GraphKeys.SAVERS) == [supervisor.saver]
    assert supervisor.start_standard_services(None) is None  # there is no folder
    with supervisor.managed_session() as session:
        assert session.run(v) == 2.0


def test_profiles_are_written_as_timelines_too(tmp_path: Path) -> None:
    train = _training()
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
        for _ in range(4):
            session.run(train)
    names = sorted(x.name for x in tmp_path.glob("timeline*"))
    assert names == ["timeline-2.json", "timeline-4.json"]
    told = json.loads((tmp_path / "timeline-2.json").read_text())
    names = [x["args"]["name"] for x in told["traceEvents"]]
    assert "GradientDescent" in names


@pytest.mark.parametrize("version", [1, 2])
def test_shards_are_saved_apart_and_restored(tmp_path: Path, version: int) -> None:
    for index in range(2):
        with tf.device(f"/cpu:{index}"):
            tf.Variable([float(index)] * 2, name=f"v{index}")
    tf.Variable(7, name="n")
    saver = tf.train.Saver(sharded=True, write_version=version)
    assert (saver.saver_def.sharded, saver.saver_def.version) == (True, version)
    kinds = [x.type for x in tf.get_default_graph().get_operations()]
    assert kinds.count("ShardedFilename") == 3
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "model"), global_step=3)
        found = {x.name: session.run(x) for x in tf.global_variables()}
        session.run([tf.assign(x, x + x) for x in tf.global_variables()])
        saver.restore(session, path)
        for x in tf.global_variables():
            np.testing.assert_array_equal(session.run(x), found[x.name])
    ends = "-?????-of-00003" if version == 1 else ""
    assert path == f"{tmp_path}/model-3{ends}"
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    assert not list(tmp_path.glob("*_temp_*"))


def test_registered_resources_are_begun_and_reported() -> None:
    resources = import_module("tensorlite.compat.v1.python.ops.resources")
    v = tf.Variable(1.0, collections=[], name="held")
    resources.register_resource(v, v.initializer, tf.is_variable_initialized(v))
    missing = resources.report_uninitialized_resources()
    with tf.Session() as session:
        assert session.run(missing).tolist() == [b"held:0"]
    with tf.train.MonitoredSession() as monitored:
        assert monitored.run(v) == 1.0
        assert monitored.run(missing).size == 0


def test_shapes_of_nodes_are_those_of_references_and_of_what_branches_give() -> None:
    _training()
    tf.cond(tf.constant(True), lambda: tf.ones([3]), lambda: tf.zeros([3]))
    made = tf.get_default_graph().as_graph_def(add_shapes=True)
    shapes = {
        x.name: [[d.size for d in y.dim] for y in x.attr["_output_shapes"].list.shape]
        for x in made.node
    }
    assert shapes["v"] == [[2]]
    assert shapes["GradientDescent/update_v/ApplyGradientDescent"] == [[2]]
    assert shapes["cond/Merge"] == [[3], []]
    assert shapes["cond/Switch"] == [[], []]


def test_sessions_wait_for_a_first_checkpoint(tmp_path: Path) -> None:
    v = tf.Variable(3.0)
    saver = tf.train.Saver()
    manager = tf.train.SessionManager(recovery_wait_secs=0.01)
    kept = {"saver": saver, "checkpoint_dir": str(tmp_path)}
    _, restored = manager.recover_session(
        "", **kept, wait_for_checkpoint=True, max_wait_secs=0.02
    )
    assert not restored
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, str(tmp_path / "model"))
    session, restored = manager.recover_session("", **kept, wait_for_checkpoint=True)
    assert restored
    assert session.run(v) == 3.0
