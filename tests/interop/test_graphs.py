"""Graphs that TensorFlow made give what TensorFlow gave: as they are, raised, and written again.

The graphs and their values are in data/graphs, with the script that made them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphGrowthWarning
from tensorlite.interop.tensorflow import from_graphdef, to_graphdef
from tensorlite.interop.tensorflow.messages import message
from tensorlite.ops.control.raising import passes_primitives, raise_control_flow
from tests.interop.graphdefs import Session

FOLDER = Path(__file__).parent / "data" / "graphs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.npz"))
# Gradients are asked for between runs, one after the other.
GROWS = f"ignore::{GraphGrowthWarning.__module__}.{GraphGrowthWarning.__name__}"
pytestmark = pytest.mark.filterwarnings(GROWS)


class Recorded:
    """A graph, and what TensorFlow gave when it ran it."""

    def __init__(self, name: str) -> None:
        held = np.load(FOLDER / f"{name}.npz")
        self.arrays = {key: held[key] for key in held.files if key != "meta"}
        self.meta: Any = json.loads(str(held["meta"]))
        self.proto = self.arrays["graph"].tobytes()

    def check(self, session: Session) -> None:
        """Take all steps; each must give what it gave."""
        for number, step in enumerate(self.meta["steps"]):
            nodes = [session.graph.get_operation_by_name(x) for x in step["targets"]]
            names, feeds = list(step["fetches"]), self.fed(step)
            if step["error"]:
                with pytest.raises(getattr(tl.errors, step["error"])):
                    session.run([names, nodes], feeds)
                continue
            values = session.run([names, nodes], feeds)[0]
            for name, value in zip(names, values, strict=True):
                self.same(value, step["fetches"][name], f"step {number}, {name}")

    def check_gradients(self, session: Session) -> None:
        """Differentiate; each gradient must be what it was."""
        graph: Any = session.graph
        for asked in self.meta["gradients"]:
            with graph.as_default():
                y = graph.get_tensor_by_name(asked["y"])
                xs = [graph.get_tensor_by_name(x) for x in asked["xs"]]
                found = list(map(tl.densify, tl.gradients(y, xs)))
            values = session.run(found, self.fed(asked))
            for x, value, key in zip(
                asked["xs"], values, asked["values"], strict=True
            ):
                self.same(value, key, f"the gradient of {asked['y']} by {x}")

    def fetched(self, graph: Any) -> list[tl.SymbolicTensor]:
        """Return the tensors that the steps fetch."""
        names = [x for step in self.meta["steps"] for x in step["fetches"]]
        return [graph.get_tensor_by_name(x) for x in names]

    def fed(self, asked: Any) -> dict[str, Any]:
        return {x: self.arrays[key] for x, key in asked["feeds"].items()}

    def same(self, value: Any, key: str, what: str) -> None:
        found, wanted = np.asarray(value), self.arrays[key]
        if wanted.dtype.kind == "S":
            assert found.tolist() == wanted.tolist(), what
            return
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), what
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5, err_msg=what)


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_what_tensorflow_gave(name: str) -> None:
    recorded = Recorded(name)
    session = Session(from_graphdef(recorded.proto))
    recorded.check(session)
    recorded.check_gradients(session)


LOOPS = [name for name in NAMES if b"Merge" in Recorded(name).proto]


@pytest.mark.parametrize("name", LOOPS)
def test_raised_it_gives_the_same(name: str) -> None:
    recorded = Recorded(name)
    graph = from_graphdef(recorded.proto)
    raise_control_flow(graph)
    assert not passes_primitives(recorded.fetched(graph))
    recorded.check(Session(graph))


def _written(graph: tl.Graph) -> tl.Graph:
    return from_graphdef(to_graphdef(graph).SerializeToString())


@pytest.mark.parametrize("name", NAMES)
def test_written_and_read_again_it_gives_the_same(name: str) -> None:
    recorded = Recorded(name)
    recorded.check(Session(_written(from_graphdef(recorded.proto))))


@pytest.mark.parametrize("name", ["cond_in_while", "dynamic_rnn", "while_nested"])
def test_on_two_devices_it_gives_the_same(name: str) -> None:
    recorded = Recorded(name)
    proto = message("GraphDef").FromString(recorded.proto)
    for i, node in enumerate(proto.node):
        if node.op in {"Mul", "Tanh", "AddV2", "MatMul", "Sin"}:
            node.device = f"/device:CPU:{i % 2}"
    tl.config.set_logical_devices("CPU", 2)
    try:
        recorded.check(Session(from_graphdef(proto)))
    finally:
        tl.config.set_logical_devices("CPU", 1)
