"""Values for the inputs that a model has declared: a last axis of one element comes or goes.

What turns arrays into tensors stands in src/layers/arguments.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import masks, naming
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


def picked(form: Any, given: Any, warns: bool = False) -> list[Any]:
    """Return what is given for declared inputs, in their order: by keys of theirs, or by names.

    Keras 3 warns of what has another structure.
    """
    found = _picked(form, given)
    if warns and naming.is_keras_3():
        _warn_of_form(form, given)
    return found


def _picked(form: Any, given: Any) -> list[Any]:
    if not isinstance(given, dict):
        return nests.flatten(given)
    if not isinstance(form, dict):
        return [_named(x.name, given) for x in nests.flatten(form)]
    found = []
    for key, x in sorted(form.items()):
        is_known = key in given or isinstance(x, (dict, list, tuple))
        found += _picked(x, _named(key if is_known else x.name, given))
    return found


def warn_of_keys(inputs: Any) -> None:
    """Warn as Keras 3 does of a model's inputs whose keys are not their names."""
    if not isinstance(inputs, dict) or not naming.is_keras_3():
        return
    for key, x in inputs.items():
        if key != getattr(x, "name", key):
            warnings.warn(
                "When providing `inputs` as a dict, all keys in the dict must match the names of "
                f"the corresponding tensors. Received key '{key}' mapping to value {x} which has "
                f"name '{x.name}'. Change the tensor name to '{key}' (via `Input(..., "
                f"name='{key}')`)",
                stacklevel=2,
            )


def _named(key: Any, given: dict[Any, Any]) -> Any:
    if key not in given:
        raise InvalidArgumentError(
            f"the model has an input {key!r}, and nothing was given for it, only for "
            f"{sorted(map(str, given))}"
        )
    return given[key]


def _warn_of_form(form: Any, given: Any) -> None:
    """Warn as Keras 3 does of inputs in another structure than a model has declared them in."""
    alone = isinstance(form, list) and len(form) == 1 and isinstance(given, Operand)
    if alone:
        return
    if isinstance(given, dict) and not isinstance(form, dict):
        given = [given[x.name] for x in nests.flatten(form) if x.name in given]
    if _form_of(given) == _form_of(form):
        return
    warnings.warn(
        "The structure of `inputs` doesn't match the expected structure.\nExpected: "
        f"{_shown(form, lambda x: x.name)}\nReceived: inputs={_shown(given, _told_shape)}",
        stacklevel=2,
    )


def _shown(value: Any, told: Callable[[Any], str]) -> Any:
    """Return a structure of plain dicts, lists and tuples, with what is told of its leaves."""
    if isinstance(value, dict):
        return {key: _shown(x, told) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        made = [_shown(x, told) for x in value]
        return tuple(made) if isinstance(value, tuple) else made
    return "None" if value is None else told(value)


def _told_shape(x: Any) -> str:
    shape = x.__tensor__().shape if isinstance(x, Operand) else np.shape(x)
    return f"Tensor(shape={tuple(shape)})"


def _form_of(value: Any) -> Any:
    """Return a structure alone; lists and tuples are alike."""
    if isinstance(value, dict):
        return {key: _form_of(x) for key, x in value.items()}
    return [*map(_form_of, value)] if isinstance(value, (list, tuple)) else None


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
