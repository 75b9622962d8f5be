"""The gradients of steps of recurrent cells, which TensorFlow has as one operator each.

Graphs that TensorFlow differentiated hold them. The steps are in cells.py.
"""

from __future__ import annotations

from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp


class LSTMBlockCellGrad(Op):
    """The gradients of a step by the memory, the gates and the peepholes' weights."""

    differentiable = False
    use_peephole: bool

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs; the four gates are side by side."""
        _, kept, _, w, *rest = inputs
        units = kept.shape or (None, None)
        gates = (units[0], w.shape[1] if w.shape else None)
        return kept.with_shape(units), kept.with_shape(gates), *rest[:3]

    def kernel(self, xp: Xp, *arrays: Array) -> tuple[Array, ...]:
        """Return the gradients."""
        _, before, _, _, w_i, w_f, w_o, _ = arrays[:8]
        i, kept, f, o, new, shown, d_kept, d_h = arrays[8:]
        do = o * (1 - o) * d_h * shown
        d_kept = d_kept + (1 - shown**2) * d_h * o
        if self.use_peephole:
            d_kept = d_kept + do * w_o
        df = f * (1 - f) * d_kept * before
        di = i * (1 - i) * d_kept * new
        gates = xp.concatenate([di, (1 - new**2) * d_kept * i, df, do], axis=1)
        if not self.use_peephole:
            return d_kept * f, gates, *map(xp.zeros_like, (w_i, w_f, w_o))
        seen = ((di, before), (df, before), (do, kept))
        return (
            d_kept * f + di * w_i + df * w_f,
            gates,
            *[(gate * x).sum(axis=0) for gate, x in seen],
        )


class GRUBlockCellGrad(Op):
    """The gradients of a step by its input and its state, and by what the gates are made of."""

    differentiable = False

    def infer(
        self, x: TensorSpec, h: TensorSpec, *rest: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the specs; both gates are side by side."""
        rows, units = h.shape or (None, None)
        both = h.with_shape((rows, None if units is None else 2 * units))
        return x.without_value(), h, h, both

    def kernel(self, xp: Xp, x: Array, h: Array, *arrays: Array) -> tuple[Array, ...]:
        """Return the gradients."""
        w_gates, w_new, _, _, r, u, new, dh = arrays
        inputs = x.shape[1]
        d_new = dh * (1 - u) * (1 - new**2)
        to_new = d_new @ w_new.T
        reset = to_new[:, inputs:]
        gates = xp.concatenate(
            [reset * h * r * (1 - r), dh * (h - new) * u * (1 - u)], axis=1
        )
        to_gates = gates @ w_gates.T
        before = reset * r + to_gates[:, inputs:] + dh * u
        return to_new[:, :inputs] + to_gates[:, :inputs], before, d_new, gates
