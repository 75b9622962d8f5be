"""Special functions, and mathematics that TensorFlow has and the Array API standard has not.

The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.math.bessel import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    bessel_j0,
    bessel_j1,
    bessel_k0,
    bessel_k0e,
    bessel_k1,
    bessel_k1e,
    bessel_y0,
    bessel_y1,
)
from tensorlite.ops.math.counting import (
    confusion_matrix,
    cumulative_logsumexp,
    edit_distance,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    invert_permutation,
    nth_element,
    setdiff1d,
    unique_with_counts,
    zero_fraction,
)
from tensorlite.ops.math.gamma import (
    betainc,
    digamma,
    igamma,
    igammac,
    lbeta,
    lgamma,
    polygamma,
    zeta,
)
from tensorlite.ops.math.integrals import (
    dawsn,
    expint,
    fresnel_cos,
    fresnel_sin,
    spence,
)
from tensorlite.ops.math.normal_functions import (
    erfc,
    erfcinv,
    erfcx,
    erfinv,
    log_ndtr,
    ndtr,
    ndtri,
)
from tensorlite.ops.math.quotients import (
    divide_no_nan,
    multiply_no_nan,
    xdivy,
    xlog1py,
    xlogy,
)
from tensorlite.ops.sparse.segments import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "betainc",
    "confusion_matrix",
    "cumulative_logsumexp",
    "dawsn",
    "digamma",
    "divide_no_nan",
    "edit_distance",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "igamma",
    "igammac",
    "invert_permutation",
    "lbeta",
    "lgamma",
    "log_ndtr",
    "multiply_no_nan",
    "ndtr",
    "ndtri",
    "nth_element",
    "polygamma",
    "setdiff1d",
    "sparse_segment_mean",
    "sparse_segment_sqrt_n",
    "sparse_segment_sum",
    "spence",
    "unique_with_counts",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zero_fraction",
    "zeta",
]


def __dir__() -> list[str]:
    return __all__
