"""Swapping: what loops save leaves memory past a budget and comes back; nothing is left behind."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    NotFoundError,
    SwapError,
)
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import CPU
from tensorlite.ops import swapping
from tensorlite.ops.list_values import BUNDLE, Bundled, Keeper, TensorList
from tensorlite.ops.swap_places import SwapFile
from tensorlite.ops.swap_stores import Store

RUNNERS = ["structured", "frames"]
LENGTH = 24


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """Hold every test to it that nothing is left when what it made is gone."""
    yield
    swapping.set_swap()
    gc.collect()
    store = swapping.store(CPU)
    store.close()
    assert not store.is_working
    assert (store.held, store.size) == (0, 0)
    assert not [t for t in threading.enumerate() if t.name == "tensorlite-swap"]


def keeper(budget: int) -> tuple[Store, Keeper]:
    """Return the store and what puts arrays into it, within a budget of bytes."""
    swapping.set_swap(bytes=budget)
    return swapping.store(CPU), swapping.SWAPPING


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape or (16, 16))


# --- lists ----------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0, 5_000, 40_000])
def test_every_version_of_a_swapped_list_keeps_its_elements(budget: int) -> None:
    _, kept = keeper(budget)
    first = TensorList([], BUNDLE, None, kept)
    versions: list[tuple[TensorList, list[Any]]] = [(first, [])]
    random = np.random.default_rng(0)
    for step in range(300):
        value, known = versions[random.integers(len(versions))]
        action = random.integers(4) if known else 0
        bundle = Bundled((numbers(step), numbers(step, 20, 20).T, np.asarray(step)))
        if action == 0:
            versions.append((value.push(bundle), [*known, bundle]))
        elif action == 1:
            rest, last = value.pop()
            assert_same(last, known[-1])
            versions.append((rest, known[:-1]))
        elif action == 2:
            place = int(random.integers(len(known)))
            changed = [*known[:place], bundle, *known[place + 1 :]]
            versions.append((value.put(place, bundle), changed))
        else:
            assert_same(value.get(0), known[0])
        if step % 10 == 0 and len(versions) > 20:
            del versions[random.integers(len(versions))]
    for value, known in versions:
        assert value.length == len(known)
        for found, wanted in zip(value.each(), known, strict=True):
            assert_same(found, wanted)


def assert_same(found: Bundled, wanted: Bundled) -> None:
    for a, b in zip(found.members, wanted.members, strict=True):
        assert a.dtype == b.dtype
        assert a.strides == b.strides
        np.testing.assert_array_equal(a, b)


WHOLE = numbers(0, 32, 48)
ARRAYS: dict[str, Any] = {
    "bfloat16": WHOLE.astype(ml_dtypes.bfloat16),
    "bool": WHOLE > 0,
    "complex": WHOLE + 1j,
    "int8": (WHOLE * 10).astype(np.int8),
    "transposed": WHOLE.T,
    "bfloat16 transposed": WHOLE.astype(ml_dtypes.bfloat16).T,
    "permuted": np.ascontiguousarray(WHOLE.reshape(4, 8, 48)).transpose(1, 0, 2),
    "made permuted": WHOLE.reshape(4, 8, 48).transpose(2, 0, 1).copy("K"),
    "reversed": WHOLE[::-1],
    "broadcast": np.broadcast_to(numbers(1, 400), (7, 400)),
    "scalar": np.asarray(3.5),
    "empty": np.zeros((0, 5000)),
    "small": np.arange(3),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_with_its_dtype_shape_layout_and_bits(name: str) -> None:
    _, kept = keeper(0)
    array = ARRAYS[name]
    item = kept.keep(array)
    for _ in range(2):
        found = kept.take(item)
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert found.strides == array.strides
        assert found.tobytes() == array.tobytes()


def test_nested_bundles_lists_and_handles_come_back() -> None:
    _, kept = keeper(0)
    inner = TensorList([1], TensorSpec(None, tl.int32))
    value = Bundled((Bundled((numbers(0), inner)), None, numbers(1)))
    found = kept.take(kept.keep(value))
    np.testing.assert_array_equal(found.members[0].members[0], numbers(0))
    assert found.members[0].members[1] is inner
    assert found.members[1] is None
    np.testing.assert_array_equal(found.members[2], numbers(1))


def test_memory_stays_within_the_budget() -> None:
    store, kept = keeper(10_000)
    items = []
    for i in range(50):
        items.append(kept.keep(numbers(i)))
        assert store.held <= 10_000
    for i, item in enumerate(items):
        np.testing.assert_array_equal(kept.take(item), numbers(i))
        assert store.held <= 10_000
    assert store.size >= 40 * numbers(0).nbytes


def test_what_fits_is_never_written() -> None:
    store, kept = keeper(100_000)
    items = [kept.keep(numbers(i)) for i in range(20)]
    assert store.held == 20 * numbers(0).nbytes
    assert not store.size
    del items


def test_an_array_that_is_pushed_twice_is_held_once() -> None:
    store, kept = keeper(100_000)
    array = numbers(0)
    items = [
        kept.keep(array),
        kept.keep(Bundled((array, array.T, array.reshape(-1)))),
    ]
    assert store.held == array.nbytes
    del items[0]
    assert store.held == array.nbytes
    assert kept.take(items[0]).members[1].shape == array.T.shape


def test_a_view_does_not_hold_the_large_array_that_it_is_of() -> None:
    store, kept = keeper(100_000)
    large = numbers(0, 100, 100)
    gone = weakref.ref(large)
    items = [kept.keep(large[3:5]), kept.keep(large[0, :3])]
    del large
    assert gone() is None
    assert store.held == 2 * 100 * 8
    np.testing.assert_array_equal(kept.take(items[0]), numbers(0, 100, 100)[3:5])


def test_what_was_written_is_no_longer_in_memory() -> None:
    store, kept = keeper(0)
    array = numbers(0)
    gone = weakref.ref(array)
    item = kept.keep(array)
    del array
    assert gone() is None
    assert store.held == 0
    np.testing.assert_array_equal(kept.take(item), numbers(0))


def test_space_in_the_file_is_used_again() -> None:
    store, kept = keeper(0)
    for i in range(30):
        item = kept.keep(numbers(i))
        np.testing.assert_array_equal(kept.take(item), numbers(i))
    assert store.size <= 2 * 4096


# --- loops ----------------------------------------------------------------------------------


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


def test_without_swap_memory_all_stays_in_memory() -> None:
    swapping.set_swap(bytes=0)
    traced(first_order, False)(*operands())
    assert not swapping.store(CPU).size


def test_without_a_budget_all_stays_in_memory() -> None:
    traced(first_order, True)(*operands())
    assert not swapping.store(CPU).size


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


# --- what goes wrong ------------------------------------------------------------------------


def full_disk(**_: Any) -> Any:
    """Return a file in which there is never any space."""
    return Path("/dev/full").open("r+b", buffering=0)


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file is always full")
def test_nothing_is_lost_when_the_disk_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, kept = keeper(10_000)
    monkeypatch.setattr(tempfile, "TemporaryFile", full_disk)
    items = [kept.keep(numbers(i)) for i in range(4)]
    with pytest.raises(SwapError):
        kept.keep(numbers(4))
    for i, item in enumerate(items):
        np.testing.assert_array_equal(kept.take(item), numbers(i))
    assert store.held == 4 * numbers(0).nbytes


def test_a_file_that_lost_its_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _, kept = keeper(0)
    item = kept.keep(numbers(0))
    with monkeypatch.context() as patch:
        patch.setattr(os, "preadv", lambda *_: 0)
        with pytest.raises(SwapError, match=r"read 2048 bytes .* ended early"):
            kept.take(item)
    np.testing.assert_array_equal(kept.take(item), numbers(0))


def test_a_folder_that_went_away_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    swapping.set_swap(bytes=0, directory=folder)
    folder.rmdir()
    with pytest.raises(SwapError, match=r"cannot make a file .* in .*gone"):
        traced(first_order, True)(*operands())


def test_what_cannot_be_a_setting_is_refused_and_changes_nothing(
    tmp_path: Path,
) -> None:
    keeper(1234)
    for wrong in (1.5, "1", True, np.asarray(1.0)):
        with pytest.raises(DTypeError, match="set_swap: bytes"):
            swapping.set_swap(bytes=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="set_swap: bytes=-1"):
        swapping.set_swap(bytes=-1)
    with pytest.raises(DTypeError, match="give a path"):
        swapping.set_swap(bytes=1, directory=3)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError, match="there is no folder"):
        swapping.set_swap(bytes=1, directory=tmp_path / "absent")
    assert swapping.budget() == 1234


# --- files and processes --------------------------------------------------------------------


def test_the_file_has_no_name_and_is_private(tmp_path: Path) -> None:
    swapping.set_swap(bytes=0, directory=tmp_path)
    item = swapping.SWAPPING.keep(numbers(0))
    file = swapping.store(CPU)._place
    assert isinstance(file, SwapFile)
    assert os.fstat(file._file.fileno()).st_mode & 0o777 == 0o600
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(swapping.SWAPPING.take(item), numbers(0))


def test_another_folder_is_taken_from_then_on(tmp_path: Path) -> None:
    store, kept = keeper(0)
    old = kept.keep(numbers(0))
    swapping.set_swap(bytes=0, directory=tmp_path)
    new = kept.keep(numbers(1))
    assert store._place is not None
    assert store._place.folder == str(tmp_path)
    np.testing.assert_array_equal(kept.take(old), numbers(0))
    np.testing.assert_array_equal(kept.take(new), numbers(1))


def ran(program: str) -> str:
    """Return what a program prints in a Python of its own, in which nothing goes wrong."""
    head = "import os, sys, numpy as np\nfrom tensorlite.ops import swapping\n"
    command = [sys.executable, "-c", head + program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_a_process_may_end_while_values_are_swapped(tmp_path: Path) -> None:
    program = f"""
swapping.set_swap(bytes=0, directory={str(tmp_path)!r})
kept = swapping.SWAPPING
items = [kept.keep(np.full(1000, i)) for i in range(100)]
print(len(items))
"""
    assert ran(program) == "100\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_parent_and_child_have_the_values_from_before_a_fork() -> None:
    program = """
import warnings
warnings.simplefilter("ignore")
swapping.set_swap(bytes=20_000)
kept = swapping.SWAPPING
items = [kept.keep(np.full(1000, i)) for i in range(100)]
def check(more):
    for i in range(100, 200):
        items.append(kept.keep(np.full(1000, i + more)))
    for i, item in enumerate(items):
        assert (kept.take(item) == i + (more if i >= 100 else 0)).all(), i
child = os.fork()
check(7 if child else 9)
if child:
    print(os.waitpid(child, 0)[1])
"""
    assert ran(program) == "0\n"
