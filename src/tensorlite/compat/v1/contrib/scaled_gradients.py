"""scale_gradient of tf.contrib.layers: what flows back through a tensor, made more or less."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.python import custom_gradient
from tensorlite.compat.v1.graphs import framework


def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    """Return a tensor as it is; what flows back through it is times gradient_multiplier."""
    return _scaled(*map(framework.convert_to_tensor, (inputs, gradient_multiplier)))


@custom_gradient
def _scaled(x: Any, multiplier: Any) -> Any:
    return arrays.identity(x), lambda dy: (dy * multiplier, None)
