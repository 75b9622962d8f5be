"""Checkpoints of TensorFlow's, read and written by names: of either format, one file or many.

The formats are in bundles.py and first_format.py; which checkpoint is the latest says states.py,
which object's variable a name is says objects.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.check import a_path, one_of
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array, to_host
from tensorlite.interop.tensorflow.stored.bundle_writing import Saved, write_bundle
from tensorlite.interop.tensorflow.stored.bundles import (
    Bundle,
    index_path,
    known_dtype,
)
from tensorlite.interop.tensorflow.stored.first_format import Tables, write_tables
from tensorlite.interop.tensorflow.stored.slices import Slice, asked
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint

FIRST, SECOND = 1, 2
"""The formats."""


_PATTERN = re.compile(r"(.*)-\?{5}-of-(\?{5}|\d{5})")
"""What stands for the names of all files of a checkpoint, or of so many."""


class CheckpointReader(Mapping[str, Array]):
    """The tensors of a checkpoint by name, each read when it is asked for.

    `load_checkpoint` makes it. Beside what mappings have, it has the methods of TensorFlow's.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_checkpoint(prefix, {"w": np.ones(2, np.float32)})
    >>> reader = tl.interop.tensorflow.CheckpointReader(prefix)
    >>> reader.get_variable_to_dtype_map(), reader.get_tensor("w")
    ({'w': tl.float32}, array([1., 1.], dtype=float32))
    """

    def __init__(self, prefix: str | Path) -> None:
        self.prefix = str(prefix)
        self._held = _opened(self.prefix)

    def __getitem__(self, name: str) -> Array:
        """Return a tensor; NotFoundError when there is none, DataLossError when it is damaged."""
        if name not in self._held.entries:
            some = ", ".join(list(self._held.entries)[:8]) or "nothing"
            raise NotFoundError(
                f"Key {name} not found in checkpoint {self.prefix}; it has {len(self)} tensors: "
                + some
            )
        return self._held.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held.entries)

    def __len__(self) -> int:
        return len(self._held.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._held.entries

    def has_tensor(self, name: str) -> bool:
        """Return whether there is a tensor of a name."""
        return name in self

    def get_tensor(self, name: str) -> Array:
        """Return a tensor, as `reader[name]` does; NumPy's scalar or bytes where it has no axes."""
        return self[name][()]

    def get_slice(self, name: str, part: Slice) -> Array:
        """Return a slice of a tensor: of each axis a start and a length, or None for all of it."""
        if name not in self._held.entries:
            return self[name]
        return self._held.read_slice(name, part)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shape of each tensor."""
        return {name: list(x.shape) for name, x in self._held.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtype of each tensor; DataLossError for one that there is none for here."""
        return {
            name: known_dtype(name, x.dtype) for name, x in self._held.entries.items()
        }

    def debug_string(self) -> bytes:
        """Return a line for each tensor and each slice: name, dtype, shape.

        Slices of the second format have lines of their own, by the keys of their entries.
        """
        return b"".join(self._held.lines())

    def __repr__(self) -> str:
        return f"<CheckpointReader {self.prefix}: {len(self)} tensors>"


def _opened(prefix: str) -> Bundle | Tables:
    if index_path(prefix).is_file():
        return Bundle(prefix)
    path = Path(prefix)
    if path.is_file():
        return Tables([path])
    parts = _shards(path)
    if not parts:
        raise NotFoundError(
            "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
            f"{prefix}: neither {prefix}.index nor {prefix} is a file. Give what stands before "
            ".index"
        )
    return Tables(parts)


def _shards(path: Path) -> list[Path]:
    """Return the files of a checkpoint of the first format that has several.

    It is given by what their names begin with, or by a pattern of the names.
    """
    if not path.parent.is_dir():
        return []
    told = _PATTERN.fullmatch(path.name)
    start, count = (path.name, "") if told is None else told.groups()
    return sorted(
        x
        for x in path.parent.iterdir()
        if _is_shard(x.name.removeprefix(start), x.name)
        and x.name.endswith(count.replace("?", ""))
    )


def _is_shard(rest: str, name: str) -> bool:
    number, _, count = rest[1:].partition("-of-")
    return (
        rest != name and rest[:1] == "-" and number.isdecimal() and count.isdecimal()
    )


def load_checkpoint(ckpt_dir_or_file: str | Path) -> CheckpointReader:
    """Return the tensors of a checkpoint by name, of a folder the latest one's.

    NotFoundError when there is none, DataLossError when it is damaged. Source:
    `tf.train.load_checkpoint`.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_checkpoint(prefix, {"w": np.ones((2, 3), np.float32)})
    >>> reader = tl.interop.tensorflow.load_checkpoint(prefix)
    >>> reader.get_variable_to_shape_map(), reader["w"].sum()
    ({'w': [2, 3]}, np.float32(6.0))
    """
    if Path(ckpt_dir_or_file).is_dir():
        latest = latest_checkpoint(ckpt_dir_or_file)
        if latest is None:
            raise NotFoundError(f"the folder {ckpt_dir_or_file} has no checkpoint")
        return CheckpointReader(latest)
    return CheckpointReader(ckpt_dir_or_file)


def list_variables(ckpt_dir_or_file: str | Path) -> list[tuple[str, list[int]]]:
    """Return names and shapes of a checkpoint's tensors, by name.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_checkpoint(prefix, {"w": np.ones((2, 3), np.float32)})
    >>> tl.interop.tensorflow.list_variables(prefix)
    [('w', [2, 3])]
    """
    return sorted(
        load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items()
    )


def load_variable(ckpt_dir_or_file: str | Path, name: str) -> Array:
    """Return one tensor of a checkpoint; a name may end in `:0`, as that of a tensor does.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_checkpoint(prefix, {"w": np.ones(2)})
    >>> tl.interop.tensorflow.load_variable(prefix, "w:0")
    array([1., 1.])
    """
    return load_checkpoint(ckpt_dir_or_file)[name.removesuffix(":0")]


def save_checkpoint(
    prefix: str | Path,
    tensors: Mapping[str, Any],
    slices: Mapping[str, str] | None = None,
    version: int = SECOND,
) -> None:
    """Write tensors under names to a checkpoint that TensorFlow reads.

    `slices` says of which tensors only a part is saved, as `tf.raw_ops.SaveV2` has it:
    `"4 3 0,2:-"` is the first two rows of four. Version 1 is the format of TensorFlow before 1.0,
    one file.

    >>> import tempfile, os
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> tl.interop.tensorflow.save_checkpoint(prefix, {"w": tl.zeros(2), "step": 7})
    >>> dict(tl.interop.tensorflow.load_checkpoint(prefix))
    {'step': array(7, dtype=int32), 'w': array([0., 0.], dtype=float32)}
    """
    one_of(tensors, Mapping, "save_checkpoint: tensors", "tensors by their names")
    parts = one_of(slices or {}, Mapping, "save_checkpoint: slices", "texts by names")
    write_saved(
        a_path(prefix, "save_checkpoint: prefix"),
        [
            Saved(name, array_of(x), asked(parts.get(name, "")))
            for name, x in tensors.items()
        ],
        version,
    )


def write_saved(
    prefix: str | Path, tensors: list[Saved], version: int = SECOND
) -> None:
    """Write tensors and slices of tensors to a checkpoint."""
    if version not in {FIRST, SECOND}:
        raise InvalidArgumentError(f"there is no format {version}; there are 1 and 2")
    (write_bundle if version == SECOND else write_tables)(prefix, tensors)


def array_of(value: Any) -> Array:
    """Return a value as an array: texts as objects, variables by what they hold."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return array.astype(object) if array.dtype.kind in "US" else array
    held = to_tensor(value)
    if not isinstance(held, EagerTensor):
        raise InvalidArgumentError(
            f"{held!r} has no value yet; while tracing, save with the operators of a graph"
        )
    return to_host(held.array)


def exists(checkpoint_prefix: str | Path) -> bool:
    """Return whether there is a checkpoint."""
    path = Path(checkpoint_prefix)
    return (
        index_path(checkpoint_prefix).is_file()
        or path.is_file()
        or bool(_shards(path))
    )


def remove(prefix: str | Path) -> None:
    """Delete the files of a checkpoint, and the graph that was saved beside it."""
    path = Path(prefix)
    found = [index_path(prefix), Path(f"{prefix}.meta"), *_shards(path)]
    if index_path(prefix).is_file():
        found += path.parent.glob(f"{path.name}.data-?????-of-?????")
    elif path.is_file():
        found.append(path)
    for one in found:
        one.unlink(missing_ok=True)
