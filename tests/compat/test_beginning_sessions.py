"""What sessions begin with: variables that queues count by, readiness, threads, specs of layers.

What is expected is what TensorFlow 1.15 gives.
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
def graph() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default() as made:
        yield made
    mode.eager = before


def test_variables_that_pipelines_make_are_as_those_of_programs(
    tmp_path: Path,
) -> None:
    (tmp_path / "one").touch()
    files = tf.train.match_filenames_once(str(tmp_path / "*"))
    tf.train.string_input_producer(files, num_epochs=2, name="files")
    names = ["matching_filenames", "files/limit_epochs/epochs"]
    assert [v.op.name for v in tf.local_variables()] == names
    missing = tf.report_uninitialized_variables()
    begun = tf.is_variable_initialized(files)
    with tf.Session() as session:
        assert session.run(missing).tolist() == [name.encode() for name in names]
        assert not session.run(begun)
        session.run(tf.local_variables_initializer())
        assert session.run([missing, begun])[1]
        assert files.eval().tolist() == [str(tmp_path / "one").encode()]


def test_a_tensor_says_whether_its_variable_is_initialized(graph: Any) -> None:
    v = tf.Variable(1.0, name="v")
    begun = tf.is_variable_initialized(graph.get_tensor_by_name("v:0"))
    with tf.Session() as session:
        assert not session.run(begun)
        session.run(v.initializer)
        assert session.run(begun)


def test_an_operation_that_raises_says_that_a_model_is_not_ready() -> None:
    v = tf.Variable(1, name="v")
    manager = tf.train.SessionManager(
        ready_op=tf.assert_variables_initialized(), recovery_wait_secs=0.01
    )
    with pytest.raises(
        RuntimeError, match="Init operations did not make model ready"
    ):
        manager.prepare_session("", init_op=tf.no_op())
    session = manager.prepare_session("", init_op=tf.global_variables_initializer())
    assert session.run(v) == 1


def test_local_variables_begin_where_what_they_need_is_ready() -> None:
    v = tf.Variable(1, name="v")
    w = tf.Variable(v, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    ready = tf.report_uninitialized_variables([v])
    manager = tf.train.SessionManager(
        local_init_op=w.initializer,
        ready_op=tf.report_uninitialized_variables(),
        ready_for_local_init_op=ready,
    )
    with pytest.raises(RuntimeError, match="not make model ready for local_init"):
        manager.prepare_session("", init_op=tf.no_op())
    assert manager.prepare_session("", init_op=v.initializer).run(w) == 1
    with pytest.raises(ValueError, match="you must also pass a local_init_op"):
        tf.train.SessionManager(ready_for_local_init_op=ready)


def test_local_variables_begin_without_a_checkpoint_too(tmp_path: Path) -> None:
    v = tf.Variable(7, name="v", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    manager = tf.train.SessionManager(local_init_op=v.initializer)
    saver = tf.train.Saver([v])
    session, restored = manager.recover_session("", saver, str(tmp_path))
    assert (session.run(v), restored) == (7, False)
    with pytest.raises(ValueError, match="Can not provide both"):
        manager.recover_session("", saver, "folder", "path")


def test_monitored_sessions_start_their_threads_themselves() -> None:
    queue = tf.train.string_input_producer(["a"])
    taken = queue.dequeue()
    with tf.train.MonitoredSession() as session:
        assert tf.train.start_queue_runners(session) == []
        assert session.run(taken) == b"a"
    with pytest.raises(TypeError, match="give a session"):
        tf.train.start_queue_runners("a session")


def test_what_goes_wrong_behind_join_is_raised_at_once() -> None:
    coord = tf.train.Coordinator()
    coord.join([])
    with pytest.raises(RuntimeError, match="Too late"):
        coord.request_stop(RuntimeError("Too late"))
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coord.clear_stop()
    coord.request_stop(RuntimeError("in time"))
    with pytest.raises(RuntimeError, match="in time"):
        coord.join([])


@pytest.mark.parametrize(
    ("spec", "shape", "told"),
    [
        ({"ndim": 2}, None, "requires a defined rank"),
        ({"ndim": 2}, [None], "expected ndim=2, found ndim=1"),
        ({"min_ndim": 2}, [None], "expected min_ndim=2"),
        ({"max_ndim": 1}, [None, 1], "expected max_ndim=1"),
        ({"dtype": "float32"}, [2], "expected dtype=float32, found dtype=int32"),
        ({"shape": (None, 3)}, [4, 2], "expected shape="),
        (
            {"axes": {-1: 2}},
            [4, 3],
            "expected axis -1 of input shape to have value 2",
        ),
    ],
)
def test_layers_check_what_they_are_given(
    spec: dict[str, Any], shape: Any, told: str
) -> None:
    class Same(tf.layers.Layer):  # type: ignore[misc]  # the base is Any here
        def __init__(self) -> None:
            super().__init__()
            self.input_spec = tf.layers.InputSpec(**spec)

        def call(self, inputs: Any) -> Any:
            return inputs

    with pytest.raises(ValueError, match=told):
        Same().apply(tf.placeholder(tf.int32, shape))


@pytest.mark.parametrize("size", [None, (1, 2, 3)])
def test_sizes_of_kernels_are_checked(size: Any) -> None:
    with pytest.raises(ValueError, match="kernel_size"):
        tf.layers.conv2d_transpose(tf.zeros([1, 5, 5, 1]), 2, size)


def test_sizes_of_kernels_may_be_those_of_images() -> None:
    images = tf.zeros([5, 7, 9, 3])
    made = tf.layers.conv2d(images, 4, images.get_shape()[1:3], padding="same")
    assert made.get_shape().as_list() == [5, 7, 9, 4]


def test_dual_averaging_counts_the_step_that_it_takes() -> None:
    step, v = tf.Variable(0, dtype=tf.int64), tf.Variable([1.0, 2.0])
    optimizer = tf.train.AdagradDAOptimizer(3.0, step, 0.1, 0.001, 2.0)
    update = optimizer.apply_gradients([(tf.constant([0.1, 0.2]), v)], step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(update)
        first = session.run(v)
        session.run(update)
        np.testing.assert_allclose(first, [-0.04690711, -0.09365932], rtol=1e-5)
        np.testing.assert_allclose(
            session.run(v), [-0.04811115, -0.09610227], rtol=1e-5
        )


def test_graphs_stay_finalized_behind_sessions_that_found_them_so(graph: Any) -> None:
    tf.train.get_or_create_global_step()
    tf.train.Scaffold().finalize()
    with tf.train.MonitoredSession():
        assert graph.finalized
    assert graph.finalized
    with pytest.raises(TypeError, match="is not a Scaffold"):
        tf.train.Scaffold(copy_from_scaffold="another")


def test_summaries_of_several_operations_are_written(tmp_path: Path) -> None:
    step = tf.train.get_or_create_global_step()
    more = tf.assign_add(step, 1)
    asked = [tf.summary.scalar(name, 2.0) for name in ("a", "b")]
    hook = tf.train.SummarySaverHook(1, output_dir=str(tmp_path), summary_op=asked)
    with tf.train.SingularMonitoredSession([hook]) as session:
        session.run(more)
    (path,) = tmp_path.iterdir()
    events = list(tf.train.summary_iterator(str(path)))
    tags = [value.tag for event in events for value in event.summary.value]
    assert tags == ["a", "b"]
