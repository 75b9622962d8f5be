"""tf.math.confusion_matrix: how often each class was predicted for each, which is checked."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite import math
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import checks
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import as_dtype, int32, int64
from tensorlite.core.errors import ShapeError
from tensorlite.core.spec import merge


@named("confusion_matrix", "SparseTensorDenseAdd")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Any:
    """Return how often each class, by rows, was predicted as each, by columns.

    num_classes is one more than the greatest unless given; `weights` are counted instead of 1.
    Raises an InvalidArgumentError for numbers below 0 or beyond num_classes.
    """
    rows, columns = converted(labels), converted(predictions)
    rows, columns = _same_rank(rows, columns), _same_rank(columns, rows)
    each = None if weights is None else converted(weights)
    rows, columns = (
        _counted(what, tl.astype(x, int64), num_classes)
        for what, x in (("`labels`", rows), ("`predictions`", columns))
    )
    try:
        merge(rows.spec.shape, columns.spec.shape)
    except ShapeError as error:
        raise ShapeError(
            f"confusion_matrix: shapes of labels and predictions must be equal: {error}"
        ) from None
    return math.confusion_matrix(rows, columns, num_classes, each, as_dtype(dtype))


def _counted(what: str, classes: Any, count: Any) -> Any:
    """Return numbers of classes, of which it is asserted that they are such."""
    least = f"{what} contains negative values"
    asked = [checks.assert_non_negative(classes, least)]
    if count is not None:
        limit = converted(count, int64)
        most = f"{what} out of bound"
        asked.append(checks.assert_less(classes, tl.astype(limit, int64), most))
    with tl.control_dependencies(plain([one for one in asked if one is not None])):
        return tl.identity(classes)


def _same_rank(x: Any, other: Any) -> Any:
    """Return labels without a last axis of one that the others have not."""
    rank, others = x.spec.rank, other.spec.rank
    longer = rank is not None and others is not None and rank == others + 1
    return tl.squeeze(x, -1) if longer else x
