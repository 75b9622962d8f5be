"""tensorflow.python.debug: programs import it for a flag; its shells are not here."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.errors import UnimplementedError


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Return whether an array of floating numbers has some that are infinite or none.

    >>> has_inf_or_nan(None, np.array([1.0, np.inf])), has_inf_or_nan(None, np.array([1]))
    (True, False)
    """
    array = np.asarray(tensor)
    return array.dtype.kind in "fc" and not bool(np.isfinite(array).all())


class _Shell:
    """A session or a hook around which TensorFlow has a shell or a server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise UnimplementedError(
            f"{type(self).__name__}: there is no shell for runs here. Print what a run gives, "
            "check it with tf.add_check_numerics_ops, or record it with tf.summary"
        )


class LocalCLIDebugWrapperSession(_Shell):
    """A session with a shell."""


class TensorBoardDebugWrapperSession(_Shell):
    """A session that a page shows."""


class DumpingDebugWrapperSession(_Shell):
    """A session that writes all values."""


class LocalCLIDebugHook(_Shell):
    """A hook with a shell."""


class TensorBoardDebugHook(_Shell):
    """A hook that a page shows."""


class DumpingDebugHook(_Shell):
    """A hook that writes all values."""
