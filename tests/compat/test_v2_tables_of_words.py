"""Tables of words whose numbers a hash gives, defaults of each key, and what is like them.

The values are those of TensorFlow 2.21.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tensorlite.core.errors import DTypeError, ShapeError

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped


def numbers(dtype: Any = None) -> Any:
    """Return a table that has numbers for three integers, and three buckets."""
    keys = tf.constant([42, 1, -1000], tf.int64)
    filler = tf.lookup.KeyValueTensorInitializer(keys, tf.range(3, dtype=tf.int64))
    return tf.lookup.StaticVocabularyTable(filler, 3, lookup_key_dtype=dtype)


def test_small_integers_are_looked_up_as_large_ones() -> None:
    table = numbers(tf.int32)
    assert table.key_dtype is tf.int32
    assert table.lookup(tf.constant([42, 5])).numpy().tolist() == [0, 4]
    assert table.lookup([42, 5]).numpy().tolist() == [0, 4]
    assert table.lookup(tf.ragged.constant([[42], [5, 1]])).to_list() == [[0], [4, 1]]
    sparse = tf.sparse.from_dense([[42], [5]])
    assert table.lookup(sparse).values.numpy().tolist() == [0, 4]
    assert table.resource_handle.dtype is tf.resource
    with pytest.raises(DTypeError, match="keys"):
        numbers().lookup(tf.constant([42, 5]))
    with pytest.raises(DTypeError, match="Invalid key dtype"):
        numbers(tf.string)


def test_a_table_without_words_has_buckets_alone() -> None:
    of_words = tf.lookup.StaticVocabularyTable(None, 3)
    assert of_words.lookup(tf.constant(["a", "b"])).numpy().tolist() == [0, 1]
    assert of_words.size().numpy() == 3
    integers = tf.lookup.StaticVocabularyTable(None, 3, lookup_key_dtype=tf.int64)
    found = integers.lookup(tf.constant([42, 5], tf.int64))
    assert found.numpy().tolist() == [0, 1]


def test_each_key_may_have_a_default_of_its_own() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["a", "b"], [1, 2])
    asked = tf.constant(["a", "c"])
    defaults = tf.constant([5, 6], tf.int64)
    found = table.lookup(asked, dynamic_default_values=defaults)
    assert found.numpy().tolist() == [1, 6]
    assert table.lookup([["a", "c"]], [[5, 6]]).numpy().tolist() == [[1, 6]]
    assert table.lookup(asked, tf.constant(9, tf.int64)).numpy().tolist() == [1, 9]
    assert table.lookup(asked).numpy().tolist() == [1, -1]
    with pytest.raises(ShapeError, match="one for each key"):
        table.lookup(asked, tf.constant([1, 2, 3], tf.int64))
    rows = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    rows.insert([1, 2], [[1.0, 2.0], [3.0, 4.0]])
    found = rows.lookup([1, 7], [[8.0, 8.0], [9.0, 9.0]])
    assert found.numpy().tolist() == [[1.0, 2.0], [9.0, 9.0]]


def test_one_string_is_split_as_a_row() -> None:
    split = tf.compat.v1.strings.split
    assert tf.sparse.to_dense(split("a b")).numpy().tolist() == [[b"a", b"b"]]
    assert split("a b", result_type="RaggedTensor").to_list() == [[b"a", b"b"]]


def test_what_is_no_character_has_no_script() -> None:
    assert tf.strings.unicode_script([0x110000, -1]).numpy().tolist() == [-1, -1]


@pytest.mark.parametrize("form", ["NWC", "NCW"])
def test_sequences_are_pooled_with_paddings(form: str) -> None:
    shape, paddings = ([1, 6, 1], [[0, 0], [1, 1], [0, 0]])
    if form == "NCW":
        shape, paddings = ([1, 1, 6], [[0, 0], [0, 0], [1, 1]])
    x = tf.reshape(tf.range(6.0), shape)
    found = tf.nn.max_pool1d(x, 2, 2, paddings, data_format=form)
    assert found.numpy().ravel().tolist() == [0.0, 2.0, 4.0, 5.0]
