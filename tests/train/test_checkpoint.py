"""Checkpoints: what comes back, what is refused, and that nothing is ever torn."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.checkpoint import Checkpoint, Manager

DTYPES = [
    *(tl.bool, tl.int8, tl.int64, tl.uint8, tl.uint64, tl.float16, tl.bfloat16),
    *(tl.float32, tl.float64, tl.complex64, tl.complex128),
]


class Model(tl.Module):
    def __init__(self, units: int = 3) -> None:
        self.first = tl.Variable(np.arange(units, dtype=np.float32))
        self.rest = {"scale": tl.Variable(2.0), "twice": [self.first]}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_every_dtype_and_shape_comes_back(
    tmp_path: Path, dtype: tl.DType, shape: tuple[int, ...]
) -> None:
    value = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.75).astype(
        dtype.numpy
    )
    variable = tl.Variable(value)
    Checkpoint(v=variable).save(tmp_path / "c")
    variable.assign(np.zeros_like(value))
    Checkpoint(v=variable).restore(tmp_path / "c")
    np.testing.assert_array_equal(variable.numpy(), value)
    assert variable.dtype is dtype


def test_modules_optimizers_and_structures_are_saved_by_path(tmp_path: Path) -> None:
    model, optimizer = Model(), tl.optimizers.Adam(0.1)
    optimizer.apply_gradients([(tl.ones(3), model.first)])
    checkpoint = Checkpoint(model=model, optimizer=optimizer, steps=[tl.Variable(7)])
    assert list(checkpoint.variables()) == [
        *("model.first", "model.rest.scale", "optimizer.iterations"),
        *("optimizer.0.mean", "optimizer.0.square_mean", "steps.0"),
    ]
    checkpoint.save(tmp_path / "c")
    again = Model(), tl.optimizers.Adam(0.1)
    again[1].build([again[0].first])
    Checkpoint(model=again[0], optimizer=again[1], steps=[tl.Variable(0)]).restore(
        tmp_path / "c"
    )
    for one, other in zip(optimizer.variables, again[1].variables, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    np.testing.assert_array_equal(model.first.numpy(), again[0].first.numpy())


def test_a_mismatch_is_told_as_a_table_and_changes_nothing(tmp_path: Path) -> None:
    Checkpoint(a=tl.Variable([1.0]), b=tl.Variable([2.0]), c=tl.Variable(3)).save(
        tmp_path / "c"
    )
    a, b = tl.Variable([0.0]), tl.Variable([0.0, 0.0])
    checkpoint = Checkpoint(a=a, b=b, d=tl.Variable(0))
    with pytest.raises(tl.errors.CheckpointError) as caught:
        checkpoint.restore(tmp_path / "c")
    for row in (
        "matched  1",
        "missing  d: not in the checkpoint",
        "unused   c: in the checkpoint only",
        "changed  b: float32[1] in the checkpoint, float32[2] here",
    ):
        assert row in str(caught.value)
    assert float(a.value()[0]) == 0.0
    report = checkpoint.restore(tmp_path / "c", partial=True)
    assert report.matched == ("a",)
    assert not report.complete
    assert float(a.value()[0]) == 1.0


def test_an_optimizer_without_slots_yet_is_told_how_to_make_them(
    tmp_path: Path,
) -> None:
    w, optimizer = tl.Variable(1.0), tl.optimizers.Adam(0.1)
    optimizer.build([w])
    Checkpoint(optimizer=optimizer).save(tmp_path / "c")
    with pytest.raises(
        tl.errors.CheckpointError, match=r"optimizer.build\(variables\)"
    ):
        Checkpoint(optimizer=tl.optimizers.Adam(0.1)).restore(tmp_path / "c")


def spoil_length(path: Path) -> None:
    payload = path.with_suffix(".safetensors")
    payload.write_bytes(payload.read_bytes()[:-3])


def spoil_content(path: Path) -> None:
    payload = path.with_suffix(".safetensors")
    content = bytearray(payload.read_bytes())
    content[-1] ^= 1
    payload.write_bytes(bytes(content))


def spoil_manifest(path: Path) -> None:
    manifest = path.with_suffix(".json")
    manifest.write_bytes(manifest.read_bytes()[:20])


def make_foreign(path: Path) -> None:
    path.with_suffix(".json").write_text(json.dumps({"format": "another"}))


def make_future(path: Path) -> None:
    manifest = path.with_suffix(".json")
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 99'))


def lose_payload(path: Path) -> None:
    path.with_suffix(".safetensors").unlink()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (spoil_length, "torn"),
        (spoil_content, "damaged"),
        (spoil_manifest, "no readable manifest"),
        (make_foreign, "no manifest of tensorlite's"),
        (make_future, "version 99"),
        (lose_payload, "cannot be read"),
    ],
)
def test_a_torn_or_foreign_file_is_refused_and_changes_nothing(
    tmp_path: Path, spoil: object, says: str
) -> None:
    v = tl.Variable([1.0, 2.0])
    Checkpoint(v=v).save(tmp_path / "c")
    v.assign([5.0, 5.0])
    assert callable(spoil)
    spoil(tmp_path / "c")
    with pytest.raises(tl.errors.CheckpointError, match=says):
        Checkpoint(v=v).restore(tmp_path / "c", partial=True)
    np.testing.assert_array_equal(v.numpy(), [5.0, 5.0])


def test_a_checkpoint_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(tl.errors.CheckpointError, match="no checkpoint at"):
        Checkpoint(v=tl.Variable(1.0)).restore(tmp_path / "none")


def test_a_crash_while_writing_leaves_the_old_checkpoint_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    v = tl.Variable([1.0])
    manager = Manager(Checkpoint(v=v), tmp_path)
    manager.save(1)
    v.assign([2.0])

    def crash(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", crash)
    with pytest.raises(tl.errors.CheckpointError, match="No space left"):
        manager.save(2)
    monkeypatch.undo()
    assert manager.latest == tmp_path / "step-1"
    manager.restore()
    assert float(v.value()[0]) == 1.0
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize(
    "spoil", [spoil_length, spoil_content, spoil_manifest, lose_payload]
)
def test_the_newest_whole_checkpoint_is_taken_where_the_latest_is_damaged(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    v = tl.Variable(0.0)
    manager = Manager(Checkpoint(v=v), tmp_path)
    for step in (1, 2, 3, 4):
        v.assign(float(step))
        manager.save(step)
    spoil(tmp_path / "step-4")
    (tmp_path / "step-3.json").unlink()
    report = manager.restore()
    assert v.item() == 2.0
    assert list(report.damaged) == [str(tmp_path / "step-4")]
    assert f"instead of {tmp_path / 'step-4'}: " in str(report)
    v.assign(5.0)
    manager.save(5)  # beside what is damaged
    assert not manager.restore().damaged
    assert v.item() == 5.0


def test_a_mismatch_is_no_damage(tmp_path: Path) -> None:
    v = tl.Variable(0.0)
    Manager(Checkpoint(v=v), tmp_path).save(1)
    Manager(Checkpoint(w=v), tmp_path).save(2)
    with pytest.raises(tl.errors.CheckpointError, match="does not match"):
        Manager(Checkpoint(v=v), tmp_path).restore()


def test_when_none_is_whole_all_are_told(tmp_path: Path) -> None:
    manager = Manager(Checkpoint(v=tl.Variable(0.0)), tmp_path)
    for step in (1, 2):
        manager.save(step)
        spoil_content(manager.path(step))
    with pytest.raises(tl.errors.CheckpointError, match="is whole") as caught:
        manager.restore()
    assert str(caught.value).count("is damaged: its checksum") == 2


@pytest.mark.parametrize("content", [b"{", None])
def test_without_word_of_the_latest_the_newest_is_taken(
    tmp_path: Path, content: bytes | None
) -> None:
    v = tl.Variable(0.0)
    manager = Manager(Checkpoint(v=v), tmp_path)
    for step in (1, 12):
        v.assign(float(step))
        manager.save(step)
    named = tmp_path / "latest"
    named.unlink() if content is None else named.write_bytes(content)
    v.assign(0.0)
    assert manager.restore().path == str(tmp_path / "step-12")
    assert v.item() == 12.0


def test_the_manager_keeps_the_newest_and_saves_every_nth(tmp_path: Path) -> None:
    manager = Manager(Checkpoint(v=tl.Variable(1.0)), tmp_path, keep=2, every=10)
    saved = [step for step in range(1, 51) if manager.step_done(step) is not None]
    assert saved == [10, 20, 30, 40, 50]
    assert manager.steps() == [40, 50]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        *(
            "latest",
            "step-40.json",
            "step-40.safetensors",
            "step-50.json",
            "step-50.safetensors",
        ),
    ]


def test_keeping_one_deletes_all_older(tmp_path: Path) -> None:
    manager = Manager(Checkpoint(v=tl.Variable(1.0)), tmp_path, keep=1)
    for step in (1, 2, 3):
        manager.save(step)
    assert manager.steps() == [3]


def test_restoring_from_an_empty_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(tl.errors.CheckpointError, match="no checkpoint in"):
        Manager(Checkpoint(v=tl.Variable(1.0)), tmp_path).restore()


def test_what_has_no_variables_is_refused_when_the_checkpoint_is_made() -> None:
    with pytest.raises(tl.errors.DTypeError, match=r"steps\.0 is a int"):
        Checkpoint(steps=[3])
    with pytest.raises(tl.errors.InvalidArgumentError, match="nothing"):
        Checkpoint()


def test_saving_and_restoring_are_operators_of_a_traced_function(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "graph")

    @tl.function
    def keep(x: tl.Tensor) -> None:
        tl.checkpoint.save(path, {"x": x, "double": x * 2.0})

    @tl.function
    def fetch() -> tl.Tensor:
        specs = {"double": tl.TensorSpec((2,), tl.float32)}
        return tl.checkpoint.restore(path, specs)["double"] + 1.0

    keep(tl.asarray([1.0, 2.0]))
    np.testing.assert_array_equal(fetch().numpy(), [3.0, 5.0])
    keep(tl.asarray([10.0, 20.0]))
    np.testing.assert_array_equal(fetch().numpy(), [21.0, 41.0])
    with pytest.raises(tl.errors.CheckpointError, match="has no 'y'"):
        tl.checkpoint.restore(path, {"y": tl.TensorSpec((2,), tl.float32)})
