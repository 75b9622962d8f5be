"""Regular expressions as RE2 writes them; the results are those of TensorFlow 2.21."""

from __future__ import annotations

import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("aAbB1é", r"\p{Ll}", "xAxB1x"),
        ("aAbB1é", r"[\p{L}\d]+", "x"),
        ("aAbB1é", r"\pN|\P{L}", "aAbBxé"),
        ("a,b", r"[[:punct:]]", "axb"),
        ("ab1", "[^[:alpha:]]", "abx"),
        ("ab1", "[[:^alpha:]]", "abx"),
        ("é", ".", "x"),
        ("éé", r"\w", "éé"),
        ("aé", "[^a]", "ax"),
        ("a\nb", "a.b", "a\nb"),
        ("a\nb", "(?s)a.b", "x"),
        ("a.b*", r"\Q.b*\E", "ax"),
        ("aé", r"\x{e9}", "ax"),
        ("ab", r"b\z", "ax"),
        ("a\n", "a$", "a\n"),
        ("a\nb", "(?m)a$", "x\nb"),
        ("a]b", "[]b]+", "ax"),
        ("a[b", "[[b]+", "ax"),
        ("\u03b1\u03b2 \u03b3", r"\p{Greek}+", "x x"),
        ("漢a", r"\p{Han}", "xa"),
        ("a&&b", "[a&&b]", "xxxx"),
        ("aB", "(?i)A", "xB"),
        ("abc", "(b)", "axc"),
    ],
)
def test_patterns_of_re2(text: str, pattern: str, expected: str) -> None:
    found = tl.strings.regex_replace([text], pattern, "x").numpy().tolist()
    assert found == [expected.encode()]


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    found = tl.strings.regex_replace([b"\xff\xfeab"], "b", "é")
    assert found.numpy().tolist() == [b"\xff\xfea\xc3\xa9"]


def test_whole_texts_match() -> None:
    for text, pattern, matches in (
        ("a\nb", "a.b", False),
        ("aAé", r"\p{Latin}+", True),
        ("é", ".", True),
        ("é", "..", False),
    ):
        assert tl.strings.regex_full_match([text], pattern).tolist() == [matches]


@pytest.mark.parametrize("pattern", ["[[:foo:]]", r"\p{Foo}", "("])
def test_patterns_that_are_none_are_refused(pattern: str) -> None:
    with pytest.raises(InvalidArgumentError, match="Invalid pattern"):
        tl.strings.regex_replace(["x"], pattern, "y")
