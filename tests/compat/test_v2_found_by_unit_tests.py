"""What TensorFlow 2.21's own unit tests asked for; the numbers are those that it gives."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import DTypeError, InvalidArgumentError

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped


def test_embeddings_of_ragged_ids() -> None:
    table = np.arange(20, dtype=np.float32).reshape(10, 2)
    ids = tf.ragged.constant([[1, 2], [], [3]])
    weights = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    summed = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")
    assert summed.numpy().tolist() == [[6, 8], [0, 0], [6, 7]]
    mean = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="mean")
    np.testing.assert_allclose(
        mean, [[10 / 3, 13 / 3], [0.0, 0.0], [6.0, 7.0]], rtol=1e-6
    )
    safe = tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner="sqrtn")
    expected = [[4.472136, 5.8137765], [0.0, 0.0], [6.0, 7.0]]
    np.testing.assert_allclose(safe, expected, rtol=1e-6)


def test_counts_of_vectors_by_rows() -> None:
    numbers = tf.constant([3, 0, 1, 0])
    assert tf.math.bincount(numbers, axis=-1).numpy().tolist() == [2, 1, 0, 1]
    counts = tf.sparse.bincount(numbers, axis=-1)
    assert counts.indices.numpy().tolist() == [[0], [1], [3]]
    assert counts.dense_shape.numpy().tolist() == [4]
    of_sparse = tf.sparse.bincount(tf.sparse.from_dense([0, 3, 0, 1]), axis=-1)
    assert of_sparse.indices.numpy().tolist() == [[1], [3]]
    assert tf.sparse.bincount(np.array([3, 0])).values.dtype == tf.int64
    with pytest.raises(DTypeError, match="must be a SparseTensor"):
        tf.sparse.bincount(numbers, weights=tf.sparse.from_dense([1, 2, 3, 4]))


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [None, 2, 5])
def test_cosine_transforms_of_lengths_that_are_not_known(
    kind: int, n: int | None
) -> None:
    x = tf.constant([[1.0, 2.0, 3.0], [0.0, 5.0, 2.0]])
    spec = tf.TensorSpec([None, None], tf.float32)
    traced = tf.function(lambda x: tf.signal.dct(x, kind, n), input_signature=[spec])
    np.testing.assert_allclose(traced(x), tf.signal.dct(x, kind, n), atol=1e-5)
    if (kind, n) == (2, 5):
        expected = [12, 4.253300, -5.618000, -2.628700, 3.382000]
        np.testing.assert_allclose(traced(x)[0], expected, atol=1e-4)


def test_values_of_sparse_tensors() -> None:
    value = tf.compat.v1.SparseTensorValue([[0]], [1.0], [3])
    made = tf.SparseTensor.from_value(value)
    assert tf.sparse.to_dense(made).numpy().tolist() == [1, 0, 0]
    assert tf.SparseTensor.from_value(made).values.numpy().tolist() == [1]
    with pytest.raises(DTypeError, match="neither a SparseTensor"):
        tf.SparseTensor.from_value([1])


def test_the_last_element_of_a_message_stands_for_what_is_missing() -> None:
    made = tf.make_tensor_proto([10, 11], shape=[2, 2], dtype=tf.int64)
    assert tf.make_ndarray(made).tolist() == [[10, 11], [11, 11]]
    with pytest.raises(InvalidArgumentError, match="Takes at most 2, but got 3"):
        tf.make_tensor_proto([1, 2, 3], shape=[2])


def test_binomial_draws_of_a_generator() -> None:
    drawn = tf.random.Generator.from_seed(3).binomial([2000], 10.0, 0.5)
    assert drawn.dtype == tf.int32
    assert abs(float(np.mean(drawn)) - 5) < 0.2


def _square(x: Any) -> Any:
    return x * x


def _more(x: Any) -> Any:
    return x + 1


_more = tf.function(_more)


def test_functions_are_pickled_without_their_traces() -> None:
    square = tf.function(_square, reduce_retracing=True)
    square(tf.constant(2.0))
    again = pickle.loads(pickle.dumps(square))  # noqa: S301
    assert again.experimental_get_tracing_count() == 0
    assert again(tf.constant(3.0)).numpy() == 9
    assert again.reduce_retracing
    same = pickle.loads(pickle.dumps(_more))  # noqa: S301
    assert same is _more
    assert copy.deepcopy(_more) is _more


def test_experimental_options_of_a_session() -> None:
    config = tf.compat.v1.ConfigProto()
    config.experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as session:
        assert session.run(tf.constant(1)) == 1


def test_places_of_the_largest_are_found_in_images_with_channels_last_alone() -> None:
    image = tf.reshape(tf.range(32.0), [1, 4, 4, 2])
    for pooled in (tf.nn.max_pool_with_argmax, tf.compat.v1.nn.max_pool_with_argmax):
        largest, places = pooled(image, 2, 2, "VALID")
        assert largest.numpy().ravel().tolist() == places.numpy().ravel().tolist()
        sizes = [1, 1, 2, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="allowed is 'NHWC'"):
            pooled(image, sizes, sizes, "VALID", data_format="NCHW")


def test_empty_paths_are_no_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").touch()
    monkeypatch.chdir(tmp_path)
    gfile = tf.io.gfile
    assert not gfile.exists("")
    assert not gfile.isdir("")
    gfile.makedirs("")
    for refused in (gfile.rmtree, gfile.listdir, gfile.remove, gfile.stat):
        with pytest.raises(tf.errors.NotFoundError):
            refused("")
    assert gfile.listdir(".") == ["kept"]


def test_files_to_read_and_write_are_made_by_writing(tmp_path: Path) -> None:
    path = tmp_path / "made"
    for text in ("long", "new"):
        with tf.io.gfile.GFile(path, "r+") as file:
            file.write(text)
    assert path.read_text() == "new"


def test_ragged_tensors_of_unknown_rank_are_split() -> None:
    spec = tf.RaggedTensorSpec(None, tf.float32, ragged_rank=1)
    rows = tf.ragged.constant([[1.0, 2.0], [3.0], [4.0]])
    first, rest = tf.function(input_signature=[spec])(
        lambda x: tf.split(x, [1, 2], num=2)
    )(rows)
    assert first.to_list() == [[1.0, 2.0]]
    assert rest.to_list() == [[3.0], [4.0]]


def test_inner_vectorized_map_takes_the_public_one_s_arguments() -> None:
    inside = import_module(
        "tensorlite.compat.v2.python.ops.parallel_for.control_flow_ops"
    )
    found = inside.vectorized_map(
        lambda x: x + 1, tf.constant([1, 2]), fallback_to_while_loop=False
    )
    assert found.numpy().tolist() == [2, 3]


def test_gradients_of_eigenvalues_are_of_the_triangle_that_is_read() -> None:
    cases: list[tuple[Any, Any]] = [
        ([[2.0, 9.0], [1.0, 3.0]], [[1.276393, 0.0], [0.894427, 1.723607]]),
        (
            [[2.0, 9.0 + 7j], [1.0 + 0.5j, 3.0]],
            [[1.295876, 0.0], [0.816497 + 0.408248j, 1.704124]],
        ),
    ]
    for a, expected in cases:
        x = tf.constant(a)
        with tf.GradientTape() as tape:
            tape.watch(x)
            values = tf.math.real(tf.linalg.eigvalsh(x))
            weighted = tf.reduce_sum(values * [1.0, 2.0])
        np.testing.assert_allclose(tape.gradient(weighted, x), expected, rtol=1e-5)


def test_signals_of_unknown_rank_are_framed() -> None:
    signal = np.arange(14, dtype=np.float32).reshape(2, 7)

    def spectra(x: Any) -> Any:
        frames = tf.signal.frame(x, 3, 2)
        mel = tf.math.log(tf.abs(tf.signal.stft(x, 4, 2)) + 1.0)
        cepstral = tf.signal.mfccs_from_log_mel_spectrograms(mel)
        return frames, cepstral, tf.signal.overlap_and_add(frames, 2)

    traced = tf.function(spectra, input_signature=[tf.TensorSpec(None, tf.float32)])
    frames, cepstral, added = traced(signal)
    assert frames[1].numpy().tolist() == [[7, 8, 9], [9, 10, 11], [11, 12, 13]]
    assert cepstral.shape == (2, 2, 3)
    assert added[0].numpy().tolist() == [0, 1, 4, 3, 8, 5, 6]


def test_linear_operators_tell_dimensions() -> None:
    operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    assert operator.domain_dimension.value == operator.range_dimension.value == 2
    assert operator.domain_dimension + 1 == 3


def test_folder_of_tests_is_one() -> None:
    folder = tf.compat.v1.test.get_temp_dir()
    assert folder == tf.compat.v1.test.get_temp_dir()
    assert Path(folder).is_dir()


def test_profiles_begin_and_end_once(tmp_path: Path) -> None:
    tf.profiler.experimental.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.profiler.experimental.start(str(tmp_path))
    tf.profiler.experimental.stop()
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()


def test_numpy_s_fractions_are_whole_numbers_where_those_are_due() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.one_hot(np.array([1.7, 0.0]), 2).numpy().tolist() == [[0, 1], [1, 0]]
    assert tf.one_hot(np.array([True]), 2).numpy().tolist() == [[0, 1]]
    assert tf.reshape(x, np.array([4.0])).shape == (4,)
    assert tf.tile(x, np.array([1.0, 2.0])).shape == (2, 4)
    assert tf.zeros(np.array([2.0, 3.0])).shape == (2, 3)
    assert tf.reduce_sum(x, np.array([1.0])).numpy().tolist() == [3, 7]
    assert tf.pad(x, np.array([[1.0, 0.0], [0.0, 0.0]])).shape == (3, 2)
    assert tf.reverse(x, np.array([0.0])).numpy().tolist() == [[3, 4], [1, 2]]
    assert tf.nn.top_k(x, np.float64(1)).values.shape == (2, 1)
    assert tf.nn.in_top_k(np.array([0.0, 1.0]), x, 1).numpy().tolist() == [
        False,
        True,
    ]
    first, _ = tf.dynamic_partition(x, np.array([0.0, 1.0]), 2)
    assert first.numpy().tolist() == [[1, 2]]
    for function, *refused in (
        (tf.one_hot, [1.0, 2.0], 3),
        (tf.reshape, x, [4.0]),
        (tf.gather, x, np.array([1.0])),
    ):
        with pytest.raises(DTypeError):
            function(*refused)


def test_rows_of_different_lengths_are_compared() -> None:
    case = tf.test.TestCase()
    case.assertAllEqual([10, []], [10, []])
    case.assertAllEqual([[1, 2], [3]], [[1, 2], [3]])
    with pytest.raises(AssertionError):
        case.assertAllEqual([[1, 2], [3]], [[1, 2], [4]])
    with pytest.raises(AssertionError):
        case.assertAllEqual([[1, 2], [3]], [[1, 2], [3, 4]])
