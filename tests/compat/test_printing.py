"""tf.print writes what TensorFlow 2.21 writes; the lines here were written by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


TEXT = "it's é"
PRINTED: list[tuple[Callable[[], list[Any]], dict[str, Any], str]] = [
    (lambda: [tf.constant([1.0, 2.5])], {}, "[1 2.5]\n"),
    (lambda: [tf.constant(3.14159265), tf.constant(1e-7)], {}, "3.14159274 1e-07\n"),
    (lambda: [tf.constant(1 / 3, tf.float64)], {}, "0.33333333333333331\n"),
    (lambda: [tf.constant(0.1, tf.float16)], {}, "0.0999755859\n"),
    (lambda: [tf.constant([True, False]), True, None], {}, "[1 0] True None\n"),
    (lambda: [tf.constant(2.5j)], {}, "?\n"),
    (lambda: [tf.constant(TEXT)], {}, "it's é\n"),
    (
        lambda: [tf.constant(TEXT), "s", b"b"],
        {"sep": "|", "end": "$"},
        "\"it\\'s é\"|s|b'b'$",
    ),
    (
        lambda: [{"b": tf.constant(2), "a": [tf.constant(TEXT)]}],
        {},
        "{'a': [\"it\\'s é\"], 'b': 2}\n",
    ),
    (lambda: ["{}", tf.Variable(3), (tf.constant(1),)], {}, "{} 3 (1,)\n"),
    (lambda: [tf.range(8)], {"summarize": 2}, "[0 1 ... 6 7]\n"),
    (lambda: [tf.zeros([2, 2])], {"summarize": -1}, "[[0 0]\n [0 0]]\n"),
    (
        lambda: [tf.sparse.from_dense([0, 7])],
        {},
        "'SparseTensor(indices=[[1]], values=[7], shape=[2])'\n",
    ),
    (lambda: [tf.ragged.constant([[1, 2], [3]])], {}, "[[1, 2], [3]]\n"),
    (lambda: [tf.ragged.constant([[["a"]], []])], {}, "[[['a']], []]\n"),
    (list, {}, "\n"),
]


@pytest.mark.parametrize(("values", "given", "wanted"), PRINTED)
@pytest.mark.parametrize("traced", [False, True])
def test_values_are_written_as_tensorflow_writes_them(
    tmp_path: Path, traced: bool, values: Any, given: Any, wanted: str
) -> None:
    file, made = tmp_path / "lines", values()

    def written() -> None:
        tf.print(*made, output_stream=f"file://{file}", **given)

    (tf.function(written) if traced else written)()
    assert file.read_text(encoding="utf-8") == wanted


def test_what_a_saved_model_prints_is_printed_by_the_loaded_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def raised(x: Any) -> Any:
        tf.print("x is", x, [tf.constant(TEXT)])
        return x + 1

    model = tf.Module()
    model.raised = tf.function(
        raised, input_signature=[tf.TensorSpec((), tf.float32)]
    )
    tf.saved_model.save(model, str(tmp_path))
    assert float(tf.saved_model.load(str(tmp_path)).raised(tf.constant(3.0))) == 4
    assert capsys.readouterr().err == 'x is 3 ["it\\\'s é"]\n'


def test_other_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("x", file=None)
