"""Graphs as text, as DOT and as pictures."""

from __future__ import annotations

import shutil

import pytest

import tensorlite as tl
from tensorlite.core.errors import NotFoundError
from tensorlite.graph.text import to_dot, to_svg, to_text
from tensorlite.graph.trace import trace
from tensorlite.passes.pipeline import lower
from tests.programs import FLOAT, INT, collatz, graph_of, nested


def test_a_line_per_node_with_its_inputs_shape_and_line() -> None:
    text = to_text(graph_of(lambda x: x * 2.0, [tl.TensorSpec((None, 3), name="x")]))
    head, constant, product, result = text.split("\n")
    assert head == "graph(x: float32[?, 3]):"
    assert constant.startswith("  Const = Const(2.0) -> float32[]  # ")
    assert product.startswith("  Mul = Mul(x, Const) -> float32[?, 3]  # ")
    assert "test_text.py" in product
    assert result == "  return Mul"


def test_inner_graphs_stand_indented_under_their_node() -> None:
    text = to_text(graph_of(nested, [INT, FLOAT]))
    assert "\n    cond(" in text
    assert "\n    body(" in text
    assert "\n            then(" in text
    assert "\n            else(" in text


def test_attributes_effects_and_devices_are_told() -> None:
    v = tl.Variable(1.0)

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        with tl.device("/device:CPU:0"):
            v.assign(tl.sum(x, axis=0, keepdims=True)[0])
        return [v.value()]

    text = to_text(trace(program, [tl.TensorSpec((3,))]).graph)
    assert "Sum[keep_dims=True](" in text
    assert "  effects AssignVariableOp" in text
    assert "ReadVariableOp(Variable, ^AssignVariableOp)" in text
    assert "on /device:CPU:0  #" in text


def test_every_node_and_edge_is_in_the_drawing() -> None:
    graph = lower(graph_of(collatz, [INT]))
    dot = to_dot(graph)
    edges = sum(len(node.inputs) + len(node.control) for node in graph.nodes)
    assert dot.count(" -> ") == edges
    assert dot.count("{") == dot.count("}")


def test_inner_graphs_are_boxes() -> None:
    dot = to_dot(graph_of(nested, [INT, FLOAT]))
    assert dot.count("subgraph cluster_") == 6
    assert 'label="If: then"' in dot


def test_quotes_and_backslashes_are_escaped() -> None:
    assert 'digraph "a \\"b\\" \\\\c"' in to_dot(tl.Graph('a "b" \\c'))


def test_a_picture_or_what_to_install_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = graph_of(collatz, [INT])
    if shutil.which("dot"):
        assert to_svg(graph).rstrip().endswith("</svg>")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NotFoundError, match="install graphviz"):
        to_svg(graph)
