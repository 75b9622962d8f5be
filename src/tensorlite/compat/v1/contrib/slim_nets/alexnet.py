"""tf.contrib.slim.nets.alexnet: AlexNet's second version, http://arxiv.org/abs/1404.5997."""

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
from tensorlite.compat.v1.functions.init_ops import Constant

__all__ = ["alexnet_v2", "alexnet_v2_arg_scope"]


def __dir__() -> list[str]:
    return sorted(__all__)


_POOL = (3, 2)


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """Return the defaults of layers' arguments in an AlexNet."""
    return defaults(weight_decay, "VALID", Constant(0.1))


def alexnet_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "alexnet_v2",
) -> Made:
    """Return logits [batch, num_classes] of images [batch, 224, 224, channels], and what led there.

    Without spatial_squeeze logits are [batch, height, width, num_classes], of images of any size.
    """
    end = End(5, (4096, 4096), num_classes, is_training, dropout_keep_prob)
    logits = beginning_small(_features, end)
    return network(inputs, scope, "alexnet_v2", logits, spatial_squeeze)


vars(alexnet_v2)["default_image_size"] = 224


def _features(net: Any) -> Any:
    net = layers.conv2d(net, 64, [11, 11], 4, padding="VALID", scope="conv1")
    net = pooled(net, _POOL, "pool1")
    net = layers.conv2d(net, 192, [5, 5], scope="conv2")
    net = pooled(net, _POOL, "pool2")
    for number, width in ((3, 384), (4, 384), (5, 256)):
        net = layers.conv2d(net, width, [3, 3], scope=f"conv{number}")
    return pooled(net, _POOL, "pool5")
