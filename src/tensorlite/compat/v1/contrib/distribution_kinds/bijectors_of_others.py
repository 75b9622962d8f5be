"""Bijectors made of others, or of functions: one after the other, the other way round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


def _check_invertible(bijectors: Sequence[Bijector]) -> None:
    for one in bijectors:
        if not one._is_injective:  # noqa: SLF001  # what subclasses tell
            raise UnimplementedError(
                f"Invert is not implemented for non-injective bijector ({one.name})"
            )


class Invert(Bijector):
    """Another bijector the other way round."""

    def __init__(
        self, bijector: Bijector, validate_args: bool = False, name: str | None = None
    ) -> None:
        _check_invertible([bijector])
        super().__init__(
            graph_parents=bijector.graph_parents,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            name=name or f"invert_{bijector.name}",
        )
        self._of = bijector

    bijector = property(lambda self: self._of)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._of.inverse_event_shape(input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._of.forward_event_shape(output_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._of._inverse_event_shape_tensor(input_shape)  # noqa: SLF001

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._of._forward_event_shape_tensor(output_shape)  # noqa: SLF001

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._of._inverse(x, **kwargs)  # noqa: SLF001

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._of._forward(y, **kwargs)  # noqa: SLF001

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self._of._inverse_log_det_jacobian(x, **kwargs)  # noqa: SLF001

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self._of._forward_log_det_jacobian(y, **kwargs)  # noqa: SLF001


def _least_rank(ranks: Sequence[tuple[int, int]]) -> int:
    """Return the least rank of events that bijectors take in turn, by their ranks in and out."""
    least = now = 0
    for taken, made in ranks:
        least += max(taken - now, 0)
        now = max(taken, now) + made - taken
    return least


class Chain(Bijector):
    """Bijectors one after the other, the last one first."""

    def __init__(
        self,
        bijectors: Sequence[Bijector] | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        self._bijectors = () if bijectors is None else bijectors
        _check_invertible(self._bijectors)
        ranks = [
            (x.forward_min_event_ndims, x.inverse_min_event_ndims)
            for x in self._bijectors
        ]
        kinds = {x.dtype for x in self._bijectors} - {None}
        if len(kinds) > 1:
            raise InvalidArgumentError(f"incompatible dtypes: {kinds}")
        names = [x.name for x in self._bijectors]
        super().__init__(
            graph_parents=[y for x in self._bijectors for y in x.graph_parents],
            is_constant_jacobian=all(x.is_constant_jacobian for x in self._bijectors),
            validate_args=validate_args,
            dtype=next(iter(kinds), None),
            forward_min_event_ndims=_least_rank(ranks[::-1]),
            inverse_min_event_ndims=_least_rank([(made, x) for x, made in ranks]),
            name=name or ("_of_".join(["chain", *names]) if names else "identity"),
        )

    bijectors = property(lambda self: self._bijectors)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        for one in reversed(self._bijectors):
            input_shape = one.forward_event_shape(input_shape)
        return input_shape

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        for one in self._bijectors:
            output_shape = one.inverse_event_shape(output_shape)
        return output_shape

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        for one in reversed(self._bijectors):
            input_shape = one.forward_event_shape_tensor(input_shape)
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        for one in self._bijectors:
            output_shape = one.inverse_event_shape_tensor(output_shape)
        return output_shape

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        for one in reversed(self._bijectors):
            x = one.forward(x, **kwargs.get(one.name, {}))
        return x

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        for one in self._bijectors:
            y = one.inverse(y, **kwargs.get(one.name, {}))
        return y

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        shape = _Event(x, self.forward_min_event_ndims)
        found = elementwise.cast(0.0, x.dtype)
        for one in reversed(self._bijectors):
            own = kwargs.get(one.name, {})
            found += one.forward_log_det_jacobian(x, event_ndims=shape.rank, **own)
            shape.become(one.forward_event_shape, one.forward_event_shape_tensor)
            x = one.forward(x, **own)
        return found

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        shape = _Event(y, self.inverse_min_event_ndims)
        found = elementwise.cast(0.0, y.dtype)
        for one in self._bijectors:
            own = kwargs.get(one.name, {})
            found += one.inverse_log_det_jacobian(y, event_ndims=shape.rank, **own)
            shape.become(one.inverse_event_shape, one.inverse_event_shape_tensor)
            y = one.inverse(y, **own)
        return found


class _Event:
    """The shape of an event on its way through bijectors, as far as it is known."""

    def __init__(self, x: Any, rank: int) -> None:
        own = x.get_shape()
        self._is_known, self.rank = own.is_fully_defined(), rank
        if self._is_known:
            self._shape: Any = as_shape(own.as_list()[own.rank - rank :])
        else:
            self._shape = v1_arrays.shape(x)[arrays.rank(x) - rank :]

    def become(self, known: Callable[[Any], Any], told: Callable[[Any], Any]) -> None:
        """Take the shape that one function tells of a TensorShape, or another of a tensor."""
        if self._is_known:
            self._shape = known(self._shape)
            self.rank = self._shape.rank
            return
        self._shape = told(self._shape)
        size = v1_arrays.size(self._shape)
        static = get_static_value(size)
        self.rank = size if static is None else int(static)


class Inline(Bijector):
    """A bijector of given functions."""

    def __init__(
        self,
        forward_fn: Callable[..., Any] | None = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_event_shape_fn: Callable[..., Any] | None = None,
        forward_event_shape_tensor_fn: Callable[..., Any] | None = None,
        inverse_event_shape_fn: Callable[..., Any] | None = None,
        inverse_event_shape_tensor_fn: Callable[..., Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            name=name,
        )
        self._functions = {
            "forward_fn": forward_fn,
            "inverse_fn": inverse_fn,
            "forward_log_det_jacobian_fn": forward_log_det_jacobian_fn,
            "inverse_log_det_jacobian_fn": inverse_log_det_jacobian_fn,
            "forward_event_shape_fn": forward_event_shape_fn,
            "inverse_event_shape_fn": inverse_event_shape_fn,
            "forward_event_shape_tensor_fn": forward_event_shape_tensor_fn,
            "inverse_event_shape_tensor_fn": inverse_event_shape_tensor_fn,
        }

    def _called(self, name: str, x: Any, **kwargs: Any) -> Any:
        own = self._functions[name]
        if not callable(own):
            raise UnimplementedError(f"{name} is not a callable function.")
        return own(x, **kwargs)

    def _shape(self, name: str, shape: Any) -> Any:
        return shape if self._functions[name] is None else self._called(name, shape)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._shape("forward_event_shape_fn", input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._shape("inverse_event_shape_fn", output_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._shape("forward_event_shape_tensor_fn", input_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._shape("inverse_event_shape_tensor_fn", output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._called("forward_fn", x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._called("inverse_fn", y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self._called("forward_log_det_jacobian_fn", x, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self._called("inverse_log_det_jacobian_fn", y, **kwargs)
