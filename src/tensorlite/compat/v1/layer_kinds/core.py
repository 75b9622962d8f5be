"""Dense, Dropout and Flatten of TensorFlow 1's tf.layers, and what its layers have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from math import prod
from typing import Any, SupportsInt

from tensorlite.compat.documenting import explained
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import arrays, nn as shared_nn
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1 import nn
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    control_flow,
    init_ops,
    nn_functions,
)
from tensorlite.compat.v1.functions.contracting import tensordot
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape


def as_function(kind: type[Layer]) -> Callable[..., Any]:
    """Return a function that makes a layer and calls it: the arguments of both, and `reuse`."""
    order = [*list(signature(kind.__init__).parameters)[1:-1], "reuse"]

    def function(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(order, args, strict=False)), **kwargs}
        layer = kind(
            **given_layer(given), _reuse=given.get("reuse"), _scope=given.get("name")
        )
        return layer.apply(inputs)

    about = (kind.__doc__ or "").partition("\n\n")[0]
    help_text = f"""Return what a new layer of the class {kind.__name__} gives.

    {about}

    The arguments are those of the class; with reuse the variables are those of the scope `name`.
    """
    return explained(function, kind.__name__, help_text)


def given_layer(given: dict[str, Any]) -> dict[str, Any]:
    """Return a layer's arguments without those that only variable scopes take."""
    return {key: value for key, value in given.items() if key != "reuse"}


def activation_of(found: Any) -> Callable[[Any], Any] | None:
    """Return a function of tensors, which may be given by its name in tf.nn."""
    if found is None or callable(found):
        given: Callable[[Any], Any] | None = found
        return given
    known: Callable[[Any], Any] | None
    known = None if found == "linear" else getattr(nn, str(found), None)
    if known is None and found != "linear":
        raise InvalidArgumentError(
            f"Unknown activation function: {found!r}; give a function, or the name of one of tf.nn"
        )
    return known


def initializer_of(found: Any) -> Any:
    """Return an initializer, which may be given by its name: `he_normal`, `Zeros`."""
    if not isinstance(found, str):
        return found() if isinstance(found, type) else found
    for name in (found, "".join(x.capitalize() for x in found.split("_"))):
        made = getattr(init_ops, name, None)
        if callable(made) and name != "Initializer":
            return made()
    raise InvalidArgumentError(
        f"Unknown initializer: {found!r}; give a function, or the name of one of tf.initializers"
    )


def chosen(training: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Return what one of two functions makes; a tensor says which where it is not known now."""
    known = static_bool(training)
    if known is None:
        return control_flow.cond(training, then, other)
    return then() if known else other()


def static_bool(training: Any) -> bool | None:
    """Return a condition as far as it is known while a graph is built."""
    if not isinstance(training, Operand):
        return bool(training)
    value = get_static_value(training)
    return None if value is None else bool(value)


def sizes_of(value: Any, count: int, name: str) -> tuple[int, ...]:
    """Return a number for each axis; InvalidArgumentError for another count of them."""
    if isinstance(value, (Sequence, AnyShape)):
        given = tuple([number_of(x, name) for x in value])
        if len(given) != count:
            raise InvalidArgumentError(
                f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
            )
        return given
    if not isinstance(value, SupportsInt):
        raise InvalidArgumentError(
            f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
        )
    return (number_of(value, name),) * count


def number_of(value: Any, name: str) -> int:
    """Return an argument that is a number, as TensorFlow takes it: 2, 2.0 or a Dimension."""
    try:
        return int(value)
    except (TypeError, ValueError):
        raise DTypeError(f"{name}={value!r}; give an integer") from None


def padding_of(padding: str) -> str:
    """Return a padding in small letters; InvalidArgumentError for one that layers do not know."""
    chosen_padding = str(padding).lower()
    if chosen_padding not in {"valid", "same", "causal"}:
        raise InvalidArgumentError(
            f'The `padding` argument must be one of "valid", "same" (or "causal" for Conv1D). '
            f"Received: {padding}"
        )
    return chosen_padding


def channels_axis(data_format: str, rank: int) -> int:
    """Return the axis of channels: the last, or the second."""
    if str(data_format).lower() not in {"channels_first", "channels_last"}:
        raise InvalidArgumentError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {data_format}"
        )
    return 1 if data_format.lower() == "channels_first" else rank - 1


def known_size(shape: Any, axis: int, layer: str, which: str = "channel") -> int:
    """Return a size that variables are made by; ShapeError if it is not known."""
    has_axes = shape is not None and shape.rank is not None
    size = shape.as_list()[axis] if has_axes else None
    if size is None:
        raise ShapeError(
            f"The {which} dimension of the inputs to `{layer}` should be defined. Found `None`."
            if which == "last"
            else "The channel dimension of the inputs should be defined. Found `None`. "
            f"The layer is {layer}."
        )
    return int(size)


class Weighted(Layer):
    """A layer with a kernel and perhaps a bias, and a function that is called last."""

    def __init__(
        self,
        activation: Any = None,
        use_bias: bool = True,
        bias_initializer: Any = "zeros",
        bias_regularizer: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.activation, self.use_bias = activation_of(activation), use_bias
        self.bias_initializer = initializer_of(bias_initializer)
        self.bias_regularizer = bias_regularizer
        self.bias_constraint = bias_constraint
        self.bias: Any = None

    def _make_bias(self, size: int) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [size],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def _activated(self, outputs: Any) -> Any:
        return outputs if self.activation is None else self.activation(outputs)


class Dense(Weighted):
    """Inputs times a matrix plus biases, along the last axis: [..., units].

    The variables are kernel and bias.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.Dense(4)(tf.zeros([2, 3])).get_shape().as_list()
    [2, 4]
    """

    def __init__(
        self,
        units: Any,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            activation,
            use_bias,
            bias_initializer,
            bias_regularizer,
            bias_constraint,
            activity_regularizer=activity_regularizer,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.units = number_of(units, "units")
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.kernel_constraint = kernel_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        size = known_size(TensorShape(input_shape), -1, "Dense", "last")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            [size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self._make_bias(self.units)
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        rank = inputs.get_shape().rank
        if rank is not None and rank > 2:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            _shaped(outputs, [*inputs.get_shape().as_list()[:-1], self.units])
        else:
            outputs = matrices.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = shared_nn.bias_add(outputs, self.bias)
        return self._activated(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        given = TensorShape(input_shape)
        if given.rank is None or given.rank < 2:
            raise ShapeError(f"Dense takes at least two axes, not {given}")
        known_size(given, -1, "Dense", "last")
        return TensorShape([*given.as_list()[:-1], self.units])


def _shaped(x: Any, sizes: Sequence[int | None]) -> None:
    if hasattr(x, "set_shape"):
        x.set_shape(sizes)


class Dropout(Layer):
    """Sets a share `rate` of its inputs to 0 in training, and divides the rest by 1 - rate."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(
        self, inputs: Any, training: Any = False, *args: Any, **kwargs: Any
    ) -> Any:
        def dropped() -> Any:
            noise = self._get_noise_shape(inputs)
            return nn_functions.dropout(
                inputs, noise_shape=noise, seed=self.seed, rate=self.rate
            )

        return chosen(training, dropped, lambda: arrays.identity(inputs))

    def _get_noise_shape(self, inputs: Any) -> Any:
        if not isinstance(self.noise_shape, (list, tuple)):
            return self.noise_shape
        sizes = v1_arrays.shape(inputs)
        found = [
            sizes[i] if size is None else size
            for i, size in enumerate(self.noise_shape)
        ]
        return framework.convert_to_tensor(found)


class Flatten(Layer):
    """Lays out all axes but the first as one."""

    def __init__(
        self,
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = framework.convert_to_tensor(inputs)
        sizes = inputs.get_shape().as_list()
        if not sizes:
            raise ShapeError(
                f"Flatten: {inputs} is a scalar; give a batch of tensors"
            )
        if self.data_format == "channels_first" and len(sizes) > 2:
            order = [0, *range(2, len(sizes)), 1]
            inputs = arrays.transpose(inputs, order)
        batch = sizes[0] or v1_arrays.shape(inputs)[0]
        outputs = arrays.reshape(inputs, [batch, -1])
        rest = None if None in sizes[1:] else prod(sizes[1:])
        _shaped(outputs, [sizes[0], rest])
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        sizes: list[Any] = TensorShape(input_shape).as_list()
        rest = None if None in sizes[1:] else prod(sizes[1:])
        return TensorShape([sizes[0], rest])


dense = as_function(Dense)


def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Any:
    """Return inputs with a share `rate` of elements set to 0, the rest over 1 - rate.

    So only where training, which may be a tensor; it is False unless given.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.layers.dropout(tf.ones([2]), 0.5)).tolist()
    [1.0, 1.0]
    """
    return Dropout(rate, noise_shape, seed, name).apply(inputs, training=training)


def flatten(
    inputs: Any, name: str | None = None, data_format: str = "channels_last"
) -> Any:
    """Return inputs as [batch, all other elements].

    With data_format "channels_first" the channels are moved behind first.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.flatten(tf.zeros([5, 2, 3])).get_shape().as_list()
    [5, 6]
    """
    return Flatten(data_format, name).apply(inputs)
