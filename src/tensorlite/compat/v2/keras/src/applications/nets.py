"""The layers of keras.applications' models, with Keras' names: VGG, ResNet, MobileNet, DenseNet."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.src.applications.parts import (
    Begun,
    border,
    files,
    kernels,
    named,
    normal,
    whole,
)

_DEPTHS = {
    "vgg16": (2, 2, 3, 3, 3),
    "vgg19": (2, 2, 4, 4, 4),
    "resnet50": (3, 4, 6, 3),
    "resnet101": (3, 4, 23, 3),
    "resnet152": (3, 8, 36, 3),
    "densenet121": (6, 12, 24, 16),
    "densenet169": (6, 12, 32, 32),
    "densenet201": (6, 12, 48, 32),
}


def vgg(title: str, *args: Any, **given: Any) -> Any:
    """Return VGG16 or VGG19, by its title (Simonyan and Zisserman, 2014)."""
    begun = Begun(title, named(args, given), files=kernels(title, title))
    x = begun.input
    sizes = zip(_DEPTHS[title], (64, 128, 256, 512, 512), strict=True)
    for block, (depth, filters) in enumerate(sizes, 1):
        for i in range(1, depth + 1):
            name = f"block{block}_conv{i}"
            x = layers.Conv2D(
                filters, 3, activation="relu", padding="same", name=name
            )(x)
        x = layers.MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)

    def classify(x: Any) -> Any:
        x = layers.Flatten(name="flatten")(x)
        for name in ("fc1", "fc2"):
            x = layers.Dense(4096, activation="relu", name=name)(x)
        return begun.predicted(x)

    return begun.ended(x, classify, are_named=False)


def resnet(title: str, *args: Any, **given: Any) -> Any:
    """Return ResNet50, 101 or 152, by its title (He et al., 2015)."""
    begun = Begun(title, named(args, given), files=kernels("resnet", title))
    x = layers.ZeroPadding2D(((3, 3), (3, 3)), name="conv1_pad")(begun.input)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    x = layers.Activation("relu", name="conv1_relu")(normal(x, "conv1_bn"))
    x = layers.ZeroPadding2D(((1, 1), (1, 1)), name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for stage, depth in enumerate(_DEPTHS[title], 2):
        for block in range(1, depth + 1):
            step = 2 if block == 1 and stage > 2 else 1
            name = f"conv{stage}_block{block}"
            x = _residual(x, 2 ** (stage + 4), step, block == 1, name)
    return begun.ended(x, begun.classes_of)


def _residual(x: Any, filters: int, step: int, widens: bool, name: str) -> Any:
    kept = x
    if widens:
        kept = layers.Conv2D(4 * filters, 1, strides=step, name=f"{name}_0_conv")(x)
        kept = normal(kept, f"{name}_0_bn")
    for i, (size, count) in enumerate(
        ((1, filters), (3, filters), (1, 4 * filters)), 1
    ):
        strides = step if i == 1 else 1
        own = f"{name}_{i}_conv"
        x = layers.Conv2D(count, size, strides=strides, padding="same", name=own)(x)
        x = normal(x, f"{name}_{i}_bn")
        if i < 3:
            x = layers.Activation("relu", name=f"{name}_{i}_relu")(x)
    x = layers.Add(name=f"{name}_add")([kept, x])
    return layers.Activation("relu", name=f"{name}_out")(x)


def densenet(title: str, *args: Any, **given: Any) -> Any:
    """Return DenseNet121, 169 or 201, by its title (Huang et al., 2016)."""
    begun = Begun(title, named(args, given), files=kernels("densenet", title))
    x = layers.ZeroPadding2D(((3, 3), (3, 3)))(begun.input)
    x = layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1_conv")(x)
    x = layers.Activation("relu", name="conv1_relu")(normal(x, "conv1_bn"))
    x = layers.ZeroPadding2D(((1, 1), (1, 1)))(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    depths = _DEPTHS[title]
    for stage, depth in enumerate(depths, 2):
        for block in range(1, depth + 1):
            x = _dense_part(x, f"conv{stage}_block{block}")
        if stage < len(depths) + 1:
            x = _halved(x, f"pool{stage}")
    x = layers.Activation("relu", name="relu")(normal(x, "bn"))
    return begun.ended(x, begun.classes_of)


def _dense_part(x: Any, name: str) -> Any:
    made = layers.Activation("relu", name=f"{name}_0_relu")(normal(x, f"{name}_0_bn"))
    made = layers.Conv2D(128, 1, use_bias=False, name=f"{name}_1_conv")(made)
    made = layers.Activation("relu", name=f"{name}_1_relu")(
        normal(made, f"{name}_1_bn")
    )
    made = layers.Conv2D(
        32, 3, padding="same", use_bias=False, name=f"{name}_2_conv"
    )(made)
    return layers.Concatenate(name=f"{name}_concat")([x, made])


def _halved(x: Any, name: str) -> Any:
    made = layers.Activation("relu", name=f"{name}_relu")(normal(x, f"{name}_bn"))
    count = made.shape[-1] // 2
    made = layers.Conv2D(count, 1, use_bias=False, name=f"{name}_conv")(made)
    return layers.AveragePooling2D(2, strides=2, name=f"{name}_pool")(made)


_SIDES = (128, 160, 192, 224)


def _side_of(shape: Any) -> int:
    """Return the size of the images that weights were trained with."""
    side = shape[0] if shape else None
    return side if side in _SIDES else 224


def _marked(alpha: float) -> str:
    """Return a share of the filters as the names of files have it."""
    return {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}.get(alpha, str(alpha))


def mobilenet(
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 1e-3,
    include_top: bool = True,
    weights: Any = "imagenet",
    **given: Any,
) -> Any:
    """Return MobileNet, of separable convolutions (Howard et al., 2017).

    alpha widens its layers; depth_multiplier is how many outputs a channel has before they are
    mixed; dropout is the share that is dropped before the classes.
    """
    title = f"mobilenet_{alpha:0.2f}_{(input_shape or (224,))[0]}"
    asked = {**given, "input_shape": input_shape, "include_top": include_top}
    name = f"mobilenet_{_marked(alpha)}_{_side_of(input_shape)}_tf"
    begun = Begun(
        title,
        {**asked, "weights": weights},
        files=files("mobilenet", name, "_no_top"),
    )
    x = _pointed(begun.input, int(32 * alpha), 3, 2, "conv1")
    counts = (64, 128, 128, 256, 256, *(512,) * 6, 1024, 1024)
    for i, count in enumerate(counts, 1):
        step = 2 if i in {2, 4, 6, 12} else 1
        x = _deep(x, step, depth_multiplier, f"conv_dw_{i}", "_")
        x = _pointed(x, int(count * alpha), 1, 1, f"conv_pw_{i}")

    def classify(x: Any) -> Any:
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = layers.Conv2D(begun.classes, 1, padding="same", name="conv_preds")(x)
        x = layers.Reshape((begun.classes,), name="reshape_2")(x)
        return layers.Activation(begun.last, name="predictions")(x)

    return begun.ended(x, classify, are_named=False)


def _pointed(x: Any, count: int, size: int, step: int, name: str) -> Any:
    kind = layers.Conv2D(
        count, size, strides=step, padding="same", use_bias=False, name=name
    )
    return layers.ReLU(6.0, name=f"{name}_relu")(normal(kind(x), f"{name}_bn", 1e-3))


def _deep(x: Any, step: int, times: int, name: str, mark: str) -> Any:
    if step == 2:
        x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=name.replace("dw", "pad"))(x)
    kind = layers.DepthwiseConv2D(
        3,
        strides=step,
        padding="valid" if step == 2 else "same",
        depth_multiplier=times,
        use_bias=False,
        name=name,
    )
    return layers.ReLU(6.0, name=f"{name}_relu")(
        normal(kind(x), f"{name}{mark}bn", 1e-3)
    )


_STAGES = (
    *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
    *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
)
"""Of MobileNetV2's stages: how much blocks widen, their filters, how many, the first one's step."""


def mobilenet_v2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    **given: Any,
) -> Any:
    """Return MobileNetV2, of inverted residuals (Sandler et al., 2018); alpha widens its layers."""
    title = f"mobilenetv2_{alpha:0.2f}_{(input_shape or (224,))[0]}"
    asked = {**given, "input_shape": input_shape, "include_top": include_top}
    name = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}"
    trained = files("mobilenet_v2", f"{name}_{_side_of(input_shape)}", "_no_top")
    begun = Begun(title, {**asked, "weights": weights}, files=trained)
    first = layers.Conv2D(
        whole(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="Conv1"
    )
    x = normal(first(begun.input), "bn_Conv1", 1e-3, 0.999)
    x, number = layers.ReLU(6.0, name="Conv1_relu")(x), 0
    for widens, filters, count, step in _STAGES:
        for i in range(count):
            size = whole(int(filters * alpha))
            x = _inverted(x, widens, size, 1 if i else step, number)
            number += 1
    last = whole(1280 * alpha) if alpha > 1 else 1280
    x = layers.Conv2D(last, 1, use_bias=False, name="Conv_1")(x)
    x = normal(x, "Conv_1_bn", 1e-3, 0.999)
    x = layers.ReLU(6.0, name="out_relu")(x)

    def classify(x: Any) -> Any:
        return begun.predicted(layers.GlobalAveragePooling2D()(x))

    return begun.ended(x, classify, are_named=False)


def _inverted(x: Any, widens: int, filters: int, step: int, number: int) -> Any:
    before, kept = x.shape[-1], x
    prefix = f"block_{number}_" if number else "expanded_conv_"
    if number:
        wide = layers.Conv2D(
            widens * before, 1, padding="same", use_bias=False, name=f"{prefix}expand"
        )
        x = normal(wide(x), f"{prefix}expand_BN", 1e-3, 0.999)
        x = layers.ReLU(6.0, name=f"{prefix}expand_relu")(x)
    if step == 2:
        x = layers.ZeroPadding2D(border(x, 3), name=f"{prefix}pad")(x)
    deep = layers.DepthwiseConv2D(
        3,
        strides=step,
        use_bias=False,
        padding="same" if step == 1 else "valid",
        name=f"{prefix}depthwise",
    )
    x = normal(deep(x), f"{prefix}depthwise_BN", 1e-3, 0.999)
    x = layers.ReLU(6.0, name=f"{prefix}depthwise_relu")(x)
    last = layers.Conv2D(
        filters, 1, padding="same", use_bias=False, name=f"{prefix}project"
    )
    x = normal(last(x), f"{prefix}project_BN", 1e-3, 0.999)
    if before == filters and step == 1:
        return layers.Add(name=f"{prefix}add")([kept, x])
    return x
