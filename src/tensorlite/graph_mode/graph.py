"""Graph: one that names its nodes as TensorFlow does, and the stack of graphs being built.

Which thread builds which graph is known here; what sessions run stands in sessions.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from threading import local
from typing import Any, ClassVar, ParamSpec, Self

from tensorlite.core.check import one_of
from tensorlite.core.dispatch import current, interpreted_by, tracer
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.operand import Manner
from tensorlite.core.scope import Scope, scope
from tensorlite.graph.graph import Graph as BareGraph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph, default_graph
from tensorlite.graph.trace import Tracer
from tensorlite.ops.state.making import creation

P = ParamSpec("P")
TITLES = {
    "AddV2": "add",
    "ConcatV2": "concat",
    "CustomGradient": "IdentityN",
    "FloorDiv": "floordiv",
    "Mul": "mul",
    "PadV2": "Pad",
    "Range": "range",
    "RealDiv": "truediv",
    "StridedSlice": "strided_slice",
    "Sub": "sub",
    "Transpose": "transpose",
}
"""What TensorFlow's functions in Python call the nodes of some operators that nobody names."""

NAMED = "named"
"""Under what a graph keeps nodes whose names were given: they stay."""


class Graph(ManualGraph):
    """A graph in which every call makes a node of its own, named as TensorFlow names it.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> with Graph().as_default() as graph, name_scope("layer"):
    ...     x, y = tl.exp(tl.ones(2)), tl.exp(tl.ones(2))
    >>> x.name, y.name, graph.free_name("LAYER")
    ('layer/Exp:0', 'layer/Exp_1:0', 'LAYER_1')
    """

    shares = False
    as_called = True
    texts_as_bytes = True
    titles = TITLES

    def __init__(self, name: str = "graph") -> None:
        super().__init__(name)
        self.collections: dict[str, list[Any]] = {}
        self.seed: int | None = None
        """The seed that random operators without one of their own draw by."""
        self.scopes: dict[str, Any] = {}
        """What parts of this layer keep for a graph: the variable scope, counters."""
        self.left = 0
        """How many nodes have graphs inside that are being made, but were left by `outside`."""
        self.renamed = 0
        """How often a node was given another name."""
        self.entered: dict[str, dict[str, set[str]]] = {}
        """What scopes that were entered by their whole names have made, by where that was."""
        self._used: dict[str, int] = {}

    def take(self, names: Iterable[str]) -> None:
        """Number what is named from now on as if these names were taken."""
        for name in names:
            self._used.setdefault(name.lower(), 1)

    def free_name(self, name: str, mark: bool = True) -> str:
        """Return `name`, with a number behind it if it is taken but for the case of letters."""
        with self.lock:
            return self._free_name(name, mark)

    def _free_name(self, name: str, mark: bool) -> str:
        key = name.lower()
        number = self._used.get(key, 0)
        if mark:
            self._used[key] = number + 1
        if not number:
            if mark:
                self._counts[name] = 1
            return name
        unique = name
        while unique.lower() in self._used:
            unique = f"{name}_{number}"
            number += 1
        if mark:
            self._used[unique.lower()] = 1
            self._counts[unique] = 1
        return unique

    def reserve(self, names: Any) -> None:
        """Keep names for nodes that are appended; GraphError for one that is taken."""
        given = list(names)
        super().reserve(given)
        self._used.update({name.lower(): 1 for name in given})

    def rename(self, node: Node, name: str) -> None:
        """Give a node a name that `free_name` or a name scope has returned.

        The one that it had is free again.
        """
        if node.name.lower() != name.lower():
            self._used.pop(node.name.lower(), None)
            self._counts.pop(node.name, None)
        node.name = name
        self.renamed += 1
        self._named = {}

    @contextmanager
    def undoing(self) -> Iterator[None]:
        """Take back the nodes that are made inside the block, and their names, if it raises."""
        with self.lock:  # what another thread made meanwhile would be taken back, too
            nodes, named = list(self.nodes), set(self.kept.get(NAMED, ()))
            names = dict(self._used), dict(self._counts), set(self._reserved)
            try:
                yield
            except BaseException:
                self.nodes[:] = nodes
                self._used, self._counts, self._reserved = names
                self.kept[NAMED] = named
                self._named = {}
                raise

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """Make this the graph that is built inside the block, by this thread."""
        inside = outermost_graph() is self or (
            not stack.graphs and mode.graph is self
        )
        token = None if inside else scope.set(Scope())
        stack.graphs.append(self)
        try:
            with self.building():
                yield self
        finally:
            stack.graphs.remove(self)
            if token is not None:
                scope.reset(token)

    def count_written(self) -> int | None:
        """Return how many operations the graph is written with, None where nobody writes it."""
        return None

    def switch_to_thread_local(self) -> None:
        """Do nothing: devices, scopes and control dependencies are each thread's own here."""

    def building(self) -> AbstractContextManager[None]:
        """Make nodes of this graph out of the operators called inside the block."""
        return interpreted_by(self._building)

    def get_collection_ref(self, name: str) -> list[Any]:
        """Return a collection itself, which changes with the graph."""
        return self.collections.setdefault(name, [])

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """Return what a collection holds, or that of it whose names begin as `scope` says."""
        held = list(self.collections.get(name, ()))
        if not scope:
            return held
        pattern = re.compile(scope)
        return [x for x in held if pattern.match(str(getattr(x, "name", "")))]

    def add_to_collection(self, name: str, value: Any) -> None:
        """Add to a collection."""
        self.get_collection_ref(name).append(value)


class _Stack(local):
    """The graphs and sessions that a thread has made the default, innermost last."""

    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        self.sessions: list[Any] = []
        self.eager = 0
        """How many Python functions that a running graph calls this thread is in."""


stack = _Stack()


class Mode:
    """Whether programs that say nothing of it build a graph, for the whole process."""

    eager: bool | None = None
    """None: nobody has said."""
    older = False
    """Whether programs are TensorFlow 1's though they compute at once."""
    equality: bool | None = None
    """Whether `==` compares elements; None: in TensorFlow 2's programs."""
    plain_sizes = False
    """Whether shapes have numbers and None for sizes in graphs, too, as TensorFlow 2's have."""
    resources = False
    """Whether variables of graphs are resources that do not say what they are."""
    kind: type[Graph] = Graph
    """The class of graphs that are made by themselves."""
    graph: Graph | None = None
    """The graph that all threads build which have no other one."""
    second: bool | None = None
    """Whether programs are TensorFlow 2's where a block has them build graphs; None: no block."""

    def is_second(self) -> bool:
        """Return whether programs are TensorFlow 2's."""
        if self.second is not None:
            return self.second
        return self.eager is not False and not self.older

    def compares_tensors(self) -> bool:
        """Return whether `==` of two tensors that have their values asks if they are one."""
        return self.older if self.equality is None else not self.equality


mode = Mode()
Manner.is_older = lambda: mode.older
Manner.compares_tensors = mode.compares_tensors


def get_default_graph() -> Graph:
    """Return the graph that is built here, made now if there is none."""
    found = outermost_graph()
    if found is not None:
        return found
    if stack.graphs:
        return stack.graphs[-1]
    if mode.graph is None:
        mode.graph = mode.kind()
    return mode.graph


def reset_default_graph() -> None:
    """Begin the graph of all threads anew; FailedPreconditionError inside another one."""
    if stack.graphs:
        raise FailedPreconditionError(
            "reset_default_graph: not inside `with graph.as_default()`, nor inside a session's "
            "block: leave that first"
        )
    mode.graph = None
    scope.set(Scope())


def outermost_graph() -> Graph | None:
    """Return the graph that what is called here ends in, if operators make nodes already."""
    top = current.get()
    if top is None or top.tracer is None:
        return None
    found = default_graph()
    return found if isinstance(found, Graph) else None


def active_graph() -> Graph | None:
    """Return the graph that is built here; None where operators run, or a function is traced."""
    if tracer() is not None:
        return outermost_graph()
    if stack.eager:
        return None
    if stack.graphs:
        return stack.graphs[-1]
    return None if mode.eager is not False else get_default_graph()


@contextmanager
def at_once() -> Iterator[None]:
    """Let what is called inside run at once, as Python functions do that a graph calls."""
    stack.eager += 1
    try:
        if tracer() is None:  # tapes record on
            yield
        else:
            with interpreted_by(None):
                yield
    finally:
        stack.eager -= 1


def inner_graph(graph: Graph) -> BareGraph:
    """Return the graph that nodes are added to now: `graph`, or that of a branch or loop in it."""
    found = tracer()
    return found.graph if isinstance(found, Tracer) else graph


def nodes_inside(graph: Graph) -> int:
    """Return how many nodes have the branches and loops inside a graph that are being made."""
    count, found = graph.left, tracer()
    while isinstance(found, Tracer) and found.graph is not graph:
        count += len(found.graph.nodes)
        found = None if found.below is None else found.below.tracer
    return count


@contextmanager
def built(graph: Graph) -> Iterator[BareGraph]:
    """Make operators called inside nodes of `graph`, or of the region of it that is traced."""
    if tracer() is not None:
        yield inner_graph(graph)
        return
    with graph.building():
        yield graph


@contextmanager
def name_scope(name: str | None, default: str | None = None) -> Iterator[str]:
    """Put a name before those of what is made inside, unlike any used before; yields it and "/".

    A name that ends in "/" is taken as it is, which is how a scope is entered again; None and ""
    leave all scopes.
    """
    wanted = default if name is None else one_of(name, str, "name", "a text")
    here = scope.get()
    graph = active_graph()
    if not wanted:
        whole = here.name if name is None and default is None else ""
    elif wanted.endswith("/"):
        whole = wanted[:-1]
    else:
        if graph is not None or tracer() is not None:
            check_scope_name(wanted, bool(here.name))
        joined = f"{here.name}/{wanted}" if here.name else wanted
        whole = joined if graph is None else inner_graph(graph).free_name(joined)
    again: AbstractContextManager[None] = nullcontext()
    if graph is not None and wanted and wanted.endswith("/"):
        again = _numbered_on(graph, whole, here.name)
    token = scope.set(here._replace(name=whole))
    try:
        with again:
            yield f"{whole}/" if whole else ""
    finally:
        scope.reset(token)


@contextmanager
def _numbered_on(graph: Graph, whole: str, place: str) -> Iterator[None]:
    """Number names in a scope that is entered again behind those of other branches and loops."""
    within, known = inner_graph(graph), graph.entered.setdefault(whole, {})
    for other, names in known.items():
        if other != place:
            within.take(names)
    count = len(within.nodes)
    try:
        yield
    finally:
        made = known.setdefault(place, set())
        for node in within.nodes[count:]:
            name = node.name
            while len(name) > len(whole) and name.startswith(whole):
                made.add(name)
                name = name.rpartition("/")[0]


class _Lasting(AbstractContextManager[Any]):
    """A block that lasts until it is left, though nobody holds it meanwhile."""

    _entered: ClassVar[list[AbstractContextManager[Any]]] = []

    def __init__(self, block: AbstractContextManager[Any]) -> None:
        self._block = block

    def __enter__(self) -> Any:
        entered = self._block.__enter__()
        self._entered.append(self._block)
        return entered

    def __exit__(self, *error: Any) -> bool | None:  # noqa: PYI036
        self._entered.remove(self._block)
        return self._block.__exit__(*error)


def lasting(
    blocks: Callable[P, AbstractContextManager[Any]],
) -> Callable[P, AbstractContextManager[Any]]:
    """Return a function of blocks that programs may enter without ever leaving them.

    `scope("a").__enter__()` holds nothing; a generator's block would end there.
    """

    @wraps(blocks)
    def lasting_block(
        *args: P.args, **kwargs: P.kwargs
    ) -> AbstractContextManager[Any]:
        return _Lasting(blocks(*args, **kwargs))

    return lasting_block


def titled(made: Any, name: str) -> Any:
    """Return a tensor or node just made in a graph, which is called so below the scope from now."""
    first = made[0] if isinstance(made, list) else made
    node = first.node if isinstance(first, SymbolicTensor) else first
    if isinstance(node, Node) and node.graph.as_called:
        here = scope.get().name
        whole = f"{here}/{name}" if here else name
        node.graph.rename(node, node.graph.free_name(whole))
    return made


def check_scope_name(name: str, is_inside: bool = False) -> None:
    """Raise InvalidArgumentError for what is no name of a scope, or of one inside another."""
    allowed = (
        name.replace("/", "").replace("\\", "").replace("-", "").replace(".", "")
    )
    plain = allowed.replace("_", "").replace(">", "")
    if (
        not plain.isascii()
        or not (plain.isalnum() or not plain)
        or (not is_inside and name[0] in "/\\-_")
    ):
        raise InvalidArgumentError(
            f"{name!r} is not a valid scope name, nor a node's; allowed are letters, digits, and "
            ". _ \\ - / behind a letter, a digit or a dot"
        )


@contextmanager
def outside() -> Iterator[None]:
    """Leave branches, loops and control dependencies: what is made inside stands by itself.

    In a traced function what is inside runs at once, and variables made there are no part of it.
    """
    graph = active_graph()
    token = scope.set(scope.get()._replace(control=()))
    is_traced = graph is None and tracer() is not None
    maker = creation.set(None if is_traced else creation.get())
    left = 0 if graph is None else graph.left
    if graph is not None:
        graph.left = nodes_inside(graph)
    try:
        with interpreted_by(None) if graph is None else graph.building():
            yield
    finally:
        if graph is not None:
            graph.left = left
        creation.reset(maker)
        scope.reset(token)
