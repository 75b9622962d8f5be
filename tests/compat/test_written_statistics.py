"""Shares, moments, counts and embeddings, as graphs of version 1 have them, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import InvalidArgumentError

tf: Any = v1
ROWS: Any = np.random.default_rng(3).normal(size=(4, 3)).astype(np.float32)
TABLE: Any = np.random.default_rng(4).normal(size=(7, 3)).astype(np.float32)


def ran(make: Any, **feeds: Any) -> Any:
    """Return what a session makes of what is made of placeholders of unknown shape."""
    with tf.Graph().as_default(), tf.Session() as session:
        given = {key: tf.placeholder(x.dtype, name=key) for key, x in feeds.items()}
        made = make(**given)
        return session.run(made, {given[key]: x for key, x in feeds.items()})


@pytest.mark.parametrize("shape", [(3, 4), (0,), ()])
def test_the_share_of_zeros(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3
    with np.errstate(invalid="ignore"):
        wanted = np.float32((x == 0).sum()) / np.float32(x.size)
        np.testing.assert_array_equal(ran(tf.nn.zero_fraction, value=x), wanted)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_weighted_moments(kept: bool, dtype: Any) -> None:
    weights = np.array([[1], [2], [0], [1]], np.int32)
    found = ran(
        lambda x, w: tf.nn.weighted_moments(x, [0], w, keep_dims=kept),
        x=ROWS.astype(dtype),
        w=weights,
    )
    mean = (ROWS * weights).sum(0, keepdims=kept) / 4
    spread = (weights * (ROWS - mean) ** 2).sum(0, keepdims=kept) / 4
    assert [x.dtype for x in found] == [dtype, dtype]
    for x, wanted in zip(found, (mean, spread), strict=True):
        np.testing.assert_allclose(x, wanted, 2e-3 if dtype is np.float16 else 1e-5)


@pytest.mark.parametrize("shift", [None, 0.5])
def test_sufficient_statistics(shift: float | None) -> None:
    found = ran(
        lambda x: [
            one
            for one in tf.nn.sufficient_statistics(x, [0, 1], shift)
            if one is not None
        ],
        x=ROWS,
    )
    moved = ROWS - (shift or 0)
    wanted = [12, moved.sum(), (moved**2).sum(), *([] if shift is None else [shift])]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_parts_of_a_range_that_values_lie_in() -> None:
    x = np.array([[-1.0, 0.0, 1.5], [2.0, 5.0, 15.0]], np.float32)
    found = ran(lambda x: tf.histogram_fixed_width_bins(x, [0.0, 5.0], 5), x=x)
    assert found.tolist() == [[0, 0, 1], [2, 4, 4]]


@pytest.mark.parametrize("weights", [None, np.array([2.0, 1.0, 4.0], np.float32)])
@pytest.mark.parametrize("count", [None, 4])
def test_how_often_classes_are_taken_for_others(weights: Any, count: Any) -> None:
    labels, others = np.array([0, 2, 2]), np.array([[1], [2], [0]])
    made = {} if weights is None else {"w": weights}
    found = ran(
        lambda x, y, w=None: tf.confusion_matrix(
            x, y, count, dtype=tf.float32, weights=w
        ),
        x=labels,
        y=others,
        **made,
    )
    wanted = np.zeros([count or 3] * 2, np.float32)
    np.add.at(wanted, (labels, others[:, 0]), 1 if weights is None else weights)
    np.testing.assert_array_equal(found, wanted)


def test_classes_beyond_their_count_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="out of bound"):
        ran(lambda x: tf.confusion_matrix(x, x, 2), x=np.array([0, 2]))


def test_tensors_are_cut_to_an_average_norm() -> None:
    average = float(np.linalg.norm(ROWS)) / ROWS.size
    for most in (average / 2, average * 2):
        found = ran(lambda x, m=most: tf.clip_by_average_norm(x, m), x=ROWS)
        wanted = ROWS * min(1, most / average)
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def _shards(count: int, strategy: str) -> list[Any]:
    if strategy == "mod":
        return [TABLE[i::count] for i in range(count)]
    return np.array_split(TABLE, count)


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("is_open", [True, False])
def test_rows_of_shards(strategy: str, count: int, is_open: bool) -> None:
    ids = np.array([[0, 6, 3], [5, 5, 1]])
    parts = {f"p{i}": x for i, x in enumerate(_shards(count, strategy))}

    def made(ids: Any, **shards: Any) -> Any:
        given = shards if is_open else parts
        return tf.nn.embedding_lookup(
            [tf.identity(x) for x in given.values()], ids, strategy
        )

    np.testing.assert_array_equal(ran(made, ids=ids, **parts), TABLE[ids])


def test_more_shards_than_rows() -> None:
    shards = [tf.constant, TABLE[:1], TABLE[1:2], TABLE[:0]][1:]
    found = ran(
        lambda ids: tf.nn.embedding_lookup(shards, ids, "div"), ids=np.array([1, 0])
    )
    np.testing.assert_array_equal(found, TABLE[[1, 0]])


def test_gradients_flow_to_the_rows_of_shards() -> None:
    ids = np.array([0, 3, 3])

    def made(a: Any, b: Any, ids: Any) -> Any:
        found = tf.nn.embedding_lookup([a, b], ids)
        return [tf.convert_to_tensor(x) for x in tf.gradients(found * found, [a, b])]

    a, b = TABLE[:2], TABLE[2:4]
    of_a, of_b = ran(made, a=a, b=b, ids=ids)
    np.testing.assert_allclose(of_a, 2 * a * [[1], [0]])
    np.testing.assert_allclose(of_b, 2 * b * [[0], [2]])


def _cut(rows: Any, most: float) -> Any:
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows * np.minimum(1, most / norms)


def test_long_rows_are_cut() -> None:
    ids = np.array([[0, 6]])
    for shards in ([TABLE], _shards(2, "mod")):
        found = ran(
            lambda ids, given=shards: tf.nn.embedding_lookup(
                given, ids, max_norm=1.0
            ),
            ids=ids,
        )
        np.testing.assert_allclose(found, _cut(TABLE[ids], 1.0), rtol=1e-5)


_DIVISORS: dict[str, Any] = {
    "sum": lambda w: 1.0,
    "mean": np.sum,
    "sqrtn": lambda w: np.sqrt((w**2).sum()),
}


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("is_weighed", [True, False])
def test_vectors_that_rows_name_are_joined(combiner: str, is_weighed: bool) -> None:
    ids, weights = np.array([0, 6, 3]), np.array([1.0, 3.0, 2.0], np.float32)
    weights = weights if is_weighed else np.ones_like(weights)

    def made(ids: Any, w: Any) -> Any:
        sparse = [
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], x, [2, 2]) for x in (ids, w)
        ]
        return tf.nn.embedding_lookup_sparse(
            _shards(2, "mod"),
            sparse[0],
            sparse[1] if is_weighed else None,
            combiner=combiner,
        )

    rows = [(ids[:2], weights[:2]), (ids[2:], weights[2:])]
    wanted = [w @ TABLE[i] / _DIVISORS[combiner](w) for i, w in rows]
    np.testing.assert_allclose(ran(made, ids=ids, w=weights), wanted, rtol=1e-5)


@pytest.mark.parametrize("combiner", ["sum", "mean"])
@pytest.mark.parametrize("default", [None, 2])
@pytest.mark.parametrize("is_weighed", [True, False])
def test_rows_that_name_nothing(
    combiner: str, default: int | None, is_weighed: bool
) -> None:
    places = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]
    ids, weights = (
        np.array([4, -1, 3, 5]),
        np.array([1.0, 1.0, -2.0, 3.0], np.float32),
    )
    weights = weights if is_weighed else np.ones_like(weights)

    def made(ids: Any, w: Any) -> Any:
        sparse = [tf.SparseTensor(places, x, [2, 2, 2]) for x in (ids, w)]
        return tf.nn.safe_embedding_lookup_sparse(
            [TABLE],
            sparse[0],
            sparse[1] if is_weighed else None,
            combiner,
            default,
        )

    empty = np.zeros(3) if default is None else TABLE[default]
    third = weights[2] * TABLE[3]
    if is_weighed and combiner == "mean":
        third = empty
    last = TABLE[5] * (weights[3] if combiner == "sum" else 1)
    wanted = [[TABLE[4], empty], [third, last]]
    np.testing.assert_allclose(ran(made, ids=ids, w=weights), wanted, rtol=1e-5)


def test_the_second_branch_counts_names_on() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3])
        made = tf.cond(
            x[0, 0] > 0,
            lambda: tf.nn.moments(x, [0])[0],
            lambda: tf.nn.moments(x, [0])[0],
        )
        names = [x.name for x in made.op.inputs]
    assert names == ["cond/moments_1/Squeeze:0", "cond/moments/Squeeze:0"]
