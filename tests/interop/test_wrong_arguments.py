"""Arguments of a wrong kind where TensorFlow's files are read and written: nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import TensorliteError

TEXT = 'node { name: "x" op: "NoOp" }'
tf: Any = tl.interop.tensorflow


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "a graph to read into": (
        lambda: tf.from_graphdef(TEXT, "g"),
        r"graph='g'.*tl\.Graph",
    ),
    "a name": (lambda: tf.from_graphdef(TEXT, name=1), r"name=1; give a text"),
    "a map": (
        lambda: tf.from_graphdef(TEXT, input_map=["x"]),
        r"input_map=\['x'\].*dict",
    ),
    "a graph to write": (lambda: tf.save("g", "g.pb"), r"graph='g'.*\.graph"),
    "no prefix": (
        lambda: tf.save_checkpoint(None, {}),
        r"prefix=None; give a text or",
    ),
    "tensors without names": (
        lambda: tf.save_checkpoint("c", [1]),
        r"tensors=\[1\].*names",
    ),
    "slices without names": (
        lambda: tf.save_checkpoint("c", {"a": 1}, ["2"]),
        r"slices=\['2'\].*by names",
    ),
    "objects without names": (
        lambda: tf.save_object_checkpoint("c", "model"),
        r"value='model'; give a module",
    ),
    "objects to restore": (
        lambda: tf.restore_object_checkpoint("c", 1),
        r"value=1; give a module",
    ),
    "no model": (
        lambda: tf.save_saved_model(7, "m"),
        r"obj=7 has no attributes.*module",
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_an_argument_of_a_wrong_kind(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, said = CALLS[case]
    with pytest.raises(TensorliteError, match=said):
        call()
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.pbtxt"
    path.write_text("node {")
    with pytest.raises(
        tl.errors.GraphDefError, match=r"model\.pbtxt: this text is no Graph"
    ):
        tf.load(path)
