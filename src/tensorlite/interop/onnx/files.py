"""Files of models: where one can be written, and how, so that none is ever half a model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tensorlite.core.errors import InvalidArgumentError, NotFoundError


def writable(path: str | Path) -> Path:
    """Return a path at which a file can be written; an error that says why none can."""
    target = Path(path)
    folder = target.parent
    if not folder.is_dir():
        raise NotFoundError(f"{folder} is no folder; make it before exporting to it")
    if target.is_dir() or not os.access(folder, os.W_OK):
        what = (
            "is a folder" if target.is_dir() else "lies in a folder that is read-only"
        )
        raise InvalidArgumentError(f"{target} cannot be written: it {what}")
    return target


def write(model: Any, target: Path) -> None:
    """Write a model aside and put it in place, so that no file is ever half a model."""
    aside = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(model.SerializeToString())
        aside.replace(target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise InvalidArgumentError(f"{target} cannot be written: {error}") from error
