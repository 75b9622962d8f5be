"""Fourier transforms in GraphDefs, where each number of axes has an operator of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core.dtypes import int32
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.writers.parts import Spelled, constant_part
from tensorlite.ops.signals import fft

_WHOLE = {"FFT": fft.fftn, "IFFT": fft.ifftn}
_HALF = "RFFT", "IRFFT"
_ENDS = {"": 1, "2D": 2, "3D": 3}
"""What stands behind the name of a transform of so many axes, the last ones."""


def _transformed(function: Callable[..., Tensor], count: int, given: Given) -> Values:
    axes = tuple(range(-count, 0))
    return given.composed(lambda x: function(x, axes=axes), given.tensor(0))


def _along(function: Callable[..., Tensor], given: Given) -> Values:
    """Transform along axes that are told, to as many numbers as are told."""
    sizes, axes = [tuple(given.constant(i).tolist()) for i in (1, 2)]
    return given.composed(lambda x: function(x, s=sizes, axes=axes), given.tensor(0))


_ANY = {**_WHOLE, "RFFT": fft.rfftn, "IRFFT": fft.irfftn}
SPECTRA: dict[str, Adapter] = {
    f"{name}ND": partial(_along, function) for name, function in _ANY.items()
}
for _end, _count in _ENDS.items():
    for _name, _function in _WHOLE.items():
        SPECTRA[f"{_name}{_end}"] = partial(_transformed, _function, _count)
        SPECTRA[f"Batch{_name}{_end}"] = SPECTRA[f"{_name}{_end}"]


def _written(op: Op, node: Node) -> tuple[Spelled, ...] | None:
    """Return a transform of the last axes; None for others, and other factors."""
    given: Any = op.attributes()
    x, y = node.inputs[0].spec, node.outputs[0].spec
    axes, sizes = given["axes"], given["sizes"]
    rank = x.rank
    if rank is None or given["norm"] != "backward" or len(axes) > len(_ENDS):
        return None
    if [axis % rank for axis in axes] != list(range(rank - len(axes), rank)):
        return None
    name = op.name.removesuffix("ND")
    whole = f"{name}{next(end for end, n in _ENDS.items() if n == len(axes))}"
    if name in _WHOLE:
        pairs = zip(x.dims[rank - len(axes) :], sizes, strict=True)
        fits = all(size in (have, fft.OPEN) for have, size in pairs)
        return (Spelled(whole, {"Tcomplex": x.dtype}),) if fits else None
    real, numbers = (x, y) if name == "RFFT" else (y, x)
    kinds = {"Treal": real.dtype, "Tcomplex": numbers.dtype}
    made = Spelled(whole, kinds, (0, "fft_length"))
    own = real.dims[rank - len(axes) :] if real.rank else sizes
    due = [
        n if size == fft.OPEN else size for n, size in zip(own, sizes, strict=True)
    ]
    if None not in due and fft.OPEN not in due:
        return (
            *_filled(made, x, due, name == "IRFFT"),
            constant_part("fft_length", due),
            made,
        )
    if any(size != fft.OPEN for size in sizes):
        return None
    return *_own_sizes(rank - len(axes), len(axes), name == "IRFFT"), made


def _filled(
    made: Spelled, x: TensorSpec, due: Sequence[int | None], of_halves: bool
) -> tuple[Spelled, ...]:
    """Fill axes up to the sizes that are transformed, which TensorFlow's operators do not."""
    sizes = [n or 0 for n in due]
    if of_halves:
        sizes[-1] = sizes[-1] // 2 + 1
    first = len(x.dims) - len(sizes)
    more = [
        max(size - n, 0) if n is not None else 0
        for size, n in zip(sizes, x.dims[first:], strict=True)
    ]
    if not any(more):
        return ()
    made.inputs = ("filled", "fft_length")
    ends = np.array([[0, 0]] * first + [[0, n] for n in more], np.int32)
    kinds = {"T": x.dtype, "Tpaddings": int32}
    ends_at = Spelled("Const", {"value": ends, "dtype": int32}, (), "paddings")
    return ends_at, Spelled("Pad", kinds, (0, "paddings"), "filled")


def _own_sizes(first: int, count: int, of_halves: bool) -> tuple[Spelled, ...]:
    """Return the sizes of a signal, which only the run knows; 2 (n - 1) of a half's last."""
    whole = {"T": int32}
    name = "sizes" if of_halves else "fft_length"
    own = (
        Spelled("Shape", {"out_type": int32}, (0,), "shape"),
        constant_part("begin", [first]),
        constant_part("count", [count]),
        Spelled(
            "Slice", {**whole, "Index": int32}, ("shape", "begin", "count"), name
        ),
    )
    if not of_halves:
        return own
    rest = [0] * (count - 1)
    return (
        *own,
        constant_part("factor", [*[1 for _ in rest], 2]),
        Spelled("Mul", whole, ("sizes", "factor"), "twice"),
        constant_part("less", [*rest, 2]),
        Spelled("Sub", whole, ("twice", "less"), "fft_length"),
    )


TRANSFORMS: dict[str, Callable[[Op, Node], tuple[Spelled, ...] | None]] = {
    f"{name}ND": _written for name in (*_WHOLE, *_HALF)
}
"""How transforms are written."""
