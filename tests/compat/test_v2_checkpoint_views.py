"""What checkpoints and programs have, by numbers and names, as TensorFlow's own tests say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2

tf: Any = v2
old: Any = v1


def tree(*paths: str) -> Any:
    """Return a module with modules at these paths."""
    root = tf.Module()
    for path in paths:
        here = root
        for name in path.split("."):
            if not hasattr(here, name):
                setattr(here, name, tf.Module())
            here = getattr(here, name)
    return root


SAVED = ("leaf1.leaf3", "leaf1.leaf4", "leaf2.leaf5")


@pytest.fixture
def view(tmp_path: Path) -> Any:
    path = tf.train.Checkpoint(root=tree("leaf1", "leaf2", *SAVED)).save(
        str(tmp_path / "model")
    )
    return tf.train.CheckpointView(path)


def test_objects_are_listed_from_the_root_on(view: Any) -> None:
    assert view.descendants() == [0, 1, 2, 3, 4, 5, 6]
    assert view.children(0) == {"leaf1": 1, "leaf2": 2, "save_counter": 3}
    assert view.children(1) == {"leaf3": 4, "leaf4": 5}
    assert view.children(2) == {"leaf5": 6}


def test_what_is_at_the_same_place_matches(view: Any) -> None:
    root = tree("leaf1.leaf3", "leaf2.leaf5", "leaf2.leaf6")
    one, two = root.leaf1, root.leaf2
    same, only_saved, only_here = view.diff(root)
    assert same == {0: root, 1: one, 2: two, 4: one.leaf3, 6: two.leaf5}
    assert only_saved == [3, 5]
    assert only_here == [two.leaf6]


def test_one_object_saved_at_two_places_is_one(tmp_path: Path) -> None:
    root = tf.Module()
    root.a = root.b = tf.Module()
    path = tf.train.Checkpoint(root=root).save(str(tmp_path / "model"))
    other = tree("a", "b")
    with pytest.warns(UserWarning, match="Inconsistent references"):
        assert tf.train.CheckpointView(path).match(other) == {0: other, 1: other.a}


def test_programs_objects_are_listed_by_name() -> None:
    root = tree(*SAVED)
    root.w = tf.Variable(1.0)
    found = tf.train.TrackableView(root)
    assert found.children(root) == {
        "leaf1": root.leaf1,
        "leaf2": root.leaf2,
        "w": root.w,
    }
    assert len(found.descendants()) == 7


def test_what_has_no_objects_is_refused(tmp_path: Path) -> None:
    with old.Graph().as_default(), old.Session() as session:
        old.get_variable("w", [2])
        session.run(old.global_variables_initializer())
        path = old.train.Saver().save(session, str(tmp_path / "model"))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(path)
    with pytest.raises(TypeError, match="Expected a Trackable"):
        tf.train.TrackableView(3)


def test_tensors_are_shared_by_capsules() -> None:
    dlpack = tf.experimental.dlpack
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    again = dlpack.from_dlpack(dlpack.to_dlpack(x))
    assert again.dtype is tf.float32
    np.testing.assert_array_equal(again, x)
    np.testing.assert_array_equal(dlpack.from_dlpack(np.arange(3)), [0, 1, 2])
    for wrong in (3, "a", None):
        with pytest.raises(TypeError, match="to_dlpack"):
            dlpack.to_dlpack(wrong)
        with pytest.raises(TypeError, match="from_dlpack"):
            dlpack.from_dlpack(wrong)


def test_gradients_of_convolutions_by_channel_are_those_of_tapes() -> None:
    draw = np.random.default_rng(0)
    x = tf.constant(draw.normal(size=(1, 5, 5, 2)))
    w = tf.constant(draw.normal(size=(2, 2, 2, 3)))
    options = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.depthwise_conv2d(x, w, **options)
    flow = tf.constant(draw.normal(size=y.shape))
    by_x, by_w = tape.gradient(y, [x, w], flow)
    nn = tf.nn
    np.testing.assert_allclose(
        nn.depthwise_conv2d_backprop_input(x.shape, w, flow, **options), by_x
    )
    np.testing.assert_allclose(
        nn.depthwise_conv2d_backprop_filter(x, w.shape, flow, **options), by_w
    )
