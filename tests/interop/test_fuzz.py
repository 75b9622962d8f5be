"""Damaged GraphDefs are read or refused: no crash, no hang, no memory without end."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tensorlite.core.errors import GraphDefError, GraphError
from tensorlite.graph.graph import Graph
from tensorlite.graph.ordering import ordered
from tensorlite.interop.tensorflow.tensors import proto_of
from tensorlite.ops.control.dataflow import NoOp
from tests.interop.fuzzing import fuzz


@pytest.mark.parametrize("seed", range(3))
def test_hundreds_are_read_or_refused(seed: int) -> None:
    found = fuzz(seed, 150)
    assert found["read"] > 0
    assert len(found) > 2
    assert found["an error that says nothing"] == 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(100, 104))
def test_a_hundred_thousand_are_read_or_refused(seed: int) -> None:
    command = [sys.executable, "-m", "tests.interop.fuzzing", str(seed), "25000"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_numbers_in_a_tensor_of_strings_are_refused() -> None:
    with pytest.raises(GraphDefError, match="a tensor of strings holds 0, a int"):
        proto_of(np.zeros((), object))


def test_nodes_that_wait_for_each_other_are_refused() -> None:
    graph = Graph()
    first = graph.append(NoOp(), (), "first")
    second = graph.append(NoOp(), (), "second", (first,))
    first.control = (second,)
    with pytest.raises(GraphError, match="wait for each other"):
        ordered(graph.nodes)
