"""Cases of the Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.dispatch import calls
from tensorlite.ops.composite import Composite
from tensorlite.ops.signals import real_spectra
from tests.cases.base import FLOATS, OpCase, arrays

COMPLEX = (tl.complex64, tl.complex128)


def case(
    name: str, function: str, shape: tuple[int, ...], dtypes: Any, **options: Any
) -> OpCase:
    """Return a case that calls one function of `tl.fft` and NumPy's of the same name."""
    reference = getattr(np.fft, function)

    def ours(x: tl.Tensor) -> tl.Tensor:
        found: tl.Tensor = getattr(tl.fft, function)(x, **options)
        return found

    return OpCase(
        name,
        ours,
        lambda x: reference(x, **options),
        arrays(shape),
        dtypes=dtypes,
        needs_rank=True,
        needs_sizes=True,
        rtol=1e-4,
        atol=1e-5,
    )


def operator(
    op: Composite, function: str, shape: tuple[int, ...], dtypes: Any, sizes: Any
) -> OpCase:
    """Return a case of an operator that takes the sizes of the last axes as an input."""
    axes = tuple(range(-len(sizes), 0))
    reference = getattr(np.fft, function)
    return OpCase(
        op.name,
        lambda x: calls(op, x, np.array(sizes, np.int32))[0],
        lambda x: reference(x, s=sizes, axes=axes),
        arrays(shape),
        dtypes=dtypes,
        needs_rank=True,
        rtol=1e-4,
        atol=1e-5,
    )


CASES = (
    case("fft", "fft", (2, 5), COMPLEX),
    case("fft of floats", "fft", (6,), FLOATS, norm="ortho"),
    case("fft cut", "fft", (3, 5), COMPLEX, n=3, axis=0),
    case("fft filled", "fft", (5,), COMPLEX, n=8, norm="forward"),
    case("ifft", "ifft", (2, 6), COMPLEX),
    case("fftn", "fftn", (2, 3, 4), COMPLEX),
    case(
        "fftn of axes",
        "fftn",
        (2, 3, 4),
        COMPLEX,
        s=(3, 2),
        axes=(0, 2),
        norm="ortho",
    ),
    case("ifftn", "ifftn", (2, 3), COMPLEX, norm="forward"),
    case("rfft", "rfft", (2, 6), FLOATS),
    case("rfft of an odd size", "rfft", (5,), FLOATS, norm="ortho"),
    case("rfftn", "rfftn", (3, 4), FLOATS, axes=(1, 0)),
    case("irfft", "irfft", (2, 4), COMPLEX),
    case("irfft to an odd size", "irfft", (4,), COMPLEX, n=7, norm="forward"),
    case("irfftn", "irfftn", (3, 4), COMPLEX, s=(3, 5), axes=(0, 1), norm="ortho"),
    case("hfft", "hfft", (5,), COMPLEX),
    case("ihfft", "ihfft", (6,), FLOATS),
    operator(real_spectra.RFFT(), "rfftn", (2, 5), FLOATS, (7,)),
    operator(real_spectra.RFFT2D(), "rfftn", (2, 5), FLOATS, (3, 4)),
    operator(real_spectra.RFFT3D(), "rfftn", (2, 3, 4), FLOATS, (2, 3, 4)),
    operator(real_spectra.IRFFT(), "irfftn", (2, 4), COMPLEX, (6,)),
    operator(real_spectra.IRFFT2D(), "irfftn", (3, 4), COMPLEX, (3, 5)),
    operator(real_spectra.IRFFT3D(), "irfftn", (2, 3, 4), COMPLEX, (2, 3, 6)),
    case("fftshift", "fftshift", (2, 5), FLOATS),
    case("ifftshift", "ifftshift", (2, 5), FLOATS, axes=1),
)
