"""tf.contrib.util: what is known of tensors as a graph is made."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tensor_messages import make_ndarray, make_tensor_proto
from tensorlite.compat.shared.values import constant_value

__all__ = ["constant_value", "make_ndarray", "make_tensor_proto"]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
