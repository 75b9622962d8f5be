"""Elements kept in one file, written aside and renamed when it is whole.

How elements are bytes is in packing.py; folders of files that keep datasets are in stored.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tensorlite.core import nest
from tensorlite.data.packing import packed, unpacked
from tensorlite.ops.records.records import TFRecordWriter, records


class FileCache:
    """A file of elements, which is there when one run has come to its end."""

    def __init__(self, path: str) -> None:
        self.path = Path(f"{path}.tensorlite-cache")

    def run(
        self, source: Callable[[], Iterator[Any]], spec: Callable[[], Any]
    ) -> Iterator[Any]:
        """Yield the elements of the file; of the source, and write them, if there is none yet."""
        if self.path.exists():
            yield from self._read(spec)
            return
        aside = self.path.with_name(f"{self.path.name}.{os.getpid()}.writing")
        done = False
        try:
            with TFRecordWriter(str(aside)) as writer:
                for element in source():
                    writer.write(packed(element))
                    yield element
            aside.replace(self.path)
            done = True
        finally:
            if not done:
                aside.unlink(missing_ok=True)

    def _read(self, spec: Callable[[], Any]) -> Iterator[Any]:
        for record in records(str(self.path)):
            leaves, form = unpacked(record, str(self.path))
            yield nest.pack_like(spec() if form is None else form, leaves)
