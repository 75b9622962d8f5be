"""Tables among what SavedModels' functions use: the functions that make them, and fill them again.

How objects and functions are written is saving.py's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.state.making import Making
from tensorlite.ops.state.tables import (
    LookupTableExportV2,
    LookupTableImportV2,
    TableState,
)


class KeptTable(NamedTuple):
    """A table as three functions of TensorFlow's loader, and the operator that makes it."""

    op: Making
    keys: Const
    values: Const


def kept_table(state: TableState, name: str) -> KeptTable:
    """Return a table with what it has now."""
    held = LookupTableExportV2().kernel(np, state)
    op = replace(state.maker, shared_name=name)
    return KeptTable(op, *[Const(np.asarray(x)) for x in held])


def making(table: KeptTable, name: str) -> ManualGraph:
    """Return a graph that makes a table, and returns its handle."""
    graph = ManualGraph(name)
    node = graph.append(table.op, (), "table", ())
    graph.outputs, graph.effects = list(node.outputs), [node]
    graph.open = False
    return graph


def filling(table: KeptTable, name: str) -> ManualGraph:
    """Return a graph that takes a table's handle, and fills it."""
    graph = ManualGraph(name)
    handle = graph.add_input(table.op.infer(), "handle")
    graph.effects = [fill(graph, table, handle, "fill")]
    return _ended(graph)


def letting_go(name: str) -> ManualGraph:
    """Return a graph that does nothing when a table is let go: it goes with its handle."""
    return _ended(ManualGraph(name))


def _ended(graph: ManualGraph) -> ManualGraph:
    done = graph.append(Const(np.asarray(1, np.int32)), (), "done", ())
    graph.outputs = list(done.outputs)
    graph.open = False
    return graph


def fill(
    graph: ManualGraph, table: KeptTable, handle: SymbolicTensor, name: str
) -> Node:
    """Add to a graph what fills a table."""
    keys = graph.append(table.keys, (), f"{name}/keys", ())
    values = graph.append(table.values, (), f"{name}/values", ())
    inputs = (handle, *keys.outputs, *values.outputs)
    return graph.append(LookupTableImportV2(), inputs, name, ())
