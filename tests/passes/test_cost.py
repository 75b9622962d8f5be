"""What operators and transfers cost, and the file in which that is kept."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import CostsWarning, InvalidArgumentError
from tensorlite.core.op import REGISTRY, Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import CPU
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.trace import trace
from tensorlite.passes import cost_table
from tensorlite.passes.cost import (
    STAND_IN,
    Cost,
    Costs,
    Link,
    Rates,
    computed,
    filled,
    flops,
    moved_size,
)

GPU = DeviceName(kind="GPU", index=0)
EASY = Rates(bandwidth=1e9, flops=1e9, call=1e-6)


class Clock:
    """A measure that counts: each kernel costs a millisecond for every element of its inputs."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(
        self, op: Op, specs: Sequence[TensorSpec], device: DeviceName
    ) -> float | None:
        self.asked.append(f"{op.name} on {device.kind}")
        return 1e-3 * sum(spec.size or 0 for spec in specs)


def graph_of(function: object, *shapes: tuple[int | None, ...]) -> Graph:
    specs = [TensorSpec(shape) for shape in shapes]
    return trace(function, specs).graph  # type: ignore[arg-type]


def last(graph: Graph) -> Node:
    return graph.outputs[0].node


def test_a_kernel_is_measured_once_for_its_shapes_and_kind_of_device() -> None:
    clock = Clock()
    costs = Costs(clock)
    node = last(graph_of(lambda x: [tl.exp(x)], (2, 3)))
    first = costs.node(node, CPU)
    assert first.seconds == pytest.approx(6e-3 + costs.fixed.node)
    assert first.source == "measured"
    assert costs.node(node, DeviceName(kind="CPU", index=1)) == first
    costs.node(last(graph_of(lambda x: [tl.exp(x)], (3, 3))), CPU)
    costs.node(node, GPU)
    assert clock.asked == ["Exp on CPU", "Exp on CPU", "Exp on GPU"]
    assert costs.told().startswith("3 kernels measured in ")


def test_what_structure_says_is_part_of_what_is_measured() -> None:
    clock = Clock()
    costs = Costs(clock)
    for axis in (0, 1, 0):
        costs.node(
            last(graph_of(lambda x, axis=axis: [tl.sum(x, axis=axis)], (4, 4))), CPU
        )
    assert len(clock.asked) == 2


def test_constants_and_inputs_are_free() -> None:
    costs = Costs()
    graph = graph_of(lambda x: [x + 1.0], (2,))
    free = [node for node in graph.nodes if costs.node(node, CPU).source == "free"]
    assert [node.op.name for node in free] == ["Placeholder", "Const"]
    assert costs.node(free[0], CPU).seconds == 0


def test_effects_handles_and_draws_are_computed_and_never_run() -> None:
    clock, variable = Clock(), tl.Variable([1.0, 2.0])

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        tl.print(x)
        variable.assign_add(x)
        return [variable.read_value() * 2.0 + tl.random.normal((2,))]

    costs = Costs(clock)
    graph = graph_of(program, (2,))
    sources = {node.op.name: costs.node(node, CPU).source for node in graph.nodes}
    assert sources["AssignAddVariableOp"] == "computed"
    assert sources["ReadVariableOp"] == "computed"
    asked = {name.split()[0] for name in clock.asked}
    assert {"Mul", "AddV2"} <= asked
    assert all(REGISTRY[name].effect is Effect.NONE for name in asked)


def test_unknown_sizes_are_taken_for_the_stand_in_and_said_to_be() -> None:
    node = last(graph_of(lambda x: [tl.exp(x)], (None, 3)))
    cost = Costs(Clock()).node(node, CPU)
    assert cost.guessed
    assert cost.seconds == pytest.approx(STAND_IN * 3e-3, rel=0.01)
    assert filled(TensorSpec(None)).shape == (STAND_IN,)
    known = TensorSpec((2,), tl.int32, known=(None, 7))
    assert filled(known).known == (STAND_IN, 7)
    assert not Costs().node(last(graph_of(lambda x: [tl.exp(x)], (2,))), CPU).guessed


@pytest.mark.parametrize(
    ("function", "shapes", "expected"),
    [
        (tl.matmul, [(3, 5), (5, 7)], 2 * 3 * 5 * 7),
        (tl.matmul, [(4, 3, 5), (4, 5, 7)], 2 * 4 * 3 * 5 * 7),
        (lambda x, y: tl.einsum("ij,kj->ik", x, y), [(3, 5), (7, 5)], 2 * 3 * 5 * 7),
        (
            lambda x, f: tl.nn.conv2d(x, f, padding="VALID"),
            [(2, 8, 8, 3), (3, 3, 3, 5)],
            2 * (2 * 6 * 6 * 5) * 3 * 3 * 3,
        ),
        (tl.add, [(3, 5), (3, 5)], 0),
    ],
)
def test_flops_are_those_of_the_closed_form(
    function: object, shapes: list[tuple[int, ...]], expected: int
) -> None:
    node = last(graph_of(lambda *xs: [function(*xs)], *shapes))  # type: ignore[operator]
    inputs = [x.spec for x in node.inputs]
    outputs = [x.spec for x in node.outputs]
    assert flops(node.op, inputs, outputs) == pytest.approx(expected)


def test_both_gradients_of_a_convolution_sum_as_many_products_as_it_does() -> None:
    def program(x: tl.Tensor, f: tl.Tensor) -> list[tl.Tensor]:
        with tl.GradientTape() as tape:
            tape.watch([x, f])
            y = tl.nn.conv2d(x, f, padding="SAME")
        return [y, *tape.gradient(y, [x, f])]

    graph = graph_of(program, (2, 8, 8, 3), (3, 3, 3, 5))
    found = [
        flops(n.op, [x.spec for x in n.inputs], [x.spec for x in n.outputs])
        for n in graph.nodes
        if n.op.name.startswith("Conv2D")
    ]
    assert found == pytest.approx([2 * (2 * 8 * 8 * 5) * 27] * 3)


def test_bytes_and_flops_add_up() -> None:
    node = last(graph_of(tl_list(tl.matmul), (10, 10), (10, 10)))
    specs = [x.spec for x in node.inputs]
    expected = 1e-6 + 3 * 400 / 1e9 + 2000 / 1e9
    assert computed(node.op, specs, [x.spec for x in node.outputs], EASY) == (
        pytest.approx(expected)
    )


def tl_list(function: object) -> object:
    return lambda *xs: [function(*xs)]  # type: ignore[operator]


def test_what_only_hands_on_moves_no_bytes() -> None:
    graph = graph_of(lambda x: [tl.reshape(x, (-1,))], (1000, 1000))
    node = last(graph)
    cost = Costs().node(node, CPU)
    assert cost.seconds < 1e-5


def test_small_kernels_hold_the_interpreter_large_ones_let_it_go() -> None:
    costs = Costs(Clock())
    small = costs.node(last(graph_of(lambda x: [tl.exp(x)], (100,))), CPU)
    large = costs.node(last(graph_of(lambda x: [tl.exp(x)], (10_000,))), CPU)
    assert small.held == small.seconds
    assert large.held < 1e-5 < large.seconds


def test_a_branch_costs_the_mean_a_loop_its_turns() -> None:
    costs = Costs(Clock())

    def branching(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.cond(x[0] > 0.0, lambda: tl.exp(x), lambda: x)]

    def looping(x: tl.Tensor) -> list[tl.Tensor]:
        _, y = tl.while_loop(
            lambda i, y: i < 7, lambda i, y: (i + 1, tl.exp(y)), (tl.asarray(0), x)
        )
        return [y]

    branch = costs.node(last(graph_of(branching, (100,))), CPU)
    assert branch.seconds == pytest.approx(0.05, rel=0.1)
    loop = costs.node(last(graph_of(looping, (100,))), CPU)
    assert loop.seconds == pytest.approx(7 * 0.1, rel=0.1)
    assert not loop.guessed


def test_handles_travel_as_eight_bytes_and_a_link_adds_latency() -> None:
    variable = TensorSpec((), tl.resource, inner=(TensorSpec((100,)),))
    assert moved_size(variable) == 8
    assert moved_size(TensorSpec((100,))) == 400
    assert Link(0.5, 100.0).seconds(200) == 2.5
    assert Link(0.5).seconds(1e9) == 0.5


def test_a_link_is_measured_once() -> None:
    asked: list[object] = []

    def measure(a: DeviceName, b: DeviceName) -> tuple[float, float]:
        asked.append((a, b))
        return 1e-3, math.inf

    costs = Costs(measure_link=measure)
    other = DeviceName(kind="CPU", index=1)
    assert costs.link(CPU, other) == costs.link(other, CPU) == Link(1e-3)
    assert len(asked) == 1


def test_costs_multiply() -> None:
    assert Cost(2.0, 1.0).times(3) == Cost(6.0, 3.0)


# The file.


def full() -> Costs:
    costs = Costs(Clock(), lambda a, b: (1e-3, math.inf))
    costs.node(last(graph_of(lambda x: [tl.exp(x)], (5,))), CPU)
    costs.link(CPU, CPU)
    return costs


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = cost_table.write(full(), tmp_path / "new" / "costs.json")
    clock = Clock()
    again = Costs(clock)
    assert cost_table.read(again, path)
    assert again.kernels == full().kernels
    assert again.links["CPU", "CPU"] == Link(1e-3)
    assert again.node(
        last(graph_of(lambda x: [tl.exp(x)], (5,))), CPU
    ).seconds == pytest.approx(5e-3, rel=0.01)
    assert not clock.asked
    assert [one.name for one in path.parent.iterdir()] == ["costs.json"]


def change(path: Path, **parts: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | parts), "utf-8")


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"format": "costs of something else"}, "format"),
        ({"machine": "a machine elsewhere"}, "a machine elsewhere"),
        ({"kernels": {"CPU": {"Exp": -1.0}}}, "-1.0 is no number of seconds"),
        ({"kernels": {"CPU": {"Exp": math.nan}}}, "nan is no number of seconds"),
        ({"kernels": {"CPU": {"Exp": True}}}, "True is no number of seconds"),
        ({"kernels": [1]}, "a part is missing or of another kind"),
        ({"links": [["CPU"]]}, "values to unpack"),
        ({"links": [["CPU", "CPU", 1.0, 0.0]]}, "a rate is 0"),
        ({"fixed": [1.0, 2.0, 3.0]}, "a part is missing or of another kind"),
        ({"rates": {"CPU": [1.0]}}, "a part is missing or of another kind"),
    ],
)
def test_a_foreign_file_is_left_out_with_a_warning(
    tmp_path: Path, parts: dict[str, object], why: str
) -> None:
    path = cost_table.write(full(), tmp_path / "costs.json")
    change(path, **parts)
    costs = Costs()
    with pytest.warns(CostsWarning, match=why):
        assert not cost_table.read(costs, path)
    assert costs.kernels == {}


def test_a_torn_file_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = cost_table.write(full(), tmp_path / "costs.json")
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, 50):
        path.write_bytes(whole[:length])
        with pytest.warns(CostsWarning):
            assert not cost_table.read(Costs(), path)
    path.write_bytes(b"\xff\xfe")
    with pytest.warns(CostsWarning):
        assert not cost_table.read(Costs(), path)


def test_a_file_that_is_not_there_is_nothing_to_warn_of(tmp_path: Path) -> None:
    assert not cost_table.read(Costs(), tmp_path / "none.json")


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InvalidArgumentError, match="cannot be written"):
        cost_table.write(Costs(), tmp_path / "file" / "costs.json")


def test_the_file_lies_in_the_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cost_table.default_path().parent == tmp_path / "tensorlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert Path.cwd() not in cost_table.default_path().parents
    assert np.__version__ in cost_table.machine()
