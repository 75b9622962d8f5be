"""Products of ragged stacks of matrices, against NumPy's of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl

rng = np.random.default_rng(3)


def stack(*sizes: tuple[int, int], ragged_rank: int = 2) -> Any:
    """Return matrices of these sizes in a ragged tensor."""
    matrices = [rng.standard_normal(size) for size in sizes]
    lengths = [size[0] for size in sizes]
    if ragged_rank == 1:
        return tl.ragged.RaggedTensor.from_row_lengths(
            np.concatenate(matrices), lengths
        )
    rows = [row.tolist() for matrix in matrices for row in matrix]
    return tl.ragged.RaggedTensor.from_row_lengths(
        tl.ragged.constant(rows, "float64"), lengths
    )


def each(x: Any) -> list[np.ndarray[Any, Any]]:
    return [
        np.asarray(m.to_list() if hasattr(m, "to_list") else m.numpy()) for m in x
    ]


DENSE = tl.constant(rng.standard_normal((2, 4, 3)))


@pytest.mark.parametrize(
    ("a", "b", "turned", "rank"),
    [
        (stack((5, 4), (1, 4)), stack((4, 3), (4, 6)), (False, False), 2),
        (
            stack((5, 4), (1, 2)),
            stack((4, 3), (2, 3), ragged_rank=1),
            (False, False),
            1,
        ),
        (stack((5, 4), (1, 4), ragged_rank=1), DENSE, (False, False), 1),
        (DENSE, stack((3, 2), (3, 7)), (False, False), 2),
        (stack((4, 1), (4, 3)), DENSE, (True, False), 1),
        (stack((5, 3), (1, 3)), DENSE, (False, True), 1),
        (stack((2, 3), (3, 2)), stack((5, 3), (5, 2)), (False, True), 2),
        (stack((4, 1), (4, 3)), stack((2, 4), (3, 4)), (True, True), 2),
    ],
)
def test_each_matrix_by_its_own(
    a: Any, b: Any, turned: tuple[bool, bool], rank: int
) -> None:
    found = tl.ragged.matmul(a, b, transpose_a=turned[0], transpose_b=turned[1])
    assert found.ragged_rank == rank
    for x, y, made in zip(each(a), each(b), each(found), strict=True):
        left, right = x.T if turned[0] else x, y.T if turned[1] else y
        np.testing.assert_allclose(made, left @ right)


def test_matrices_and_stacks_of_stacks() -> None:
    a = tl.ragged.constant([[1, 2, 3], [4, 5, 6]])
    product = tl.ragged.matmul(a, tl.ragged.constant([[5], [4], [3]]))
    assert product.tolist() == [[22], [58]]
    deep = tl.ragged.RaggedTensor.from_row_lengths(
        stack((1, 4), (2, 4), (3, 4)), [2, 1]
    )
    others = tl.ragged.RaggedTensor.from_row_lengths(
        rng.standard_normal((3, 4, 2)), [2, 1]
    )
    found = tl.ragged.matmul(deep, others)
    assert found.row_lengths().tolist() == [2, 1]
    for x, y, made in zip(
        each(deep.values), others.values.numpy(), each(found.values), strict=True
    ):
        np.testing.assert_allclose(made, x @ y)


def test_what_does_not_fit_is_told() -> None:
    ragged = tl.ragged.constant([[1, 2, 3], [4, 5]])
    with pytest.raises(tl.errors.InvalidArgumentError, match="innermost"):
        tl.ragged.matmul(ragged, ragged)
    with pytest.raises(tl.errors.InvalidArgumentError, match="inner sizes"):
        tl.ragged.matmul(stack((1, 4), (1, 2)), stack((4, 2), (4, 2)))
    with pytest.raises(tl.errors.ShapeError, match="same rank"):
        tl.ragged.matmul(tl.constant([[[1]]]), ragged)
    with pytest.raises(tl.errors.DTypeError, match="one dtype"):
        tl.ragged.matmul(stack((1, 4)), tl.constant([[[1]] * 4]))


def test_gradients_reach_both_stacks() -> None:
    a, b = stack((2, 3), (1, 3)), stack((3, 2), (3, 1))

    def total(x: Any, y: Any) -> Any:
        found = tl.ragged.matmul(a.with_flat_values(x), b.with_flat_values(y))
        return tl.sum(found.flat_values**2)

    x, y = tl.Variable(a.flat_values), tl.Variable(b.flat_values)
    with tl.GradientTape() as tape:
        loss = total(x, y)
    for variable, gradient in zip((x, y), tape.gradient(loss, [x, y]), strict=True):
        direction = rng.standard_normal(variable.shape)
        eps = 1e-6 * direction
        ends = [
            float(total(*[v + sign * eps if v is variable else v for v in (x, y)]))
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(
            (gradient.numpy() * direction).sum(), slope, rtol=1e-5
        )
