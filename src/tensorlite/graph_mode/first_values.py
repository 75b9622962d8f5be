"""What variables begin with, whole or in parts: initializers that are called, checked values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from inspect import signature
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, as_dtype, float32, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.spec import shape_text
from tensorlite.graph_mode.graph import built, get_default_graph
from tensorlite.graph_mode.partitioned import PartitionInfo


def asked_sizes(shape: Any) -> tuple[int | None, ...] | None:
    """Return the sizes of a shape that a program asks for, None where it asks for none."""
    if shape is None or getattr(shape, "rank", 0) is None:
        return None
    given = shape if isinstance(shape, Iterable) else (shape,)
    sizes = [getattr(x, "value", x) for x in given]
    return tuple([None if x is None else int(x) for x in sizes])


def part_value(
    name: str,
    initializer: Any,
    dtype: DType,
    sizes: Sequence[int],
    info: PartitionInfo,
) -> Any:
    """Return what a part of a variable begins with, of that which the whole begins with."""
    found = value_for(
        name,
        initializer,
        tuple(
            sizes if callable(initializer) or initializer is None else info.full_shape
        ),
        dtype,
    )
    if isinstance(found, partial) and found.func is _called:
        return partial(found, info=info)
    ends = [a + b for a, b in zip(info.var_offset, sizes, strict=True)]
    index = tuple([slice(a, b) for a, b in zip(info.var_offset, ends, strict=True)])
    with built(get_default_graph()):
        return to_tensor(found)[index]


def value_for(
    name: str, initializer: Any, sizes: tuple[int | None, ...] | None, dtype: DType
) -> Any:
    """Return what a variable begins with: a value, or a function that makes it."""
    if initializer is None:
        if not (
            dtype.is_floating
            or dtype.is_complex
            or dtype.is_integer
            or dtype.kind == "b"
            or dtype is string
        ):
            raise DTypeError(
                f"An initializer for variable {name} of {dtype!r} is required"
            )
        initializer = get_default_initializer(dtype)
    if not callable(initializer):
        if sizes is not None:
            _check_value(name, initializer, sizes)
        return initializer
    made = initializer() if isinstance(initializer, type) else initializer
    if sizes is None:
        _check_free(name, made)
        return made
    if None in sizes:
        raise ShapeError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was "
            f"{shape_text(sizes)}."
        )
    return partial(_called, made, [int(x or 0) for x in sizes], dtype)


def _check_free(name: str, initializer: Any) -> None:
    """Raise InvalidArgumentError for a function that wants a shape where none is known."""
    try:
        parameters = signature(initializer).parameters.values()
    except (TypeError, ValueError):  # some of C's functions tell nothing of theirs
        return
    wanted = [
        x.name
        for x in parameters
        if x.default is x.empty and x.kind not in {x.VAR_POSITIONAL, x.VAR_KEYWORD}
    ]
    if wanted:
        raise InvalidArgumentError(
            f"{name}: The initializer passed is not valid, for it takes {', '.join(wanted)}, and "
            "the shape is not known; give the shape, or a function without arguments"
        )


def first_value(name: str, initializer: Any, shape: Any, dtype: Any) -> Any:
    """Return what a variable begins with that no scope keeps: a value, or what makes it."""
    wanted = float32 if dtype is None else as_dtype(dtype)
    return value_for(name, initializer, asked_sizes(shape), wanted)


def _called(
    initializer: Any,
    sizes: Sequence[int],
    dtype: DType,
    info: PartitionInfo | None = None,
) -> Any:
    """Return what an initializer makes, which may take no dtype, nor know of parts."""
    if "partition_info" in _parameters(initializer):
        return initializer(list(sizes), dtype=dtype, partition_info=info)
    try:
        return initializer(list(sizes), dtype=dtype)
    except TypeError as error:
        if "dtype" not in str(error) and "argument" not in str(error):
            raise
    try:
        return initializer(list(sizes), dtype)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        return initializer()


def _parameters(function: Any) -> Iterable[str]:
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return ()


default_initializers: dict[str, Callable[[], Any]] = {}
"""What makes the values of variables that nobody gives an initializer, by kind of dtype."""


def get_default_initializer(dtype: DType) -> Any:
    """Return what a variable without an initializer begins with: Glorot's uniform numbers, or 0."""
    return default_initializers["f" if dtype.is_floating else "0"]()


def _check_value(name: str, value: Any, sizes: tuple[int | None, ...]) -> None:
    have = to_tensor(value).spec.shape if not hasattr(value, "shape") else None
    known = tuple(value.shape) if have is None else have
    if len(known) != len(sizes) or any(
        None not in (a, b) and a != b for a, b in zip(known, sizes, strict=True)
    ):
        raise ShapeError(
            f"{name}: If initializer is a constant, do not specify shape; its shape is "
            f"{shape_text(known)}, and asked for is {shape_text(sizes)}"
        )
