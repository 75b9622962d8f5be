"""CSVLogger: what epochs come to as rows of a file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from tensorlite.compat.v2.keras.src.callbacks.base import Callback
from tensorlite.compat.v2.keras.src.callbacks.progress_lines import plain_number
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.check import a_path


class CSVLogger(Callback):
    """Writes what epochs come to as rows of a file, parted by a separator.

    Each training begins the file anew unless append says that rows are added.
    """

    def __init__(
        self, filename: Any, separator: str = ",", append: bool = False
    ) -> None:
        self.filename = a_path(filename, "filename")
        self.sep, self.append = separator, append
        self.keys: list[str] | None = None
        self.append_header = True

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin the file, or see whether one that is there has its first row."""
        path = Path(self.filename)
        self.keys = None
        if not self.append:
            path.write_text("", encoding="utf-8")
        self.append_header = not (path.exists() and path.stat().st_size)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write a row: the epoch, and what it came to in the order of names."""
        held = dict(logs or {})
        is_first = self.keys is None
        self.keys = _names(held) if self.keys is None else self.keys
        values = [_written(held.get(key, "NA")) for key in self.keys]
        with Path(self.filename).open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=self.sep)
            if is_first and self.append_header:
                writer.writerow(["epoch", *self.keys])
            writer.writerow([epoch, *values])


def _names(logs: dict[str, Any]) -> list[str]:
    """Return the columns; in Keras 3 those of validation too, which may come later."""
    found = sorted(logs)
    if naming.is_keras_3() and not any(x.startswith("val_") for x in found):
        found += [f"val_{x}" for x in found]
    return found


def _written(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = plain_number(value)
    if isinstance(number, float):
        return number
    return f'"[{", ".join(map(str, number))}]"'
