"""What the networks of one path share: their end, and how what they make on the way is gathered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorlite.compat.shared.nn import relu
from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope, arg_scope
from tensorlite.compat.v1.contrib.layer_utils import convert_collection_to_dict
from tensorlite.compat.v1.functions.arrays import squeeze
from tensorlite.compat.v1.functions.init_ops import Constant, TruncatedNormal, Zeros
from tensorlite.compat.v1.graphs.scopes import variable_scope

Made = tuple[Any, dict[str, Any]]
"""What a network gives, and what it made on the way by the names of the layers."""


class End(NamedTuple):
    """How a network ends: what were fully connected layers, as convolutions."""

    window: int
    widths: tuple[int, int]
    num_classes: int
    is_training: Any
    keep_prob: Any

    def of(self, net: Any, **last: Any) -> Any:
        """Return the logits; `last` is given to the last convolution alone."""
        window, (wide, next_wide) = [self.window, self.window], self.widths
        net = layers.conv2d(net, wide, window, padding="VALID", scope="fc6")
        net = self._dropped(net, "dropout6")
        net = layers.conv2d(net, next_wide, [1, 1], scope="fc7")
        net = self._dropped(net, "dropout7")
        return layers.conv2d(
            net,
            self.num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            scope="fc8",
            **last,
        )

    def _dropped(self, net: Any, scope: str) -> Any:
        return layers.dropout(
            net, self.keep_prob, is_training=self.is_training, scope=scope
        )


def beginning_small(features: Callable[[Any], Any], end: End) -> Callable[[Any], Any]:
    """Return what gives logits of images by an end whose weights begin close to zero."""
    begun = {
        "weights_initializer": TruncatedNormal(0.0, 0.005),
        "biases_initializer": Constant(0.1),
    }

    def logits(x: Any) -> Any:
        net = features(x)
        with arg_scope([layers.conv2d], **begun):
            return end.of(net, biases_initializer=Zeros())

    return logits


def network(
    inputs: Any,
    scope: Any,
    default_name: str,
    logits: Callable[[Any], Any],
    spatial_squeeze: bool,
    *,
    by_name_scope: bool = True,
) -> Made:
    """Return a network's logits, and what its convolutions and pools made by their names.

    The collection of these is called by the name scope, which ends in "/", or by the scope.
    """
    kinds = [layers.conv2d, layers.fully_connected, layers.max_pool2d]
    with variable_scope(scope, default_name, [inputs]) as opened:
        title = opened.original_name_scope if by_name_scope else opened.name
        collection = f"{title}_end_points"
        with arg_scope(kinds, outputs_collections=collection):
            net = logits(inputs)
        made = convert_collection_to_dict(collection)
        if spatial_squeeze:
            net = made[f"{opened.name}/fc8"] = squeeze(net, [1, 2], "fc8/squeezed")
        return net, made


def defaults(weight_decay: float, pools: str | None, bias: Any = None) -> Scope:
    """Return the arguments of layers in these networks; pools' padding, if it is to be set."""
    weighted = [layers.conv2d, layers.fully_connected]
    common = arg_scope(
        weighted,
        activation_fn=relu,
        weights_regularizer=layers.l2_regularizer(weight_decay),
        biases_initializer=Zeros() if bias is None else bias,
    )
    with common, arg_scope([layers.conv2d], padding="SAME") as same:
        if pools is None:
            return same
        with arg_scope([layers.max_pool2d], padding=pools) as scope:
            return scope


def pooled(net: Any, sizes: Sequence[int], scope: str) -> Any:
    """Return the largest of each window: its size, then its stride."""
    size, stride = sizes
    return layers.max_pool2d(net, [size, size], stride, scope=scope)
