"""An operator of your own: kernel, inference and gradient; and a gradient of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.extend import Call, Grads, call


class PairwiseDistances(tl.Op):
    """The squared distances between the rows of two matrices; `scale` is an attribute."""

    scale: float = 1.0

    def infer(self, a: tl.TensorSpec, b: tl.TensorSpec) -> tl.TensorSpec:
        """Return [n, m] for [n, d] and [m, d]."""
        if a.rank != 2 or b.rank != 2 or a.dims[1] != b.dims[1]:
            raise tl.errors.ShapeError(
                f"PairwiseDistances takes [n, d] and [m, d], not {a} and {b}"
            )
        return tl.TensorSpec((a.dims[0], b.dims[0]), a.dtype)

    def kernel(self, xp: Any, a: Any, b: Any) -> Any:
        """Return the distances; `xp` is NumPy, or CuPy on a GPU."""
        return self.scale * xp.sum(xp.square(a[:, None, :] - b[None, :, :]), axis=-1)

    def grad(self, call: Call, dy: tl.Tensor) -> Grads:
        """Return the gradient by both matrices, with functions that are differentiable again."""
        a, b = call.inputs
        flow = 2.0 * self.scale * dy[:, :, None] * (a[:, None, :] - b[None, :, :])
        return tl.sum(flow, axis=1), -tl.sum(flow, axis=0)


def distances(a: tl.Tensor, b: tl.Tensor, scale: float = 1.0) -> tl.Tensor:
    """Return the scaled squared distances between the rows of `a` and of `b`."""
    return call(PairwiseDistances(scale), a, b)


@tl.custom_gradient
def clipped(x: tl.Tensor) -> tuple[tl.Tensor, Callable[[tl.Tensor], tl.Tensor]]:
    """Return `x` itself, and a gradient that is cut to [-1, 1]."""
    return x * 1.0, lambda dy: tl.clip(dy, -1.0, 1.0)


def main() -> tuple[float, list[float]]:
    """Return how far slope and finite difference are apart, and a clipped gradient."""
    a = tl.asarray(np.random.default_rng(0).standard_normal((4, 3)))
    b = tl.asarray(np.random.default_rng(1).standard_normal((5, 3)))
    with tl.GradientTape() as tape:
        tape.watch(a)
        total = tl.sum(distances(a, b, 0.5))
    slope = tape.gradient(total, a)

    step = np.zeros((4, 3))
    step[1, 2] = 1e-6
    rise = tl.sum(distances(a + step, b, 0.5)) - tl.sum(distances(a - step, b, 0.5))
    error = abs(float(rise) / 2e-6 - float(slope[1, 2]))
    print(f"slope {slope[1, 2]}, which finite differences meet to {error:.1e}")

    x = tl.asarray([0.1, 5.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(clipped(x) ** 2)
    cut: list[float] = tape.gradient(y, x).tolist()
    print("gradient of x**2, clipped on its way:", cut)
    return error, cut


if __name__ == "__main__":
    main()
