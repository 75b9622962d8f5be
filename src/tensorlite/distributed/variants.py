"""Lists and bundles of arrays as bytes and back, for those that go to another task.

State, such as a lock or a variable's, does not travel. Arrays are packed by packing.py.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from tensorlite.core.errors import DTypeError, GraphError, ProtocolError
from tensorlite.core.opaque import Opaque
from tensorlite.core.xp import Array, to_host
from tensorlite.distributed.packing import pack, unpack
from tensorlite.graph.attributes import Decoder, Encoder
from tensorlite.ops.control.list_values import Bundled, TensorList

_HEAD = struct.Struct("<Q")
DEPTH = 50
"""How deep lists may stand in one another."""


def packed_variant(value: Any) -> np.ndarray[Any, Any]:
    """Return a list or a bundle as bytes; DTypeError for what cannot travel."""
    arrays: list[Array] = []
    encoder = Encoder()

    def told(one: Any) -> Any:
        if one is None:
            return None
        if isinstance(one, TensorList):
            items = [told(item) for item in one.items()]
            return {
                "list": encoder.spec(one.element),
                "limit": one.limit,
                "items": items,
            }
        if isinstance(one, Bundled):
            return {"bundle": [told(member) for member in one.members]}
        if isinstance(one, Opaque):
            raise DTypeError(
                f"{one!r} is state of the task that has it, and cannot be sent to another: place "
                "what uses it beside it"
            )
        arrays.append(to_host(one))
        return len(arrays) - 1

    text = json.dumps(told(value), separators=(",", ":")).encode()
    head = np.frombuffer(_HEAD.pack(len(text)) + text, np.uint8)
    packed = pack(arrays)
    return head if packed is None else np.concatenate([head, packed])


def unpacked_variant(data: Array) -> Any:
    """Return what `packed_variant` packed; ProtocolError for bytes that are none."""
    try:
        (size,) = _HEAD.unpack_from(data)
        tree = json.loads(data[_HEAD.size : _HEAD.size + size].tobytes())
        packed = data[_HEAD.size + size :]
        arrays = unpack(packed) if packed.size else []
        return _made(tree, arrays, 0)
    except (struct.error, ValueError, KeyError, IndexError, TypeError) as error:
        raise ProtocolError(f"this is no list of arrays: {error!r}") from None
    except GraphError as error:
        raise ProtocolError(f"this is no list of arrays: {error}") from None


def _made(tree: Any, arrays: list[Any], depth: int) -> Any:
    if depth > DEPTH:
        raise ProtocolError(f"lists stand in one another more than {DEPTH} deep")
    if tree is None:
        return None
    if isinstance(tree, int):
        return arrays[tree]
    if "bundle" in tree:
        return Bundled(
            tuple([_made(one, arrays, depth + 1) for one in tree["bundle"]])
        )
    element = Decoder([], [], lambda graph: graph).spec(tree["list"])
    items = [_made(one, arrays, depth + 1) for one in tree["items"]]
    return TensorList(items, element, tree["limit"])
