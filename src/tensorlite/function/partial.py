"""Partial runs: one step of a session taken in several calls, each node run at most once.

Each call runs what its fetches need and no call before has run; values that later calls need are
kept between. TensorFlow keeps a step running that waits for feeds; here nothing runs between calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import RLock
from typing import Any

from tensorlite.core.constant import Const
from tensorlite.core.errors import (
    AbortedError,
    InvalidArgumentError,
)
from tensorlite.core.op import Role
from tensorlite.core.xp import Array
from tensorlite.function.compile import Compiled
from tensorlite.function.extract import Fetch, extract, needed
from tensorlite.function.feeds import Feed
from tensorlite.function.fetches import Wanted
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.ops.state.variable import Variable

PRIMITIVES = frozenset(
    {Role.SWITCH, Role.MERGE, Role.ENTER, Role.EXIT, Role.NEXT, Role.LOOP_COND}
)


class Setup:
    """What may be fed and fetched in a partial run; what its calls compile is kept here."""

    def __init__(
        self,
        graph: ManualGraph,
        runner: str | None,
        feeds: Sequence[Feed],
        fetches: Sequence[Fetch],
    ) -> None:
        if not fetches:
            raise InvalidArgumentError(
                "partial_run_setup: specify at least one target to fetch or execute."
            )
        self.graph = graph
        self.runner = runner
        self.feeds = {id(feed.tensor): feed for feed in feeds}
        self.fetches = list(fetches)
        self.stages: dict[tuple[Any, ...], Stage] = {}
        """By the stage before, what is fed by then, and what is fetched."""
        for node in needed(fetches, self.feeds, graph.captured):
            if node.op.role in PRIMITIVES:
                raise InvalidArgumentError(
                    f"partial_run_setup: {node.name}, made at {node.line}, is a primitive of a "
                    "loop or branch, whose run cannot be taken in parts; use tl.while_loop and "
                    "tl.cond, or session.run"
                )

    def stage(
        self,
        before: Stage | None,
        fed: Mapping[int, Array],
        fetches: Sequence[Fetch],
    ) -> Stage:
        """Return what runs for `fetches` behind the stages so far, when `fed` is fed by then."""
        key = (before, tuple(sorted(fed)), tuple(map(id, fetches)))
        known = self.stages.get(key)
        if known is None:
            known = self.stages[key] = Stage(self, before, fed, fetches)
        return known


class Stage:
    """One call's part of a partial run."""

    def __init__(
        self,
        setup: Setup,
        before: Stage | None,
        fed: Mapping[int, Array],
        fetches: Sequence[Fetch],
    ) -> None:
        self.fetches = fetches
        asked = set(map(id, fetches))
        left = setup.fetches if before is None else before.left
        kept: list[SymbolicTensor] = [] if before is None else before.kept
        done: frozenset[Node] = frozenset() if before is None else before.done
        outside = setup.graph.captured
        self.left: list[Fetch] = [x for x in left if id(x) not in asked]
        run = needed(
            fetches, setup.feeds.keys() | {id(x) for x in kept}, outside, done
        )
        self._check(setup, run, fed)
        self.done: frozenset[Node] = done | {node for node in run if _runs_once(node)}
        later = needed(self.left, setup.feeds, outside)
        used = _used(later - self.done, self.left)
        self.kept: list[SymbolicTensor] = [
            x for x in used if x.node in self.done and id(x) not in setup.feeds
        ]
        """What has been computed by now and is needed later."""
        self.given = [*kept, *[setup.feeds[key].tensor for key in sorted(fed)]]
        have = {id(x) for x in self.given}
        self.made = [x for x in self.kept if id(x) not in have]
        part = extract(setup.graph, self.given, [*fetches, *self.made], done)
        self.captured = [x.array for x in part.captured]
        self.compiled = Compiled(part.graph, setup.runner)

    def _check(
        self, setup: Setup, run: Iterable[Node], fed: Mapping[int, Array]
    ) -> None:
        """Raise InvalidArgumentError where what is needed is to be fed, and is not yet."""
        for x in _used(run, self.fetches):
            if id(x) in setup.feeds and id(x) not in fed:
                listed = ", ".join(_name(y) for y in self.fetches)
                raise InvalidArgumentError(
                    f"{listed} cannot be computed from what has been fed so far: feed {x.name}, "
                    f"made at {x.node.line}, too"
                )


def _runs_once(node: Node) -> bool:
    return node.op.role is not Role.INPUT and not isinstance(node.op, Const)


def _used(nodes: Iterable[Node], fetches: Iterable[Fetch]) -> list[SymbolicTensor]:
    """Return the tensors that nodes take and that are fetched, each once."""
    found = {id(x): x for node in nodes for x in node.inputs}
    found |= {id(x): x for x in fetches if isinstance(x, SymbolicTensor)}
    return list(found.values())


class PartialRun:
    """A step that is taken in several calls of `tl.Session.partial_run`."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._fed: dict[int, Array] = {}
        self._values: dict[int, Array] = {}
        self._stage: Stage | None = None
        self._given_up = False
        self._lock = RLock()

    def run(
        self, wanted: Wanted, feeds: Sequence[Feed], values: Iterable[Any]
    ) -> list[Any]:
        """Return the values of what is wanted now, each of which is asked for once."""
        with self._lock:
            if self._given_up:
                raise AbortedError(
                    "this partial run was given up when a call of it failed; set up another"
                )
            fetches = self._checked(wanted.fetches)
            fed = dict(self._fed)
            for feed, value in zip(feeds, values, strict=True):
                self._check_feed(feed.tensor)
                fed[id(feed.tensor)] = feed.array(value)
            if not fetches:
                self._fed = fed
                return wanted.values(())
            stage = self.setup.stage(self._stage, fed, fetches)
            return wanted.values(self._advance(stage, fed, wanted))

    def _advance(
        self, stage: Stage, fed: dict[int, Array], wanted: Wanted
    ) -> list[Array]:
        known = self._values | fed
        given = [known[id(x)] for x in stage.given]
        try:
            outputs = stage.compiled.run([*given, *stage.captured], values=True)
        except BaseException:
            self._given_up = True
            self._values, self._fed = {}, {}
            raise
        valued = sum(not isinstance(x, Node) for x in wanted.fetches)
        made = zip(stage.made, outputs[valued:], strict=True)
        known |= {id(x): array for x, array in made}
        self._values = {id(x): known[id(x)] for x in stage.kept}
        self._fed, self._stage = fed, stage
        return list(outputs[:valued])

    def _checked(self, fetches: Sequence[Fetch]) -> list[Fetch]:
        left = self.setup.fetches if self._stage is None else self._stage.left
        for x in fetches:
            if any(x is y for y in left):
                continue
            if any(x is y for y in self.setup.fetches):
                raise InvalidArgumentError(
                    f"The fetch {_name(x)} has already been fetched."
                )
            raise InvalidArgumentError(
                f"The fetch {_name(x)} was not specified in partial_run_setup."
            )
        return list(fetches)

    def _check_feed(self, x: SymbolicTensor) -> None:
        if id(x) not in self.setup.feeds:
            raise InvalidArgumentError(
                f"The feed {x.name} was not specified in partial_run_setup."
            )
        if id(x) in self._fed:
            raise InvalidArgumentError(f"The feed {x.name} has already been fed.")


def _name(x: Fetch) -> str:
    return f"variable {x.name!r}" if isinstance(x, Variable) else x.name


def partial_run_of(handle: Any, graph: ManualGraph) -> PartialRun:
    """Return a handle; InvalidArgumentError for what is none, or one of another graph."""
    if not isinstance(handle, PartialRun):
        raise InvalidArgumentError(
            f"handle={handle!r}; give what session.partial_run_setup returned"
        )
    if handle.setup.graph is not graph:
        raise InvalidArgumentError(
            f"this partial run is of the graph {handle.setup.graph.name!r}; the session runs "
            f"{graph.name!r}"
        )
    return handle
