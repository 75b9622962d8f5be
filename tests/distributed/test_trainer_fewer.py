"""Trainer with fewer tasks than it began with: some do not come back, or not for a long time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.remote import homes
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.training.crew import Recovered
from tensorlite.distributed.training.feed import Feed
from tests.distributed.test_trainer_cluster import (
    STEPS,
    SYNCHRONOUS,
    Make,
    Program,
    asynchronous,
    backup,
    connected,
    rewound,
    split,
)

SPEC = {"ps": 2, "worker": 3}
WORKER, FIRST_WORKER, PS = (
    "/job:worker/task:1",
    "/job:worker/task:0",
    "/job:ps/task:0",
)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[int, float]:
    """Return the losses of one worker that nothing happens to."""
    with connected(spec={"ps": 1, "worker": 1}) as cluster:
        folder = tmp_path_factory.mktemp("alone")
        return Program(split(cluster), folder).run()


class Losing:
    """A program that loses tasks after some steps, and is given them again after others."""

    def __init__(
        self,
        make: Make,
        folder: Path,
        lost: dict[int, list[str]],
        back: dict[int, list[str]] | None = None,
        spec: dict[str, int] = SPEC,
        **options: Any,
    ) -> None:
        self.engine = InprocessEngine(7)
        self.cluster: Cluster = connected(self.engine, spec)
        self.program = Program(make(self.cluster), folder)
        self.trainer = self.program.trainer
        self.trainer.timeout = 5.0
        self.trainer._crew.least = options.get("min_workers", 1)
        self.trainer.on_step = self.done
        self.lost, self.back = dict(lost), dict(back or {})
        self.workers: dict[int, int] = {}
        """With how many workers each step was taken."""

    def done(self, step: int, _: Any) -> None:
        assert self.trainer.strategy is not None
        self.workers[step] = self.trainer.strategy.count
        for task in self.lost.pop(step, []):
            self.engine.lose(task)
        for task in self.back.pop(step, []):
            self.engine.replace(task)

    def run(self) -> dict[int, float]:
        try:
            return self.program.run()
        finally:
            self.told = "\n".join(self.program.events.told)


@pytest.fixture(autouse=True)
def _clusters_are_closed() -> Iterator[None]:
    yield
    for home in homes():
        assert isinstance(home, Cluster)
        home.close()


def near(found: dict[int, float], expected: dict[int, float]) -> None:
    assert list(found) == list(expected)
    np.testing.assert_allclose(
        [*found.values()], [*expected.values()], rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("kind", SYNCHRONOUS)
@pytest.mark.parametrize("gone", [[WORKER], [FIRST_WORKER], [WORKER, FIRST_WORKER]])
def test_workers_that_do_not_come_back_are_gone_on_without(
    tmp_path: Path, alone: dict[int, float], kind: str, gone: list[str]
) -> None:
    losing = Losing(SYNCHRONOUS[kind], tmp_path, {5: gone})
    near(losing.run(), alone)
    left = 3 - len(gone)
    assert losing.workers == {
        **dict.fromkeys(range(1, 4), 3),
        **dict.fromkeys(range(4, STEPS + 1), left),
    }
    assert set(losing.cluster.given_up) == set(gone)
    what = "1 worker" if left == 1 else f"{left} worker"
    assert f"did not come back within 5 s: goes on with 2 ps, {what}" in losing.told
    assert not {str(x).rpartition("/")[0] for x in losing.cluster.devices} & set(gone)


def test_what_a_server_had_goes_to_another(
    tmp_path: Path, alone: dict[int, float]
) -> None:
    losing = Losing(split, tmp_path, {5: [PS]})
    near(losing.run(), alone)
    assert "/job:ps/task:0 did not come back" in losing.told
    program = losing.program
    for variable in (program.w, program.b, *program.table.parts):
        assert variable.device.task == 1
    assert np.isfinite(program.w.numpy()).all()


@pytest.mark.parametrize("kind", SYNCHRONOUS)
def test_a_worker_that_is_there_again_is_taken_back_at_a_checkpoint(
    tmp_path: Path, alone: dict[int, float], kind: str
) -> None:
    losing = Losing(SYNCHRONOUS[kind], tmp_path, {5: [WORKER]}, {7: [WORKER]})
    near(losing.run(), alone)
    assert losing.workers[9] == 2
    assert losing.workers[10] == losing.workers[STEPS] == 3
    assert f"{WORKER} is back: goes on with 2 ps, 3 worker" in losing.told
    assert not losing.cluster.given_up
    assert not losing.cluster.lost


def test_a_server_that_is_there_again_has_its_variables_back(
    tmp_path: Path, alone: dict[int, float]
) -> None:
    losing = Losing(split, tmp_path, {5: [PS]}, {7: [PS]})
    before = [losing.program.w.device, losing.program.b.device]
    near(losing.run(), alone)
    assert [losing.program.w.device, losing.program.b.device] == before
    assert f"{PS} is back" in losing.told


def test_a_failure_takes_back_who_is_there_again(
    tmp_path: Path, alone: dict[int, float]
) -> None:
    losing = Losing(split, tmp_path, {4: [WORKER], 8: [PS]}, {7: [WORKER]})
    losing.trainer.interval = tl.distribute.Trainer(
        losing.program.step,
        [],
        checkpoint={"w": losing.program.w},
        folder=tmp_path / "other",
        interval=100,
    ).interval
    near(losing.run(), alone)
    assert f"{WORKER} is back: goes on with 1 ps, 3 worker" in losing.told


@pytest.mark.parametrize(
    ("gone", "least", "words"),
    [
        ([WORKER, FIRST_WORKER], 2, "1 workers would be left, and min_workers=2"),
        ([PS, "/job:ps/task:1"], 1, "no server would be left"),
    ],
)
def test_what_cannot_be_gone_on_without_ends_training(
    tmp_path: Path, gone: list[str], least: int, words: str
) -> None:
    losing = Losing(split, tmp_path, {5: gone}, min_workers=least)
    losing.trainer.max_failures = 1
    with pytest.raises(tl.errors.UnavailableError) as caught:
        losing.run()
    assert any(words in x for x in caught.value.__notes__)
    assert not losing.cluster.given_up
    for task in gone:
        losing.engine.replace(task)
    assert losing.program.run()  # when all are there again it goes on
    assert losing.trainer.step_count == STEPS


@pytest.mark.parametrize("make", [asynchronous, backup])
@pytest.mark.parametrize("gone", [WORKER, PS])
def test_training_without_an_order_goes_on_with_fewer(
    tmp_path: Path, make: Make, gone: str
) -> None:
    losing = Losing(make, tmp_path, {5: [gone]}, {8: [gone]})
    losing.trainer.run(STEPS)
    assert losing.trainer.step_count == STEPS
    assert f"{gone} is back" in "\n".join(losing.program.events.told)
    if make is asynchronous:
        assert int(losing.program.optimizer.iterations) == STEPS
    assert np.isfinite(losing.program.w.numpy()).all()


def test_batches_that_a_strategy_cuts_are_cut_anew(
    tmp_path: Path, alone: dict[int, float]
) -> None:
    losing = Losing(split, tmp_path, {5: [WORKER]}, {7: [WORKER]})
    whole, strategy = losing.trainer._feed.data, losing.trainer.strategy
    assert strategy is not None
    losing.trainer._feed = Feed(lambda: strategy.distribute(rewound(whole)))
    near(losing.run(), alone)
    assert losing.workers[STEPS] == 3


def test_a_link_that_is_cut_while_a_task_is_taken_back_takes_no_step_away(
    tmp_path: Path, alone: dict[int, float]
) -> None:
    losing = Losing(split, tmp_path, {5: [WORKER]}, {7: [WORKER]})
    crew, cut = losing.trainer._crew, ["/job:worker/task:2"]
    recover = crew.recover

    def recovered(timeout: float | None) -> Recovered:
        if cut and not losing.cluster.lost.keys() - {WORKER}:
            losing.engine.kill(cut.pop())
            raise tl.errors.UnavailableError("a link was cut")
        return recover(timeout)

    def taken(step: int, result: Any) -> None:
        losing.done(step, result)
        if step == 9:
            crew.recover = recovered  # type: ignore[method-assign]

    losing.trainer.on_step = taken
    near(losing.run(), alone)
    assert not cut


@pytest.mark.parametrize("seed", range(4))
def test_tasks_come_and_go_while_links_are_cut(
    tmp_path: Path, alone: dict[int, float], seed: int
) -> None:
    """One server stays, and one worker."""
    draw = Random(seed)  # noqa: S311
    lost: dict[int, list[str]] = {}
    back: dict[int, list[str]] = {}
    for _ in range(4):
        task = draw.choice([PS, WORKER, FIRST_WORKER])
        lost.setdefault(draw.randint(1, 12), []).append(task)
        back.setdefault(draw.randint(1, 13), []).append(task)
    kind = draw.choice(list(SYNCHRONOUS))
    losing = Losing(SYNCHRONOUS[kind], tmp_path, lost, back)
    network = losing.engine.network
    losing.trainer.max_failures = 9
    done = losing.trainer.on_step
    assert done is not None

    def go_wrong(step: int, result: Any) -> None:
        network.faults = network.events.faults = Faults(kills=0.001, cuts=0.001)
        done(step, result)

    losing.trainer.on_step = go_wrong
    near(losing.run(), alone)
    network.faults = network.events.faults = Faults()


def test_a_queue_goes_to_another_server_with_what_is_in_it(tmp_path: Path) -> None:
    losing = Losing(split, tmp_path, {5: [PS]})
    with tl.device(PS):
        queue = tl.queue.FIFOQueue(10, tl.float32, shapes=(2,))
    queue.enqueue([[1.0, 2.0]])
    losing.trainer.manager.checkpoint.objects["queue"] = queue
    losing.run()
    assert queue.handle.device.task == 1
    assert queue.dequeue().tolist() == [1, 2]


def test_a_cluster_gives_up_only_what_is_lost() -> None:
    engine = InprocessEngine(1)
    with connected(engine, {"worker": 2}) as cluster:
        with pytest.raises(tl.errors.FailedPreconditionError, match="is not lost"):
            cluster.give_up(WORKER)
        engine.lose(WORKER)
        with pytest.raises(tl.errors.UnavailableError):
            cluster.recover(3.0)
        cluster.give_up(WORKER)
        assert cluster.recover(3.0) == ()
        assert [str(x) for x in cluster.devices] == [f"{FIRST_WORKER}/device:CPU:0"]
        with (
            pytest.raises(tl.errors.DeviceError, match="does not exist"),
            tl.device(WORKER),
        ):
            tl.ones(2) + 1
        assert cluster.status()[WORKER].state == "lost"
        assert cluster.returned() == ()
        engine.replace(WORKER)
        cluster.master.carrier.wait(lambda: False, 1.0)
        assert cluster.returned() == (WORKER,)
        assert cluster.status()[WORKER].state == "started anew"
        assert cluster.recover(3.0) == (WORKER,)
        assert not cluster.given_up
        with tl.device(WORKER):
            assert (tl.ones(2) + 1).tolist() == [2, 2]
        engine.lose(WORKER)
        engine.lose(FIRST_WORKER)
        with pytest.raises(tl.errors.UnavailableError):
            cluster.recover(3.0)
        with pytest.raises(
            tl.errors.FailedPreconditionError, match="no task would be"
        ):
            cluster.give_up(WORKER, FIRST_WORKER)
