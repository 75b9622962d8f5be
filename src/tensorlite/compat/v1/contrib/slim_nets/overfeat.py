"""tf.contrib.slim.nets.overfeat: OverFeat, http://arxiv.org/abs/1312.6229."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope
from tensorlite.compat.v1.contrib.slim_nets.one_path import (
    End,
    Made,
    beginning_small,
    defaults,
    network,
    pooled,
)

__all__ = ["overfeat", "overfeat_arg_scope"]


def __dir__() -> list[str]:
    return sorted(__all__)


_POOL = (2, 2)


def overfeat_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """Return the defaults of layers' arguments in OverFeat."""
    return defaults(weight_decay, "VALID")


def overfeat(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "overfeat",
) -> Made:
    """Return logits [batch, num_classes] of images [batch, 231, 231, channels], and what led there.

    Without spatial_squeeze logits are [batch, height, width, num_classes], of images of any size.
    """
    end = End(6, (3072, 4096), num_classes, is_training, dropout_keep_prob)
    logits = beginning_small(_features, end)
    return network(
        inputs, scope, "overfeat", logits, spatial_squeeze, by_name_scope=False
    )


vars(overfeat)["default_image_size"] = 231


def _features(net: Any) -> Any:
    net = layers.conv2d(net, 64, [11, 11], 4, padding="VALID", scope="conv1")
    net = pooled(net, _POOL, "pool1")
    net = layers.conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
    net = pooled(net, _POOL, "pool2")
    for number, width in ((3, 512), (4, 1024), (5, 1024)):
        net = layers.conv2d(net, width, [3, 3], scope=f"conv{number}")
    return pooled(net, _POOL, "pool5")
