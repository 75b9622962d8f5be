"""Placement gives each node a device that meets every constraint, or tells what contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.constant import Const
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dtypes import resource, string
from tensorlite.core.errors import DeviceError, PlacementError
from tensorlite.core.op import REGISTRY
from tensorlite.core.provenance import Line
from tensorlite.core.spec import scalar_of
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.trace import trace
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.lower import lower
from tensorlite.passes.place import Placement, place
from tensorlite.passes.units import Units
from tensorlite.passes.verify import verify
from tests.programs import FLOAT, INT, collatz, graph_of, nested

CPU, OTHER, GPU = map(DeviceName.parse, ("/cpu:0", "/cpu:1", "/gpu:0"))
DEVICES = [CPU, OTHER, GPU]
VECTOR = tl.TensorSpec((2,))
HANDLE = scalar_of(resource, VECTOR)


class Build:
    """A graph in the making, whose nodes' devices and labels a test chooses."""

    def __init__(self) -> None:
        self.graph = Graph("made")

    def input(
        self, spec: tl.TensorSpec = VECTOR, name: str = "x", at: str = ""
    ) -> SymbolicTensor:
        """Return a new input."""
        line = self.line()
        x = self.graph.add_input(spec, name)
        x.node.device, x.node.line = DeviceName.parse(at), line
        return x

    def node(
        self,
        op: str,
        *inputs: SymbolicTensor,
        at: str = "",
        group: str = "",
        **kept: Any,
    ) -> SymbolicTensor:
        """Return the output of a new node."""
        node = self.graph.add(
            REGISTRY[op](**kept),
            inputs,
            device=DeviceName.parse(at),
            group=group,
            line=self.line(),
        )
        return node.outputs[0]

    def line(self) -> Line:
        """Return the line of the next node, one after the other."""
        return Line("model.py", len(self.graph.nodes) + 1, "f")

    def devices(self, default: DeviceName = CPU, **options: Any) -> dict[str, str]:
        """Return where placement puts each node."""
        placed = place(self.graph, DEVICES, default, **options)
        return {node.name: str(node.device)[8:] for node in placed.nodes}

    def conflict(
        self, devices: Sequence[DeviceName] = DEVICES, **options: Any
    ) -> str:
        """Return the text of the PlacementError that placing raises."""
        with pytest.raises(PlacementError) as raised:
            place(self.graph, devices, devices[0], **options)
        return str(raised.value)


def every(graph: Graph) -> Iterator[Node]:
    """Yield the nodes of a graph and of its inner graphs."""
    for node in graph.nodes:
        yield node
        for region in node.op.regions():
            yield from every(region)


def test_what_asks_for_nothing_goes_to_the_default_and_scopes_are_met() -> None:
    made = Build()
    x = made.input()
    y = made.node("Exp", x)
    made.node("Sin", y, at="/cpu:1")
    made.node("Cos", y, at="/gpu:*")
    assert made.devices() == {
        "x": "CPU:0",
        "Exp": "CPU:0",
        "Sin": "CPU:1",
        "Cos": "GPU:0",
    }
    assert made.devices(GPU)["Exp"] == "GPU:0"


def test_a_partial_name_leaves_the_nearest_to_the_default() -> None:
    made = Build()
    made.node("Exp", made.input(), at="/device:CPU:*")
    assert made.devices(OTHER)["Exp"] == "CPU:1"
    assert made.devices(GPU)["Exp"] == "CPU:0"


def test_nodes_of_one_label_stand_together() -> None:
    made = Build()
    x = made.input()
    made.node("Exp", x, group="a")
    made.node("Sin", x, group="b")
    made.node("Cos", x, group="a", at="/cpu:1")
    found = made.devices()
    assert (found["Exp"], found["Sin"], found["Cos"]) == ("CPU:1", "CPU:0", "CPU:1")


def test_operators_on_a_handle_stand_where_it_is_whatever_scope_they_are_in() -> None:
    made = Build()
    w = made.input(HANDLE, "w")
    x = made.node("ReadVariableOp", w, at="/gpu:0")
    made.node("Exp", x, at="/gpu:0")
    made.node("AssignAddVariableOp", w, x)
    found = made.devices(given=[OTHER])
    assert found["ReadVariableOp"] == found["AssignAddVariableOp"] == "CPU:1"
    assert found["Exp"] == "GPU:0"
    assert made.devices()["w"] == "GPU:0"  # nothing tells where it is but its users


def test_a_generator_goes_with_its_user_and_a_shape_with_its_input() -> None:
    made = Build()
    x = made.node("Exp", made.input(), at="/cpu:1")
    made.node("Shape", x)
    made.node("Identity", x)
    made.node("Sin", x)
    found = made.devices()
    assert found["Shape"] == found["Identity"] == "CPU:1"
    assert found["Sin"] == "CPU:0"
    shape = made.graph.add(Const(np.asarray([2], np.int32)), ()).outputs[0]
    empty = made.node("EmptyTensorList", shape, shape, element_dtype=tl.float32)
    made.node("TensorListLength", empty, at="/cpu:1")
    assert made.devices()["EmptyTensorList"] == "CPU:1"
    made.node("TensorListStack", empty, shape, element_dtype=tl.float32)
    assert made.devices()["EmptyTensorList"] == "CPU:0"  # of two users neither has it


def test_constants_tie_nothing_and_go_with_most_of_their_users() -> None:
    made = Build()
    x = made.input()
    two = made.graph.add(Const(np.asarray([2.0, 3.0], np.float32)), ()).outputs[0]
    for op, device in (("Mul", "/gpu:0"), ("AddV2", "/cpu:1"), ("Sub", "/cpu:1")):
        made.node(op, x, two, at=device)
    assert made.devices()["Const"] == "CPU:1"
    two.node.device = GPU
    assert made.devices()["Const"] == "GPU:0"


def test_inner_nodes_go_where_their_branch_or_loop_is() -> None:
    graph = graph_of(nested, [INT, FLOAT])
    (loop,) = [node for node in graph.nodes if node.op.name == "While"]
    loop.device = OTHER
    placed = verify(place(graph, DEVICES, CPU))
    inside = [node for node in every(placed) if node.graph is not placed]
    assert {node.device for node in inside} == {OTHER}


def test_an_inner_node_may_be_elsewhere_and_its_value_follows_its_users() -> None:
    graph = graph_of(nested, [INT, FLOAT])
    product = next(node for node in every(graph) if node.op.name == "Mul")
    product.device = GPU
    placed = verify(place(graph, DEVICES, CPU))
    found = next(node for node in every(placed) if node.op.name == "Mul")
    assert found.device == GPU
    assert found.inputs[0].node.op.name == "Placeholder"
    assert found.inputs[0].node.device == GPU
    rest = [
        node
        for node in every(placed)
        if node.op.name not in ("Mul", "Placeholder", "Const")
    ]
    assert {node.device for node in rest} == {CPU}


def test_a_handle_is_followed_into_a_loop() -> None:
    with tl.device("/cpu:0"):
        w = tl.Variable([1.0, 2.0])

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        def turn(i: tl.Tensor, y: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            return i + 1, cond(i > 0, lambda: y * w, lambda: y)

        return [while_loop(lambda i, _: i < 3, turn, (0, x))[1]]

    graph = trace(program, [VECTOR]).graph
    placed = verify(place(graph, DEVICES, GPU, given=[ANYWHERE, CPU]))
    for node in every(placed):
        on_handle = "R" in [x.dtype.kind for x in (*node.inputs, *node.outputs)]
        if on_handle and not node.op.regions():
            assert node.device == CPU
        elif node.op.name == "Mul":
            assert node.device == GPU


def test_graphs_of_primitives_with_cycles_are_placed() -> None:
    graph = lower(graph_of(collatz, [INT]))
    for node in graph.nodes:
        if node.op.name == "FloorDiv":
            node.device = OTHER
    placed = verify(place(graph, DEVICES, CPU))
    assert [node.name for node in placed.nodes] == [node.name for node in graph.nodes]
    by_name = {node.name: node for node in placed.nodes}
    for node in graph.nodes:
        assert by_name[node.name].op == node.op
        assert [x.name for x in by_name[node.name].inputs] == [
            x.name for x in node.inputs
        ]
    assert by_name["FloorDiv"].device == OTHER


def test_the_given_graph_is_left_as_it_was() -> None:
    graph = graph_of(nested, [INT, FLOAT])
    before = [(node, node.device, node.op, node.inputs) for node in every(graph)]
    place(graph, DEVICES, GPU)
    assert before == [
        (node, node.device, node.op, node.inputs) for node in every(graph)
    ]


def test_what_acts_or_holds_strings_is_on_cpus_only() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        tl.print(x)
        return [tl.exp(x)]

    made = Build()
    made.node("Identity", made.input(tl.TensorSpec((), string)))
    assert made.devices(GPU)["Identity"] == "CPU:0"
    placed = place(trace(program, [VECTOR]).graph, DEVICES, GPU)
    found = {node.op.name: node.device for node in placed.nodes}
    assert found["PrintPieces"] == CPU
    assert found["Exp"] == GPU


def test_a_copy_is_where_it_copies_to() -> None:
    made = Build()
    y = made.node("Copy", made.input(), device="/gpu:0", at="/cpu:1")
    made.node("Exp", y)
    found = made.devices()
    assert (found["Copy"], found["Exp"]) == ("GPU:0", "CPU:0")


def test_a_call_may_take_handles_of_several_devices() -> None:
    v, w = tl.Variable(1.0), tl.Variable(2.0)
    inner = tl.function(lambda x: x * v + w)
    traced = trace(lambda x: [inner(x)], [FLOAT])
    given = [ANYWHERE, GPU, OTHER]
    found = [
        node.device for node in place(traced.graph, DEVICES, CPU, given=given).nodes
    ]
    assert found.count(GPU) == found.count(OTHER) == 1
    assert set(found) == set(DEVICES)


def test_a_handle_that_comes_out_of_a_loop_is_the_one_that_went_in() -> None:
    def swap(i: tl.Tensor, a: tl.Tensor, b: tl.Tensor) -> tuple[tl.Tensor, ...]:
        return i + 1, b, a

    def program(a: tl.Tensor, b: tl.Tensor) -> list[tl.Tensor]:
        first = while_loop(lambda i, *_: i < 3, swap, (0, a, b))[1]
        return [tl.raw_ops.ReadVariableOp(handle=first)]

    graph = trace(program, [HANDLE, HANDLE]).graph
    found = {
        n.op.name: n.device
        for n in place(graph, DEVICES, CPU, given=[GPU, GPU]).nodes
    }
    assert found["ReadVariableOp"] == GPU
    with pytest.raises(PlacementError, match="gives its handle to"):
        place(graph, DEVICES, CPU, given=[GPU, CPU])


def test_the_machine_at_hand_may_be_named_in_full() -> None:
    made = Build()
    made.node("Exp", made.input(), at="/job:localhost/replica:0/task:0/device:CPU:1")
    assert made.devices()["Exp"] == "CPU:1"
    far = [DeviceName.parse(f"/job:ps/task:{i}/cpu:0") for i in range(2)]
    made = Build()
    made.node("Exp", made.input(), at="/task:1")
    (_, node) = place(made.graph, far, far[0]).nodes
    assert node.device == far[1]


def test_a_conflict_is_a_chain_of_all_that_ties_its_ends() -> None:
    made = Build()
    w = made.input(HANDLE, "w")
    x = made.node("ReadVariableOp", w, group="layer")
    y = made.node("Exp", x)
    made.node("Sin", y, group="layer", at="/gpu:0")
    assert made.conflict(given=[OTHER]) == (
        "no device meets all that is asked of nodes that must stand together:\n"
        "  w (Placeholder), made at model.py:1 in f(): its value is on /device:CPU:1\n"
        "  which gives its handle to\n"
        "  ReadVariableOp, made at model.py:2 in f()\n"
        "  which is in the group 'layer' with\n"
        "  Sin, made at model.py:4 in f(): tl.device asks for /device:GPU:0\n"
        "Give both the same device, or copy with tl.identity in another tl.device scope; "
        "there are /device:CPU:0, /device:CPU:1, /device:GPU:0"
    )


def test_one_node_may_be_asked_too_much() -> None:
    made = Build()
    made.node("Identity", made.input(tl.TensorSpec((), string)), at="/gpu:0")
    assert made.conflict() == (
        "no device meets all that is asked of a node:\n"
        "  Identity, made at model.py:2 in f(): strings are held by CPUs only, but "
        "tl.device asks for /device:GPU:0\n"
        "Ask for another device; there are /device:CPU:0, /device:CPU:1, /device:GPU:0"
    )


def test_a_device_that_is_not_there_is_told() -> None:
    made = Build()
    made.node("Exp", made.input(), at="/cpu:7")
    assert made.conflict([CPU]) == (
        "no device meets all that is asked of a node:\n"
        "  Exp, made at model.py:2 in f(): tl.device asks for /device:CPU:7\n"
        "Ask for another device; there are /device:CPU:0"
    )


def test_three_may_contradict_where_no_two_do() -> None:
    made = Build()
    x = made.input()
    for op, device in (("Sin", ""), ("Exp", "/task:1"), ("Cos", "/job:a/gpu:*")):
        made.node(op, x, group="a", at=device)
    there = [
        DeviceName.parse(one)
        for one in ("/job:a/task:0/gpu:0", "/job:a/task:1/cpu:0")
    ]
    text = made.conflict(there)
    assert "Exp" in text
    assert "Cos" in text
    assert "Sin" not in text.partition("Cos")[2]
    made.node("Tan", x, group="a", at="/task:1/cpu:0")
    there.append(DeviceName.parse("/job:a/task:1/gpu:0"))
    assert "Exp" not in made.conflict(there)  # Cos and Tan are enough


def test_a_name_without_a_task_is_of_the_default_task() -> None:
    far = [
        DeviceName.parse(f"/job:ps/task:{i}/cpu:{k}") for i in (0, 1) for k in (0, 1)
    ]
    made = Build()
    made.node("Exp", made.input(), at="/cpu:1")
    (_, node) = place(made.graph, [CPU, *far], far[2]).nodes
    assert node.device == far[3]
    (_, node) = place(made.graph, [CPU, OTHER, *far], CPU).nodes
    assert node.device == OTHER


def test_two_handles_of_one_operator_must_be_on_one_device() -> None:
    made = Build()
    made.node("Merge", made.input(HANDLE, "v"), made.input(HANDLE, "w"))
    assert set(made.devices(given=[GPU, GPU]).values()) == {"GPU:0"}
    for soft in (False, True):  # state does not move
        text = made.conflict(given=[CPU, OTHER], soft=soft)
        assert "its value is on /device:CPU:0" in text
        assert "its value is on /device:CPU:1" in text


def test_soft_placement_takes_the_nearest_and_says_so() -> None:
    made = Build()
    x = made.input()
    made.node("Exp", x, at="/gpu:3")
    made.node("Identity", made.input(tl.TensorSpec((), string), "s"), at="/gpu:0")
    made.node("Sin", x, group="a", at="/cpu:1")
    made.node("Cos", x, group="a", at="/gpu:0")
    told: list[str] = []
    found = made.devices(soft=True, log=told.append)
    assert (found["Exp"], found["Identity"], found["Cos"]) == (
        "GPU:0",
        "CPU:0",
        "CPU:1",
    )
    assert told == [
        (
            "Exp, made at model.py:2 in f(): /device:GPU:3 gives way to /device:GPU:0 "
            "(there is none such)"
        ),
        (
            "Identity, made at model.py:4 in f(): /device:GPU:0 gives way to /device:CPU:0 "
            "(strings are held by CPUs only)"
        ),
        (
            "Cos, made at model.py:6 in f(): /device:GPU:0 gives way to /device:CPU:1 "
            "(tl.device asks for /device:CPU:1)"
        ),
    ]
    with pytest.warns(UserWarning, match="gives way"):
        made.devices(soft=True)


def test_what_gives_way_alike_is_told_once() -> None:
    made = Build()
    x = made.input()
    for op in ("Exp", "Sin", "Cos"):
        made.node(op, x, at="/gpu:3")
    told: list[str] = []
    made.devices(soft=True, log=told.append)
    (line,) = told
    assert line.startswith(
        "Exp, made at model.py:2 in f() and 2 more nodes: /device:GPU:3 "
    )


def test_devices_must_be_named_in_full_and_hold_the_default() -> None:
    made = Build()
    with pytest.raises(DeviceError, match="name kind and number"):
        place(made.graph, [DeviceName.parse("/device:CPU:*")], CPU)
    with pytest.raises(
        DeviceError, match="default device /device:GPU:0 is not there"
    ):
        place(made.graph, [CPU], GPU)
    with pytest.raises(DeviceError, match="there are none"):
        place(made.graph, [], CPU)


class Last:
    """A choice of the last device that each group may have."""

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> Sequence[DeviceName]:
        assert sorted(unit for group in groups for unit in group) == [
            unit for unit in range(len(units)) if not units.free[unit]
        ]
        return [devices[-1] for devices in allowed]

    def why(self, group: int) -> str:
        """Return why."""
        return f"the last for {group}"


def test_another_choice_may_be_handed_in() -> None:
    made = Build()
    x = made.input()
    made.node("Exp", x)
    made.node("Sin", x, at="/device:CPU:*")
    found = made.devices(choose=Last())
    assert (found["Exp"], found["Sin"]) == ("GPU:0", "CPU:1")
    placement = Placement(made.graph, DEVICES, CPU, choose=Last())
    assert placement.reasons[placement.units.outer[x.node]] == "the last for 0"


def test_a_choice_that_breaks_a_constraint_is_refused() -> None:
    made = Build()
    made.node("Exp", made.input(), at="/cpu:1")
    with pytest.raises(PlacementError, match=r"puts Exp, made at .*; allowed there"):
        place(
            made.graph,
            DEVICES,
            CPU,
            choose=lambda units, groups, _: [GPU] * len(groups),
        )
