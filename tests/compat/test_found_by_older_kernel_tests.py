"""What TensorFlow 1.15's own tests of its operators found to be otherwise here; values are its."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
variable_scope = import_module("tensorlite.compat.v1.python.ops.variable_scope")
variables = import_module("tensorlite.compat.v1.python.ops.variables")


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def test_constraints_are_functions() -> None:
    with pytest.raises(ValueError, match="must be a callable"):
        tf.Variable(1.0, constraint=0)
    with pytest.raises(ValueError, match="must be a callable"):
        tf.get_variable("v", [1], constraint=0)


def test_first_values_of_loops_and_branches_are_refused() -> None:
    def body(i: Any, _: Any) -> Any:
        return i + 1, tf.Variable(tf.zeros([], tf.int32)).read_value()

    def branch() -> Any:
        return tf.Variable(tf.zeros([])).read_value()

    with pytest.raises(ValueError, match="inside a control-flow"):
        tf.while_loop(lambda i, _: i < 10, body, [0, 0])
    with pytest.raises(ValueError, match="inside a control-flow"):
        tf.cond(tf.constant(True), branch, lambda: tf.constant(1.0))


def test_writes_lie_where_their_variable_does() -> None:
    with tf.device("/job:ps"):
        v = tf.Variable(0, name="v")
    with tf.device("/job:worker/task:7"):
        write = v.assign(1)
    assert write.device == "/job:ps"
    assert write.op.colocation_groups() == [b"loc:@v"]


def test_values_are_read_where_they_are_cached() -> None:
    v = tf.Variable(2.0, caching_device="/job:foo")
    assert v.device == ""
    assert v.value().device == "/job:foo"
    with tf.variable_scope("x", caching_device="/job:bar"):
        w = tf.get_variable("w", [])
    assert tf.convert_to_tensor(w).device == "/job:bar"


def test_what_is_noted_of_variables_tells_how_copies_are_joined() -> None:
    when = tf.VariableSynchronization.NONE
    how = tf.VariableAggregation.ONLY_FIRST_REPLICA
    v = tf.Variable(2.0, synchronization=when, aggregation=how)
    noted = v.to_proto()
    assert (noted.synchronization, noted.aggregation) == (1, 3)
    again = tf.Variable(variable_def=noted)
    assert again.synchronization == when
    assert again.aggregation == how
    assert repr(v) == "<tf.Variable 'Variable:0' shape=() dtype=float32_ref>"


def test_counting_stops_at_the_limit() -> None:
    v = tf.Variable(3)
    up = v.count_up_to(3)
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
            session.run(up)


def test_there_is_nothing_to_assert_of_no_variables() -> None:
    assert tf.assert_variables_initialized() is None
    tf.Variable([1, 2])
    assert tf.assert_variables_initialized() is not None


def _parts(first: float, second: float) -> Any:
    parts = [tf.Variable([first]), tf.Variable([second])]
    for i, part in enumerate(parts):
        place = tf.Variable.SaveSliceInfo("whole", [2], [i], [1])
        part._set_save_slice_info(place)
    return variables.PartitionedVariable("whole", [2], tf.float32, parts[::-1], [2])


def test_variables_are_joined_of_parts_by_hand() -> None:
    one, two = _parts(0.0, 1.0), _parts(20.0, 30.0)
    assert one != two
    assert one == one  # noqa: PLR0124  # variables in parts are equal to themselves only
    changes = one.assign_add(tf.constant([1.0, 2.0])), two.assign_sub(one)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(one).tolist() == [0.0, 1.0]
        assert session.run(changes[0]) == [[1.0], [3.0]]
        assert session.run(changes[1]) == [[19.0], [27.0]]
    with pytest.raises(ValueError, match="may not be empty"):
        variables.PartitionedVariable("whole", [2], tf.float32, [], [2])
    with pytest.raises(ValueError, match="save_slice_info"):
        variables.PartitionedVariable("w", [1], tf.int32, [tf.Variable([0])], [1])
    with pytest.raises(ValueError, match="full shapes must match"):
        variables.PartitionedVariable("w", [3], tf.float32, list(one), [2])
    with pytest.raises(ValueError, match="must be positive"):
        variables.PartitionedVariable("w", [2], tf.float32, list(one), [0])


def test_parts_tell_along_which_axis_they_are_cut() -> None:
    info = variable_scope._PartitionInfo(full_shape=[9, 3], var_offset=[4, 0])
    assert info.single_offset([1, 3]) == 4
    assert info.single_slice_dim([2, 3]) == 0
    with pytest.raises(ValueError, match="more than one axis"):
        info.single_slice_dim([2, 2])
    with pytest.raises(ValueError, match="exceed"):
        info.single_slice_dim([8, 3])
    with pytest.raises(TypeError, match="must be a sequence"):
        variable_scope._PartitionInfo(full_shape="shape", var_offset=[1, 0])
    with pytest.raises(ValueError, match="equal length"):
        info.single_offset([1])


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("weighted", [False, True])
def test_joined_embeddings_of_16_bits_have_32(combiner: str, weighted: bool) -> None:
    places, shape = [[0, 0], [0, 1], [1, 0]], [2, 2]
    ids = tf.SparseTensor(places, tf.constant([0, 1, 2], tf.int64), shape)
    weights = tf.SparseTensor(places, [1.0, 2.0, 3.0], shape) if weighted else None
    table = tf.ones([4, 3], tf.float16)
    found = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner=combiner)
    assert found.dtype == tf.float32


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("kind", ["delta_orthogonal", "orthogonal"])
def test_kernels_that_keep_norms(axes: int, kind: str) -> None:
    title = kind if kind.startswith("delta") else f"{kind}_{axes}d"
    initializer = getattr(tf.contrib.framework, f"convolutional_{title}")(2.0, seed=1)
    size = 3
    kernel = initializer([size] * axes + [2, 4])
    assert kernel.shape == [size] * axes + [2, 4]
    images = np.random.RandomState(0).randn(1, *[6] * axes, 2).astype(np.float32)
    around = [(0, 0), *[(1, 1)] * axes, (0, 0)]
    wrapped = np.pad(images, around, "wrap")
    found = tf.nn.convolution(wrapped, kernel, "VALID")
    with tf.Session() as session:
        norm = np.linalg.norm(session.run(found))
    np.testing.assert_allclose(norm, 2 * np.linalg.norm(images), rtol=1e-4)
    with pytest.raises(ValueError, match="out_filters"):
        initializer([size] * axes + [4, 2])
    with pytest.raises(ValueError, match="dimensional"):
        initializer([size, size])


def test_hooks_are_tried_with_a_session_that_is_there() -> None:
    monitored = import_module(
        "tensorlite.compat.v1.python.training.monitored_session"
    )
    step = tf.train.get_or_create_global_step()
    hook = tf.train.StopAtStepHook(last_step=2)
    hook.begin()
    with tf.Session() as session:
        session.run(step.initializer)
        hook.after_create_session(session, None)
        hooked = monitored._HookedSession(session, [hook])
        hooked.run(tf.assign(step, 1))
        assert not hooked.should_stop()
        hooked.run(tf.assign(step, 2))
        assert hooked.should_stop()
        with pytest.raises(RuntimeError, match="should_stop"):
            hooked.run(step)


def test_tests_that_skip_eager_run_in_graphs_only() -> None:
    test_util = import_module("tensorlite.compat.v1.python.framework.test_util")
    modes: list[Any] = []

    @test_util.run_all_in_graph_and_eager_modes
    class Tests(tf.test.TestCase):  # type: ignore[misc]
        def testBoth(self) -> None:  # noqa: N802  a test of TensorFlow's style
            modes.append(tf.executing_eagerly())

        def testSkipEagerOfThis(self) -> None:  # noqa: N802  so is this
            modes.append("graph" if not tf.executing_eagerly() else "eager")

    Tests("testBoth").debug()
    Tests("testSkipEagerOfThis").debug()
    assert modes == [False, True, "graph"]


@pytest.mark.parametrize("kind", ["BasicRNNCell", "GRUCell", "BasicLSTMCell"])
def test_cells_are_told_and_made_again(kind: str) -> None:
    make = getattr(tf.nn.rnn_cell, kind)
    cell = make(4, activation="relu", name="c", dtype=tf.float32)
    told = cell.get_config()
    assert (told["num_units"], told["activation"], told["dtype"]) == (
        4,
        "relu",
        "float32",
    )
    again = make.from_config(told)
    assert again.get_config() == told
    _, state = again(tf.ones([2, 3]), again.zero_state(2, tf.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert all((x >= 0).all() for x in session.run(tf.nest.flatten(state)))


def test_lstms_are_told_and_made_again() -> None:
    first = tf.initializers.orthogonal(2.0)
    cell = tf.nn.rnn_cell.LSTMCell(4, True, 5.0, first, num_proj=3)
    told = cell.get_config()
    assert told["initializer"] == {
        "class_name": "Orthogonal",
        "config": {"gain": 2.0, "seed": None, "dtype": "float32"},
    }
    assert (told["use_peepholes"], told["cell_clip"], told["num_proj"]) == (
        True,
        5.0,
        3,
    )
    assert tf.nn.rnn_cell.LSTMCell.from_config(told).get_config() == told


def test_wrappers_are_told_and_made_again() -> None:
    cell = tf.nn.rnn_cell.LSTMCell(10)
    for wrapper in (
        tf.nn.rnn_cell.DropoutWrapper(cell, 0.5, seed=3),
        tf.nn.rnn_cell.ResidualWrapper(cell, lambda x, y: x + x + y),
        tf.nn.rnn_cell.DeviceWrapper(cell, "/cpu:0"),
    ):
        told = wrapper.get_config()
        assert told["cell"]["class_name"] == "LSTMCell"
        with pytest.raises(ValueError, match="cannot reconstruct the wrapped cell"):
            type(wrapper).from_config(told)
        inner = tf.nn.rnn_cell.LSTMCell.from_config(told["cell"]["config"])
        assert type(wrapper).from_config({**told, "cell": inner}).get_config() == told


def test_first_states_have_what_inputs_have() -> None:
    cell = tf.nn.rnn_cell.LSTMCell(3)
    x = tf.ones([2, 3])
    assert cell.get_initial_state(x).c.shape == [2, 3]
    for given in (
        {"batch_size": 2},
        {"inputs": x, "batch_size": 5},
        {"inputs": x, "dtype": tf.float64},
    ):
        with pytest.raises(ValueError, match=r"batch_size|dtype"):
            cell.get_initial_state(**given)


def test_cells_of_one_scope_have_variables_of_their_own() -> None:
    x = tf.ones([2, 3])
    for cell in (tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4)):
        cell(x, cell.zero_state(2, tf.float32))
    names = [v.name for v in tf.global_variables() if "candidate/bias" in v.name]
    assert names == ["gru_cell/candidate/bias:0", "gru_cell_1/candidate/bias:0"]


def test_empty_lists_are_fed_whatever_is_asked_for() -> None:
    texts, numbers = (
        tf.placeholder(tf.string, [None]),
        tf.placeholder(tf.int32, [None]),
    )
    with tf.Session() as session:
        assert session.run(tf.strings.length(texts), {texts: []}).tolist() == []
        assert session.run(numbers, {numbers: np.array([])}).dtype == np.int32


def test_shapes_become_tensors_of_integers() -> None:
    x = tf.convert_to_tensor(tf.TensorShape([1, 2]))
    assert (x.name, x.dtype) == ("shape_as_tensor:0", tf.int32)
    large = tf.TensorShape([1, 2**31])
    assert tf.convert_to_tensor(large).dtype == tf.int64
    with pytest.raises(ValueError, match="too large"):
        tf.convert_to_tensor(large, dtype=tf.int32)
    with pytest.raises(TypeError, match="Cannot convert a TensorShape"):
        tf.convert_to_tensor(tf.TensorShape([1, 2]), dtype=tf.float32)
    with pytest.raises(ValueError, match="partially known"):
        tf.convert_to_tensor(tf.TensorShape([None, 3]))


def test_shapes_of_constants_are_verified() -> None:
    assert tf.constant([1, 2], shape=[3]).shape == [3]
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.constant([1, 2], shape=[3], verify_shape=True)


@pytest.mark.parametrize("sizes", [[2, 4, 4, 3], [2, 10]])
@pytest.mark.parametrize("training", [False, True])
def test_fused_batch_norms_of_16_bits_have_variables_of_32(
    sizes: list[int], training: bool
) -> None:
    x = np.random.RandomState(0).randn(*sizes).astype(np.float16)
    given = {"fused": True, "scale": True, "is_training": training, "epsilon": 0.0}
    made = tf.contrib.layers.batch_norm(tf.constant(x), **given)
    assert made.dtype == tf.float16
    assert {v.dtype.base_dtype for v in tf.global_variables()} == {tf.float32}
    axes = tuple(range(len(sizes) - 1))
    expected = (x - x.mean(axes)) / x.std(axes) if training else x
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(made), expected, atol=0.01)


def test_layers_know_what_getters_do_not_let_be_trained() -> None:
    def getter(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return getter(*args, **{**kwargs, "trainable": False})

    with tf.variable_scope("root", custom_getter=getter):
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        cell(tf.ones([1, 2]), tf.ones([1, 2]))
    assert not cell.trainable_variables
    names = [v.name.partition("/")[2] for v in cell.non_trainable_variables]
    assert names == ["basic_rnn_cell/kernel:0", "basic_rnn_cell/bias:0"]
    assert not tf.trainable_variables()
