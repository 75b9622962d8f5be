"""Damaged GraphDefs, drawn from a seed, and what reads them: a development tool and a test's.

    python -m tests.interop.fuzzing SEED COUNT

reads so many, and prints how it went. Each is read, raised, looked at and written, or refused with
an error of the library's own, within SECONDS and BYTES.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.errors import TensorliteError
from tensorlite.interop.tensorflow import from_graphdef, to_graphdef
from tensorlite.interop.tensorflow.inspection.inspecting import described
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.operators import ADAPTERS
from tensorlite.ops.control.raising import raise_control_flow
from tests.interop.graphdefs import Called, Program, Shape, counter
from tests.interop.test_reading import functions, variable

SECONDS = 10
BYTES = 10**9
LARGEST = 16_000
"""How long the GraphDefs are that are damaged; what reads short ones reads long ones."""
FOLDER = Path(__file__).parent / "data" / "graphs"
NUMBERS = [0, 1, 2, 3, -1, -2, 7, 64, 2**16, 2**31, 2**40, 2**62, -(2**62), 2**63 - 1]


def corpus() -> list[bytes]:
    """Return GraphDefs with nothing wrong."""
    loop, state, library = Program(), Program(), functions()
    counter(loop)
    variable(state, "v", 1.0)
    kinds: dict[str, Any] = {
        "component_types": (tl.float32,),
        "shapes": (Shape((2,)),),
    }
    state.node("FIFOQueueV2", "q", capacity=3, container="", shared_name="", **kinds)
    library.const("zero", np.int32(0))
    calls: dict[str, Any] = {"cond": Called("cond"), "body": Called("body")}
    library.node("While", "w", "zero", "x", T=(tl.int32, tl.float32), **calls)
    made = [one.bytes() for one in (loop, state, library)]
    for path in sorted(FOLDER.glob("*.npz")):
        data = np.load(path)["graph"].tobytes()
        if len(data) < LARGEST:
            made.append(data)
    return made


class Damage:
    """Damages GraphDefs."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311  nothing secret is drawn
        self.whole = corpus()
        self.ops = sorted(ADAPTERS)

    def next(self) -> bytes | str:
        """Return another damaged GraphDef: bytes, or text."""
        data = self.draw.choice(self.whole)
        kind = self.draw.random()
        if kind < 0.3:
            return self._bytes(data)
        proto = message("GraphDef").FromString(data)
        for _ in range(self.draw.choice([1, 1, 1, 2, 4, 16])):
            self._message(proto)
        if kind > 0.95:
            text = str(proto)
            return text[: self.draw.randrange(len(text) + 1)]
        made: bytes = proto.SerializeToString()
        return made

    def _bytes(self, data: bytes) -> bytes:
        made = bytearray(data)
        for _ in range(self.draw.randint(1, 8)):
            place = self.draw.randrange(len(made))
            made[place] = self.draw.choice([0, 1, 127, 128, self.draw.randrange(256)])
        end = (
            len(made)
            if self.draw.random() < 0.8
            else self.draw.randrange(len(made) + 1)
        )
        return bytes(made[:end])

    def _message(self, proto: Any) -> None:
        bodies = [proto.node, *[one.node_def for one in proto.library.function]]
        nodes = self.draw.choice(
            [body for body in bodies if len(body)] or [proto.node]
        )
        if not len(nodes):
            return
        changes: list[Callable[[Any, Any], None]] = [
            *(self._operator, self._inputs, self._attribute, self._attribute),
            *(self._number, self._number, self._twice, self._gone, self._name),
        ]
        self.draw.choice(changes)(nodes, self.draw.choice(nodes))

    def _operator(self, _: Any, node: Any) -> None:
        node.op = self.draw.choice(self.ops)

    def _inputs(self, nodes: Any, node: Any) -> None:
        source = self.draw.choice(nodes).name
        made = self.draw.choice(
            [source, f"{source}:1", f"^{source}", f"{source}:99", ""]
        )
        if len(node.input) and self.draw.random() < 0.7:
            node.input[self.draw.randrange(len(node.input))] = made
        else:
            node.input.append(made)

    def _attribute(self, nodes: Any, node: Any) -> None:
        """Take an attribute away, or give it the value of another one."""
        if not len(node.attr):
            return
        key = self.draw.choice(sorted(node.attr))
        other = self.draw.choice(nodes)
        if self.draw.random() < 0.3 or not len(other.attr):
            del node.attr[key]
        else:
            node.attr[key].CopyFrom(other.attr[self.draw.choice(sorted(other.attr))])

    def _number(self, _: Any, node: Any) -> None:
        """Put a number where one is, or more sizes than there are."""
        if not len(node.attr):
            return
        value = node.attr[self.draw.choice(sorted(node.attr))]
        number = self.draw.choice(NUMBERS)
        kind = value.WhichOneof("value")
        if kind == "i":
            value.i = number
        elif kind == "type":
            value.type = self.draw.randrange(130)
        elif kind == "tensor":
            self._tensor(value.tensor, number)
        elif kind == "shape":
            value.shape.dim.add(size=number)
        elif kind == "list" and len(value.list.type):
            value.list.type.append(self.draw.randrange(25))

    def _tensor(self, tensor: Any, number: int) -> None:
        change = self.draw.randrange(4)
        if change == 0:
            tensor.tensor_shape.dim.add(size=number)
        elif change == 1:
            tensor.tensor_content = b""
            tensor.float_val.extend([1.0, 2.0])
        elif change == 2:
            tensor.dtype = self.draw.randrange(25)
        else:
            data = tensor.tensor_content
            tensor.tensor_content = bytes(self.draw.randrange(256) for _ in data)

    def _twice(self, nodes: Any, node: Any) -> None:
        nodes.add().CopyFrom(node)

    def _gone(self, nodes: Any, node: Any) -> None:
        nodes.remove(node)

    def _name(self, nodes: Any, node: Any) -> None:
        node.name = self.draw.choice([self.draw.choice(nodes).name, "", "a b", "x:0"])


def tried(given: bytes | str) -> str:
    """Return what became of a GraphDef: read, or the class of the error that refused it."""
    try:
        described(given)
        graph = from_graphdef(given)
        raise_control_flow(graph)
        to_graphdef(graph)
    except TensorliteError as error:
        return type(error).__name__ if str(error) else "an error that says nothing"
    return "read"


def _late(_: int, __: FrameType | None) -> None:
    raise TimeoutError(f"a GraphDef took more than {SECONDS} seconds")


def fuzz(seed: int, count: int) -> Counter[str]:
    """Try damaged GraphDefs; what is no error of the library's is raised, with the input noted."""
    damage = Damage(seed)
    found: Counter[str] = Counter()
    before = signal.signal(signal.SIGALRM, _late)
    try:
        for number in range(count):
            given = damage.next()
            signal.alarm(SECONDS)
            try:
                found[tried(given)] += 1
            except BaseException as error:
                error.add_note(f"input {number} of seed {seed}: {given!r}")
                raise
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return found


def main() -> None:
    """Try as many as the command line says."""
    seed, count = map(int, sys.argv[1:])
    found = fuzz(seed, count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{count} of seed {seed}: {dict(found.most_common())}; at most {peak:,} bytes"
    )
    assert peak < BYTES, peak


if __name__ == "__main__":
    main()
