"""What the unit tests of TensorFlow 2.21 found; what is expected is what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.graph import mode

tf: Any = v2


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


def test_modules_of_gradients_and_operators_by_their_own_names_can_be_imported() -> (
    None
):
    ops = "tensorlite.compat.v2.python.ops."
    assert import_module(ops + "nn_grad").__name__.endswith("nn_grad")
    assert import_module(ops + "math_grad").__name__.endswith("math_grad")
    gen_nn_ops = import_module(ops + "gen_nn_ops")
    assert gen_nn_ops.Relu(features=[-1.0, 2.0]).numpy().tolist() == [0.0, 2.0]


def test_rows_at_ragged_ids_are_shortened() -> None:
    ids = tf.ragged.constant([[0, 0], [0]])
    found = v1.nn.embedding_lookup([tf.constant([[2.0]])], ids, max_norm=1.0)
    assert found.to_list() == [[[1.0], [1.0]], [[1.0]]]


@pytest.mark.parametrize("filters", [(1, 0, 1, 1), (1, 1, 1, 0)])
def test_filters_have_elements(filters: tuple[int, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="filter must not have zero"):
        tf.nn.conv2d(tf.ones([1, 1, 1, 1]), np.ones(filters, np.float32), 1, "SAME")


def test_filters_of_volumes_have_elements() -> None:
    with pytest.raises(InvalidArgumentError, match="filter must not have zero"):
        tf.nn.conv3d(
            tf.ones([1] * 5), np.ones((1, 1, 0, 1, 1), np.float32), [1] * 5, "SAME"
        )


@pytest.mark.parametrize(
    ("ratios", "error"),
    [
        ([2, 3, 1.5, 1], UnimplementedError),
        ([1, 3, 1.5, 2], UnimplementedError),
        ([1, -3, 1.5, 1], InvalidArgumentError),
        ([1, 31, 1, 1], InvalidArgumentError),
    ],
)
def test_ratios_of_fractional_pooling(
    ratios: list[float], error: type[Exception]
) -> None:
    with pytest.raises(error):
        tf.raw_ops.FractionalAvgPool(
            value=np.zeros([3, 30, 50, 3]), pooling_ratio=ratios
        )


def test_pooling_over_channels_and_rows_at_once_is_not_implemented() -> None:
    for ksize, strides in (([1, 2, 2, 2], [1, 1, 1, 2]), ([1, 1, 1, 2], [1] * 4)):
        with pytest.raises(UnimplementedError):
            tf.nn.max_pool2d(tf.ones([1, 2, 2, 4]), ksize, strides, "SAME")


def test_the_gradient_of_frames_of_a_signal_is_a_tensor() -> None:
    signal = tf.range(6.0)
    with tf.GradientTape() as tape:
        tape.watch(signal)
        total = tf.reduce_sum(tf.signal.frame(signal, 4, 2))
    gradient = tape.gradient(total, signal)
    assert gradient.numpy().tolist() == [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]


def test_frames_without_elements() -> None:
    assert tf.signal.frame([0] * 5, 0, 2).shape == (3, 0)
    assert tf.signal.frame([0], 0, 1, pad_end=True).shape == (1, 0)


def test_inverse_windows_are_zero_where_the_signal_is_lost() -> None:
    window = tf.signal.inverse_stft_window_fn(64)(64, dtype=tf.float32)
    assert window[0] == 0
    np.testing.assert_allclose(window[1:3], [415.34445, 104.08671], rtol=1e-5)


def _sliceable_operators() -> list[Any]:
    numbers = np.random.default_rng(5).normal
    linalg = tf.linalg
    full = linalg.LinearOperatorFullMatrix(numbers(size=(2, 3, 4, 4)))
    return [
        linalg.LinearOperatorDiag(numbers(size=(2, 3, 4))),
        linalg.LinearOperatorAdjoint(
            linalg.LinearOperatorLowerTriangular(numbers(size=(2, 3, 4, 4)))
        ),
        linalg.LinearOperatorTridiag(numbers(size=(2, 3, 3, 4))),
        linalg.LinearOperatorToeplitz(
            numbers(size=(2, 3, 4)), numbers(size=(2, 3, 4))
        ),
        linalg.LinearOperatorScaledIdentity(4, numbers(size=(2, 3))),
        linalg.LinearOperatorComposition(
            [linalg.LinearOperatorDiag(numbers(size=(3, 4))), full]
        ),
        linalg.LinearOperatorLowRankUpdate(full, numbers(size=(2, 3, 4, 1))),
    ]


@pytest.mark.parametrize("place", range(7))
def test_linear_operators_are_sliced_along_their_batches(place: int) -> None:
    operator = _sliceable_operators()[place]
    dense = operator.to_dense().numpy()
    for slices, expected in (
        (0, dense[0]),
        ((Ellipsis, slice(2)), dense[:, :2]),
        ((slice(1, None), 0), dense[1:, 0]),
        ((slice(None), tf.newaxis), dense[:, None]),
        ((tf.constant(1), Ellipsis), dense[1]),
    ):
        part = operator[slices]
        assert type(part) is type(operator)
        assert part.shape == expected.shape
        np.testing.assert_allclose(part.to_dense(), expected)


def test_matrices_of_unknown_rank() -> None:
    given = np.random.default_rng(5).normal(size=(2, 3, 3)).astype(np.float32)

    def made(x: Any) -> Any:
        operator = tf.linalg.LinearOperatorAdjoint(
            tf.linalg.LinearOperatorFullMatrix(x)
        )
        assert operator.shape.rank is None
        return operator.to_dense(), tf.linalg.pinv(x)

    signature = [tf.TensorSpec(None, tf.float32)]
    adjoint, inverse = tf.function(made, input_signature=signature)(given)
    np.testing.assert_allclose(adjoint, given.transpose(0, 2, 1))
    np.testing.assert_allclose(inverse, np.linalg.inv(given), rtol=1e-3, atol=1e-4)


def test_products_of_float32_and_bfloat16_are_float32() -> None:
    x, y = tf.fill([2, 3], 0.5), tf.ones([3, 2], tf.bfloat16)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        product = tf.matmul(x, y)
    assert product.dtype == tf.float32
    assert product.numpy().tolist() == [[1.5, 1.5], [1.5, 1.5]]
    assert [one.dtype for one in tape.gradient(product, [x, y])] == [x.dtype, y.dtype]
    with pytest.raises(Exception, match="MatMul"):
        tf.matmul(x, tf.cast(y, tf.float64))


@pytest.mark.parametrize("form", ["compact", "sequence"])
@pytest.mark.parametrize("adjoint", [False, True])
def test_columns_without_a_batch_are_solved_for_every_tridiagonal_matrix(
    form: str, adjoint: bool
) -> None:
    draws = np.random.default_rng(0)
    rows = draws.normal(size=(3, 3, 4)) + np.array([[0], [4], [0]])
    given = rows if form == "compact" else [rows[:, i] for i in range(3)]
    operator = tf.linalg.LinearOperatorTridiag(given, diagonals_format=form)
    columns = draws.normal(size=(4, 2))
    dense = operator.to_dense().numpy()
    dense = dense.swapaxes(-1, -2) if adjoint else dense
    found = operator.solve(columns, adjoint=adjoint)
    np.testing.assert_allclose(found, np.linalg.solve(dense, columns), atol=1e-12)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_tridiagonal_equations_of_any_number_are_solved(
    batch: tuple[int, ...],
) -> None:
    draws = np.random.default_rng(1)
    rows = draws.normal(size=(*batch, 3, 5)) + np.array([[0], [4], [0]])
    columns = draws.normal(size=(*batch, 5, 2))
    sizes = [None] * len(batch)
    told = [
        tf.TensorSpec([*sizes, 3, None], tf.float64),
        tf.TensorSpec([*sizes, None, 2], tf.float64),
    ]
    solve = tf.function(tf.linalg.tridiagonal_solve, input_signature=told)
    above, main, below = (rows[..., i, :] for i in range(3))
    dense = np.zeros((*batch, 5, 5))
    at = np.arange(5)
    dense[..., at, at] = main
    dense[..., at[:-1], at[1:]] = above[..., :-1]
    dense[..., at[1:], at[:-1]] = below[..., 1:]
    found = solve(tf.constant(rows), tf.constant(columns))
    np.testing.assert_allclose(found, np.linalg.solve(dense, columns), atol=1e-12)


@pytest.mark.parametrize("kind", ["diagonal", "lower"])
def test_blocks_may_have_batches_of_different_sizes(kind: str) -> None:
    draws = np.random.default_rng(2)
    one, other = draws.normal(size=(2, 1, 2, 2)), draws.normal(size=(1, 3, 3))
    below = np.zeros((3, 2)) if kind == "diagonal" else draws.normal(size=(3, 2))
    parts = [tf.linalg.LinearOperatorFullMatrix(x) for x in (one, other, below)]
    if kind == "diagonal":
        operator = tf.linalg.LinearOperatorBlockDiag(parts[:2])
    else:
        rows = [parts[:1], [parts[2], parts[1]]]
        operator = tf.linalg.LinearOperatorBlockLowerTriangular(rows)
    dense = np.zeros((2, 1, 5, 5))
    dense[..., :2, :2], dense[..., 2:, 2:], dense[..., 2:, :2] = one, other, below
    columns = draws.normal(size=(2, 1, 5, 2))
    np.testing.assert_allclose(operator.to_dense(), dense)
    np.testing.assert_allclose(operator.matmul(columns), dense @ columns)
    solved = np.linalg.solve(dense, columns)
    np.testing.assert_allclose(operator.solve(columns), solved, atol=1e-12)
    diagonal = np.diagonal(dense, axis1=-2, axis2=-1)
    np.testing.assert_allclose(operator.diag_part(), diagonal)
