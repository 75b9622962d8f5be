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


def counter(made: Program) -> None:
    """Add a loop that counts to n and adds up."""
    made.placeholder("n", tl.int32, ())
    made.const("zero", np.int32(0))
    made.floats("start", 0.0)
    enter: dict[str, Any] = {"frame_name": "loop", "parallel_iterations": 10}
    for name, source, dtype in (("i", "zero", tl.int32), ("s", "start", tl.float32)):
        made.node(
            "Enter", f"{name}/Enter", source, T=dtype, is_constant=False, **enter
        )
        made.node(
            "Merge", f"{name}/Merge", f"{name}/Enter", f"{name}/Next", N=2, T=dtype
        )
    made.node("Enter", "n/Enter", "n", T=tl.int32, is_constant=True, **enter)
    made.node("Less", "less", "i/Merge", "n/Enter", T=tl.int32)
    made.node("LoopCond", "cond", "less")
    for name, dtype in (("i", tl.int32), ("s", tl.float32)):
        made.node("Switch", f"{name}/Switch", f"{name}/Merge", "cond", T=dtype)
        made.node("Identity", f"{name}/Identity", f"{name}/Switch:1", T=dtype)
        made.node("Exit", f"{name}/Exit", f"{name}/Switch", T=dtype)
    made.const("one", np.int32(1), control=["i/Identity"])
    made.node("AddV2", "i/add", "i/Identity", "one", T=tl.int32)
    made.node("Cast", "cast", "i/Identity", SrcT=tl.int32, DstT=tl.float32)
    made.node("AddV2", "s/add", "s/Identity", "cast", T=tl.float32)
    for name, dtype in (("i", tl.int32), ("s", tl.float32)):
        made.node("NextIteration", f"{name}/Next", f"{name}/add", T=dtype)


__all__ = ["ANY", "Called", "Program", "Session", "Shape", "counter"]
