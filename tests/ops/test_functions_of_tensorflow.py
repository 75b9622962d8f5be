"""Counts, sets, bands, functions of matrices, signals, draws: held to what they mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl

RNG = np.random.default_rng(0)


def test_edit_distances_are_levenshteins() -> None:
    def letters(*words: str) -> tl.sparse.SparseTensor:
        return tl.strings.bytes_split(list(words))

    found = tl.math.edit_distance(
        letters("kitten", "flaw", "", "a"),
        letters("sitting", "lawn", "abc", ""),
        normalize=False,
    )
    assert found.tolist() == [3, 2, 3, 1]
    normal = tl.math.edit_distance(letters("kitten", "a"), letters("sitting", ""))
    assert normal.tolist() == [pytest.approx(3 / 7), np.inf]


def test_confusion_with_weights() -> None:
    found = tl.math.confusion_matrix(
        [0, 1, 1], [0, 1, 0], 3, [0.5, 2.0, 3.0], tl.float32
    )
    assert found.tolist() == [[0.5, 0, 0], [3, 2, 0], [0, 0, 0]]


def test_histograms_are_numpys() -> None:
    x = RNG.normal(size=100)
    found = tl.math.histogram_fixed_width(x, (-1.0, 1.0), 8)
    wanted, _ = np.histogram(np.clip(x, -1, 1 - 1e-9), 8, (-1, 1))
    assert found.tolist() == wanted.tolist()


def test_differences_of_lists_keep_their_order() -> None:
    values, places = tl.math.setdiff1d([3, 1, 3, 5], [1])
    assert (values.tolist(), places.tolist()) == ([3, 3, 5], [0, 2, 3])


@pytest.mark.parametrize("exclusive", [False, True])
def test_running_logarithms_of_large_numbers(exclusive: bool) -> None:
    found = tl.math.cumulative_logsumexp(
        [1000.0, 1000.0, 1001.0], exclusive=exclusive
    )
    sums = [-np.inf, *(1000 + np.log(np.cumsum([1, 1, np.e])))]
    np.testing.assert_allclose(
        found.numpy(), sums[:3] if exclusive else sums[1:], 1e-6
    )


def test_sets_of_rows() -> None:
    a, b = [[1, 2, 2], [3, 4, 5]], [[2, 9], [5, 5]]
    assert tl.sparse.to_dense(tl.sets.difference(a, b)).tolist() == [[1, 0], [3, 4]]
    back = tl.sets.difference(a, b, aminusb=False)
    assert tl.sparse.to_dense(back).tolist() == [[9], [0]]
    assert tl.sets.size(tl.sets.union(a, b)).tolist() == [3, 3]


@pytest.mark.parametrize(
    "align", ["LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"]
)
def test_diagonals_go_out_and_back(align: Any) -> None:
    x = RNG.normal(size=(2, 4, 6))
    bands = tl.linalg.matrix_diag_part(x, (-2, 1), align=align)
    band = np.triu(np.tril(x, 1), -2)
    put = tl.linalg.matrix_set_diag(np.zeros_like(x), bands, (-2, 1), align=align)
    np.testing.assert_array_equal(put.numpy(), band)
    made = tl.linalg.matrix_diag(bands, (-2, 1), 4, 6, align=align)
    np.testing.assert_array_equal(made.numpy(), band)


def test_diagonals_that_are_not_there_are_refused() -> None:
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="the lower diagonal comes"
    ):
        tl.linalg.matrix_diag_part(np.eye(3), (1, 0))
    with pytest.raises(tl.errors.InvalidArgumentError, match="not all in a matrix"):
        tl.linalg.matrix_diag_part(np.eye(3), (0, 5))


def test_factors_of_matrices_make_them_again() -> None:
    x = RNG.normal(size=(3, 4, 4))
    factors, order = (part.numpy() for part in tl.linalg.lu(x))
    product = (np.tril(factors, -1) + np.eye(4)) @ np.triu(factors)
    np.testing.assert_allclose(
        product, np.take_along_axis(x, order[..., None], 1), 1e-9
    )
    solved = tl.linalg.lu_solve(factors, order, x @ np.ones((4, 1)))
    np.testing.assert_allclose(solved.numpy(), np.ones((3, 4, 1)), 1e-6)


def test_logarithms_and_roots_undo_exponentials_and_squares() -> None:
    x = 0.5 * RNG.normal(size=(2, 3, 3)) + 0j
    np.testing.assert_allclose(
        tl.linalg.logm(tl.linalg.expm(x)).numpy(), x, atol=1e-9
    )
    square = np.asarray([[3.0, 1.0], [0.0, 2.0]])
    np.testing.assert_allclose(tl.linalg.sqrtm(square @ square).numpy(), square, 1e-9)


def test_tridiagonal_systems_in_each_format() -> None:
    matrix = np.triu(np.tril(RNG.normal(size=(4, 4)), 1), -1) + 4 * np.eye(4)
    right = RNG.normal(size=(4, 2))
    upper, lower = (
        np.append(np.diag(matrix, 1), 0),
        np.insert(np.diag(matrix, -1), 0, 0),
    )
    parts = [upper, np.diag(matrix), lower]
    wanted = np.linalg.solve(matrix, right)
    for form, given in (
        ("compact", np.stack(parts)),
        ("sequence", parts),
        ("matrix", matrix),
    ):
        found = tl.linalg.tridiagonal_solve(given, right, form)
        np.testing.assert_allclose(found.numpy(), wanted, 1e-9)
        product = tl.linalg.tridiagonal_matmul(given, right, form)
        np.testing.assert_allclose(product.numpy(), matrix @ right, 1e-9)


def test_signals_come_back_from_their_spectra() -> None:
    x = RNG.normal(size=64)
    window = tl.signal.inverse_stft_window_fn(4)
    back = tl.signal.inverse_stft(tl.signal.stft(x, 16, 4), 16, 4, window_fn=window)
    np.testing.assert_allclose(back.numpy()[16:48], x[16:48], 1e-6)
    modified = tl.signal.inverse_mdct(tl.signal.mdct(x, 16))
    np.testing.assert_allclose(modified.numpy()[8:56], x[8:56], 1e-6)
    for kind in (2, 3, 4):
        there = tl.signal.dct(x, kind, norm="ortho")
        np.testing.assert_allclose(
            tl.signal.idct(there, kind, norm="ortho").numpy(), x, 1e-9
        )


def test_rounded_numbers_pass_gradients_on() -> None:
    x, low, high = (
        tl.asarray(v)
        for v in (np.asarray([-2, -0.5, 0.1, 0.4, 3], np.float32), -1.1, 0.7)
    )
    with tl.GradientTape() as tape:
        for one in (x, low, high):
            tape.watch(one)
        y = tl.quantization.fake_quant_with_min_max_vars(x, low, high, 4)
    # TensorFlow 2.21: tf.quantization.fake_quant_with_min_max_vars of the same
    np.testing.assert_allclose(y.numpy(), [-1.08, -0.48, 0.12, 0.36, 0.72], 1e-5)
    found = [g.numpy().tolist() for g in tape.gradient(y, [x, low, high])]
    assert found == [[0, 1, 1, 1, 0], 1, 1]


def test_ranges_by_channels_and_known_ranges_round_alike() -> None:
    x = np.random.default_rng(3).normal(size=(6, 2)).astype(np.float32)
    lows, highs = np.array([[-1.1, -0.4], [0.7, 1.3]], np.float32)

    def rounded(function: Any, *given: Any) -> list[Any]:
        operands = [tl.asarray(v) for v in given if not isinstance(v, float)]
        with tl.GradientTape() as tape:
            for one in operands:
                tape.watch(one)
            y = function(*operands, *[v for v in given if isinstance(v, float)], 4)
        return [y.numpy(), *[g.numpy() for g in tape.gradient(y, operands)]]

    named = tl.quantization
    together = rounded(named.fake_quant_with_min_max_vars_per_channel, x, lows, highs)
    for i, (low, high) in enumerate(zip(lows, highs, strict=True)):
        alone = rounded(named.fake_quant_with_min_max_vars, x[:, i], low, high)
        known = rounded(
            named.fake_quant_with_min_max_args, x[:, i], float(low), float(high)
        )
        for whole, part in zip(together, alone, strict=True):
            np.testing.assert_allclose(whole[..., i], part, 1e-6)
        for part, fixed in zip(alone, known, strict=False):
            np.testing.assert_allclose(part, fixed, 1e-6)


def test_draws_have_the_means_of_their_distributions() -> None:
    seed = tl.random.Seed((1, 2))
    found = tl.random.poisson((20000,), 3.5, generator=seed).numpy()
    assert found.mean() == pytest.approx(3.5, abs=0.06)
    assert found.var() == pytest.approx(3.5, abs=0.15)
    trials = tl.random.binomial((20000,), 10, 0.3, generator=seed).numpy()
    assert trials.mean() == pytest.approx(3.0, abs=0.05)
    assert tl.random.poisson((3,), 3.5, generator=seed).tolist() == found[:3].tolist()


def test_candidates_are_drawn_by_their_probabilities() -> None:
    seed = tl.random.Seed((5, 6))
    counts = [1.0, 0.0, 3.0]
    drawn, true, expected = tl.nn.fixed_unigram_candidates(
        [[2]], 8000, 4, counts, num_reserved_ids=1, unique=False, generator=seed
    )
    share = np.bincount(drawn.numpy(), minlength=4) / 8000
    np.testing.assert_allclose(share, [0, 0.25, 0, 0.75], atol=0.02)
    assert true.tolist() == [[0]]
    np.testing.assert_allclose(
        expected.numpy() / 8000, share[drawn.numpy()], atol=0.02
    )
    with pytest.raises(tl.errors.InvalidArgumentError, match="fewer have a count"):
        tl.nn.fixed_unigram_candidates([[0]], 3, 3, counts)
    every, _, _ = tl.nn.uniform_candidates([[0]], 5, 5, generator=seed)
    assert sorted(every.tolist()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["xlogy", "xdivy", "xlog1py", "divide_no_nan"])
def test_nothing_times_anything_is_nothing(name: str) -> None:
    function = getattr(tl.math, name)
    operands = (
        (1.0, 0.0)
        if name == "divide_no_nan"
        else (0.0, 0.0 if name != "xlog1py" else -1.0)
    )
    x, y = map(tl.asarray, operands)
    with tl.GradientTape() as tape:
        tape.watch(x)
        tape.watch(y)
        z = function(x, y)
    assert z.item() == 0
    assert all(np.isfinite(g.numpy()) for g in tape.gradient(z, [x, y]))


def test_special_functions_far_out() -> None:
    wide = tl.math.erfc(np.float64(10.0)).item()
    np.testing.assert_allclose(wide, 2.0884875837625446e-45, 1e-12)
    np.testing.assert_allclose(
        tl.math.log_ndtr(np.float64(-40.0)).item(), -804.60844201, 1e-10
    )
    np.testing.assert_allclose(
        tl.math.bessel_i0e(np.float64(1e4)).item(), 0.003989472, 1e-6
    )
    assert tl.math.ndtri([0.0, 1.0]).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_equations_of_a_few_bands(lower: bool, adjoint: bool) -> None:
    main, off = np.array([2.0, 3, 4]), np.array([0.5, -1])
    matrix = np.diag(main) + np.diag(off, -1 if lower else 1)
    rows = [main, [0, *off]] if lower else [[*off, 0], main]
    rhs = np.array([[1.0], [2], [3]])
    found = tl.linalg.banded_triangular_solve(
        np.array(rows), rhs, lower=lower, adjoint=adjoint
    )
    wanted = np.linalg.solve(matrix.T if adjoint else matrix, rhs)
    np.testing.assert_allclose(found.numpy(), wanted)


def test_equations_of_one_band_keep_their_shape() -> None:
    found = tl.linalg.banded_triangular_solve([[2.0, 4.0]], [[1.0], [2.0]])
    np.testing.assert_allclose(found.numpy(), [[0.5], [0.5]])
