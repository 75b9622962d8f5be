"""Pooling by ratios that are drawn, and noise around glimpses: what no table can hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)
from tensorlite.ops.images.glimpses import extract_glimpse
from tensorlite.ops.nn.fractional_pool import (
    avg_pool_at,
    fractional_starts,
    max_pool_at,
    starts_of,
)
from tests.checks import check_gradient

IMAGES = np.random.default_rng(3).normal(size=(2, 7, 5, 3))


@pytest.mark.parametrize("pseudo_random", [False, True])
def test_windows_tile_an_axis_in_two_sizes(pseudo_random: bool) -> None:
    for seed in range(20):
        source = tl.random.Seed((seed, 1))
        edges = starts_of(11, 7, pseudo_random, source).numpy()
        assert (edges[0], edges[-1], len(edges)) == (0, 11, 8)
        assert set(np.diff(edges)) == {1, 2}


@pytest.mark.parametrize("overlapping", [False, True])
def test_each_element_is_of_its_window(overlapping: bool) -> None:
    starts = fractional_starts(
        IMAGES, (1, 1.75, 1.6, 1), False, tl.random.Seed((1, 2))
    )
    rows, columns = (x.numpy() for x in starts)
    for pool, reduced in ((max_pool_at, np.max), (avg_pool_at, np.mean)):
        found = pool(IMAGES, *starts, overlapping).numpy()
        for i, j in np.ndindex(len(rows) - 1, len(columns) - 1):
            more = int(overlapping)
            part = IMAGES[:, rows[i] : rows[i + 1] + more]
            part = part[:, :, columns[j] : columns[j + 1] + more]
            np.testing.assert_allclose(found[:, i, j], reduced(part, axis=(1, 2)))


@pytest.mark.parametrize(
    ("seeds", "pseudo_random", "rows", "columns"),
    [
        ((5, 77), False, [0, 2, 4, 5, 7], [0, 2, 4, 5, 7, 9, 11]),
        ((123456789, 2), False, [0, 2, 4, 6, 7], [0, 2, 4, 6, 8, 10, 11]),
        ((5, 77), True, [0, 2, 3, 5, 7], [0, 1, 3, 5, 7, 9, 11]),
        ((123456789, 2), True, [0, 2, 4, 6, 7], [0, 2, 4, 6, 8, 9, 11]),
    ],
)
def test_two_seeds_give_tensorflows_windows(
    seeds: tuple[int, int], pseudo_random: bool, rows: list[int], columns: list[int]
) -> None:
    images = np.zeros((1, 7, 11, 1))
    found = fractional_starts(images, (1, 1.44, 1.73, 1), pseudo_random, seeds)
    assert [x.numpy().tolist() for x in found] == [rows, columns]


def test_windows_of_one_size_need_no_numbers() -> None:
    found = fractional_starts(np.zeros((1, 4, 6, 1)), (1, 2, 2, 1), False, (1, 2))
    assert [x.numpy().tolist() for x in found] == [[0, 2, 4], [0, 2, 4, 6]]


@pytest.mark.parametrize("pool", [max_pool_at, avg_pool_at])
def test_gradients(pool: Callable[..., tl.Tensor]) -> None:
    rows, columns = tl.asarray([0, 2, 4, 7]), tl.asarray([0, 2, 3, 5])
    check_gradient(lambda x: pool(x, rows, columns, True), IMAGES)


@pytest.mark.parametrize(
    ("ratios", "error"),
    [((2, 1, 1, 1), UnimplementedError), ((1, 0.5, 1, 1), InvalidArgumentError)],
)
def test_ratios_that_are_refused(
    ratios: tuple[float, ...], error: type[Exception]
) -> None:
    with pytest.raises(error, match="pooling_ratio"):
        fractional_starts(IMAGES, ratios)


def test_what_lies_outside_of_an_image_is_noise() -> None:
    around = extract_glimpse(IMAGES, (7, 5), [[1.0, 0.0]] * 2).numpy()
    np.testing.assert_array_equal(around[:, :4], IMAGES[:, 3:])
    beyond = around[:, 4:]
    assert (beyond >= IMAGES.min((1, 2, 3))[:, None, None, None]).all()
    assert (beyond <= IMAGES.max((1, 2, 3))[:, None, None, None]).all()
    assert np.unique(beyond).size == beyond.size
    zero = extract_glimpse(IMAGES, (7, 5), [[1.0, 0.0]] * 2, noise="zero").numpy()
    assert not zero[:, 4:].any()
    many = extract_glimpse(
        IMAGES, (90, 90), [[9.0, 9.0]] * 2, noise="gaussian"
    ).numpy()
    np.testing.assert_allclose(many.mean((1, 2)), IMAGES.mean((1, 2)), atol=0.2)
    np.testing.assert_array_equal(many.min((1, 2)), IMAGES.min((1, 2)))
    np.testing.assert_array_equal(many.max((1, 2)), IMAGES.max((1, 2)))


def test_glimpses_that_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="noise='x'"):
        extract_glimpse(IMAGES, (2, 2), [[0.0, 0.0]] * 2, noise="x")
    with pytest.raises(ShapeError, match="batch, height, width, channels"):
        extract_glimpse(IMAGES[0], (2, 2), [[0.0, 0.0]])
    with pytest.raises(ShapeError, match="a row"):
        extract_glimpse(IMAGES, (2, 2), [[0.0, 0.0]])
