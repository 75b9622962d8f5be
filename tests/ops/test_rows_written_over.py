"""Rows of variables are written over in place, unless something else holds the value."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import call, calls
from tensorlite.ops.nn import applying
from tensorlite.ops.nn.applying import SparseApply
from tensorlite.ops.nn.training import (
    ResourceApplyGradientDescent,
    ResourceApplyMomentum,
)
from tensorlite.ops.sparse.state import ResourceScatterAdd, ResourceScatterMul
from tensorlite.ops.state.resource import ReadVariableOp, VariableState


def state_of(variable: tl.Variable) -> VariableState:
    state = variable.handle.array
    assert isinstance(state, VariableState)
    return state


def place(variable: tl.Variable) -> int:
    where: int = state_of(variable).array.ctypes.data
    return where


def variable_alone() -> tl.Variable:
    """Return a variable of zeros in memory that nothing else holds."""
    variable = tl.Variable(tl.zeros((4, 2)))
    calls(ResourceScatterAdd(), variable.handle, [0], [[0.0, 0.0]])
    return variable


def add_one(variable: tl.Variable, row: int) -> None:
    calls(ResourceScatterAdd(), variable.handle, [row], [[1.0, 1.0]])


def test_a_value_that_nothing_else_holds_stays_where_it_is() -> None:
    variable = variable_alone()
    before = place(variable)
    add_one(variable, 1)
    descent = SparseApply(ResourceApplyGradientDescent())
    calls(descent, variable.handle, 0.5, [[2.0, 2.0]], [3])
    assert place(variable) == before
    np.testing.assert_array_equal(
        variable.numpy(), [[0, 0], [1, 1], [0, 0], [-1, -1]]
    )


def test_a_value_that_was_read_stays_as_it_was() -> None:
    variable = variable_alone()
    tensor = call(ReadVariableOp(), variable.handle)
    add_one(variable, 1)
    seen = variable.numpy()
    part = variable.numpy()[2:]
    add_one(variable, 2)
    assert tensor.tolist() == [[0, 0]] * 4
    assert seen[2].tolist() == part[0].tolist() == [0, 0]


def test_rows_that_are_not_there_leave_the_value() -> None:
    variable = variable_alone()
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="index 4 is out of range"
    ):
        add_one(variable, 4)
    assert variable.numpy().tolist() == [[0, 0]] * 4
    add_one(variable, 0)
    assert variable.numpy()[0].tolist() == [1, 1]


def test_complex_rows_are_multiplied_as_complex_numbers() -> None:
    variable = tl.Variable(tl.asarray([[1 + 2j], [3j]]))
    calls(ResourceScatterMul(), variable.handle, [0], [[1j]])
    assert variable.numpy().tolist() == [[-2 + 1j], [3j]]


def test_who_reads_while_rows_are_written_sees_all_of_a_write_or_nothing() -> None:
    variable = tl.Variable(tl.zeros((2000, 8)))
    rows, ones = np.arange(2000), np.ones((2000, 8), np.float32)
    torn = []

    def read() -> None:
        for _ in range(300):
            value = variable.numpy()
            if value.min() != value.max():
                torn.append(value)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(100):
        calls(ResourceScatterAdd(), variable.handle, rows, ones)
    for reader in readers:
        reader.join()
    assert not torn
    assert variable.numpy().min() == variable.numpy().max() == 100


def test_large_values_are_updated_by_parts_as_small_ones_are() -> None:
    count = 9 * applying.PART + 5
    first, slope = (
        np.random.default_rng(seed).normal(size=count).astype("f") for seed in (0, 1)
    )
    rule, numbers = ResourceApplyMomentum(use_nesterov=True), (0.5, 0.9)
    whole = [tl.Variable(first), tl.Variable(slope)]
    kept = whole[0].value()
    calls(rule, *[v.handle for v in whole], numbers[0], slope, numbers[1])
    cut = count // 2
    for part in (slice(cut), slice(cut, 2 * cut), slice(2 * cut, None)):
        wanted = rule.update(
            np,
            [first[part], slope[part]],
            [np.float32(x) for x in numbers],
            slope[part],
        )
        for variable, value in zip(whole, wanted, strict=True):
            np.testing.assert_array_equal(variable.numpy()[part], value)
    np.testing.assert_array_equal(kept.numpy(), first)
