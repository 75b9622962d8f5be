"""L-BFGS: a full-batch optimizer with memory of curvature and a line search. Runs eagerly."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from tensorlite.core.errors import InvalidArgumentError, NumericsError
from tensorlite.core.tensor import Tensor
from tensorlite.graph.tape import GradientTape
from tensorlite.ops.state.variable import Variable

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class LBFGS:
    """Limited-memory BFGS (Liu and Nocedal 1989), searching lines by Wolfe's conditions.

    `step(closure)` calls `closure`, which returns the loss, as often as it needs; it stops when the
    largest gradient is below `tolerance`, and returns the last loss.

    >>> w = tl.Variable([3.0, -2.0])
    >>> loss = tl.optimizers.LBFGS([w]).step(lambda: tl.sum((w - [1.0, 2.0]) ** 2))
    >>> print(tl.all(tl.abs(w - [1.0, 2.0]) < 1e-3), loss < 1e-6)
    True True
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        max_iterations: int = 100,
        history: int = 10,
        tolerance: float = 1e-5,
    ) -> None:
        if not variables:
            raise InvalidArgumentError("L-BFGS needs at least one variable")
        if history < 1 or max_iterations < 1:
            raise InvalidArgumentError(
                "history and max_iterations must be at least 1"
            )
        self.variables = list(variables)
        self.max_iterations, self.tolerance = max_iterations, tolerance
        self._pairs: deque[tuple[Vector, Vector]] = deque(maxlen=history)

    def step(self, closure: Callable[[], Tensor]) -> float:
        """Minimise `closure()`; returns the loss reached. NumericsError when it is not finite."""
        x = self._gather()
        loss, g = self._evaluate(closure, x)
        if not np.isfinite(loss):
            raise NumericsError(f"the loss is {loss} at the start")
        for _ in range(self.max_iterations):
            if np.abs(g).max(initial=0.0) <= self.tolerance:
                break
            direction = self._direction(g)
            found = _line_search(
                lambda at: self._evaluate(closure, at), x, loss, g, direction
            )
            if found is None:
                break
            new_x, new_loss, new_g = found
            if (new_x - x) @ (new_g - g) > 1e-10:
                self._pairs.append((new_x - x, new_g - g))
            x, loss, g = new_x, new_loss, new_g
        self._scatter(x)
        return loss

    def _direction(self, g: Vector) -> Vector:
        """Return minus the inverse Hessian's estimate times `g`: the two-loop recursion."""
        q, weights = g.copy(), []
        for s, y in reversed(self._pairs):
            weights.append((s @ q) / (y @ s))
            q -= weights[-1] * y
        if self._pairs:
            s, y = self._pairs[-1]
            q *= (s @ y) / (y @ y)
        for (s, y), weight in zip(self._pairs, reversed(weights), strict=True):
            q += (weight - (y @ q) / (y @ s)) * s
        return -q

    def _evaluate(
        self, closure: Callable[[], Tensor], x: Vector
    ) -> tuple[float, Vector]:
        self._scatter(x)
        with GradientTape() as tape:
            loss = closure()
        gradients = tape.gradient(loss, self.variables, unconnected="zero")
        return float(loss), _flat([np.asarray(g) for g in gradients])

    def _gather(self) -> Vector:
        return _flat([variable.numpy() for variable in self.variables])

    def _scatter(self, x: Vector) -> None:
        at = 0
        for variable in self.variables:
            size = int(np.prod(variable.shape))
            part = x[at : at + size].reshape(variable.shape)
            variable.assign(part.astype(variable.dtype.numpy))
            at += size


def _flat(
    arrays: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.float64]]],
) -> Vector:
    return np.concatenate([array.astype(np.float64).reshape(-1) for array in arrays])


Evaluate = Callable[[Vector], tuple[float, Vector]]


def _line_search(
    evaluate: Evaluate, x: Vector, loss: float, g: Vector, direction: Vector
) -> tuple[Vector, float, Vector] | None:
    """Return a point that meets the strong Wolfe conditions, found by bisection, or None."""
    slope = float(g @ direction)
    if slope >= 0:
        return None
    low, high, length = 0.0, np.inf, 1.0
    best = None
    for _ in range(30):
        at = x + length * direction
        new_loss, new_g = evaluate(at)
        new_slope = float(new_g @ direction)
        if not np.isfinite(new_loss) or new_loss > loss + 1e-4 * length * slope:
            high = length
        elif new_slope < 0.9 * slope:
            best, low = (at, new_loss, new_g), length
        elif new_slope > -0.9 * slope:
            best, high = (at, new_loss, new_g), length
        else:
            return at, new_loss, new_g
        length = 2.0 * length if np.isinf(high) else (low + high) / 2
    return best
