"""tf.keras.Input of version 1: arguments in another order."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras import layers


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool = False,
    tensor: Any = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Any:
    """Return a symbolic tensor that models begin with, its shape without the batch.

    batch_shape, or batch_input_shape, has the batch too.

    >>> from tensorlite.compat import v1 as tf
    >>> tf.keras.Input((3,), 2, "given").shape.as_list()
    [2, 3]
    """
    kinds: dict[str, Any] = {"dtype": dtype, "sparse": sparse, "ragged": ragged}
    return layers.Input(
        shape, batch_size, name=name, tensor=tensor, **kinds, **kwargs
    )
