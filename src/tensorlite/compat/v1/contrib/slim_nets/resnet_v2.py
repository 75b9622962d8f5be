"""tf.contrib.slim.nets.resnet_v2: residual networks, normalised before each convolution.

http://arxiv.org/abs/1603.05027
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.nn import relu
from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    last_dimension,
)
from tensorlite.compat.v1.contrib.slim_nets import resnet_utils
from tensorlite.compat.v1.contrib.slim_nets.resnet_utils import (
    Block,
    Made,
    Whole,
    of_layers,
    resnet_arg_scope,
)
from tensorlite.compat.v1.graphs.scopes import variable_scope

__all__ = [
    "bottleneck",
    "resnet_arg_scope",
    "resnet_v2",
    "resnet_v2_101",
    "resnet_v2_152",
    "resnet_v2_200",
    "resnet_v2_50",
    "resnet_v2_block",
]


def __dir__() -> list[str]:
    return sorted(__all__)


@add_arg_scope
def bottleneck(
    inputs: Any,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Return what a residual unit makes of images: depth channels, through depth_bottleneck."""
    plain: dict[str, Any] = {"normalizer_fn": None, "activation_fn": None}
    with variable_scope(scope, "bottleneck_v2", [inputs]) as opened:
        depth_in = last_dimension(inputs.get_shape(), min_rank=4)
        net = layers.batch_norm(inputs, activation_fn=relu, scope="preact")
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = layers.conv2d(
                net, depth, [1, 1], stride=stride, scope="shortcut", **plain
            )
        net = layers.conv2d(net, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        net = resnet_utils.conv2d_same(
            net, depth_bottleneck, 3, stride, rate=rate, scope="conv2"
        )
        net = layers.conv2d(net, depth, [1, 1], stride=1, scope="conv3", **plain)
        outputs = shortcut + net
        return collect_named_outputs(outputs_collections, opened.name, outputs)


def resnet_v2(
    inputs: Any,
    blocks: Sequence[Block],
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: Any = None,
) -> Made:
    """Return logits of images, features without num_classes, and what was made on the way.

    global_pool takes the mean of each channel; output_stride is how much smaller features are than
    images, which blocks keep by convolving with holes. InvalidArgumentError for what they can't.
    """
    whole = Whole(
        blocks,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block,
    )
    root = {"activation_fn": None, "normalizer_fn": None}
    with variable_scope(scope, "resnet_v2", [inputs], reuse=reuse) as opened:
        return whole.built(inputs, opened, bottleneck, root, _normalized)


def _normalized(net: Any) -> Any:
    return layers.batch_norm(net, activation_fn=relu, scope="postnorm")


vars(resnet_v2)["default_image_size"] = 224


def resnet_v2_block(
    scope: str, base_depth: int, num_units: int, stride: int
) -> Block:
    """Return a block of units, each of 4 * base_depth channels, whose last one has the stride."""
    return resnet_utils.residual_block(
        bottleneck, scope, base_depth, num_units, stride
    )


resnet_v2_50, resnet_v2_101, resnet_v2_152, resnet_v2_200 = (
    of_layers(count, resnet_v2, resnet_v2_block) for count in (50, 101, 152, 200)
)
