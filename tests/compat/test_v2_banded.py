"""Matrices by their factors or their diagonals, against the dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

DRAWN = np.random.default_rng(0)
MATRICES: Any = DRAWN.normal(size=(3, 4, 4))
RIGHT: Any = DRAWN.normal(size=(3, 4, 2))
BANDS = DRAWN.normal(size=(3, 4)) + 3 * np.array([[0], [1], [0]])


def dense(upper: Any, main: Any, lower: Any) -> Any:
    return np.diag(main) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1)


def test_factors_give_matrices_solutions_and_inverses() -> None:
    lower_upper, rows = tf.linalg.lu(MATRICES)
    factors: Any = (lower_upper, rows)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(*factors), MATRICES)
    np.testing.assert_allclose(
        tf.linalg.lu_solve(lower_upper, rows, RIGHT), np.linalg.solve(MATRICES, RIGHT)
    )
    np.testing.assert_allclose(
        tf.linalg.lu_matrix_inverse(*factors), np.linalg.inv(MATRICES), rtol=1e-6
    )


def test_products_of_three_diagonals() -> None:
    wanted = dense(*BANDS) @ RIGHT[0]
    for given, form in ((BANDS, "compact"), (list(BANDS), "sequence")):
        found = tf.linalg.tridiagonal_matmul(given, RIGHT[0], form)
        np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("adjoint", [False, True])
def test_triangles_of_few_diagonals(adjoint: bool) -> None:
    upper, main, lower = BANDS
    zeros = np.zeros(4)
    above = (BANDS[:2], dense(upper, main, zeros), False)
    under = (BANDS[1:], dense(zeros, main, lower), True)
    for bands, matrix, below in (above, under):
        found = tf.linalg.banded_triangular_solve(bands, RIGHT[0], below, adjoint)
        solved = np.linalg.solve(matrix.T if adjoint else matrix, RIGHT[0])
        np.testing.assert_allclose(found, solved)


def test_eigenvalues_of_three_diagonals() -> None:
    alpha, beta = BANDS[1], BANDS[0, :3]
    wanted = np.linalg.eigvalsh(np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1))
    np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(alpha, beta), wanted)
    some = tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=(1, 2))
    np.testing.assert_allclose(some, wanted[1:3])
    border = (wanted[0], wanted[2])
    values, vectors = tf.linalg.eigh_tridiagonal(
        alpha, beta, eigvals_only=False, select="v", select_range=border
    )
    np.testing.assert_allclose(values, wanted[1:3])
    assert vectors.shape == (4, 2)
    with pytest.raises(ValueError, match="select"):
        tf.linalg.eigh_tridiagonal(alpha, beta, select="b")


def test_sizes_with_tensors_among_them_scatter() -> None:
    @tf.function
    def scattered(most: Any) -> Any:
        return tf.scatter_nd([[1], [3]], [5, 7], (most + 1,))

    assert scattered(tf.constant(3)).numpy().tolist() == [0, 5, 0, 7]


def test_the_best_boxes_of_all_classes() -> None:
    """Expected values are TensorFlow 2.21's."""
    corners = [[0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.45], [0.5, 0.5, 1.2, 1.0]]
    boxes = np.array(corners, np.float32)[None, :, None]
    scores = np.array([[[0.5, 0.2], [0.75, 0.9], [0.1, 0.6]]], np.float32)
    made = tf.image.combined_non_max_suppression(boxes, scores, 2, 5, 0.5, 0.15)
    found, best, classes, counts = (x.numpy() for x in made)
    assert counts.tolist() == [3]
    np.testing.assert_allclose(best, [[0.9, 0.75, 0.6, 0, 0]])
    assert classes.tolist() == [[1, 0, 1, 0, 0]]
    np.testing.assert_allclose(found[0, 2], [0.5, 0.5, 1.0, 1.0])
    padded = tf.image.combined_non_max_suppression(
        boxes, scores, 1, 5, 0.5, 0.15, pad_per_class=True, clip_boxes=False
    )
    assert [tuple(x.shape) for x in padded] == [(1, 2, 4), (1, 2), (1, 2), (1,)]
