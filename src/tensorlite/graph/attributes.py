"""Attributes of operators as JSON and back: Encoder, Decoder. Whole graphs are in wire.py.

None, bools, ints, finite floats and strings are themselves, tuples are JSON's arrays, and all else
is an object with one key that says its kind. Graphs and arrays stand in tables of the whole, and
here only by number. What is read may come from anyone: nothing is looked up but operators by name,
nothing is run but their constructors, and every size is checked before it is believed.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import DType, as_dtype
from tensorlite.core.errors import GraphError
from tensorlite.core.op import REGISTRY, Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Graph
from tensorlite.graph.kinds import KINDS

NESTING = 64
"""How deep values may stand in one another, and how many axes an array may have."""
LARGEST = 2**63
"""What all sizes are below."""

PLAIN = (type(None), bool, int, str)
KEYS = (str, int)


class Numbered:
    """A table of objects, in the order in which they were first met."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._places: dict[int, int] = {}

    def place(self, item: Any) -> int:
        """Return the number of `item`, which it gets now if it has none."""
        found = self._places.setdefault(id(item), len(self.items))
        if found == len(self.items):
            self.items.append(item)
        return found


class Encoder:
    """Turns values into JSON, and collects the graphs and arrays that they refer to."""

    def __init__(self) -> None:
        self.graphs = Numbered()
        self.arrays = Numbered()
        self._kinds: dict[type, Callable[[Any], Any]] = {
            float: self._float,
            complex: lambda x: {
                "complex": [self._float(x.real), self._float(x.imag)]
            },
            bytes: lambda x: {"bytes": b64encode(x).decode()},
            tuple: lambda x: [self.value(member) for member in x],
            list: lambda x: {"list": [self.value(member) for member in x]},
            dict: lambda x: {
                "dict": [[_key(k), self.value(v)] for k, v in x.items()]
            },
            DType: lambda x: {"dtype": x.name},
            DeviceName: lambda x: {"device": device_text(x)},
            np.ndarray: self._array,
        }

    def value(self, value: Any) -> Any:
        """Return a value as JSON; GraphError says what it is if it cannot be written."""
        kind = type(value)
        if kind in PLAIN:
            return value
        known = self._kinds.get(kind)
        if known is not None:
            return known(value)
        if isinstance(value, TensorSpec):  # or one that answers to other names
            return {"spec": self.spec(value)}
        if isinstance(value, Graph):
            return {"graph": self.graphs.place(value)}
        if isinstance(value, Op):
            return {"op": self.op(value)}
        if isinstance(getattr(value, "graph", None), Graph):
            return {"function": self.graphs.place(value.graph)}
        raise GraphError(_foreign(value))

    def op(self, op: Op) -> dict[str, Any]:
        """Return an operator as JSON: its name, and its attributes if it has any."""
        if REGISTRY.get(op.name) is not type(op):
            raise GraphError(
                f"the operator {op.name} is hidden by another of its name"
            )
        made: dict[str, Any] = {"op": op.name}
        attributes = {
            key: self._attribute(key, x) for key, x in op.attributes().items()
        }
        return made | {"attributes": attributes} if attributes else made

    def _attribute(self, key: str, value: Any) -> Any:
        try:
            return self.value(value)
        except GraphError as error:
            raise GraphError(f"its attribute {key!r}: {error}") from None

    def spec(self, spec: TensorSpec) -> dict[str, Any]:
        """Return a spec as JSON."""
        made: dict[str, Any] = {"dtype": spec.dtype.name, "shape": spec.shape}
        if spec.name is not None:
            made["name"] = spec.name
        if spec.inner:
            made["inner"] = [self.spec(inner) for inner in spec.inner]
        if spec.trainable:
            made["trainable"] = True
        if spec.known is not None:
            made["known"] = spec.known
        return made

    def array(self, array: np.ndarray[Any, Any]) -> tuple[dict[str, Any], Any]:
        """Return an array's description as JSON, and its elements as bytes or an array of them."""
        dtype = as_dtype(array.dtype)
        made: dict[str, Any] = {"dtype": dtype.name, "shape": array.shape}
        if dtype is dtypes.string:
            return made | {
                "strings": [self.value(x) for x in array.ravel().tolist()]
            }, b""
        return made, np.ascontiguousarray(array, _little(dtype)).reshape(-1).view(
            np.uint8
        )

    @staticmethod
    def _float(value: float) -> Any:
        return value if math.isfinite(value) else {"float": str(value)}

    def _array(self, array: np.ndarray[Any, Any]) -> dict[str, int]:
        if array.dtype == object:
            for one in array.ravel().tolist():
                checked(type(one) in (str, bytes), _foreign(one))
        return {"array": self.arrays.place(array)}


def _key(key: Any) -> Any:
    checked(
        type(key) in KEYS, f"{key!r} is the key of a dict; these are strings or ints"
    )
    return key


def _foreign(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    if isinstance(value, Opaque):
        return f"{value!r} is state of this process; pass its handle as an input of the graph"
    if isinstance(value, Tensor):
        return "a tensor is no part of a program; pass it as an input of the graph"
    if callable(value):
        return (
            f"the Python function {name} exists in this process only; express it by tensorlite's "
            "functions, or leave this part of the program where it was traced"
        )
    return f"a Python object of type {name} exists in this process only"


def device_text(device: DeviceName) -> str:
    """Return a device's name as text that can be read again."""
    text = str(device)
    if _device(text) != device:
        raise GraphError(f"the device name {text!r} cannot be read again")
    return text


def _device(text: str) -> DeviceName:
    try:
        return DeviceName.parse(text)
    except ValueError as error:
        raise GraphError(f"a device's name cannot be read: {error}") from None


def _little(dtype: DType) -> np.dtype[Any]:
    return dtype.numpy.newbyteorder("<")


def checked(holds: object, text: str) -> None:
    """Raise GraphError with `text` unless something holds of the data."""
    if not holds:
        raise GraphError(text)


def record(
    data: Any, what: str, needed: Sequence[str], allowed: Sequence[str] = ()
) -> Any:
    """Return `data`, which must be an object with these keys."""
    if type(data) is not dict:
        raise GraphError(f"{what} should be an object, not {short(data)}")
    for key in needed:
        if key not in data:
            raise GraphError(f"{what} lacks {key!r}")
    for key in data if len(data) > len(needed) else ():
        if key not in needed and key not in allowed:
            raise GraphError(f"{what} has the unknown entry {short(key)}")
    return data


def sequence(data: Any, what: str) -> list[Any]:
    """Return `data`, which must be an array of JSON."""
    if type(data) is not list:
        raise GraphError(f"{what} should be an array, not {short(data)}")
    return data


def text(data: Any, what: str) -> str:
    """Return `data`, which must be a string."""
    if type(data) is not str:
        raise GraphError(f"{what} should be a string, not {short(data)}")
    return data


def number(data: Any, what: str, end: int) -> int:
    """Return `data`, which must be a natural number below `end`."""
    if type(data) is not int or not 0 <= data < end:
        raise GraphError(
            f"{what} should be a natural number below {end}, not {short(data)}"
        )
    return data


def short(data: Any) -> str:
    """Return the beginning of what `data` is written as."""
    shown = (
        repr(data)
        if isinstance(data, (str, int, float))
        else f"a {type(data).__name__}"
    )
    return shown if len(shown) <= 40 else f"{shown[:40]}..."


class Decoder:
    """Turns JSON into values; the graphs and arrays that they may refer to are given."""

    def __init__(
        self,
        graphs: Sequence[Graph],
        arrays: Sequence[Any],
        callee: Callable[[Graph], Any],
    ) -> None:
        self.graphs = graphs
        self.arrays = arrays
        self._callee = callee
        self._callees: dict[int, Any] = {}
        self._kinds: dict[str, Callable[[Any, int], Any]] = {
            "float": lambda x, _: _special_float(x),
            "complex": self._complex,
            "bytes": lambda x, _: _bytes(x),
            "list": self._members,
            "dict": self._dict,
            "dtype": lambda x, _: dtype_of(x),
            "spec": self.spec,
            "device": lambda x, _: device_of(x),
            "array": lambda x, _: arrays[
                number(x, "the number of an array", len(arrays))
            ],
            "graph": lambda x, _: graphs[
                number(x, "the number of a graph", len(graphs))
            ],
            "function": lambda x, _: self._function(x),
            "op": self.op,
        }

    def value(self, data: Any, depth: int = 0) -> Any:
        """Return the value that JSON stands for; GraphError says what is wrong with it."""
        if type(data) in PLAIN or type(data) is float:
            return data
        checked(
            depth < NESTING, f"values stand in one another more than {NESTING} deep"
        )
        if type(data) is list:
            return tuple(self._members(data, depth))
        checked(len(data) == 1, f"a value should have one kind, not {len(data)}")
        ((kind, content),) = data.items()
        checked(kind in self._kinds, f"a value has the unknown kind {short(kind)}")
        return self._kinds[kind](content, depth + 1)

    def op(self, data: Any, depth: int = 0) -> Op:
        """Return the operator that JSON names, with its attributes."""
        record(data, "an operator", ["op"], ["attributes"])
        name = text(data["op"], "the name of an operator")
        cls = REGISTRY.get(name)
        if cls is None:
            raise GraphError(
                f"there is no operator {short(name)} here; the module that defines it may not be "
                "imported, or the graph was written by a later version"
            )
        allowed = cls.attribute_names()
        given = record(
            data.get("attributes", {}), f"the attributes of {name}", (), allowed
        )
        values = {}
        for key, content in given.items():
            try:
                values[key] = self.value(content, depth + 1)
            except GraphError as error:
                raise GraphError(f"attribute {key!r} of {name}: {error}") from None
        return _made(cls, values)

    def spec(self, data: Any, depth: int = 0) -> TensorSpec:
        """Return the spec that JSON describes."""
        checked(
            depth < NESTING, f"specs stand in one another more than {NESTING} deep"
        )
        optional = ("name", "inner", "trainable", "known")
        record(data, "a spec", ["dtype", "shape"], optional)
        inner = sequence(data.get("inner", []), "the inner specs of a spec")
        shape, name = data["shape"], data.get("name")
        sizes = None if shape is None else sequence(shape, "a shape")
        return TensorSpec(
            None if sizes is None else tuple([_size(size) for size in sizes]),
            dtype_of(data["dtype"]),
            None if name is None else text(name, "the name of a spec"),
            tuple([self.spec(one, depth + 1) for one in inner]),
            trainable=_flag(data.get("trainable", False)),
            known=_known(data.get("known")),
        )

    def _function(self, data: Any) -> Any:
        place = number(data, "the number of a function's graph", len(self.graphs))
        if place not in self._callees:
            self._callees[place] = self._callee(self.graphs[place])
        return self._callees[place]

    def _members(self, data: Any, depth: int) -> list[Any]:
        return [self.value(member, depth + 1) for member in sequence(data, "a list")]

    def _complex(self, data: Any, depth: int) -> complex:
        parts = self._members(data, depth)
        good = len(parts) == 2 and all(type(part) is float for part in parts)
        checked(good, "a complex number should be two floats")
        return complex(*parts)

    def _dict(self, data: Any, depth: int) -> dict[Any, Any]:
        made = {}
        for pair in self._members(data, depth):
            checked(type(pair) is tuple and len(pair) == 2, "a dict should be pairs")
            checked(type(pair[0]) in KEYS, "a dict's keys should be strings or ints")
            made[pair[0]] = pair[1]
        return made


def _made(cls: type[Op], values: dict[str, Any]) -> Op:
    for field in fields(cls) if values else ():
        kind = KINDS.get(str(field.type))
        if kind is not None and field.name in values and not kind(values[field.name]):
            raise GraphError(
                f"attribute {field.name!r} of {cls.__name__} should be of type {field.type}, "
                f"not {short(values[field.name])}"
            )
    try:
        return cls(**values)
    except Exception as error:  # noqa: BLE001  what a constructor says of foreign data is our error
        raise GraphError(
            f"{cls.__name__} cannot be made of its attributes: {error}"
        ) from None


DTYPES = {dtype.name: dtype for dtype in dtypes.ALL}


def dtype_of(data: Any) -> DType:
    """Return the dtype of a name."""
    known = DTYPES.get(text(data, "the name of a dtype"))
    if known is None:
        raise GraphError(f"{short(data)} is the name of no dtype")
    return known


def device_of(data: Any) -> DeviceName:
    """Return the device of a name."""
    return _device(text(data, "the name of a device"))


def _size(data: Any) -> int | None:
    return None if data is None else number(data, "a size", LARGEST)


def _flag(data: Any) -> bool:
    checked(type(data) is bool, f"a flag should be true or false, not {short(data)}")
    flag: bool = data
    return flag


def _known(data: Any) -> Any:
    if data is None or type(data) is int:
        return data
    values = sequence(data, "a known value")
    checked(
        all(x is None or type(x) is int for x in values),
        "a known value should be of ints",
    )
    return tuple(values)


def _special_float(data: Any) -> float:
    checked(
        data in ("nan", "inf", "-inf"), f"{short(data)} is no float that has a name"
    )
    return float(data)


def _bytes(data: Any) -> bytes:
    try:
        return b64decode(text(data, "bytes"), validate=True)
    except ValueError as error:
        raise GraphError(f"bytes in base 64 are damaged: {error}") from None


def read_array(data: Any, payload: memoryview) -> tuple[Any, int]:
    """Return the array that JSON describes, and how much of the payload it takes."""
    record(data, "an array", ["dtype", "shape"], ["strings"])
    dtype = dtype_of(data["dtype"])
    sizes = sequence(data["shape"], "a shape")
    checked(
        len(sizes) <= NESTING, f"an array has {len(sizes)} axes, more than {NESTING}"
    )
    shape = tuple([number(size, "a size", LARGEST) for size in sizes])
    count = math.prod(shape)
    if dtype is dtypes.string:
        return _strings(data, shape, count), 0
    checked(dtype.kind not in "RV", f"an array cannot be of {dtype.name}")
    checked("strings" not in data, f"an array of {dtype.name} has strings")
    size = count * dtype.itemsize
    checked(
        size <= len(payload),
        f"an array takes {size} bytes of {len(payload)} that are left",
    )
    raw = np.frombuffer(payload[:size], np.uint8)
    if dtype is dtypes.bool_:
        checked(raw.max(initial=0) <= 1, "an array of bool holds something else")
    return _shaped(raw.view(_little(dtype)).astype(dtype.numpy), shape), size


def _strings(data: Any, shape: tuple[int, ...], count: int) -> Any:
    listed = sequence(data.get("strings"), "the elements of an array of strings")
    checked(len(listed) == count, f"{len(listed)} strings for an array of {count}")
    made = np.empty(len(listed), object)
    for i, one in enumerate(listed):
        made[i] = (
            one
            if type(one) is str
            else _bytes(record(one, "a string", ["bytes"])["bytes"])
        )
    return _shaped(made, shape)


def _shaped(array: Any, shape: tuple[int, ...]) -> Any:
    try:
        return array.reshape(shape)
    except (ValueError, OverflowError) as error:
        raise GraphError(
            f"no array has the shape of {len(shape)} axes: {error}"
        ) from None
