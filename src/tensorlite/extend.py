"""`tl.extend`: what one needs to write an operator of one's own. Names only.

The how-to page "add an operator" shows the way: a class with `infer`, `kernel` and `grad`, and a
function that calls it.
"""

from __future__ import annotations

from tensorlite.core.dispatch import (
    call,
    call1,
    call2,
    calls,
    constant,
    promoted,
    to_tensor,
)
from tensorlite.core.op import Call, Effect, Gradient, Grads, Op
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.families import Binary, FloatUnary, Predicate, Unary
from tensorlite.ops.math.arithmetic import sum_to

__all__ = [
    "Array",
    "Binary",
    "Call",
    "Effect",
    "FloatUnary",
    "Gradient",
    "Grads",
    "Op",
    "Predicate",
    "TensorSpec",
    "Unary",
    "Xp",
    "broadcast",
    "call",
    "call1",
    "call2",
    "calls",
    "constant",
    "promoted",
    "shape_of",
    "sum_to",
    "to_tensor",
]


def __dir__() -> list[str]:
    return __all__
