"""What models written for TensorFlow 1 have shown to be wrong, by as little as shows it."""

from collections.abc import Iterator
from typing import Any

import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def graphs() -> Iterator[None]:
    """Build a graph of the test's own."""
    before, mode.eager = mode.eager, False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def test_initializers_are_told_of_parts_where_there_are_none() -> None:
    """TensorFlow 1 hands `partition_info` to whatever takes it, None for whole variables."""
    told = []

    def initial(shape: Any, dtype: Any, partition_info: Any) -> Any:
        told.append((list(shape), partition_info))
        return tf.ones(shape, dtype)

    tf.layers.dense(tf.zeros([2, 3]), 4, use_bias=False, kernel_initializer=initial)
    assert told == [([3, 4], None)]


def test_conditions_that_are_known_choose_while_the_graph_is_built() -> None:
    """tf.contrib.framework.smart_cond calls one function where it can."""
    framework: Any = tf.contrib.framework
    later = tf.placeholder(tf.bool, [])
    known = (True, 0, tf.constant(True), later)
    assert [framework.smart_constant_value(x) for x in known] == [
        True,
        False,
        True,
        None,
    ]
    assert framework.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2
    chosen = framework.smart_cond(
        later, lambda: tf.constant(1), lambda: tf.constant(2), name="which"
    )
    with tf.Session() as session:
        assert [session.run(chosen, {later: x}) for x in (True, False)] == [1, 2]
    with pytest.raises(TypeError, match="`pred` must be a Tensor"):
        framework.smart_constant_value("yes")
    with pytest.raises(TypeError, match="`true_fn` must be callable"):
        framework.smart_cond(True, 1, lambda: 2)


def test_the_open_name_scope_has_no_slash_at_its_end() -> None:
    framework: Any = tf.contrib.framework
    with tf.name_scope("a"), tf.name_scope("b"):
        assert framework.get_name_scope() == "a/b"
    assert framework.get_name_scope() == ""


def test_modes_of_contrib_learn_are_those_of_estimators() -> None:
    learn: Any = tf.contrib.learn
    keys = learn.ModeKeys
    assert keys.TRAIN == tf.estimator.ModeKeys.TRAIN
    assert keys.INFER == tf.estimator.ModeKeys.PREDICT


def test_a_local_cluster_runs_steps_over_all_its_tasks() -> None:
    workers, servers = tf.test.create_local_cluster(2, 1)
    with tf.device("/job:ps/task:0"):
        total = tf.get_variable("total", initializer=1.0)
    with tf.device("/job:worker/task:1"):
        doubled = total * 2
    first, second = [tf.Session(each.target) for each in workers]
    first.run(tf.global_variables_initializer())
    second.run(total.assign_add(1.0))
    assert first.run(doubled) == 4.0
    first.close()
    second.close()
    for server in (*workers, *servers):
        server.close()


def test_the_type_of_what_graphs_give_is_tensor() -> None:
    """Programs ask `type(x) is tf.Tensor`, and what `x._op` is."""
    x = tf.placeholder(tf.float32, [None])
    assert type(x) is tf.Tensor
    assert type(x).__name__ == "Tensor"
    assert x._op is x.op
    eager = tl.ones(2)
    assert isinstance(eager, tf.Tensor)
    assert issubclass(type(eager), tf.Tensor)
    assert not isinstance(tf.get_variable("v", [2]), tf.Tensor)
    assert not isinstance(1.0, tf.Tensor)


def test_states_of_cells_may_have_sizes_that_only_runs_tell() -> None:
    """An attention wrapper's alignments are as many as its memory is long."""
    memory = tf.placeholder(tf.float32, [None, None, 4])
    seq2seq: Any = tf.contrib.seq2seq
    attention = seq2seq.LuongAttention(4, memory)
    inner = tf.nn.rnn_cell.BasicLSTMCell(4)
    cell = seq2seq.AttentionWrapper(inner, attention, alignment_history=True)
    state = cell.zero_state(tf.shape(memory)[0], tf.float32)
    assert state.alignments.shape.as_list() == [None, None]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(state.alignments, {memory: [[[1.0] * 4] * 3] * 2})
    assert found.tolist() == [[0.0] * 3] * 2
