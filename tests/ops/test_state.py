"""Variables stand where their values can: as numbers, conditions, sequences and text."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import call, calls
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import Graph
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.nn.applying import SparseApply
from tensorlite.ops.nn.training import (
    ResourceApplyGradientDescent,
    ResourceApplyMomentum,
)
from tensorlite.ops.random.draws import RngReadAndSkip
from tensorlite.ops.sparse.state import (
    ResourceGather,
    ResourceScatterAdd,
    ResourceScatterUpdate,
)
from tensorlite.ops.state.resource import (
    AssignAddVariableOp,
    AssignFirstValue,
    AssignSubVariableOp,
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
    VarIsInitializedOp,
)


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


def bare(name: str = "w", spec: tl.TensorSpec | None = None) -> Tensor:
    """Return the handle of a variable that has no value."""
    return call(VarHandleOp(spec or tl.TensorSpec((2,)), debug_name=name))


NEEDS_A_VALUE: dict[str, Callable[[Tensor], Any]] = {
    "read": lambda w: call(ReadVariableOp(), w),
    "add": lambda w: calls(AssignAddVariableOp(), w, [1.0, 1.0]),
    "subtract": lambda w: calls(AssignSubVariableOp(), w, [1.0, 1.0]),
    "rows": lambda w: call(ResourceGather(), w, [0]),
    "replace rows": lambda w: calls(ResourceScatterUpdate(), w, [0], [1.0]),
    "add to rows": lambda w: calls(ResourceScatterAdd(), w, [0], [1.0]),
    "update": lambda w: calls(ResourceApplyGradientDescent(), w, 0.1, [1.0, 1.0]),
    "update rows": lambda w: calls(
        SparseApply(ResourceApplyGradientDescent()), w, 0.1, [1.0], [0]
    ),
}


@pytest.mark.parametrize("use", NEEDS_A_VALUE.values(), ids=NEEDS_A_VALUE)
def test_what_needs_a_value_says_that_there_is_none(
    use: Callable[[Tensor], Any],
) -> None:
    w = bare("weights")
    with pytest.raises(
        tl.errors.FailedPreconditionError,
        match=r"the variable 'weights' \(float32\[2\]\) has no value: nothing has been assigned",
    ):
        use(w)
    calls(AssignVariableOp(), w, [1.0, 2.0])
    use(w)


@pytest.mark.parametrize("use", NEEDS_A_VALUE.values(), ids=NEEDS_A_VALUE)
def test_a_graph_says_so_too(use: Callable[[Tensor], Any]) -> None:
    w = bare("weights")
    step = tl.function(lambda: use(w))
    with pytest.raises(tl.errors.FailedPreconditionError, match="'weights'"):
        step()
    calls(AssignVariableOp(), w, [1.0, 2.0])
    step()


def test_a_value_that_was_lost_is_told_as_lost() -> None:
    w = bare("weights")
    w.array.lost = "/job:ps/task:1"
    with pytest.raises(
        tl.errors.FailedPreconditionError,
        match="lost its value when /job:ps/task:1 was started anew: restore a checkpoint",
    ):
        call(ReadVariableOp(), w)


def test_the_slot_that_has_no_value_is_named() -> None:
    w, slot = bare("w"), bare("w/momentum")
    calls(AssignVariableOp(), w, [1.0, 2.0])
    with pytest.raises(tl.errors.FailedPreconditionError, match="'w/momentum'"):
        calls(ResourceApplyMomentum(), w, slot, 0.1, [1.0, 1.0], 0.9)
    assert call(ReadVariableOp(), w).tolist() == [1.0, 2.0]


def test_a_generators_state_has_to_be_there() -> None:
    state = bare("generator", tl.TensorSpec((3,), tl.int64))
    with pytest.raises(tl.errors.FailedPreconditionError, match="'generator'"):
        call(RngReadAndSkip(), state, np.int32(1), np.int64(2))


def test_whether_a_variable_has_a_value_can_be_asked() -> None:
    w = bare()
    assert not call(VarIsInitializedOp(), w)
    calls(AssignVariableOp(), w, [1.0, 2.0])
    assert call(VarIsInitializedOp(), w)
    v = tl.Variable(1.0)
    assert v.is_initialized()
    assert tl.function(v.is_initialized)()


def test_a_first_value_is_given_once() -> None:
    w = bare()
    assert call(AssignFirstValue(), w, [1.0, 2.0]).tolist() == [1.0, 2.0]
    assert call(AssignFirstValue(), w, [3.0, 4.0]).tolist() == [1.0, 2.0]
    with pytest.raises(tl.errors.ShapeError):
        call(AssignFirstValue(), w, [3.0])


def test_where_a_variable_is_made_it_stays() -> None:
    with tl.device("CPU:0"):
        v = tl.Variable([1.0, 2.0])
    assert str(v.device) == "/device:CPU:0"
    assert str(bare().device) == "/device:CPU:0"


class Counted(tl.Variable):
    """A variable that keeps more than its value."""

    __slots__ = ("extra", "unset")

    def __init__(self, value: float) -> None:
        super().__init__(value, trainable=False, name="counted")
        self.extra = [self]


def test_a_copied_variable_has_a_value_of_its_own() -> None:
    v = Counted(1.0)
    again, same = deepcopy([v, v])
    assert again is same
    assert again.extra[0] is again
    again.assign_add(2.0)
    assert (float(v), float(again)) == (1.0, 3.0)
    assert (again.name, again.trainable, again.device) == ("counted", False, v.device)
    assert again.handle.array.owner() is again


def test_a_variable_of_a_graph_is_not_copied() -> None:
    with Graph().as_default(), pytest.raises(tl.errors.DTypeError, match="sessions"):
        deepcopy(GraphVariable(1.0))
