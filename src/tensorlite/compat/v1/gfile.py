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
    """Return whether there is a file or folder of this path."""
    return files.exists_v2(filename)


def IsDirectory(dirname: Any) -> bool:
    """Return whether the path is that of a folder."""
    return files.isdir_v2(dirname)


def ListDirectory(dirname: Any) -> list[str]:
    """Return the names of what is in a folder; NotFoundError is raised if it is not there."""
    return files.listdir_v2(dirname)


def MakeDirs(dirname: Any) -> None:
    """Make a folder, and those above it; nothing happens if it is there."""
    files.makedirs_v2(dirname)


def MkDir(dirname: Any) -> None:
    """Make a folder in one that is there."""
    files.mkdir_v2(dirname)


def Remove(filename: Any) -> None:
    """Remove a file; NotFoundError is raised if it is not there."""
    files.remove_v2(filename)


def DeleteRecursively(dirname: Any) -> None:
    """Remove a folder with all that is in it."""
    files.rmtree_v2(dirname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copy a file; one that is there is replaced only with overwrite."""
    files.copy_v2(oldpath, newpath, overwrite)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Move a file or folder; one that is there is replaced only with overwrite."""
    files.rename_v2(oldname, newname, overwrite)


def Stat(filename: Any) -> files.FileStatistics:
    """Return a file's length in bytes, time of change in nanoseconds, and if it is a folder."""
    return files.stat_v2(filename)


def Glob(filename: Any) -> list[str]:
    """Return the paths that a pattern with `*`, `?` or `[...]` matches, or several patterns."""
    return files.glob_v2(filename)


def Walk(
    top: Any, in_order: bool = True
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (folder, folders in it, files in it) for a folder and all those below.

    A folder comes before those in it, or behind them if in_order is False.
    """
    return files.walk_v2(top, in_order)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
