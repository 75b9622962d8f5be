"""Batch normalization of TensorFlow 1's tf.layers, with moving averages that UPDATE_OPS change."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import elementwise
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.compat.v1.layer_kinds.core import initializer_of, known_size
from tensorlite.compat.v1.layer_kinds.normalizing import Normalizing
from tensorlite.compat.v1.layer_kinds.renormalization import Renormalization
from tensorlite.core.check import integers_of
from tensorlite.core.dtypes import bfloat16, float16, float32
from tensorlite.core.errors import InvalidArgumentError


class BatchNormalization(Normalizing, Layer):
    """Inputs with mean 0 and variance 1 over the batch, moved by beta and gamma.

    In training, operators in UPDATE_OPS change the moving averages, and are to be run; else these
    are taken (Ioffe and Szegedy 2015).
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: Any = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: Any = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self._initializers = {
            "beta": initializer_of(beta_initializer),
            "gamma": initializer_of(gamma_initializer),
            "moving_mean": initializer_of(moving_mean_initializer),
            "moving_variance": initializer_of(moving_variance_initializer),
        }
        self._regularizers = {"beta": beta_regularizer, "gamma": gamma_regularizer}
        self._constraints = {"beta": beta_constraint, "gamma": gamma_constraint}
        self.beta_constraint, self.gamma_constraint = (
            beta_constraint,
            gamma_constraint,
        )
        self.renorm, self.adjustment = renorm, adjustment
        self.virtual_batch_size = virtual_batch_size
        self._corrections = (
            Renormalization(renorm_clipping, renorm_momentum, epsilon)
            if renorm
            else None
        )
        self._check_parts()
        self.beta: Any = None
        self.gamma: Any = None

    def _check_parts(self) -> None:
        size = self.virtual_batch_size
        if size is None:
            return
        if size <= 0:
            raise InvalidArgumentError(
                f"virtual_batch_size={size} must be a positive integer that divides the true "
                "batch size of the input Tensor"
            )
        if self.adjustment is not None:
            raise InvalidArgumentError(
                "When using virtual_batch_size, adjustment cannot be specified"
            )

    def build(self, input_shape: Any) -> None:
        rank = TensorShape(input_shape).rank
        if rank is None:
            raise InvalidArgumentError("Input has undefined rank")
        self.axis = self._axes(rank)
        sizes = [known_size(input_shape, x, "BatchNormalization") for x in self.axis]
        known = dict(zip(self.axis, sizes, strict=True))
        self.input_spec = InputSpec(ndim=rank, axes=known)
        shape = sizes
        if len(sizes) > 1 or self.virtual_batch_size is not None:
            shape = [known.get(i, 1) for i in range(rank)]
        if self.virtual_batch_size is not None:
            if 0 in self.axis:
                raise InvalidArgumentError(
                    "When using virtual_batch_size, the batch dimension must be 0 and thus axis "
                    "cannot include 0"
                )
            shape.insert(1, 1)
            self.axis = [x + 1 for x in self.axis]
        # TensorFlow makes them in this order, which is that of checkpoints and collections.
        if self.scale:
            self.gamma = self._variable("gamma", shape, trainable=True)
        if self.center:
            self.beta = self._variable("beta", shape, trainable=True)
        self._set_scope()
        with self._scope.uncut() if self._scope is not None else nullcontext():
            self._build_averages(shape)
        self.built = True

    def _build_averages(self, shape: list[int]) -> None:
        self.moving_mean = self._variable("moving_mean", shape, trainable=False)
        self.moving_variance = self._variable(
            "moving_variance", shape, trainable=False
        )
        if self._corrections is not None:
            self._initializers |= self._initializers_of_corrections()
            self._corrections.build(lambda name: self._variable(name, shape, False))

    def _initializers_of_corrections(self) -> dict[str, Any]:
        variance = self._initializers["moving_variance"]

        def stddev(*args: Any, **kwargs: Any) -> Any:
            return elementwise.sqrt(variance(*args, **kwargs))

        mean = self._initializers["moving_mean"]
        return {"moving_stddev": stddev, "renorm_mean": mean, "renorm_stddev": stddev}

    def _axes(self, rank: int) -> list[int]:
        given = integers_of(self.axis, "BatchNormalization: axis")
        axes = [x + rank if x < 0 else x for x in given]
        if not all(0 <= x < rank for x in axes) or len(set(axes)) != len(axes):
            raise InvalidArgumentError(
                f"BatchNormalization: axis={self.axis} for inputs with {rank} axes"
            )
        return axes

    def _variable(self, name: str, shape: list[int], trainable: bool) -> Any:
        low = self._dtype in {float16, bfloat16}
        return self.add_weight(
            name,
            shape,
            float32 if low or self._dtype is None else self._dtype,
            self._initializers[name],
            self._regularizers.get(name),
            trainable=trainable,
            constraint=self._constraints.get(name),
        )

    @property
    def over(self) -> list[int]:
        """The axes that keep their own moments."""
        return list(self.axis)

    def call(
        self, inputs: Any, training: Any = False, *args: Any, **kwargs: Any
    ) -> Any:
        return self.normalized(inputs, training)


def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: Any = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = "zeros",
    gamma_initializer: Any = "ones",
    moving_mean_initializer: Any = "zeros",
    moving_variance_initializer: Any = "ones",
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: Any = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Any:
    """Return inputs with mean 0 and variance 1 along an axis, then moved by beta and gamma.

    In training the batch's moments are taken, and operators in UPDATE_OPS change the moving ones,
    which must be run; else the moving ones are taken. training is False unless given, and may be a
    tensor. Ioffe and Szegedy 2015.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.batch_normalization(tf.zeros([4, 3]), training=True)
    ...     len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    2
    """
    averages = moving_mean_initializer, moving_variance_initializer
    regularizers = beta_regularizer, gamma_regularizer
    constraints = beta_constraint, gamma_constraint
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        *averages,
        *regularizers,
        *constraints,
        *(renorm, renorm_clipping, renorm_momentum),
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs, training=training)


BatchNorm, batch_norm = BatchNormalization, batch_normalization
