"""Recording what runs on a GPU: on which device, and until the device is done."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.runtime import timeline


@tl.function
def affine(x: tl.Tensor) -> tl.Tensor:
    return tl.tanh(x * 3.0) + 1.0


@pytest.mark.parametrize("synchronize", [True, False])
def test_nodes_and_eager_operators_are_on_the_gpu(
    gpu: str, synchronize: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []
    wait = timeline.wait

    def counted(device: tl.DeviceName) -> None:
        waited.append(str(device))
        wait(device)

    monkeypatch.setattr(timeline, "wait", counted)
    x = tl.ones(8).to_device(gpu)
    expected = affine(x)
    with tl.profiler.trace(synchronize=synchronize) as profile:
        y = affine(x)
        tl.exp(x)
    np.testing.assert_array_equal(y.numpy(), expected.numpy())
    assert Counter((event.op, str(event.device)) for event in profile.events) == {
        (op, gpu): 1 for op in ("Mul", "Tanh", "AddV2", "Exp")
    }
    assert all(event.nbytes == 32 for event in profile.events)
    assert waited == [gpu] * 4 * synchronize


def test_a_failing_kernel_is_told_of_and_raised(gpu: str) -> None:
    x = tl.ones((2, 3)).to_device(gpu)
    with tl.profiler.trace() as profile, pytest.raises(tl.errors.ShapeError):
        tl.matmul(x, x)
    assert [event.error for event in profile.events][-1] == "ShapeError"
