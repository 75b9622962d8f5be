"""What programs have called when checkpoints are written, as TensorFlow 2.21 calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensorlite.compat.v2 as tf


def test_callbacks_are_told_of_each_checkpoint(tmp_path: Path) -> None:
    told: list[str] = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[told.append, lambda: told.append("done")]
    )
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    written = checkpoint.write(str(tmp_path / "a"), options)
    saved = checkpoint.save(str(tmp_path / "b"), options)
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "c"), 1)
    managed = manager.save(options=options)
    assert told == [written, "done", saved, "done", managed, "done"]


def test_callbacks_take_the_path_or_nothing(tmp_path: Path) -> None:
    def both(path: Any, more: Any) -> None:
        """Take one argument too many."""

    options = tf.train.CheckpointOptions(experimental_write_callbacks=[both])
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(AssertionError, match="0 or 1 parameters"):
        checkpoint.write(str(tmp_path / "a"), options)
