"""What TensorFlow's own tests of kernels found; what is expected is what TensorFlow 1.15 gives."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.compat.v1.test import TestCase
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def evaluated(tensor: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def test_a_shape_with_unknown_sizes_equals_itself_and_no_other() -> None:
    x, y = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
    assert x.shape == x.shape
    assert x.get_shape() == x.shape
    assert x.shape != y.shape
    assert x.shape != tf.TensorShape([None, 3])


def test_placeholders_have_no_sizes_below_zero() -> None:
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf.placeholder(tf.float32, [-1, 3])


@pytest.mark.parametrize(("dtype", "number"), [("int32", 2**40), ("uint8", 300)])
def test_numbers_that_a_placeholder_cannot_hold_are_of_the_wrong_type(
    dtype: str, number: int
) -> None:
    x = tf.placeholder(dtype)
    with (
        tf.Session() as session,
        pytest.raises(TypeError, match="Type of feed value"),
    ):
        session.run(x, {x: number})


def test_lists_say_the_dtype_of_a_variable() -> None:
    assert tf.get_variable("whole", initializer=[[1, 2]]).dtype.base_dtype == tf.int32
    assert tf.get_variable("real", initializer=2.5).dtype.base_dtype == tf.float32


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scatter_update", [[1, 2], [7, 7]]),
        ("scatter_add", [[1, 2], [10, 11]]),
        ("scatter_sub", [[1, 2], [-4, -3]]),
        ("scatter_max", [[1, 2], [7, 7]]),
        ("scatter_min", [[1, 2], [3, 4]]),
    ],
)
def test_one_number_is_scattered_into_whole_rows(name: str, expected: Any) -> None:
    variable = tf.Variable([[1, 2], [3, 4]])
    assert evaluated(getattr(tf, name)(variable, [1], 7)).tolist() == expected


def test_gather_takes_none_for_no_batch() -> None:
    params = [[10, 11, 12], [13, 14, 15]]
    found = tf.gather(params, [1, 0], axis=1, batch_dims=None)
    assert evaluated(found).tolist() == [[11, 10], [14, 13]]


def test_decompositions_take_no_matrices_and_empty_ones() -> None:
    lu, order = evaluated(tf.linalg.lu(tf.zeros([2, 0, 0])))
    assert (lu.shape, order.shape) == ((2, 0, 0), (2, 0))
    assert evaluated(tf.linalg.sqrtm(tf.zeros([0, 2, 2]))).shape == (0, 2, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: tf.check_numerics(tf.constant([np.inf, np.nan]), "x"),
            "Tensor had Inf and NaN values",
        ),
        (
            lambda: tf.check_numerics(tf.constant([np.nan]), "x"),
            "Tensor had NaN values",
        ),
        (lambda: tf.strings.regex_replace(["a"], "A[", "b"), "Invalid pattern"),
        (
            lambda: tf.io.decode_raw(["ab", "abcd"], tf.uint8),
            "element 1 has size 4 != 2",
        ),
    ],
)
def test_errors_say_what_tensorflows_say(make: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        evaluated(make())


class Writes(TestCase):
    """A test that looks at what is printed."""

    __test__ = False

    def runTest(self) -> None:  # noqa: N802  unittest's name
        with self.captureWritesToStream(sys.__stderr__) as printed:
            print("told", file=sys.__stderr__)
            assert "told" in printed.contents()
        assert "later" not in printed.contents()


def test_writes_to_a_stream_are_captured() -> None:
    result = Writes().run()
    assert result is not None
    assert result.wasSuccessful(), result.failures + result.errors


def test_labels_and_logits_of_an_entropy_broadcast() -> None:
    logits = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    labels = tf.constant([[1.0, 0.0]])
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    assert evaluated(loss) == pytest.approx([1.3132616, 1.3132616])
    by_labels = tf.gradients(loss, labels)[0]
    # -log_softmax of both rows
    assert evaluated(by_labels) == pytest.approx(np.array([[2.6265232, 0.6265232]]))
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.nn.softmax_cross_entropy_with_logits_v2(
            labels=tf.ones([2, 2]), logits=tf.ones([2, 3])
        )


def test_sums_are_of_tensors_of_one_shape() -> None:
    three = tf.ones([3])
    with pytest.raises(
        ValueError, match=r"Dimension 0 .* must be equal, but are 3 an"
    ):
        tf.add_n([three, tf.ones([1])])
    x = tf.placeholder(tf.float32)
    total = tf.add_n([x, three])
    assert total.shape == [3]
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="must be equal"),
    ):
        session.run(total, {x: [1.0]})


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.expand_dims([1], 0.5),
        lambda: tf.split([1, 2], 2, 0.5),
        lambda: tf.argmax([1, 2], 0.5),
        lambda: tf.concat([1.0], 4.2),
        lambda: tf.concat([[1.0], [2.0]], 0.5),
    ],
)
def test_axes_are_no_floats(make: Any) -> None:
    with pytest.raises(TypeError):
        make()


def test_one_tensor_is_joined_by_an_identity_in_the_scope_of_the_call() -> None:
    tf.concat([tf.constant([1.0], name="x")], 0, name="foo")
    names = [node.name for node in tf.get_default_graph().get_operations()]
    assert names == ["x", "foo/concat_dim", "foo/foo"]
    with pytest.raises(ValueError, match="scalar"):
        tf.concat([1.0], [0])


def test_what_is_known_of_shapes_stays_known_where_others_are_not() -> None:
    x, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    rows = tf.ones([2, 3])
    assert tf.concat([x, rows], 0).shape.as_list() == [None, 3]
    assert tf.concat([x, rows], axis).shape.as_list() == [None, None]
    assert tf.slice(x, [0, 0], [2, -1]).shape.as_list() == [2, None]
    ids = tf.placeholder(tf.int32)
    assert tf.segment_sum(rows, ids).shape.as_list() == [None, 3]
    with pytest.raises(ValueError, match="one rank"):
        tf.concat([x, rows, tf.ones([1, 2, 3])], axis)


def test_columns_are_chosen_in_their_order() -> None:
    with pytest.raises(ValueError, match="select_cols is not strictly increasing"):
        tf.decode_csv(["1,a,3"], [[1], [2]], select_cols=[2, 0])
    with pytest.raises(ValueError, match="select_cols contains negative values"):
        tf.decode_csv(["1,a,3"], [[1], [2]], select_cols=[-1, 0])
    with pytest.raises(ValueError, match="Length of select_cols and record_defaults"):
        tf.decode_csv(["1,2"], [[1], [2]], select_cols=[0])
    columns = tf.decode_csv(["1,a,3"], [[1], [2]], select_cols=[0, 5])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Expect 2 fields but have"
    ):
        evaluated(columns)


def test_right_hand_sides_that_are_rows_have_solutions_that_are_rows() -> None:
    bands = tf.constant([[2.0, 1, 4, 0], [1, 3, 2, 2], [0, 1, -1, 1]])
    right = tf.constant([[1.0, 2, 3, 4], [2, 4, 6, 8]])
    found = tf.linalg.tridiagonal_solve(bands, right, transpose_rhs=True)
    assert evaluated(found) == pytest.approx(
        np.array([[-9, 5, -4, 4], [-18, 10, -8, 8]])
    )
    parts = bands[0, :-1], bands[1], bands[2, 1:]
    found = tf.linalg.tridiagonal_solve(parts, right[0], "sequence")
    assert evaluated(found) == pytest.approx([-9, 5, -4, 4])
    none = tf.linalg.tridiagonal_solve(tf.zeros([3, 0]), tf.zeros([0, 1]))
    assert evaluated(none).shape == (0, 1)


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        (b"\x00a\x00b", "UTF-16", "ab"),
        (b"a\x00b\x00", "UTF-16", "\u6100\u6200"),
        (b"\xff\xfea\x00", "UTF-16", "a"),
        (b"\xfe\xff\x00a", "UTF-16", "a"),
        (b"\x00a\xfe\xff", "UTF-16", "a\ufeff"),
        (b"\xff\xfea\x00", "UTF-16-LE", "\ufeffa"),
        (b"\x00\x00\x00a", "UTF-32", "a"),
        (b"\x00\x00\xfe\xff\x00\x00\x00a", "UTF-32", "a"),
    ],
)
def test_codings_of_two_orders_have_the_high_byte_first_unless_a_mark_says(
    text: bytes, encoding: str, expected: str
) -> None:
    found = tf.strings.unicode_transcode(text, encoding, "UTF-8")
    assert evaluated(found) == expected.encode()


def test_codings_are_known_ones() -> None:
    with pytest.raises(ValueError, match="allowed: "):
        tf.strings.unicode_transcode("a", "UTF-8", "UTF-16")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not create conv"):
        evaluated(tf.strings.unicode_transcode("a", "invalid", "UTF-8"))


def test_shapes_of_one_rank_may_differ_in_sizes() -> None:
    shape = tf.TensorShape([2, 3])
    shape.assert_same_rank([4, 5])
    with pytest.raises(ValueError, match="must have the same rank"):
        shape.assert_same_rank([4])
    with pytest.raises(ValueError, match="are incompatible"):
        shape.assert_is_compatible_with([2, 4])
    with pytest.raises(ValueError, match="must have rank at least 4"):
        shape.with_rank_at_least(4)


def test_values_go_one_of_two_ways_and_gradients_back_by_the_same() -> None:
    flow: Any = import_module("tensorlite.compat.v1.python.ops.control_flow_ops")
    x, chosen = tf.constant([1.0, 2.0]), tf.placeholder(tf.int32, [])
    parts = [flow.switch(x, tf.equal(chosen, i))[1] * float(i + 1) for i in range(3)]
    y, number = flow.merge(parts)
    (dx,) = tf.gradients(y, x)
    with tf.Session() as session:
        for i in range(3):
            found = session.run([y, number, dx], {chosen: i})
            assert found[0].tolist() == [i + 1.0, 2 * (i + 1.0)]
            assert found[1] == i
            assert found[2].tolist() == [i + 1.0] * 2
    slices = tf.IndexedSlices(tf.constant([1, 2]), tf.constant([0, 1]))
    merged, side = flow.merge(flow.switch(slices, tf.constant(True)))
    assert evaluated([merged.values, side])[1] == 1
    with pytest.raises(ValueError, match="give tensors"):
        flow.merge([x, None])


def test_places_known_beforehand_do_not_count_from_the_end_either() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = -1 is no"
    ):
        evaluated(tf.gather([1, 2, 3], [-1]))


def test_lists_of_arrays_are_mapped_together() -> None:
    rows = [np.array([1, 2, 3]), np.array([4, 5, 6])]
    total = tf.map_fn(lambda x: x[0] + x[1], rows, dtype=tf.int64)
    assert evaluated(total).tolist() == [5, 7, 9]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.string_join([["a", "b"], [["b"], ["c"]]]), "equal rank"),
        (lambda: tf.substr([["abc"] * 3] * 3, [[1, 2, 3]], [2, 3, 4]), "equal rank"),
        (lambda: tf.substr(b"test", 3, 1, unit="UTF8"), "unit='UTF8'"),
        (lambda: tf.depth_to_space(np.ones((1, 2, 2, 4)), 1), "block_size=1"),
        (lambda: tf.norm([[0.0, 1.0]], ord="fro"), "supported vector norm"),
        (lambda: tf.norm([[0.0, 1.0]], axis=[1, 1]), "2 unique integers"),
        (lambda: tf.tensordot([[1, 2]], [[1], [2]], -1), "axes=-1"),
        (lambda: tf.tensordot([[1, 2]], [[1], [2]], [[0], [7]]), "out of range"),
        (
            lambda: tf.strings.unicode_transcode("a", "UTF-8", "UTF-8", errors="no"),
            "errors='no' not in",
        ),
        (lambda: tf.matmul(tf.zeros([3]), tf.zeros([3])), "rank 2 but is rank 1"),
        (lambda: tf.cholesky(tf.zeros([3])), "at least rank 2 but is rank 1"),
        (lambda: tf.diag(0.0), "at least rank 1 but is rank 0"),
        (lambda: tf.diag_part(0.0), "even and not 0"),
        (lambda: tf.sequence_mask([10, 20], [10, 20]), "maxlen must be scalar"),
        (lambda: tf.fill([3, 2], [1.0, 2.0]), "value must be 0-d"),
    ],
)
def test_what_makes_no_sense_is_refused_as_the_graph_is_built(
    make: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tf.invert_permutation([0, 0]), "0 is duplicated in the input"),
        (lambda: tf.linalg.lu([[1.0, 2.0], [2.0, 4.0]])[0], "not invertible"),
    ],
)
def test_what_makes_no_sense_is_refused_as_it_runs(make: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        evaluated(make())


def test_targets_of_several_tensors_are_differentiated_as_one() -> None:
    x = tf.constant([1.0, 2.0])
    state = tf.nn.rnn_cell.LSTMStateTuple(x * 2.0, x * 3.0)
    assert evaluated(tf.gradients([x * 5.0, state], [x])[0]).tolist() == [10, 10]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (((2, 3), (2, 3)), ((2, 3), (2, 3))),
        (((2, 3, 1), (2, 3)), ((2, 3), (2, 3))),
        (((2, 3), (2, 3, 1)), ((2, 3), (2, 3))),
        (((2, 3, 1), (2, 3, 5)), ((2, 3, 1), (2, 3, 5))),
    ],
)
def test_an_axis_too_much_goes_where_ranks_are_known_when_it_runs(
    sizes: Any, expected: Any
) -> None:
    module: Any = import_module("tensorlite.compat.v1.python.ops.confusion_matrix")
    labels, predictions = (tf.placeholder(tf.int32) for _ in range(2))
    found = module.remove_squeezable_dimensions(labels, predictions)
    fed = dict(zip((labels, predictions), map(np.ones, sizes), strict=True))
    with tf.Session() as session:
        assert tuple(x.shape for x in session.run(found, fed)) == expected


def test_a_test_opens_no_graph_where_all_runs_at_once() -> None:
    context: Any = import_module("tensorlite.compat.v1.python.eager.context")
    case = TestCase()
    with context.eager_mode(), case.session(graph=tf.Graph()) as session:
        assert tf.executing_eagerly()
        assert session.run(tf.constant(3)) == 3


def test_numbers_between_0_and_1_have_a_cross_entropy_with_a_coin() -> None:
    coin = tf.distributions.Bernoulli(probs=[0.2, 0.3])
    found = evaluated(coin.log_prob([0.1, 0.8]))
    expected = [
        0.1 * np.log(0.2) + 0.9 * np.log(0.8),
        0.8 * np.log(0.3) + 0.2 * np.log(0.7),
    ]
    assert found == pytest.approx(expected, rel=1e-5)


def test_a_variable_may_be_what_is_minimized() -> None:
    v = tf.Variable([1.0, 2.0])
    step = tf.train.GradientDescentOptimizer(1.0).minimize(v)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(v).tolist() == [0, 1]


def test_gradients_by_tensors_are_computed_where_all_runs_at_once() -> None:
    context: Any = import_module("tensorlite.compat.v1.python.eager.context")
    with context.eager_mode():
        x = tf.constant(3.0)
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        ((slope, of),) = optimizer.compute_gradients(lambda: x * x, [x])
        assert of is x
        assert float(slope) == 6.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.assert_equal(tf.constant([True, False]), False, message="as said"),
        lambda: tf.assert_equal(tf.constant(["a"]), "b", message="as said"),
        lambda: tf.assert_less(tf.constant([1.5]), 1.0, message="as said"),
        lambda: tf.assert_positive(tf.constant([1.0, -5.0]), message="as said"),
        lambda: tf.debugging.assert_none_equal(tf.ones([2]), 1.0, message="as said"),
    ],
)
def test_what_is_known_not_to_hold_is_said_as_the_graph_is_built(make: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="as said"):
        make()
    tf.assert_equal(tf.placeholder(tf.bool), True)
    tf.assert_less(tf.constant([0.5]), 1.0)


def test_one_of_several_queues_is_chosen_as_it_runs() -> None:
    queues = [tf.FIFOQueue(5, [tf.int32], [[size]]) for size in (2, 3)]
    index = tf.placeholder(tf.int32, [])
    chosen = tf.QueueBase.from_list(index, queues)
    assert isinstance(queues[0], tf.QueueBase)
    assert chosen.shapes[0].as_list() == [None]
    taken, count = chosen.dequeue(), chosen.size()
    assert (taken.op.name, taken.shape.as_list()) == ("GatherV2_Dequeue", [None])
    with tf.Session() as session:
        session.run([queues[0].enqueue([[1, 2]]), queues[1].enqueue([[3, 4, 5]])])
        assert session.run(count, {index: 0}) == 1
        assert session.run(taken, {index: 1}).tolist() == [3, 4, 5]
        assert session.run(taken, {index: 0}).tolist() == [1, 2]


def test_features_of_one_length_have_a_shape() -> None:
    feature = tf.FixedLenFeature(None, tf.float32)
    with pytest.raises(ValueError, match="Missing shape for feature a"):
        tf.parse_example([b""], {"a": feature})


@pytest.mark.parametrize("key", ["mapping", "vocabulary_list"])
def test_words_of_numbers_are_told_by_both_names(key: str) -> None:
    make = tf.contrib.lookup.index_to_string_table_from_tensor
    table = make(**{key: ["a", "b"]}, default_value="?")
    found = table.lookup(tf.constant([1, 5], tf.int64))
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(found).tolist() == [b"b", b"?"]


@pytest.mark.parametrize(
    ("function", "shape", "total"),
    [
        (tf.signal.mfccs_from_log_mel_spectrograms, None, 11.990401),
        (tf.signal.mfccs_from_log_mel_spectrograms, [2, 3, None], 11.990401),
        (tf.signal.dct, None, 37.91698),
        (tf.signal.dct, [None, None, None], 37.91698),
        (lambda x: tf.abs(tf.signal.stft(x, 4, 1)), None, 28.273705),
        (
            lambda x: tf.signal.inverse_stft(tf.cast(x, "complex64"), 4, 1),
            None,
            0.52385,
        ),
        (lambda x: tf.abs(tf.signal.rfft(x)), None, 24.811808),
        (tf.linalg.pinv, None, 3.2956808),
    ],
)
def test_signals_and_matrices_may_have_any_rank(
    function: Any, shape: Any, total: float
) -> None:
    x = tf.placeholder(tf.float32, shape)
    values = np.random.RandomState(0).rand(2, 3, 5).astype(np.float32)
    with tf.Session() as session:
        found = session.run(function(x), {x: values})
    assert float(found.sum()) == pytest.approx(total, rel=1e-4)
