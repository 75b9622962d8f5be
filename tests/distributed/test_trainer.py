"""Trainer on one machine: what it saves, goes on from after failures, and how it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.training.interval import AutoInterval
from tensorlite.distributed.training.trainer import Trainer

STEPS = 30


class Told:
    """Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.steps: list[int] = []
        self.closed = 0

    def step(self, step: int, until: int | None, said: Callable[[], str]) -> None:
        self.steps.append(step)

    def event(self, text: str) -> None:
        self.events.append(text)

    def close(self) -> None:
        self.closed += 1


class Regression:
    """A small model with all that makes training depend on its past: slots, draws, data order."""

    def __init__(self) -> None:
        tl.random.set_seed(5)
        draw = np.random.default_rng(0)
        self.x = draw.normal(size=(40, 3)).astype(np.float32)
        self.y = self.x @ np.array([[1.0], [-2.0], [0.5]], np.float32)
        self.w = tl.Variable(tl.zeros((3, 1)), name="w")
        self.optimizer = tl.optimizers.Adam(0.05)
        self.fail_at: dict[int, int] = {}
        self.calls = 0
        self.traced = tl.function(self._step)

    def data(self, seed: int = 1) -> tl.data.Dataset[Any]:
        pairs = tl.data.Dataset.from_tensor_slices((self.x, self.y))
        return pairs.shuffle(40, seed).repeat().batch(8)

    def _step(self, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        noisy = x + 0.1 * tl.random.normal(x.shape)
        with tl.GradientTape() as tape:
            loss = tl.mean((noisy @ self.w - y) ** 2)
        self.optimizer.minimize(loss, [self.w], tape)
        return loss

    def step(self, x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        """Take a step; some fail when all of it is done."""
        self.calls += 1
        loss = self.traced(x, y)
        if self.fail_at.get(self.calls):
            raise tl.errors.UnavailableError("/job:worker/task:1 is gone")
        return loss

    def trainer(self, folder: Path, data: Any = None, **options: Any) -> Trainer:
        given: dict[str, Any] = {"interval": 7, "progress": Told(), **options}
        trainer = Trainer(
            self.traced,
            self.data() if data is None else data,
            checkpoint={"w": self.w, "optimizer": self.optimizer},
            folder=folder,
            **given,
        )
        trainer._step = self.step  # not traced: it counts its calls
        return trainer


def told(trainer: Trainer) -> Told:
    progress = trainer._progress
    assert isinstance(progress, Told)
    return progress


def losses(steps: Iterable[tuple[int, Any]]) -> dict[int, float]:
    """Return the last loss of each step: those taken again count."""
    return {step: float(loss) for step, loss in steps}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, float]:
    model = Regression()
    return run(model.trainer(tmp_path_factory.mktemp("calm")))


def run(trainer: Trainer, until: int = STEPS) -> dict[int, float]:
    return losses(trainer.steps(until))


@pytest.mark.parametrize("failing", [[1], [7], [8], [12, 20, 33], [3, 5], [30]])
def test_losses_after_failures_are_those_of_a_calm_run_bit_for_bit(
    tmp_path: Path, undisturbed: dict[int, float], failing: list[int]
) -> None:
    model = Regression()
    model.fail_at = dict.fromkeys(failing, 1)
    trainer = model.trainer(tmp_path)
    assert run(trainer) == undisturbed
    assert len(trainer.failures) == len(failing)
    assert trainer.step_count == STEPS


@pytest.mark.parametrize("stop_at", [1, 7, 13, 29])
def test_a_program_started_anew_goes_on_bit_for_bit(
    tmp_path: Path, undisturbed: dict[int, float], stop_at: int
) -> None:
    first = Regression()
    begun = run(first.trainer(tmp_path), stop_at)
    second = Regression()
    trainer = second.trainer(tmp_path)
    tl.random.set_seed(99)
    rest = run(trainer)
    assert begun | rest == undisturbed
    assert min(rest) == stop_at + 1
    assert told(trainer).events[0] == f"goes on after step {stop_at}"


def test_what_was_not_saved_when_the_program_crashed_is_done_again(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    first = Regression()
    first.fail_at = {18: 1}
    trainer = first.trainer(tmp_path, retry=())
    with pytest.raises(tl.errors.UnavailableError):
        run(trainer)
    second = Regression()
    rest = run(second.trainer(tmp_path))
    assert min(rest) == 15
    assert rest == {step: undisturbed[step] for step in rest}


def test_a_trainer_whose_step_failed_goes_on_when_it_is_run_again(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    model = Regression()
    model.fail_at = {10: 1}
    trainer = model.trainer(tmp_path, retry=())
    with pytest.raises(tl.errors.UnavailableError):
        run(trainer)
    rest = run(trainer)
    assert rest == {step: undisturbed[step] for step in range(8, STEPS + 1)}


def test_kernels_that_fail_are_gone_on_after(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    model = Regression()
    trainer = model.trainer(
        tmp_path, retry=(tl.errors.InjectedError,), max_failures=50, interval=3
    )
    trainer._step = model.traced
    begun = trainer.steps(STEPS)
    found = dict([next(begun)])
    with tl.debugging.faults(seed=4, kernels=0.005, delay=0.0):
        found |= dict(begun)
    assert trainer.failures
    assert losses(found.items()) == undisturbed


def test_iterators_are_gone_back_in_as_far_as_the_checkpoint(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    model = Regression()
    model.fail_at = {12: 1, 18: 1}
    trainer = model.trainer(tmp_path, data=iter(model.data()))
    assert run(trainer) == undisturbed


def test_a_function_is_called_for_the_data_whenever_it_is_begun_anew(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    model, calls = Regression(), []

    def data() -> Iterator[Any]:
        calls.append(1)
        return iter(model.data())

    model.fail_at = {12: 1}
    assert run(model.trainer(tmp_path, data=data)) == undisturbed
    assert len(calls) == 2


def test_failures_that_come_no_further_end_in_the_last_error_and_all_that_was(
    tmp_path: Path,
) -> None:
    model = Regression()
    model.fail_at = {5: 1} | dict.fromkeys(range(9, 100), 1)
    trainer = model.trainer(tmp_path, interval=4, max_failures=3)
    with pytest.raises(tl.errors.UnavailableError, match="task:1 is gone") as caught:
        run(trainer)
    (notes,) = [x for x in caught.value.__notes__ if "gave up" in x]
    assert "4 failures in a row came no further than step 7" in notes
    assert "after step 4: UnavailableError: /job:worker/task:1 is gone" in notes
    assert len(trainer.failures) == 5


def test_progress_between_failures_starts_the_count_anew(tmp_path: Path) -> None:
    model = Regression()
    model.fail_at = dict.fromkeys(range(4, 200, 3), 1)
    trainer = model.trainer(tmp_path, interval=1, max_failures=1)
    run(trainer)
    assert len(trainer.failures) > 5


def test_other_errors_end_training_and_save_nothing_half_done(tmp_path: Path) -> None:
    model = Regression()

    def broken(step: int, _: Any) -> None:
        if step == 9:
            raise ValueError("a mistake")

    trainer = model.trainer(tmp_path, on_step=broken)
    with pytest.raises(ValueError, match="a mistake"):
        run(trainer)
    assert trainer.manager.steps() == [0, 7]
    assert told(trainer).closed == 1


def test_checkpoints_are_written_when_they_are_due_and_in_the_end(
    tmp_path: Path,
) -> None:
    model = Regression()
    trainer = model.trainer(tmp_path, keep=10)
    run(trainer)
    assert trainer.manager.steps() == [0, 7, 14, 21, 28, 30]
    by_time = Regression().trainer(tmp_path / "time", interval=1e-9, keep=99)
    by_time.run(4)
    assert by_time.manager.steps() == [0, 1, 2, 3, 4]
    auto = Regression().trainer(tmp_path / "auto", interval="auto")
    auto.run(4)
    assert auto.manager.steps() == [0, 4]
    assert "checkpoints every" in told(auto).events[0]
    assert "is assumed until one is seen" in told(auto).events[0]


def test_what_was_observed_is_known_after_a_restart(tmp_path: Path) -> None:
    model = Regression()
    model.fail_at = {3: 1}
    run(model.trainer(tmp_path, interval="auto"), 5)
    again = Regression().trainer(tmp_path, interval="auto")
    again.run(6)
    assert isinstance(again.interval, AutoInterval)
    assert again.interval.failures == 1
    assert again.interval.trained > 0
    assert again.interval.cost > 0


@pytest.mark.parametrize("name", ["step-14.json", "step-14.safetensors", "latest"])
def test_a_damaged_checkpoint_is_told_and_an_older_one_taken(
    tmp_path: Path, undisturbed: dict[int, float], name: str
) -> None:
    model = Regression()
    run(model.trainer(tmp_path), 14)
    (spoilt,) = tmp_path.glob(name.replace(".safetensors", ".*.safetensors"))
    spoilt.write_bytes(spoilt.read_bytes()[:9])
    again = Regression().trainer(tmp_path)
    rest = run(again)
    first = 15 if name == "latest" else 8
    assert rest == {step: undisturbed[step] for step in range(first, STEPS + 1)}
    said = f"{tmp_path / 'step-14'} is not whole, an older checkpoint is taken: "
    assert any(x.startswith(said) for x in told(again).events) == (first == 8)


def test_a_full_disk_is_told_and_training_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: dict[int, float]
) -> None:
    model = Regression()
    real = os.fsync

    def full(descriptor: int) -> None:
        if 12 <= model.calls < 18:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    trainer = model.trainer(tmp_path, keep=9)
    assert run(trainer) == undisturbed
    assert trainer.manager.steps() == [0, 7, 21, 28, 30]
    (refused,) = [x for x in told(trainer).events if "is not saved" in x]
    assert "step 14 is not saved: cannot write" in refused


def test_data_that_ends_early_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    model = Regression()
    trainer = model.trainer(tmp_path, data=model.data().take(10))
    with pytest.raises(
        tl.errors.OutOfRangeError, match="after 10 batches, before step 30"
    ):
        run(trainer)
    assert trainer.manager.steps()[-1] == 10
    other = Regression()
    other.trainer(tmp_path / "all", data=model.data().take(10)).run()
    np.testing.assert_array_equal(other.w.numpy(), model.w.numpy())


def test_data_that_is_shorter_than_it_was_is_told(tmp_path: Path) -> None:
    model = Regression()
    run(model.trainer(tmp_path), 10)
    again = Regression()
    with pytest.raises(tl.errors.OutOfRangeError, match=r"batch 10.* 4 batches now"):
        again.trainer(tmp_path, data=again.data().take(4)).run(20)


def test_a_step_may_ask_to_stop(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    model = Regression()
    trainer = model.trainer(tmp_path)
    trainer.on_step = lambda step, _: trainer.stop("enough") if step == 9 else None
    begun = run(trainer)
    assert (trainer.stopped, trainer.step_count) == ("enough", 9)
    assert trainer.manager.steps()[-1] == 9
    assert told(trainer).events[-1] == "enough: left after step 9"
    trainer.on_step = None
    assert begun | run(trainer) == undisturbed
    assert trainer.stopped == ""


def test_leaving_the_loop_saves(tmp_path: Path) -> None:
    model = Regression()
    trainer = model.trainer(tmp_path)
    for step, _ in trainer.steps():
        if step == 5:
            break
    del _
    assert trainer.manager.steps()[-1] == 5
    assert told(trainer).closed == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_step_end_and_saves(
    tmp_path: Path, number: signal.Signals
) -> None:
    model, before = Regression(), signal.getsignal(number)
    trainer = model.trainer(tmp_path)
    trainer.on_step = lambda step, _: (
        os.kill(os.getpid(), number) if step == 4 else None
    )
    run(trainer)
    assert trainer.stopped == number.name
    assert trainer.manager.steps()[-1] == 4
    assert signal.getsignal(number) is before


def test_a_second_ctrl_c_ends_at_once_and_saves_nothing(tmp_path: Path) -> None:
    model = Regression()

    def interrupt(step: int, _: Any) -> None:
        if step == 4:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    trainer = model.trainer(tmp_path, on_step=interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(trainer)
    assert trainer.manager.steps() == [0]


SCRIPT = """
import os, sys
import numpy as np
import tensorlite as tl

tl.random.set_seed(5)
w, optimizer = tl.Variable(tl.zeros(3)), tl.optimizers.Adam(0.05)
data = tl.data.Dataset.range(100).shuffle(50, seed=1).repeat().batch(4)

def step(x):
    with tl.GradientTape() as tape:
        y = tl.astype(x, tl.float32) / 100.0 + tl.random.normal((4,))
        loss = tl.mean((tl.sum(w) - y) ** 2)
    optimizer.minimize(loss, [w], tape)
    return loss

def die(step, loss):
    if step == int(sys.argv[2]):
        os.kill(os.getpid(), 9)

trainer = tl.distribute.Trainer(
    step, data, checkpoint={"w": w, "optimizer": optimizer}, folder=sys.argv[1],
    interval=5, on_step=die, progress=False,
)
trainer.run(40)
print(w.numpy().tobytes().hex())
"""


def script(folder: Path, die_at: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder), str(die_at)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_a_process_that_is_killed_again_and_again_ends_as_one_that_is_not(
    tmp_path: Path,
) -> None:
    calm = script(tmp_path / "calm", 0)
    assert calm.returncode == 0, calm.stderr
    for die_at in (17, 38):
        killed = script(tmp_path / "killed", die_at)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    last = script(tmp_path / "killed", 0)
    assert last.stdout == calm.stdout, last.stderr


class FakeCluster:
    """A cluster that takes note of being asked to recover, and may fail in that."""

    def __init__(self, *errors: Exception) -> None:
        self.asked: list[float | None] = []
        self.errors = list(errors)

    def recover(self, timeout: float | None = None) -> tuple[str, ...]:
        self.asked.append(timeout)
        if self.errors:
            raise self.errors.pop(0)
        return ("/job:worker/task:1",)


def test_the_cluster_is_asked_to_recover_and_events_tell_it(
    tmp_path: Path, undisturbed: dict[int, float]
) -> None:
    model = Regression()
    model.fail_at = {12: 1}
    cluster = FakeCluster(tl.errors.UnavailableError("/job:worker/task:1: no sign"))
    trainer = model.trainer(tmp_path, cluster=cluster, timeout=9.0)
    assert run(trainer) == undisturbed
    assert cluster.asked == [9.0, 9.0]
    first, second, back, restored, _ = told(trainer).events[1:]
    assert (
        first == "failed after step 11: UnavailableError: /job:worker/task:1 is gone"
    )
    assert second.endswith("/job:worker/task:1: no sign")
    assert back.startswith("/job:worker/task:1 runs again after")
    assert restored.startswith("restored step 7 in")
    assert restored.endswith("4 steps are taken again")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"max_failures": -1}, "max_failures=-1"),
        ({"interval": "often"}, "interval='often'"),
        ({"cluster": 3}, "no method recover"),
        ({"progress": 3}, "progress=3"),
    ],
)
def test_bad_arguments_are_refused(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=says):
        Regression().trainer(tmp_path, **change).run(1)


def test_what_is_no_step_and_no_data_is_refused(tmp_path: Path) -> None:
    w = tl.Variable(1.0)
    with pytest.raises(tl.errors.InvalidArgumentError, match="is no function"):
        Trainer(3, [], checkpoint={"w": w}, folder=tmp_path)  # type: ignore[arg-type]
    with pytest.raises(tl.errors.DTypeError, match="data=3"):
        Trainer(print, 3, checkpoint={"w": w}, folder=tmp_path)  # type: ignore[arg-type]
    with pytest.raises(tl.errors.InvalidArgumentError, match="'random' is what"):
        Trainer(print, [], checkpoint={"random": w}, folder=tmp_path)


def test_a_checkpoint_that_no_trainer_wrote_is_refused(tmp_path: Path) -> None:
    model = Regression()
    trainer = model.trainer(tmp_path)
    tl.checkpoint.Manager(trainer.manager.checkpoint, tmp_path).save(3)
    with pytest.raises(tl.errors.CheckpointError):
        trainer.run(5)
