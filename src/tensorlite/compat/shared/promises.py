"""What is promised of tensors, and joined at once: functions that few programs call."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared.arrays import expand_dims, tensors_of
from tensorlite.compat.views import plain
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.composite import composed
from tensorlite.ops.older_forms import GuaranteeConst, ParallelConcat


@named("parallel_stack", "ParallelConcat")
def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    """Return tensors of one shape joined along a new first axis."""
    parts = tensors_of(values)
    known = parts[0].spec.shape if parts else None
    if active_graph() is None or known is None or None in known:
        return tl.stack(parts)
    rows = [plain(expand_dims(x, 0)) for x in parts]
    return composed(ParallelConcat((len(parts), *known)), *rows)


@named("GuaranteeConst")
def guarantee_const(input: Any, name: str | None = None) -> Any:
    """Return the tensor as it is; that it never changes is a promise not made use of."""
    return composed(GuaranteeConst(), converted(input))
