"""Shares of loops over devices: which run in order, and that those which must not do not."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.xp import set_cpu_count
from tensorlite.runtime import program
from tensorlite.runtime.plan import Plan
from tensorlite.runtime.stage import Course
from tensorlite.runtime.tight import Tight, recognised

CPU = [DeviceName(kind="CPU", index=i) for i in range(3)]


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(3)
    yield
    set_cpu_count(1)


def shares(counter: int, layers: tuple[int, ...], size: int) -> dict[str, bool]:
    """Return for each device whether it runs its share of a loop of layers in order."""
    weights = [tl.asarray(np.full((size, size), 0.01, np.float32)) for _ in layers]

    @tl.function
    def run(x: tl.Tensor, n: tl.Tensor) -> tl.Tensor:
        state = [x] * len(layers)
        with tl.device(CPU[counter]):
            i = tl.asarray(0)
            while i < n:
                h = x
                for k, place in enumerate(layers):
                    with tl.device(CPU[place]):
                        h = tl.tanh((h + state[k]) @ weights[k])
                        state[k] = h
                i += 1
        return state[-1]

    found: dict[str, bool] = {}

    def noted(plan: Plan, *rest: object) -> Tight | None:
        tight: Tight | None = recognised(plan, *rest)  # type: ignore[arg-type]
        found[str(plan.device)] = tight is not None and isinstance(tight.turn, Course)
        return tight

    x, n = tl.ones((size, size)), tl.asarray(3)
    with patch.object(program, "recognised", noted):
        run(x, n)
    return found


def test_small_kernels_run_in_order_wherever_the_counter_is() -> None:
    for counter in (0, 1):
        assert all(shares(counter, (0, 1), size=4).values())


def test_a_pipeline_runs_in_order() -> None:
    assert all(shares(0, (0, 1, 2), size=128).values())


def test_what_others_wait_for_is_not_held_up_by_a_long_kernel() -> None:
    found = shares(1, (0, 1), size=128)
    assert not found["/device:CPU:1"]


def test_what_comes_back_is_not_waited_for_by_long_kernels_of_the_next_turn() -> None:
    found = shares(0, (0, 1, 0), size=128)
    assert not found["/device:CPU:0"]
