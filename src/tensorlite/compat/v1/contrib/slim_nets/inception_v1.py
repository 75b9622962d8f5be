"""tf.contrib.slim.nets.inception's first version, http://arxiv.org/abs/1409.4842."""

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
    normalizing,
)
from tensorlite.compat.v1.functions.arrays import squeeze
from tensorlite.compat.v1.functions.init_ops import TruncatedNormal
from tensorlite.compat.v1.graphs.scopes import variable_scope

_BLOCK = (
    "{}: Conv2d_0a_1x1 {} | Conv2d_0a_1x1 {}, Conv2d_0b_3x3 {} "
    "| Conv2d_0a_1x1 {}, Conv2d_{}_3x3 {} | MaxPool_0a_3x3, Conv2d_0b_1x1 {}"
)

_WIDTHS = """
Mixed_3b 64 96 128 16 0b 32 32
Mixed_3c 128 128 192 32 0b 96 64
MaxPool_4a_3x3 /2
Mixed_4b 192 96 208 16 0b 48 64
Mixed_4c 160 112 224 24 0b 64 64
Mixed_4d 128 128 256 24 0b 64 64
Mixed_4e 112 144 288 32 0b 64 64
Mixed_4f 256 160 320 32 0b 128 128
MaxPool_5a_2x2 /2
Mixed_5b 256 160 320 32 0a 128 128
Mixed_5c 384 192 384 48 0b 128 128
""".strip()

_TABLE = "\n".join(
    [
        "Conv2d_1a_7x7 64 /2",
        "MaxPool_2a_3x3 /2",
        "Conv2d_2b_1x1 64",
        "Conv2d_2c_3x3 192",
        "MaxPool_3a_3x3 /2",
        *(
            _BLOCK.format(*line.split()) if line.startswith("Mixed") else line
            for line in _WIDTHS.splitlines()
        ),
    ]
)


def inception_v1_base(
    inputs: Any, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> Made:
    """Return what the layer called final_endpoint makes of images, and what each before it makes.

    InvalidArgumentError for a name that no layer has.
    """
    check_endpoint(final_endpoint, _TABLE)
    made: dict[str, Any] = {}
    weighted = [layers.conv2d, layers.fully_connected]
    with (
        variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope(weighted, weights_initializer=TruncatedNormal(0.0, 0.01)),
        arg_scope([layers.conv2d, layers.max_pool2d], stride=1, padding="SAME"),
    ):
        Builder().built(inputs, _TABLE, final_endpoint, made)
    return made[final_endpoint], made


def inception_v1(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable[..., Any] = layers.softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV1",
) -> Made:
    """Return logits [batch, num_classes] of images [batch, 224, 224, channels], and what led there.

    Without spatial_squeeze logits are [batch, 1, 1, num_classes].
    """
    modal = [layers.batch_norm, layers.dropout]
    with (
        variable_scope(scope, "InceptionV1", [inputs], reuse=reuse) as opened,
        arg_scope(modal, is_training=is_training),
    ):
        net, made = inception_v1_base(inputs, scope=opened)
        with variable_scope("Logits"):
            net = layers.avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = layers.dropout(net, dropout_keep_prob, scope="Dropout_0b")
            plain = {"activation_fn": None, "normalizer_fn": None}
            logits = layers.conv2d(
                net, num_classes, [1, 1], scope="Conv2d_0c_1x1", **plain
            )
            if spatial_squeeze:
                logits = squeeze(logits, [1, 2], "SpatialSqueeze")
            made["Logits"] = logits
            made["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, made


vars(inception_v1)["default_image_size"] = 224


def inception_v1_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Scope:
    """Return the defaults of layers' arguments in the network."""
    given = normalizing(batch_norm_var_collection) if use_batch_norm else None
    return convolving(weight_decay, given)
