"""Defaults that do not fit a table's values are refused, as TensorFlow 1.15 refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def table(values: list[Any], default: Any) -> Any:
    pairs = tf.lookup.KeyValueTensorInitializer(["a"], values)
    return tf.lookup.StaticHashTable(pairs, default)


@pytest.mark.parametrize(
    ("values", "default"), [([1], "x"), ([1], 1.5), ([1.0], "x"), (["b"], 1)]
)
def test_a_default_is_of_the_kind_of_the_values(values: Any, default: Any) -> None:
    with pytest.raises(TypeError, match="default_value="):
        table(values, default)


@pytest.mark.parametrize(
    ("values", "default", "found"),
    [
        ([1], 2, 2),
        ([1], True, 1),
        ([1.0], 1, 1.0),
        (["b"], "x", b"x"),
        (["b"], b"x", b"x"),
    ],
)
def test_defaults_that_fit_are_found(values: Any, default: Any, found: Any) -> None:
    made = table(values, default)
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(made.lookup(tf.constant("other"))) == found


def test_a_table_that_is_filled_once_has_one_value_for_a_key() -> None:
    with pytest.raises(ValueError, match="one value"):
        table([1], [1])


def test_a_rate_of_dropout_is_one_number() -> None:
    for rate in ([0.5, 0.5], tf.constant([0.5, 0.5])):
        with pytest.raises(ValueError, match="give one number"):
            tf.nn.dropout(tf.ones([2]), rate=rate)
    with pytest.raises(ValueError, match="give one number"):
        tf.nn.dropout(tf.ones([2]), [0.5, 0.5])
