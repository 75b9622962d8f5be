"""tf.contrib.keras: what tf.keras was called before; all of it lives there.

Programs import it by `tensorflow.contrib.keras.api.keras.layers`, too, of which there is no file.
"""

from __future__ import annotations

import sys

from tensorlite.compat.missing import known_names
from tensorlite.compat.module_paths import standing
from tensorlite.compat.v1 import keras

_PACKAGE = __name__.rpartition(".contrib.")[0]

api = standing(f"{__name__}.api", _PACKAGE, "keras")
sys.modules[api.__name__] = api
for _title in known_names():
    _kind, _, _path = _title.partition(".")
    if _kind == "v1" and _path.partition(".")[0] == "keras":
        _name = f"{api.__name__}.{_path}"
        sys.modules[_name] = standing(_name, _PACKAGE, _path)
setattr(api, "keras", sys.modules[f"{api.__name__}.keras"])  # noqa: B010


def __dir__() -> list[str]:
    return dir(keras)


def __getattr__(name: str) -> object:
    """Return what tf.keras has."""
    return getattr(keras, name)
