"""Loops whose saved values are swapped: the same gradients in less memory, on every runner."""

from __future__ import annotations

import gc
import tempfile
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import ResourceExhaustedError, SwapError
from tensorlite.core.xp import CPU
from tensorlite.ops.control import swapping
from tests.ops.swaps import full_disk, numbers

pytestmark = pytest.mark.usefixtures("swapping_is_clean")
RUNNERS = ["structured", "frames"]
LENGTH = 24


def recurrence(w: tl.Tensor, h: tl.Tensor, swap: bool) -> tl.Tensor:
    """Return what a loop makes of `h`; turns differ, and every other one runs an inner loop."""

    def even(h: tl.Tensor) -> tl.Tensor:
        _, h = tl.while_loop(
            lambda j, _: j < 2,
            lambda j, h: (j + 1, tl.sin(h @ w)),
            (0, h),
            swap_memory=swap,
        )
        return h

    def body(i: tl.Tensor, h: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        return i + 1, tl.cond(i % 2 == 0, lambda: even(h), lambda: tl.tanh(h @ w + h))

    _, h = tl.while_loop(lambda i, _: i < LENGTH, body, (0, h), swap_memory=swap)
    return tl.sum(h * h)


def first_order(w: tl.Tensor, h: tl.Tensor, swap: bool) -> list[tl.Tensor]:
    with tl.GradientTape() as tape:
        tape.watch([w, h])
        loss = recurrence(w, h, swap)
    return [loss, *tape.gradient(loss, [w, h])]


def second_order(w: tl.Tensor, h: tl.Tensor, swap: bool) -> list[tl.Tensor]:
    with tl.GradientTape() as tape:
        tape.watch([w, h])
        loss, *grads = first_order(w, h, swap)
        size = tl.add_n([tl.sum(g * g) for g in grads])
    return [loss, *tape.gradient(size, [w, h])]


def operands() -> tuple[tl.Tensor, tl.Tensor]:
    w, h = numbers(0, 24, 24) / 5, numbers(1, 16, 24)
    return tl.asarray(w.astype(np.float32)), tl.asarray(h.astype(np.float32))


def traced(
    order: Callable[..., list[tl.Tensor]], swap: bool, runner: str = "structured"
) -> Any:
    return tl.function(runner=runner)(lambda w, h: order(w, h, swap))


def assert_equal(found: list[tl.Tensor], wanted: list[tl.Tensor]) -> None:
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("order", [first_order, second_order])
@pytest.mark.parametrize("budget", [0, 20_000])
def test_gradients_are_the_same_bit_for_bit(
    budget: int, order: Any, runner: str
) -> None:
    wanted = traced(order, False, runner)(*operands())
    swapping.set_swap(bytes=budget)
    step = traced(order, True, runner)
    for _ in range(3):
        assert_equal(step(*operands()), wanted)
    assert swapping.store(CPU).size > 0


@pytest.fixture
def two_devices() -> Iterator[None]:
    """Let there be two CPU devices."""
    tl.config.set_logical_devices("CPU", 2)
    yield
    tl.config.set_logical_devices("CPU", 1)


def across(w: tl.Tensor, h: tl.Tensor, swap: bool) -> list[tl.Tensor]:
    """Return a loss and its gradients, through a loop over two devices."""

    def body(i: tl.Tensor, h: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        with tl.device("/device:CPU:1"):
            h = tl.tanh(h @ w)
        with tl.device("/device:CPU:0"):
            return i + 1, tl.sin(h @ w)

    with tl.GradientTape() as tape:
        tape.watch([w, h])
        _, y = tl.while_loop(lambda i, _: i < LENGTH, body, (0, h), swap_memory=swap)
        loss = tl.sum(y * y)
    return [loss, *tape.gradient(loss, [w, h])]


def test_a_loop_over_two_devices_swaps_what_both_save(two_devices: None) -> None:
    wanted = traced(across, False, "frames")(*operands())
    swapping.set_swap(bytes=10_000)
    assert_equal(traced(across, True, "frames")(*operands()), wanted)
    assert swapping.store(CPU).size > LENGTH * 4096


def test_without_swap_memory_all_stays_in_memory() -> None:
    swapping.set_swap(bytes=0)
    traced(first_order, False)(*operands())
    assert not swapping.store(CPU).size


def test_without_a_budget_all_stays_in_memory() -> None:
    traced(first_order, True)(*operands())
    assert not swapping.store(CPU).size


def long_loop(w: tl.Tensor, h: tl.Tensor, turns: int, swap: bool) -> list[tl.Tensor]:
    """Return a loss and its gradient, for which each turn saves 64 kilobytes."""
    with tl.GradientTape() as tape:
        tape.watch(w)
        _, y = tl.while_loop(
            lambda i, _: i < turns,
            lambda i, y: (i + 1, tl.tanh(y @ w)),
            (0, h),
            swap_memory=swap,
        )
        loss = tl.sum(y * y)
    return [loss, tape.gradient(loss, w)]


@pytest.fixture
def counting() -> Iterator[None]:
    """Count memory, and forget the limit afterwards."""
    gc.collect()
    tl.config.count_memory(True)
    yield
    tl.config.count_memory(False)


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_loop_four_times_too_long_for_the_memory_trains(
    runner: str, counting: None
) -> None:
    w = tl.asarray((numbers(0, 64, 64) / 8).astype(np.float32))
    h = tl.asarray(numbers(1, 256, 64).astype(np.float32))
    step = tl.function(long_loop, runner=runner)
    wanted = step(w, h, 200, False)
    gc.collect()
    tl.config.reset_memory_peak()
    step(w, h, 50, False)
    gc.collect()
    limit = tl.config.memory_info().peak
    tl.config.set_memory_limit("CPU:0", limit)
    with pytest.raises(ResourceExhaustedError):
        step(w, h, 200, False)
    gc.collect()
    tl.config.reset_memory_peak()
    tracemalloc.start()
    found = [step(w, h, 200, True) for _ in range(2)]
    _, taken = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_equal([*found[0], *found[1]], [*wanted, *wanted])
    assert tl.config.memory_info().peak <= limit
    assert taken <= limit


def test_a_gradient_may_be_asked_for_when_the_loop_has_long_ended() -> None:
    swapping.set_swap(bytes=0)
    forward = tl.function(lambda w, h: recurrence(w, h, swap=True))
    w, h = operands()
    with tl.GradientTape(persistent=True) as tape:
        tape.watch([w, h])
        loss = forward(w, h)
    found = [tape.gradient(loss, [w, h]) for _ in range(2)]
    assert swapping.store(CPU).is_working
    wanted = traced(first_order, False)(w, h)[1:]
    assert_equal(found[0], wanted)
    assert_equal(found[1], wanted)


def test_many_threads_may_swap_at_once() -> None:
    wanted = traced(first_order, False)(*operands())
    swapping.set_swap(bytes=10_000)
    step, found = traced(first_order, True), []

    def work() -> None:
        found.extend([step(*operands()) for _ in range(5)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    for result in found:
        assert_equal(result, wanted)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file is always full")
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_full_disk_is_told_with_the_loop_and_the_next_step_works(
    runner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = traced(first_order, False)(*operands())
    step = traced(first_order, True, runner)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", full_disk)
        swapping.set_swap(bytes=4_000)
        with pytest.raises(SwapError, match=r"1536 bytes .* No space left") as caught:
            step(*operands())
    assert tempfile.gettempdir() in str(caught.value)
    assert any(f"made at {__file__}:" in note for note in caught.value.__notes__)
    assert not any("made at ?" in note for note in caught.value.__notes__)
    assert_equal(step(*operands()), wanted)


def test_a_folder_that_went_away_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    swapping.set_swap(bytes=0, directory=folder)
    folder.rmdir()
    with pytest.raises(SwapError, match=r"cannot make a file .* in .*gone"):
        traced(first_order, True)(*operands())
