"""The benchmark of swapping runs, and does what it says. How long it takes is for `make bench`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.xp import CPU
from tensorlite.ops.control.swapping import store
from tests.benchmarks import swapping
from tests.benchmarks.timing import Case


def as_function(case: Case) -> Callable[[], Any]:
    assert callable(case.run)
    return case.run


def test_the_long_loop_is_swapped_under_the_limit_of_the_short_one() -> None:
    fits, long = swapping.cases(64, 64, 20)
    try:
        fits_run, long_run = as_function(fits), as_function(long)
        fits_run()
        assert not store(CPU).size
        loss, gradient = long_run()
        assert store(CPU).size > 40 * 64 * 64 * 4
        info = tl.config.memory_info()
        assert info.limit is not None
        assert info.peak <= info.limit
    finally:
        tl.config.count_memory(False)
        store(CPU).close()
    assert np.isfinite(np.asarray(gradient)).all()
    assert float(loss) > 0
