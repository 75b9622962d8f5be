"""What brings files into GraphDefs: readers, which go through them, and decoders of pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.dtypes import uint8
from tensorlite.core.op import REGISTRY, Op
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.writers.parts import Spelled

_READERS = {
    "FixedLengthRecordReader": ("header_bytes", "record_bytes", "footer_bytes"),
    "IdentityReader": (),
    "TFRecordReader": ("compression_type",),
    "TextLineReader": ("skip_header_lines",),
    "WholeFileReader": (),
}
"""Readers, and the attributes that say what they read."""
_USES = (
    *("ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted", "ReaderRead"),
    *("ReaderReadUpTo", "ReaderReset"),
)


def _reader(name: str, given: Given) -> Values:
    attributes = {key: given.attribute(key) for key in _READERS[name]}
    shared = given.typed("shared_name", str) or given.name
    container = given.typed("container", str)
    given.check_attributes()
    cls: Any = REGISTRY[f"{name}V2"]
    op = cls(**attributes, shared_name=shared, container=container)
    return given.node(op).outputs


def _used(name: str, given: Given) -> Values:
    return given.node(REGISTRY[f"{name}V2"](), *given.tensors).outputs


FILING: dict[str, Adapter] = {}
for _end in ("", "V2"):
    FILING |= {f"{name}{_end}": partial(_reader, name) for name in _READERS}
    FILING |= {f"{name}{_end}": partial(_used, name) for name in _USES}


def _written_reader(op: Op, node: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    given["shared_name"] = given["shared_name"] or node.name
    return (Spelled(op.name, given),)


def _plainly(op: Op, _: Node) -> tuple[Spelled, ...]:
    return (Spelled(op.name, op.attributes()),)


def _jpeg(op: Op, _: Node) -> tuple[Spelled, ...] | None:
    given = op.attributes()
    return (Spelled(op.name, given),) if given["dtype"] is uint8 else None


FILED: dict[str, Callable[[Op, Node], tuple[Spelled, ...] | None]] = {
    "DecodeJpeg": _jpeg,
    "EncodeJpeg": _plainly,
    **{f"{name}V2": _written_reader for name in _READERS},
    **{f"{name}V2": _plainly for name in _USES},
}
"""How these are written; None: as nothing that TensorFlow has."""
