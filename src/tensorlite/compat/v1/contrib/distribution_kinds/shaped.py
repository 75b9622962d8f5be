"""ShapedDistribution: those whose shapes their parameters tell; what all of this package have.

What programs write distributions of their own on is in distribution.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import reduce
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from tensorlite.compat.conversions import registered
from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    above_one_by,
    validated,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework
from tensorlite.core import nest
from tensorlite.core.constant import array_of
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.operand import Operand


class ShapedDistribution(Distribution):
    """A distribution whose shapes are those of its parameters, or of what is made of these."""

    event_rank: ClassVar[int] = 0
    """How many axes one draw has."""
    reparameterized: ClassVar[bool] = True
    """Whether gradients flow through draws."""
    shaped: ClassVar[tuple[str, ...]] = ()
    """The parameters that have the shape of a draw."""
    broadcast: ClassVar[tuple[str, ...]] = ()
    """The parameters whose shapes broadcast to that of a draw, where no more is asked for it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a new one, which remembers what it was asked for by."""
        self = super().__new__(cls)
        given = signature(cls.__init__).bind(self, *args, **kwargs)
        given.apply_defaults()
        self._given = {key: x for key, x in given.arguments.items() if key != "self"}
        return self

    _given: dict[str, Any]

    def __init__(
        self,
        dtype: Any,
        name: str,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
    ) -> None:
        flows = FULLY_REPARAMETERIZED if self.reparameterized else NOT_REPARAMETERIZED
        super().__init__(
            dtype, flows, validate_args, allow_nan_stats, self._given, name=name
        )

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        if not cls.shaped:
            return super()._param_shapes(sample_shape)
        shape = framework.convert_to_tensor(sample_shape, int32)
        return dict.fromkeys(cls.shaped, shape)

    def _like(self) -> Any:
        """Return a tensor of the shape of a batch of draws."""
        raise NotImplementedError

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return self._like()

    @property
    def _shape(self) -> Any:
        if not self.broadcast:
            return self._like().get_shape()
        shapes = [getattr(self, name).get_shape() for name in self.broadcast]
        return reduce(cutting.broadcast_static_shape, shapes)

    def _batch_shape(self) -> Any:
        sizes = self._shape
        if sizes.rank is None:
            return None
        return tuple(sizes.as_list()[: sizes.rank - self.event_rank])

    def _event_shape(self) -> Any:
        sizes = self._shape
        if sizes.rank is None:
            return (None,) * self.event_rank
        return tuple(sizes.as_list()[sizes.rank - self.event_rank :])

    def _batch_shape_tensor(self) -> Any:
        if self.broadcast:
            shapes = [v1_arrays.shape(getattr(self, x)) for x in self.broadcast]
            return reduce(cutting.broadcast_dynamic_shape, shapes)
        behind = -self.event_rank or None
        return v1_arrays.shape(self._like())[:behind]

    def _event_shape_tensor(self) -> Any:
        return v1_arrays.shape(self._like())[-self.event_rank :]

    def behind(self, count: Any) -> Any:
        """Return the shape of so many numbers for each of the batch."""
        return arrays.concat([[count], self.batch_shape_tensor()], 0)

    def _converted(self, value: Any) -> Any:
        x = super()._converted(value)
        return self._valid_sample(x) if self.validate_args else x

    def _valid_sample(self, x: Any) -> Any:
        """Return a value, which is there only if it may have been drawn."""
        return x

    def _where_defined(
        self,
        inside: Callable[[], Any],
        found: Any,
        message: str,
        *above_one: Any,
    ) -> Any:
        """Return what is defined where some are greater than 1, and NaN or an error elsewhere."""
        if self.allow_nan_stats:
            rank = self.event_rank
            sizes = v1_arrays.shape(found) if rank else self.batch_shape_tensor()
            nan = np.array(np.nan, self.dtype.numpy)
            nowhere = arrays.fill(sizes, nan, name="nan")
            return v1_arrays.where_v2(inside(), found, nowhere)
        each = [above_one_by(x, message) for x in above_one]
        return validated(True, found, *each)


def sizes_behind(count: Any, sizes: list[Any]) -> Any:
    """Return the shape of so many draws of given sizes: a list, or a tensor if one is a tensor."""
    whole = [count, *sizes]
    return (
        arrays.stack(whole) if any(isinstance(x, Operand) for x in whole) else whole
    )


def as_parameter(value: Any, name: str, dtype: Any = None) -> Any:
    """Return a parameter as a tensor of floating point numbers."""
    x = framework.convert_to_tensor(value, dtype, name=name)
    if dtype is None and x.dtype.is_integer:
        return elementwise.cast(x, float32)
    return x


def held(value: Any, name: str, dtype: Any = None) -> Any:
    """Return a parameter as a tensor of its own, of floating point numbers, that bears its name."""
    value = registered(value)
    if any(isinstance(x, Operand) for x in nest.flatten(value)):
        return arrays.identity(as_parameter(value, name, dtype), name=name)
    array = array_of(value)
    kind = float32.numpy if array.dtype.kind in "biu" else array.dtype
    wanted = kind if dtype is None else dtype.numpy
    return arrays.identity(array.astype(wanted), name=name)


def new_seed(seed: int | None, salt: str) -> int | None:
    """Return another seed, made of one and a word."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF
