"""tf.train.CheckpointManager: what is kept, and how one manager goes on from another.

The expected values are those of TensorFlow 2.21.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tensorlite.compat import v2
from tensorlite.compat.v2 import checkpoint_managers

tf: Any = v2


class Clock:
    """A clock that tests set."""

    def __init__(self, moment: float) -> None:
        self.moment = moment

    def time(self) -> float:
        return self.moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(3.0)
    monkeypatch.setattr(checkpoint_managers, "time", made)
    return made


def there(folder: Path) -> list[str]:
    return sorted(x.stem for x in folder.glob("*.index"))


def managed(manager: Any) -> list[str]:
    return [Path(x).name for x in manager.checkpoints]


def test_all_are_kept_until_a_manager_keeps_fewer(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint()
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, None)
    paths = [manager.save() for _ in range(3)]
    assert manager.checkpoints == paths
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 3)
    assert manager.checkpoints == paths
    assert manager.latest_checkpoint == paths[-1]
    manager.save()
    assert managed(manager) == there(tmp_path) == ["ckpt-2", "ckpt-3", "ckpt-4"]


def test_one_every_so_many_hours_is_kept_for_good(
    tmp_path: Path, clock: Clock
) -> None:
    checkpoint = tf.train.Checkpoint()
    first = tf.train.CheckpointManager(checkpoint, tmp_path, 2)
    clock.moment = 10000.0
    first.save()
    clock.moment += 3610.0
    first.save()
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.all_model_checkpoint_timestamps == [10000.0, 13610.0]

    second = tf.train.CheckpointManager(checkpoint, tmp_path, 2, 1.5)
    assert managed(second) == ["ckpt-1", "ckpt-2"]
    for hours in (0.2, 0.5, 0.5):
        clock.moment += hours * 3600
        second.save()
    assert managed(second) == ["ckpt-4", "ckpt-5"]
    assert there(tmp_path) == ["ckpt-1", "ckpt-4", "ckpt-5"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.last_preserved_timestamp == 10000.0

    third = tf.train.CheckpointManager(checkpoint, tmp_path, 2, 1.5)
    fourth_was_saved = clock.moment - 1800
    clock.moment += 10
    third.save()
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.last_preserved_timestamp == fourth_was_saved
    assert managed(third) == ["ckpt-5", "ckpt-6"]
    assert there(tmp_path) == ["ckpt-1", "ckpt-4", "ckpt-5", "ckpt-6"]


def test_what_others_saved_is_left_alone(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint()
    checkpoint.save(str(tmp_path / "unusual"))
    latest = checkpoint.save(str(tmp_path / "unusual"))
    checkpoint = tf.train.Checkpoint()
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 2)
    assert manager.latest_checkpoint == latest
    checkpoint.restore(latest)
    assert managed(manager) == []
    for _ in range(3):
        manager.save()
    assert managed(manager) == ["ckpt-4", "ckpt-5"]
    assert there(tmp_path) == ["ckpt-4", "ckpt-5", "unusual-1", "unusual-2"]


def test_a_clock_that_was_set_back_removes_nothing(
    tmp_path: Path, clock: Clock
) -> None:
    checkpoint = tf.train.Checkpoint()
    clock.moment = 10000.0
    first = tf.train.CheckpointManager(checkpoint, tmp_path, 1, 1.0)
    for hours in (0, 1, 1):
        clock.moment += 3600 * hours
        first.save()
    assert there(tmp_path) == ["ckpt-2", "ckpt-3"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.last_preserved_timestamp == 13600.0

    clock.moment = 5000.0
    with pytest.warns(UserWarning, match="behind the last preserved checkpoint"):
        second = tf.train.CheckpointManager(checkpoint, tmp_path, 1)
    assert managed(second) == []
    assert Path(second.latest_checkpoint).name == "ckpt-3"
    for _ in range(2):
        clock.moment += 10
        second.save()
    assert managed(second) == ["ckpt-5"]
    assert there(tmp_path) == ["ckpt-2", "ckpt-3", "ckpt-5"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.last_preserved_timestamp == 5000.0
    assert state.all_model_checkpoint_timestamps == [5020.0]


def test_numbers_of_ones_own_count_too(tmp_path: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 2, checkpoint_name="n")
    for _ in range(3):
        manager.save(checkpoint_number=step)
        step.assign_add(2)
    assert int(checkpoint.save_counter) == 3
    manager.save(checkpoint_number=32)
    manager.save(checkpoint_number=4)
    assert managed(manager) == there(tmp_path) == ["n-32", "n-4"]
    assert tf.train.latest_checkpoint(tmp_path) == manager.latest_checkpoint


def test_folders_by_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(), "./kept", 1)
    assert [manager.save(), manager.save()] == ["./kept/ckpt-1", "./kept/ckpt-2"]
    again = tf.train.CheckpointManager(tf.train.Checkpoint(), "./kept", 1)
    assert again.checkpoints == ["./kept/ckpt-2"]
    assert again.restore_or_initialize() == "./kept/ckpt-2"
    assert 'path: "ckpt-2"' in Path("kept/checkpoint").read_text()


def test_saves_at_intervals_of_steps(tmp_path: Path) -> None:
    step = tf.Variable(0)
    whole = tf.train.Checkpoint()

    def made(folder: str, last: int | None = None) -> Any:
        return tf.train.CheckpointManager(
            *(whole, tmp_path / folder, None),
            step_counter=step,
            checkpoint_interval=2,
            last_checkpoint_step=last,
        )

    def saved(manager: Any, at: int, check: bool = True) -> bool:
        step.assign(at)
        return manager.save(check_interval=check) is not None

    manager = made("a")
    assert [saved(manager, at) for at in (0, 1, 2, 2, 3)] == [1, 0, 1, 0, 0]
    assert saved(manager, 3, check=False)
    assert not saved(manager, 3, check=False)
    manager = made("b", last=1)
    assert [saved(manager, at) for at in (1, 2, 3)] == [False, False, True]
    manager = made("a")
    assert manager.restore_or_initialize() is not None
    assert not saved(manager, 3)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        tf.train.CheckpointManager(whole, tmp_path, None, checkpoint_interval=2)


def test_what_nothing_is_restored_for_begins_by_a_function(tmp_path: Path) -> None:
    start = tf.train.Checkpoint(v=tf.Variable(2.0)).save(str(tmp_path / "init"))
    v = tf.Variable(1.0)
    whole = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(
        whole, tmp_path / "ckpt", None, init_fn=lambda: whole.restore(start)
    )
    assert manager.restore_or_initialize() is None
    assert float(v) == 2.0
    path = manager.save()
    v.assign(5.0)
    assert manager.restore_or_initialize() == path
    assert float(v) == 2.0
