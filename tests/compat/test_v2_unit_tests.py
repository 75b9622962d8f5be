"""What unit tests written for TensorFlow 2 ask, with the numbers that TensorFlow 2.21 gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

X = [-15.0, -10.0, -5.0, 0.0, 5.0, 10.0, 15.0]


def _gradient(function: Any, x: Any) -> Any:
    held = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(held)
        y = function(held)
    return tape.gradient(y, held).numpy()


@pytest.mark.parametrize("given", [False, True])
def test_gradients_of_rounded_numbers_pass_within_the_range_alone(
    given: bool,
) -> None:
    def rounded(x: Any) -> Any:
        return tf.quantization.quantize_and_dequantize_v2(
            x, -10.0, 0.0, range_given=given
        )

    assert _gradient(rounded, X).tolist() == [0, 1, 1, 1, 0, 0, 0]


def test_the_older_rounding_passes_all_gradients() -> None:
    found = _gradient(
        lambda x: tf.quantization.quantize_and_dequantize(
            x, -10.0, 5.0, range_given=True
        ),
        X,
    )
    assert found.tolist() == [1] * 7


def test_ranges_of_slices_lie_along_their_axis() -> None:
    rows, ends = [[-7.0, 1.0, 7.0], [-7.0, 1.0, 8.5]], [4.0, 8.0]
    low = [-end for end in ends]
    options: Any = {"range_given": True}
    rounded = tf.quantization.quantize_and_dequantize_v2
    found = rounded(tf.constant(rows), low, ends, axis=0, **options).numpy()
    each = zip(rows, low, ends, strict=True)
    expected = [
        rounded(tf.constant(row), *two, **options).numpy() for row, *two in each
    ]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("source", ["float64", "float32", "float16"])
@pytest.mark.parametrize("target", ["float64", "float32", "float16"])
def test_infinities_become_the_ends_of_the_smaller_range(
    source: str, target: str
) -> None:
    x = tf.constant([np.inf, -np.inf, np.nan], source)
    low, high, none = tf.saturate_cast(x, target).numpy()[[1, 0, 2]].tolist()
    end = float(min(np.finfo(source).max, np.finfo(target).max))
    assert (low, high) == (-end, end)
    assert np.isnan(none)


def test_complex_numbers_are_cast_by_their_parts() -> None:
    x = tf.constant(np.array([1e300 + 1j, 2 - 1e300j]))
    end = np.finfo(np.float32).max
    made = tf.saturate_cast(x, tf.complex64).numpy()
    assert made.tolist() == [complex(end, 1), complex(2, -end)]
    assert tf.saturate_cast(x, tf.float32).numpy().tolist() == [end, 2]
    assert tf.saturate_cast(x.numpy().real, tf.complex64).dtype == tf.complex64


def _ragged(*rows: Any) -> Any:
    return tf.ragged.constant(list(rows))


NUMBERS: Any = ([1, 1, 0], [], [3, 0, 3, 4])
WEIGHTS: Any = ([1.0, 2.0, 3.0], [], [1.0, 2.0, 3.0, 4.0])


def test_counts_of_ragged_and_sparse_tensors_have_weights() -> None:
    x, weights = _ragged(*NUMBERS), _ragged(*WEIGHTS)
    rows = [[3, 3, 0, 0, 0], [0] * 5, [2, 0, 0, 4, 4]]
    assert tf.math.bincount(x, weights, axis=-1).numpy().tolist() == rows
    assert tf.math.bincount(x, weights).numpy().tolist() == [5, 3, 0, 4, 4]
    sparse = tf.sparse.from_dense([[1, 1, 0], [0, 3, 0]])
    each = tf.sparse.from_dense([[1.0, 2, 0], [0, 3.5, 0]])
    found = tf.math.bincount(sparse, each, axis=-1)
    assert found.numpy().tolist() == [[0, 3, 0, 0], [0, 0, 0, 3.5]]


def test_deep_ragged_tensors_are_counted_as_a_whole() -> None:
    assert tf.math.bincount(_ragged([[1], []], [[2, 1]])).numpy().tolist() == [
        0,
        2,
        1,
    ]


@pytest.mark.parametrize(
    ("options", "indices", "values", "shape"),
    [
        ({}, [[0], [1], [3], [4]], [2, 2, 2, 1], [5]),
        ({"maxlength": 2}, [[0], [1]], [2, 2], [2]),
        ({"minlength": 9}, [[0], [1], [3], [4]], [2, 2, 2, 1], [9]),
        (
            {"axis": -1, "weights": WEIGHTS},
            [[0, 0], [0, 1], [2, 0], [2, 3], [2, 4]],
            [3, 3, 2, 4, 4],
            [3, 5],
        ),
        (
            {"axis": -1, "binary_output": True},
            [[0, 0], [0, 1], [2, 0], [2, 3], [2, 4]],
            [1] * 5,
            [3, 5],
        ),
    ],
)
def test_sparse_counts_hold_the_numbers_that_occur(
    options: Any, indices: Any, values: Any, shape: Any
) -> None:
    given = dict(options)
    if "weights" in given:
        given["weights"] = _ragged(*given["weights"])
    found = tf.sparse.bincount(_ragged(*NUMBERS), **given)
    assert found.indices.numpy().tolist() == indices
    assert found.values.numpy().tolist() == values
    assert found.dense_shape.numpy().tolist() == shape


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: tf.math.bincount([1, 2], minlength=[3]),
            ValueError,
            "Shape must be rank 0 but is rank 1",
        ),
        (
            lambda: tf.unravel_index([2, 5], [3, 0]),
            tf.errors.InvalidArgumentError,
            "dims cannot contain a dim of zero",
        ),
        (
            lambda: tf.sequence_mask([10, 20], [10, 20]),
            ValueError,
            "`maxlen` must be scalar",
        ),
        (
            lambda: tf.expand_dims(1, axis=[0, 1]),
            tf.errors.InvalidArgumentError,
            "must be a tensor with a single value",
        ),
        (
            lambda: tf.constant([1, 2, 3], shape=[10]),
            TypeError,
            "unsupported shape",
        ),
        (lambda: tf.reverse([1, 2], [5]), Exception, "is out of.*range"),
        (lambda: tf.linalg.matrix_transpose([1]), ValueError, "should be a "),
        (
            lambda: tf.boolean_mask([1, 2], [True]),
            ValueError,
            "incompatible",
        ),
    ],
)
def test_wrong_arguments_are_told(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_steps_of_what_is_no_slice_may_be_zero() -> None:
    made = tf.raw_ops.TensorStridedSliceUpdate(
        input=tf.zeros([2, 2, 3, 2]),
        begin=[0, 0, 1],
        end=[1, 0, 2],
        strides=[1, 0, 1],
        value=tf.ones([2, 3]),
        ellipsis_mask=2,
        shrink_axis_mask=5,
    )
    expected = np.zeros([2, 2, 3, 2])
    expected[0, ..., 1] = 1
    assert np.array_equal(made.numpy(), expected)


ROWS: Any = ([0, 1, 2, 3], [], [4], [])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([2, 3], [[0, 1, 2], [0, 0, 0]]),
        ([2, -1], [[0, 1, 2, 3], [0, 0, 0, 0]]),
        ([5, 2], [[0, 1], [0, 0], [4, 0], [0, 0], [0, 0]]),
        (-1, [[0, 1, 2, 3], [0] * 4, [4, 0, 0, 0], [0] * 4]),
    ],
)
def test_rows_are_filled_up_to_a_shape_that_is_a_tensor(
    shape: Any, expected: Any, dtype: str
) -> None:
    x, wanted = _ragged(*ROWS), tf.constant(shape, dtype)
    assert x.to_tensor(shape=wanted).numpy().tolist() == expected
    traced = tf.function(
        lambda size: x.to_tensor(shape=size),
        input_signature=[tf.TensorSpec(wanted.shape, wanted.dtype)],
    )
    assert traced(wanted).numpy().tolist() == expected


def test_rows_that_are_not_there_hold_the_default_too() -> None:
    made = _ragged([1], [2, 3]).to_tensor(9, shape=[3, 3])
    assert made.numpy().tolist() == [[1, 9, 9], [2, 3, 9], [9, 9, 9]]


def test_functions_of_rows_may_make_rows_of_other_lengths() -> None:
    row = tf.RaggedTensorSpec([None], tf.int32)
    made = tf.map_fn(tf.range, tf.constant([3, 1]), fn_output_signature=row)
    assert made.to_list() == [[0, 1, 2], [0]]
    x = _ragged([1, 2], [])
    twice = tf.map_fn(lambda r: tf.concat([r, r], 0), x, fn_output_signature=row)
    assert twice.to_list() == [[1, 2, 1, 2], []]


@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_of_exponentials_of_ragged_rows(keepdims: bool) -> None:
    x = _ragged([1.0, 2.0], [-1000.0])
    found = tf.reduce_logsumexp(x, 1, keepdims=keepdims).numpy()
    assert np.allclose(found.ravel(), [2.3132617, -1000])
    assert found.shape == ((2, 1) if keepdims else (2,))
    assert np.allclose(tf.reduce_logsumexp(x).numpy(), 2.3132617)


@pytest.mark.parametrize("function", [tf.math.reduce_variance, tf.math.reduce_std])
def test_whole_numbers_have_no_variance(function: Any) -> None:
    with pytest.raises(TypeError, match="must be either real or complex"):
        function([1, 2])


@pytest.mark.parametrize(
    ("made", "dtype", "value"),
    [
        (
            lambda: tf.math.divide_no_nan([1, 2], [0, 3]),
            "float64",
            [0, 2 / 3],
        ),
        (
            lambda: tf.math.divide_no_nan(tf.constant([1], tf.int8), 2),
            "float32",
            [0.5],
        ),
        (lambda: tf.math.reduce_euclidean_norm([1, 2, 3]), "int32", 3),
        (
            lambda: tf.matmul(
                tf.constant([[1, 2]], tf.int8),
                tf.constant([[100], [100]], tf.int8),
                output_type=tf.int32,
            ),
            "int32",
            [[300]],
        ),
    ],
)
def test_whole_numbers_give_the_dtypes_of_tensorflow(
    made: Any, dtype: str, value: Any
) -> None:
    found = made()
    assert (found.dtype.name, found.numpy().tolist()) == (dtype, value)


def test_noise_may_have_sizes_of_what_it_falls_on() -> None:
    made = tf.nn.dropout(tf.ones([4, 3]), 0.5, noise_shape=[None, 1], seed=3)
    assert all(len(set(row)) == 1 for row in made.numpy().tolist())


def test_test_cases_evaluate_where_operators_run_at_once() -> None:
    case = tf.test.TestCase()
    with case.session() as session, case.cached_session() as kept:
        assert session.run([tf.constant(1), tf.constant(2)]) == [1, 2]
        assert kept.run(tf.constant(3)) == 3
        with pytest.raises(tf.errors.InvalidArgumentError, match="at once"):
            session.run(tf.constant(3), feed_dict={1: 2})


def test_comparisons_say_where_they_fail() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.debugging.assert_less([[1, 5], [7, 0]], [[2, 4], [6, 1]], message="more")
    lines = str(caught.value).splitlines()
    assert lines[:10] == [
        *("more", "Condition x < y did not hold."),
        *("Indices of first 2 different values:", "[[0 1]", " [1 0]]"),
        *("Corresponding x values:", "[5 7]", "Corresponding y values:", "[4 6]"),
        "First 3 elements of x:",
    ]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.debugging.assert_equal([1, 2], 2, summarize=1)
    shown = "First 1 elements of x:\n[1]\nFirst 1 elements of y:\n[2]"
    assert shown in str(caught.value)
    assert tf.debugging.assert_equal([1, 2], [1, 2]) is None
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Dimensions must be equal"
    ):
        tf.debugging.assert_equal([1, 2], [1, 2, 3])


def test_ragged_tensors_are_of_a_type() -> None:
    tf.debugging.assert_type(_ragged([1.0], []), tf.float32)
    with pytest.raises(TypeError, match="must be of type"):
        tf.debugging.assert_type(_ragged([1.0], []), tf.int32)


def test_numpy_asks_for_the_shape_of_a_traced_tensor() -> None:
    @tf.function
    def rows(x: Any) -> Any:
        return tf.reshape(x, [np.shape(x)[0], np.ndim(x), -1])

    assert rows(tf.ones([2, 3, 4])).shape == [2, 3, 4]


WRONG = [b"a\xffb\x01", b"\xe2\x82z"]


@pytest.mark.parametrize(
    ("options", "points", "starts"),
    [
        ({}, [[97, 65533, 98, 1], [65533, 122]], [[0, 1, 2, 3], [0, 2]]),
        (
            {"replacement_char": 33},
            [[97, 33, 98, 1], [33, 122]],
            [[0, 1, 2, 3], [0, 2]],
        ),
        ({"errors": "ignore"}, [[97, 98, 1], [122]], [[0, 2, 3], [2]]),
        (
            {"replace_control_characters": True},
            [[97, 65533, 98, 65533], [65533, 122]],
            [[0, 1, 2, 3], [0, 2]],
        ),
        (
            {"errors": "ignore", "replace_control_characters": True},
            [[97, 98], [122]],
            [[0, 2], [2]],
        ),
    ],
)
def test_bytes_that_are_no_characters(options: Any, points: Any, starts: Any) -> None:
    found, places = tf.strings.unicode_decode_with_offsets(WRONG, "UTF-8", **options)
    assert (found.to_list(), places.to_list()) == (points, starts)
    assert tf.strings.unicode_decode(WRONG, "UTF-8", **options).to_list() == points
    texts = tf.strings.unicode_transcode(WRONG, "UTF-8", "UTF-8", **options).numpy()
    assert texts.tolist() == ["".join(map(chr, row)).encode() for row in points]
    if "replace_control_characters" not in options:
        split, _ = tf.strings.unicode_split_with_offsets(WRONG, "UTF-8", **options)
        assert split.to_list() == [
            [chr(point).encode() for point in row] for row in points
        ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, b"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdb"),
        ({"replacement_char": 33}, b"a!!!b"),
        ({"errors": "ignore"}, b"ab"),
    ],
)
def test_numbers_that_are_no_characters(options: Any, expected: bytes) -> None:
    points = [97, -1, 0xD83D, 0x110000, 98]
    assert tf.strings.unicode_encode(points, "UTF-8", **options).numpy() == expected
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range for Unic"):
        tf.strings.unicode_encode(points, "UTF-8", errors="strict")


@pytest.mark.parametrize("name", ["mean", "var", "sum"])
def test_numpy_functions_compute_in_a_dtype_that_is_given(name: str) -> None:
    function = getattr(tf.experimental.numpy, name)
    found = function(np.array([1, 4]), dtype=np.float32)
    assert found.dtype == tf.float32
    assert found.numpy() == getattr(np, name)([1, 4])


def test_numpy_functions_tell_places_in_64_bits() -> None:
    assert tf.experimental.numpy.argmax([3, 5]).dtype == tf.int64
    assert tf.experimental.numpy.max([[1, 2]], axis=np.array(1)).numpy() == [2]


def test_what_has_one_element_goes_with_each_of_the_others() -> None:
    x, one = np.arange(6.0).reshape(3, 2), np.array([[10.0, 20.0]])
    made = tf.vectorized_map(lambda pair: pair[0] + pair[1], (x, one))
    assert made.numpy().tolist() == (x + one).tolist()


def test_a_whole_dataset_is_shuffled_where_its_size_is_not_known() -> None:
    numbers = tf.data.Dataset.range(30).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=5)
    found = list(numbers.as_numpy_iterator())
    assert sorted(found) == list(range(30))
    assert found != sorted(found)
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size is 0"):
        tf.data.Dataset.range(3).shuffle(0)


def test_tapes_refuse_what_they_cannot_follow() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        with pytest.raises(ValueError, match=r"not tf\.Tensor or tf\.Variable"):
            tape.watch(np.array(1.0))
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tape.gradient(y, x, unconnected_gradients="nonsense")
