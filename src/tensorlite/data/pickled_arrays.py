"""Arrays and lists out of pickles that public data sets come in; nothing else is made of them.

A pickle may name any function of Python's to be called. Here it may name those that arrays are made
by; what names another is refused.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.errors import DataLossError

_MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
_ALLOWED = {
    *((module, name) for module in _MODULES for name in ("_reconstruct", "scalar")),
    *(("numpy", name) for name in ("ndarray", "dtype")),
    ("_codecs", "encode"),
}


class _Arrays(pickle.Unpickler):
    """Reads what arrays are made of."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what a pickle names, if arrays are made by it."""
        if (module, name) not in _ALLOWED:
            raise DataLossError(
                f"the pickle names {module}.{name}, which no array is made by; it is not read"
            )
        return super().find_class(module, name)


def unpickled(data: bytes) -> Any:
    """Return the arrays, lists and dicts in a pickle, whose texts of Python 2 stay bytes.

    DataLossError for a pickle that is damaged, or that names what makes no arrays.

    >>> import pickle
    >>> from tensorlite.data.pickled_arrays import unpickled
    >>> unpickled(pickle.dumps({"labels": [1, 2]}))
    {'labels': [1, 2]}
    """
    try:
        return _Arrays(io.BytesIO(data), encoding="bytes").load()
    except (
        *(pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError),
        *(TypeError, AttributeError, UnicodeDecodeError),
    ) as error:
        if isinstance(error, DataLossError):
            raise
        raise DataLossError(f"this is no pickle of arrays: {error}") from None


def read_npz(path: Path) -> dict[str, Any]:
    """Return the arrays of an .npz file by their names, those of objects among them."""
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                found[name.removesuffix(".npy")] = _array(archive.read(name))
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise DataLossError(f"{path}: {error}") from None
    return found


def _array(data: bytes) -> Any:
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    reads = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = reads(file)
    if not dtype.hasobject:
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)
    return np.asarray(unpickled(file.read()), object).reshape(shape)
