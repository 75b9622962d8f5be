"""A task of a cluster for test_servers.py: `python -m tests.compat.served JOB INDEX PORTS FOLDER`.

A parameter server serves; a worker counts the steps of all until the folder has a file `stop`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import tensorlite.compat.v1 as tf


class Told(tf.train.SessionRunHook):
    """Tells of each session that is made."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        print("session", flush=True)


def main(job: str, index: int, ports: str, folder: str) -> None:
    """Be a task."""
    first, *others = [f"localhost:{port}" for port in ports.split(",")]
    cluster = tf.train.ClusterSpec({"ps": [first], "worker": others})
    server = tf.train.Server(cluster, job, index)
    print("listens", flush=True)
    if job == "ps":
        server.join()
    own = f"/job:worker/task:{index}"
    with tf.device(
        tf.train.replica_device_setter(worker_device=own, cluster=cluster)
    ):
        x = tf.get_variable("x", [3], initializer=tf.zeros_initializer())
        step = tf.train.get_or_create_global_step()
        train = tf.group(x.assign_add([1.0, 1.0, 1.0]), step.assign_add(1))
    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=index == 0,
        hooks=[Told()],
        checkpoint_dir=folder if index == 0 else None,
        save_checkpoint_steps=1,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        save_summaries_secs=None,
        config=tf.ConfigProto(device_filters=["/job:ps", own]),
    ) as session:
        while not Path(folder, "stop").exists():
            session.run(train)
            print(session.run(step), *session.run(x), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
