"""Cases of functions of sparse tensors that TensorFlow has as one operator, called as one node."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.dispatch import calls
from tensorlite.ops.ragged.operators import RaggedGather, RaggedTensorToSparse
from tensorlite.ops.sparse import flows, forms
from tests.cases.base import OpCase, arrays
from tests.cases.composites import one

PLACES = np.array([[0, 0], [1, 2], [3, 1]], np.int64)
UNSORTED = PLACES[::-1].copy()
SIZES = np.array([4, 3], np.int64)
VALUES = arrays((3,), low=0.5)
WITH_DENSE = arrays((3,), (4, 3), low=0.5)
ROWS, IDS = np.array([0, 3, 1], np.int64), np.array([0, 0, 1], np.int64)
BOUNDS = np.array([0, 2, 2, 5])
STEP = np.array([2, 1], np.int64)
WIDER = np.array([[2, 1], [2, 2], [3, 3], [5, 2]], np.int64)
ADD, CONCAT, SPLIT = forms.SparseAdd(), forms.SparseConcat(1), forms.SparseSplit(2)
FILL, SLICE = forms.SparseFillEmptyRows(), forms.SparseSlice()


def dense(x: Any) -> Any:
    found = np.zeros((4, 3), x.dtype)
    found[tuple(PLACES.T)] = x
    return found


def there(x: Any) -> Any:
    return x[tuple(PLACES.T)]


def shares(x: Any) -> Any:
    """Each row has one element only but for the first two of these places."""
    powers = np.exp(x)
    return powers / np.array(
        [powers[0] + powers[1], powers[0] + powers[1], powers[2]]
    )


def filled(x: Any) -> Any:
    """What of a reduction along the rows comes of elements."""
    return x[sorted({row for row, _ in PLACES.tolist()})]


def picked(x: Any) -> Any:
    return np.stack([x[0] + x[3], x[1]])


def flowing(dy: Any, shared: float) -> Any:
    found = np.zeros((5, 2), dy.dtype)
    found[0] = found[3] = dy[0] / shared
    found[1] = dy[1]
    return found


CASES = (
    OpCase(
        "SparseReorder",
        lambda x: calls(forms.SparseReorder(), UNSORTED, x, SIZES)[1],
        lambda x: x[::-1],
        VALUES,
        needs_rank=True,
    ),
    OpCase(
        "SparseAdd",
        lambda x, y: calls(ADD, PLACES, x, SIZES, UNSORTED, y, SIZES, 0.0)[1],
        lambda x, y: x + y[::-1],
        arrays((3,), (3,), low=0.5),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseConcat",
        lambda x, y: calls(CONCAT, PLACES, PLACES, x, y, SIZES, SIZES)[1],
        lambda x, y: np.stack([x, y], 1).reshape(-1),
        arrays((3,), (3,)),
        needs_rank=True,
    ),
    OpCase(
        "SparseSplit",
        lambda x: calls(SPLIT, 0, PLACES, x, SIZES)[2],
        lambda x: x[:2],
        VALUES,
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSlice",
        lambda x: calls(SLICE, PLACES, x, SIZES, [0, 1], [2, 2])[1],
        lambda x: x[1:2],
        VALUES,
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSoftmax",
        lambda x: one(forms.SparseSoftmax())([[0, 0], [0, 2], [3, 1]], x, SIZES),
        shares,
        VALUES,
        needs_rank=True,
    ),
    OpCase(
        "SparseReduceSum",
        lambda x: one(forms.SparseReduceSum(True))(PLACES, x, SIZES, [0]),
        lambda x: dense(x).sum(0, keepdims=True),
        VALUES,
        needs_rank=True,
    ),
    OpCase(
        "SparseReduceMax",
        lambda x: one(forms.SparseReduceMax())(PLACES, x, SIZES, [1]),
        lambda x: dense(x).max(1),
        VALUES,
        needs_rank=True,
    ),
    OpCase(
        "SparseReduceSumSparse",
        lambda x: calls(forms.SparseReduceSumSparse(), PLACES, x, SIZES, [1])[1],
        lambda x: filled(dense(x).sum(1)),
        VALUES,
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseReduceMaxSparse",
        lambda x: calls(forms.SparseReduceMaxSparse(), PLACES, x, SIZES, [1])[1],
        lambda x: filled(dense(x).max(1)),
        VALUES,
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseFillEmptyRows",
        lambda x, y: calls(FILL, PLACES, x, SIZES, y)[1],
        lambda x, y: np.array([x[0], x[1], y, x[2]], x.dtype),
        arrays((3,), ()),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSparseMaximum",
        lambda x, y: calls(
            forms.SparseSparseMaximum(), PLACES, x, SIZES, UNSORTED, y, SIZES
        )[1],
        lambda x, y: np.maximum(x, y[::-1]),
        arrays((3,), (3,), low=0.5),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSparseMinimum",
        lambda x, y: calls(
            forms.SparseSparseMinimum(), PLACES, x, SIZES, UNSORTED, y, SIZES
        )[1],
        lambda x, y: np.minimum(x, y[::-1]),
        arrays((3,), (3,), low=0.5),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseTensorDenseMatMul",
        lambda x, y: one(forms.SparseTensorDenseMatMul(adjoint_a=True))(
            PLACES, x, SIZES, y
        ),
        lambda x, y: dense(x).T @ y,
        WITH_DENSE,
        needs_rank=True,
    ),
    OpCase(
        "SparseTensorDenseAdd",
        lambda x, y: one(forms.SparseTensorDenseAdd())(PLACES, x, SIZES, y),
        lambda x, y: dense(x) + y,
        WITH_DENSE,
        needs_rank=True,
    ),
    OpCase(
        "SparseDenseCwiseAdd",
        lambda x, y: one(forms.SparseDenseCwiseAdd())(PLACES, x, SIZES, y),
        lambda x, y: x + there(y),
        WITH_DENSE,
        needs_rank=True,
    ),
    OpCase(
        "SparseDenseCwiseMul",
        lambda x, y: one(forms.SparseDenseCwiseMul())(PLACES, x, SIZES, y),
        lambda x, y: x * there(y),
        WITH_DENSE,
        needs_rank=True,
    ),
    OpCase(
        "SparseDenseCwiseDiv",
        lambda x, y: one(forms.SparseDenseCwiseDiv())(PLACES, x, SIZES, y),
        lambda x, y: x / there(y),
        WITH_DENSE,
        needs_rank=True,
    ),
    OpCase(
        "SparseAddGrad",
        lambda dy: one(flows.SparseAddGrad())(dy, PLACES[:2], PLACES[1:], PLACES)[0],
        lambda dy: dy[:2],
        VALUES,
        needs_rank=True,
    ),
    OpCase(
        "SparseSliceGrad",
        lambda dy: one(flows.SparseSliceGrad())(dy, WIDER, STEP, PLACES),
        lambda dy: np.array([dy[0], 0, dy[1], dy[2]], dy.dtype),
        VALUES,
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentSum",
        lambda x: one(forms.SparseSegmentSum())(x, ROWS, IDS),
        picked,
        arrays((5, 2)),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentMean",
        lambda x: one(forms.SparseSegmentMean())(x, ROWS, IDS),
        lambda x: picked(x) / np.array([[2], [1]], x.dtype),
        arrays((5, 2)),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentSqrtN",
        lambda x: one(forms.SparseSegmentSqrtN())(x, ROWS, IDS),
        lambda x: picked(x) / np.sqrt(np.array([[2], [1]], x.dtype)),
        arrays((5, 2)),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentMeanGrad",
        lambda dy: one(forms.SparseSegmentMeanGrad())(dy, ROWS, IDS, np.int32(5)),
        lambda dy: flowing(dy, 2),
        arrays((2, 2)),
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentSqrtNGrad",
        lambda dy: one(forms.SparseSegmentSqrtNGrad())(dy, ROWS, IDS, np.int32(5)),
        lambda dy: flowing(dy, 2**0.5),
        arrays((2, 2)),
        needs_rank=True,
    ),
    OpCase(
        "RaggedGather",
        lambda x: calls(RaggedGather(1), BOUNDS, x, np.array([2, 0, 2]))[1],
        lambda x: x[[2, 3, 4, 0, 1, 2, 3, 4]],
        arrays((5, 2)),
        data_dependent=True,
        needs_rank=True,
    ),
    OpCase(
        "RaggedTensorToSparse",
        lambda x: calls(RaggedTensorToSparse(), BOUNDS, x)[1],
        np.ravel,
        arrays((5, 2)),
        needs_rank=True,
    ),
)
