"""Finding faults: assertions that run where they stand, checks for NaN, faults made on purpose."""

from __future__ import annotations

from tensorlite.function.function import run_eagerly
from tensorlite.ops.control.assertions import (
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_rank,
    assert_rank_at_least,
    assert_scalar,
    assert_shapes,
    assert_true,
    assert_type,
)
from tensorlite.ops.control.delay import delay
from tensorlite.ops.math.numerics import check_numerics
from tensorlite.runtime.faults import faults

__all__ = [
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_scalar",
    "assert_shapes",
    "assert_true",
    "assert_type",
    "check_numerics",
    "delay",
    "faults",
    "run_eagerly",
]


def __dir__() -> list[str]:
    return __all__
