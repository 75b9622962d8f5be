"""Trainer on Ray: processes of tasks are killed while it trains, as an accident would."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tests.distributed.test_ray_engine import nodes  # noqa: F401
from tests.distributed.test_trainer_cluster import STEPS, Program, connected, split

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("victim", ["/job:worker/task:1", "/job:ps/task:0"])
def test_a_process_that_is_killed_changes_no_loss(
    tmp_path: Path, victim: str
) -> None:
    with connected() as calm:
        losses = Program(split(calm), tmp_path / "calm").run()
    with connected("ray") as cluster:
        program = Program(split(cluster), tmp_path / "killed")

        def kill(step: int, _: Any) -> None:
            if step == 5 and not program.trainer.failures:
                os.kill(cluster.registrations[victim].pid, signal.SIGKILL)

        program.trainer.on_step = kill
        assert program.run() == losses
        assert program.trainer.step_count == STEPS
        told = "\n".join(program.events.told)
        assert isinstance(
            program.trainer.failures[0].error, tl.errors.UnavailableError
        )
        assert victim in told
        assert f"{victim} runs again after" in told
        print(told)


def test_a_node_that_is_lost_changes_no_loss(
    nodes: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    spec = {"ps": 1, "worker": 1}
    with connected(spec=spec) as calm:
        losses = Program(split(calm), tmp_path / "calm").run()
    with tl.distribute.connect(spec, nodes.address) as cluster:
        program = Program(split(cluster), tmp_path / "lost")

        def lose(step: int, _: Any) -> None:
            if step == 5 and not program.trainer.failures:
                nodes.remove_node(nodes.second, allow_graceful=False)

        program.trainer.on_step = lose
        assert program.run() == losses
        assert program.trainer.failures
        print("\n".join(program.events.told))
