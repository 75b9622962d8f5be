"""Convolutions and pooling at their edges: odd operands, unknown sizes, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph.trace import trace
from tensorlite.ops.nn import conv_kernels, depthwise_kernels
from tensorlite.ops.nn.windows import window_on
from tests.cases.conv import convolved, same
from tests.checks import run_graph


def uniform(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape)


def test_convolution_in_several_blocks_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, w = tl.asarray(uniform(5, 7, 6, 3)), tl.asarray(uniform(3, 3, 3, 2))
    pads = same((7, 6), (3, 3), (1, 1))
    wanted: list[Any] = []
    for block in (1, 700, 3000, 9000):
        monkeypatch.setattr(conv_kernels, "HOST_BLOCK", block)
        with tl.GradientTape() as tape:
            tape.watch([x, w])
            y = tl.nn.conv2d(x, w, 1, "SAME")
        np.testing.assert_allclose(
            y.numpy(), convolved(x.numpy(), w.numpy(), pads=pads)
        )
        found = tape.gradient(y, [x, w], output_gradients=y)
        wanted = wanted or found
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy())


def test_narrow_and_wide_windows_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = uniform(2, 6, 6, 2), uniform(3, 3, 2, 2)
    narrow = tl.nn.conv2d(x, w).numpy()
    monkeypatch.setattr(conv_kernels, "NARROW", 0)
    np.testing.assert_allclose(tl.nn.conv2d(x, w).numpy(), narrow)


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16, tl.float32, tl.float64])
def test_the_dtype_stays(dtype: tl.DType) -> None:
    x, w = tl.ones((1, 4, 4, 2), dtype=dtype), tl.ones((2, 2, 2, 3), dtype=dtype)
    with tl.GradientTape() as tape:
        tape.watch([x, w])
        y = tl.nn.max_pool2d(tl.nn.conv2d(x, w), 2, 1)
        z = tl.nn.avg_pool2d(y, 2)
    assert [g.dtype for g in (y, z, *tape.gradient(z, [x, w]))] == [dtype] * 4
    assert float(y[0, 0, 0, 0]) == 8


def test_unknown_batch_and_sizes_infer_and_run() -> None:
    specs = [tl.TensorSpec((None, 6, None, 3)), tl.TensorSpec((3, 3, 3, 4))]

    def network(x: tl.Tensor, w: tl.Tensor) -> list[tl.Tensor]:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.nn.max_pool2d(tl.nn.relu(tl.nn.conv2d(x, w, 1, "SAME")), 2)
        return [y, tape.gradient(y, x)]

    traced = trace(network, specs)
    assert [y.shape for y in traced.graph.outputs] == [
        (None, 3, None, 4),
        (None, 6, None, 3),
    ]
    x, w = (uniform(*s).astype(np.float32) for s in ((2, 6, 4, 3), (3, 3, 3, 4)))
    wanted = network(tl.asarray(x), tl.asarray(w))
    for found, eager in zip(
        run_graph(traced.graph, [x, w, *traced.captured]), wanted, strict=True
    ):
        np.testing.assert_array_equal(found, eager.numpy())


def test_max_pooling_passes_the_gradient_to_the_first_of_equals() -> None:
    x = tl.ones((1, 2, 2, 1))
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.nn.max_pool2d(x, 2)
    assert tape.gradient(y, x).numpy()[0, :, :, 0].tolist() == [[1, 0], [0, 0]]


def test_nan_and_infinity_pass_through_pools() -> None:
    x = np.array([np.nan, 1.0, -np.inf, -np.inf]).reshape(1, 1, 4, 1)
    assert str(tl.nn.max_pool2d(x, (1, 2)).numpy().ravel()) == "[ nan -inf]"


def test_same_padding_of_pools_never_shows() -> None:
    x = -tl.ones((1, 3, 3, 1))
    for pool in (tl.nn.max_pool2d, tl.nn.avg_pool2d):
        np.testing.assert_array_equal(
            pool(x, 2, 2, "SAME").numpy(), -np.ones((1, 2, 2, 1))
        )


def test_errors_say_what_is_wrong() -> None:
    x, w = tl.ones((1, 4, 4, 3)), tl.ones((3, 3, 3, 2))
    with pytest.raises(
        ShapeError, match=r"images have 3 channels, the filters .* take 2"
    ):
        tl.nn.conv2d(x, tl.ones((3, 3, 2, 2)))
    with pytest.raises(
        ShapeError, match="reaches over 5 elements does not fit an axis of 4"
    ):
        tl.nn.conv2d(x, w, dilations=2)
    with pytest.raises(ShapeError, match="rank 4"):
        tl.nn.conv2d(tl.ones((4, 4, 3)), w)
    with pytest.raises(DTypeError, match="floating tensors of one dtype"):
        trace(
            lambda x: [tl.nn.conv2d(x, x)],
            [tl.TensorSpec((1, 4, 4, 4), tl.complex64)],
        )
    with pytest.raises(InvalidArgumentError, match="padding='FULL'; allowed"):
        tl.nn.conv2d(x, w, padding="full")
    with pytest.raises(InvalidArgumentError, match="data_format='CHWN'; allowed"):
        tl.nn.conv2d(x, w, data_format="CHWN")
    with pytest.raises(InvalidArgumentError, match="strides"):
        tl.nn.conv2d(x, w, (1, 1, 1))
    with pytest.raises(InvalidArgumentError, match="1 for the batch"):
        tl.nn.conv2d(x, w, (2, 1, 1, 1))
    with pytest.raises(InvalidArgumentError, match="a pair for each"):
        tl.nn.conv2d(x, w, padding=((1, 1), (1, 1), (1, 1)))
    with pytest.raises(ShapeError, match="the convolution's result"):
        tl.nn.conv2d_transpose(
            tl.ones((1, 2, 2, 3)), tl.ones((2, 2, 5, 3)), (1, 9, 4, 5), 2
        )
    with pytest.raises(ShapeError, match=r"filters .* are for 2"):
        tl.nn.depthwise_conv2d(x, tl.ones((2, 2, 2, 1)))
    with pytest.raises(ShapeError, match="rank 3"):
        tl.nn.conv1d(x[0, 0], tl.ones((2, 3, 3)))  # without an axis of batches
    with pytest.raises(InvalidArgumentError, match="'NWC', 'NCW'"):
        tl.nn.max_pool1d(tl.ones((1, 2, 3)), 2, data_format="NHWC")


@pytest.mark.parametrize("strides", [(1, 1), (2, 2), (1, 3), (3, 2)])
@pytest.mark.parametrize("dilations", [(1, 1), (2, 3)])
@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_convolutions_are_sums_over_their_windows(
    strides: tuple[int, int],
    dilations: tuple[int, int],
    multiplier: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each channel by itself is a convolution of one channel, which goes another way."""
    monkeypatch.setattr(depthwise_kernels, "HOST_BLOCK", 1)
    x, w = uniform(3, 9, 8, 2), uniform(2, 3, 2, multiplier)
    window = window_on((9, 8), (2, 3), strides, dilations, ("SAME", (1, 2)))
    parts = [
        (x[..., i : i + 1], np.ascontiguousarray(w[:, :, i : i + 1])) for i in (0, 1)
    ]
    wanted = [conv_kernels.convolve(np, *part, window) for part in parts]
    y = depthwise_kernels.depthwise(np, x, w, window)
    np.testing.assert_allclose(y, np.concatenate(wanted, axis=3), atol=1e-12)
    dy = uniform(*y.shape)
    flows = np.split(dy, 2, axis=3)
    dx = [
        conv_kernels.image_gradient(np, flow, part, window, 1)
        for flow, (_, part) in zip(flows, parts, strict=True)
    ]
    found = depthwise_kernels.depthwise_image_gradient(np, dy, w, window)
    np.testing.assert_allclose(found, np.concatenate(dx, axis=3), atol=1e-12)
    dw = [
        conv_kernels.filter_gradient(np, part, flow, 1, window)
        for flow, (part, _) in zip(flows, parts, strict=True)
    ]
    found = depthwise_kernels.depthwise_filter_gradient(np, x, dy, multiplier, window)
    np.testing.assert_allclose(found, np.concatenate(dw, axis=2), atol=1e-12)
