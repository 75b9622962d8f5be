"""Cases of ops/create and ops/ranges, as far as they take tensors."""

from __future__ import annotations

import numpy as np

import tensorlite as tl
from tests.cases.base import FLOATS, REALS, OpCase, any_shape, arrays
from tests.cases.reduce import shaped

MATRICES = shaped((2, 3), (3, 3), (0, 2), (2, 1, 4))
SCALAR = arrays(())

CASES = (
    OpCase("zeros_like", tl.zeros_like, np.zeros_like, any_shape(), REALS, False),
    OpCase("ones_like", tl.ones_like, np.ones_like, any_shape(), REALS, False),
    OpCase("empty_like", tl.empty_like, np.zeros_like, any_shape(), REALS, False),
    OpCase(
        "full_like",
        lambda x: tl.full_like(x, 7),
        lambda x: np.full_like(x, 7),
        any_shape(),
        REALS,
        False,
    ),
    OpCase(
        "fill",
        lambda x: tl.fill((2, 0, 3), x),
        lambda x: np.full((2, 0, 3), x),
        SCALAR,
        REALS,
    ),
    OpCase(
        "full",
        lambda x: tl.full((2, 3), x),
        lambda x: np.full((2, 3), x),
        SCALAR,
        REALS,
    ),
    OpCase(
        "tril", tl.tril, np.tril, MATRICES, (*REALS, tl.complex128), needs_rank=False
    ),
    OpCase("triu", tl.triu, np.triu, MATRICES, (*REALS, tl.complex128)),
    OpCase(
        "tril below",
        lambda x: tl.tril(x, k=-1),
        lambda x: np.tril(x, k=-1),
        MATRICES,
        REALS,
    ),
    OpCase(
        "triu above",
        lambda x: tl.triu(x, k=1),
        lambda x: np.triu(x, k=1),
        MATRICES,
        REALS,
    ),
    OpCase(
        "linspace",
        lambda x, y: tl.linspace(x, y, 5),
        lambda x, y: np.linspace(x, y, 5),
        arrays((), ()),
        (*FLOATS, tl.complex128),
    ),
    OpCase(
        "linspace, open",
        lambda x, y: tl.linspace(x, y, 4, endpoint=False),
        lambda x, y: np.linspace(x, y, 4, endpoint=False),
        arrays((), ()),
    ),
    *(
        OpCase(
            f"meshgrid {way}",
            lambda x, y, z, way=way: tl.meshgrid(x, y, z, indexing=way),
            lambda x, y, z, way=way: np.meshgrid(x, y, z, indexing=way),
            arrays((2,), (3,), (1,)),
        )
        for way in ("xy", "ij")
    ),
    OpCase(
        "asarray", lambda x: tl.asarray(x, copy=True), np.array, any_shape(), REALS
    ),
    OpCase(
        "arange of a tensor",
        lambda n: tl.arange(n * n),
        lambda n: np.arange(n * n),
        arrays(()),
        (tl.int32,),
        differentiable=False,
        data_dependent=True,
    ),
)
