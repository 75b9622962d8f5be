"""The layers of keras.applications' Inceptions and Xception, with Keras' names."""

from __future__ import annotations

from typing import Any, TypeAlias

from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.src.applications.parts import Begun, kernels, named
from tensorlite.compat.v2.keras.src.layers.base import Layer

Step: TypeAlias = tuple[int, Any] | tuple[int, Any, int]
Branch: TypeAlias = tuple[Step, ...]
"""Convolutions one behind the other: how many filters, their size, and a step if there is one."""


def _made(x: Any, step: Step, name: str | None = None) -> Any:
    filters, size, *stride = step
    kind = layers.Conv2D(
        filters,
        size,
        strides=stride[0] if stride else 1,
        padding="valid" if stride else "same",
        use_bias=False,
        name=name,
    )
    marks = (None, None) if name is None else (f"{name}_bn", f"{name}_ac")
    x = layers.BatchNormalization(scale=False, name=marks[0])(kind(x))
    return layers.Activation("relu", name=marks[1])(x)


def _along(x: Any, branch: Branch) -> Any:
    for step in branch:
        x = _made(x, step)
    return x


def _stem(x: Any) -> Any:
    for step in ((32, 3, 2), (32, 3, 1)):
        x = _made(x, step)
    x = layers.MaxPooling2D(3, strides=2)(_made(x, (64, 3)))
    for step in ((80, 1, 1), (192, 3, 1)):
        x = _made(x, step)
    return layers.MaxPooling2D(3, strides=2)(x)


def _mixed(x: Any, branches: tuple[Branch, ...], last: int, name: str) -> Any:
    """Return branches side by side; the last one takes means, or where it halves the largest."""
    made = [_along(x, branch) for branch in branches]
    if last:
        means = layers.AveragePooling2D(3, strides=1, padding="same")(x)
        made.append(_made(means, (last, 1)))
    else:
        made.append(layers.MaxPooling2D(3, strides=2)(x))
    return layers.Concatenate(name=name)(made)


_WIDE, _HIGH = (1, 7), (7, 1)


def _of_fives(last: int) -> tuple[tuple[Branch, ...], int]:
    return (
        ((64, 1),),
        ((48, 1), (64, 5)),
        ((64, 1), (96, 3), (96, 3)),
    ), last


def _of_sevens(count: int) -> tuple[tuple[Branch, ...], int]:
    both = ((count, _HIGH), (count, _WIDE), (count, _HIGH))
    return (
        ((192, 1),),
        ((count, 1), (count, _WIDE), (192, _HIGH)),
        ((count, 1), *both, (192, _WIDE)),
    ), 192


_INCEPTIONS: tuple[tuple[tuple[Branch, ...], int], ...] = (
    *(_of_fives(last) for last in (32, 64, 64)),
    ((((384, 3, 2),), ((64, 1), (96, 3), (96, 3, 2))), 0),
    *(_of_sevens(count) for count in (128, 160, 160, 192)),
    (
        (
            ((192, 1), (320, 3, 2)),
            ((192, 1), (192, _WIDE), (192, _HIGH), (192, 3, 2)),
        ),
        0,
    ),
)
"""Of InceptionV3's blocks: the branches, and the filters of the one that takes means."""


def inception_v3(*args: Any, **given: Any) -> Any:
    """Return InceptionV3 (Szegedy et al., 2015), for images of -1 ... 1."""
    title = "inception_v3"
    begun = Begun(title, named(args, given), 299, kernels(title, title))
    x = _stem(begun.input)
    for number, (branches, last) in enumerate(_INCEPTIONS):
        x = _mixed(x, branches, last, f"mixed{number}")
    for i in range(2):
        x = _spread(x, i)
    return begun.ended(x, begun.classes_of, are_named=False)


def _spread(x: Any, number: int) -> Any:
    """Return a block of InceptionV3 whose branches fork again."""
    first, forked = _made(x, (320, 1)), []
    for branch, name in (
        (((384, 1),), f"mixed9_{number}"),
        (((448, 1), (384, 3)), None),
    ):
        made = _along(x, branch)
        sides = [_made(made, (384, size)) for size in ((1, 3), (3, 1))]
        forked.append(layers.Concatenate(name=name)(sides))
    means = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    last = _made(means, (192, 1))
    return layers.Concatenate(name=f"mixed{9 + number}")([first, *forked, last])


class CustomScaleLayer(Layer):
    """Adds to a tensor a share of another."""

    def __init__(self, scale: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, inputs: Any) -> Any:
        return inputs[0] + inputs[1] * self.scale


_BLOCKS: dict[str, tuple[Branch, ...]] = {
    "block35": (((32, 1),), ((32, 1), (32, 3)), ((32, 1), (48, 3), (64, 3))),
    "block17": (((192, 1),), ((128, 1), (160, _WIDE), (192, _HIGH))),
    "block8": (((192, 1),), ((192, 1), (224, (1, 3)), (256, (3, 1)))),
}


def inception_resnet_v2(*args: Any, **given: Any) -> Any:
    """Return InceptionResNetV2 (Szegedy et al., 2016), for images of -1 ... 1."""
    title = "inception_resnet_v2"
    begun = Begun(title, named(args, given), 299, kernels(title, title))
    first = (((96, 1),), ((48, 1), (64, 5)), ((64, 1), (96, 3), (96, 3)))
    x = _mixed(_stem(begun.input), first, 64, "mixed_5b")
    x = _repeated(x, "block35", 10, 0.17)
    x = _mixed(x, (((384, 3, 2),), ((256, 1), (256, 3), (384, 3, 2))), 0, "mixed_6a")
    x = _repeated(x, "block17", 20, 0.1)
    narrowing: tuple[Branch, ...] = (
        ((256, 1), (384, 3, 2)),
        ((256, 1), (288, 3, 2)),
        ((256, 1), (288, 3), (320, 3, 2)),
    )
    x = _mixed(x, narrowing, 0, "mixed_7a")
    x = _repeated(x, "block8", 9, 0.2)
    x = _made(_added(x, "block8", 10, 1.0), (1536, 1), "conv_7b")
    return begun.ended(x, begun.classes_of, are_named=False)


def _repeated(x: Any, kind: str, count: int, scale: float) -> Any:
    for i in range(1, count + 1):
        x = _added(x, kind, i, scale)
        x = layers.Activation("relu", name=f"{kind}_{i}_ac")(x)
    return x


def _added(x: Any, kind: str, number: int, scale: float) -> Any:
    name = f"{kind}_{number}"
    branches = [_along(x, branch) for branch in _BLOCKS[kind]]
    mixed = layers.Concatenate(name=f"{name}_mixed")(branches)
    up = layers.Conv2D(x.shape[-1], 1, padding="same", name=f"{name}_conv")(mixed)
    return CustomScaleLayer(scale)([x, up])


def xception(*args: Any, **given: Any) -> Any:
    """Return Xception (Chollet, 2016), for images of -1 ... 1."""
    begun = Begun(
        "xception", named(args, given), 299, kernels("xception", "xception")
    )
    x = begun.input
    for i, (filters, step) in enumerate(((32, 2), (64, 1)), 1):
        name = f"block1_conv{i}"
        x = layers.Conv2D(filters, 3, strides=step, use_bias=False, name=name)(x)
        x = layers.BatchNormalization(name=f"{name}_bn")(x)
        x = layers.Activation("relu", name=f"{name}_act")(x)
    for block, both in ((2, (128, 128)), (3, (256, 256)), (4, (728, 728))):
        x = _halving(x, block, both)
    for block in range(5, 13):
        kept = x
        for i in (1, 2, 3):
            x = _separated(_active(x, block, i), 728, f"block{block}_sepconv{i}")
        x = layers.Add()([x, kept])
    x = _halving(x, 13, (728, 1024))
    for i, filters in ((1, 1536), (2, 2048)):
        x = _active(_separated(x, filters, f"block14_sepconv{i}"), 14, i)
    return begun.ended(x, begun.classes_of, are_named=False)


def _active(x: Any, block: int, number: int) -> Any:
    return layers.Activation("relu", name=f"block{block}_sepconv{number}_act")(x)


def _separated(x: Any, filters: int, name: str) -> Any:
    kind = layers.SeparableConv2D(
        filters, 3, padding="same", use_bias=False, name=name
    )
    return layers.BatchNormalization(name=f"{name}_bn")(kind(x))


def _halving(x: Any, block: int, filters: tuple[int, int]) -> Any:
    side = layers.Conv2D(filters[1], 1, strides=2, padding="same", use_bias=False)
    kept = layers.BatchNormalization()(side(x))
    for i, count in enumerate(filters, 1):
        if (block, i) != (2, 1):
            x = _active(x, block, i)
        x = _separated(x, count, f"block{block}_sepconv{i}")
    x = layers.MaxPooling2D(3, strides=2, padding="same", name=f"block{block}_pool")(
        x
    )
    return layers.Add()([x, kept])
