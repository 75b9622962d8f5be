"""Empty lists where TensorFlow 2.21 takes texts, and what its variables and sums give back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensorlite.compat import v2

tf: Any = v2


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (tf.strings.length, "int32"),
        (tf.strings.upper, "string"),
        (tf.strings.to_number, "float32"),
        (tf.io.matching_files, "string"),
        (lambda x: tf.strings.join([x, "a"]), "string"),
        (lambda x: tf.strings.substr(x, 0, 1), "string"),
        (lambda x: tf.strings.regex_full_match(x, "a"), "bool"),
        (lambda x: tf.strings.to_hash_bucket_fast(x, 3), "int64"),
    ],
)
def test_an_empty_list_is_of_texts(
    function: Callable[[Any], Any], dtype: str
) -> None:
    made = function([])
    assert (made.shape, made.dtype.name) == ([0], dtype)


def test_nothing_is_decoded_and_taken_apart() -> None:
    assert tf.io.decode_raw([], tf.uint8).shape == [0, 0]
    assert tf.strings.split([]).to_list() == []
    assert tf.strings.split([[]]).to_list() == [[]]


def test_texts_are_counted_in_units_that_there_are() -> None:
    assert tf.strings.length("é", unit=b"UTF8_CHAR").numpy() == 1
    for function in (
        tf.strings.length,
        lambda x, unit: tf.strings.substr(x, 0, 1, unit),
    ):
        with pytest.raises(ValueError, match=r"unit='X'"):
            function("a", unit="X")


def test_rows_that_are_changed_give_the_variable_back() -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])

    def rows(value: float, place: int) -> Any:
        return tf.IndexedSlices([value], [place])

    assert variable.scatter_add(rows(5.0, 1)).numpy().tolist() == [1.0, 7.0, 3.0]
    assert variable.scatter_sub(rows(1.0, 0)).numpy().tolist() == [0.0, 7.0, 3.0]
    assert variable.scatter_max(rows(4.0, 2)).numpy().tolist() == [0.0, 7.0, 4.0]
    assert variable.scatter_min(rows(6.0, 1)).numpy().tolist() == [0.0, 6.0, 4.0]
    changed = variable.scatter_update(rows(9.0, 0))
    assert changed.scatter_add(rows(1.0, 0)).numpy().tolist() == [10.0, 6.0, 4.0]

    traced = tf.function(
        lambda: variable.scatter_add(rows(5.0, 1)).scatter_sub(rows(1.0, 0)) + 0.0
    )
    assert traced().numpy().tolist() == [9.0, 11.0, 4.0]


def test_what_is_given_one_by_one_is_added_up() -> None:
    assert tf.add_n(tf.constant(x) for x in (1, 2, 3)).numpy() == 6
