"""Operators on texts and on examples of sequences in GraphDefs; expected is TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.interop.tensorflow.attributes import Shape
from tests.interop.graphdefs import Program

HASHED = {"num_buckets": 1000, "hash_key": 0xDECAFCAFFE, "out_type": tl.int64}
CROSSED = {"num_buckets": 0, "hash_key": 0xDECAFCAFFE, "out_type": tl.string}

PADDED = ["a", "b", "c", "< a", "a b", "b c", "c >"]


def texts(*values: str) -> np.ndarray[Any, Any]:
    """Return a vector of strings."""
    made = np.empty(len(values), object)
    made[:] = [one.encode() for one in values]
    return made


@pytest.mark.parametrize(
    ("widths", "pads", "most", "keeps", "expected"),
    [
        ((2,), ("", ""), 0, False, ["a b", "b c"]),
        (
            (1, 2),
            ("<", ">"),
            -1,
            False,
            ["a", "b", "c", "< a", "a b", "b c", "c >", "x", "< x", "x >", "< >"],
        ),
        ((3,), ("_", "_"), 1, False, ["_ a b", "a b c", "b c _", "_ x _"]),
        ((3,), ("", ""), 0, True, ["a b c", "x"]),
    ],
)
def test_runs_of_neighbours(
    widths: tuple[int, ...],
    pads: tuple[str, str],
    most: int,
    keeps: bool,
    expected: list[str],
) -> None:
    made = Program()
    made.const("x", texts("a", "b", "c", "x"))
    made.const("splits", np.array([0, 3, 4, 4], np.int64))
    made.node(
        *("StringNGrams", "y", "x", "splits"),
        separator=" ",
        left_pad=pads[0],
        right_pad=pads[1],
        ngram_widths=widths,
        pad_width=most,
        preserve_short_sequences=keeps,
        Tsplits=tl.int64,
    )
    assert [x.decode() for x in made.session().run("y:0").tolist()] == expected


def test_texts_are_written_in_another_encoding() -> None:
    made = Program()
    made.const("x", texts("h\u00e9"))
    encodings = {"input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"}
    made.node("UnicodeTranscode", "y", "x", **encodings)
    assert made.session().run("y:0").tolist() == [b"\x00h\x00\xe9"]


@pytest.mark.parametrize(
    ("op", "kept", "expected"),
    [
        ("SparseCross", CROSSED, [b"a_X_5", b"b_X_5", b"c_X_6"]),
        ("SparseCross", HASHED, [463, 673, 994]),
        ("SparseCrossV2", {}, [b"a|5", b"b|5", b"c|6"]),
    ],
)
def test_rows_are_crossed(op: str, kept: dict[str, Any], expected: Any) -> None:
    made = Program()
    made.const("i", np.array([[0, 0], [0, 1], [1, 0]]))
    made.const("v", texts("a", "b", "c"))
    made.const("s", np.array([2, 2]))
    made.const("dense", np.array([[5], [6]]))
    made.const("sep", np.array(b"|", object))
    given = ["i", "v", "s", "dense"]
    if kept:
        kept = {**kept, "hashed_output": kept is HASHED, "internal_type": tl.string}
    else:
        given.append("sep")
    kinds: dict[str, Any] = {"sparse_types": (tl.string,), "dense_types": (tl.int64,)}
    made.node(op, "y", *given, N=1, **kinds, **kept)
    places, values, sizes = made.session().run(["y:0", "y:1", "y:2"])
    assert places.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert values.tolist() == expected
    assert sizes.tolist() == [2, 2]


def test_an_example_of_a_sequence() -> None:
    example = tl.io.SequenceExample()
    example.context.feature["a"].int64_list.value.append(7)
    steps = example.feature_lists.feature_list
    for row in ([1.0, 2.0], [3.0, 4.0]):
        steps["d"].feature.add().float_list.value.extend(row)
    for numbers in ([1], [2, 3], []):
        steps["v"].feature.add().int64_list.value.extend(numbers)
    made = Program()
    made.const("x", np.array(example.SerializeToString(), object))
    made.const("optional", texts("m"))
    for name in ("a", "z", "d", "m", "v"):
        made.const(f"key_{name}", np.array(name.encode(), object))
    made.const("none", np.zeros(0, np.int64))
    made.floats("default", 1.0, 2.0)
    made.const("debug", np.array(b"", object))
    keys = ["key_a", "key_z", "key_v", "key_d", "key_m"]
    made.node(
        *(
            "ParseSingleSequenceExample",
            "y",
            "x",
            "optional",
            *keys,
            "none",
            "default",
            "debug",
        ),
        Ncontext_sparse=0,
        Ncontext_dense=2,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=2,
        context_sparse_types=(),
        Tcontext_dense=(tl.int64, tl.float32),
        context_dense_shapes=(Shape(()), Shape((2,))),
        feature_list_sparse_types=(tl.int64,),
        feature_list_dense_types=(tl.float32, tl.int64),
        feature_list_dense_shapes=(Shape((2,)), Shape(())),
    )
    got = made.session().run([f"y:{i}" for i in range(7)])
    expected: list[Any] = [7, [1, 2], [[0, 0], [1, 0], [1, 1]], [1, 2, 3], [3, 2]]
    expected += [[[1, 2], [3, 4]], []]
    assert [x.tolist() for x in got] == expected
