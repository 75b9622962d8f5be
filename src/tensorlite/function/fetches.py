"""What a session is asked for: which things may be fetched, and their values made the caller's.

Running is session.py's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.constant import encoded
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array, is_array, shown, to_host
from tensorlite.function.extract import Fetch
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.state.variable import Variable

Key: TypeAlias = tuple[tuple[Any, ...], tuple[Any, ...]]
ndarray = np.ndarray


def _is_known(leaf: Any, path: str) -> bool:
    """Return whether a member of a structure has a value without a run, as it never varies."""
    if isinstance(leaf, EagerTensor):
        return "." in path
    return ".dense_shape" in path and (leaf is None or isinstance(leaf, int))


class Wanted:
    """Fetches, and where in a run's outputs, behind what is known already, their values stand."""

    def __init__(
        self, graph: ManualGraph, leaves: list[Any], paths: list[str]
    ) -> None:
        self.graph = graph
        self._made_own = own_bytes if graph.texts_as_bytes else own_value
        self.fetches: list[Fetch] = []
        self.fixed: list[Any] = [None]
        valued: list[int] = []
        self.places: list[int] = []
        for leaf, path in zip(leaves, paths, strict=True):
            self.places.append(0)
            if _is_known(leaf, path):
                self.places[-1] = len(self.fixed)
                self.fixed.append(
                    leaf.array if isinstance(leaf, EagerTensor) else leaf
                )
                continue
            fetch = self._fetch(leaf, f"fetches{path}")
            self.fetches.append(fetch)
            if not isinstance(fetch, Node):
                valued.append(len(self.places) - 1)
        for number, place in enumerate(valued, len(self.fixed)):
            self.places[place] = number

    def values(self, outputs: Sequence[Array]) -> list[Any]:
        """Return the value of each leaf, given those of all fetches but nodes."""
        found = (*self.fixed, *outputs)
        return [self._made_own(found[place]) for place in self.places]

    def _fetch(self, leaf: Any, where: str) -> Fetch:
        if isinstance(leaf, str):
            find = self.graph.get_tensor_by_name
            leaf = (
                find(leaf) if ":" in leaf else self.graph.get_operation_by_name(leaf)
            )
        if isinstance(leaf, Variable):
            return leaf
        if isinstance(leaf, (SymbolicTensor, Node)):
            return self._own(leaf, where)
        if leaf is None:
            raise DTypeError(
                f"{where} is None, which cannot be fetched. A gradient is None where no path leads "
                "to its source; what is called for its effect returns something to fetch only "
                "inside `with graph.as_default()`"
            )
        raise DTypeError(
            f"{where} is {leaf!r} of type {type(leaf).__name__}, which cannot be fetched; allowed "
            "are tensors and nodes of the graph, variables, names of these, and nests of them"
        )

    def _own(self, x: SymbolicTensor | Node, where: str) -> Fetch:
        node = x if isinstance(x, Node) else x.node
        if node.graph is not self.graph:
            raise InvalidArgumentError(
                f"{where} is {x.name}, made at {node.line} in the graph {node.graph.name!r}; the "
                f"session runs {self.graph.name!r}, another one"
            )
        if isinstance(x, Node):
            return x
        if x.dtype.kind in "RV":
            raise InvalidArgumentError(
                f"{where} is {x.name} ({x.spec}), a handle or a list, which has no value outside; "
                "fetch what is read of it, or its node"
            )
        return node.outputs[x.index]


def key_of(leaves: Iterable[Any], feeds: Iterable[Any]) -> Key:
    """Return what tells steps apart; `x[i] = y` makes `x` the output of another node."""
    return tuple([identity(x) for x in leaves]), tuple([identity(x) for x in feeds])


def identity(x: Any) -> Any:
    """Return what a tensor, variable, node or name is known by, which lives as long as it does."""
    if isinstance(x, SymbolicTensor):
        return x.node, x.index
    if isinstance(x, Variable):
        return x.handle
    return x if isinstance(x, (Node, str, int)) else (type(x), id(x))


def own_bytes(value: Any) -> Any:
    """Return a value as the caller's own, its strings as bytes."""
    if type(value) is ndarray and value.dtype == object:
        value = encoded(value)
    return own_value(value)


def own_value(value: Any) -> Any:
    """Return a value as the caller's own."""
    if type(value) is ndarray:
        value = shown(value)
        return value[()] if value.ndim == 0 else value.copy()
    return to_host(value)[()] if is_array(value) else value
