"""Sessions: what is fetched runs, with what it depends on, and nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.function import session as session_module
from tensorlite.function.extract import extract

VECTOR = tl.TensorSpec((None,), tl.float32)


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass(frozen=True)
class Losses:
    total: Any
    each: Any


def test_fetches_come_in_the_structure_they_were_asked_in() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(VECTOR)
        y, z = x + 1.0, tl.sum(x)
    session, feeds = tl.Session(graph), {x: [1.0, 2.0]}
    found = session.run({"b": [y, (z,)], "a": Pair(z, Losses(z, y))}, feeds)
    assert list(found) == ["b", "a"]
    assert found["b"][0].tolist() == [2, 3]
    assert found["b"][1] == (3,)
    assert found["a"].second.total == 3
    assert found["a"].second.each.tolist() == [2, 3]
    assert session.run([], feeds) == []
    assert session.run(graph.get_operation_by_name("Sum"), feeds) is None
    assert session.run(["AddV2:0", "Sum"], feeds)[0].tolist() == [2, 3]


def test_values_are_numpy_s_and_the_caller_s_own() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(VECTOR)
        v = tl.Variable([1.0, 2.0])
        constant = tl.constant([1.0, 1.0])
        kept = v.assign(x)
    session, mine = tl.Session(graph), np.asarray([5.0, 6.0], np.float32)
    assert type(session.run(tl.Variable(1.5))) is np.float32
    found = session.run([constant, v, x, kept], {x: mine})
    for array in (*found, mine):
        array[...] = 100.0
    assert session.run(constant).tolist() == [1, 1]
    assert session.run(v).tolist() == [5, 6]
    assert v.numpy().tolist() == [5, 6]


def test_only_what_is_fetched_runs() -> None:
    ran: list[str] = []

    def note(name: str) -> Any:
        def call(x: tl.Tensor) -> tl.Tensor:
            ran.append(name)
            return x

        return call

    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(VECTOR)
        a = tl.py_function(note("a"), [x], tl.float32)
        b = tl.py_function(note("b"), [x], tl.float32)
        both = a + b
    session = tl.Session(graph)
    session.run(b, {x: [1.0]})
    assert ran == ["b"]
    session.run(both, {x: [1.0]})
    assert sorted(ran) == ["a", "b", "b"]
    session.run(both, {x: [1.0], a: [1.0]})
    assert sorted(ran) == ["a", "b", "b", "b"]


def test_any_tensor_may_be_fed() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(VECTOR)
        v = tl.Variable(10.0)
        hidden = x * 2.0
        value = v.value()
        y = hidden + value
        first, second = tl.split(x, 2)
        parts = first * second
    session = tl.Session(graph)
    assert session.run(y, {x: [1.0]}).tolist() == [12]
    assert session.run(y, {hidden: [7.0]}).tolist() == [17]
    assert session.run(y, {hidden: [7.0], value: 1.0}).tolist() == [8]
    assert session.run([hidden, y], {"Mul:0": [7.0]})[0].tolist() == [7]
    assert session.run(parts, {x: [2.0, 3.0], first: [5.0]}).tolist() == [15]
    assert v.item() == 10.0


def test_feeds_may_be_arrays_tensors_numbers_and_lists() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float64, ())
        flag = tl.placeholder(tl.TensorSpec((), tl.bool, name="flag"))
        text = tl.placeholder(tl.string, (None,))
        y = tl.where(flag, x, -x)
    session = tl.Session(graph)
    for value in (
        2,
        2.0,
        np.float32(2),
        np.asarray(2),
        tl.asarray(2.0),
        tl.Variable(2.0),
    ):
        assert session.run(y, {x: value, flag: True}) == 2.0
    assert session.run(y, {x: True, "flag:0": False}) == -1.0
    assert session.run(text, {text: ["a", "b"]}).tolist() == ["a", "b"]


def test_a_default_holds_unless_another_value_is_fed() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        rate = tl.placeholder_with_default(x * 2.0)
        row = tl.placeholder_with_default([1.0, 2.0], (None,))
        training = tl.placeholder_with_default(False)
        testing = tl.placeholder_with_default(False)
        y = tl.where(training, tl.sum(row) * rate, tl.where(testing, 1.0, 0.0))
        slope = tl.gradients(rate * 3.0, x)
    session = tl.Session(graph)
    assert session.run([y, slope], {x: 1.0}) == [0.0, 6.0]
    assert session.run(y, {x: 1.0, testing: True}) == 1.0
    assert session.run(y, {x: 5.0, training: True}) == 30.0
    assert session.run(y, {rate: 1.0, training: True, row: [7.0]}) == 7.0
    with graph.as_default(), pytest.raises(tl.errors.ShapeError, match="the default"):
        tl.placeholder_with_default([1.0, 2.0], (3,))
    with pytest.raises(tl.errors.FailedPreconditionError, match="as_default"):
        tl.placeholder_with_default(1.0)


def test_writes_run_when_fetched_and_in_the_order_asked_for() -> None:
    graph = tl.Graph()
    with graph.as_default():
        v = tl.Variable(1.0)
        doubled = v.assign(v * 2.0)
        with tl.control_dependencies([doubled]):
            after = v.assign_add(10.0)
        with tl.control_dependencies([after]), tl.control_dependencies(None):
            free = v.value()
        with tl.control_dependencies(
            [graph.get_operation_by_name("AssignAddVariableOp")]
        ):
            late = v.value()
    session = tl.Session(graph)
    assert session.run(free) == 1.0
    assert session.run([doubled, v]) == [2.0, 2.0]
    assert session.run(late) == 14.0
    assert v.item() == 14.0


def test_a_fetched_variable_is_read_after_what_the_run_writes_to_it() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        v, other = tl.Variable(0.0), tl.Variable(0.0)
        slow = tl.py_function(lambda x: x, [x], tl.float32)
        sure = tl.cond(x > 0.0, lambda: v.assign_add(slow), lambda: v.assign(0.0))
        twice = tl.group(v.assign_add(10.0), other.assign(5.0))
    session = tl.Session(graph)
    for runner in (None, "frames"):
        v.assign(0.0)
        session = tl.Session(graph, runner=runner)
        assert session.run([v, sure, other, twice], {x: 1.0})[0] == 11.0
        assert session.run([other, v]) == [5.0, 11.0]


def test_a_group_runs_all_its_members_and_gives_none() -> None:
    graph = tl.Graph()
    with graph.as_default():
        a, b = tl.Variable(0.0), tl.Variable([0.0, 0.0])
        rows = tl.IndexedSlices(tl.ones(1), tl.asarray([1]), (2,))
        both = tl.group(a.assign_add(1.0), {"rows": [b.scatter_add(rows)]}, None)
        nothing = tl.group()
    session = tl.Session(graph)
    assert session.run([both, nothing]) == [None, None]
    assert (a.item(), b.numpy().tolist()) == (1, [0, 1])
    assert tl.group(a.assign_add(1.0)) is None
    assert a.item() == 2


def test_prints_assertions_and_checkpoints_are_fetched_to_be_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "one")
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32)
        said = tl.print("x is", x)
        positive = tl.debugging.assert_positive(x)
        shaped = tl.debugging.assert_shapes([(x, ("n",)), (tl.ones((3,)), (3,))])
        saved = tl.checkpoint.save(path, {"x": x})
        with tl.control_dependencies(
            [positive, tl.debugging.assert_type(x, tl.float32)]
        ):
            y = x * 2.0
    session = tl.Session(graph)
    assert session.run(x, {x: 1.0}) == 1.0
    assert session.run([said, shaped, saved], {x: [1.0]}) == [None] * 3
    assert capsys.readouterr().out == "x is [1.]\n"
    assert tl.checkpoint.load(path)["x"].tolist() == [1]
    assert session.run(y, {x: [1.0]}).tolist() == [2]
    for fetched, value in ((y, [-1.0]), (shaped, 1.0)):
        with pytest.raises(tl.errors.AssertionFailedError):
            session.run(fetched, {x: value})


def test_a_called_function_s_effects_run_when_its_result_is_fetched() -> None:
    v = tl.Variable(0.0)

    @tl.function
    def counted(x: tl.Tensor) -> tl.Tensor:
        v.assign_add(1.0)
        v.assign(v * 2.0)
        return x + 1.0

    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(VECTOR)
        y, other = counted(x), x * 2.0
    session = tl.Session(graph)
    session.run(other, {x: [1.0]})
    assert v.item() == 0.0
    assert session.run(y, {x: [1.0]}).tolist() == [2]
    assert v.item() == 2.0


def test_branches_and_loops_keep_the_order_of_their_own_effects() -> None:
    graph = tl.Graph()
    with graph.as_default():
        flag, n = tl.placeholder(tl.bool, ()), tl.placeholder(tl.int32, ())
        v = tl.Variable(1.0)

        def grow() -> Any:
            v.assign(v * 2.0)
            return v.assign_add(1.0)

        changed = tl.cond(flag, grow, lambda: v.assign(0.0))
        stepped = tl.cond(flag, lambda: tl.group(v.assign_add(1.0)), tl.group)
        _, product = tl.while_loop(
            lambda i, p: i < n, lambda i, p: (i + 1, p * grow()), (0, 1.0)
        )
    session = tl.Session(graph)
    assert session.run(changed, {flag: True}) == 3.0
    assert session.run(product, {n: 2}) == 7.0 * 15.0
    assert session.run(changed, {flag: False}) == 0.0
    session.run(stepped, {flag: True})
    session.run(stepped, {flag: False})
    assert v.item() == 1.0


def test_random_numbers_differ_from_run_to_run_and_agree_in_one() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.random.normal((4,))
        y = x * 1.0
    session = tl.Session(graph)
    first, copy = session.run([x, y])
    np.testing.assert_array_equal(first, copy)
    assert not np.array_equal(first, session.run(x))


def test_gradients_through_branches_and_loops() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x, n = tl.placeholder(tl.float32, ()), tl.placeholder(tl.int32, ())
        chosen = tl.cond(x > 0.0, lambda: x * x, lambda: -x)
        _, power = tl.while_loop(
            lambda i, p: i < n, lambda i, p: (i + 1, p * x), (0, tl.constant(1.0))
        )
        (slope,) = tl.gradients(chosen, [x])
        first = tl.gradients(power, x)
        second = tl.gradients(first, x)
    session = tl.Session(graph)
    assert session.run(slope, {x: 3.0}) == 6.0
    assert session.run(slope, {x: -3.0}) == -1.0
    assert session.run([power, first, second], {x: 2.0, n: 4}) == [16.0, 32.0, 48.0]
    assert session.run(power, {x: 2.0, n: 0}) == 1.0


def test_gradients_stop_where_they_are_told_to() -> None:
    graph = tl.Graph()
    with graph.as_default():
        a = tl.placeholder(tl.float32, ())
        b = a * 2.0
        low, high = tl.split(tl.stack([a, b]), 2)
        y = a * b + tl.sum(low) * tl.sum(high)
        whole = tl.gradients(y, [a, b])
        partial = tl.gradients(y, [a, b], stop_gradients=[a, b])
        half = tl.gradients(y, a, stop_gradients=high)
    session = tl.Session(graph)
    assert session.run(whole, {a: 3.0}) == [24.0, 6.0]
    assert session.run(partial, {a: 3.0}) == [12.0, 6.0]
    assert session.run(half, {a: 3.0}) == 18.0


def test_a_plan_is_made_once_for_feeds_and_fetches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []

    def noting(*args: Any) -> Any:
        made.append(args)
        return extract(*args)

    monkeypatch.setattr(session_module, "extract", noting)
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(VECTOR)
        y = x * 2.0
    session = tl.Session(graph)
    for _ in range(3):
        session.run(y, {x: [1.0]})
        session.run({"y": y}, {x: [1.0, 2.0]})
    assert len(made) == 1
    session.run([y, x], {x: [1.0]})
    assert len(made) == 2
    with graph.as_default():
        y + 1.0
    session.run(y, {x: [1.0]})
    assert len(made) == 2


def test_an_assignment_to_a_part_is_seen_by_runs_after_it() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, (3,))
        y = x * 1.5
    session = tl.Session(graph)
    assert session.run(y, {x: [2.0, 2.0, 2.0]}).tolist() == [3, 3, 3]
    with graph.as_default():
        y[1] = 0.0
    assert session.run(y, {x: [2.0, 2.0, 2.0]}).tolist() == [3, 0, 3]


def test_a_sparse_gradient_is_fetched_as_rows() -> None:
    graph = tl.Graph()
    with graph.as_default():
        table = tl.Variable(np.ones((4, 2), np.float32))
        indices = tl.placeholder(tl.int32, (None,))
        rows = tl.gradients(tl.sum(table.sparse_read(indices)), table)
        found = tl.Session().run(rows, {indices: [1, 1, 3]})
    assert found.indices.tolist() == [1, 1, 3]
    assert found.values.tolist() == [[1, 1]] * 3
    assert found.dense_shape == (4, 2)


def test_make_callable_takes_values_in_order() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x, y = tl.placeholder(VECTOR), tl.placeholder(VECTOR)
        z = x - y
    session = tl.Session(graph)
    minus = session.make_callable([z], [x, y])
    assert minus([3.0], [1.0])[0].tolist() == [2]
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"takes 2 values \(.*:0, .*\), not 1"
    ):
        minus([3.0])
    with pytest.raises(tl.errors.ShapeError, match=r"float32\[\?\]"):
        minus(3.0, [1.0])
    session.close()
    with pytest.raises(tl.errors.FailedPreconditionError, match="closed"):
        minus([3.0], [1.0])


def test_variables_are_shared_by_sessions_graphs_and_eager_code() -> None:
    v = tl.Variable(0.0)
    graphs = [tl.Graph(), tl.Graph()]
    adds = []
    for graph in graphs:
        with graph.as_default():
            adds.append(v.assign_add(1.0))
    sessions = [tl.Session(graph) for graph in graphs for _ in range(2)]
    for i, session in enumerate(sessions):
        assert session.run(adds[i // 2]) == i + 1.0
    v.assign(7.0)
    assert [session.run(v) for session in sessions] == [7.0] * 4


def test_a_session_takes_the_graph_around_it_and_is_a_context() -> None:
    with tl.Graph().as_default() as graph:
        session = tl.Session()
    assert session.graph is graph
    with session as same:
        y = tl.constant(1.0) + tl.constant(2.0)
        assert same.run(y) == 3.0
    assert tl.executing_eagerly()
    assert session.closed


def test_training_in_a_session_is_training_with_a_tape() -> None:
    draw = np.random.default_rng(0)
    xs = draw.normal(size=(20, 3)).astype(np.float32)
    ys = xs @ np.asarray([[1.0], [2.0], [3.0]], np.float32)
    optimizers: list[Callable[[], tl.optimizers.Optimizer]] = [
        lambda: tl.optimizers.SGD(0.1, momentum=0.9),
        lambda: tl.optimizers.Adam(0.05),
        lambda: tl.optimizers.SGD(
            tl.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
        ),
    ]
    for make in optimizers:
        eager, w = make(), tl.Variable(np.zeros((3, 1), np.float32))
        for _ in range(5):
            with tl.GradientTape() as tape:
                loss = tl.mean((tl.asarray(xs) @ w - ys) ** 2)
            eager.minimize(loss, [w], tape)
        graph = tl.Graph()
        with graph.as_default():
            v = tl.Variable(tl.zeros((3, 1)))
            x, y = tl.placeholder(tl.float32, (None, 3)), tl.constant(ys)
            optimizer = make()
            train = optimizer.minimize(tl.mean((x @ v - y) ** 2), [v])
        session = tl.Session(graph)
        for _ in range(5):
            assert session.run(train, {x: xs}) is None
        np.testing.assert_array_equal(v.numpy(), w.numpy())
        assert optimizer.iterations.item() == 5


def test_a_graph_that_grows_from_run_to_run_warns_once() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        session = tl.Session()

        def grow() -> None:
            for i in range(8):
                session.run(x + float(i), {x: 1.0})  # the line that grows

        with pytest.warns(tl.errors.GraphGrowthWarning) as seen:
            grow()
    assert len(seen) == 1
    assert seen[0].filename == __file__
    with open(__file__, encoding="utf-8") as file:  # noqa: PTH123
        assert "the line that grows" in file.readlines()[seen[0].lineno - 1]
    assert "tl.placeholder" in str(seen[0].message)


def test_building_between_runs_does_not_warn() -> None:
    graph = tl.Graph()
    session = tl.Session(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with graph.as_default():
            x = tl.placeholder(tl.float32, ())
            y = x * 2.0
            for _ in range(8):
                session.run(y, {x: 1.0})
                y * 3.0  # found again: nothing grows
            y = y + 1.0
            session.run(y, {x: 1.0})
            y = y + 2.0
            session.run(y, {x: 1.0})
            z = [y * float(i) for i in range(20)]
            assert session.run(z, {x: 1.0})[3] == 15.0
