"""Tensors: making them, computing with them, and what NumPy has to do with it."""

from __future__ import annotations

import numpy as np

import tensorlite as tl


def standardised(x: tl.Tensor) -> tl.Tensor:
    """Return the columns of `x` shifted and scaled to mean 0 and deviation 1."""
    return (x - tl.mean(x, axis=0)) / tl.std(x, axis=0)


def main() -> dict[str, tl.Tensor]:
    """Print some tensors and return them by name."""
    heights = tl.asarray([[1.60, 55.0], [1.75, 70.0], [1.90, 88.0]])
    print(repr(heights))

    # Python's operators and the Array API's functions; shapes broadcast as NumPy's do.
    index = heights[:, 1] / heights[:, 0] ** 2
    print("body mass index:", index)
    scaled = standardised(heights)
    print("standardised:", scaled, sep="\n")

    # Integers stay integers, and adapt to floating-point numbers beside them.
    steps = tl.arange(3)
    print(steps.dtype, (steps * 0.5).dtype, tl.sum(steps).item())

    # Indexing as NumPy's; there are no views, so a row taken before an assignment keeps its values.
    capped = tl.minimum(heights, 80.0)
    tall = heights[heights[:, 0] > 1.7]
    changed = tl.asarray(heights, copy=True)
    before = changed[0]
    changed[0, 1] = 60.0
    print(f"{len(tall)} tall; first row now {changed[0]}, before {before}")

    # NumPy's functions take tensors, and the other way round.
    norm = np.linalg.norm(np.asarray(heights), axis=1)
    print("norms:", tl.asarray(norm))
    return {
        "index": index,
        "scaled": scaled,
        "capped": capped,
        "tall": tall,
        "changed": changed,
    }


if __name__ == "__main__":
    main()
