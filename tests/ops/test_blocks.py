"""Blocks of pixels in channels and batches: sizes that only a run knows, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tests.checks import check_gradient

IMAGES = np.random.default_rng(1).normal(size=(2, 4, 6, 8))
OPEN = tl.TensorSpec((None, None, None, 8), tl.float64)
BARE = tl.TensorSpec(None, tl.float64)


@pytest.mark.parametrize("spec", [OPEN, BARE])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: tl.space_to_depth(x, 2),
        lambda x: tl.depth_to_space(x, 2),
        lambda x: tl.nn.space_to_batch(x, [2, 3], [[1, 1], [0, 3]]),
        lambda x: tl.nn.batch_to_space(x, [2, 1], [[1, 0], [0, 2]]),
    ],
)
def test_sizes_that_a_trace_does_not_know(
    function: Callable[[Any], tl.Tensor], spec: tl.TensorSpec
) -> None:
    traced = tl.function(function, input_signature=[spec])
    np.testing.assert_array_equal(traced(IMAGES).numpy(), function(IMAGES).numpy())


def test_channels_first() -> None:
    first = np.moveaxis(IMAGES, 3, 1)
    for function in (tl.space_to_depth, tl.depth_to_space):
        found = np.moveaxis(function(first, 2, "NCHW").numpy(), 1, 3)
        np.testing.assert_array_equal(found, function(IMAGES, 2).numpy())
        check_gradient(lambda x, of=function: of(x, 2, "NCHW"), first[:1, :4, :2, :2])


def test_blocks_that_only_the_run_knows() -> None:
    @tl.function
    def there_and_back(x: Any, block: tl.Tensor, ends: tl.Tensor) -> tl.Tensor:
        return tl.nn.batch_to_space(tl.nn.space_to_batch(x, block, ends), block, ends)

    for block, ends in (([2, 3], [[0, 0], [3, 0]]), ([4, 2], [[1, 3], [0, 0]])):
        found = there_and_back(IMAGES, tl.asarray(block), tl.asarray(ends))
        np.testing.assert_array_equal(found.numpy(), IMAGES)
    with pytest.raises(ShapeError, match="not divisible by the block's 5"):
        there_and_back(IMAGES, tl.asarray([5, 1]), tl.asarray([[0, 0], [0, 0]]))
    with pytest.raises(InvalidArgumentError, match=r"block_shape=\[0, 1\]"):
        there_and_back(IMAGES, tl.asarray([0, 1]), tl.asarray([[0, 0], [0, 0]]))


REFUSED: list[tuple[Any, Any, str]] = [
    ([2, 3], [[0, 0], [1, 0]], "not divisible"),
    ([2, 0], [[0, 0], [0, 0]], "allowed are 1 and more"),
    ([2, 3], [[0, 0], [-1, 1]], "allowed are 0 and more"),
    ([2, 3], [[0, 0]], r"allowed is \[2, 2\]"),
    ([1, 1, 1, 1], [[0, 0]] * 4, "rank should be >= 5 instead of 4"),
]


@pytest.mark.parametrize(("block", "paddings", "said"), REFUSED)
def test_refused_as_soon_as_it_is_known(block: Any, paddings: Any, said: str) -> None:
    with pytest.raises((ShapeError, InvalidArgumentError), match=said):
        tl.nn.space_to_batch(IMAGES, block, paddings)
    with pytest.raises((ShapeError, InvalidArgumentError), match=said):
        tl.function(
            lambda x: tl.nn.space_to_batch(x, block, paddings)
        ).get_concrete_function(tl.TensorSpec(IMAGES.shape, tl.float64))


def test_more_is_cut_off_than_there_is() -> None:
    with pytest.raises(ShapeError, match="3 and 2 are cut off, of 4 elements"):
        tl.nn.batch_to_space(IMAGES, [1, 1], [[3, 2], [0, 0]])
