"""TensorFlow 1's operators of gamma and Poisson numbers, which have generators of their own.

How such numbers are drawn is in rejection.py, what else draws so in stateful_draws.py.
"""

from __future__ import annotations

from abc import abstractmethod
from math import prod

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.random import draws as random, rejection
from tensorlite.ops.random.stateful_draws import StatefulDraw
from tensorlite.ops.state.variable import VariableState

__all__: list[str] = []


class _ByParameter(StatefulDraw, abstract=True):
    """Draws numbers in a tensor of a shape for each of the parameters, whose axes come last."""

    host = (1, 2)

    def infer(
        self, handle: TensorSpec, shape: TensorSpec, parameter: TensorSpec
    ) -> TensorSpec:
        """Return the asked shape with that of the parameters behind it."""
        sizes, own = random.drawn(shape, parameter.dtype).shape, parameter.shape
        whole = None if sizes is None or own is None else (*sizes, *own)
        return TensorSpec(whole, self.result(parameter.dtype))

    def kernel(
        self, xp: Xp, handle: VariableState, shape: Array, parameter: Array
    ) -> Array:
        """Return the numbers."""
        sizes = (*random.sizes_of(shape), *parameter.shape)
        key, counter = self.begin(handle, rejection.EACH * prod(sizes))
        found = self.drawn(key, counter, sizes, to_host(parameter))
        dtype = self.result(dtypes.of_numpy(parameter.dtype))
        return xp.asarray(found.astype(dtype.numpy))

    @abstractmethod
    def result(self, parameter: DType) -> DType:
        """Return the dtype of the numbers, given that of the parameters."""

    @abstractmethod
    def drawn(
        self, key: Array, counter: Array, sizes: tuple[int, ...], parameter: Array
    ) -> Array:
        """Return what is drawn by a key and a counter."""


class RandomGamma(_ByParameter):
    """Gamma numbers of scale 1, for each shape parameter."""

    differentiable = True

    def result(self, parameter: DType) -> DType:
        """Return the dtype of the parameters."""
        return parameter

    def drawn(
        self, key: Array, counter: Array, sizes: tuple[int, ...], parameter: Array
    ) -> Array:
        """Return the numbers."""
        return rejection.gamma(key, counter, sizes, parameter)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient for the shapes of the distributions."""
        (_, _, alpha), (numbers,) = call.inputs, call.outputs
        return None, None, random.gamma_gradient(alpha, numbers, dy)


class RandomPoissonV2(_ByParameter):
    """Poisson numbers, for each mean."""

    dtype: DType = dtypes.int64

    def result(self, parameter: DType) -> DType:
        """Return the dtype that is asked for."""
        return self.dtype

    def drawn(
        self, key: Array, counter: Array, sizes: tuple[int, ...], parameter: Array
    ) -> Array:
        """Return the numbers."""
        return rejection.poisson(key, counter, sizes, parameter)
