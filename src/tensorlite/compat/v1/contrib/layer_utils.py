"""tf.contrib.layers.utils: layers' outputs under names of their own, and choices and sizes.

A tensor's names (aliases) are kept by its graph; the layers that give them are in the files beside
this one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import control_flow
from tensorlite.compat.v1.contrib.util import constant_value as static_value
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph.graph import SymbolicTensor


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Return outputs, added to collections under the name of their layer."""
    if collections:
        append_tensor_alias(outputs, alias)
        scopes.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Return the tensor, for which alias is a further name."""
    known = _aliases().setdefault(_key(tensor), [])
    known.append(alias.removesuffix("/"))
    tensor.aliases = known
    return tensor


def get_tensor_aliases(tensor: Any) -> list[str]:
    """Return a tensor's aliases; without any, the name of its operation or its own."""
    own = tensor.op.name if tensor.name.endswith(":0") else tensor.name
    return _aliases().get(_key(tensor), [own])


def gather_tensors_aliases(tensors: Iterable[Any]) -> list[str]:
    """Return all further names of the tensors, in one list."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(
    collection: Any, clear_collection: bool = False
) -> OrderedDict[str, Any]:
    """Return the collection's tensors by their further names; it is emptied if asked."""
    found = OrderedDict(
        (alias, tensor)
        for tensor in scopes.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        graph: Any = framework.get_default_graph()
        graph.clear_collection(collection)
    return found


def _aliases() -> dict[Any, list[str]]:
    found: dict[Any, list[str]] = framework.get_default_graph().scopes.setdefault(
        "aliases", {}
    )
    return found


def _key(tensor: Any) -> Any:
    """Return what tells tensors apart, whichever view shows them."""
    bare = plain(tensor)
    return (bare.node, bare.index) if isinstance(bare, SymbolicTensor) else id(bare)


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """Return the value of what is constant, None of what only a run tells."""
    if value_or_tensor_or_var is None:
        raise InvalidArgumentError("value_or_tensor_or_var cannot be None")
    if not isinstance(value_or_tensor_or_var, Operand):
        return value_or_tensor_or_var
    tensor: Any = value_or_tensor_or_var
    if dtype and as_dtype(tensor.dtype) is not as_dtype(dtype):
        raise InvalidArgumentError(
            f"It has the wrong type {tensor.dtype} instead of {dtype}"
        )
    return static_value(tensor) if isinstance(plain(tensor), SymbolicTensor) else None


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """Return fn1() if pred, a Python value, is true, else fn2().

    Arguments that cannot be called raise DTypeError.
    """
    for which, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise DTypeError(f"{which} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(
    pred: Any,
    fn1: Callable[[], Any],
    fn2: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """Return fn1() or fn2(), chosen at once if pred is known, else by tf.cond."""
    known = constant_value(pred)
    if known is not None:
        return static_cond(known, fn1, fn2)
    return control_flow.cond(pred, fn1, fn2, name)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """Return the collections for the variable name: an entry of a dict, or all that is given."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def channel_dimension(shape: Any, data_format: str, min_rank: int = 1) -> int:
    """Return the number of channels of a shape, by "channels_first" or another data format.

    InvalidArgumentError is raised where it is unknown, or where there are fewer than min_rank axes.
    """
    return _known_size(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """Return the last size of a shape.

    InvalidArgumentError is raised where it is unknown, or where there are fewer than min_rank axes.
    """
    return _known_size(shape, -1, min_rank)


def _known_size(shape: Any, axis: int, min_rank: int) -> int:
    sizes = TensorShape(shape).dims
    if sizes is None:
        raise InvalidArgumentError("dims of shape must be known but is None")
    if len(sizes) < min_rank:
        raise InvalidArgumentError(
            f"rank of shape must be at least {min_rank} not: {len(sizes)}"
        )
    size: int | None = TensorShape(shape).as_list()[axis]
    if size is None:
        raise InvalidArgumentError(
            f"dimension {axis} of shape must be known but is None: {shape}"
        )
    return size


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """Return two integers, from one or from two; else InvalidArgumentError is raised."""
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    given: Any = int_or_tuple
    if isinstance(given, (list, tuple)) and len(given) == 2:
        return int(given[0]), int(given[1])
    raise InvalidArgumentError(
        f"Must be an int, or 2 of them in a list or a TensorShape: {int_or_tuple}"
    )


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """Return `n` integers above 0, which are all `value` unless it holds so many."""
    if int(n) != n or n < 1:
        raise InvalidArgumentError("n must be a positive integer")
    given: Any = (
        TensorShape(value).as_list() if isinstance(value, TensorShape) else value
    )
    several = [given] * n if isinstance(given, int) else [int(x) for x in given]
    if len(several) != n or min(several) < 1:
        raise InvalidArgumentError(
            f"value must be {n} positive integers or one, but was {value}"
        )
    return tuple(several)
