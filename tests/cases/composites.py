"""Cases of operators that TensorFlow has as one, each called as one node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.dispatch import calls
from tensorlite.ops.channels import BiasAdd, BiasAddGrad
from tensorlite.ops.composite import Composite
from tests.cases.base import OpCase, arrays


def one(op: Composite) -> Callable[..., Any]:
    """Return a function that calls an operator itself rather than its parts."""

    def called(*inputs: Any) -> Any:
        outputs = calls(op, *inputs)
        return outputs[0] if len(outputs) == 1 else outputs

    return called


CASES = (
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
)
