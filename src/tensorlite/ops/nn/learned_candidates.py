"""Candidates for losses over many classes, drawn as often as classes were labels before.

What draws by laws that do not change is in candidates.py and sampled.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec, check_rank
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.random import philox
from tensorlite.ops.random.stateful_draws import StatefulDraw
from tensorlite.ops.state.variable import VariableState

__all__: list[str] = []

_EACH = 512
"""How many counters the generator goes on for each class that is drawn."""


class LearnedUnigramCandidateSampler(StatefulDraw):
    """Classes drawn as often as they were labels in the runs before, and once more each.

    Its state is that of a generator, and how often each class was a label.
    """

    num_true: int
    num_sampled: int
    unique: bool
    range_max: int

    def infer(self, handle: TensorSpec, labels: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the classes, and expectations shaped as the labels and as the classes."""
        check_rank(f"{self.name}: true_classes", labels, 2)
        self._check()
        vector = (self.num_sampled,)
        return (
            TensorSpec(vector, dtypes.int64),
            TensorSpec(labels.shape, dtypes.float32),
            TensorSpec(vector, dtypes.float32),
        )

    def kernel(
        self, xp: Xp, handle: VariableState, labels: Array
    ) -> tuple[Array, Array, Array]:
        """Return classes and expectations, and learn from the labels."""
        true = to_host(labels)
        if true.size and not (true.min() >= 0 and true.max() < self.range_max):
            raise InvalidArgumentError(
                f"{self.name}: labels are from {true.min()} to {true.max()}; allowed are 0 to "
                f"{self.range_max - 1}"
            )
        key, counter, weights = self._begin(handle)
        drawn, tries = self._draw(_Picker(key, counter, weights))
        with handle.lock:
            state = to_host(handle.value()).copy()
            state[3:] += np.bincount(true.ravel(), minlength=self.range_max)
            handle.array = state
        shares = (weights / weights.sum()).astype(np.float32).astype(np.float64)
        expected = [
            self._expected(shares[classes], tries) for classes in (true, drawn)
        ]
        return xp.asarray(drawn), *[xp.asarray(x) for x in expected]

    def _check(self) -> None:
        if self.num_sampled < 1:
            raise InvalidArgumentError(
                f"{self.name}: num_sampled is {self.num_sampled}; draw at least one"
            )
        if self.unique and self.num_sampled > self.range_max:
            raise InvalidArgumentError(
                f"{self.name}: Sampler's range is too small: {self.num_sampled} different classes "
                f"of {self.range_max}"
            )

    def _begin(self, handle: VariableState) -> tuple[Array, Array, Array]:
        """Return key, counter and weights, and let the generator go on."""
        with handle.lock:
            state = to_host(handle.begin(self._first())).copy()
            words = state[:3].view(np.uint64).copy()
            after = philox.advanced(words[:2], _EACH * self.num_sampled)
            state[:2] = after.view(np.int64)
            handle.array = state
        return words[2:], words[:2], state[3:].copy()

    def _first(self) -> Array:
        seeds = self.seeds()
        begin = np.array([0, seeds[1], seeds[0]], np.int64)
        return np.concatenate([begin, np.ones(self.range_max, np.int64)])

    def _draw(self, picker: _Picker) -> tuple[Array, int]:
        """Return the classes, and how many were drawn until they were all there."""
        if not self.unique:
            drawn = [picker.pick() for _ in range(self.num_sampled)]
            return np.array(drawn, np.int64), self.num_sampled
        found: dict[int, None] = {}
        tries = 0
        while len(found) < self.num_sampled:
            found.setdefault(picker.pick())
            tries += 1
        return np.array(list(found), np.int64), tries

    def _expected(self, shares: Array, tries: int) -> Array:
        if tries == self.num_sampled:
            return (shares * tries).astype(np.float32)
        with np.errstate(divide="ignore"):
            return (-np.expm1(tries * np.log1p(-shares))).astype(np.float32)


class ThreadUnsafeUnigramCandidateSampler(LearnedUnigramCandidateSampler):
    """The same; here it is safe as well."""


class _Picker:
    """Draws classes by weights, each evenly from all that the weights add up to."""

    def __init__(self, key: Array, counter: Array, weights: Array) -> None:
        self._key, self._counter = key, counter
        self._ends = np.cumsum(weights)
        self._words: list[int] = []
        self._used = 0

    def pick(self) -> int:
        """Return a class."""
        total = int(self._ends[-1])
        word = self._word()
        if total & (total - 1) == 0:
            place = word & (total - 1)
        else:
            while word < (2**32 - 1) % total + 1:
                word = self._word()
            place = word % total
        return int(np.searchsorted(self._ends, place, side="right"))

    def _word(self) -> int:
        if self._used == len(self._words):
            count = max(64, 2 * self._used)
            self._words = philox.bits(np, self._key, self._counter, count).tolist()
        self._used += 1
        return self._words[self._used - 1]
