"""Pooling by the greatest element in windows whose sizes and strides are inputs.

What pools in windows that are known beforehand is in pool.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tensorlite.core.dispatch import call as apply
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.op import REGISTRY, Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp

__all__: list[str] = []


class _FedPool(Op, abstract=True):
    """What these share: the last two inputs are sizes and strides of windows."""

    known: ClassVar[str]
    """The operator for windows that are known."""
    padding: str = "VALID"
    data_format: str = "NHWC"

    def of(self, ksize: Sequence[int], strides: Sequence[int]) -> Op:
        """Return the operator for known sizes and strides."""
        windows = {
            "ksize": tuple(map(int, ksize)),
            "strides": tuple(map(int, strides)),
        }
        return REGISTRY[self.known](**windows, **self.attributes())

    def sibling(self, name: str) -> Op:
        """Return the operator of another name with these attributes."""
        return REGISTRY[name](**self.attributes())

    def infer(self, *specs: TensorSpec) -> TensorSpec:
        """Return what there is for known windows, else images of any size."""
        *own, ksize, strides = specs
        sizes, steps = ksize.constant(), strides.constant()
        if sizes is not None and steps is not None:
            found = self.of(sizes, steps).infer(*own)
            assert isinstance(found, TensorSpec)
            return found
        if self.known == "MaxPoolGrad":
            return own[0].without_value()
        dims = own[0].shape or (None,) * 4
        return own[0].with_shape(
            (dims[0], None, None, dims[3])
            if self.data_format == "NHWC"
            else (*dims[:2], None, None)
        )

    def kernel(self, xp: Xp, *arrays: Array) -> Array:
        """Return what the operator for these windows does."""
        *own, ksize, strides = arrays
        op = self.of(ksize.ravel().tolist(), strides.ravel().tolist())
        op.infer(*[TensorSpec(x.shape, of_numpy(x.dtype)) for x in own])
        found: Array = op.kernel(xp, *own)
        return found


class MaxPoolV2(_FedPool):
    """The greatest element of each window."""

    known = "MaxPool"
    host = (1, 2)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at the first greatest element of each window."""
        x, *windows = call.inputs
        op = self.sibling("MaxPoolGradV2")
        return apply(op, x, call.outputs[0], dy, *windows), None, None


class MaxPoolGradV2(_FedPool):
    """The gradient of MaxPoolV2: each place's goes to the first greatest element of its window."""

    known = "MaxPoolGrad"
    host = (3, 4)

    def grad(self, call: Call, flow: Tensor) -> Grads:
        """Return the chosen elements of the gradient: which are chosen does not vary."""
        x, y, _, *windows = call.inputs
        op = self.sibling("MaxPoolGradGradV2")
        return None, None, apply(op, x, y, flow, *windows), None, None


class MaxPoolGradGradV2(_FedPool):
    """What lies in a third tensor where the first greatest element of each window is."""

    known = "MaxPoolGradGrad"
    host = (3, 4)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient at the chosen elements."""
        x, y, _, *windows = call.inputs
        op = self.sibling("MaxPoolGradV2")
        return None, None, apply(op, x, y, dy, *windows), None, None
