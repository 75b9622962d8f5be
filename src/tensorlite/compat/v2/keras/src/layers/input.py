"""What Keras' models are given: InputLayer, and Input, which makes its symbolic tensor."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models import histories, sketch
from tensorlite.compat.v2.keras.src.saving import older_configs
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph.graph import SymbolicTensor


class InputLayer(Layer):
    """What a model is given."""

    def __init__(
        self,
        input_shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        sparse: Any = None,
        name: str | None = None,
        ragged: Any = None,
        shape: Any = None,
        batch_shape: Any = None,
        batch_input_shape: Any = None,
        optional: bool = False,
        **kwargs: Any,
    ) -> None:
        if kwargs and not naming.is_keras_3():
            raise InvalidArgumentError(
                f"Unrecognized keyword arguments: {list(kwargs)}"
            )
        if naming.is_keras_3():
            _check_given(input_shape, input_tensor)
        super().__init__(name=name or naming.of_input(), dtype=dtype)
        self.optional = optional
        whole = batch_input_shape if batch_shape is None else batch_shape
        inner = shape if input_shape is None else input_shape
        if input_tensor is None and naming.is_keras_3():
            _check_shapes(inner, batch_size, whole)
        if whole is None:
            sizes = (
                (inner,) if inner is None or isinstance(inner, Integral) else inner
            )
            whole = (batch_size, *sizes)
        self.built = True
        if isinstance(input_tensor, SymbolicTensor):
            self.kept = histories.taken(input_tensor, self.name, self)
        elif sketch.is_leaf(input_tensor):
            self.kept = input_tensor
        else:
            self.kept = histories.placed_input(
                whole, dtype, self.name, self, bool(ragged)
            )
        self.sparse, self.ragged = bool(sparse), bool(ragged)
        if self.kept is not input_tensor:
            self.kept.sparse = self.sparse
        self.nodes = (self.kept.node,)

    @classmethod
    def silent(cls) -> Any:
        """Return one that is not numbered, for models that begin with another layer."""
        return None

    @property
    def output(self) -> Any:
        """The symbolic tensor of what a model is given."""
        return histories.shown(self.kept)

    @property
    def input(self) -> Any:
        """The symbolic tensor of what a model is given."""
        return histories.shown(self.kept)

    @property
    def batch_shape(self) -> Any:
        """The shape of what is given, with the batch."""
        return tuple(self.kept.spec.dims)

    @property
    def dtype(self) -> str:
        """The name of the dtype of what a model is given."""
        return str(self.kept.dtype.name)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("an InputLayer stands for what a model is given")

    def get_config(self) -> dict[str, Any]:
        return described_input(self.kept)

    def as_version_1(self, config: dict[str, Any]) -> dict[str, Any]:
        return older_configs.of_input(config)


def described_input(tensor: Any) -> dict[str, Any]:
    """Return the configuration of the InputLayer of a symbolic tensor."""
    told = {"batch_shape": tuple(tensor.spec.shape), "dtype": tensor.dtype.name}
    if naming.is_keras_3():
        optional = getattr(tensor.node.layer, "optional", False)
        told.update(sparse=tensor.sparse, ragged=tensor.ragged, optional=optional)
    elif naming.is_version_1():
        told.update(sparse=tensor.sparse, ragged=tensor.ragged)
    return {**told, "name": tensor.name}


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: Any = None,
    ragged: Any = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: Any = None,
    optional: bool = False,
    **kwargs: Any,
) -> Any:
    """Return a symbolic tensor that models begin with, its shape without the batch.

    batch_shape has the batch too, as batch_input_shape in older programs; dtype is `floatx` if
    None. With ragged=True it stands for rows of different lengths. InvalidArgumentError is raised
    without a shape and for two of them, DTypeError for arguments that there are none of.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.Input((3,)).shape
    (None, 3)
    """
    whole = kwargs.pop("batch_input_shape", batch_shape)
    _check_named(kwargs)
    if sketch.is_leaf(tensor):
        return tensor
    if isinstance(tensor, SymbolicTensor):
        return InputLayer(input_tensor=tensor, name=name).output
    if tensor is not None:
        raise InvalidArgumentError(
            f"Input: tensor={tensor!r} is none of a graph; give the shape of what comes"
        )
    _check_shapes(shape, batch_size, whole)
    layer = InputLayer(
        shape,
        batch_size,
        dtype,
        name=name,
        sparse=sparse,
        ragged=ragged,
        batch_shape=whole,
        optional=optional,
    )
    return layer.output


def _check_given(input_shape: Any, input_tensor: Any) -> None:
    """Warn of an argument's older name; refuse a tensor that stands for none of a model."""
    if input_shape is not None:
        warnings.warn(
            "Argument `input_shape` is deprecated. Use `shape` instead.", stacklevel=4
        )
    symbolic = sketch.is_leaf(input_tensor) or isinstance(
        input_tensor, SymbolicTensor
    )
    if input_tensor is not None and not symbolic:
        raise InvalidArgumentError(
            "Argument `input_tensor` must be a KerasTensor. Received: "
            f"input_tensor={input_tensor!r} (of type {type(input_tensor)})"
        )


def _check_named(others: dict[str, Any]) -> None:
    """Raise what Keras does for arguments that Input does not have."""
    if not others:
        return
    if not naming.is_keras_3():
        raise InvalidArgumentError(f"Unrecognized keyword arguments: {list(others)}")
    raise DTypeError(
        f"Input() got an unexpected keyword argument {next(iter(others))!r}"
    )


def _check_shapes(shape: Any, batch_size: Any, whole: Any) -> None:
    """Raise InvalidArgumentError unless there is one shape, with one size of the batch at most."""
    if shape is None and whole is None:
        raise InvalidArgumentError("You must pass a `shape` argument.")
    if shape is not None and whole is not None:
        raise InvalidArgumentError(
            "You cannot pass both `shape` and `batch_shape` at the same time."
        )
    if batch_size is not None and whole is not None and naming.is_keras_3():
        raise InvalidArgumentError(
            "You cannot pass both `batch_size` and `batch_shape` at the same time."
        )
