"""TFOptimizer: an optimizer of TensorFlow 1's tf.train, as Keras' models use one.

The optimizers themselves are in compat/v1/training/optimizer_classes.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.models import in_sessions
from tensorlite.compat.v2.keras.src.optimizers.base import Optimizer
from tensorlite.compat.v2.keras.src.optimizers.own_updates import Replaced
from tensorlite.compat.v2.keras.src.optimizers.slots import Variables
from tensorlite.core.errors import FailedPreconditionError
from tensorlite.graph_mode.graph import at_once, name_scope


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


def _count_in(graph: Any) -> Any:
    """Return the count of steps, as a variable of a graph."""
    with (
        in_sessions.in_graph_of_models(graph),
        graph.building(),
        name_scope("TFOptimizer"),
    ):
        zero = np.asarray(0, np.int64)
        return in_sessions.SessionWeight(zero, name="iterations")


class TFOptimizer(Optimizer):
    """An optimizer of tf.train, which keeps its learning rate to itself."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        super().__init__(0.0)

        graph = in_sessions.graph_of_models()
        if graph is not None:
            self._core.iterations = _count_in(graph)

    def core(self, rate: Any) -> Any:
        return _Updates(self.optimizer)

    def _move_into(self, graph: Any) -> None:
        """Do nothing: what it keeps is in the graph from the beginning."""

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """Return what takes a step in a graph."""
        pairs = self.optimizer.compute_gradients(loss, params)
        return [self.optimizer.apply_gradients(pairs, self.iterations)]

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
