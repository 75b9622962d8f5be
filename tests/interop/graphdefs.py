"""GraphDefs built by hand, a node at a time, and a session that runs what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.containers import Container, current_container
from tensorlite.interop.tensorflow.attributes import Called, Shape, proto_of_value
from tensorlite.interop.tensorflow.messages import message

ANY = Shape(None)


class Program:
    """A GraphDef in the making."""

    def __init__(self) -> None:
        self.proto = message("GraphDef")()
        self._nodes = self.proto.node

    def node(
        self,
        op: str,
        name: str,
        *inputs: str,
        control: Iterable[str] = (),
        device: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node, and return its name."""
        made = self._nodes.add(name=name, op=op, device=device)
        made.input.extend([*inputs, *[f"^{one}" for one in control]])
        for key, value in attributes.items():
            made.attr[key].CopyFrom(proto_of_value(value))
        return name

    def const(self, name: str, value: Any, control: Iterable[str] = ()) -> str:
        """Add a constant."""
        array = np.asarray(value)
        if array.dtype.kind in "US":
            array = array.astype(object)
        dtype = tl.string if array.dtype == object else tl.as_dtype(array.dtype)
        return self.node("Const", name, control=control, value=array, dtype=dtype)

    def floats(self, name: str, *values: Any) -> str:
        """Add a constant of float32."""
        return self.const(
            name, np.array(values[0] if len(values) == 1 else values, np.float32)
        )

    def placeholder(
        self, name: str, dtype: tl.DType = tl.float32, shape: Any = None
    ) -> str:
        """Add a placeholder."""
        return self.node("Placeholder", name, dtype=dtype, shape=Shape(shape))

    def function(
        self,
        name: str,
        takes: Mapping[str, int],
        gives: Mapping[str, tuple[int, str]],
    ) -> Program:
        """Add a function to the library, of arguments and results with numbers of dtypes."""
        made = self.proto.library.function.add()
        made.signature.name = name
        for one, dtype in takes.items():
            made.signature.input_arg.add(name=one, type=dtype)
        for one, (dtype, source) in gives.items():
            made.signature.output_arg.add(name=one, type=dtype)
            made.ret[one] = source
        inner = Program.__new__(Program)
        inner.proto, inner._nodes = self.proto, made.node_def
        return inner

    def bytes(self) -> bytes:
        """Return it as bytes."""
        data: bytes = self.proto.SerializeToString()
        return data

    def session(self) -> Session:
        """Return a session of the graph."""
        return Session(tl.interop.tensorflow.from_graphdef(self.bytes()))


class Session(tl.Session):
    """A session with variables of its own."""

    def __init__(self, graph: tl.Graph) -> None:
        super().__init__(graph)
        self._container = Container()

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Return the values of fetches."""
        token = current_container.set(self._container)
        try:
            return super().run(fetches, feed_dict)
        finally:
            current_container.reset(token)


__all__ = ["ANY", "Called", "Program", "Session", "Shape"]
