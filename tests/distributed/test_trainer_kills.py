"""Trainer on Ray: processes and nodes are killed while it trains, as an accident would.

It must show 2. `make test-cluster` kills each kind twice, `make test-cluster-full` 20 times; how
long it took is told in the end.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tests.distributed.kills import PROPERTY, Training, equal, kills_of
from tests.distributed.test_ray_engine import nodes  # noqa: F401
from tests.threads import until

SPEC = {"ps": 2, "worker": 2}
SOME, MANY = range(2), range(20)
seeds = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(SOME, marks=pytest.mark.cluster, id="2"),
        pytest.param(MANY, marks=pytest.mark.cluster_full, id="20"),
    ],
)
Note = Callable[[str, object], None]


def calm(kills: range, folder: Path) -> dict[int, float]:
    """Return the losses of a training that nothing disturbs."""
    with tl.distribute.connect(SPEC, engine="inprocess") as cluster:
        strategy = tl.distribute.ParameterServer(cluster)
        return Training(strategy, folder, kills_of(kills)).run()


def check(training: Training, losses: dict[int, float], who: str, note: Note) -> None:
    """Check that a training went on after each kill, and note how long that took."""
    try:
        equal(training.run(), losses)
    finally:
        print("\n".join(training.events.told))
    assert training.trainer.step_count == training.until
    assert all(
        isinstance(each.error, tl.errors.UnavailableError)
        for each in training.trainer.failures
    )
    for kill in training.kills:
        assert kill.noticed
        assert kill.back
        note(PROPERTY, (who, kill.noticed - kill.struck, kill.back - kill.struck))


@seeds
@pytest.mark.parametrize("job", ["worker", "ps"])
def test_processes_that_are_killed_change_no_loss(
    tmp_path: Path, seeds: range, job: str, record_property: Note
) -> None:
    losses = calm(seeds, tmp_path / "calm")
    with tl.distribute.connect(SPEC) as cluster:
        victims = [*cluster.job(job)]

        def strike() -> None:
            victims.append(victims.pop(0))
            os.kill(cluster.registrations[victims[-1]].pid, signal.SIGKILL)

        training = Training(
            tl.distribute.ParameterServer(cluster),
            tmp_path / "killed",
            kills_of(seeds),
            strike,
        )
        check(training, losses, job, record_property)
        told = "\n".join(training.events.told)
        for victim in victims:
            assert f"{victim} runs again after" in told


@seeds
def test_nodes_that_are_killed_change_no_loss(
    nodes: Any,  # noqa: F811
    tmp_path: Path,
    seeds: range,
    record_property: Note,
) -> None:
    """All processes of a node are killed, and when that is noticed another takes its place."""
    losses = calm(seeds, tmp_path / "calm")
    with tl.distribute.connect(SPEC, nodes.address) as cluster:
        training = Training(
            tl.distribute.ParameterServer(cluster),
            tmp_path / "killed",
            kills_of(seeds),
            lambda: kill_node(nodes.second),
            lambda: replace_node(nodes),
        )
        check(training, losses, "node", record_property)


def kill_node(node: Any) -> None:
    """Kill a node's raylet, and the tasks that it has started."""
    (raylet,) = [each.process.pid for each in node.all_processes["raylet"]]
    children = Path(f"/proc/{raylet}/task/{raylet}/children").read_text().split()
    for pid in (raylet, *map(int, children)):
        os.kill(pid, signal.SIGKILL)


def replace_node(nodes: Any) -> None:  # noqa: F811
    """Begin a node in place of one that was killed."""
    nodes.remove_node(nodes.second, allow_graceful=False)
    nodes.second = nodes.add_node(
        wait=False, num_cpus=2, object_store_memory=80 << 20
    )


@pytest.mark.cluster
def test_a_task_whose_node_is_lost_comes_back_on_another(
    nodes: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    with tl.distribute.connect({"ps": 1, "worker": 1}, nodes.address) as cluster:
        training = Training(
            tl.distribute.ParameterServer(cluster),
            tmp_path,
            kills_of(range(1)),
            lambda: kill_node(nodes.second),
        )
        training.run()
        assert training.trainer.failures
        assert training.trainer.step_count == training.until


@pytest.mark.cluster
def test_a_node_without_which_there_is_no_room_is_gone_on_without_until_it_is_back(
    nodes: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    losses = calm(SOME, tmp_path / "calm")
    with tl.distribute.connect(SPEC, nodes.address) as cluster:
        training = Training(
            tl.distribute.ParameterServer(cluster),
            tmp_path / "lost",
            kills_of(SOME)[:1],
            lambda: kill_node(nodes.second),
        )
        training.until = len(losses)
        training.trainer.timeout = 3.0
        done, counts = training.trainer.on_step, {}
        assert done is not None

        def note(step: int, result: Any) -> None:
            done(step, result)
            counts[step] = len(cluster.devices)
            if step == len(losses) - 6:
                assert len(cluster.given_up) == 2
                replace_node(nodes)
                until(lambda: len(cluster.returned()) == 2)

        training.trainer.on_step = note
        equal(training.run(), losses)
        print("\n".join(training.events.told))
        assert [*dict.fromkeys(counts.values())] == [4, 2]
        assert counts[len(losses)] == 4


@pytest.mark.cluster
def test_a_process_that_hangs_is_gone_on_without_until_it_goes_on(
    tmp_path: Path,
) -> None:
    losses = calm(SOME, tmp_path / "calm")
    before = tl.config.get_step_timeout()
    tl.config.set_step_timeout(4.0)
    try:
        with tl.distribute.connect(SPEC) as cluster:
            pid = cluster.registrations[cluster.job("worker")[1]].pid
            training = Training(
                tl.distribute.ParameterServer(cluster),
                tmp_path / "hung",
                kills_of(SOME)[:1],
                lambda: os.kill(pid, signal.SIGSTOP),
            )
            trainer, done = training.trainer, training.trainer.on_step
            assert done is not None
            training.until, trainer.timeout = len(losses), 3.0
            trainer.retry = (*trainer.retry, tl.errors.DeadlineExceededError)

            def note(step: int, result: Any) -> None:
                done(step, result)
                if step == len(losses) - 6:
                    assert len(cluster.given_up) == 1
                    os.kill(pid, signal.SIGCONT)
                    until(lambda: bool(cluster.returned()))

            trainer.on_step = note
            equal(training.run(), losses)
            print("\n".join(training.events.told))
            assert not cluster.given_up
    finally:
        tl.config.set_step_timeout(before)
