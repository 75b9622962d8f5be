"""tf.raw_ops: every operator that TensorFlow has and this library knows, called with keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.views import in_graph, plain
from tensorlite.interop.tensorflow.operators import adapter_of
from tensorlite.interop.tensorflow.raw import raw_call


def __getattr__(name: str) -> Callable[..., Any]:
    """Return an operator as a function of keywords."""
    if name.startswith("_") or adapter_of(name) is None:
        raise attribute_error(__name__, name, ())

    def called(**arguments: Any) -> Any:
        title = arguments.pop("name", None)
        return in_graph(lambda: raw_call(name, plain(arguments)), name, title)

    called.__name__ = called.__qualname__ = name
    return called
