"""tf.contrib.framework: shapes that are asked for, sums of all, the graph of what is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.values import is_tensor
from tensorlite.compat.v1.device_specs import DeviceSpec
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.functions.checks import assert_scalar
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.metric_kinds import parts
from tensorlite.compat.v1.training.averages import (
    assert_global_step,
    get_global_step,
)
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import get_default_graph


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Any:
    """Return the sum of all elements of all tensors, of which there is one at least."""
    if not tensors:
        raise InvalidArgumentError("No tensors provided.")
    with framework.name_scope(name, "reduce_sum_n") as prefix:
        sums = [numbers.reduce_sum(x, name=f"{x.op.name}/sum") for x in tensors]
        return sums[0] if len(sums) == 1 else elementwise.add_n(sums, name=prefix)


def remove_squeezable_dimensions(
    predictions: Any, labels: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Return predictions and labels, less a last axis of size 1 that one of them has too much."""
    found = parts.remove_squeezable_dimensions(labels, predictions, name=name)
    return found[1], found[0]


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """Return a tensor that is an integer without axes; else ShapeError or DTypeError is raised."""
    with framework.name_scope(name, "assert_scalar_int") as prefix:
        x = framework.convert_to_tensor(tensor)
        if not x.dtype.base_dtype.is_integer:
            raise DTypeError(
                f"Expected integer type for {x.name}, received type: {x.dtype}."
            )
        return assert_scalar(x, name=prefix)


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """Return a tensor that has the shape of another: at once, or checked as it runs."""
    with framework.name_scope(f"{tensor.op.name}/"):
        known = expected_tensor.get_shape()
        if known.is_fully_defined():
            return with_shape(known.as_list(), tensor)
        asked = v1_arrays.shape(expected_tensor, name="expected_shape")
        return with_shape(asked, tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """Return a tensor that has a shape, integers or a tensor: at once, or checked as it runs.

    One element in one axis becomes a scalar where that is asked. Other shapes raise ShapeError.
    """
    if hasattr(tensor, "dense_shape"):
        raise DTypeError("SparseTensor not supported.")
    asked = expected_shape if is_tensor(expected_shape) else _sizes(expected_shape)
    kind = asked.dtype
    if (kind.base_dtype is not int32) if is_tensor(asked) else (kind != np.int32):
        raise DTypeError(f"with_shape: the shape is int32, not {kind}")
    known, later = tensor.get_shape(), is_tensor(asked)
    if known.is_fully_defined() and not later:
        if known.is_compatible_with(asked.tolist()):
            return tensor
        if len(asked) or not known.is_compatible_with([1]):
            raise ShapeError(
                f"Invalid shape for tensor {tensor.name}, expected {asked}, got {known}."
            )
    with framework.name_scope(f"{tensor.op.name}/"):
        if not later and not len(asked):
            return arrays.reshape(tensor, [])
        with framework.control_dependencies([_assert_shape(asked, tensor)]):
            result = arrays.identity(tensor)
        if not later:
            result.set_shape(asked.tolist())
        return result


def _sizes(shape: Any) -> Any:
    """Return a shape as a vector of NumPy's."""
    listed = shape.as_list() if isinstance(shape, TensorShape) else shape
    sizes = np.asarray(listed if len(listed) else np.zeros(0, np.int32))
    if sizes.ndim > 1:
        raise ShapeError(
            f"with_shape: Invalid rank {sizes.ndim} of the shape {shape}; it has one axis"
        )
    narrow = not isinstance(shape, np.ndarray) and sizes.dtype == np.int64
    return sizes.astype(np.int32) if narrow else sizes


def _assert_shape(asked: Any, tensor: Any) -> Any:
    """Return an operation that fails where a tensor has other sizes; -1 stands for any."""
    with framework.name_scope(None, "assert_shape") as prefix:
        actual = v1_arrays.shape(tensor, name="actual")
        ranks = elementwise.equal(v1_arrays.size(asked), arrays.rank(tensor))
        sizes = elementwise.logical_or(
            elementwise.equal(asked, -1), elementwise.equal(asked, actual)
        )
        is_so = elementwise.logical_and(ranks, numbers.reduce_all(sizes))
        told = f"Wrong shape for {tensor.name} [expected] [actual]."
        return Assert(is_so, [told, asked, actual], name=prefix)


def assert_or_get_global_step(
    graph: Any = None, global_step_tensor: Any = None
) -> Any:
    """Return the counter of steps that is given, if it can be one, or the graph's own."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


class VariableDeviceChooser:
    """Says where variables are placed: in turn on num_tasks tasks of a job, or on a device.

    Its objects are called with an operation, and return the name of the device.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int | None = 0,
        replica: int | None = None,
    ) -> None:
        self._job_name, self._device_type = job_name, device_type
        self._device_index, self._replica = device_index, replica
        self._num_tasks, self._next_task_id = num_tasks, 0

    def __call__(self, op: Any) -> str:
        """Return the device for an operation."""
        told: dict[str, Any] = {}
        if self._num_tasks > 0:
            told = {"job": self._job_name, "task": self._next_task_id}
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        return DeviceSpec(
            replica=self._replica,
            device_type=self._device_type,
            device_index=self._device_index,
            **told,
        ).to_string()


def get_placeholders(graph: Any) -> list[Any]:
    """Return the placeholders of a graph, in the order in which they were made."""
    if not isinstance(graph, framework.Graph):
        raise DTypeError(f"Input graph needs to be a Graph: {graph}")
    return [x.outputs[0] for x in graph.get_operations() if x.type == "Placeholder"]


def get_graph_from_inputs(op_input_list: Iterable[Any], graph: Any = None) -> Any:
    """Return the graph that all tensors and operations of a list are in, the default without any.

    DTypeError is raised for a `graph` that is none, InvalidArgumentError where they are in others.
    """
    if graph is not None and not isinstance(graph, framework.Graph):
        raise DTypeError(f"Input graph needs to be a Graph: {graph}")
    found = graph
    for x in op_input_list:
        own = getattr(x, "graph", None)
        if own is None:
            continue
        if found is not None and own is not found:
            raise InvalidArgumentError(
                f"{x} is not from the passed-in graph"
                if graph is not None
                else f"{x} must be from the same graph as those before it"
            )
        found = own
    return get_default_graph() if found is None else found
