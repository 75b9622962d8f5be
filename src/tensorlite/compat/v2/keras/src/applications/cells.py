"""The layers of keras.applications' ResNetV2, NASNet and ConvNeXt, with Keras' names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.v2.keras import initializers, layers, ops, random
from tensorlite.compat.v2.keras.models import Sequential
from tensorlite.compat.v2.keras.src.applications.parts import (
    Begun,
    border,
    files,
    kernels,
    named,
    normal,
)
from tensorlite.compat.v2.keras.src.layers.base import Layer

_DEPTHS = {
    "resnet50v2": (3, 4, 6, 3),
    "resnet101v2": (3, 4, 23, 3),
    "resnet152v2": (3, 8, 36, 3),
}


def resnet_v2(title: str, *args: Any, **given: Any) -> Any:
    """Return ResNet50V2, 101V2 or 152V2, by its title (He et al., 2016, Identity mappings).

    Further arguments are those of all models: include_top, weights, input_tensor, input_shape,
    pooling, classes, classifier_activation, name.
    """
    begun = Begun(title, named(args, given), files=kernels("resnet", title))
    x = layers.ZeroPadding2D(((3, 3), (3, 3)), name="conv1_pad")(begun.input)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    x = layers.ZeroPadding2D(((1, 1), (1, 1)), name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for stage, depth in enumerate(_DEPTHS[title], 2):
        for block in range(1, depth + 1):
            step = 2 if block == depth and stage < 5 else 1
            name = f"conv{stage}_block{block}"
            x = _residual(x, 2 ** (stage + 4), step, block == 1, name)
    x = layers.Activation("relu", name="post_relu")(normal(x, "post_bn"))
    return begun.ended(x, begun.classes_of)


def _residual(x: Any, filters: int, step: int, widens: bool, name: str) -> Any:
    made = normal(x, f"{name}_preact_bn")
    made = layers.Activation("relu", name=f"{name}_preact_relu")(made)
    if widens:
        side = layers.Conv2D(4 * filters, 1, strides=step, name=f"{name}_0_conv")
        kept = side(made)
    else:
        kept = layers.MaxPooling2D(1, strides=step)(x) if step > 1 else x
    made = layers.Conv2D(filters, 1, use_bias=False, name=f"{name}_1_conv")(made)
    made = normal(made, f"{name}_1_bn")
    made = layers.Activation("relu", name=f"{name}_1_relu")(made)
    made = layers.ZeroPadding2D(((1, 1), (1, 1)), name=f"{name}_2_pad")(made)
    middle = layers.Conv2D(
        filters, 3, strides=step, use_bias=False, name=f"{name}_2_conv"
    )
    made = normal(middle(made), f"{name}_2_bn")
    made = layers.Activation("relu", name=f"{name}_2_relu")(made)
    made = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(made)
    return layers.Add(name=f"{name}_out")([kept, made])


_NASNETS = {"mobile": (1056, 4, 32, False, 224), "large": (4032, 6, 96, True, 331)}
"""Filters at the end, cells in a row, filters at the start, whether narrowing is skipped, size."""


def nasnet(
    kind: str,
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: Any = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
    name: str | None = None,
) -> Any:
    """Return the mobile or the large NASNet (Zoph et al., 2017)."""
    last, count, first, skips, size = _NASNETS[kind]
    given = {
        "include_top": include_top,
        "weights": weights,
        "input_tensor": input_tensor,
        "input_shape": input_shape,
        "pooling": pooling,
        "classes": classes,
        "classifier_activation": classifier_activation,
        "name": name,
    }
    trained = files("nasnet", f"NASNet-{kind}", "-no-top")
    begun = Begun(f"nasnet_{kind}", given, size, trained)
    stem = layers.Conv2D(
        first,
        3,
        strides=2,
        use_bias=False,
        name="stem_conv1",
        kernel_initializer="he_normal",
    )
    x, filters = _steady(stem(begun.input), "stem_bn1"), last // 24
    x, before = _narrowed(x, None, filters // 4, "stem_1")
    x, before = _narrowed(x, before, filters // 2, "stem_2")
    for row in range(3):
        if row:
            own = f"reduce_{row * count}"
            x, found = _narrowed(x, before, filters * 2**row, own)
            before = before if skips else found
        start = row * count + (1 if row else 0)
        for i in range(start, start + count):
            x, before = _same(x, before, filters * 2**row, f"{i}")
    x = layers.Activation("relu")(x)

    def classify(x: Any) -> Any:
        return begun.predicted(layers.GlobalAveragePooling2D()(x))

    return begun.ended(x, classify, are_named=False)


def _steady(x: Any, name: str) -> Any:
    return normal(x, name, 1e-3, 0.9997)


def _point(x: Any, filters: int, name: str) -> Any:
    kind = layers.Conv2D(
        filters,
        1,
        padding="same",
        use_bias=False,
        kernel_initializer="he_normal",
        name=name,
    )
    return kind(x)


def _twice(x: Any, filters: int, size: int, step: int, name: str) -> Any:
    x = layers.Activation("relu")(x)
    if step == 2:
        zeros = border(x, size)
        x = layers.ZeroPadding2D(zeros, name=f"separable_conv_1_pad_{name}")(x)
    for i in (1, 2):
        if i == 2:
            x = layers.Activation("relu")(x)
        kind = layers.SeparableConv2D(
            filters,
            size,
            strides=step if i == 1 else 1,
            padding="valid" if step == 2 and i == 1 else "same",
            use_bias=False,
            name=f"separable_conv_{i}_{name}",
        )
        x = _steady(kind(x), f"separable_conv_{i}_bn_{name}")
    return x


def _fitting(before: Any, x: Any, filters: int, name: str) -> Any:
    """Return what was two cells before, in the size and with the filters of this one."""
    if before is None:
        return x
    if before.shape[-2] != x.shape[-2]:
        first = layers.Activation("relu", name=f"adjust_relu_1_{name}")(before)
        moved = layers.ZeroPadding2D(((0, 1), (0, 1)))(first)
        moved = layers.Cropping2D(((1, 0), (1, 0)))(moved)
        halves = []
        for i, half in enumerate((first, moved), 1):
            pool = layers.AveragePooling2D(
                1, strides=2, name=f"adjust_avg_pool_{i}_{name}"
            )
            halves.append(_point(pool(half), filters // 2, f"adjust_conv_{i}_{name}"))
        return _steady(layers.Concatenate()(halves), f"adjust_bn_{name}")
    if before.shape[-1] != filters:
        made = layers.Activation("relu")(before)
        made = _point(made, filters, f"adjust_conv_projection_{name}")
        return _steady(made, f"adjust_bn_{name}")
    return before


def _begun_cell(
    x: Any, before: Any, filters: int, name: str, kind: str
) -> tuple[Any, Any]:
    before = _fitting(before, x, filters, name)
    h = _point(layers.Activation("relu")(x), filters, f"{kind}_conv_1_{name}")
    return _steady(h, f"{kind}_bn_1_{name}"), before


def _same(x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    """Return what a cell of NASNet-A makes that keeps the size, and what it was given."""
    h, p = _begun_cell(x, before, filters, name, "normal")

    def mean(x: Any, side: str) -> Any:
        own = f"normal_{side}_{name}"
        return layers.AveragePooling2D(3, strides=1, padding="same", name=own)(x)

    def twice(x: Any, size: int, side: str) -> Any:
        return _twice(x, filters, size, 1, f"normal_{side}_{name}")

    pairs: tuple[Callable[[], list[Any]], ...] = (
        lambda: [twice(h, 5, "left1"), twice(p, 3, "right1")],
        lambda: [twice(p, 5, "left2"), twice(p, 3, "right2")],
        lambda: [mean(h, "left3"), p],
        lambda: [mean(p, "left4"), mean(p, "right4")],
        lambda: [twice(h, 3, "left5"), h],
    )
    made = [
        layers.Add(name=f"normal_add_{i}_{name}")(pair())
        for i, pair in enumerate(pairs, 1)
    ]
    return layers.Concatenate(name=f"normal_concat_{name}")([p, *made]), x


def _narrowed(x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    """Return what a cell of NASNet-A makes that halves the size, and what it was given."""
    h, p = _begun_cell(x, before, filters, name, "reduction")
    padded = layers.ZeroPadding2D(border(h, 3), name=f"reduction_pad_1_{name}")(h)

    def twice(x: Any, size: int, step: int, side: str) -> Any:
        return _twice(x, filters, size, step, f"reduction_{side}_{name}")

    def added(parts: list[Any], mark: str) -> Any:
        return layers.Add(name=f"reduction_{mark}_{name}")(parts)

    def pool(kind: Any, side: str) -> Any:
        return kind(3, strides=2, name=f"reduction_{side}_{name}")(padded)

    first = added([twice(h, 5, 2, "left1"), twice(p, 7, 2, "right1")], "add_1")
    largest = pool(layers.MaxPooling2D, "left2")
    second = added([largest, twice(p, 7, 2, "right2")], "add_2")
    mean = pool(layers.AveragePooling2D, "left3")
    third = added([mean, twice(p, 5, 2, "right3")], "add3")
    own = f"reduction_left4_{name}"
    fourth = layers.AveragePooling2D(3, strides=1, padding="same", name=own)(first)
    fourth = layers.Add()([second, fourth])
    fifth = twice(first, 3, 1, "left4")
    fifth = added([fifth, pool(layers.MaxPooling2D, "right5")], "add4")
    parts = [second, third, fourth, fifth]
    return layers.Concatenate(name=f"reduction_concat_{name}")(parts), x


class StochasticDepth(Layer):
    """Gives zeros for a share of the examples while training, and more of the others."""

    def __init__(self, drop_path_rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.drop_path_rate = drop_path_rate

    def call(self, x: Any, training: Any = None) -> Any:
        if not training:
            return x
        kept = 1 - self.drop_path_rate
        shape = (ops.shape(x)[0], *(1,) * (len(x.shape) - 1))
        return (x / kept) * ops.floor(kept + random.uniform(shape, 0, 1))


class LayerScale(Layer):
    """Gives each filter times a weight, which begins small."""

    def __init__(
        self, init_values: float, projection_dim: int, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.init_values, self.projection_dim = init_values, projection_dim

    def build(self, input_shape: Any) -> None:
        self.gamma = self.add_weight(
            name="gamma",
            shape=(self.projection_dim,),
            initializer=initializers.Constant(self.init_values),
        )

    def call(self, x: Any) -> Any:
        return x * self.gamma


_CONVNEXTS = {
    "tiny": ((3, 3, 9, 3), (96, 192, 384, 768)),
    "small": ((3, 3, 27, 3), (96, 192, 384, 768)),
    "base": ((3, 3, 27, 3), (128, 256, 512, 1024)),
    "large": ((3, 3, 27, 3), (192, 384, 768, 1536)),
    "xlarge": ((3, 3, 27, 3), (256, 512, 1024, 2048)),
}


def convnext(
    kind: str,
    include_top: bool = True,
    include_preprocessing: bool = True,
    *args: Any,
    **given: Any,
) -> Any:
    """Return a ConvNeXt of a size, "tiny" to "xlarge" (Liu et al., 2022).

    include_preprocessing normalises images of 0 ... 255 in the model. Further arguments are those
    of all models.
    """
    name, (depths, sizes) = f"convnext_{kind}", _CONVNEXTS[kind]
    asked = {**named((include_top, *args), given), "include_top": include_top}
    begun = Begun(name, asked, files=files("convnext", name))
    name, x = begun.name, begun.input
    if include_preprocessing and x.shape[-1] == 3:
        means, spreads = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
        first = layers.Normalization(
            mean=[x * 255 for x in means],
            variance=[(x * 255) ** 2 for x in spreads],
            name=f"{name}_prestem_normalization",
        )
        x = first(x)
    starts = _starts(sizes, name)
    for i, (depth, size) in enumerate(zip(depths, sizes, strict=True)):
        x = starts[i](x)
        for j in range(depth):
            x = _next_block(x, size, f"{name}_stage_{i}_block_{j}")

    def classify(x: Any) -> Any:
        x = layers.GlobalAveragePooling2D(name=f"{name}_head_gap")(x)
        own = f"{name}_head_layernorm"
        x = layers.LayerNormalization(epsilon=1e-6, name=own)(x)
        own = f"{name}_head_dense"
        return layers.Dense(begun.classes, activation=begun.last, name=own)(x)

    if not begun.top:
        x, begun.pooling = begun.pooled(x, are_named=False), None
        x = layers.LayerNormalization(epsilon=1e-6)(x)
    return begun.ended(x, classify)


def _starts(sizes: tuple[int, ...], name: str) -> list[Any]:
    """Return what stands before each stage, which makes images smaller."""

    def steady(own: str) -> Any:
        return layers.LayerNormalization(epsilon=1e-6, name=f"{name}_{own}")

    def narrowing(count: int, by: int, own: str) -> Any:
        return layers.Conv2D(count, by, strides=by, name=f"{name}_{own}")

    stem = [narrowing(sizes[0], 4, "stem_conv"), steady("stem_layernorm")]
    made = [Sequential(stem, name=f"{name}_stem")]
    for i, size in enumerate(sizes[1:]):
        parts = [
            steady(f"downsampling_layernorm_{i}"),
            narrowing(size, 2, f"downsampling_conv_{i}"),
        ]
        made.append(Sequential(parts, name=f"{name}_downsampling_block_{i}"))
    return made


def _next_block(x: Any, size: int, name: str) -> Any:
    deep = layers.Conv2D(
        size, 7, padding="same", groups=size, name=f"{name}_depthwise_conv"
    )
    made = layers.LayerNormalization(epsilon=1e-6, name=f"{name}_layernorm")(deep(x))
    made = layers.Dense(4 * size, name=f"{name}_pointwise_conv_1")(made)
    made = layers.Activation("gelu", name=f"{name}_gelu")(made)
    made = layers.Dense(size, name=f"{name}_pointwise_conv_2")(made)
    made = LayerScale(1e-6, size, name=f"{name}_layer_scale")(made)
    return x + layers.Activation("linear", name=f"{name}_identity")(made)
