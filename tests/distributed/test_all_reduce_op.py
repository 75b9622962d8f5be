"""CollectiveReduce and CollectiveGather: in one process, over carriers, in traces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Op
from tensorlite.distributed import exchange
from tensorlite.distributed.collectives import rooms
from tensorlite.distributed.collectives.all_reduce_op import (
    CollectiveGather,
    CollectiveReduce,
    gathered,
    reduced,
)
from tensorlite.distributed.collectives.gradients import all_reduce_gradients, buckets
from tensorlite.distributed.collectives.meetings import Members
from tensorlite.graph.wire import from_bytes, to_bytes
from tests.distributed.loopback import Loop, Net

HERE = ("/device:CPU:0", "/device:CPU:1", "/device:CPU:2")
THERE = ("/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:2")


def each(size: int, function: Callable[[Members], Any]) -> list[Any]:
    """Return what a function gives on each rank, each on a thread of its own."""
    members = [Members(HERE[:size], rank) for rank in range(size)]
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(function, members))


@pytest.fixture(autouse=True)
def _rooms_are_left() -> Any:
    yield
    assert not rooms._rooms


@pytest.mark.parametrize(
    ("op", "expected"), [("sum", 6.0), ("mean", 3.0), ("max", 5.0), ("min", 1.0)]
)
def test_eagerly_in_one_process(op: str, expected: float) -> None:
    found = each(2, lambda m: reduced([1.0 + 4 * m.rank], m, "x", op))
    assert [float(x[0]) for x in found] == [expected] * 2
    assert found[0].array is not found[1].array


def test_calls_meet_in_their_order() -> None:
    def train(members: Members) -> list[float]:
        return [float(reduced(1.0 * i, members, "x")) for i in range(50)]

    assert each(3, train) == [[3.0 * i for i in range(50)]] * 3


def test_gathered_rows() -> None:
    found = each(3, lambda m: gathered(tl.ones((m.rank, 2)) * m.rank, m, "x"))
    for rows in found:
        np.testing.assert_array_equal(rows.numpy(), [[1, 1], [2, 2], [2, 2]])


def test_one_member_is_alone() -> None:
    alone = Members(HERE[:1], 0)
    assert float(reduced(3.0, alone, "x")) == 3.0


@tl.function
def both(x: Any, y: Any) -> Any:
    """Return the sum of what two devices have, on both."""
    with tl.device("/device:CPU:0"):
        a = reduced(x * 2.0, Members(HERE[:2], 0), "x")
    with tl.device("/device:CPU:1"):
        b = reduced(y * 3.0, Members(HERE[:2], 1), "x")
    return a, b


@pytest.fixture
def _cpus() -> Any:
    before = len(tl.config.list_logical_devices("CPU"))
    tl.config.set_logical_devices("CPU", 2)
    yield
    tl.config.set_logical_devices("CPU", before)


@pytest.mark.usefixtures("_cpus")
def test_in_a_trace_over_two_devices() -> None:
    for i in range(5):
        a, b = both(tl.asarray([1.0, i]), tl.asarray([10.0, 0.0]))
        np.testing.assert_array_equal(a.numpy(), [32.0, 2.0 * i])
        np.testing.assert_array_equal(b.numpy(), a.numpy())


@pytest.mark.usefixtures("_cpus")
def test_steps_at_once_do_not_mix() -> None:
    def step(i: int) -> tuple[float, float]:
        a, b = both(tl.asarray([float(i)]), tl.asarray([0.0]))
        return float(a[0]), float(b[0])

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(step, range(100)))
    assert found == [(2.0 * i, 2.0 * i) for i in range(100)]


@pytest.mark.usefixtures("_cpus")
def test_in_a_loop() -> None:
    @tl.function
    def loop(x: Any, y: Any) -> Any:
        for _ in tl.range(4):
            with tl.device("/device:CPU:0"):
                a = reduced(x, Members(HERE[:2], 0), "x", "mean")
            with tl.device("/device:CPU:1"):
                b = reduced(y, Members(HERE[:2], 1), "x", "mean")
            x, y = a + 1.0, b - 1.0
        return x, y

    x, y = loop(tl.asarray(8.0), tl.asarray(0.0))
    assert (float(x), float(y)) == (5.0, 3.0)


def test_all_who_meet_must_have_the_same() -> None:
    def begin(members: Members) -> str:
        with pytest.raises(InvalidArgumentError) as caught:
            reduced(tl.ones(2 + members.rank), members, "x")
        return str(caught.value)

    for text in each(2, begin):
        assert "rank 0 (/device:CPU:0) has float32 of shape (2,)" in text
        assert "rank 1 (/device:CPU:1) has float32 of shape (3,)" in text


def test_who_leaves_is_not_met() -> None:
    op = CollectiveReduce(HERE[:2], 0, "x")
    found: list[Any] = []
    leave = op.start(found.append, np.ones(1))
    assert leave is not None
    leave()
    assert not rooms._rooms
    assert each(2, lambda m: float(reduced(1.0, m, "x"))) == [2.0, 2.0]
    leave()
    assert not found


def test_a_wait_says_for_whom() -> None:
    tl.config.set_step_timeout(0.05)
    try:
        with pytest.raises(tl.errors.DeadlineExceededError, match="CPU:1 to come to"):
            reduced(1.0, Members(HERE[:2], 0), "x")
    finally:
        tl.config.set_step_timeout(None)


@pytest.mark.parametrize("op", ["sum", "mean"])
def test_the_gradient_is_reduced_too(op: str) -> None:
    def grad(members: Members) -> Any:
        x = tl.asarray([1.0, 2.0 + members.rank])
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.sum(reduced(x, members, "x", op) ** 2 * (1.0 + members.rank))
        return tape.gradient(y, x).numpy()

    total = np.array([3.0, 9.0]) / (1 if op == "sum" else 3)
    weights = 1 + 2 + 3
    expected = 2 * total * weights / (1 if op == "sum" else 3)
    for found in each(3, grad):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_gradient_of_a_maximum_goes_to_those_that_have_it() -> None:
    def grad(members: Members) -> Any:
        x = tl.asarray([[1.0, 5.0, 0.0], [3.0, 5.0, 0.0]][members.rank])
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.sum(reduced(x, members, "x", "max"))
        return tape.gradient(y, x).numpy().tolist()

    assert each(2, grad) == [[0.0, 1.0, 1.0], [2.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    "op",
    [
        CollectiveReduce(THERE, 1, "x", "Add", "Div", "ring", deterministic=False),
        CollectiveGather(THERE, 2, "y"),
    ],
)
def test_it_travels(op: Op) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = graph.add_input(tl.TensorSpec((2, 3)))
        tl.extend.call(op, x)
    again = from_bytes(to_bytes(graph))
    assert [node.op for node in again.nodes if node.op.name == op.name] == [op]
    assert [node.op for node in again.effects] == [op]


def test_what_is_refused() -> None:
    members = Members(HERE[:2], 0)
    with pytest.raises(DTypeError, match="sum of bool"):
        reduced([True], members, "x")
    with pytest.raises(InvalidArgumentError, match="op='prod'"):
        reduced([1.0], members, "x", "prod")
    with pytest.raises(InvalidArgumentError, match="rank=2; the group has 2"):
        reduced([1.0], Members(HERE[:2], 2), "x")
    with pytest.raises(InvalidArgumentError, match="Mul"):
        tl.extend.call(CollectiveReduce(HERE, 0, "x", "Mul"), [1.0])
    with pytest.raises(ShapeError, match="a scalar has none"):
        gathered(1.0, members, "x")
    with pytest.raises(FailedPreconditionError, match="runs in a step"):
        reduced([1.0], Members(THERE, 0), "x")


class Step:
    """A step of a cluster, as an operator sees it."""

    def __init__(self, carrier: Loop) -> None:
        self.carrier = carrier
        self.task = carrier.task
        self.step = 5


def over(ops: Sequence[Op], arrays: Sequence[Any]) -> list[Any]:
    """Return what each task gets in a step."""
    net = Net(THERE)
    found: list[list[Any]] = [[] for _ in ops]
    for op, array, task, answers in zip(ops, arrays, THERE, found, strict=True):
        token = exchange.context.set(Step(net.carriers[task]))  # type: ignore[arg-type]
        try:
            op.start(answers.append, array)  # type: ignore[attr-defined]
        finally:
            exchange.context.reset(token)
    net.run()
    return [answers[0] for answers in found]


def test_over_carriers() -> None:
    arrays = [np.full((2, 2), i) for i in range(3)]
    ops = [CollectiveReduce(THERE, i, "x", "Max") for i in range(3)]
    for found in over(ops, arrays):
        np.testing.assert_array_equal(found, arrays[2])
    gathers = [CollectiveGather(THERE, i, "x") for i in range(3)]
    for found in over(gathers, arrays):
        np.testing.assert_array_equal(found, np.concatenate(arrays))
    wrong = [np.zeros(2), np.zeros(2), np.zeros(3)]
    for found in over(gathers, [*arrays[:2], np.zeros((2, 3), int)]):
        assert isinstance(found, InvalidArgumentError)
    for found in over(ops, wrong):
        assert isinstance(found, InvalidArgumentError)


def test_a_rank_runs_on_its_own_task() -> None:
    ops = [CollectiveReduce(THERE, (i + 1) % 3, "x") for i in range(3)]
    with pytest.raises(FailedPreconditionError, match="place it with"):
        over(ops, [np.zeros(1)] * 3)
    members = (THERE[0] + "/device:CPU:0", THERE[0] + "/device:CPU:1", THERE[1])
    ops = [CollectiveReduce(members, i, "x") for i in range(3)]
    with pytest.raises(InvalidArgumentError, match="several devices of one task"):
        over(ops, [np.zeros(1)] * 3)


def test_buckets() -> None:
    specs = [tl.TensorSpec((n,)) for n in (100, 1, 1, 30, 10)]
    assert buckets(specs, 160) == [[4, 3], [2, 1], [0]]
    mixed = [
        tl.TensorSpec((2,), tl.float64),
        tl.TensorSpec((2,)),
        tl.TensorSpec((None, 2)),
        tl.TensorSpec((2,), tl.float64),
    ]
    assert buckets(mixed) == [[3, 0], [2], [1]]
    assert buckets([]) == []


@pytest.mark.parametrize("limit", [1, 30, 1 << 20])
@pytest.mark.parametrize("op", ["sum", "mean"])
def test_gradients_in_buckets(limit: int, op: str) -> None:
    source = np.random.default_rng(0)
    shapes = [(3, 4), (5,), (), (2, 2)]
    own = [
        [source.standard_normal(shape).astype(np.float32) for shape in shapes]
        for _ in range(3)
    ]

    def reduce(members: Members) -> list[Any]:
        given = [None, *map(tl.asarray, own[members.rank])]
        return all_reduce_gradients(
            given, members, "g", op, limit, deterministic=True
        )

    for first, *found in each(3, reduce):
        assert first is None
        for i, g in enumerate(found):
            total = own[0][i] + own[1][i] + own[2][i]
            total = total if op == "sum" else total / 3
            np.testing.assert_array_equal(g.numpy(), total)


def test_sparse_gradients_stay_sparse() -> None:
    def reduce(members: Members) -> Any:
        rank = members.rank
        rows = tl.IndexedSlices(
            tl.ones((1 + rank, 2)), tl.asarray([5, 3][: 1 + rank]), (100, 2)
        )
        return all_reduce_gradients([rows], members)[0]

    for g in each(2, reduce):
        assert isinstance(g, tl.IndexedSlices)
        assert g.values.shape == (3, 2)
        dense = tl.densify(g).numpy()
        assert (dense[5].tolist(), dense[3].tolist()) == ([1.0, 1.0], [0.5, 0.5])
        assert dense.sum() == 3.0


def on_each(function: Callable[[int], Any]) -> list[Any]:
    """Return what a function gives on each task of a cluster."""
    found = []
    for rank, task in enumerate(THERE):
        with tl.device(f"{task}/device:CPU:0"):
            found.append(function(rank))
    return found


def member(rank: int) -> Members:
    return Members(THERE, rank)


@tl.function
def sums(x: Any) -> Any:
    return on_each(lambda rank: reduced(x * (rank + 1.0), member(rank), "s"))


@tl.function
def turns(x: Any) -> Any:
    xs = [x, x, x]
    for _ in tl.range(3):
        xs = on_each(lambda rank: reduced(xs[rank] * 2.0, member(rank), "t", "max"))  # noqa: B023
    return xs


@tl.function
def differ(x: Any) -> Any:
    return on_each(lambda rank: reduced(x * tl.ones(rank + 1), member(rank), "d"))


def test_in_the_steps_of_a_cluster() -> None:
    with tl.distribute.connect(spec={"worker": 3}, engine="inprocess"):
        for size in (1, 1000, 300_000):
            for found in sums(tl.ones(size)):
                np.testing.assert_array_equal(found.numpy(), np.full(size, 6.0))
        assert [float(x) for x in turns(tl.asarray(1.0))] == [8.0] * 3
        with pytest.raises(
            InvalidArgumentError, match="all ranks must have the same"
        ):
            differ(tl.asarray(1.0))
        assert [float(x[0]) for x in sums(tl.ones(1))] == [6.0] * 3
