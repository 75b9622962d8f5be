"""Distributions that are others, whose parameters are made of what is given."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import elementwise, nn
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import (
    Beta,
    Exponential,
    Gamma,
    Laplace,
)
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter, held
from tensorlite.compat.v1.contrib.distribution_kinds.tails import (
    InverseGamma,
    StudentT,
)
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.graph_mode.graph import name_scope


def _soft(given: Any, name: str) -> Any:
    """Return a parameter that is positive whatever is given."""
    return nn.softplus(as_parameter(given, name))


class Chi2(Gamma):
    """Sums of so many squares of normal numbers."""

    def __init__(
        self,
        df: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        with name_scope(name) as prefix:
            self._df = held(df, "df")
            half = constant(0.5, self._df.dtype)
            shape = 0.5 * self._df
            super().__init__(shape, half, validate_args, allow_nan_stats, prefix)

    @property
    def df(self) -> Any:
        """Degrees of freedom: how many squares are summed."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """Sums of squares, as many as the whole part of a number without its sign."""

    def __init__(self, df: Any, *args: Any, **kwargs: Any) -> None:
        count = elementwise.floor(elementwise.abs(as_parameter(df, "df")))
        super().__init__(count, *args, **{"name": "Chi2WithAbsDf", **kwargs})


class BetaWithSoftplusConcentration(Beta):
    """Beta's, whose parameters are softened."""

    def __init__(
        self, concentration1: Any, concentration0: Any, *args: Any, **kwargs: Any
    ) -> None:
        one = _soft(concentration1, "concentration1")
        zero = _soft(concentration0, "concentration0")
        named = {"name": "BetaWithSoftplusConcentration", **kwargs}
        super().__init__(one, zero, *args, **named)


class ExponentialWithSoftplusRate(Exponential):
    """Exponential numbers, whose rate is softened."""

    def __init__(self, rate: Any, *args: Any, **kwargs: Any) -> None:
        named = {"name": "ExponentialWithSoftplusRate", **kwargs}
        super().__init__(_soft(rate, "rate"), *args, **named)


class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma's, whose parameters are softened."""

    def __init__(
        self, concentration: Any, rate: Any, *args: Any, **kwargs: Any
    ) -> None:
        soft = _soft(concentration, "concentration"), _soft(rate, "rate")
        named = {"name": "GammaWithSoftplusConcentrationRate", **kwargs}
        super().__init__(*soft, *args, **named)


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """Inverses of gamma's, whose parameters are softened."""

    def __init__(
        self, concentration: Any, rate: Any, *args: Any, **kwargs: Any
    ) -> None:
        soft = _soft(concentration, "concentration"), _soft(rate, "rate")
        named = {"name": "InverseGammaWithSoftplusConcentrationRate", **kwargs}
        super().__init__(*soft, *args, **named)


class LaplaceWithSoftplusScale(Laplace):
    """Laplace's, whose scale is softened."""

    def __init__(self, loc: Any, scale: Any, *args: Any, **kwargs: Any) -> None:
        named = {"name": "LaplaceWithSoftplusScale", **kwargs}
        super().__init__(loc, _soft(scale, "scale"), *args, **named)


class StudentTWithAbsDfSoftplusScale(StudentT):
    """Student's, whose scale is softened, and whose degrees of freedom are whole."""

    def __init__(
        self, df: Any, loc: Any, scale: Any, *args: Any, **kwargs: Any
    ) -> None:
        count = elementwise.floor(elementwise.abs(as_parameter(df, "df")))
        named = {"name": "StudentTWithAbsDfSoftplusScale", **kwargs}
        super().__init__(count, loc, _soft(scale, "scale"), *args, **named)
