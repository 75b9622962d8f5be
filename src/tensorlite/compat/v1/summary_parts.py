"""tensorflow.python.ops.summary_op_util and that of distribute: what summaries are made of.

Libraries that write summaries of their own make them of these; tf.summary's are in
serialized_summaries.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shared import logging
from tensorlite.compat.v1 import serialized_summaries
from tensorlite.compat.v1.graphs.framework import name_scope
from tensorlite.compat.v2.distribute.strategy import get_replica_context

__all__ = ["clean_tag", "collect", "skip_summary", "summary_scope"]


def collect(val: Any, collections: Any, default_collections: Any) -> None:
    """Add a value to collections of the graph being built, to the default ones for None.

    >>> import tensorlite.compat.v1 as tf
    >>> with tf.Graph().as_default() as graph:
    ...     collect("value", None, ["key"])
    >>> graph.get_collection("key")
    ['value']
    """
    wanted = default_collections if collections is None else collections
    serialized_summaries.collect(val, wanted)


def clean_tag(name: str | None) -> str | None:
    """Return a name with characters that a graph does not allow replaced by `_`.

    >>> clean_tag("/mean of x")
    'mean_of_x'
    """
    clean = serialized_summaries.clean_name(name)
    if clean != name:
        logging.info("Summary name %s is illegal; using %s instead.", name, clean)
    return clean


@contextmanager
def summary_scope(
    name: str,
    family: str | None = None,
    default_name: str | None = None,
    values: Any = None,
) -> Iterator[tuple[str, str]]:
    """Open the name scope of a summary; yields its tag and the scope, both of them unique.

    The tag begins with the family, whatever scopes are around.

    >>> import tensorlite.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.name_scope("around"):
    ...     with summary_scope("mean", "layer") as told:
    ...         print(told)
    ('layer/around/layer/mean', 'around/layer/mean/')
    """
    clean, group = clean_tag(name), clean_tag(family)
    base = clean if group is None else f"{group}/{clean}"
    with name_scope(base, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if group is None else f"{group}/{tag}"), scope


def skip_summary() -> bool:
    """Return whether summaries are left out: by all replicas but the first.

    >>> skip_summary()
    False
    """
    context = get_replica_context()
    return context is not None and bool(context.replica_id_in_sync_group)
