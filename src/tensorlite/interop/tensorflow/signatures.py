"""The signatures of TensorFlow's operators: inputs, outputs, attributes and their defaults.

They stand in signatures.txt, a line each. What an operator becomes here is in operators.py.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.dtypes import DType
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.tensors import dtype_of

_LINE = re.compile(r"(\w+)\((.*?)\) -> \((.*?)\) \{(.*)\}( stateful)?")
_ATTRIBUTE = re.compile(
    r"(\w+): (list\(\w+\)|\w+)(?: = (\[.*?\]|\"(?:[^\"\\]|\\.)*\"|[^,]+))?"
)
NUMBERS = {
    "float": 1,
    "double": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "string": 7,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "qint8": 11,
    "quint8": 12,
    "qint32": 13,
    "bfloat16": 14,
    "qint16": 15,
    "quint16": 16,
    "uint16": 17,
    "complex128": 18,
    "half": 19,
    "resource": 20,
    "variant": 21,
    "uint32": 22,
    "uint64": 23,
}
"""TensorFlow's numbers of dtypes, by their names in signatures."""


class Argument(NamedTuple):
    """An input or output: how many tensors, of which dtype."""

    name: str
    kind: str
    """A dtype's name, or the attribute that holds it."""
    number: str = ""
    """The attribute that holds how many there are; "" is one, "*" as many as dtypes."""
    is_reference: bool = False

    def dtype(self, attributes: dict[str, Any]) -> DType | None:
        """Return the dtype, given the attributes, if these say it."""
        if self.kind in NUMBERS:
            return dtype_of(NUMBERS[self.kind])
        found = attributes.get(self.kind)
        return found if isinstance(found, DType) else None


class Attribute(NamedTuple):
    """An attribute: its type, and its default if it has one."""

    kind: str
    default: Any = None
    is_optional: bool = False


@dataclass(frozen=True)
class Signature:
    """What TensorFlow says of an operator.

    >>> signature = signature_of("Cast")
    >>> signature.inputs, signature.attributes["Truncate"].default
    ((Argument(name='x', kind='SrcT', number='', is_reference=False),), False)
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: dict[str, Attribute]
    is_stateful: bool

    @property
    def takes_references(self) -> bool:
        """Whether it works on a variable itself, not on its value."""
        return any(one.is_reference for one in self.inputs)


@cache
def _lines() -> dict[str, str]:
    text = (resources.files(__package__) / "signatures.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {line.partition("(")[0]: line for line in lines}


@cache
def signature_of(name: str) -> Signature | None:
    """Return the signature of an operator, None where nothing is known of it."""
    line = _lines().get(name)
    if line is None:
        return None
    match = _LINE.fullmatch(line)
    assert match is not None
    _, inputs, outputs, attributes, stateful = match.groups()
    return Signature(
        name,
        tuple([_argument(one) for one in inputs.split(", ") if one]),
        tuple([_argument(one) for one in outputs.split(", ") if one]),
        {
            key: _attribute(kind, given)
            for key, kind, given in _ATTRIBUTE.findall(attributes)
        },
        bool(stateful),
    )


def _argument(text: str) -> Argument:
    name, _, kind = text.partition(": ")
    is_reference = kind.startswith("&")
    number, star, dtype = kind.lstrip("&").rpartition("*")
    return Argument(name, dtype, number or star, is_reference)


def _attribute(kind: str, given: str) -> Attribute:
    return Attribute(kind, _default(kind, given), True) if given else Attribute(kind)


def _default(kind: str, text: str) -> Any:
    if kind.startswith("list("):
        members = text.strip("[]")
        return tuple(
            [_default(kind[5:-1], x) for x in members.split(", ") if members]
        )
    if kind == "type":
        return dtype_of(NUMBERS[text])
    if kind == "tensor":
        return np.array(json.loads(text), np.uint8)  # the one there is, a color
    if kind == "shape":
        return Shape(None if text == "?" else tuple(json.loads(text)))
    return json.loads(text)
