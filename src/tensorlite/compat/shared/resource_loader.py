"""Files that lie beside a program's own, found from the file that asks."""

from __future__ import annotations

import sys
from pathlib import Path

from tensorlite.compat.shared.gfile import path_of
from tensorlite.core.errors import NotFoundError


def _folder_of_caller(depth: int) -> Path:
    """Return the folder of the file that called, `depth` calls above here."""
    return Path(sys._getframe(depth).f_code.co_filename).resolve().parent  # noqa: SLF001


def get_data_files_path() -> str:
    return str(_folder_of_caller(2))


def get_path_to_datafile(path: str) -> str:
    return str(_folder_of_caller(2) / path)


def get_root_dir_with_all_resources() -> str:
    return str(_folder_of_caller(2))


def load_resource(path: str) -> bytes:
    file = _folder_of_caller(2) / path
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{file}; No such file or directory") from None


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    return str(path_of(path))
