"""Steps of recurrent cells that TensorFlow has as one operator each."""

from __future__ import annotations

from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.join import concat, split
from tensorlite.ops.composite import Composite
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.arithmetic import add
from tensorlite.ops.math.bounds import clip
from tensorlite.ops.math.trigonometric import tanh
from tensorlite.ops.nn.activations import sigmoid


class LSTMBlockCell(Composite):
    """A step of a cell with long and short memory, and all that it computes on the way."""

    forget_bias: float = 1.0
    cell_clip: float = 3.0
    """How large what is remembered may be; any size for 0 and less."""
    use_peephole: bool = False
    """Whether gates see what is remembered."""

    def compose(
        self,
        x: Tensor,
        remembered: Tensor,
        h: Tensor,
        w: Tensor,
        *weights: Tensor,
    ) -> list[Tensor]:
        """Return input gate, memory, forget and output gates, what is new, its tanh, and output."""
        *seen, bias = weights
        parts = split(add(matmul(concat([x, h], axis=1), w), bias), 4, axis=1)
        i, new, f, o = parts
        f = f + self.forget_bias
        if self.use_peephole:
            i, f = i + remembered * seen[0], f + remembered * seen[1]
        i, new, f = sigmoid(i), tanh(new), sigmoid(f)
        kept = new * i + remembered * f
        if self.cell_clip > 0:
            kept = clip(kept, -self.cell_clip, self.cell_clip)
        o = sigmoid(o + kept * seen[2] if self.use_peephole else o)
        shown = tanh(kept)
        return [i, kept, f, o, new, shown, o * shown]


class GRUBlockCell(Composite):
    """A step of a gated recurrent unit, and all that it computes on the way."""

    def compose(
        self,
        x: Tensor,
        h: Tensor,
        w_gates: Tensor,
        w_new: Tensor,
        b_gates: Tensor,
        b_new: Tensor,
    ) -> list[Tensor]:
        """Return the gates of reset and update, what is new, and the output."""
        both = sigmoid(add(matmul(concat([x, h], axis=1), w_gates), b_gates))
        r, u = split(both, 2, axis=1)
        new = tanh(add(matmul(concat([x, h * r], axis=1), w_new), b_new))
        return [r, u, new, u * h + (1.0 - u) * new]
