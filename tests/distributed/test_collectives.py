"""Collectives: what all ranks get, whatever comes first; how an error of one ends it on all."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tensorlite.core.errors import (
    AbortedError,
    DTypeError,
    InvalidArgumentError,
    NotFoundError,
    ShapeError,
    TensorliteError,
    UnavailableError,
)
from tensorlite.distributed.collectives import gathers, neighbours, rings
from tensorlite.distributed.collectives.collectives import (
    ALGORITHMS,
    all_gather,
    all_reduce,
    barrier,
    broadcast,
    chosen,
    group_of,
    reduce_scatter,
)
from tensorlite.distributed.collectives.folds import MERGES
from tests.distributed.loopback import Net

SIZES = (1, 2, 3, 4, 5, 7, 8)
NUMPY: dict[str, Callable[..., Any]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have many pieces in arrays that are made quickly."""
    monkeypatch.setattr(rings, "PIECE", 64)
    monkeypatch.setattr(rings, "LEAST", 32)
    monkeypatch.setattr(neighbours, "PIECE", 128)
    monkeypatch.setattr(gathers, "PIECE", 1 << 16)


def tasks(size: int) -> list[str]:
    return [f"/job:worker/task:{i}" for i in range(size)]


def outcomes(
    begin: Callable[..., Any], arrays: Sequence[Any], seed: int = 0, **options: Any
) -> list[Any]:
    """Return what each rank got, or its error; each begins at some time."""
    names = tasks(len(arrays))
    net = Net(names, seed)
    found: list[list[Any]] = [[] for _ in arrays]
    for rank, array in enumerate(arrays):
        group = group_of(names, net.carriers[names[rank]])
        work = partial(begin, group, 1, "k", array, found[rank].append, **options)
        net.events.append(work)
    net.run()
    assert [len(each) for each in found] == [1] * len(arrays), "not all are over"
    for carrier in net.carriers.values():
        assert not carrier.asked
    return [each[0] for each in found]


def random(
    size: int, shape: Any, dtype: Any = np.float32, seed: int = 0
) -> list[Any]:
    """Return arrays of which sums depend on the order, where the dtype is a float's."""
    source = np.random.default_rng(seed)
    scales = 10.0 ** source.integers(0, 6, (size, 1))
    values = source.standard_normal((size, int(np.prod(shape)))) * scales
    return [row.reshape(shape).astype(dtype) for row in values]


def same(found: Sequence[Any]) -> bool:
    return len({x.tobytes() for x in found}) == 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("count", [0, 1, 3, 1000])
def test_all_ranks_get_the_sum(size: int, algorithm: str, count: int) -> None:
    arrays = random(size, count)
    before = [x.copy() for x in arrays]
    found = outcomes(all_reduce, arrays, seed=size, algorithm=algorithm)
    assert same(found)
    exact = np.sum(np.asarray(arrays, np.float64), axis=0)
    np.testing.assert_allclose(found[0], exact, atol=1.0)
    assert found[0].dtype == np.float32
    for array, old in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("algorithm", ["auto", "exchange", "direct", "neighbours"])
@pytest.mark.parametrize("seed", range(5))
def test_in_the_order_of_ranks(size: int, algorithm: str, seed: int) -> None:
    arrays = random(size, (25, 7), seed=seed)
    expected = reduce(np.add, arrays)
    found = outcomes(
        all_reduce, arrays, seed, algorithm=algorithm, deterministic=True
    )
    assert all(x.tobytes() == expected.tobytes() for x in found)
    if size > 2:
        backwards = reduce(np.add, arrays[::-1])
        assert backwards.tobytes() != expected.tobytes()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("op", NUMPY)
def test_what_comes_first_changes_nothing(algorithm: str, op: str) -> None:
    arrays = random(5, 333)
    arrays[1][:50], arrays[3][:70] = 0.0, -0.0
    arrays[2][5], arrays[0][6] = np.nan, np.inf
    found = [
        x
        for seed in range(20)
        for x in outcomes(all_reduce, arrays, seed, op=op, algorithm=algorithm)
    ]
    assert same(found)
    if op != "sum":
        np.testing.assert_array_equal(found[0], reduce(NUMPY[op], arrays))


DTYPES = [
    *(np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64),
    *(np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.complex64),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_dtype_is_added_as_numpy_does(dtype: Any, algorithm: str) -> None:
    arrays = [np.arange(100).astype(dtype) * dtype(i) for i in range(3)]
    (first, *rest) = outcomes(all_reduce, arrays, algorithm=algorithm)
    assert first.dtype == np.dtype(dtype)
    assert same([first, *rest])
    np.testing.assert_array_equal(first, arrays[0] + arrays[1] + arrays[2])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("dtype", [np.float64, ml_dtypes.bfloat16])
def test_the_mean(algorithm: str, dtype: Any) -> None:
    arrays = [np.full((5, 30), i, dtype) for i in range(5)]
    found = outcomes(all_reduce, arrays, op="mean", algorithm=algorithm)
    assert same(found)
    np.testing.assert_array_equal(found[0], np.full((5, 30), 2, dtype))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("size", SIZES)
def test_in_place(algorithm: str, size: int) -> None:
    names, net = tasks(size), Net(tasks(size), size)
    arrays = random(size, 100)
    expected = outcomes(all_reduce, arrays, algorithm=algorithm)[0].tobytes()
    found: list[Any] = []
    for name, x in zip(names, arrays, strict=True):
        group = group_of(names, net.carriers[name])
        all_reduce(group, 1, "k", x, found.append, algorithm=algorithm, out=x)
    net.run()
    assert {id(x) for x in found} == {id(x) for x in arrays}
    assert all(x.tobytes() == expected for x in arrays)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_scalars_and_strides(algorithm: str) -> None:
    scalars = outcomes(all_reduce, [np.array(2.0)] * 3, algorithm=algorithm)
    assert [(x.shape, float(x)) for x in scalars] == [((), 6.0)] * 3
    grids = [np.arange(600.0).reshape(20, 30).T[:, ::2] for _ in range(2)]
    found = outcomes(all_reduce, grids, algorithm=algorithm)
    np.testing.assert_array_equal(found[1], 2 * grids[0])


def test_another_out_is_refused() -> None:
    name = tasks(1)
    group = group_of(name, Net(name).carriers[name[0]])
    found: list[Any] = []
    all_reduce(group, 1, "k", np.zeros(3), found.append, out=np.zeros(4))
    assert isinstance(found[0], InvalidArgumentError)
    assert "out is float64 of shape (4,)" in str(found[0])


def told(found: Sequence[Any], kind: type[TensorliteError], *words: str) -> None:
    """Check that every rank has an error of a kind, and that all of them name something."""
    for error in found:
        assert isinstance(error, kind), repr(error)
        for word in words:
            assert word in str(error)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shapes", [(3, 4), (3, 70_000), (70_000, 70_001)])
@pytest.mark.parametrize("size", [2, 3, 8, 9])
def test_shapes_that_differ_end_it_on_all(
    size: int, shapes: tuple[int, int], seed: int
) -> None:
    arrays = [np.zeros(shapes[0], np.int8) for _ in range(size - 1)]
    found = outcomes(all_reduce, [*arrays, np.zeros(shapes[1], np.int8)], seed)
    told(found, InvalidArgumentError, "all-reduce 'k'", "shape", f"rank {size - 1}")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_dtypes_and_operations_that_differ_end_it_on_all(algorithm: str) -> None:
    mixed = [np.zeros(300, np.float32), np.zeros(300, np.int32)]
    found = outcomes(all_reduce, mixed * 2, algorithm=algorithm)
    told(found, InvalidArgumentError, "float32", "int32")

    def begin(group: Any, step: int, key: str, array: Any, done: Any) -> None:
        op = "max" if group.rank else "sum"
        all_reduce(group, step, key, array, done, op, algorithm)

    found = outcomes(begin, [np.zeros(300)] * 3)
    told(found, InvalidArgumentError, " op '", "'max'", "'sum'")


def _mixed(
    group: Any, step: int, key: str, array: Any, done: Any, pair: tuple[str, str]
) -> None:
    algorithm = pair[group.rank == 2]
    all_reduce(group, step, key, array, done, algorithm=algorithm)


def test_algorithms_that_differ_end_it_on_all() -> None:
    for one in ALGORITHMS:
        for other in ALGORITHMS:
            found = outcomes(_mixed, [np.zeros(300)] * 4, pair=(one, other))
            if one != other:
                told(found, InvalidArgumentError, "algorithm", one, other)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("after", [0, 1, 5, 20, 40])
def test_a_lost_task_ends_it_on_all(algorithm: str, after: int) -> None:
    names = tasks(5)
    net = Net(names, after)
    found: list[list[Any]] = [[] for _ in names]
    for rank, name in enumerate(names):
        group = group_of(names, net.carriers[name])
        array = np.ones(1000)
        all_reduce(group, 1, "k", array, found[rank].append, algorithm=algorithm)
    net.run(after)
    net.lose(names[3])
    net.run()
    del found[3]
    assert [len(each) for each in found] == [1] * 4
    for each in found:
        if isinstance(each[0], TensorliteError):
            assert isinstance(each[0], UnavailableError)
            assert names[3] in str(each[0])
        else:  # it had all it needed
            np.testing.assert_array_equal(each[0], np.full(1000, 5.0))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_error_of_one_rank_ends_it_on_all(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def failing(*arrays: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise MemoryError("no room")
        return np.add(*arrays, **options)

    monkeypatch.setitem(MERGES, "sum", failing)
    found = outcomes(all_reduce, [np.ones(1000)] * 4, algorithm=algorithm)
    errors = [x for x in found if isinstance(x, Exception)]
    assert sum(isinstance(x, MemoryError) for x in errors) == 1
    told(
        [x for x in errors if not isinstance(x, MemoryError)], AbortedError, "no room"
    )
    if algorithm in (
        "ring",
        "direct",
        "neighbours",
    ):  # else some may need no more of it
        assert len(errors) == 4
    for x in found:
        if not isinstance(x, Exception):
            np.testing.assert_array_equal(x, np.full(1000, 4.0))


def test_what_cannot_be_reduced_is_refused_on_all() -> None:
    found = outcomes(all_reduce, [np.ones(3, bool)] * 2)
    told(found, DTypeError, "sum of bool", "cast to int32")
    found = outcomes(all_reduce, [np.ones(3, np.int32)] * 2, op="mean")
    told(found, DTypeError, "mean of int32", "cast to a float")
    found = outcomes(all_reduce, [np.ones(3, np.complex64)] * 2, op="max")
    told(found, DTypeError, "max of complex64", "no order")
    found = outcomes(all_reduce, [np.ones(3)] * 2, op="prod")
    told(found, InvalidArgumentError, "op='prod'", "sum, mean, max, min")
    found = outcomes(all_reduce, [np.ones(3)] * 2, algorithm="star")
    told(found, InvalidArgumentError, "algorithm='star'", "ring")
    found = outcomes(
        all_reduce, [np.ones(3)] * 2, algorithm="ring", deterministic=True
    )
    told(found, InvalidArgumentError, "deterministic")


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "auto"])
def test_one_that_cannot_begin_ends_it_on_all(algorithm: str) -> None:
    arrays = [np.ones(500), np.ones(500), np.ones(500, bool), np.ones(500)]
    found = outcomes(all_reduce, arrays, algorithm=algorithm)
    assert isinstance(found[2], DTypeError)
    told([found[0], found[1], found[3]], TensorliteError, "bool")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_missing_rank_is_told_by_what_is_waited_for(algorithm: str) -> None:
    names = tasks(3)
    net = Net(names)
    for name in names[:2]:
        group = group_of(names, net.carriers[name])
        all_reduce(group, 7, "k", np.ones(300), print, algorithm=algorithm)
    net.run()
    for name in names[:2]:
        assert names[2] in {task for task, _ in net.carriers[name].waiting(7)}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_given_up(algorithm: str) -> None:
    names = tasks(3)
    net = Net(names)
    found: list[Any] = []
    group = group_of(names, net.carriers[names[0]])
    give_up = all_reduce(
        group, 7, "k", np.ones(300), found.append, algorithm=algorithm
    )
    assert give_up is not None
    give_up()
    net.run()
    assert not found
    assert not net.carriers[names[0]].asked


def test_a_task_that_is_not_there() -> None:
    names = tasks(2)
    net = Net(names)
    found: list[Any] = []
    group = group_of(["/job:ps/task:9", *names], net.carriers[names[0]])
    all_reduce(group, 1, "k", np.ones(3), found.append)
    net.run()
    told(found, NotFoundError, "/job:ps/task:9")


def test_groups() -> None:
    names = tasks(2)
    carrier = Net(names).carriers[names[0]]
    with pytest.raises(InvalidArgumentError, match="each task once"):
        group_of([*names, names[0]], carrier)
    with pytest.raises(InvalidArgumentError, match="not in the group"):
        group_of(names[1:], carrier)
    assert group_of(names, carrier).others == [1]


@pytest.mark.parametrize("size", SIZES)
def test_reduce_scatter(size: int) -> None:
    arrays = random(size, (size * 9, 4))
    expected = reduce(np.add, arrays)
    for seed in range(3):
        found = outcomes(reduce_scatter, arrays, seed)
        for rank, rows in enumerate(found):
            share = expected[rank * 9 : (rank + 1) * 9]
            assert rows.tobytes() == share.tobytes()


def test_rows_that_cannot_be_shared_out() -> None:
    found = outcomes(reduce_scatter, [np.ones((5, 2))] * 2)
    told(found, ShapeError, "(5, 2)", "2 ranks")
    told(outcomes(reduce_scatter, [np.ones(())] * 2), ShapeError)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("most", [3, 40_000])
def test_all_gather(size: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [np.full((i * most // size, 3), i, np.float32) for i in range(size)]
    for seed in range(3):
        for found in outcomes(all_gather, arrays, seed):
            assert len(found) == size
            for one, array in zip(found, arrays, strict=True):
                np.testing.assert_array_equal(one, array)


def test_all_gather_refuses_other_rows() -> None:
    for other in (np.ones((3, 3)), np.ones((2, 2), np.int64), np.ones(2)):
        found = outcomes(all_gather, [np.ones((2, 2)), other])
        told(found, InvalidArgumentError, "rank 0", "rank 1", "number of rows")
    strings = np.array(["a"], object)
    told(outcomes(all_gather, [strings, strings]), DTypeError, "numbers and bools")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [0, 5, 40_000])
def test_broadcast(size: int, count: int) -> None:
    root = size // 2
    array = np.arange(count, dtype=np.int64)
    arrays = [array if rank == root else None for rank in range(size)]
    for found in outcomes(broadcast, arrays, root=root):
        np.testing.assert_array_equal(found, array)


def test_broadcast_of_nothing() -> None:
    told(outcomes(broadcast, [None, None]), InvalidArgumentError, "has None")
    told(outcomes(broadcast, [None, None], root=2), InvalidArgumentError, "root=2")


def test_other_collectives_do_not_meet() -> None:
    def begin(group: Any, step: int, key: str, array: Any, done: Any) -> None:
        works: list[Any] = [all_reduce, all_gather, reduce_scatter, broadcast]
        works[group.rank](group, step, key, array, done)

    told(outcomes(begin, [np.ones(4)] * 4), TensorliteError)


def test_a_barrier_opens_when_all_have_come() -> None:
    names = tasks(3)
    net = Net(names)
    found: list[Any] = []
    for i, name in enumerate(names):
        barrier(group_of(names, net.carriers[name]), 1, "b", found.append)
        net.run()
        assert found == ([None] * 3 if i == 2 else [])


def test_the_choice() -> None:
    assert chosen(2, 1 << 30) == "neighbours"
    assert chosen(4, 1 << 20) == "direct"
    assert chosen(1000, 100) == "tree"
    assert chosen(1000, 1 << 30) == "ring"
    assert chosen(1000, 1 << 30, deterministic=True) == "direct"


@pytest.mark.parametrize("allowed", [0, 1, 2])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_neighbours_that_may_not_read_are_sent_pieces(
    size: int, allowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def may_read(places: Any) -> bool:
        asked.append(places)
        return len(asked) <= allowed

    monkeypatch.setattr(neighbours, "_may_read", may_read)
    arrays = random(size, 1000)
    expected = reduce(np.add, arrays)
    for found in outcomes(all_reduce, arrays, allowed, algorithm="neighbours"):
        assert found.tobytes() == expected.tobytes()


def test_only_the_right_process_is_read() -> None:
    proof = neighbours._PROOF
    right = neighbours.Places(os.getpid(), proof.tolist(), proof.ctypes.data, 0, 0)
    assert neighbours._may_read(right)
    assert not neighbours._may_read(right._replace(proof=[0] * 16))
    assert not neighbours._may_read(right._replace(proof_at=1))
    assert not neighbours._may_read(right._replace(process=2**22 + 1))
    assert not neighbours._may_read(right._replace(process=1))


def test_memory_that_is_gone_ends_it_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any) -> None:
        raise OSError("Bad address")

    monkeypatch.setattr(neighbours, "_may_read", lambda _: True)
    monkeypatch.setattr(neighbours, "read", gone)
    found = outcomes(all_reduce, [np.ones(100)] * 3, algorithm="neighbours")
    told(found, UnavailableError, "cannot be read any more")
