"""Datasets of few GraphDefs: of tables, databases and files, and those that change no element."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tests.interop.graphdefs import Called, Program, Shape

TEXT: dict[str, Any] = {"output_types": (tl.string,), "output_shapes": (Shape(()),)}
NUMBERS: dict[str, Any] = {"output_types": (tl.int64,), "output_shapes": (Shape(()),)}


def listed(made: Program, **kinds: Any) -> list[Any]:
    """Return the elements of the dataset of the node y."""
    made.node("IteratorV2", "it", shared_name="it", container="", **kinds)
    made.node("MakeIterator", "make", "y", "it")
    made.node("IteratorGetNext", "next", "it", **kinds)
    again = tl.interop.tensorflow.to_graphdef(made.session().graph)
    session = tl.Session(tl.interop.tensorflow.from_graphdef(again))
    session.run(session.graph.get_operation_by_name("make"))
    found = []
    names = [f"next:{i}" for i in range(len(kinds["output_types"]))]
    with contextlib.suppress(tl.errors.OutOfRangeError):
        while True:
            row = [np.asarray(x).tolist() for x in session.run(names)]
            found.append(row[0] if len(row) == 1 else tuple(row))
    return found


def numbers() -> Program:
    made = Program()
    for name, value in {"zero": 0, "four": 4, "one": 1}.items():
        made.const(name, np.int64(value))
    made.node("RangeDataset", "source", "zero", "four", "one", **NUMBERS)
    return made


@pytest.mark.parametrize(
    "name", ["CSVDataset", "CSVDatasetV2", "ExperimentalCSVDataset"]
)
def test_tables(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n;x;t\n1;0.5;a\n2;;b\n")
    made = Program()
    given = {
        "files": str(path),
        "kind": "",
        "size": np.int64(0),
        "header": np.bool_(True),
        "delim": ";",
        "quotes": np.bool_(True),
        "na": "",
        "columns": np.array([0, 1], np.int64),
        "first": np.zeros(0, np.int32),
        "second": np.array([9], np.float32),
    }
    if name.endswith("V2"):
        given["others"] = np.zeros(0, np.int64)
    for key, value in given.items():
        made.const(key, value)
    kinds: dict[str, Any] = {
        "output_types": (tl.int32, tl.float32),
        "output_shapes": (Shape(()), Shape(())),
    }
    made.node(name, "y", *given, **kinds)
    assert listed(made, **kinds) == [(1, 0.5), (2, 9.0)]


def test_databases(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("create table words (word text)")
        database.execute("insert into words values ('one'), ('two')")
    made = Program()
    for key, value in {
        "driver": "sqlite",
        "path": path,
        "query": "select word from words",
    }.items():
        made.const(key, value)
    made.node("SqlDataset", "y", "driver", "path", "query", **TEXT)
    assert listed(made, **TEXT) == [b"one", b"two"]


def test_names_of_files(tmp_path: Path) -> None:
    for name in ("b.x", "a.x", "c.y"):
        (tmp_path / name).write_text("")
    made = Program()
    made.const("patterns", [f"{tmp_path}/*.x"])
    made.node(
        "MatchingFilesDataset", "y", "patterns", output_types=TEXT["output_types"]
    )
    names = [Path(x.decode()).name for x in listed(made, **TEXT)]
    assert names == ["a.x", "b.x"]


@pytest.mark.parametrize(
    ("name", "beside", "attributes"),
    [
        ("LatencyStatsDataset", ["tag"], {}),
        ("AssertNextDataset", ["tag"], {}),
        ("SleepDataset", ["one"], {}),
        ("ThreadPoolDataset", ["one"], {}),
        ("AutoShardDataset", ["one", "zero"], {}),
        ("ExperimentalIgnoreErrorsDataset", [], {}),
    ],
)
def test_elements_stay_as_they_are(
    name: str, beside: list[str], attributes: dict[str, Any]
) -> None:
    made = numbers()
    made.const("tag", "t")
    made.node(name, "y", "source", *beside, **NUMBERS, **attributes)
    assert listed(made, **NUMBERS) == [0, 1, 2, 3]


def test_shards_of_several_workers_are_refused() -> None:
    made = numbers()
    made.node("AutoShardDataset", "y", "source", "four", "zero", **NUMBERS)
    with pytest.raises(GraphDefError, match="for 4 workers"):
        made.session()


def test_records_are_read_from_their_beginning_only() -> None:
    made = Program()
    made.const("files", "x")
    made.const("kind", "")
    made.const("size", np.int64(0))
    made.const("offsets", np.array([3], np.int64))
    made.node("TFRecordDatasetV2", "y", "files", "kind", "size", "offsets")
    with pytest.raises(GraphDefError, match="byte_offsets"):
        made.session()


def test_several_files_are_read_in_turns() -> None:
    made = numbers()
    inner = made.function("each", {"i": 9}, {"d": (21, "two:handle:0")})
    inner.const("count", np.int64(2))
    inner.node("RangeDataset", "r", "i", "end:z:0", "step:output:0", **NUMBERS)
    inner.const("step", np.int64(1))
    inner.node("AddV2", "end", "i", "count:output:0", T=tl.int64)
    inner.node("TakeDataset", "two", "r:handle:0", "count:output:0", **NUMBERS)
    made.const("no", np.bool_(False))
    made.const("two", np.int64(2))
    made.node(
        *(
            "ParallelInterleaveDataset",
            "y",
            "source",
            "two",
            "one",
            "no",
            "one",
            "one",
        ),
        f=Called("each"),
        Targuments=(),
        **NUMBERS,
    )
    assert listed(made, **NUMBERS) == [0, 1, 1, 2, 2, 3, 3, 4]


def drawing(again: bool) -> Program:
    """Return a program with random numbers, the same in each round unless `again`."""
    made = Program()
    for name, seed in (("seed", 4), ("seed2", 5), ("three", 3)):
        made.const(name, np.int64(seed))
    made.node("DummySeedGenerator", "generator")
    given = "seed", "seed2", "generator"
    kinds: dict[str, Any] = {"rerandomize_each_iteration": again}
    made.node("RandomDatasetV2", "random", *given, **kinds, **NUMBERS)
    made.node("TakeDataset", "y", "random", "three", **NUMBERS)
    return made


def test_random_numbers_are_tensorflows() -> None:
    """Expected is what TensorFlow 2.21 gives."""
    assert listed(drawing(False), **NUMBERS) == [408065954, 1822492827, 3246778955]
    with pytest.raises(GraphDefError, match="rerandomize_each_iteration"):
        drawing(True).session()


def test_what_tensorflow_1_does_not_know_is_not_written_at_its_default() -> None:
    made = numbers()
    made.const("turns", np.array([0, 0], np.int64))
    made.node("TensorSliceDataset", "choices", "turns", **SLICES)
    names = "choices", "source"
    made.node("DirectedInterleaveDataset", "data", *names, N=1, **NUMBERS)
    written = tl.interop.tensorflow.to_graphdef(made.session().graph)
    node = next(x for x in written.node if x.op == "DirectedInterleaveDataset")
    assert "stop_on_empty_dataset" not in node.attr


SLICES: dict[str, Any] = {
    "Toutput_types": (tl.int64,),
    "output_shapes": (Shape(()),),
}
