"""Checkpoints of objects: TensorFlow's are matched, ours are written; damaged ones are refused."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import CheckpointError, DataLossError, TensorliteError
from tensorlite.interop.tensorflow import (
    load_checkpoint,
    restore_object_checkpoint,
    save_checkpoint,
    save_object_checkpoint,
)
from tensorlite.interop.tensorflow.stored.objects import (
    GRAPH,
    VALUE,
    Slot,
    Tracked,
    load_objects,
    matched,
    of_message,
    save_objects,
)

DATA = Path(__file__).parent / "data"


def variable(value: object, name: str = "v") -> Tracked:
    return Tracked(values={VALUE: np.asarray(value)}, full_name=name)


def test_tensorflows_objects_are_found() -> None:
    reader = load_checkpoint(DATA / "tf2" / "objects-1")
    root = load_objects(reader)
    assert root is not None
    model = root.children["model"]
    assert sorted(model.children) == ["b", "by", "inner", "parts", "steps"]
    w = model.children["inner"].children["w"]
    assert w.full_name == "w"
    np.testing.assert_array_equal(reader[w.values[VALUE]], [[1.0, 2.0], [3.0, 4.0]])
    rate = root.children["optimizer"].children["rate"]
    assert reader[rate.values[VALUE]] == 0.5
    assert "save_counter" in root.children


def test_what_is_saved_is_matched(tmp_path: Path) -> None:
    w, shared = variable([1.0, 2.0]), variable(3.0)
    model = Tracked({"w": w, "a.b/c": shared, "same": shared})
    optimizer = Tracked(
        {"step": variable(7)}, slots=[Slot(w, "m/1", variable([5.0, 6.0]))]
    )
    root = Tracked({"model": model, "optimizer": optimizer})
    model.children["back"] = root
    save_objects(tmp_path / "x", root)
    reader = load_checkpoint(tmp_path / "x")
    assert list(reader) == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "model/a..b.Sc/.ATTRIBUTES/VARIABLE_VALUE",
        "model/w/.ATTRIBUTES/VARIABLE_VALUE",
        "model/w/.OPTIMIZER_SLOT/optimizer/m.S1/.ATTRIBUTES/VARIABLE_VALUE",
        "optimizer/step/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    saved = load_objects(tmp_path / "x")
    assert saved is not None
    found = matched(saved, root)
    found.check()
    values = {one: other.values for one, other in found.pairs}
    np.testing.assert_array_equal(
        reader[values[optimizer.slots[0].state][VALUE]], [5, 6]
    )
    assert values[shared] == {VALUE: "model/a..b.Sc/.ATTRIBUTES/VARIABLE_VALUE"}


def test_what_differs_is_told(tmp_path: Path) -> None:
    save_objects(tmp_path / "x", Tracked({"a": variable(1.0), "b": variable(2.0)}))
    saved = load_objects(tmp_path / "x")
    assert saved is not None
    other = Tracked({"a": variable(0.0), "c": Tracked({"d": variable(0.0)})})
    found = matched(saved, other)
    assert found.unused == ["b/.ATTRIBUTES/VARIABLE_VALUE"]
    assert found.missing == ["c/d"]
    with pytest.raises(CheckpointError, match=r"nothing uses .* and it lacks"):
        found.check()


def test_a_checkpoint_of_names_has_no_objects() -> None:
    assert load_objects(DATA / "tf1" / "second") is None


class Model(tl.Module):
    """Has variables as the one has that TensorFlow saved."""

    def __init__(self) -> None:
        self.b = tl.Variable([0.0, 0.0])
        self.inner = tl.Module()
        self.inner.w = tl.Variable(tl.zeros((2, 2)))  # type: ignore[attr-defined]
        self.parts = [tl.Variable(0.0), tl.Variable(0.0)]
        self.by = {"a": tl.Variable(0.0)}
        self.steps = tl.Variable(np.int64(0))


def test_modules_are_restored_from_tensorflows(tmp_path: Path) -> None:
    model = Model()
    found = restore_object_checkpoint(DATA / "tf2" / "objects-1", {"model": model})
    assert found.missing == []
    assert sorted(found.unused) == [
        "optimizer/rate/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    np.testing.assert_array_equal(model.b.numpy(), [10.0, -90.0])
    assert [float(x) for x in model.parts] == [1.0, 2.0]
    assert model.steps.numpy() == 5
    save_object_checkpoint(tmp_path / "x", [model, {"again": model.b}])
    other = Model()
    restore_object_checkpoint(tmp_path / "x", [other, {"again": other.b}]).check()
    np.testing.assert_array_equal(other.b.numpy(), [10.0, -90.0])
    with pytest.raises(CheckpointError, match="by name, and does not say"):
        restore_object_checkpoint(DATA / "tf1" / "second", model)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\x08\x01",
        b"\x0a\x02\x0a\x05",
        b"\x0a\x04\x0a\x02\x08\x05",
        b"\x0a\x02\x08\x01",
    ],
)
def test_damaged_graphs_of_objects(message: bytes, tmp_path: Path) -> None:
    with pytest.raises(DataLossError):
        of_message(message)
    save_checkpoint(tmp_path / "x", {GRAPH: np.ones(2)})
    with pytest.raises(DataLossError, match="is no text"):
        load_objects(tmp_path / "x")


def test_mutated_graphs_of_objects() -> None:
    draw = random.Random(2)  # noqa: S311
    whole = load_checkpoint(DATA / "tf2" / "objects-1")[GRAPH].item()
    for _ in range(500):
        content = bytearray(whole)
        place = draw.randrange(len(content))
        content[place : place + draw.randint(0, 2)] = draw.randbytes(
            draw.randint(0, 3)
        )
        try:
            matched(of_message(bytes(content)), Tracked({"model": Tracked()}))
        except TensorliteError:
            continue
