"""Loops and conditionals of primitives become regions: what runs, and what gradients they have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.graph_mode.graph import Graph as TensorFlowsGraph
from tensorlite.ops.control.raising import DEPTH, raise_control_flow
from tests.interop.graphdefs import Called, Program, Session, Shape, counter
from tests.interop.test_reading import variable

FLOAT: dict[str, Any] = {"T": tl.float32}


def diamond(made: Program, name: str = "c", x: str = "x", p: str = "p") -> str:
    """Add a conditional that squares or negates."""
    made.node("Switch", f"{name}/s", x, p, **FLOAT)
    made.node("Neg", f"{name}/no", f"{name}/s", **FLOAT)
    made.node("Square", f"{name}/yes", f"{name}/s:1", **FLOAT)
    return made.node("Merge", f"{name}/m", f"{name}/no", f"{name}/yes", N=2, **FLOAT)


def chosen() -> Program:
    made = Program()
    made.placeholder("x", shape=())
    made.placeholder("p", tl.bool, ())
    return made


def powers(turns: int = 3, frame: str = "loop", name: str = "") -> Program:
    """Return a loop that multiplies y by x, as often as is asked."""
    made = Program()
    made.placeholder(f"{name}x", shape=())
    made.const(f"{name}zero", np.int32(0))
    made.const(f"{name}turns", np.int32(turns))
    made.floats(f"{name}one", 1.0)
    enter: dict[str, Any] = {"frame_name": frame, "parallel_iterations": 10}
    for key, source, dtype in (("i", "zero", tl.int32), ("y", "one", tl.float32)):
        made.node(
            "Enter", f"{key}/Enter", source, T=dtype, is_constant=False, **enter
        )
        made.node(
            "Merge", f"{key}/Merge", f"{key}/Enter", f"{key}/Next", N=2, T=dtype
        )
    for key, dtype in (("turns", tl.int32), ("x", tl.float32)):
        made.node("Enter", f"{key}/Enter", key, T=dtype, is_constant=True, **enter)
    made.node("Less", "less", "i/Merge", "turns/Enter", T=tl.int32)
    made.node("LoopCond", "cond", "less")
    for key, dtype in (("i", tl.int32), ("y", tl.float32)):
        made.node("Switch", f"{key}/Switch", f"{key}/Merge", "cond", T=dtype)
        made.node("Identity", f"{key}/Identity", f"{key}/Switch:1", T=dtype)
        made.node("Exit", f"{key}/Exit", f"{key}/Switch", T=dtype)
    made.const("step", np.int32(1), control=["i/Identity"])
    made.node("AddV2", "i/add", "i/Identity", "step", T=tl.int32)
    made.node("Mul", "y/mul", "y/Identity", "x/Enter", **FLOAT)
    made.node("NextIteration", "i/Next", "i/add", T=tl.int32)
    made.node("NextIteration", "y/Next", "y/mul", **FLOAT)
    return made


def regions(graph: tl.Graph) -> list[str]:
    return [node.op.name for node in graph.nodes if node.op.regions()]


def gradient(session: Session, y: str, x: str) -> Any:
    graph: Any = session.graph
    with graph.as_default():
        return tl.gradients(graph.get_tensor_by_name(y), graph.get_tensor_by_name(x))


def test_a_loop_is_differentiated() -> None:
    session = powers().session()
    dx = gradient(session, "y/Exit:0", "x:0")
    assert session.run(["y/Exit:0", dx], {"x:0": 2.0}) == [8.0, 12.0]
    assert regions(session.graph)[0] == "While"


def test_a_conditional_is_differentiated_on_both_sides() -> None:
    made = chosen()
    diamond(made)
    session = made.session()
    dx = gradient(session, "c/m:0", "x:0")
    for p, wanted in ((True, [9.0, 1, 6.0]), (False, [-3.0, 0, -1.0])):
        assert session.run(["c/m:0", "c/m:1", dx], {"x:0": 3.0, "p:0": p}) == wanted


def test_second_derivatives() -> None:
    session = powers().session()
    graph: Any = session.graph
    with graph.as_default():
        x = graph.get_tensor_by_name("x:0")
        first = tl.gradients(graph.get_tensor_by_name("y/Exit:0"), x)
        second = tl.gradients(first, x)
    assert session.run(second, {"x:0": 2.0}) == 12.0


def test_what_is_inside_is_there_under_its_name_before_and_after() -> None:
    made = chosen()
    diamond(made)
    session = made.session()
    feeds = {"x:0": 3.0, "p:0": True}
    assert session.run("c/yes:0", feeds) == 9.0
    assert session.run("c/m:0", {"c/yes:0": 5.0, **feeds}) == 5.0
    gradient(session, "c/m:0", "x:0")
    assert session.run("c/yes:0", feeds) == 9.0


def test_nothing_is_raised_that_no_gradient_goes_through() -> None:
    made = powers()
    made.node("Neg", "other", "x", **FLOAT)
    session = made.session()
    gradient(session, "other:0", "x:0")
    assert regions(session.graph) == []


def test_conditionals_inside_each_other_and_in_loops() -> None:
    made = chosen()
    diamond(made, "inner", "outer/s:1", "outer/p:1")
    made.node("Switch", "outer/s", "x", "p", **FLOAT)
    made.node("Switch", "outer/p", "p", "p", T=tl.bool)
    made.node("Exp", "outer/no", "outer/s", **FLOAT)
    made.node("Merge", "m", "outer/no", "inner/m", N=2, **FLOAT)
    session = made.session()
    dx = gradient(session, "m:0", "x:0")
    found = session.run(dx, {"x:0": 3.0, "p:0": True})
    assert found == 6.0
    other = session.run(dx, {"x:0": 0.0, "p:0": False})
    assert other == 1.0


def test_a_write_on_one_side_is_done_on_that_side_only() -> None:
    made = chosen()
    variable(made, "v", 1.0)
    made.node("Switch", "s", "x", "p", **FLOAT)
    made.node("RefSwitch", "vs", "v", "p", **FLOAT)
    made.node("AssignAdd", "add", "vs:1", "s:1", **FLOAT)
    made.node("Identity", "no", "s", **FLOAT)
    made.node("Merge", "m", "no", "add", N=2, **FLOAT)
    made.node("Identity", "after", "v", control=["m"], **FLOAT)
    session = made.session()
    raise_control_flow(session.graph)
    assert regions(session.graph) == ["If"]
    session.run("v/Assign")
    assert session.run(["m:0", "after:0"], {"x:0": 3.0, "p:0": True}) == [4.0, 4.0]
    assert session.run(["m:0", "after:0"], {"x:0": 9.0, "p:0": False}) == [9.0, 4.0]


def test_a_read_behind_a_conditional_write_is_there_though_nothing_was_written() -> (
    None
):
    made = chosen()
    variable(made, "v", 1.0)
    made.node("RefSwitch", "vs", "v", "p", **FLOAT)
    made.node("Switch", "s", "x", "p", **FLOAT)
    made.node("AssignAdd", "add", "vs:1", "s:1", **FLOAT)
    made.node("Identity", "no", "s", **FLOAT)
    made.node("Merge", "m", "no", "add", N=2, **FLOAT)
    made.node("Identity", "after", "v", control=["m"], **FLOAT)
    session = made.session()
    session.run("v/Assign")
    assert session.run("after:0", {"x:0": 3.0, "p:0": False}) == 1.0
    assert session.run("after:0", {"x:0": 3.0, "p:0": True}) == 4.0


def test_what_two_conditionals_would_do_twice_stays_as_it_is() -> None:
    made = chosen()
    variable(made, "v", 1.0)
    made.node("RefSwitch", "vs", "v", "p", **FLOAT)
    made.node("Switch", "s", "x", "p", **FLOAT)
    made.node("AssignAdd", "add", "vs:1", "s:1", **FLOAT)
    made.node("Neg", "first", "s", **FLOAT)
    made.node("Merge", "m", "first", "add", N=2, **FLOAT)
    made.node("Switch", "again", "m", "p", **FLOAT)
    made.node("AddV2", "yes", "again:1", "add", **FLOAT)
    made.node("Merge", "n", "again", "yes", N=2, **FLOAT)
    session = made.session()
    assert not raise_control_flow(session.graph)
    session.run("v/Assign")
    assert session.run("n:0", {"x:0": 3.0, "p:0": True}) == 8.0


@pytest.mark.parametrize("waits", [(), ("first",)])
def test_a_variable_that_two_conditionals_read_is_read_before(
    waits: tuple[str, ...],
) -> None:
    """As networks' own gradients are, of layers that train or do not by a switch."""
    made = chosen()
    variable(made, "v", 2.0, "VarHandleOp")
    made.node("Switch", "vs", "v", "p", T=tl.resource)
    made.node("Switch", "s", "x", "p", **FLOAT)
    made.node("Neg", "first", "s:1", **FLOAT)
    made.node("ReadVariableOp", "read", "vs:1", dtype=tl.float32, control=list(waits))
    made.node("Mul", "product", "first", "read", **FLOAT)
    made.node("Merge", "m", "s", "product", N=2, **FLOAT)
    made.node("Switch", "again", "m", "p", **FLOAT)
    made.node("Mul", "yes", "again:1", "read", **FLOAT)
    made.node("Merge", "n", "again", "yes", N=2, **FLOAT)
    session = made.session()
    session.run("v/Assign")
    if waits:
        assert not raise_control_flow(session.graph)
    else:
        dx = gradient(session, "n:0", "x:0")
        assert regions(session.graph)[:2] == ["If", "If"]
        assert session.run(dx, {"x:0": 3.0, "p:0": True}) == -4.0
        assert session.run(dx, {"x:0": 3.0, "p:0": False}) == 1.0
    assert session.run(["n:0", "read:0"], {"x:0": 3.0, "p:0": True}) == [-12.0, 2.0]


def test_an_effect_that_no_merge_needs_is_on_its_side_and_waited_for() -> None:
    made = chosen()
    variable(made, "v", 1.0)
    diamond(made)
    made.node("RefSwitch", "vs", "v", "p", **FLOAT)
    made.node("AssignAdd", "add", "vs:1", "c/yes", **FLOAT)
    made.node("ControlTrigger", "done", control=["add"])
    made.node("Identity", "after", "v", control=["done"], **FLOAT)
    session = made.session()
    session.run("v/Assign")
    dx = gradient(session, "c/m:0", "x:0")
    assert regions(session.graph)[0] == "If"
    for p, wanted in ((True, [9.0, 6.0, 10.0]), (False, [-3.0, -1.0, 10.0])):
        found = session.run(["c/m:0", dx, "after:0"], {"x:0": 3.0, "p:0": p})
        assert found == wanted


def test_a_conditional_and_its_own_gradient_in_the_graph() -> None:
    made = chosen()
    diamond(made)
    made.node("Switch", "back", "c/m", "p", **FLOAT)
    made.node("Neg", "back/no", "back", **FLOAT)
    made.node("Mul", "back/yes", "back:1", "c/yes", **FLOAT)
    made.node("Merge", "back/m", "back/no", "back/yes", N=2, **FLOAT)
    session = made.session()
    raise_control_flow(session.graph)
    assert regions(session.graph) == ["If", "If"]
    for p, wanted in ((True, 81.0), (False, 3.0)):
        assert session.run("back/m:0", {"x:0": 3.0, "p:0": p}) == wanted


def test_a_switch_that_no_merge_ends_has_the_gradient_of_its_side() -> None:
    made = chosen()
    made.node("Switch", "s", "x", "p", **FLOAT)
    made.node("Square", "yes", "s:1", **FLOAT)
    session = made.session()
    dx = gradient(session, "yes:0", "x:0")
    for chosen_side, wanted in ((True, 6.0), (False, 0.0)):
        assert session.run(dx, {"x:0": 3.0, "p:0": chosen_side}) == wanted


def test_a_loop_whose_values_leave_without_an_exit_stays_as_it_is() -> None:
    made = powers()
    made.node("Neg", "out", "y/Switch", **FLOAT)
    made.node("Exit", "out/Exit", "out", **FLOAT)
    session = made.session()
    assert not raise_control_flow(session.graph)
    assert session.run("y/Exit:0", {"x:0": 2.0}) == 8.0


def test_a_loop_in_which_the_condition_counts_calls_stays_as_it_is() -> None:
    made = powers()
    variable(made, "v", 0.0)
    for node in made.proto.node:
        if node.name == "less":
            node.input.append("^calls")
    made.node(
        "RefEnter",
        "v/Enter",
        "v",
        frame_name="loop",
        is_constant=True,
        parallel_iterations=1,
        **FLOAT,
    )
    made.floats("unit", 1.0)
    made.node("AssignAdd", "calls", "v/Enter", "unit", control=["i/Merge"], **FLOAT)
    session = made.session()
    raise_control_flow(session.graph)
    session.run("v/Assign")
    assert session.run("y/Exit:0", {"x:0": 2.0}) == 8.0
    assert session.run("v:0") == 4.0  # three turns, and the question that ended them


def test_loops_of_one_frame_are_read_twice_into_one_graph() -> None:
    graph = tl.Graph()
    for name in ("a", "b"):
        tl.interop.tensorflow.from_graphdef(powers().bytes(), graph, name=name)
    session = Session(graph)
    dx = [gradient(session, f"{name}/y/Exit:0", f"{name}/x:0") for name in "ab"]
    fetches = ["a/y/Exit:0", "b/y/Exit:0", *dx]
    assert session.run(fetches, {"a/x:0": 2.0, "b/x:0": 3.0}) == [
        8.0,
        27.0,
        12.0,
        27.0,
    ]


def test_arrays_of_tensors_have_gradients_of_their_own_in_every_sweep() -> None:
    made = Program()
    made.placeholder("x", shape=(3, 2))
    made.const("three", np.int32(3))
    made.const("all", np.arange(3, dtype=np.int32))
    made.const("one", np.int32(1))
    array: dict[str, Any] = {"dtype": tl.float32, "element_shape": Shape((2,))}
    made.node("TensorArrayV3", "ta", "three", clear_after_read=False, **array)
    made.node("TensorArrayScatterV3", "put", "ta", "all", "x", "ta:1", **FLOAT)
    made.node("TensorArrayReadV3", "row", "ta", "one", "put", dtype=tl.float32)
    made.node("TensorArrayGatherV3", "rows", "ta", "all", "put", **array)
    made.node("Square", "y", "rows", **FLOAT)
    session = made.session()
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    both = [gradient(session, name, "x:0") for name in ("row:0", "y:0")]
    row, square = session.run(both, {"x:0": x})
    np.testing.assert_array_equal(row, [[0, 0], [1, 1], [0, 0]])
    np.testing.assert_array_equal(square, 2 * x)


def test_functions_of_a_library_are_raised_as_they_are_read() -> None:
    made = chosen()
    inner = made.function("f", {"x": 1, "p": 10}, {"y": (1, "c/m:output:0")})
    for node in chosen_nodes():
        inner._nodes.add().CopyFrom(node)
    kinds: dict[str, Any] = {"Tin": (tl.float32, tl.bool), "Tout": (tl.float32,)}
    made.node("PartitionedCall", "call", "x", "p", f=Called("f"), **kinds)
    session = made.session()
    dx = gradient(session, "call:0", "x:0")
    for p, wanted in ((True, 6.0), (False, -1.0)):
        assert session.run(dx, {"x:0": 3.0, "p:0": p}) == wanted


def chosen_nodes() -> Any:
    """Return the nodes of a conditional as they are named in functions."""
    made = Program()
    diamond(made)
    for node in made.proto.node:
        given = [x.replace("c/s:1", "c/s:output_true:0") for x in node.input]
        node.input[:] = [
            {
                "c/s": "c/s:output_false:0",
                "c/no": "c/no:y:0",
                "c/yes": "c/yes:y:0",
            }.get(x, x)
            for x in given
        ]
    return made.proto.node


def test_raising_undoes_lowering() -> None:
    @tl.function
    def f(x: Any) -> Any:
        total = 0.0
        while x < 100.0:
            if x > 10.0:
                total = total + x
            x = x * 2.0
        return total

    graph = f.get_concrete_function(tl.TensorSpec((), tl.float32)).lowered
    gone = raise_control_flow(graph)
    (loop,) = [x for x in graph.nodes if x.op.regions() and x not in gone]
    body = loop.op.regions()[1]
    assert [node.op.name for node in body.nodes if node.op.regions()] == ["If"]


def test_a_loop_that_was_counted_runs_the_same_when_raised() -> None:
    made = Program()
    counter(made)
    session = made.session()
    raise_control_flow(session.graph)
    for n in (0, 1, 7):
        found = session.run(["i/Exit:0", "s/Exit:0"], {"n:0": n})
        assert found == [n, n * (n - 1) / 2]


def test_in_a_graph_that_names_as_tensorflow_does() -> None:
    graph = TensorFlowsGraph()
    for name in ("import", "import_1"):
        tl.interop.tensorflow.from_graphdef(powers().bytes(), graph, name)
    session = Session(graph)
    dx = gradient(session, "import/y/Exit:0", "import/x:0")
    assert session.run(dx, {"import/x:0": 2.0}) == 12.0
    assert session.run("import_1/y/Exit:0", {"import_1/x:0": 3.0}) == 27.0


def test_a_loop_that_waits_for_a_queue_stays_as_it_is() -> None:
    made = powers()
    kinds: dict[str, Any] = {"component_types": (tl.float32,), "shapes": (Shape(()),)}
    made.node("FIFOQueueV2", "q", capacity=3, container="", shared_name="", **kinds)
    made.node(
        "Enter",
        "q/Enter",
        "q",
        T=tl.resource,
        frame_name="loop",
        is_constant=True,
        parallel_iterations=1,
    )
    made.node(
        "QueueDequeueV2",
        "taken",
        "q/Enter",
        control=["i/Identity"],
        component_types=(tl.float32,),
        timeout_ms=-1,
    )
    for node in made.proto.node:
        if node.name == "y/Next":
            node.input.append("^taken")
    made.node(
        "QueueEnqueueV2", "put", "q", "x", Tcomponents=(tl.float32,), timeout_ms=-1
    )
    session = made.session()
    assert not raise_control_flow(session.graph)
    for _ in range(3):
        session.run("put", {"x:0": 1.0})
    assert session.run("y/Exit:0", {"x:0": 2.0}) == 8.0


def test_a_nest_without_end_is_raised_as_far_as_is_reasonable() -> None:
    made = chosen()
    x, p, depth = "x", "p", DEPTH + 10
    for i in range(depth):
        made.node("Switch", f"s{i}", x, p, **FLOAT)
        made.node("Switch", f"p{i}", p, p, T=tl.bool)
        x, p = f"s{i}:1", f"p{i}:1"
    y = x
    for i in reversed(range(depth)):
        made.node("Neg", f"no{i}", f"s{i}", **FLOAT)
        y = made.node("Merge", f"m{i}", f"no{i}", y, N=2, **FLOAT)
    session = made.session()
    raise_control_flow(session.graph)
    assert regions(session.graph).count("If") == DEPTH
    for p_, wanted in ((True, 3.0), (False, -3.0)):
        assert session.run("m0:0", {"x:0": 3.0, "p:0": p_}) == wanted
