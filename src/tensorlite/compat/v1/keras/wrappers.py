"""tf.keras.wrappers: models as other libraries have them."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.keras import scikit_learn as scikit_learn

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, globals())
