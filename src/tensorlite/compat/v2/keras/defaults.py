"""What holds in Keras where nothing else is said: the width of numbers, the form of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensorlite.core.dtypes import DType, as_dtype, float32
from tensorlite.core.errors import InvalidArgumentError


@dataclass
class _Defaults:
    width: DType = float32
    epsilon: float = 1e-7
    image_data_format: str = "channels_last"
    prints_bars: bool = True
    policy: str | None = None
    flash_attention: bool | None = None
    learning_phase: int | None = None


chosen = _Defaults()


def width() -> DType:
    """Return the dtype of weights and of fractions that are given."""
    return chosen.width


def kind_of(dtype: Any) -> DType:
    """Return the dtype that is meant, of None the usual one."""
    return chosen.width if dtype is None else as_dtype(dtype)


def policy() -> str:
    """Return the name of the policy of layers' dtypes."""
    return chosen.policy or chosen.width.name


def floatx() -> str:
    """Return the name of the dtype that floating-point numbers have by default.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.backend.floatx()
    'float32'
    """
    return chosen.width.name


def set_floatx(value: str) -> None:
    """Set the dtype of floating-point numbers by its name.

    InvalidArgumentError is raised for what is no such dtype.
    """
    wanted = as_dtype(value)
    if not wanted.is_floating:
        raise InvalidArgumentError(
            f"set_floatx({value!r}): it is 'float16', 'bfloat16', 'float32' or 'float64'"
        )
    chosen.width = wanted


def epsilon() -> float:
    """Return the small number that keeps divisions from 0, 1e-7 at first."""
    return chosen.epsilon


def set_epsilon(value: float) -> None:
    """Set the small number that keeps divisions from 0."""
    chosen.epsilon = float(value)


def image_data_format() -> str:
    """Return where images have their channels, "channels_last" at first."""
    return chosen.image_data_format


def set_image_data_format(data_format: str) -> None:
    """Set where images have their channels, "channels_last" or "channels_first".

    Layers that are made from here on have them there. InvalidArgumentError is raised for other
    words.
    """
    if data_format not in {"channels_last", "channels_first"}:
        raise InvalidArgumentError(
            f"Unknown data_format: {data_format!r}; it is 'channels_last' or 'channels_first'"
        )
    chosen.image_data_format = data_format
