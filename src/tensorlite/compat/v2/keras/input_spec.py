"""InputSpec: what a layer says its inputs must be like, and the check of that."""

from __future__ import annotations

from typing import Any

from tensorlite.core.errors import ShapeError


class InputSpec:
    """What a layer's inputs must be like."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
    ) -> None:
        self.dtype, self.shape, self.ndim = dtype, shape, ndim
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, axes or {}

    def check(self, x: Any, layer: str) -> None:
        rank = len(x.shape)
        fits = (
            (self.ndim is None or rank == self.ndim)
            and (self.min_ndim is None or rank >= self.min_ndim)
            and (self.max_ndim is None or rank <= self.max_ndim)
        )
        sizes = {
            axis: x.shape[axis] for axis in self.axes if -rank <= int(axis) < rank
        }
        for axis, size in sizes.items():
            wanted = self.axes[axis]
            fits = fits and (None in (wanted, size) or wanted == size)
        if not fits:
            wanted_text = [
                f"{name}={value}"
                for name, value in vars(self).items()
                if value and name not in {"dtype", "name"}
            ]
            raise ShapeError(
                f"the layer {layer} takes inputs of {', '.join(wanted_text)}; this one has the "
                f"shape {tuple(x.shape)}"
            )
