"""Functions along the rows of ragged tensors, traced too, as TensorFlow 2.21 has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


Spec = tf.RaggedTensorSpec
VECTOR = Spec([None], tf.int32)
MATRIX = Spec([None, None], tf.int32, 1)
NESTED = [[[], [0], [0, 1]], [], [[], [0]]]


def rows() -> Any:
    return tf.ragged.constant([[1, 2, 3], [], [4, 5]])


def counts() -> Any:
    return tf.constant([3, 0, 2])


CASES: list[tuple[Callable[[Any], Any], Callable[[], Any], Any, Any]] = [
    (tf.range, counts, VECTOR, [[0, 1, 2], [], [0, 1]]),
    (lambda n: tf.ragged.range(tf.range(n)), counts, MATRIX, NESTED),
    (lambda x: x + 1, rows, None, [[2, 3, 4], [], [5, 6]]),
    (lambda x: x[:1], rows, VECTOR, [[1], [], [4]]),
    (tf.range, lambda: tf.zeros([0], tf.int32), VECTOR, []),
]


@pytest.mark.parametrize(("make", "over", "spec", "wanted"), CASES)
@pytest.mark.parametrize("traced", [False, True])
def test_functions_may_make_rows_of_any_length(
    make: Callable[[Any], Any],
    over: Callable[[], Any],
    spec: Any,
    wanted: Any,
    traced: bool,
) -> None:
    def mapped(x: Any) -> Any:
        return tf.map_fn(make, x, fn_output_signature=spec)

    found = (tf.function(mapped) if traced else mapped)(over())
    assert isinstance(found, tf.RaggedTensor)
    assert found.to_list() == wanted


def test_rows_come_beside_tensors_have_gradients_and_are_fetched() -> None:
    @tf.function
    def both(x: Any) -> Any:
        made = (VECTOR, tf.int32)
        return tf.map_fn(lambda n: (n * 2, tf.size(n)), x, fn_output_signature=made)

    doubled, sizes = both(rows())
    assert doubled.to_list() == [[2, 4, 6], [], [8, 10]]
    assert sizes.numpy().tolist() == [3, 0, 2]

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            kind = Spec([None], tf.float32)
            made = tf.map_fn(
                lambda n: tf.fill([2], n) * n, x, fn_output_signature=kind
            )
            whole = tf.reduce_sum(made.flat_values)
        return tape.gradient(whole, x)

    np.testing.assert_allclose(slope(tf.constant([1.0, 2.0])), [4.0, 8.0])
    with v1.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder_with_default([2, 1], [None])
        made = tf.map_fn(tf.range, given, fn_output_signature=VECTOR)
        assert session.run(made).to_list() == [[0, 1], [0]]


def test_places_may_be_ragged_and_so_may_what_is_picked_from() -> None:
    places = tf.ragged.constant([[[1, 1], [0, 0]], [[0, 1]]], ragged_rank=1)
    table = tf.constant([[1, 2], [3, 4]])
    assert tf.gather_nd(table, places).to_list() == [[4, 1], [2]]
    words = tf.ragged.constant([[["a", "b"], ["c"]], [["d"], ["e", "f"]]])
    assert tf.gather_nd(words, places).to_list() == [
        [[b"e", b"f"], [b"a", b"b"]],
        [[b"c"]],
    ]


def test_ragged_tensors_print_as_arrays_do() -> None:
    part = tf.constant([0.1, 1 / 3])
    assert repr(tf.RaggedTensor.from_row_lengths(part, [1, 1])) == (
        "<tf.RaggedTensor [[0.1],\n [0.33333334]]>"
    )
    assert repr(rows()) == "<tf.RaggedTensor [[1, 2, 3], [], [4, 5]]>"
    assert rows().nrows(out_type=tf.int32).dtype == tf.int32
