"""The stand-in for CuPy: its manners, and what only it can show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import CPU
from tests import standin

xp = standin.module
X = np.asarray([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)


def test_arrays_do_not_become_numpys() -> None:
    x = xp.asarray(X)
    assert not isinstance(x, np.ndarray)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(x)
    refusals: list[Any] = [lambda: x + X, lambda: X + x, lambda: xp.stack([x, X])]
    for refused in refusals:
        with pytest.raises(TypeError, match="Unsupported type"):
            refused()
    np.testing.assert_array_equal(xp.asnumpy(x + np.float32(1)), X + 1)


def test_results_are_arrays_never_scalars() -> None:
    x = xp.asarray(X)
    for y in (
        x.sum(),
        x[0, 0],
        xp.max(x),
        xp.dot(x[0], x[0]),
        np.float32(2) * x[0, 0],
    ):
        assert type(y) is xp.ndarray
        assert y.shape == ()
    assert x[0, 0].item() == 1.0


def test_host_indices_are_taken_and_bounds_refused() -> None:
    x = xp.asarray(X)
    np.testing.assert_array_equal(x[np.asarray([1, 0])].get(), X[[1, 0]])
    with pytest.raises(TypeError, match="slice indices"):
        x[: xp.asarray(1)]


def test_only_what_cupy_has_is_there() -> None:
    pytest.importorskip("cupy")
    for missing in ("errstate", "unstack", "object_"):
        assert not hasattr(xp, missing)
    x = xp.asarray(X)
    with pytest.raises(TypeError):
        xp.sum(x, where=x > 0)
    with pytest.raises(TypeError, match="initial"):
        x.max(initial=0)
    with pytest.raises(TypeError, match=r"add\.at does not support complex64"):
        xp.add.at(x.astype("complex64"), xp.asarray([0]), x)
    with pytest.raises(NotImplementedError):
        xp.multiply.at(x, xp.asarray([0]), x)
    with pytest.raises(ValueError, match="Unsupported dtype object"):
        xp.asarray(np.asarray(["a"], object))


def test_arrays_of_two_devices_do_not_mix() -> None:
    x = xp.asarray(X)
    with xp.cuda.Device(1), pytest.raises(ValueError, match="device"):
        xp.add(x, x)


def test_the_second_gpu_works_beside_the_first(pretended: str) -> None:
    with tl.device("/gpu:1"):
        x = tl.ones((2, 3)) + X
        y = tl.function(lambda t: tl.sum(t * 2.0))(x)
    assert [str(t.device) for t in (x, y)] == ["/device:GPU:1"] * 2
    moved = x.to_device(pretended)
    assert str((moved + tl.asarray(X, device=pretended)).device) == pretended
    np.testing.assert_array_equal(moved.numpy(), X + 1)


def test_structure_stays_in_host_memory(pretended: str) -> None:
    """Axes, shapes and permutations cause no copies to the device, in a device scope either."""
    x = tl.asarray(X, device=pretended)
    standin.brought.clear()
    with tl.device(pretended):
        results: list[Any] = [
            tl.shape(x),
            tl.sum(x, axis=0),
            tl.reshape(x, (3, 2)),
            tl.permute_dims(x, (1, 0)),
            tl.expand_dims(x, axis=1),
            tl.concat([x, x], axis=1),
            x[0, 1:],
        ]
    results.append(tl.function(lambda x: tl.sum(tl.reshape(x, (3, 2)), axis=1))(x))
    assert standin.brought == []
    assert results[0].device == CPU
    assert {str(y.device) for y in results[1:]} == {pretended}


def test_a_gpu_that_is_not_there_is_named(pretended: str) -> None:
    with pytest.raises(tl.errors.DeviceError, match="2 GPUs are found"):
        tl.ones(2).to_device("/gpu:2")
    assert [str(d) for d in tl.__array_namespace_info__().devices()] == [
        "/device:CPU:0",
        "/device:GPU:0",
        "/device:GPU:1",
    ]
