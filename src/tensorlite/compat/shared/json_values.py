"""tensorflow.python.util.serialization: what stands in JSON for values that JSON has not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tensorlite.compat.shapes import TensorShape
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import DTypeError
from tensorlite.core.sizes import Dimension

__all__ = ["get_json_type"]


def get_json_type(obj: Any) -> Any:
    """Return what `json.dumps` writes for an object: its `default`.

    Layers and optimizers are told by class and arguments, functions and classes by their names.
    DTypeError, a TypeError, is raised for what has no such form.

    >>> import json
    >>> json.dumps({"shape": TensorShape([2, None]), "of": np.float32(1)}, default=get_json_type)
    '{"shape": [2, null], "of": 1.0}'
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    if isinstance(obj, DType):
        return obj.name
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, Mapping):
        return dict(obj)
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__"}
    raise DTypeError(
        f"{obj!r} of {type(obj).__name__} has no form in JSON: give its class a get_config() "
        f"that returns a dict of plain values"
    )
