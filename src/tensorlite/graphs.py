"""`tl.graphs`: run, print, draw and carry a `tl.Graph`. Names only, and `run` in tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import device_of
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.text import to_dot, to_svg, to_text
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.runtime.step import execute

__all__ = ["from_bytes", "run", "to_bytes", "to_dot", "to_svg", "to_text"]


def __dir__() -> list[str]:
    return __all__


def run(
    graph: Graph,
    fetches: Sequence[Tensor | Node],
    feeds: Mapping[Any, Any] | None = None,
    runner: str | None = None,
) -> tuple[Tensor, ...]:
    """Return the values of `fetches`, given those of the graph's inputs in `feeds`.

    Values may be tensors, arrays and numbers; nodes among the fetches are run and give none.
    `runner` forces "straight", "structured" or "frames". Raises InvalidArgumentError for an input
    without a value or a value that does not fit.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = graph.add_input(tl.TensorSpec((2,)), name="x")
    ...     y = tl.raw_ops.AddV2(x=x, y=x)
    >>> print(*tl.graphs.run(graph, [y], {x: [1.0, 2.0]}))
    [2. 4.]
    """
    arrays = execute(graph, feeds or {}, fetches, runner)
    return tuple([EagerTensor(array, device_of(array)) for array in arrays])
