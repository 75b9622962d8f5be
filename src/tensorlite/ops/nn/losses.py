"""Losses: cross entropies with stable kernels, squared and Huber errors, and moments.

Functions that compare labels with logits return one loss per example; take the mean of it.
"""

from __future__ import annotations

from tensorlite.core.device import settings
from tensorlite.core.dispatch import call, call1, floating, promoted, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dims, TensorSpec, broadcast, merge, shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims, moveaxis
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.math.arithmetic import sum, sum_to
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import less_equal, where
from tensorlite.ops.math.elementwise import rsqrt, square
from tensorlite.ops.math.reduce import Axis, mean, prod
from tensorlite.ops.math.rounding import abs
from tensorlite.ops.nn.activations import (
    exponentials,
    log_softmax,
    softmax,
    softmax_flow,
    softplus,
)

__all__ = [
    "huber",
    "l2_loss",
    "l2_normalize",
    "mean_absolute_error",
    "mean_squared_error",
    "moments",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
    "weighted_sigmoid_cross_entropy",
]


class SoftmaxCrossEntropyWithLogits(Op):
    """The cross entropy of each row's softmax against its labels, and its gradient."""

    of_any_sum: bool = False
    """Whether the gradient holds for labels of any sum. TensorFlow's does for a sum of 1."""

    def infer(
        self, logits: TensorSpec, labels: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return a loss per row, and the shape of both; ShapeError where they do not broadcast."""
        if not logits.dtype.is_floating or labels.dtype is not logits.dtype:
            raise DTypeError(
                f"{self.name} takes floating logits and labels of one dtype, not {logits} and "
                f"{labels}; class numbers go to sparse_softmax_cross_entropy"
            )
        try:
            shape = merge(logits.shape, labels.shape)
        except ShapeError:
            shape = broadcast(logits.shape, labels.shape)
        return logits.with_shape(_rows(self.name, shape)), logits.with_shape(shape)

    def kernel(self, xp: Xp, logits: Array, labels: Array) -> tuple[Array, Array]:
        """Return the losses, and softmax - labels, of which labels of any sum have a multiple."""
        if logits.shape != labels.shape:
            broadcast(logits.shape, labels.shape)
            logits, labels = xp.broadcast_arrays(logits, labels)
        shifted, _, total = exponentials(xp, logits)
        # A probability of zero against a label of zero costs nothing; -inf * 0 would be NaN.
        logs = xp.maximum(shifted - xp.log(total), xp.finfo(shifted.dtype).min)
        loss = -xp.sum(logs * labels, axis=-1)
        odds = xp.exp(logs)
        if self.of_any_sum:
            odds *= xp.sum(labels, axis=-1, keepdims=True)
        slope = odds - labels
        return loss.astype(logits.dtype), slope.astype(logits.dtype)

    def grad(self, call: Call, dloss: Tensor | None, dslope: Tensor | None) -> Grads:
        """Return the gradient for logits and labels, from both outputs."""
        logits, labels = call.inputs
        dx = dy = None
        if dloss is not None:
            flow = expand_dims(dloss, -1)
            dx, dy = flow * call.outputs[1], -flow * log_softmax(logits)
        if dslope is not None:
            y = softmax(logits)
            bend, turn = softmax_flow(dslope, y), -dslope
            if self.of_any_sum:
                bend *= sum(labels, axis=-1, keepdims=True)
                turn += sum(dslope * y, axis=-1, keepdims=True)
            dx, dy = (
                (bend, turn) if dx is None or dy is None else (dx + bend, dy + turn)
            )
        if dx is None or dy is None or logits.spec.shape == labels.spec.shape:
            return dx, dy
        return sum_to(dx, logits), sum_to(dy, labels)


class SparseSoftmaxCrossEntropyWithLogits(Op):
    """The cross entropy of each row's softmax against the number of its class."""

    def infer(
        self, logits: TensorSpec, labels: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return a loss per row, and the logits' shape; ShapeError when the labels differ."""
        if not logits.dtype.is_floating or not labels.dtype.is_integer:
            raise DTypeError(
                f"{self.name} takes floating logits and integer labels, not {logits} and {labels}; "
                "probabilities go to softmax_cross_entropy"
            )
        try:
            rows = merge(_rows(self.name, logits.shape), labels.shape)
        except ShapeError:
            raise ShapeError(
                f"{self.name}: labels {labels} must have the shape of logits {logits} without "
                "the last axis"
            ) from None
        return logits.with_shape(rows), logits.without_value()

    def kernel(self, xp: Xp, logits: Array, labels: Array) -> tuple[Array, Array]:
        """Return the losses, and softmax less one at the label; errors on labels out of range."""
        classes = logits.shape[-1]
        if logits.shape[:-1] != labels.shape:
            raise ShapeError(
                f"{self.name}: labels {shape_text(labels.shape)} must have the shape of logits "
                f"{shape_text(logits.shape)} without the last axis"
            )
        if labels.size and bool(xp.any((labels < 0) | (labels >= classes))):
            raise InvalidArgumentError(
                f"{self.name}: labels from {int(labels.min())} to {int(labels.max())}; allowed are "
                f"0 to {classes - 1}, the classes of logits {shape_text(logits.shape)}"
            )
        shifted, powers, total = exponentials(xp, logits)
        places = labels.reshape(-1).astype(xp.int64)
        rows = xp.arange(places.size)
        chosen = shifted.reshape(-1, classes)[rows, places].reshape(labels.shape)
        loss = xp.log(total[..., 0]) - chosen
        slope = (powers / total).reshape(-1, classes)
        slope[rows, places] -= 1
        of = logits.dtype
        return loss.astype(of, copy=False), slope.reshape(logits.shape).astype(
            of, copy=False
        )

    def grad(self, call: Call, dloss: Tensor | None, dslope: Tensor | None) -> Grads:
        """Return the gradient for the logits, from both outputs."""
        dx = None if dloss is None else expand_dims(dloss, -1) * call.outputs[1]
        if dslope is not None:
            bend = softmax_flow(dslope, softmax(call.inputs[0]))
            dx = bend if dx is None else dx + bend
        return dx, None


class L2Loss(Op):
    """Half the sum of the squares of all elements."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return a 0-d tensor; DTypeError unless the operand is floating."""
        if not x.dtype.is_floating:
            raise DTypeError(f"L2Loss takes floating tensors, not {x}")
        return TensorSpec((), x.dtype)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return sum(x**2) / 2."""
        flat = x.reshape(-1)
        if x.dtype.itemsize == 2:
            return self.kernel(xp, flat.astype(xp.float32)).astype(x.dtype)
        return xp.dot(flat, flat) / 2

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return dy * x."""
        return (dy * call.inputs[0],)


def _rows(what: str, shape: Dims | None) -> Dims | None:
    if shape is None:
        return None
    if not shape:
        raise ShapeError(
            f"{what} needs logits with an axis of classes, not a 0-d tensor"
        )
    return shape[:-1]


def softmax_cross_entropy(
    labels: TensorLike, logits: TensorLike, axis: int = -1
) -> Tensor:
    """Return the cross entropy between labels and the softmax of logits along `axis`.

    `labels` are probabilities in the shape of `logits`. Gradients flow to both; stop those for
    the labels by tl.stop_gradient where they are computed.

    >>> print(tl.nn.softmax_cross_entropy([[0.0, 1.0]], [[0.0, 0.0]]))
    [0.693147]
    """
    x, y = promoted(logits, labels)
    x, y = floating(x), floating(y)
    if axis != -1 and axis + 1 != x.spec.rank:
        x, y = moveaxis(x, axis, -1), moveaxis(y, axis, -1)
    op = SoftmaxCrossEntropyWithLogits(of_any_sum=not settings.tensorflow_results)
    if x.spec.rank == 2:
        return call(op, x, y)
    loss = call(op, as_rows(x), as_rows(y))
    return reshape(loss, shape_of(x)[:-1])


def sparse_softmax_cross_entropy(labels: TensorLike, logits: TensorLike) -> Tensor:
    """Return the cross entropy between classes, given by number, and the softmax of logits.

    `labels` are integers in the shape of `logits` without the last axis; InvalidArgumentError
    when one of them is no class.

    >>> print(tl.nn.sparse_softmax_cross_entropy([1], [[0.0, 0.0]]))
    [0.693147]
    """
    x, y = floating(to_tensor(logits)), to_tensor(labels)
    if not y.dtype.is_integer:
        raise DTypeError(
            f"sparse_softmax_cross_entropy takes integer labels, not {y.spec}; probabilities go "
            "to softmax_cross_entropy"
        )
    if x.spec.rank == 2:
        return call(SparseSoftmaxCrossEntropyWithLogits(), x, y)
    loss = call(SparseSoftmaxCrossEntropyWithLogits(), as_rows(x), reshape(y, (-1,)))
    return reshape(loss, shape_of(y))


def as_rows(x: Tensor) -> Tensor:
    """Return `x` as a matrix of the vectors along its last axis."""
    if x.spec.rank == 0:
        raise ShapeError("logits need an axis of classes, and a 0-d tensor has none")
    last = x.spec.shape[-1] if x.spec.shape else None
    known = x.spec.size
    if last and known is not None:
        return reshape(x, (known // last, last))
    sizes = shape_of(x)
    return reshape(x, concat([_product(sizes[:-1]), sizes[-1:]]))


def _product(sizes: Tensor) -> Tensor:
    return prod(sizes, keepdims=True)


def sigmoid_cross_entropy(labels: TensorLike, logits: TensorLike) -> Tensor:
    """Return the cross entropy between labels and the sigmoid of logits, element by element.

    >>> print(tl.nn.sigmoid_cross_entropy([1.0, 0.0], [0.0, 100.0]))
    [  0.693147 100.      ]
    """
    y, x = promoted(labels, logits)
    return y * softplus(-x) + (1.0 - y) * softplus(x)


def weighted_sigmoid_cross_entropy(
    labels: TensorLike, logits: TensorLike, positive_weight: TensorLike
) -> Tensor:
    """Return the sigmoid's cross entropy with the part of positive labels weighted.

    >>> print(tl.nn.weighted_sigmoid_cross_entropy([1.0], [0.0], 2.0))
    [1.386294]
    """
    y, x = promoted(labels, logits)
    return y * softplus(-x) * positive_weight + (1.0 - y) * softplus(x)


def l2_loss(x: TensorLike) -> Tensor:
    """Return half the sum of the squares of all elements, a 0-d tensor.

    >>> print(tl.nn.l2_loss([3.0, 4.0]))
    12.5
    """
    return call1(L2Loss(), floating(to_tensor(x)))


def mean_squared_error(
    labels: TensorLike, predictions: TensorLike, axis: Axis = None
) -> Tensor:
    """Return the mean of the squared differences over `axis`, all axes by default.

    >>> print(tl.nn.mean_squared_error([1.0, 2.0], [1.0, 4.0]))
    2.0
    """
    y, x = promoted(labels, predictions)
    return mean(square(x - y), axis=axis)


def mean_absolute_error(
    labels: TensorLike, predictions: TensorLike, axis: Axis = None
) -> Tensor:
    """Return the mean of the differences' sizes over `axis`, all axes by default.

    >>> print(tl.nn.mean_absolute_error([1.0, 2.0], [1.0, 4.0]))
    1.0
    """
    y, x = promoted(labels, predictions)
    return mean(abs(x - y), axis=axis)


def huber(labels: TensorLike, predictions: TensorLike, delta: float = 1.0) -> Tensor:
    """Return half the square of each difference up to `delta`, straight beyond (Huber 1964).

    >>> print(tl.nn.huber([0.0, 0.0], [0.5, 3.0]))
    [0.125 2.5  ]
    """
    y, x = promoted(labels, predictions)
    away = x - y
    size = abs(away)
    return where(
        less_equal(size, delta), 0.5 * square(away), delta * (size - 0.5 * delta)
    )


def moments(
    x: TensorLike, axis: Axis = None, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the mean and the variance over `axis`.

    >>> average, variance = tl.nn.moments([1.0, 3.0])
    >>> print(average, variance)
    2.0 1.0
    """
    tensor = floating(to_tensor(x))
    centre = mean(tensor, axis=axis, keepdims=True)
    spread = square(tensor - centre)
    return mean(tensor, axis=axis, keepdims=keepdims), mean(
        spread, axis=axis, keepdims=keepdims
    )


def l2_normalize(x: TensorLike, axis: Axis = -1, epsilon: float = 1e-12) -> Tensor:
    """Return `x` divided by its Euclidean length over `axis`; `epsilon` bounds its square below.

    >>> print(tl.nn.l2_normalize([3.0, 4.0]))
    [0.6 0.8]
    """
    tensor = floating(to_tensor(x))
    length = sum(square(tensor), axis=axis, keepdims=True)
    return tensor * rsqrt(maximum(length, epsilon))
