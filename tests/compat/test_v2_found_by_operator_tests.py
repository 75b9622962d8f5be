"""What the tests of TensorFlow 2.21's operators asked for; the numbers are those that it gives."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped

ROWS = [[1, 2], [3]]
RAGGED = tf.RaggedTensorSpec([None, None], tf.int32)


def test_python_functions_are_given_rows_and_return_them() -> None:
    rows = tf.ragged.constant(ROWS)
    (found,) = tf.py_function(lambda x: x, [rows], [RAGGED])
    assert found.to_list() == ROWS
    assert tf.py_function(tf.reduce_sum, [rows], tf.int32) == 6
    traced = tf.function(lambda x: x + tf.py_function(lambda y: 2 * y, [x], RAGGED))
    assert traced(rows).to_list() == [[3, 6], [9]]
    made = tf.py_function(
        tf.RaggedTensor.from_row_lengths,
        [[1, 2, 3], np.array([2, 1], np.int64)],
        RAGGED,
    )
    assert made.to_list() == ROWS
    sparse = tf.sparse.from_dense([[1, 2], [3, 0]])
    spec = tf.SparseTensorSpec([None, None], tf.int32)
    twice = tf.py_function(lambda x: x * 2, [sparse], spec)
    assert tf.sparse.to_dense(twice).numpy().tolist() == [[2, 4], [6, 0]]


def test_gradients_go_through_python_functions_of_rows() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.RaggedTensor.from_row_lengths(x, [2, 1])
        spec = tf.RaggedTensorSpec([None, None], tf.float32)
        y = tf.py_function(lambda r: r * r, [rows], spec).flat_values
    assert tape.gradient(y, x).numpy().tolist() == [2, 4, 6]


def test_python_functions_keep_what_they_promise() -> None:
    rows, one = tf.ragged.constant(ROWS), tf.constant(1)
    with pytest.raises(InvalidArgumentError, match="did not match Tout"):
        tf.py_function(lambda x: x + 3, [rows], [tf.int32])
    with pytest.raises(InvalidArgumentError, match="did not match Tout"):
        tf.py_function(lambda x: x, [one], [RAGGED])
    with pytest.raises(InvalidArgumentError, match="requested dtype float32"):
        tf.py_function(lambda x: x, [one], tf.float32)
    with pytest.raises(DTypeError, match="callable"):
        tf.py_function(one, [one], tf.int32)
    assert tf.py_function(lambda x: None, [rows], []) == []


def test_ngrams_of_more_axes_and_options_that_cannot_be() -> None:
    texts = tf.constant([[["a", "z"], ["b", ""]]])
    found = tf.strings.ngrams(texts, 2, separator="|")
    assert isinstance(found, tf.Tensor)
    assert found.numpy().tolist() == [[[b"a|z"], [b"b|"]]]
    for options, error, said in (
        ({"pad_values": [5, 3]}, DTypeError, "tuple of strings"),
        ({"pad_values": 5}, DTypeError, "tuple of strings"),
        (
            {"pad_values": "X", "padding_width": 0},
            InvalidArgumentError,
            "padding_width",
        ),
        ({"padding_width": 1}, InvalidArgumentError, "pad_values must be provided"),
        ({"ngram_width": [1, -1]}, InvalidArgumentError, "All ngram_widths"),
        ({"data": b"hello"}, InvalidArgumentError, "rank>0"),
    ):
        given: dict[str, Any] = {"data": [b"a", b"z"], "ngram_width": 2, **options}
        with pytest.raises(error, match=said):
            tf.strings.ngrams(**given)
    signature = [tf.TensorSpec(None, tf.string)]
    with pytest.raises(InvalidArgumentError, match="Rank of data must be known"):
        tf.function(lambda x: tf.strings.ngrams(x, 2), signature)(["a", "b"])


def test_sizes_of_parts() -> None:
    with pytest.raises(ShapeError, match="Split size at index 1 must be"):
        tf.split([1, 2, 3], [-1, -2])
    with pytest.raises(ShapeError, match="Rank-0 tensors are not supported"):
        tf.split([[1, 2, 3]], tf.constant(2))
    sparse = tf.sparse.from_dense([[1, 2], [3, 0]])
    with pytest.raises(InvalidArgumentError, match="axis is required"):
        tf.sparse.split(sparse, 2)
    with pytest.raises(ShapeError, match="axis should be a scalar"):
        tf.sparse.split(sparse, 2, [0, 1])


def test_conditions_of_arrays_may_be_numbers() -> None:
    found = tf.where(np.array([[1], [0]]), np.array([1, 2]), np.array([3, 4]))
    assert found.numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(DTypeError, match="must hold bools"):
        tf.where(tf.constant([1, 0]), 1, 2)


def test_complex_numbers_are_near_each_other() -> None:
    assert tf.debugging.assert_near(tf.constant(1 + 1j), tf.constant(1 + 1j)) is None
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_near(tf.constant(1 + 1j), tf.constant(1 + 1.1j))


def test_shapes_of_sparse_tensors_are_asserted() -> None:
    sparse = tf.SparseTensor([[5, 6], [7, 8]], [23, -43], [10**9, 10**6])
    tf.debugging.assert_shapes([(sparse, [10**9, None])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="size 1"):
        tf.debugging.assert_shapes([(sparse, [None, 7])])
    with pytest.raises(ValueError, match="3 axes"):
        tf.debugging.assert_shapes([(sparse, [None, None, 3])])


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolutions_take_several_axes_of_batches(axes: int) -> None:
    kind = [tf.nn.conv1d, tf.nn.conv2d, tf.nn.conv3d][axes - 1]
    sides = [5, 4, 3][:axes]
    x = np.random.default_rng(1).normal(size=[2, 3, *sides, 2]).astype(np.float32)
    filters = np.random.default_rng(2).normal(size=[2] * axes + [2, 4])
    filters = filters.astype(np.float32)
    steps = 1 if axes == 1 else [1] * (axes + 2)
    flat = kind(x.reshape(6, *sides, 2), filters, steps, "VALID").numpy()
    expected = flat.reshape(2, 3, *flat.shape[1:])
    found = kind(x, filters, steps, "VALID")
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(tf.nn.convolution(x, filters), expected, rtol=1e-5)
    spec = tf.TensorSpec([None, None, *sides, 2], tf.float32)
    traced = tf.function(lambda y: kind(y, filters, steps, "VALID"), [spec])
    np.testing.assert_allclose(traced(x), expected, rtol=1e-5)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as run:
        y = kind(tf.constant(x), filters, steps, "VALID")
        assert y.shape == expected.shape
        np.testing.assert_allclose(run.run(y), expected, rtol=1e-5)


def _each(x: np.ndarray[Any, Any], at: np.ndarray[Any, Any], axes: int) -> Any:
    """Return what places in the last axis but those of batches have, batch by batch."""
    if axes == 0:
        return x[at]
    return np.stack([_each(*pair, axes - 1) for pair in zip(x, at, strict=True)])


@pytest.mark.parametrize(
    ("sizes", "places", "batch_dims"),
    [
        ([5, 3], [5, 7, 4, 2], 1),
        ([7, 3, 6], [7, 5, 4, 2], 1),
        ([7, 3, 5], [7, 3], 2),
        ([7, 3, 5, 6], [7, 3, 2], 2),
        ([5, 3], [5, 2], 1),
    ],
)
def test_rows_at_places_within_batches(
    sizes: list[int], places: list[int], batch_dims: int
) -> None:
    x = np.arange(np.prod(sizes)).reshape(sizes)
    at = np.arange(np.prod(places)).reshape(places) % sizes[batch_dims]
    expected = _each(x, at, batch_dims).tolist()
    rows, ragged_at = (tf.ragged.constant(y.tolist()) for y in (x, at))
    for given in ((rows, ragged_at), (x, ragged_at), (rows, at)):
        found = tf.gather(*given, batch_dims=batch_dims)
        made = (
            found.to_list() if hasattr(found, "to_list") else found.numpy().tolist()
        )
        assert made == expected
    if len(sizes) == 2 and len(places) == 2:
        assert isinstance(tf.gather(rows, at, batch_dims=1), tf.Tensor)


def test_the_same_places_of_inner_rows() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    at = tf.ragged.constant([[[0, 1]], [[2, 2], [1, 0]]], ragged_rank=1)
    found = tf.gather(tf.ragged.constant(x.tolist()), at, axis=2)
    assert found[1, 2].to_list() == [[[20, 21]], [[22, 22], [21, 20]]]


def test_tridiagonal_matrices() -> None:
    values, vectors = tf.linalg.eigh_tridiagonal([5.0], [], eigvals_only=False)
    assert (values.numpy().tolist(), vectors.numpy().tolist()) == ([5], [[1]])
    bands = tf.constant([[2.0, 2, 0], [1, 3, 1], [0, 1, 3]])
    rows = tf.ones([2, 3])
    found = tf.linalg.tridiagonal_solve(bands, rows, transpose_rhs=True)
    expected = [[0.2, 0.2], [0.4, 0.4], [-0.2, -0.2]]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    of_one = tf.linalg.tridiagonal_solve(bands, rows[0], transpose_rhs=True)
    np.testing.assert_allclose(of_one, [0.2, 0.4, -0.2], rtol=1e-5)
    with pytest.raises(ShapeError, match="got 3 and 2"):
        tf.linalg.tridiagonal_solve(
            tf.ones([3, 2]), tf.ones([2, 3]), diagonals_format="matrix"
        )


def test_segments_of_no_rows() -> None:
    x = tf.ones([3, 2])
    found = tf.sparse.segment_sum(x, [], [], num_segments=2)
    assert found.numpy().tolist() == [[0, 0], [0, 0]]
    assert tf.sparse.segment_mean(x, [], []).shape == [0, 2]
    summed = tf.sparse.segment_sum(x, [0, 1], [0, 0], sparse_gradient=True)
    assert summed.numpy().tolist() == [[2, 2]]


def test_variables_are_iterated_over_as_their_values() -> None:
    assert [float(x) for x in tf.Variable([0.0, 1.0])] == [0, 1]
    with pytest.raises(TypeError, match="0-d"):
        iter(tf.Variable(0.0))


def test_values_of_constants_are_as_many_as_the_shape_has() -> None:
    make = tf.constant_initializer([1, 2, 3, 4])
    assert make([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    for shape in ([3], [5]):
        with pytest.raises(TypeError, match="4 elements"):
            make(shape)
    assert tf.constant_initializer(7.0)([2]).numpy().tolist() == [7, 7]


def test_values_that_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="num_mel_bins must be positive"):
        tf.signal.linear_to_mel_weight_matrix(0, 8, 8000)
    kinds = tf.compat.v1.VariableAggregation
    assert kinds.ONLY_FIRST_TOWER is kinds.ONLY_FIRST_REPLICA


def _mapped_sparse(kind: str, x: Any) -> Any:
    spec = tf.SparseTensorSpec([3], tf.int32)
    if kind == "twice":
        return tf.map_fn(lambda row: row * 2, x)
    if kind == "sums":
        return tf.map_fn(tf.sparse.reduce_sum, x, fn_output_signature=tf.int32)
    if kind == "beside":
        numbers = tf.constant([1, 2, 3, 4])
        return tf.map_fn(
            lambda pair: tf.sparse.to_dense(pair[0]) + pair[1],
            (x, numbers),
            fn_output_signature=tf.int32,
        )
    return tf.map_fn(
        lambda n: tf.sparse.from_dense([n, 0, n]),
        tf.constant([1, 2]),
        fn_output_signature=spec,
    )


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("twice", [[2, 0], [0, 4], [6, 8], [0, 0]]),
        ("sums", [1, 2, 7, 0]),
        ("beside", [[2, 1], [2, 4], [6, 7], [4, 4]]),
        ("made", [[1, 0, 1], [2, 0, 2]]),
    ],
)
def test_functions_go_along_rows_of_sparse_tensors(
    kind: str, expected: list[Any], traced: bool
) -> None:
    x = tf.sparse.from_dense([[1, 0], [0, 2], [3, 4], [0, 0]])
    call = tf.function(_mapped_sparse) if traced else _mapped_sparse
    found = call(kind, x)
    is_sparse = isinstance(found, tf.SparseTensor)
    assert is_sparse == (kind in {"twice", "made"})
    dense = tf.sparse.to_dense(found) if is_sparse else found
    assert dense.numpy().tolist() == expected


def test_matrices_of_rows_of_sparse_tensors() -> None:
    x = tf.sparse.from_dense([[[1, 0], [0, 2]], [[3, 4], [0, 0]]])
    turned = tf.map_fn(tf.sparse.transpose, x)
    expected = [[[1, 0], [0, 2]], [[3, 0], [4, 0]]]
    assert tf.sparse.to_dense(turned).numpy().tolist() == expected


def test_what_stands_beside_diagonals_of_bools_is_a_bool() -> None:
    found = tf.linalg.diag(np.array([True, False]), padding_value=5)
    assert (found.dtype, found.numpy().tolist()) == (
        tf.bool,
        [[True, True], [True, False]],
    )


def test_sequences_outside_of_their_shape_have_no_distance() -> None:
    truth = tf.SparseTensor([[0, 0]], [1], [1, 2])
    for place in (5, -3):
        with pytest.raises(InvalidArgumentError, match="lies outside"):
            tf.edit_distance(tf.SparseTensor([[place, 0]], [1], [1, 2]), truth)


def test_tests_compare_two_tensors_of_one_run() -> None:
    case = tf.test.TestCase("run")
    with tf.Graph().as_default(), case.session():
        drawn = tf.random.normal([3], seed=1)
        case.assertAllEqual(drawn, tf.identity(drawn))
        case.assertAllClose(drawn, 1.0 * drawn)
        first, second = case.evaluate_if_both_tensors(drawn, drawn)
        assert first.tolist() == second.tolist()
    assert case.evaluate_if_both_tensors(1, 2) == (1, 2)


@pytest.mark.parametrize("centered", [True, False])
def test_glimpses_by_their_operator_begin_at_corners(centered: bool) -> None:
    image = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    options = {"centered": centered, "normalized": False, "noise": "zero"}
    at = [[0.0, 1.0]]
    expected = tf.image.extract_glimpse(image, [2, 2], at, **options)
    found = tf.raw_ops.ExtractGlimpseV2(
        input=image, size=[2, 2], offsets=at, uniform_noise=False, **options
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="should not be specified at the same"
    ):
        tf.raw_ops.ExtractGlimpseV2(input=image, size=[2, 2], offsets=at, **options)
    assert found.numpy().tolist() == expected.numpy().tolist()
    corner = [[[13], [14]], [[18], [19]]] if centered else [[[1], [2]], [[6], [7]]]
    assert found.numpy().tolist() == [corner]
