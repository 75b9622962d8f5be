"""Bijectors of each element, that know no other: powers, logistic functions, affine ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, elementwise, nn
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import Bijector
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter
from tensorlite.compat.v1.contrib.distribution_kinds.statistics import (
    softplus_inverse,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    Check,
    above,
    at_most_one,
    below,
    none_negative,
    not_zero,
    positive,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

log, log1p, exp, expm1 = (
    elementwise.log,
    elementwise.log1p,
    elementwise.exp,
    elementwise.expm1,
)


class ElementBijector(Bijector):
    """A function of each element."""

    def __init__(
        self,
        validate_args: bool = False,
        name: str | None = None,
        is_constant_jacobian: bool = False,
    ) -> None:
        super().__init__(
            validate_args=validate_args,
            is_constant_jacobian=is_constant_jacobian,
            forward_min_event_ndims=0,
            name=name,
        )

    def _valid(self, x: Any, *each: Check) -> Any:
        return validated(self.validate_args, x, *each)

    def _parameter(self, x: Any, name: str, *each: Check, dtype: Any = None) -> Any:
        """Return a parameter as a tensor, below the scope of what is made at first."""
        with self._name_scope("init"):
            return self._valid(as_parameter(x, name, dtype), *each)


class Identity(ElementBijector):
    """The function that changes nothing."""

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        super().__init__(validate_args, name, is_constant_jacobian=True)

    def _forward(self, x: Any) -> Any:
        return x

    def _inverse(self, y: Any) -> Any:
        return y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)


class Sigmoid(ElementBijector):
    """The function 1 / (1 + exp(-x)), onto (0, 1)."""

    def _forward(self, x: Any) -> Any:
        return elementwise.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return log(y) - log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -nn.softplus(-x) - nn.softplus(x)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -log(y) - log1p(-y)


class Softsign(ElementBijector):
    """The function x / (1 + |x|), onto (-1, 1)."""

    def _forward(self, x: Any) -> Any:
        return x / (1.0 + elementwise.abs(x))

    def _inside(self, y: Any) -> Any:
        message = "Inverse transformation input must be"
        above_least = above(-1.0, f"{message} greater than -1.")
        return self._valid(y, above_least, below(1.0, f"{message} less than 1."))

    def _inverse(self, y: Any) -> Any:
        inside = self._inside(y)
        return inside / (1.0 - elementwise.abs(inside))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * log1p(elementwise.abs(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -2.0 * log1p(-elementwise.abs(self._inside(y)))


class Square(ElementBijector):
    """The square of what is not negative."""

    def _none_below(self, x: Any) -> Any:
        return self._valid(x, none_negative("All elements must be non-negative."))

    def _forward(self, x: Any) -> Any:
        return elementwise.square(self._none_below(x))

    def _inverse(self, y: Any) -> Any:
        return elementwise.sqrt(self._none_below(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return math.log(2.0) + log(self._none_below(x))


class AbsoluteValue(ElementBijector):
    """What is without its sign: there are two inverses, the negative one first."""

    def __init__(
        self, validate_args: bool = False, name: str = "absolute_value"
    ) -> None:
        super().__init__(validate_args, name, is_constant_jacobian=True)

    @property
    def _is_injective(self) -> bool:
        return False

    def _forward(self, x: Any) -> Any:
        return elementwise.abs(x)

    def _inverse(self, y: Any) -> Any:
        size = self._valid(y, none_negative("Argument y was negative"))
        return -size, size

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        own = constant(0.0, dtype=y.dtype)
        check = none_negative("Argument y was negative")
        zero = self._valid(own, lambda _: check(y))
        return zero, zero


class Softplus(ElementBijector):
    """The function log(1 + exp(x)), onto positive numbers; hinge_softness stretches its bend."""

    def __init__(
        self,
        hinge_softness: Any = None,
        validate_args: bool = False,
        name: str = "softplus",
    ) -> None:
        super().__init__(validate_args, name)
        self._softness = None
        if hinge_softness is not None:
            with name_scope(name):
                own = as_parameter(hinge_softness, "hinge_softness")
                check = not_zero("hinge_softness must be non-zero")
                self._softness = self._valid(own, check)

    hinge_softness = property(lambda self: self._softness)

    def _scaled(self, x: Any) -> Any:
        if self._softness is None:
            return x
        return x / elementwise.cast(self._softness, x.dtype)

    def _stretched(self, x: Any) -> Any:
        if self._softness is None:
            return x
        return elementwise.cast(self._softness, x.dtype) * x

    def _forward(self, x: Any) -> Any:
        return self._stretched(nn.softplus(self._scaled(x)))

    def _inverse(self, y: Any) -> Any:
        return self._stretched(softplus_inverse(self._scaled(y)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -log(-expm1(-self._scaled(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -nn.softplus(-self._scaled(x))


class PowerTransform(ElementBijector):
    """(1 + x power) to the power of 1 / power; exp(x) where that is 0."""

    def __init__(
        self,
        power: Any = 0.0,
        validate_args: bool = False,
        name: str = "power_transform",
    ) -> None:
        super().__init__(validate_args, name)
        with self._name_scope("init"):
            known = get_static_value(convert_to_tensor(power, name="power"))
        if known is None or known < 0:
            raise InvalidArgumentError("`power` must be a non-negative TF constant.")
        self._power = float(known)

    power = property(lambda self: self._power)

    def _given_x(self, x: Any) -> Any:
        if self._power == 0:
            return x
        least = -1.0 / self._power
        check = none_negative(
            f"Forward transformation input must be at least {least}."
        )
        return self._valid(x, lambda _: check(1.0 + self._power * x))

    def _given_y(self, y: Any) -> Any:
        message = "Inverse transformation input must be greater than 0."
        return self._valid(y, positive(message))

    def _forward(self, x: Any) -> Any:
        inside = self._given_x(x)
        if self._power == 0:
            return exp(inside)
        return exp(log1p(inside * self._power) / self._power)

    def _inverse(self, y: Any) -> Any:
        inside = self._given_y(y)
        if self._power == 0:
            return log(inside)
        return expm1(log(inside) * self._power) / self._power

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return (self._power - 1.0) * log(self._given_y(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        inside = self._given_x(x)
        if self._power == 0:
            return inside
        return (1.0 / self._power - 1.0) * log1p(inside * self._power)


class Exp(PowerTransform):
    """The function exp(x), onto positive numbers."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(0.0, validate_args, name)


class AffineScalar(ElementBijector):
    """Each element times `scale`, and `shift` added."""

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        super().__init__(validate_args, name, is_constant_jacobian=True)
        self._shift = self._scale = None
        with self._name_scope("init"):
            if shift is not None:
                self._shift = as_parameter(shift, "shift")
            if scale is not None:
                self._scale = self._valid(as_parameter(scale, "scale"), not_zero())

    shift = property(lambda self: self._shift)
    scale = property(lambda self: self._scale)

    def _forward(self, x: Any) -> Any:
        y = arrays.identity(x)
        scaled = y if self._scale is None else y * self._scale
        return scaled if self._shift is None else scaled + self._shift

    def _inverse(self, y: Any) -> Any:
        x = arrays.identity(y)
        moved = x if self._shift is None else x - self._shift
        return moved if self._scale is None else moved / self._scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype)
        return log(elementwise.abs(self._scale))


class Gumbel(ElementBijector):
    """The distribution function of Gumbel's distribution, onto (0, 1)."""

    def __init__(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        validate_args: bool = False,
        name: str = "gumbel",
    ) -> None:
        super().__init__(validate_args, name)
        with self._name_scope("init"):
            self._loc = as_parameter(loc, "loc")
            width = as_parameter(scale, "scale")
            check = positive("Argument scale was not positive")
            self._scale = self._valid(width, check)

    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)

    def _share(self, y: Any) -> Any:
        message = "Inverse transformation input must be"
        least = none_negative(f"{message} greater than 0.")
        return self._valid(
            y, least, at_most_one(f"{message} less than or equal to 1.")
        )

    def _forward(self, x: Any) -> Any:
        return exp(-exp(-((x - self._loc) / self._scale)))

    def _inverse(self, y: Any) -> Any:
        return self._loc - self._scale * log(-log(self._share(y)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        share = self._share(y)
        return log(self._scale / (-log(share) * share))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        z = (x - self._loc) / self._scale
        return -z - exp(-z) - log(self._scale)


class Kumaraswamy(ElementBijector):
    """The inverse of Kumaraswamy's distribution function, from [0, 1] onto [0, 1]."""

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        super().__init__(validate_args, name)
        check = positive("Concentration parameter must be positive.")
        with self._name_scope("init"):
            one = as_parameter(concentration1, "concentration1")
            self._one = self._valid(one, check)
            zero = as_parameter(concentration0, "concentration0", one.dtype)
            self._zero = self._valid(zero, check)

    concentration1 = property(lambda self: self._one)
    concentration0 = property(lambda self: self._zero)

    def _share(self, x: Any) -> Any:
        least = none_negative("sample must be non-negative")
        return self._valid(
            x, least, at_most_one("sample must be no larger than `1`.")
        )

    def _forward(self, x: Any) -> Any:
        rest = exp(log1p(-self._share(x)) / self._zero)
        return exp(log1p(-rest) / self._one)

    def _inverse(self, y: Any) -> Any:
        share = self._share(y)
        return exp(log1p(-((1 - share**self._one) ** self._zero)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        share = self._share(y)
        whole = log(self._one) + log(self._zero) + (self._one - 1) * log(share)
        return whole + (self._zero - 1) * log1p(-(share**self._one))


class SinhArcsinh(ElementBijector):
    """sinh((arcsinh(x) + skewness) tailweight): the heavier tails, the larger tailweight."""

    def __init__(
        self,
        skewness: Any = None,
        tailweight: Any = None,
        validate_args: bool = False,
        name: str = "SinhArcsinh",
    ) -> None:
        super().__init__(validate_args, name)
        with self._name_scope("init"):
            lean = 0.0 if skewness is None else skewness
            self._skewness = as_parameter(lean, "skewness")
            weight = 1.0 if tailweight is None else tailweight
            own = as_parameter(weight, "tailweight", self._skewness.dtype)
            check = positive("Argument tailweight was not positive")
            self._tailweight = self._valid(own, check)

    skewness = property(lambda self: self._skewness)
    tailweight = property(lambda self: self._tailweight)

    def _forward(self, x: Any) -> Any:
        return elementwise.sinh(
            (elementwise.asinh(x) + self._skewness) * self._tailweight
        )

    def _inverse(self, y: Any) -> Any:
        return elementwise.sinh(
            elementwise.asinh(y) / self._tailweight - self._skewness
        )

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        inner = elementwise.asinh(y) / self._tailweight - self._skewness
        steep = elementwise.cosh(inner) / _root_of_square_and_one(y)
        return log(steep) - log(self._tailweight)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        inner = (elementwise.asinh(x) + self._skewness) * self._tailweight
        steep = elementwise.cosh(inner) / _root_of_square_and_one(x)
        return log(steep) + log(self._tailweight)


def _root_of_square_and_one(x: Any) -> Any:
    """Return sqrt(x * x + 1), which is |x| where the square would be too large."""
    size = elementwise.abs(x)
    is_small = size * math.sqrt(np.finfo(x.dtype.numpy).eps) <= 1.0
    return v1_arrays.where_v2(is_small, elementwise.sqrt(x**2.0 + 1.0), size)
