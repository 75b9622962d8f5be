"""What models written for TensorFlow 1 have shown to be wrong, by as little as shows it."""

from collections.abc import Callable, Iterator
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


def test_structures_are_cut_where_others_have_their_leaves() -> None:
    """tf.contrib.framework.nest has what tf.nest has not; values are TensorFlow 1.15's."""
    contrib: Any = tf.contrib
    nest = contrib.framework.nest
    assert nest.is_sequence((1,))
    assert not nest.is_sequence("ab")
    whole = {"b": [3, (4, 5)], "a": (1, 2)}
    assert nest.flatten_up_to({"a": 0, "b": [0, 0]}, whole) == [(1, 2), 3, (4, 5)]
    sums = nest.map_structure_up_to(
        [0, 0], lambda x, y: len(x) + y, [[1, 2], [3]], [4, 5]
    )
    assert sums == [6, 6]
    assert nest.flatten_dict_items({(4, (5, 6)): ("a", ("b", "c")), 7: [8]}) == {
        4: "a",
        5: "b",
        6: "c",
        7: [8],
    }
    assert nest.flatten_with_joined_string_paths(whole) == [
        ("a/0", 1),
        ("a/1", 2),
        ("b/0", 3),
        ("b/1/0", 4),
        ("b/1/1", 5),
    ]


def test_structures_are_mapped_with_the_ways_to_their_leaves() -> None:
    contrib: Any = tf.contrib
    nest = contrib.framework.nest
    first, second = {"a": [3, 4], "b": (5,)}, {"a": [1, 1], "b": (2,)}
    assert nest.flatten_with_tuple_paths(first)[1:] == [(("a", 1), 4), (("b", 0), 5)]
    joined = nest.map_structure_with_paths(lambda *x: x, first, second)
    assert joined == {"a": [("a/0", 3, 1), ("a/1", 4, 1)], "b": (("b/0", 5, 2),)}
    apart = nest.map_structure_with_tuple_paths(lambda path, x: (path, x), [7])
    assert apart == [((0,), 7)]
    with pytest.raises(ValueError, match="structure"):
        nest.map_structure_with_paths(lambda *x: x, first, {"a": [1, 1]})


@pytest.mark.parametrize(
    ("shallow", "whole", "error", "said"),
    [
        ([0], 1, TypeError, "input must also be a sequence"),
        ([0], (1,), TypeError, "same sequence type"),
        ([0], [1, 2], ValueError, "same sequence length"),
        ({"a": 0}, {"b": 1}, ValueError, "same keys"),
    ],
)
def test_structures_that_do_not_begin_alike_are_told_apart(
    shallow: Any, whole: Any, error: type[Exception], said: str
) -> None:
    contrib: Any = tf.contrib
    nest = contrib.framework.nest
    with pytest.raises(error, match=said):
        nest.assert_shallow_structure(shallow, whole)


def test_a_key_that_stands_twice_is_no_dict() -> None:
    contrib: Any = tf.contrib
    nest = contrib.framework.nest
    with pytest.raises(ValueError, match="the key 4 is not unique"):
        nest.flatten_dict_items({(4, 5): (1, 2), 4: 3})
    with pytest.raises(ValueError, match="Key had 2 elements, but value had 1"):
        nest.flatten_dict_items({(4, 5): (1,)})


def test_graphs_with_summaries_of_pictures_are_described() -> None:
    """The color of what is no number is a tensor among the defaults of ImageSummary."""
    tf.summary.image("picture", tf.zeros([1, 2, 2, 3]))
    found = tf.train.export_meta_graph().meta_info_def.stripped_op_list.op
    colors = [
        one.default_value.tensor
        for op in found
        for one in op.attr
        if (op.name, one.name) == ("ImageSummary", "bad_color")
    ]
    assert [tf.make_ndarray(x).tolist() for x in colors] == [[255, 0, 0, 255]]


def test_devices_may_be_named_by_their_kind() -> None:
    with tf.device("/cpu"):
        assert tf.constant(1.0).device == "/device:CPU:*"


def kinds_of(make: Callable[[], Any]) -> list[str]:
    """Return the types of the nodes that a function makes."""
    graph: Any = tf.get_default_graph()
    before = len(graph.get_operations())
    make()
    return [op.type for op in graph.get_operations()[before:]]


def test_shapes_of_tensors_and_numbers_are_packed_as_tensorflow_packs_them() -> None:
    """Later draws hang on the number of nodes; these are TensorFlow 1.15's."""
    x = tf.placeholder(tf.float32, [None, 3, 4])
    n = tf.shape(x)[0]
    assert kinds_of(lambda: tf.reshape(x, [n, -1])) == ["Const", "Pack", "Reshape"]
    assert kinds_of(lambda: tf.tile(x, [n, 1, 1])) == [
        *["Const", "Const", "Pack", "Tile"]
    ]
    assert kinds_of(lambda: tf.fill([n, 4], 1.0)) == [
        "Const",
        "Pack",
        "Const",
        "Fill",
    ]
    assert kinds_of(lambda: tf.random_normal([n, 4]))[:5] == [
        *["Const", "Pack", "Const", "Const", "RandomStandardNormal"]
    ]
    assert kinds_of(lambda: tf.layers.flatten(x)) == [
        *["Shape", "Const", "Const", "Const", "StridedSlice"],
        *["Const", "Pack", "Reshape"],
    ]


def test_sizes_that_are_partly_tensors_are_known_where_they_are_numbers() -> None:
    x = tf.placeholder(tf.float32, [None, 3, 4])
    n = tf.shape(x)[0]
    wide = tf.constant(12, tf.int64)
    made = [
        tf.reshape(x, [n, 12]),
        tf.reshape(x, [n, wide]),
        tf.random_uniform((n, 12)),
    ]
    assert [y.shape.as_list() for y in made] == [[None, 12]] * 3
    with tf.Session() as session:
        found = session.run(made, {x: [[[0.0] * 4] * 3] * 2})
    assert [y.shape for y in found] == [(2, 12)] * 3


def test_programs_put_attributes_of_their_own_on_tensors() -> None:
    x: Any = tf.identity(tf.placeholder(tf.float32, [None]), name="x")
    x.scope = "layer"
    found: Any = tf.get_default_graph().get_tensor_by_name("x:0")
    assert found.scope == "layer"
