"""Accounts of memory against sizes worked out by hand: eager, views, plans, loops, limits."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core import accounts, xp
from tests import standin

KB = 1024


@pytest.fixture(autouse=True)
def not_counting() -> Iterator[None]:
    """Begin without garbage; leave one CPU, no limits and nothing counted."""
    gc.collect()
    yield
    tl.config.count_memory(False)
    tl.config.set_logical_devices("CPU", 1)


def live(device: str = "CPU:0") -> int:
    return tl.config.memory_info(device).live


def kilobytes(count: int) -> tl.Tensor:
    """Return a tensor of so many kilobytes."""
    return tl.ones((count, KB // 4))


def test_a_tensor_counts_while_it_lives() -> None:
    before = live()
    x = kilobytes(3)
    assert live() - before == 3 * KB
    y = x + x
    assert live() - before == 6 * KB
    del x
    assert live() - before == 3 * KB
    assert float(y[0, 0]) == 2
    del y
    assert live() == before


def test_views_count_once_and_keep_the_whole() -> None:
    before = live()
    x = kilobytes(4)
    part, turned, flat = x[:1], x.T, tl.reshape(x, (-1,))
    assert live() - before == 4 * KB
    del x, turned, flat
    assert live() - before == 4 * KB  # the part holds all of it
    del part
    assert live() == before


def test_what_lives_when_counting_begins_counts_too() -> None:
    assert not accounts.active()
    tl.config.count_memory(True)
    before = live()
    tl.config.count_memory(False)
    x, v = kilobytes(2), tl.Variable(tl.zeros(256))
    array = tl.TensorArray(tl.float32, size=3)
    for i in range(3):
        array = array.write(i, kilobytes(1))
    assert live() - before == 6 * KB
    del x, v, array
    assert live() == before


def test_a_variable_counts_its_value_and_an_assignment_strikes_off_the_old_one() -> (
    None
):
    before = live()
    v = tl.Variable(kilobytes(2))
    assert live() - before == 2 * KB
    v.assign_add(kilobytes(2))
    assert live() - before == 2 * KB
    v.assign(kilobytes(2))
    assert live() - before == 2 * KB
    del v
    assert live() == before


def test_lists_hold_their_elements() -> None:
    before = live()
    array = tl.TensorArray(tl.float32, size=4)
    for i in range(4):
        array = array.write(i, kilobytes(1)[0])
    assert live() - before >= 4 * KB
    del array
    assert live() == before


def test_the_peak_is_the_most_that_lived_and_can_be_reset() -> None:
    before = live()
    tl.config.reset_memory_peak()
    x = kilobytes(8)
    del x
    x = kilobytes(2)
    assert tl.config.memory_info().peak - before >= 8 * KB
    tl.config.reset_memory_peak()
    info = tl.config.memory_info()
    assert info.peak == info.live == before + 2 * KB
    del x


def test_a_step_counts_what_its_tasks_make_and_leaves_its_results() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        y = tl.exp(x)
        z = tl.sin(y)
        return tl.sum(y * z, axis=1)

    x = kilobytes(8)
    plain = f(x)
    live()
    counted = f(x)  # what a plan holds for itself is counted from its first step on
    assert counted.numpy().tolist() == plain.numpy().tolist()
    del counted
    before = live()
    tl.config.reset_memory_peak()
    y = f(x)
    assert live() - before == 8 * 4
    assert tl.config.memory_info().peak - before == 3 * 8 * KB
    del y
    assert live() == before


@pytest.mark.parametrize("runner", [None, "frames"])
def test_loops_count_what_lives_at_once_and_not_what_they_make_in_all(
    runner: str | None,
) -> None:
    def total(x: tl.Tensor, turns: tl.Tensor) -> tl.Tensor:
        def turn(i: Any, y: Any) -> tuple[Any, Any]:
            return i + 1, tl.sin(y) + x

        return tl.while_loop(lambda i, y: i < turns, turn, (0, x))[1]

    f = tl.function(total, runner=runner)
    x = kilobytes(4)
    expected = x.numpy()
    for _ in range(50):
        expected = np.sin(expected) + x.numpy()
    live()
    f(x, tl.asarray(50))
    gc.collect()
    before = live()
    tl.config.reset_memory_peak()
    y = f(x, tl.asarray(50))
    assert np.array_equal(y.numpy(), expected)
    assert tl.config.memory_info().peak - before < 8 * 4 * KB
    gc.collect()  # the machine's frames and iterations know each other
    assert live() - before == 4 * KB
    del y
    assert live() == before


def test_gradients_and_training_leave_nothing() -> None:
    w = tl.Variable(tl.random.normal((16, 16)))
    x = tl.random.normal((8, 16))

    @tl.function
    def step() -> tl.Tensor:
        with tl.GradientTape() as tape:
            loss = tl.sum((x @ w) ** 2)
        w.assign_sub(tape.gradient(loss, w) * 0.001)
        return loss

    live()
    first = float(step())
    before = live()
    losses = [float(step()) for _ in range(5)]
    assert losses[-1] < first
    assert live() == before


def test_each_device_has_its_account() -> None:
    tl.config.set_logical_devices("CPU", 2)
    first, second = live("CPU:0"), live("CPU:1")
    with tl.device("CPU:1"):
        x = kilobytes(2)
    y = x + 1.0
    assert (live("CPU:0"), live("CPU:1") - second) == (first, 4 * KB)
    z = y.to_device("CPU:0")  # they share one memory: it is on one account only
    assert (live("CPU:0"), live("CPU:1") - second) == (first, 4 * KB)
    del x, y, z
    assert live("CPU:1") == second


def test_an_eager_operator_beyond_the_limit_says_what_takes_the_memory() -> None:
    before = live()
    x = kilobytes(4)
    half = x[:2]
    tl.config.set_memory_limit("CPU:0", before + 6 * KB)
    with pytest.raises(
        tl.errors.ResourceExhaustedError, match="live there and the limit is"
    ) as raised:
        x * half[0]
    lines = str(raised.value).splitlines()
    assert lines[0].startswith(
        "/device:CPU:0: 4096 bytes for float32[4, 256] (Mul, made at "
    )
    mine = "  4096 bytes: float32[4, 256], Fill, made at "
    (told,) = [line for line in lines if line.startswith(mine)]  # others live too
    assert f"{__file__}:" in told
    assert "in kilobytes()" in told
    assert isinstance(raised.value, MemoryError)
    del raised
    y = half + half  # the next one works
    assert live() - before == 6 * KB
    del x, y, half


def test_a_step_beyond_the_limit_fails_with_its_node_and_the_next_one_works() -> None:
    @tl.function
    def f(x: tl.Tensor, times: tl.Tensor) -> tl.Tensor:
        y = tl.exp(x)
        return tl.sum(tl.tile(y, tl.reshape(times, (1,))))

    x = tl.zeros(KB)
    live()
    assert float(f(x, tl.asarray(1))) == KB
    tl.config.set_memory_limit("CPU:0", live() + 20 * KB)
    gc.collect()
    before = live()
    for _ in range(3):
        with pytest.raises(
            tl.errors.ResourceExhaustedError, match="40960 bytes for"
        ) as raised:
            f(x, tl.asarray(10))
        notes = "\n".join(raised.value.__notes__)
        assert "in node 'Tile' (Tile), made at" in notes
        assert "4096 bytes: float32[1024], Exp, made at" in str(raised.value)
        del raised
        assert float(f(x, tl.asarray(2))) == 2 * KB
    gc.collect()  # errors and the frames of their tracebacks know each other
    assert live() == before


def test_what_was_written_to_a_variable_stays_written() -> None:
    v = tl.Variable(kilobytes(2))
    old = v.value()
    x = kilobytes(2)
    tl.config.set_memory_limit("CPU:0", live() + KB)
    v.assign_add(x)
    assert float(v.value()[0, 0]) == 2
    with pytest.raises(tl.errors.ResourceExhaustedError):
        x + x
    with pytest.raises(tl.errors.ResourceExhaustedError):
        tl.sum(x)
    del old
    assert float(tl.sum(x)) == KB // 2


def test_a_limit_below_what_lives_refuses_only_what_is_new() -> None:
    x = kilobytes(4)
    tl.config.set_memory_limit("CPU:0", 1)
    assert x[0].shape == (256,)
    with pytest.raises(tl.errors.ResourceExhaustedError):
        tl.exp(x)
    tl.config.set_memory_limit("CPU:0", None)
    assert tl.exp(x).shape == (4, 256)
    assert tl.config.memory_info().limit is None


def test_an_array_that_the_machine_has_no_memory_for_is_told_alike() -> None:
    x = kilobytes(4)
    with pytest.raises(
        tl.errors.ResourceExhaustedError, match="found no memory on /device:CPU:0"
    ) as raised:
        tl.zeros((10**8, 10**8))
    assert "4096 bytes: float32[4, 256]" in str(raised.value)
    assert x.shape == (4, 256)


def test_threads_count_and_lose_nothing() -> None:
    before = live()
    kept: list[tl.Tensor] = []

    def work() -> None:
        for i in range(200):
            x = tl.zeros(64) + 1.0
            if i % 50 == 0:
                kept.append(x)

    running = [threading.Thread(target=work) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert live() - before == 4 * 4 * 256
    kept.clear()
    assert live() == before


def test_nothing_is_counted_until_it_is_asked_for() -> None:
    assert not accounts.active()
    tl.config.set_memory_limit("CPU:0", None)
    assert not accounts.active()
    tl.config.set_memory_limit("CPU:0", 10**9)
    assert accounts.active()
    tl.config.count_memory(False)
    assert not accounts.active()
    assert tl.config.memory_info().limit is None


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", True])
def test_a_limit_that_is_none_is_refused(limit: Any) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="set_memory_limit"):
        tl.config.set_memory_limit("CPU:0", limit)
    assert not accounts.active()


@pytest.mark.parametrize("device", ["CPU:1", "GPU:63"])
def test_accounts_of_devices_that_are_not_there_are_refused(device: str) -> None:
    with pytest.raises(tl.errors.DeviceError):
        tl.config.memory_info(device)
    with pytest.raises(tl.errors.DeviceError):
        tl.config.set_memory_limit(device, 10)
    with pytest.raises(tl.errors.InvalidArgumentError):
        tl.config.reset_memory_peak(0)  # type: ignore[arg-type]
    assert not accounts.active()


class Pool:
    """CuPy's memory pool, as far as it is asked; it notes on which device."""

    def __init__(self) -> None:
        self.limit = 0
        self.asked: list[int] = []

    def used_bytes(self) -> int:
        """Return what it has given out."""
        self.asked.append(standin.module.cuda.runtime.getDevice())
        return 30

    def total_bytes(self) -> int:
        """Return what it has taken from the device."""
        return 50

    def get_limit(self) -> int:
        """Return the most it may take, 0 for all."""
        return self.limit

    def set_limit(
        self, size: int | None = None, fraction: float | None = None
    ) -> None:
        """Set the most it may take."""
        assert size is not None
        assert fraction is None
        self.limit = size

    def free_all_blocks(self) -> None:
        """Give back what is not given out."""
        self.asked.append(-1)


def test_the_numbers_of_a_gpu_are_those_of_cupy_s_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = Pool()
    monkeypatch.setitem(sys.modules, "cupy", standin.module)
    monkeypatch.setattr(
        standin.module, "get_default_memory_pool", lambda: pool, raising=False
    )
    xp._cupy.cache_clear()
    try:
        assert tl.config.memory_info("GPU:1") == (30, 50, None)
        tl.config.set_memory_limit("GPU:1", 64)
        assert tl.config.memory_info("GPU:1") == (30, 50, 64)
        tl.config.set_memory_limit("GPU:1", None)
        tl.config.reset_memory_peak("GPU:1")
        assert tl.config.memory_info("GPU:1").limit is None
    finally:
        xp._cupy.cache_clear()
    assert pool.asked == [1, 1, -1, 1]
    assert not accounts.active()


def test_a_step_over_two_devices_counts_on_each_and_keeps_each_limit() -> None:
    tl.config.set_logical_devices("CPU", 2)

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:0"):
            y = tl.exp(x)
        with tl.device("CPU:1"):
            z = tl.sin(tl.tile(y, tl.asarray([4, 1])))
        with tl.device("CPU:0"):
            return tl.sum(z)

    x = kilobytes(2)
    expected = float(f(x))
    live()
    assert float(f(x)) == expected
    gc.collect()
    before = live("CPU:0"), live("CPU:1")
    tl.config.reset_memory_peak("CPU:1")
    assert float(f(x)) == expected
    gc.collect()
    assert (live("CPU:0"), live("CPU:1")) == before
    assert tl.config.memory_info("CPU:1").peak - before[1] == 16 * KB
    tl.config.set_memory_limit("CPU:1", before[1] + 12 * KB)
    with pytest.raises(
        tl.errors.ResourceExhaustedError, match="/device:CPU:1: 8192 bytes"
    ) as raised:
        f(x)
    assert "8192 bytes: float32[8, 256], Tile, made at" in str(raised.value)
    del raised
    tl.config.set_memory_limit("CPU:1", before[1] + 16 * KB)
    assert float(f(x)) == expected
