"""Batch renormalization: corrections by which batches are normalized as averages would have it.

The layer that asks for them, and normalizes, is in normalization.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.layer_kinds.core import chosen
from tensorlite.compat.v1.training.averages import assign_moving_average
from tensorlite.core.errors import InvalidArgumentError

_BOUNDS = {"rmin", "rmax", "dmax"}


class Renormalization:
    """What a layer keeps and computes to renormalize: Ioffe's r and d, and their averages."""

    def __init__(self, clipping: Any, momentum: Any, epsilon: float) -> None:
        self.clipping = dict(clipping or {})
        if unknown := set(self.clipping) - _BOUNDS:
            raise InvalidArgumentError(
                f"renorm_clipping has {sorted(unknown)}; allowed are {sorted(_BOUNDS)}"
            )
        self.momentum, self.epsilon = momentum, epsilon

    def build(self, variable: Callable[[str], Any]) -> None:
        """Make the variables, in the order in which TensorFlow has them."""
        self.moving_stddev = variable("moving_stddev")
        self.mean, self.stddev = variable("renorm_mean"), variable("renorm_stddev")

    def corrected(self, mean: Any, variance: Any, training: Any) -> tuple[Any, ...]:
        """Return r and d, and the moments again, which wait until the averages have moved."""
        stddev = elementwise.sqrt(variance + self.epsilon)
        spread = elementwise.maximum(self.stddev, elementwise.sqrt(self.epsilon))
        scale, shift = stddev / spread, (mean - self.mean) / spread
        with framework.control_dependencies([scale, shift]):
            new = arrays.identity(mean), arrays.identity(stddev)
        scale, shift = self._bounded(scale, shift)
        r = chosen(training, lambda: scale, lambda: v1_arrays.ones_like(scale))
        d = chosen(training, lambda: shift, lambda: v1_arrays.zeros_like(shift))
        kept = zip((self.mean, self.stddev), new, strict=True)
        moved = [self._moved(average, value, training) for average, value in kept]
        with framework.control_dependencies(moved):
            return r, d, arrays.identity(new[0]), arrays.identity(variance)

    def _bounded(self, scale: Any, shift: Any) -> tuple[Any, Any]:
        low, high, most = (self.clipping.get(x) for x in ("rmin", "rmax", "dmax"))
        if low is not None:
            scale = elementwise.maximum(scale, low)
        if high is not None:
            scale = elementwise.minimum(scale, high)
        if most is not None:
            shift = elementwise.minimum(elementwise.maximum(shift, -most), most)
        return scale, shift

    def _moved(self, average: Any, value: Any, training: Any) -> Any:
        value = arrays.identity(value)
        return chosen(
            training,
            lambda: assign_moving_average(average, value, self.momentum, False),
            lambda: arrays.identity(average),
        )

    def keep_variance(self, moving: Any, variance: Any, momentum: Any) -> Any:
        """Move the average of the deviation; the variance that is kept follows it."""
        deviation = elementwise.sqrt(variance + self.epsilon)
        moved = assign_moving_average(
            self.moving_stddev, deviation, momentum, zero_debias=False
        )
        kept = nn.relu(moved * moved - self.epsilon)
        return moving.assign(kept, name="AssignNewValue")
