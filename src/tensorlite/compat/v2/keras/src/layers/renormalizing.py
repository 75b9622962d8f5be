"""Batch renormalization: in training, batches are corrected towards what is seen over many.

The layer is in normalization.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError

_LIMITS = ("rmax", "rmin", "dmax")


class Renormalization:
    """What a layer keeps for it, and the corrections that it makes of them."""

    def __init__(self, limits: Mapping[str, float] | None, momentum: float) -> None:
        self.limits, self.momentum = dict(limits or {}), momentum
        most, least, apart = [self.limits.get(name) for name in _LIMITS]
        if set(self.limits) - set(_LIMITS):
            raise InvalidArgumentError(
                "Received invalid keys for `renorm_clipping` argument: "
                f"{limits}. Supported values: {list(_LIMITS)}."
            )
        if most is not None and least is not None and most < least:
            raise InvalidArgumentError(
                "rmax should be greater than rmin in the `renorm_clipping` argument. Received: "
                f"rmax={most}, rmin={least}."
            )
        if apart is not None and apart < 0:
            raise InvalidArgumentError(
                "dmax should be non-negative in the `renorm_clipping` argument. Received: "
                f"dmax={apart}."
            )

    def build(self, layer: Any, sizes: Any) -> None:
        """Let a layer have the averages."""

        def spread(*args: Any, **kwargs: Any) -> Any:
            return tl.sqrt(layer.moving_variance_initializer(*args, **kwargs))

        firsts = {
            "moving_stddev": spread,
            "renorm_mean": layer.moving_mean_initializer,
            "renorm_stddev": spread,
        }
        for name, first in firsts.items():
            made = layer.add_weight(
                name, sizes, initializer=first, trainable=False, autocast=False
            )
            setattr(layer, name, made)

    def corrections(self, layer: Any, mean: Any, variance: Any) -> tuple[Any, Any]:
        """Return by what normalized values are multiplied, and what is added then."""
        least = layer.epsilon**0.5
        spread = tl.maximum(layer.renorm_stddev.value(), least)
        scale = tl.sqrt(variance + layer.epsilon) / spread
        shift = (mean - layer.renorm_mean.value()) / spread
        limits = self.limits
        if limits.get("rmin") is not None:
            scale = tl.maximum(scale, limits["rmin"])
        if limits.get("rmax") is not None:
            scale = tl.minimum(scale, limits["rmax"])
        if limits.get("dmax") is not None:
            shift = tl.clip(shift, -limits["dmax"], limits["dmax"])
        return tl.stop_gradient(scale), tl.stop_gradient(shift)

    def move(self, layer: Any, mean: Any, variance: Any) -> None:
        """Let the averages follow a batch."""
        stddev = tl.sqrt(variance + layer.epsilon)
        follows = [
            (layer.renorm_mean, mean, self.momentum),
            (layer.renorm_stddev, stddev, self.momentum),
            (layer.moving_mean, mean, layer.momentum),
            (layer.moving_stddev, stddev, layer.momentum),
        ]
        for held, now, momentum in follows:
            after = held.value() * momentum + now * (1.0 - momentum)
            layer.add_update(held.assign(after))
            if held is layer.moving_stddev:
                squared = tl.square(after) - layer.epsilon
                layer.add_update(layer.moving_variance.assign(squared))
