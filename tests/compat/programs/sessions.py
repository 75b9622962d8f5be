"""Sessions, feeds and fetches; control flow with effects; checkpoints; monitored training."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def program(tf: Any) -> dict[str, Any]:
    """Return names and values."""
    found = {}
    for part in (fetched, saved, monitored, supervised, queued):
        with tf.Graph().as_default():
            found[part.__name__] = part(tf)
    return found


def fetched(tf: Any) -> list[Any]:
    """Return what comes of feeds and fetches of all kinds."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.Variable([[1.0], [2.0]], name="w")
    y = tf.matmul(x, w, name="y")
    v = tf.Variable(0, name="count")
    counted = tf.cond(
        y[0, 0] > 3.0, lambda: v.assign_add(1), lambda: v.assign_sub(1), name="choice"
    )
    turns = tf.while_loop(lambda i: i < 5, lambda i: i + 2, [tf.constant(0)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {"x:0": [[1, 1], [2, 2]]}
        values = session.run({"y": y, "list": [w, "y:0", ("w:0",)]}, feeds)
        signs = [session.run(counted, {x: [[i, i]]}) for i in (0, 1, 2)]
        return [
            *[values["y"], values["list"][0], values["list"][1], signs],
            *[
                session.run(turns),
                session.run(y, {w.value(): [[0.0], [1.0]], x: [[3, 4]]}),
            ],
            [x.name, y.name, w.op.name, y.op.type, x.get_shape().as_list()],
            [op.name for op in y.op.inputs[:1]],
        ]


def saved(tf: Any) -> list[Any]:
    """Return which files a saver leaves, and what is restored of them."""
    w = tf.get_variable("a/w", initializer=np.arange(6, dtype="f").reshape(2, 3))
    b = tf.Variable([1, 2, 3], name="b")
    train = tf.train.AdamOptimizer(0.1).minimize(w * w)
    saver = tf.train.Saver(max_to_keep=2)
    with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(4):
            session.run(train)
            saver.save(session, f"{folder}/model", global_step=i)
        files = sorted(x.name for x in Path(folder).iterdir())
        session.run(w.assign(w * 0.0))
        path = tf.train.latest_checkpoint(folder)
        saver.restore(session, path)
        shapes = tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
        return [files, session.run([w, b]), sorted(shapes.items())]


def _model(tf: Any) -> Any:
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=np.float32(5.0))
    loss = tf.square(w, name="loss")
    tf.summary.scalar("loss", loss)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return train, loss, step


def monitored(tf: Any) -> list[Any]:
    """Return how often two trainings run, of which the second goes on where the first ended."""
    found: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        for last in (7, 12):
            with tf.Graph().as_default():
                train, loss, step = _model(tf)
                hooks = [
                    tf.train.StopAtStepHook(last_step=last),
                    tf.train.NanTensorHook(loss),
                ]
                with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=5
                ) as session:
                    begun, count = session.run(step), 0
                    while not session.should_stop():
                        session.run(train)
                        count += 1
                found.append([begun, count])
        names = [x.name for x in Path(folder).iterdir() if "tfevents" not in x.name]
    return [found, sorted(names)]


def supervised(tf: Any) -> list[Any]:
    """Return what a supervisor's session counts."""
    train, loss, step = _model(tf)
    with tempfile.TemporaryDirectory() as folder:
        supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0)
        with supervisor.managed_session() as session:
            for _ in range(3):
                session.run(train)
            return [session.run(step), session.run(loss), supervisor.should_stop()]


def queued(tf: Any) -> list[Any]:
    """Return the batches that queue runners fill."""
    numbers = tf.train.range_input_producer(5, num_epochs=1, shuffle=False)
    batch = tf.train.batch([numbers.dequeue()], 2, allow_smaller_final_batch=True)
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while not coordinator.should_stop():
                found.append(session.run(batch))
        except tf.errors.OutOfRangeError:
            found.append("end")
        coordinator.request_stop()
        coordinator.join(threads)
    return found
