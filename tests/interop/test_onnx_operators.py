"""Each operator gives the same in onnxruntime, whether sizes are known or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.interop.onnxruns import check, operators

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 6, 5)).astype(np.float32)
PLACES = RNG.integers(0, 6, (4, 2, 5))


def _int(x: tl.Tensor, factor: float = 9.0) -> tl.Tensor:
    return tl.astype(x * factor, tl.int32)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "activations": lambda x: (
        *(tl.nn.elu(x), tl.nn.selu(x), tl.nn.silu(x), tl.nn.mish(x)),
        *(tl.nn.gelu(x), tl.nn.gelu(x, approximate=True), tl.nn.relu6(x)),
        *(tl.nn.leaky_relu(x, 0.3), tl.nn.softplus(x), tl.nn.softsign(x)),
        *(tl.nn.hard_sigmoid(x), tl.nn.sigmoid(x)),
    ),
    "arithmetic": lambda x: (x + 1, 2 - x, x * x, x / 3, -x, x**2, tl.abs(x), x - x),
    "argmax": lambda x: (tl.argmax(x, axis=1), tl.argmin(x, axis=-1, keepdims=True)),
    "batched gather": lambda x: tl.gather(
        x, tl.asarray([[0, 1], [2, 3], [1, 1], [0, 0]]), axis=1, batch_dims=1
    ),
    "bits": lambda x: (_int(x) & 5, _int(x) | 3, _int(x) ^ 6, ~_int(x)),
    "broadcast": lambda x: tl.broadcast_to(x[:1], (4, 6, 5)),
    "casts": lambda x: (
        *(tl.astype(x, tl.int32), tl.astype(x > 0, tl.float32)),
        *(tl.astype(x, tl.bool), tl.astype(tl.abs(x), tl.uint8)),
        tl.astype(tl.astype(x, tl.bfloat16), tl.float32),
    ),
    "clip": lambda x: (tl.clip(x, -0.5, 0.5), tl.maximum(x, 0.1), tl.minimum(x, 0.1)),
    "comparison": lambda x: (x > 0, x >= 0.5, x < 0, x <= 0, x == x, x != x[:, :1]),  # noqa: PLR0124
    "concat": lambda x: tl.concat([x, x * 2], axis=-1),
    "count": lambda x: tl.count_nonzero(x > 0, axis=1),
    "cumulative": lambda x: tl.cumulative_sum(x, axis=1),
    "deviation": lambda x: (tl.var(x, axis=1), tl.std(x, axis=0, correction=1.0)),
    "division": lambda x: (x % 0.7, x // 0.7, _int(x) // -4, _int(x) % -4),
    "einsum": lambda x: (tl.einsum("bij,bkj->bik", x, x), tl.einsum("...j->j...", x)),
    "exponentials": lambda x: (
        *(tl.exp(x), tl.expm1(x * 1e-4), tl.expm1(x), tl.log1p(tl.abs(x))),
        *(
            tl.sqrt(tl.abs(x)),
            tl.log2(tl.abs(x)),
            tl.log10(tl.abs(x)),
            tl.rsqrt(x * x),
        ),
        *(tl.square(x), tl.logaddexp(x, 2 * x), tl.log(tl.abs(x)), 1 / x),
    ),
    "expanded": lambda x: (tl.expand_dims(x, 1), tl.expand_dims(x, -1)),
    "filled": lambda x: (tl.zeros_like(x), tl.ones_like(x), tl.full_like(x, 3.0)),
    "finite": lambda x: (tl.isnan(x), tl.isfinite(x), tl.isinf(x * 1e38)),
    "flipped": lambda x: (tl.flip(x, axis=1), tl.flip(x)),
    "gather": lambda x: (
        tl.gather(x, tl.asarray([3, 0, 2]), axis=1),
        tl.gather_nd(x, tl.asarray([[0, 1], [3, 2]])),
    ),
    "gather along": lambda x: tl.take_along_axis(x, tl.asarray(PLACES), axis=1),
    "index": lambda x: (x[1], x[-1, 2], x[:, 1, -1], x[..., None, -1]),
    "logical": lambda x: (
        *(tl.any(x > 0.5, axis=1), tl.all(x > -1.5, axis=0)),
        tl.logical_xor(x > 0, x > 1),
        tl.logical_not(x > 0) & (x < 1),
    ),
    "logsumexp": lambda x: tl.logsumexp(x, axis=1),
    "mirror": lambda x: tl.pad(x, [[1, 0], [0, 2], [0, 0]], mode="reflect"),
    "norms": lambda x: (
        *(tl.nn.layer_norm(x), tl.nn.layer_norm(x, axis=(1, 2)), tl.nn.rms_norm(x)),
        *(tl.linalg.vector_norm(x, axis=-1), tl.nn.group_norm(x[:, :, :4], 2)),
    ),
    "one hot": lambda x: (
        tl.one_hot(_int(x, 2.0), 3),
        tl.one_hot(tl.astype(x, tl.int64), 2, axis=1),
    ),
    "order": lambda x: (
        *(tl.sort(x, axis=1), tl.argsort(x, axis=0, descending=True)),
        tl.sort(x, descending=True),
    ),
    "pad": lambda x: tl.pad(x, [[1, 0], [0, 2], [0, 0]]),
    "permuted": lambda x: tl.permute_dims(x, (2, 0, 1)),
    "permuted arithmetic": lambda x: (
        *(tl.permute_dims(x, (1, 0, 2)) + tl.permute_dims(x * 2, (1, 0, 2)),),
        *(tl.permute_dims(x, (1, 2, 0)) * tl.asarray([[1.0], [2], [3], [4], [5]]),),
        tl.nn.softmax(x.mT) + tl.cumulative_sum(x.mT, axis=1),
    ),
    "permuted reductions": lambda x: (
        *(tl.sum(x.mT, axis=1), tl.mean(tl.permute_dims(x, (2, 0, 1)), axis=0)),
        tl.max(tl.permute_dims(x, (1, 2, 0)), axis=1, keepdims=True),
        tl.sum(tl.permute_dims(x, (2, 1, 0)), axis=2),
    ),
    "products": lambda x: (
        *(tl.matmul(x, x, transpose_b=True), tl.matmul(x, x, transpose_a=True)),
        tl.matmul(tl.permute_dims(x, (0, 2, 1)), x),
        tl.matmul(x[0], x[1], transpose_b=True),
    ),
    "reductions": lambda x: (
        *(tl.sum(x), tl.mean(x, axis=1), tl.min(x, axis=-1), tl.prod(x, axis=0)),
        *(tl.max(x, axis=(0, 2), keepdims=True), tl.sum(_int(x), axis=(-1, 0))),
    ),
    "repeated": lambda x: (tl.repeat(x, 2, axis=1), tl.tile(x, (2, 1, 3))),
    "reshaped": lambda x: (tl.reshape(x, (-1, 5)), tl.reshape(x, (-1,)), x.mT),
    "rolled": lambda x: (tl.roll(x, 2, axis=1), tl.roll(x, (-1, 7), axis=(1, 2))),
    "rounded": lambda x: (
        *(tl.round(x), tl.floor(x), tl.ceil(x), tl.trunc(x), tl.sign(x)),
        tl.signbit(x),
    ),
    "scatter": lambda x: tl.scatter_nd(tl.asarray([[1], [3], [1]]), x[:3], (5, 6, 5)),
    "shape": lambda x: (tl.shape(x), tl.shape(x)[0] * 2, tl.shape(x.mT), tl.size(x)),
    "slices": lambda x: (
        *(x[1:3, ..., ::2], x[:, -3:-1], x[:, ::-1], x[::-2, None, 2, 1:]),
        *(x[:, 4:1:-2], x[2:], x[..., 9:], x[:, None], x[-2:, :, :-1]),
    ),
    "softmax": lambda x: (
        *(tl.nn.softmax(x), tl.nn.softmax(x, axis=1), tl.nn.log_softmax(x, axis=0)),
    ),
    "split": lambda x: (*tl.split(x, 3, axis=1), *tl.split(x, [1, 4], axis=2)),
    "squeezed": lambda x: tl.squeeze(x[:, :1], 1),
    "stacked": lambda x: (tl.stack([x, 2 * x], axis=1), *tl.unstack(x, axis=1)),
    "take": lambda x: tl.take(x, tl.asarray([3, 0, 0]), axis=0),
    "top k": lambda x: (*tl.top_k(x, 3), *tl.top_k(_int(x), 2)),
    "triangles": lambda x: (tl.tril(x), tl.triu(x, k=1), tl.tril(x > 0, k=-1)),
    "trigonometry": lambda x: (
        *(
            tl.sin(x),
            tl.cos(x),
            tl.tan(x),
            tl.atan(x),
            tl.asin(x / 9),
            tl.acos(x / 9),
        ),
        *(tl.sinh(x), tl.cosh(x), tl.tanh(x), tl.asinh(x), tl.atanh(x / 9)),
        tl.acosh(1 + tl.abs(x)),
    ),
    "updated": lambda x: (
        *(tl.set_item(x, (slice(None), 1), 0.0), tl.set_item(x, 2, x[0] * 2)),
        tl.set_item(x, (slice(1, 3), ..., slice(None, None, -2)), x[:2, :, :3]),
    ),
    "where": lambda x: (tl.where(x > 0, x, 0.0), tl.where(x > 0, 1, 2)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operators(name: str) -> None:
    check(FUNCTIONS[name], X)
    check(FUNCTIONS[name], X, sizes=[(None, 6, 5)])


BACKWARD = {
    "slices that begin before the first": lambda x: (
        *(x[-6::-1], x[-6::-2, -3::-1], x[:, -7:4], x[-9:-5], x[7:1:-1], x[2:9:-1]),
    ),
    "slices that go back": lambda x: (x[-2::-1], x[:, -1:-4:-1], x[..., 3::-2]),
}
FUNCTIONS |= BACKWARD

ANY_SIZE = (
    *BACKWARD,
    *("activations", "argmax", "concat", "exponentials", "filled", "index", "norms"),
    *("order", "pad", "permuted", "products", "reductions", "reshaped", "shape"),
    *("slices", "softmax", "stacked", "top k"),
)


@pytest.mark.parametrize("name", sorted(set(ANY_SIZE) - {"norms", "stacked"}))
def test_no_size_need_be_known(name: str) -> None:
    check(FUNCTIONS[name], X, sizes=[(None, None, None)])


@pytest.mark.parametrize(
    "x",
    [
        np.arange(6),
        np.arange(6, dtype=np.int32),
        np.linspace(-1, 1, 6),
        np.linspace(-1, 1, 6, dtype=np.float16),
    ],
    ids=lambda x: str(x.dtype),
)
def test_dtypes(x: Any) -> None:
    check(lambda x: (x + 1, x * x, tl.sum(x), tl.max(x), tl.where(x > 2, x, 0)), x)


def test_indices_that_are_computed() -> None:
    def parts(x: tl.Tensor, n: tl.Tensor) -> Any:
        return x[n], x[1:n, n - 1], x[n:], tl.take(x, n, axis=1), tl.one_hot(n, 5)

    check(parts, X, np.int32(2))


def test_sizes_that_are_computed() -> None:
    def made(x: tl.Tensor, n: tl.Tensor) -> Any:
        wide = tl.broadcast_to(x[:1, 0], tl.stack([n, 5]))
        return (
            *(tl.fill(tl.stack([n, 2]), 3.0), wide),
            *(
                tl.reshape(x, tl.stack([n, -1])),
                tl.arange(n),
                tl.tile(x[0, 0], tl.stack([n])),
            ),
        )

    check(made, X, np.int32(2))


def test_updates_of_parts() -> None:
    def changed(x: tl.Tensor, y: tl.Tensor) -> Any:
        at = tl.asarray([[1], [3]])
        return (
            tl.tensor_scatter_nd_update(x, at, y),
            tl.tensor_scatter_nd_add(x, at, y),
            tl.tensor_scatter_nd_sub(x, at, y),
            tl.tensor_scatter_nd_max(x, at, y),
            tl.tensor_scatter_nd_min(x, at, y),
        )

    check(changed, X, X[:2] * 3)


def test_indices_of_what_is_true() -> None:
    check(lambda x: tl.nonzero(x > 0), X[0], sizes=[(None, 5)])
    check(lambda x: tl.boolean_mask(x, x[:, 0] > 0), X[0])


def test_transposes_cancel_and_join() -> None:
    def there_and_back(x: tl.Tensor) -> tl.Tensor:
        y = tl.nn.relu(tl.permute_dims(x, (2, 0, 1)) * 2.0)
        return tl.permute_dims(y, (1, 2, 0))

    assert "Transpose" not in operators(check(there_and_back, X))
    joined = check(
        lambda x: tl.permute_dims(tl.permute_dims(x, (1, 2, 0)), (1, 2, 0)), X
    )
    assert operators(joined)["Transpose"] == 1
    weights = tl.asarray(X[0])
    folded = check(lambda x: tl.matmul(x, weights, transpose_b=True), X[1])
    assert operators(folded) == {"MatMul": 1}
