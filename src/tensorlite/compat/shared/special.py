"""tf.math.special: Bessel's functions and some integrals, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from tensorlite import math
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.elementwise import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
)
from tensorlite.compat.shared.making import unary

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "dawsn",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "spence",
]

bessel_j0 = unary("bessel_j0", math.bessel_j0)
bessel_j1 = unary("bessel_j1", math.bessel_j1)
bessel_k0 = unary("bessel_k0", math.bessel_k0)
bessel_k0e = unary("bessel_k0e", math.bessel_k0e)
bessel_k1 = unary("bessel_k1", math.bessel_k1)
bessel_k1e = unary("bessel_k1e", math.bessel_k1e)
bessel_y0 = unary("bessel_y0", math.bessel_y0)
bessel_y1 = unary("bessel_y1", math.bessel_y1)
dawsn = unary("dawsn", math.dawsn)
expint = unary("expint", math.expint)
fresnel_cos = unary("fresnel_cos", math.fresnel_cos)
fresnel_sin = unary("fresnel_sin", math.fresnel_sin)
spence = unary("spence", math.spence)


__dir__ = listing("math.special", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("math.special", name, __all__)
