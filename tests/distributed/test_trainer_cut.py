"""Trainer over two network namespaces, between which the link is cut: needs root."""

from __future__ import annotations

from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

import pytest

import tensorlite as tl
from tests.distributed.fake_engine import FakeEngine
from tests.distributed.test_cut import HOSTS, INSIDE, NAME, cable, ip  # noqa: F401
from tests.distributed.test_trainer_cluster import Program, connected, split

AWAY = "/job:worker/task:0"
CUT = 12.0
"""Seconds for which the link is down, longer than it takes to notice."""


class Apart(FakeEngine):
    """Has one worker in the other namespace."""

    def node(self, task: str) -> str:
        return HOSTS["b" if task == AWAY else "a"]

    def command(self, task: str) -> list[str]:
        return [*(INSIDE if task == AWAY else ()), *super().command(task)]


@pytest.mark.cluster
def test_training_goes_on_when_a_cut_link_is_back(
    cable: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    spec = {"ps": 1, "worker": 2}
    with connected(spec=spec) as calm:
        losses = Program(split(calm), tmp_path / "calm").run()
    with tl.distribute.connect(
        spec, engine=Apart("Worker"), unix=False, tcp=True
    ) as cluster:
        program = Program(split(cluster), tmp_path / "cut")
        times = [0.0, 0.0]
        back = Timer(CUT, ip, ("-n", NAME, "link", "set", cable, "up"))

        def cut(step: int, _: Any) -> None:
            if step == 5 and not times[0]:
                ip("-n", NAME, "link", "set", cable, "down")
                times[0] = monotonic()
                back.start()

        tell = program.events.event

        def event(text: str) -> None:
            times[1] = times[1] or (monotonic() if text.startswith("failed") else 0.0)
            tell(text)

        program.events.event = event  # type: ignore[method-assign]
        program.trainer.on_step = cut
        assert program.run() == losses
        assert times[1] - times[0] < 10
        told = "\n".join(program.events.told)
        assert AWAY in told or "ps/task:0" in told
        print(f"noticed after {times[1] - times[0]:.1f} s\n{told}")
