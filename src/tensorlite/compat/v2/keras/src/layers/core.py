"""Keras' layers that compute each place by itself, or only change shapes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v1.graphs.resources import ResourceVariable
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    checking,
    constraints,
    initializers,
    regularizers,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.layers.low_rank import Adapted, LowRank
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.scope import scope
from tensorlite.graph_mode.partitioned import PartitionedVariable
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.nn.channels import bias_add


class Dense(LowRank):
    """`activation(inputs @ kernel + bias)`."""

    rows_taken = "elements"
    supports_masking = True
    kernel = Adapted()
    bias: Any = (
        None  # here, so that classes below it may have a property of this name
    )

    def __init__(
        self,
        units: Any,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.ask_for_lora(lora_rank, lora_alpha)
        is_number = isinstance(units, (int, float, np.integer)) and units > 0
        if not is_number or int(units) != units:
            raise InvalidArgumentError(
                "Received an invalid value for `units`, expected a positive integer. Received: "
                f"units={units}"
            )
        self.units, self.use_bias = int(units), use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        if input_shape[-1] is None:
            raise InvalidArgumentError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None."
            )
        self.kernel = self.add_weight(
            "kernel",
            (input_shape[-1], self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: input_shape[-1]})
        self.built = True

    def call(self, inputs: Any) -> Any:
        if not inputs.dtype.is_floating:
            inputs = astype(inputs, self.kernel.dtype)
        made = tl.matmul(inputs, self.kernel)
        made = made if self.bias is None else bias_add(made, self.bias)
        return made if self.activation is None else self.activation(made)


class Flatten(Layer):
    """All elements of an example in a row."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checking.data_format(data_format)

    def call(self, inputs: Any) -> Any:
        sizes = inputs.get_shape().as_list()
        if self.data_format == "channels_first" and len(sizes) > 2:
            inputs = tl.moveaxis(inputs, 1, -1)
        rest = sizes[1:]
        if None in rest:
            return tl.reshape(inputs, tl.stack([shape_of(inputs)[0], -1]))
        return tl.reshape(inputs, [-1, prod(rest)])


def _rows(x: Any) -> Any:
    known = x.spec.dims[0]
    return shape_of(x)[0] if known is None else known


class Reshape(Layer):
    """Examples in another shape, of which one size may be -1."""

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1:
            raise InvalidArgumentError(
                "There must be at most one unknown dimension (-1) in target_shape. Received: "
                f"target_shape={self.target_shape}."
            )
        if any(x is not None and x < -1 for x in self.target_shape):
            raise InvalidArgumentError(
                "Each size is a non-negative integer, or -1 for what is left. Received: "
                f"target_shape={self.target_shape}."
            )

    def call(self, inputs: Any) -> Any:
        sizes, own = list(self.target_shape), inputs.spec.dims
        if -1 in sizes and None not in own[1:]:
            known = -prod(sizes)
            sizes[sizes.index(-1)] = prod(own[1:]) // known
        is_free = own[0] is None and -1 not in sizes
        return tl.reshape(inputs, [-1 if is_free else _rows(inputs), *sizes])


class Permute(Layer):
    """Examples with their axes, counted from 1, in another order."""

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise InvalidArgumentError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                f"`dims` must be consecutive and start from 1. Received dims={dims}"
            )

    def call(self, inputs: Any) -> Any:
        return tl.permute_dims(inputs, (0, *self.dims))


class RepeatVector(Layer):
    """Each row n times, as steps of a sequence."""

    def __init__(self, n: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        checking.whole(n=n)
        self.n = n

    def call(self, inputs: Any) -> Any:
        return tl.tile(inputs[:, None, :], [1, self.n, 1])


class Activation(Layer):
    """A function of its input, by name or as such."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


class Embedding(LowRank):
    """Rows of a table, by whole numbers."""

    rows_taken = "elements"
    starts_masks = True
    adapted = "embeddings"
    embeddings = Adapted()

    not_described = frozenset({"input_length"})

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        **kwargs: Any,
    ) -> None:
        if input_length is not None and "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.ask_for_lora(lora_rank, lora_alpha)
        checking.counts(input_dim=input_dim, output_dim=output_dim)
        self.input_dim, self.output_dim = int(input_dim), int(output_dim)
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = self.supports_masking = mask_zero
        if self._first_weights is not None and naming.is_keras_3():
            self.build_with(None)

    def build(self, input_shape: Any = None) -> None:
        self.embeddings = self.add_weight(
            "embeddings",
            (self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        whole = inputs if inputs.dtype.is_integer else astype(inputs, tl.int32)
        if self.lora_enabled:
            return self._adapted(whole)
        if in_graphs.building.get() is None:
            table = self.embeddings
            parts = table.parts if isinstance(table, PartitionedVariable) else table
            return tl.nn.embedding_lookup(parts, whole, "div")
        return plain(
            in_graph(lambda: self._read(whole), "embedding_lookup", None, None)
        )

    def _adapted(self, whole: Any) -> Any:
        """Return rows, each with what was learned beside it."""
        large: Any = vars(self)["_embeddings"]
        rows = tl.nn.embedding_lookup(large, whole)
        a, b = self.small()
        learned = tl.matmul(tl.nn.embedding_lookup(a, whole), b)
        return rows + astype(learned * self.lora_scale, rows.dtype)

    def _read(self, rows: Any) -> Any:
        """Return rows as TensorFlow 1 has them in graphs, behind two names for them."""
        if isinstance(self.embeddings, ResourceVariable):
            here = f"{scope.get().name}/"
            return tl.identity(plain(self.embeddings.sparse_read(rows, name=here)))
        found = tl.nn.embedding_lookup(self.embeddings, rows)
        return tl.identity(tl.identity(found))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return (converted(inputs) != 0) if self.mask_zero else None


class Masking(Layer):
    """Leaves out steps of which all features have a value."""

    starts_masks = True
    supports_masking = True

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def call(self, inputs: Any) -> Any:
        counts = self.compute_mask(inputs)
        return inputs * astype(counts[..., None], inputs.dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return tl.any(converted(inputs) != self.mask_value, axis=-1)


class ActivityRegularization(Layer):
    """Its input, for which l1 * sum |x| + l2 * sum x * x is added to the loss."""

    rows_taken = "elements"
    supports_masking = True
    tells_penalty = False

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **kwargs)


class Rescaling(Layer):
    """Its input times scale plus offset."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        kind = as_dtype(self.compute_dtype)
        scale, offset = converted(self.scale, kind), converted(self.offset, kind)
        return astype(inputs, kind) * scale + offset
