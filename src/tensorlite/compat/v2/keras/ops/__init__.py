"""tf.keras.ops: NumPy's functions and those of neural networks, by the names of Keras 3."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.ops import (
    arranging,
    creating,
    elementwise,
    flow,
    imaging,
    linear,
    making,
    neural,
    reductions,
    windows,
)


def _made_in(*parts: ModuleType) -> dict[str, Any]:
    """Return the functions that files of this package are for, by their names."""
    tools = set(map(id, vars(making).values()))
    return {
        name: value
        for part in parts
        for name, value in vars(part).items()
        if not name.startswith("_")
        and id(value) not in tools
        and str(getattr(value, "__module__", "")).startswith(__name__)
    }


_ARRAYS = _made_in(arranging, creating, elementwise, reductions, flow, linear)
_NEURAL = _made_in(neural, windows)
image = SimpleNamespace(**_made_in(imaging))
linalg = SimpleNamespace(
    **{name: value for name, value in _ARRAYS.items() if hasattr(linear, name)}
)
nn = SimpleNamespace(**_NEURAL, moments=reductions.moments)
numpy = SimpleNamespace(**_ARRAYS)
globals().update({**_ARRAYS, **_NEURAL, "custom_gradient": flow.custom_gradient})


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> Any:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
