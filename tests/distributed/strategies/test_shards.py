"""Batches cut into shares, results made one, and data sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tensorlite.distributed.strategies.per_replica import PerReplica, leaves
from tensorlite.distributed.strategies.shards import cut, joined
from tests.distributed.strategies.training import CPUS


def mirrored(count: int) -> tl.distribute.Mirrored:
    return tl.distribute.Mirrored(CPUS[:count])


@given(rows=st.integers(1, 40), count=st.integers(1, 9))
def test_shares_are_the_rows_in_order_and_differ_by_one_at_most(
    rows: int, count: int
) -> None:
    batch = cut((np.arange(rows),), count)
    found = np.concatenate([share.arguments[0] for share in batch.shares])
    np.testing.assert_array_equal(found, np.arange(rows))
    sizes = [share.rows or 0 for share in batch.shares]
    assert max(sizes) - min(sizes) <= 1
    assert len(batch.shares) == min(rows, count)
    assert sum(batch.weights) == pytest.approx(1)


@given(rows=st.integers(1, 20), count=st.integers(1, 5), data=st.data())
def test_the_mean_of_shares_weighed_by_rows_is_that_of_the_batch(
    rows: int, count: int, data: st.DataObject
) -> None:
    numbers = data.draw(
        st.lists(st.floats(-9, 9, width=32), min_size=rows, max_size=rows)
    )
    batch = cut((np.asarray(numbers),), count)
    means = [tl.asarray(share.arguments[0].mean()) for share in batch.shares]
    assert float(joined(means, batch, "mean")) == pytest.approx(
        np.mean(numbers), abs=1e-5
    )


def test_what_has_no_rows_goes_to_all() -> None:
    given = ({"x": np.arange(4), "rate": np.float32(0.5)}, "name", None, 3)
    batch = cut(given, 2)
    assert [share.arguments[1:] for share in batch.shares] == [("name", None, 3)] * 2
    assert [share.arguments[0]["rate"] for share in batch.shares] == [0.5, 0.5]
    assert cut((1.0,), 3).weights == (1 / 3,) * 3


def test_results_may_be_of_any_structure_and_reduced_in_several_ways() -> None:
    strategy = mirrored(3)

    def function(x: tl.Tensor) -> dict[str, Any]:
        return {
            "mean": tl.mean(x),
            "rows": x,
            "sum": tl.sum(x),
            "say": "yes",
            "all": x[0],
        }

    ways = {
        "mean": "mean",
        "rows": "concat",
        "sum": "sum",
        "say": "none",
        "all": "stack",
    }
    found = strategy.evaluate(function, np.arange(7.0), reduce=ways)
    assert float(found["mean"]) == 3.0
    np.testing.assert_array_equal(found["rows"], np.arange(7.0))
    assert float(found["sum"]) == 21.0
    assert found["say"] == "yes"
    np.testing.assert_array_equal(found["all"], [0.0, 3.0, 5.0])
    each = strategy.evaluate(tl.sum, np.arange(7.0), reduce="none")
    assert [float(x) for x in each] == [3.0, 7.0, 11.0]


def test_means_of_whole_numbers_are_float32() -> None:
    found = mirrored(2).evaluate(tl.sum, np.asarray([1, 2, 4]))
    assert found.dtype is tl.float32
    assert float(found) == pytest.approx((3 * 2 + 4 * 1) / 3)


BAD: dict[str, tuple[Any, str]] = {
    "a sum of different shapes": (
        lambda s: s.evaluate(lambda x: x, np.arange(3), reduce="sum"),
        "shape .*allowed are reduce='concat'",
    ),
    "a 0-d concat": (
        lambda s: s.evaluate(tl.sum, np.arange(3), reduce="concat"),
        "0-d.*allowed are 'mean'",
    ),
    "no reduction": (
        lambda s: s.evaluate(tl.sum, np.arange(3), reduce="men"),
        "'men'; allowed are 'mean', 'sum'",
    ),
    "another structure": (
        lambda s: s.evaluate(tl.sum, np.arange(3), reduce=("sum", "sum")),
        "not structured as what the step returns",
    ),
    "rows that differ": (
        lambda s: s.evaluate(lambda x, y: x, np.arange(3), np.arange(4)),
        "3 and 4 rows",
    ),
    "no rows": (lambda s: s.evaluate(tl.sum, np.arange(0)), "without rows"),
    "values for others": (
        lambda s: s.evaluate(tl.sum, PerReplica((1, 2, 3))),
        "for 3 replicas.*strategy of 2",
    ),
    "some missing": (
        lambda s: s.evaluate(tl.add, PerReplica((1, None)), PerReplica((None, 1))),
        "differ in which replicas",
    ),
    "an array": (
        lambda s: s.evaluate(lambda x: np.ones(2), np.arange(4)),
        "no tensor",
    ),
    "what differs": (
        lambda s: s.evaluate(lambda x: tl.distribute.replica_index(), np.arange(4)),
        "0, which is no tensor, and 1 in another replica",
    ),
    "no size": (lambda s: s.distribute(np.arange(4)), "give batch_size="),
    "a size of 0": (lambda s: s.distribute(np.arange(4), 0), "batch_size=0"),
    "a size for a function": (
        lambda s: s.distribute(lambda i, n: [], 2),
        "leave batch_size",
    ),
    "short": (
        lambda s: s.distribute(np.arange(4), 2, short="stop"),
        "'go on' and 'error'",
    ),
    "uneven": (
        lambda s: list(s.distribute((np.arange(4), np.arange(5)), 2)),
        r"\[4, 5\] rows",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    call, text = BAD[name]
    with pytest.raises(tl.errors.InvalidArgumentError, match=text):
        call(mirrored(2))


def sizes_of(batches: Any) -> list[list[int]]:
    return [
        [0 if x is None else len(x) for x in leaves(batch)[0]] for batch in batches
    ]


def test_sources_are_cut_batch_by_batch() -> None:
    strategy, numbers = mirrored(2), np.arange(7)
    assert sizes_of(strategy.distribute(numbers, 4)) == [[2, 2], [2, 1]]
    pairs = list(strategy.distribute({"x": numbers, "y": numbers}, 4))
    np.testing.assert_array_equal(pairs[0]["y"][1], [2, 3])
    data = tl.data.Dataset.from_tensor_slices((numbers, numbers))
    assert sizes_of(strategy.distribute(data, 6)) == [[3, 3], [1, 0]]
    assert sizes_of(strategy.distribute(data.batch(5))) == [[3, 2], [1, 1]]


def test_a_source_for_each_replica_may_end_early() -> None:
    strategy = mirrored(2)

    def source(index: int, count: int) -> Any:
        return [np.full(2, float(10 * index + i)) for i in range(3 - index)]

    means = [
        float(strategy.evaluate(tl.mean, batch))
        for batch in strategy.distribute(source)
    ]
    assert means == [5.0, 6.0, 2.0]
    rest = strategy.distribute(source, short="error")
    next(rest), next(rest)
    with pytest.raises(
        tl.errors.OutOfRangeError, match="replica 1 of 2 ends after 2 batches"
    ):
        next(rest)
