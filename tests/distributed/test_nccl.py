"""NCCL: with stand-ins for CuPy and NCCL, what the carrier does for it. No GPU has seen this."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tensorlite.core import xp
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.distributed.collectives import nccl
from tensorlite.distributed.collectives.collectives import all_reduce, group_of
from tests import standin
from tests.distributed.loopback import Net
from tests.standin_memory import Stream

TASKS = ["/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:2"]
MERGES = {"sum": np.add, "max": np.maximum, "min": np.minimum}


class Fake:
    """NCCL as far as it is asked: who begins last does the work for all.

    It checks that all begin the same operations in the same order.
    """

    available = True
    NCCL_FLOAT32, NCCL_INT64 = 7, 4
    NCCL_SUM, NCCL_MAX, NCCL_MIN = MERGES.values()

    def __init__(self) -> None:
        self.ids = 0
        self.arrays: dict[int, Any] = {}
        self.begun: dict[tuple[int, ...], list[list[Any]]] = {}
        self.aborted = 0
        self.failing = False

    def get_unique_id(self) -> tuple[int, ...]:
        self.ids += 1
        return (self.ids, -7)

    def pointer(self, array: Any) -> int:
        self.arrays[len(self.arrays)] = array
        return len(self.arrays) - 1

    def NcclCommunicator(  # noqa: N802  CuPy's name
        self, size: int, unique: tuple[int, ...], rank: int
    ) -> Any:
        begun = self.begun.setdefault(unique, [[] for _ in range(size)])

        def reduce(source: int, found: int, *asked: Any) -> None:
            if self.failing:
                raise RuntimeError("NCCL_ERROR_SYSTEM_ERROR")
            begun[rank].append((source, found, asked))
            now = [calls[len(begun[rank]) - 1 :][:1] for calls in begun]
            if all(now):
                self._reduce([calls[0] for calls in now])

        def abort() -> None:
            self.aborted += 1

        return SimpleNamespace(allReduce=reduce, abort=abort)

    def _reduce(self, calls: list[Any]) -> None:
        assert len({asked for _, _, asked in calls}) == 1, "not the same operation"
        merge = calls[0][2][2]
        total = merge.reduce([self.arrays[source]._host for source, *_ in calls])
        for _, found, _ in calls:
            self.arrays[found]._host[...] = total


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    made = Fake()
    monkeypatch.setitem(sys.modules, "cupy", standin.module)
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", made)
    monkeypatch.setattr(Stream, "ptr", 0, raising=False)
    monkeypatch.setattr(nccl, "pointer", made.pointer)
    for each in (xp._cupy, nccl.module):
        each.cache_clear()
    yield made
    nccl._lines.clear()
    for each in (xp._cupy, nccl.module):
        each.cache_clear()


def on_gpu(array: Any) -> Any:
    return standin.ndarray(np.asarray(array), 0)


def reduced(arrays: list[Any], seed: int, keys: int = 1, **options: Any) -> Any:
    """Return what each rank got for each key, or its errors."""
    net = Net(TASKS, seed)
    found: list[dict[str, Any]] = [{} for _ in arrays]
    for rank, array in enumerate(arrays):
        group = group_of(TASKS, net.carriers[TASKS[rank]])
        for number in range(keys):
            key = f"k{(number + rank) % keys}"  # each in another order
            done = lambda x, key=key, rank=rank: found[rank].__setitem__(key, x)  # noqa: E731
            all_reduce(group, 1, key, array, done, **options)
    net.run()
    assert [len(each) for each in found] == [keys] * len(arrays)
    return found


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("seed", range(5))
def test_operations_are_begun_in_one_order(fake: Fake, op: str, seed: int) -> None:
    """The fake's work is done when the last begins, so only that rank sees it at once."""
    arrays = [on_gpu(np.full((2, 3), 1.0 + i, np.float32)) for i in range(3)]
    reduced(arrays, seed, keys=4, op=op)
    assert len(fake.begun) == 1
    assert [len(calls) for calls in next(iter(fake.begun.values()))] == [4, 4, 4]


def test_the_outcome(fake: Fake) -> None:
    arrays = [on_gpu(np.full((2, 3), 1.0 + i, np.float32)) for i in range(3)]
    for found in reduced(arrays, 0):
        assert isinstance(found["k0"], standin.ndarray)
        np.testing.assert_array_equal(found["k0"].get(), np.full((2, 3), 6.0))


def test_shapes_that_differ_end_it_before_nccl_is_asked(fake: Fake) -> None:
    arrays = [on_gpu(np.ones(n, np.float32)) for n in (2, 2, 3)]
    for found in reduced(arrays, 0):
        assert isinstance(found["k0"], InvalidArgumentError)
    assert not fake.begun


def test_an_error_of_nccl_ends_it_on_all_and_the_next_begins_anew(fake: Fake) -> None:
    arrays = [on_gpu(np.ones(2, np.float32)) for _ in range(3)]
    fake.failing = True
    for found in reduced(arrays, 0):
        assert isinstance(found["k0"], RuntimeError | TensorliteError)
        assert "NCCL_ERROR_SYSTEM_ERROR" in str(found["k0"])
    assert fake.aborted
    fake.failing = False
    assert not any(isinstance(found["k0"], Exception) for found in reduced(arrays, 1))
    assert fake.ids >= 2


@pytest.mark.parametrize("options", [{"deterministic": True}, {}])
def test_without_nccl_host_memory_is_used(
    fake: Fake, options: dict[str, Any]
) -> None:
    dtype = np.float32 if options else np.float64  # which the fake has not
    arrays = [on_gpu(np.full(4, 1.0 + i, dtype)) for i in range(3)]
    for found in reduced(arrays, 0, **options):
        assert isinstance(found["k0"], standin.ndarray)
        np.testing.assert_array_equal(found["k0"].get(), np.full(4, 6.0))
    assert not fake.begun


def test_it_is_not_asked_for_arrays_in_host_memory(fake: Fake) -> None:
    assert not nccl.takes(np.ones(3))
