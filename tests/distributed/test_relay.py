"""Parts that run straight on between values of other tasks: order, memory, death and failure."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.containers import Container
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import TensorliteError, UnavailableError
from tensorlite.core.spec import TensorSpec
from tensorlite.distributed.registered import Registered, Route, assembled, routes_of
from tensorlite.distributed.relay import Place, Relay, Relayed, relay_of
from tensorlite.distributed.transport.arrivals import Arrival, Done
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.control.transfer import Recv, Send
from tensorlite.runtime.plan import Plan

HERE = DeviceName.parse("/job:here/task:0/device:CPU:0")
LARGE = (512, 128)


def there(task: int) -> DeviceName:
    return DeviceName.parse(f"/job:there/task:{task}/device:CPU:0")


class Part:
    """A graph of one device that receives and sends."""

    def __init__(self) -> None:
        self.graph = ManualGraph()

    def receive(self, name: str, task: int = 0, shape: tuple[int, ...] = (2,)) -> Any:
        op = Recv(name, there(task), HERE, TensorSpec(shape))
        return self.graph.add(op, [], device=HERE).outputs[0]

    def send(self, name: str, x: tl.Tensor, task: int = 0) -> None:
        assert isinstance(x, SymbolicTensor)
        node = self.graph.add(Send(name, HERE, there(task)), [x], device=HERE)
        self.graph.effects.append(node)

    def registered(self, *outputs: tl.Tensor) -> Registered:
        self.graph.outputs = list(outputs)  # type: ignore[arg-type]
        pieces = [(HERE, self.graph, list(range(len(self.graph.inputs))))]
        fetches = [(0, i) for i in range(len(outputs))]
        return assembled("part", pieces, fetches, routes_of(pieces, "client"))


class Others:
    """Stands for a carrier: notes what is sent, and hands over what the test says."""

    def __init__(self) -> None:
        self.asked: dict[str, Done] = {}
        self.sent: list[tuple[str, str, Any]] = []
        self.calls = 0
        self.works: list[Callable[[], object]] = []
        self.early: dict[str, Any] = {}

    def receive(self, task: str, step: int, key: Any, done: Done) -> None:
        name = key[0].partition(" ")[0]
        if name in self.early:
            done(Arrival(self.early[name], dead=False))
        else:
            self.asked[name] = done

    def send_all(self, task: str, step: int, parcels: Sequence[Parcel]) -> None:
        self.calls += 1
        for key, value, dead in parcels:
            self.sent.append(
                (task, key[0].partition(" ")[0], None if dead else value)
            )

    def later(self, work: Callable[[], object], device: str = "") -> None:
        self.works.append(work)

    def give(self, name: str, value: Any, dead: bool = False) -> None:
        self.asked.pop(name)(Arrival(value, dead))


def begun(
    registered: Registered, others: Others, *feeds: Any
) -> tuple[Relayed, list[Any]]:
    assert registered.goes_straight_on
    found: list[Any] = []
    plan, routes = registered.parts[0].plan, registered.routes
    place = Place(Container())
    run = Relayed(plan, routes, others, 7, place, found.append)  # type: ignore[arg-type]
    run.begin(feeds)
    return run, found


def cut(registered: Registered) -> tuple[Plan, Relay]:
    plan = registered.parts[0].plan
    return plan, relay_of(plan, registered.routes)


def pair(a: float, b: float) -> Any:
    return np.array([a, b], np.float32)


def two_legs() -> Registered:
    part = Part()
    with part.graph.as_default():
        x, y = part.receive("x", 0), part.receive("y", 1)
        part.send("double", x * 2.0)
        part.send("sum", x + y, 1)
        return part.registered(y * y)


def test_tasks_that_wait_for_the_same_make_a_leg() -> None:
    plan, relay = cut(two_legs())
    names = [
        {task.op.name for stretch in leg.stretches for task in stretch.tasks}
        for leg in relay.legs
    ]
    assert sorted(map(sorted, names)) == [["AddV2"], ["Mul"], ["Mul"]]
    assert [len(leg.comings) for leg in relay.legs] == [1, 2, 1]
    assert relay_of(plan, {}) is relay


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_a_leg_is_run_when_the_last_of_its_values_is_there(
    order: tuple[str, str],
) -> None:
    others = Others()
    values = {"x": pair(1, 2), "y": pair(10, 20)}
    _, found = begun(two_legs(), others)
    assert others.sent == []
    others.give(order[0], values[order[0]])
    assert [name for _, name, _ in others.sent] == ["double"] * (order[0] == "x")
    assert not found
    others.give(order[1], values[order[1]])
    sent = {name: (task, value.tolist()) for task, name, value in others.sent}
    assert sent == {
        "double": ("/job:there/task:0", [2, 4]),
        "sum": ("/job:there/task:1", [11, 22]),
    }
    assert found[0][0].tolist() == [100, 400]


def test_what_is_there_already_is_taken_at_once() -> None:
    others = Others()
    others.early = {"x": pair(1, 2), "y": pair(3, 4)}
    _, found = begun(two_legs(), others)
    assert found[0][0].tolist() == [9, 16]


def test_what_is_ready_together_travels_together() -> None:
    part = Part()
    with part.graph.as_default():
        x = part.receive("x")
        for i in range(5):
            part.send(f"y{i}", x * float(i))
        registered = part.registered()
    others = Others()
    begun(registered, others)
    others.give("x", pair(1, 1))
    assert len(others.sent) == 5
    assert others.calls == 1


def test_what_is_large_goes_before_the_next_is_computed() -> None:
    part = Part()
    with part.graph.as_default():
        y = part.receive("x", shape=LARGE)
        for i in range(3):
            y = tl.exp(y)
            part.send(f"y{i}", y)
        registered = part.registered()
    (leg,) = cut(registered)[1].legs
    assert [len(stretch.tasks) for stretch in leg.stretches] == [1, 1, 1]
    assert not leg.is_light
    others = Others()
    _, found = begun(registered, others)
    others.give("x", np.zeros(LARGE, np.float32))
    assert not others.sent  # the thread of a link does not compute for long
    others.works.pop()()
    assert others.calls == 3
    assert found == [()]
    assert others.sent[-1][2][0, 0] == pytest.approx(np.exp(np.e))


def test_a_value_that_another_leg_reads_is_neither_dropped_nor_overwritten() -> None:
    part = Part()
    with part.graph.as_default():
        x, y = part.receive("x", shape=LARGE), part.receive("y", shape=LARGE)
        z = tl.exp(x)
        part.send("first", tl.exp(z))
        registered = part.registered(z + y)
    for stretch in cut(registered)[1].legs[0].stretches:
        for task in stretch.tasks:
            assert task.reuse is None
    others = Others()
    _, found = begun(registered, others)
    for name in ("x", "y"):
        others.give(name, np.ones(LARGE, np.float32))
        others.works.pop()()
    np.testing.assert_allclose(found[0][0], np.full(LARGE, np.e + 1), rtol=1e-6)


def test_what_depends_on_a_dead_value_is_dead_and_said_to_be() -> None:
    others = Others()
    _, found = begun(two_legs(), others)
    others.give("x", None, dead=True)
    others.give("y", pair(1, 2))
    assert {(name, value) for _, name, value in others.sent} == {
        ("double", None),
        ("sum", None),
    }
    assert found[0][0].tolist() == [1, 4]


def test_a_dead_value_cannot_be_fetched() -> None:
    others = Others()
    _, found = begun(two_legs(), others)
    others.give("y", None, dead=True)
    others.give("x", pair(1, 2))
    assert "a fetched value is dead" in str(found[0])


def test_an_error_names_the_node_and_ends_the_part() -> None:
    part = Part()
    with part.graph.as_default():
        x = part.receive("x")
        registered = part.registered(x @ x)
    others = Others()
    _, found = begun(registered, others)
    others.give("x", np.ones((2, 3), np.float32))
    assert isinstance(found[0], TensorliteError)
    assert "MatMul" in "".join(found[0].__notes__)


def test_a_part_that_is_given_up_is_over_at_once_and_takes_nothing_more() -> None:
    others = Others()
    run, found = begun(two_legs(), others)
    error = UnavailableError("gone")
    run.fail(error)
    others.give("x", pair(1, 2))
    run.fail(UnavailableError("again"))
    assert found == [error]
    assert not others.sent


def test_a_part_that_is_given_up_while_a_leg_runs_is_over_after_that() -> None:
    part = Part()
    with part.graph.as_default():
        registered = part.registered(tl.exp(part.receive("x", shape=LARGE)))
    others = Others()
    run, found = begun(registered, others)
    others.give("x", np.zeros(LARGE, np.float32))
    run.fail(UnavailableError("gone"))
    assert not found
    others.works.pop()()
    assert isinstance(found[0], UnavailableError)


def test_it_says_what_it_waits_for() -> None:
    others = Others()
    run, _ = begun(two_legs(), others)
    others.give("x", pair(1, 2))
    (want,) = run.wanted()
    assert want.source == "/job:there/task:1"
    assert want.what.startswith("y from /job:there/task:1")
    assert "'Recv'" in want.what or "(Recv)" in want.what


@pytest.mark.parametrize("seed", range(20))
def test_values_may_come_in_any_order_and_by_many_threads(seed: int) -> None:
    """A random graph gives what NumPy does."""
    draw = random.Random(seed)  # noqa: S311  no secret
    part, inputs = Part(), {}
    with part.graph.as_default():
        values: list[tuple[Any, Any]] = []
        for i in range(draw.randint(1, 6)):
            inputs[f"x{i}"] = pair(draw.random(), draw.random())
            values.append((part.receive(f"x{i}", i % 3), inputs[f"x{i}"]))
        sent = {}
        for i in range(draw.randint(1, 25)):
            (a, a_here), (b, b_here) = draw.choice(values), draw.choice(values)
            if draw.random() < 0.5:
                made = a * b + float(i), a_here * b_here + i
            else:
                made = a + b + float(i), a_here + b_here + i
            values.append(made)
            if draw.random() < 0.3:
                part.send(f"y{i}", made[0], draw.randrange(3))
                sent[f"y{i}"] = made[1]
        fetched = draw.sample(values, min(3, len(values)))
        registered = part.registered(*[one for one, _ in fetched])
    others = Others()
    _, found = begun(registered, others)
    order = draw.sample(sorted(inputs), len(inputs))
    needed = [name for name in order if name in others.asked]
    threads = [Thread(target=partial(others.give, n, inputs[n])) for n in needed]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got, (_, wanted) in zip(found[0], fetched, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
    assert {name for _, name, _ in others.sent} == set(sent)
    for _, name, value in others.sent:
        np.testing.assert_allclose(value, sent[name], rtol=1e-5)


def test_plans_with_branches_and_of_lists_are_for_machines() -> None:
    part = Part()
    with part.graph.as_default():
        x = part.receive("x", shape=())
        registered = part.registered(tl.cond(x > 0.0, lambda: x, lambda: -x))
    assert not registered.goes_straight_on
    pieces = two_legs()
    routes = {name: Route(route.task, True) for name, route in pieces.routes.items()}
    assert not Registered("part", pieces.parts, (), routes).goes_straight_on
