"""Reshape: the bijector of events in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.contrib.distribution_kinds.validating import validated
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


class Reshape(Bijector):
    """The elements of events in another shape; one size may be -1."""

    def __init__(
        self,
        event_shape_out: Any,
        event_shape_in: Any = (-1,),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "reshape"):
            self._out = _event_shape(
                event_shape_out, "event_shape_out", validate_args
            )
            self._in = _event_shape(event_shape_in, "event_shape_in", validate_args)
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "reshape",
        )

    def _reshaped(self, x: Any, old: Any, new: Any) -> Any:
        rank = old.get_shape()[0].value
        own = x.get_shape()
        if rank is not None and own.rank is not None and own.rank < rank:
            raise InvalidArgumentError(f"Shape {own} must have rank at least {rank}")
        count = v1_arrays.shape(old)[0] if rank is None else rank
        whole = v1_arrays.shape(x)
        outer = (arrays.rank(x) if own.rank is None else own.rank) - count
        x = self._matching(x, old, whole[outer:])
        if rank is not None and rank == own.rank:
            return arrays.reshape(x, new)
        return arrays.reshape(x, arrays.concat([whole[:outer], new], 0))

    def _matching(self, x: Any, wanted: Any, event: Any) -> Any:
        """Return a tensor whose events have the shape that is wanted, where that is told."""
        known, own = get_static_value(wanted), get_static_value(event)
        told = "Input `event_shape` does not match `event_shape_in`"
        if known is not None and own is not None:
            if not np.array_equal(own[known >= 0], known[known >= 0]):
                raise InvalidArgumentError(f"{told} ({own} vs {known}).")
            return x

        def check(_: Any) -> Any:
            kept = v1_arrays.where_v2(wanted >= 0, wanted, event)
            return checks.assert_equal(event, kept, message=f"{told}.")

        return validated(self.validate_args, x, check)

    def _forward(self, x: Any) -> Any:
        return self._reshaped(x, self._in, self._out)

    def _inverse(self, y: Any) -> Any:
        return self._reshaped(y, self._out, self._in)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self.forward(arrays.zeros(input_shape)).get_shape()

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self.inverse(arrays.zeros(output_shape)).get_shape()

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return v1_arrays.shape(self.forward(arrays.zeros(input_shape)))

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return v1_arrays.shape(self.inverse(arrays.zeros(output_shape)))


def _event_shape(value: Any, name: str, validate_args: bool) -> Any:
    """Return a shape as a tensor, in which one size at most is -1."""
    shape = convert_to_tensor(value, name=name, preferred_dtype="int32")
    if not shape.dtype.is_integer:
        raise DTypeError(f"{name} dtype ({shape.dtype.name}) should be `int`-like.")
    if (shape.get_shape().rank or 0) > 1:
        raise InvalidArgumentError(
            f"`{name}` rank ({shape.get_shape().rank}) should be <= 1."
        )
    known = get_static_value(shape)
    if known is not None:
        if np.sum(known == -1) > 1:
            raise InvalidArgumentError(
                f"`{name}` must have at most one `-1` (given {known})"
            )
        if np.any(known < -1):
            raise InvalidArgumentError(
                f"`{name}` elements must be either positive integers or `-1`"
                f"(given {known})."
            )
        return shape

    def one_open(x: Any) -> Any:
        count = numbers.reduce_sum(
            elementwise.cast(elementwise.equal(x, -1), "int32")
        )
        message = f"`{name}` elements must have at most one `-1`."
        return checks.assert_less_equal(count, 1, message=message)

    def none_below(x: Any) -> Any:
        message = f"`{name}` elements must be either positive integers or `-1`."
        return checks.assert_greater_equal(x, -1, message=message)

    return validated(validate_args, shape, one_open, none_below)
