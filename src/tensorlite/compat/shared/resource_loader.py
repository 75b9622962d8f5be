"""Files that lie beside a program's own, found from the file that asks."""

from __future__ import annotations

import sys
from pathlib import Path

from tensorlite.compat.shared.gfile import local_text
from tensorlite.core.errors import NotFoundError


def _folder_of_caller(depth: int) -> Path:
    """Return the folder of the file that called, `depth` calls above here."""
    return Path(sys._getframe(depth).f_code.co_filename).resolve().parent  # noqa: SLF001


def get_data_files_path() -> str:
    """Return the folder of the file that calls."""
    return str(_folder_of_caller(2))


def get_path_to_datafile(path: str) -> str:
    """Return a path that is relative to the file that calls."""
    return str(_folder_of_caller(2) / path)


def get_root_dir_with_all_resources() -> str:
    """Return the folder of the file that calls."""
    return str(_folder_of_caller(2))


def load_resource(path: str) -> bytes:
    """Return the bytes of a file beside the one that calls; NotFoundError without it."""
    file = _folder_of_caller(2) / path
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{file}; No such file or directory") from None


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Return the path as it is; `readahead` has no effect."""
    return local_text(path)
