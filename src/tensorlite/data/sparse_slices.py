"""Datasets of the rows of a sparse tensor as three tensors each, as TensorFlow 1 has them."""

from __future__ import annotations

from typing import Any

from tensorlite.core.errors import DTypeError
from tensorlite.core.spec import TensorSpec
from tensorlite.data.base import Recipe
from tensorlite.data.variants import changed
from tensorlite.ops.sparse.tensor import SparseTensor


def sparse_rows_of(kind: Any, sparse: Any) -> Any:
    """Return a dataset of the rows of a sparse tensor: indices, values and shape of each.

    >>> from tensorlite.data.sparse_slices import sparse_rows_of
    >>> x = tl.sparse.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], (3, 2))
    >>> [[part.tolist() for part in row] for row in sparse_rows_of(tl.data.Dataset, x)]
    [[[[1]], [5.0], [2]], [[], [], [2]], [[[0]], [6.0], [2]]]
    """
    if not isinstance(sparse, SparseTensor):
        raise DTypeError(
            f"from_sparse_tensor_slices: {sparse!r}; allowed are SparseTensors"
        )
    rows = kind.from_tensor_slices(sparse)
    specs: tuple[TensorSpec, ...] = tuple(rows.element_spec)
    made = changed(rows, tuple, specs)
    recipe = Recipe("SparseTensorSliceDataset", state=tuple(sparse))
    return made._altered(recipe=lambda: recipe)  # noqa: SLF001  a kin
