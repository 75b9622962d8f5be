"""Cases of ops/compare and ops/bits: comparisons, logic, where, and the bits of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import tensorlite as tl
from tests.cases.base import (
    INTS,
    REALS,
    Arrays,
    OpCase,
    any_shape,
    broadcastable,
    fill,
)

BOOL = (tl.bool,)
BITS = (tl.bool, tl.uint8, *INTS)
ORDER = ("less", "less_equal", "greater", "greater_equal")


def conditioned(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
    """Return a drawing of a condition and two operands that broadcast with it."""
    shapes = st.sampled_from(
        [
            ((), (), ()),
            ((2, 1, 1), (2, 3), (3,)),
            ((3,), (), (2, 1)),
            ((0,), (1,), (3, 1)),
        ]
    )
    return st.tuples(shapes, st.integers(0, 2**32 - 1)).map(
        lambda pair: tuple(
            fill(
                np.random.default_rng(pair[1] + i),
                shape,
                tl.bool if i == 0 else dtype,
                -2,
                2,
            )
            for i, shape in enumerate(pair[0])
        )
    )


CASES = (
    *(
        OpCase(
            n,
            getattr(tl, n),
            getattr(np, n),
            broadcastable(),
            REALS,
            differentiable=False,
        )
        for n in ORDER
    ),
    *(
        OpCase(
            n,
            getattr(tl, n),
            getattr(np, n),
            broadcastable(-1, 2),
            (tl.bool, *REALS, tl.complex128),
            differentiable=False,
        )
        for n in ("equal", "not_equal")
    ),
    *(
        OpCase(
            n,
            getattr(tl, n),
            getattr(np, n),
            broadcastable(-1, 2),
            (tl.bool, *REALS),
            False,
        )
        for n in ("logical_and", "logical_or", "logical_xor")
    ),
    *(
        OpCase(
            n,
            getattr(tl, n),
            getattr(np, n),
            any_shape(-1, 2),
            (tl.bool, *REALS),
            False,
        )
        for n in ("logical_not",)
    ),
    *(
        OpCase(
            n,
            getattr(tl, n),
            getattr(np, n),
            any_shape(),
            (*REALS, tl.complex128),
            False,
        )
        for n in ("isnan", "isinf", "isfinite")
    ),
    *(
        OpCase(n, getattr(tl, n), getattr(np, n), broadcastable(-9, 9), BITS, False)
        for n in ("bitwise_and", "bitwise_or", "bitwise_xor")
    ),
    OpCase(
        "bitwise_invert", tl.bitwise_invert, np.invert, any_shape(-9, 9), BITS, False
    ),
    OpCase(
        "bitwise_left_shift",
        tl.bitwise_left_shift,
        np.left_shift,
        broadcastable(0, 6),
        INTS,
        False,
    ),
    OpCase(
        "bitwise_right_shift",
        tl.bitwise_right_shift,
        np.right_shift,
        broadcastable(0, 6),
        INTS,
        False,
    ),
    OpCase("where", tl.where, np.where, conditioned, (*REALS, tl.complex128)),
    OpCase(
        "where of a scalar",
        lambda x: tl.where(x > 0, x, 0),
        lambda x: np.where(x > 0, x, 0).astype(x.dtype),
        any_shape(),
        REALS,
    ),
)
