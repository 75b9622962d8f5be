"""Sums and maxima of sparse tensors, dense or sparse, which both TensorFlows have alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import converted, given_constant
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor, as_sparse
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import ShapeError
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.sparse.forms import (
    SparseReduceMax,
    SparseReduceMaxSparse,
    SparseReduceSum,
    SparseReduceSumSparse,
)


def _reduced(
    dense: type[Composite], sparse: type[Composite], what: str
) -> Callable[..., Any]:
    def made(
        sp_input: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        output_is_sparse: bool = False,
        name: str | None = None,
    ) -> Any:
        sp = as_sparse(sp_input)
        axes = given_constant(_every(sp), int32) if axis is None else axis
        kind: Any = sparse if output_is_sparse else dense
        return _over(kind(bool(keepdims)), sp, axes, name)

    return documented(made, f"Return the {what} of elements along axes, all if None.")


def _over(op: Composite, sp: Any, axes: Any, name: str | None) -> Any:
    """Return what an operator makes along axes of a sparse tensor: one or the other kind."""

    def found() -> Any:
        made = composed(op, *plain(sp), plain(converted(axes, int32)))
        return SparseTensor(*made) if isinstance(made, (list, tuple)) else made

    return in_graph(found, op.name, name)


def _every(sp: Any) -> Any:
    if sp.rank is None:
        raise ShapeError(
            "the rank of this SparseTensor is unknown, and is needed here"
        )
    return list(range(sp.rank))


reduce_sum = _reduced(SparseReduceSum, SparseReduceSumSparse, "sums")
reduce_max = _reduced(SparseReduceMax, SparseReduceMaxSparse, "greatest")
