"""What programs take from inside of Keras' utils and applications for layers of their own.

Sizes of convolutions are conv_utils.py's.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.v2.keras.src.models import sketch
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.shapes import AnyShape
from tensorlite.graph.graph import SymbolicTensor


def convert_shapes(input_shape: Any, to_tuples: bool = True) -> Any:
    """Return shapes in a structure as tuples, or as shapes.

    >>> convert_shapes([[2, 3], [4]])
    [(2, 3), (4,)]
    """
    if isinstance(input_shape, dict):
        return {key: convert_shapes(x, to_tuples) for key, x in input_shape.items()}
    if isinstance(input_shape, (list, tuple)) and any(
        isinstance(x, (list, tuple, dict, AnyShape)) for x in input_shape
    ):
        return type(input_shape)([convert_shapes(x, to_tuples) for x in input_shape])
    shape = as_shape(input_shape)
    return tuple(shape.as_list()) if to_tuples else shape


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a layer that is given shapes as tuples, and returns them as shapes.

    >>> shape_type_conversion(lambda self, shape: shape[:1])(None, [2, 3]).as_list()
    [2]
    """

    @wraps(fn)
    def wrapper(instance: Any, input_shape: Any) -> Any:
        given = None if input_shape is None else convert_shapes(input_shape)
        made = fn(instance, given)
        return None if made is None else convert_shapes(made, to_tuples=False)

    return wrapper


def is_symbolic_tensor(tensor: Any) -> bool:
    """Return whether something stands for values that are not known yet.

    >>> is_symbolic_tensor(1.0)
    False
    """
    return sketch.is_leaf(tensor) or isinstance(tensor, SymbolicTensor)


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Return whether something is a tensor of a graph or a list that begins with one.

    >>> is_tensor_or_tensor_list([1.0])
    False
    """
    return is_symbolic_tensor(v[0] if isinstance(v, (list, tuple)) and v else v)


def has_arg(fn: Any, name: str, accept_all: bool = False) -> bool:
    """Return whether a function takes an argument of a name, or any if accept_all.

    >>> has_arg(lambda x, scale=1: x, "scale")
    True
    """
    taken = inspect.getfullargspec(fn)
    if accept_all and taken.varkw is not None:
        return True
    return name in taken.args or name in taken.kwonlyargs


def to_list(x: Any) -> list[Any]:
    """Return a list as it is, of anything else one with that alone.

    >>> to_list(1)
    [1]
    """
    return x if isinstance(x, list) else [x]


def unpack_singleton(x: Any) -> Any:
    """Return what is alone in a list, a longer list as it is.

    >>> unpack_singleton([1]), unpack_singleton([1, 2])
    (1, [1, 2])
    """
    return x[0] if len(x) == 1 else x


def to_snake_case(name: str) -> str:
    """Return the name of a class in small letters, as layers are named.

    >>> to_snake_case("MyLayer2D")
    'my_layer2d'
    """
    parted = re.sub(
        "([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    )
    return f"private{parted.lower()}" if parted.startswith("_") else parted.lower()


def slice_arrays(arrays: Any, start: Any = None, stop: Any = None) -> Any:
    """Return rows of an array or of each in a list: from start to stop, or those in a list.

    >>> slice_arrays([np.arange(4)], 1, 3)
    [array([1, 2])]
    """
    if arrays is None:
        return [None]
    if isinstance(start, list) and stop is not None:
        raise InvalidArgumentError(
            "The stop argument has to be None if the value of start is a list"
        )
    chosen: Any = start
    if not hasattr(start, "__len__"):
        chosen = slice(start, stop)
    if isinstance(arrays, list):
        return [None if x is None else x[chosen] for x in arrays]
    return arrays[chosen] if hasattr(arrays, "shape") else [None]


def count_params(weights: Any) -> int:
    """Return how many numbers variables have, each counted once.

    >>> count_params([np.ones((2, 3))])
    6
    """
    each = {id(x): x for x in weights}
    return sum(int(np.prod(tuple(x.shape), dtype=np.int64)) for x in each.values())


def print_summary(
    model: Any, line_length: Any = None, positions: Any = None, print_fn: Any = None
) -> None:
    """Print the table of a model's layers."""
    model.summary(line_length=line_length, positions=positions, print_fn=print_fn)


def obtain_input_shape(
    input_shape: Any,
    default_size: int,
    min_size: int,
    data_format: str,
    require_flatten: bool,
    weights: str | None = None,
) -> Any:
    """Return the shape of images that a model takes: what a program gives if it fits, or the usual.

    >>> obtain_input_shape(None, 224, 32, "channels_last", True)
    (224, 224, 3)
    """
    at = 0 if data_format == "channels_first" else 2
    channels = 3
    if weights != "imagenet" and input_shape and len(input_shape) == 3:
        channels = input_shape[at]
        if channels not in {1, 3}:
            warnings.warn(
                "This model usually expects 1 or 3 input channels. However, it was passed an "
                f"input_shape with {channels} input channels.",
                stacklevel=2,
            )
    usual = _shape_of_images(default_size, channels, at)
    if weights == "imagenet" and require_flatten:
        if input_shape not in (None, usual):
            raise InvalidArgumentError(
                "When setting `include_top=True` and loading `imagenet` weights, `input_shape` "
                f"should be {usual}."
            )
        return usual
    if not input_shape:
        return usual if require_flatten else _shape_of_images(None, 3, at)
    _check_shape(input_shape, min_size, at, weights == "imagenet")
    if require_flatten and None in input_shape:
        raise InvalidArgumentError(
            "If `include_top` is True, you should specify a static `input_shape`. Got "
            f"`input_shape={input_shape}`"
        )
    return input_shape


_obtain_input_shape = obtain_input_shape


def _shape_of_images(size: Any, channels: Any, at: int) -> tuple[Any, ...]:
    return (channels, size, size) if at == 0 else (size, size, channels)


def _check_shape(shape: Any, least: int, at: int, has_colours: bool) -> None:
    if len(shape) != 3:
        raise InvalidArgumentError("`input_shape` must be a tuple of three integers.")
    if shape[at] != 3 and has_colours:
        raise InvalidArgumentError(
            f"The input must have 3 channels; got `input_shape={shape}`"
        )
    sizes = shape[1:] if at == 0 else shape[:2]
    if any(x is not None and x < least for x in sizes):
        raise InvalidArgumentError(
            f"Input size must be at least {least}x{least}; got `input_shape={shape}`"
        )
