"""tf.train.Checkpoint in graphs of version 1, where sessions have the values of variables.

What is expected is what TensorFlow 1.15 gives; what is saved at once is asserted elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    yield
    mode.eager = before


def _saved(folder: Path) -> str:
    """Return the second checkpoint of a vector that was 1, 2 and is 2, 3, and of a number."""
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = tf.get_variable("v", initializer=[1.0, 2.0]), tf.Variable(3)
        checkpoint = tf.train.Checkpoint(v=v, w=w)
        session.run(tf.global_variables_initializer())
        session.run(v.assign_add([1.0, 1.0]))
        checkpoint.save(folder / "a")
        path: str = checkpoint.save(folder / "a", session=session)
        assert session.run(checkpoint.save_counter) == 2
    return path


def test_variables_have_the_values_of_a_session(tmp_path: Path) -> None:
    path = _saved(tmp_path)
    assert path.endswith("a-2")
    value = ".ATTRIBUTES/VARIABLE_VALUE"
    reader = tf.train.load_checkpoint(path)
    assert reader.get_tensor(f"v/{value}").tolist() == [2.0, 3.0]
    assert (
        reader.get_tensor(f"w/{value}"),
        reader.get_tensor(f"save_counter/{value}"),
    ) == (
        3,
        2,
    )


def test_sessions_restore_what_was_saved_and_initialize_the_rest(
    tmp_path: Path,
) -> None:
    path = _saved(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        v, w, z = (tf.Variable(x) for x in ([0.0, 0.0], 0, 5.0))
        checkpoint = tf.train.Checkpoint(v=v, w=w, z=z)
        status = checkpoint.restore(path)
        status.initialize_or_restore(session)
        found = session.run([v, w, z, checkpoint.save_counter])
        assert [np.asarray(x).tolist() for x in found] == [[2.0, 3.0], 3, 5.0, 2]
        with pytest.raises(AssertionError):
            status.assert_consumed()
        session.run(v.assign([9.0, 9.0]))
        status.run_restore_ops()
        assert session.run(v).tolist() == [2.0, 3.0]
        assert checkpoint.save(tmp_path / "b").endswith("b-3")


def test_without_a_checkpoint_variables_are_initialized() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(7.0)
        tf.train.Checkpoint(v=v).restore(None).initialize_or_restore(session)
        assert session.run(v) == 7.0


def test_managers_number_checkpoints_by_what_the_session_counts(
    tmp_path: Path,
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.Variable(40)
        session.run(step.initializer)
        checkpoint = tf.train.Checkpoint(step=step)
        manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
        saved = [Path(manager.save()).name for _ in range(3)]
        assert saved == ["ckpt-1", "ckpt-2", "ckpt-3"]
        assert Path(manager.save(checkpoint_number=step)).name == "ckpt-40"
        assert [Path(x).name for x in manager.checkpoints] == ["ckpt-3", "ckpt-40"]


def _trained(seed: int) -> tuple[Any, Any, Any]:
    layer = tf.layers.Dense(2, kernel_initializer=tf.constant_initializer(seed))
    optimizer = tf.train.AdamOptimizer(0.1)
    y = layer(tf.ones([1, 3]))
    train = optimizer.minimize(tf.reduce_sum(y * y))
    return tf.train.Checkpoint(layer=layer, opt=optimizer), layer, (optimizer, train)


def test_layers_and_optimizers_are_saved_with_their_slots(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, layer, (_, train) = _trained(1)
        session.run(tf.global_variables_initializer())
        session.run(train)
        path = checkpoint.save(tmp_path / "model")
        kernel = session.run(layer.kernel)
    names = [
        name.partition("/.ATTRIBUTES")[0] for name, _ in tf.train.list_variables(path)
    ]
    slots = [
        f"layer/{x}/.OPTIMIZER_SLOT/opt/{m}" for x in ("bias", "kernel") for m in "mv"
    ]
    assert {"layer/kernel", "opt/beta1_power", "opt/beta2_power", *slots} <= set(
        names
    )
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, layer, (optimizer, train) = _trained(2)
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert np.array_equal(session.run(layer.kernel), kernel)
        session.run(train)
        power = session.run(optimizer._get_beta_accumulators()[0])
        np.testing.assert_allclose(power, 0.9**3, rtol=1e-6)
