"""Values that are sent from where they were computed: who reads them, when memory is used anew."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.containers import Container, current_container
from tensorlite.distributed.collectives.all_reduce_op import SHARED, Bucket
from tensorlite.distributed.transport.buffers import KEPT, Buffers, buffer_of
from tensorlite.distributed.transport.segments import SLOTS, Loan, Pool, are_there
from tests.distributed.pairs import Receiver, key, pair

pytestmark = pytest.mark.skipif(not are_there(), reason="there is no shared memory")
SIZE = 1 << 18
FLOAT = np.dtype(np.float32)


@pytest.fixture
def buffers() -> Iterator[Buffers]:
    made = Buffers()
    yield made
    gc.collect()
    made.close()


def value(buffers: Buffers, content: float = 1.0, size: int = SIZE) -> Any:
    made = buffers.empty((size,), FLOAT)
    assert made is not None
    made[:] = content
    return made


def test_an_array_in_a_buffer_is_one_like_others(buffers: Buffers) -> None:
    made = buffers.empty((3, 5), np.dtype(np.int64))
    assert made is not None
    assert (type(made), made.shape, made.dtype) == (np.ndarray, (3, 5), np.int64)
    assert made.flags.c_contiguous
    assert made.flags.writeable


def test_the_buffer_of_an_array_is_that_which_it_begins_in(buffers: Buffers) -> None:
    x = value(buffers)
    assert buffer_of(x) is not None
    assert buffer_of(x.reshape(-1, 2).view(np.uint8)) is buffer_of(x)
    assert buffer_of(x[1:]) is None
    assert buffer_of(x + 1) is None
    assert buffer_of(np.ones(3)) is None


def test_memory_is_used_anew_when_nobody_has_the_value(buffers: Buffers) -> None:
    x = value(buffers)
    first, view = buffer_of(x), x[5:]
    del x
    other = value(buffers)
    assert buffer_of(other) is not first
    del view
    assert buffer_of(value(buffers)) is first


def test_there_are_so_many_and_no_more(buffers: Buffers) -> None:
    buffers._most = 2
    held = [value(buffers), value(buffers)]
    assert buffers.empty((SIZE,), FLOAT) is None
    held.pop()
    assert buffers.empty((SIZE,), FLOAT) is not None


def test_few_are_kept_that_nobody_uses(buffers: Buffers) -> None:
    held = [value(buffers) for _ in range(3 * KEPT)]
    del held
    gc.collect()
    value(buffers)
    assert buffers._count <= KEPT + 1
    buffers.close()
    assert buffers._count <= 1


@pytest.mark.parametrize("way", ["unix"])
def test_a_value_in_a_buffer_is_read_in_place(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path) as (a, b):
        assert a.room is not None
        receiver = Receiver(b, "a")
        x: Any = a.room((SIZE,), FLOAT)
        x[:] = np.arange(SIZE)
        a.send("b", 1, key("x"), x)
        came = receiver.take(1, key("x"))
        np.testing.assert_array_equal(came, x)
        x[7] = -1.0  # as nobody does: it shows that there is one memory
        assert came[7] == -1.0
        with pytest.raises(ValueError, match="read-only"):
            came[0] = 3.0


def test_a_value_may_be_read_by_several_and_changes_for_none(tmp_path: Path) -> None:
    """As a variable's is: it is replaced by another, while others still read it."""
    with pair("unix", tmp_path) as (a, b):
        assert a.room is not None
        receiver = Receiver(b, "a")
        held = []
        for step in range(1, 100):
            x: Any = a.room((SIZE,), FLOAT)
            x[:] = step
            a.send("b", step, key("x"), x)
            held.append((step, receiver.take(step, key("x"))))
            if len(held) > 5:
                del held[step % 5]
            for then, came in held:
                assert came[0] == came[-1] == then


def test_one_value_is_sent_twice(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        assert a.room is not None
        receiver = Receiver(b, "a")
        x: Any = a.room((SIZE,), FLOAT)
        x[:] = 4.0
        for name in ("x", "y"):
            a.send("b", 1, key(name), x)
        found = [receiver.take(1, key(name)) for name in ("x", "y")]
        assert all((came == 4.0).all() for came in found)


def test_a_value_lives_as_long_as_it_is_lent(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        assert a.room is not None
        receiver = Receiver(b, "a")
        x: Any = a.room((SIZE,), FLOAT)
        x[:] = 4.0
        lent = buffer_of(x)
        a.send("b", 1, key("x"), x)
        came = receiver.take(1, key("x"))
        del x
        other: Any = a.room((SIZE,), FLOAT)
        assert buffer_of(other) is not lent
        other[:] = 5.0
        assert (came == 4.0).all()


def test_loans_and_segments_take_each_other_s_places(buffers: Buffers) -> None:
    pool = Pool()
    values = [value(buffers) for _ in range(SLOTS)]
    loans = [pool.lend(buffer_of(x), x) for x in values]  # type: ignore[arg-type]
    assert [loan.slot for loan in loans if loan is not None] == list(range(SLOTS))
    assert pool.take(100) is None
    assert pool.lend(buffer_of(values[0]), values[0]) is None  # type: ignore[arg-type]
    pool.back(3)
    segment = pool.take(100)
    assert segment is not None
    assert segment.slot == 3
    pool.back(3)
    pool.back(4)
    again = pool.lend(buffer_of(values[4]), values[4])  # type: ignore[arg-type]
    assert again is loans[4]
    pool.close()


def test_a_loan_that_was_not_given_back_is_never_filled_again(
    buffers: Buffers,
) -> None:
    """The other task may still read it, though its link is over."""
    pool = Pool()
    x = value(buffers)
    lent = buffer_of(x)
    assert lent is not None
    assert isinstance(pool.lend(lent, x), Loan)
    pool.close()
    del x
    assert buffer_of(value(buffers)) is not lent


def test_variables_are_where_they_can_be_sent_from(buffers: Buffers) -> None:
    container = Container()
    container.room = buffers.room()
    token = current_container.set(container)
    try:
        large, small = tl.Variable(tl.ones(SIZE)), tl.Variable(tl.ones(10))
        text = tl.Variable(tl.asarray(["a"]))
        large.assign_sub(tl.ones(SIZE) * 3.0)
        large.assign_add(tl.ones(SIZE))
        small.assign_add(tl.ones(10))
        text.assign(tl.asarray(["b"]))
    finally:
        current_container.reset(token)
    assert buffer_of(large.read_value().array) is not None
    assert buffer_of(small.read_value().array) is None
    assert (large.numpy() == -1).all()
    assert (small.numpy() == 2).all()


def test_large_buckets_of_gradients_are_made_where_others_read_them(
    buffers: Buffers,
) -> None:
    container = Container()
    container.room = buffers.room()
    axis = np.int32(0)
    token = current_container.set(container)
    try:
        for count, lies_in_one in ((SHARED // 4, True), (10, False)):
            parts = [
                np.full(count - 3, 2.0, np.float32),
                np.arange(3, dtype=np.float32),
            ]
            made = Bucket(2).kernel(np, *parts, axis)
            np.testing.assert_array_equal(made, np.concatenate(parts))
            assert (buffer_of(made) is not None) is lies_in_one
    finally:
        current_container.reset(token)


def test_where_there_are_no_buffers_they_are_made_anywhere() -> None:
    parts = [np.ones(SHARED, np.float32)] * 2
    made = Bucket(2).kernel(np, *parts, np.int32(0))
    assert buffer_of(made) is None
    assert made.shape == (2 * SHARED,)
