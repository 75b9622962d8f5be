"""Normalisation, dropout, attention and embeddings at their edges."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.graph.trace import trace
from tests.checks import run_graph


def test_dropout_keeps_its_mean_and_its_share() -> None:
    y = tl.nn.dropout(tl.ones(100_000), 0.3, seed=(1, 2)).numpy()
    assert abs((y == 0).mean() - 0.3) < 0.006
    assert abs(y.mean() - 1) < 0.01
    np.testing.assert_allclose(y[y != 0], 1 / 0.7, 1e-6)


def test_dropout_of_nothing_and_of_everything() -> None:
    x = tl.asarray([1.0, np.nan, np.inf])
    np.testing.assert_array_equal(tl.nn.dropout(x, 0), x)
    assert tl.nn.dropout(x, 1.0).tolist() == [0, 0, 0]
    assert tl.nn.dropout(x, tl.asarray(1.0)).tolist() == [0, 0, 0]
    for rate in (-0.1, 1.5):
        with pytest.raises(InvalidArgumentError, match="allowed is 0"):
            tl.nn.dropout(x, rate)


def test_dropout_draws_from_what_it_is_given() -> None:
    x = tl.ones(64)
    a, b = (tl.random.Generator.from_seed(1) for _ in range(2))
    first, second = (tl.nn.dropout(x, 0.5, generator=a).tolist() for _ in range(2))
    assert first != second
    assert tl.nn.dropout(x, 0.5, generator=b).tolist() == first
    shared = tl.nn.dropout(
        tl.ones((8, 5)), 0.5, noise_shape=(8, 1), seed=(0, 1)
    ).numpy()
    assert (shared == shared[:, :1]).all()
    with pytest.raises(InvalidArgumentError, match="not both"):
        tl.nn.dropout(x, 0.5, seed=(1, 2), generator=a)


def test_traced_dropout_drops_others_every_time() -> None:
    generator = tl.random.Generator.from_seed(1)
    traced = trace(
        lambda x: [tl.nn.dropout(x, 0.5, generator=generator)], [tl.TensorSpec((64,))]
    )
    x = np.ones(64, np.float32)
    first, second = (
        run_graph(traced.graph, [x, *traced.captured])[0] for _ in range(2)
    )
    assert not np.array_equal(first, second)


def test_constant_and_empty_operands_of_norms() -> None:
    assert tl.nn.layer_norm(tl.ones((2, 3))).tolist() == [[0, 0, 0]] * 2
    assert tl.nn.layer_norm(tl.ones((0, 3))).shape == (0, 3)
    assert tl.nn.layer_norm(tl.ones((2, 0))).shape == (2, 0)


def test_batch_norm_has_batch_normalizations_results() -> None:
    x = np.random.default_rng(0).normal(size=(6, 3))
    y, mean, variance = tl.nn.batch_norm(x, [1.0, 2.0, 3.0], [0.0, 1.0, 2.0])
    other = tl.nn.batch_normalization(
        x, mean, variance, [0.0, 1.0, 2.0], [1.0, 2.0, 3.0]
    )
    np.testing.assert_allclose(y.numpy(), other.numpy())


def test_gradient_of_mean_and_variance_alone() -> None:
    x = tl.asarray(np.array([[1.0, 2.0, 6.0]]))
    with tl.GradientTape(persistent=True) as tape:
        tape.watch(x)
        _, mean, variance = tl.nn.standardize(x)
    np.testing.assert_allclose(tape.gradient(mean, x).numpy(), [[1 / 3] * 3])
    np.testing.assert_allclose(
        tape.gradient(variance, x).numpy(), [[-4 / 3, -2 / 3, 2]]
    )


def test_a_query_that_sees_nothing_gets_a_plain_mean() -> None:
    x = tl.eye(2)
    found = tl.nn.attention(x, x, x, mask=[[False, False], [True, True]])
    assert found[0].tolist() == [0.5, 0.5]


def test_masks_may_be_numbers_and_depth_unknown() -> None:
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    seen = np.tri(3, dtype=bool)
    added = tl.nn.attention(
        x, x, x, np.where(seen, 0, -np.inf).astype(np.float32)
    ).numpy()
    np.testing.assert_allclose(tl.nn.attention(x, x, x, seen).numpy(), added, 1e-6)
    np.testing.assert_allclose(
        tl.nn.attention(x, x, x, causal=True).numpy(), added, 1e-6
    )
    traced = trace(
        lambda q: [tl.nn.attention(q, q, q, causal=True)],
        [tl.TensorSpec((None, None))],
    )
    found = run_graph(traced.graph, [x, *traced.captured])[0]
    np.testing.assert_allclose(found, added, 1e-6)


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("rows", [5, 6, 7, 8])
def test_shards_hold_the_rows_of_the_whole(strategy: str, rows: int) -> None:
    table = np.arange(2.0 * rows).reshape(rows, 2)
    ids = np.random.default_rng(0).integers(0, rows, (4, 3))
    shards = (
        np.array_split(table, 3)
        if strategy == "div"
        else [table[i::3] for i in range(3)]
    )
    variables = [tl.Variable(shard) for shard in shards]
    with tl.GradientTape() as tape:
        found = tl.nn.embedding_lookup(variables, ids, strategy)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found.numpy(), table[ids])
    slices = tape.gradient(found, variables)
    assert all(isinstance(s, tl.IndexedSlices) for s in slices)
    counts = np.bincount(ids.ravel(), minlength=rows).astype(float)
    wanted = (
        np.array_split(counts, 3)
        if strategy == "div"
        else [counts[i::3] for i in range(3)]
    )
    for s, expected in zip(slices, wanted, strict=True):
        np.testing.assert_array_equal(tl.densify(s).numpy()[:, 0], expected)


def test_embedding_of_no_ids() -> None:
    table = tl.Variable(np.ones((3, 2)))
    assert tl.nn.embedding_lookup(table, np.zeros((0, 4), np.int32)).shape == (
        0,
        4,
        2,
    )
    halves = [table, tl.Variable(np.ones((3, 2)))]
    assert tl.nn.embedding_lookup(halves, np.zeros((0, 4), np.int32)).shape == (
        0,
        4,
        2,
    )


def test_errors_say_what_is_allowed() -> None:
    table = tl.ones((3, 2))
    with pytest.raises(DTypeError, match="ids must be integers"):
        tl.nn.embedding_lookup(table, [0.5])
    with pytest.raises(InvalidArgumentError, match="allowed: 'mod', 'div'"):
        tl.nn.embedding_lookup([table, table], [0], "row")  # type: ignore[arg-type]
    with pytest.raises(PlaceError):
        tl.nn.embedding_lookup(table, [3])
    with pytest.raises(ShapeError, match="divides into 3 heads"):
        tl.nn.multi_head_attention(table[None], table[None], table[None], heads=3)
    with pytest.raises(ShapeError, match="divides into 3 groups"):
        tl.nn.group_norm(tl.ones((1, 4)), 3)
    with pytest.raises(DTypeError, match="norms take real tensors"):
        tl.nn.layer_norm(np.array([1j]))


def test_dropout_at_a_rate_of_unknown_rank_keeps_the_shape() -> None:
    @tl.function(input_signature=[tl.TensorSpec((None, 3)), tl.TensorSpec(None)])
    def dropped(x: tl.Tensor, rate: tl.Tensor) -> tl.Tensor:
        y = tl.nn.dropout(x, rate, seed=(1, 2))
        assert y.shape == (None, 3)
        return y

    assert dropped(tl.ones((2, 3)), tl.constant(0.5)).shape == (2, 3)
