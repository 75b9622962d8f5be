"""Moving averages of variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bounds import minimum
from tensorlite.ops.state.variable import Variable


class ExponentialMovingAverage:
    """Shadows of variables: `shadow = decay * shadow + (1 - decay) * variable` at each `apply`.

    With `dynamic` the decay is at most (1 + n) / (10 + n) in the nth update, which lets averages
    move fast at first (as TensorFlow's num_updates does).

    >>> w = tl.Variable(0.0)
    >>> average = tl.optimizers.ExponentialMovingAverage(0.9)
    >>> average.apply([w])
    >>> w.assign(1.0)
    >>> average.apply([w])
    >>> print(average.average(w).value())
    0.1
    """

    def __init__(self, decay: float = 0.999, dynamic: bool = False) -> None:
        if not 0 <= decay <= 1:
            raise InvalidArgumentError(f"decay={decay}: it must lie between 0 and 1")
        self.decay, self.dynamic = decay, dynamic
        self.updates = Variable(
            np.asarray(0, np.int64), trainable=False, name="updates"
        )
        self._shadows: dict[int, tuple[Variable, Variable]] = {}

    def apply(self, variables: Iterable[Variable]) -> None:
        """Move the averages towards the variables; a new one starts at the variable's value."""
        variables = list(variables)
        decay = self._decay()
        for variable in variables:
            shadow = self._shadow(variable)
            difference = shadow.value() - variable.value()
            shadow.assign_sub(difference * astype(1.0 - decay, shadow.dtype))
        self.updates.assign_add(np.asarray(1, np.int64))

    def _decay(self) -> Tensor:
        n = astype(self.updates.value(), dtypes.float64)
        return (
            minimum((1.0 + n) / (10.0 + n), self.decay)
            if self.dynamic
            else n * 0.0 + self.decay
        )

    def _shadow(self, variable: Variable) -> Variable:
        known = self._shadows.get(id(variable))
        if known is None:
            with interpreted_by(None):
                name = f"{variable.name}/average"
                known = (
                    variable,
                    Variable(variable.value(), trainable=False, name=name),
                )
            self._shadows[id(variable)] = known
        return known[1]

    def average(self, variable: Variable) -> Variable:
        """Return the shadow of a variable; NotFoundError if `apply` never saw it."""
        if id(variable) not in self._shadows:
            raise NotFoundError(
                f"no average of {variable.name!r}; call apply([variable]) first"
            )
        return self._shadows[id(variable)][1]

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """Let the variables hold their averages inside the block, and their values after it."""
        pairs = list(self._shadows.values())
        kept = [variable.value() for variable, _ in pairs]
        for variable, shadow in pairs:
            variable.assign(shadow.value())
        try:
            yield
        finally:
            for (variable, _), value in zip(pairs, kept, strict=True):
                variable.assign(value)

    def named_variables(self) -> dict[str, Variable]:
        """Return the count of updates and the shadows by path, for checkpoints."""
        shadows = {
            str(i): shadow for i, (_, shadow) in enumerate(self._shadows.values())
        }
        return {"updates": self.updates, **shadows}
