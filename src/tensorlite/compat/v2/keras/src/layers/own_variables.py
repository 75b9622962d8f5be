"""What a layer writes of itself into a file, and reads from it; programs' layers may say it.

Which layers there are, and where they lie in files, is in src/saving/archives.py.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tensorlite.core.errors import InvalidArgumentError


class OwnVariables:
    """The part of a layer that knows what is stored of it."""

    def own_weights(self) -> list[Any]:
        """Return the layer's own variables; a layer says which these are."""
        raise NotImplementedError("a layer says which weights are its own")

    def in_order(self, weights: list[Any]) -> list[Any]:
        """Return weights as they stand in files; a layer says how."""
        raise NotImplementedError("a layer says which weights come first")

    def save_own_variables(self, store: Any) -> None:
        """Put the layer's own variables into a store, numbered."""
        put(store, self.in_order(self.own_weights()))

    def load_own_variables(self, store: Any) -> None:
        """Take the layer's own variables from a store."""
        owner = f"Layer '{getattr(self, 'name', '')}'"
        taken(store, self.in_order(self.own_weights()), owner)


def put(store: Any, variables: list[Any]) -> None:
    """Put variables into a store, numbered."""
    for i, variable in enumerate(variables):
        store[str(i)] = np.asarray(variable.numpy())


def taken(store: Any, variables: list[Any], owner: str) -> None:
    """Give variables what a store has for them."""
    if len(store) != len(variables):
        raise InvalidArgumentError(
            f"{owner} expected {len(variables)} variables, but received {len(store)} variables "
            f"during loading. Expected: {[x.name for x in variables]}"
        )
    for i, variable in enumerate(variables):
        held = store[str(i)]
        shape = tuple(held.shape)
        if shape != tuple(variable.shape):  # before it is read: it may be of any size
            raise InvalidArgumentError(
                f"{owner}: the shape of the target variable and the shape of the target value must "
                f"match. variable.shape={tuple(variable.shape)}, Received: value.shape="
                f"{shape}. Target variable: {variable.path}"
            )
        variable.assign(np.asarray(held).astype(variable.dtype.numpy))


class Store:
    """A group of an HDF5 file as what variables are put into and taken from.

    HDF5 has no bfloat16: a note beside such an array says what its bytes are.
    """

    def __init__(self, file: Any, path: str) -> None:
        self._file, self._path = file, path
        self._group: Any = file.get(path)

    def __setitem__(self, key: str, value: Any) -> None:
        if self._group is None:
            self._group = self._file.create_group(self._path)
        array = np.asarray(value)
        if array.dtype == ml_dtypes.bfloat16:
            made = self._group.create_dataset(key, data=array.view("V2"))
            made.attrs["dtype"] = "bfloat16"
        else:
            self._group.create_dataset(key, data=array)

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        held = self._group[key]
        if held.attrs.get("dtype") == "bfloat16":
            return np.asarray(held).view(ml_dtypes.bfloat16)
        return held

    def __len__(self) -> int:
        return 0 if self._group is None else len(self._group)

    def __contains__(self, key: str) -> bool:
        return self._group is not None and key in self._group

    def keys(self) -> list[str]:
        """Return the names of what is stored."""
        return [] if self._group is None else list(self._group.keys())

    def get(self, key: str, default: Any = None) -> Any:
        """Return what is stored under a name, or a default."""
        try:
            return self[key]
        except KeyError:
            return default
