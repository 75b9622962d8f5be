"""Session: runs parts of a graph built by hand, as TensorFlow 1's does.

Which part that is, extract.py says; what may be fed, feeds.py; how it runs, compile.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import RLock
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from tensorlite.core import nest
from tensorlite.core.collecting import uncollected
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled, check_runner
from tensorlite.function.extract import extract
from tensorlite.function.feeds import Feed, feeds_of
from tensorlite.function.fetches import Key, Wanted, key_of
from tensorlite.function.partial import PartialRun, Setup, partial_run_of
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import ManualGraph, default_graph


@runtime_checkable
class Target(Protocol):
    """What runs sessions elsewhere: a cluster."""

    @property
    def default_device(self) -> DeviceName:
        """Where nodes run that ask for no device."""


class Session:
    """Runs what is asked for of a `tl.Graph`, and what that depends on.

    Without a graph it takes the one being built around it. Sessions keep no state: variables hold
    theirs, and any number of sessions and threads may run over one graph at once. As a context it
    makes its graph the default one, and closes at the end. `target` names whom to ask to run it;
    "" is this process, and a cluster of `tl.distribute` runs on its tasks what asks for no device,
    on the first worker. `runner` is as for `tl.function`.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = tl.placeholder(tl.float32, (None,))
    ...     mean, total = tl.mean(x), tl.sum(x)
    >>> with tl.Session(graph) as session:
    ...     session.run({"mean": mean, "total": total}, {x: [1.0, 3.0]})
    {'mean': np.float32(2.0), 'total': np.float32(4.0)}
    """

    def __init__(
        self,
        graph: ManualGraph | None = None,
        target: Target | str = "",
        runner: str | None = None,
    ) -> None:
        if not isinstance(target, Target) and target != "":
            raise InvalidArgumentError(
                f"target={target!r}; allowed are '', which is this process, and a cluster, as "
                "tl.distribute.connect(...) returns it"
            )
        chosen = default_graph() if graph is None else graph
        if chosen is None:
            raise FailedPreconditionError(
                "tl.Session() without a graph takes the default one, and there is none here: give "
                "one, tl.Session(graph), or call it inside `with graph.as_default()`"
            )
        if not isinstance(chosen, ManualGraph):
            raise DTypeError(
                f"tl.Session: graph={chosen!r}; a session runs a tl.Graph"
            )
        if isinstance(target, Target):
            _ = target.default_device  # which a closed cluster has not
        self.graph = chosen
        self.target = target
        self.runner = check_runner(runner)
        self.closed = False
        self._steps: dict[Key, Step] = {}
        self._setups: dict[Key, Setup] = {}
        self._lock = RLock()
        self._default: AbstractContextManager[ManualGraph] | None = None

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Return the values of `fetches`, given those in `feed_dict` for some tensors.

        Fetches are tensors, variables, nodes, names of tensors ("x:0") and nodes ("x"), and nests
        of these; values come in the same structure, as NumPy arrays and scalars of the caller's
        own, None for a node. Any tensor computed in the graph may be fed, with a value of its dtype
        and shape: an array, a tensor, a number, a list. A variable that is fetched is read behind
        what the same run writes to it; for all else order is by data and `tl.control_dependencies`.

        Raises InvalidArgumentError for a placeholder that is needed and not fed, and for what
        cannot be fed or fetched, DTypeError and ShapeError for values that do not fit,
        NotFoundError for unknown names, FailedPreconditionError when the session is closed or the
        graph empty, and whatever the nodes raise. The next run works as if nothing had been.
        Source: `tf.compat.v1.Session.run`.
        """
        if self.closed:
            raise _closed()
        given = {} if feed_dict is None else feed_dict
        bare = type(fetches) is SymbolicTensor
        leaves = [fetches] if bare else nest.flatten(fetches)
        step = self._steps.get(key_of(leaves, given))
        if step is None:
            step = self._prepared(fetches, leaves, _checked(given))
        self.graph.growth.note_run()
        values = step.run(given.values())
        return values[0] if bare else nest.pack_like(fetches, values)

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] = ()
    ) -> Callable[..., Any]:
        """Return a function of one value per tensor in `feed_list` that returns what `run` would.

        All is checked and compiled now, so that a call is quicker.

        >>> graph = tl.Graph()
        >>> with graph.as_default():
        ...     x = tl.placeholder(tl.float32, ())
        ...     y = x * x
        >>> square = tl.Session(graph).make_callable(y, [x])
        >>> print(square(3.0))
        9.0
        """
        if self.closed:
            raise _closed()
        feeds = _listed("make_callable: feed_list", feed_list)
        step = self._prepared(fetches, nest.flatten(fetches), feeds)

        def call(*values: Any) -> Any:
            if self.closed:
                raise _closed()
            if len(values) != len(feeds):
                wanted = ", ".join(getattr(x, "name", str(x)) for x in feeds)
                raise InvalidArgumentError(
                    f"this callable takes {len(feeds)} values ({wanted or 'none'}), not "
                    f"{len(values)}"
                )
            self.graph.growth.note_run()
            return nest.pack_like(fetches, step.run(values))

        return call

    def partial_run_setup(
        self, fetches: Any, feeds: Sequence[Any] = ()
    ) -> PartialRun:
        """Return a step to be taken in several calls of `partial_run`.

        `fetches` and `feeds` are all that these will fetch and feed, each once. Raises what `run`
        raises for them. Source: `tf.compat.v1.Session.partial_run_setup`.
        """
        if self.closed:
            raise _closed()
        leaves = nest.flatten(fetches)
        feeds = _listed("partial_run_setup: feeds", feeds)
        with self.graph.lock, self._lock:
            setup = self._setups.get(key_of(leaves, feeds))
            if setup is None:
                found = feeds_of(self.graph, feeds)
                wanted = Wanted(self.graph, leaves, nest.paths(fetches))
                setup = Setup(self.graph, self.runner, found, wanted.fetches)
                self._setups[key_of(leaves, feeds)] = setup
        return PartialRun(setup)

    def partial_run(
        self,
        handle: PartialRun,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
    ) -> Any:
        """Return the values of `fetches` in a step begun by `partial_run_setup`.

        What is fed stays fed, and what ran in an earlier call does not run again: random numbers
        and assignments happen once. A call that fails while it runs ends the step, and later ones
        raise AbortedError. InvalidArgumentError for what the setup does not name, for what is fed
        or fetched a second time, and where feeds are missing.

        >>> graph = tl.Graph()
        >>> with graph.as_default():
        ...     x, y = tl.placeholder(tl.float32, ()), tl.placeholder(tl.float32, ())
        ...     double = x + x
        ...     product = double * y
        >>> session = tl.Session(graph)
        >>> step = session.partial_run_setup([double, product], [x, y])
        >>> first = session.partial_run(step, double, {x: 3.0})
        >>> print(session.partial_run(step, product, {y: first + 1.0}))
        42.0
        """
        if self.closed:
            raise _closed()
        step = partial_run_of(handle, self.graph)
        given = {} if feed_dict is None else _checked(feed_dict)
        leaves = nest.flatten(fetches)
        wanted = Wanted(self.graph, leaves, nest.paths(fetches))
        self.graph.growth.note_run()
        found = step.run(wanted, feeds_of(self.graph, given), given.values())
        return nest.pack_like(fetches, found)

    def close(self) -> None:
        """End the session: later runs raise FailedPreconditionError. Those under way go on."""
        self.closed = True
        self._steps.clear()
        self._setups.clear()

    def __enter__(self) -> Self:
        """Make the session's graph the default one."""
        if self.closed:
            raise _closed()
        self._default = self.graph.as_default()
        self._default.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take that back, and close."""
        self.close()
        if self._default is not None:
            self._default.__exit__(kind, error, trace)
            self._default = None

    def __repr__(self) -> str:
        return f"<Session of {self.graph.name!r}{', closed' * self.closed}>"

    def _prepared(
        self, fetches: Any, leaves: list[Any], feeds: Iterable[Any]
    ) -> Step:
        """Return the step for some fetches and feeds, made now and kept."""
        with self.graph.lock, self._lock:  # in this order, as who builds may prepare
            if not self.graph.nodes:
                raise FailedPreconditionError(
                    f"the graph {self.graph.name!r} is empty: build it inside "
                    "`with graph.as_default()` first"
                )
            feeds = list(feeds)
            found = feeds_of(self.graph, feeds)
            wanted = Wanted(self.graph, leaves, nest.paths(fetches))
            with uncollected():
                tensors = [feed.tensor for feed in found]
                part = extract(self.graph, tensors, wanted.fetches)
            compiled = Compiled(part.graph, self.runner)
            compiled.captured = len(part.captured)
            default = (
                self.target.default_device
                if isinstance(self.target, Target)
                else None
            )
            step = Step(compiled, found, part.captured, wanted, default)
            self._steps[key_of(leaves, feeds)] = step
            return step


class Step:
    """What a session runs for one set of feeds and one list of fetches."""

    __slots__ = ("_captured", "_compiled", "_default", "_feeds", "_wanted")

    def __init__(
        self,
        compiled: Compiled,
        feeds: list[Feed],
        captured: list[Tensor],
        wanted: Wanted,
        default: DeviceName | None = None,
    ) -> None:
        self._default = default
        self._compiled = compiled
        self._feeds = feeds
        self._captured = [x.array for x in captured]
        self._wanted = wanted

    def run(self, values: Iterable[Any]) -> list[Any]:
        """Return what is fetched, given a value for each feed."""
        arrays = [feed.array(x) for feed, x in zip(self._feeds, values, strict=True)]
        return self._wanted.values(
            self._compiled.run([*arrays, *self._captured], self._default, values=True)
        )


def _listed(name: str, feeds: Any) -> list[Any]:
    if isinstance(feeds, (list, tuple)):
        return list(feeds)
    raise DTypeError(f"{name}={feeds!r}; give a list of tensors")


def _checked(feed_dict: Any) -> Mapping[Any, Any]:
    if not isinstance(feed_dict, Mapping):
        raise DTypeError(
            f"feed_dict={feed_dict!r}; give a dict from tensors to values"
        )
    return feed_dict


def _closed() -> FailedPreconditionError:
    return FailedPreconditionError(
        "Attempted to use a closed Session. It runs nothing any more; make another one, which is "
        "cheap"
    )
