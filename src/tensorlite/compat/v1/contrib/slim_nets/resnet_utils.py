"""tf.contrib.slim.nets.resnet_utils: what both versions of residual networks are built with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tensorlite.compat.documenting import explained
from tensorlite.compat.shared.nn import relu
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope, add_arg_scope, arg_scope
from tensorlite.compat.v1.contrib.layer_utils import (
    collect_named_outputs,
    convert_collection_to_dict,
)
from tensorlite.compat.v1.functions.numbers import reduce_mean
from tensorlite.compat.v1.graphs.scopes import variable_scope
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.keys import GraphKeys

__all__ = [
    "Block",
    "conv2d_same",
    "resnet_arg_scope",
    "stack_blocks_dense",
    "subsample",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Made = tuple[Any, dict[str, Any]]


class Block(NamedTuple):
    """A block of residual units: its scope, the function of a unit, and each one's arguments."""

    scope: str
    unit_fn: Callable[..., Any]
    args: Sequence[Mapping[str, Any]]


def subsample(inputs: Any, factor: int, scope: Any = None) -> Any:
    """Return every factor-th row and column of images [batch, height, width, channels]."""
    if factor == 1:
        return inputs
    return layers.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Any,
    num_outputs: int,
    kernel_size: int,
    stride: int,
    rate: int = 1,
    scope: Any = None,
) -> Any:
    """Return a convolution whose padding, as many before as behind, does not depend on the size."""
    padding = "SAME"
    if stride > 1:
        total = (kernel_size - 1) * rate
        around = [total // 2, total - total // 2]
        inputs = pad(inputs, [[0, 0], around, around, [0, 0]])
        padding = "VALID"
    return layers.conv2d(
        inputs,
        num_outputs,
        kernel_size,
        stride=stride,
        rate=rate,
        padding=padding,
        scope=scope,
    )


@add_arg_scope
def stack_blocks_dense(
    net: Any,
    blocks: Sequence[Block],
    output_stride: float | None = None,
    outputs_collections: Any = None,
) -> Any:
    """Return what the blocks make of net, which is not cut down further than output_stride.

    From there on units convolve with holes instead. InvalidArgumentError for an output_stride that
    the units' strides do not meet.
    """
    stride = rate = 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as opened:
            for number, unit in enumerate(block.args, 1):
                _check(
                    output_stride is None or stride <= output_stride, output_stride
                )
                own = unit.get("stride", 1)
                with variable_scope(f"unit_{number}", values=[net]):
                    if stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= own
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= own
            net = collect_named_outputs(outputs_collections, opened.name, net)
    _check(output_stride is None or stride == output_stride, output_stride)
    return net


def _check(is_reached: bool, output_stride: float | None) -> None:
    if not is_reached:
        raise InvalidArgumentError(
            f"The target output_stride cannot be reached: {output_stride} is no product of the "
            "first units' strides"
        )


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Scope:
    """Return the defaults of layers' arguments in residual networks."""
    normalizing: dict[str, Any] = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    convolving = arg_scope(
        [layers.conv2d],
        weights_regularizer=layers.l2_regularizer(weight_decay),
        weights_initializer=layers.variance_scaling_initializer(),
        activation_fn=relu,
        normalizer_fn=layers.batch_norm,
        normalizer_params=normalizing,
    )
    with (
        convolving,
        arg_scope([layers.batch_norm], **normalizing),
        arg_scope([layers.max_pool2d], padding="SAME") as scope,
    ):
        return scope


class Whole(NamedTuple):
    """The arguments of a whole network that both versions have."""

    blocks: Sequence[Block]
    num_classes: int | None
    is_training: Any
    global_pool: bool
    output_stride: int | None
    include_root_block: bool

    def built(
        self,
        inputs: Any,
        opened: Any,
        bottleneck: Any,
        root: Mapping[str, Any],
        end: Callable[[Any], Any],
    ) -> Made:
        """Return logits, or features without num_classes, and what was made on the way.

        `root` are arguments of the first convolution, `end` comes behind the blocks.
        """
        collection = f"{opened.original_name_scope}_end_points"
        gathering = [layers.conv2d, bottleneck, stack_blocks_dense]
        with (
            arg_scope(gathering, outputs_collections=collection),
            arg_scope([layers.batch_norm], is_training=self.is_training),
        ):
            net, stride = self._begun(inputs, root)
            net = end(stack_blocks_dense(net, self.blocks, stride))
            return self._ended(net, collection)

    def _begun(self, net: Any, root: Mapping[str, Any]) -> tuple[Any, float | None]:
        if not self.include_root_block:
            return net, self.output_stride
        if self.output_stride is not None and self.output_stride % 4:
            raise InvalidArgumentError(
                f"The output_stride needs to be a multiple of 4, not {self.output_stride}"
            )
        with arg_scope([layers.conv2d], **root):
            net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
        net = layers.max_pool2d(net, [3, 3], stride=2, scope="pool1")
        return net, None if self.output_stride is None else self.output_stride / 4

    def _ended(self, net: Any, collection: str) -> Made:
        if self.global_pool:
            net = reduce_mean(net, [1, 2], keepdims=True, name="pool5")
        if self.num_classes is not None:
            plain = {"activation_fn": None, "normalizer_fn": None, "scope": "logits"}
            net = layers.conv2d(net, self.num_classes, [1, 1], **plain)
        made = convert_collection_to_dict(collection)
        if self.num_classes is not None:
            made["predictions"] = layers.softmax(net, scope="predictions")
        return net, made


def residual_block(
    unit: Callable[..., Any], scope: str, base_depth: int, num_units: int, stride: int
) -> Block:
    """Return a block of units whose last one has the stride."""
    one = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    strides = [1] * (num_units - 1) + [stride]
    return Block(scope, unit, [{**one, "stride": x} for x in strides])


DEPTHS = {
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
"""How many units the blocks of the known networks have, by the number of their layers."""


def blocks_of(layer_count: int, block: Callable[..., Block]) -> list[Block]:
    """Return the four blocks of a known network."""
    counts = DEPTHS[layer_count]
    return [
        block(f"block{i + 1}", base_depth=64 << i, num_units=n, stride=1 + (i < 3))
        for i, n in enumerate(counts)
    ]


def of_layers(
    layer_count: int, network: Callable[..., Made], block: Callable[..., Block]
) -> Callable[..., Made]:
    """Return the function that builds a known network, under its name."""
    name = f"{network.__name__}_{layer_count}"

    def resnet(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = name,
    ) -> Made:
        return network(
            inputs,
            blocks_of(layer_count, block),
            num_classes,
            is_training,
            global_pool,
            output_stride,
            reuse=reuse,
            scope=scope,
        )

    what = f"what the network of {layer_count} layers makes of images: see {network.__name__}"
    return explained(resnet, name, f"Return {what}.")
