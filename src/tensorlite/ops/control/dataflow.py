"""The control-flow primitives of dataflow graphs, as TensorFlow's EuroSys'18 paper defines them.

A value that was not chosen is *dead*: Switch makes its other output dead, every operator with a
dead input is skipped and gives dead outputs, and Merge passes on whichever input is alive. A loop
runs in a *frame*, once per iteration: Enter brings values in, NextIteration hands them to the next
iteration, Exit brings them out. The kernels here see living values only; deadness, frames and
iterations are the business of runtime/frames.py. Loops and conditionals with inner graphs are in
regions.py; passes/lower.py turns those into these.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import DTypeError, GradientError, InvalidArgumentError
from tensorlite.core.op import Call, Effect, Gradient, Grads, Op, Role
from tensorlite.core.spec import TensorSpec, join, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.math.compare import equal

__all__: list[str] = []


class _Primitive(Op, abstract=True):
    """Has no gradient: those of branches and loops are taken before they become primitives.

    Switch and Merge that stand alone, in no loop, have one: the way back goes by the same choice.
    """

    def grad(self, call: Call, *dys: Gradient) -> Grads:
        """Raise GradientError with the way to have gradients."""
        raise GradientError(
            f"{self.name} is a primitive of control flow, and gradients do not go through these "
            "where they form no conditional or loop that is well formed; build branches and loops "
            "with tl.cond and tl.while_loop, through which they do"
        )


class _Passing(_Primitive, abstract=True):
    """Passes its input on."""

    aliases = True

    def infer(self, data: TensorSpec) -> TensorSpec:
        """Return the input's spec; its value changes from turn to turn."""
        return data.without_value()

    def kernel(self, xp: Xp, data: Array) -> Array:
        """Return the input."""
        return data


class Switch(_Primitive):
    """Passes `data` to output 1 if `pred` holds, else to output 0; the other output is dead."""

    role = Role.SWITCH
    aliases = True
    host = (1,)

    def infer(
        self, data: TensorSpec, pred: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the spec of `data` twice; DTypeError unless `pred` is a bool scalar."""
        _check_condition(self, "pred", pred)
        return data, data

    def kernel(self, xp: Xp, data: Array, pred: Array) -> tuple[Array, Array]:
        """Return the data for both sides; the runner kills one of them."""
        return data, data

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Return the gradient of the side that was chosen, zeros if that has none."""
        data, pred = call.inputs
        if _made_by(pred, LoopCond):
            return super().grad(call, *dys)
        parts = [zeros_like(data) if dy is None else dy for dy in dys]
        sides = [calls(Switch(), dy, pred)[side] for side, dy in enumerate(parts)]
        return calls(Merge(), *sides)[0], None


class Merge(_Primitive):
    """Passes on the input that is alive, and says which it was.

    In a loop the second input is set when the loop is closed: see `Node.set_input`.
    """

    role = Role.MERGE
    aliases = True

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return the spec that covers all inputs, and an int32 scalar."""
        if not inputs:
            raise InvalidArgumentError(
                "Merge: inputs is empty; give one tensor at least"
            )
        for other in inputs[1:]:
            if other.dtype is not inputs[0].dtype:
                raise DTypeError(
                    f"Merge: inputs of different dtypes, {inputs[0]} and {other}"
                )
        return reduce(join, inputs).without_value(), TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, *inputs: Array) -> tuple[Array, Array]:
        """Return the only living input and its position; the runner hands over just that one."""
        raise InvalidArgumentError(
            "Merge runs on the dataflow machine only: runner='frames'"
        )

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Return the gradient for the input that was passed on; what leads to others is dead."""
        if any(_made_by(x, Enter, NextIteration) for x in call.inputs):
            return super().grad(call, *dys)
        dy, number = dys[0], call.outputs[1]
        return tuple(
            [
                None if dy is None else calls(Switch(), dy, equal(number, i))[1]
                for i in range(len(call.inputs))
            ]
        )


def _made_by(x: Tensor, *kinds: type[Op]) -> bool:
    return isinstance(x, SymbolicTensor) and isinstance(x.node.op, kinds)


class Enter(_Passing):
    """Brings a value into the frame of a loop; a constant one into every iteration."""

    role = Role.ENTER
    frame_name: str
    is_constant: bool = False
    parallel_iterations: int = 10

    def infer(self, data: TensorSpec) -> TensorSpec:
        """Return the input's spec, with its value only if that is the same in every turn."""
        return data if self.is_constant else data.without_value()


class Exit(_Passing):
    """Brings a value out of a loop's frame, when the loop has ended."""

    role = Role.EXIT


class NextIteration(_Passing):
    """Hands a value to the next iteration of its loop."""

    role = Role.NEXT


class LoopCond(Op):
    """Marks the condition of a loop; true lets it go on."""

    role = Role.LOOP_COND
    aliases = True
    differentiable = False

    def infer(self, input: TensorSpec) -> TensorSpec:
        """Return a bool scalar; DTypeError for anything else."""
        _check_condition(self, "input", input)
        return input.without_value()

    def kernel(self, xp: Xp, input: Array) -> Array:
        """Return the condition."""
        return input


class NoOp(Op):
    """Nothing at all: a place for control edges to meet."""

    differentiable = False
    orders: bool = True
    """Whether what waits for it has to; otherwise it says so in a graph, and runs do not."""

    def infer(self) -> tuple[TensorSpec, ...]:
        """Return no output."""
        return ()

    def kernel(self, xp: Xp) -> tuple[Array, ...]:
        """Return nothing."""
        return ()


class Reached(Op):
    """What the predicate of a branch is where this stands; `holds` says in which of the two."""

    holds: bool = True

    effect = Effect.DRAW
    differentiable = False

    def infer(self) -> TensorSpec:
        """Return the spec of a truth value."""
        return TensorSpec((), dtypes.bool_)

    def kernel(self, xp: Xp) -> Array:
        """Return the truth value, in host memory."""
        return np.bool_(self.holds)


class ControlTrigger(NoOp):
    """Nothing, when all that it waits for has been, dead or alive."""

    outlives = True


def _check_condition(op: Op, argument: str, given: TensorSpec) -> None:
    if given.dtype is not dtypes.bool_ or given.rank not in (0, None):
        raise DTypeError(
            f"{op.name}: {argument} must be a bool of shape [], not {given.dtype.name}"
            f"{shape_text(given.shape)}; compare the value with something first"
        )
