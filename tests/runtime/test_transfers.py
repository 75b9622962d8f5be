"""Transfers between devices are recorded, and pass as they would."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import set_cpu_count
from tensorlite.profiler import Profile


@pytest.fixture(autouse=True)
def two_devices() -> Iterator[None]:
    """Let there be two devices."""
    set_cpu_count(2)
    yield
    set_cpu_count(1)


@tl.function
def shared(x: tl.Tensor, turns: tl.Tensor) -> tl.Tensor:
    y = x
    for _ in tl.range(turns):
        with tl.device("/cpu:0"):
            x = x * 2.0
        with tl.device("/cpu:1"):
            y = y + x
    return y


def recorded(turns: int) -> tuple[tl.Tensor, Profile]:
    """Return the result of a loop over two devices, and its profile."""
    x, count = tl.ones(8), tl.asarray(turns)
    with tl.profiler.trace() as profile:
        y = shared(x, count)
    return y, profile


def test_every_value_that_crosses_is_a_transfer() -> None:
    y, profile = recorded(3)
    np.testing.assert_array_equal(y.numpy(), np.full(8, 1 + 2 + 4 + 8, np.float32))
    moved = [x for x in profile.transfers if "Mul" in x.name]
    assert len(moved) == 3
    for x in moved:
        assert (str(x.source), str(x.target)) == ("/device:CPU:0", "/device:CPU:1")
        assert x.nbytes == 32
        assert 0 < x.sent <= x.received


def test_a_value_is_sent_when_it_was_made_and_received_before_it_is_used() -> None:
    _, profile = recorded(4)
    moved = [x for x in profile.transfers if "Mul" in x.name]
    made = [event for event in profile.events if event.op == "Mul"]
    used = [
        event
        for event in profile.events
        if event.op == "AddV2" and str(event.device) == "/device:CPU:1"
    ]
    assert len(made) == len(used) == len(moved) == 4
    sent, received = sorted(x.sent for x in moved), sorted(x.received for x in moved)
    for k in range(4):  # turns may overtake each other, but not what they depend on
        assert made[k].end <= sent[k]
        assert received[k] <= used[k].start


def test_dead_values_are_no_transfers() -> None:
    """A loop that takes no turn sends nothing that its body makes."""
    y, profile = recorded(0)
    np.testing.assert_array_equal(y.numpy(), np.ones(8, np.float32))
    assert not [x for x in profile.transfers if "Mul" in x.name]
