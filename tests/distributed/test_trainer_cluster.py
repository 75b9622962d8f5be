"""Trainer over the tasks of a cluster, which all are in this process and are killed on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.engines.inprocess import InprocessEngine
from tensorlite.distributed.training.feed import Feed
from tensorlite.ops.records import manifests

STEPS = 14
ROWS = 30
VICTIMS = ["/job:worker/task:1", "/job:ps/task:0", "/job:ps/task:1"]
SPEC = {"ps": 2, "worker": 2}
Make = Callable[[Cluster], tl.distribute.Strategy]


def split(cluster: Cluster) -> tl.distribute.Strategy:
    policy = tl.distribute.ByRows(least=ROWS)
    return tl.distribute.ParameterServer(cluster, policy=policy)


def backup(cluster: Cluster) -> tl.distribute.Strategy:
    return tl.distribute.ParameterServer(cluster, backup=1)


def asynchronous(cluster: Cluster) -> tl.distribute.Strategy:
    return tl.distribute.ParameterServer(cluster, mode="async")


def all_reduce(cluster: Cluster) -> tl.distribute.Strategy:
    return tl.distribute.AllReduce(cluster, deterministic=True)


SYNCHRONOUS: dict[str, Make] = {"split": split, "all_reduce": all_reduce}


class Events:
    """Progress that keeps what happened."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def step(self, step: int, until: int | None, said: Callable[[], str]) -> None:
        pass

    def event(self, text: str) -> None:
        self.told.append(text)

    def close(self) -> None:
        pass


class Program:
    """A program that trains: an embedding, whose rows may be split, and a layer."""

    def __init__(self, strategy: tl.distribute.Strategy, folder: Path) -> None:
        tl.random.set_seed(3)
        draw = np.random.default_rng(0)
        ids = draw.integers(0, ROWS, size=(48, 2))
        y = draw.normal(size=(48, 1)).astype(np.float32)
        table = draw.normal(size=(ROWS, 4)).astype(np.float32)
        with strategy.scope():
            self.table: Any = tl.Variable(table, name="table")
            self.w = tl.Variable(tl.ones((4, 1)), name="w")
            self.b = tl.Variable(tl.zeros((1,)), name="b")
            self.optimizer = tl.optimizers.Adam(0.05)
        self.events = Events()
        self.losses: dict[int, float] = {}
        self.steps_applied = 0
        own = {"table": self.table, "w": self.w, "b": self.b}
        pairs = tl.data.Dataset.from_tensor_slices((ids, y))
        self.trainer = tl.distribute.Trainer(
            self.step,
            pairs.shuffle(48, seed=1).repeat().batch(8),
            checkpoint={**own, "optimizer": self.optimizer},
            folder=folder,
            strategy=strategy,
            interval=3,
            progress=self.events,
            max_failures=9,
        )

    def step(self, ids: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        parts = getattr(self.table, "parts", [self.table])
        with tl.GradientTape() as tape:
            rows = tl.sum(self.table.sparse_read(ids), axis=1)
            loss = tl.mean((rows @ self.w + self.b - y) ** 2)
        self.optimizer.minimize(loss, [*parts, self.w, self.b], tape)
        return loss

    def run(self, until: int = STEPS) -> dict[int, float]:
        """Return the losses of all steps, of those taken again the last."""
        return {step: float(loss) for step, loss in self.trainer.steps(until)}


def connected(
    engine: str | InprocessEngine = "inprocess", spec: dict[str, int] = SPEC
) -> Cluster:
    return tl.distribute.connect(spec, engine=engine)


@pytest.fixture(scope="module", params=SYNCHRONOUS)
def calm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Make, dict[int, float]]:
    """Return a strategy, and the losses when nothing happens."""
    make = SYNCHRONOUS[request.param]
    with connected() as cluster:
        return make, Program(make(cluster), tmp_path_factory.mktemp("calm")).run()


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("after", [0, 4, 6])
def test_losses_after_a_task_was_killed_are_those_of_a_calm_run(
    tmp_path: Path, calm: tuple[Make, dict[int, float]], victim: str, after: int
) -> None:
    make, losses = calm
    with connected() as cluster:
        program = Program(make(cluster), tmp_path)
        left = [victim]

        def kill(step: int, _: Any) -> None:
            if step >= after and left:
                cluster.engine.kill(left.pop())

        program.trainer.on_step = kill
        assert program.run() == losses
        uses_servers = make is split
        if uses_servers or "worker" in victim:
            assert program.trainer.failures
            assert any(f"{victim} runs again" in x for x in program.events.told)


def disturbed(make: Make, folder: Path, seed: int, faults: Faults) -> Program:
    """Return a program that was run while things went wrong, from the first step on."""
    engine = InprocessEngine(seed)
    with connected(engine) as cluster:
        program = Program(make(cluster), folder)

        def go_wrong(*_: Any) -> None:
            engine.network.faults = engine.network.events.faults = faults

        program.trainer.on_step = go_wrong
        program.losses = program.run()
        engine.network.events.faults = Faults()
        program.steps_applied = int(program.optimizer.iterations)
    return program


@pytest.mark.parametrize("seed", range(4))
def test_tasks_may_be_killed_at_any_moment_saving_and_restoring_too(
    tmp_path: Path, calm: tuple[Make, dict[int, float]], seed: int
) -> None:
    make, losses = calm
    program = disturbed(make, tmp_path, seed, Faults(kills=0.002))
    assert program.losses == losses
    assert program.steps_applied == STEPS


def test_links_may_be_cut(
    tmp_path: Path, calm: tuple[Make, dict[int, float]]
) -> None:
    make, losses = calm
    program = disturbed(make, tmp_path, 1, Faults(cuts=0.002))
    assert program.losses == losses
    assert program.steps_applied == STEPS


def test_batches_may_be_cut_for_the_replicas_by_the_strategy(
    tmp_path: Path, calm: tuple[Make, dict[int, float]]
) -> None:
    make, losses = calm
    with connected() as cluster:
        strategy = make(cluster)
        program = Program(strategy, tmp_path)
        whole = program.trainer._feed.data
        program.trainer._feed = Feed(lambda: strategy.distribute(rewound(whole)))
        program.trainer.on_step = lambda step, _: (
            cluster.engine.kill(VICTIMS[0])
            if step == 5 and not program.trainer.failures
            else None
        )
        assert program.run() == losses


def rewound(data: Any) -> Any:
    data.rewind()
    return data


@pytest.mark.parametrize("make", [asynchronous, backup])
def test_training_without_an_order_goes_on_too(tmp_path: Path, make: Make) -> None:
    with connected() as cluster:
        program = Program(make(cluster), tmp_path)
        for victim, after in ((VICTIMS[0], 4), (VICTIMS[1], 9)):
            for step, _ in program.trainer.steps(STEPS):
                if step == after:
                    cluster.engine.kill(victim)
                    break
        assert program.trainer.step_count < STEPS
        program.trainer.run(STEPS)
        assert program.trainer.failures
        assert program.trainer.step_count == STEPS
        if make is asynchronous:
            assert int(program.optimizer.iterations) == STEPS
        assert np.isfinite(program.w.numpy()).all()


@pytest.mark.parametrize("spec", [{"ps": 3, "worker": 1}, {"ps": 1, "worker": 3}])
def test_training_goes_on_with_other_numbers_of_tasks(
    tmp_path: Path, calm: tuple[Make, dict[int, float]], spec: dict[str, int]
) -> None:
    make, losses = calm
    with connected() as cluster:
        Program(make(cluster), tmp_path).run(7)
    with connected(spec=spec) as cluster:
        rest = Program(make(cluster), tmp_path).run()
    assert list(rest) == list(range(8, STEPS + 1))
    np.testing.assert_allclose(
        [*rest.values()], [losses[step] for step in rest], rtol=1e-5
    )


def test_every_server_writes_its_own_shard_which_one_machine_reads(
    tmp_path: Path,
) -> None:
    with connected() as cluster:
        program = Program(split(cluster), tmp_path)
        program.run(5)
        path = program.trainer.manager.latest
        table, w = program.table.numpy(), program.w.numpy()
    assert path is not None
    found = manifests.contents(path)
    assert len(found.shards) == 3
    assert len({piece.shard for piece in found.tensors["table"].pieces}) == 2
    here = {"table": tl.Variable(0 * table), "w": tl.Variable(0 * w)}
    report = tl.checkpoint.Checkpoint(**here).restore(path, partial=True)
    assert report.matched == ("table", "w")
    assert report.extra["step"] == report.extra["position"] == 5
    np.testing.assert_array_equal(here["table"].numpy(), table)
    np.testing.assert_array_equal(here["w"].numpy(), w)


def test_a_task_that_does_not_come_back_ends_training_with_all_that_was(
    tmp_path: Path,
) -> None:
    engine = InprocessEngine(0, Faults(restart=(1e6, 1e6)))
    with connected(engine) as cluster:
        program = Program(split(cluster), tmp_path)
        program.trainer.timeout, program.trainer.max_failures = 5.0, 2
        program.trainer._crew.least = 2
        program.trainer.on_step = lambda step, _: (
            engine.kill(VICTIMS[0]) if step == 4 else None
        )
        with pytest.raises(
            tl.errors.UnavailableError, match="worker/task:1"
        ) as caught:
            program.run()
    assert any("gave up: 3 failures in a row" in x for x in caught.value.__notes__)


@pytest.mark.parametrize("victim", VICTIMS[:2])
def test_a_task_lost_before_the_first_checkpoint_matters_if_it_held_variables(
    tmp_path: Path, victim: str
) -> None:
    with connected() as cluster:
        program = Program(split(cluster), tmp_path)
        save, left = program.trainer.save, [victim]

        def interrupted() -> None:
            if left:
                cluster.engine.kill(left.pop())
                raise tl.errors.UnavailableError("it is gone")
            save()

        program.trainer.save = interrupted  # type: ignore[method-assign]
        if "ps" in victim:
            with pytest.raises(tl.errors.CheckpointError, match="ps/task:0 held"):
                program.run()
        else:
            assert len(program.run()) == STEPS
            assert len(program.trainer.failures) == 1


def test_a_shard_that_is_torn_is_noticed_by_its_task(
    tmp_path: Path, calm: tuple[Make, dict[int, float]]
) -> None:
    make, losses = calm
    with connected() as cluster:
        program = Program(make(cluster), tmp_path)
        left = [7]

        def spoil(step: int, _: object) -> None:
            if step in left:
                left.clear()
                shard = max(tmp_path.glob("step-6.*.safetensors"))
                shard.write_bytes(shard.read_bytes()[:-1])
                cluster.engine.kill(VICTIMS[0])

        program.trainer.on_step = spoil
        assert program.run() == losses
        told = "\n".join(program.events.told)
    assert "step-6 is not whole, an older checkpoint is taken: " in told
    assert "is torn: it has" in told
    assert "restored step 3" in told


def test_a_line_is_shown_for_each_task(tmp_path: Path) -> None:
    with connected() as cluster:
        trainer = Program(split(cluster), tmp_path).trainer
        lines = trainer._task_lines()
        assert [task for task in cluster.tasks if task in "\n".join(lines)] == [
            *cluster.tasks
        ]
        assert trainer._task_lines() is lines


def test_a_queue_on_a_task_is_saved_with_what_is_in_it(tmp_path: Path) -> None:
    with connected() as cluster:
        with tl.device("/job:ps/task:0"):
            queue = tl.queue.FIFOQueue(10, tl.float32, shapes=(2,))
        queue.enqueue_many([[[1.0, 2.0], [3.0, 4.0]]])
        checkpoint = tl.checkpoint.Checkpoint(queue=queue)
        checkpoint.save(tmp_path / "c", sharded=True)
        cluster.engine.kill("/job:ps/task:0")
        assert cluster.recover() == ("/job:ps/task:0",)
        assert int(queue.size()) == 0
        checkpoint.restore(tmp_path / "c")
        assert queue.dequeue_many(2).tolist() == [[1, 2], [3, 4]]
