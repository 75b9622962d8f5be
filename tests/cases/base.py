"""OpCase: what the contract tests need to know of one operator. The cases stand beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tensorlite as tl

Arrays = tuple[np.ndarray[Any, Any], ...]
FLOATS = (tl.float32, tl.float64)
REALS = (tl.int32, tl.int64, tl.float32, tl.float64)
INTS = (tl.int32, tl.int64)


@dataclass(frozen=True, repr=False)
class OpCase:
    """A function of tensors, what NumPy says of it, and how to draw its operands.

    `fn` takes tensors only (axes and other structure are bound inside it); `reference` takes NumPy
    arrays of the same values and returns what `fn` must. `draw(dtype)` is a Hypothesis strategy of
    the operands, which should include 0-d and zero-size shapes where the operator takes them.
    """

    name: str
    fn: Callable[..., Any]
    reference: Callable[..., Any]
    draw: Callable[[tl.DType], st.SearchStrategy[Arrays]]
    dtypes: tuple[tl.DType, ...] = FLOATS
    differentiable: bool = True
    """Whether first and second order gradients are checked by finite differences in float64."""
    needs_rank: bool = False
    """Whether the function cannot be traced where not even the rank of its operands is known."""
    needs_sizes: bool = False
    """Whether it cannot be traced where the sizes of its operands are unknown."""
    data_dependent: bool = False
    """Whether the shape of the result depends on values, so that a trace does not know it."""
    rtol: float = 1e-5
    atol: float = 1e-6
    ops: tuple[str, ...] = field(default=())
    """Names of the operators (classes) that this case stands for, beside those found by running."""

    def __repr__(self) -> str:
        return self.name


def arrays(
    *shapes: tuple[int, ...], low: float = -2.0, high: float = 2.0
) -> Callable[[tl.DType], st.SearchStrategy[Arrays]]:
    """Return a drawing of one operand per shape, with values between `low` and `high`."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.integers(0, 2**32 - 1).map(
            lambda seed: tuple(
                fill(np.random.default_rng(seed + i), shape, dtype, low, high)
                for i, shape in enumerate(shapes)
            )
        )

    return draw


def any_shape(
    low: float = -2.0, high: float = 2.0, operands: int = 1
) -> Callable[[tl.DType], st.SearchStrategy[Arrays]]:
    """Return a drawing of operands that share one shape: 0-d, zero-size and others."""
    shapes = st.sampled_from([(), (0,), (3,), (2, 0), (1, 3), (2, 3), (2, 1, 3)])

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.tuples(shapes, st.integers(0, 2**32 - 1)).map(
            lambda pair: tuple(
                fill(np.random.default_rng(pair[1] + i), pair[0], dtype, low, high)
                for i in range(operands)
            )
        )

    return draw


BROADCASTS = [
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((0,), (1,)),
    ((2, 0), (2, 1)),
    ((1,), (4, 1, 2)),
]


def broadcastable(
    low: float = -2.0, high: float = 2.0
) -> Callable[[tl.DType], st.SearchStrategy[Arrays]]:
    """Return a drawing of two operands whose shapes broadcast."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.tuples(st.sampled_from(BROADCASTS), st.integers(0, 2**32 - 1)).map(
            lambda pair: tuple(
                fill(np.random.default_rng(pair[1] + i), shape, dtype, low, high)
                for i, shape in enumerate(pair[0])
            )
        )

    return draw


def fill(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    dtype: tl.DType,
    low: float,
    high: float,
) -> np.ndarray[Any, Any]:
    """Return random values of a dtype, integers for integer dtypes, both parts for complex."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_integer:
        low = max(low, 0) if dtype.kind == "u" else low
        return rng.integers(
            int(np.ceil(low)), max(int(high), int(np.ceil(low)) + 1), shape
        ).astype(dtype.numpy)
    values = rng.uniform(low, high, shape)
    if dtype.is_complex:
        values = values + 1j * rng.uniform(low, high, shape)
    return np.asarray(values).astype(dtype.numpy)
