"""What the guides on migration have shown to be unlike TensorFlow 2's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf


def saved_by_name(folder: Path) -> str:
    """Return a checkpoint of version 1 with variables "a", "b" and "scoped/c"."""
    with tf1.Graph().as_default():
        tf1.get_variable("a", initializer=1.0)
        tf1.get_variable("b", initializer=2.0)
        tf1.get_variable("scoped/c", initializer=3.0)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            return str(tf1.train.Saver().save(session, f"{folder}/one"))


def test_checkpoints_of_version_1_are_restored_by_names(tmp_path: Path) -> None:
    a = tf.Variable(0.0, name="a")
    with tf.name_scope("scoped"):
        c = tf.Variable(0.0, name="c")
    status = tf.train.Checkpoint(variables=[a, c]).restore(saved_by_name(tmp_path))
    assert (float(a), float(c)) == (1.0, 3.0)
    status.assert_consumed()
    other = tf.Variable(5.0, name="other")
    found = tf.train.Checkpoint(x=a, other=other).restore(f"{tmp_path}/one")
    with pytest.raises(AssertionError, match="other"):
        found.assert_existing_objects_matched()
    assert other.numpy() == 5.0


def test_variables_made_later_get_what_version_1_saved(tmp_path: Path) -> None:
    class Late(tf.Module):
        def made(self) -> Any:
            self.a = tf.Variable(0.0, name="a")
            return self.a

    module = Late()
    tf.train.Checkpoint(m=module).restore(saved_by_name(tmp_path)).expect_partial()
    assert module.made().numpy() == 1.0


def test_a_checkpoint_is_the_saver_of_a_scaffold(tmp_path: Path) -> None:
    with tf1.Graph().as_default():
        step = tf1.train.get_or_create_global_step()
        w = tf1.get_variable("w", initializer=[1.0, 2.0])
        train = tf1.group(w.assign_add([1.0, 1.0]), step.assign_add(1))
        checkpoint = tf.train.Checkpoint(step=step, held={"w": w})
        scaffold = tf1.train.Scaffold(saver=checkpoint)
        with tf1.train.MonitoredTrainingSession(
            scaffold=scaffold, checkpoint_dir=str(tmp_path), save_checkpoint_steps=1
        ) as session:
            session.run(train)
    path = tf.train.latest_checkpoint(str(tmp_path))
    assert path is not None
    names = dict(tf.train.list_variables(path))
    assert names["held/w/.ATTRIBUTES/VARIABLE_VALUE"] == [2]
    restored = tf.Variable([0.0, 0.0])
    status = tf.train.Checkpoint(held={"w": restored}).restore(path)
    status.assert_existing_objects_matched()
    np.testing.assert_array_equal(restored.numpy(), [2.0, 3.0])
