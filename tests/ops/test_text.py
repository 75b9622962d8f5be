"""Strings: TensorFlow's hashes, what is refused, and strings in traces."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pytest

import tensorlite as tl

WORDS = ["", "a", "Hello", "0123456789abcdef!", "q" * 40, "q" * 100]
# TensorFlow 2.21: tf.strings.to_hash_bucket*(WORDS, 2**60), the key [3, 5]
FAST = (
    *(784024612572774479, 235667560134047203, 416719434668515463),
    *(659173917853723716, 837361954317668460, 478157134730423823),
)
OLD = (
    *(105434511174508091, 690789896157841916, 649981808132961253),
    *(524698129871613652, 996637199933150894, 470590260607079091),
)
STRONG = (
    *(963994957389759337, 95650428008639679, 855501956710527513),
    *(568838538078910213, 692311722886344437, 617646325266387925),
)


def test_hashes_are_tensorflows() -> None:
    assert tl.strings.to_hash_bucket_fast(WORDS, 2**60).tolist() == list(FAST)
    assert tl.strings.to_hash_bucket(WORDS, 2**60).tolist() == list(OLD)
    found = tl.strings.to_hash_bucket_strong(WORDS, 2**60, [3, 5])
    assert found.tolist() == list(STRONG)


def test_splitting_at_characters_and_at_strings() -> None:
    characters = tl.strings.split_to_sparse(["a b  c", ""], " ")
    assert characters.values.tolist() == [b"a", b"b", b"c"]
    assert characters.dense_shape.tolist() == [2, 3]
    words = tl.strings.split(["a<>b<>", "c"], "<>")
    assert words.values.tolist() == [b"a", b"b", b"", b"c"]


def test_joining_along_axes_goes_the_way_of_the_axes() -> None:
    table = [["a", "b"], ["c", "d"]]
    assert tl.strings.reduce_join(table, [0, 1]).item() == b"acbd"
    assert tl.strings.reduce_join(table, [1, 0]).item() == b"abcd"
    assert tl.strings.reduce_join(table).item() == b"abcd"


def test_columns_of_csv_are_those_of_pythons_reader() -> None:
    lines = ['1,"a,b",2.5', "-3,c,"]
    number, text, share = tl.strings.decode_csv(lines, [[0], ["?"], [9.0]])
    rows = list(csv.reader(lines))
    assert number.tolist() == [int(row[0]) for row in rows]
    assert text.tolist() == [row[1].encode() for row in rows]
    assert share.tolist() == [2.5, 9.0]


def test_formats_are_refused_though_another_was_taken() -> None:
    assert tl.strings.as_string([1, 2]).tolist() == [b"1", b"2"]
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="precision not supported"
    ):
        tl.strings.as_string([1, 2], 0)
    assert tl.strings.as_string(1.0, 1).item() == b"1.0"
    with pytest.raises(tl.errors.InvalidArgumentError, match="Cannot select both"):
        tl.strings.as_string(1.0, -1, True, True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: tl.strings.to_number(["-2147483649"], tl.int32),
            "string: -2147483649",
        ),
        (lambda: tl.strings.to_number(["2.9"], tl.int64), "string: 2.9"),
        (lambda: tl.strings.substr("abc", 1, np.int64(1)), "integers of one dtype"),
        (lambda: tl.strings.as_string(1.0, -1, True, True), "Cannot select both"),
        (lambda: tl.strings.as_string(1.0, fill="ab"), "one or fewer"),
        (lambda: tl.strings.as_string(1, scientific=True), "not supported"),
        (lambda: tl.strings.as_string(1, 0), "precision not supported"),
        (lambda: tl.strings.reduce_join([["a"]], [0, -3]), "reduction dimension -3"),
        (lambda: tl.strings.reduce_join([["a"]], [-1, 1]), "Duplicate reduction"),
        (lambda: tl.strings.to_number(["x"]), "string: x spells no"),
        (lambda: tl.strings.to_number(["1_0"], tl.int32), "spells no"),
        (lambda: tl.strings.substr(["abc"], 4, 1), "pos=4"),
        (lambda: tl.strings.regex_replace(["a"], "(", "b"), "no regular expression"),
        (lambda: tl.strings.decode_raw([b"abc"], tl.int16), "a multiple of 2"),
        (
            lambda: tl.strings.decode_csv(["1"], [tl.int32, tl.int32]),
            "Expect 2 fields but have 1",
        ),
        (
            lambda: tl.strings.decode_csv(["", "1"], [tl.int32]),
            "is required but missing",
        ),
        (lambda: tl.strings.to_hash_bucket_fast(["a"], 0), "num_buckets=0"),
        (lambda: tl.strings.format("{} {}", [1]), "2 placeholders"),
        (lambda: tl.strings.decode_base64(["a"]), "no base64"),
        (lambda: tl.strings.lower([1]), "takes strings"),
    ],
)
def test_what_is_refused(call: Any, words: str) -> None:
    with pytest.raises(tl.errors.TensorliteError, match=words):
        call()


def test_tensors_in_a_template_are_shortened() -> None:
    found = tl.strings.format("{}|{}", [np.arange(10), np.eye(2)])
    assert found.item() == b"[0 1 2 ... 7 8 9]|[[1 0]\n [0 1]]"


def test_strings_in_a_traced_function() -> None:
    @tl.function
    def counted(lines: Any) -> Any:
        words = tl.strings.split_to_sparse(tl.strings.lower(lines))
        return tl.sparse.reduce_sum(
            words.with_values(tl.strings.length(words.values)), 1
        )

    assert counted(tl.asarray(["Big words", "a"])).tolist() == [8, 1]


def test_code_points_there_and_back() -> None:
    points, lengths = tl.strings.unicode_decode(["aé", "", "☃"])
    assert points.tolist() == [97, 233, 9731]
    assert tl.strings.unicode_encode(points, lengths).tolist() == [
        "aé".encode(),
        b"",
        "☃".encode(),
    ]


def test_raw_bytes_of_either_order() -> None:
    data = np.asarray([1, 513], "<i4").tobytes()
    assert tl.strings.decode_raw([data], tl.int32).tolist() == [[1, 513]]
    found = tl.strings.decode_raw([data], tl.int32, little_endian=False)
    assert found.tolist() == np.frombuffer(data, ">i4").reshape(1, 2).tolist()


def test_axes_and_delimiters_that_only_the_run_knows() -> None:
    @tl.function
    def joined(x: Any, axes: Any) -> tl.Tensor:
        return tl.strings.reduce_join(x, axes)

    words = np.asarray([["a", "b"], ["c", "d"]], object)
    assert joined(words, tl.asarray([0])).tolist() == [b"ac", b"bd"]
    assert joined(words, tl.asarray([1])).tolist() == [b"ab", b"cd"]
    assert joined(words, tl.asarray(1)).tolist() == [b"ab", b"cd"]
    with pytest.raises(tl.errors.InvalidArgumentError, match="dimension 2"):
        joined(words, tl.asarray([2]))


def test_numbers_that_c_reads_and_python_does_not() -> None:
    found = tl.strings.to_number(["0xF", "-0x1.8p1", "1e3", "inf"], tl.float64)
    assert found.tolist() == [15.0, -3.0, 1000.0, float("inf")]


def test_bytes_that_are_no_text_beside_text() -> None:
    assert tl.asarray(["hola", b"\xf0\x9f"]).tolist() == ["hola", b"\xf0\x9f"]


@pytest.mark.parametrize(
    ("pattern", "rewrite", "wanted"),
    [
        ("a", r"<\1>", "ba."),  # a group that is not there
        ("(a)|(b)", r"<\1\2>", "<b><a>."),
        ("a", r"[\0\\]", "b[a\\]."),
        ("a", r"x\ny", "bx."),
        ("a", "x\\", "bx."),
    ],
)
def test_rewrites_are_written_as_tensorflow_has_them(
    pattern: str, rewrite: str, wanted: str
) -> None:
    """The results are those of TensorFlow 2.21."""
    found = tl.strings.regex_replace(["ba."], pattern, rewrite)
    assert found.numpy().tolist() == [wanted.encode()]
