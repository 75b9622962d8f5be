"""tf.contrib.slim.nets.inception's second version, http://arxiv.org/abs/1502.03167."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope, arg_scope
from tensorlite.compat.v1.contrib.slim_nets.inception_tables import (
    Builder,
    Layer,
    Made,
    check_endpoint,
    convolving,
    fitting_window,
    normalizing,
    thinned,
)
from tensorlite.compat.v1.functions.arrays import squeeze
from tensorlite.compat.v1.functions.init_ops import TruncatedNormal
from tensorlite.compat.v1.graphs.scopes import variable_scope

_BLOCK = (
    "{}: Conv2d_0a_1x1 {} | Conv2d_0a_1x1 {}, Conv2d_0b_3x3 {} "
    "| Conv2d_0a_1x1 {}, Conv2d_0b_3x3 {}, Conv2d_0c_3x3 {} "
    "| {}Pool_0a_3x3, Conv2d_0b_1x1 {}"
)
_SMALLER = (
    "{}: Conv2d_0a_1x1 {}, Conv2d_1a_3x3 {} /2 "
    "| Conv2d_0a_1x1 {}, Conv2d_0b_3x3 {}, Conv2d_1a_3x3 {} /2 | MaxPool_1a_3x3 /2"
)

_LONG = _BLOCK.count("{}")
_WIDTHS = """
Mixed_3b 64 64 64 64 96 96 Avg 32
Mixed_3c 64 64 96 64 96 96 Avg 64
Mixed_4a 128 160 64 96 96
Mixed_4b 224 64 96 96 128 128 Avg 128
Mixed_4c 192 96 128 96 128 128 Avg 128
Mixed_4d 160 128 160 128 160 160 Avg 96
Mixed_4e 96 128 192 160 192 192 Avg 96
Mixed_5a 128 192 192 256 256
Mixed_5b 352 192 320 160 224 224 Avg 128
Mixed_5c 352 192 320 192 224 224 Max 128
""".strip()

_TABLE = "\n".join(
    [
        "MaxPool_2a_3x3 /2",
        "Conv2d_2b_1x1 64",
        "Conv2d_2c_3x3 192",
        "MaxPool_3a_3x3 /2",
        *(
            (_BLOCK if len(words) == _LONG else _SMALLER).format(*words)
            for words in map(str.split, _WIDTHS.splitlines())
        ),
    ]
)


def _deviation(layer: Layer, before: Layer | None, is_followed: bool) -> float | None:
    if layer.name == "Conv2d_2b_1x1" or (before is not None and before.is_pool):
        return 0.1
    return 0.09 if layer.window == (1, 1) and is_followed else None


def inception_v2_base(
    inputs: Any,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> Made:
    """Return what the layer called final_endpoint makes of images, and what each before it makes.

    depth_multiplier makes layers thinner, down to min_depth. InvalidArgumentError for one of 0 or
    less, and for a name that no layer has.
    """
    check_endpoint(final_endpoint, "Conv2d_1a_7x7", _TABLE)
    depth = thinned(depth_multiplier, min_depth)
    kinds = [
        layers.conv2d,
        layers.max_pool2d,
        layers.avg_pool2d,
        layers.separable_conv2d,
    ]
    with (
        variable_scope(scope, "InceptionV2", [inputs]),
        arg_scope(kinds, stride=1, padding="SAME"),
    ):
        net = layers.separable_conv2d(
            inputs,
            depth(64),
            [7, 7],
            depth_multiplier=min(int(depth(64) / 3), 8),
            stride=2,
            weights_initializer=TruncatedNormal(0.0, 1.0),
            scope="Conv2d_1a_7x7",
        )
        made = {"Conv2d_1a_7x7": net}
        if final_endpoint not in made:
            Builder(depth, _deviation).built(net, _TABLE, final_endpoint, made)
    return made[final_endpoint], made


def inception_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = layers.softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV2",
) -> Made:
    """Return logits [batch, num_classes] of images [batch, 224, 224, channels], and what led there.

    Without spatial_squeeze logits are [batch, height, width, num_classes]. depth_multiplier makes
    layers thinner, down to min_depth; InvalidArgumentError for one of 0 or less.
    """
    thinned(depth_multiplier, min_depth)
    modal = [layers.batch_norm, layers.dropout]
    with (
        variable_scope(scope, "InceptionV2", [inputs], reuse=reuse) as opened,
        arg_scope(modal, is_training=is_training),
    ):
        net, made = inception_v2_base(
            inputs,
            scope=opened,
            min_depth=min_depth,
            depth_multiplier=depth_multiplier,
        )
        with variable_scope("Logits"):
            logits, _ = ended(net, num_classes, dropout_keep_prob, 7)
            if spatial_squeeze:
                logits = squeeze(logits, [1, 2], "SpatialSqueeze")
        made["Logits"] = logits
        made["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, made


vars(inception_v2)["default_image_size"] = 224


def ended(net: Any, num_classes: int, keep_prob: Any, window: int) -> tuple[Any, Any]:
    """Return logits of what the blocks made, and what comes before these."""
    high, wide = size = fitting_window(net, window)
    name = f"AvgPool_1a_{high}x{wide}"
    net = layers.avg_pool2d(net, size, padding="VALID", scope=name)
    net = layers.dropout(net, keep_prob=keep_prob, scope="Dropout_1b")
    plain = {"activation_fn": None, "normalizer_fn": None}
    logits = layers.conv2d(net, num_classes, [1, 1], scope="Conv2d_1c_1x1", **plain)
    return logits, net


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Scope:
    """Return the defaults of layers' arguments in the network."""
    return convolving(weight_decay, normalizing(batch_norm_var_collection))
