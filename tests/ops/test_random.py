"""Random numbers: the published vectors, the distributions, and what a state means."""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph.trace import trace
from tensorlite.ops.random import philox
from tests.checks import run_graph

SEED = (1, 2)
ONES = 2**64 - 1


def words(*values: int) -> Any:
    return np.array(values, np.uint64)


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        (0, (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (ONES, (ONES, ONES), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            0x299F31D0A4093822,
            (0x85A308D3243F6A88, 0x0370734413198A2E),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_bits_are_random123s_known_answers(
    key: int, counter: tuple[int, int], expected: str
) -> None:
    found = philox.bits(np, words(key), words(*counter), 4)
    assert " ".join(f"{word:08x}" for word in found.tolist()) == expected


def test_counters_follow_each_other_across_blocks_and_carries() -> None:
    key, count = words(5), philox._HOST_BLOCK * 4 + 12
    whole = philox.bits(np, key, words(ONES - 1, 7), count).reshape(-1, 4)
    for place, counter in [
        (1, (ONES, 7)),
        (2, (0, 8)),
        (philox._HOST_BLOCK + 2, None),
    ]:
        start = counter or (philox._HOST_BLOCK, 8)
        np.testing.assert_array_equal(
            whole[place], philox.bits(np, key, words(*start), 4)
        )


def test_numbers_are_tensorflows_for_the_same_seed() -> None:
    """The values were printed by tf.random.stateless_uniform and others with alg="philox"."""
    close = np.testing.assert_allclose
    close(
        tl.random.stateless_uniform((6,), SEED).numpy(),
        [0.8440604, 0.19204533, 0.9962232, 0.1603874, 0.27199018, 0.649346],
        rtol=1e-6,
    )
    close(
        tl.random.stateless_uniform((3,), SEED, dtype=tl.float64).numpy(),
        [0.75248375, 0.96978577, 0.17592234],
        rtol=1e-7,
    )
    close(
        tl.random.stateless_normal((6,), SEED).numpy(),
        [0.5441101, 0.20738031, 0.07356432, 0.04643455, -1.3015898, -0.9538565],
        rtol=1e-5,
    )
    integers = tl.random.stateless_integers((6,), SEED, 0, 1000)
    assert integers.tolist() == [140, 849, 294, 179, 227, 165]
    wide = tl.random.stateless_integers((2,), SEED, 0, 10**12, tl.int64)
    assert wide.tolist() == [146280614444, 637757961278]


def test_generator_in_tensorflows_state_goes_on_as_tensorflows() -> None:
    generator = tl.random.Generator.from_state(np.array([7, 0, 0]))
    np.testing.assert_allclose(
        generator.normal((3,)).numpy(),
        [-1.3240396, 0.28785667, -0.8757901],
        rtol=1e-5,
    )
    assert generator.state.numpy().tolist() == [775, 0, 0]
    np.testing.assert_allclose(
        generator.uniform((2,)).numpy(), [0.46447873, 0.76275814], rtol=1e-6
    )
    assert generator.uniform((2, 5), 0, 10, tl.int32).tolist() == [
        [2, 7, 1, 5, 2],
        [6, 3, 6, 0, 1],
    ]


def kolmogorov(sample: Any, cdf: Any) -> float:
    """Return the Kolmogorov-Smirnov distance, times the root of the sample's size."""
    ordered = np.sort(np.asarray(sample, np.float64).ravel())
    n = ordered.size
    below = cdf(ordered)
    ranks = np.arange(n)
    distance = max(np.max((ranks + 1) / n - below), np.max(below - ranks / n))
    return float(distance * sqrt(n))


def phi(x: Any) -> Any:
    return np.array([0.5 * (1 + erf(v / sqrt(2))) for v in x])


@pytest.mark.parametrize("dtype", [tl.float32, tl.float64])
def test_distributions_are_what_they_are_called(dtype: tl.DType) -> None:
    n = (20_000,)
    uniform = tl.random.stateless_uniform(n, SEED, dtype=dtype).numpy()
    assert kolmogorov(uniform, lambda x: x) < 1.5
    normal = tl.random.stateless_normal(n, SEED, dtype=dtype).numpy()
    assert kolmogorov(normal, phi) < 1.5
    cut = tl.random.stateless_truncated_normal(n, SEED, dtype=dtype).numpy()
    tail = phi([-2.0])[0]
    assert np.abs(cut).max() < 2
    assert kolmogorov(cut, lambda x: (phi(x) - tail) / (1 - 2 * tail)) < 1.5
    exponential = tl.random.stateless_gamma(n, SEED, tl.ones((), dtype=dtype)).numpy()
    assert kolmogorov(exponential, lambda x: 1 - np.exp(-x)) < 1.5


@pytest.mark.parametrize("alpha", [0.3, 2.5, 40.0])
def test_gamma_has_the_moments_of_its_shape(alpha: float) -> None:
    sample = (
        tl.random.stateless_gamma((40_000,), SEED, alpha, 2.0)
        .numpy()
        .astype(np.float64)
    )
    assert abs(sample.mean() - alpha / 2) < 4 * sqrt(alpha / 4 / sample.size)
    assert abs(sample.var() / (alpha / 4) - 1) < 0.15


def test_gamma_of_zero_is_zero_and_of_less_an_error() -> None:
    assert tl.random.stateless_gamma((3,), SEED, [0.0, 1.0, 0.0]).numpy()[
        ::2
    ].tolist() == [0, 0]
    with pytest.raises(InvalidArgumentError, match="every alpha must be >= 0"):
        tl.random.stateless_gamma((2,), SEED, -1.0)


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16, tl.float32, tl.float64])
def test_uniform_numbers_stay_below_one(dtype: tl.DType) -> None:
    sample = tl.random.stateless_uniform((10_000,), SEED, dtype=dtype)
    assert sample.dtype is dtype
    values = sample.numpy().astype(np.float64)
    assert 0 <= values.min() < 0.01
    assert 0.99 < values.max() < 1


def test_integers_of_every_dtype_lie_in_their_range() -> None:
    for dtype in (
        tl.int8,
        tl.uint8,
        tl.int16,
        tl.int32,
        tl.uint32,
        tl.int64,
        tl.uint64,
    ):
        low = -3 if dtype.kind == "i" else 0
        sample = tl.random.stateless_integers((5000,), SEED, low, 5, dtype)
        assert sample.dtype is dtype
        counts = np.bincount(sample.numpy().astype(np.int64) - low, minlength=5 - low)
        expected = 5000 / (5 - low)
        assert np.abs(counts - expected).max() < 5 * sqrt(expected)


def test_bits_cover_the_whole_range() -> None:
    sample = tl.random.Seed(SEED).bits((4000,), tl.int64).numpy()
    assert sample.min() < -(2**62)
    assert sample.max() > 2**62
    with pytest.raises(DTypeError, match="cannot draw"):
        tl.random.Seed(SEED).bits((4,), tl.int8)


def test_categorical_follows_its_probabilities() -> None:
    p = np.array([[0.5, 0.25, 0.25, 0.0], [0.0, 0.0, 0.9, 0.1]])
    with np.errstate(divide="ignore"):
        logits = np.log(p)
    sample = tl.random.stateless_categorical(logits, SEED, 10_000).numpy()
    assert sample.shape == (2, 10_000)
    for row, expected in zip(sample, p, strict=True):
        found = np.bincount(row, minlength=4) / 10_000
        assert np.abs(found - expected).max() < 0.02
        assert found[expected == 0].sum() == 0


def test_permutations_hold_every_number_once() -> None:
    first = tl.random.stateless_permutation(100, SEED).numpy()
    assert sorted(first.tolist()) == list(range(100))
    assert first.tolist() != list(range(100))
    assert (
        first.tolist()
        != tl.random.stateless_permutation(100, (1, 3)).numpy().tolist()
    )


def test_gradients_of_shuffled_rows_flow_back_to_them() -> None:
    x = tl.asarray(np.arange(6.0).reshape(3, 2))
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.random.stateless_shuffle(x, SEED)
        total = tl.sum(y * y)
    slices = tape.gradient(total, x)
    np.testing.assert_array_equal(tl.densify(slices).numpy(), 2 * x.numpy())


def test_generators_start_again_go_on_skip_and_split() -> None:
    a, b = tl.random.Generator.from_seed(3), tl.random.Generator.from_seed(3)
    first, second = a.normal((5,)).numpy(), a.normal((5,)).numpy()
    assert not np.array_equal(first, second)
    b.skip(5)
    np.testing.assert_array_equal(b.normal((5,)).numpy(), second)
    a.reset_from_seed(3)
    np.testing.assert_array_equal(a.normal((5,)).numpy(), first)
    left, right = a.split(2)
    drawn = [g.uniform((4,)).numpy().tolist() for g in (a, left, right)]
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]


def test_neighbouring_seeds_have_unrelated_streams() -> None:
    drawn = [
        tl.random.Generator.from_seed(s).uniform((2000,)).numpy() for s in range(4)
    ]
    correlations = np.corrcoef(drawn) - np.eye(4)
    assert np.abs(correlations).max() < 0.1
    assert not set(drawn[0].tolist()) & set(drawn[1].tolist())


def test_seeding_the_global_generator_repeats_its_numbers() -> None:
    tl.random.set_seed(11)
    first = [tl.random.normal((3,)).tolist(), tl.random.uniform((3,)).tolist()]
    tl.random.set_seed(11)
    assert [
        tl.random.normal((3,)).tolist(),
        tl.random.uniform((3,)).tolist(),
    ] == first


def test_traced_draws_are_the_eager_ones_and_advance_the_state() -> None:
    generator = tl.random.Generator.from_seed(5)
    traced = trace(
        lambda shape: [generator.normal(shape), generator.uniform(shape)],
        [tl.TensorSpec((None,), tl.int64)],
    )
    assert len(traced.graph.effects) == 2
    shape = np.array([2, 3])
    found = [run_graph(traced.graph, [shape, *traced.captured]) for _ in range(2)]
    eager = tl.random.Generator.from_seed(5)
    for normal, uniform in found:
        np.testing.assert_array_equal(normal, eager.normal((2, 3)).numpy())
        np.testing.assert_array_equal(uniform, eager.uniform((2, 3)).numpy())


def test_stateless_draws_are_known_in_shape_and_equal_in_a_trace() -> None:
    def draw() -> list[tl.Tensor]:
        seed = SEED
        return [
            tl.random.stateless_normal((2, 3), seed),
            tl.random.stateless_truncated_normal((4,), seed),
            tl.random.stateless_integers((5,), seed, 0, 9),
            tl.random.stateless_bernoulli((6,), seed, 0.3),
            tl.random.stateless_split(seed, 3),
            tl.random.stateless_fold_in(seed, 3),
            tl.random.stateless_permutation(7, seed),
            tl.random.stateless_gamma((2,), seed, [1.0, 2.0]),
            tl.random.stateless_categorical([[0.0, 1.0]], seed, 5),
        ]

    traced = trace(draw, [])
    wanted = draw()
    assert [y.shape for y in traced.graph.outputs] == [y.shape for y in wanted]
    for value, eager in zip(
        run_graph(traced.graph, traced.captured), wanted, strict=True
    ):
        np.testing.assert_array_equal(value, eager.numpy())


def test_empty_and_scalar_shapes() -> None:
    assert tl.random.stateless_normal((0, 3), SEED).shape == (0, 3)
    assert tl.random.stateless_uniform((), SEED).shape == ()
    assert tl.random.stateless_permutation(0, SEED).shape == (0,)
    assert tl.random.stateless_gamma((0,), SEED, 1.0).shape == (0,)


def test_errors_say_what_is_allowed() -> None:
    with pytest.raises(ShapeError, match="a seed is two integers"):
        tl.random.stateless_uniform((2,), (1, 2, 3))
    with pytest.raises(InvalidArgumentError, match="the range is empty"):
        tl.random.integers((2,), 5, 5)
    with pytest.raises(InvalidArgumentError, match=r"\[3, 1\): the range is empty"):
        tl.random.integers((2,), tl.asarray(3), tl.asarray(1))
    assert tl.random.integers((0,), tl.asarray(3), tl.asarray(1)).shape == (0,)
    with pytest.raises(InvalidArgumentError, match="-1 samples"):
        tl.random.categorical([[0.0, 1.0]], -1)
    with pytest.raises(ShapeError, match="negative size"):
        tl.random.uniform((-1,))
    with pytest.raises(ShapeError, match="no rows to shuffle"):
        tl.random.shuffle(1.0)
    with pytest.raises(ShapeError, match="rows, classes"):
        tl.random.categorical([0.0, 1.0])
    with pytest.raises(DTypeError, match="cannot draw"):
        tl.random.normal((2,), dtype=tl.int32)
