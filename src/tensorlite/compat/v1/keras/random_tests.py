"""DeterministicRandomTestTool: graphs and eager programs draw the same numbers, to compare them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.streams import global_seed, seeds_from

MODES = ("constant", "num_random_ops")


class DeterministicRandomTestTool:
    """Gives operators seeds that say nothing of graphs: always one, or how many have drawn.

    In `constant` mode all draw the same numbers, in `num_random_ops` each has the seed
    `operation_seed`, which is one more after it.

    >>> import tensorlite.compat.v2 as tf
    >>> def drawn():
    ...     tool = tf.compat.v1.keras.utils.DeterministicRandomTestTool(mode="num_random_ops")
    ...     with tool.scope():
    ...         return [float(tf.random.uniform([])), float(tf.random.uniform([]))]
    >>> drawn() == drawn(), len(set(drawn()))
    (True, 2)
    """

    def __init__(self, seed: int = 42, mode: str = "constant") -> None:
        if mode not in MODES:
            raise InvalidArgumentError(
                f"Mode arg must be 'constant' or 'num_random_ops'. Got: {mode}"
            )
        self._mode, self._seed = mode, seed
        self.operation_seed = 0
        self._given: set[int] = set()

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Give operators inside their seeds; InvalidArgumentError where one would be twice."""
        global_seed.set(self._seed)
        with seeds_from(self._next):
            yield

    def _next(self) -> tuple[int, int]:
        given = self.operation_seed
        if self._mode == "constant":
            global_seed.set(given)
        else:
            if given in self._given:
                raise InvalidArgumentError(
                    "This `DeterministicRandomTestTool` object is trying to re-use the used "
                    f"operation seed {given}: operation_seed was set to a number that was given"
                )
            self._given.add(given)
            self.operation_seed += 1
        return self._seed, given
