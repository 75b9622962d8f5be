"""Variables stand where their values can: as numbers, conditions, sequences and text."""

from __future__ import annotations

import pytest

import tensorlite as tl


def test_a_variable_of_one_element_is_a_number() -> None:
    variable = tl.Variable(2.5)
    assert (float(variable), int(variable), variable.item()) == (2.5, 2, 2.5)
    assert f"{variable:.2f}" == "2.50"
    assert f"{variable}" == repr(variable)


def test_in_a_trace_and_a_graph_the_text_has_no_value_and_makes_no_node() -> None:
    v = tl.Variable([1.0, 2.0], name="v")

    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        with tl.name_scope(repr(v)):
            return x + 1.0

    text = "Variable(name='v', shape=(2,), dtype=float32, device=CPU:0)"
    assert repr(v) == f"{text}\n[1. 2.]"
    concrete = told.get_concrete_function(tl.ones(2))
    assert concrete.graph.nodes[-1].name == f"{text}/AddV2"
    assert "ReadVariableOp" not in {node.op.name for node in concrete.graph.nodes}
    graph = tl.Graph()
    graph.finalize()
    with graph.as_default():
        assert [repr(v), f"{v}"] == [text] * 2
    assert not graph.nodes


def test_a_variable_is_as_true_as_its_value() -> None:
    assert not tl.Variable(0.0)
    assert tl.Variable(True)
    with pytest.raises(tl.errors.InvalidArgumentError, match="one element"):
        bool(tl.Variable([1.0, 2.0]))


def test_a_variable_has_a_length() -> None:
    assert len(tl.Variable([[1, 2], [3, 4], [5, 6]])) == 3
    with pytest.raises(tl.errors.DTypeError, match="0-d"):
        len(tl.Variable(1.0))


def test_a_variable_decides_in_a_trace() -> None:
    negate = tl.Variable(False)

    @tl.function
    def signed(x: tl.Tensor) -> tl.Tensor:
        return -x if negate else x

    assert float(signed(tl.asarray(1.0))) == 1.0
    negate.assign(True)
    assert float(signed(tl.asarray(1.0))) == -1.0
    assert signed.trace_count == 1
