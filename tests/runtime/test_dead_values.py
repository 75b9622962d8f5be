"""Branches over devices within loops over devices: what is not taken is dead wherever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import set_cpu_count

Body = Callable[[tl.Tensor], tl.Tensor]


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(4)
    yield
    set_cpu_count(1)


def on(device: int, body: Body) -> Body:
    """Return a body that runs on a device."""

    def run(x: tl.Tensor) -> tl.Tensor:
        with tl.device(f"CPU:{device}"):
            return body(x)

    return run


def branches(x: tl.Tensor) -> tl.Tensor:
    """Take one of two ways, one of them on a device of its own."""
    more = on(2, lambda x: x + 1.0)
    result: tl.Tensor = tl.cond(tl.sum(x) > 1.0, lambda: more(x), lambda: x * 2.0)
    return result


def loops(x: tl.Tensor) -> tl.Tensor:
    """Take two turns, half of each on a device of its own."""
    more = on(2, lambda x: x * 1.5)
    start = (tl.asarray(0), x)
    result: tl.Tensor = tl.while_loop(
        lambda j, _: j < 2, lambda j, x: (j + 1, more(x)), start
    )[1]
    return result


def deep(x: tl.Tensor) -> tl.Tensor:
    """Take a way within a way within a way, with a loop at the bottom."""

    def second() -> tl.Tensor:
        result: tl.Tensor = tl.cond(
            tl.sum(x) > 0.8, lambda: loops(branches(x)), lambda: on(3, tl.cos)(x)
        )
        return result

    result: tl.Tensor = tl.cond(tl.sum(x) < 3.0, second, lambda: on(2, tl.sin)(x))
    return result


def alternating(inner: Body) -> Body:
    """Return six turns, every other of which does `inner` and then something elsewhere."""

    def run(x: tl.Tensor) -> tl.Tensor:
        def turn(i: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            chosen = tl.cond(
                tl.equal(i % 2, 0),
                lambda: on(0, lambda x: x + 1.0)(on(1, tl.sin)(on(0, inner)(x))),
                lambda: x * 0.5,
            )
            return i + 1, chosen

        with tl.device("CPU:0"):
            start = (tl.asarray(0), x)
            result: tl.Tensor = tl.while_loop(lambda i, _: i < 6, turn, start)[1]
        return result

    return run


def with_gradient(body: Body) -> Callable[[tl.Tensor], Any]:
    """Return what gives the result of a body and its gradient."""

    def run(x: tl.Tensor) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = body(x)
        return y, tape.gradient(y, x)

    return run


@pytest.mark.parametrize("inner", [branches, loops, deep])
@pytest.mark.parametrize("runner", [None, "frames"])
def test_a_branch_not_taken_in_a_turn_is_dead_behind_what_spans_devices_in_it(
    inner: Body, runner: str | None
) -> None:
    f = with_gradient(alternating(inner))
    x = tl.asarray([0.3, 0.2])
    found = tl.function(f, autograph=False, runner=runner)(x)
    for y, expected in zip(found, f(x), strict=True):
        np.testing.assert_allclose(y.numpy(), expected.numpy(), rtol=1e-6)
