"""Cases of joining, cutting, permuting, repeating and padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tensorlite as tl
from tensorlite.ops.arrays.ensure import ensure_shape
from tests.cases.base import FLOATS, REALS, Arrays, OpCase, any_shape, arrays, fill

ANY = (tl.bool, tl.int32, *FLOATS)
Drawing = Callable[[tl.DType], st.SearchStrategy[Arrays]]


def one_of(*groups: tuple[tuple[int, ...], ...]) -> Drawing:
    """Return a drawing of operands in one of several groups of shapes."""

    def draw(dtype: tl.DType) -> st.SearchStrategy[Arrays]:
        return st.tuples(st.sampled_from(groups), st.integers(0, 2**32 - 1)).map(
            lambda pair: tuple(
                fill(np.random.default_rng(pair[1] + i), shape, dtype, -2.0, 2.0)
                for i, shape in enumerate(pair[0])
            )
        )

    return draw


def matrices(name: str, fn: Any, reference: Any, **options: Any) -> OpCase:
    """Return a case over matrices, empty ones among them."""
    return OpCase(
        name, fn, reference, one_of(((2, 3),), ((0, 3),), ((2, 0),)), **options
    )


def cubes(name: str, fn: Any, reference: Any, **options: Any) -> OpCase:
    """Return a case over tensors of three axes."""
    return OpCase(name, fn, reference, one_of(((2, 3, 4),), ((2, 0, 1),)), **options)


def sizes(x: Any) -> Any:
    """Return the shape as an array."""
    return np.asarray(x.shape)


def reversed_sequences(x: Any) -> Any:
    """Return a matrix with the first 2 and all 3 elements of its rows reversed."""
    return np.stack([x[0, [1, 0, 2]], x[1, ::-1]])


def blocks(x: Any) -> Any:
    """Return images with blocks of two by two pixels as one."""
    n, h, w, c = x.shape
    apart = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5)
    return apart.reshape(n, h // 2, w // 2, 4 * c)


JOINING = (
    OpCase(
        "concat",
        lambda *xs: tl.concat(xs, axis=1),
        lambda *xs: np.concatenate(xs, axis=1),
        one_of(((2, 3), (2, 0), (2, 1)), ((0, 1), (0, 2))),
        ANY,
    ),
    OpCase(
        "concat-flat",
        lambda *xs: tl.concat(xs, axis=None),
        lambda *xs: np.concatenate(xs, axis=None),
        arrays((2, 3), (), (1,)),
    ),
    OpCase(
        "stack",
        lambda x, y: tl.stack([x, y], axis=-1),
        lambda x, y: np.stack([x, y], axis=-1),
        any_shape(operands=2),
        ANY,
    ),
    cubes(
        "unstack",
        lambda x: tl.unstack(x, axis=0, num=2),
        lambda x: [x[0], x[1]],
        dtypes=ANY,
    ),
    cubes("split", lambda x: tl.split(x, 2), lambda x: np.split(x, 2), dtypes=ANY),
    matrices(
        "split-sizes",
        lambda x: tl.split(tl.pad(x, [[0, 0], [1, 3]]), [1, -1, 2], axis=-1),
        lambda x: np.split(np.pad(x, [[0, 0], [1, 3]]), [1, x.shape[1] + 2], axis=-1),
        needs_rank=True,
    ),
    matrices(
        "pad",
        lambda x: tl.pad(x, [[1, 0], [2, 3]]),
        lambda x: np.pad(x, [[1, 0], [2, 3]]),
        dtypes=REALS,
        ops=("Slice",),
    ),
    OpCase(
        "pad-value",
        lambda x, y: tl.pad(x, [[1, 2]], constant_values=y),
        lambda x, y: np.pad(x, [[1, 2]], constant_values=y.item()),
        arrays((3,), ()),
    ),
    *[
        OpCase(
            f"pad-{mode}",
            lambda x, mode=mode: tl.pad(x, [[1, 0], [2, 1]], mode=mode),
            lambda x, mode=mode: np.pad(x, [[1, 0], [2, 1]], mode=mode),
            arrays((2, 3)),
            REALS,
            ops=("MirrorPadGrad",),
        )
        for mode in ("reflect", "symmetric")
    ],
)

AXES = (
    cubes("transpose", tl.transpose, np.transpose, dtypes=ANY),
    cubes(
        "permute_dims",
        lambda x: tl.permute_dims(x, (2, 0, 1)),
        lambda x: x.transpose(2, 0, 1),
    ),
    cubes("matrix_transpose", tl.matrix_transpose, lambda x: x.swapaxes(1, 2)),
    cubes(
        "moveaxis",
        lambda x: tl.moveaxis(x, (0, 1), (-1, 0)),
        lambda x: np.moveaxis(x, (0, 1), (-1, 0)),
        needs_rank=True,
    ),
    OpCase(
        "expand_dims",
        lambda x: tl.expand_dims(x, axis=-1),
        lambda x: np.expand_dims(x, -1),
        any_shape(),
        ANY,
    ),
    matrices(
        "expand_dims-several",
        lambda x: tl.expand_dims(x, axis=(0, -2)),
        lambda x: np.expand_dims(x, (0, -2)),
        needs_rank=True,
    ),
    OpCase(
        "ensure_shape",
        lambda x: ensure_shape(x, (None, 3)),
        lambda x: x,
        one_of(((2, 3),), ((0, 3),)),
        ANY,
    ),
    OpCase(
        "squeeze",
        lambda x: tl.squeeze(x, axis=(0, -1)),
        lambda x: x[0, ..., 0],
        arrays((1, 3, 2, 1)),
        ANY,
    ),
    OpCase(
        "squeeze-all",
        tl.squeeze,
        np.squeeze,
        one_of(((1, 3, 1),), ((1, 1),), ((2,),)),
        ANY,
    ),
    OpCase("flip", tl.flip, np.flip, any_shape(), ANY),
    cubes(
        "flip-axes", lambda x: tl.flip(x, axis=(0, -1)), lambda x: np.flip(x, (0, -1))
    ),
    OpCase(
        "roll", lambda x: tl.roll(x, -2), lambda x: np.roll(x, -2), any_shape(), ANY
    ),
    cubes(
        "roll-axes",
        lambda x: tl.roll(x, (1, -2), axis=(0, 2)),
        lambda x: np.roll(x, (1, -2), axis=(0, 2)),
    ),
    OpCase(
        "broadcast_arrays",
        tl.broadcast_arrays,
        np.broadcast_arrays,
        one_of(((2, 1), (3,)), ((), (2, 0)), ((1, 1), (2, 3))),
        ANY,
    ),
    OpCase("shape", tl.shape, sizes, any_shape(), ANY, differentiable=False),
    OpCase("rank", tl.rank, np.ndim, any_shape(), ANY, differentiable=False),
    OpCase("size", tl.size, np.size, any_shape(), ANY, differentiable=False),
    OpCase("identity", tl.identity, lambda x: x, any_shape(), ANY),
    OpCase(
        "identity_n",
        lambda x: tl.raw_ops.IdentityN(xs=[x]),
        lambda x: x,
        any_shape(),
        ANY,
    ),
    OpCase(
        "to_device",
        lambda x: tl.to_device(tl.identity(x), "/device:CPU:0"),
        lambda x: x,
        any_shape(),
        ANY,
        ops=("Copy",),
    ),
    OpCase(
        "stop_gradient",
        tl.stop_gradient,
        lambda x: x,
        any_shape(),
        ANY,
        differentiable=False,
    ),
)

REPEATING = (
    matrices(
        "tile", lambda x: tl.tile(x, (2, 3)), lambda x: np.tile(x, (2, 3)), dtypes=ANY
    ),
    matrices(
        "tile-new-axis",
        lambda x: tl.tile(x, (2, 1, 2)),
        lambda x: np.tile(x, (2, 1, 2)),
        needs_rank=True,
    ),
    OpCase(
        "repeat",
        lambda x: tl.repeat(x, 2),
        lambda x: np.repeat(x, 2),
        any_shape(),
        ANY,
    ),
    OpCase(
        "repeat-counts",
        lambda x: tl.repeat(x, [2, 0, 1], axis=1),
        lambda x: np.repeat(x, [2, 0, 1], axis=1),
        arrays((2, 3)),
        ANY,
        ops=("RepeatGrad",),
    ),
    OpCase(
        "reverse_sequence",
        lambda x: tl.reverse_sequence(x, [2, 3], seq_axis=1),
        reversed_sequences,
        arrays((2, 3)),
        ANY,
    ),
    OpCase(
        "sequence_mask",
        lambda x: tl.sequence_mask(x, 5, dtype=x.dtype),
        lambda x: (np.arange(5) < x[..., None]).astype(x.dtype),
        arrays((2, 3), low=0.0, high=6.0),
        (tl.int32, tl.int64),
        differentiable=False,
    ),
    OpCase(
        "sequence_mask-greatest",
        tl.sequence_mask,
        lambda x: np.arange(x.max()) < x[:, None],
        arrays((3,), low=1.0, high=6.0),
        (tl.int32, tl.int64),
        differentiable=False,
        data_dependent=True,
    ),
    OpCase(
        "space_to_depth",
        lambda x: tl.space_to_depth(tl.reshape(x, (-1, 2, 4, 3)), 2),
        lambda x: blocks(x.reshape(-1, 2, 4, 3)),
        arrays((2, 24)),
    ),
    OpCase(
        "depth_to_space",
        lambda x: tl.depth_to_space(tl.reshape(x, (-1, 1, 2, 12)), 2),
        lambda x: (
            x.reshape(-1, 1, 2, 2, 2, 3)
            .transpose(0, 1, 3, 2, 4, 5)
            .reshape(-1, 2, 4, 3)
        ),
        arrays((2, 24)),
    ),
)

CASES = (*JOINING, *AXES, *REPEATING)
