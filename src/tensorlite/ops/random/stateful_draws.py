"""TensorFlow 1's operators that draw random numbers: each has a generator of its own, by a handle.

A generator begins with the seeds of its operator, and goes on from run to run, with the numbers
that TensorFlow draws. What draws from a key and a counter is in draws.py.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.op import Effect, Op, Role, Specs
from tensorlite.core.spec import (
    TensorSpec,
    check_rank,
)
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.graph.graph import Graph, Node
from tensorlite.ops.random import draws as random, philox
from tensorlite.ops.state.variable import VariableState

__all__: list[str] = []

STATE = TensorSpec((3,), dtypes.int64)
"""The spec of a generator: a counter of two words, and the key."""
KEY, COUNTER = TensorSpec((1,), dtypes.uint64), TensorSpec((2,), dtypes.uint64)


class StatefulDraw(Op, abstract=True):
    """Draws from the generator that its first input is the handle of."""

    effect = Effect.WRITE
    differentiable = False
    _: KW_ONLY
    seed: int = 0
    seed2: int = 0

    def seeds(self) -> tuple[int, int]:
        """Return the two seeds, others at every call where none are given."""
        if (self.seed, self.seed2) == (0, 0):
            return secrets.randbits(63), secrets.randbits(63)
        return self.seed, self.seed2

    def begin(self, state: VariableState, steps: int) -> tuple[Array, Array]:
        """Return key and counter, and let the generator go on by so many counters."""
        seeds = self.seeds()
        with state.lock:
            first = state.begin(np.array([0, seeds[1], seeds[0]], np.int64))
            words = to_host(first).view(np.uint64)
            after = np.array(
                [*philox.advanced(words[:2], steps), words[2]], np.uint64
            )
            state.array = after.view(np.int64)
        return words[2:].copy(), words[:2].copy()


class _Filling(StatefulDraw, abstract=True):
    """Fills a tensor of a shape; of each number 256 counters are kept free."""

    host = (1,)
    dtype: DType = dtypes.float32

    def infer(self, handle: TensorSpec, shape: TensorSpec) -> TensorSpec:
        """Return the asked shape."""
        return random.drawn(shape, self.dtype)

    def kernel(self, xp: Xp, handle: VariableState, shape: Array) -> Array:
        """Return the numbers."""
        sizes = random.sizes_of(shape)
        key, counter = self.begin(handle, 256 * int(np.prod(sizes, dtype=np.int64)))
        return self.draw(xp, key, counter, sizes)

    @abstractmethod
    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return numbers in a tensor of some sizes."""


class RandomUniform(_Filling):
    """Numbers of [0, 1), each equally likely."""

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the numbers."""
        return philox.uniform(xp, key, counter, sizes, self.dtype.numpy)


class RandomStandardNormal(_Filling):
    """Numbers of the normal distribution with mean 0 and deviation 1."""

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the numbers."""
        return philox.normal(xp, key, counter, sizes, self.dtype.numpy)


class TruncatedNormal(_Filling):
    """Numbers of the normal distribution, but none beyond two deviations from the mean."""

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the numbers."""
        return philox.truncated_normal(xp, key, counter, sizes, self.dtype.numpy)


class RandomUniformInt(StatefulDraw):
    """Integers from one bound up to another, which is left out."""

    host = (1,)

    def infer(
        self, handle: TensorSpec, shape: TensorSpec, low: TensorSpec, high: TensorSpec
    ) -> TensorSpec:
        """Return the asked shape, of the bounds' dtype."""
        return random.drawn(shape, low.dtype)

    def kernel(
        self, xp: Xp, handle: VariableState, shape: Array, low: Array, high: Array
    ) -> Array:
        """Return the integers."""
        sizes = random.sizes_of(shape)
        random.check_range(sizes, low, high)
        key, counter = self.begin(handle, 256 * int(np.prod(sizes, dtype=np.int64)))
        return philox.integers(xp, key, counter, sizes, low, high)


class RandomShuffle(StatefulDraw):
    """The rows of a tensor in random order."""

    def infer(self, handle: TensorSpec, value: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        return value.without_value()

    def kernel(self, xp: Xp, handle: VariableState, value: Array) -> Array:
        """Return the rows; a number has no others."""
        if value.ndim == 0 or len(value) < 2:
            return value
        key, counter = self.begin(handle, (len(value) + 2) // 4)
        return value[philox.permutation(xp, key, counter, len(value))]


class FromCounter(StatefulDraw):
    """What an operator draws from a key and a counter, its last inputs: these are a generator's."""

    op: Op
    numbers: int
    """For how many numbers the generator goes on."""

    def infer(self, handle: TensorSpec, *inputs: TensorSpec) -> Specs:
        """Return what the operator returns."""
        return self.op.infer(*inputs, KEY, COUNTER)

    def kernel(self, xp: Xp, handle: VariableState, *inputs: Array) -> Any:
        """Return what it draws."""
        key, counter = self.begin(handle, 256 * self.numbers)
        return self.op.kernel(xp, *inputs, key, counter)


class Multinomial(StatefulDraw):
    """Classes, each as likely as its logit's exponential; a row of samples per row of logits."""

    host = (2,)
    output_dtype: DType = dtypes.int64

    def infer(
        self, handle: TensorSpec, logits: TensorSpec, count: TensorSpec
    ) -> TensorSpec:
        """Return (rows, samples)."""
        check_rank("Multinomial: logits", logits, 2)
        rows = None if logits.shape is None else logits.shape[0]
        return TensorSpec((rows, count.scalar()), self.output_dtype)

    def kernel(
        self, xp: Xp, handle: VariableState, logits: Array, count: Array
    ) -> Array:
        """Return the classes."""
        wide = -(-random.samples_of(count) // 4) * 4
        key, counter = self.begin(handle, 256 * 2 * wide * len(logits))
        op = random.StatelessCategorical(self.output_dtype)
        found: Array = op.kernel(xp, logits, count, key, counter, np.int32(1))
        return found


def generators(graph: Graph) -> set[Node]:
    """Return the handles of generators, which draws have inside themselves in TensorFlow."""
    draws = [x for x in graph.nodes if isinstance(x.op, StatefulDraw)]
    return {x.inputs[0].node for x in draws if x.inputs[0].node.op.role is Role.PLAIN}
