"""How inception networks are written as tables, and how layers are made of these.

A line of a table is a layer or a block. A layer is its name, whose end is the size of its window,
and its width: `Conv2d_2c_3x3 192`; pools have no width. Options follow: `/2` a stride, `valid` or
`same` a padding, `is 3x3` a size other than in the name. The parts of a block are cut by `|` into
branches, side by side, and by `,` into layers, one after the other; `+` sets two of one input side
by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.shared.nn import relu
from tensorlite.compat.v1.contrib import layers
from tensorlite.compat.v1.contrib.arg_scopes import Scope, arg_scope
from tensorlite.compat.v1.functions.init_ops import TruncatedNormal
from tensorlite.compat.v1.graphs.scopes import variable_scope
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.keys import GraphKeys

Made = tuple[Any, dict[str, Any]]
Deviation = Callable[["Layer", "Layer | None", bool], float | None]
"""From a layer, the one before it in its branch, and whether one follows: of initial weights."""


class Layer(NamedTuple):
    """A layer of a table."""

    name: str
    window: tuple[int, int]
    width: int | None
    options: Mapping[str, Any]

    @property
    def is_pool(self) -> bool:
        """Return whether the layer pools."""
        return self.width is None


_LAYER = re.compile(
    r"(?P<name>\w+_(?P<high>\d)x(?P<wide>\d))(?: (?P<width>\d+))?"
    r"(?: /(?P<stride>\d))?(?: (?P<padding>valid|same))?(?: is (?P<own>\dx\d))?"
)


def layer_of(text: str) -> Layer:
    """Return the layer that a part of a table says."""
    said = _LAYER.fullmatch(text.strip())
    assert said is not None, text
    window = (said["own"] or f"{said['high']}x{said['wide']}").split("x")
    options: dict[str, Any] = {}
    if said["stride"]:
        options["stride"] = int(said["stride"])
    if said["padding"]:
        options["padding"] = said["padding"].upper()
    width = None if said["width"] is None else int(said["width"])
    return Layer(said["name"], (int(window[0]), int(window[1])), width, options)


class Builder(NamedTuple):
    """Makes layers of a table: the width of each, and the deviation of its first weights."""

    depth: Callable[[int], int] = lambda x: x
    deviation: Deviation = lambda *_: None

    def built(self, net: Any, table: str, last: str, made: dict[str, Any]) -> bool:
        """Add what each line makes to `made`, up to the line called last; return whether it came.

        A line's result is the next one's input.
        """
        for line in table.strip().splitlines():
            name, _, block = line.partition(":")
            if block:
                name, net = name.strip(), self._block(net, name.strip(), block)
            else:
                layer = layer_of(line)
                name, net = layer.name, self.made(net, layer)
            made[name] = net
            if name == last:
                return True
        return False

    def made(
        self,
        net: Any,
        layer: Layer,
        before: Layer | None = None,
        is_followed: bool = False,
    ) -> Any:
        """Return what a layer makes of net."""
        size, given = list(layer.window), {**layer.options, "scope": layer.name}
        if layer.width is None:
            kind = "max_pool2d" if layer.name.startswith("Max") else "avg_pool2d"
            return getattr(layers, kind)(net, size, **given)
        deviation = self.deviation(layer, before, is_followed)
        if deviation is not None:
            given["weights_initializer"] = TruncatedNormal(0.0, deviation)
        return layers.conv2d(net, self.depth(layer.width), size, **given)

    def _block(self, net: Any, name: str, block: str) -> Any:
        found = []
        with variable_scope(name):
            for number, branch in enumerate(block.split("|")):
                with variable_scope(f"Branch_{number}"):
                    found.append(self._branch(net, branch.split(",")))
            return concat(found, 3)

    def _branch(self, net: Any, parts: list[str]) -> Any:
        before = None
        for number, part in enumerate(parts):
            beside = [layer_of(x) for x in part.split("+")]
            is_followed = number + 1 < len(parts)
            found = [self.made(net, x, before, is_followed) for x in beside]
            net, before = found[0] if len(found) == 1 else concat(found, 3), beside[0]
        return net


def check_endpoint(final_endpoint: Any, *tables: str) -> None:
    """Raise InvalidArgumentError for the name of a layer that a network's tables don't have."""
    lines = [line for table in tables for line in table.strip().splitlines()]
    names = [line.split()[0].removesuffix(":") for line in lines]
    if final_endpoint not in names:
        raise InvalidArgumentError(
            f"Unknown final endpoint {final_endpoint}; there are {', '.join(names)}"
        )


def thinned(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """Return the function from a layer's width to the one that a thinner network has."""
    if depth_multiplier <= 0:
        raise InvalidArgumentError("depth_multiplier is not greater than zero.")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def fitting_window(net: Any, wanted: int) -> list[int]:
    """Return the size of a window that is not larger than images, as far as their size is known."""
    _, *sizes, _ = net.get_shape().as_list()
    if None in sizes:
        return [wanted, wanted]
    return [min(x, wanted) for x in sizes]


def convolving(weight_decay: float, normalizing: Mapping[str, Any] | None) -> Scope:
    """Return the defaults of layers' arguments in inception networks."""
    weighted = [layers.conv2d, layers.fully_connected]
    with (
        arg_scope(weighted, weights_regularizer=layers.l2_regularizer(weight_decay)),
        arg_scope(
            [layers.conv2d],
            weights_initializer=layers.variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=None if normalizing is None else layers.batch_norm,
            normalizer_params=normalizing or {},
        ) as scope,
    ):
        return scope


def normalizing(
    collection: str,
    decay: float = 0.9997,
    epsilon: float = 0.001,
    updates: Any = GraphKeys.UPDATE_OPS,
) -> dict[str, Any]:
    """Return the arguments of batch_norm, whose means and variances go to the collection."""
    moving = {"moving_mean": [collection], "moving_variance": [collection]}
    return {
        "decay": decay,
        "epsilon": epsilon,
        "updates_collections": updates,
        "variables_collections": {"beta": None, "gamma": None, **moving},
    }
