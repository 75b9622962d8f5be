"""Resources that programs register with a graph, so that its sessions begin them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorlite.compat.calling import named
from tensorlite.compat.shared.arrays import stack
from tensorlite.compat.shared.elementwise import logical_not
from tensorlite.compat.shared.masks import boolean_mask
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain
from tensorlite.graph_mode.graph import get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.ops import fetchable

__all__ = [
    "initialize_resources",
    "local_resources",
    "register_resource",
    "report_uninitialized_resources",
    "shared_resources",
]


class Resource(NamedTuple):
    """A handle, what makes what is behind it, and whether that is there."""

    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Let sessions begin what is behind a handle, for all tasks if it is shared."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    resource = Resource(handle, create_op, is_initialized_op)
    get_default_graph().add_to_collection(key, resource)


def shared_resources() -> list[Any]:
    """Return the resources of all tasks."""
    return get_default_graph().get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """Return the resources of each session."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Sequence[Any] | None = None,
    name: str | None = "report_uninitialized_resources",
) -> Any:
    """Return the names of resources that are not there yet, a vector of strings.

    resource_list is all that were registered if None.
    """
    listed = (
        shared_resources() + local_resources()
        if resource_list is None
        else resource_list
    )
    with name_scope(name):
        if not listed:
            return framework.constant(np.array([], object))
        missing = logical_not(stack([x.is_initialized for x in listed]))
        names = framework.constant(np.array([x.handle.name for x in listed], object))
        return boolean_mask(names, missing)


@named("init")
def initialize_resources(
    resource_list: Sequence[Any], name: str | None = "init"
) -> Any:
    """Return an operator that makes what is behind the handles of resources."""
    return fetchable.group(*[plain(x.create) for x in resource_list])
