"""Loops of data-dependent length: gradients inside the trace equal those of the unrolled loop.

Written as users write them, converted by `tl.function`; every runner, first and second order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl

RUNNERS = ["structured", "frames"]
UNITS, FEATURES, LENGTH = 4, 3, 7
PRIMITIVES = {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"}


def drawn(*shape: int, seed: int) -> tl.Tensor:
    """Return random numbers, the same for one seed."""
    return tl.asarray(
        np.random.default_rng(seed).normal(0, 0.5, shape).astype(np.float32)
    )


SEQUENCE = drawn(LENGTH, 2, FEATURES, seed=0)
WEIGHTS = drawn(FEATURES + UNITS, 4 * UNITS, seed=1)
BIAS = drawn(4 * UNITS, seed=2)


def lstm(sequence: Any, n: Any, weights: tl.Tensor, bias: tl.Tensor) -> tl.Tensor:
    """Return what an LSTM has put out after `n` steps, squared and added up."""
    hidden, memory = tl.zeros((2, UNITS)), tl.zeros((2, UNITS))
    i = tl.zeros_like(n) if isinstance(n, tl.Tensor) else 0
    while i < n:
        gates = tl.concat([sequence[i], hidden], axis=1) @ weights + bias
        enter, forget, leave, new = tl.split(gates, 4, axis=1)
        memory = tl.nn.sigmoid(forget) * memory + tl.nn.sigmoid(enter) * tl.tanh(new)
        hidden = tl.nn.sigmoid(leave) * tl.tanh(memory)
        i += 1
    return tl.sum(hidden * hidden)


def gradients(
    sequence: tl.Tensor, n: Any, weights: tl.Tensor, bias: tl.Tensor
) -> list[tl.Tensor]:
    """Return the loss and its gradients, by a tape where the call stands: inside the trace."""
    with tl.GradientTape() as tape:
        tape.watch([sequence, weights, bias])
        loss = lstm(sequence, n, weights, bias)
    return [loss, *tape.gradient(loss, [sequence, weights, bias], unconnected="zero")]


def curvature(
    sequence: tl.Tensor, n: Any, weights: tl.Tensor, bias: tl.Tensor
) -> list[tl.Tensor]:
    """Return the gradient of the size of the gradient: second order."""
    with tl.GradientTape() as tape:
        tape.watch([weights, bias])
        _, *first = gradients(sequence, n, weights, bias)
        size = tl.add_n([tl.sum(g * g) for g in first])
    return [size, *tape.gradient(size, [weights, bias], unconnected="zero")]


def assert_same(found: list[tl.Tensor], wanted: list[tl.Tensor]) -> None:
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("order", [gradients, curvature])
def test_a_dynamic_lstm_has_the_gradients_of_the_unrolled_one(
    order: Any, runner: str
) -> None:
    traced = tl.function(order, runner=runner)
    for n in (0, 1, 4, LENGTH):
        found = traced(SEQUENCE, tl.asarray(n), WEIGHTS, BIAS)
        assert_same(found, order(SEQUENCE, n, WEIGHTS, BIAS))
    assert traced.trace_count == 1


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_tape_outside_of_the_trace_gives_them_too(runner: str) -> None:
    traced = tl.function(lstm, runner=runner)
    with tl.GradientTape() as tape:
        tape.watch([SEQUENCE, WEIGHTS, BIAS])
        loss = traced(SEQUENCE, tl.asarray(5), WEIGHTS, BIAS)
    found = tape.gradient(loss, [SEQUENCE, WEIGHTS, BIAS])
    assert_same([loss, *found], gradients(SEQUENCE, 5, WEIGHTS, BIAS))


def test_sequences_of_any_length_and_batches_of_any_size_share_one_trace() -> None:
    specs = [
        tl.TensorSpec((None, 2, FEATURES)),
        tl.TensorSpec((), tl.int32),
        tl.TensorSpec((FEATURES + UNITS, 4 * UNITS)),
        tl.TensorSpec((4 * UNITS,)),
    ]
    traced = tl.function(gradients, input_signature=specs)
    for length in (3, 5):
        sequence = SEQUENCE[:length]
        found = traced(sequence, tl.asarray(length), WEIGHTS, BIAS)
        assert_same(found, gradients(sequence, length, WEIGHTS, BIAS))
    assert traced.trace_count == 1


@pytest.mark.parametrize("function", [lstm, gradients, curvature])
def test_lowered_loops_are_made_of_the_control_flow_primitives(function: Any) -> None:
    concrete = tl.function(function).get_concrete_function(
        SEQUENCE, tl.asarray(3), WEIGHTS, BIAS
    )
    names = {node.op.name for node in concrete.lowered.nodes}
    assert names >= PRIMITIVES
    assert "While" not in names
    assert "While" in {node.op.name for node in concrete.graph.nodes}


def nested(x: tl.Tensor, n: Any, m: Any) -> tl.Tensor:
    """Return what a loop in a loop with a condition inside makes of `x`."""
    total = tl.zeros_like(x)
    i = n * 0
    while i < n:
        y = x
        j = m * 0
        while j < m + i:
            if tl.sum(y) > 1.0:  # noqa: SIM108  the statement is what is tested
                y = y * x - 0.5
            else:
                y = tl.sin(y) + x
            j += 1
        total = total + y * y
        i += 1
    return tl.sum(total)


def slopes(x: tl.Tensor, n: Any, m: Any) -> list[tl.Tensor]:
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = nested(x, n, m)
    return [y, tape.gradient(y, x)]


def bends(x: tl.Tensor, n: Any, m: Any) -> list[tl.Tensor]:
    with tl.GradientTape() as tape:
        tape.watch(x)
        _, slope = slopes(x, n, m)
    return [slope, tape.gradient(slope, x)]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("order", [slopes, bends])
def test_nested_loops_with_a_condition_inside(order: Any, runner: str) -> None:
    x = tl.asarray([0.7, 0.4, -0.2])
    traced = tl.function(order, runner=runner)
    for n, m in ((1, 0), (1, 1), (3, 2), (4, 3)):
        assert_same(traced(x, tl.asarray(n), tl.asarray(m)), order(x, n, m))
    names = {
        node.op.name
        for node in traced.get_concrete_function(
            x, tl.asarray(1), tl.asarray(1)
        ).lowered.nodes
    }
    assert names >= PRIMITIVES
    assert not names & {"While", "If"}


def test_runners_agree_to_the_last_bit() -> None:
    given = (SEQUENCE, tl.asarray(LENGTH), WEIGHTS, BIAS)
    structured = tl.function(curvature, runner="structured")(*given)
    frames = tl.function(curvature, runner="frames")(*given)
    for a, b in zip(structured, frames, strict=True):
        np.testing.assert_array_equal(a, b)
