"""Null training steps on tensorlite's clusters: `python -m tests.benchmarks.cluster_ours`.

What they are, and how it is asked, says cluster_steps.py. This process is the client; the tasks are
Ray's, as `connect` has them, but for 'tcp': the package encrypts what goes over TCP, TensorFlow's
servers do not. Programs are written as a user would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import tensorlite as tl
from tests.benchmarks.cluster_steps import PS, Case, Program, Step, answer
from tests.benchmarks.cluster_tasks import TcpEngine

WAYS: dict[str, Callable[[], dict[str, Any]]] = {
    "": dict,
    "tls": lambda: {"unix": False, "tcp": True},
    "tcp": lambda: {"engine": TcpEngine()},
}
"""What `connect` is told, by how tasks are to talk."""


@contextmanager
def cluster(workers: int, way: str) -> Iterator[Callable[[Case], Program]]:
    """Give what makes programs for a cluster, which ends with it."""
    spec = {"ps": PS, "worker": workers}
    with tl.distribute.connect(spec, num_cpus=0.1, **WAYS[way]()):
        yield program


def gradients(variables: Sequence[tl.Variable], worker: int) -> list[tl.Tensor]:
    """Return a worker's update of each variable: -1, once that is above 0."""
    with tl.device(f"/job:worker/task:{worker}"):
        return [tl.minimum(v.read_value(), -1.0) for v in variables]


def program(case: Case) -> Program:
    """Return a case, ready to run."""
    shape = () if case.floats == 1 else (case.floats,)
    variables = []
    for task in range(PS):
        with tl.device(f"/job:ps/task:{task}"):
            variables.append(tl.Variable(tl.zeros(shape)))

    def update(means: Sequence[tl.Tensor]) -> None:
        for task, (v, mean) in enumerate(zip(variables, means, strict=True)):
            with tl.device(f"/job:ps/task:{task}"):
                v.assign_sub(mean)

    @tl.function
    def together() -> None:
        own = [gradients(variables, worker) for worker in range(case.workers)]
        means = []
        for task, each in enumerate(zip(*own, strict=True)):
            with tl.device(f"/job:ps/task:{task}"):
                means.append(sum(each[1:], start=each[0]) / len(each))
        update(means)

    @tl.function
    def alone(worker: int) -> None:
        update(gradients(variables, worker))

    steps: list[Step] = [together]
    if case.mode == "async":
        steps = [partial(alone, worker) for worker in range(case.workers)]
    return Program(
        steps, lambda: float(tl.reshape(variables[0].read_value(), (-1,))[0])
    )


if __name__ == "__main__":
    answer(cluster)
