"""Fully connected layers as tf.contrib.layers had them first: legacy_linear, legacy_relu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tensorlite.compat.shared import arrays, nn as shared_nn
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import last_dimension
from tensorlite.compat.v1.contrib.weighted import XAVIER, ZEROS
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.graph_mode.keys import GraphKeys


@add_arg_scope
def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Callable[[Any], Any] | None = None,
    weight_init: Any = XAVIER,
    bias_init: Any = ZEROS,
    name: str | None = None,
    weight_collections: Sequence[str] | None = (GraphKeys.WEIGHTS,),
    bias_collections: Sequence[str] | None = (GraphKeys.BIASES,),
    output_collections: Sequence[str] | None = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> Any:
    """Return activation_fn(x @ weights + bias), over the last axis of x.

    It has no bias if bias_init is None. Variables and the result are added to the collections.
    """
    with scopes.variable_scope(name, "fully_connected", [x]):
        x = framework.convert_to_tensor(x)
        units = last_dimension(x.get_shape(), min_rank=2)

        made = partial(
            scopes.get_variable, dtype=x.dtype.base_dtype, trainable=trainable
        )
        weights = made(
            "weights",
            shape=[units, num_output_units],
            initializer=weight_init,
            regularizer=weight_regularizer,
            collections={*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES},
        )
        is_flat = x.get_shape().ndims == 2
        rows = x if is_flat else arrays.reshape(x, [-1, units])
        y = matrices.matmul(rows, weights)
        if bias_init is not None:
            bias = made(
                "bias",
                shape=[num_output_units],
                initializer=bias_init,
                regularizer=bias_regularizer,
                collections={*(bias_collections or ()), GraphKeys.GLOBAL_VARIABLES},
            )
            y = shared_nn.bias_add(y, bias)
        y = y if is_flat else _as_before(y, x, num_output_units)
        y = y if activation_fn is None else activation_fn(y)
        names = [*(output_collections or ()), GraphKeys.ACTIVATIONS]
        scopes.add_to_collections(names, y)
        return y


def _as_before(rows: Any, x: Any, units: int) -> Any:
    """Return rows of units with the outer axes that x has."""
    *outer, _ = arrays.unstack(v1_arrays.shape(x))
    y = arrays.reshape(rows, arrays.stack([*outer, units]))
    y.set_shape([*x.get_shape().as_list()[:-1], units])
    return y


legacy_linear = partial(legacy_fully_connected, activation_fn=None)
legacy_relu = partial(legacy_fully_connected, activation_fn=shared_nn.relu)
