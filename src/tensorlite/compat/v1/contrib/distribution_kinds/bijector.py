"""Bijector: a function that has an inverse, and what it does to densities.

Those of each element are in bijectors_of_elements.py, of vectors in bijectors_of_vectors.py, of
matrices in bijectors_of_matrices.py, by networks in flows.py, of others in bijectors_of_others.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared import arrays, cutting
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.caching import Mappings
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    least_event_rank,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.framework import (
    control_dependencies,
    convert_to_tensor,
)
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope


def _snake(name: str) -> str:
    """Return the name of a class as that of a scope: AffineScalar is affine_scalar."""
    apart = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name.lstrip("_"))
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", apart).lower()


class Bijector:
    """A function of events that has an inverse; subclasses say which.

    They have `_forward`, `_inverse`, and one of `_forward_log_det_jacobian` and
    `_inverse_log_det_jacobian`, from which the other follows; where shapes change also
    `_forward_event_shape`, `_inverse_event_shape` and those of tensors. What has been computed of
    a tensor is taken again, both ways: the inverse of a result is what it was made from.
    """

    def __init__(
        self,
        graph_parents: Any = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: Any = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        least, most = _ranks(forward_min_event_ndims, inverse_min_event_ndims)
        self._forward_min_event_ndims, self._inverse_min_event_ndims = least, most
        self._graph_parents = list(graph_parents or ())
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args, self._dtype = validate_args, dtype
        self._name = name or _snake(type(self).__name__)
        self._mappings = Mappings()
        self._constant_jacobians: dict[int, Any] = {}

    graph_parents = property(lambda self: self._graph_parents)
    forward_min_event_ndims = property(lambda self: self._forward_min_event_ndims)
    inverse_min_event_ndims = property(lambda self: self._inverse_min_event_ndims)
    is_constant_jacobian = property(lambda self: self._is_constant_jacobian)
    validate_args = property(lambda self: self._validate_args)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    @property
    def _is_injective(self) -> bool:
        """Whether there is one inverse; else `_inverse` returns several."""
        return True

    @contextmanager
    def _name_scope(self, name: str, values: Any = None) -> Iterator[str]:
        with name_scope(self._name), name_scope(name) as prefix:
            yield prefix

    def forward_event_shape(self, input_shape: Any) -> Any:
        """Return the shape of an event that the function makes of one, as far as known."""
        return as_shape(self._forward_event_shape(as_shape(input_shape)))

    def inverse_event_shape(self, output_shape: Any) -> Any:
        """Return the shape of an event that the function makes one of, as far as known."""
        return as_shape(self._inverse_event_shape(as_shape(output_shape)))

    def forward_event_shape_tensor(
        self, input_shape: Any, name: str = "forward_event_shape_tensor"
    ) -> Any:
        """Return the shape of an event that the function makes of one, an int32 vector."""
        with self._name_scope(name):
            given = convert_to_tensor(input_shape, int32, name="input_shape")
            return self._forward_event_shape_tensor(given)

    def inverse_event_shape_tensor(
        self, output_shape: Any, name: str = "inverse_event_shape_tensor"
    ) -> Any:
        """Return the shape of an event that the function makes one of, an int32 vector."""
        with self._name_scope(name):
            given = convert_to_tensor(output_shape, int32, name="output_shape")
            return self._inverse_event_shape_tensor(given)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return input_shape

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return output_shape

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return input_shape

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return output_shape

    def _given(self, x: Any, name: str) -> Any:
        found = convert_to_tensor(x, name=name)
        if (
            self._dtype is not None
            and self._dtype.base_dtype != found.dtype.base_dtype
        ):
            raise DTypeError(
                f"Input had dtype {found.dtype!r} but expected {self._dtype!r}."
            )
        return found

    def forward(self, x: Any, name: str = "forward") -> Any:
        """Return the function's values at x."""
        return self._call_forward(x, name)

    def _call_forward(self, x: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name):
            given = self._given(x, "x")
            if not self._is_injective:
                return self._forward(given, **kwargs)
            known = self._mappings.of_x(given, kwargs)
            if known.y is None:
                self._mappings.join(known, y=self._forward(given, **kwargs))
            return known.y

    def _forward(self, x: Any) -> Any:
        raise UnimplementedError("forward not implemented.")

    def inverse(self, y: Any, name: str = "inverse") -> Any:
        """Return what the function takes to y."""
        return self._call_inverse(y, name)

    def _call_inverse(self, y: Any, name: str, **kwargs: Any) -> Any:
        with self._name_scope(name):
            given = self._given(y, "y")
            if not self._is_injective:
                return self._inverse(given, **kwargs)
            known = self._mappings.of_y(given, kwargs)
            if known.x is None:
                self._mappings.join(known, x=self._inverse(given, **kwargs))
            return known.x

    def _inverse(self, y: Any) -> Any:
        raise UnimplementedError("inverse not implemented.")

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        raise UnimplementedError("forward_log_det_jacobian not implemented.")

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        raise UnimplementedError("inverse_log_det_jacobian not implemented.")

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian"
    ) -> Any:
        """Return log |det J| of the inverse at y, summed over the last event_ndims axes."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name)

    def _call_inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str, **kwargs: Any
    ) -> Any:
        with self._name_scope(name):
            rank = _static(event_ndims)
            if rank in self._constant_jacobians:
                return self._constant_jacobians[rank]
            given, least = self._given(y, "y"), self.inverse_min_event_ndims
            with control_dependencies(self._checked_rank(event_ndims, least)):
                if not self._is_injective:
                    found = self._inverse_log_det_jacobian(given, **kwargs)
                    return tuple(
                        _over_events(one, given, event_ndims, least) for one in found
                    )
                known = self._mappings.of_y(given, kwargs)
                if rank not in known.jacobians:
                    found = self._inverse_jacobian(known, event_ndims, kwargs)
                    self._keep(known, rank, found)
                    return found
                return known.jacobians[rank]

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian"
    ) -> Any:
        """Return log |det J| of the function at x, summed over the last event_ndims axes."""
        return self._call_forward_log_det_jacobian(x, event_ndims, name)

    def _call_forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str, **kwargs: Any
    ) -> Any:
        if not self._is_injective:
            raise UnimplementedError(
                "forward_log_det_jacobian cannot be implemented for non-injective transforms."
            )
        with self._name_scope(name):
            rank, least = _static(event_ndims), self.forward_min_event_ndims
            with control_dependencies(self._checked_rank(event_ndims, least)):
                if rank in self._constant_jacobians:
                    return -1.0 * self._constant_jacobians[rank]
                known = self._mappings.of_x(self._given(x, "x"), kwargs)
                if rank not in known.jacobians:
                    found = self._forward_jacobian(known, event_ndims, kwargs)
                    self._keep(known, rank, found)
                    return -found
                return -known.jacobians[rank]

    def _keep(self, known: Any, rank: int | None, found: Any) -> None:
        if rank is None:
            return
        known.jacobians[rank] = found
        if self._is_constant_jacobian:
            self._constant_jacobians[rank] = found

    def _inverse_jacobian(self, known: Any, rank: Any, kwargs: dict[str, Any]) -> Any:
        """Return log |det J| of the inverse, by the function's own if that is what is told."""

        def own() -> Any:
            found = self._inverse_log_det_jacobian(known.y, **kwargs)
            return _over_events(found, known.y, rank, self.inverse_min_event_ndims)

        def turned() -> Any:
            if known.x is None:
                self._mappings.join(known, x=self._inverse(known.y, **kwargs))
            found = -self._forward_log_det_jacobian(known.x, **kwargs)
            return _over_events(found, known.x, rank, self.forward_min_event_ndims)

        return _first(own, turned)

    def _forward_jacobian(self, known: Any, rank: Any, kwargs: dict[str, Any]) -> Any:
        """Return log |det J| of the inverse where x is what is given."""

        def own() -> Any:
            found = -self._forward_log_det_jacobian(known.x, **kwargs)
            return _over_events(found, known.x, rank, self.forward_min_event_ndims)

        def turned() -> Any:
            if known.y is None:
                self._mappings.join(known, y=self._forward(known.x, **kwargs))
            found = self._inverse_log_det_jacobian(known.y, **kwargs)
            return _over_events(found, known.y, rank, self.inverse_min_event_ndims)

        return _first(own, turned)

    def _checked_rank(self, event_ndims: Any, least: int) -> list[Any]:
        """Return what an event's rank has to wait for; raise for one that is too low."""
        given = convert_to_tensor(event_ndims, name="event_ndims")
        if not given.dtype.is_integer:
            raise InvalidArgumentError(
                f"Expected integer dtype, got dtype {given.dtype!r}"
            )
        if given.get_shape().rank:
            raise InvalidArgumentError(
                f"Expected scalar event_ndims, got shape {given.get_shape()}"
            )
        rank = _static(given)
        if rank is None:
            return [least_event_rank(given, least)] if self.validate_args else []
        if least > rank:
            raise InvalidArgumentError(
                f"event_ndims ({rank}) must be larger than min_event_ndims ({least})"
            )
        return []


def _ranks(forward: int | None, inverse: int | None) -> tuple[int, int]:
    """Return the least ranks of events both ways, each of which stands for the other too."""
    if forward is None and inverse is None:
        raise InvalidArgumentError(
            "Must specify at least one of `forward_min_event_ndims` and "
            "`inverse_min_event_ndims`."
        )
    least = inverse if forward is None else forward
    most = forward if inverse is None else inverse
    for x, way in ((least, "forward"), (most, "inverse")):
        if not isinstance(x, int):
            kind = type(x).__name__
            raise DTypeError(
                f"Expected {way}_min_event_ndims to be of type int, got {kind}"
            )
        if x < 0:
            raise InvalidArgumentError(
                f"{way}_min_event_ndims must be a non-negative integer."
            )
    return int(least or 0), int(most or 0)


def _first(own: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Return what a function tells, or else another; errors are the first one's."""
    try:
        return own()
    except NotImplementedError as error:
        try:
            return other()
        except NotImplementedError:
            raise error from None


def _static(rank: Any) -> int | None:
    """Return a rank as a number, None where it is not known before."""
    if isinstance(rank, Operand):
        rank = get_static_value(rank)
    return None if rank is None else int(rank)


def _over_events(found: Any, x: Any, event_ndims: Any, least: int) -> Any:
    """Return the sum over an event's axes beyond those that one application takes."""
    rank = arrays.rank(x)
    sizes = v1_arrays.shape(x)[rank - event_ndims : rank - least]
    ones = arrays.ones(sizes, found.dtype)
    known = _static(event_ndims)
    if known is None:
        axes = arrays.range(-(event_ndims - least), 0)
        return numbers.reduce_sum(ones * found, axis=axes)
    axes = [-place for place in range(1, known - least + 1)]
    total = numbers.reduce_sum(ones * found, axis=axes)
    own = x.get_shape().rank
    if own is not None and found.get_shape().rank is not None:
        taken = x.get_shape()[own - known : own - least]
        whole = cutting.broadcast_static_shape(found.get_shape(), taken)
        total.set_shape(whole[: whole.rank - (known - least)])
    return total


class ConditionalBijector(Bijector):
    """A bijector whose functions take what depends on the case by name."""

    def forward(self, x: Any, name: str = "forward", **condition_kwargs: Any) -> Any:
        """Return the function's values at x."""
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: Any, name: str = "inverse", **condition_kwargs: Any) -> Any:
        """Return what the function takes to y."""
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self,
        y: Any,
        event_ndims: Any,
        name: str = "inverse_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Any:
        """Return log |det J| of the inverse at y, summed over the last event_ndims axes."""
        return self._call_inverse_log_det_jacobian(
            y, event_ndims, name, **condition_kwargs
        )

    def forward_log_det_jacobian(
        self,
        x: Any,
        event_ndims: Any,
        name: str = "forward_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Any:
        """Return log |det J| of the function at x, summed over the last event_ndims axes."""
        return self._call_forward_log_det_jacobian(
            x, event_ndims, name, **condition_kwargs
        )
