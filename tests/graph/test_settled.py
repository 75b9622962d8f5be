"""What constants and known shapes settle: structural inputs whose value inference works out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.tensor import Tensor

Sizes = Callable[[Tensor], Any]


@pytest.mark.parametrize(
    ("sizes", "shape"),
    [
        (lambda s: tl.where(s[2] > 3, 2, 1), (2,)),
        (tl.sum, (24,)),
        (lambda s: tl.prod(s[:2]), (15,)),
        (lambda s: tl.astype(tl.astype(s[1], tl.float32) / 2.0, tl.int32), (2,)),
        (lambda s: tl.astype(tl.all(s > 3), tl.int32), (0,)),
        (lambda s: tl.sort(s, descending=True)[0], (9,)),
    ],
)
def test_shapes_follow_what_is_computed_of_known_sizes(
    sizes: Sizes, shape: tuple[int, ...]
) -> None:
    @tl.function
    def made(x: Tensor) -> Tensor:
        y = tl.zeros(tl.reshape(sizes(tl.shape(x)), (1,)))
        assert y.shape == shape
        return y

    assert made(tl.ones((3, 5, 7, 9))).shape == shape


def test_what_depends_on_a_value_is_not_settled() -> None:
    @tl.function
    def made(x: Tensor) -> Tensor:
        y = tl.zeros(tl.reshape(tl.max(x) + tl.shape(x)[0], (1,)))
        assert y.shape == (None,)
        return y

    assert made(tl.asarray([1, 2])).shape == (4,)


def test_long_chains_and_draws_are_left_alone() -> None:
    @tl.function
    def made() -> tuple[Tensor, Tensor]:
        size = tl.asarray(1)
        for _ in range(150):
            size = tl.square(size)
        drawn = tl.astype(tl.random.uniform((1,)) * 0.0, tl.int32)
        long, random = tl.zeros(tl.reshape(size, (1,))), tl.zeros(drawn)
        assert long.shape == random.shape == (None,)
        return long, random

    long, random = made()
    assert (long.shape, random.shape) == ((1,), (0,))


def test_a_loop_whose_sizes_change_is_asked_again() -> None:
    @tl.function
    def grown(x: Tensor) -> Tensor:
        (y,) = tl.while_loop(
            lambda y: tl.shape(y)[0] < 5,
            lambda y: (tl.zeros(tl.reshape(tl.sum(tl.shape(y)) + 1, (1,))),),
            (x,),
        )
        return y

    assert grown(tl.ones((2,))).shape == (5,)
