"""Trainings of the digits' network whose tasks are killed on the way, and how long all took.

Who is killed, and what is compared, the tests say.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from threading import Timer
from time import monotonic
from typing import Any

import numpy as np

import tensorlite as tl
from tests.distributed.digits import batches, digits, network
from tests.distributed.test_trainer_cluster import Events

APART = (6, 9)
"""Fewest and most steps from one kill to the next."""
LATEST = 0.1
"""Most seconds after the end of a step at which a kill comes."""
MEANWHILE = 3
"""Steps that are taken until then at most."""
PROPERTY = "killed"
"""Under which the times of a kill stand in a test's report."""


class Kill:
    """A kill: when it comes, and what came of it."""

    def __init__(self, step: int, delay: float) -> None:
        self.step, self.delay = step, delay
        self.struck = self.noticed = self.back = 0.0


def kills_of(seeds: range) -> list[Kill]:
    """Return kills whose moments the seeds draw, one after the other."""
    found, step = [], 0
    for seed in seeds:
        draw = Random(seed)  # noqa: S311
        step += draw.randint(*APART)
        found.append(Kill(step, draw.uniform(0.0, LATEST)))
    return found


class Clocked(Events):
    """Notes when a failure is told, and calls `failed` then."""

    def __init__(self, failed: Callable[[], object]) -> None:
        super().__init__()
        self.failed = failed

    def event(self, text: str) -> None:
        super().event(f"{monotonic():.2f} {text}")
        if text.startswith("failed"):
            self.failed()


class Training:
    """Trains the digits' network, and calls `strike` for each kill, `replace` once it is seen."""

    def __init__(
        self,
        strategy: tl.distribute.Strategy,
        folder: Path,
        kills: list[Kill],
        strike: Callable[[], object] = tuple,
        replace: Callable[[], object] = tuple,
    ) -> None:
        images, _ = digits()
        tl.random.set_seed(0)
        with strategy.scope():
            self.model, self.optimizer = network(), tl.optimizers.Adam(0.005)
            self.model(tl.asarray(images[:1]))
        self.kills, self.strike, self.replace = kills, strike, replace
        self.until = kills[-1].step + APART[0]
        self.events = Clocked(self._failed)
        self._left = list(kills)
        self._timers: list[Timer] = []
        self._waiting: Kill | None = None
        self.trainer = tl.distribute.Trainer(
            self._step,
            lambda: batches(self.until),
            checkpoint={"model": self.model, "optimizer": self.optimizer},
            folder=folder,
            strategy=strategy,
            interval=3,
            progress=self.events,
            on_step=self._done,
        )

    def _step(self, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            logits = self.model(x, training=True)
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(y, logits))
        self.optimizer.minimize(loss, self.model.trainable_variables, tape)
        return loss

    def run(self) -> dict[int, float]:
        """Return the losses of all steps, of those taken again the last."""
        try:
            return {n: float(loss) for n, loss in self.trainer.steps(self.until)}
        finally:
            for timer in self._timers:
                timer.join()

    def _done(self, step: int, _: Any) -> None:
        if self._waiting is not None and self._waiting.noticed:
            self._waiting.back, self._waiting = monotonic(), None
        if self._waiting is not None and step >= self._waiting.step + MEANWHILE:
            self._timers[-1].join()
        if self._waiting is None and self._left and step >= self._left[0].step:
            self._waiting = kill = self._left.pop(0)
            self._timers.append(Timer(kill.delay, self._struck, (kill,)))
            self._timers[-1].start()

    def _struck(self, kill: Kill) -> None:
        kill.struck = monotonic()
        self.strike()

    def _failed(self) -> None:
        kill = self._waiting
        if kill is not None and kill.struck and not kill.noticed:
            kill.noticed = monotonic()
            self.replace()


def equal(found: dict[int, float], calm: dict[int, float]) -> None:
    """Check that losses are those of a run that nothing disturbed."""
    assert list(found) == sorted(found)
    np.testing.assert_allclose(
        [*found.values()], [calm[step] for step in found], rtol=1e-12
    )


def table(times: list[tuple[str, float, float]]) -> list[str]:
    """Return lines that tell, by who was killed, how long it took to notice it and to go on."""
    seen = f"{'killed':<8}{'times':>6}{'noticed: median':>18}{'max':>8}"
    lines = [f"{seen}{'trains again: median':>23}{'max':>8}"]
    for who in dict.fromkeys(who for who, *_ in times):
        noticed = [x for each, x, _ in times if each == who]
        back = [x for each, _, x in times if each == who]
        lines.append(
            f"{who:<8}{len(noticed):>6}{median(noticed):>16.2f} s{max(noticed):>6.2f} s"
            f"{median(back):>21.2f} s{max(back):>6.2f} s"
        )
    return lines
