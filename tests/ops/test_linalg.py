"""What linear algebra does at its edges: singular, empty, ill-shaped matrices."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.trace import trace
from tests.checks import check_gradient, host


def test_matmul_tells_which_sizes_differ() -> None:
    with pytest.raises(tl.errors.ShapeError, match="inner sizes 3 and 2 differ"):
        tl.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(tl.errors.ShapeError, match=r"use \*"):
        tl.matmul(np.ones((2, 3)), 2.0)
    with pytest.raises(tl.errors.DTypeError, match="matmul takes numbers"):
        tl.matmul(np.ones((2, 2), bool), np.ones((2, 2), bool))


def test_a_transposed_matrix_is_an_attribute_of_the_product() -> None:
    traced = trace(
        lambda x, y: [tl.matmul(x, y, transpose_b=True)],
        [TensorSpec((2, None)), TensorSpec((4, 3))],
    )
    node = traced.graph.outputs[0].node
    assert repr(node.op) == "MatMul(transpose_a=False, transpose_b=True)"
    assert node.outputs[0].shape == (2, 4)


def test_bfloat16_products_stay_bfloat16() -> None:
    x = tl.astype(np.ones((3, 2, 2)), tl.bfloat16)
    assert tl.matmul(x, x).dtype is tl.bfloat16
    assert tl.einsum("bij,bjk->bik", x, x).dtype is tl.bfloat16


def test_einsum_says_what_is_wrong_with_an_equation() -> None:
    x = np.ones((2, 3))
    for equation in ("ij->k", "i1->i", "ij->ii", "i......->i"):
        with pytest.raises(tl.errors.InvalidArgumentError, match="is no equation"):
            tl.einsum(equation, x)
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="names 2 operands, not 1"
    ):
        tl.einsum("ij,jk->ik", x)
    with pytest.raises(tl.errors.ShapeError, match="gives 'j' the sizes 3 and 2"):
        tl.einsum("ij,jk->ik", x, x)
    with pytest.raises(tl.errors.ShapeError, match="does not fit"):
        tl.einsum("ijk->i", x)


def test_einsum_joins_many_operands_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    xs = [rng.normal(size=size) for size in ((2, 9), (9, 8), (8, 3), (3,))]
    found = tl.einsum("ij,jk,kl,l->i", *xs)
    np.testing.assert_allclose(host(found), xs[0] @ xs[1] @ xs[2] @ xs[3])
    traced = trace(
        lambda *ys: [tl.einsum("ij,jk,kl,l->i", *ys)],
        [TensorSpec(x.shape, tl.float64) for x in xs],
    )
    used = [len(n.inputs) for n in traced.graph.nodes if n.op.name == "Einsum"]
    assert used == [2, 2, 2]


def test_singular_matrices_have_no_inverse_but_a_pseudo_inverse() -> None:
    x = np.ones((2, 2))
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="Input is not invertible"
    ):
        tl.linalg.inv(x)
    np.testing.assert_allclose(host(tl.linalg.pinv(x)), x / 4)
    assert tl.linalg.matrix_rank(x).item() == 1
    sign, log = tl.linalg.slogdet(x)
    assert (sign.item(), log.item()) == (0.0, -np.inf)


def test_only_square_matrices_of_floats_are_factored() -> None:
    with pytest.raises(tl.errors.ShapeError, match="takes square matrices"):
        tl.linalg.inv(np.ones((2, 3)))
    with pytest.raises(tl.errors.ShapeError, match="takes matrices or stacks"):
        tl.linalg.svd(np.ones(3))
    with pytest.raises(tl.errors.DTypeError, match=r"use tl\.astype"):
        tl.linalg.det(np.ones((2, 2), np.float16))
    assert tl.linalg.det([[2, 0], [0, 3]]).dtype is tl.float32


def test_a_matrix_that_is_not_positive_definite_is_told() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="not successful"):
        tl.linalg.cholesky(-np.eye(2))


def test_empty_matrices_have_factors() -> None:
    empty = np.ones((0, 3))
    assert tl.linalg.pinv(empty).shape == (3, 0)
    assert tl.linalg.svdvals(empty).shape == (0,)
    assert tl.linalg.matrix_rank(empty).item() == 0
    assert tl.linalg.det(np.ones((0, 0))).item() == 1.0
    assert tl.matmul(np.ones((2, 0)), empty).numpy().tolist() == [[0.0] * 3] * 2


def test_equal_eigenvalues_leave_gradients_finite() -> None:
    x = tl.asarray(np.eye(3))
    with tl.GradientTape() as tape:
        tape.watch(x)
        values, vectors = tl.linalg.eigh(x)
        y = tl.matmul(vectors * values, tl.matrix_transpose(vectors))
    found = host(
        tape.gradient(y, x, output_gradients=tl.asarray(np.diag([1.0, 2.0, 3.0])))
    )
    np.testing.assert_allclose(found, np.diag([1.0, 2.0, 3.0]), atol=1e-12)


def test_singular_values_of_equal_size_leave_gradients_finite() -> None:
    x = tl.asarray(2 * np.eye(3))
    with tl.GradientTape() as tape:
        tape.watch(x)
        u, s, vh = tl.linalg.svd(x)
        y = tl.sum(tl.matmul(u * s, vh))
    assert np.isfinite(host(tape.gradient(y, x))).all()


def test_full_factors_of_tall_matrices_have_no_gradient() -> None:
    x = tl.asarray(np.random.default_rng(0).normal(size=(4, 2)))
    with tl.GradientTape(persistent=True) as tape:
        tape.watch(x)
        u, s, _ = tl.linalg.svd(x)
        q, _ = tl.linalg.qr(x, mode="complete")
    with pytest.raises(tl.errors.GradientError, match="full_matrices=False"):
        tape.gradient(u, x)
    with pytest.raises(tl.errors.GradientError, match="use 'reduced'"):
        tape.gradient(q, x)
    assert tape.gradient(s, x).shape == (4, 2)


def test_complex_singular_vectors_have_gradients_where_their_phase_cancels() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3))

    def phaseless(z: tl.TensorLike) -> tuple[tl.TensorLike, ...]:
        u, s, vh = tl.linalg.svd(z, full_matrices=False)
        return tl.matmul(u, vh), tl.abs(u) ** 2, s

    check_gradient(phaseless, x)


def test_complex_eigenvalues_of_real_matrices_have_real_gradients() -> None:
    x = np.asarray([[0.0, -1.0, 0.2], [1.0, 0.3, 0.0], [0.1, 0.0, 2.0]])
    check_gradient(lambda z: tl.linalg.eigvals(z) ** 2, x)


def test_the_gradient_of_a_length_at_zero_is_zero() -> None:
    x = tl.asarray([0.0, 0.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.linalg.vector_norm(x)
    np.testing.assert_array_equal(host(tape.gradient(y, x)), [0.0, 0.0])


def test_norms_that_do_not_exist_are_told() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="allowed: 'fro', 'nuc'"):
        tl.linalg.matrix_norm(np.ones((2, 2)), ord=3)
    with pytest.raises(tl.errors.InvalidArgumentError, match="does not go with axes"):
        tl.linalg.norm(np.ones((2, 2, 2)), ord="fro")


def test_powers_of_integers_stay_integers() -> None:
    found = tl.linalg.matrix_power(tl.asarray([[1, 1], [0, 1]]), 0)
    assert found.dtype is tl.int32
    np.testing.assert_array_equal(host(found), np.eye(2))


def test_least_squares_of_too_few_equations_are_the_shortest() -> None:
    a, b = np.asarray([[1.0, 1.0]]), np.asarray([2.0])
    np.testing.assert_allclose(host(tl.linalg.lstsq(a, b)), [1.0, 1.0])


def test_everything_of_the_namespace_is_there() -> None:
    missing = [
        name for name in tl.linalg.__all__ if not callable(getattr(tl.linalg, name))
    ]
    assert missing == []
    assert sorted(tl.linalg.__all__) == list(tl.linalg.__all__)


def test_matrices_with_eigenvalues_below_0_have_logarithms_and_roots() -> None:
    x = np.array([[-1, 0], [0, -2]], np.complex64)
    expected = np.diag([np.pi * 1j, np.log(2) + np.pi * 1j])  # as TensorFlow's
    np.testing.assert_allclose(tl.linalg.logm(x).numpy(), expected, atol=1e-6)
    x = np.array([[1, 2], [3, 4]], np.complex128)
    np.testing.assert_allclose(
        tl.linalg.logm(x).numpy(),
        [
            [-0.35043990 + 2.39111780j, 0.92935121 - 1.09376217j],
            [1.39402681 - 1.64064326j, 1.04358691 + 0.75047463j],
        ],
        rtol=1e-7,
    )
    root = tl.linalg.sqrtm(np.stack([x, -x])).numpy()
    np.testing.assert_allclose(root @ root, np.stack([x, -x]), atol=1e-12)
    shear = np.array([[1, 1], [0, 1]], np.complex128)  # has one eigenvector alone
    np.testing.assert_allclose(
        tl.linalg.logm(shear).numpy(), [[0, 1], [0, 0]], atol=1e-12
    )
