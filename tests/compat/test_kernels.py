"""What kernels and assertions say and compute where TensorFlow's programs rely on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default(), tf.Session() as opened:
        yield opened


def test_assertions_tell_names_and_values(session: Any) -> None:
    x = tf.placeholder(tf.int32, [2], name="small")
    y = tf.constant([3, 4], name="big")
    checked = tf.assert_greater_equal(x, y, message="fail")
    words = r"fail; Condition x >= y did.*; x \(small:0\) = ; \[1 2\]; y \(big:0\) = ; \[3 4\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        session.run(checked, {x: [1, 2]})
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)< 0 did.*big:0.*3 4"
    ):
        tf.assert_negative(y)
    session.run(tf.assert_positive(y))


def test_assertions_of_ranks_tell_names_and_shapes(session: Any) -> None:
    x = tf.constant([1, 2], name="mine")
    with pytest.raises(
        ValueError, match=r"no.  Tensor mine:0 must have rank at least 2.  Rec"
    ):
        tf.assert_rank_at_least(x, 2, message="no")
    with pytest.raises(TypeError, match="must be of type"):
        tf.assert_rank(x, 0.5)
    with pytest.raises(ValueError, match="Rank must be a scalar"):
        tf.assert_rank_in(x, ([1, 2], 0))
    fed = tf.placeholder(tf.float32, name="fed")
    checked = tf.assert_rank_in(fed, (0, 2))
    session.run(checked, {fed: 1.0})
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"fed:0 must have rank in; 0; 2"
    ):
        session.run(checked, {fed: [1.0]})


def test_errors_have_words_that_programs_look_for(session: Any) -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="p")
    y = tf.identity(x)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="must feed a value for placeholder"
    ):
        session.run(y)
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \[2, 2\]"):
        session.run(y, {x: np.zeros((2, 2))})
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        _ = x + tf.zeros([2])
    v = tf.Variable(1.0, name="v")
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="use uninitialized value v"
    ):
        session.run(v)
    places = tf.placeholder(tf.int32)
    rows = tf.gather(tf.zeros([2, 2]), places)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0,1\] = 7 is not in \[0, 2\)"
    ):
        session.run(rows, {places: [[0, 7]]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        session.run(tf.matrix_inverse(tf.ones([2, 2])))


def test_jacobians_of_complex_functions_have_two_columns_an_element(
    session: Any,
) -> None:
    with session.as_default():
        x = tf.constant([1.0 + 2.0j], tf.complex128)
        first, second = tf.test.compute_gradient(x, [1], x * x, [1])
        np.testing.assert_allclose(first, second, atol=1e-8)
        assert first.shape == (2, 2)
        at = np.asarray([1.0 + 2.0j])
        first, _ = tf.test.compute_gradient(x, [1], x * x, [1], x_init_value=at)
        np.testing.assert_allclose(first, [[2.0, 4.0], [-4.0, 2.0]])


def test_jacobians_of_rows_that_are_picked(session: Any) -> None:
    with session.as_default():
        x = tf.constant(np.ones((3, 2)))
        y = tf.gather(x, [2, 2])
        assert tf.test.compute_gradient_error(x, [3, 2], y, [2, 2]) < 1e-8


def test_gradients_of_powers_do_not_overflow(session: Any) -> None:
    x, y = tf.constant([6.0, 6.0], tf.float16), tf.constant([6.0, 1.0], tf.float16)
    z = tf.pow(x, y)
    only_second = tf.constant([0.0, 1.0], tf.float16)
    for slope in session.run(tf.gradients(z, [x, y], only_second)):
        assert slope[0] == 0.0
        assert np.isfinite(slope).all()


def test_gather_along_an_axis_that_is_fed(session: Any) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    axis = tf.placeholder(tf.int32)
    y = tf.gather(x, [[1, 0]], axis=axis)
    for given in (0, 1, -1):
        np.testing.assert_array_equal(
            session.run(y, {axis: given}), np.take(x, [[1, 0]], given)
        )
    known = tf.gather(x, [1], axis=tf.constant(1))
    np.testing.assert_array_equal(session.run(known), x[:, 1:2])


def test_confusion_matrices_of_tensors_of_unknown_shape(session: Any) -> None:
    labels, found = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    counts = tf.confusion_matrix(labels, found, num_classes=2)
    np.testing.assert_array_equal(
        session.run(counts, {labels: [0, 1, 1], found: [0, 0, 1]}), [[1, 0], [1, 1]]
    )
    for wrong, words in ((-1, "`labels` contains negative"), (2, "`labels` out of")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(counts, {labels: [wrong], found: [0]})
    with pytest.raises(ValueError, match="must be equal"):
        tf.confusion_matrix([1, 2], [1, 2, 3])


def test_labels_of_metrics_may_be_values_of_sparse_tensors(session: Any) -> None:
    places, sizes = np.asarray([[0, 0], [1, 0], [1, 1]]), np.asarray([2, 2])
    labels = tf.SparseTensorValue(places, np.asarray([2, 0, 1]), sizes)
    scores = tf.constant([[0.1, 0.2, 0.7], [0.5, 0.1, 0.4]])
    recall, update = tf.metrics.recall_at_k(labels, scores, 1)
    session.run(tf.local_variables_initializer())
    assert session.run(update) == pytest.approx(2 / 3)
    assert session.run(recall) == pytest.approx(2 / 3)


def test_nothing_to_add_and_no_weights_are_refused(session: Any) -> None:
    wrong: Any
    for wrong in ([], tf.constant(1)):
        with pytest.raises(ValueError, match="inputs must be a list of at least one"):
            tf.accumulate_n(wrong)
    for loss in (
        tf.losses.absolute_difference,
        tf.losses.mean_pairwise_squared_error,
    ):
        with pytest.raises(ValueError, match="weights must not be None"):
            loss(tf.zeros([2, 2]), tf.zeros([2, 2]), weights=None)
    with pytest.raises(TypeError, match="numeric"):
        tf.conj(tf.constant("text"))
    assert tl.errors.InvalidArgumentError is tf.errors.InvalidArgumentError


def test_parts_of_variables_are_assigned_to(session: Any) -> None:
    v = tf.Variable(np.arange(6.0).reshape(2, 3), name="v")
    part = v[1:, tf.constant(0)]
    written = part.assign([9.0])
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="uninitialized value v"
    ):
        session.run(written)
    session.run(v.initializer)
    np.testing.assert_array_equal(session.run(part), [3.0])
    now = [[0.0, 1.0, 2.0], [9.0, 4.0, 5.0]]
    np.testing.assert_array_equal(session.run(written), now)
    np.testing.assert_array_equal(session.run(v), now)
    assert session.run(tf.reduce_sum(part)) == 9.0


def test_loops_without_back_prop_have_no_gradient(session: Any) -> None:
    x = tf.constant(2.0)
    found = tf.while_loop(lambda y: y < 100.0, tf.square, [x], back_prop=False)
    assert session.run(found) == 256.0
    assert session.run(tf.gradients(found + x, x)) == [1.0]
    rows = tf.map_fn(lambda y: y * x, tf.constant([1.0, 2.0]), back_prop=False)
    assert tf.gradients(rows, x) == [None]
    total = tf.foldl(lambda a, y: a + y * x, tf.constant([1.0, 2.0]), back_prop=False)
    assert tf.gradients(total, x) == [None]


def test_words_that_a_table_lacks_have_numbers_by_a_hash(session: Any) -> None:
    lookup = tf.contrib.lookup
    words, numbers = tf.constant(["a", "b"]), tf.constant([0, 1], tf.int64)
    filler = lookup.KeyValueTensorInitializer(words, numbers)
    inner = lookup.HashTable(filler, -1, shared_name="words")
    strong = lookup.StrongHashSpec((1, 2))
    for spec, hashed in (
        (lookup.FastHashSpec, tf.string_to_hash_bucket_fast("z", 3)),
        (strong, tf.string_to_hash_bucket_strong("z", 3, [1, 2])),
    ):
        table = lookup.IdTableWithHashBuckets(inner, 3, hasher_spec=spec)
        session.run(table.initializer)
        found, other = session.run([table.lookup(tf.constant(["b", "z"])), hashed])
        assert found.tolist() == [1, 2 + other]
        assert session.run(table.size()) == 5
    only = lookup.IdTableWithHashBuckets(None, 3)
    session.run(only.initializer)
    assert session.run(only.lookup(tf.constant("z"))) == session.run(
        tf.string_to_hash_bucket_fast("z", 3)
    )
    counted = lookup.index_table_from_tensor(
        [7, 9], num_oov_buckets=1, dtype=tf.int32
    )
    session.run(tf.tables_initializer())
    assert session.run(counted.lookup(tf.constant([9, 8, 7]))).tolist() == [1, 2, 0]
    with pytest.raises(TypeError, match="Keys must be dtype int32"):
        counted.lookup(tf.constant([9], tf.int64))
    with pytest.raises(ValueError, match="must be > 0"):
        lookup.IdTableWithHashBuckets(None, 0)
    with pytest.raises(ValueError, match="must be specified"):
        lookup.index_table_from_tensor(None)
    line = lookup.TextFileIndex.WHOLE_LINE
    with pytest.raises(ValueError, match="Values must be dtype string, got int64"):
        lookup.TextFileInitializer("f", tf.string, line, tf.int64, line)


def test_a_conditional_gives_the_only_result_by_itself_unless_strict(
    session: Any,
) -> None:
    p = tf.placeholder(tf.bool, [])
    one, two = tf.constant(1), tf.constant(2)
    for alone in ([one], (one,), one):
        found = tf.cond(p, lambda alone=alone: alone, lambda: [two])
        assert [session.run(found, {p: x}) for x in (True, False)] == [1, 2]
    kept = tf.cond(p, lambda: (one,), lambda: (two,), strict=True)
    assert session.run(kept, {p: True}) == (1,)


def test_weights_of_losses_of_unknown_shape_fit_or_are_refused(session: Any) -> None:
    losses, weights = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    loss = tf.losses.compute_weighted_loss(losses, weights)
    for fine in (2.0, [[1.0, 1.0]], [[1.0], [3.0]]):
        fed = {losses: np.ones((2, 2)), weights: fine}
        assert session.run(loss, fed) == np.mean(np.ones((2, 2)) * fine)
    for wrong in ([1.0, 1.0], [[1.0, 1.0]] * 3, [[[1.0]]]):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="can not be broadcast"
        ):
            session.run(loss, {losses: np.ones((2, 2)), weights: wrong})


def test_what_is_no_value_of_a_function_is_nan_or_an_error(session: Any) -> None:
    a, b, x = np.array(
        [[-1.0, 1, 1, 0, 1], [1.0, -1, 1, 1, 1], [0.5, 0.5, 2, 0.5, 0.5]]
    )
    found = session.run(tf.betainc(a, b, x))
    np.testing.assert_array_equal(np.isnan(found), [True] * 4 + [False])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Cholesky decomposition was"
    ):
        session.run(tf.cholesky([[1.0, 2.0], [2.0, 1.0]]))


def test_labels_and_weights_of_unknown_shape_lose_a_last_axis(session: Any) -> None:
    labels, weights = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    logits = tf.placeholder(tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights)
    scores, classes, each = (
        np.eye(3) * 4.0,
        np.array([0, 1, 0]),
        np.array([1.0, 2, 3]),
    )
    rows = np.log(np.exp(scores).sum(1)) - scores[np.arange(3), classes]
    for shape in ((3,), (3, 1)):
        fed = {
            labels: classes.reshape(shape),
            weights: each.reshape(shape),
            logits: scores,
        }
        assert session.run(loss, fed) == pytest.approx((rows * each).mean(), rel=1e-6)


def test_errors_of_records_say_which_record(session: Any) -> None:
    lines = tf.placeholder(tf.string)
    columns = tf.decode_csv(lines, [tf.constant([], tf.int32), [0]])
    for given, words in (
        (["1,2", "3"], "Expect 2 fields but have 1 in record 1"),
        (["1,2", "3,x"], "Field 1 in record 1 is not a valid int32"),
        (["1,2", ",4"], "Field 0 is required but missing in record 1!"),
        (['1,a"b'], "Unquoted fields cannot have quotes/CRLFs inside"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(columns, {lines: given})
