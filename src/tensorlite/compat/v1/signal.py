"""Spectra, frames and windows: `tf.signal`."""

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.signal import *


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
