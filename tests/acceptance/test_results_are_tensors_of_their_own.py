"""Functions with nothing to do return another tensor: assigning to it spares the operand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tensorlite as tl

NOTHING_TO_DO: dict[str, Callable[[tl.Tensor], tl.Tensor]] = {
    "positive": tl.positive,
    "unary plus": lambda x: +x,
    "conj": tl.conj,
    "real": tl.real,
    "round": tl.round,
    "floor": tl.floor,
    "ceil": tl.ceil,
    "trunc": tl.trunc,
    "clip": tl.clip,
    "squeeze": lambda x: tl.squeeze(x, axis=()),
    "expand_dims": lambda x: tl.expand_dims(x, axis=()),
    "astype": lambda x: tl.astype(x, x.dtype),
    "reshape": lambda x: tl.reshape(x, x.shape),
    "asarray": lambda x: tl.asarray(x, copy=True),
    "constant": tl.constant,
    "identity": tl.identity,
    "stop_gradient": tl.stop_gradient,
    "broadcast_to": lambda x: tl.broadcast_to(x, x.shape),
    "broadcast_arrays": lambda x: tl.broadcast_arrays(x)[0],
    "permute_dims": lambda x: tl.permute_dims(x, (0,)),
    "transpose": tl.transpose,
    "moveaxis": lambda x: tl.moveaxis(x, 0, 0),
    "flip": lambda x: tl.flip(x, axis=()),
    "roll": lambda x: tl.roll(x, 0),
    "tile": lambda x: tl.tile(x, (1,)),
    "repeat": lambda x: tl.repeat(x, 1),
    "concat": lambda x: tl.concat([x]),
    "meshgrid": lambda x: tl.meshgrid(x)[0],
    "split": lambda x: tl.split(x, 1)[0],
    "a full slice": lambda x: x[:],
    "an ellipsis": lambda x: x[...],
    "sum": lambda x: tl.sum(x, axis=()),
    "diff": lambda x: tl.diff(x, n=0),
    "dropout": lambda x: tl.nn.dropout(x, 0.0),
}
DTYPES = [tl.float32, tl.int32]


def assigned(function: Callable[[tl.Tensor], tl.Tensor], x: tl.Tensor) -> tl.Tensor:
    """Return `x` after the result of the function was assigned to."""
    y = function(x)
    y[0] = 7
    return x


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
@pytest.mark.parametrize("name", NOTHING_TO_DO)
def test_assignment_to_the_result_spares_the_operand(
    name: str, dtype: tl.DType
) -> None:
    function = NOTHING_TO_DO[name]
    x = tl.asarray([1, 2], dtype=dtype)
    assert assigned(function, x).tolist() == [1, 2]
    with tl.GradientTape() as tape:
        if dtype is tl.float32:
            tape.watch(x)
        assert assigned(function, x).tolist() == [1, 2]
    traced = tl.function(lambda z: assigned(function, z * tl.ones_like(z)))
    assert traced(x).tolist() == [1, 2]


@pytest.mark.parametrize("name", sorted(set(NOTHING_TO_DO) - {"stop_gradient"}))
def test_gradients_pass_through_the_result(name: str) -> None:
    """Also where an inner trace returns a tensor of the outer one."""
    smooth = name not in {"round", "floor", "ceil", "trunc"}

    def slope(x: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.cond(tl.sum(x) > 0, lambda: NOTHING_TO_DO[name](x) * 3, lambda: x)
        found: tl.Tensor = tape.gradient(y, x, unconnected="zero")
        return found

    x = tl.asarray([1.0, 2.0])
    wanted = [3.0, 3.0] if smooth else [0.0, 0.0]
    np.testing.assert_array_equal(slope(x), wanted)
    np.testing.assert_array_equal(tl.function(slope)(x), wanted)
