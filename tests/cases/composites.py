"""Cases of operators that TensorFlow has as one, each called as one node."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.dispatch import calls
from tensorlite.ops.arrays.repeat import Pad
from tensorlite.ops.arrays.selecting import Select
from tensorlite.ops.composite import Composite
from tensorlite.ops.images.colours import (
    AdjustContrastv2,
    AdjustHue,
    AdjustSaturation,
    HSVToRGB,
    RGBToHSV,
)
from tensorlite.ops.images.framing import CropAndResize
from tensorlite.ops.linear.diagonal import (
    Diag,
    DiagPart,
    MatrixDiag,
    MatrixDiagPart,
    MatrixSetDiag,
)
from tensorlite.ops.linear.matmul import Cross
from tensorlite.ops.math.differences import SquaredDifference
from tensorlite.ops.math.flows import (
    InvGrad,
    PreventGradient,
    ReciprocalGrad,
    RsqrtGrad,
    SoftplusGrad,
    SoftsignGrad,
    SqrtGrad,
    TanhGrad,
)
from tensorlite.ops.math.gamma import Igammac
from tensorlite.ops.math.quotients import DivNoNan, MulNoNan, Xdivy, Xlog1py, Xlogy
from tensorlite.ops.math.rounding import Complex, TruncateDiv, TruncateMod
from tensorlite.ops.math.trigonometric import Angle
from tensorlite.ops.nn.batch_norm import FusedBatchNormGradV3, FusedBatchNormV3
from tensorlite.ops.nn.candidates import ComputeAccidentalHits
from tensorlite.ops.nn.cells import GRUBlockCell, LSTMBlockCell
from tensorlite.ops.nn.channels import BiasAdd, BiasAddGrad
from tensorlite.ops.nn.conv_forms import LRN, LRNGrad
from tensorlite.ops.nn.fake_quantised import (
    FakeQuantWithMinMaxArgsGradient,
    FakeQuantWithMinMaxVarsGradient,
    FakeQuantWithMinMaxVarsPerChannelGradient,
)
from tensorlite.ops.nn.normalise import EuclideanNorm
from tensorlite.ops.nn.patches import ExtractImagePatches
from tensorlite.ops.older_forms import Add, Round
from tests.cases.activations import sigmoid
from tests.cases.base import OpCase, arrays, broadcastable
from tests.cases.images import BOXES, cropped


def two_by_two(x: Any) -> Any:
    """Patches of two rows and columns, at every row and every other column."""
    rows = [
        [x[:, i : i + 2, j : j + 2].reshape(len(x), -1) for j in (0, 2)]
        for i in range(x.shape[1] - 1)
    ]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


OUTSIDE = np.array([[-9.0, 0, 9], [-8, 1, 8]])
INSIDE = np.array([0, 1, 0], np.int8)
ENDS = np.float64(-1), np.float64(2)


def weighed(op: Composite, *inputs: Any) -> Any:
    """Return the sum of an operator's three outputs, of which each counts once more."""
    first, second, third = calls(op, *inputs)
    return first + 2.0 * second + 3.0 * third


def one(op: Composite) -> Callable[..., Any]:
    """Return a function that calls an operator itself rather than its parts."""

    def called(*inputs: Any) -> Any:
        outputs = calls(op, *inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return called


def normalized(
    x: Any, scale: Any, offset: Any, mean: Any = None, spread: Any = None
) -> Any:
    mean = x.mean((0, 1, 2)) if mean is None else mean
    spread = x.var((0, 1, 2)) if spread is None else spread
    return (x - mean) / np.sqrt(spread + 1e-2) * scale + offset


def flows(dy: Any, x: Any, scale: Any) -> Any:
    """The gradients of normalised images, as the definition of the derivative has them."""
    root = 1 / np.sqrt(x.var((0, 1, 2)) + 1e-2)
    normal = (x - x.mean((0, 1, 2))) * root
    away = dy - dy.mean((0, 1, 2)) - normal * (dy * normal).mean((0, 1, 2))
    return away * scale * root, (dy * normal).sum((0, 1, 2)), dy.sum((0, 1, 2))


def by_pixel(function: Callable[..., Any], x: Any) -> Any:
    found = [function(*map(float, pixel)) for pixel in x.reshape(-1, 3)]
    return np.array(found).reshape(x.shape).astype(x.dtype)


def lstm_step(
    x: Any, kept: Any, h: Any, w: Any, wi: Any, wf: Any, wo: Any, b: Any
) -> Any:
    i, new, f, o = np.split(np.concatenate([x, h], 1) @ w + b, 4, 1)
    i, f, new = sigmoid(i + kept * wi), sigmoid(f + 0.5 + kept * wf), np.tanh(new)
    kept = np.clip(i * new + f * kept, -1.2, 1.2)
    o = sigmoid(o + kept * wo)
    return i, kept, f, o, new, np.tanh(kept), o * np.tanh(kept)


def gru_step(x: Any, h: Any, w: Any, w_new: Any, b: Any, b_new: Any) -> Any:
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ w + b), 2, 1)
    new = np.tanh(np.concatenate([x, h * r], 1) @ w_new + b_new)
    return r, u, new, u * h + (1 - u) * new


def around(x: Any) -> Any:
    wide = np.pad(x, [(0, 0), (1, 1)])
    return wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]


def response(x: Any) -> Any:
    return x * (2 + 0.5 * around(x * x)) ** -0.75


def response_flow(dy: Any, x: Any) -> Any:
    divisor = 2 + 0.5 * around(x * x)
    nearby = around(dy * x * divisor**-1.75)
    return dy * divisor**-0.75 - 0.75 * x * nearby


NORM = FusedBatchNormV3(1e-2)
RESPONSE = LRN(1, 2.0, 0.5, 0.75)
ROWS = np.array([True, False])
PAIR = arrays((2, 3), (2, 3), low=0.5)
AROUND = np.array([[1, 0], [0, 2]], np.int32)


CASES = (
    OpCase(
        "ComputeAccidentalHits",
        lambda x: one(ComputeAccidentalHits(1))([[3], [5]], [5, 7])[0] + 0 * x,
        lambda x: np.ones(1) + 0 * x,
        arrays((1,)),
        data_dependent=True,
    ),
    OpCase(
        "EuclideanNorm",
        lambda x: one(EuclideanNorm(keep_dims=True))(x, [-1]),
        lambda x: np.sqrt((x * x).sum(-1, keepdims=True)),
        arrays((2, 3), low=0.5),
    ),
    OpCase("Add", one(Add()), np.add, broadcastable()),
    OpCase("Round", one(Round()), np.round, arrays((2, 3))),
    OpCase(
        "Igammac",
        lambda x: one(Igammac())(1.0, x),
        lambda x: np.exp(-x),
        arrays((2, 3), low=0.5),
    ),
    OpCase("TanhGrad", one(TanhGrad()), lambda y, dy: dy * (1 - y * y), PAIR),
    OpCase("SqrtGrad", one(SqrtGrad()), lambda y, dy: dy / (2 * y), PAIR, rtol=1e-4),
    OpCase("RsqrtGrad", one(RsqrtGrad()), lambda y, dy: -dy * y**3 / 2, PAIR),
    OpCase("ReciprocalGrad", one(ReciprocalGrad()), lambda y, dy: -dy * y * y, PAIR),
    OpCase("InvGrad", one(InvGrad()), lambda y, dy: -dy * y * y, PAIR),
    OpCase(
        "SoftsignGrad",
        one(SoftsignGrad()),
        lambda dy, x: dy / (1 + np.abs(x)) ** 2,
        PAIR,
    ),
    OpCase("SoftplusGrad", one(SoftplusGrad()), lambda dy, x: dy * sigmoid(x), PAIR),
    OpCase("PreventGradient", one(PreventGradient("")), lambda x: x, arrays((2, 3))),
    OpCase(
        "BiasAdd",
        one(BiasAdd()),
        lambda x, b: x + b,
        arrays((2, 2, 3), (3,)),
    ),
    OpCase(
        "BiasAdd_first",
        one(BiasAdd("NCHW")),
        lambda x, b: x + b[:, None, None],
        arrays((2, 3, 2, 2), (3,)),
        needs_rank=True,
    ),
    OpCase(
        "BiasAddGrad",
        one(BiasAddGrad()),
        lambda x: x.sum((0, 1)),
        arrays((2, 2, 3)),
    ),
    OpCase(
        "BiasAddGrad_first",
        one(BiasAddGrad("NCHW")),
        lambda x: x.sum((0, 2, 3)),
        arrays((2, 3, 2, 2)),
        needs_rank=True,
    ),
    OpCase(
        "FusedBatchNormV3",
        lambda x, a, b: calls(NORM, x, a, b, tl.zeros_like(a), tl.zeros_like(a))[0],
        normalized,
        arrays((2, 3, 2, 2), (2,), (2,)),
        rtol=1e-4,
        atol=1e-5,
        needs_rank=True,
    ),
    OpCase(
        "FusedBatchNormV3_not_training",
        lambda x, a, b, m, v: calls(
            FusedBatchNormV3(1e-2, is_training=False), x, a, b, m, tl.square(v) + 1
        )[0],
        lambda x, a, b, m, v: normalized(x, a, b, m, v * v + 1),
        lambda dtype: arrays((2, 1, 2, 2), (2,), (2,))(dtype).map(
            lambda xs: (*xs, xs[1] * 0 + 0.5, xs[1] * 0 + 2)
        ),
        differentiable=False,
        needs_rank=True,
    ),
    OpCase(
        "FusedBatchNormGradV3",
        lambda dy, x, a: calls(
            FusedBatchNormGradV3(1e-2),
            dy,
            x,
            a,
            tl.mean(x, axis=(0, 1, 2)),
            tl.var(x, axis=(0, 1, 2)),
            a,
        )[:3],
        flows,
        arrays((2, 3, 2, 2), (2, 3, 2, 2), (2,)),
        rtol=1e-4,
        atol=1e-4,
        needs_rank=True,
        differentiable=False,
    ),
    OpCase(
        "LRN", one(RESPONSE), response, arrays((2, 4)), rtol=1e-4, needs_rank=True
    ),
    OpCase(
        "LRNGrad",
        lambda dy, x: calls(LRNGrad(1, 2.0, 0.5, 0.75), dy, x, calls(RESPONSE, x)[0])[
            0
        ],
        response_flow,
        arrays((2, 4), (2, 4)),
        needs_rank=True,
        rtol=1e-4,
        atol=1e-5,
    ),
    OpCase(
        "SquaredDifference",
        one(SquaredDifference()),
        lambda x, y: (x - y) ** 2,
        broadcastable(),
    ),
    OpCase(
        "SquaredDifference_complex",
        one(SquaredDifference()),
        lambda x, y: (x - y) * np.conj(x - y),
        arrays((2, 3), (3,)),
        dtypes=(tl.complex128,),
    ),
    OpCase("DivNoNan", one(DivNoNan()), lambda x, y: x / y, broadcastable(low=0.5)),
    OpCase("MulNoNan", one(MulNoNan()), lambda x, y: x * y, broadcastable(low=0.5)),
    OpCase("Xdivy", one(Xdivy()), lambda x, y: x / y, broadcastable(low=0.5)),
    OpCase("Xlogy", one(Xlogy()), lambda x, y: x * np.log(y), broadcastable(low=0.5)),
    OpCase(
        "Xlog1py",
        one(Xlog1py()),
        lambda x, y: x * np.log1p(y),
        broadcastable(low=0.5),
    ),
    OpCase(
        "Pad",
        lambda x: calls(Pad(), x, AROUND)[0],
        lambda x: np.pad(x, AROUND),
        arrays((2, 3)),
        needs_rank=True,
    ),
    OpCase(
        "Complex", one(Complex()), lambda x, y: x + 1j * y, arrays((2, 3), (2, 3))
    ),
    OpCase(
        "Select",
        lambda x, y: calls(Select(), ROWS, x, y)[0],
        lambda x, y: np.where(ROWS[:, None], x, y),
        arrays((2, 3), (2, 3)),
    ),
    OpCase("Cross", one(Cross()), np.cross, arrays((2, 3), (2, 3)), needs_rank=True),
    OpCase(
        "Diag",
        one(Diag()),
        lambda x: np.diag(x.reshape(-1)).reshape(2, 3, 2, 3),
        arrays((2, 3)),
    ),
    OpCase(
        "DiagPart",
        one(DiagPart()),
        lambda x: np.diag(x.reshape(6, 6)).reshape(2, 3),
        arrays((2, 3, 2, 3)),
        needs_rank=True,
    ),
    OpCase(
        "MatrixDiag",
        one(MatrixDiag()),
        lambda x: x[:, None] * np.eye(3, dtype=x.dtype),
        arrays((2, 3)),
    ),
    OpCase(
        "MatrixDiagPart",
        one(MatrixDiagPart()),
        lambda x: np.diagonal(x, axis1=-2, axis2=-1),
        arrays((2, 3, 4)),
    ),
    OpCase(
        "MatrixSetDiag",
        one(MatrixSetDiag()),
        lambda x, y: np.where(np.eye(3, dtype=bool), y[:, None], x),
        arrays((2, 3, 3), (2, 3)),
    ),
    OpCase(
        "Angle",
        one(Angle()),
        np.angle,
        arrays((2, 3), low=0.5),
        dtypes=(tl.complex128,),
        differentiable=False,
    ),
    OpCase(
        "TruncateDiv",
        one(TruncateDiv()),
        lambda x, y: np.trunc(x / y),
        arrays((2, 3), (3,), low=1.1, high=3.0),
        differentiable=False,
    ),
    OpCase(
        "TruncateDiv_whole",
        lambda x: calls(TruncateDiv(), x, 2)[0],
        lambda x: np.trunc(x / 2).astype(x.dtype),
        arrays((2, 3), low=-9, high=9),
        dtypes=(tl.int32, tl.int64),
    ),
    OpCase(
        "TruncateMod",
        lambda x: calls(TruncateMod(), x, 2)[0],
        lambda x: np.fmod(x, 2),
        arrays((2, 3), low=-9, high=9),
        dtypes=(tl.int32, tl.float32),
        differentiable=False,
    ),
    OpCase(
        "FakeQuantWithMinMaxArgsGradient",
        lambda dy: one(FakeQuantWithMinMaxArgsGradient(-1.0, 2.0, 2))(dy, OUTSIDE),
        lambda dy: dy * INSIDE,
        arrays((2, 3)),
    ),
    OpCase(
        "FakeQuantWithMinMaxVarsGradient",
        lambda dy: weighed(FakeQuantWithMinMaxVarsGradient(2), dy, OUTSIDE, *ENDS),
        lambda dy: dy * INSIDE + 2 * dy[:, 0].sum() + 3 * dy[:, 2].sum(),
        arrays((2, 3)),
    ),
    OpCase(
        "FakeQuantWithMinMaxVarsPerChannelGradient",
        lambda dy: weighed(
            FakeQuantWithMinMaxVarsPerChannelGradient(2),
            dy,
            OUTSIDE,
            *[np.repeat(end, 3) for end in ENDS],
        ),
        lambda dy: dy * INSIDE + dy.sum(0) * np.array([2, 0, 3], dy.dtype),
        arrays((2, 3)),
        needs_rank=True,
    ),
    OpCase(
        "AdjustContrastv2",
        lambda x: one(AdjustContrastv2())(x, 0.5),
        lambda x: (x + x.mean((-3, -2), keepdims=True)) / 2,
        arrays((2, 3, 3)),
        needs_rank=True,
    ),
    OpCase(
        "AdjustHue",
        lambda x: one(AdjustHue())(x, 1 / 3),
        lambda x: np.roll(x, 1, -1),
        arrays((2, 3), low=0.1, high=0.9),
        needs_sizes=True,
        needs_rank=True,
        rtol=1e-4,
        differentiable=False,
    ),
    OpCase(
        "AdjustSaturation",
        lambda x: one(AdjustSaturation())(x, 0.5),
        lambda x: (x + x.max(-1, keepdims=True)) / 2,
        arrays((2, 3), low=0.1, high=0.9),
        needs_sizes=True,
        needs_rank=True,
        rtol=1e-4,
        differentiable=False,
    ),
    OpCase(
        "RGBToHSV",
        one(RGBToHSV()),
        lambda x: by_pixel(colorsys.rgb_to_hsv, x),
        arrays((2, 3), low=0.1, high=0.9),
        needs_sizes=True,
        needs_rank=True,
        differentiable=False,
    ),
    OpCase(
        "HSVToRGB",
        one(HSVToRGB()),
        lambda x: by_pixel(colorsys.hsv_to_rgb, x),
        arrays((2, 3), low=0.1, high=0.9),
        needs_sizes=True,
        needs_rank=True,
        rtol=1e-4,
        differentiable=False,
    ),
    OpCase(
        "LSTMBlockCell",
        one(LSTMBlockCell(0.5, 1.2, True)),
        lstm_step,
        arrays((2, 3), (2, 2), (2, 2), (5, 8), (2,), (2,), (2,), (8,), low=-0.9),
        rtol=1e-4,
        needs_rank=True,
        needs_sizes=True,
        differentiable=False,
    ),
    OpCase(
        "CropAndResize",
        lambda x: one(CropAndResize("bilinear", -1.0))(
            x, tl.asarray(BOXES, dtype=x.dtype), [0, 0], tl.asarray([3, 2])
        ),
        cropped,
        arrays((1, 4, 5, 2)),
        needs_rank=True,
    ),
    OpCase(
        "ExtractImagePatches",
        one(ExtractImagePatches((1, 2, 2, 1), (1, 1, 2, 1), (1, 1, 1, 1), "VALID")),
        two_by_two,
        arrays((1, 3, 4, 2)),
        needs_rank=True,
    ),
    OpCase(
        "GRUBlockCell",
        one(GRUBlockCell()),
        gru_step,
        arrays((2, 3), (2, 2), (5, 4), (5, 2), (4,), (2,)),
        rtol=1e-4,
        needs_rank=True,
        needs_sizes=True,
    ),
)
