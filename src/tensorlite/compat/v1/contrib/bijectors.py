"""tf.contrib.distributions.bijectors: their names, and bijectors made of others or of functions.

What is drawn by them is in distribution_kinds/transformed.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import (
    AffineScalar,
    Bijector,
    Exp,
    Identity,
    PowerTransform,
    Sigmoid,
    Softplus,
    Softsign,
    Square,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_vectors import (
    Affine,
    Permute,
    RealNVP,
)
from tensorlite.core.errors import UnimplementedError

__all__ = [
    "Affine",
    "AffineScalar",
    "Bijector",
    "Chain",
    "Exp",
    "Identity",
    "Inline",
    "Invert",
    "Permute",
    "PowerTransform",
    "RealNVP",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "Square",
]


class Invert(Bijector):
    """Another bijector the other way round."""

    def __init__(
        self, bijector: Bijector, validate_args: bool = False, name: str | None = None
    ) -> None:
        super().__init__(
            validate_args=validate_args,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            name=name or f"invert_{bijector.name}",
        )
        self.bijector = bijector

    def _forward(self, x: Any) -> Any:
        return self.bijector.inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self.bijector.forward(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        least = self.bijector.inverse_min_event_ndims
        return self.bijector.inverse_log_det_jacobian(x, least)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        least = self.bijector.forward_min_event_ndims
        return self.bijector.forward_log_det_jacobian(y, least)


class Chain(Bijector):
    """Bijectors one after the other, the last one first."""

    def __init__(
        self,
        bijectors: Sequence[Bijector] | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        self.bijectors = list(bijectors or ())
        least = [one.forward_min_event_ndims for one in self.bijectors]
        super().__init__(
            validate_args=validate_args,
            forward_min_event_ndims=max(least, default=0),
            name=name
            or "_of_".join(["chain", *[one.name for one in self.bijectors]]),
        )

    def _forward(self, x: Any) -> Any:
        for one in reversed(self.bijectors):
            x = one.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for one in self.bijectors:
            y = one.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        found: Any = 0.0
        for one in reversed(self.bijectors):
            found += one.forward_log_det_jacobian(x, self.forward_min_event_ndims)
            x = one.forward(x)
        return found

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        found: Any = 0.0
        for one in self.bijectors:
            found += one.inverse_log_det_jacobian(y, self.inverse_min_event_ndims)
            y = one.inverse(y)
        return found


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
            None,
            is_constant_jacobian,
            validate_args,
            None,
            forward_min_event_ndims,
            inverse_min_event_ndims,
            name,
        )
        self._functions = {
            "_forward": forward_fn,
            "_inverse": inverse_fn,
            "_forward_log_det_jacobian": forward_log_det_jacobian_fn,
            "_inverse_log_det_jacobian": inverse_log_det_jacobian_fn,
        }

    def _called(self, name: str, x: Any) -> Any:
        given = self._functions[name]
        if given is None:
            raise UnimplementedError(
                f"{self.name}: no function {name.strip('_')}_fn was given"
            )
        return given(x)

    def _forward(self, x: Any) -> Any:
        return self._called("_forward", x)

    def _inverse(self, y: Any) -> Any:
        return self._called("_inverse", y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._functions["_forward_log_det_jacobian"] is None:
            return -self._called("_inverse_log_det_jacobian", self._forward(x))
        return self._called("_forward_log_det_jacobian", x)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        if self._functions["_inverse_log_det_jacobian"] is None:
            return -self._called("_forward_log_det_jacobian", self._inverse(y))
        return self._called("_inverse_log_det_jacobian", y)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
