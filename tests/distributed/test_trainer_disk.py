"""Trainer whose servers cannot write their shards: the disk is full, and later it is not."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core import remote
from tests.distributed.fake_engine import FakeEngine
from tests.distributed.test_trainer_cluster import STEPS, Program, connected, split

FULL, FREE = 5, 8
"""After which steps nothing can be written any more, and after which it can again."""
KEPT = [0, 3, 9, 12, 14]


def check(program: Program, full: Callable[[bool], object]) -> None:
    """Check that a training goes on which cannot save for a while, and saves again."""
    program.trainer.manager.keep = 9
    switched = {FULL: True, FREE: False}
    program.trainer.on_step = lambda step, _: (
        full(switched[step]) if step in switched else None
    )
    assert list(program.run()) == list(range(1, STEPS + 1))
    assert not program.trainer.failures
    assert program.trainer.manager.steps() == KEPT
    (refused,) = [x for x in program.events.told if "is not saved" in x]
    print(refused)
    said = r"step 6 is not saved, in task /job:ps/task:\d: cannot write .*/step-6\..*, \d+ bytes: "
    assert re.match(said, refused)
    assert "No space left on device" in refused
    assert not list(program.trainer.manager.folder.glob("*step-6*"))
    assert not list(program.trainer.manager.folder.glob(".*"))
    program.w.assign(0 * program.w.numpy())
    program.trainer.manager.restore()
    assert program.w.numpy().any()


def test_a_server_that_cannot_write_is_told_and_tried_again_at_the_next_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [False]
    real = os.fsync

    def fsync(descriptor: int) -> None:
        here = remote.here.get()
        if now[0] and here is not None and here.job == "ps":
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with connected() as cluster:

        def full(is_full: bool) -> None:
            now[0] = is_full

        check(Program(split(cluster), tmp_path), full)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a file system of its own that holds a mebibyte."""
    if os.geteuid():
        pytest.skip("needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    made = subprocess.run(mount, check=False, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no file system can be mounted: {made.stderr}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)  # noqa: S607


@pytest.mark.cluster
def test_a_disk_that_is_full(small_disk: Path) -> None:
    filler = small_disk / "filler"

    def full(is_full: bool) -> None:
        if not is_full:
            filler.unlink()
            return
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                return

    engine: Any = FakeEngine("Worker")
    spec = {"ps": 2, "worker": 2}
    with tl.distribute.connect(spec, engine=engine) as cluster:
        check(Program(split(cluster), small_disk / "checkpoints"), full)
