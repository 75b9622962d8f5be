"""GraphDefs become graphs that run: names, order, references, loops, functions, state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tensorlite.graph_mode.graph import Graph as TensorFlowsGraph, name_scope
from tensorlite.interop.tensorflow import from_graphdef
from tensorlite.interop.tensorflow.messages import message
from tests.interop.graphdefs import ANY, Called, Program, Shape

FLOAT, INT, BOOL = 1, 3, 10


def test_names_and_equal_nodes_are_kept() -> None:
    made = Program()
    x = made.placeholder("in/x", shape=(2,))
    made.node("Square", "a", x, T=tl.float32)
    made.node("Square", "b", x, T=tl.float32)
    made.node("AddV2", "out", "a", "b:0", control=["a"], T=tl.float32)
    session = made.session()
    assert [node.name for node in session.graph.nodes] == ["in/x", "a", "b", "out"]
    assert [
        one.name for one in session.graph.get_operation_by_name("out").control
    ] == ["a"]
    np.testing.assert_array_equal(
        session.run("out:0", {"in/x:0": [1.0, 2.0]}), [2.0, 8.0]
    )


def test_nodes_may_stand_in_any_order_and_under_a_name() -> None:
    made = Program()
    made.node("Neg", "y", "x", T=tl.float32)
    made.floats("x", 3.0)
    graph = tl.Graph()
    tl.interop.tensorflow.from_graphdef(made.proto, graph, name="below")
    assert tl.Session(graph).run("below/y:0") == -3.0


def test_a_tensor_may_stand_for_another() -> None:
    made = Program()
    made.floats("x", 3.0)
    made.node("Neg", "y", "x", T=tl.float32)
    graph = tl.Graph()
    with graph.as_default():
        own = tl.constant(5.0)
    assert isinstance(own, tl.SymbolicTensor)
    tl.interop.tensorflow.from_graphdef(made.proto, graph, input_map={"x": own})
    assert tl.Session(graph).run("y:0") == -5.0


def variable(
    made: Program, name: str, value: float, kind: str = "VariableV2"
) -> None:
    first = made.floats(f"{name}/initial", value)
    common: dict[str, Any] = {
        "dtype": tl.float32,
        "shape": Shape(()),
        "shared_name": "",
        "container": "",
    }
    made.node(kind, name, **common)
    if kind == "VariableV2":
        made.node(
            "Assign", f"{name}/Assign", name, first, T=tl.float32, use_locking=True
        )
        made.node("Identity", f"{name}/read", name, T=tl.float32)
    else:
        made.node("AssignVariableOp", f"{name}/Assign", name, first, dtype=tl.float32)
        made.node("ReadVariableOp", f"{name}/read", name, dtype=tl.float32)


@pytest.mark.parametrize("kind", ["VariableV2", "VarHandleOp"])
def test_variables_keep_values_from_run_to_run(kind: str) -> None:
    made = Program()
    variable(made, "v", 1.0, kind)
    add = {"VariableV2": "AssignAdd", "VarHandleOp": "AssignAddVariableOp"}[kind]
    key = {"VariableV2": "T", "VarHandleOp": "dtype"}[kind]
    types: dict[str, Any] = {key: tl.float32}
    made.floats("two", 2.0)
    made.node(add, "add", "v", "two", **types)
    session, other = made.session(), made.session()
    with pytest.raises(FailedPreconditionError, match="has no value"):
        session.run("v/read:0")
    session.run("v/Assign")
    for _ in range(2):
        session.run("add")
    assert session.run("v/read:0") == 5.0
    with pytest.raises(FailedPreconditionError):
        other.run("v/read:0")


def test_who_comes_after_a_write_sees_it_though_the_reference_was_read_before() -> (
    None
):
    made = Program()
    variable(made, "v", 1.0)
    made.floats("two", 2.0)
    made.node("AssignAdd", "add", "v", "two", T=tl.float32)
    made.node("Identity", "after", "v/read", control=["add"], T=tl.float32)
    made.node("Mul", "product", "add", "two", T=tl.float32)
    made.node("AssignAdd", "again", "add", "two", T=tl.float32)
    made.node("Neg", "both", "again", T=tl.float32)
    session = made.session()
    session.run("v/Assign")
    assert session.run("after:0") == 3.0
    assert session.run("product:0") == 10.0
    assert session.run("both:0") == -9.0


def test_counting_ends_at_the_limit() -> None:
    made = Program()
    made.const("zero", np.int32(0))
    made.node(
        "VariableV2",
        "n",
        dtype=tl.int32,
        shape=Shape(()),
        shared_name="",
        container="",
    )
    made.node("Assign", "init", "n", "zero", T=tl.int32)
    made.node("CountUpTo", "count", "n", limit=2, T=tl.int32)
    made.node("IsVariableInitialized", "is", "n", dtype=tl.int32)
    session = made.session()
    assert not session.run("is:0")
    session.run("init")
    assert [int(session.run("count:0")) for _ in range(2)] == [0, 1]
    with pytest.raises(OutOfRangeError, match="limit of 2"):
        session.run("count:0")


def test_switch_and_merge() -> None:
    made = Program()
    x, p = made.placeholder("x", shape=()), made.placeholder("p", tl.bool, ())
    made.node("Switch", "s", x, p, T=tl.float32)
    made.node("Neg", "no", "s", T=tl.float32)
    made.node("Square", "yes", "s:1", T=tl.float32)
    made.node("Merge", "m", "no", "yes", N=2, T=tl.float32)
    session = made.session()
    assert session.run(["m:0", "m:1"], {"x:0": 3.0, "p:0": True}) == [9.0, 1]
    assert session.run(["m:0", "m:1"], {"x:0": 3.0, "p:0": False}) == [-3.0, 0]
    with pytest.raises(InvalidArgumentError, match="dead"):
        session.run("yes:0", {"x:0": 3.0, "p:0": False})


@pytest.mark.parametrize("chosen", [True, False])
def test_a_merge_waits_for_what_both_sides_do_and_lives_by_its_inputs(
    chosen: bool,
) -> None:
    """As TensorFlow lowers conditionals whose sides only check something."""
    made = Program()
    made.floats("x", 3.0)
    made.placeholder("p", tl.bool, ())
    made.node("Switch", "s", "x", "p", T=tl.float32)
    for place, name in enumerate(("f", "t")):
        made.node("Identity", name, f"s:{place}", T=tl.float32)
        made.node("NoOp", f"done_{name}", control=[name])
    made.node("Merge", "y", "f", "t", control=["done_f", "done_t"], N=2, T=tl.float32)
    made.node("NoOp", "both", control=["y"])
    made.node("Identity", "z", "x", control=["both"], T=tl.float32)
    found = made.session().run(["y:0", "y:1", "z:0"], {"p:0": chosen})
    assert [float(one) for one in found] == [3.0, float(chosen), 3.0]


def test_a_constant_of_a_graph_that_was_read_is_fed() -> None:
    made = Program()
    made.floats("x", 3.0)
    made.floats("same", 3.0)
    made.node("AddV2", "y", "x", "same", T=tl.float32)
    session = made.session()
    assert session.run("y:0", {"same:0": 5.0}) == 8.0
    assert session.run("y:0") == 6.0


def functions() -> Program:
    """Return functions that double, negate, and repeat with a count to three."""
    made = Program()
    body = made.function(
        "body",
        {"i": INT, "x": FLOAT},
        {"j": (INT, "add:z:0"), "y": (FLOAT, "call:output:0")},
    )
    body.const("one", np.int32(1))
    body.node("AddV2", "add", "i", "one:output:0", T=tl.int32)
    kinds: dict[str, Any] = {"Tin": (tl.float32,), "Tout": (tl.float32,)}
    body.node("PartitionedCall", "call", "x", f=Called("twice"), **kinds)
    twice = made.function("twice", {"x": FLOAT}, {"y": (FLOAT, "add:z:0")})
    twice.node("AddV2", "add", "x", "x", T=tl.float32)
    cond = made.function("cond", {"i": INT, "x": FLOAT}, {"go": (BOOL, "less:z:0")})
    cond.const("three", np.int32(3))
    cond.node("Less", "less", "i", "three:output:0", T=tl.int32)
    negative = made.function("negative", {"x": FLOAT}, {"y": (FLOAT, "neg:y:0")})
    negative.node("Neg", "neg", "x", T=tl.float32)
    made.placeholder("x", shape=(None,))
    return made


def test_functions_repeat() -> None:
    made = functions()
    made.const("zero", np.int32(0))
    loop: dict[str, Any] = {"cond": Called("cond"), "body": Called("body")}
    made.node("StatelessWhile", "w", "zero", "x", T=(tl.int32, tl.float32), **loop)
    found = made.session().run("w:1", {"x:0": [1.0, 2.0]})
    np.testing.assert_array_equal(found, [8.0, 16.0])


def test_a_node_is_the_gradient_of_a_function() -> None:
    made = functions()
    cube = made.function("cube", {"x": FLOAT, "y": FLOAT}, {"z": (FLOAT, "mul:z:0")})
    cube.node("Square", "square", "x", T=tl.float32)
    cube.node("Mul", "mul", "square:y:0", "x", T=tl.float32)
    made.floats("dz", 2.0, 2.0)
    kinds: dict[str, Any] = {"Tin": (tl.float32,) * 3, "Tout": (tl.float32,) * 2}
    made.node("SymbolicGradient", "dx", "x", "x", "dz", f=Called("cube"), **kinds)
    got = made.session().run(["dx:0", "dx:1"], {"x:0": [1.0, 2.0]})
    np.testing.assert_array_equal(got, [[6.0, 24.0], [0.0, 0.0]])


def test_the_gradient_of_a_function_may_be_a_function_of_the_program() -> None:
    made = functions()
    steep = made.function(
        "steep", {"x": FLOAT, "dy": FLOAT}, {"dx": (FLOAT, "mul:z:0")}
    )
    steep.const("five", np.float32(5))
    steep.node("Mul", "times", "x", "five:output:0", T=tl.float32)
    steep.node("Mul", "mul", "times:z:0", "dy", T=tl.float32)
    made.proto.library.gradient.add(function_name="twice", gradient_func="steep")
    made.floats("dy", 1.0, 10.0)
    kinds: dict[str, Any] = {"Tin": (tl.float32,) * 2, "Tout": (tl.float32,)}
    made.node("SymbolicGradient", "dx", "x", "dy", f=Called("twice"), **kinds)
    got = made.session().run("dx:0", {"x:0": [1.0, 2.0]})
    np.testing.assert_array_equal(got, [5.0, 100.0])


def test_functions_are_chosen() -> None:
    made = functions()
    made.placeholder("p", tl.bool, ())
    made.placeholder("i", tl.int32, ())
    kinds: dict[str, Any] = {"Tin": (tl.float32,), "Tout": (tl.float32,)}
    one, other = Called("twice"), Called("negative")
    made.node(
        "If",
        "if",
        "p",
        "x",
        Tcond=tl.bool,
        then_branch=one,
        else_branch=other,
        **kinds,
    )
    made.node("Case", "case", "i", "x", branches=(other, one, other), **kinds)
    session = made.session()
    for wanted, p in ((2.0, True), (-1.0, False)):
        assert session.run("if:0", {"x:0": [1.0], "p:0": p}) == wanted
    for wanted, i in ((-1.0, 0), (2.0, 1), (-1.0, 2), (-1.0, 5)):
        assert session.run("case:0", {"x:0": [1.0], "i:0": i}) == wanted


def test_a_queue_gives_what_it_was_given() -> None:
    made = Program()
    kinds: dict[str, Any] = {
        "component_types": (tl.float32,),
        "shapes": (Shape((2,)),),
    }
    made.node("FIFOQueueV2", "q", capacity=3, container="", shared_name="", **kinds)
    made.placeholder("x", shape=(2,))
    made.node(
        "QueueEnqueueV2", "put", "q", "x", Tcomponents=(tl.float32,), timeout_ms=-1
    )
    made.node(
        "QueueDequeueV2", "take", "q", component_types=(tl.float32,), timeout_ms=-1
    )
    made.node("QueueSizeV2", "size", "q")
    session = made.session()
    session.run("put", {"x:0": [1.0, 2.0]})
    assert session.run("size:0") == 1
    np.testing.assert_array_equal(session.run("take:0"), [1.0, 2.0])


def test_arrays_and_stacks_live_in_one_step() -> None:
    made = Program()
    made.const("two", np.int32(2))
    made.const("places", np.array([0, 1], np.int32))
    made.placeholder("x", shape=(2, 3))
    made.node("TensorArrayV3", "a", "two", dtype=tl.float32, element_shape=ANY)
    made.node("TensorArrayScatterV3", "w", "a", "places", "x", "a:1", T=tl.float32)
    made.node("TensorArrayGradV3", "g", "a", "w", source="gradients")
    for i in range(2):
        made.node(
            "TensorArrayScatterV3", f"g{i}", "g", "places", "x", "g:1", T=tl.float32
        )
    made.const("one", np.int32(1))
    made.node("TensorArrayReadV3", "r", "g", "one", "sum", dtype=tl.float32)
    made.node("AddV2", "sum", "g0", "g1", T=tl.float32)
    made.node(
        "TensorArrayGatherV3",
        "all",
        "a",
        "places",
        "w",
        dtype=tl.float32,
        element_shape=ANY,
    )
    made.const("any", np.int32(-1))
    made.node("StackV2", "s", "any", elem_type=tl.float32, stack_name="")
    made.node("StackPushV2", "push", "s", "x", T=tl.float32)
    made.node("StackPopV2", "pop", "s", control=["push"], elem_type=tl.float32)
    session = made.session()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for _ in range(2):
        read, stacked, popped = session.run(["r:0", "all:0", "pop:0"], {"x:0": x})
        np.testing.assert_array_equal(read, 2 * x[1])
        np.testing.assert_array_equal(stacked, x)
        np.testing.assert_array_equal(popped, x)


def test_what_is_saved_is_restored(tmp_path: object) -> None:
    made = Program()
    variable(made, "v", 4.0)
    made.const("path", np.array(f"{tmp_path}/model", object))
    made.const("names", np.array(["v"], object))
    made.const("slices", np.array([""], object))
    made.node("SaveV2", "save", "path", "names", "slices", "v", dtypes=(tl.float32,))
    made.node("RestoreV2", "load", "path", "names", "slices", dtypes=(tl.float32,))
    made.node("Assign", "restore", "v", "load", T=tl.float32)
    made.floats("none", 0.0)
    made.node("Assign", "clear", "v", "none", T=tl.float32)
    session = made.session()
    for target in ("v/Assign", "save", "clear"):
        session.run(target)
    assert session.run("v:0") == 0.0
    session.run("restore")
    assert session.run("v:0") == 4.0


def test_draws_of_a_seed_are_tensorflows() -> None:
    made = Program()
    made.const("shape", np.array([3], np.int32))
    made.node(
        "RandomUniform",
        "u",
        "shape",
        seed=87654321,
        seed2=7,
        dtype=tl.float32,
        T=tl.int32,
    )
    session, other = made.session(), made.session()
    first, second = session.run("u:0"), session.run("u:0")
    np.testing.assert_array_equal(first, other.run("u:0"))
    assert (first != second).all()


def test_adam_follows_its_powers() -> None:
    made = Program()
    for name, value in (("w", 1.0), ("m", 0.0), ("v", 0.0)):
        variable(made, name, value)
    given = {
        "b1p": 0.9,
        "b2p": 0.999,
        "lr": 0.1,
        "b1": 0.9,
        "b2": 0.999,
        "eps": 1e-8,
        "g": 0.5,
    }
    for name, number in given.items():
        made.floats(name, number)
    made.node("ApplyAdam", "apply", "w", "m", "v", *given, T=tl.float32)
    made.node("NoOp", "init", control=["w/Assign", "m/Assign", "v/Assign"])
    session = made.session()
    session.run("init")
    assert session.run("apply:0") == pytest.approx(0.9, abs=1e-6)
    assert session.run("m:0") == pytest.approx(0.05)


def test_groups_and_devices_are_kept() -> None:
    made = Program()
    made.floats("x", 1.0)
    made.node("Neg", "y", "x", device="/device:CPU:0", T=tl.float32)
    made.proto.node[1].attr["_class"].list.s.append(b"loc:@x")
    graph = tl.interop.tensorflow.from_graphdef(made.proto)
    y = graph.get_operation_by_name("y")
    assert str(y.device) == "/device:CPU:0"
    assert y.group == graph.get_operation_by_name("x").group != ""


def test_messages_bytes_and_text_are_read() -> None:
    proto = message("GraphDef")()
    proto.node.add(name="n", op="NoOp")
    for given in (proto, proto.SerializeToString(), str(proto)):
        assert tl.interop.tensorflow.from_graphdef(given).nodes[0].name == "n"


def test_what_was_read_is_differentiated() -> None:
    made = Program()
    x, y = made.placeholder("x", shape=(2,)), made.placeholder("y", shape=(2,))
    made.node("SquaredDifference", "d", x, y, T=tl.float32)
    made.const("axes", np.array([0], np.int32))
    made.node(
        "Sum", "loss", "d", "axes", T=tl.float32, keep_dims=False, Tidx=tl.int32
    )
    graph = made.session().graph
    with graph.as_default():
        found = tl.gradients(
            graph.get_tensor_by_name("loss:0"), [graph.get_tensor_by_name("x:0")]
        )
    given = {"x:0": [3.0, 1.0], "y:0": [1.0, 1.0]}
    np.testing.assert_array_equal(tl.Session(graph).run(found, given), [[4.0, 0.0]])


def test_what_waits_for_an_argument_need_not_wait() -> None:
    made = Program()
    one = made.function("one", {"x": FLOAT}, {"y": (FLOAT, "sum:z:0")})
    one.node("Identity", "same", "x", T=tl.float32)
    one.const("two", np.float32(2), control=["same"])
    one.node("AddV2", "sum", "x", "two:output:0", T=tl.float32)
    x = made.placeholder("x", shape=())
    kinds: dict[str, Any] = {"Tin": (tl.float32,), "Tout": (tl.float32,)}
    made.node(
        "StatefulPartitionedCall",
        "call",
        x,
        f=Called("one"),
        device="/device:CPU:0",
        **kinds,
    )
    made.node("Neg", "n", "call", control=["x"], T=tl.float32)
    assert made.session().run("n:0", {"x:0": 1.0}) == -3.0


def test_it_is_read_into_a_graph_that_names_as_tensorflow_does() -> None:
    graph = TensorFlowsGraph()
    made = Program()
    made.placeholder("x", shape=(2,))
    made.node("AccumulateNV2", "y", "x", "x", N=2, T=tl.float32, shape=Shape((2,)))
    made.node("Square", "z", "y", T=tl.float32, control=["w"])
    made.node("NoOp", "w")
    with graph.as_default(), name_scope("around"):
        own = tl.ones(2) * 3.0
        assert isinstance(own, tl.SymbolicTensor)
        first = from_graphdef(made.bytes(), graph, "import", {"x": own})
        again = from_graphdef(made.bytes(), graph, "import_1", {"^w": own.node})
    assert first is again is graph
    names = [node.name for node in graph.nodes]
    assert {"import/y", "import/z", "import_1/y", "import_1/x"} <= {*names}
    assert not any(name.startswith("around/import") for name in names)
    z = graph.get_operation_by_name("import_1/z")
    assert [x.name for x in z.control] == [own.node.name]
    found = tl.Session(graph).run("import/z:0")
    np.testing.assert_array_equal(found, [36.0, 36.0])
