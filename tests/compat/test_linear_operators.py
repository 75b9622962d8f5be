"""LinearOperators of all kinds, against the dense matrices that NumPy makes of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode

DRAWN = np.random.default_rng(0)
BATCH: Any = DRAWN.normal(size=(2, 3, 3)) + 3 * np.eye(3)
OTHER: Any = DRAWN.normal(size=(2, 2, 2)) + 3 * np.eye(2)
AXIS: Any = DRAWN.normal(size=(2, 4))
COLUMN: Any = DRAWN.normal(size=(2, 4)) + np.array([6.0, 0, 0, 0])
ROW: Any = np.concatenate([COLUMN[:, :1], DRAWN.normal(size=(2, 3))], -1)
SPECTRUM: Any = np.fft.fft(COLUMN)
BLOCKS: Any = np.fft.fft2(DRAWN.normal(size=(2, 3)) + 5 * np.eye(2, 3))


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


def full(x: Any) -> Any:
    return tf.linalg.LinearOperatorFullMatrix(x)


def kron(one: Any, other: Any) -> Any:
    return np.stack([np.kron(x, y) for x, y in zip(one, other, strict=True)])


def diagonal_blocks() -> Any:
    made = np.zeros((2, 5, 5))
    made[:, :3, :3], made[:, 3:, 3:] = BATCH, OTHER
    return made


def lower_blocks() -> Any:
    made = diagonal_blocks()
    made[:, 3:, :3] = BATCH[:, :2]
    return made


def circulant(columns: Any) -> Any:
    size = columns.shape[-1]
    return np.stack([np.roll(columns, i, -1) for i in range(size)], -1)


def toeplitz() -> Any:
    rows = [
        [COLUMN[:, i - j] if i >= j else ROW[:, j - i] for j in range(4)]
        for i in range(4)
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def two_levels() -> Any:
    kernel = np.fft.ifft2(BLOCKS).real
    rows = [
        np.roll(np.roll(kernel, i, 0), j, 1).ravel()
        for i in range(2)
        for j in range(3)
    ]
    return np.stack(rows, -1)


def reflections() -> Any:
    unit = AXIS / np.linalg.norm(AXIS, axis=-1, keepdims=True)
    return np.eye(4) - 2 * unit[:, :, None] * unit[:, None, :]


def three_diagonals() -> Any:
    return np.stack(
        [np.diag(x[:3], 1) + np.diag(6 + x) + np.diag(2 * x[1:], -1) for x in AXIS]
    )


KINDS: dict[str, tuple[Callable[[], Any], Any]] = {
    "full": (lambda: full(BATCH), BATCH),
    "lower": (
        lambda: tf.linalg.LinearOperatorLowerTriangular(BATCH),
        np.tril(BATCH),
    ),
    "diag": (
        lambda: tf.linalg.LinearOperatorDiag(AXIS),
        AXIS[:, :, None] * np.eye(4),
    ),
    "scaled": (
        lambda: tf.linalg.LinearOperatorScaledIdentity(3, [2.0, -3.0]),
        np.array([2.0, -3.0])[:, None, None] * np.eye(3),
    ),
    "identity": (
        lambda: tf.linalg.LinearOperatorIdentity(3, [2], tf.float64),
        np.stack([np.eye(3)] * 2),
    ),
    "householder": (lambda: tf.linalg.LinearOperatorHouseholder(AXIS), reflections()),
    "permutation": (
        lambda: tf.linalg.LinearOperatorPermutation([1, 2, 0], tf.float64),
        np.eye(3)[[1, 2, 0]],
    ),
    "tridiag": (
        lambda: tf.linalg.LinearOperatorTridiag(
            [AXIS, 6 + AXIS, 2 * AXIS], "sequence"
        ),
        three_diagonals(),
    ),
    "tridiag of a matrix": (
        lambda: tf.linalg.LinearOperatorTridiag(three_diagonals(), "matrix"),
        three_diagonals(),
    ),
    "circulant": (
        lambda: tf.linalg.LinearOperatorCirculant(SPECTRUM, tf.float64),
        circulant(COLUMN),
    ),
    "circulant in blocks": (
        lambda: tf.linalg.LinearOperatorCirculant2D(BLOCKS, tf.float64),
        two_levels(),
    ),
    "toeplitz": (lambda: tf.linalg.LinearOperatorToeplitz(COLUMN, ROW), toeplitz()),
    "block diagonal": (
        lambda: tf.linalg.LinearOperatorBlockDiag([full(BATCH), full(OTHER)]),
        diagonal_blocks(),
    ),
    "block lower": (
        lambda: tf.linalg.LinearOperatorBlockLowerTriangular(
            [[full(BATCH)], [full(BATCH[:, :2]), full(OTHER)]]
        ),
        lower_blocks(),
    ),
    "kronecker": (
        lambda: tf.linalg.LinearOperatorKronecker([full(BATCH), full(OTHER)]),
        kron(BATCH, OTHER),
    ),
    "composition": (
        lambda: full(BATCH).matmul(full(2 * BATCH), adjoint_arg=True),
        2 * BATCH @ np.swapaxes(BATCH, -1, -2),
    ),
    "low rank": (
        lambda: tf.linalg.LinearOperatorLowRankUpdate(
            full(BATCH), BATCH[:, :, :1], np.array([2.0]), BATCH[:, :, 1:2]
        ),
        BATCH + 2 * BATCH[:, :, :1] @ np.swapaxes(BATCH[:, :, 1:2], -1, -2),
    ),
    "low rank, of one": (
        lambda: tf.linalg.LinearOperatorLowRankUpdate(full(BATCH), BATCH[:, :, :1]),
        BATCH + BATCH[:, :, :1] @ np.swapaxes(BATCH[:, :, :1], -1, -2),
    ),
    "adjoint": (lambda: full(BATCH).adjoint(), np.swapaxes(BATCH, -1, -2)),
    "inverse": (lambda: full(BATCH).inverse(), np.linalg.inv(BATCH)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_the_dense_matrix(kind: str) -> None:
    make, dense = KINDS[kind]
    operator = make()
    close = np.testing.assert_allclose
    close(operator.to_dense(), dense, atol=1e-6)
    assert tuple(operator.shape) == dense.shape
    close(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1), atol=1e-6)
    close(operator.trace(), np.trace(dense, axis1=-2, axis2=-1), atol=1e-5)
    close(operator.determinant(), np.linalg.det(dense), rtol=1e-5)
    close(
        operator.log_abs_determinant(),
        np.linalg.slogdet(dense)[1],
        rtol=1e-4,
        atol=1e-6,
    )
    close(operator.add_to_tensor(dense), dense + dense, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjoint", [False, True])
def test_products_and_solutions_are_those_of_the_dense_matrix(
    kind: str, adjoint: bool
) -> None:
    make, dense = KINDS[kind]
    operator = make()
    matrix = np.swapaxes(dense, -1, -2) if adjoint else dense
    right = DRAWN.normal(size=(*dense.shape[:-1], 2)).astype(
        operator.dtype.as_numpy_dtype
    )
    turned = np.swapaxes(right, -1, -2)
    close = np.testing.assert_allclose
    close(operator.matmul(right, adjoint), matrix @ right, atol=1e-4)
    close(
        operator.matmul(turned, adjoint, adjoint_arg=True), matrix @ right, atol=1e-4
    )
    close(operator.solve(right, adjoint), np.linalg.solve(matrix, right), atol=1e-4)
    close(
        operator.matvec(right[..., 0], adjoint), (matrix @ right)[..., 0], atol=1e-4
    )
    other = operator.adjoint() if adjoint else operator
    close(other.inverse().matmul(right), np.linalg.solve(matrix, right), atol=1e-4)


def test_factors_and_eigenvalues_of_symmetric_ones() -> None:
    dense = BATCH @ np.swapaxes(BATCH, -1, -2)
    one = tf.linalg.LinearOperatorFullMatrix(
        dense, is_self_adjoint=True, is_positive_definite=True
    )
    both = tf.linalg.LinearOperatorKronecker([one, one])
    assert both.is_positive_definite is True
    assert both.is_non_singular is True
    np.testing.assert_allclose(
        both.cholesky().to_dense(), np.linalg.cholesky(kron(dense, dense)), atol=1e-6
    )
    np.testing.assert_allclose(
        np.sort(both.eigvals(), -1), np.linalg.eigvalsh(kron(dense, dense)), atol=1e-6
    )
    np.testing.assert_allclose(one.cond(), np.linalg.cond(dense))
    one.assert_positive_definite()
    with pytest.raises(NotImplementedError, match="not self-adjoint"):
        full(BATCH).eigvals()
    with pytest.raises(ValueError, match="positive definite"):
        full(BATCH).cholesky()
    with pytest.raises(ValueError, match="always non-singular"):
        tf.linalg.LinearOperatorFullMatrix(
            BATCH, is_positive_definite=True, is_non_singular=False
        )


def test_products_keep_their_kind() -> None:
    diagonal = tf.linalg.LinearOperatorDiag([2.0, 3.0])
    unit = tf.linalg.LinearOperatorIdentity(2)
    assert isinstance(diagonal @ diagonal, tf.linalg.LinearOperatorDiag)
    assert unit @ diagonal is diagonal
    assert isinstance(diagonal.inverse(), tf.linalg.LinearOperatorDiag)
    assert diagonal.adjoint() is diagonal
    block = tf.linalg.LinearOperatorBlockDiag([diagonal, unit])
    parts = block.matmul([tf.ones([2, 1]), 2 * tf.ones([2, 1])])
    assert [x.numpy().ravel().tolist() for x in parts] == [[2.0, 3.0], [2.0, 2.0]]


def test_gradients_reach_the_variables_that_operators_are_made_of() -> None:
    diagonal = tf.Variable([2.0, 4.0])
    operator = tf.linalg.LinearOperatorDiag(diagonal)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(operator.solvevec([1.0, 1.0]))
    assert tape.gradient(total, diagonal).numpy().tolist() == [-0.25, -0.0625]
    assert [x is diagonal for x in operator.trainable_variables] == [True]


def test_operators_of_programs_say_what_they_do() -> None:
    class Twice(tf.linalg.LinearOperator):
        def __init__(self) -> None:
            super().__init__(tf.float32, is_square=True)

        def _shape(self) -> Any:
            return tf.TensorShape([3, 3])

        def _matmul(
            self, x: Any, adjoint: bool = False, adjoint_arg: bool = False
        ) -> Any:
            return 2.0 * (tf.linalg.adjoint(x) if adjoint_arg else x)

    operator = Twice()
    np.testing.assert_allclose(operator.to_dense(), 2 * np.eye(3))
    np.testing.assert_allclose(operator.solvevec([2.0, 4.0, 6.0]), [1.0, 2.0, 3.0])
    np.testing.assert_allclose((operator @ operator).to_dense(), 4 * np.eye(3))


def test_matrices_over_tensors_of_no_known_rank_have_no_known_shape() -> None:
    seen = []

    def product(diagonal: Any) -> Any:
        matrix = tf.linalg.LinearOperatorDiag(diagonal)
        seen.append(
            (
                matrix.shape.rank,
                matrix.range_dimension.value,
                matrix.batch_shape.rank,
            )
        )
        return matrix.matmul(tf.ones([2, 1])), matrix.shape_tensor()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = tf.function(product, input_signature=[tf.TensorSpec(None)])
        found, sizes = traced(tf.constant([2.0, 3.0]))
    assert seen == [(None, None, None)]
    assert (found.numpy().tolist(), sizes.numpy().tolist()) == (
        [[2.0], [3.0]],
        [2, 2],
    )


LINALG = tf.linalg
REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: LINALG.LinearOperatorDiag(2.0), ValueError, "at least 1 dimension"),
    (lambda: LINALG.LinearOperatorFullMatrix([1.0]), ValueError, "at least 2 dim"),
    (lambda: LINALG.LinearOperatorToeplitz(1.0, 2.0), ValueError, "at least 1 dim"),
    (lambda: LINALG.LinearOperatorIdentity(2.0), TypeError, "must be integer"),
    (lambda: LINALG.LinearOperatorIdentity([2]), ValueError, "must be a 0-D Tensor"),
    (lambda: LINALG.LinearOperatorIdentity(-2), ValueError, "must be non-negative"),
    (
        lambda: LINALG.LinearOperatorIdentity(2, is_non_singular=False),
        ValueError,
        "identity operator is always non-singular",
    ),
    (
        lambda: LINALG.LinearOperatorDiag([1.0], is_self_adjoint=False),
        ValueError,
        "always self-adjoint",
    ),
    (
        lambda: LINALG.LinearOperatorFullMatrix(np.eye(2), is_square=False).is_square,
        ValueError,
        "but the operator was square",
    ),
    (
        lambda: LINALG.LinearOperatorKronecker(
            [LINALG.LinearOperatorDiag(np.ones(2, kind)) for kind in ("f4", "f8")]
        ),
        TypeError,
        "same dtype",
    ),
    (
        lambda: LINALG.LinearOperatorComposition(
            [LINALG.LinearOperatorIdentity(2)] * 2, is_non_singular=False
        ),
        ValueError,
        "composition of non-singular operators is always non-singular",
    ),
    (
        lambda: LINALG.LinearOperatorFullMatrix(np.eye(3)).matmul(
            LINALG.LinearOperatorFullMatrix(np.eye(2))
        ),
        ValueError,
        "Operators are incompatible",
    ),
    (
        lambda: LINALG.LinearOperatorLowRankUpdate(
            LINALG.LinearOperatorIdentity(3, dtype="float64"), np.ones([4, 2])
        ),
        ValueError,
        "not compatible",
    ),
    (
        lambda: LINALG.LinearOperatorBlockLowerTriangular(
            [
                [LINALG.LinearOperatorFullMatrix(np.eye(2))],
                [LINALG.LinearOperatorFullMatrix(np.eye(n)) for n in (3, 3)],
            ]
        ),
        ValueError,
        "must be the same as",
    ),
    (
        lambda: LINALG.LinearOperatorInversion(
            LINALG.LinearOperatorFullMatrix(np.eye(2), is_self_adjoint=False),
            is_self_adjoint=True,
        ),
        ValueError,
        "self-adjoint if and only if",
    ),
    (
        lambda: LINALG.LinearOperatorZeros(2).assert_non_singular(),
        ValueError,
        "always non-invertible",
    ),
]


@pytest.mark.parametrize(("make", "error", "said"), REFUSED)
def test_what_does_not_fit_together_is_refused(
    make: Callable[[], Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        make()


def test_scaled_identities_stay_such() -> None:
    one = LINALG.LinearOperatorScaledIdentity(2, 4.0)
    kind = LINALG.LinearOperatorScaledIdentity
    for made, wanted in (
        (one.inverse(), 0.25),
        (one.matmul(one), 16.0),
        (
            LINALG.LinearOperatorScaledIdentity(2, 4.0, True, True, True).cholesky(),
            2.0,
        ),
    ):
        assert isinstance(made, kind)
        np.testing.assert_allclose(made.to_dense(), wanted * np.eye(2))
    assert isinstance(
        LINALG.LinearOperatorIdentity(2).inverse(), LINALG.LinearOperatorIdentity
    )


def test_matrices_are_singular_from_the_condition_that_their_size_allows() -> None:
    tf.linalg.LinearOperatorFullMatrix(
        np.eye(3, dtype=np.float32)
    ).assert_non_singular()
    narrow = np.diag(np.array([1, 1, 1e-5], np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular matrix"):
        tf.linalg.LinearOperatorFullMatrix(narrow).assert_non_singular()


def test_updates_without_a_diagonal_hold_an_identity() -> None:
    base = tf.linalg.LinearOperatorDiag([2.0, 3.0], is_positive_definite=True)
    added = tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]])
    assert isinstance(added.diag_operator, tf.linalg.LinearOperatorIdentity)
    assert float(added.determinant()) == pytest.approx(11.0)
    assert added.solve([[4.0], [5.0]]).numpy().ravel() == pytest.approx([1.0, 1.0])
