"""Batch norms of tf.contrib.layers that say themselves when their averages move."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlite.compat.shared import arrays, nn as shared_nn
from tensorlite.compat.v1.contrib.layer_utils import get_variable_collections
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.contrib.weighted import channels_of
from tensorlite.compat.v1.functions import nn_functions
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.layer_kinds.core import chosen, known_size, static_bool
from tensorlite.compat.v1.training.averages import assign_moving_average
from tensorlite.core.dtypes import bfloat16, float16, float32


class Asked(NamedTuple):
    """What a batch norm is asked for, in whichever way it is made."""

    decay: Any
    epsilon: float
    center: bool
    scale: bool
    first: dict[str, Any]
    """What its variables begin with."""
    data_format: str
    collections: Any
    trainable: bool

    def axis(self, last: int) -> int:
        """Return the axis of channels."""
        return 1 if channels_of(self.data_format) == "channels_first" else last


class Norm:
    """A batch norm that says itself when its averages move."""

    def __init__(self, x: Any, asked: Asked, debias: bool) -> None:
        self.x, self.asked, self.debias = x, asked, debias
        rank = x.get_shape().rank
        self.axis = asked.axis(rank - 1)
        self.over = [i for i in range(rank) if i != self.axis]
        self.shape = [-1 if i == self.axis else 1 for i in range(rank)]
        self.beta = self._variable("beta", asked.trainable) if asked.center else None
        self.gamma = self._variable("gamma", asked.trainable) if asked.scale else None
        with scopes.variable_scope(scopes.get_variable_scope()) as own:
            own.set_partitioner(None)
            self.mean = self._variable("moving_mean", False)
            self.variance = self._variable("moving_variance", False)

    def _variable(self, name: str, trainable: bool) -> Any:
        return model_variable(
            name,
            [known_size(self.x.get_shape(), self.axis, "batch_norm")],
            self._dtype(),
            self.asked.first[name],
            trainable=trainable,
            collections=get_variable_collections(self.asked.collections, name),
        )

    def _dtype(self) -> Any:
        """Return the dtype of variables: that of inputs."""
        return self.x.dtype

    def normalized(self, training: Any, updates: Any, weights: Any) -> Any:
        mean, variance = self.mean, self.variance
        if static_bool(training) is not False:
            mean, variance = self._moments(training, updates, weights)
        fit = self._fitted
        outputs = shared_nn.batch_normalization(
            self.x,
            fit(mean),
            fit(variance),
            fit(self.beta),
            fit(self.gamma),
            self.asked.epsilon,
            name="batchnorm",
        )
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(self.x.get_shape())
        return outputs

    def _fitted(self, x: Any) -> Any:
        if x is None or self.axis == len(self.shape) - 1:
            return x
        return arrays.reshape(x, self.shape)

    def _moments(self, training: Any, updates: Any, weights: Any) -> Any:
        """Return the moments to norm by; without a collection for updates averages move first."""
        found = self._batch(weights)
        if updates is None:
            return chosen(training, lambda: self._moved(*found), self._averages)
        decay = self.asked.decay
        moves = chosen(
            training,
            lambda: self._moves(*found, decay),
            lambda: list(self._averages()),
        )
        for move in moves:
            scopes.add_to_collections(updates, move)
        return chosen(training, lambda: found, self._averages)

    def _averages(self) -> tuple[Any, Any]:
        return self.mean, self.variance

    def _batch(self, weights: Any) -> tuple[Any, Any]:
        if weights is None:
            mean, variance = nn_functions.moments(self.x, self.over)
        else:
            rest = [1] * (self.x.get_shape().rank - 1)
            shaped = arrays.reshape(framework.convert_to_tensor(weights), [-1, *rest])
            mean, variance = nn_functions.weighted_moments(self.x, self.over, shaped)
        return mean, variance

    def _moved(self, mean: Any, variance: Any) -> tuple[Any, Any]:
        """Return a batch's moments, behind the moves of the averages."""
        moves = self._moves(mean, variance, self.asked.decay)
        with framework.control_dependencies(moves):
            return arrays.identity(mean), arrays.identity(variance)

    def _moves(self, mean: Any, variance: Any, decay: Any) -> list[Any]:
        return [
            assign_moving_average(self.mean, mean, decay, self.debias),
            assign_moving_average(self.variance, variance, decay, False),
        ]


class FusedNorm(Norm):
    """One of images, or of rows as images of one place, by TensorFlow's operator for them.

    That estimates the variance which is averaged without bias.
    """

    def __init__(self, x: Any, asked: Asked, debias: bool) -> None:
        super().__init__(x, asked, debias)
        self.images = x
        first = self.asked.axis(-1) == 1
        if x.get_shape().rank == 2:
            size = known_size(x.get_shape(), 1, "batch_norm")
            self.images = arrays.reshape(
                x, [-1, size, 1, 1] if first else [-1, 1, 1, size]
            )
        size = self.mean.get_shape()
        self.factor, self.shift = self.gamma, self.beta
        if self.beta is None:
            self.shift = constant(0.0, shape=size)
        if self.gamma is None:
            self.factor = constant(1.0, shape=size)

    def _dtype(self) -> Any:
        """Return the dtype of variables, which have 32 bits where inputs have 16."""
        return float32 if self.x.dtype in (float16, bfloat16) else self.x.dtype

    def normalized(self, training: Any, updates: Any, weights: Any) -> Any:
        made, mean, variance = chosen(
            training,
            self._by_one,
            lambda: self._by_one(self.mean, self.variance),
        )
        if static_bool(training) is not False:
            made = self._moving(training, updates, (made, mean, variance))
        if self.x.get_shape().rank == 2:
            made = arrays.reshape(made, arrays.shape(self.x))
        if hasattr(made, "set_shape"):
            made.set_shape(self.x.get_shape())
        return made

    def _by_one(self, mean: Any = None, variance: Any = None) -> Any:
        return nn_functions.fused_batch_norm(
            *(self.images, self.factor, self.shift, mean, variance),
            epsilon=self.asked.epsilon,
            data_format=self.asked.data_format,
            is_training=mean is None,
        )

    def _moving(self, training: Any, updates: Any, found: Any) -> Any:
        """Return what was made, behind the moves of averages or beside these in a collection."""
        made, mean, variance = found
        decay = self.asked.decay
        if updates is None:

            def behind() -> Any:
                with framework.control_dependencies(
                    self._moves(mean, variance, decay)
                ):
                    return arrays.identity(made)

            return chosen(training, behind, lambda: made)
        moved = chosen(
            training,
            lambda: tuple(self._moves(mean, variance, decay)),
            lambda: (self.mean, self.variance),
        )
        for move in moved:
            scopes.add_to_collections(updates, move)
        return made
