"""What only a GPU can show: memory shared with CuPy, and work that goes on by itself."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import tensorlite as tl

pytestmark = pytest.mark.gpu
GPU = "/device:GPU:0"
X = np.asarray([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)


@pytest.fixture
def cupy() -> Any:
    return importlib.import_module("cupy")


def test_dlpack_shares_memory_with_cupy(cupy: Any) -> None:
    theirs = cupy.asarray(X)
    ours = tl.from_dlpack(theirs)
    assert str(ours.device) == GPU
    theirs[0, 0] = 9.0
    assert ours[0, 0].item() == 9.0
    back = cupy.from_dlpack(ours)
    assert back.data.ptr == theirs.data.ptr
    kind, index = ours.__dlpack_device__()
    assert (int(kind), index) == (2, 0)


def test_arrays_of_cupy_are_operands(cupy: Any) -> None:
    theirs = cupy.asarray(X)
    for y in (tl.asarray(theirs), tl.asarray(X) + tl.asarray(theirs), tl.exp(theirs)):
        assert str(y.device) == GPU
    ours = tl.asarray(theirs)
    theirs[...] = 0.0
    np.testing.assert_array_equal(ours.numpy(), X)


def test_a_copy_to_the_host_waits_for_the_work() -> None:
    x = tl.ones((1500, 1500), dtype=tl.float32).to_device(GPU)
    for _ in range(20):
        x = x @ x / 1500.0
    np.testing.assert_allclose(x.numpy(), np.ones((1500, 1500)), rtol=1e-3)


def test_memory_on_the_gpu_is_given_back(cupy: Any) -> None:
    pool = cupy.get_default_memory_pool()
    f = tl.function(lambda x: tl.sum(tl.exp(x) * x + x))
    x = tl.ones((1000, 1000)).to_device(GPU)
    f(x).item()
    before = pool.used_bytes()
    for _ in range(5):
        f(x).item()
    assert pool.used_bytes() <= before
