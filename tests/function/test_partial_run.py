"""Partial runs: a step in several calls, of which each runs what no call before has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    AbortedError,
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    KernelError,
    ShapeError,
)


class Two:
    """A graph of two placeholders and what comes of them, with a session."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.graph = tl.Graph()
        with self.graph.as_default():
            self.x = tl.placeholder(tl.TensorSpec((), tl.float32, name="x"))
            self.y = tl.placeholder(tl.TensorSpec((), tl.float32, name="y"))
            self.a = tl.py_function(self.note("a"), [self.x], tl.float32)
            self.b = self.a * 10.0
            self.c = self.b + self.y
        self.session = tl.Session(self.graph)

    def note(self, name: str) -> Any:
        """Return a function that writes down that it is called."""

        def call(x: tl.Tensor) -> tl.Tensor:
            self.ran.append(name)
            if float(x) < 0:
                raise ArithmeticError("negative")
            return x

        return call

    def setup(self) -> Any:
        """Return a partial run of everything."""
        return self.session.partial_run_setup(
            [self.a, self.b, self.c], [self.x, self.y]
        )


def test_each_node_runs_once_in_all_calls() -> None:
    two = Two()
    for _ in range(2):
        step = two.setup()
        assert two.session.partial_run(step, two.b, {two.x: 2.0}) == 20.0
        assert two.session.partial_run(step, [two.c], {two.y: 1.0}) == [21.0]
        assert two.session.partial_run(step, {"a": two.a}) == {"a": 2.0}
    assert two.ran == ["a", "a"]


def test_feeds_may_come_before_what_needs_them() -> None:
    two = Two()
    step = two.setup()
    assert two.session.partial_run(step, [], {two.y: 5.0}) == []
    assert two.ran == []
    assert two.session.partial_run(step, two.a, {two.x: 1.0}) == 1.0
    assert two.session.partial_run(step, [two.c, two.b]) == [15.0, 10.0]
    assert two.ran == ["a"]


def test_an_inner_tensor_may_be_fed() -> None:
    two = Two()
    step = two.session.partial_run_setup([two.a, two.c], [two.x, two.y, two.b])
    assert two.session.partial_run(step, two.a, {two.x: 1.0}) == 1.0
    with pytest.raises(InvalidArgumentError, match=r"AddV2:0 cannot .*: feed Mul:0"):
        two.session.partial_run(step, two.c, {two.y: 1.0})
    assert two.session.partial_run(step, two.c, {two.y: 1.0, two.b: 7.0}) == 8.0


def test_random_numbers_reads_and_writes_happen_once() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        v = tl.Variable(1.0)
        drawn = tl.random.normal((3,))
        early = v.value()
        with tl.control_dependencies([early]):
            write = v.assign_add(x)
        with tl.control_dependencies([write]):
            late = v.value()
        both = drawn * late
        done = tl.group(write)
    session = tl.Session(graph)
    step = session.partial_run_setup([drawn, early, both, done, v], [x])
    first = session.partial_run(step, [drawn, early])
    assert first[1] == 1.0
    v.assign(10.0)
    np.testing.assert_array_equal(
        session.partial_run(step, both, {x: 2.0}), first[0] * np.float32(12.0)
    )
    assert session.partial_run(step, [done, v]) == [None, 12.0]
    assert v.item() == 12.0


def test_steps_do_not_mix() -> None:
    two = Two()
    first, second = two.setup(), two.setup()
    assert two.session.partial_run(first, two.b, {two.x: 1.0}) == 10.0
    assert two.session.partial_run(second, two.b, {two.x: 2.0}) == 20.0
    assert two.session.partial_run(second, two.c, {two.y: 0.5}) == 20.5
    assert two.session.partial_run(first, two.c, {two.y: 0.5}) == 10.5


def test_branches_and_loops_are_run_whole() -> None:
    graph = tl.Graph()
    with graph.as_default():
        n, x = tl.placeholder(tl.int32, ()), tl.placeholder(tl.float32, ())
        turns, power = tl.while_loop(
            lambda i, p: i < n, lambda i, p: (i + 1, p * 2.0), (0, 1.0)
        )
        chosen = tl.cond(turns > 2, lambda: power * x, lambda: x)
    session = tl.Session(graph)
    step = session.partial_run_setup([turns, power, chosen], [n, x])
    assert session.partial_run(step, turns, {n: 3}) == 3
    assert session.partial_run(step, [chosen, power], {x: 0.5}) == [4.0, 8.0]


def lesser(a: tl.Tensor, b: tl.Tensor, c: tl.Tensor) -> Any:
    return tl.cond(a > b, lambda: b - c, lambda: c)


@pytest.mark.parametrize("seed", range(30))
def test_any_order_of_calls_gives_what_one_run_does(seed: int) -> None:
    draw = np.random.default_rng(seed)
    graph, counted = tl.Graph(), tl.Variable(0)
    with graph.as_default():
        feeds = [tl.placeholder(tl.float32, ()) for _ in range(4)]
        made: list[Any] = [*feeds, tl.constant(1.5)]
        for _ in range(20):
            a, b, c = (made[i] for i in draw.integers(0, len(made), 3))
            kind = draw.integers(0, 4)
            if kind == 0:
                made.append(lesser(a, b, c))
            elif kind == 1:
                made.extend(tl.unstack(tl.stack([a, b, c]) * 0.5, num=3))
            elif kind == 2:
                with tl.control_dependencies([counted.assign_add(1)]):
                    made.append(a + b * 0.25)
            else:
                made.append(a - b)
    asked = [made[i] for i in draw.permutation(len(made))[:8] if i != 4]
    also_fed = made[int(draw.integers(5, len(made)))]
    values = dict(zip([*feeds, also_fed], draw.normal(size=5).tolist(), strict=True))
    session = tl.Session(graph)
    wanted = session.run(asked, values)
    once = counted.item()
    step = session.partial_run_setup(asked, list(values))
    order = [list(values)[i] for i in draw.permutation(len(values))]
    found: dict[int, Any] = {}
    while len(found) < len({id(x) for x in asked}):
        now = {order.pop(): None} if order else {}
        session.partial_run(step, [], {x: values[x] for x in now})
        for x in asked:
            if id(x) in found:
                continue
            try:
                found[id(x)] = session.partial_run(step, x)
            except InvalidArgumentError as error:
                assert "cannot be computed" in str(error)  # noqa: PT017
    assert [found[id(x)] for x in asked] == wanted
    assert counted.item() == 2 * once


def test_calls_that_are_refused_leave_the_step_as_it_was() -> None:
    two = Two()
    step = two.setup()
    run = two.session.partial_run
    with pytest.raises(InvalidArgumentError, match=r"cannot be computed .* feed x:0"):
        run(step, two.b)
    assert run(step, two.b, {two.x: 1.0}) == 10.0
    refused: list[tuple[Any, Any, type[Exception], str]] = [
        (two.b, None, InvalidArgumentError, "Mul:0 has already been fetched"),
        (two.c, {two.x: 1.0}, InvalidArgumentError, "x:0 has already been fed"),
        (two.x, None, InvalidArgumentError, "fetch x:0 was not specified"),
        (two.c, {two.a: 1.0}, InvalidArgumentError, "was not specified in"),
        (two.c, {two.y: [1.0]}, ShapeError, "y:0"),
        (two.c, {two.y: "1"}, DTypeError, "y:0"),
        (None, None, DTypeError, "fetches is None"),
    ]
    for fetches, feeds, error, match in refused:
        with pytest.raises(error, match=match):
            run(step, fetches, feeds)
    assert run(step, two.c, {two.y: 1.0}) == 11.0


def test_setups_that_cannot_be_run_are_refused() -> None:
    two = Two()
    setup = two.session.partial_run_setup
    with pytest.raises(InvalidArgumentError, match="at least one target"):
        setup([], [two.x])
    with pytest.raises(
        InvalidArgumentError, match=r"placeholder tensor 'y' .* feed_dict"
    ):
        setup([two.c], [two.x])
    with two.graph.as_default():
        _, yes = tl.raw_ops.Switch(data=two.x, pred=two.x > 0.0)
    with pytest.raises(InvalidArgumentError, match=r"Switch, made at .* a primitive"):
        setup([yes], [two.x])
    other = tl.Graph()
    with other.as_default():
        tl.constant(1.0)
    with pytest.raises(InvalidArgumentError, match="of the graph 'graph'"):
        tl.Session(other).partial_run(two.setup(), [])
    with pytest.raises(InvalidArgumentError, match="handle='step'"):
        two.session.partial_run("step", two.a)  # type: ignore[arg-type]


def test_a_step_that_failed_is_over_and_others_go_on() -> None:
    two = Two()
    step, other = two.setup(), two.setup()
    with pytest.raises(KernelError, match="negative"):
        two.session.partial_run(step, two.b, {two.x: -1.0})
    with pytest.raises(AbortedError, match="given up"):
        two.session.partial_run(step, two.b, {two.x: 1.0})
    assert two.session.partial_run(other, two.b, {two.x: 1.0}) == 10.0
    two.session.close()
    for call in (two.setup, lambda: two.session.partial_run(other, two.a)):
        with pytest.raises(FailedPreconditionError, match="closed"):
            call()
