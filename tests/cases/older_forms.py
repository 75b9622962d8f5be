"""Cases of operators of TensorFlow 1's graphs that are made of newer ones, and of searches."""

from __future__ import annotations

import numpy as np

import tensorlite as tl
from tensorlite.core.dispatch import calls
from tensorlite.ops.math.counting import UniqueWithCounts, UnravelIndex
from tensorlite.ops.nn.candidates import AllCandidateSampler
from tensorlite.ops.nn.pool_argmax import MaxPoolGradWithArgmax
from tensorlite.ops.older_forms import (
    AccumulateNV2,
    GuaranteeConst,
    ParallelConcat,
    SparseMatMul,
)
from tensorlite.ops.sparse import forms
from tests.cases.base import INTS, OpCase, arrays
from tests.cases.composites import one

ROWS, IDS, COUNT = np.array([0, 3, 1]), np.array([0, 0, 2]), np.int32(4)

PUT_BACK = MaxPoolGradWithArgmax((1, 2, 2, 1), (1, 2, 2, 1))
GREATEST = np.array([0, 3]).reshape(2, 1, 1, 1)
FIRST, LAST = [np.arange(4).reshape(2, 2, 1) == i for i in (0, 3)]


def picked(x: np.ndarray, shares: tuple[float, float]) -> np.ndarray:
    """Rows 0 and 3 of segment 0 and row 1 of segment 2, over shares; the others are empty."""
    none = np.zeros_like(x[0])
    return np.stack([(x[0] + x[3]) / shares[0], none, x[1] / shares[1], none])


CASES = (
    OpCase(
        "AccumulateNV2",
        one(AccumulateNV2((2, 3))),
        lambda x, y, z: x + y + z,
        arrays((2, 3), (2, 3), (2, 3)),
    ),
    OpCase("GuaranteeConst", one(GuaranteeConst()), lambda x: x, arrays((2, 3))),
    OpCase(
        "ParallelConcat",
        one(ParallelConcat((2, 3))),
        lambda x, y: np.concatenate([x, y]),
        arrays((1, 3), (1, 3)),
    ),
    OpCase(
        "SparseMatMul",
        one(SparseMatMul(transpose_a=True, b_is_sparse=True)),
        lambda x, y: x.T @ y,
        arrays((3, 2), (3, 4)),
        dtypes=(tl.float32,),
        differentiable=False,
        needs_rank=True,
    ),
    OpCase(
        "UniqueWithCounts",
        lambda x: calls(UniqueWithCounts(), x)[2],
        lambda x: np.array([2, 1], np.int32) if x[0] == x[1] else np.ones(0),
        lambda dtype: arrays((1,))(dtype).map(
            lambda drawn: (np.array([*drawn[0], *drawn[0], 9], drawn[0].dtype),)
        ),
        dtypes=INTS,
        data_dependent=True,
    ),
    OpCase(
        "AllCandidateSampler",
        lambda x: calls(AllCandidateSampler(2, 3), x)[1],
        lambda x: np.ones(x.shape, np.float32),
        arrays((3, 2)),
        dtypes=(tl.int64,),
    ),
    OpCase(
        "UnravelIndex",
        lambda x: calls(UnravelIndex(), x, np.array([3, 4], x.dtype.numpy))[0],
        lambda x: np.stack(np.unravel_index(x, (3, 4))).astype(x.dtype),
        arrays((2, 2), low=0, high=11),
        dtypes=INTS,
        needs_rank=True,
    ),
    OpCase(
        "MaxPoolGradWithArgmax",
        lambda x, dy: one(PUT_BACK)(x, dy, GREATEST),
        lambda x, dy: np.stack([np.where(FIRST, dy[0], 0), np.where(LAST, dy[1], 0)]),
        arrays((2, 2, 2, 1), (2, 1, 1, 1)),
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentSumWithNumSegments",
        lambda x: one(forms.SparseSegmentSumWithNumSegments())(x, ROWS, IDS, COUNT),
        lambda x: picked(x, (1, 1)),
        arrays((5, 2)),
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentMeanWithNumSegments",
        lambda x: one(forms.SparseSegmentMeanWithNumSegments())(x, ROWS, IDS, COUNT),
        lambda x: picked(x, (2, 1)),
        arrays((5, 2)),
        needs_rank=True,
    ),
    OpCase(
        "SparseSegmentSqrtNWithNumSegments",
        lambda x: one(forms.SparseSegmentSqrtNWithNumSegments())(x, ROWS, IDS, COUNT),
        lambda x: picked(x, (np.sqrt(2), 1)),
        arrays((5, 2)),
        needs_rank=True,
    ),
)
