"""tf.keras.utils.get_file: files are fetched once, verified and unpacked, where Keras puts them."""

from __future__ import annotations

import hashlib
import tarfile
import zipfile
from pathlib import Path

import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf

get_file = tf.keras.utils.get_file


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "there" / "words.txt"
    path.parent.mkdir()
    path.write_text("one two")
    return path


def test_a_file_is_fetched_once(source: Path, tmp_path: Path) -> None:
    path = get_file(origin=source.as_uri(), cache_dir=tmp_path / "cache")
    assert path == str(tmp_path / "cache" / "datasets" / "words.txt")
    source.write_text("others")
    assert (
        get_file("words.txt", source.as_uri(), cache_dir=tmp_path / "cache") == path
    )
    assert Path(path).read_text() == "one two"
    get_file(
        origin=source.as_uri(), cache_dir=tmp_path / "cache", force_download=True
    )
    assert Path(path).read_text() == "others"


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_a_file_that_is_damaged_is_fetched_again(
    source: Path, tmp_path: Path, algorithm: str
) -> None:
    wanted = hashlib.new(algorithm, source.read_bytes()).hexdigest()
    path = tmp_path / "datasets" / "w"
    path.parent.mkdir()
    path.write_text("one tw")
    get_file("w", source.as_uri(), file_hash=wanted, cache_dir=tmp_path)
    assert path.read_text() == "one two"
    with pytest.raises(tl.errors.DataLossError, match="expected"):
        get_file("v", source.as_uri(), md5_hash="0" * 32, cache_dir=tmp_path)


def test_archives_are_unpacked_into_the_folders_that_keras_names(
    source: Path, tmp_path: Path
) -> None:
    zipped = tmp_path / "z.zip"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write(source, "inner/words.txt")
    tarred = tmp_path / "t.tar.gz"
    with tarfile.open(tarred, "w:gz") as packed:
        packed.add(source, "inner/words.txt")
    folder = tmp_path / "cache" / "sub"
    for fname, origin, wanted in (
        (None, zipped, folder / "z.zip"),
        ("named.zip", zipped, folder / "named_extracted"),
        ("plain", tarred, folder / "plain"),
    ):
        path = get_file(
            fname,
            origin.as_uri(),
            extract=True,
            cache_dir=tmp_path / "cache",
            cache_subdir="sub",
        )
        assert path == str(wanted)
        assert (wanted / "inner" / "words.txt").read_text() == "one two"
    with pytest.warns(UserWarning, match="extract"):
        get_file("zip", zipped.as_uri(), untar=True, cache_dir=tmp_path / "cache")


def test_what_is_not_there_says_where_to_put_it(tmp_path: Path) -> None:
    with pytest.raises(tl.errors.UnavailableError, match="put the file at"):
        get_file("x", (tmp_path / "no").as_uri(), cache_dir=tmp_path)
    assert not any((tmp_path / "datasets").iterdir())
