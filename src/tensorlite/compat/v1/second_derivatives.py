"""tf.hessians of TensorFlow 1: a loop over the elements of a gradient."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.control_flow import while_loop
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import gradients
from tensorlite.core.dtypes import int32


def hessians(
    ys: Any,
    xs: Any,
    name: str | None = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> Any:
    """Return for each x the second derivatives of the sum of ys, [*x.shape, *x.shape].

    The other arguments are those of tf.gradients.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     session.run(tf.hessians(tf.reduce_sum(x**3), x)[0])
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)
    """
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    asked = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    slopes = gradients(ys, sources, **asked)
    return [_hessian(dx, x, asked) for dx, x in zip(slopes, sources, strict=True)]


def _hessian(slope: Any, x: Any, asked: dict[str, Any]) -> Any:
    """Return the gradients of each element of a gradient, zeros where it depends on nothing."""
    flat = arrays.reshape(slope, [-1])
    count = v1_arrays.size(x)

    def turn(i: Any, rows: Any) -> Any:
        following = i + 1
        (row,) = gradients(flat[i], [x], unconnected_gradients="zero", **asked)
        return following, rows.write(i, row)

    started = [constant(0, int32), TensorArray(flat.dtype, count)]
    _, rows = while_loop(lambda i, _: i < count, turn, started)
    sizes = v1_arrays.shape(x)
    return arrays.reshape(rows.stack(), arrays.concat((sizes, sizes), 0))
