"""Scales of losses for half precision: `tf.mixed_precision`, and `tf.train.experimental`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.training.loss_scales import *

__dir__ = listing("v1.train.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v1.train.experimental", name, globals())
