"""Control flow: the primitives on references, and operators with functions of the library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls, constant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, join
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.attributes import Called
from tensorlite.interop.tensorflow.references import Reference
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.identity import IdentityN
from tensorlite.ops.control.assertions import Assert
from tensorlite.ops.control.dataflow import Enter, Exit, Merge, NextIteration, Switch
from tensorlite.ops.control.differentiate import CustomGradient, gradients
from tensorlite.ops.control.loops import while_loop
from tensorlite.ops.control.regions import If, PartitionedCall, While
from tensorlite.ops.math.compare import (
    Equal,
    NotEqual,
    logical_and,
    logical_or,
    not_equal,
)
from tensorlite.ops.state.resource import ReadVariableOp

ROUNDS = 10
"""How often the shapes of a loop's variables may be widened."""


def _passed(op: Op, given: Given) -> Values:
    """Pass a reference on through a primitive: what goes through is the handle."""
    first = given.reference(0)
    handles = [_handle(given, 0)]
    rest = [given.tensor(i) for i in range(1, len(given.values))]
    node = given.node(op, *handles, *rest)
    return [_through(given, first, x) for x in node.outputs]


def _handle(given: Given, i: int) -> SymbolicTensor:
    return given.reference(i).handle


def _through(given: Given, first: Reference, handle: SymbolicTensor) -> Reference:
    value = given.helper(ReadVariableOp(), handle).outputs[0]
    return Reference(first.variable, handle, value, first.seen)


def _enter(given: Given) -> Values:
    """Bring a value into a frame, or a variable itself; a frame that is read twice is two."""
    op = Enter(
        given.prefix + given.typed("frame_name", str),
        given.typed("is_constant", bool),
        given.typed("parallel_iterations", int),
    )
    if given.record.op == "RefEnter":
        return _passed(op, given)
    return given.made(op, *given.tensors)


def _ref_merge(given: Given) -> Values:
    handles = [_handle(given, i) for i in range(len(given.values))]
    node = given.node(Merge(), *handles)
    first = given.reference(0)
    return [_through(given, first, node.outputs[0]), node.outputs[1]]


def _assert(given: Given) -> Values:
    given.node(Assert("", given.typed("summarize", int)), *given.tensors)
    return ()


def _specs(given: Given, first: int) -> list[TensorSpec]:
    return [x.spec.without_value() for x in given.tensors[first:]]


def _called(given: Given, name: str) -> Called:
    found: Called = given.typed(name, Called)
    return found


def _branch(given: Given, called: Called, first: int) -> Graph:
    return given.library.graph(called, _specs(given, first))


def _condition(given: Given) -> SymbolicTensor:
    x = given.tensor(0)
    if x.dtype is dtypes.bool_:
        return x
    if not x.dtype.is_numeric:
        raise GraphDefError(
            f"{given.record}: the condition is {x.spec}; a number or bool is due"
        )
    with given.graph.as_default():
        asked = not_equal(x, constant(0, x.dtype))
    assert isinstance(asked, SymbolicTensor)
    return asked


def _if(given: Given) -> Values:
    then, other = [
        _branch(given, _called(given, name), 1)
        for name in ("then_branch", "else_branch")
    ]
    given.check_attributes()
    return given.node(If(then, other), _condition(given), *given.tensors[1:]).outputs


def _while(given: Given) -> Values:
    """Make a loop; shapes that a turn changes are widened until none changes any more."""
    body_name, cond_name = _called(given, "body"), _called(given, "cond")
    specs = _specs(given, 0)
    for _ in range(ROUNDS):
        body = given.library.graph(body_name, specs)
        after = body.output_specs
        if len(after) != len(specs):
            raise GraphDefError(
                f"{given.record}: its body returns {len(after)} tensors for {len(specs)} variables"
            )
        wider = [_covering(given, x, y) for x, y in zip(specs, after, strict=True)]
        if wider == specs:
            break
        specs = wider
    else:
        raise GraphDefError(
            f"{given.record}: the shapes of its variables never settle"
        )
    cond = given.library.graph(cond_name, specs)
    turns = given.typed("parallel_iterations", int)
    given.check_attributes()
    return given.node(While(cond, body, turns), *given.tensors).outputs


def _covering(given: Given, before: TensorSpec, after: TensorSpec) -> TensorSpec:
    if before.dtype is not after.dtype:
        raise GraphDefError(
            f"{given.record}: a variable is {before} before a turn and {after} behind it"
        )
    if before.accepts(after) and join(before, after).inner == before.inner:
        return before
    return join(before, after)


def _call(given: Given) -> Values:
    graph = _branch(given, _called(given, "f"), 0)
    given.check_attributes()
    return given.node(PartitionedCall(Compiled(graph)), *given.tensors).outputs


def _call_of(key: str, first: int, behind: int, given: Given) -> Values:
    """Call a function with some of the inputs: others say where, or how many at a time."""
    inputs = given.tensors[first : len(given.values) - behind]
    specs = [x.spec.without_value() for x in inputs]
    graph = given.library.graph(_called(given, key), specs)
    return given.node(PartitionedCall(Compiled(graph)), *inputs).outputs


def _counted_loop(given: Given) -> Values:
    """Run a function for each number of a range, on what it gave for the one before."""
    called = _called(given, "body")
    specs = [TensorSpec((), dtypes.int32), *_specs(given, 3)]
    graph = given.library.graph(called, specs)
    given.check_attributes()

    def counted(start: Tensor, limit: Tensor, delta: Tensor, *xs: Tensor) -> Any:
        def goes_on(i: Tensor, *_: Tensor) -> Tensor:
            return logical_or(
                logical_and(delta > 0, i < limit), logical_and(delta < 0, i > limit)
            )

        def turn(i: Tensor, *values: Tensor) -> tuple[Tensor, ...]:
            return i + delta, *calls(PartitionedCall(Compiled(graph)), i, *values)

        return while_loop(goes_on, turn, (start, *xs))[1:]

    return given.composed(counted, *given.tensors)


def by_name(given: Given) -> Values:
    """Call the function that a node is named as, with the gradient that the library has for it."""
    name, tensors = given.record.op, given.tensors
    call = PartitionedCall(Compiled(_branch(given, Called(name), 0)))
    gradient = given.library.gradients.get(name)
    if gradient is None:
        return given.node(call, *tensors).outputs
    outputs = given.helper(call, *tensors, control=given.control).outputs

    def pull(dys: list[Tensor]) -> Sequence[Tensor]:
        inputs = [*tensors, *dys]
        specs = [x.spec.without_value() for x in inputs]
        graph = given.library.graph(Called(gradient), specs)
        return calls(PartitionedCall(Compiled(graph)), *inputs)

    op = CustomGradient(pull, len(outputs))
    return given.node(op, *outputs, *tensors).outputs


def _identities(given: Given) -> Values:
    """Return the inputs; with the gradient of the program's own, where the node names one."""
    kind = given.record.proto.attr["_gradient_op_type"].s.decode(errors="replace")
    own, tensors = given.library.own_gradients.get(kind), given.tensors
    if own is None or len(own.returned) != len(tensors):
        given.attribute("T")
        given.check_attributes()
        return given.node(IdentityN(), *tensors).outputs
    given.attribute("T")
    captured, find = own.captured, given.find

    def pull(dys: list[Tensor]) -> list[Tensor | None]:
        found_there = [find(*x) if isinstance(x, tuple) else x() for x in captured]
        inputs = [*dys, *found_there]
        specs = [x.spec.without_value() for x in inputs]
        graph = given.library.graph(Called(own.function), specs)
        found = iter(calls(PartitionedCall(Compiled(graph)), *inputs))
        return [next(found) if is_given else None for is_given in own.returned]

    given.check_attributes()
    op = CustomGradient(pull, len(tensors))
    return given.node(op, *tensors, *tensors).outputs


def _gradient(given: Given) -> Values:
    """Return the gradients of a function by what it takes, given those by what it returns."""
    called = _called(given, "f")
    told = given.library.gradients.get(called.name)
    if told is not None:
        graph = _branch(given, Called(told), 0)
        given.check_attributes()
        return given.node(PartitionedCall(Compiled(graph)), *given.tensors).outputs
    count = len(given.library.arguments(called))
    graph = given.library.graph(called, _specs(given, 0)[:count])

    def pulled(*inputs: Tensor) -> list[Tensor]:
        # The same tensor given twice is two arguments.
        xs, dys = calls(IdentityN(), *inputs[:count]), inputs[count:]
        ys = calls(PartitionedCall(Compiled(graph)), *xs)
        found = gradients(ys, xs, dys)
        return [
            zeros_like(x) if dx is None else dx
            for x, dx in zip(xs, found, strict=True)
        ]

    return given.composed(pulled, *given.tensors)


def _case(given: Given) -> Values:
    """Make a chain of conditionals; a number without a branch takes the last."""
    names = given.typed("branches", tuple)
    if not names or not all(isinstance(one, Called) for one in names):
        raise GraphDefError(
            f"{given.record}: its branches are {names!r}, no functions"
        )
    graphs = [_branch(given, one, 1) for one in names]
    index, *rest = given.tensors
    specs = [x.spec.without_value() for x in (index, *rest)]
    given.check_attributes()
    if len(graphs) == 1:
        return given.node(PartitionedCall(Compiled(graphs[0])), *rest).outputs
    other = _behind(graphs[-1], specs)
    for place in range(len(graphs) - 2, 0, -1):
        other = _chosen(place, graphs[place], other, specs)
    is_first = given.helper(Equal(), index, _number(given.graph, 0)).outputs[0]
    op = If(_behind(graphs[0], specs), other)
    return given.node(op, is_first, index, *rest).outputs


def _number(graph: Graph, number: int) -> SymbolicTensor:
    return graph.add(Const(np.array(number, np.int32)), ()).outputs[0]


def _behind(graph: Graph, specs: Sequence[TensorSpec]) -> Graph:
    """Return a graph that takes the branch's number before what a graph takes."""
    made = ManualGraph(graph.name)
    _, *rest = [made.add_input(spec) for spec in specs]
    made.outputs = list(made.add(PartitionedCall(Compiled(graph)), rest).outputs)
    return _closed(made)


def _chosen(
    place: int, graph: Graph, other: Graph, specs: Sequence[TensorSpec]
) -> Graph:
    """Return a graph that runs `graph` if it is its turn, else `other`."""
    made = ManualGraph(graph.name)
    index, *rest = [made.add_input(spec) for spec in specs]
    is_it = made.add(Equal(), (index, _number(made, place))).outputs[0]
    node = made.add(If(_behind(graph, specs), other), (is_it, index, *rest))
    made.outputs = list(node.outputs)
    return _closed(made)


def _closed(graph: ManualGraph) -> ManualGraph:
    graph.effects = [x for x in graph.nodes if x.op.effect.name in {"WRITE", "IO"}]
    graph.open = False
    return graph


def _compared(op: type[Op], given: Given) -> Values:
    """Compare; where shapes do not broadcast, an older version had an answer, which is refused."""
    given.attribute("incompatible_shape_error")
    return given.made(op(), *given.tensors)


CALLS: dict[str, Adapter] = {
    "Assert": _assert,
    "BatchFunction": partial(_call_of, "f", 0, 0),
    "Case": _case,
    "Enter": _enter,
    "Equal": partial(_compared, Equal),
    "For": _counted_loop,
    "IdentityN": _identities,
    "If": _if,
    "NotEqual": partial(_compared, NotEqual),
    "PartitionedCall": _call,
    "RefEnter": _enter,
    "RefExit": partial(_passed, Exit()),
    "RefMerge": _ref_merge,
    "RefNextIteration": partial(_passed, NextIteration()),
    "RefSwitch": partial(_passed, Switch()),
    "RemoteCall": partial(_call_of, "f", 1, 0),
    "StatefulPartitionedCall": _call,
    "StatelessCase": _case,
    "StatelessIf": _if,
    "StatelessWhile": _while,
    "SymbolicGradient": _gradient,
    "TPUPartitionedCall": partial(_call_of, "f", 0, 1),
    "While": _while,
    "XlaIf": _if,
    "XlaLaunch": partial(_call_of, "function", 0, 0),
    "XlaLaunchV2": partial(_call_of, "function", 0, 0),
    "XlaWhile": _while,
    "_If": _if,
    "_While": _while,
}
