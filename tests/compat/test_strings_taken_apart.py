"""tf.string_split and tf.strings.split of version 1, as TensorFlow 1.15 and 2.21 have them."""

from __future__ import annotations

from typing import Any

import pytest

from tensorlite.compat import v1 as tf
from tensorlite.core.errors import InvalidArgumentError

TEXTS = ["a b, c", "", " ", "a ", "  x"]


def rows(found: Any) -> list[list[str]]:
    """Return a sparse matrix of strings as lists."""
    made: list[list[str]] = [[] for _ in range(found.dense_shape[0])]
    for place, value in zip(found.indices, found.values, strict=True):
        made[place[0]].append(value.decode())
    return made


def ran(make: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


@pytest.mark.parametrize(
    ("sep", "maxsplit", "expected"),
    [
        (None, -1, [["a", "b,", "c"], [], [], ["a"], ["x"]]),
        (None, 0, [["a b, c"], [""], [" "], ["a "], ["  x"]]),
        (None, 1, [["a", "b, c"], [], [], ["a", ""], ["x", ""]]),
        (" ", 0, [["a b, c"], [""], [" "], ["a "], ["  x"]]),
        (" ", 1, [["a", "b, c"], [""], ["", ""], ["a", ""], ["", " x"]]),
        (", ", 0, [["a b, c"], [""], [" "], ["a "], ["  x"]]),
    ],
)
def test_at_most_so_many_splits(
    sep: str | None, maxsplit: int, expected: list[list[str]]
) -> None:
    assert rows(ran(lambda: tf.strings.split(TEXTS, sep, maxsplit))) == expected


def test_an_empty_text_has_no_parts_even_empty_ones() -> None:
    found = ran(lambda: tf.string_split(TEXTS, " ", skip_empty=False))
    expected = [["a", "b,", "c"], [], ["", ""], ["a", ""], ["", "", "x"]]
    assert rows(found) == expected


def test_rows_may_be_ragged() -> None:
    given = ["a b", "", "c"]
    expected = [[b"a", b"b"], [], [b"c"]]
    for function in (tf.string_split, tf.strings.split):
        found = ran(lambda f=function: f(given, result_type="RaggedTensor"))
        assert found.to_list() == expected


def test_more_axes() -> None:
    given = [["a b"], ["c  d"]]
    found = ran(lambda: tf.strings.split(given, " "))
    assert found.dense_shape.tolist() == [2, 1, 3]
    assert found.values.tolist() == [b"a", b"b", b"c", b"", b"d"]
    ragged = ran(lambda: tf.strings.split(given, result_type="RaggedTensor"))
    assert ragged.to_list() == [[[b"a", b"b"]], [[b"c", b"d"]]]


def test_other_results_are_refused() -> None:
    for function in (tf.string_split, tf.strings.split):
        with (
            tf.Graph().as_default(),
            pytest.raises(InvalidArgumentError, match="Rag"),
        ):
            function(["a"], result_type="list")
