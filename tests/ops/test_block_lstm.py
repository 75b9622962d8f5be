"""BlockLSTM does what its cell does step by step, and so do its gradients."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import ShapeError
from tensorlite.ops.nn.block_lstm import BlockLSTM
from tensorlite.ops.nn.cell_gradients import GRUBlockCellGrad
from tensorlite.ops.nn.cells import GRUBlockCell, LSTMBlockCell

TIME, BATCH, INPUTS, UNITS = 3, 2, 4, 5
SHAPES = (
    *((TIME, BATCH, INPUTS), (BATCH, UNITS), (BATCH, UNITS)),
    *((INPUTS + UNITS, 4 * UNITS), (UNITS,), (UNITS,), (UNITS,), (4 * UNITS,)),
)


def operands() -> list[tl.Tensor]:
    """Return a sequence, first states, weights, peepholes and bias."""
    draws = np.random.default_rng(0)
    return [tl.asarray(draws.normal(size=one) * 0.5) for one in SHAPES]


def stepped(count: int, cell: LSTMBlockCell, *given: tl.Tensor) -> list[tl.Tensor]:
    """Return the memories and outputs of all steps, computed one by one."""
    x, kept, h, *weights = given
    found: list[list[tl.Tensor]] = [[], []]
    for t in range(TIME):
        if t < count:
            made = calls(cell, x[t], kept, h, *weights)
            kept, h = made[1], made[-1]
        rest = tl.zeros_like(kept)
        found[0].append(kept if t < count else rest)
        found[1].append(h if t < count else rest)
    return [tl.stack(one) for one in found]


@pytest.mark.parametrize("peeps", [False, True])
@pytest.mark.parametrize("count", [0, 2, TIME])
def test_a_sequence_and_its_gradients_are_those_of_its_steps(
    count: int, peeps: bool
) -> None:
    given = operands()
    whole, cell = BlockLSTM(0.5, -1.0, peeps), LSTMBlockCell(0.5, -1.0, peeps)
    results = []
    for made in (
        lambda: calls(whole, tl.asarray(count, dtype=tl.int64), *given)[1::5],
        lambda: stepped(count, cell, *given),
    ):
        with tl.GradientTape() as tape:
            tape.watch(given)
            kept, h = made()
            loss = tl.sum(tl.sin(kept)) + tl.sum(h * h)
        flows = tape.gradient(loss, given)
        zeros = [
            tl.zeros_like(x) if dx is None else dx
            for x, dx in zip(given, flows, strict=True)
        ]
        results.append([kept, h, *zeros])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_more_steps_than_there_are_is_told() -> None:
    with pytest.raises(ShapeError, match="4 steps of a sequence of 3"):
        calls(BlockLSTM(), tl.asarray(4, dtype=tl.int64), *operands())


def test_the_gradient_of_a_gated_step() -> None:
    draws = np.random.default_rng(1)
    both = INPUTS + UNITS
    shapes = ((BATCH, INPUTS), (BATCH, UNITS), (both, 2 * UNITS), (both, UNITS))
    given = [tl.asarray(draws.normal(size=x)) for x in (*shapes, 2 * UNITS, UNITS)]
    dh = tl.asarray(draws.normal(size=(BATCH, UNITS)))
    with tl.GradientTape() as tape:
        tape.watch(given)
        made = calls(GRUBlockCell(), *given)
        loss = tl.sum(made[-1] * dh)
    expected = tape.gradient(loss, given)
    dx, before, new, gates = calls(GRUBlockCellGrad(), *given, *made[:-1], dh)
    biases = [tl.sum(gates, axis=0), tl.sum(new, axis=0)]
    pairs = zip([dx, before, *biases], [*expected[:2], *expected[4:]], strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, atol=1e-12)
