"""tf.keras.ops against NumPy, whose names most of them have, and against closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras: Any = tf.keras
ops: Any = keras.ops
Check = tuple[str, tuple[Any, ...], dict[str, Any]]


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


A, B, LINE = drawn(3, 4), drawn(3, 4, seed=1), np.array([3, 1, 2, 5, 1, 0], np.int32)
WHOLE, CUBE = np.array([[0, 1, 3], [2, 2, 1]], np.int32), drawn(3, 2, 2, seed=2)
HOLED = A.copy()
HOLED[0, 1] = np.nan
CASES: list[Check] = [
    *[
        (name, (A,), {})
        for name in ("sin", "arctan", "expm1", "cbrt", "fabs", "sinc")
    ],
    *[(name, (A, B), {}) for name in ("hypot", "arctan2", "logaddexp2", "heaviside")],
    *[(name, (A, B), {}) for name in ("floor_divide", "mod", "fmod", "fmax", "kron")],
    *[
        (name, (A,), {"axis": 1})
        for name in ("mean", "std", "ptp", "median", "argmin")
    ],
    *[(name, (HOLED,), {"axis": 0}) for name in ("nansum", "nanmean", "nanmedian")],
    *[(name, (HOLED,), {}) for name in ("nanstd", "nanprod", "nanargmax", "nanmax")],
    ("add", (WHOLE, 2), {}),
    ("round", (A, 2), {}),
    ("logical_and", (A > 0, B > 0), {}),
    ("quantile", (A, [0.1, 0.5]), {"axis": 0}),
    ("quantile", (A, 0.4), {"axis": 1, "method": "midpoint", "keepdims": True}),
    ("percentile", (A, 30.0), {}),
    ("nanquantile", (HOLED, 0.4), {}),
    ("average", (A,), {"axis": 1, "weights": np.arange(4.0, dtype=np.float32)}),
    ("cumsum", (A,), {"axis": 0}),
    ("bincount", (LINE,), {"minlength": 9}),
    ("digitize", (A, np.array([-1.0, 0.0, 1.0], np.float32)), {}),
    ("corrcoef", (A,), {}),
    ("trapezoid", (A,), {"dx": 2.0, "axis": 0}),
    ("trapezoid", (A, np.cumsum(B * B, 0)), {"axis": 0}),
    ("trapezoid", (A, LINE[:3]), {"axis": 0}),
    ("linspace", (0.0, 1.0, 5), {"endpoint": False}),
    ("geomspace", (1.0, 100.0, 5), {}),
    ("tri", (3, 4), {"k": 1}),
    ("vstack", ([LINE, LINE],), {}),
    ("dstack", ([A, B],), {}),
    ("append", (A, B), {"axis": 1}),
    ("expand_dims", (A, (0, -1)), {}),
    ("rot90", (A,), {"k": 3}),
    ("rot90", (A,), {"k": 2}),
    ("tile", (LINE, (2, 2)), {}),
    ("repeat", (LINE, [1, 2, 1, 1, 0, 3]), {}),
    ("pad", (A, ((1, 1), (2, 2))), {"mode": "reflect"}),
    ("take", (A, [-1, 2]), {"axis": 0}),
    ("take_along_axis", (A, np.array([[0], [1], [-1]])), {"axis": 1}),
    ("select", ([A > 0, B > 0], [A, B]), {"default": 0.0}),
    ("unique", (WHOLE,), {}),
    ("isin", (WHOLE, [1, 2]), {"invert": True}),
    ("diag", (LINE,), {"k": 1}),
    ("diag", (LINE,), {"k": -2}),
    ("diagonal", (CUBE,), {"axis1": 1, "axis2": 2}),
    ("inner", (A, B), {}),
    ("outer", (LINE, LINE), {}),
    ("dot", (CUBE, drawn(2, 3)), {}),
    ("cross", (drawn(4, 3), drawn(4, 3, seed=1)), {}),
    ("vander", (drawn(5), 3), {}),
    ("correlate", (LINE.astype(np.float32), drawn(3)), {"mode": "full"}),
    ("gcd", (WHOLE, WHOLE + 3), {}),
    ("kaiser", (7, 3.0), {}),
]


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), CASES, ids=lambda x: x if isinstance(x, str) else ""
)
def test_ops_are_numpys(name: str, args: Any, kwargs: Any) -> None:
    want = np.asarray(getattr(np, name)(*args, **kwargs))
    made = getattr(ops, name)(*args, **kwargs)
    np.testing.assert_allclose(made.numpy(), want, rtol=2e-4, atol=1e-5)


def test_numbers_take_the_dtype_of_tensors_and_wholes_become_fractions() -> None:
    assert ops.add(WHOLE, 1.5).numpy().dtype == np.float32
    assert ops.add(WHOLE, 1).numpy().dtype == np.int32
    assert ops.divide(WHOLE, 2).numpy().dtype == np.float32
    assert ops.mean(WHOLE).numpy().dtype == np.float32
    assert ops.sum(A > 0).numpy() == int((A > 0).sum())
    assert ops.cast(A, "int32").numpy().dtype == np.int32


def softened(x: Any) -> Any:
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


PAIRS: list[tuple[Callable[[], Any], Any]] = [
    (lambda: ops.softmax(A), softened(A)),
    (lambda: ops.softmax(CUBE, axis=(1, 2)).numpy().sum((1, 2)), np.ones(3)),
    (lambda: ops.sparsemax(A).numpy().sum(-1), np.ones(3)),
    (lambda: ops.squareplus(A), (A + np.sqrt(A * A + 4)) / 2),
    (lambda: ops.celu(A, 0.5), np.where(A > 0, A, 0.5 * np.expm1(A / 0.5))),
    (lambda: ops.hard_silu(A), A * np.clip(A + 3, 0, 6) / 6),
    (lambda: ops.rms_normalization(A), A / np.sqrt((A * A).mean(-1, keepdims=True))),
    (lambda: ops.normalize(A, order=1), A / np.abs(A).sum(-1, keepdims=True)),
    (
        lambda: ops.logdet(A @ A.T + np.eye(3)),
        np.linalg.slogdet(A @ A.T + np.eye(3))[1],
    ),
    (lambda: ops.cdist(A, B), np.linalg.norm(A[:, None] - B[None], axis=-1)),
    (lambda: ops.view_as_real(ops.view_as_complex(CUBE)), CUBE),
    (lambda: ops.istft(ops.stft(drawn(2, 32), 8, 4, 8), 8, 4, 8), drawn(2, 32)),
    (
        lambda: ops.rearrange(CUBE, "a b c -> b (a c)"),
        CUBE.transpose(1, 0, 2).reshape(2, 6),
    ),
    (lambda: ops.slice(A, (1, 1), (2, 2)), A[1:, 1:3]),
    (lambda: ops.slice(A, (1, 1), (-1, 2)), A[1:, 1:3]),
    (
        lambda: ops.slice_update(A, (1, 1), np.zeros((2, 2)))[1:, 1:3],
        np.zeros((2, 2)),
    ),
    (lambda: ops.scatter([[0], [2]], [1.0, 2.0], (4,)), [1.0, 0.0, 2.0, 0.0]),
    (
        lambda: ops.scatter_update(A, [[0, 1]], [5.0], reduction="add")[0, 1],
        A[0, 1] + 5,
    ),
    (lambda: ops.fori_loop(0, 5, lambda i, x: x + 2.0, 1.0), 11.0),
    (lambda: ops.while_loop(lambda i: i < 7, lambda i: i + 2, 0), 8),
    (lambda: ops.scan(lambda c, x: (c + x, c), 0.0, A[0])[0], A[0].sum()),
    (lambda: ops.associative_scan(lambda a, b: a + b, A), A.cumsum(0)),
    (lambda: ops.map(lambda row: row * 2, A), A * 2),
    (lambda: ops.vectorize(lambda x: x * 2)(A), A * 2),
    (lambda: ops.switch(1, [lambda x: x, lambda x: -x], A), -A),
    (lambda: ops.segment_sum(A, [0, 0, 1], num_segments=2)[0], A[:2].sum(0)),
    (
        lambda: ops.stack(ops.unravel_index([3, 5], (2, 4))),
        np.unravel_index([3, 5], (2, 4)),
    ),
]


@pytest.mark.parametrize("place", range(len(PAIRS)))
def test_ops_have_their_closed_forms(place: int) -> None:
    made, want = PAIRS[place]
    np.testing.assert_allclose(np.asarray(made()), want, rtol=1e-4, atol=1e-5)


def test_convolutions_and_pooling_take_kernels_and_forms() -> None:
    images, kernel = drawn(2, 6, 6, 2), drawn(3, 3, 2, 4, seed=1)
    want = tf.nn.conv2d(images, kernel, 1, "SAME").numpy()
    np.testing.assert_allclose(ops.conv(images, kernel, padding="same").numpy(), want)
    first = ops.conv(
        images.transpose(0, 3, 1, 2), kernel, 1, "same", "channels_first"
    )
    np.testing.assert_allclose(
        first.numpy().transpose(0, 2, 3, 1), want, rtol=1e-4, atol=1e-5
    )
    turned = ops.conv_transpose(images, drawn(3, 3, 5, 2), strides=2, padding="same")
    assert turned.shape == (2, 12, 12, 5)
    pooled = ops.adaptive_average_pool(images, (3, 2)).numpy()
    want = images.reshape(2, 3, 2, 2, 3, 2).mean((2, 4))
    np.testing.assert_allclose(pooled, want, rtol=1e-4, atol=1e-6)
    deep = ops.depthwise_conv(images, kernel[..., :1], padding="same")
    assert deep.shape == (2, 6, 6, 2)


def test_attention_is_softmax_of_products_and_may_be_causal() -> None:
    x = drawn(2, 3, 2, 4)
    q = x.transpose(0, 2, 1, 3)
    logits = q @ q.transpose(0, 1, 3, 2) / 2.0
    want = (softened(logits) @ q).transpose(0, 2, 1, 3)
    np.testing.assert_allclose(
        ops.dot_product_attention(x, x, x).numpy(), want, rtol=1e-4, atol=1e-5
    )
    causal = ops.dot_product_attention(x, x, x, is_causal=True).numpy()
    np.testing.assert_allclose(causal[:, 0], x[:, 0], rtol=1e-5)


def test_images_are_moved_padded_and_cut() -> None:
    images = drawn(2, 5, 6, 3)
    padded = ops.image.pad_images(images, 1, 2, target_height=8, target_width=9)
    assert padded.shape == (2, 8, 9, 3)
    np.testing.assert_allclose(padded.numpy()[:, 1:6, 2:8], images)
    cut = ops.image.crop_images(images, 1, 1, target_height=3, target_width=2)
    np.testing.assert_allclose(cut.numpy(), images[:, 1:4, 1:3])
    same = np.array([1, 0, 0, 0, 1, 0, 0, 0], np.float32)
    np.testing.assert_allclose(
        ops.image.affine_transform(images[0], same).numpy(), images[0], atol=1e-6
    )
    between = ops.image.map_coordinates(A, [[0.5], [1.0]], order=1).numpy()
    np.testing.assert_allclose(between, [(A[0, 1] + A[1, 1]) / 2], rtol=1e-5)
    outside = ops.image.map_coordinates(A, [[-1.0], [4.0]], 0, fill_mode="reflect")
    np.testing.assert_allclose(outside.numpy(), [A[0, 3]])


def test_ops_are_noted_on_symbolic_tensors_and_trained_through() -> None:
    inputs = keras.Input((4,))
    hidden = ops.relu(ops.matmul(inputs, np.ones((4, 3), np.float32)))
    flat = ops.reshape(ops.expand_dims(hidden, 1), (ops.shape(hidden)[0], 3))
    model = keras.Model(
        inputs, keras.layers.Dense(1)(ops.concatenate([flat, flat], -1))
    )
    want = np.maximum(A.sum(1, keepdims=True), 0) * np.ones((3, 3))
    want = np.concatenate([want, want], axis=1)
    kernel, bias = model.get_weights()
    np.testing.assert_allclose(
        model.predict(A, verbose=0), want @ kernel + bias, rtol=1e-4
    )
    again = keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again(A).numpy(), model(A).numpy(), rtol=1e-6)
    model.compile("sgd", "mse")
    model.fit(A, A[:, :1], verbose=0)


def test_ops_work_in_traced_functions_of_unknown_sizes() -> None:
    def sums(x: Any) -> Any:
        rows, columns = ops.shape(x)
        assert columns == 4
        total = ops.reshape(x, (rows, 2, 2))
        _, made = ops.scan(lambda c, row: (c + ops.sum(row), c), 0.0, total)
        return ops.vectorized_map(lambda row: row * 2, made)

    summed = tf.function(sums, input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    want = 2 * np.concatenate([[0.0], A.sum(1).cumsum()[:-1]])
    np.testing.assert_allclose(np.asarray(summed(A)), want, rtol=1e-5, atol=1e-6)


def test_sizes_that_layers_ask_for_while_a_model_is_made_are_tensors() -> None:
    class Noisy(keras.layers.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            rows, columns = ops.shape(inputs)
            assert columns == 4
            return inputs + keras.random.normal((rows, columns), stddev=0.0, seed=1)

    inputs = keras.Input((4,))
    model = keras.Model(inputs, Noisy()(inputs))
    np.testing.assert_allclose(model(A), A)


def test_windows_are_unfolded_to_columns_and_folded_back() -> None:
    """Expected shapes and sums are TensorFlow 2.21's."""
    x = drawn(2, 3, 6, 7)
    told = {"dilation": 2, "padding": 1, "stride": 2}
    columns = ops.unfold(x, (2, 3), **told)
    assert columns.shape == (2, 18, 9)
    whole = ops.fold(columns, (6, 7), (2, 3), **told)
    np.testing.assert_allclose(np.sum(whole), np.sum(columns), rtol=1e-4)
    plain = ops.unfold(x, 2).numpy()
    np.testing.assert_array_equal(plain[0, :, 0], x[0, :, :2, :2].ravel())
    times = ops.fold(ops.unfold(np.ones_like(x), 2), (6, 7), 2).numpy()
    np.testing.assert_array_equal(times[0, 0, 0], [1, 2, 2, 2, 2, 2, 1])
    np.testing.assert_array_equal(times[0, 0, 1], [2, 4, 4, 4, 4, 4, 2])
    assert ops.unfold(keras.Input((3, 6, 7)), 2).shape == (None, 12, 30)


def test_volumes_are_cut_into_blocks() -> None:
    x = drawn(2, 4, 6, 5, 2)
    made = ops.image.extract_patches_3d(x, (2, 3, 5)).numpy()
    assert made.shape == (2, 2, 2, 1, 60)
    np.testing.assert_allclose(made[1, 1, 0, 0], x[1, 2:, :3].ravel(), rtol=1e-6)
    first = np.moveaxis(x, -1, 1)
    other = ops.image.extract_patches_3d(
        first, (2, 3, 5), data_format="channels_first"
    )
    np.testing.assert_allclose(np.moveaxis(other, 1, -1), made, rtol=1e-6)
    one = ops.image.extract_patches_3d(x[0], 2, strides=1, padding="same")
    assert one.shape == (4, 6, 5, 16)


def test_changes_along_tangents() -> None:
    values = tf.constant(0.5), tf.constant(2.0)
    along = tf.constant(1.0), tf.constant(0.5)
    made, change = keras.ops.jvp(lambda a, b: keras.ops.sin(a) * b, values, along)
    np.testing.assert_allclose([made, change], [0.95885, 1.99488], rtol=1e-5)
    *_, beside = keras.ops.linalg.jvp(
        lambda a, b: (a, 7), values, along, has_aux=True
    )
    assert beside == 7
