"""What `python -m tensorlite inspect` says of a GraphDef, and draws."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.inspection.inspecting import described
from tests.interop.graphdefs import Program, Shape

FOLDER = Path(__file__).parent / "data" / "graphs"
SVG = "{http://www.w3.org/2000/svg}"


def model(tmp_path: Path, name: str = "dynamic_rnn") -> Path:
    path = tmp_path / "model.pb"
    path.write_bytes(np.load(FOLDER / f"{name}.npz")["graph"].tobytes())
    return path


def test_it_lists_what_there_is(tmp_path: Path) -> None:
    text = tl.interop.tensorflow.describe(model(tmp_path))
    assert "inputs: x float32[3, 5, 2], length int32[3]" in text
    assert "variables: rnn/basic_lstm_cell/kernel float32[6, 16]" in text
    assert "not there: nothing" in text
    assert "  rnn/ (167 nodes)" in text
    assert "    while/ (72 nodes): Enter 14, " in text


def test_it_tells_what_is_noted_beside_graphs(tmp_path: Path) -> None:
    data = FOLDER.parent
    text = tl.interop.tensorflow.describe(data / "tf1" / "saved_model")
    lines = text.splitlines()
    assert lines[0] == "tags: serve"
    assert "signature serving_default: x float32[?, 2] -> y float32[?, 2]" in lines
    assert "files: words.txt" in lines
    assert any("not there: nothing" in x for x in lines)
    file = data / "tf2" / "saved_gradients" / "saved_model.pb"
    tl.interop.tensorflow.draw(file, tmp_path / "model.svg")
    assert "operators: " in tl.interop.tensorflow.describe(file)
    noted = tl.interop.tensorflow.describe(FOLDER / "contexts.meta").splitlines()
    assert "while_context" in noted[0]


def test_it_draws_scopes_and_what_joins_them(tmp_path: Path) -> None:
    picture = tmp_path / "model.svg"
    tl.interop.tensorflow.draw(model(tmp_path), picture)
    root = ET.fromstring(picture.read_text())  # noqa: S314  our own picture
    titles = [one.text or "" for one in root.iter(f"{SVG}title")]
    assert any(title.startswith("rnn/while\n") for title in titles)
    assert len(titles) <= 37
    assert len(list(root.iter(f"{SVG}path"))) > 10


def test_names_are_escaped_and_missing_operators_are_red(tmp_path: Path) -> None:
    made = Program()
    made.node("Mystery", "a>b")
    path, picture = tmp_path / "model.pb", tmp_path / "model.svg"
    path.write_bytes(made.bytes())
    tl.interop.tensorflow.draw(path, picture)
    drawn = picture.read_text()
    assert "a&gt;b" in drawn
    assert "#f4b6b6" in drawn.partition("<title>")[2]


def test_large_graphs_are_drawn_in_few_boxes(tmp_path: Path) -> None:
    made = Program()
    for i in range(300):
        made.node("NoOp", f"scope{i}/a", control=[f"scope{i - 1}/a"] if i else [])
    path, picture = tmp_path / "model.pb", tmp_path / "model.svg"
    path.write_bytes(made.bytes())
    tl.interop.tensorflow.draw(path, picture)
    assert "264 more" in picture.read_text()


def test_what_is_damaged_is_told() -> None:
    with pytest.raises(GraphDefError, match="are no GraphDef"):
        described(b"\xff\xff")


def test_from_the_command_line(tmp_path: Path) -> None:
    picture = tmp_path / "model.svg"
    path = model(tmp_path, "while_matmul")
    command = [sys.executable, "-m", "tensorlite", "inspect", str(path), str(picture)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "operators: Enter 4" in done.stdout
    assert picture.read_text().endswith("</svg>")


def said_of(*arguments: str | Path) -> tuple[int, str, str]:
    """Return how `python -m tensorlite` ends, what it prints, and its errors."""
    command = [sys.executable, "-m", "tensorlite", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_what_cannot_be_inspected_is_told_in_a_line(tmp_path: Path) -> None:
    damaged, absent = tmp_path / "cut.pb", tmp_path / "absent.pb"
    damaged.write_bytes(model(tmp_path).read_bytes()[:30])
    for path, told in (
        (damaged, f"{damaged}: these 30 bytes are no GraphDef"),
        (absent, "No such file"),
        (tmp_path, "is a folder; give a file"),
    ):
        code, out, errors = said_of("inspect", path)
        assert (code, out) == (1, "")
        assert errors.startswith("python -m tensorlite inspect: ")
        assert told in errors
        assert len(errors.splitlines()) == 1


def test_graphs_are_not_written_over_by_pictures(tmp_path: Path) -> None:
    path, second = model(tmp_path), tmp_path / "second.pb"
    second.write_bytes(path.read_bytes())
    code, out, errors = said_of("inspect", path, second)
    assert (code, out) == (1, "")
    assert "second.pb: the picture is an SVG file" in errors
    assert second.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["inspekt"], "no such command; allowed are calibrate, inspect FILE"),
        (["inspect"], "0 files; give a graph"),
        (["inspect", "a", "b", "c"], "3 files; give a graph"),
    ],
)
def test_commands_that_are_none(arguments: list[str], told: str) -> None:
    code, _, errors = said_of(*arguments)
    assert code == 1
    assert told in errors


@pytest.mark.parametrize("arguments", [["--help"], ["inspect", "--help"]])
def test_help(arguments: list[str]) -> None:
    code, out, _ = said_of(*arguments)
    assert code == 0
    assert "inspect FILE [PICTURE.svg]" in out


def test_what_only_looks_at_variables_is_no_output() -> None:
    made = Program()
    made.node("VarHandleOp", "v", dtype=tl.float32, shape=Shape(()), shared_name="v")
    made.node("ReadVariableOp", "v/Read/ReadVariableOp", "v", dtype=tl.float32)
    made.node("VarIsInitializedOp", "v/IsInitialized", "v")
    made.floats("x", 1.0)
    made.node("Square", "y", "x", T=tl.float32)
    assert "outputs: y\n" in described(made.bytes())
