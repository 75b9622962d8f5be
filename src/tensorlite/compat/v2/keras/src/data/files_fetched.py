"""tf.keras.utils.get_file: where Keras keeps what a program fetches by its address."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.data import fetching


def get_file(
    fname: Any = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: Any = None,
    force_download: bool = False,
) -> str:
    """Return the path of a file, fetched unless it is there, or of the folder it unpacks to."""
    if origin is None:
        raise InvalidArgumentError(
            "get_file: `origin`, the address of the file, is missing"
        )
    folder = _home(cache_dir) / cache_subdir
    packed = extract or untar
    target = (
        _archive(folder, fname, origin) if packed else folder / _name(fname, origin)
    )
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    known = None if file_hash is None else (file_hash, hash_algorithm)
    if force_download or not _is_there(target, known):
        _fetch(origin, target, known)
    if not packed:
        return str(target)
    unpacked = _unpacked(folder, fname, origin)
    if not fetching.unpack(
        target, unpacked, _kinds("tar" if untar else archive_format)
    ):
        warnings.warn("Could not extract archive.", stacklevel=2)
    return str(unpacked)


def _home(cache_dir: Any) -> Path:
    return Path(cache_dir or os.environ.get("KERAS_HOME") or "~/.keras").expanduser()


def _name(fname: Any, origin: str) -> str:
    name = os.fspath(fname) if fname else Path(urlsplit(origin).path).name
    if not name or os.sep in name:
        raise InvalidArgumentError(
            f"get_file: {name!r} names no file; `fname` is a name, `cache_dir` is the folder"
        )
    return name


def _has_ending(fname: Any) -> bool:
    return bool(fname) and "." in os.fspath(fname)


def _archive(folder: Path, fname: Any, origin: str) -> Path:
    name = _name(fname, origin)
    return folder / (name if _has_ending(fname) else f"{name}_archive")


def _unpacked(folder: Path, fname: Any, origin: str) -> Path:
    name = _name(fname, origin)
    return folder / (
        f"{name[: name.find('.')]}_extracted" if _has_ending(fname) else name
    )


def _is_there(target: Path, known: tuple[str, str] | None) -> bool:
    return target.exists() and (known is None or fetching.has_digest(target, *known))


def _fetch(origin: str, target: Path, known: tuple[str, str] | None) -> None:
    print(f"Downloading data from {origin}")
    fetching.fetch(origin, target)
    if known is not None:
        fetching.checked_digest(target, *known)


def _kinds(archive_format: Any) -> tuple[str, ...]:
    if archive_format is None:
        return ()
    if archive_format == "auto":
        return fetching.ARCHIVES
    return (
        (archive_format,)
        if isinstance(archive_format, str)
        else tuple(archive_format)
    )
