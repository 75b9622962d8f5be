"""Operators that later versions of TensorFlow replaced, made of those that replaced them."""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.references import Reference
from tensorlite.ops.arrays.ensure import EnsureShape
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.search import InTopKV2, TopKV2
from tensorlite.ops.math.arithmetic import divide
from tensorlite.ops.math.compare import less
from tensorlite.ops.math.rounding import abs as magnitude, sign
from tensorlite.ops.state.resource import (
    CountUpToVariableOp,
    ReadVariableOp,
    VarHandleOp,
)

PHILOX = 1


def _towards_zero(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.kind == "u":
        return x // y
    return sign(x) * sign(y) * (magnitude(x) // magnitude(y))


def _div(given: Given) -> Values:
    is_whole = given.dtype("T").is_integer
    return given.composed(_towards_zero if is_whole else divide, *given.tensors)


def _gather(given: Given) -> Values:
    return given.composed(lambda x, places: take(x, places, axis=0), *given.tensors)


def _number(given: Given, name: str) -> Tensor:
    value = given.typed(name, int)
    if not 0 <= value < 2**31:
        raise GraphDefError(f"{given.record}: its attribute {name!r} is {value}")
    return constant(value, dtypes.int32)


def _top_k(given: Given) -> Values:
    count = _number(given, "k")
    op = TopKV2(given.typed("sorted", bool))
    return given.composed(lambda x: calls(op, x, count), *given.tensors)


def _in_top_k(given: Given) -> Values:
    count = _number(given, "k")
    return given.composed(lambda x, y: call(InTopKV2(), x, y, count), *given.tensors)


def _near(given: Given) -> Values:
    tolerance = float(given.typed("tolerance", (int, float)))
    return given.composed(
        lambda x, y: less(magnitude(x - y), constant(tolerance, x.dtype)),
        *given.tensors,
    )


def _count_up_to(given: Given) -> Values:
    op = CountUpToVariableOp(given.typed("limit", int))
    return given.node(op, given.tensor(0)).outputs


def _temporary(given: Given) -> Values:
    """Make a variable for one use, whose first value is nothing's."""
    given.typed("var_name", str)
    spec = TensorSpec(given.shape("shape"), given.dtype("dtype"))
    op = VarHandleOp(spec, debug_name=given.name, shared_name=given.name)
    handle = given.helper(op).outputs[0]
    value = given.node(ReadVariableOp(), handle).outputs[0]
    return [Reference(given.name, handle, value)]


def _last_value(given: Given) -> Values:
    given.typed("var_name", str)
    return given.reread(given.reference(0)).outputs


def _ensured(given: Given) -> Values:
    return given.made(EnsureShape(given.shape("shape")), *given.tensors)


OLDER: dict[str, Adapter] = {
    "ApproximateEqual": _near,
    "Div": _div,
    "EnsureShape": _ensured,
    "Gather": _gather,
    "InTopK": _in_top_k,
    "DestroyTemporaryVariable": _last_value,
    "TemporaryVariable": _temporary,
    "ResourceCountUpTo": _count_up_to,
    "TopK": _top_k,
}
