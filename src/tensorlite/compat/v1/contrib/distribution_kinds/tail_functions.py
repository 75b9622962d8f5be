"""Distribution functions that are exact far out: of normal numbers, and of Laplace's."""

from __future__ import annotations

import math
from typing import Any

from tensorlite import math as special
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.graph_mode.graph import name_scope


@named("log_ndtr", "SelectV2_5")
def log_ndtr(x: Any, name: str | None = None) -> Any:
    """Return the logarithm of the standard normal distribution function, exact far out."""
    return special.log_ndtr(converted(x))


def ndtr(x: Any) -> Any:
    """Return the standard normal distribution function, by what is exact on either side."""
    with name_scope("ndtr"):
        root = constant(0.5 * math.sqrt(2.0), x.dtype, name="half_sqrt_2")
        turned = x * root
        z = elementwise.abs(turned)
        is_near = elementwise.less(z, root)
        near = 1.0 + elementwise.erf(turned)
        is_right = elementwise.greater(turned, 0.0)
        right = 2.0 - elementwise.erfc(z)
        tails = v1_arrays.where_v2(is_right, right, elementwise.erfc(z))
        return 0.5 * v1_arrays.where_v2(is_near, near, tails)


def log_half_tail(z: Any) -> Any:
    """Return the logarithm of Laplace's distribution function, exact far out on either side."""
    right = elementwise.log1p(-0.5 * elementwise.exp(-elementwise.abs(z)))
    return v1_arrays.where_v2(z < 0, z - math.log(2.0), right)
