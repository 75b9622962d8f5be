"""Calls that mypy --strict must refuse; each such line ends with the code of its error."""

from __future__ import annotations

import tensorlite as tl
from tensorlite import Tensor


@tl.function
def scaled(x: Tensor, by: float = 2.0) -> Tensor:
    return x * by


class Model:
    @tl.function
    def step(self, x: Tensor, training: bool = False) -> Tensor:
        return x


x = tl.ones(2)
scaled()  # error: call-arg
scaled(x, factor=3.0)  # error: call-arg
scaled(x, "3")  # error: arg-type
scaled(x, 1.0, 2.0)  # error: call-arg
number: int = scaled(x)  # error: assignment
Model().step(x, trainin=True)  # error: call-arg
Model().step(x, "yes")  # error: arg-type
Model().step()  # error: call-arg
tl.function(retrace=True)  # error: call-overload
