"""The layers of keras.applications' EfficientNets, of both versions, and of MobileNetV3."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

from tensorlite.compat.v2.keras import initializers, layers
from tensorlite.compat.v2.keras.src.applications.parts import (
    Begun,
    border,
    files,
    named,
    normal,
    whole,
)

_SHARES, _SPREADS = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class Stage(NamedTuple):
    """Blocks of one kind: the first has a step, and may have other filters."""

    size: int
    repeats: int
    before: int
    filters: int
    widens: int
    squeezed: float
    step: int
    is_fused: bool = False


_FIRST = tuple(
    Stage(size, count, before, filters, widens, 0.25, step)
    for size, count, before, filters, widens, step in (
        *((3, 1, 32, 16, 1, 1), (3, 2, 16, 24, 6, 2), (5, 2, 24, 40, 6, 2)),
        *((3, 3, 40, 80, 6, 2), (5, 3, 80, 112, 6, 1), (5, 4, 112, 192, 6, 2)),
        (3, 1, 192, 320, 6, 1),
    )
)


def _second(*rows: tuple[int, int, int, int, int]) -> tuple[Stage, ...]:
    """Return stages of EfficientNetV2: count, filters before and behind, widening, step."""
    return tuple(
        Stage(3, count, before, filters, widens, 0 if i < 3 else 0.25, step, i < 3)
        for i, (count, before, filters, widens, step) in enumerate(rows)
    )


_OF_B = _second(
    *((1, 32, 16, 1, 1), (2, 16, 32, 4, 2), (2, 32, 48, 4, 2)),
    *((3, 48, 96, 4, 2), (5, 96, 112, 6, 1), (8, 112, 192, 6, 2)),
)
_STAGES = {
    **dict.fromkeys(("b0", "b1", "b2", "b3"), _OF_B),
    "s": _second(
        *((2, 24, 24, 1, 1), (4, 24, 48, 4, 2), (4, 48, 64, 4, 2)),
        *((6, 64, 128, 4, 2), (9, 128, 160, 6, 1), (15, 160, 256, 6, 2)),
    ),
    "m": _second(
        *((3, 24, 24, 1, 1), (5, 24, 48, 4, 2), (5, 48, 80, 4, 2)),
        *((7, 80, 160, 4, 2), (14, 160, 176, 6, 1), (18, 176, 304, 6, 2)),
        (5, 304, 512, 6, 1),
    ),
    "l": _second(
        *((4, 32, 32, 1, 1), (7, 32, 64, 4, 2), (7, 64, 96, 4, 2)),
        *((10, 96, 192, 4, 2), (19, 192, 224, 6, 1), (25, 224, 384, 6, 2)),
        (7, 384, 640, 6, 1),
    ),
}
_SIZES: dict[str, tuple[float, float, int, float]] = {
    "b0": (1.0, 1.0, 224, 0.2),
    "b1": (1.0, 1.1, 240, 0.2),
    "b2": (1.1, 1.2, 260, 0.3),
    "b3": (1.2, 1.4, 300, 0.3),
    "b4": (1.4, 1.8, 380, 0.4),
    "b5": (1.6, 2.2, 456, 0.4),
    "b6": (1.8, 2.6, 528, 0.5),
    "b7": (2.0, 3.1, 600, 0.5),
    "s": (1.0, 1.0, 384, 0.2),
    "m": (1.0, 1.0, 480, 0.2),
    "l": (1.0, 1.0, 480, 0.2),
}
"""How much wider and deeper than the first of its kind, the images' size, what is dropped."""


def _spread() -> Any:
    return initializers.VarianceScaling(2.0, "fan_out", "truncated_normal")


class _Blocks:
    """Makes blocks of an EfficientNet, whose versions differ in few things."""

    def __init__(self, version: int, variant: str) -> None:
        self.version = version
        self.momentum = 0.99 if version == 1 else 0.9
        self.width, self.depth, self.size, self.dropped = _SIZES[variant]
        self.stages = _FIRST if version == 1 else _STAGES[variant]

    def filters(self, count: float) -> int:
        wide = count * self.width
        if self.version == 1:
            return int(whole(wide))
        return max(8, int(wide + 4) // 8 * 8)

    def convolved(
        self, x: Any, count: int, size: int, name: str, step: int = 1, **given: Any
    ) -> Any:
        kind = layers.Conv2D(
            count,
            size,
            strides=step,
            padding=given.pop("padding", "same"),
            use_bias=given.pop("use_bias", False),
            kernel_initializer=_spread(),
            name=name,
            **given,
        )
        return kind(x)

    def normal(self, x: Any, name: str) -> Any:
        return normal(x, name, 1e-3, self.momentum)

    def active(self, x: Any, name: str) -> Any:
        return layers.Activation("swish", name=name)(x)

    def all(self, x: Any) -> Any:
        counts = [math.ceil(self.depth * stage.repeats) for stage in self.stages]
        told = [x.repeats for x in self.stages] if self.version == 2 else counts
        number = 0
        for i, (stage, count) in enumerate(zip(self.stages, counts, strict=True), 1):
            before, filters = self.filters(stage.before), self.filters(stage.filters)
            for j in range(count):
                own = stage._replace(before=before, filters=filters)
                rate = 0.2 * number / sum(told)
                x = self.block(x, own, rate, f"block{i}{chr(j + 97)}_")
                stage, before = stage._replace(step=1), filters  # noqa: PLW2901
                number += 1
        return x

    def block(self, x: Any, stage: Stage, rate: float, name: str) -> Any:
        kept, wide = x, stage.before * stage.widens
        if stage.widens != 1:
            size, step = (3, stage.step) if stage.is_fused else (1, 1)
            x = self.convolved(x, wide, size, f"{name}expand_conv", step)
            x = self.normal(x, f"{name}expand_bn")
            x = self.active(x, f"{name}expand_activation")
        if not stage.is_fused:
            x = self.deep(x, stage, name)
            x = self.active(self.normal(x, f"{name}bn"), f"{name}activation")
        if stage.squeezed:
            x = self.squeezed(x, wide, max(1, int(stage.before / 4)), name)
        x = self.projected(x, stage, name)
        if stage.step != 1 or stage.before != stage.filters:
            return x
        if rate > 0:
            drop = layers.Dropout(
                rate, noise_shape=(None, 1, 1, 1), name=f"{name}drop"
            )
            x = drop(x)
        return layers.Add(name=f"{name}add")([x, kept])

    def deep(self, x: Any, stage: Stage, name: str) -> Any:
        pads = self.version == 1 and stage.step == 2
        if pads:
            zeros = border(x, stage.size)
            x = layers.ZeroPadding2D(zeros, name=f"{name}dwconv_pad")(x)
        kind = layers.DepthwiseConv2D(
            stage.size,
            strides=stage.step,
            padding="valid" if pads else "same",
            use_bias=False,
            depthwise_initializer=_spread(),
            name=f"{name}dwconv{'' if self.version == 1 else 2}",
        )
        return kind(x)

    def squeezed(self, x: Any, wide: int, few: int, name: str) -> Any:
        shares = layers.GlobalAveragePooling2D(name=f"{name}se_squeeze")(x)
        shares = layers.Reshape((1, 1, wide), name=f"{name}se_reshape")(shares)
        for count, title, kind in (
            (few, "reduce", "swish"),
            (wide, "expand", "sigmoid"),
        ):
            shares = self.convolved(
                shares, count, 1, f"{name}se_{title}", use_bias=True, activation=kind
            )
        return layers.Multiply(name=f"{name}se_excite")([x, shares])

    def projected(self, x: Any, stage: Stage, name: str) -> Any:
        alone = stage.is_fused and stage.widens == 1
        size, step = (stage.size, stage.step) if alone else (1, 1)
        x = self.convolved(x, stage.filters, size, f"{name}project_conv", step)
        x = self.normal(x, f"{name}project_bn")
        return self.active(x, f"{name}project_activation") if alone else x


def _finished(x: Any, begun: Begun, parts: _Blocks) -> Any:
    x = parts.all(parts.active(parts.normal(x, "stem_bn"), "stem_activation"))
    x = parts.convolved(x, parts.filters(1280), 1, "top_conv")
    x = parts.active(parts.normal(x, "top_bn"), "top_activation")

    def classify(x: Any) -> Any:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = layers.Dropout(parts.dropped, name="top_dropout")(x)
        spread = initializers.VarianceScaling(1 / 3, "fan_out", "uniform")
        return begun.predicted(x, kernel_initializer=spread)

    return begun.ended(x, classify)


def efficientnet(variant: str, *args: Any, **given: Any) -> Any:
    """Return an EfficientNet "b0" to "b7" (Tan and Le, 2019), for images of 0 ... 255."""
    title, parts = f"efficientnet{variant}", _Blocks(1, variant)
    trained = files("https://storage.googleapis.com/keras-applications", title)
    begun = Begun(title, named(args, given), parts.size, trained)
    x = layers.Rescaling(1.0 / 255.0)(begun.input)
    x = layers.Normalization(axis=-1)(x)
    if begun.is_trained:
        x = layers.Rescaling([1.0 / math.sqrt(x) for x in _SPREADS])(x)
    x = layers.ZeroPadding2D(border(x, 3), name="stem_conv_pad")(x)
    x = parts.convolved(x, parts.filters(32), 3, "stem_conv", 2, padding="valid")
    return _finished(x, begun, parts)


def efficientnet_v2(
    variant: str, *args: Any, include_preprocessing: bool = True, **given: Any
) -> Any:
    """Return an EfficientNetV2 "b0" to "b3", "s", "m" or "l" (Tan and Le, 2021).

    include_preprocessing takes images of 0 ... 255; without it they are scaled beforehand.
    """
    title, parts = f"efficientnetv2-{variant}", _Blocks(2, variant)
    begun = Begun(
        title, named(args, given), parts.size, files("efficientnet_v2", title)
    )
    x = begun.input
    if include_preprocessing and variant.startswith("b") and x.shape[-1] == 3:
        x = layers.Rescaling(1.0 / 255.0)(x)
        spreads = [x**2 for x in _SPREADS]
        x = layers.Normalization(mean=_SHARES, variance=spreads, axis=-1)(x)
    elif include_preprocessing:
        x = layers.Rescaling(1.0 / 128.0, offset=-1)(x)
    first = parts.filters(parts.stages[0].before)
    return _finished(parts.convolved(x, first, 3, "stem_conv", 2), begun, parts)


class _Inverted(NamedTuple):
    """A block of MobileNetV3: widening, filters, step, whether large, squeezed, and simple."""

    widens: float
    filters: int
    step: int
    is_large: bool
    is_squeezed: bool
    is_simple: bool


_SMALL = tuple(
    _Inverted(*row)
    for row in (
        (1, 16, 2, False, True, True),
        (72 / 16, 24, 2, False, False, True),
        (88 / 24, 24, 1, False, False, True),
        *((4, 40, 2, True, True, False), *((6, 40, 1, True, True, False),) * 2),
        *((3, 48, 1, True, True, False),) * 2,
        *((6, 96, 2, True, True, False), *((6, 96, 1, True, True, False),) * 2),
    )
)
_LARGE = tuple(
    _Inverted(*row)
    for row in (
        (1, 16, 1, False, False, True),
        *((4, 24, 2, False, False, True), (3, 24, 1, False, False, True)),
        *((3, 40, 2, True, True, True), *((3, 40, 1, True, True, True),) * 2),
        (6, 80, 2, False, False, False),
        *(
            (2.5, 80, 1, False, False, False),
            *((2.3, 80, 1, False, False, False),) * 2,
        ),
        *((6, 112, 1, False, True, False),) * 2,
        *((6, 160, 2, True, True, False), *((6, 160, 1, True, True, False),) * 2),
    )
)


def _third_normal(x: Any, name: str) -> Any:
    return normal(x, name, 1e-3, 0.999)


def _bent(x: Any, is_simple: bool) -> Any:
    return layers.ReLU()(x) if is_simple else layers.Activation("hard_swish")(x)


def mobilenet_v3(
    kind: str,
    input_shape: Any = None,
    alpha: float = 1.0,
    minimalistic: bool = False,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    classes: int = 1000,
    pooling: Any = None,
    dropout_rate: float = 0.2,
    classifier_activation: Any = "softmax",
    include_preprocessing: bool = True,
    name: str | None = None,
) -> Any:
    """Return the small or the large MobileNetV3 (Howard et al., 2019).

    alpha widens its layers; minimalistic leaves out squeezing, hard swish and 5x5 convolutions.
    include_preprocessing takes images of 0 ... 255; without it they are of -1 ... 1.
    """
    mark = f"{kind}{'_minimalistic' if minimalistic else ''}_224_{alpha}_float"
    trained = files("mobilenet_v3", f"weights_mobilenet_v3_{mark}", "_no_top_v2")
    given = {
        "include_top": include_top,
        "weights": weights,
        "input_tensor": input_tensor,
        "input_shape": input_shape or (None, None, 3),
        "classes": classes,
        "pooling": pooling,
        "classifier_activation": classifier_activation,
        "name": name,
    }
    begun = Begun(f"MobileNetV3{kind.title()}", given, files=trained)
    x = begun.input
    if include_preprocessing:
        x = layers.Rescaling(1.0 / 127.5, offset=-1.0)(x)
    x = _pointed(x, 16, "conv", 3, 2)
    x = _bent(_third_normal(x, "conv_bn"), minimalistic)
    for number, block in enumerate(_SMALL if kind == "small" else _LARGE):
        x = _turned(x, block, alpha, minimalistic, number)
    x = _pointed(x, int(whole(x.shape[-1] * 6)), "conv_1")
    x = _bent(_third_normal(x, "conv_1_bn"), minimalistic)
    last = 1024 if kind == "small" else 1280
    last = int(whole(last * alpha)) if alpha > 1 else last
    top = partial(_third_top, begun, last, minimalistic, dropout_rate)
    return begun.ended(x, top)


def _third_top(
    begun: Begun, last: int, is_simple: bool, dropout_rate: float, x: Any
) -> Any:
    """Return the classes' scores, by `last` channels before them."""
    x = layers.GlobalAveragePooling2D(keepdims=True)(x)
    x = layers.Conv2D(last, 1, padding="same", name="conv_2")(x)
    x = _bent(x, is_simple)
    if dropout_rate > 0:
        x = layers.Dropout(dropout_rate)(x)
    x = layers.Conv2D(begun.classes, 1, padding="same", name="logits")(x)
    return layers.Activation(begun.last, name="predictions")(layers.Flatten()(x))


def _pointed(x: Any, count: int, name: str, size: int = 1, step: int = 1) -> Any:
    kind = layers.Conv2D(
        count, size, strides=step, padding="same", use_bias=False, name=name
    )
    return kind(x)


def _turned(x: Any, block: _Inverted, alpha: float, plain: bool, number: int) -> Any:
    kept, before = x, x.shape[-1]
    name = f"expanded_conv_{number}_" if number else "expanded_conv_"
    is_simple = block.is_simple or plain
    wide, count = int(whole(before * block.widens)), int(whole(block.filters * alpha))
    size = 5 if block.is_large and not plain else 3
    if number:
        x = _pointed(x, wide, f"{name}expand")
        x = _bent(_third_normal(x, f"{name}expand_bn"), is_simple)
    if block.step == 2:
        zeros = border(x, size)
        x = layers.ZeroPadding2D(zeros, name=f"{name}depthwise_pad")(x)
    deep = layers.DepthwiseConv2D(
        size,
        strides=block.step,
        padding="same" if block.step == 1 else "valid",
        use_bias=False,
        name=f"{name}depthwise",
    )
    x = _bent(_third_normal(deep(x), f"{name}depthwise_bn"), is_simple)
    if block.is_squeezed and not plain:
        x = _weighed(x, wide, f"{name}squeeze_excite_")
    x = _third_normal(_pointed(x, count, f"{name}project"), f"{name}project_bn")
    if block.step == 1 and before == count:
        return layers.Add(name=f"{name}add")([kept, x])
    return x


def _weighed(x: Any, wide: int, name: str) -> Any:
    """Return each filter times a share of it that all of them together say."""
    shares = layers.GlobalAveragePooling2D(keepdims=True, name=f"{name}avg_pool")(x)
    few = int(whole(wide * 0.25))
    shares = layers.Conv2D(few, 1, padding="same", name=f"{name}conv")(shares)
    shares = layers.ReLU(name=f"{name}relu")(shares)
    shares = layers.Conv2D(wide, 1, padding="same", name=f"{name}conv_1")(shares)
    shares = layers.ReLU(6.0)(shares + 3.0) * (1.0 / 6.0)
    return layers.Multiply(name=f"{name}mul")([x, shares])
