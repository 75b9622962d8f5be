"""tf.io.gfile: files by the names that both versions have for them."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.gfile import (
    GFile,
    copy_v2 as copy,
    exists_v2 as exists,
    glob_v2 as glob,
    isdir_v2 as isdir,
    join,
    listdir_v2 as listdir,
    makedirs_v2 as makedirs,
    mkdir_v2 as mkdir,
    remove_v2 as remove,
    rename_v2 as rename,
    rmtree_v2 as rmtree,
    stat_v2 as stat,
    walk_v2 as walk,
)

__all__ = [
    "GFile",
    "copy",
    "exists",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]


__dir__ = listing("io.gfile", globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error("io.gfile", name, globals())
