"""A straggler among the workers of a cluster on Ray: `python -m tests.benchmarks.straggler`.

Each step of each worker takes a while, that of the last one `FACTOR` times as long. With one backup
worker the others go on without it. What a worker does is sleep, so that the machine's cores do not
matter.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import tensorlite as tl

WORKERS, SERVERS = 4, 1
SECONDS = 0.05
"""What the step of a worker takes that is no straggler."""
FACTOR = 10.0
STEPS = 60
TARGET = 1.15
"""The most that a step may take with a straggler, as a multiple of one without."""


class Found(NamedTuple):
    """The time of a step, and how many steps of workers were dropped."""

    seconds: float
    dropped: int


class Training:
    """Training whose workers take as long as they are told."""

    def __init__(self, cluster: tl.distribute.Cluster, backup: int) -> None:
        draw = np.random.default_rng(0)
        self.x = draw.normal(size=(16 * WORKERS, 8)).astype(np.float32)
        self.y = draw.normal(size=(16 * WORKERS, 1)).astype(np.float32)
        self.strategy = tl.distribute.ParameterServer(cluster, backup=backup)
        with self.strategy.scope():
            self.w = tl.Variable(tl.ones((8, 1)))
            self.optimizer = tl.optimizers.SGD(0.01)

    def step(self, x: tl.Tensor, y: tl.Tensor, seconds: tl.Tensor) -> tl.Tensor:
        """Take a step, in the seconds given for this worker."""
        own = seconds[tl.distribute.replica_index()]
        late = tl.debugging.delay(x, own)
        with tl.GradientTape() as tape:
            loss = tl.mean((late @ self.w - y) ** 2)
        self.optimizer.minimize(loss, [self.w], tape)
        return loss

    def run(self, seconds: float, factor: float, steps: int) -> Found:
        """Return the median step, when the last worker takes `factor` times as long."""
        each = tl.distribute.PerReplica(self._times(seconds, factor))
        rows = 16
        x, y = (
            tl.distribute.PerReplica(
                tuple([given[i * rows :][:rows] for i in range(WORKERS)])
            )
            for given in (self.x, self.y)
        )
        before, taken = self.strategy.dropped, []
        for _ in range(steps):
            begun = perf_counter()
            float(self.strategy.run(self.step, x, y, each))
            taken.append(perf_counter() - begun)
        self.strategy.join()
        return Found(median(taken), self.strategy.dropped - before)

    @staticmethod
    def _times(seconds: float, factor: float) -> tuple[np.ndarray[Any, Any], ...]:
        times = np.full(WORKERS, seconds)
        times[-1] *= factor
        return tuple([times] * WORKERS)


def report(seconds: float = SECONDS, steps: int = STEPS) -> Iterator[str]:
    """Yield lines that tell how long a step takes, with and without straggler and backup."""
    yield (
        f"{WORKERS} workers whose steps take {1e3 * seconds:.0f} ms, one of them {FACTOR:g} times "
        "as long; median step:"
    )
    with tl.distribute.connect({"ps": SERVERS, "worker": WORKERS}) as cluster:
        for backup in (0, 1):
            training = Training(cluster, backup)
            training.run(0.0, 1.0, 3)  # traced, and registered
            calm = training.run(seconds, 1.0, steps)
            slow = training.run(seconds, FACTOR, steps)
            ratio = slow.seconds / calm.seconds
            met = "" if not backup else f", {'met' if ratio <= TARGET else 'MISSED'}"
            yield (
                f"  backup={backup}: {1e3 * calm.seconds:6.1f} ms without a straggler, "
                f"{1e3 * slow.seconds:6.1f} ms with it: x {ratio:.2f}"
                + (f" (at most {TARGET}{met})" if backup else "")
                + (f"; {slow.dropped} steps of workers dropped" if backup else "")
            )


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    chosen = parser.parse_args()
    for line in report(chosen.seconds, chosen.steps):
        print(line, flush=True)


if __name__ == "__main__":
    main()
