"""jaxtyping's annotations on traced functions. Checked by mypy --strict, and by running it."""

from __future__ import annotations

from typing import assert_type

from jaxtyping import Float

import tensorlite as tl
from tensorlite import Tensor


@tl.function
def affine(
    x: Float[Tensor, "batch inputs"], w: Float[Tensor, "inputs outputs"]
) -> Float[Tensor, "batch outputs"]:
    return tl.matmul(x, w)


assert_type(affine(tl.ones((2, 3)), tl.ones((3, 4))), Tensor)
