"""Graphs as bytes: what travels and how exactly, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite import optimizers
from tensorlite.core import dtypes
from tensorlite.core.constant import Const
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import GraphError
from tensorlite.core.op import REGISTRY, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.attributes import Encoder
from tensorlite.graph.graph import Graph, Node, Placeholder, SymbolicTensor
from tensorlite.graph.text import to_text
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.ops.control.regions import If, PartitionedCall
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.passes.verify import verify
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import execute, run_plan
from tests.programs import (
    FLOAT,
    INT,
    assert_all_agree,
    collatz,
    graph_of,
    loop_in_branch,
    nested,
    swapping,
)
from tests.runtime.test_frames import two_nested_frames
from tests.runtime.test_structured import factorial


def sent(graph: Graph) -> Graph:
    """Return what comes out of a graph's bytes, which must be as good as the graph."""
    data = to_bytes(graph)
    found = from_bytes(data)
    assert to_text(found) == to_text(graph)
    assert to_bytes(found) == data
    return verify(found)


def scalar(value: float, dtype: tl.DType = tl.float32) -> np.ndarray[Any, Any]:
    return np.asarray(value, dtype.numpy)


PROGRAMS = [
    pytest.param(collatz, [INT], [scalar(27, tl.int32)], id="collatz"),
    pytest.param(nested, [INT, FLOAT], [scalar(4, tl.int32), scalar(1)], id="nested"),
    pytest.param(
        swapping,
        [INT, FLOAT, FLOAT],
        [scalar(3, tl.int32), scalar(1), scalar(2)],
        id="swapping",
    ),
    pytest.param(
        loop_in_branch,
        [TensorSpec((), tl.bool), FLOAT],
        [scalar(1, tl.bool), scalar(3)],
        id="loop_in_branch",
    ),
]


@pytest.mark.parametrize(("program", "specs", "given"), PROGRAMS)
def test_control_flow_travels_and_runs_on_every_runner(
    program: Callable[..., Any], specs: Sequence[TensorSpec], given: Sequence[Any]
) -> None:
    graph = graph_of(program, specs)
    assert_all_agree(sent(graph), tuple(given))
    wanted = run_plan(compile_plan(graph), given)
    for passes in (OPTIMISE, COMPILE):
        found = sent(run_passes(graph, passes))
        assert run_plan(compile_plan(found), given) == wanted
        assert run_plan(compile_plan(found), given, "frames") == wanted


def test_gradients_of_loops_travel() -> None:
    def slope(n: tl.Tensor, x: tl.Tensor) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * x), (0, x))[1]
        return tape.gradient(y, x)

    graph, given = graph_of(slope, [INT, FLOAT]), [scalar(3, tl.int32), scalar(2)]
    wanted = run_plan(compile_plan(graph), given)
    assert wanted == (32,)
    assert run_plan(compile_plan(sent(graph)), given) == wanted
    assert run_plan(compile_plan(sent(run_passes(graph, COMPILE))), given) == wanted


def test_a_loop_closed_by_hand_travels() -> None:
    graph, feeds, fetches = two_nested_frames()
    values = [3.0, 1.0, True]
    graph.inputs = list(feeds)
    found = sent(graph)
    wanted = execute(graph, dict(zip(feeds, values, strict=True)), fetches)
    given = dict(zip(found.inputs, values, strict=True))
    assert execute(found, given, found.outputs) == wanted


def test_recursive_functions_travel() -> None:
    found = sent(factorial())
    (branch,) = [node.op for node in found.nodes if isinstance(node.op, If)]
    (call,) = [
        node.op
        for node in branch.else_branch.nodes
        if isinstance(node.op, PartitionedCall)
    ]
    assert call.f.graph is found
    for passes in ((), OPTIMISE, COMPILE):
        plan = compile_plan(run_passes(found, passes))
        assert run_plan(plan, [scalar(6, tl.int32)]) == (720,)


def test_a_function_that_is_called_twice_is_one_function() -> None:
    inner = tl.function(lambda x: x * 2.0)
    graph = graph_of(lambda x: inner(inner(x)), [FLOAT])
    found = sent(graph)
    first, second = [
        node.op for node in found.nodes if isinstance(node.op, PartitionedCall)
    ]
    assert first.f is second.f
    assert run_plan(compile_plan(found), [scalar(3)]) == (12,)
    with pytest.raises(GraphError, match="compile the graph that calls it"):
        first.kernel(np, scalar(3))


def test_names_devices_lines_effects_and_order_travel() -> None:
    v = tl.Variable([1.0, 2.0])

    def step(x: tl.Tensor) -> tl.Tensor:
        with tl.device("/job:ps/task:1/device:CPU:0"), tl.name_scope("update"):
            with tl.control_dependencies([v.assign_add(x)]):
                after = v.value()
            return after * 2.0

    graph = tl.Graph("step")
    with graph.as_default():
        y = step(graph.add_input(TensorSpec((2,)), name="x"))
        assert isinstance(y, SymbolicTensor)
        graph.outputs = [y]
    found = sent(graph)
    assert [node.name for node in found.nodes] == [node.name for node in graph.nodes]
    assert [node.line for node in found.nodes] == [node.line for node in graph.nodes]
    assert DeviceName("ps", None, 1, "CPU", 0) in [
        node.device for node in found.nodes
    ]
    (write,) = found.effects
    (read,) = [node for node in found.nodes if write in node.control]
    assert (write.op.name, read.op.name) == ("AssignAddVariableOp", "ReadVariableOp")
    assert found.add(Placeholder(FLOAT), (), name=write.name).name != write.name
    given = [
        np.ones(2, np.float32) if x.dtype is tl.float32 else v.handle.array
        for x in found.inputs
    ]
    assert run_plan(compile_plan(found), given)[0].tolist() == [4, 6]
    assert v.numpy().tolist() == [2, 3]


def test_specs_travel_with_what_is_known() -> None:
    handle = TensorSpec((), tl.float32, "v", trainable=True)
    specs = [
        TensorSpec(
            None, dtypes.variant, None, (handle, TensorSpec((None, 3), tl.bfloat16))
        ),
        TensorSpec((3,), tl.int64, "sizes", known=(1, None, -1)),
        TensorSpec((), tl.int32, known=7),
    ]
    graph = Graph("g")
    graph.outputs = [graph.add_input(spec) for spec in specs]
    for x, spec in zip(sent(graph).outputs, specs, strict=True):
        assert (x.spec, x.spec.known) == (spec, spec.known)


ARRAYS = [
    *[
        np.asarray([[0, 1, 2], [3, 4, 100]]).astype(dtype.numpy)
        for dtype in dtypes.NUMERIC
    ],
    np.asarray([True, False]),
    np.asarray([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32),
    np.asarray(["a\0\ud800", b"\xff\0", "ü"], object),
    np.asarray("", object),
    np.zeros((2, 0, 3), np.complex64),
    np.arange(12, dtype=np.int16).reshape(3, 4).T[::2],
    np.asarray(1.5 - 2j),
]


def test_a_spec_of_another_class_travels_as_the_spec_it_is() -> None:
    class Named(TensorSpec):
        __slots__ = ()

    encoder = Encoder()
    assert encoder.value(Named((2, None))) == encoder.value(TensorSpec((2, None)))


@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_constants_of_every_dtype_travel_bit_by_bit(
    array: np.ndarray[Any, Any],
) -> None:
    graph = Graph("g")
    graph.outputs = [graph.add(Const(array), ()).outputs[0]]
    found = sent(graph).nodes[0].op
    assert isinstance(found, Const)
    assert (found.value.dtype, found.value.shape) == (array.dtype, array.shape)
    same = found.value.tolist() == array.tolist()
    assert same if array.dtype == object else found.value.tobytes() == array.tobytes()


def test_an_array_that_several_constants_hold_travels_once() -> None:
    array = np.zeros(10_000, np.float32)
    graph = Graph("g")
    for name in ("a", "b"):
        graph.nodes.append(Node(graph, Const(array), (), [TensorSpec((10_000,))]))
        graph.nodes[-1].name = name
    assert len(to_bytes(graph)) < 41_000
    first, second = sent(graph).nodes
    assert first.op.attributes()["value"] is second.op.attributes()["value"]


@dataclass(frozen=True)
class _Holding:
    """Something of this process, that a graph cannot take along."""


class Holder(Op):
    """An operator with an attribute of any kind."""

    content: Any

    def infer(self) -> TensorSpec:
        return FLOAT


VALUES = [
    *[
        None,
        True,
        0,
        -1,
        10**30,
        0.1,
        -0.0,
        float("inf"),
        float("-inf"),
        1 - 2.5j,
        "",
        "a\ud800",
    ],
    *[b"\x00\xff", (), (1, (2.0, "x")), [1, [None]], {}, {"a": (1,), 2: [b""]}],
    *[
        tl.bfloat16,
        TensorSpec(None, tl.string),
        DeviceName("ps", 1, 2, "GPU", 0),
        Holder((1,)),
    ],
    complex(float("inf"), -0.0),
]


def holding(content: Any) -> Graph:
    graph = Graph("g")
    node = Node(graph, Holder(content), (), [FLOAT])
    node.name = "it"
    graph.nodes.append(node)
    return graph


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_attributes_of_every_kind_travel(value: Any) -> None:
    (node,) = sent(holding(value)).nodes
    found = node.op.attributes()["content"]
    assert type(found) is type(value)
    assert found == value
    assert repr(found) == repr(value)


def test_nan_travels() -> None:
    (node,) = sent(holding(float("nan"))).nodes
    assert np.isnan(node.op.attributes()["content"])


FOREIGN = [
    pytest.param(_Holding(), "object of type _Holding", id="object"),
    pytest.param(len, "Python function len", id="function"),
    pytest.param((1, {"a": print}), "Python function print", id="inside"),
    pytest.param(tl.asarray(1.0), "pass it as an input", id="tensor"),
    pytest.param(np.asarray([_Holding()]), "object of type _Holding", id="array"),
    pytest.param({1.5: 1}, "strings or ints", id="key"),
    pytest.param(DeviceName("a job"), "cannot be read", id="device"),
]


@pytest.mark.parametrize(("value", "reason"), FOREIGN)
def test_what_cannot_travel_is_named(value: Any, reason: str) -> None:
    with pytest.raises(GraphError, match=reason) as caught:
        to_bytes(holding(value))
    assert str(caught.value).startswith(
        "it (Holder), made at ?:0 in ?(), cannot be written"
    )
    assert "its attribute 'content'" in str(caught.value)


def test_the_line_of_a_python_function_is_told() -> None:
    def program(x: tl.Tensor) -> Any:
        return cond(x > 0, lambda: tl.py_function(abs, [x], tl.float32), lambda: x)

    pattern = r"EagerPyFunc.* made at .*test_wire.py:\d+ in .*'func'.*abs .*where it was traced"
    with pytest.raises(GraphError, match=pattern):
        to_bytes(graph_of(program, [FLOAT]))


def test_a_handle_inside_a_program_is_refused() -> None:
    handle = np.empty((), object)
    handle[()] = tl.Variable(1.0).handle.array
    with pytest.raises(GraphError, match="state of this process; pass its handle"):
        to_bytes(holding(handle))


def test_tensors_of_other_graphs_are_refused() -> None:
    graph, other = Graph("one"), Graph("other")
    x = other.add_input(FLOAT)
    graph.outputs = [x]
    with pytest.raises(GraphError, match="one uses arg:0, which is of other"):
        to_bytes(graph)
    graph.outputs, graph.effects = [], [x.node]
    with pytest.raises(GraphError, match="one waits for arg of other"):
        to_bytes(graph)


def test_operators_of_one_name_are_told_apart() -> None:
    def another() -> Op:
        class Holder(Op):
            """Another of this name, which hides the first."""

            content: Any

        return Holder(1)

    graph = holding(1)
    try:
        assert another().name == "Holder"
        with pytest.raises(GraphError, match="hidden by another of its name"):
            to_bytes(graph)
    finally:
        REGISTRY["Holder"] = Holder
    sent(graph)


def test_sparse_updates_travel_with_their_rule() -> None:
    table = tl.Variable(np.ones((4, 2), np.float32))
    optimizer = optimizers.Adagrad(0.5)

    @tl.function
    def step(rows: tl.Tensor) -> None:
        with tl.GradientTape() as tape:
            loss = tl.sum(tl.gather(table, rows))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    step(tl.asarray([1]))
    concrete = step.get_concrete_function(TensorSpec((1,), tl.int32))
    found = sent(run_passes(concrete.graph, COMPILE))
    assert "SparseApply" in [node.op.name for node in found.nodes]
    before = table.numpy().copy()
    run_plan(
        compile_plan(found),
        [np.asarray([2], np.int32), *[x.array for x in concrete.captured]],
    )
    assert (table.numpy() != before).any(axis=1).tolist() == [
        False,
        False,
        True,
        False,
    ]


def test_a_gradient_of_ones_own_stays_behind_when_the_graph_is_made_ready() -> None:
    w = tl.Variable(3.0)

    @tl.custom_gradient
    def scaled(x: Any) -> Any:
        y = tl.abs(x)
        return (y * w, y), lambda dy, dz, variables: (
            dy + dz,
            [dy for _ in variables],
        )

    program = tl.function(
        lambda x: tl.cond(x > 0, lambda: scaled(x)[0], lambda: scaled(-x)[1])
    )
    concrete = program.get_concrete_function(FLOAT)
    with pytest.raises(GraphError, match=r"CustomGradient.*the Python function"):
        to_bytes(concrete.graph)
    handles = [x.array for x in concrete.captured]
    for passes in (OPTIMISE, COMPILE):
        plan = compile_plan(sent(run_passes(concrete.graph, passes, verified=True)))
        assert run_plan(plan, [scalar(2), *handles]) == (6,)
        assert run_plan(plan, [scalar(-2), *handles]) == (2,)
    x = tl.asarray(2.0)
    assert float(tl.grad(program)(x)) == 1
