"""rev_block of tf.contrib.layers: residual layers of two halves, whose inputs follow from outputs.

Gomez, Ren, Urtasun, Grosse 2017, "The reversible residual network".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.v1.contrib.recomputing import recompute_grad
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.layer_kinds.base import Layer
from tensorlite.core.errors import InvalidArgumentError

Half = Callable[..., Any]


class RevBlock(Layer):
    """Layers y1 = x1 + f(x2), y2 = x2 + g(y1), one behind another; `backward` gives their inputs.

    f and g keep shapes; each may be a list, one for each of num_layers, whose variables are below
    "revlayer_0/f" and so on. They take their side input, a list, if there is one. With
    use_efficient_backprop what they make is computed again for gradients, of the block's inputs.
    """

    def __init__(
        self,
        f: Half | list[Half],
        g: Half | list[Half],
        num_layers: int = 1,
        f_side_input: Sequence[Any] | None = None,
        g_side_input: Sequence[Any] | None = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.f, self.g = _scoped(f, "f", num_layers), _scoped(g, "g", num_layers)
        self.num_layers = num_layers
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._use_efficient_backprop = use_efficient_backprop

    def call(
        self, inputs: Any, *args: Any, forward: bool = True, **kwargs: Any
    ) -> Any:
        """Return the outputs of the block, or with forward=False its inputs."""
        scope = scopes.get_variable_scope()
        before = scope.global_variables()
        outputs = self._forward(*inputs) if forward else self._backward(*inputs)
        trained = list(map(id, scope.trainable_variables()))
        for variable in scope.global_variables()[len(before) :]:
            own = (
                self._trainable_weights
                if id(variable) in trained
                else self._non_trainable_weights
            )
            own.append(variable)
        return outputs

    def forward(self, x1: Any, x2: Any) -> Any:
        """Return (y1, y2)."""
        return self([x1, x2])

    def backward(self, y1: Any, y2: Any) -> Any:
        """Return (x1, x2), computed from what comes of them."""
        return self([y1, y2], forward=False)

    def _forward(self, x1: Any, x2: Any) -> Any:
        count = len(self.f_side_input)

        def made(first: Any, second: Any, *sides: Any) -> Any:
            ours, theirs = list(sides[:count]), list(sides[count:])
            for f, g in zip(self.f, self.g, strict=True):
                first = first + _of(f, second, ours)
                second = second + _of(g, first, theirs)
            return first, second

        whole = recompute_grad(made) if self._use_efficient_backprop else made
        return whole(x1, x2, *self.f_side_input, *self.g_side_input)

    def _backward(self, y1: Any, y2: Any) -> Any:
        for f, g in zip(reversed(self.f), reversed(self.g), strict=True):
            y2 = y2 - _of(g, y1, self.g_side_input)
            y1 = y1 - _of(f, y2, self.f_side_input)
        return y1, y2


def _of(half: Half, x: Any, side: list[Any]) -> Any:
    return half(x, side) if side else half(x)


def _scoped(given: Half | list[Half], which: str, count: int) -> list[Half]:
    """Return a function for each layer, with variables of its own."""
    listed = given if isinstance(given, list) else [given] * count
    if len(listed) != count:
        raise InvalidArgumentError(
            f"RevBlock: {which} has {len(listed)} functions; give one for each of {count} layers"
        )

    def within(half: Half, scope: str) -> Half:
        def called(*args: Any) -> Any:
            with scopes.variable_scope(scope, use_resource=True):
                return half(*args)

        return called

    return [within(half, f"revlayer_{i}/{which}") for i, half in enumerate(listed)]


def rev_block(
    x1: Any,
    x2: Any,
    f: Half | list[Half],
    g: Half | list[Half],
    num_layers: int = 1,
    f_side_input: Sequence[Any] | None = None,
    g_side_input: Sequence[Any] | None = None,
    is_training: bool = True,
) -> Any:
    """Return (y1, y2) of a RevBlock; is_training computes again for gradients what it made."""
    block = RevBlock(
        f,
        g,
        num_layers,
        f_side_input,
        g_side_input,
        is_training,
        _reuse=scopes.get_variable_scope().reuse,
    )
    return block.forward(x1, x2)
