"""Cases of sparse tensors, whose elements are the operands, and of losses over alignments."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tests.cases.base import OpCase, arrays

PLACES = np.asarray([[0, 1], [0, 3], [2, 0], [3, 2]])
SHAPE = (4, 5)
CLASSES = tl.sparse.SparseTensor([[0, 0]], [0], (1, 1))


def sparse(values: Any) -> tl.sparse.SparseTensor:
    return tl.sparse.SparseTensor(PLACES, values, SHAPE)


def dense(values: Any) -> Any:
    out = np.zeros(SHAPE, values.dtype)
    out[tuple(PLACES.T)] = values
    return out


def softmax(values: Any) -> Any:
    powers = np.exp(values)
    return powers / dense(powers).sum(1)[PLACES[:, 0]]


def embedded(table: Any, weights: Any) -> Any:
    wide = dense(weights)
    wide[np.abs(wide).sum(1) == 0] = 1e30
    ids = [1, 0, 2, 1]
    rows = np.zeros((4, table.shape[1]))
    for (row, _), number, weight in zip(PLACES, ids, weights, strict=True):
        rows[row] += table[number] * weight
    return rows / wide.sum(1, keepdims=True)


CASES = (
    OpCase(
        "sparse_to_dense",
        lambda v: tl.sparse.to_dense(sparse(v)),
        dense,
        arrays((4,)),
        needs_rank=True,
    ),
    OpCase(
        "sparse_dense_matmul",
        lambda v, b: tl.sparse.sparse_dense_matmul(sparse(v), b),
        lambda v, b: dense(v) @ b,
        arrays((4,), (5, 2)),
        needs_rank=True,
    ),
    OpCase(
        "sparse_softmax",
        lambda v: tl.sparse.softmax(sparse(v)).values,
        softmax,
        arrays((4,)),
        needs_rank=True,
    ),
    OpCase(
        "sparse_reduce_sum",
        lambda v: tl.sparse.reduce_sum(sparse(v), 0),
        lambda v: dense(v).sum(0),
        arrays((4,)),
        needs_rank=True,
    ),
    OpCase(
        "sparse_add",
        lambda v, w: tl.sparse.to_dense(
            tl.sparse.add(sparse(v), tl.sparse.transpose(sparse(w), (0, 1)))
        ),
        lambda v, w: dense(v) + dense(w),
        arrays((4,), (4,)),
        needs_rank=True,
        data_dependent=True,
    ),
    OpCase(
        "embedding_lookup_sparse",
        lambda table, w: tl.nn.embedding_lookup_sparse(
            table, sparse([1, 0, 2, 1]), sparse(w)
        ),
        embedded,
        arrays((3, 2), (4,), low=0.5),
        needs_rank=True,
        data_dependent=True,
    ),
    OpCase(
        "sparse_segment_mean",
        lambda x: tl.math.sparse_segment_mean(x, [0, 2, 1], [0, 0, 1], 2),
        lambda x: np.stack([(x[0] + x[2]) / 2, x[1]]),
        arrays((3, 2)),
        needs_rank=True,
    ),
    OpCase(
        "ctc_loss",
        lambda x: tl.nn.ctc_loss(CLASSES, x, [1]),
        lambda x: np.log(np.exp(x).sum(2))[0] - x[0, :, 0],
        arrays((1, 1, 3)),
        needs_rank=True,
        # To first order only: test_ctc.py.
        differentiable=False,
    ),
    OpCase(
        "dense_ctc_loss",
        lambda x: tl.nn.dense_ctc_loss([[1]], x, [1], [1]),
        lambda x: np.log(np.exp(x).sum(2))[0] - x[0, :, 1],
        arrays((1, 1, 3)),
        needs_rank=True,
        # To first order only, and found by its labels: test_ctc.py.
        differentiable=False,
        data_dependent=True,
    ),
)
