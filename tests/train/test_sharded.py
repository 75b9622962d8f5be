"""Checkpoints of many shards: written where variables lie, read anywhere, torn by nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.checkpoint import Checkpoint, Manager
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.ops.records.shards import SaveShard
from tensorlite.train.rows import RowPart

DTYPES = [tl.bool, tl.int64, tl.bfloat16, tl.float32, tl.complex64, tl.complex128]


@pytest.fixture(autouse=True)
def three_devices() -> Iterator[None]:
    tl.config.set_logical_devices("CPU", 3)
    yield
    tl.config.set_logical_devices("CPU", 1)


def on(index: int, value: Any, **options: Any) -> tl.Variable:
    with tl.device(f"/device:CPU:{index}"):
        return tl.Variable(value, **options)


def parts(value: np.ndarray[Any, Any], *counts: int) -> list[RowPart]:
    """Return a variable as parts of so many rows, each on another device."""
    made, first = [], 0
    for i, count in enumerate(counts):
        with tl.device(f"/device:CPU:{i % 3}"):
            rows = value[first : first + count]
            made.append(RowPart(rows, i, first, "table", name=f"table_{i}"))
        first += count
    return made


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors"))


def manifest(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(f"{path}.json").read_bytes())
    return found


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_every_dtype_and_shape_comes_back(
    tmp_path: Path, dtype: tl.DType, shape: tuple[int, ...]
) -> None:
    value = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.75).astype(
        dtype.numpy
    )
    v, w = on(1, value), on(2, value)
    Checkpoint(v=v, w=w).save(tmp_path / "c", sharded=True)
    v.assign(np.zeros_like(value))
    Checkpoint(v=v, w=w).restore(tmp_path / "c")
    np.testing.assert_array_equal(v.numpy(), value)


def test_each_device_writes_its_own_shard_and_a_manifest_names_them(
    tmp_path: Path,
) -> None:
    a, b, c = on(0, [1.0]), on(1, [2.0, 3.0]), on(1, 4)
    Checkpoint(a=a, b=b, c=c).save(tmp_path / "c", sharded=True, extra={"step": 7})
    told = manifest(tmp_path / "c")
    assert [shard["file"] for shard in told["shards"]] == [
        path.name for path in shards(tmp_path)
    ]
    assert [
        (path.stat().st_size, path.name.split("-")[1:]) for path in shards(tmp_path)
    ] == [
        (told["shards"][0]["bytes"], ["0", "of", "2.safetensors"]),
        (told["shards"][1]["bytes"], ["1", "of", "2.safetensors"]),
    ]
    where = {name: x["pieces"][0]["shard"] for name, x in told["tensors"].items()}
    assert where == {"a": 0, "b": 1, "c": 1}
    assert told["extra"] == {"step": 7}


def test_shards_are_read_on_one_device_and_one_file_by_many(tmp_path: Path) -> None:
    spread = {"a": on(0, [1.0]), "b": on(1, [2.0, 3.0]), "c": on(2, 4)}
    Checkpoint(**spread).save(tmp_path / "many", sharded=True)
    here = {"a": on(0, [0.0]), "b": on(0, [0.0, 0.0]), "c": on(0, 0)}
    Checkpoint(**here).restore(tmp_path / "many")
    for name, variable in here.items():
        np.testing.assert_array_equal(variable.numpy(), spread[name].numpy())
        np.testing.assert_array_equal(
            tl.checkpoint.load(str(tmp_path / "many"))[name], spread[name].numpy()
        )
        spread[name].assign(spread[name] * 0)
    Checkpoint(**here).save(tmp_path / "one")
    Checkpoint(**spread).restore(tmp_path / "one")
    for name, variable in here.items():
        np.testing.assert_array_equal(variable.numpy(), spread[name].numpy())


@pytest.mark.parametrize("sharded", [True, False])
@pytest.mark.parametrize("counts", [(10,), (3, 7), (4, 4, 2), (1, 2, 3, 4)])
@pytest.mark.parametrize("after", [(10,), (5, 5), (2, 6, 2)])
def test_rows_may_be_split_otherwise_when_they_are_read(
    tmp_path: Path, counts: tuple[int, ...], after: tuple[int, ...], sharded: bool
) -> None:
    table = np.random.default_rng(0).normal(size=(10, 3)).astype(np.float32)
    first = parts(table, *counts)
    slots = tl.optimizers.Adagrad(0.1)
    slots.apply_gradients([(tl.asarray(x.numpy()), x) for x in first])
    updated = np.concatenate([x.numpy() for x in first])
    squares = [x.numpy() for x in slots.variables if x.shape[1:] == (3,)]
    Checkpoint(table=first, slots=slots).save(tmp_path / "c", sharded)
    second, again = parts(0 * table, *after), tl.optimizers.Adagrad(0.1)
    again.build(second)
    report = Checkpoint(table=second, slots=again).restore(tmp_path / "c")
    assert report.matched == ("slots.0.accumulator", "slots.iterations", "table")
    np.testing.assert_array_equal(
        np.concatenate([x.numpy() for x in second]), updated
    )
    np.testing.assert_array_equal(
        np.concatenate([x.numpy() for x in again.variables if x.shape[1:] == (3,)]),
        np.concatenate(squares),
    )
    whole = tl.Variable(0 * table)
    Checkpoint(table=whole).restore(tmp_path / "c", partial=True)
    np.testing.assert_array_equal(whole.numpy(), updated)


def test_a_checkpoint_without_all_parts_of_a_variable_is_refused(
    tmp_path: Path,
) -> None:
    _, middle, _ = parts(np.ones((6, 2), np.float32), 2, 2, 2)
    with pytest.raises(tl.errors.CheckpointError, match="needs all parts"):
        Checkpoint(middle=middle).save(tmp_path / "c", sharded=True)
    assert files(tmp_path) == []


def test_the_operators_travel_as_bytes(tmp_path: Path) -> None:
    v = on(1, [1.0, 2.0])

    @tl.function
    def write(path: tl.Tensor) -> tuple[tl.Tensor, ...]:
        return tl.extend.calls(SaveShard(("v",), ".safetensors"), path, v.value())

    graph = write.get_concrete_function(tl.TensorSpec((), tl.string)).graph
    assert "SaveShard" in {node.op.name for node in from_bytes(to_bytes(graph)).nodes}


def test_what_is_saved_twice_is_traced_once(tmp_path: Path) -> None:
    checkpoint = Checkpoint(v=on(1, 1.0))
    checkpoint.save(tmp_path / "a", sharded=True)
    shards_before = checkpoint._sharded()
    checkpoint.save(tmp_path / "b", sharded=True)
    assert checkpoint._sharded() is shards_before
    assert "traced 1 times" in repr(shards_before._writing)


def test_queues_are_saved_with_what_is_in_them(tmp_path: Path) -> None:
    queue = tl.queue.FIFOQueue(5, [tl.int32, tl.float32], [(), (2,)])
    for i in range(3):
        queue.enqueue([i, [float(i), 0.5]])
    Checkpoint(queue=queue, v=on(1, 1.0)).save(tmp_path / "c", sharded=True)
    assert int(queue.size()) == 3
    assert int(queue.dequeue()[0]) == 0
    queue.enqueue([9, [9.0, 9.0]])
    Checkpoint(queue=queue, v=on(1, 1.0)).restore(tmp_path / "c")
    taken = [queue.dequeue() for _ in range(int(queue.size()))]
    assert [int(number) for number, _ in taken] == [0, 1, 2]
    np.testing.assert_array_equal(taken[2][1], [2.0, 0.5])
    small = tl.queue.FIFOQueue(2, [tl.int32, tl.float32], [(), (2,)])
    with pytest.raises(tl.errors.InvalidArgumentError, match="holds 2 elements; 3"):
        Checkpoint(queue=small).restore(tmp_path / "c", partial=True)


def test_a_queue_whose_elements_differ_in_shape_is_refused(tmp_path: Path) -> None:
    queue = tl.queue.PaddingFIFOQueue(5, [tl.float32], [(None,)])
    with pytest.raises(tl.errors.InvalidArgumentError, match="of one shape"):
        Checkpoint(queue=queue).save(tmp_path / "c", sharded=True)


def test_what_json_cannot_hold_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    for extra in ({"x": object()}, {"x": float("nan")}):
        with pytest.raises(tl.errors.CheckpointError, match="as JSON"):
            Checkpoint(v=on(1, 1.0)).save(tmp_path / "c", True, extra)
    assert files(tmp_path) == []


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [(cut, "torn"), (flip, "damaged"), (os.unlink, "cannot be read")],
)
def test_a_damaged_shard_is_refused_and_no_variable_changes(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    a, b = on(0, [1.0]), on(1, [2.0])
    Checkpoint(a=a, b=b).save(tmp_path / "c", sharded=True)
    a.assign([5.0])
    b.assign([6.0])
    spoil(shards(tmp_path)[1])
    with pytest.raises(tl.errors.CheckpointError, match=says):
        Checkpoint(a=a, b=b).restore(tmp_path / "c")
    assert [a.item(), b.item()] == [5.0, 6.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["tensors"]["a"]["pieces"][0].update(shard=9),
        lambda told: told["tensors"]["a"]["pieces"][0].update(first=1),
        lambda told: told["shards"][0].update(file="../other"),
        lambda told: told["tensors"]["a"].pop("pieces"),
        lambda told: told["tensors"]["a"].update(shape=[3]),
        lambda told: told["tensors"]["a"].update(dtype="float7"),
        lambda told: told.pop("shards"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    a = on(1, [1.0])
    Checkpoint(a=a, b=on(2, 2.0)).save(tmp_path / "c", sharded=True)
    told = manifest(tmp_path / "c")
    change(told)
    (tmp_path / "c.json").write_text(json.dumps(told))
    with pytest.raises(tl.errors.CheckpointError):
        Checkpoint(a=a).restore(tmp_path / "c", partial=True)
    assert a.item() == 1.0


def test_a_folder_that_not_all_nodes_share_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tensorlite.train.sharded.PATIENCE", 0.05)
    monkeypatch.setattr(
        "tensorlite.ops.records.storage.replace_file", lambda *_: None
    )
    with pytest.raises(tl.errors.CheckpointError, match="nodes and the client share"):
        Checkpoint(a=on(1, [1.0])).save(tmp_path / "c", sharded=True)
    assert files(tmp_path) == []


class CrashError(BaseException):
    """The process ends here: nothing catches it, and nothing is cleaned up."""


class Storage:
    """Every call by which files change; one of them is the last that is made."""

    def __init__(self, patch: pytest.MonkeyPatch, error: BaseException) -> None:
        self.calls = 0
        self.fail_at: int | None = None
        self.error = error
        for name in ("fsync", "replace", "unlink", "open", "mkdir"):
            patch.setattr(os, name, self.counted(getattr(os, name)))

    def counted(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            if self.fail_at is not None and self.calls >= self.fail_at:
                raise self.error
            return inner(*arguments, **options)

        return call


def test_a_crash_at_any_moment_leaves_a_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = on(0, [0.0]), on(1, [0.0])
    calls = crash_at(tmp_path / "none", None, a, b, monkeypatch)
    assert calls > 10
    for call in range(1, calls + 1):
        folder = tmp_path / str(call)
        crash_at(folder, call, a, b, monkeypatch)
        manager = Manager(Checkpoint(a=a, b=b), folder, keep=2, sharded=True)
        manager.restore()
        assert a.item() == b.item()
        assert a.item() in (2.0, 3.0)
        last = a.item()
        assert manager.latest == folder / f"step-{last:.0f}"
        manager.save(4)
        assert len(shards(folder)) == 2 * len(manager.steps()) == 4
        assert not list(folder.glob(".*"))


def crash_at(
    folder: Path,
    call: int | None,
    a: tl.Variable,
    b: tl.Variable,
    patch: pytest.MonkeyPatch,
) -> int:
    """Save steps 1 and 2 and begin step 3, which crashes; return how many calls were made."""
    manager = Manager(Checkpoint(a=a, b=b), folder, keep=2, sharded=True)
    for step in (1.0, 2.0):
        a.assign([step])
        b.assign([step])
        manager.save(int(step))
    a.assign([3.0])
    b.assign([3.0])
    with patch.context() as here:
        storage = Storage(here, CrashError())
        storage.fail_at = call
        if call is None:
            manager.save(3)
        else:
            with pytest.raises(CrashError):
                manager.save(3)
    return storage.calls


def test_saving_a_step_again_can_crash_and_leaves_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = on(0, [1.0]), on(1, [1.0])
    manager = Manager(Checkpoint(a=a, b=b), tmp_path, sharded=True)
    manager.save(1)
    a.assign([2.0])
    for call in range(1, 9):
        with monkeypatch.context() as here:
            Storage(here, CrashError()).fail_at = call
            with pytest.raises(CrashError):
                manager.save(1)
        manager.restore()
        assert (a.item(), b.item()) == (1.0, 1.0)
        a.assign([2.0])


@pytest.mark.parametrize("sharded", [True, False])
def test_what_is_saved_again_at_a_path_leaves_nothing_of_before(
    tmp_path: Path, sharded: bool
) -> None:
    a, b = on(0, [1.0]), on(1, [1.0])
    checkpoint = Checkpoint(a=a, b=b)
    for value in (1.0, 2.0, 3.0, 4.0):
        a.assign([value])
        checkpoint.save(tmp_path / "c", sharded)
        assert len(shards(tmp_path)) == 1 + sharded
        a.assign([0.0])
        checkpoint.restore(tmp_path / "c")
        assert a.item() == value
    checkpoint.save(tmp_path / "c", not sharded)
    assert len(shards(tmp_path)) == 2 - sharded


@pytest.mark.parametrize("sharded", [True, False])
def test_saving_again_at_a_path_can_crash_at_any_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sharded: bool
) -> None:
    a, b = on(0, [1.0]), on(1, [1.0])
    checkpoint = Checkpoint(a=a, b=b)
    for call in range(1, 30):
        a.assign([float(call)])
        b.assign([float(call)])
        with monkeypatch.context() as here:
            Storage(here, CrashError()).fail_at = call if call > 1 else None
            with suppress(CrashError):
                checkpoint.save(tmp_path / "c", sharded)
        checkpoint.restore(tmp_path / "c")
        assert 1.0 <= a.item() == b.item() <= call
    assert a.item() == 29.0


def test_a_full_disk_is_told_and_training_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = on(0, [1.0]), on(1, [1.0])
    manager = Manager(Checkpoint(a=a, b=b), tmp_path, sharded=True)
    manager.save(1)
    before = files(tmp_path)
    a.assign([2.0])
    with monkeypatch.context() as here:
        full = OSError(28, "No space left on device")
        here.setattr(os, "fsync", Storage(here, full).counted(os.fsync))

        def no_space(_: int) -> None:
            raise full

        here.setattr(os, "fsync", no_space)
        with pytest.raises(
            tl.errors.CheckpointError, match=r"step-2\..*, \d+ bytes: .*No space left"
        ) as caught:
            manager.save(2)
    assert "bytes are free there" in str(caught.value)
    assert files(tmp_path) == before
    assert a.item() == 2.0
    manager.save(3)
    assert manager.steps() == [1, 3]


def test_the_manager_keeps_the_newest_with_all_their_shards(tmp_path: Path) -> None:
    checkpoint = Checkpoint(a=on(0, 1.0), b=on(1, 1.0))
    Manager(checkpoint, tmp_path).save(1)
    manager = Manager(checkpoint, tmp_path, keep=2, sharded=True)
    for step in (2, 3, 4):
        manager.save(step)
    assert manager.steps() == [3, 4]
    named = [
        shard["file"] for n in (3, 4) for shard in manifest(manager.path(n))["shards"]
    ]
    expected = ["latest", "step-3.json", "step-4.json", *named]
    assert files(tmp_path) == sorted(expected)


def test_the_generator_is_saved_and_goes_on_alike(tmp_path: Path) -> None:
    generator = tl.random.Generator.from_seed(3)
    generator.normal((5,))
    Checkpoint(generator=generator).save(tmp_path / "c", sharded=True)
    wanted = generator.normal((4,)).numpy()
    Checkpoint(generator=generator).restore(tmp_path / "c")
    np.testing.assert_array_equal(generator.normal((4,)), wanted)
