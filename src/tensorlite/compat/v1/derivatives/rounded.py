"""Gradients of numbers rounded as quantised ones would be: one operator each, as in TensorFlow."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.ops.nn import fake_quantised


@gradient_of("FakeQuantWithMinMaxArgs")
def _of_known_range(op: Any, dy: Any) -> Any:
    own = op.node.op
    flow = fake_quantised.FakeQuantWithMinMaxArgsGradient(
        own.min, own.max, own.num_bits, own.narrow_range
    )
    return operator(flow, dy, *op.inputs)


@gradient_of("FakeQuantWithMinMaxVars")
def _of_range(op: Any, dy: Any) -> Any:
    own = op.node.op
    kind = fake_quantised.FakeQuantWithMinMaxVarsGradient
    return list(operator(kind(own.num_bits, own.narrow_range), dy, *op.inputs))


@gradient_of("FakeQuantWithMinMaxVarsPerChannel")
def _of_ranges(op: Any, dy: Any) -> Any:
    own = op.node.op
    kind = fake_quantised.FakeQuantWithMinMaxVarsPerChannelGradient
    return list(operator(kind(own.num_bits, own.narrow_range), dy, *op.inputs))
