"""ManualGraph: a graph built by hand, node by node, as TensorFlow 1's programs build theirs.

Its placeholders stand here too. trace.py makes graphs of Python functions; what runs a graph
built by hand is function/session.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, Protocol, Self

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.dispatch import Tensors, interpreted_by
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.core.op import Op
from tensorlite.core.provenance import UNKNOWN, Line, user_line
from tensorlite.core.scope import scope
from tensorlite.core.spec import Dim, TensorSpec, check_sizes
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.growth import Growth
from tensorlite.graph.lending import LendingLock
from tensorlite.graph.trace import Tracer, outermost


class Place(Protocol):
    """A part of a graph, such as a branch, in which tensors of outside are others."""

    def taken(
        self, op: Op, inputs: Iterable[SymbolicTensor], name: str
    ) -> list[SymbolicTensor]:
        """Return what stands here for the inputs of a node that is to be made."""

    def put(self, node: Node) -> None:
        """Put a new node here."""

    def are_beside(self, x: SymbolicTensor, y: SymbolicTensor) -> bool:
        """Return whether two tensors are in the same innermost part."""


class ManualGraph(Graph):
    """A graph that takes up the operators called while it is the default.

    What is fetched from it runs, with what that depends on, and nothing else: nodes with effects
    are ordered by data and by `tl.control_dependencies` only, as in TensorFlow 1. Any number of
    threads may run it while it is built.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, (2,))
    ...     y = x + 1.0
    >>> y
    SymbolicTensor(shape=(2,), dtype=float32, name=AddV2:0, made at ...)
    >>> print(tl.Session(graph).run(y, {x: [1.0, 2.0]}))
    [2. 3.]
    """

    no_value = (
        "a session gives it one, as in tl.Session(graph).run(x). Use tensorlite's functions on it "
        "inside `with graph.as_default()`"
    )
    place: Place | None = None
    """Into what nodes are put that operators are made from now on; None: the graph itself."""
    texts_as_bytes = False
    """Whether strings that are fetched are bytes, as TensorFlow's are."""
    not_own = (
        "All that an operator takes must be from the same graph as its other inputs: run what is "
        "of another in a session, and feed the value"
    )

    def __init__(self, name: str = "graph") -> None:
        _check_name(name)
        super().__init__(name)
        self.lock = LendingLock()
        """Held while a node is made, and by what reads or takes back what has been made."""
        self.growth = Growth(self.nodes)
        self._finalized: Line | None = None
        self._named: dict[str, Node] = {}
        self._building = _Building(self)

    @property
    def captured(self) -> dict[SymbolicTensor, Tensor]:
        """The inputs that stand for tensors from outside, such as variables' handles."""
        return {inner: outer for outer, inner in self._building.captures.values()}

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """Make nodes of this graph out of the operators called inside the block."""
        with interpreted_by(self._building):
            yield self
        self.effects = list(self._building.effects)

    def finalize(self) -> None:
        """Refuse every node from now on: FailedPreconditionError, which says where it was asked.

        A loop that adds a node in every turn is so found at its first.
        """
        if self._finalized is None:
            self._finalized = user_line()

    def reopen(self) -> None:
        """Take nodes again: what a session that finalized the graph does when it ends."""
        self._finalized = None

    @property
    def finalized(self) -> bool:
        """Whether the graph takes no more nodes."""
        return self._finalized is not None

    def add(
        self,
        op: Op,
        inputs: Iterable[SymbolicTensor],
        *,
        device: DeviceName = ANYWHERE,
        group: str = "",
        control: tuple[Node, ...] = (),
        name: str = "",
        line: Line = UNKNOWN,
        specs: Sequence[TensorSpec] | None = None,
    ) -> Node:
        """Return the node that applies `op`; FailedPreconditionError in a finalized graph."""
        self._refuse_if_finalized(op)
        with self.lock:
            place = self.place
            node = super().add(
                op,
                inputs if place is None else place.taken(op, inputs, name),
                device=device,
                group=group,
                control=control,
                name=name,
                line=line,
                specs=specs,
            )
            if place is not None:
                place.put(node)
        return node

    @contextmanager
    def putting(self, place: Place) -> Iterator[None]:
        """Put nodes that operators are made inside into a place."""
        with self.lock:
            before, self.place = self.place, place
            try:
                yield
            finally:
                self.place = before

    def append(
        self,
        op: Op,
        inputs: Iterable[SymbolicTensor],
        name: str,
        control: tuple[Node, ...] = (),
    ) -> Node:
        """Return a new node of just this name; FailedPreconditionError in a finalized graph."""
        self._refuse_if_finalized(op)
        with self.lock:
            return super().append(op, inputs, name, control)

    def _refuse_if_finalized(self, op: Op) -> None:
        if self._finalized is not None:
            raise FailedPreconditionError(
                f"Graph is finalized and cannot be modified. {op.name} at {user_line()}: "
                f"{self.name} takes no more nodes, it was finalized at {self._finalized}. "
                "Build the whole graph before, and feed what changes"
            )

    def get_operation_by_name(self, name: str) -> Node:
        """Return the node of that name; NotFoundError when there is none, with near ones."""
        _check_name(name)
        if len(self._named) != len(self.nodes):
            self._named = {node.name: node for node in self.nodes}
        found = self._named.get(name)
        if found is None:
            near = ", ".join(get_close_matches(name, self._named, 3, 0.5)) or "none"
            raise NotFoundError(
                f"{self.name} has no node {name!r}; with a name like it: {near}. The name "
                "refers to an Operation not in the graph"
            )
        return found

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """Return the tensor that a name such as "MatMul:0" says: a node and which output.

        InvalidArgumentError for a name of another form, NotFoundError when there is none such.
        """
        _check_name(name)
        node_name, colon, index = name.rpartition(":")
        if not colon or not index.isdecimal():
            raise InvalidArgumentError(
                f"{name!r} names no tensor; its name is that of a node, a colon and the number of "
                "the output, as in 'MatMul:0'"
            )
        node = self.get_operation_by_name(node_name)
        if int(index) >= len(node.outputs):
            raise NotFoundError(
                f"{name!r}: {node.name} has {len(node.outputs)} outputs, counted from 0"
            )
        return node.outputs[int(index)]


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise DTypeError(f"{name!r} is no name; give a str")


class _Building(Tracer):
    """A tracer whose graph stays open; eager tensors are constants in it, effects unordered."""

    def __init__(self, graph: ManualGraph) -> None:
        super().__init__(graph.name)
        self.graph = graph
        self._lock = graph.lock

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of a node that applies `op`."""
        with self._lock:
            return super().apply(op, inputs)

    def own(self, x: Tensor) -> SymbolicTensor:
        """Return `x` as a tensor of this graph, a constant if it has a value."""
        if isinstance(x, EagerTensor) and isinstance(x.array, np.ndarray):
            return self.graph.add(Const(x.array), (), line=user_line()).outputs[0]
        return super().own(x)

    def _control(
        self, op: Op, inputs: tuple[SymbolicTensor, ...]
    ) -> tuple[Node, ...]:
        """Return nothing: whoever builds a graph by hand orders effects by hand."""
        return ()

    def _asked(self, control: tuple[Any, ...]) -> list[Node]:
        for x in control:
            node = x.node if isinstance(x, SymbolicTensor) else x
            if isinstance(node, Node) and node.graph is not self.graph:
                raise InvalidArgumentError(
                    f"tl.control_dependencies: {node.name}, made at {node.line}, is no node of "
                    f"{self.graph.name}, which is being built, but of {node.graph.name}"
                )
        return super()._asked(control)


def building() -> Tracer | None:
    """Return the tracer at hand if what it makes ends in a graph built by hand, else None.

    That is the graph's own, or one of a branch or a loop in it. A traced function's is none of
    these, though it be called there: its effects run when it does.
    """
    return None if default_graph() is None else outermost()


def default_graph() -> ManualGraph | None:
    """Return the graph that is being built by hand here, if one is."""
    tracer = outermost()
    while tracer is not None and not tracer.is_function:
        if isinstance(tracer.graph, ManualGraph):
            return tracer.graph
        below = None if tracer.below is None else tracer.below.tracer
        tracer = below if isinstance(below, Tracer) else None
    return None


def placeholder(
    spec: TensorSpec | DTypeLike, shape: Sequence[Dim] | None = None
) -> SymbolicTensor:
    """Return a tensor of the `tl.Graph` being built whose value is fed when a session runs it.

    `spec` is a `tl.TensorSpec`, whose name becomes the node's, or a dtype beside a shape, in
    which None stands for a size, or for the whole, that is not known. FailedPreconditionError
    outside `with graph.as_default()`. Source: TensorFlow's `tf.compat.v1.placeholder`.

    >>> with tl.Graph().as_default():
    ...     x = tl.placeholder(tl.float32, (None, 3))
    ...     y = tl.placeholder(tl.TensorSpec((None,), tl.float32, name="y"))
    >>> x.name, y.name
    ('Placeholder:0', 'y:0')
    """
    tracer = building()
    if tracer is None or not isinstance(tracer.graph, ManualGraph):
        raise FailedPreconditionError(
            "tl.placeholder makes a node of a graph: call it inside `with graph.as_default()`, "
            "where graph = tl.Graph(), and not in a branch, a loop or a traced function"
        )
    if isinstance(spec, TensorSpec):
        if shape is not None:
            raise DTypeError("tl.placeholder: a TensorSpec has its shape in it")
        whole = spec
    else:
        whole = TensorSpec(shape, spec)
    check_sizes(whole.shape)
    here, name = scope.get(), whole.name or "Placeholder"
    bare = TensorSpec(whole.shape, whole.dtype)
    x = tracer.graph.add_input(bare, f"{here.name}/{name}" if here.name else name)
    x.node.line, x.node.device, x.node.group = user_line(), here.device, here.group
    return x
