"""Device scopes: where eager operators run and traced nodes ask to; colocation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import tell_once
from tensorlite.graph.graph import Node, SymbolicTensor

pytestmark = pytest.mark.usefixtures("three_cpus")


def on(x: Any) -> str:
    """Return the device of a tensor or variable, in short."""
    return str(x.device).removeprefix("/device:")


def nodes_of(traced: Any, *args: Any) -> dict[str, Node]:
    """Return the nodes of a trace of `traced` by name."""
    concrete = tl.function(traced).get_concrete_function(*args)
    return {node.name: node for node in concrete.graph.nodes}


MAKERS: dict[str, Callable[[], Any]] = {
    "asarray": lambda: tl.asarray([1.0, 2.0]),
    "constant": lambda: tl.constant(3.0),
    "ones": lambda: tl.ones((2, 3)),
    "arange": lambda: tl.arange(4),
    "random": lambda: tl.random.normal((2,)),
    "Variable": lambda: tl.Variable([1.0, 2.0]),
    "numpy": lambda: tl.asarray(np.ones(3)),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_is_made_in_a_scope_lies_on_its_device(make: Callable[[], Any]) -> None:
    with tl.device("CPU:1"):
        assert on(make()) == "CPU:1"
    assert on(make()) == "CPU:0"


RESULTS: dict[str, Callable[[Any], Any]] = {
    "one operand": tl.exp,
    "with itself": lambda x: x + x,
    "a number on the right": lambda x: x * 2.0,
    "a number on the left": lambda x: 2.0 - x,
    "a list": lambda x: tl.add(x, [1.0, 2.0]),
    "a reduction": lambda x: tl.sum(x, axis=0),
    "a shape": lambda x: tl.reshape(x, (1, 2)),
    "an index": lambda x: x[0],
    "a slice": lambda x: x[::-1],
    "a property": lambda x: x.mT if x.ndim > 1 else tl.expand_dims(x, axis=0).mT,
    "several outputs": lambda x: tl.unstack(x)[1],
    "another dtype": lambda x: tl.astype(x, tl.float64),
    "like it": tl.zeros_like,
    "a matrix product": lambda x: x @ x,
    "a set item": lambda x: tl.set_item(x, 0, 5.0),
}


@pytest.mark.parametrize("compute", RESULTS.values(), ids=RESULTS)
def test_results_lie_where_their_operand_does(compute: Callable[[Any], Any]) -> None:
    x = tl.asarray([1.0, 2.0])
    away = x.to_device("CPU:2")
    assert on(away) == "CPU:2"
    assert on(compute(x)) == "CPU:0"
    assert on(compute(away)) == "CPU:2"
    assert compute(away).numpy().tolist() == compute(x).numpy().tolist()


def test_operands_on_several_devices_meet_on_the_first_that_is_not_the_default() -> (
    None
):
    a = tl.asarray([1.0, 2.0])
    b, c = a.to_device("CPU:1"), a.to_device("CPU:2")
    assert [on(x) for x in (a + b, b + a, c + b, tl.stack([a, c]))] == [
        "CPU:1",
        "CPU:1",
        "CPU:2",
        "CPU:2",
    ]
    assert (a + b + c).numpy().tolist() == [3, 6]


def test_a_copy_to_what_is_no_device_is_refused() -> None:
    x = tl.ones(2)
    asked: Any
    for asked in (None, 1, ["CPU:1"]):
        with pytest.raises(tl.errors.DTypeError, match="is no device; allowed"):
            x.to_device(asked)
    asked = 1
    with pytest.raises(tl.errors.DTypeError, match="is no device; allowed"):
        tl.ones(2, device=asked)
    with pytest.raises(tl.errors.DeviceError, match="does not exist"):
        x.to_device("CPU:9")


def test_under_soft_placement_a_copy_goes_to_the_nearest_device() -> None:
    tl.config.set_soft_placement(True)
    assert on(tl.ones(2).to_device("CPU:9")) == "CPU:2"
    assert on(tl.ones(2, device="CPU:9")) == "CPU:2"
    assert on(tl.function(lambda x: x.to_device("CPU:9"))(tl.ones(2))) == "CPU:2"


def test_a_scope_copies_operands_to_its_device() -> None:
    x = tl.ones(2).to_device("CPU:1")
    with tl.device("CPU:2"):
        assert on(tl.identity(x)) == "CPU:2"
        assert on(x + x) == "CPU:2"
        assert on(x.to_device("CPU:0")) == "CPU:0"
    with tl.device("CPU:0"):
        assert on(x + x) == "CPU:0"


def test_the_inner_scope_counts_and_none_forgets_all_scopes() -> None:
    x = tl.ones(2).to_device("CPU:1")
    with tl.device("CPU:2"):
        with tl.device("CPU:0"):
            assert on(x + x) == "CPU:0"
        with tl.device(None):
            assert on(x + x) == "CPU:1"
            assert on(tl.ones(2)) == "CPU:0"
        assert on(x + x) == "CPU:2"


def test_parts_of_names_merge_from_outside_in() -> None:
    with tl.device("/job:worker/task:1") as outer, tl.device("/task:2") as inner:
        assert (str(outer), str(inner)) == (
            "/job:worker/task:1",
            "/job:worker/task:2",
        )
    with tl.device("/job:localhost"), tl.device("/device:CPU:1") as whole:
        assert str(whole) == "/job:localhost/device:CPU:1"
        assert on(tl.ones(2)) == "CPU:1"


def test_a_device_of_another_task_needs_a_cluster() -> None:
    with (
        pytest.raises(tl.errors.DeviceError, match="connected to none"),
        tl.device("/job:worker/task:1/device:CPU:0"),
    ):
        pass
    with (
        tl.device("/job:worker"),
        pytest.raises(tl.errors.DeviceError, match=r"distribute\.connect"),
    ):
        tl.ones(2)


def test_a_variable_is_read_and_written_where_it_was_made() -> None:
    with tl.device("CPU:1"):
        v = tl.Variable([1.0, 2.0])
    v.assign_add(tl.ones(2))
    assert (on(v), on(v.value()), on(v + 1.0)) == ("CPU:1",) * 3
    with tl.device("CPU:2"):
        v.assign([5.0, 6.0])
        assert (on(v.value()), on(v * 2.0)) == ("CPU:1", "CPU:2")
    assert v.numpy().tolist() == [5, 6]


def test_gradients_pass_through_copies_between_devices() -> None:
    x = tl.asarray([1.0, 2.0]).to_device("CPU:1")
    with tl.GradientTape() as tape:
        tape.watch(x)
        with tl.device("CPU:2"):
            y = tl.sum(x * x)
        z = y.to_device("CPU:0")
    (dx,) = tape.gradient(z, [x])
    assert (on(y), on(z), on(dx)) == ("CPU:2", "CPU:0", "CPU:1")
    assert dx.numpy().tolist() == [2, 4]


@pytest.mark.parametrize("name", ["CPU:3", "GPU:63", "/job:localhost/device:CPU:9"])
def test_a_device_that_is_not_there_is_refused_with_those_that_are(name: str) -> None:
    with (
        pytest.raises(tl.errors.DeviceError, match="does not exist") as raised,
        tl.device(name),
    ):
        pass
    if "CPU" in name:
        assert "/device:CPU:0, /device:CPU:1, /device:CPU:2" in str(raised.value)
    assert on(tl.ones(2)) == "CPU:0"
    with pytest.raises(tl.errors.DeviceError, match="does not exist"):
        tl.ones(2).to_device(name)


@pytest.mark.parametrize("given", [3, b"CPU:0", ["CPU:0"]])
def test_what_is_no_device_is_refused(given: Any) -> None:
    with pytest.raises(tl.errors.DTypeError, match="is no device"), tl.device(given):
        pass
    with pytest.raises(tl.errors.DeviceError, match="is no device name"):
        tl.DeviceName.parse("/device:TPU:0")


def test_traces_refuse_devices_that_are_not_there_but_for_those_of_other_processes() -> (
    None
):
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:7"):
            return x + 1.0

    with pytest.raises(tl.errors.DeviceError, match="CPU:7 does not exist"):
        f(tl.ones(2))
    graph = tl.Graph()
    with graph.as_default():
        with pytest.raises(tl.errors.DeviceError, match="does not exist"):
            tl.device("GPU:63").__enter__()
        with tl.device("/job:worker/task:3/device:GPU:63"):
            x = tl.ones(2)
    assert str(x.device) == "/job:worker/task:3/device:GPU:63"


def test_soft_placement_takes_the_nearest_device_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tl.config.set_soft_placement(True)
    tell_once.cache_clear()
    with caplog.at_level(logging.WARNING, "tensorlite.placement"):
        with tl.device("CPU:9"):
            assert {on(tl.ones(2)) for _ in range(2)} == {"CPU:2"}
        with tl.device("GPU:63"):
            made = tl.ones(2)

        def f(x: tl.Tensor) -> tl.Tensor:
            with tl.device("CPU:5"):
                return tl.exp(x)

        assert on(nodes_of(f, tl.ones(2))["Exp"]) == "CPU:2"
    assert on(made) == "CPU:0" or on(made).startswith("GPU")
    assert sum("CPU:9 does not" in line for line in caplog.messages) == 1
    assert len(caplog.messages) >= 3


def test_nodes_made_beside_another_join_its_group_and_forget_scopes() -> None:
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = tl.exp(x)
            with tl.colocate_with(y):
                z = tl.sin(y)
                with tl.colocate_with(z):
                    z = tl.cos(z)
        return tl.tan(z)

    nodes = nodes_of(f, tl.ones(2))
    label = nodes["Exp"].name
    assert [nodes[n].group for n in ("Exp", "Sin", "Cos", "Tan")] == [label] * 3 + [
        ""
    ]
    assert str(nodes["Sin"].device) == ""


def test_nodes_join_the_group_of_a_variable_s_handle() -> None:
    with tl.device("CPU:2"):
        v = tl.Variable([1.0, 2.0])

    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.colocate_with(v):
            return tl.exp(x)

    nodes = nodes_of(f, tl.ones(2))
    assert nodes["Exp"].group == nodes["Variable"].group == "Variable"
    assert on(nodes["Variable"]) == "CPU:2"


def test_handles_are_captured_with_their_device() -> None:
    here = tl.Variable(1.0)
    with tl.device("CPU:1"):
        there = tl.Variable(2.0)
    nodes = nodes_of(lambda x: x * here * there, tl.asarray(1.0))
    assert [
        str(node.device)
        for node in nodes.values()
        if node.name.startswith("Variable")
    ] == [
        "",
        "/device:CPU:1",
    ]


def test_a_node_of_a_graph_can_be_given_for_its_tensor() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.constant([1.0])
        assert isinstance(x, SymbolicTensor)
        with tl.colocate_with(x.node):
            y = tl.exp(x)
    assert isinstance(y, SymbolicTensor)
    assert y.node.group == x.node.group == "Const"


def test_eager_operators_run_beside_a_tensor_or_variable() -> None:
    x = tl.ones(2)
    with tl.device("CPU:1"):
        v = tl.Variable(1.0)
    with tl.colocate_with(v):
        assert on(x + x) == "CPU:1"
    with tl.colocate_with(x.to_device("CPU:2")):
        assert on(tl.ones(2)) == "CPU:2"
    with (
        pytest.raises(tl.errors.DTypeError, match="is nothing to be placed beside"),
        tl.colocate_with("CPU:0"),  # type: ignore[arg-type]
    ):
        pass


def test_nodes_of_inner_graphs_join_groups_outside_and_labels_never_meet() -> None:
    v, w = tl.Variable(1.0), tl.Variable(2.0)

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        y = tl.exp(x)

        def taken() -> tl.Tensor:
            with tl.colocate_with(y):
                z = tl.sin(x)
            with tl.colocate_with(v):
                return z + 1.0

        def other() -> tl.Tensor:
            with tl.colocate_with(w):
                return tl.cos(x)

        return tl.cond(x > 0.0, taken, other) + y * v * w

    graph = f.get_concrete_function(tl.asarray(1.0)).graph
    inside = [
        node
        for outer in graph.nodes
        for region in outer.op.regions()
        for node in region.nodes
    ]
    labels = {
        node.op.name: node.group for node in inside if node.op.name != "Placeholder"
    }
    (of_y,) = [node.group for node in graph.nodes if node.op.name == "Exp"]
    assert labels["Sin"] == of_y == "Exp"
    assert labels["AddV2"] != labels["Cos"]
    assert all(labels[name] for name in ("Sin", "AddV2", "Cos"))


def test_what_belongs_to_another_graph_is_nothing_to_be_beside() -> None:
    graph, another = tl.Graph(), tl.Graph()
    with graph.as_default():
        x = tl.constant([1.0])
    assert isinstance(x, SymbolicTensor)
    for it in (x, x.node):
        with (
            pytest.raises(tl.errors.LeakedTensorError, match="none is traced here"),
            tl.colocate_with(it),
        ):
            pass
        with (
            another.as_default(),
            pytest.raises(
                tl.errors.LeakedTensorError, match="nothing here is beside"
            ),
            tl.colocate_with(it),
        ):
            pass
    assert not x.node.group


@pytest.mark.parametrize("wrong", [3, [3], "ab", ["ab"], tl.ones(2)], ids=repr)
def test_control_dependencies_are_lists_of_what_runs(wrong: Any) -> None:
    with (
        pytest.raises(tl.errors.DTypeError, match="allowed are lists of tensors"),
        tl.control_dependencies(wrong),
    ):
        pass
    with tl.control_dependencies((tl.ones(1), tl.Variable(1.0), None)):
        pass


def test_what_a_with_block_captures_is_made_at_the_line_of_the_program() -> None:
    v = tl.Variable(tl.ones(2))

    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.colocate_with(v):
            return tl.exp(x)

    line = nodes_of(f, tl.ones(2))["Variable"].line
    assert (line.file, line.function) == (__file__, "f")


def test_devices_are_shown_by_their_names() -> None:
    devices = [tl.ones(2).device, tl.DeviceName.parse("/job:ps/gpu:*")]
    assert repr(devices) == (
        "[<DeviceName /device:CPU:0>, <DeviceName /job:ps/device:GPU:*>]"
    )
