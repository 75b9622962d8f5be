"""Signatures that tl.function keeps. Checked by mypy --strict, and by running it."""

from __future__ import annotations

from typing import assert_type

import tensorlite as tl
from tensorlite import Function, Tensor


@tl.function
def scaled(x: Tensor, by: float = 2.0, *, shift: Tensor | None = None) -> Tensor:
    return x * by if shift is None else x * by + shift


@tl.function(reduce_retracing=True, runner="structured")
def both(x: Tensor, state: dict[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    return x + state["w"], {"w": state["w"] * 2.0}


class Model(tl.Module):
    def __init__(self) -> None:
        self.w = tl.Variable([1.0, 2.0])

    @tl.function
    def step(self, x: Tensor, training: bool = False) -> Tensor:
        return x * self.w if training else x + self.w

    @tl.function(input_signature=[tl.TensorSpec((None,), tl.float32)])
    def score(self, x: Tensor) -> Tensor:
        return tl.sum(x * self.w)


x = tl.asarray([1.0, 2.0])
model = Model()

assert_type(scaled(x), Tensor)
assert_type(scaled(x, 3.0, shift=x), Tensor)
assert_type(scaled(x, by=3.0), Tensor)
assert_type(both(x, {"w": x}), tuple[Tensor, dict[str, Tensor]])
assert_type(model.step(x), Tensor)
assert_type(model.step(x, training=True), Tensor)
assert_type(model.score(x), Tensor)
assert_type(tl.function(lambda: x)(), Tensor)


def plain(a: Tensor, b: int) -> Tensor:
    return a * b


wrapped: Function[[Tensor, int], Tensor] = tl.function(plain)
assert_type(wrapped(x, 2), Tensor)
assert_type(scaled.trace_count, int)
