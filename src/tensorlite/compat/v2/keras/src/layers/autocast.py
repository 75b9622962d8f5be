"""keras.Variable, and weights that are read in the dtype that a layer computes in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted
from tensorlite.compat.v2.keras import defaults, initializers
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.weights import Weight
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype

_wanted: ContextVar[DType | None] = ContextVar("keras_autocast", default=None)


@contextmanager
def to(dtype: DType | None) -> Iterator[None]:
    """Let weights be read in a dtype inside; None as they are."""
    token = _wanted.set(dtype)
    try:
        yield
    finally:
        _wanted.reset(token)


def is_asked() -> bool:
    """Return whether it is said in which dtype weights are read."""
    return _wanted.get() is not None


class CastVariable(Weight):
    """A weight whose value is cast where a layer computes in another dtype."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype in which the weight is read here."""
        return _wanted.get() or self.spec.dtype

    def __tensor__(self) -> Any:
        value = super().__tensor__()
        wanted = _wanted.get()
        return value if wanted is None else astype(value, wanted)

    def sparse_read(self, indices: Any) -> Any:
        """Return the rows at indices, in the dtype in which weights are read here."""
        rows = super().sparse_read(indices)
        wanted = _wanted.get()
        return rows if wanted is None else astype(rows, wanted)

    def _fitting(self, value: Any) -> Any:
        given = constant(value) if isinstance(value, np.ndarray) else to_tensor(value)
        return astype(given, self.spec.dtype)


class KerasVariable(CastVariable):
    """keras.Variable: a variable that begins with a value, or with what an initializer makes."""

    __slots__ = ("autocast", "overwrite_with_gradient", "regularizer")

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str = "none",
        synchronization: str = "auto",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        title = name or naming.unique("variable")
        super().__init__(
            _first(initializer, shape, dtype),
            trainable=trainable,
            name=naming.prefixed(title),
            dtype=None
            if dtype is None and shape is None
            else defaults.kind_of(dtype),
        )
        self.autocast = autocast
        self.regularizer, self.overwrite_with_gradient = None, False


def _first(initializer: Any, shape: Any, dtype: Any) -> Any:
    """Return the first value of a variable, or the function that makes it."""
    named = isinstance(initializer, str)
    if named or callable(initializer):
        if shape is None:
            raise InvalidArgumentError(
                "When creating a Variable from an initializer, the `shape` argument should be "
                f"specified. Received: initializer={initializer} and shape={shape}"
            )
        make = initializers.get(initializer) if named else initializer
        return make(tuple(shape), dtype=defaults.kind_of(dtype))
    if dtype is not None:
        return converted(initializer, defaults.kind_of(dtype))
    is_double = isinstance(initializer, (float, list))
    return converted(initializer, defaults.width() if is_double else None)
