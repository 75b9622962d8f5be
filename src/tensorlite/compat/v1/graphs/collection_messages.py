"""What libraries register for collections of their own: members as messages, and members of those.

Meta graphs are written and read by it (metagraphs.py), which know of TensorFlow's own collections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tensorlite.core.errors import DTypeError

__all__ = [
    "get_collection_proto_type",
    "get_from_proto_function",
    "get_to_proto_function",
    "register_proto_function",
]


class _Messages(NamedTuple):
    """What the members of a collection are written as, and how."""

    kind: Any = None
    to_proto: Callable[..., Any] | None = None
    from_proto: Callable[..., Any] | None = None


_registered: dict[str, _Messages] = {}
_NONE = _Messages()


def register_proto_function(
    collection_name: str,
    proto_type: Any = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Say how the members of a collection become messages of a type, and members again.

    Both functions take a scope, `export_scope` and `import_scope`; what to_proto returns nothing
    for is not written. A name that is registered already raises KeyError.
    """
    for what, given in (("to_proto", to_proto), ("from_proto", from_proto)):
        if given and not callable(given):
            raise DTypeError(f"{what} must be callable.")
    if collection_name in _registered:
        raise KeyError(
            f"Registering two proto functions with name '{collection_name}'! "
            "It was registered before"
        )
    _registered[collection_name] = _Messages(proto_type, to_proto, from_proto)


def get_collection_proto_type(collection_name: str) -> Any:
    """Return the type of messages registered for a collection, None if there is none."""
    return _registered.get(collection_name, _NONE).kind


def get_to_proto_function(collection_name: str) -> Callable[..., Any] | None:
    """Return what makes messages of a collection's members, None if nothing is registered."""
    return _registered.get(collection_name, _NONE).to_proto


def get_from_proto_function(collection_name: str) -> Callable[..., Any] | None:
    """Return what makes a collection's members of messages, None if nothing is registered."""
    return _registered.get(collection_name, _NONE).from_proto


def written(
    collection_name: str, members: Iterable[Any], export_scope: str | None
) -> list[bytes] | None:
    """Return the members of a collection as messages' bytes; None if nothing is registered."""
    to_proto = get_to_proto_function(collection_name)
    if to_proto is None:
        return None
    made = [to_proto(member, export_scope=export_scope) for member in members]
    return [x.SerializeToString() for x in made if x]


def read(collection_name: str, member: bytes, import_scope: str) -> Any:
    """Return the member that a message's bytes stand for; the bytes if nothing is registered."""
    _, _, from_proto = about = _registered.get(collection_name, _NONE)
    if from_proto is None:
        return member
    return from_proto(about.kind.FromString(member), import_scope=import_scope)
