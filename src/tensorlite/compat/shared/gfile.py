"""Files as TensorFlow's programs reach them: `gfile`'s names over the local file system.

Paths may be strings, bytes or path objects; an error of the system is one of TensorFlow's kind.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tensorlite.core.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
)
from tensorlite.ops.records.files import matching

MODES = ("r", "w", "a", "r+", "w+", "a+", "rb", "wb", "ab", "r+b", "w+b", "a+b")


class FileStatistics(NamedTuple):
    """What is known of a file."""

    length: int
    mtime_nsec: int
    is_directory: bool


def path_of(path: Any) -> Path:
    """Return a path that may be text, bytes or a path object, or a file:// address of this host.

    An empty one is no file's, and not the folder at hand, as it would be Python's.
    """
    text = local_text(path)
    if not text:
        raise NotFoundError("; No such file or directory")
    return Path(text)


def local_text(path: Any) -> str:
    """Return a path, which may be a file:// address of this host, as the text that it is."""
    return os.fsdecode(path).removeprefix("file://")


@contextmanager
def _as_ours(path: Any) -> Iterator[None]:
    """Raise the system's errors as those that programs of TensorFlow expect."""
    where = os.fsdecode(path)
    try:
        yield
    except FileNotFoundError:
        raise NotFoundError(f"{where}; No such file or directory") from None
    except FileExistsError:
        raise AlreadyExistsError(f"{where}; file already exists") from None
    except (IsADirectoryError, NotADirectoryError) as error:
        raise FailedPreconditionError(f"{where}; {error.strerror}") from None
    except PermissionError as error:
        raise PermissionDeniedError(f"{where}; {error.strerror}") from None
    except OSError as error:
        raise FailedPreconditionError(f"{where}; {error.strerror}") from None


class GFile:
    """A file that is opened when it is first read or written, as text or as bytes."""

    def __init__(self, name: Any, mode: str = "r", encoding: str = "utf-8") -> None:
        if mode not in MODES:
            raise InvalidArgumentError(
                f"GFile: mode={mode!r}; allowed are {list(MODES)}"
            )
        self._name = name
        self._mode = self._begun = mode
        self._encoding = encoding
        self._file: Any = None

    @property
    def name(self) -> Any:
        """The name as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """How it was opened."""
        return self._mode

    @property
    def _opened(self) -> Any:
        if self._file is None:
            text = "b" not in self._mode
            with _as_ours(self._name):
                self._file = path_of(self._name).open(
                    self._begun,
                    encoding=self._encoding if text else None,
                    newline="" if text else None,
                )
        return self._file

    def _for(self, letters: str, what: str) -> Any:
        if not any(letter in self._mode for letter in letters):
            raise PermissionDeniedError(
                f"{os.fsdecode(self._name)}: File isn't open for {what} (mode {self._mode!r})"
            )
        return self._opened

    def size(self) -> int:
        """Return how many bytes it has."""
        if self._file is not None and not self._file.closed:
            self.flush()
        return stat_v2(self._name).length

    def read(self, n: int = -1) -> Any:
        """Return the next `n` characters or bytes, or the rest."""
        return self._for("r+", "reading").read(n)

    def readline(self) -> Any:
        """Return the next line with its end."""
        return self._for("r+", "reading").readline()

    def readlines(self) -> list[Any]:
        """Return the lines that are left."""
        found: list[Any] = self._for("r+", "reading").readlines()
        return found

    def write(self, file_content: Any) -> None:
        """Write text or bytes, however the file was opened."""
        if self._file is None and "+" in self._mode:
            self._begun = self._mode.replace(
                "r", "w"
            )  # what writes first begins anew
        file = self._for("wa+", "writing")
        if "b" in self._mode:
            if isinstance(file_content, str):
                file_content = file_content.encode(self._encoding)
        elif isinstance(file_content, bytes):
            file.flush()
            file = file.buffer
        file.write(file_content)

    def seek(
        self, offset: int | None = None, whence: int = 0, position: int | None = None
    ) -> None:
        """Go to a place; `position` is an older name of `offset`."""
        place = position if offset is None else offset
        if place is None:
            raise InvalidArgumentError("seek: give offset")
        self._opened.seek(place, whence)

    def tell(self) -> int:
        """Return the place at hand."""
        return int(self._opened.tell())

    def seekable(self) -> bool:
        """Return that it is."""
        return True

    def flush(self) -> None:
        """Let what was written be in the file."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Close it; a file that was to be written is there, though nothing was."""
        if self._file is None and "r" not in self._mode:
            _ = self._opened
        if self._file is not None:
            self._file.close()
            self._file = None
        self._mode = self._begun = self._mode.replace("w", "a")

    def __del__(self) -> None:
        # Programs read in one line, and leave the file to itself.
        file = self.__dict__.get("_file")
        if file is not None:
            file.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._for("r+", "reading"))

    def __next__(self) -> Any:
        return next(self._for("r+", "reading"))

    def __enter__(self) -> Self:
        """Return this file."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def exists_v2(path: Any) -> bool:
    """Return whether there is a file or folder."""
    return bool(local_text(path)) and path_of(path).exists()


def isdir_v2(path: Any) -> bool:
    """Return whether there is a folder."""
    return bool(local_text(path)) and path_of(path).is_dir()


def listdir_v2(path: Any) -> list[str]:
    """Return the names of what a folder holds, sorted; NotFoundError if there is none."""
    if not isdir_v2(path):
        raise NotFoundError(f"Could not find directory {os.fsdecode(path)}")
    with _as_ours(path):
        return sorted(os.listdir(path_of(path)))  # noqa: PTH208  names, not paths


def makedirs_v2(path: Any) -> None:
    """Make a folder and those above it that are not there; nothing for an empty path."""
    if not local_text(path):
        return
    with _as_ours(path):
        path_of(path).mkdir(parents=True, exist_ok=True)


def mkdir_v2(path: Any) -> None:
    """Make a folder; NotFoundError without the one above, AlreadyExistsError if it is there.

    Nothing is made for an empty path.
    """
    if not local_text(path):
        return
    with _as_ours(path):
        path_of(path).mkdir()


def remove_v2(path: Any) -> None:
    """Remove a file; NotFoundError if there is none."""
    with _as_ours(path):
        path_of(path).unlink()


def rmtree_v2(path: Any) -> None:
    """Remove a folder with all that it holds."""
    with _as_ours(path):
        shutil.rmtree(path_of(path))


def copy_v2(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file; AlreadyExistsError if `dst` is there and `overwrite` is False."""
    if not overwrite and exists_v2(dst):
        raise AlreadyExistsError(
            f"{os.fsdecode(dst)}; file already exists; overwrite=True copies"
        )
    with _as_ours(src):
        shutil.copyfile(path_of(src), path_of(dst))


def rename_v2(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file; AlreadyExistsError if `dst` is there and `overwrite` is False."""
    if not overwrite and exists_v2(dst):
        raise AlreadyExistsError(
            f"{os.fsdecode(dst)}; file already exists; overwrite=True renames"
        )
    with _as_ours(src):
        path_of(src).replace(path_of(dst))


def stat_v2(path: Any) -> FileStatistics:
    """Return length, time of change in nanoseconds, and whether it is a folder."""
    with _as_ours(path):
        found = path_of(path).stat()
    return FileStatistics(found.st_size, found.st_mtime_ns, path_of(path).is_dir())


def glob_v2(pattern: Any) -> list[str]:
    """Return the paths that match a pattern, or one of several, sorted."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return matching(map(os.fsdecode, patterns))


def walk_v2(
    top: Any, topdown: bool = True, onerror: Any = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield folder, names of its folders, and names of its files, of all below a folder.

    topdown=False gives the inner ones first.
    """
    for folder, folders, files in os.walk(os.fsdecode(top), topdown, onerror):
        folders.sort()
        yield folder, folders, sorted(files)


def join(path: Any, *paths: Any) -> Any:
    """Return parts of a path joined by '/'."""
    return os.path.join(path, *paths)  # noqa: PTH118  strings, as they come
