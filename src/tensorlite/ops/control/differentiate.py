"""Derivatives by function: custom_gradient, recompute_grad, grad, hessian, gradients of a graph.

The tape is graph/tape.py, the sweep graph/backprop.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from tensorlite.core import nest, operand
from tensorlite.core.check import a_function
from tensorlite.core.dispatch import (
    Interpreter,
    Tensors,
    calls,
    current,
    run,
    to_tensor,
)
from tensorlite.core.errors import (
    GradientError,
    GradientUseError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Call, Effect, Gradient, Grads, Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.graph import backprop
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.tape import (
    GradientTape,
    owner_of,
    packed_gradients,
    source_of,
    starting_gradients,
)
from tensorlite.graph.trace import Tracer, outermost
from tensorlite.ops.arrays.arrange import permute_dims
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.control.bundles import given_or_zeros, zeros_of
from tensorlite.ops.control.functional import map_fn
from tensorlite.ops.control.raising import passes_primitives, raise_control_flow
from tensorlite.ops.math.compare import equal
from tensorlite.ops.math.reduce import prod
from tensorlite.ops.sparse.slices import densify

__all__ = [
    "custom_gradient",
    "grad",
    "gradients",
    "hessian",
    "recompute_grad",
    "value_and_grad",
]

P = ParamSpec("P")
R = TypeVar("R")


class CustomGradient(Op):
    """The first inputs themselves; their gradient is sent, by a function, to the other inputs."""

    by_dtype = True
    aliases = True
    function: Callable[..., Any]
    number: int
    """How many inputs are results; the others are what they were computed from."""
    variables: int = 0
    """How many of the last inputs are handles of variables."""

    @property
    def effect(self) -> Effect:  # type: ignore[override]
        """Whether it stands for reads of variables, which tapes then watch."""
        return Effect.READ if self.variables else Effect.NONE

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the results' specs."""
        return inputs[: self.number]

    def kernel(self, xp: Xp, *inputs: Array) -> tuple[Array, ...]:
        """Return the results."""
        return inputs[: self.number]

    def grad(self, call: Call, *dys: Tensor | None) -> Grads:
        """Return what the function makes of the gradients."""
        flows = [
            given_or_zeros(dy, y) for dy, y in zip(dys, call.outputs, strict=True)
        ]
        found = self.function(flows)
        wanted = len(call.inputs) - self.number
        if len(found) != wanted:
            raise GradientUseError(
                f"a custom gradient returned {len(found)} gradients for {wanted} tensor arguments "
                "and variables; return one, or None, for each"
            )
        converted = [_as_gradient(dx) for dx in found]
        return (*[None] * self.number, *converted)


def _as_gradient(dx: Any) -> Gradient:
    return dx if dx is None or isinstance(dx, IndexedSlices) else to_tensor(dx)


class VariableWatcher(Interpreter):
    """Notes which trainable variables are read."""

    def __init__(self) -> None:
        self.handles: dict[int, Tensor] = {}

    def variables(self) -> list[Any]:
        """Return those of them that a program holds, in the order of their first reading."""
        owners = map(owner_of, self.handles.values())
        return [x for x in owners if x is not None]

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`."""
        self._note(op, inputs)
        return run(self.below, op, inputs)

    def observe(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:
        """Note what a graph reads once for all who use it: its variables."""
        self._note(op, inputs)
        if self.below is not None:
            self.below.observe(op, inputs, outputs)

    def _note(self, op: Op, inputs: Tensors) -> None:
        if op.effect is Effect.READ or op.regions():
            self.handles.update({id(x): x for x in inputs if x.spec.trainable})


def custom_gradient(
    function: Callable[P, tuple[R, Callable[..., Any]]],
) -> Callable[P, R]:
    """Return a function whose gradient is what `function` says it is.

    `function` returns its result and a function that takes one gradient for each tensor of the
    result and returns one, or None, for each tensor argument (positional ones; their structures
    are flattened), or for each argument, those that are no tensors included. If it reads
    trainable variables, the gradient function has a parameter `variables`, gets the list of them
    by it, and returns the pair of the arguments' and of the variables' gradients. Gradients of
    higher order differentiate the gradient function.

    >>> @tl.custom_gradient
    ... def clipped(x):
    ...     return x * 2.0, lambda dy: tl.clip(dy * 2.0, -1.0, 1.0)
    >>> tl.grad(clipped)(tl.asarray(3.0)).item()
    1.0
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        found: R = differentiated_by(function, args, kwargs)
        return found

    return call


def differentiated_by(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    passes: bool = False,
) -> Any:
    """Return what a function makes of arguments, whose gradient it says beside.

    Where the operator `passes` the arguments on as well it is TensorFlow 1's node.
    """
    converted: Any = nest.map_structure(_to_operand, list(args))
    leaves = nest.flatten(converted)
    places = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
    tensors = [leaves[i] for i in places]
    with VariableWatcher() as watcher:
        result, gradient = function(*converted, **kwargs)
    outputs = [to_tensor(y) for y in nest.flatten(result)]
    handles = list(watcher.handles.values())
    pull = _with_variables(gradient, handles, function)
    passed = [*outputs, *tensors] if passes else outputs

    def pulled(dys: list[Tensor]) -> list[Gradient]:
        flows = pull(dys[: len(outputs)])
        if len(flows) != len(leaves) + len(handles):
            return flows
        return [*(flows[i] for i in places), *flows[len(leaves) :]]

    op = CustomGradient(pulled, len(passed), len(handles))
    found = calls(op, *passed, *tensors, *handles)
    return nest.pack_like(result, list(found[: len(outputs)]))


def _to_operand(leaf: Any) -> Any:
    return to_tensor(leaf) if isinstance(leaf, (Operand, float)) else leaf


def _with_variables(
    gradient: Callable[..., Any], handles: list[Tensor], function: Callable[..., Any]
) -> Callable[[list[Tensor]], list[Gradient]]:
    """Return a gradient function that returns a flat list, of arguments' then variables'."""
    if not handles:
        return lambda dys: _listed(gradient(*dys))
    parameters = signature(gradient).parameters.values()
    if not any(x.name == "variables" or x.kind is x.VAR_KEYWORD for x in parameters):
        raise GradientUseError(
            f"{getattr(function, '__name__', function)} reads {len(handles)} trainable variables, "
            "and its gradient function has no parameter `variables` to be told of them"
        )

    owners = [owner_of(x) for x in handles]
    read = [x if own is None else own for x, own in zip(handles, owners, strict=True)]

    def pull(dys: list[Tensor]) -> list[Gradient]:
        arguments, variables = gradient(*dys, variables=read)
        return [*_listed(arguments), *_listed(variables)]

    return pull


def _listed(found: Any) -> list[Gradient]:
    if isinstance(found, (list, tuple)):
        return [leaf for one in found for leaf in _listed(one)]
    return [found]


class Recompute(Op):
    """The first inputs, unlike any others: what is computed of them is not merged with others."""

    effect = Effect.DRAW
    aliases = True
    number: int
    """How many inputs are passed on; the others are waited for only."""

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of what is passed on."""
        return inputs[: self.number]

    def kernel(self, xp: Xp, *inputs: Array) -> tuple[Array, ...]:
        """Return the first inputs."""
        return inputs[: self.number]

    def grad(self, call: Call, *dys: Tensor | None) -> Grads:
        """Return the gradients as they are."""
        return (*dys, *[None] * (len(call.inputs) - self.number))


def recompute_grad(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose gradient computes it once more, instead of keeping what it computed.

    Source: Chen et al. 2016, "Training deep nets with sublinear memory cost".

    >>> square = tl.recompute_grad(lambda x: x * x)
    >>> tl.grad(square)(tl.asarray(3.0)).item()
    6.0
    """

    def recomputed(*args: Any, **kwargs: Any) -> Any:
        def gradient(*dys: Tensor, variables: Sequence[Tensor] = ()) -> Any:
            leaves = nest.flatten(args)
            places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
            given = [leaves[i] for i in places]
            again = calls(Recompute(len(given)), *given, *dys) if given else ()
            for i, x in zip(places, again, strict=True):
                leaves[i] = x
            sources = [x for x in again if x.dtype.is_differentiable]
            with GradientTape() as tape:
                tape.watch(sources)
                result = function(*nest.pack_like(args, leaves), **kwargs)
            found = tape.gradient(
                result, (sources, list(variables)), nest.pack_like(result, [*dys])
            )
            mine = iter(found[0])
            grads = [next(mine) if x.dtype.is_differentiable else None for x in again]
            return (grads, found[1]) if variables else grads

        return _unrecorded(lambda: function(*args, **kwargs)), gradient

    return wraps(function)(custom_gradient(recomputed))


def _unrecorded(function: Callable[[], R]) -> R:
    """Return what a function returns while no tape records."""
    tape = _first_tape()
    if tape is None:
        return function()
    with tape.stop_recording():
        return _unrecorded(function)


def _first_tape() -> GradientTape | None:
    interpreter = current.get()
    while interpreter is not None:
        if isinstance(interpreter, GradientTape) and interpreter.recording:
            return interpreter
        interpreter = interpreter.below
    return None


def jacobian_rows(
    pull: Callable[[Tensor], list[Gradient]], y: Tensor, xs: list[Tensor], batch: bool
) -> list[Tensor]:
    """Return the Jacobians of `y` by `xs`, one sweep `pull` for each element of a row of `y`."""
    if batch:
        _check_batch(y, xs)
    shape = shape_of(y)
    own = shape[1:] if batch else shape
    number = prod(own)

    def row(i: Tensor) -> list[Tensor]:
        one = reshape(astype(equal(arange(number), i), y.dtype), own)
        found = pull(one + zeros_of(y))
        return [_dense(dx, x) for dx, x in zip(found, xs, strict=True)]

    rows = map_fn(row, arange(number))
    return [_placed(dx, shape, batch) for dx in rows]


def _check_batch(y: Tensor, xs: list[Tensor]) -> None:
    """Raise ShapeError unless target and sources have a first axis of one size."""
    for x in xs:
        sizes = [None if t.spec.shape is None else t.spec.shape[:1] for t in (y, x)]
        known = [size for size in sizes if size is not None and size != (None,)]
        if () in known or len(set(known)) > 1:
            raise ShapeError(
                f"batch_jacobian of {y.spec} by {x.spec}: both need a first axis of one size, the "
                "batch; use tape.jacobian"
            )


def _dense(dx: Gradient, x: Tensor) -> Tensor:
    if dx is None:
        return zeros_of(x)
    return densify(dx) if isinstance(dx, IndexedSlices) else dx


def _placed(dx: Tensor, shape: Tensor, batch: bool) -> Tensor:
    """Return the rows of a Jacobian in the target's shape."""
    tail = shape_of(dx)[1:]
    if not batch:
        return reshape(dx, concat([shape, tail]))
    columns = reshape(dx, concat([shape[1:], tail]))
    rank = len(shape.spec.vector() or ()) - 1
    axes = list(range(len(columns.shape)))
    return permute_dims(columns, [rank, *axes[:rank], *axes[rank + 1 :]])


def value_and_grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., Any]:
    """Return a function that gives `function`'s result and its gradient by some arguments.

    `argnums` tells which positional arguments: one gives its gradient, several a tuple. Arguments
    may be structures. A result that is no scalar is summed.

    >>> y, dx = tl.value_and_grad(lambda x: x * x)(tl.asarray(3.0))
    >>> print(y, dx)
    9.0 6.0
    """
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def call(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        if any(not -len(args) <= place < len(args) for place in places):
            raise InvalidArgumentError(
                f"argnums={argnums} of {len(args)} positional arguments"
            )
        given = list(args)
        for place in places:
            given[place] = nest.map_structure(_to_operand, given[place])
        sources = [given[place] for place in places]
        with GradientTape() as tape:
            tape.watch(sources)
            result = function(*given, **kwargs)
        found = tape.gradient(result, sources, unconnected="zero")
        return result, found[0] if isinstance(argnums, int) else tuple(found)

    return call


def grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0
) -> Callable[..., Any]:
    """Return a function that gives the gradient of `function` by some of its arguments.

    >>> print(tl.grad(tl.grad(lambda x: x * x * x))(tl.asarray(2.0)))
    12.0
    """
    both = value_and_grad(a_function(function, "grad: function"), argnums)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def hessian(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return a function that gives the second derivatives of a scalar function of one tensor.

    >>> print(tl.hessian(lambda x: x[0] * x[0] * x[1])(tl.asarray([2.0, 3.0])))
    [[6. 4.]
     [4. 0.]]
    """

    def call(x: Any, *args: Any, **kwargs: Any) -> Tensor:
        tensor = to_tensor(x)
        with GradientTape() as tape:
            tape.watch(tensor)
            first = grad(function)(tensor, *args, **kwargs)
        found: Tensor = tape.jacobian(first, tensor, unconnected="zero")
        return found

    return call


def gradients(
    ys: Any, xs: Any, output_gradients: Any = None, stop_gradients: Any = ()
) -> Any:
    """Return the gradients of `ys` by `xs` in the graph being traced, None where no path leads.

    Tensors in `stop_gradients` count as constants: with `xs` among them the gradients are partial
    ones.

    Loops and conditionals of primitives, as graphs that were read have them, become While and If
    nodes first, whose results their Exits and Merges then show. GradientError when code runs
    eagerly, where nothing is remembered: use tl.GradientTape. Source: `tf.gradients`.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = graph.add_input(tl.TensorSpec(()))
    ...     dx = tl.gradients(x * x, x)
    >>> dx.dtype
    tl.float32
    """
    tracer = outermost()
    if tracer is None:
        raise GradientError(
            "tl.gradients works on a graph; eagerly, use tl.GradientTape"
        )
    targets = [tracer.own(source_of(y)) for y in nest.flatten(ys)]
    flows = starting_gradients(targets, output_gradients)
    if passes_primitives(targets):
        raise_control_flow(tracer.graph)
    sources = [source_of(x) for x in nest.flatten(xs)]
    stops = [source_of(x) for x in nest.flatten(stop_gradients)]
    found = _traced_gradients(tracer, targets, sources, flows, stops)
    return packed_gradients(xs, iter(found), densify)


def _traced_gradients(
    tracer: Tracer,
    targets: Sequence[Tensor],
    sources: Sequence[Tensor | None],
    flows: Sequence[Gradient],
    stops: Sequence[Tensor],
) -> list[Gradient]:
    """Return gradients in the graph of a trace, and through what it captures in those around.

    What flows into a tensor that was captured goes on there, by operators that are traced here.
    None among the sources stands for what lies further inside, which has its gradients.
    """
    around, own = tracer.around(), tracer.graph

    def is_outside(x: Tensor | None) -> bool:
        is_held = isinstance(x, SymbolicTensor) and x.node.graph is not own
        return is_held and around is not None

    outside = [x if is_outside(x) else None for x in sources]
    inside = [None if x is None or is_outside(x) else tracer.own(x) for x in sources]
    captured = [
        (outer, inner)
        for outer, inner in tracer.captures.values()
        if is_outside(outer) and inner.dtype.is_differentiable
    ]
    asked = [x for x in inside if x is not None] + [inner for _, inner in captured]
    stopped = {id(tracer.own(x)) for x in stops if not is_outside(x)}
    swept = backprop.gradients(tuple(own.nodes), targets, asked, flows, stopped)
    found = iter(swept)
    made = [None if x is None else next(found) for x in inside]
    passed = [
        (x, dx) for (x, _), dx in zip(captured, found, strict=True) if dx is not None
    ]
    if around is None or not passed or not any(x is not None for x in outside):
        return made
    outer = [around.own(x) for x, _ in passed]
    further = _traced_gradients(
        around,
        outer,
        outside,
        [dx for _, dx in passed],
        [x for x in stops if is_outside(x)],
    )
    return [_sum(x, y) for x, y in zip(made, further, strict=True)]


def _sum(x: Gradient, y: Gradient) -> Gradient:
    """Return the sum of two gradients, of which either may be none."""
    if x is None or y is None:
        return y if x is None else x
    total: Gradient = operand.operators.accumulate([x, y])
    return total
