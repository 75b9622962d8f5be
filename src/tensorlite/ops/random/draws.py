"""Operators that draw random numbers from a key and a counter, and the one that advances a state.

They are functions: equal keys and counters give equal numbers, eager or traced, on any device. The
bits come from philox.py; the functions and generators that people call are in generators.py.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from math import prod

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call as apply
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.spec import Dims, TensorSpec, broadcast, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.math.arithmetic import sum_to
from tensorlite.ops.math.gamma import RandomGammaGrad
from tensorlite.ops.random import philox, rejection
from tensorlite.ops.state.variable import VariableState

PHILOX = 1
"""TensorFlow's number for the algorithm, the only one here."""


def check_seed(seed: TensorSpec) -> None:
    """Raise ShapeError when a seed is not two integers."""
    if seed.shape not in (None, (None,), (2,)) or not seed.dtype.is_integer:
        raise ShapeError(f"a seed is two integers, such as (1, 2), not {seed}")


class StatelessRandomGetKeyCounter(Op):
    """The key and the counter that a seed of two integers is mixed to."""

    differentiable = False
    host = (0,)

    def infer(self, seed: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return vectors of one and of two; ShapeError when the seed is not two integers."""
        check_seed(seed)
        return TensorSpec((1,), dtypes.uint64), TensorSpec((2,), dtypes.uint64)

    def kernel(self, xp: Xp, seed: Array) -> tuple[Array, Array]:
        """Return the key and the counter, in host memory."""
        first, second = seed.tolist()
        return philox.mixed((first, second))


class RngReadAndSkip(Op):
    """The state of a generator, (counter, counter, key), which is advanced past `delta` numbers."""

    effect = Effect.WRITE
    differentiable = False
    host = (0, 1, 2)

    def infer(
        self, state: TensorSpec, algorithm: TensorSpec, delta: TensorSpec
    ) -> TensorSpec:
        """Return the spec of a state."""
        held = state.inner[0] if state.inner else state
        if held.dtype is not dtypes.int64 or held.shape != (3,):
            raise DTypeError(
                f"a generator's state is three int64 numbers, not {held}"
            )
        return TensorSpec((3,), dtypes.int64)

    def kernel(
        self, xp: Xp, state: VariableState, algorithm: Array, delta: Array
    ) -> Array:
        """Return the state before it is advanced; a number may need up to 256 counters."""
        with state.lock:
            before = to_host(state.value())
            after = before.copy()
            after[:2] = philox.advanced(
                before[:2].view(np.uint64), 256 * int(delta)
            ).view(np.int64)
            state.array = after
        return before


class FreshState(Op):
    """A generator's state that nobody can foresee: other numbers at every run."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self) -> TensorSpec:
        """Return the spec of a state."""
        return TensorSpec((3,), dtypes.int64)

    def kernel(self, xp: Xp) -> Array:
        """Return a counter and a key by the operating system's entropy, in host memory."""
        return np.array([0, secrets.randbits(62), secrets.randbits(62)], np.int64)


class KeyAndCounter(Op):
    """The key and the counter in a generator's state."""

    differentiable = False
    host = (0,)

    def infer(self, state: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return vectors of one and of two."""
        return TensorSpec((1,), dtypes.uint64), TensorSpec((2,), dtypes.uint64)

    def kernel(self, xp: Xp, state: Array) -> tuple[Array, Array]:
        """Return the key and the counter, in host memory."""
        words = state.view(np.uint64)
        return words[2:].copy(), words[:2].copy()


class CountOf(Op):
    """The number of elements of a tensor of some shape."""

    differentiable = False
    host = (0,)

    def infer(self, shape: TensorSpec) -> TensorSpec:
        """Return a 0-d integer, known when the shape is."""
        sizes = shape.constant()
        return TensorSpec(
            (), dtypes.int64, known=None if sizes is None else prod(sizes)
        )

    def kernel(self, xp: Xp, shape: Array) -> Array:
        """Return the product of the sizes, in host memory."""
        return np.asarray(prod(shape.tolist()), np.int64)


class _Draw(Op, abstract=True):
    """Draws a tensor of some shape; the key says on which device."""

    differentiable = False
    host = (0, 2, 3)
    dtype: DType = dtypes.float32

    def infer(
        self,
        shape: TensorSpec,
        key: TensorSpec,
        counter: TensorSpec,
        algorithm: TensorSpec,
    ) -> TensorSpec:
        """Return the asked shape; DTypeError when numbers of the dtype cannot be drawn."""
        self.check()
        return drawn(shape, self.dtype)

    def kernel(
        self, xp: Xp, shape: Array, key: Array, counter: Array, algorithm: Array
    ) -> Array:
        """Return the numbers."""
        self.check()
        return self.draw(xp, key, counter, sizes_of(shape))

    def check(self) -> None:
        """Raise DTypeError when numbers of the dtype cannot be drawn."""
        if not self.draws(self.dtype):
            raise DTypeError(f"{self.name} cannot draw {self.dtype!r}")

    def draws(self, dtype: DType) -> bool:
        """Return whether numbers of a dtype can be drawn."""
        return dtype.is_floating

    @abstractmethod
    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return numbers in a tensor of some sizes."""


def drawn(shape: TensorSpec, dtype: DType) -> TensorSpec:
    """Return the spec of what is drawn; ShapeError when a size is negative."""
    sizes = shape.vector()
    if sizes is not None:
        check_sizes(sizes)
    return TensorSpec(sizes, dtype)


def check_sizes(sizes: Dims) -> None:
    """Raise ShapeError when a size is negative."""
    if any(size is not None and size < 0 for size in sizes):
        raise ShapeError(f"shape {shape_text(sizes)} has a negative size")


def sizes_of(shape: Array) -> tuple[int, ...]:
    """Return a host array of sizes as a tuple; ShapeError when one is negative."""
    sizes = tuple(shape.tolist())
    check_sizes(sizes)
    return sizes


def check_range(sizes: tuple[int, ...], low: Array, high: Array) -> None:
    """Raise InvalidArgumentError when integers of [low, high) are asked for and there are none."""
    if prod(sizes) and not bool((low < high).all()):
        raise InvalidArgumentError(
            f"integers of [{to_host(low)}, {to_host(high)}): the range is empty"
        )


def samples_of(count: Array) -> int:
    """Return how many samples are asked for; InvalidArgumentError when that is negative."""
    if count < 0:
        raise InvalidArgumentError(f"{count} samples are asked for; allowed are 0 on")
    return int(count)


class StatelessRandomUniformV2(_Draw):
    """Numbers of [0, 1), each equally likely."""

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the numbers."""
        return philox.uniform(xp, key, counter, sizes, self.dtype.numpy)


class StatelessRandomNormalV2(_Draw):
    """Numbers of the normal distribution with mean 0 and deviation 1."""

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the numbers."""
        return philox.normal(xp, key, counter, sizes, self.dtype.numpy)


class StatelessTruncatedNormalV2(_Draw):
    """Numbers of the normal distribution, but none beyond two deviations from the mean."""

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the numbers."""
        return philox.truncated_normal(xp, key, counter, sizes, self.dtype.numpy)


class StatelessRandomUniformFullIntV2(_Draw):
    """Integers of the whole range of their dtype, each equally likely."""

    dtype: DType = dtypes.int32

    def draws(self, dtype: DType) -> bool:
        """Return whether numbers of a dtype can be drawn."""
        return dtype.is_integer and dtype.itemsize >= 4

    def draw(
        self, xp: Xp, key: Array, counter: Array, sizes: tuple[int, ...]
    ) -> Array:
        """Return the integers."""
        draw = philox.words64 if self.dtype.itemsize == 8 else philox.bits
        return (
            draw(xp, key, counter, prod(sizes)).view(self.dtype.numpy).reshape(sizes)
        )


class StatelessRandomUniformIntV2(Op):
    """Integers from one bound up to another, which is left out."""

    differentiable = False
    host = (0, 2, 3)

    def infer(
        self,
        shape: TensorSpec,
        key: TensorSpec,
        counter: TensorSpec,
        algorithm: TensorSpec,
        low: TensorSpec,
        high: TensorSpec,
    ) -> TensorSpec:
        """Return the asked shape; DTypeError when the bounds are not integers of one dtype."""
        if not low.dtype.is_integer or low.dtype is not high.dtype:
            raise DTypeError(
                f"the bounds must be integers of one dtype, not {low} and {high}"
            )
        return drawn(shape, low.dtype)

    def kernel(
        self,
        xp: Xp,
        shape: Array,
        key: Array,
        counter: Array,
        algorithm: Array,
        low: Array,
        high: Array,
    ) -> Array:
        """Return the integers."""
        sizes = sizes_of(shape)
        check_range(sizes, low, high)
        return philox.integers(xp, key, counter, sizes, low, high)


class StatelessShuffle(Op):
    """The rows of a tensor in random order."""

    differentiable = False
    host = (2, 3)

    def infer(
        self,
        value: TensorSpec,
        key: TensorSpec,
        counter: TensorSpec,
        algorithm: TensorSpec,
    ) -> TensorSpec:
        """Return the operand's spec; ShapeError when it has no rows."""
        if value.shape == ():
            raise ShapeError("a 0-d tensor has no rows to shuffle")
        return value.without_value()

    def kernel(
        self, xp: Xp, value: Array, key: Array, counter: Array, algorithm: Array
    ) -> Array:
        """Return the rows in random order."""
        return value[philox.permutation(xp, key, counter, value.shape[0])]


class StatelessCategorical(Op):
    """Classes, each as likely as its logit's exponential; one row of samples per row of logits."""

    differentiable = False
    host = (1, 3, 4)
    output_dtype: DType = dtypes.int64

    def infer(
        self,
        logits: TensorSpec,
        count: TensorSpec,
        key: TensorSpec,
        counter: TensorSpec,
        algorithm: TensorSpec,
    ) -> TensorSpec:
        """Return (rows, samples); ShapeError when the logits are not a matrix."""
        if not logits.dtype.is_floating:
            raise DTypeError(f"logits are floating tensors, not {logits}")
        if logits.shape is not None and (
            len(logits.shape) != 2 or logits.shape[1] == 0
        ):
            raise ShapeError(
                f"logits have shape (rows, classes), classes > 0, not {logits}"
            )
        rows = None if logits.shape is None else logits.shape[0]
        return TensorSpec((rows, count.scalar()), self.output_dtype)

    def kernel(
        self,
        xp: Xp,
        logits: Array,
        count: Array,
        key: Array,
        counter: Array,
        algorithm: Array,
    ) -> Array:
        """Return the classes, found in the distribution function of each row.

        Row r lies in [r, r + 1), so that one sorted search serves all rows.
        """
        samples = samples_of(count)
        rows, classes = logits.shape
        wide = logits.astype(xp.float64)
        weights = xp.exp(wide - xp.max(wide, axis=1, keepdims=True))
        below = xp.cumsum(weights, axis=1)
        offsets = xp.arange(rows, dtype=xp.float64)[:, None]
        below = below / below[:, -1:] + offsets
        numbers = philox.doubles(xp, key, counter, rows * samples)
        places = numbers.reshape(rows, samples) + offsets
        found = xp.searchsorted(below.reshape(-1), places.reshape(-1), side="right")
        found = found.reshape(rows, samples) - xp.arange(rows)[:, None] * classes
        return found.astype(self.output_dtype.numpy)


def gamma_gradient(alpha: Tensor, numbers: Tensor, dy: Tensor) -> Tensor:
    """Return the gradient for the shapes of gamma distributions, from that for the numbers."""
    return sum_to(dy * apply(RandomGammaGrad(), alpha, numbers), alpha)


class StatelessRandomGammaV3(Op):
    """Numbers of gamma distributions with scale 1, their shapes given by a tensor."""

    host = (0, 2, 3)

    def infer(
        self,
        shape: TensorSpec,
        key: TensorSpec,
        counter: TensorSpec,
        algorithm: TensorSpec,
        alpha: TensorSpec,
    ) -> TensorSpec:
        """Return the asked shape; ShapeError when `alpha` does not broadcast to it."""
        if not alpha.dtype.is_floating:
            raise DTypeError(f"alpha is a floating tensor, not {alpha}")
        spec = drawn(shape, alpha.dtype)
        if (
            broadcast(spec.shape, alpha.shape) not in (None, spec.shape)
            and spec.is_static
        ):
            raise ShapeError(
                f"alpha {alpha} does not broadcast to shape {shape_text(spec.shape)}"
            )
        return spec

    def kernel(
        self,
        xp: Xp,
        shape: Array,
        key: Array,
        counter: Array,
        algorithm: Array,
        alpha: Array,
    ) -> Array:
        """Return the numbers."""
        sizes, wide = sizes_of(shape), to_host(alpha)
        numbers = rejection.gamma(key, counter, sizes, wide)
        return xp.asarray(numbers.astype(alpha.dtype))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the shapes of the distributions."""
        alpha, (numbers,) = call.inputs[4], call.outputs
        return None, None, None, None, gamma_gradient(alpha, numbers, dy)
