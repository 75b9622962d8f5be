"""SplitVariable: a table whose rows lie on several tasks, for embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import device
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import Shape, Tensor, TensorLike
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.fetchable import Fetchable, group
from tensorlite.ops.nn.embedding import embedding_lookup
from tensorlite.train.module import Module
from tensorlite.train.rows import RowPart


class SplitVariable(Module, Operand):
    """A variable whose rows lie in several parts, each with the optimizer's slots of its rows.

    A model's variables list the parts in its place. Rows are read, and their gradients sent,
    where they lie; read whole, it is put together. A checkpoint holds one tensor.

    >>> table = tl.distribute.SplitVariable(tl.ones((5, 2)), ["/device:CPU:0"] * 2, name="table")
    >>> [part.shape for part in table.parts], table.sparse_read([4, 0]).shape
    ([(3, 2), (2, 2)], (2, 2))
    """

    def __init__(
        self,
        initial: TensorLike,
        places: Sequence[str | DeviceName],
        trainable: bool = True,
        name: str = "Variable",
        dtype: DTypeLike | None = None,
        shape: Shape | None = None,
    ) -> None:
        with interpreted_by(None):
            value = to_tensor(initial)
            value = value if dtype is None else astype(value, as_dtype(dtype))
        rows = value.shape[0] if value.ndim else 0
        if isinstance(places, (str, DeviceName)):
            raise DTypeError(
                f"{name}: places={places!r}; give a list of devices, such as cluster.job('ps')"
            )
        if not places or rows < len(places) or shape not in (None, value.shape):
            raise InvalidArgumentError(
                f"{name}: a tensor of shape {shape_text(value.shape)} cannot be split into "
                f"{len(places)} parts by rows; each has a row at least, and all sizes are fixed"
            )
        self.name, self.trainable = name, trainable
        self.shape: Shape = value.shape
        self.dtype: DType = value.dtype
        self.starts = starts_of(rows, len(places))
        self.parts: list[RowPart] = []
        whole, options = object(), {"trainable": trainable, "name": name}
        bounds = zip(places, self.starts[:-1], self.starts[1:], strict=True)
        for i, (place, start, end) in enumerate(bounds):
            with interpreted_by(None):
                part = value[start:end]
            with device(None), device(place):
                self.parts.append(RowPart(part, i, start, whole, **options))

    def __tensor__(self) -> Tensor:
        """Return the value as it is now, put together."""
        return concat([part.value() for part in self.parts])

    def value(self) -> Tensor:
        """Return the value as it is now, put together."""
        return self.__tensor__()

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the value as a read-only NumPy array."""
        return self.__tensor__().numpy()

    def sparse_read(self, indices: TensorLike) -> Tensor:
        """Return the rows at `indices`, each part asked for its own; the gradients are sparse."""
        return embedding_lookup(self.parts, indices, "div")

    def assign(self, value: TensorLike) -> Fetchable:
        """Make `value` the variable's; ShapeError or DTypeError when it does not fit."""
        whole = to_tensor(value)
        if whole.shape != self.shape:
            raise ShapeError(
                f"the variable has shape {shape_text(self.shape)}, the value "
                f"{shape_text(whole.shape)}; they must be equal"
            )
        bounds = zip(self.parts, self.starts[:-1], self.starts[1:], strict=True)
        return group(*[part.assign(whole[a:b]) for part, a, b in bounds])

    def __repr__(self) -> str:
        where = ", ".join(str(part.device) for part in self.parts)
        return (
            f"SplitVariable(name={self.name!r}, shape={self.shape}, dtype={self.dtype.name}, "
            f"on {where})"
        )


def starts_of(rows: int, count: int) -> list[int]:
    """Return where each part begins, and the last ends; the first are longer by one where due."""
    short, longer = divmod(rows, count)
    return [i * short + min(i, longer) for i in range(count + 1)]
