"""TensorFlow 1's operators that draw by a seed which is an input: nodes of graphs.

What draws is in draws.py, functions of seeds in generators.py and sampling.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dtypes import DType
from tensorlite.core.tensor import Tensor
from tensorlite.ops.composite import Composite
from tensorlite.ops.random.generators import Seed

__all__: list[str] = []


class StatelessRandomUniform(Composite):
    """Numbers of [0, 1), each equally likely."""

    differentiable = False
    dtype: DType = dtypes.float32

    def compose(self, shape: Tensor, seed: Tensor) -> Tensor:
        """Return the numbers."""
        return Seed(seed).uniform(shape, dtype=self.dtype)


class StatelessRandomNormal(Composite):
    """Numbers of the normal distribution with mean 0 and deviation 1."""

    differentiable = False
    dtype: DType = dtypes.float32

    def compose(self, shape: Tensor, seed: Tensor) -> Tensor:
        """Return the numbers."""
        return Seed(seed).normal(shape, dtype=self.dtype)


class StatelessTruncatedNormal(Composite):
    """Numbers of the normal distribution, but none beyond two deviations from the mean."""

    differentiable = False
    dtype: DType = dtypes.float32

    def compose(self, shape: Tensor, seed: Tensor) -> Tensor:
        """Return the numbers."""
        return Seed(seed).truncated_normal(shape, dtype=self.dtype)


class StatelessRandomUniformInt(Composite):
    """Integers from one bound up to another, which is left out."""

    differentiable = False

    def compose(
        self, shape: Tensor, seed: Tensor, minval: Tensor, maxval: Tensor
    ) -> Tensor:
        """Return the integers."""
        return Seed(seed).integers(shape, minval, maxval, minval.dtype)


class StatelessMultinomial(Composite):
    """Classes, each as likely as its logit's exponential; a row of samples per row of logits."""

    differentiable = False
    output_dtype: DType = dtypes.int64

    def compose(self, logits: Tensor, num_samples: Tensor, seed: Tensor) -> Tensor:
        """Return the classes."""
        return Seed(seed).categorical(logits, num_samples, self.output_dtype)
