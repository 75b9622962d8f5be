"""What loops on a GPU save goes to host memory past the budget, and comes back to the GPU."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import SwapError
from tensorlite.core.xp import xp_for
from tensorlite.ops.control import swapping
from tensorlite.ops.control.swap_stores import Store

GPU = DeviceName(kind="GPU", index=0)
TURNS = 12


@pytest.fixture
def store(gpu: str) -> Iterator[Store]:
    """Hold every test to it that nothing is left in the GPU's store."""
    swapping.store.cache_clear()
    made = swapping.store(GPU)
    yield made
    swapping.set_swap()
    gc.collect()
    made.close()
    assert not made.is_working
    assert (made.held, made.size) == (0, 0)
    swapping.store.cache_clear()


def step(x: tl.Tensor, w: tl.Tensor) -> list[Any]:
    """Return a loss and its gradients, through a loop that may be swapped."""
    with tl.GradientTape() as tape:
        tape.watch([x, w])
        _, y = tl.while_loop(
            lambda i, _: i < TURNS,
            lambda i, y: (i + 1, tl.tanh(y @ w)),
            (0, x),
            swap_memory=True,
        )
        loss = tl.sum(y * y)
    return [loss, *tape.gradient(loss, [x, w])]


@pytest.mark.parametrize("runner", ["structured", "frames"])
def test_gradients_are_the_same_and_stay_on_the_gpu(
    runner: str, gpu: str, store: Store
) -> None:
    random = np.random.default_rng(0)
    x, w = [
        tl.asarray(random.normal(size=(20, 20)).astype(np.float32), device=gpu)
        for _ in range(2)
    ]
    wanted = tl.function(step, runner=runner)(x, w)
    assert not store.size
    swapping.set_swap(bytes=4_000)
    found = tl.function(step, runner=runner)(x, w)
    assert store.size >= (TURNS - 3) * 1600
    for y, reference in zip(found, wanted, strict=True):
        assert str(y.device) == gpu
        np.testing.assert_array_equal(y.numpy(), reference.numpy())


@pytest.mark.parametrize("dtype", ["float64", "bool", "complex64", "bfloat16"])
@pytest.mark.parametrize("part", ["whole", "transposed", "row"])
def test_arrays_come_back(dtype: str, part: str, gpu: str, store: Store) -> None:
    whole = np.arange(3000).reshape(50, 60) % 7
    x = tl.astype(tl.asarray(whole, device=gpu), getattr(tl, dtype))
    array = {"whole": x, "transposed": x.T, "row": tl.concat([x[3]] * 20)}[part].array
    swapping.set_swap(bytes=0)
    item = swapping.SWAPPING.keep(array)
    assert store.held == 0
    found = swapping.SWAPPING.take(item)
    assert type(found) is type(array)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found.get(), array.get())


def test_no_host_memory_is_told(
    gpu: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda = xp_for(GPU).cuda

    def refuse(size: int) -> Any:
        raise cuda.runtime.CUDARuntimeError(2)

    monkeypatch.setattr(cuda, "alloc_pinned_memory", refuse)
    swapping.set_swap(bytes=0)
    with pytest.raises(
        SwapError, match=r"cannot page-lock 4096 bytes .* host memory"
    ):
        swapping.SWAPPING.keep(tl.ones((20, 20), device=gpu).array)
