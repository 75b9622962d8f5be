"""What inference refuses is refused at once, too, whatever the operator was given before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tensorlite.core.admission import MOST
from tensorlite.core.dispatch import call2, execute
from tensorlite.core.errors import ShapeError, TensorliteError
from tensorlite.core.op import REGISTRY, Op
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.ops.linear.matmul import MatMul
from tests.cases import CASES
from tests.cases.base import OpCase
from tests.checks import Recorder, eager
from tests.ops.test_contract import ONE

Inputs = tuple[Tensor, ...]


def _other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [-1, 0, -100, 100]
    if isinstance(value, str):
        return ["no such thing"]
    if isinstance(value, tl.DType):
        return [tl.bool, tl.complex64]
    return [(), (*value, 1), value[:-1]] if isinstance(value, tuple) else []


def _other_arrays(x: np.ndarray[Any, Any], is_structure: bool) -> list[Any]:
    found = [x[None]]
    if x.ndim and x.shape[0]:
        found += [np.asarray(x[0]), np.concatenate([x, x[:1]]), x[:-1]]
    if is_structure and x.dtype.kind == "i":
        found += [x - 100, x + 100]
    return found


def _altered(op: Op, inputs: Inputs) -> Iterator[tuple[Op, Inputs]]:
    """Yield the call with other attributes, and with operands of other ranks, sizes and values."""
    for name, value in op.attributes().items():
        for other in _other_values(value):
            changed: Any = replace(op, **{name: other})
            yield changed, inputs
    for i, x in enumerate(inputs):
        array = x.array
        if type(array) is np.ndarray and array.dtype != object:
            for other in _other_arrays(array, i in op.host):
                yield op, (*inputs[:i], EagerTensor(other), *inputs[i + 1 :])


def _refused(op: Op, inputs: Inputs) -> bool:
    try:
        op.infer(*[x.spec for x in inputs])
    except TensorliteError:
        return True
    except Exception:  # noqa: BLE001  what was altered is no attribute of this operator at all
        return False
    return False


@pytest.mark.parametrize("case", CASES, ids=repr)
@ONE
@given(data=st.data())
def test_what_inference_refuses_is_refused_after_calls_that_passed(
    case: OpCase, data: Any
) -> None:
    operands = data.draw(case.draw(case.dtypes[0]))
    with Recorder() as recorder:
        case.fn(*[eager(x) for x in operands])
    for op, inputs, _ in recorder.calls:
        for other, given_now in _altered(op, inputs):
            if not _refused(other, given_now):
                continue
            execute(op, inputs)
            with pytest.raises(TensorliteError):
                execute(other, given_now)


def test_the_short_way_refuses_what_is_no_matrix() -> None:
    square, row = tl.ones((3, 3)), tl.ones((3,))
    assert call2(MatMul(), square, square).shape == (3, 3)
    with pytest.raises(ShapeError, match="MatMul takes matrices"):
        call2(MatMul(), square, row)


def test_only_so_many_calls_are_remembered() -> None:
    for n in range(1, MOST + 20):
        tl.tile(tl.ones((1,)), (n,))
    assert 0 < len(REGISTRY["Tile"].admitted) <= MOST
