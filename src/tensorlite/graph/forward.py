"""ForwardAccumulator: derivatives along a direction, of all that is computed in a block.

They are gradients of a gradient: what a GradientTape gives for a target is linear in the gradient
that it starts from, and the gradient of that by the start is the derivative along a direction.
"""

from __future__ import annotations

from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any, Self

import numpy as np

from tensorlite.core import nest, operand
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.tape import GradientTape, source_of

_around: ContextVar[tuple[GradientTape, ...]] = ContextVar("around", default=())
"""What the accumulators record on whose blocks the program is in, from outside in."""


class ForwardAccumulator:
    """Gives derivatives of what its block computes, along `tangents` at `primals`.

    A Jacobian times a vector; a GradientTape gives a vector times a Jacobian. Within another's
    block it gives derivatives of derivatives, and around a tape's those of gradients.

    >>> x = tl.asarray([1.0, 2.0])
    >>> with tl.ForwardAccumulator(x, tl.asarray([1.0, 0.0])) as along:
    ...     with tl.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tl.sum(x**3)
    ...     slope = tape.gradient(y, x)
    >>> print(along.jvp(y), along.jvp(slope))
    3.0 [6. 0.]
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        leaves = nest.flatten(primals)
        directions = nest.flatten(tangents) if nest.is_nested(primals) else [tangents]
        if len(directions) != len(leaves):
            raise InvalidArgumentError(
                f"{len(directions)} tangents for {len(leaves)} primals"
            )
        if len(set(map(id, leaves))) != len(leaves):
            raise InvalidArgumentError(
                "a tensor is among the primals more than once; add up its tangents"
            )
        self._primals = leaves
        self._tangents = [
            _tangent(x, t) for x, t in zip(leaves, directions, strict=True)
        ]
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._tape.watch(leaves)
        self._outer: tuple[GradientTape, ...] = ()

    def __enter__(self) -> Self:
        """Begin to see what is computed."""
        self._tape.__enter__()
        self._outer = _around.get()
        _around.set((*self._outer, self._tape))
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop seeing what is computed; what was seen may be asked for still."""
        _around.set(self._outer)
        self._tape.__exit__(*exc)

    def jvp(self, targets: Any) -> Any:
        """Return the derivatives of targets: structured like them, None for what has none."""
        with ExitStack() as seen:
            # Those further out see derivatives too, even if they are asked for after the blocks.
            for tape in self._outer:
                if not tape.recording:
                    seen.enter_context(tape)
            return nest.map_structure(self._along, targets)

    def _along(self, target: Any) -> Tensor | None:
        source = source_of(target)
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if source_of(primal) is source:
                return tangent
        is_variable = source is getattr(target, "handle", None)
        if is_variable or not source.dtype.is_differentiable:
            return None
        with self._tape.stop_recording(), GradientTape(persistent=True) as back:
            start = operand.operators.zeros_like(source)
            back.watch(start)
            found = self._tape.gradient(target, self._primals, start)
            pairs = zip(found, self._tangents, strict=True)
            reached = [(_dense(g), t) for g, t in pairs if g is not None]
        if not reached:
            return None
        slopes, directions = zip(*reached, strict=True)
        along: Tensor | None = back.gradient(list(slopes), start, list(directions))
        return along


def _dense(g: Tensor | IndexedSlices) -> Tensor:
    return operand.operators.densify(g) if isinstance(g, IndexedSlices) else g


def _tangent(primal: Any, tangent: Any) -> Tensor:
    """Return a tangent as a tensor; errors where it does not fit its primal."""
    dtype, shape = primal.dtype, tuple(primal.shape)
    if isinstance(tangent, operand.Operand):
        given = to_tensor(tangent)
    else:
        given = constant(np.asarray(tangent, dtype.numpy))
    if given.dtype is not dtype:
        raise DTypeError(f"a tangent of {given.dtype.name} for {dtype.name}")
    pairs = zip(given.spec.dims, shape, strict=False)
    if len(given.spec.dims) != len(shape) or any(
        a != b and None not in (a, b) for a, b in pairs
    ):
        raise ShapeError(f"a tangent of the shape {given.shape} for {shape}")
    return given
