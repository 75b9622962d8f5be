"""tensorflow.python.ops.control_flow_ops.with_dependencies: a value that is there behind others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.views import plain
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import IndexedSlices
from tensorlite.ops.arrays.identity import identity


@named("control_dependency")
def with_dependencies(
    dependencies: Any, output_tensor: Any, name: str | None = None
) -> Any:
    """Return a tensor that is computed when others were."""
    with control_dependencies([plain(x) for x in dependencies]):
        if isinstance(output_tensor, IndexedSlices):
            return replace(output_tensor, values=identity(output_tensor.values))
        return identity(output_tensor)
