"""tf.io.gfile: files by TensorFlow 2's names."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.gfile import GFile, join
from tensorlite.compat.shared.gfile import copy_v2 as copy
from tensorlite.compat.shared.gfile import exists_v2 as exists
from tensorlite.compat.shared.gfile import glob_v2 as glob
from tensorlite.compat.shared.gfile import isdir_v2 as isdir
from tensorlite.compat.shared.gfile import listdir_v2 as listdir
from tensorlite.compat.shared.gfile import makedirs_v2 as makedirs
from tensorlite.compat.shared.gfile import mkdir_v2 as mkdir
from tensorlite.compat.shared.gfile import remove_v2 as remove
from tensorlite.compat.shared.gfile import rename_v2 as rename
from tensorlite.compat.shared.gfile import rmtree_v2 as rmtree
from tensorlite.compat.shared.gfile import stat_v2 as stat
from tensorlite.compat.shared.gfile import walk_v2 as walk

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


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
