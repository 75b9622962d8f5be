"""The page of which names there are is as the code is, and names that are not there say so."""

from __future__ import annotations

from types import ModuleType

import pytest

from tensorlite.compat.missing import known_names
from tests.compatibility import PAGE, examined, page, reached

THERE = [x for x in known_names() if isinstance(reached(x), ModuleType)]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "names of TensorFlow came or went; run `make compatibility`"
    )


def test_what_is_there_in_part_is_told_with_its_reason() -> None:
    told = {
        "v1.sysconfig": examined("v1.sysconfig"),
        "v1.test": examined("v1.test"),
    }
    assert "get_include" in told["v1.sysconfig"].refused
    assert told["v1.sysconfig"].known == len(known_names()["v1.sysconfig"])
    assert any(
        "not there" in text
        for said in told["v1.test"].partly.values()
        for text in said
    )


@pytest.mark.parametrize("title", THERE)
def test_a_name_that_is_not_there_is_an_attribute_error_that_says_so(
    title: str,
) -> None:
    missing = sorted(
        x for x in known_names()[title] if not hasattr(reached(title), x)
    )
    for name in missing[:3]:
        with pytest.raises(AttributeError, match="does not serve"):
            getattr(reached(title), name)


def test_names_of_before_tensorflow_1_are_there() -> None:
    nn = reached("v1.nn")
    assert nn.seq2seq.rnn_decoder is reached("v1.contrib.legacy_seq2seq").rnn_decoder
    assert nn.rnn is nn.static_rnn
    assert nn.bidirectional_rnn is nn.static_bidirectional_rnn
