"""BlockLSTM: a cell with long and short memory over a whole sequence, as one operator.

One step of it is in cells.py; layers make loops of steps.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.stack import filled
from tensorlite.ops.nn.cell_gradients import LSTMBlockCellGrad
from tensorlite.ops.nn.cells import LSTMBlockCell

_STATES = 7
"""What a step computes: input gate, memory, forget and output gates, new, its tanh, output."""


class BlockLSTM(Op):
    """All that a cell computes in each step of a sequence, zeros behind its end.

    Inputs are how many steps count, `x` (time, batch, inputs), the memory and the output before,
    the weights, those of the peepholes, and the bias.
    """

    forget_bias: float = 1.0
    cell_clip: float = 3.0
    use_peephole: bool = False
    host = (0,)

    def infer(
        self, count: TensorSpec, x: TensorSpec, *rest: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return seven tensors (time, batch, units)."""
        if count.dtype is not dtypes.int64 or count.rank not in (0, None):
            raise DTypeError(
                f"{self.name}: the number of steps is {count}, not one int64"
            )
        if x.rank not in (3, None):
            raise ShapeError(f"{self.name}: x is {x}, not (time, batch, inputs)")
        units = rest[0].shape[1] if rest[0].shape else None
        sizes = (None, None) if x.shape is None else x.shape[:2]
        return (TensorSpec((*sizes, units), x.dtype),) * _STATES

    def kernel(
        self, xp: Xp, count: Array, x: Array, *rest: Array
    ) -> tuple[Array, ...]:
        """Return what steps give, one behind the other."""
        step = LSTMBlockCell(self.forget_bias, self.cell_clip, self.use_peephole)
        kept, h, *weights = rest
        steps = _steps(count, x)
        found = [
            xp.zeros((*x.shape[:2], kept.shape[1]), x.dtype) for _ in range(_STATES)
        ]
        for t in range(steps):
            made = step.kernel(xp, x[t], kept, h, *weights)
            kept, h = made[1], made[-1]
            for whole, one in zip(found, made, strict=True):
                whole[t] = one
        return tuple(found)

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Return the gradients, of what flows to the memories and the outputs."""
        flows = filled(dys, call.outputs)
        op = BlockLSTMGrad(self.use_peephole)
        return None, *calls(op, *call.inputs, *call.outputs, flows[1], flows[-1])


class BlockLSTMGrad(Op):
    """The gradients of a BlockLSTM by all but the number of steps."""

    differentiable = False
    host = (0,)
    use_peephole: bool

    def infer(self, count: TensorSpec, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of what the gradients are by."""
        return tuple([spec.without_value() for spec in inputs[:8]])

    def kernel(self, xp: Xp, count: Array, *arrays: Array) -> tuple[Array, ...]:
        """Return the gradients, gathered from the last step to the first."""
        x, first_kept, first_h, w = arrays[:4]
        weights, states, flows = arrays[3:8], arrays[8:15], arrays[15:]
        step = LSTMBlockCellGrad(self.use_peephole)
        grads = [xp.zeros_like(one) for one in arrays[:8]]
        dx, dkept, dh, dw, *d_peepholes, db = grads
        for t in reversed(range(_steps(count, x))):
            kept = states[1][t - 1] if t else first_kept
            h = states[-1][t - 1] if t else first_h
            given = (x[t], kept, h, *weights, *[one[t] for one in states[:-1]])
            made = step.kernel(xp, *given, dkept + flows[0][t], dh + flows[1][t])
            dkept, gates, *peeps = made
            both = gates @ w.T
            dx[t], dh = xp.split(both, [x.shape[2]], axis=1)
            dw += xp.concatenate([x[t], h], axis=1).T @ gates
            db += gates.sum(axis=0)
            d_peepholes = [a + b for a, b in zip(d_peepholes, peeps, strict=True)]
        return dx, dkept, dh, dw, *d_peepholes, db


def _steps(count: Array, x: Array) -> int:
    """Return how many steps there are."""
    if not 0 <= int(count) <= x.shape[0]:
        raise ShapeError(
            f"BlockLSTM: {int(count)} steps of a sequence of {x.shape[0]}"
        )
    return int(count)
