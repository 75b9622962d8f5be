"""tf.contrib.staging: elements that wait for a later step, each session having its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.v1.pipelines.queues import component_shapes
from tensorlite.compat.views import in_graph, plain
from tensorlite.graph_mode.graph import get_default_graph
from tensorlite.graph_mode.queues import of_sessions
from tensorlite.ops.queues import staging

__all__ = ["StagingArea"]


class StagingArea(staging.StagingArea):
    """What one run puts and another one gets."""

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Any = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        name = shared_name or get_default_graph().free_name("StagingArea")
        with of_sessions():
            super().__init__(
                dtypes,
                component_shapes(shapes),
                names,
                capacity,
                memory_limit,
                f"{name}_root/NoOp",
                shared_name,
            )
        self.name = name

    @property
    def shapes(self) -> list[Any]:
        """Shapes of the components, as far as known."""
        return [as_shape(spec.shape) for spec in self._components]

    def put(self, values: Any, name: str | None = None) -> Any:
        """Return an operator that puts an element in; running it waits where there is no room."""
        put = super().put
        return in_graph(lambda: put(plain(values)), f"{self.name}_put", name)

    def get(self, name: str | None = None) -> Any:
        """Return the element put first, and take it out; running it waits for one."""
        return in_graph(super().get, f"{self.name}_get", name)

    def peek(self, index: Any, name: str | None = None) -> Any:
        """Return the element of a number, which stays; running it waits until it is there."""
        peek = super().peek
        return in_graph(lambda: peek(plain(index)), f"{self.name}_peek", name)

    def size(self, name: str | None = None) -> Any:
        """Return how many elements wait, an int32 scalar."""
        return in_graph(super().size, f"{self.name}_size", name)

    def clear(self, name: str | None = None) -> Any:
        """Return an operator that takes all elements out."""
        return in_graph(super().clear, f"{self.name}_clear", name)
