"""What the version of a GraphDef says: whether it is understood, and what its nodes mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core.errors import VersionError

CONSUMER = 2474
"""The version of TensorFlow's GraphDefs that is understood; some ask for a later one."""
_UNKNOWN_SHAPES = 24
"""From which version on shapes say that they are not known; before, an empty one meant that."""


def check_version(proto: Any) -> None:
    """Raise VersionError for a GraphDef that says that this program is too old for it."""
    versions = proto.versions
    if versions.min_consumer > CONSUMER or CONSUMER in versions.bad_consumers:
        raise VersionError(
            f"this GraphDef, of version {versions.producer}, is for programs that understand "
            f"version {versions.min_consumer} at least, and not {list(versions.bad_consumers)}; "
            f"understood is {CONSUMER}"
        )


def nodes_as_meant(proto: Any) -> Sequence[Any]:
    """Return the nodes of a GraphDef, as this version would say what they mean."""
    if not 0 < proto.versions.producer < _UNKNOWN_SHAPES:
        return list(proto.node)
    return [_as_meant(node) for node in proto.node]


def _as_meant(node: Any) -> Any:
    """Return a placeholder without an empty shape, and any other node as it is."""
    if (
        node.op != "Placeholder" or node.attr["shape"].shape.dim
    ):  # reading adds it, empty
        return node
    meant = type(node)()
    meant.CopyFrom(node)
    meant.attr["shape"].shape.unknown_rank = True
    return meant
