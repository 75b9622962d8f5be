"""What is drawn in version 2's programs once a seed is set: TensorFlow 2.21 draws these numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    tf.random.set_seed(1)
    yield
    mode.eager = before


def test_operators_of_a_function_are_counted_from_its_beginning() -> None:
    @tf.function
    def drawn() -> Any:
        return tf.random.shuffle(tf.range(7)), tf.random.normal([2])

    for order, numbers in (
        ([1, 0, 4, 6, 3, 5, 2], [0.28183395, 2.3878284]),
        ([6, 4, 1, 5, 2, 3, 0], [1.0040135, -0.30107328]),
    ):
        found = drawn()
        assert found[0].numpy().tolist() == order
        np.testing.assert_allclose(found[1].numpy(), numbers, rtol=1e-5)


def test_branches_and_loops_of_a_function() -> None:
    @tf.function
    def branched(x: Any) -> Any:
        y = tf.nn.dropout(x, 0.5)
        return tf.cond(x[0] > 0, lambda: y + tf.random.uniform([2]), lambda: y)

    @tf.function
    def looped(count: int) -> Any:
        total = tf.zeros([])
        for _ in tf.range(count):
            total += tf.random.uniform([])
        return total

    np.testing.assert_allclose(
        branched(tf.ones([2])).numpy(), [2.8126965, 0.07857466], rtol=1e-5
    )
    found = [looped(3).numpy(), looped(3).numpy()]
    np.testing.assert_allclose(found, [2.1889281, 2.2553458], rtol=1e-5)


def test_functions_leave_the_seeds_of_what_runs_at_once() -> None:
    first = tf.random.normal([2]).numpy()
    tf.random.set_seed(1)

    @tf.function
    def drawn() -> Any:
        return tf.random.normal([2])

    drawn()
    assert tf.random.normal([2]).numpy().tolist() == first.tolist()


def test_a_seeded_shuffle_goes_on_where_it_was() -> None:
    found = [
        tf.random.shuffle(tf.range(7), seed=3).numpy().tolist() for _ in range(2)
    ]
    assert found == [[3, 5, 6, 1, 4, 2, 0], [4, 1, 3, 5, 6, 0, 2]]


def test_a_whole_float_is_a_seed() -> None:
    tf.random.set_seed(1)
    drawn = tf.random.uniform([2]).numpy()
    tf.random.set_seed(1.0)
    assert tf.random.uniform([2]).numpy().tolist() == drawn.tolist()


def test_a_vector_of_two_is_no_seed_of_an_operator() -> None:
    for draw in (tf.random.normal, tf.random.uniform):
        with pytest.raises(TypeError, match="Expected int for argument 'seed'"):
            draw([2], seed=tf.constant([1, 2]))


def test_fractions_of_seeds_are_cut_off() -> None:
    tf.random.set_seed(-3.2)
    seeds: list[Any] = [None, -3.2, 7.9, True]
    found = [tf.random.uniform([2], seed=x).numpy() for x in seeds]
    drawn = [
        [0.22716713, 0.33975172],
        [0.0326581, 0.5312407],
        [0.14490938, 0.16209161],
        [0.02117825, 0.5628911],
    ]
    np.testing.assert_allclose(found, drawn, rtol=1e-6)


def test_graphs_have_seeds_without_their_fractions() -> None:
    with tf.Graph().as_default() as graph:
        tf.random.set_seed(12.7)
        negative: Any = -3.2
        tf.random.uniform([2], seed=negative)
    made = [x for x in graph.as_graph_def().node if x.op == "RandomUniform"]
    assert [(x.attr["seed"].i, x.attr["seed2"].i) for x in made] == [(12, 2147483643)]
