"""What graphs compute before they make a dataset, as nodes of TensorFlow's kinds and names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tensorlite.core.tensor import Tensor
from tensorlite.data.base import Composed, Nodes
from tensorlite.data.given import is_symbolic
from tensorlite.ops.arrays.selecting import Select
from tensorlite.ops.arrays.shape import Reshape
from tensorlite.ops.math.compare import Equal, LogicalAnd

LARGEST = 2**31 - 1
"""The second seed that stands for two zeros, which would be no seeds."""


def second_seed(value: Any) -> Composed:
    """Return what makes the second of two seeds, of which one is not zero."""

    def made(nodes: Nodes, before: Mapping[str, Tensor]) -> Tensor:
        first = before["seed"]
        with nodes.inside("seed2") as whole:
            given = value
            if not isinstance(value, Tensor):
                given = nodes.constant(np.asarray(value, np.int64), "Const")
            both = []
            for seed in (first, given):
                with nodes.inside("Equal") as equal:
                    zero = nodes.constant(np.asarray(0, np.int64), "y")
                    both.append(nodes.last(Equal(), (seed, zero), equal))
            none = nodes.node(LogicalAnd(), both, "LogicalAnd")
            other = nodes.constant(np.asarray(LARGEST, np.int64), "Const")
            return nodes.last(Select(), (none, other, given), whole)

    return made


def flat_names(names: Tensor) -> Composed:
    """Return what makes one row of the names of files."""

    def made(nodes: Nodes, _: Mapping[str, Tensor]) -> Tensor:
        given = names
        if not is_symbolic(names):
            given = nodes.constant(names, "Const")
        with nodes.inside("flat_filenames") as whole:
            shape = nodes.constant(np.asarray([-1], np.int32), "shape")
            return nodes.last(Reshape(), (given, shape), whole)

    return made
