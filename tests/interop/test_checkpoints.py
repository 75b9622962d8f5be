"""TensorFlow's checkpoints: read as TensorFlow wrote them, written, damaged, and in a graph."""

from __future__ import annotations

import random
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.checksums import crc32c
from tensorlite.core.errors import (
    DataLossError,
    DTypeError,
    InvalidArgumentError,
    NotFoundError,
    TensorliteError,
)
from tensorlite.interop.tensorflow import (
    get_checkpoint_state,
    latest_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
    save_checkpoint,
    update_checkpoint_state,
)
from tensorlite.interop.tensorflow.stored import checkpoints, slices, tables
from tensorlite.interop.tensorflow.stored.bundle_writing import Saved, merge_bundles
from tensorlite.interop.tensorflow.stored.slices import Extent
from tensorlite.interop.tensorflow.stored.snappy import decompressed
from tensorlite.interop.tensorflow.stored.tables import Table, table_of
from tensorlite.ops.records import wire
from tests.interop.graphdefs import Program
from tests.interop.test_reading import variable

DATA = Path(__file__).parent / "data"
RAMP = np.arange(-3, 9).reshape(3, 4)
KINDS_OF_BOTH = (
    *("float32", "float64", "int8", "int16", "int32", "int64", "uint8"),
    *("bool", "complex64"),
)
ROWS = np.arange(140, dtype=np.float32).reshape(70, 2)


@pytest.mark.parametrize("version", ["tf1", "tf2"])
@pytest.mark.parametrize("name", ["first", "second"])
def test_tensorflows_are_read(version: str, name: str) -> None:
    found = load_checkpoint(DATA / version / name)
    dtypes = found.get_variable_to_dtype_map()
    for kind in KINDS_OF_BOTH:
        assert dtypes[kind] is tl.as_dtype(kind)
        np.testing.assert_array_equal(found[kind], RAMP.astype(kind), strict=True)
    assert found.get_variable_to_shape_map()["scope/part"] == [70, 2]
    np.testing.assert_array_equal(found["scope/part"], ROWS, strict=True)
    part = (Extent(20, 40), Extent(1, 1))
    np.testing.assert_array_equal(
        found.get_slice("scope/part", part), ROWS[20:60, 1:]
    )
    if name == "second":
        assert found["bf"].dtype == ml_dtypes.bfloat16
        np.testing.assert_array_equal(found["bf"].astype(np.float32), RAMP[0])
        assert found["text"].tolist() == [b"a", b"", b"\xff" * 200]
        np.testing.assert_array_equal(found["float16"], RAMP.astype(np.float16))


KINDS = [
    *(
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_every_dtype_is_kept(tmp_path: Path, kind: str, version: int) -> None:
    x = RAMP.astype(tl.as_dtype(kind).numpy)
    save_checkpoint(
        tmp_path / "x", {"x": x, "none": x[:0], "one": x[1, 1]}, None, version
    )
    found = load_checkpoint(tmp_path / "x")
    for name, wanted in (("x", x), ("none", x[:0]), ("one", x[1, 1])):
        np.testing.assert_array_equal(found[name], wanted)
        assert found[name].dtype == x.dtype
        assert found[name].shape == wanted.shape


def test_the_bytes_are_tensorflows(tmp_path: Path) -> None:
    found = load_checkpoint(DATA / "tf1" / "second")
    kept = {name: found[name] for name in found if name != "scope/part"}
    parts = [
        Saved("scope/part", ROWS[i:j], slices.asked(f"70 2 {i},{j - i}:0,2"))
        for i, j in ((0, 24), (24, 47), (47, 70))
    ]
    whole = [Saved(name, x) for name, x in kept.items()]
    checkpoints.write_saved(tmp_path / "x", [*sorted(whole), *parts])
    ours = load_checkpoint(tmp_path / "x")
    for name in found:
        np.testing.assert_array_equal(ours[name], found[name], strict=True)
    theirs = Table(DATA / "tf1" / "second.index")
    keys = [key for key, _ in Table(tmp_path / "x.index").items()]
    assert keys == [key for key, _ in theirs.items()]


def test_texts_and_values_of_other_kinds_are_saved(tmp_path: Path) -> None:
    v = tl.Variable([1.0, 2.0])
    given = {"v": v, "list": [1, 2], "text": "ä", "texts": np.array([["a", "bc"]])}
    save_checkpoint(tmp_path / "x", given)
    found = load_checkpoint(tmp_path / "x")
    np.testing.assert_array_equal(found["v"], [1.0, 2.0])
    assert found["text"].item() == "ä".encode()
    assert found["texts"].tolist() == [[b"a", b"bc"]]
    assert list_variables(tmp_path / "x")[0] == ("list", [2])
    assert load_variable(tmp_path / "x", "list:0").tolist() == [1, 2]
    assert b"\nv (DT_FLOAT) [2]\n" in found.debug_string()
    assert found.has_tensor("v") and not found.has_tensor("w")  # noqa: PT018
    with pytest.raises(DTypeError, match="can be saved"):
        save_checkpoint(tmp_path / "y", {"x": np.array([None, {}], object)})
    assert list(tmp_path.glob("y*")) == []


def test_many_names_in_many_blocks(tmp_path: Path) -> None:
    names = [f"layer_{i}/" + "x" * (i % 50) for i in range(6000)]
    save_checkpoint(tmp_path / "x", {x: np.int32(i) for i, x in enumerate(names)})
    found = load_checkpoint(tmp_path / "x")
    assert list(found) == sorted(names)
    assert [int(found[x]) for x in names[::500]] == list(range(0, 6000, 500))
    table = Table(tmp_path / "x.index")
    assert table.get(names[4321].encode()) is not None
    assert table.get(b"layer_none") is None
    assert table.get(b"\xff") is None


def test_several_become_one(tmp_path: Path) -> None:
    for i in range(2):
        part = slices.asked(f"4 2 {2 * i},2:-")
        saved = [Saved("part", ROWS[2 * i : 2 * i + 2], part), Saved(f"x{i}", ROWS)]
        checkpoints.write_saved(tmp_path / "temp" / str(i), saved)
    prefixes = [str(tmp_path / "temp" / str(i)) for i in range(3)]
    with pytest.raises(NotFoundError, match="are not there"):
        merge_bundles(prefixes, tmp_path / "whole")
    merge_bundles(prefixes, tmp_path / "whole", is_complete=False)
    found = load_checkpoint(tmp_path / "whole")
    np.testing.assert_array_equal(found["part"], ROWS[:4])
    np.testing.assert_array_equal(found["x1"], ROWS)
    assert sorted(x.name for x in tmp_path.iterdir()) == [
        "whole.data-00000-of-00002",
        "whole.data-00001-of-00002",
        "whole.index",
    ]
    checkpoints.remove(tmp_path / "whole")
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_first_format_may_be_several(tmp_path: Path) -> None:
    for i in range(2):
        part = slices.asked(f"4 2 {2 * i},2:0,2")
        saved = [Saved("part", ROWS[2 * i : 2 * i + 2], part), Saved(f"x{i}", ROWS)]
        checkpoints.write_saved(tmp_path / f"old-0000{i}-of-00002", saved, 1)
    for name in ("old", "old-?????-of-?????"):
        found = load_checkpoint(tmp_path / name)
        np.testing.assert_array_equal(found["part"], ROWS[:4])
        assert sorted(found) == ["part", "x0", "x1"]
    assert checkpoints.exists(tmp_path / "old")
    checkpoints.remove(tmp_path / "old")
    assert not checkpoints.exists(tmp_path / "old")


def test_checksums_are_those_of_bit_by_bit() -> None:
    def plainly(data: bytes) -> int:
        state = 0xFFFFFFFF
        for byte in data:
            state ^= byte
            for _ in range(8):
                state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
        return state ^ 0xFFFFFFFF

    draw = random.Random(1)  # noqa: S311
    assert crc32c(b"") == 0
    for size in (1, 7, 128, 129, 135, 1000, 6777, 6786, 54_300, 140_003):
        data = draw.randbytes(size)
        assert crc32c(data) == plainly(data), size
    large = draw.randbytes(3 * 8 * 2**16 + 5)
    assert crc32c(large) == plainly(large)
    for at in (1, 200, 100_000):
        assert crc32c(large[at:], crc32c(large[:at])) == crc32c(large)


def test_packed_blocks_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block of one literal, and a copy with every kind of length and offset."""
    text = b"a" * 100 + bytes(range(256)) * 300

    def literal(data: bytes) -> bytes:
        return bytes([61 << 2]) + (len(data) - 1).to_bytes(2, "little") + data

    def size(number: int) -> bytes:
        return wire.of_varint(number)

    far = b"".join(
        [bytes([63 << 2 | 3]) + (256).to_bytes(4, "little")] * (256 * 299 // 64)
    )
    packed = (
        size(len(text))
        + b"\0a"
        + bytes([62 << 2 | 2, 1, 0])
        + bytes([0x1 << 2 | 1, 1])
    )
    left = 100 - 1 - 63 - 5
    packed += bytes([(left - 1) << 2 | 2, 1, 0]) + literal(bytes(range(256))) + far
    assert decompressed(packed) == text
    monkeypatch.setattr(tables, "_AS_IS", 1)
    monkeypatch.setattr(tables, "_SNAPPY", 1)
    whole = tables._Block.bytes
    monkeypatch.setattr(
        tables._Block,
        "bytes",
        lambda self: size(len(whole(self))) + literal(whole(self)),
    )
    path = tmp_path / "table"
    path.write_bytes(b"".join(table_of([(b"a", b"1"), (b"ab", b"2")])))
    monkeypatch.undo()
    assert list(Table(path).items()) == [(b"a", b"1"), (b"ab", b"2")]


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\x05\0a",
        b"\x02\x05\x01",
        b"\xff\xff\x7f\0a",
        b"\x01\xf4\xff\xff",
        b"\x01\1",
    ],
)
def test_damaged_packed_blocks(packed: bytes) -> None:
    with pytest.raises(DataLossError):
        decompressed(packed)


def test_numbers_in_keys_are_ordered() -> None:
    """The bytes are those that TensorFlow 1.15 wrote for slices of these starts."""
    numbers = [-(2**40), -8193, -65, -64, -1, 0, 1, 63, 64, 8191, 8192, 2**40, 2**62]
    keys = [slices.key_of("x", (Extent(x, x),)) for x in numbers]
    assert keys == sorted(keys)
    assert slices.key_of("a\0b", (Extent(64, None),)) == (
        b"\0a\0\xffb\0\x01\x01\x01\xc0\x40\x7f"
    )


def test_what_is_asked_for_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "x", {"x": ROWS})
    found = load_checkpoint(tmp_path / "x")
    with pytest.raises(
        NotFoundError, match=r"Key y not found in checkpoint .* has 1"
    ):
        found.get_tensor("y")
    with pytest.raises(NotFoundError, match="not found"):
        found.get_slice("y", ())
    with pytest.raises(InvalidArgumentError, match="is no slice of the shape"):
        found.get_slice("x", (Extent(60, 20), Extent()))
    with pytest.raises(
        NotFoundError, match=r"Failed to find any matching files .* neither"
    ):
        load_checkpoint(tmp_path / "nothing" / "there")
    with pytest.raises(NotFoundError, match="has no checkpoint"):
        load_checkpoint(tmp_path)
    for text in ("4 3", "4 3 0,2", "4 0,5", "4 x", "-1 -"):
        with pytest.raises(InvalidArgumentError):
            slices.asked(text)
    with pytest.raises(InvalidArgumentError, match="there is no format 3"):
        save_checkpoint(tmp_path / "x", {}, version=3)
    with pytest.raises(InvalidArgumentError, match="two tensors"):
        checkpoints.write_saved(tmp_path / "y", [Saved("x", ROWS), Saved("x", ROWS)])
    with pytest.raises(InvalidArgumentError, match="name of a tensor"):
        save_checkpoint(tmp_path / "y", {"": ROWS})


def test_damaged_tensors(tmp_path: Path) -> None:
    prefix = tmp_path / "x"
    save_checkpoint(prefix, {"x": ROWS, "text": np.array([b"abc", b"d"], object)})
    data = tmp_path / "x.data-00000-of-00001"
    whole = data.read_bytes()
    data.write_bytes(b"1" + whole[1:])
    with pytest.raises(DataLossError, match=r"is damaged: the checksum of x"):
        load_checkpoint(prefix)["x"]
    data.write_bytes(whole.replace(b"abcd", b"abce"))
    with pytest.raises(DataLossError, match="texts of text are damaged"):
        load_checkpoint(prefix)["text"]
    data.write_bytes(whole[:500])
    with pytest.raises(DataLossError, match="bytes; x, 140 elements of float32"):
        load_checkpoint(prefix)["x"]
    data.unlink()
    with pytest.raises(DataLossError, match="cannot be read"):
        load_checkpoint(prefix)["x"]
    index = tmp_path / "x.index"
    index.write_bytes(index.read_bytes()[:-1])
    with pytest.raises(DataLossError, match="does not end as one"):
        load_checkpoint(prefix)


def _read_all(prefix: Path) -> None:
    try:
        found = load_checkpoint(prefix)
        found.get_variable_to_dtype_map()
        for name in found:
            try:
                _ = found[name]
            except TensorliteError:
                continue
    except TensorliteError:
        return


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(["first", "second"]))
def test_mutated_files_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, draw: random.Random, name: str
) -> None:
    """Bytes are changed, cut out and put in, also where checksums are made to fit."""
    folder = tmp_path_factory.mktemp("mutated")
    for path in (DATA / "tf1").glob(f"{name}*"):
        content = bytearray(path.read_bytes())
        if path.suffix == ".index" or name == "first":
            content = _mutated(content, draw)
        (folder / path.name).write_bytes(content)
    _read_all(folder / name)


def _mutated(content: bytearray, draw: random.Random) -> bytearray:
    """Return a table with damaged entries or with damaged bytes."""
    if draw.random() < 0.5:
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(content))
            end = place + draw.choice([0, 1, 1, 20])
            content[place:end] = draw.randbytes(draw.choice([0, 1, 1, 3]))
        return content
    with_path = Path(str(DATA / "tf1" / "second.index"))
    if len(content) != with_path.stat().st_size:
        with_path = DATA / "tf1" / "first"
    items = dict(Table(with_path).items())
    for key in draw.sample(sorted(items), draw.randint(1, 3)):
        value = bytearray(items[key])
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(value) + 1)
            value[place : place + draw.randint(0, 2)] = draw.randbytes(
                draw.randint(0, 3)
            )
        items[key] = bytes(value)
    return bytearray(b"".join(table_of(sorted(items.items()))))


def test_enormous_claims_take_no_memory(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "x", {"x": ROWS[:1]}, {"x": "70 2 0,1:-"})
    items = dict(Table(tmp_path / "x.index").items())
    huge = wire.field(2, wire.field(1, 2**40)) * 3
    for entry in (
        wire.field(1, 1) + wire.field(2, huge),
        items[b"x"].replace(b"\x08\x46", b"\x08\xff\xff\xff\xff\x7f", 1),
    ):
        changed = {**items, b"x": entry}
        content = b"".join(table_of(sorted(changed.items())))
        (tmp_path / "x.index").write_bytes(content)
        with pytest.raises(DataLossError):
            load_checkpoint(tmp_path / "x")["x"]
    key = b"k" * 60_000
    keys = [(key + i.to_bytes(2, "big"), b"") for i in range(5000)]
    (tmp_path / "x.index").write_bytes(b"".join(table_of([(b"", b""), *keys])))
    with pytest.raises(DataLossError, match="bytes long"):
        load_checkpoint(tmp_path / "x")


def test_the_state_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert latest_checkpoint(tmp_path) is None
    prefixes = [str(tmp_path / f'm"ö-{i}') for i in range(2)]
    update_checkpoint_state(tmp_path, prefixes[1], prefixes, None, [1.5, 2.5], 0.5)
    state = get_checkpoint_state(tmp_path)
    assert state is not None
    assert state.model_checkpoint_path == prefixes[1]
    assert state.all_model_checkpoint_paths == prefixes
    assert state.all_model_checkpoint_timestamps == [1.5, 2.5]
    assert state.last_preserved_timestamp == 0.5
    assert latest_checkpoint(tmp_path) is None
    save_checkpoint(prefixes[1], {"x": ROWS})
    assert latest_checkpoint(tmp_path) == prefixes[1]
    assert list(load_checkpoint(tmp_path)) == ["x"]
    update_checkpoint_state(tmp_path, prefixes[1], save_relative_paths=True)
    assert str(tmp_path) not in (tmp_path / "checkpoint").read_text()
    assert latest_checkpoint(tmp_path) == prefixes[1]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    update_checkpoint_state("sub", "sub/x", latest_filename="other")
    assert "sub" not in (tmp_path / "sub" / "other").read_text()
    other = get_checkpoint_state("sub", "other")
    assert other is not None and other.model_checkpoint_path == "sub/x"  # noqa: PT018
    with pytest.raises(InvalidArgumentError, match="timestamps for 2"):
        update_checkpoint_state("sub", "sub/x", ["a"], None, [1.0, 2.0, 3.0])
    with pytest.raises(InvalidArgumentError, match="has the name of the list"):
        update_checkpoint_state(tmp_path, tmp_path / "checkpoint")


def test_a_state_as_tensorflow_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    path.write_text(
        'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\n'
        'all_model_checkpoint_paths: "a \\"\\303\\266\\" b"\nlast_preserved_timestamp: 1e9\n'
    )
    state = get_checkpoint_state(tmp_path)
    assert state is not None
    assert state.all_model_checkpoint_paths[1] == f'{tmp_path}/a "ö" b'
    for text in ("model_checkpoint_path", 'model_checkpoint_path: "', "\0", "{" * 9):
        path.write_text(text)
        with pytest.raises(DataLossError, match="no list of checkpoints"):
            get_checkpoint_state(tmp_path)
    path.write_text("last_preserved_timestamp: yes")
    with pytest.raises(DataLossError, match="cannot be yes"):
        get_checkpoint_state(tmp_path)


def test_graphs_save_slices_and_restore_them(tmp_path: Path) -> None:
    made = Program()
    made.floats("x", [[1.0, 2.0]])
    made.const("path", np.array(f"{tmp_path}/model", object))
    made.const("names", np.array(["x"], object))
    made.const("slices", np.array(["2 2 1,1:-"], object))
    made.node("SaveV2", "save", "path", "names", "slices", "x", dtypes=(tl.float32,))
    made.node("RestoreV2", "load", "path", "names", "slices", dtypes=(tl.float32,))
    made.node("RestoreV2", "wrong", "path", "names", "slices", dtypes=(tl.int32,))
    session = made.session()
    session.run("save")
    np.testing.assert_array_equal(session.run("load:0"), [[1.0, 2.0]])
    with pytest.raises(DTypeError, match="asked for as int32"):
        session.run("wrong:0")
    with pytest.raises(DataLossError, match="have 2 of 4 elements"):
        load_checkpoint(tmp_path / "model")["x"]


def test_graphs_save_in_the_first_format(tmp_path: Path) -> None:
    made = Program()
    variable(made, "v", 4.0)
    made.const("path", np.array(f"{tmp_path}/model", object))
    made.const("names", np.array(["v"], object))
    made.const("name", np.array("v", object))
    made.const("slice", np.array("", object))
    made.node("Save", "save", "path", "names", "v", T=(tl.float32,))
    made.node("Restore", "load", "path", "name", dt=tl.float32)
    made.node("RestoreSlice", "part", "path", "name", "slice", dt=tl.float32)
    session = made.session()
    session.run("v/Assign")
    session.run("save")
    assert [float(x) for x in session.run(["load:0", "part:0"])] == [4.0, 4.0]
    assert float(load_checkpoint(tmp_path / "model")["v"]) == 4.0


def test_graphs_that_save_are_written() -> None:
    made = Program()
    made.floats("x", 1.0)
    made.const("path", np.array("p", object))
    made.const("names", np.array(["x"], object))
    made.const("slices", np.array([""], object))
    one = (tl.float32,)
    made.node("SaveV2", "save", "path", "names", "slices", "x", dtypes=one)
    made.node("RestoreV2", "load", "path", "names", "slices", dtypes=one)
    made.node("SaveSlices", "old", "path", "names", "slices", "x", T=one)
    made.node("MergeV2Checkpoints", "merge", "names", "path")
    graph = tl.interop.tensorflow.from_graphdef(made.bytes())
    written = tl.interop.tensorflow.to_graphdef(graph)
    ops = {x.name: (x.op, list(x.input)) for x in written.node}
    assert ops["save"] == ("SaveV2", ["path", "names", "slices", "x"])
    assert ops["load"] == ("RestoreV2", ["path", "names", "slices"])
    assert ops["old"][0] == "SaveSlices"
    assert ops["merge"] == ("MergeV2Checkpoints", ["names", "path"])
