"""Files by the names of tensorflow.python.lib.io.file_io."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.gfile import (
    GFile as FileIO,
    copy_v2 as copy,
    exists_v2 as file_exists,
    glob_v2 as get_matching_files,
    isdir_v2 as is_directory,
    join,
    listdir_v2 as list_directory,
    makedirs_v2 as recursive_create_dir,
    mkdir_v2 as create_dir,
    remove_v2 as delete_file,
    rename_v2 as rename,
    rmtree_v2 as delete_recursively,
    stat_v2 as stat,
    walk_v2 as walk,
)

__all__ = [
    "FileIO",
    "copy",
    "create_dir",
    "delete_file",
    "delete_recursively",
    "file_exists",
    "get_matching_files",
    "is_directory",
    "join",
    "list_directory",
    "recursive_create_dir",
    "rename",
    "stat",
    "walk",
]


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """Return what is in a file."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Write a file anew."""
    with FileIO(filename, "wb" if isinstance(file_content, bytes) else "w") as file:
        file.write(file_content)
