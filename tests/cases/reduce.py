"""Cases of ops/reduce and ops/cumulative, and of the sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tensorlite as tl
from tests.cases.base import FLOATS, REALS, Arrays, OpCase, any_shape, arrays, fill

COMPLEX = (*FLOATS, tl.complex128)
Drawing = Callable[[tl.DType], st.SearchStrategy[Arrays]]


def shaped(*shapes: tuple[int, ...], low: float = -2.0, high: float = 2.0) -> Drawing:
    """Return a drawing of one operand in one of several shapes."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.tuples(st.sampled_from(shapes), st.integers(0, 2**32 - 1)).map(
            lambda pair: (
                fill(np.random.default_rng(pair[1]), pair[0], dtype, low, high),
            )
        )

    return draw


CUBES = shaped((2, 3, 2), (1, 1, 4), (0, 2, 3))
FULL_CUBES = shaped((2, 3, 2), (1, 1, 4))
FULL = shaped((), (3,), (2, 3), (2, 1, 3))


def reduction(
    name: str,
    reference: Callable[..., Any],
    dtypes: tuple[tl.DType, ...],
    everywhere: Drawing,
    cubes: Drawing,
    *,
    differentiable: bool = True,
) -> tuple[OpCase, ...]:
    """Return the cases of a reduction: over all, over some axes, with sizes kept."""
    function = getattr(tl, name)
    return (
        OpCase(name, function, reference, everywhere, dtypes, differentiable),
        OpCase(
            f"{name} of axes",
            lambda x: function(x, axis=(0, -1)),
            lambda x: reference(x, axis=(0, -1)),
            cubes,
            dtypes,
            differentiable,
        ),
        OpCase(
            f"{name} of an axis, kept",
            lambda x: function(x, axis=1, keepdims=True),
            lambda x: reference(x, axis=1, keepdims=True),
            cubes,
            dtypes,
            differentiable,
        ),
    )


def running(name: str, reference: Callable[..., Any]) -> tuple[OpCase, ...]:
    """Return the cases of a running sum or product."""
    function = getattr(tl, name)
    cubes = shaped((2, 3, 2), (1, 1, 4), (0, 2, 3), low=0.5, high=2.0)
    vectors = shaped((0,), (1,), (4,), low=0.5, high=2.0)
    return (
        OpCase(name, function, reference, vectors, (*REALS, tl.complex128)),
        OpCase(
            f"{name} along an axis",
            lambda x: function(x, axis=1),
            lambda x: reference(x, axis=1),
            cubes,
            (*REALS, tl.complex128),
        ),
        OpCase(
            f"{name} from the start",
            lambda x: function(x, axis=-1, include_initial=True),
            lambda x: reference(x, axis=-1, include_initial=True),
            cubes,
            (*REALS, tl.complex128),
            needs_rank=True,
        ),
    )


def places(
    name: str, fn: Callable[..., Any], reference: Callable[..., Any]
) -> tuple[OpCase, ...]:
    """Return the cases of the place of an extreme."""
    return (
        OpCase(name, fn, reference, FULL, REALS, differentiable=False),
        OpCase(
            f"{name} along an axis, kept",
            lambda x: fn(x, axis=-2, keepdims=True),
            lambda x: reference(x, axis=-2, keepdims=True),
            FULL_CUBES,
            REALS,
            differentiable=False,
        ),
        OpCase(
            f"{name}, kept",
            lambda x: fn(x, keepdims=True),
            lambda x: reference(x, keepdims=True),
            FULL_CUBES,
            REALS,
            differentiable=False,
        ),
    )


def logsumexp(x: Any, **options: Any) -> Any:
    return np.log(np.sum(np.exp(x), **options))


def count_nonzero(x: Any, axis: Any = None, **options: Any) -> Any:
    return np.count_nonzero(np.atleast_1d(x), axis, **options)


CASES = (
    *reduction("sum", np.sum, (*REALS, tl.complex128), any_shape(), CUBES),
    *reduction("mean", np.mean, COMPLEX, FULL, FULL_CUBES),
    *reduction("prod", np.prod, (*REALS, tl.complex128), any_shape(), CUBES),
    *reduction("max", np.max, REALS, FULL, FULL_CUBES),
    *reduction("min", np.min, REALS, FULL, FULL_CUBES),
    *reduction("var", np.var, COMPLEX, FULL, FULL_CUBES),
    *reduction("std", np.std, FLOATS, shaped((3,), (2, 3)), shaped((2, 3, 2))),
    *reduction("logsumexp", logsumexp, FLOATS, FULL, FULL_CUBES),
    *reduction(
        "all",
        np.all,
        (tl.bool, *REALS),
        any_shape(-1, 2),
        CUBES,
        differentiable=False,
    ),
    *reduction(
        "any",
        np.any,
        (tl.bool, *REALS),
        any_shape(-1, 2),
        CUBES,
        differentiable=False,
    ),
    *reduction(
        "count_nonzero",
        count_nonzero,
        REALS,
        any_shape(-1, 2),
        CUBES,
        differentiable=False,
    ),
    OpCase(
        "var, corrected",
        lambda x: tl.var(x, axis=0, correction=1),
        lambda x: np.var(x, axis=0, ddof=1),
        arrays((3, 2)),
        FLOATS,
    ),
    *places("argmax", tl.argmax, np.argmax),
    *places("argmin", tl.argmin, np.argmin),
    *running("cumulative_sum", np.cumulative_sum),
    *running("cumulative_prod", np.cumulative_prod),
    *(
        OpCase(
            f"diff {n} times",
            lambda x, n=n: tl.diff(x, axis=1, n=n),
            lambda x, n=n: np.diff(x, axis=1, n=n),
            CUBES,
            (tl.bool, *REALS),
            needs_rank=True,
        )
        for n in (0, 1, 2)
    ),
    OpCase(
        "diff with ends",
        lambda x, y: tl.diff(x, prepend=y, append=y),
        lambda x, y: np.diff(x, prepend=y, append=y),
        arrays((2, 3), (2, 1)),
        REALS,
        needs_rank=True,
    ),
)
