"""Values for the inputs that a model has declared: a last axis of one element comes or goes.

What turns arrays into tensors stands in src/layers/arguments.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import masks
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.ops.sparse.dense import to_dense
from tensorlite.ops.sparse.tensor import SparseTensor


def filled(values: Any) -> Any:
    """Return what layers are given, with noughts where sparse tensors have nothing."""
    if isinstance(values, SparseTensor):
        return to_dense(values)
    if isinstance(values, dict):
        return {key: filled(x) for key, x in values.items()}
    if type(values) in {list, tuple}:
        return type(values)(filled(x) for x in values)
    return values


def picked(form: Any, given: Any) -> list[Any]:
    """Return what is given for declared inputs, in their order: by keys of theirs, or by names."""
    if not isinstance(given, dict):
        return nests.flatten(given)
    if not isinstance(form, dict):
        return [_named(x.name, given) for x in nests.flatten(form)]
    found = []
    for key, x in sorted(form.items()):
        is_known = key in given or isinstance(x, (dict, list, tuple))
        found += picked(x, _named(key if is_known else x.name, given))
    return found


def _named(key: Any, given: dict[Any, Any]) -> Any:
    if key not in given:
        raise InvalidArgumentError(
            f"the model has an input {key!r}, and nothing was given for it, only for "
            f"{sorted(map(str, given))}"
        )
    return given[key]


def fitted(value: Any, declared: Any) -> Any:
    """Return a value of the dtype and rank of an input.

    Its last axis is added or left out if it is one. What a graph of TensorFlow 1 has keeps its
    dtype, which layers see.
    """
    if not isinstance(value, Operand):
        return value
    if in_graphs.building.get() is None:
        value = _of_dtype(value, declared.dtype)
    sizes: Any = value.__tensor__().shape
    wanted = declared.shape
    if sizes.rank is None or wanted.rank is None:
        return value
    if sizes.rank == wanted.rank - 1 and wanted[-1] == 1:
        return tl.expand_dims(value, -1)
    if sizes.rank == wanted.rank + 1 and sizes[-1] == 1:
        return tl.squeeze(value, -1)
    return value


def _of_dtype(value: Any, dtype: Any) -> Any:
    """Return numbers and truth values as an input has them; texts stay."""
    given = value.__tensor__()
    if given.dtype is dtype or not (_is_number(given.dtype) and _is_number(dtype)):
        return value
    made = tl.astype(given, dtype)
    masks.remember(made, masks.of(value))
    return made


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_numeric or dtype.is_bool)
