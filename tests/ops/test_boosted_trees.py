"""Ensembles of boosted trees: categories, several classes, and messages that are none."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tensorlite.core.errors import DataLossError, InvalidArgumentError
from tensorlite.ops.records.wire import field
from tensorlite.ops.state.boosted_trees import Ensemble, trees_of


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def vector(*values: float) -> bytes:
    """Return a leaf for several classes, as a node."""
    return field(1, field(1, field(1, floats(*values))))


def ensemble(*nodes: bytes, weight: float = 1.0) -> bytes:
    tree = b"".join([field(1, node) for node in nodes])
    return field(1, tree) + field(2, floats(weight))


def split(kind: int, limit: int, left: int, right: int) -> bytes:
    places = enumerate([0, limit, left, right, 0], 1)
    return field(kind, b"".join([field(i, x) for i, x in places]))


def test_categories_and_several_classes() -> None:
    made = Ensemble()
    nodes = split(3, 2, 1, 2), vector(1.0, 2.0), vector(3.0, 4.0)
    made.put(1, ensemble(*nodes, weight=0.5))
    found = made.logits([np.array([2, 0, 3], np.int32)], 2)
    assert found.tolist() == [[0.5, 1], [1.5, 2], [1.5, 2]]


def test_features_may_have_columns() -> None:
    made = Ensemble()
    made.put(1, ensemble(split(2, 1, 1, 2), vector(1.0), vector(2.0)))
    assert made.logits([np.array([[1], [2]], np.int32)], 1).tolist() == [[1], [2]]


def test_nodes_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(DataLossError, match="not there"):
        trees_of(ensemble(split(2, 1, 1, 9), vector(1.0)))
    made = Ensemble()
    made.put(1, ensemble(split(2, 1, 1, 1), split(2, 1, 0, 0)))
    with pytest.raises(DataLossError, match="without end"):
        made.logits([np.zeros(1, np.int32)], 1)


def test_messages_that_are_none_are_refused() -> None:
    with pytest.raises(DataLossError, match="2 trees and 1 weights"):
        trees_of(ensemble(vector(1.0)) + field(1, b""))
    with pytest.raises(DataLossError, match="cut off"):
        trees_of(ensemble(vector(1.0))[:-1])
    with pytest.raises(InvalidArgumentError, match="by numbers"):
        trees_of(ensemble(field(4, field(1, 1))))
