"""tensorflow.python.framework: what ops and tensor_util have that is public nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from itertools import count
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.specs.composite_values import CompositeTensor
from tensorlite.compat.shared.tensor_messages import make_ndarray
from tensorlite.compat.shared.values import (
    IndexedSlicesValue as IndexedSlicesValue,
    is_tensor,
    register_dense_tensor_like_type as register_dense_tensor_like_type,
)
from tensorlite.compat.v1.graphs.collection_messages import (
    get_collection_proto_type as get_collection_proto_type,
    get_from_proto_function as get_from_proto_function,
    get_to_proto_function as get_to_proto_function,
    register_proto_function as register_proto_function,
)
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.graphs.inner_conversions import (
    internal_convert_n_to_tensor as internal_convert_n_to_tensor,
    internal_convert_n_to_tensor_or_indexed_slices as _rows_converted,
    internal_convert_to_tensor as internal_convert_to_tensor,
    internal_convert_to_tensor_or_indexed_slices as _or_rows,
)
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.scope import scope
from tensorlite.core.tensor import EagerTensor as EagerTensor
from tensorlite.graph_mode.graph import get_default_graph

__all__ = ["MakeNdarray", "NullContextmanager", "is_dense_tensor_like", "is_tf_type"]

MakeNdarray = make_ndarray
NullContextmanager = nullcontext
is_dense_tensor_like = is_tf_type = is_tensor
internal_convert_n_to_tensor_or_indexed_slices = _rows_converted
internal_convert_to_tensor_or_indexed_slices = _or_rows
_numbers = count(1)


def convert_n_to_tensor(
    values: Iterable[Any],
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
) -> list[Any]:
    """Return values as tensors, whose names end in their numbers."""
    return [
        convert_to_tensor(x, dtype, name and f"{name}_{i}", preferred_dtype)
        for i, x in enumerate(values)
    ]


def _get_graph_from_inputs(op_input_list: Any, graph: Any = None) -> Any:
    """Return the graph that all inputs are of, the default one if they are of none."""
    if not isinstance(op_input_list, (list, tuple)):
        raise DTypeError(
            f"op_input_list={op_input_list!r} is a {type(op_input_list).__name__}; give a list or "
            "tuple of tensors and operations"
        )
    found = graph
    for x in plain(list(op_input_list)):
        of = getattr(x, "graph", None)
        if found is not None and of is not None and of is not found:
            raise InvalidArgumentError(
                f"{x} is not of the graph of {'the others' if graph is None else 'graph='}; give "
                "inputs of one graph"
            )
        found = of if found is None else found
    return get_default_graph() if found is None else found


def convert_to_tensor_or_composite(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """Return a value as a tensor, or as it is if it is made of several."""
    if isinstance(value, (CompositeTensor, nest.Composite)):
        return value
    return convert_to_tensor(value, dtype, name)


def constant_value_as_shape(tensor: Any) -> Any:
    """Return the shape that a vector of sizes is, as far as it is known."""
    known = plain(tensor).spec.vector()
    sizes = None if known is None else [None if n in {None, -1} else n for n in known]
    return TensorShape(sizes)


def name_from_scope_name(name: str) -> str:
    """Return the name of a node of a scope, which ends in no "/"."""
    return name.removesuffix("/")


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """Return a name without the scope that it begins with; "^" and "loc:@" stay in front."""
    if not export_scope:
        return name
    before, rest = _marked(name)
    return before + rest.removeprefix(f"{export_scope.rstrip('/')}/")


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """Return a name within a scope; "^" and "loc:@" stay in front."""
    if not import_scope:
        return name
    before, rest = _marked(name)
    return f"{before}{import_scope.rstrip('/')}/{rest}"


def _marked(name: str) -> tuple[str, str]:
    mark = next((x for x in ("^", "loc:@") if name.startswith(x)), "")
    return mark, name.removeprefix(mark)


def get_name_scope() -> str:
    """Return the scope that names are in here, "" for none."""
    return scope.get().name


def get_all_collection_keys() -> list[str]:
    """Return the names of the default graph's collections."""
    return list(get_default_graph().collections)


def uid() -> int:
    """Return a number that was never returned before."""
    return next(_numbers)
