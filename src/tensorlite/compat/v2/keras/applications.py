"""tf.keras.applications: models with trained weights, none of which are here."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.core.errors import NotFoundError


def __getattr__(name: str) -> Any:
    """Return what says that there are no trained weights, under the name of any model."""
    if not name[0].isupper():
        raise attribute_error(__name__, name, ())

    def absent(*args: Any, **kwargs: Any) -> Any:
        raise NotFoundError(
            f"keras.applications.{name}: no model with trained weights is served, and none is "
            "downloaded; build it of keras.layers, and load weights from a checkpoint"
        )

    return absent
