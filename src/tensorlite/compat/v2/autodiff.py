"""tf.autodiff: derivatives backward, by tapes, and along a direction."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tapes import GradientTape as GradientTape, filled
from tensorlite.compat.shared.values import UnconnectedGradients
from tensorlite.graph import forward


class ForwardAccumulator(forward.ForwardAccumulator):
    """Derivatives along a direction, with the arguments of TensorFlow."""

    def jvp(
        self,
        primals: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Return the derivatives of primals along the direction, in their structure.

        Those that do not depend on what is watched are None, or zeros with
        UnconnectedGradients.ZERO.
        """
        return filled(super().jvp(primals), primals, unconnected_gradients)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
