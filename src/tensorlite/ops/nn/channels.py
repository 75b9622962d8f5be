"""What is added to each channel: biases."""

from __future__ import annotations

from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import check_rank, check_rank_at_least
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import add, sum as sum_of

FORMATS = ("NHWC", "NCHW")


class BiasAdd(Composite):
    """A tensor, to each channel of which a number is added."""

    data_format: str = "NHWC"

    def compose(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return the sum; ShapeError unless there is a number for each channel."""
        _check(x, bias, 1 if self.data_format == "NCHW" else -1)
        if self.data_format == "NCHW":
            bias = reshape(bias, (-1, *[1] * ((x.spec.rank or 4) - 2)))
        return add(x, bias)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient, and its sum over all but the channels."""
        return dy, composed(BiasAddGrad(self.data_format), dy)


class BiasAddGrad(Composite):
    """The sum over all axes but that of the channels."""

    data_format: str = "NHWC"

    def compose(self, dy: Tensor) -> Tensor:
        """Return the sum."""
        if self.data_format == "NCHW":
            rank = 4 if dy.spec.rank is None else dy.spec.rank
            return sum_of(dy, axis=(0, *range(2, rank)))
        if dy.spec.rank is None:
            return sum_of(reshape(dy, [-1, shape_of(dy)[-1]]), axis=0)
        return sum_of(dy, axis=tuple(range(dy.spec.rank - 1)))


def _check(x: Tensor, bias: Tensor, axis: int) -> None:
    """Raise ShapeError unless there may be an element of the bias for each channel."""
    check_rank_at_least("BiasAdd", x.spec, 2)
    check_rank("BiasAdd adds a vector", bias.spec, 1)
    if x.spec.shape is not None and bias.spec.shape is not None:
        channels, size = x.spec.shape[axis], bias.spec.shape[0]
        if None not in (channels, size) and channels != size:
            raise ShapeError(
                f"BiasAdd: {size} elements do not fit {channels} channels in axis {axis}; give one "
                "for each"
            )


def bias_add(x: TensorLike, bias: TensorLike, data_format: str = "NHWC") -> Tensor:
    """Return `x` with a number added to each channel, in the last axis or, as "NCHW", the second.

    >>> from tensorlite.ops.nn.channels import bias_add
    >>> print(bias_add(tl.ones((1, 2)), tl.asarray([1.0, 2.0])))
    [[2. 3.]]
    """
    if data_format not in FORMATS:
        raise InvalidArgumentError(
            f"bias_add: data_format={data_format!r}; allowed are {FORMATS}"
        )
    made: Tensor = composed(BiasAdd(data_format), x, bias)
    return made
