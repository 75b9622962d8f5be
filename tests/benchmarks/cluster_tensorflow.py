"""Null training steps on TensorFlow's own servers: `python -m tests.benchmarks.cluster_tensorflow`.

What they are, and how it is asked, says cluster_steps.py. Every task is a `tf.distribute.Server`
in a process of its own, ended by its number; this process is the client. Runs on any Python that
has TensorFlow; tensorlite is not imported.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from tests.benchmarks.cluster_steps import PS, Case, Program, answer

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def serve(spec: dict[str, list[str]], job: str, task: int) -> None:
    """Be a task, until this process is ended."""
    tf = import_module("tensorflow")
    tf.distribute.Server(spec, job_name=job, task_index=task).join()


def addresses(count: int) -> list[str]:
    """Return addresses that nobody listens at."""
    found = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    names = [f"127.0.0.1:{each.getsockname()[1]}" for each in found]
    for each in found:
        each.close()
    return names


@contextmanager
def cluster(workers: int, way: str) -> Iterator[Callable[[Case], Program]]:
    """Give what makes programs for a cluster, whose processes end with it."""
    if way not in ("", "tcp"):
        raise ValueError(f"TensorFlow's servers talk over tcp, not {way}")
    names = addresses(PS + workers)
    spec = {"ps": names[:PS], "worker": names[PS:]}
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tensorflow"])
    tasks = [
        context.Process(target=serve, args=(spec, job, task), daemon=True)
        for job, at in spec.items()
        for task in range(len(at))
    ]
    try:
        for each in tasks:
            each.start()
        yield partial(program, import_module("tensorflow"), spec["worker"])
    finally:
        for each in tasks:
            each.kill()
            each.join()


class Steps:
    """The graph of a case: each worker's own step, and the one of all of them together."""

    def __init__(self, tf: Any, case: Case) -> None:
        self.tf = tf
        # Servers know variables by name, whichever program made them.
        self.name = f"{case.mode}{case.floats}"
        self.variables = [self._variable(task, case.floats) for task in range(PS)]
        gradients = [self._gradients(worker) for worker in range(case.workers)]
        if case.mode == "sync":
            means = map(self._mean, range(PS), zip(*gradients, strict=True))
            self.steps = [self._apply(means)]
        else:
            self.steps = [self._apply(own) for own in gradients]
        self.first = tf.reshape(self.variables[0], [-1])[0]

    def _at(self, task: int) -> Any:
        return self.tf.device(f"/job:ps/task:{task}")

    def _variable(self, task: int, floats: int) -> Any:
        v1 = self.tf.compat.v1
        with self._at(task):
            shape = () if floats == 1 else (floats,)
            start = v1.zeros_initializer()
            name = f"{self.name}_{task}"
            return v1.get_variable(name, shape, initializer=start, use_resource=True)

    def _gradients(self, worker: int) -> list[Any]:
        with self.tf.device(f"/job:worker/task:{worker}"):
            return [self.tf.minimum(v.read_value(), -1.0) for v in self.variables]

    def _mean(self, task: int, gradients: tuple[Any, ...]) -> Any:
        with self._at(task):
            if len(gradients) == 1:
                return gradients[0]
            return self.tf.add_n(gradients) / len(gradients)

    def _apply(self, gradients: Any) -> Any:
        updates = []
        for task, gradient in enumerate(gradients):
            with self._at(task):
                done = self.variables[task].assign_sub(gradient, read_value=False)
                updates.append(done)
        return self.tf.group(*updates)


def program(tf: Any, workers: list[str], case: Case) -> Program:
    """Return a case, ready to run: each step by the master of a worker."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        made = Steps(tf, case)
        sessions = [
            v1.Session(f"grpc://{workers[i]}") for i in range(len(made.steps))
        ]
        sessions[0].run(v1.global_variables_initializer())
    steps = [
        session.make_callable(step)
        for session, step in zip(sessions, made.steps, strict=True)
    ]
    return Program(steps, lambda: float(sessions[0].run(made.first)))


if __name__ == "__main__":
    answer(cluster)
