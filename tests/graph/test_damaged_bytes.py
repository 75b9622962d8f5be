"""Bytes that are damaged, or made to do harm, give GraphError and nothing else."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.errors import GraphError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.attributes import LARGEST, NESTING
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.text import to_text
from tensorlite.graph.wire import DEPTH, HEADER, MAGIC, VERSION, from_bytes, to_bytes
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.regions import If
from tensorlite.passes.verify import verify
from tests.programs import graph_of


def opened(data: bytes) -> tuple[Any, bytes]:
    """Return the structure and the arrays of bytes."""
    _, _, size = HEADER.unpack_from(data)
    return json.loads(data[HEADER.size :][:size]), data[HEADER.size + size :]


def closed(structure: Any, payload: bytes = b"", version: int = VERSION) -> bytes:
    """Return bytes with a structure, which may be the text of one."""
    text = (
        structure if isinstance(structure, bytes) else json.dumps(structure).encode()
    )
    return HEADER.pack(MAGIC, version, len(text)) + text + payload


def sample() -> bytes:
    """Return the bytes of a graph with constants, a branch, devices and an effect."""

    def program(x: tl.Tensor) -> tl.Tensor:
        with tl.device("/device:CPU:0"):
            tl.print("x", x)
        return cond(tl.sum(x) > 0, lambda: x * np.ones(3, np.float32), lambda: -x)

    return to_bytes(graph_of(program, [TensorSpec((None, 3), name="x")]))


SAMPLE = sample()
STRUCTURE, PAYLOAD = opened(SAMPLE)


def changed(*path: Any, to: Any) -> bytes:
    """Return the sample with one entry of its structure changed."""
    structure = json.loads(json.dumps(STRUCTURE))
    at = structure
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return closed(structure, PAYLOAD)


def deep(levels: int) -> Any:
    """Return a list in a list in a list."""
    data: Any = 1
    for _ in range(levels):
        data = [data]
    return data


FIRST = ("graphs", 0, "nodes", 0)
BROKEN = [
    (b"", "0 bytes are too few"),
    (b"PK\3\4" + SAMPLE[4:], "no graph: they begin with"),
    (closed(STRUCTURE, PAYLOAD, 7), "version 7; this library reads 1"),
    (SAMPLE[: HEADER.size + 9], "is cut off: .* 9 left"),
    (SAMPLE[:-1], "left"),
    (SAMPLE + b"\0", "1 bytes are left behind"),
    (closed(b"{" * 100_000), "structure of the graph is damaged"),
    (closed(b"[" * 100_000), "structure of the graph is damaged"),
    (closed(b'{"lines": NaN}'), "NaN is no JSON"),
    (closed(b"\xff"), "structure of the graph is damaged"),
    (closed(b"9" * 5000), "structure of the graph is damaged"),
    (closed([]), "the whole should be an object, not a list"),
    (closed({"graphs": []}), "the whole lacks 'lines'"),
    (closed({"lines": [], "arrays": [], "graphs": []}), "there is no graph"),
    (closed({**STRUCTURE, "code": "x"}), "unknown entry 'code'"),
    (changed(*FIRST, "op", to="NoSuchOp"), "node 0 of .*no operator 'NoSuchOp' here"),
    (changed(*FIRST, "op", to="__class__"), "no operator '__class__' here"),
    (
        changed(*FIRST, "attributes", "axis", to=1),
        "attributes of Placeholder has .*entry 'axis'",
    ),
    (
        changed(*FIRST, "attributes", to={}),
        "Placeholder cannot be made of its attributes",
    ),
    (
        changed(*FIRST, "attributes", "spec", to=5),
        "'spec' of Placeholder should be .*TensorSpec",
    ),
    (changed(*FIRST, "attributes", "spec", to={"code": 1}), "unknown kind 'code'"),
    (
        changed(*FIRST, "attributes", "spec", to={"op": 1, "list": 2}),
        "one kind, not 2",
    ),
    (
        changed(*FIRST, "attributes", "spec", to=deep(NESTING + 1)),
        f"more than {NESTING} deep",
    ),
    (
        changed(*FIRST, "outputs", 0, to={"dtype": "object", "shape": []}),
        "'object' is the name of",
    ),
    (changed(*FIRST, "outputs", 0, "shape", to=[-1]), "a size should be .*, not -1"),
    (
        changed(*FIRST, "outputs", 0, "shape", to=[True]),
        "a size should be .*, not True",
    ),
    (changed(*FIRST, "outputs", 0, "shape", to=[LARGEST]), "a size should be"),
    (
        changed(*FIRST, "outputs", 0, "known", to=["x"]),
        "a known value should be of ints",
    ),
    (changed(*FIRST, "outputs", 0, "trainable", to=1), "a flag should be"),
    (changed(*FIRST, "name", to=None), "the name of node 0 of .* should be a string"),
    (
        changed("graphs", 0, "nodes", 1, "name", to="x"),
        "two nodes of .* are named 'x'",
    ),
    (changed(*FIRST, "inputs", to=[0]), "x comes before x, which it uses"),
    (changed(*FIRST, "control", to=[1]), "x comes before .*, which it uses"),
    (
        changed(*FIRST, "inputs", to=[1000]),
        "an input of x should be .* below .*, not 1000",
    ),
    (changed(*FIRST, "device", to="/task:abc"), "device's name cannot be read"),
    (changed(*FIRST, "line", to=10**6), "the line of node 0"),
    (changed("graphs", 0, "outputs", to=[-1]), "an output of .* should be"),
    (changed("graphs", 0, "effects", to=0), "an effect of .* should be an array"),
    (changed("lines", 0, to=["f", 1]), "file, number and function"),
    (changed("arrays", 0, "shape", to=[2**40]), "an array takes .* bytes of"),
    (changed("arrays", 0, "shape", to=[0, 2**62, 2**62]), "no array has the shape"),
    (changed("arrays", 0, "shape", to=[1] * 65), "65 axes"),
    (changed("arrays", 0, "dtype", to="variant"), "cannot be of variant"),
    (
        changed("arrays", 0, "dtype", to="string"),
        "the elements of an array of strings should",
    ),
    (changed("arrays", 0, "strings", to=[]), "has strings"),
    (
        changed("arrays", to=[{"dtype": "bool", "shape": [15]}]),
        "an array of bool holds",
    ),
]


@pytest.mark.parametrize(
    ("data", "reason"), BROKEN, ids=[reason for _, reason in BROKEN]
)
def test_damaged_bytes_are_told_what_is_wrong(data: bytes, reason: str) -> None:
    with pytest.raises(GraphError, match=reason):
        from_bytes(data)


def test_a_python_function_cannot_be_smuggled_in() -> None:
    data = {
        "op": "PyFunc",
        "name": "x",
        "outputs": [],
        "attributes": {"func": 1, "specs": []},
    }
    with pytest.raises(
        GraphError, match=r"'func' of PyFunc should be of type Callable"
    ):
        from_bytes(changed(*FIRST, to=data))


def test_a_branch_cannot_be_the_graph_that_it_is_in() -> None:
    (place,) = [
        i
        for i, node in enumerate(STRUCTURE["graphs"][0]["nodes"])
        if node["op"] == "If"
    ]
    data = changed(
        "graphs", 0, "nodes", place, "attributes", "then_branch", to={"graph": 0}
    )
    with pytest.raises(
        GraphError, match="is a branch, or the body of a loop, in itself"
    ):
        from_bytes(data)


def test_branches_stand_in_one_another_to_a_depth() -> None:
    graph = Graph("innermost")
    for _ in range(DEPTH):
        outer = Graph("g")
        outer.nodes.append(Node(outer, If(graph, graph), (), []))
        graph = outer
    with pytest.raises(GraphError, match=f"more than {DEPTH} deep"):
        from_bytes(to_bytes(graph))


def test_what_only_inference_can_tell_is_told_by_verify() -> None:
    nodes = STRUCTURE["graphs"][0]["nodes"]
    (place,) = [i for i, node in enumerate(nodes) if node["op"] == "Greater"]
    for inputs in ([], [0, 0, 0]):
        graph = from_bytes(changed("graphs", 0, "nodes", place, "inputs", to=inputs))
        with pytest.raises(
            GraphError, match="Greater: Greater does not take its inputs"
        ):
            verify(graph)


def outcome(data: bytes) -> str:
    """Return what reading comes to; anything but a graph or a GraphError fails the test."""
    try:
        graph = from_bytes(data)
    except GraphError as error:
        return str(error)
    to_bytes(graph)
    return to_text(graph)


@settings(max_examples=2000)
@given(
    st.lists(
        st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), max_size=4
    )
)
def test_changed_bytes_give_a_graph_or_the_one_error(
    changes: list[tuple[int, int]],
) -> None:
    data = bytearray(SAMPLE)
    for place, value in changes:
        data[place] = value
    assert outcome(bytes(data))


@settings(max_examples=200)
@given(st.integers(0, len(SAMPLE) - 1))
def test_bytes_that_are_cut_off_give_the_error(end: int) -> None:
    with pytest.raises(GraphError):
        from_bytes(SAMPLE[:end])


def paths(data: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every entry of JSON."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in inner:
        found.append((*here, key))
        if isinstance(value, (dict, list)):
            found.extend(paths(value, (*here, key)))
    return found


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 20)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["Const", "If", "float32", "resource", "/task:1", "nan"])
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "graph",
                    "array",
                    "op",
                    "attributes",
                    "spec",
                    "dtype",
                    "shape",
                    "function",
                    "list",
                ]
            ),
            inner,
            max_size=2,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=2000)
@given(st.sampled_from(paths(STRUCTURE)), JSON)
def test_changed_structure_gives_a_graph_or_the_one_error(
    path: tuple[Any, ...], to: Any
) -> None:
    assert outcome(changed(*path, to=to))
