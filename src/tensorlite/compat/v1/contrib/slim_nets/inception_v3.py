"""tf.contrib.slim.nets.inception's third version, http://arxiv.org/abs/1512.00567."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope, arg_scope
from tensorlite.compat.v1.contrib.slim_nets.inception_tables import (
    Builder,
    Made,
    check_endpoint,
    convolving,
    fitting_window,
    normalizing,
    thinned,
)
from tensorlite.compat.v1.contrib.slim_nets.inception_v2 import ended
from tensorlite.compat.v1.functions.arrays import squeeze
from tensorlite.compat.v1.functions.init_ops import TruncatedNormal
from tensorlite.compat.v1.graphs.scopes import variable_scope
from tensorlite.graph_mode.keys import GraphKeys

_BEGIN = """
Conv2d_1a_3x3 32 /2
Conv2d_2a_3x3 32
Conv2d_2b_3x3 64 same
MaxPool_3a_3x3 /2
Conv2d_3b_1x1 80
Conv2d_4a_3x3 192
MaxPool_5a_3x3 /2
"""

_WITH_5X5 = (
    "{}: Conv2d_0a_1x1 64 | Conv2d_{}_1x1 48, {}_5x5 64 "
    "| Conv2d_0a_1x1 64, Conv2d_0b_3x3 96, Conv2d_0c_3x3 96 "
    "| AvgPool_0a_3x3, Conv2d_0b_1x1 {}"
)
_WITH_7X7 = (
    "{0}: Conv2d_0a_1x1 192 "
    "| Conv2d_0a_1x1 {1}, Conv2d_0b_1x7 {1}, Conv2d_0c_7x1 192 "
    "| Conv2d_0a_1x1 {1}, Conv2d_0b_7x1 {1}, Conv2d_0c_1x7 {1}, Conv2d_0d_7x1 {1}, "
    "Conv2d_0e_1x7 192 | AvgPool_0a_3x3, Conv2d_0b_1x1 192"
)
_WIDER = (
    "{}: Conv2d_0a_1x1 320 "
    "| Conv2d_0a_1x1 384, Conv2d_0b_1x3 384 + Conv2d_{}_3x1 384 "
    "| Conv2d_0a_1x1 448, Conv2d_0b_3x3 384, Conv2d_0c_1x3 384 + Conv2d_0d_3x1 384 "
    "| AvgPool_0a_3x3, Conv2d_0b_1x1 192"
)

_SMALLER_6A = (
    "Mixed_6a: Conv2d_1a_1x1 384 /2 valid is 3x3 | Conv2d_0a_1x1 64, "
    "Conv2d_0b_3x3 96, Conv2d_1a_1x1 96 /2 valid is 3x3 | MaxPool_1a_3x3 /2 valid"
)
_SMALLER_7A = (
    "Mixed_7a: Conv2d_0a_1x1 192, Conv2d_1a_3x3 320 /2 valid | Conv2d_0a_1x1 192, "
    "Conv2d_0b_1x7 192, Conv2d_0c_7x1 192, Conv2d_1a_3x3 192 /2 valid "
    "| MaxPool_1a_3x3 /2 valid"
)

_BLOCKS = "\n".join(
    [
        _WITH_5X5.format("Mixed_5b", "0a", "Conv2d_0b", 32),
        _WITH_5X5.format("Mixed_5c", "0b", "Conv_1_0c", 64),
        _WITH_5X5.format("Mixed_5d", "0a", "Conv2d_0b", 64),
        _SMALLER_6A,
        _WITH_7X7.format("Mixed_6b", 128),
        _WITH_7X7.format("Mixed_6c", 160),
        _WITH_7X7.format("Mixed_6d", 160),
        _WITH_7X7.format("Mixed_6e", 192),
        _SMALLER_7A,
        _WIDER.format("Mixed_7b", "0b"),
        _WIDER.format("Mixed_7c", "0c"),
    ]
)

_KINDS = [layers.conv2d, layers.max_pool2d, layers.avg_pool2d]


def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> Made:
    """Return what the layer called final_endpoint makes of images, and what each before it makes.

    depth_multiplier makes layers thinner, down to min_depth. InvalidArgumentError for one of 0 or
    less, and for a name that no layer has.
    """
    check_endpoint(final_endpoint, _BEGIN, _BLOCKS)
    made: dict[str, Any] = {}
    builder = Builder(thinned(depth_multiplier, min_depth))
    with variable_scope(scope, "InceptionV3", [inputs]):
        with arg_scope(_KINDS, stride=1, padding="VALID"):
            is_there = builder.built(inputs, _BEGIN, final_endpoint, made)
        with arg_scope(_KINDS, stride=1, padding="SAME"):
            net = made.get("MaxPool_5a_3x3")
            if not is_there:
                builder.built(net, _BLOCKS, final_endpoint, made)
    return made[final_endpoint], made


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = layers.softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV3",
) -> Made:
    """Return logits [batch, num_classes] of images [batch, 299, 299, channels], and what led there.

    Among these are AuxLogits, of a layer in the middle. Without spatial_squeeze logits are
    [batch, height, width, num_classes]. depth_multiplier makes layers thinner, down to min_depth;
    InvalidArgumentError for one of 0 or less.
    """
    depth = thinned(depth_multiplier, min_depth)
    modal = [layers.batch_norm, layers.dropout]
    with (
        variable_scope(scope, "InceptionV3", [inputs], reuse=reuse) as opened,
        arg_scope(modal, is_training=is_training),
    ):
        net, made = inception_v3_base(
            inputs,
            scope=opened,
            min_depth=min_depth,
            depth_multiplier=depth_multiplier,
        )
        with variable_scope("AuxLogits"):
            beside = _beside(made["Mixed_6e"], num_classes, depth)
            made["AuxLogits"] = _flat(beside, spatial_squeeze)
        with variable_scope("Logits"):
            logits, made["PreLogits"] = ended(net, num_classes, dropout_keep_prob, 8)
            logits = _flat(logits, spatial_squeeze)
        made["Logits"] = logits
        made["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, made


vars(inception_v3)["default_image_size"] = 299


def _flat(logits: Any, spatial_squeeze: bool) -> Any:
    return squeeze(logits, [1, 2], "SpatialSqueeze") if spatial_squeeze else logits


def _beside(net: Any, num_classes: int, depth: Callable[[int], int]) -> Any:
    """Return the logits of a layer in the middle."""
    with arg_scope(_KINDS, stride=1, padding="SAME"):
        net = layers.avg_pool2d(
            net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5"
        )
        net = layers.conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        high, wide = size = fitting_window(net, 5)
        net = layers.conv2d(
            net,
            depth(768),
            size,
            weights_initializer=TruncatedNormal(0.0, 0.01),
            padding="VALID",
            scope=f"Conv2d_2a_{high}x{wide}",
        )
        return layers.conv2d(
            net,
            num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            weights_initializer=TruncatedNormal(0.0, 0.001),
            scope="Conv2d_2b_1x1",
        )


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Scope:
    """Return the defaults of layers' arguments in the network."""
    given = normalizing(
        batch_norm_var_collection,
        batch_norm_decay,
        batch_norm_epsilon,
        updates_collections,
    )
    return convolving(weight_decay, {**given, "fused": use_fused_batchnorm})
