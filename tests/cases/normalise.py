"""Cases of normalisation, dropout, attention and embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.activations import softmax
from tests.cases.base import OpCase, arrays


def standardized(x: Any, axis: Any = -1, epsilon: float = 1e-5) -> Any:
    centre, variance = x.mean(axis, keepdims=True), x.var(axis, keepdims=True)
    return (x - centre) / np.sqrt(variance + epsilon), centre, variance


def batch_normalized(x: Any, scale: Any, offset: Any) -> Any:
    y, centre, variance = standardized(x, (0, 1, 2), 1e-3)
    return y * scale + offset, centre.ravel(), variance.ravel()


def attended(q: Any, k: Any, v: Any, visible: Any = True) -> Any:
    products = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(visible, products, -1e9)) @ v


def attended_by_heads(q: Any, k: Any, v: Any) -> Any:
    parts = [attended(*(x[..., i : i + 2] for x in (q, k, v))) for i in (0, 2)]
    return np.concatenate(parts, -1)


MASK = np.array([[True, False, True], [False, False, True]])
IDS = np.array([[4, 0, 2], [2, 1, 4]])
KEPT = tl.random.stateless_uniform((3, 4), (1, 2)).numpy() >= 0.25


def by_mod(a: Any, b: Any) -> Any:
    table = np.empty((5, 2), a.dtype)
    table[0::2], table[1::2] = a, b
    return table[IDS]


CASES = (
    OpCase(
        "standardize",
        lambda x: tl.nn.standardize(x, (0, 2)),
        lambda x: standardized(x, (0, 2)),
        arrays((2, 3, 4)),
        ops=("StandardizeGrad",),
    ),
    OpCase(
        "layer_norm",
        tl.nn.layer_norm,
        lambda x, a, b: standardized(x)[0] * a + b,
        arrays((2, 3, 4), (4,), (4,)),
        rtol=1e-4,
    ),
    OpCase(
        "batch_norm",
        tl.nn.batch_norm,
        batch_normalized,
        arrays((2, 3, 2, 2), (2,), (2,)),
        rtol=1e-4,
        atol=1e-5,
        needs_rank=True,
    ),
    OpCase(
        "batch_normalization",
        lambda x, m, v, b, a: tl.nn.batch_normalization(x, m, tl.square(v) + 1, b, a),
        lambda x, m, v, b, a: (x - m) / np.sqrt(v * v + 1 + 1e-3) * a + b,
        arrays((3, 2), (2,), (2,), (2,), (2,)),
        rtol=1e-4,
    ),
    OpCase(
        "group_norm",
        lambda x: tl.nn.group_norm(x, 2),
        lambda x: standardized(x.reshape(2, 3, 2, 3), (1, 3))[0].reshape(2, 3, 6),
        arrays((2, 3, 6)),
        needs_rank=True,
        rtol=1e-4,
    ),
    OpCase(
        "rms_norm",
        tl.nn.rms_norm,
        lambda x, a: x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-6) * a,
        arrays((2, 4), (4,)),
    ),
    OpCase(
        "dropout",
        lambda x: tl.nn.dropout(x, 0.25, seed=(1, 2)),
        lambda x: np.where(KEPT, x / 0.75, 0),
        arrays((3, 4)),
    ),
    OpCase(
        "attention",
        tl.nn.attention,
        attended,
        arrays((2, 2, 4), (2, 3, 4), (2, 3, 2)),
        rtol=1e-4,
    ),
    OpCase(
        "attention_masked",
        lambda q, k, v: tl.nn.attention(q, k, v, MASK),
        lambda q, k, v: attended(q, k, v, MASK),
        arrays((2, 2, 4), (2, 3, 4), (2, 3, 2)),
        rtol=1e-4,
    ),
    OpCase(
        "attention_causal",
        lambda q, k, v: tl.nn.attention(q, k, v, causal=True),
        lambda q, k, v: attended(q, k, v, np.tri(2, 3, 1, dtype=bool)),
        arrays((2, 2, 4), (2, 3, 4), (2, 3, 2)),
        rtol=1e-4,
    ),
    OpCase(
        "multi_head_attention",
        lambda q, k, v: tl.nn.multi_head_attention(q, k, v, 2),
        attended_by_heads,
        arrays((2, 2, 4), (2, 3, 4), (2, 3, 4)),
        needs_rank=True,
        rtol=1e-4,
    ),
    OpCase(
        "embedding_lookup",
        lambda x: tl.nn.embedding_lookup(x, IDS),
        lambda x: x[IDS],
        arrays((5, 2)),
    ),
    OpCase(
        "embedding_lookup_mod",
        lambda a, b: tl.nn.embedding_lookup([a, b], IDS),
        by_mod,
        arrays((3, 2), (2, 2)),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "embedding_lookup_div",
        lambda a, b: tl.nn.embedding_lookup([a, b], IDS, "div"),
        lambda a, b: np.concatenate([a, b])[IDS],
        arrays((3, 2), (2, 2)),
        data_dependent=True,
        needs_rank=True,
    ),
)
