"""Every operator gives the same eagerly and in plans, whichever passes and runner it goes through.

The operands are made by the plan itself, and memory of every size is reused, so that an operator
that shares memory without saying so, or writes to an operand that is still needed, is found out.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import hypothesis
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core import nest
from tensorlite.core.tensor import Tensor
from tensorlite.graph.trace import Traced, trace
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, Pass, run_passes
from tensorlite.runtime import memory
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.cases import CASES
from tests.cases.base import OpCase

WAYS: tuple[tuple[tuple[Pass, ...], str], ...] = (
    ((), "structured"),
    (OPTIMISE, "structured"),
    (COMPILE, "frames"),
)
ONCE = settings(
    max_examples=1,
    database=None,
    derandomize=True,
    phases=[hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)


def traced(case: OpCase, operands: list[np.ndarray[Any, Any]], known: bool) -> Traced:
    """Return the trace of a case on operands that a sum with zeros makes, where there are sums."""

    def program(*given: Tensor) -> list[Tensor]:
        half = len(given) // 2
        pairs = zip(given[:half], given[half:], strict=True)
        return nest.flatten(
            case.fn(*[x + z if x.dtype.is_numeric else x for x, z in pairs])
        )

    specs = [tl.asarray(x).spec for x in operands]
    return trace(
        program,
        [
            tl.TensorSpec(s.dims if known else (None,) * len(s.dims), s.dtype)
            for s in specs
        ],
    )


def assert_equal(found: Any, expected: Tensor) -> None:
    """Assert that a plan gave an array of the value, shape and dtype of an eager tensor."""
    if expected.dtype.kind in "RV":
        return
    value = expected.numpy()
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    if value.dtype == object:
        assert found.tolist() == value.tolist()
    else:
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("case", "known"),
    [
        pytest.param(case, known, id=f"{case}-{'static' if known else 'open'}")
        for case in CASES
        for known in (True, False)
        if known or not case.needs_sizes
    ],
)
def test_plans_give_what_eager_calls_give(case: OpCase, known: bool) -> None:
    @ONCE
    @given(st.data())
    def check(data: st.DataObject) -> None:
        arrays = data.draw(case.draw(case.dtypes[0]))
        expected = nest.flatten(case.fn(*map(tl.asarray, arrays)))
        operands = [*arrays, *[np.zeros_like(x) for x in arrays]]
        made = traced(case, operands, known)
        fed = [*operands, *[x.array for x in made.captured]]
        for passes, runner in WAYS:
            plan = compile_plan(run_passes(made.graph, passes, verified=True))
            for found, value in zip(
                run_plan(plan, fed, runner), expected, strict=True
            ):
                assert_equal(found, value)

    with patch.multiple(memory, WORTH_FREEING=1, WORTH_REUSING=1):
        check()
