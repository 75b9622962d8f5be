"""Device functions: scopes that decide for each node, and for each eager call."""

from __future__ import annotations

import pytest

import tensorlite as tl
from tensorlite.core.scope import Asked, DeviceRule
from tests.core.test_scope import nodes_of, on

pytestmark = pytest.mark.usefixtures("three_cpus")


def product_elsewhere(node: Asked) -> str | None:
    return "/device:CPU:1" if node.op.name == "MatMul" else None


def test_a_device_function_decides_for_each_node_of_a_trace() -> None:
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device(product_elsewhere):
            return tl.exp(x @ x)

    nodes = nodes_of(f, tl.ones((2, 2)))
    assert str(nodes["MatMul"].device) == "/device:CPU:1"
    assert str(nodes["Exp"].device) == ""


def test_a_device_function_decides_for_each_eager_call() -> None:
    x = tl.ones((2, 2))
    with tl.device(product_elsewhere):
        assert on(x @ x) == "CPU:1"
        assert on(x * x) == "CPU:0"
        assert on(tl.Variable(1.0)) == "CPU:0"
    with tl.device(lambda node: "CPU:2" if node.type == "VarHandleOp" else None):
        assert on(tl.Variable(1.0)) == "CPU:2"
        assert on(tl.ones(2)) == "CPU:0"


def test_scopes_and_device_functions_merge_as_in_tensorflow() -> None:
    """What TensorFlow 2.21 makes of the same scopes is written beside each."""
    told: list[tuple[str, str, str]] = []

    def choose(node: Asked) -> str | tl.DeviceName:
        told.append((node.name, node.type, str(node.device)))
        return "/device:CPU:1" if node.type == "AddV2" else node.device

    graph = tl.Graph()
    with graph.as_default():
        with tl.device("/job:worker"), tl.name_scope("at"), tl.device(choose):
            a = tl.constant(1.0)
            b = a + a
            with tl.device("/device:CPU:2"):
                c = a + b
                d = a * b
        with tl.device("/device:CPU:1"):
            with tl.device(None):
                e = a - b
            with tl.device("/task:3"):
                f = a / b
    assert [str(x.device) for x in (a, b, c, d, e, f)] == [
        "/job:worker",
        "/job:worker/device:CPU:1",
        "/job:worker/device:CPU:1",  # the function has the last word
        "/job:worker/device:CPU:2",
        "",
        "/task:3/device:CPU:1",
    ]
    assert told == [
        ("at/Const", "Const", ""),
        ("at/AddV2", "AddV2", ""),
        ("at/AddV2", "AddV2", "/device:CPU:2"),
        ("at/Mul", "Mul", "/device:CPU:2"),
    ]


def test_a_device_function_around_another_has_the_last_word() -> None:
    x = tl.ones((2, 2))
    with tl.device(lambda _: "CPU:2"), tl.device(product_elsewhere):
        assert on(x @ x) == "CPU:2"
    with tl.device(product_elsewhere), tl.device(lambda _: "CPU:2"):
        assert (on(x @ x), on(x + x)) == ("CPU:1", "CPU:2")


def test_what_a_device_function_returns_is_checked() -> None:
    with (
        tl.device(lambda _: 3),  # type: ignore[arg-type,return-value]
        pytest.raises(tl.errors.DTypeError, match=r"device function .* returned 3"),
    ):
        tl.ones(2)
    with (
        tl.device(lambda _: "CPU:8"),
        pytest.raises(tl.errors.DeviceError, match="CPU:8 does not exist"),
    ):
        tl.ones(2)
    assert on(tl.ones(2)) == "CPU:0"


def test_a_device_function_is_no_name_though_it_asks_for_nothing_by_name() -> None:
    rule = DeviceRule(function=product_elsewhere)
    assert rule != tl.DeviceName()
    assert tl.DeviceName() != rule
    assert rule == DeviceRule(function=product_elsewhere)
    assert hash(rule) == hash(DeviceRule(function=product_elsewhere))
    assert rule != DeviceRule(function=product_elsewhere, kind="CPU")


def test_a_traced_function_is_traced_again_under_another_device_function() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        return x @ x

    x = tl.ones((2, 2))
    plain = f.get_concrete_function(x)
    with tl.device(product_elsewhere):
        ruled = f.get_concrete_function(x)
        assert f.get_concrete_function(x) is ruled
    assert ruled is not plain
    assert f.get_concrete_function(x) is plain
    assert {str(n.device) for n in ruled.graph.nodes if n.op.name == "MatMul"} == {
        "/device:CPU:1"
    }


def test_a_rule_is_shown_by_its_function() -> None:
    with tl.device(product_elsewhere) as rule:
        assert repr(rule) == "<DeviceName  by product_elsewhere>"
