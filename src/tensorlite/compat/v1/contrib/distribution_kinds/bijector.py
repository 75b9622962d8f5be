"""Bijector: a function that has an inverse, and what it does to densities; those of each element.

Those of vectors are in bijectors_of_vectors.py, those made of others in contrib/bijectors.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tensorlite.compat.shared import arrays, elementwise, nn
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import as_parameter
from tensorlite.compat.v1.functions import arrays as v1_arrays, numbers
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.graph import name_scope


class Bijector:
    """A function of events that has an inverse; subclasses say which."""

    _tells_forward: ClassVar[bool] = False
    """Whether a class has the forward Jacobian; else that of the inverse is turned round."""

    def __init_subclass__(cls) -> None:
        cls._tells_forward |= "_forward_log_det_jacobian" in vars(cls)

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
        least, most = forward_min_event_ndims, inverse_min_event_ndims
        if least is None and most is None:
            raise InvalidArgumentError(
                "Must specify at least one of `forward_min_event_ndims` and "
                "`inverse_min_event_ndims`."
            )
        self.forward_min_event_ndims: int = most if least is None else least  # type: ignore[assignment]
        self.inverse_min_event_ndims = (
            self.forward_min_event_ndims if most is None else most
        )
        self.graph_parents = list(graph_parents or ())
        self.is_constant_jacobian = is_constant_jacobian
        self.validate_args, self.dtype = validate_args, dtype
        self.name = name or type(self).__name__.lower()

    def forward(self, x: Any, name: str = "forward") -> Any:
        """Return the function's values at x."""
        with name_scope(self.name), name_scope(name):
            return self._forward(self._given(x))

    def inverse(self, y: Any, name: str = "inverse") -> Any:
        """Return what the function takes to y."""
        with name_scope(self.name), name_scope(name):
            return self._inverse(self._given(y))

    def _given(self, x: Any) -> Any:
        return convert_to_tensor(x, self.dtype)

    def _forward(self, x: Any) -> Any:
        raise UnimplementedError("forward not implemented.")

    def _inverse(self, y: Any) -> Any:
        raise UnimplementedError("inverse not implemented.")

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        raise UnimplementedError("forward_log_det_jacobian not implemented.")

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -self._forward_log_det_jacobian(self._inverse(y))

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian"
    ) -> Any:
        """Return log |det J| of the function at x, summed over the last event_ndims axes."""
        with name_scope(self.name), name_scope(name):
            given = self._given(x)
            if self._tells_forward:
                found = self._forward_log_det_jacobian(given)
            else:
                found = -self._inverse_log_det_jacobian(self._forward(given))
            return _over_events(
                found, given, int(event_ndims), self.forward_min_event_ndims
            )

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian"
    ) -> Any:
        """Return log |det J| of the inverse at y, summed over the last event_ndims axes."""
        with name_scope(self.name), name_scope(name):
            given = self._given(y)
            found = self._inverse_log_det_jacobian(given)
            return _over_events(
                found, given, int(event_ndims), self.inverse_min_event_ndims
            )


def _over_events(found: Any, x: Any, event_ndims: int, least: int) -> Any:
    """Return the sum over an event's axes beyond those that one application takes."""
    if event_ndims < least:
        raise InvalidArgumentError(
            f"event_ndims ({event_ndims}) must be larger than min_event_ndims ({least})"
        )
    axes = list(range(least - event_ndims, 0))
    if not axes:
        return found
    like = x
    for _ in range(least):
        like = like[..., 0]
    return numbers.reduce_sum(found + v1_arrays.zeros_like(like), axes)


class _Elementwise(Bijector):
    """A function of each element, without parameters."""

    def __init__(self, validate_args: bool = False, name: str | None = None) -> None:
        super().__init__(
            validate_args=validate_args, forward_min_event_ndims=0, name=name
        )


class Identity(_Elementwise):
    """The function that changes nothing."""

    def _forward(self, x: Any) -> Any:
        return arrays.identity(x)

    def _inverse(self, y: Any) -> Any:
        return arrays.identity(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return v1_arrays.zeros_like(x)


class Sigmoid(_Elementwise):
    """The function 1 / (1 + exp(-x)), onto (0, 1)."""

    def _forward(self, x: Any) -> Any:
        return elementwise.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return elementwise.log(y) - elementwise.log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -nn.softplus(-x) - nn.softplus(x)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -elementwise.log(y) - elementwise.log1p(-y)


class Softsign(_Elementwise):
    """The function x / (1 + |x|), onto (-1, 1)."""

    def _forward(self, x: Any) -> Any:
        return nn.softsign(x)

    def _inverse(self, y: Any) -> Any:
        return y / (1.0 - elementwise.abs(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * elementwise.log1p(elementwise.abs(x))


class Square(_Elementwise):
    """The square of what is not negative."""

    def _forward(self, x: Any) -> Any:
        return elementwise.square(x)

    def _inverse(self, y: Any) -> Any:
        return elementwise.sqrt(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return elementwise.log(2.0 * x)


class Softplus(Bijector):
    """The function log(1 + exp(x)), onto positive numbers; hinge_softness stretches its bend."""

    def __init__(
        self,
        hinge_softness: Any = None,
        validate_args: bool = False,
        name: str = "softplus",
    ) -> None:
        super().__init__(
            validate_args=validate_args, forward_min_event_ndims=0, name=name
        )
        softness = 1.0 if hinge_softness is None else hinge_softness
        self.hinge_softness = as_parameter(softness, "hinge_softness")

    def _forward(self, x: Any) -> Any:
        return self.hinge_softness * nn.softplus(x / self.hinge_softness)

    def _inverse(self, y: Any) -> Any:
        scaled = y / self.hinge_softness
        return self.hinge_softness * (
            scaled + elementwise.log(-elementwise.expm1(-scaled))
        )

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -nn.softplus(-x / self.hinge_softness)


class PowerTransform(Bijector):
    """(1 + x power) to the power of 1 / power; exp(x) where that is 0."""

    def __init__(
        self,
        power: float = 0.0,
        validate_args: bool = False,
        name: str = "power_transform",
    ) -> None:
        if power < 0:
            raise InvalidArgumentError(
                f"power={power}: allowed are numbers from 0 on"
            )
        super().__init__(
            validate_args=validate_args, forward_min_event_ndims=0, name=name
        )
        self.power = power

    def _forward(self, x: Any) -> Any:
        if self.power == 0:
            return elementwise.exp(x)
        return elementwise.exp(elementwise.log1p(x * self.power) / self.power)

    def _inverse(self, y: Any) -> Any:
        if self.power == 0:
            return elementwise.log(y)
        return elementwise.expm1(elementwise.log(y) * self.power) / self.power

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self.power == 0:
            return x
        return (1.0 / self.power - 1.0) * elementwise.log1p(x * self.power)


class Exp(PowerTransform):
    """The function exp(x), onto positive numbers."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(0.0, validate_args, name)


class AffineScalar(Bijector):
    """Each element times `scale`, and `shift` added."""

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        super().__init__(
            validate_args=validate_args,
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            name=name,
        )
        self.shift = None if shift is None else as_parameter(shift, "shift")
        self.scale = None if scale is None else as_parameter(scale, "scale")

    def _forward(self, x: Any) -> Any:
        scaled = x if self.scale is None else x * self.scale
        return scaled if self.shift is None else scaled + self.shift

    def _inverse(self, y: Any) -> Any:
        moved = y if self.shift is None else y - self.shift
        return moved if self.scale is None else moved / self.scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self.scale is None:
            return v1_arrays.zeros_like(x)
        return elementwise.log(elementwise.abs(self.scale)) + v1_arrays.zeros_like(x)
