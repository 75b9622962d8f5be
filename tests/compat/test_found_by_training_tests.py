"""What TensorFlow's unit tests of training, assertions and tables found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def test_step_functions_are_run_as_they_are_and_passed_their_stop() -> None:
    total = tf.constant(1.0) + tf.placeholder_with_default(2.0, [])
    with tf.train.MonitoredSession() as session:
        step = session.run_step_fn
        assert step(lambda step_context: step_context.session.run(total)) == 3.0
        assert step(lambda step_context: step_context.run_with_hooks(total)) == 3.0
        with pytest.raises(ValueError, match="step_context"):
            step(lambda context: context)
        with pytest.raises(StopIteration):
            step(lambda step_context: step_context.request_stop())
        assert not session.should_stop()


def test_step_functions_are_run_again_when_tasks_were_lost() -> None:
    runs, one = [], tf.constant(1)

    def step_fn(step_context: Any) -> Any:
        runs.append(step_context.session)
        if len(runs) == 1:
            raise tf.errors.AbortedError(None, None, "lost")
        return step_context.session.run(one)

    tf.train.get_or_create_global_step()
    with tf.train.MonitoredSession() as session:
        assert session.run_step_fn(step_fn) == 1
    assert runs[0] is not runs[1]


def test_gradients_by_tensors_are_computed_and_not_applied() -> None:
    a, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(tf.reduce_sum(a * a * v), [a, v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        by_tensor, by_variable = session.run([gradient for gradient, _ in pairs])
    assert (by_tensor.tolist(), by_variable.tolist()) == ([6.0, 16.0], [1.0, 4.0])
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        optimizer.apply_gradients(pairs)


@pytest.mark.parametrize(
    ("inputs", "given"),
    [
        ([np.ones([2, 3], "f"), np.ones([3, 2], "f")], {}),
        ([np.ones([2], "f"), np.ones([2], "i")], {}),
        ([np.ones([2], "f")], {"shape": [3]}),
    ],
)
def test_only_what_is_alike_is_accumulated(inputs: Any, given: Any) -> None:
    with pytest.raises(ValueError, match=r"same dtype|incompatible"):
        tf.accumulate_n(inputs, **given)


@pytest.mark.parametrize("first", [1.0, [1], [2.0]])
def test_steps_are_counted_by_an_integer(first: Any) -> None:
    tf.Variable(first, name="global_step", trainable=False)
    with pytest.raises(TypeError, match="global_step"):
        tf.train.get_global_step()


def test_scalars_have_the_shape_of_one_number() -> None:
    scalar, vector = tf.ones([]), tf.ones([1])
    tf.debugging.assert_shapes([(scalar, (1,)), (vector, ())])
    tf.debugging.assert_shapes([(scalar, "x"), (vector, ["x"])])
    with pytest.raises(ValueError, match="is 1; it is 2"):
        tf.debugging.assert_shapes([(tf.ones([2]), ())])
    with pytest.raises(ValueError, match="is that which"):
        tf.debugging.assert_shapes([(scalar, "x"), (tf.ones([2]), "x")])


def test_shapes_of_last_axes_are_asserted() -> None:
    shapes = [(tf.ones([1, 2, 3, 2]), "...d2"), (tf.ones([5, 3]), ("*", "d"))]
    tf.debugging.assert_shapes(shapes)
    with pytest.raises(ValueError, match="is that which"):
        tf.debugging.assert_shapes([*shapes, (tf.ones([4]), "d")])
    with pytest.raises(ValueError, match="first size"):
        tf.debugging.assert_shapes([(tf.ones([2, 3]), ("a", "..."))])


def test_what_is_clipped_at_zero_has_a_gradient() -> None:
    x = tf.zeros([3])
    gradient = tf.gradients(tf.clip_by_norm(x, 2.0), x)[0]
    with tf.Session() as session:
        assert session.run(gradient).tolist() == [1.0, 1.0, 1.0]


def test_variables_of_graphs_are_true() -> None:
    assert bool(tf.Variable(0.0)) is True


def test_tables_hold_vectors_where_the_default_is_one() -> None:
    table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, [-1, -1])
    rows = tf.constant([[0, 1], [2, 3], [4, 5]], tf.int64)
    with tf.Session() as session:
        session.run(table.insert(tf.constant(["a", "b", "c"]), rows))
        assert session.run(table.size()) == 3
        found = table.lookup(tf.constant([["a"], ["d"]]))
        assert found.shape.as_list() == [2, 1, 2]
        assert session.run(found).tolist() == [[[0, 1]], [[-1, -1]]]
        keys, values = table.export()
        assert [x.shape.as_list() for x in (keys, values)] == [[None], [None, 2]]
        assert sorted(session.run(values).tolist()) == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(ValueError, match="incompatible"):
        table.insert(tf.constant(["a"]), tf.constant([[1, 2, 3]], tf.int64))


def test_the_name_of_one_component_may_stand_bare() -> None:
    queue = tf.FIFOQueue(5, tf.int32, shapes=[()], names="f")
    with tf.Session() as session:
        session.run(queue.enqueue({"f": 3}))
        assert session.run(queue.dequeue()) == {"f": 3}


def test_programs_say_until_when_graphs_are_read() -> None:
    assert tf.compat.forward_compatible(2019, 1, 1)
    with tf.compat.forward_compatibility_horizon(2019, 1, 1):
        assert tf.compat.forward_compatible(2018, 12, 31)
        assert not tf.compat.forward_compatible(2019, 1, 1)


def test_graphs_may_be_asked_to_be_of_threads() -> None:
    graph = tf.get_default_graph()
    graph.switch_to_thread_local()
    with graph.device("/cpu:0"):
        assert tf.constant(1.0).graph is graph


@pytest.mark.parametrize("use_resource", [False, True])
def test_assignments_may_give_the_operation_alone(use_resource: bool) -> None:
    v = tf.get_variable("v", initializer=[1.0], use_resource=use_resource)
    with tf.Session() as session:
        session.run(v.initializer)
        for made, expected in (
            (v.assign([5.0], read_value=False), 5.0),
            (v.assign_add([2.0], read_value=False), 7.0),
            (v.assign_sub([4.0], read_value=False), 3.0),
        ):
            assert isinstance(made, tf.Operation)
            assert session.run(made) is None
            assert session.run(v).tolist() == [expected]


def test_parts_of_variables_give_operations_alone_where_no_value_is_read() -> None:
    parts = tf.fixed_size_partitioner(2)
    v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], partitioner=parts)
    made = v.assign_add(tf.constant([1.0, 1.0, 1.0]), read_value=False)
    assert [type(x) for x in made] == [tf.Operation] * 2
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(made)
        assert session.run(v.as_tensor()).tolist() == [2.0, 3.0, 4.0]


class StopsThreads(tf.train.SessionRunHook):  # type: ignore[misc]
    """Lets the coordinator stop with an error, once, behind a run."""

    def __init__(self, error: Exception, fails: bool = False) -> None:
        self.error, self.fails, self.stopped = error, fails, False
        self.sessions = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.sessions += 1
        self.coord = coord

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self.stopped:
            return
        self.stopped = True
        self.coord.request_stop(self.error)
        if self.fails:
            raise tf.errors.CancelledError(None, None, "the session is gone")


@pytest.mark.parametrize("fails", [False, True])
def test_sessions_are_made_anew_when_threads_lost_their_tasks(fails: bool) -> None:
    one = tf.constant(1)
    hook = StopsThreads(tf.errors.AbortedError(None, None, "gone"), fails)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(one) == 1
        assert not session.should_stop()
        assert hook.sessions == 2
        assert session.run(one) == 1


def test_other_errors_of_threads_stop_sessions() -> None:
    one = tf.constant(1)
    hook = StopsThreads(tf.errors.UnknownError(None, None, "fatal"))
    session = tf.train.MonitoredSession(hooks=[hook])
    session.run(one)
    assert session.should_stop()
    assert hook.sessions == 1
    with pytest.raises(tf.errors.UnknownError):
        session.close()


def test_whole_step_functions_are_done_again() -> None:
    made: list[str] = []

    class Loses(tf.train.SessionRunHook):  # type: ignore[misc]
        def before_run(self, run_context: Any) -> None:
            if made == ["step"]:
                raise tf.errors.AbortedError(None, None, "gone")

    one = tf.constant(1)

    def step(step_context: Any) -> Any:
        made.append("step")
        return step_context.run_with_hooks(one)

    with tf.train.MonitoredSession(hooks=[Loses()]) as session:
        assert session.run_step_fn(step) == 1
    assert made == ["step", "step"]


def test_sessions_are_closed_once() -> None:
    tf.constant(1)
    with (
        pytest.raises(RuntimeError, match="already closed"),
        tf.train.MonitoredSession() as session,
    ):
        session.close()


@pytest.mark.parametrize("saves", [True, False])
def test_graphs_are_saved_if_asked_for(tmp_path: Path, saves: bool) -> None:
    step = tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_graph_def=saves
    ) as session:
        session.run(step)
    assert bool(list(tmp_path.glob("*.meta"))) is saves
    assert (tmp_path / "graph.pbtxt").exists() is saves
    assert list(tmp_path.glob("*.index"))


def test_averages_of_one_variable_are_counted_apart() -> None:
    moving = import_module("tensorlite.compat.v1.python.training.moving_averages")
    with tf.variable_scope("scope1") as outer, tf.variable_scope("scope2"):
        var = tf.Variable(1.0, name="Var")
        first = moving.assign_moving_average(var, 4.0, 0.75)
        moving.assign_moving_average(var, 0.0, 0.75)
    inner = "scope1/scope2/scope1/scope2/Var"
    names = {x.op.name for x in outer.global_variables()}
    assert names == {
        "scope1/scope2/Var",
        *(
            f"{inner}/{x}"
            for x in ("biased", "local_step", "biased_1", "local_step_1")
        ),
    }
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(first) == 4.0


def test_ftrl_takes_a_beta() -> None:
    x = tf.Variable([1.0, 2.0])
    optimizer = tf.train.FtrlOptimizer(3.0, initial_accumulator_value=0.1, beta=0.1)
    step = optimizer.apply_gradients([(tf.constant([0.1, 0.2]), x)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(10):
            session.run(step)
        # TensorFlow 2.21's own test of it.
        np.testing.assert_allclose(session.run(x), [-6.096838, -9.162214], rtol=1e-5)


def test_supervisors_without_a_writer_save_all_the_same(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        tf.Variable([1.0], name="foo")
        tf.summary.scalar("c1", tf.constant(1))
        merged = tf.summary.merge_all()
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), summary_writer=None)
        session = supervisor.prepare_or_wait_for_session("")
        with pytest.raises(RuntimeError, match="requires a summary writer"):
            supervisor.summary_computed(session, session.run(merged))
        assert len(supervisor.start_standard_services(session)) == 1  # what saves
        supervisor.stop()


def test_operators_change_variables_of_references() -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    m = tf.Variable([1.0, 1.0], name="m")
    steps: list[tuple[Any, list[float], list[float]]] = [
        (tf.raw_ops.Assign(ref=v, value=[3.0, 4.0]), [3.0, 4.0], [1.0, 1.0]),
        (
            tf.raw_ops.ScatterAdd(ref=v, indices=[0], updates=[3.0]),
            [6.0, 4.0],
            [1.0, 1.0],
        ),
        (
            tf.raw_ops.ApplyMomentum(
                var=v, accum=m, lr=0.1, grad=[1.0, 1.0], momentum=0.9
            ),
            [5.81, 3.81],
            [1.9, 1.9],
        ),
        (
            tf.raw_ops.SparseApplyAdagrad(
                var=v, accum=m, lr=0.1, grad=[1.0], indices=[1]
            ),
            [5.81, 3.751278],
            [1.9, 2.9],
        ),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step, value, slot in steps:
            np.testing.assert_allclose(session.run(step), value, rtol=1e-6)
            np.testing.assert_allclose(session.run([v, m]), [value, slot], rtol=1e-6)


def test_operators_change_references_one_after_the_other() -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    inner = import_module("tensorlite.compat.v1.python.ops.gen_state_ops")
    more = inner.assign_add(inner.assign(v, [5.0, 5.0]), [1.0, 1.0])
    made = tf.get_default_graph().create_op(
        "ApplyGradientDescent",
        [v._ref(), tf.constant(0.5), tf.constant([1.0, 1.0])],
        [tf.float32],
    )
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(more).tolist() == [6.0, 6.0]
        session.run(made)
        assert session.run(v).tolist() == [5.5, 5.5]


def test_operators_of_references_refuse_resources() -> None:
    v = tf.Variable([1.0], use_resource=True)
    with pytest.raises(TypeError, match="'ref' be a mutable tensor"):
        tf.raw_ops.Assign(ref=v, value=[1.0])


def test_gradients_by_the_tensor_of_a_variable_that_was_read() -> None:
    v = tf.Variable(0.5, name="v")
    tf.multiply(v, 3.0, name="y")
    written = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(written)
        y = graph.get_tensor_by_name("y:0")
        (found,) = tf.gradients(y, graph.get_tensor_by_name("v:0"))
        assert session.run(found) == 3.0


def test_variables_know_of_which_they_are_parts() -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    assert v._get_save_slice_info() is None
    v._set_save_slice_info(tf.Variable.SaveSliceInfo("whole", [4], [2], [2]))
    assert v._save_slice_info.spec == "4 2,2"
    w = tf.Variable(1.0, use_resource=True)
    assert w.create is w.initializer


class Watches(tf.train.SessionRunHook):  # type: ignore[misc]
    def __init__(self, options: Any) -> None:
        self.options = options
        self.seen: list[Any] = []

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(None, None, options=self.options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(run_values)


def test_hooks_are_always_told_how_was_run() -> None:
    quiet, x = Watches(None), tf.constant(1.0)
    with tf.train.MonitoredSession(hooks=[quiet]) as session:
        session.run(x)
    (values,) = quiet.seen
    assert values.options.trace_level == tf.RunOptions.NO_TRACE
    assert not values.run_metadata.HasField("step_stats")


def test_what_hooks_ask_of_a_run_is_put_together() -> None:
    full = tf.RunOptions.FULL_TRACE
    hooks = [
        Watches(tf.RunOptions(trace_level=full, timeout_in_ms=60000)),
        Watches(tf.RunOptions(output_partition_graphs=True, timeout_in_ms=5000)),
    ]
    x = tf.placeholder_with_default(1.0, []) + 1.0
    with tf.train.MonitoredSession(hooks=hooks) as session:
        session.run(x)
    options = hooks[0].seen[0].options
    assert (options.trace_level, options.timeout_in_ms) == (full, 60000)
    assert options.output_partition_graphs
    assert hooks[1].seen[0].run_metadata.HasField("step_stats")


def test_runs_go_on_when_a_thread_has_asked_to_stop() -> None:
    x = tf.constant(1.0)
    with tf.train.MonitoredSession() as session:
        session._coordinator.request_stop()
        assert session.should_stop()
        assert session.run(x) == 1.0


class Squared:
    def __init__(self, x: Any) -> None:
        self.square = tf.square(x)


def test_sessions_run_objects_of_a_programs_own_kinds() -> None:
    inner = import_module("tensorlite.compat.v1.python.client.session")
    register = inner.register_session_run_conversion_functions
    fetch = lambda x: ([x.square], lambda values: values[0])  # noqa: E731
    register(Squared, fetch, lambda x, value: [(x.square, value)])
    with pytest.raises(ValueError, match="already been registered"):
        register(Squared, fetch)
    one, two = Squared(tf.constant(3.0)), Squared(tf.constant(4.0))
    total = one.square + two.square
    with tf.Session() as session:
        assert session.run(one) == 9.0
        found = session.run({"a": [one, two], "b": total})
        assert found == {"a": [9.0, 16.0], "b": 25.0}
        assert session.run([total, two], {one: 1.0}) == [17.0, 16.0]


def test_what_programs_use_of_sessions_inside() -> None:
    protos = import_module("tensorlite.compat.v1.core.protobuf.config_pb2")
    config = tf.ConfigProto()
    config.rpc_options.CopyFrom(protos.RPCOptions(use_rpc_for_inprocess_master=True))
    with tf.Session(config=config) as session:
        assert session._config.rpc_options.use_rpc_for_inprocess_master
        with session.graph._attr_scope({"_mark": 1}):
            slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
        inner = import_module("tensorlite.compat.v1.python.framework.ops")
        assert isinstance(session.run(slices), inner.IndexedSlicesValue)


def test_checkpoints_are_waited_for_and_evaluated_by_their_inner_paths() -> None:
    inside = "tensorlite.compat.v1.python.training.checkpoint_utils"
    wait = import_module(inside).wait_for_new_checkpoint
    assert wait("/nowhere", None, seconds_to_sleep=0, timeout=0) is None
    inside = "tensorlite.compat.v1.contrib.training.python.training.evaluation"
    once = import_module(inside).evaluate_once
    assert once is tf.contrib.training.evaluate_once


def test_optimizers_of_replicas_take_their_step_from_the_default_graph() -> None:
    weight, step = tf.Variable(4.0), tf.train.get_or_create_global_step()
    inner = tf.train.GradientDescentOptimizer(0.25)
    optimizer = tf.train.SyncReplicasOptimizer(inner, replicas_to_aggregate=1)
    train = optimizer.minimize(weight**2, global_step=step)
    hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
    with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
        for _ in range(3):
            session.run(train)
        assert session.run([weight, step]) == [0.5, 3]
