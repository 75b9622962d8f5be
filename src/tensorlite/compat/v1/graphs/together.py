"""tf.tuple: tensors that are there when all of them are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.manual import ManualGraph, building
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.fetchable import effect


@named("tuple", inner=None)
def tuple_(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """Return the tensors, each of which waits until all of them are there; None stays None."""
    return together(list(tensors), NoOp(), control_inputs or ())


def together(
    values: Sequence[Any], meeting: NoOp, others: Sequence[Any] = ()
) -> list[Any]:
    """Return values each of which waits for all, and for others, by a node where these meet."""
    awaited = [_dense(x) for x in values if x is not None]
    with control_dependencies([*awaited, *others]):
        tracer = building()
        if tracer is None or not isinstance(tracer.graph, ManualGraph):
            return [None if x is None else _behind(x) for x in values]
        gate = in_graph(lambda: effect(meeting), "group_deps")
    with control_dependencies([plain(gate)]):
        return [None if x is None else _behind(x) for x in values]


def _dense(x: Any) -> Any:
    return x.values if isinstance(x, IndexedSlices) else x


def _behind(x: Any) -> Any:
    """Return a value that waits for what is asked for around."""
    made = plain(in_graph(lambda: identity(_dense(x)), "control_dependency"))
    return replace(x, values=made) if isinstance(x, IndexedSlices) else made
