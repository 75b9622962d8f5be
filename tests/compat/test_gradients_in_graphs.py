"""Gradients that version 1 writes as nodes are those that tapes take, and so are theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""

DRAW = np.random.default_rng(11)
X = DRAW.uniform(0.5, 2.0, (4, 3))
SQUARE = DRAW.uniform(-1, 1, (2, 3, 3)) + 3 * np.eye(3)
SYMMETRIC = SQUARE + SQUARE.swapaxes(-1, -2)
WEIGHTS = DRAW.uniform(0.5, 2.0, (2, 3, 3))


def complexed(x: Any) -> Any:
    return tf.complex(x, tf.sin(3.0 * x))


def spectrum(function: Any, x: Any, *sizes: Any) -> Any:
    """Return the sizes of spectra of numbers of float32, which TensorFlow 1 has alone."""
    given = tf.cast(x, tf.float32)
    return tf.cast(tf.abs(function(given, *sizes)), x.dtype)


SOME = [0, -1, 1, 0]
CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "real": (lambda x: tf.real(complexed(x) * complexed(x)), X),
    "imag": (lambda x: tf.imag(complexed(x) * complexed(x)), X),
    "angle": (lambda x: tf.angle(complexed(x)), X),
    "complex_abs": (lambda x: tf.abs(complexed(x)), X),
    "conj": (lambda x: tf.imag(tf.conj(complexed(x)) * complexed(2.0 * x)), X),
    "complex_rows": (lambda x: tf.abs(tf.complex(x, x[0])), X),
    "fft": (lambda x: tf.abs(tf.fft(complexed(x))), X),
    "ifft2d": (lambda x: tf.abs(tf.ifft2d(complexed(x))), X),
    "rfft2d": (lambda x: spectrum(tf.signal.rfft2d, x), X),
    "rfft2d_of_even": (lambda x: spectrum(tf.signal.rfft2d, x[:, :2]), X),
    "frame": (lambda x: tf.signal.frame(tf.sin(x), 2, 1, pad_end=True), X),
    "stft": (lambda x: spectrum(tf.signal.stft, tf.reshape(x, [-1]), 4, 3), X),
    "repeat": (lambda x: tf.repeat(tf.sin(x), 2, axis=1), X),
    "repeat_all": (lambda x: tf.repeat(tf.sin(x), 3), X),
    "repeat_unevenly": (lambda x: tf.repeat(tf.sin(x), [1, 0, 2], axis=-1), X),
    "sparse_sums": (
        lambda x: tf.sparse_reduce_sum(
            tf.SparseTensor([[0, 0], [0, 2], [3, 1]], x[0] * x[1], [4, 3]), [-1]
        ),
        X,
    ),
    "segment_max": (lambda x: tf.segment_max(x, [0, 0, 1, 1]), X),
    "unsorted_max": (lambda x: tf.unsorted_segment_max(x, SOME, 2), X),
    "unsorted_min": (lambda x: tf.unsorted_segment_min(x, SOME, 2), X),
    "unsorted_prod": (lambda x: tf.unsorted_segment_prod(x, SOME, 2), X),
    "cross": (lambda x: tf.linalg.cross(x, tf.sin(x)), X),
    "diag": (lambda x: tf.linalg.tensor_diag(x[0]) @ x[:3], X),
    "diag_part": (lambda x: tf.linalg.tensor_diag_part(tf.exp(x[:3])), X),
    "where_v2": (lambda x: tf.where_v2(x > 1, tf.square(x), x[0] * 3.0), X),
    "scatter_add": (lambda x: tf.tensor_scatter_add(x, [[1]], x[:1] * x[1:2]), X),
    "scatter_sub": (lambda x: tf.tensor_scatter_sub(x, [[1]], x[:1] * x[1:2]), X),
    "scatter_update": (
        lambda x: tf.tensor_scatter_update(tf.square(x), [[1]], x[:1] * x[1:2]),
        X,
    ),
    "inverse": (tf.matrix_inverse, SQUARE),
    "inverse_adjoint": (lambda x: tf.matrix_inverse(x, adjoint=True), SQUARE),
    "determinant": (tf.matrix_determinant, SQUARE),
    "log_determinant": (lambda x: tf.linalg.slogdet(x)[1], SQUARE),
    "solve": (lambda x: tf.matrix_solve(x, tf.sin(x)), SQUARE),
    "solve_adjoint": (lambda x: tf.matrix_solve(x, tf.sin(x), adjoint=True), SQUARE),
    "triangular_solve": (lambda x: tf.matrix_triangular_solve(x, x[..., :2]), SQUARE),
    "triangular_adjoint": (
        lambda x: tf.matrix_triangular_solve(x, x, lower=False, adjoint=True),
        SQUARE,
    ),
    "qr": (lambda x: tf.linalg.qr(x)[1], SQUARE),
    "eigenvalues": (lambda x: tf.self_adjoint_eigvals(_symmetric(x)), SYMMETRIC),
    "eigenvectors": (lambda x: abs(tf.self_adjoint_eig(_symmetric(x))[1]), SYMMETRIC),
    "cholesky": (lambda x: tf.cholesky(tf.matmul(x, x, adjoint_b=True)), SQUARE),
    "singular_vectors": (
        lambda x: abs(tf.svd(x)[1] @ tf.matrix_diag(tf.svd(x)[0])),
        SQUARE,
    ),
    "singular_vectors_of_tall": (lambda x: abs(tf.svd(x[..., :2])[2]), SQUARE),
    "singular_vectors_of_wide": (lambda x: abs(tf.svd(x[:, :2])[1]), SQUARE),
    "square_root": (tf.linalg.sqrtm, SYMMETRIC @ SYMMETRIC),
    "exponential": (lambda x: tf.linalg.expm(x / 4.0), SQUARE),
    "exponential_squared": (tf.linalg.expm, SQUARE),
    "pseudo_inverse": (lambda x: tf.linalg.pinv(x[..., :2]), SQUARE),
    "least_squares": (lambda x: tf.linalg.lstsq(x[..., :2], tf.sin(x)), SQUARE),
    "regularised": (lambda x: tf.linalg.lstsq(x[:, :2], x[:, 1:], 0.5), SQUARE),
    "tridiagonal_solve": (
        lambda x: tf.linalg.tridiagonal_solve(x, tf.sin(x[..., :2])),
        SQUARE.swapaxes(1, 2),
    ),
    "tridiagonal_matmul": (
        lambda x: tf.linalg.tridiagonal_matmul(x, tf.sin(x)),
        SQUARE,
    ),
    "singular_values": (lambda x: tf.svd(x, compute_uv=False), SQUARE),
    "logsumexp": (lambda x: tf.reduce_logsumexp(x, -1), X),
    "logsumexp_of_all": (tf.reduce_logsumexp, X),
    "std": (lambda x: tf.math.reduce_std(x, 1, keepdims=True), X),
    "length": (lambda x: tf.norm(x) * tf.math.reduce_euclidean_norm(x, 0), X),
    "trace": (lambda x: tf.trace(tf.square(x)), SQUARE),
    "logdet": (lambda x: tf.linalg.logdet(x @ tf.matrix_transpose(x)), SQUARE),
}


def _symmetric(x: Any) -> Any:
    return (x + tf.matrix_transpose(x)) / 2.0


OPEN = ("complex_rows", "fft", "unsorted_prod", "where_v2", "cholesky", "logsumexp")
SINGLE = ("rfft2d", "rfft2d_of_even", "stft")
"""What is computed in float32."""
RUNS = [(key, False) for key in CASES] + [(key, True) for key in OPEN]


@pytest.mark.parametrize(("key", "is_open"), RUNS)
def test_gradients_are_those_of_tapes(key: str, is_open: bool) -> None:
    function, given = CASES[key]
    with tf.Graph().as_default(), tf.Session() as session:
        sizes = [None] * given.ndim if is_open else given.shape
        x = tf.placeholder(tf.float64, sizes)
        y = tf.reduce_sum(tf.sin(function(x)))
        (first,) = tf.gradients(y, x)
        (second,) = tf.gradients(tf.reduce_sum(tf.square(first)), x)
        found = session.run([y, first, second], {x: given})
    expected = taped(function)(tl.asarray(given))
    near = 1e-4 if key in SINGLE else 1e-6
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            mine, np.asarray(theirs), rtol=near, atol=near / 100
        )


def taped(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what computes a function's value, and gradients, by the operators' own."""

    @tl.function
    def computed(x: Any) -> Any:
        with tl.GradientTape() as outer:
            outer.watch(x)
            with tl.GradientTape() as inner:
                inner.watch(x)
                y = tl.sum(tl.sin(tl.asarray(function(x))))
            slope = inner.gradient(y, x)
            of_slope = tl.sum(tl.square(slope))
        return y, slope, outer.gradient(of_slope, x)

    return computed


def test_sums_of_what_may_have_no_axes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = tf.placeholder("float"), tf.Variable(2.0)
        total = tf.reduce_sum(tf.pow(x * w - 1.0, 2)) / 6
        (slope,) = tf.gradients(total, w)
        session.run(tf.global_variables_initializer())
        assert session.run(slope, {x: 3.0}) == pytest.approx(5.0)
        assert session.run(slope, {x: [3.0, 1.0]}) == pytest.approx(16 / 3)


def test_gradients_in_loops_and_branches_go_on_through_the_graph_around() -> None:
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.constant([1.0, 2.0, 3.0])
        y = x**3

        def body(j: Any, held: Any) -> Any:
            return j + 1, held.write(j, v1.gradients(y[j], x)[0][j])

        rows = v1.TensorArray(v1.float32, 3)
        _, made = v1.while_loop(lambda j, _: j < 3, body, [0, rows])
        np.testing.assert_allclose(session.run(made.stack()), [3.0, 12.0, 27.0])

        w = v1.Variable(2.0)
        z = v1.placeholder(v1.float32, [])
        squares = w * z * z
        sides = v1.cond(
            z > 0,
            lambda: v1.add_n(v1.gradients(squares * w, [z, w])),
            lambda: z,
        )
        session.run(w.initializer)
        assert session.run(sides, {z: 3.0}) == 60.0


def test_gradient_functions_are_told_of_the_variables_that_are_read() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=2.0)

        def scaled(x: Any) -> Any:
            def gradient(dy: Any, variables: Any = None) -> Any:
                return dy * w * 10.0, [dy * 100.0 for _ in variables]

            return x * w, gradient

        made = tf.custom_gradient(scaled)(tf.constant(3.0))
        asked = tf.gradients(made, [w])
        session.run(w.initializer)
        assert session.run(asked) == [100.0]


def test_blocks_that_are_computed_again_find_their_variables_again() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0]])

        def block(x: Any) -> Any:
            return tf.layers.dense(
                x, 2, tf.tanh, kernel_initializer=tf.ones_initializer(), name="d"
            )

        again = tf.gradients(tf.contrib.layers.recompute_grad(block)(x), [x])
        with tf.variable_scope("", reuse=True):
            plain = tf.gradients(block(x), [x])
        assert [v.op.name for v in tf.trainable_variables()] == ["d/kernel", "d/bias"]
        session.run(tf.global_variables_initializer())
        found, wanted = session.run([again, plain])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_allclose(wanted[0], [[2 / np.cosh(3) ** 2] * 2], rtol=1e-4)


def test_tapes_in_graphs_tell_which_variables_were_read() -> None:
    with tf.Graph().as_default():
        kept = tf.get_variable("kept", [], use_resource=True)
        reference = tf.get_variable("reference", [], use_resource=False)
        with tf.GradientTape() as tape:
            _ = tf.get_variable("w", [2], use_resource=True) * kept * reference
        assert [x.name for x in tape.watched_variables()] == ["w:0", "kept:0"]
        assert tape.watched_variables()[1] is kept


def test_gradients_of_graphs_that_are_told_are_told_variables() -> None:
    told = []

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def scaled(x: Any) -> Any:
        w = tf.get_variable("w", [], use_resource=True)

        def gradient(dy: Any, variables: Any = None) -> Any:
            told.extend(variables)
            return dy * w, [tf.reduce_sum(dy * x)]

        return x * w, gradient

    with tf.Graph().as_default():
        x = tf.ones([2])
        tf.gradients(scaled(x), x)
        assert told == tf.trainable_variables()


def test_gradients_of_eigenvectors_are_of_the_lower_triangle() -> None:
    m = np.array([[0.3, 0.2, -0.1], [0.1, 0.7, 0.4], [0.2, -0.3, 0.9]], np.float32)
    with v1.Graph().as_default(), v1.Session() as session:
        x = tf.constant(m @ m.T + 1.5 * np.eye(3, dtype=np.float32))
        y = tf.reduce_sum(tf.sin(tf.abs(tf.linalg.eigh(x)[1])))
        (found,) = session.run(tf.gradients(y, x))
    wanted = [[0.9096, 0, 0], [1.818, 0.28, 0], [-1.8157, 2.3904, -1.1897]]
    np.testing.assert_allclose(found, wanted, atol=1e-4)
