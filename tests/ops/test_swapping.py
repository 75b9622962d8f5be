"""Swapping: what is kept leaves memory past a budget and comes back; nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import weakref
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
from tensorlite.ops.control import swap_stores, swapping
from tensorlite.ops.control.list_values import BUNDLE, Bundled, Keeper, TensorList
from tensorlite.ops.control.swap_places import SwapFile
from tensorlite.ops.control.swap_stores import Store
from tests.ops.swaps import full_disk, numbers

pytestmark = pytest.mark.usefixtures("swapping_is_clean")


def keeper(budget: int) -> tuple[Store, Keeper]:
    """Return the store and what puts arrays into it, within a budget of bytes."""
    swapping.set_swap(bytes=budget)
    return swapping.store(CPU), swapping.SWAPPING


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


# --- what goes wrong ------------------------------------------------------------------------


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


def test_what_was_interrupted_can_be_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: Any) -> int:
        raise KeyboardInterrupt

    _, kept = keeper(0)
    item = kept.keep(numbers(0))
    with monkeypatch.context() as patch:
        patch.setattr(os, "preadv", interrupt)
        with pytest.raises(KeyboardInterrupt):
            kept.take(item)
    np.testing.assert_array_equal(kept.take(item), numbers(0))


def test_a_failure_of_any_kind_in_the_background_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> int:
        raise MemoryError("nothing is left")

    _, kept = keeper(0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwritev", fail)
        with pytest.raises(SwapError, match="nothing is left"):
            kept.keep(numbers(0))
    np.testing.assert_array_equal(kept.take(kept.keep(numbers(1))), numbers(1))


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
    assert swapping.budget(CPU) == 1234


def test_a_thread_that_cannot_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    _, kept = keeper(0)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            kept.keep(numbers(0))
    np.testing.assert_array_equal(kept.take(kept.keep(numbers(1))), numbers(1))


# --- files and processes --------------------------------------------------------------------


def test_the_file_has_no_name_and_is_private(tmp_path: Path) -> None:
    swapping.set_swap(bytes=0, directory=tmp_path)
    item = swapping.SWAPPING.keep(numbers(0))
    file = swapping.store(CPU)._place
    assert isinstance(file, SwapFile)
    assert os.fstat(file._file.fileno()).st_mode & 0o777 == 0o600
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(swapping.SWAPPING.take(item), numbers(0))


def test_thread_and_file_go_when_there_was_nothing_to_do_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(swap_stores, "LINGER", 0.01)
    store, kept = keeper(0)
    item = kept.keep(numbers(0))
    thread = store._thread
    assert thread is not None
    del item
    thread.join(10)
    assert not store.is_working
    assert not store.size


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
    head = (
        "import os, sys, numpy as np\nfrom tensorlite.ops.control import swapping\n"
    )
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
