"""tf.contrib.autograph: what converts Python's control flow."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.autograph import (
    Feature,
    do_not_convert,
    set_loop_options,
    to_code,
    to_graph,
)

__all__ = [
    "Feature",
    "do_not_convert",
    "set_loop_options",
    "to_code",
    "to_graph",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
