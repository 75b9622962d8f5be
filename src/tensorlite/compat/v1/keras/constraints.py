"""tf.keras.constraints of version 1: names that version 2 has not."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import constraints
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere


class RadialConstraint(constraints.Constraint):
    """Kernels of images, of which values as far from the middle are the same."""

    @anywhere
    def __call__(self, w: Any) -> Any:
        height, width = (int(x) for x in w.shape[:2])
        if len(w.shape) != 4 or height != width:
            raise ValueError(
                "The weight tensor must be of rank 4 with equal height and width, but is of shape: "
                f"{tuple(w.shape)}"
            )
        middle, whole = (height - 1) // 2, height - 1
        rings = [
            [min(i, j, whole - i, whole - j) for j in range(width)]
            for i in range(height)
        ]
        ring = tl.asarray([[min(x, middle) for x in row] for row in rings])
        own = tl.stack([w[i, middle] for i in range(middle + 1)])
        return tl.gather(own, ring, axis=0)


radial_constraint = RadialConstraint
__dir__ = listing(__name__, globals(), vars(constraints))
__getattr__ = rest_of(constraints, __name__, globals())
