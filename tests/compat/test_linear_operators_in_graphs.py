"""LinearOperators in graphs of version 1, where they are composed as TensorFlow does, by values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tests.compat.test_linear_operators import BATCH, KINDS, OTHER

DRAWN = np.random.default_rng(1)
close = np.testing.assert_allclose


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def run(*xs: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        found = session.run(list(xs), feed)
    return found if len(xs) > 1 else found[0]


COMPOSED = [x for x in KINDS if "tridiag" not in x]


@pytest.mark.parametrize("kind", COMPOSED)
def test_values_are_those_of_the_dense_matrix(kind: str) -> None:
    make, dense = KINDS[kind]
    operator = make()
    right = DRAWN.normal(size=(*dense.shape[:-1], 2))
    kept = right.astype(operator.dtype.as_numpy_dtype)
    for shape in (kept.shape, [None] * kept.ndim):
        given = tf.placeholder(operator.dtype, shape)
        turned = tf.linalg.matrix_transpose(given)
        found = run(
            operator.to_dense(),
            operator.matmul(given),
            operator.matmul(turned, True, True),
            operator.solve(given),
            operator.log_abs_determinant(),
            operator.determinant(),
            feed={given: kept},
        )
        back = np.swapaxes(dense, -1, -2)
        close(found[0], dense, atol=1e-6)
        close(found[1], dense @ right, atol=1e-4)
        close(found[2], back @ right, atol=1e-4)
        close(found[3], np.linalg.solve(dense, right), atol=1e-4)
        close(found[4], np.linalg.slogdet(dense)[1], rtol=1e-4, atol=1e-6)
        close(found[5], np.linalg.det(dense), rtol=1e-5)


def test_parts_of_one_matrix_may_have_different_batches() -> None:
    one, many = OTHER[0], BATCH
    parts = [tf.linalg.LinearOperatorFullMatrix(x) for x in (one, many)]
    block = np.zeros((2, 5, 5))
    block[:, :2, :2], block[:, 2:, 2:] = one, many
    close(run(tf.linalg.LinearOperatorBlockDiag(parts).to_dense()), block)
    crossed = np.stack([np.kron(one, x) for x in many])
    right = DRAWN.normal(size=(6, 2))
    operator = tf.linalg.LinearOperatorKronecker(parts)
    dense, made = run(operator.to_dense(), operator.matmul(tf.constant(right)))
    close(dense, crossed)
    close(made, crossed @ right)


def test_definite_updates_are_solved_by_their_factors() -> None:
    base = tf.linalg.LinearOperatorDiag([2.0, 3.0, 4.0], is_positive_definite=True)
    operator = tf.linalg.LinearOperatorLowRankUpdate(base, tf.ones([3, 1]))
    assert operator.is_positive_definite
    assert operator.is_non_singular
    dense = np.diag([2.0, 3.0, 4.0]) + 1
    solved, size = run(operator.solve(tf.eye(3)), operator.determinant())
    close(solved, np.linalg.inv(dense), atol=1e-6)
    close(size, np.linalg.det(dense), rtol=1e-5)
    graph: Any = tf.get_default_graph()
    assert "Cholesky" in {x.type for x in graph.get_operations()}
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-singular"):
        tf.linalg.LinearOperatorLowRankUpdate(
            base, tf.ones([3, 1]), is_non_singular=False
        )


def test_zeros_are_made_of_the_sizes_of_what_is_multiplied() -> None:
    operator = tf.linalg.LinearOperatorZeros(
        2, 3, [2], is_square=False, is_self_adjoint=False
    )
    found = run(
        operator.to_dense(),
        operator.matmul(tf.ones([3, 4])),
        operator.matmul(tf.ones([2, 4]), adjoint=True),
        operator.matmul(tf.ones([4, 3]), adjoint_arg=True),
    )
    assert [x.shape for x in found] == [(2, 2, 3), (2, 2, 4), (2, 3, 4), (2, 2, 4)]
    assert not any(x.any() for x in found)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        operator.matmul(tf.ones([2, 4]))


@pytest.mark.parametrize("shape", [[None], [3, None]])
def test_square_matrices_of_unknown_size_are_square(shape: list[int | None]) -> None:
    diagonal = tf.placeholder(tf.float32, shape)
    operator = tf.linalg.LinearOperatorDiag(diagonal)
    assert operator.is_square is True
    other = tf.placeholder(tf.float32, [None, None])
    assert tf.linalg.LinearOperatorFullMatrix(other).is_square is None
    given = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)[: len(shape) * 3 - 3]
    given = given if len(shape) == 2 else np.array([1, 2], np.float32)
    right = np.ones((2, 4), np.float32)
    found = run(operator.solve(other), feed={diagonal: given, other: right})
    close(found, right / given[..., None])
