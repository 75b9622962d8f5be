"""Elements kept in a file: records of arrays, written aside and renamed when they are whole."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.records import TFRecordWriter, records

VERSION = 1


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
                    writer.write(_packed(element))
                    yield element
            aside.replace(self.path)
            done = True
        finally:
            if not done:
                aside.unlink(missing_ok=True)

    def _read(self, spec: Callable[[], Any]) -> Iterator[Any]:
        for record in records(str(self.path)):
            leaves, form = _unpacked(record)
            yield nest.pack_like(spec() if form is None else form, leaves)


def _form(element: Any) -> Any:
    """Return a structure as JSON has it; None for what JSON has not, such as named tuples."""
    if not nest.is_nested(element):
        return 0
    if type(element) not in (tuple, list, dict):
        return None
    members = [_form(member) for member in nest.children(element)]
    if any(member is None for member in members):
        return None
    if isinstance(element, dict):
        names = sorted(element)
        known = all(isinstance(name, str) for name in names)
        return {"dict": dict(zip(names, members, strict=True))} if known else None
    return {type(element).__name__: members}


def _structure(form: Any) -> Any:
    if not isinstance(form, dict):
        return 0
    ((kind, members),) = form.items()
    if kind == "dict":
        return {name: _structure(member) for name, member in members.items()}
    made = [_structure(member) for member in members]
    return tuple(made) if kind == "tuple" else made


def _packed(element: Any) -> bytes:
    leaves = [to_tensor(leaf) for leaf in nest.flatten(element)]
    head = {
        "version": VERSION,
        "form": _form(element),
        "dtypes": [leaf.dtype.name for leaf in leaves],
    }
    parts = [
        json.dumps(head).encode(),
        *[_array_bytes(leaf.numpy()) for leaf in leaves],
    ]
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def _array_bytes(array: np.ndarray[Any, Any]) -> bytes:
    if array.dtype == object:
        texts = [
            x.encode() if isinstance(x, str) else x for x in array.ravel().tolist()
        ]
        sizes = np.asarray([array.ndim, *array.shape, *map(len, texts)], np.int64)
        return sizes.tobytes() + b"".join(texts)
    file = io.BytesIO()
    plain = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
    np.save(file, plain, allow_pickle=False)
    return file.getvalue()


def _unpacked(record: bytes) -> tuple[list[Any], Any]:
    parts, at = [], 0
    while at < len(record):
        size = int.from_bytes(record[at : at + 8], "little")
        parts.append(record[at + 8 : at + 8 + size])
        at += 8 + size
    head = json.loads(parts[0])
    if head.get("version") != VERSION:
        raise InvalidArgumentError(
            f"cache: the file is of version {head.get('version')}; allowed is {VERSION}; remove it"
        )
    leaves = [
        to_tensor(_array(part, kind))
        for part, kind in zip(parts[1:], head["dtypes"], strict=True)
    ]
    return leaves, None if head["form"] is None else _structure(head["form"])


def _array(data: bytes, kind: str) -> np.ndarray[Any, Any]:
    if kind != "string":
        array: np.ndarray[Any, Any] = np.load(io.BytesIO(data), allow_pickle=False)
        return array.view("bfloat16") if kind == "bfloat16" else array
    rank = int.from_bytes(data[:8], "little")
    shape = tuple(np.frombuffer(data, np.int64, rank, 8).tolist())
    out = np.empty(shape, object)
    sizes = np.frombuffer(data, np.int64, out.size, 8 * (1 + rank)).tolist()
    at = 8 * (1 + rank + out.size)
    for place, size in enumerate(sizes):
        out.flat[place] = data[at : at + size]
        at += size
    return out
