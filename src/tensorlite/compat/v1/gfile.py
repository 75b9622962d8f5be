"""tf.gfile: files by TensorFlow 1's names and argument names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import gfile as files
from tensorlite.compat.shared.gfile import GFile

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]

FastGFile = GFile
Open = GFile


def Exists(filename: Any) -> bool:
    return files.exists_v2(filename)


def IsDirectory(dirname: Any) -> bool:
    return files.isdir_v2(dirname)


def ListDirectory(dirname: Any) -> list[str]:
    return files.listdir_v2(dirname)


def MakeDirs(dirname: Any) -> None:
    files.makedirs_v2(dirname)


def MkDir(dirname: Any) -> None:
    files.mkdir_v2(dirname)


def Remove(filename: Any) -> None:
    files.remove_v2(filename)


def DeleteRecursively(dirname: Any) -> None:
    files.rmtree_v2(dirname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    files.copy_v2(oldpath, newpath, overwrite)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    files.rename_v2(oldname, newname, overwrite)


def Stat(filename: Any) -> files.FileStatistics:
    return files.stat_v2(filename)


def Glob(filename: Any) -> list[str]:
    return files.glob_v2(filename)


def Walk(
    top: Any, in_order: bool = True
) -> Iterator[tuple[str, list[str], list[str]]]:
    return files.walk_v2(top, in_order)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
