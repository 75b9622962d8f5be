"""InputSpec: what a layer says its inputs must be like, and the check of that."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import ShapeError
from tensorlite.core.shapes import TensorShape


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
        optional: bool = False,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = None if shape is None else tuple(TensorShape(shape))
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        self.name, self.optional = name, optional
        self.allow_last_axis_squeeze = allow_last_axis_squeeze

    def get_config(self) -> dict[str, Any]:
        kept = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes", "optional")
        return {key: getattr(self, key) for key in kept}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        return cls(**config)

    def check(self, x: Any, layer: str, place: int = 0) -> None:
        """Refuse a tensor that is not as it must be."""
        sizes = tuple(x.get_shape().as_list())
        found = self._unlike(sizes, x.dtype.name)
        if found is not None:
            raise ShapeError(
                f"Input {place} with name '{self.name}' of layer '{layer}' is incompatible with "
                f"the layer: {found}"
            )

    def _unlike(self, sizes: tuple[Any, ...], dtype: str) -> str | None:
        """Return in what a tensor is not as it must be."""
        rank = len(sizes)
        whole = f"Full shape received: {sizes}"
        if self.ndim not in (None, rank) and not self.allow_last_axis_squeeze:
            return f"expected ndim={self.ndim}, found ndim={rank}. {whole}"
        if self.max_ndim is not None and rank > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        if self.min_ndim is not None and rank < self.min_ndim:
            return f"expected min_ndim={self.min_ndim}, found ndim={rank}. {whole}"
        if self.dtype not in (None, dtype):
            return f"expected dtype={self.dtype}, found dtype={dtype}"
        for axis, wanted in self.axes.items():
            if wanted is not None and sizes[axis] not in (None, wanted):
                return (
                    f"expected axis {axis} of input shape to have value {wanted}, but received "
                    f"input with shape {sizes}"
                )
        if self.shape is not None and not self._fits(sizes):
            return f"expected shape={self.shape}, found shape={sizes}"
        return None

    def _fits(self, sizes: tuple[Any, ...]) -> bool:
        wanted = tuple(self.shape or ())
        if self.allow_last_axis_squeeze:
            wanted, sizes = (x[:-1] if x[-1:] == (1,) else x for x in (wanted, sizes))
        pairs = zip(wanted, sizes, strict=False)
        return all(None in (x, y) or x == y for x, y in pairs)


def check_inputs(spec: Any, inputs: Any, layer: str) -> None:
    """Refuse inputs of a layer that are not as its specs say."""
    specs, given = nests.flatten(spec), nests.flatten(inputs)
    if isinstance(inputs, dict) and all(
        one is not None and one.name for one in specs
    ):
        missing = [one.name for one in specs if one.name not in inputs]
        if missing:
            raise ShapeError(
                f'Missing data for input "{missing[0]}". You passed a data dictionary with keys '
                f"{list(inputs)}. Expected the following keys: {[x.name for x in specs]}"
            )
        given = [inputs[one.name] for one in specs]
    if len(specs) != len(given):
        raise ShapeError(
            f'Layer "{layer}" expects {len(specs)} input(s), but it received {len(given)} input '
            f"tensors. Inputs received: {given}"
        )
    for place, (one, x) in enumerate(zip(specs, given, strict=True)):
        known = hasattr(x, "shape") and x.get_shape().rank is not None
        if one is not None and known:
            one.check(x, layer, place)
