"""Session: one that holds the values of a graph's variables, queues and tables.

What is common to all sessions stands in function/session.py.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from tensorlite.core import nest
from tensorlite.core.constant import array_of, encoded
from tensorlite.core.containers import Container, current_container
from tensorlite.core.deadlock import Leave, leave
from tensorlite.core.device import settings, step_timeout
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import (
    CancelledError,
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.remote import Sight, sight
from tensorlite.core.waiting import ended
from tensorlite.function import session as stateless
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import Graph, get_default_graph, stack
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.state.kept_values import KeptHandle
from tensorlite.ops.state.resource import ReadVariableOp, VarHandleOp


@runtime_checkable
class Attached(stateless.Target, Protocol):
    """A session's way to tasks that keep state over sessions, by its names."""

    container: Container
    """Where what runs in this process finds state."""
    sight: Sight

    def close(self) -> None:
        """End it with its session."""


PARTS_AS: dict[type, type] = {}
"""Values made of tensors, and the named tuples of their parts that programs fetch and feed."""


class Session(stateless.Session):
    """Runs parts of a graph; variables have values of this session's own.

    As a context it is the default session, its graph is the default one, and it closes at the end.
    `soft` says whether nodes that ask for a device which is not there go to the nearest one.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> with Graph().as_default() as graph:
    ...     w = GraphVariable(1.0, name="w")
    ...     more = w.assign_add(2.0)
    >>> first, second = Session(graph=graph), Session(graph=graph)
    >>> for session in (first, second):
    ...     print(session.run(w.initializer), session.run(more), session.run("w:0"))
    None 3.0 3.0
    None 3.0 3.0
    """

    graph: Graph

    def __init__(
        self,
        target: Any = "",
        graph: Graph | None = None,
        *,
        runner: str | None = None,
        soft: bool = True,
    ) -> None:
        chosen = get_default_graph() if graph is None else graph
        if not isinstance(chosen, Graph):
            raise DTypeError(f"Session: graph={chosen!r}; a session runs a Graph")
        super().__init__(chosen, target, runner)
        self._attached = target if isinstance(target, Attached) else None
        self.container = (
            Container() if self._attached is None else self._attached.container
        )
        self.soft = soft
        self._leave = Leave()
        self._entered: list[AbstractContextManager[Any]] = []

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
    ) -> Any:
        """Return the values of `fetches`, given those in `feed_dict` for some tensors.

        As the method of sessions without state; what is fed is cast to the dtype of the tensor.
        """
        if not self.graph.nodes:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        given = None if feed_dict is None else self.fed(feed_dict)
        wanted = self.fetched(fetches, () if given is None else given)
        with self.running():
            return super().run(wanted, given)

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] = ()
    ) -> Callable[..., Any]:
        """Return a function of a value for each of `feed_list` that returns what `run` would."""
        feeds = [self.fed_tensor(x) for x in feed_list]
        with self.running():
            compiled = super().make_callable(self.fetched(fetches, feeds), feeds)

        def call(*values: Any) -> Any:
            fitted = [
                _cast(x, value) for x, value in zip(feeds, values, strict=False)
            ]
            with self.running():
                return compiled(*fitted, *values[len(fitted) :])

        return call

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] = ()) -> Any:
        """Return a step to be taken in several calls of `partial_run`."""
        with self.running():
            return super().partial_run_setup(
                self.fetched(fetches), [self.fed_tensor(x) for x in feeds]
            )

    def partial_run(
        self, handle: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None
    ) -> Any:
        """Return the values of `fetches` in a step begun by `partial_run_setup`."""
        given = None if feed_dict is None else self.fed(feed_dict)
        with self.running():
            return super().partial_run(handle, self.fetched(fetches), given)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let what runs inside find this session's variables, and nothing be traced."""
        token = current_container.set(self.container)
        waits = leave.set(self._leave)
        seen = sight.get() if self._attached is None else self._attached.sight
        sees = sight.set(seen)
        before = settings.soft_placement
        settings.soft_placement = before or self.soft
        try:
            with interpreted_by(None):
                yield
        finally:
            settings.soft_placement = before
            leave.reset(waits)
            sight.reset(sees)
            current_container.reset(token)

    def fetched(
        self, fetches: Any, fed: Collection[SymbolicTensor] | None = None
    ) -> Any:
        """Return what is fetched in the words of sessions without state.

        A variable is read behind what the run writes to it, unless its value is among what is fed,
        or `fed` is None as in a run that is taken in parts.
        """
        if type(fetches) in PARTS_AS:
            parts = PARTS_AS[type(fetches)](*nest.children(fetches))
            return self.fetched(parts, fed)
        if nest.is_nested(fetches) and hasattr(fetches, "__fetch__"):
            return self.fetched(fetches.__fetch__(), fed)
        if nest.is_nested(fetches):
            members = [self.fetched(x, fed) for x in nest.children(fetches)]
            return nest.rebuild(fetches, members)
        if isinstance(fetches, GraphVariable):
            early = fed is None or any(x is fetches.snapshot for x in fed)
            return fetches.snapshot if early or fetches.is_behind else fetches
        if isinstance(fetches, bytes):
            fetches = fetches.decode()
        if isinstance(fetches, str):
            find = self.graph.get_tensor_by_name
            named = fetches.removeprefix("^")
            fetches = (
                find(named)
                if ":" in named
                else self.graph.get_operation_by_name(named)
            )
        standing = getattr(fetches, "__fetch__", None)
        found: Any = fetches if standing is None else standing()
        if isinstance(found, Operand) and not isinstance(found, SymbolicTensor):
            found = found.__tensor__()
        return reading(found) if isinstance(found, SymbolicTensor) else found

    def fed(self, feed_dict: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return feeds, the values being of the tensors' dtypes."""
        if not isinstance(feed_dict, Mapping):
            raise DTypeError(
                f"feed_dict={feed_dict!r}; give a dict from tensors to values"
            )
        found: dict[Any, Any] = {}
        for key, value in feed_dict.items():
            for x, part in _parts(key, value):
                tensor = self.fed_tensor(x)
                found[_Key(tensor)] = _cast(tensor, part)
        return {key.tensor: value for key, value in found.items()}

    def fed_tensor(self, x: Any) -> SymbolicTensor:
        """Return the tensor of the graph that a key of feeds is, or names."""
        if isinstance(x, str):
            x = self.graph.get_tensor_by_name(x)
        if isinstance(x, GraphVariable):
            return x.snapshot
        tensor = x.__tensor__() if isinstance(x, Operand) else x
        if not isinstance(tensor, SymbolicTensor):
            raise DTypeError(
                f"feed_dict: {x!r} cannot be fed; allowed are tensors of the graph and their names"
            )
        return tensor

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """Make this the session that tensors' `eval` asks, inside the block."""
        stack.sessions.append(self)
        try:
            with self.graph.as_default():
                yield self
        finally:
            stack.sessions.remove(self)

    def __enter__(self) -> Self:
        """Make this session and its graph the default ones."""
        if self.closed:
            raise FailedPreconditionError(
                "Attempted to use a closed Session. It runs nothing any more; make another one"
            )
        if self._entered:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        block = self.as_default()
        block.__enter__()
        self._entered.append(block)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take that back, and close."""
        self.close()
        self._entered.pop().__exit__(kind, error, trace)

    def close(self) -> None:
        """End the session: what waits is cancelled, what its variables hold is given back."""
        super().close()
        self._leave.take_back(_cancelled)
        if self._attached is None:
            self.container.clear()
        else:
            self._attached.close()


def _cancelled() -> CancelledError:
    return ended(
        CancelledError("the step was cancelled: its session was closed as it waited")
    )


@contextmanager
def waiting_at_most(seconds: float | None) -> Iterator[None]:
    """Let runs inside fail with DeadlineExceededError once they have waited so long.

    None: as long as `tl.config.set_step_timeout` allows.

    >>> with waiting_at_most(2.0):
    ...     print(Session(graph=Graph()).closed)
    False
    """
    token = step_timeout.set(seconds)
    try:
        yield
    finally:
        step_timeout.reset(token)


class _Key:
    """A tensor as a key, by what it is and not by what it holds."""

    def __init__(self, tensor: SymbolicTensor) -> None:
        self.tensor = tensor

    def __hash__(self) -> int:
        return hash((id(self.tensor.node), self.tensor.index))

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, _Key)
        mine, theirs = self.tensor, other.tensor
        return mine.node is theirs.node and mine.index == theirs.index


def get_default_session() -> Session | None:
    """Return the session that `eval` and `run` of tensors and nodes ask, if there is one."""
    return stack.sessions[-1] if stack.sessions else None


def chosen_session(session: Session | None, what: str) -> Session:
    """Return a session, or the default one; InvalidArgumentError where there is none."""
    found = get_default_session() if session is None else session
    if found is None:
        raise InvalidArgumentError(
            f"{what}: there is no default session. Use `with Session() as session:`, or give one: "
            f"{what}(session=session)"
        )
    return found


def reading(x: SymbolicTensor) -> SymbolicTensor:
    """Return a tensor, or of the handle of a variable what reads it."""
    x = x.node.outputs[x.index]
    if x.dtype.kind != "R" or not isinstance(x.node.op, VarHandleOp):
        return x
    graph = x.node.graph
    known = graph.kept.setdefault("readings", {})
    if id(x) not in known:
        for node in graph.nodes:
            own = isinstance(node.op, ReadVariableOp) and node.inputs[0] is x
            if own and not node.control:
                known[id(x)] = node.outputs[0]
                return node.outputs[0]
        made = graph.add(ReadVariableOp(), (x,), name=f"{x.node.name}/read")
        known[id(x)] = made.outputs[0]
    found: SymbolicTensor = known[id(x)]
    return found


def _parts(key: Any, value: Any) -> Iterable[tuple[Any, Any]]:
    """Yield the tensors that a key stands for, such as a sparse tensor, with their values."""
    parts = getattr(key, "__feed__", None)
    if parts is not None:
        yield from parts(value)
    elif type(key) in PARTS_AS:
        parts = [x for x in nest.children(key) if x is not None]
        yield from zip(parts, value[: len(parts)], strict=True)
    elif isinstance(key, tuple) and nest.is_nested(key):
        yield from zip(nest.flatten(key), nest.flatten(value), strict=True)
    else:
        yield key, value


def _cast(x: SymbolicTensor, value: Any) -> Any:
    """Return a value that is fed as an array of the tensor's dtype."""
    wanted = x.dtype.numpy
    if isinstance(value, KeptHandle):
        value = bytes(value) if x.dtype.kind == "S" else value.eval()
    if x.dtype.kind == "S" and not isinstance(value, Operand):
        return encoded(array_of(value))
    if isinstance(value, np.ndarray) and value.dtype == wanted:
        return value
    if isinstance(value, SymbolicTensor) or x.dtype.kind in "SRV":
        return value
    if isinstance(value, Operand):
        value = value.__tensor__().numpy()
    if isinstance(value, int) and not isinstance(value, bool) and x.dtype.is_integer:
        return _held(value, x)
    try:
        return np.asarray(value, wanted)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(
            f"{x.name} ({x.spec}), made at {x.node.line}, is fed {_short(value)}, which makes no "
            f"array of {x.dtype.name}: {error}"
        ) from error


def _held(value: Any, x: Any) -> Any:
    try:
        return array_of(value, x.dtype)
    except InvalidArgumentError as error:
        if not isinstance(value, int):
            raise
        raise DTypeError(
            f"Type of feed value {value} with type {type(value).__name__} is not compatible with "
            f"Tensor type {x.dtype.name}, which cannot hold it: {error}"
        ) from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."
