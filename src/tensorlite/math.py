"""Special functions, and mathematics that TensorFlow has and the Array API standard has not.

The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.gamma import (
    betainc,
    digamma,
    igamma,
    igammac,
    lbeta,
    lgamma,
    polygamma,
    zeta,
)
from tensorlite.ops.normal_functions import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    erfc,
    erfcinv,
    erfcx,
    erfinv,
    log_ndtr,
    ndtr,
    ndtri,
)
from tensorlite.ops.quotients import (
    divide_no_nan,
    multiply_no_nan,
    xdivy,
    xlog1py,
    xlogy,
)

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "betainc",
    "digamma",
    "divide_no_nan",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "igamma",
    "igammac",
    "lbeta",
    "lgamma",
    "log_ndtr",
    "multiply_no_nan",
    "ndtr",
    "ndtri",
    "polygamma",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zeta",
]


def __dir__() -> list[str]:
    return __all__
