"""Every operator on a GPU: its value and its gradient are the CPU's, and lie on the GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import Interpreter, Tensors, run
from tensorlite.core.op import Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.core.xp import CPU
from tests.cases import CASES
from tests.cases.base import OpCase
from tests.checks import dense, eager, host, outputs_of, pullback
from tests.ops.test_contract import one_draw

COPIES = {"Copy"}
"""Operators that leave a device because they are asked to."""
APART = {"AllCandidateSampler"}
"""Operators whose results come of no element that they are given, and lie where programs stand."""
STRUCTURAL = {
    "SparseReduceMaxSparse",
    "SparseReduceSumSparse",
    "TensorListConcatV2",
    "TensorListLength",
}
"""Operators that give sizes, which are structure and stay in host memory."""
ENDS = {"LinSpace", "Range"}
"""Operators whose structure the cases compute on the GPU, from where it must come back."""


class Watching(Interpreter):
    """Notes operators that left a GPU, or took structure there."""

    def __init__(self, device: tl.DeviceName) -> None:
        self.device = device
        self.strayed: list[str] = []

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        outputs = run(self.below, op, inputs)
        data = [x for i, x in enumerate(inputs) if i not in op.host]
        if op.name not in COPIES | APART and any(
            x.device == self.device for x in data
        ):
            self.strayed.extend(
                f"{op} gave {y!r}" for y in outputs if self.strays(op, y)
            )
        if op.name not in ENDS:
            asked = [inputs[i] for i in op.host if i < len(inputs)]
            away = [x for x in asked if x.device != CPU]
            self.strayed.extend(f"{op} took {x!r}" for x in away)
        return outputs

    def strays(self, op: Op, y: Tensor) -> bool:
        sizes = op.name in STRUCTURAL and y.dtype.is_integer
        return (
            y.device != self.device and not sizes and not isinstance(y.array, Opaque)
        )


def there(x: np.ndarray[Any, Any], gpu: str) -> Tensor:
    return eager(x).to_device(gpu)


def both(case: OpCase, dtype: tl.DType, xs: Sequence[Tensor]) -> list[list[Any]]:
    """Return values and, where there are any, gradients."""
    ys = outputs_of(case.fn(*xs))
    if not (case.differentiable and dtype.is_differentiable):
        return [ys, []]
    flows = [tl.ones_like(y) * 0.5 if y.dtype.is_differentiable else None for y in ys]
    found = pullback(case.fn, xs, flows) if any(f is not None for f in flows) else []
    return [ys, [dense(g) for g in found if g is not None]]


def agree(found: Any, wanted: Any, case: OpCase) -> None:
    a, b = host(found), host(wanted)
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    if a.dtype == object:
        np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_allclose(a.astype("D"), b.astype("D"), case.rtol, case.atol)


PAIRS = [pytest.param(c, d, id=f"{c.name}-{d.name}") for c in CASES for d in c.dtypes]


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
def test_values_and_gradients_are_the_cpus(
    case: OpCase, dtype: tl.DType, gpu: str
) -> None:
    operands = one_draw(case, dtype)
    wanted = both(case, dtype, [eager(x) for x in operands])
    with Watching(tl.DeviceName.parse(gpu)) as watching:
        found = both(case, dtype, [there(x, gpu) for x in operands])
    assert watching.strayed == []
    for some, others in zip(found, wanted, strict=True):
        assert len(some) == len(others)
        for a, b in zip(some, others, strict=True):
            assert not isinstance(a, IndexedSlices)
            agree(a, b, case)
