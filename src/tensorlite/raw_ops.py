"""Every operator by its TensorFlow name, called with keywords only, as `tf.raw_ops` has them.

Inputs and attributes go by the names they have in the operator's class; an operator of many inputs
takes a sequence. What comes back is a tensor, or a tuple if the operator has not just one output.

>>> print(tl.raw_ops.AddV2(x=[1.0, 2.0], y=[3.0, 4.0]))
[4. 6.]

Loops are built by hand from Enter, Merge, Switch, NextIteration and Exit: the Merge is made with
the Enter twice, and its second input is set when the NextIteration is there.

>>> graph = tl.Graph()
>>> with graph.as_default():
...     enter = tl.raw_ops.Enter(data=tl.asarray(1.0), frame_name="loop")
...     merged, _ = tl.raw_ops.Merge(inputs=[enter, enter])
...     go_on = tl.raw_ops.LoopCond(input=merged < 100.0)
...     leave, stay = tl.raw_ops.Switch(data=merged, pred=go_on)
...     merged.node.set_input(1, tl.raw_ops.NextIteration(data=stay * 2.0))
...     result = tl.raw_ops.Exit(data=leave)
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any

from tensorlite import (
    checkpoint,
    data,
    debugging,
    fft,
    image,
    linalg,
    math,
    nn,
    optimizers,
    quantization,
    random,
    sets,
    signal,
    sparse,
    strings,
)
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import REGISTRY, Op

__all__: list[str] = []

WITH_OPERATORS = (
    *(checkpoint, data, debugging, fft, linalg, nn, optimizers, random),
    *(image, math, quantization, sets, signal, sparse, strings),
)
"""Namespaces whose operators are there when they have been imported; the others always are."""


class RawOp:
    """An operator as a function of keywords."""

    def __init__(self, op: type[Op]) -> None:
        self.op = op
        self.__name__ = op.__name__
        self.__doc__ = op.__doc__
        found = list(signature(op.infer).parameters.values())
        self.inputs = tuple([one.name for one in found if one.name != "self"])
        self.is_variadic = any(one.kind is Parameter.VAR_POSITIONAL for one in found)
        self.attributes = op.attribute_names()

    def __call__(self, **arguments: Any) -> Any:
        """Return the output, or a tuple of the outputs, of the operator."""
        unknown = [
            name for name in arguments if name not in (*self.inputs, *self.attributes)
        ]
        missing = [name for name in self.inputs if name not in arguments]
        if unknown or missing:
            raise InvalidArgumentError(
                f"{self.__name__} takes {', '.join(self.inputs + self.attributes)}; "
                f"unknown are {unknown}, missing {missing}"
            )
        attributes = {
            name: arguments[name] for name in self.attributes if name in arguments
        }
        outputs = calls(self.op(**attributes), *self._flat(arguments))
        return outputs[0] if len(outputs) == 1 else outputs

    def _flat(self, arguments: dict[str, Any]) -> Sequence[Any]:
        *single, last = [arguments[name] for name in self.inputs] or [()]
        return (
            [*single, *last]
            if self.is_variadic or not self.inputs
            else [*single, last]
        )

    def __repr__(self) -> str:
        return f"<raw op {self.__name__}({', '.join(self.inputs + self.attributes)})>"


_made: dict[str, RawOp] = {}


def __getattr__(name: str) -> RawOp:
    """Return the operator of a name; AttributeError with the nearest names if there is none."""
    if name not in REGISTRY:
        near = get_close_matches(name, REGISTRY, 3)
        raise AttributeError(
            f"there is no operator {name!r}"
            + (f"; near are {', '.join(near)}" if near else "")
        )
    if name not in _made:
        _made[name] = RawOp(REGISTRY[name])
    return _made[name]


def __dir__() -> list[str]:
    """Return the names of all operators."""
    return sorted(REGISTRY)
