"""TFOptimizer: an optimizer of TensorFlow 1's tf.train, as Keras' models use one.

The optimizers themselves are in compat/v1/training/optimizer_classes.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Replaced
from tensorlite.compat.v2.keras.src.optimizers.slots import Variables
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.graph_mode.graph import at_once


class _Updates(Replaced):
    """The updates that an optimizer of tf.train makes, and the number of its steps."""

    def __init__(self, optimizer: Any) -> None:
        super().__init__(0.0)
        self._optimizer = optimizer

    def build(self, variables: Iterable[Any]) -> None:
        """Make the variables that it keeps."""
        with at_once():
            self._optimizer._create_slots(list(variables))  # noqa: SLF001  TensorFlow's name

    def update(self, pairs: Iterable[Any]) -> Any:
        """Update variables, and count the step."""
        self._optimizer.apply_gradients(pairs)
        self.iterations.assign_add(np.asarray(1, np.int64))


class TFOptimizer(Optimizer):
    """An optimizer of tf.train, which keeps its learning rate to itself."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        super().__init__(0.0)

    def core(self, rate: Any) -> Any:
        return _Updates(self.optimizer)

    @property
    def variables(self) -> Any:
        """The count of steps and what the inner optimizer keeps."""
        return Variables([self.iterations, *self.optimizer.variables()])

    def _kept_to_itself(self, *given: Any) -> Any:
        raise FailedPreconditionError(
            f"{type(self.optimizer).__name__} of tf.train keeps its learning rate and its "
            "configuration to itself: give the model an optimizer of tf.keras.optimizers"
        )

    learning_rate = lr = property(_kept_to_itself, _kept_to_itself)

    def get_config(self) -> Any:
        self._kept_to_itself()
