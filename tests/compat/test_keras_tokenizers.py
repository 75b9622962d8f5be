"""Words of texts as numbers, against what tf_keras 2.21 gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

text: Any = tf.keras.preprocessing.text
UNKNOWN = "<u>"
TEXTS: list[Any] = ["The cat sat", "the dog sat on the Mat", ["The", "CAT"]]


def fitted(**options: Any) -> Any:
    made = text.Tokenizer(**options)
    made.fit_on_texts(TEXTS)
    return made


def test_lists_of_words_are_counted_in_lower_case() -> None:
    made = fitted()
    assert list(made.word_index) == ["the", "cat", "sat", "dog", "on", "mat"]
    found = made.texts_to_sequences([*TEXTS, ["zebra"]])
    assert found == [[1, 2, 3], [1, 4, 3, 5, 1, 6], [1, 2], []]


def test_what_is_beyond_the_most_words_is_unknown() -> None:
    made = fitted(num_words=4, oov_token=UNKNOWN)
    assert made.texts_to_sequences(TEXTS) == [[2, 3, 1], [2, 1, 1, 1, 2, 1], [2, 3]]
    assert made.sequences_to_texts([[1, 2, 3, 4, 99]]) == ["<u> the cat <u> <u>"]
    fewer = fitted(num_words=3)
    assert fewer.sequences_to_texts([[1, 2, 3, 4, 99]]) == ["the cat"]
    assert fewer.sequences_to_matrix([[1, 2, 2, 5]], "freq").tolist() == [
        [0, 0.25, 0.5]
    ]


def test_rare_words_weigh_more() -> None:
    want = [
        [0, 0.559616, 0.693147, 0.693147, 0, 0, 0],
        [0, 0.947512, 0, 0.693147, 0.916291, 0.916291, 0.916291],
        [0, 0.559616, 0.693147, 0, 0, 0, 0],
    ]
    np.testing.assert_allclose(
        fitted().texts_to_matrix(TEXTS, "tfidf"), want, atol=1e-6
    )
    unfitted = text.Tokenizer(num_words=3)
    with pytest.raises(ValueError, match="before using tfidf"):
        unfitted.sequences_to_matrix([[1]], "tfidf")
    unfitted.fit_on_sequences([[1, 2], [1]])
    found = unfitted.sequences_to_matrix([[1]], "tfidf")
    np.testing.assert_allclose(found, [[0, np.log(1 + 2 / 3), 0]])


def test_what_has_nothing_to_count_by_is_refused() -> None:
    with pytest.raises(ValueError, match="Specify a dimension"):
        text.Tokenizer().sequences_to_matrix([[1]])
    with pytest.raises(ValueError, match="Unknown vectorization mode"):
        fitted().sequences_to_matrix([[1]], "x")


def test_tokenizers_come_back_from_json() -> None:
    made = fitted(num_words=4, oov_token=UNKNOWN)
    again = text.tokenizer_from_json(made.to_json())
    assert again.get_config() == made.get_config()
    assert again.texts_to_sequences(TEXTS) == made.texts_to_sequences(TEXTS)
    told = made.get_config()
    assert told["document_count"] == 3
    assert told["word_counts"] == (
        '{"the": 4, "cat": 2, "sat": 2, "dog": 1, "on": 1, "mat": 1}'
    )


def test_programs_part_texts_by_functions_of_their_own() -> None:
    made = text.Tokenizer(analyzer=lambda given: given.split("-"))
    made.fit_on_texts(["a-b", "b"])
    assert made.word_index == {"b": 1, "a": 2}
    assert len(text.one_hot("a-b-c", 9, analyzer=lambda given: given.split("-"))) == 3
