"""What unit tests of TensorFlow 2 found wrong; expected is what NumPy or TensorFlow gives."""

from __future__ import annotations

from importlib import import_module
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2
from tensorlite.core.errors import AssertionFailedError, InvalidArgumentError

tf: Any = v2


@pytest.mark.parametrize(
    ("axis", "batch_dims"), [(0, 0), (1, 0), (-1, 0), (2, 1), (1, 1)]
)
def test_gathers_have_gradients_where_ranks_are_not_known(
    axis: int, batch_dims: int
) -> None:
    params = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    indices = np.array([[1, 0, 1], [0, 1, 1]])

    def taken(x: Any, at: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, at, axis=axis, batch_dims=batch_dims)
            whole = tf.reduce_sum(y * y)
        return tape.gradient(whole, x)

    traced = tf.function(
        taken, input_signature=[tf.TensorSpec(None), tf.TensorSpec(None, tf.int64)]
    )
    with tf.GradientTape() as tape:
        x = tf.constant(params)
        tape.watch(x)
        y = tf.gather(x, indices, axis=axis, batch_dims=batch_dims)
        whole = tf.reduce_sum(y * y)
    expected = tf.convert_to_tensor(tape.gradient(whole, x))
    np.testing.assert_allclose(
        tf.convert_to_tensor(traced(params, indices)), expected
    )


def test_one_number_repeats_all_rows_of_a_graph() -> None:
    def repeated(x: Any) -> Any:
        return tf.repeat(x, [2], axis=0)

    traced = tf.function(repeated)
    x = np.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(traced(x), np.repeat(x, 2, axis=0))


def test_binomial_draws_are_nan_of_a_chance_that_is_none_and_0_of_no_trials() -> None:
    counts = np.array([5, 5, 5, 0, 0, 0], np.float32)
    chances = np.array([0, 1, nan, -10, 10, nan], np.float32)
    drawn = tf.random.Generator.from_seed(1).binomial(
        [6], counts, chances, tf.float32
    )
    np.testing.assert_array_equal(drawn, [0, 5, nan, 0, 0, 0])


def test_poisson_draws_of_an_endless_mean_are_endless() -> None:
    assert np.all(np.isinf(tf.random.poisson([2], inf)))


@pytest.mark.parametrize("wanted", ["float16", "float32", "bfloat16"])
@pytest.mark.parametrize("given", ["float16", "float32", "float64", "bfloat16"])
def test_saturated_casts_to_floats_are_finite(given: str, wanted: str) -> None:
    ends = tf.saturate_cast(tf.constant([inf, -inf], given), wanted)
    assert np.all(np.isfinite(ends.numpy().astype(np.float64)))


def test_histograms_overflow_nowhere_and_take_numbers_of_bins_of_a_graph() -> None:
    values = tf.constant([3e38, 100.0], tf.float32)
    ends = tf.constant([-1e38, 3e38])
    assert tf.histogram_fixed_width(values, ends, 2).numpy().tolist() == [1, 1]
    whole = tf.constant([-(2**31), 2**31 - 1])
    assert tf.histogram_fixed_width(whole, whole, 2).numpy().tolist() == [1, 1]

    def counted(nbins: Any) -> Any:
        return tf.histogram_fixed_width(
            [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins
        )

    traced = tf.function(counted, input_signature=[tf.TensorSpec([], tf.int32)])
    assert traced(5).numpy().tolist() == [2, 1, 1, 0, 2]
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.histogram_fixed_width(values, ends, [1, 2])
    with pytest.raises(ValueError, match="should be a vector of 2 elements"):
        tf.histogram_fixed_width(values, [1.0, 2.0, 3.0])


def test_real_transforms_of_no_elements_are_empty_and_lengths_below_zero_refused() -> (
    None
):
    assert tf.signal.rfft(tf.zeros([3, 4]), [0]).shape == (3, 0)
    with pytest.raises(InvalidArgumentError, match="must be >= 0"):
        tf.signal.rfft2d(tf.zeros([6, 4]), [1, -1])


def test_mel_weights_take_a_rate_and_numbers_of_bins_that_a_graph_computes() -> None:
    expected = tf.signal.linear_to_mel_weight_matrix(20, 129, 8000.0)

    def weights(rate: Any, bins: Any) -> Any:
        return tf.signal.linear_to_mel_weight_matrix(20, bins, rate)

    traced = tf.function(
        weights, input_signature=[tf.TensorSpec([]), tf.TensorSpec([], tf.int32)]
    )
    np.testing.assert_allclose(traced(8000.0, 129), expected, atol=1e-6)
    rate = tf.constant(8000.0)
    again = tf.signal.linear_to_mel_weight_matrix(20, 129, rate)
    np.testing.assert_array_equal(again, expected)
    with pytest.raises(ValueError, match="floating"):
        tf.signal.linear_to_mel_weight_matrix(dtype=tf.int32)


def test_tails_of_distributions_are_exact_far_out() -> None:
    kinds = v1.distributions
    normal = kinds.Normal(0.0, 1.0)
    np.testing.assert_allclose(normal.log_cdf(-20.0), -203.91715537109727, rtol=1e-6)
    np.testing.assert_allclose(
        normal.log_survival_function(20.0), -203.91715537109727, rtol=1e-6
    )
    np.testing.assert_allclose(
        normal.survival_function(10.0), 7.6198530e-24, rtol=1e-5
    )
    np.testing.assert_allclose(normal.quantile(1e-30), -11.46402, rtol=1e-6)
    laplace = kinds.Laplace(0.0, 1.0)
    np.testing.assert_allclose(laplace.log_cdf(-200.0), -200 - np.log(2), rtol=1e-6)
    exponential = kinds.Exponential(2.0)
    np.testing.assert_allclose(exponential.log_survival_function(100.0), -200.0)


def test_distributions_check_what_they_are_given_where_asked_to() -> None:
    kinds = v1.distributions
    with pytest.raises(AssertionFailedError, match="x > 0"):
        kinds.StudentT([2.0, -5.0], 0.0, 1.0, validate_args=True)
    events = kinds.Bernoulli(probs=[0.1, 0.2], validate_args=True)
    with pytest.raises(AssertionFailedError, match="non-negative"):
        events.prob([-1, 1])
    with pytest.raises(AssertionFailedError, match="cannot exceed 1"):
        events.prob([2, 1])


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("framework.config", "set_soft_device_placement"),
        ("ops.stateful_random_ops", "Generator"),
        ("ops.ragged.ragged_string_ops", "string_bytes_split"),
        ("ops.random_crop_ops", "random_crop"),
        ("ops.unconnected_gradients", "UnconnectedGradients"),
        ("ops.linalg.sparse.conjugate_gradient", "conjugate_gradient"),
    ],
)
def test_inner_modules_have_names(module: str, name: str) -> None:
    found = import_module(f"tensorlite.compat.v2.python.{module}")
    assert callable(getattr(found, name))


def test_inner_losses_are_those_of_version_1_and_prints_those_of_version_2() -> None:
    losses = import_module("tensorlite.compat.v2.python.ops.losses.losses")
    assert losses.mean_squared_error is v1.losses.mean_squared_error
    logging = import_module("tensorlite.compat.v2.python.ops.logging_ops")
    assert logging.print_v2 is tf.print


def test_functions_along_axes_are_converted_in_traced_functions() -> None:
    def limited(x: Any) -> Any:
        if x > 1:
            return x * 10
        return x

    class Layer(tf.keras.layers.Layer):  # type: ignore[misc]
        def one(self, x: Any) -> Any:
            if x > 1:
                return x * 10
            return x

        def call(self, x: Any) -> Any:
            return tf.map_fn(self.one, x)

    xs, expected = tf.constant([1, 2, 3]), [1, 20, 30]
    for traced in (
        tf.function(lambda x: tf.map_fn(limited, x)),
        tf.function(lambda x: v1.map_fn(limited, x)),
        tf.function(Layer()),
    ):
        assert traced(xs).numpy().tolist() == expected


def test_ragged_tensors_are_split_into_rows() -> None:
    x = tf.ragged.constant([[1, 2], [3], [4, 5, 6], [7]])
    halves = [part.to_list() for part in tf.split(x, 2, num=2)]
    assert halves == [[[1, 2], [3]], [[4, 5, 6], [7]]]
    parts = [part.to_list() for part in tf.split(x, tf.constant([1, 3]))]
    assert parts == [[[1, 2]], [[3], [4, 5, 6], [7]]]
    inner = tf.RaggedTensor.from_row_splits(tf.ones([4, 6]), [0, 1, 4])
    assert [
        part.flat_values.shape[1] for part in tf.split(inner, [2, 4], axis=2)
    ] == [2, 4]
    for wrong in (3, 0, [1, 2], [5, -1]):
        with pytest.raises(InvalidArgumentError, match="Cannot exactly split"):
            tf.split(x, wrong)
    with pytest.raises(InvalidArgumentError, match="`num` does not match"):
        tf.split(x, [1, 3], num=3)


def test_functions_of_matrices_take_linear_operators() -> None:
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
    operator = tf.linalg.LinearOperatorFullMatrix(
        matrix, is_self_adjoint=True, is_positive_definite=True
    )
    right = np.array([[1.0], [2.0]], np.float32)
    for found, expected in (
        (tf.matmul(operator, right), matrix @ right),
        (tf.matmul(right, operator, adjoint_a=True), right.T @ matrix),
        (tf.linalg.solve(operator, right), np.linalg.solve(matrix, right)),
        (tf.linalg.inv(operator).to_dense(), np.linalg.inv(matrix)),
        (tf.linalg.det(operator), 11.0),
        (tf.linalg.logdet(operator), np.log(11.0)),
        (tf.linalg.trace(operator), 7.0),
        (tf.linalg.diag_part(operator), [4.0, 3.0]),
        (tf.linalg.adjoint(operator).to_dense(), matrix),
        (tf.linalg.cholesky(operator).to_dense(), np.linalg.cholesky(matrix)),
        (tf.matmul(operator, operator).to_dense(), matrix @ matrix),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    with pytest.raises(InvalidArgumentError, match="not transposed"):
        tf.matmul(operator, right, transpose_a=True)
    with pytest.raises(InvalidArgumentError, match="solved for by a tensor"):
        tf.linalg.solve(matrix, operator)
    with v1.Graph().as_default(), v1.Session() as session:
        product = v1.matmul(tf.linalg.LinearOperatorDiag([2.0, 3.0]), right)
        np.testing.assert_array_equal(session.run(product), [[2.0], [6.0]])


def test_products_of_operators_of_unknown_shapes_are_square_as_told() -> None:
    def square(x: Any) -> Any:
        one = tf.linalg.LinearOperatorFullMatrix(x, is_square=True)
        return tf.constant(bool(one.matmul(one).is_square))

    assert tf.function(square, [tf.TensorSpec(None)])(np.ones([2, 2], np.float32))


def test_ranks_of_matrices_of_unknown_shapes() -> None:
    traced = tf.function(tf.linalg.matrix_rank, [tf.TensorSpec(None)])
    assert traced(np.ones([2, 3, 3], np.float32)).numpy().tolist() == [1, 1]


def test_exponentials_of_matrices_without_end_are_nan() -> None:
    found = tf.linalg.expm([[[inf, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert np.all(np.isnan(found[0]))
    np.testing.assert_array_equal(found[1], np.eye(2))


def test_the_least_shape_of_no_elements_is_nothing() -> None:
    empty = tf.sparse.from_dense(tf.zeros([4, 5]))
    assert tf.sparse.reset_shape(empty).dense_shape.numpy().tolist() == [0, 0]


def test_volumes_are_pooled_with_dilations() -> None:
    x = tf.ones([1, 4, 4, 4, 1])
    made = tf.nn.pool(x, [2, 2, 2], "AVG", dilations=[2, 1, 1])
    assert made.shape == (1, 2, 3, 3, 1)


def test_distributions_of_unknown_shapes_are_drawn_from() -> None:
    with v1.Graph().as_default(), v1.Session() as session:
        logits = v1.placeholder(tf.float32)
        kind = v1.distributions.Categorical(logits)
        normal = v1.distributions.Normal(logits, 1.0)
        assert normal.batch_shape.rank is None
        drawn = session.run(
            kind.sample(), {logits: [[-100.0, 100.0], [100.0, -100.0]]}
        )
    assert drawn.tolist() == [1, 0]


def test_places_that_are_not_there_are_zeros_where_they_are_ignored() -> None:
    x = tf.constant([[1, 2], [3, 4]])
    places = [[0, 5], [1, 1], [-1, 0]]
    found = tf.gather_nd(x, places, bad_indices_policy="IGNORE")
    assert found.numpy().tolist() == [0, 4, 0]
    rows = tf.gather_nd(x, [[2], [1]], bad_indices_policy="IGNORE")
    assert rows.numpy().tolist() == [[0, 0], [3, 4]]
    each = tf.gather_nd(x, [[1], [2]], batch_dims=1, bad_indices_policy="IGNORE")
    assert each.numpy().tolist() == [2, 0]
    with tf.GradientTape() as tape:
        y = tf.constant([1.0, 2.0])
        tape.watch(y)
        read = tf.gather_nd(y, [[1], [7]], bad_indices_policy="IGNORE")
    assert tape.gradient(read, y).numpy().tolist() == [0, 1]
    with pytest.raises(InvalidArgumentError, match="is not in"):
        tf.gather_nd(x, places, bad_indices_policy="ERROR")
    with pytest.raises(InvalidArgumentError, match="allowed are"):
        tf.gather_nd(x, places, bad_indices_policy="FOO")


def test_what_does_not_fit_is_refused() -> None:
    sparse = tf.sparse.from_dense([[1.0, 2.0]])
    for a, b, turned in (
        (sparse, tf.ones([3, 2]), False),
        (sparse, tf.ones([2, 2]), True),
    ):
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            tf.sparse.sparse_dense_matmul(a, b, adjoint_a=turned)
    assert tf.sparse.sparse_dense_matmul(sparse, tf.ones([2, 3])).shape == (1, 3)
    with pytest.raises(ValueError, match="under an ellipsis"):
        tf.einsum("...ij,...jk->ik", tf.ones([2, 2, 3]), tf.ones([3, 4]))
    assert tf.einsum("...ij,...jk->ik", tf.ones([2, 3]), tf.ones([3, 4])).shape == (
        2,
        4,
    )
    quantization = tf.quantization
    with pytest.raises(InvalidArgumentError, match="min has to be smaller than max"):
        quantization.fake_quant_with_min_max_args(1.0, min=1.0, max=0.0)
    with pytest.raises(ValueError, match="`min` must be rank 0 but is rank 1"):
        quantization.fake_quant_with_min_max_vars(tf.ones([2]), [0.0, 1.0], 1.0)
    with pytest.raises(ValueError, match="`max` must be rank 1 but is rank 0"):
        quantization.fake_quant_with_min_max_vars_per_channel(
            tf.ones([2]), [0.0, 1.0], 1.0
        )


def test_scores_that_overlaps_lower_refuse_no_box() -> None:
    boxes = [[0.0, 0.3 * i, 1.0, 0.3 * i + 1.0] for i in range(8)]
    numbers, scores = tf.image.non_max_suppression_with_scores(
        boxes, [0.5] * 8, 8, 0.3, soft_nms_sigma=0.5
    )
    # What TensorFlow 2.21 gives.
    assert numbers.numpy().tolist() == [0, 4, 7, 2, 6, 1, 5, 3]
    recorded = [0.5, 0.5, 0.49861687, 0.44124845, 0.35148504, 0.27920786, 0.26229143]
    assert scores.numpy() == pytest.approx([*recorded, 0.24571848], rel=1e-5)


def test_sparse_labels_that_are_the_blank_count_as_the_class_before() -> None:
    logits = np.random.RandomState(0).randn(4, 1, 3).astype(np.float32)
    labels = tf.SparseTensor([[0, 0], [0, 1]], np.array([0, 2], np.int32), [1, 2])

    def loss(of: Any, blank: int) -> Any:
        return of.nn.ctc_loss_v2(labels, logits, [2], [4], blank_index=blank).numpy()

    for blank in (2, -1):
        # What TensorFlow 2.21 gives; version 1 leaves the labels as they are: they end there.
        found = tf.nn.ctc_loss(labels, logits, [2], [4], blank_index=blank)
        assert found.numpy() == pytest.approx([1.5568573])
        assert loss(v1, blank) == pytest.approx([1.1645526])


def test_equal_elements_share_the_gradient_of_the_one_chosen() -> None:
    x = tf.constant([[1.0, 2.0, 2.0, 2.0, 0.0], [5.0, 5.0, 5.0, 1.0, 5.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.NthElement(input=x, n=1, reverse=False)
    assert y.numpy().tolist() == [1.0, 5.0]
    # What TensorFlow 2.21 gives.
    assert tape.gradient(y, x).numpy().tolist() == [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.25, 0.25, 0.25, 0.0, 0.25],
    ]
    with pytest.raises(ValueError, match="elements on its last axis"):
        tf.raw_ops.NthElement(input=x, n=5, reverse=False)


@pytest.mark.parametrize("shape", [None, [None] * 4, [None, 6, None, 2]])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_images_pooled_by_ratios_may_have_unknown_sizes(
    kind: str, shape: Any
) -> None:
    images = np.arange(72, dtype=np.float32).reshape(1, 6, 6, 2)
    pool = {"max": tf.nn.fractional_max_pool, "avg": tf.nn.fractional_avg_pool}[kind]
    # What TensorFlow 2.21 gives.
    total, starts = {"max": 1472.0, "avg": 1360.0}[kind], [0, 2, 4, 5, 6]

    def pooled(x: Any) -> Any:
        return pool(x, [1.0, 1.5, 1.5, 1.0], pseudo_random=True, seed=1)

    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, shape)
        made = pooled(x)
        assert made[0].shape.rank == 4
        slope = v1.gradients(made[0], x)[0]
        y, rows, _, dx = session.run([*made, slope], {x: images})
    assert (float(y.sum()), rows.tolist()) == (total, starts)
    # Each of the 4 by 4 windows of 2 channels shares 1 among its pixels.
    assert dx.shape == images.shape
    assert float(dx.sum()) == pytest.approx(32.0)
    assert pooled(images)[1].numpy().tolist() == starts
    traced = tf.function(pooled, input_signature=[tf.TensorSpec(shape, tf.float32)])
    assert float(traced(tf.constant(images))[0].numpy().sum()) == total


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([[1], [0]], [[[b"d"], [b"e", b"f"]], [[b"a", b"b"], [b"c"]]]),
        ([[1, 1], [0, 0]], [[b"e", b"f"], [b"a", b"b"]]),
        ([[1, 1, 1], [0, 0, 0]], [b"f", b"a"]),
    ],
)
def test_parts_of_rows_are_gathered_at_any_number_of_places(
    places: Any, found: Any
) -> None:
    rows = tf.ragged.constant([[["a", "b"], ["c"]], [["d"], ["e", "f"]]])

    def gathered(depth: int | None) -> Any:
        told = [tf.TensorSpec([None, depth], tf.int32)]
        return tf.function(lambda at: tf.gather_nd(rows, at), input_signature=told)

    made = gathered(len(places[0]))(tf.constant(places))
    as_list = made.to_list() if hasattr(made, "to_list") else made.numpy().tolist()
    # What TensorFlow 2.21 gives.
    assert as_list == found
    with pytest.raises(ValueError, match="must be statically known"):
        gathered(None)(tf.constant(places))


def test_masks_of_sequences_have_no_length_below_none() -> None:
    with pytest.raises(InvalidArgumentError, match="Requires start <= limit"):
        tf.sequence_mask([1, 2], maxlen=-1)
    with pytest.raises(InvalidArgumentError, match="Requires start <= limit"):
        tf.sequence_mask([1, 2], maxlen=tf.constant(-1))
    with v1.Graph().as_default(), pytest.raises(ValueError, match="0/-1"):
        v1.sequence_mask([1, 2], maxlen=-1)
    assert tf.sequence_mask([1, 2], maxlen=0).shape == (2, 0)
