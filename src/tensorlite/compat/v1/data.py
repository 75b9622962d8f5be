"""tf.data of TensorFlow 1: datasets with iterators that sessions run."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1 import data_experimental
from tensorlite.compat.v1.datasets import *

experimental = data_experimental

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
