"""tf.contrib.slim.nets.vgg: the networks of http://arxiv.org/abs/1409.1556."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.documenting import explained
from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope
from tensorlite.compat.v1.contrib.slim_nets.one_path import (
    End,
    Made,
    defaults,
    network,
    pooled,
)

__all__ = ["vgg_16", "vgg_19", "vgg_a", "vgg_arg_scope", "vgg_d", "vgg_e"]


def __dir__() -> list[str]:
    return sorted(__all__)


_WIDTHS = (64, 128, 256, 512, 512)


def vgg_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """Return the defaults of layers' arguments in these networks."""
    return defaults(weight_decay, None)


def _of(name: str, repeated: tuple[int, ...]) -> Callable[..., Made]:
    """Return the function that builds a network: how often the convolution of each width comes."""

    def features(net: Any) -> Any:
        for number, (times, width) in enumerate(
            zip(repeated, _WIDTHS, strict=True), 1
        ):
            net = layers.repeat(
                net, times, layers.conv2d, width, [3, 3], scope=f"conv{number}"
            )
            net = pooled(net, (2, 2), f"pool{number}")
        return net

    def vgg(
        inputs: Any,
        num_classes: int = 1000,
        is_training: Any = True,
        dropout_keep_prob: float = 0.5,
        spatial_squeeze: bool = True,
        scope: Any = name,
    ) -> Made:
        end = End(7, (4096, 4096), num_classes, is_training, dropout_keep_prob)
        return network(
            inputs,
            scope,
            name,
            lambda x: end.of(features(x)),
            spatial_squeeze,
            by_name_scope=name
            != "vgg_19",  # just this one TensorFlow calls by its scope
        )

    vars(vgg)["default_image_size"] = 224
    what = (
        "Return logits [batch, num_classes] of images [batch, 224, 224, channels], "
        "and what led there."
    )
    return explained(vgg, name, what)


vgg_a = _of("vgg_a", (1, 1, 2, 2, 2))
vgg_16 = vgg_d = _of("vgg_16", (2, 2, 3, 3, 3))
vgg_19 = vgg_e = _of("vgg_19", (2, 2, 4, 4, 4))
