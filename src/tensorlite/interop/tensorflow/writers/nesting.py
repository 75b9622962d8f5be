"""contexts_of: which branches and loops the primitives of a GraphDef belong to, one in another.

TensorFlow 1 notes it beside its graphs, and takes gradients of them by these notes. A node belongs
to the innermost branch or loop from which it takes anything:

    Switch by a predicate   begins a branch     Merge         ends both
    Enter of a frame        begins a loop       Exit          ends it

How the notes are written is in stored/contexts.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.records import Record, Source, records_of
from tensorlite.interop.tensorflow.stored.contexts import (
    BranchInfo,
    ContextInfo,
    LoopInfo,
)

_PRIMITIVES = {"Enter", "Switch", "RefEnter", "RefSwitch"}
_OWN = "pred_id"
"""The name, in a branch's scope, of the predicate that is its own."""


@dataclass(eq=False)
class _Context:
    """A branch or a loop, and what is found of it."""

    outer: _Context | None
    name: str
    pred: str = ""
    """The predicate; of a loop there is none."""
    branch: int = 0
    pivot: str = ""
    """What is there if, and only if, the branch is taken, or if there is another turn."""
    step: str = ""
    """What else is there in every turn: loops of gradients count down, and pass nothing on."""
    members: list[Record] = field(default_factory=list)
    nested: list[_Context] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """How many branches and loops it is inside of, itself among them."""
        return 1 if self.outer is None else 1 + self.outer.depth

    def is_inside(self, other: _Context | None) -> bool:
        """Return whether this is another, or inside of it."""
        here: _Context | None = self
        while here is not None and here is not other:
            here = here.outer
        return here is other


def _loop_of(context: _Context | None) -> _Context | None:
    """Return the innermost loop around what is in a branch or loop."""
    while context is not None and context.pred:
        context = context.outer
    return context


class _UnclearError(GraphDefError):
    """A graph whose branches and loops are not one inside of another."""


def contexts_of(graph_def: Any) -> dict[str, list[ContextInfo]]:
    """Return what to note of the branches and loops of a GraphDef, by the collections' names.

    Nothing is said of a graph in which a node belongs to two that are not one in the other.

    >>> contexts_of(tl.interop.tensorflow.to_graphdef(tl.Graph()))
    {}
    """
    if not any(node.op in _PRIMITIVES for node in graph_def.node):
        return {}
    try:
        found = [
            _noted(one) for one in _Nesting(records_of(graph_def.node)).outermost
        ]
    except _UnclearError:
        return {}
    listed: dict[str, list[ContextInfo]] = {
        "cond_context": [one for one in found if isinstance(one, BranchInfo)],
        "while_context": [one for one in found if isinstance(one, LoopInfo)],
    }
    return {key: members for key, members in listed.items() if members}


class _Nesting:
    """Finds the context of every node, in the order of their use."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.outermost: list[_Context] = []
        self._records = {one.name: one for one in records}
        self._contexts: dict[str, _Context | None] = {}
        self._frames: dict[str, _Context] = {}
        self._branches: dict[Any, _Context] = {}
        self._used = defaultdict[str, set[int]](set)
        for record in records:
            for source in record.inputs:
                self._used[source.node].add(source.output)
        for record in records:
            here = self._contexts[record.name] = self._context(record)
            if here is not None:
                here.members.append(record)
                self._note_pivot(record, here)
        self.outermost = _with_pivots(self.outermost, None)

    def _context(self, record: Record) -> _Context | None:
        plain = record.op.removeprefix("Ref")
        if plain == "Merge":
            return self._merged(record)
        around = self._innermost(map(self._after, record.inputs))
        waited = map(self._waited, record.control)
        if plain == "ControlTrigger":  # it waits for what is dead in branches, too
            waited = map(_loop_of, waited)
        around = self._innermost([around, *waited])
        if plain == "Enter":
            return self._entered(record, around)
        if self._is_of_one_branch(record):
            side = min(self._used[record.name], default=1)
            branch = self._branch(around, self._predicate(record), side)
            branch.pred = str(record.inputs[1])
            return branch
        return around

    def _after(self, source: Source) -> _Context | None:
        """Return the context in which an output is."""
        record = self._records.get(source.node)
        if record is None or source.node not in self._contexts:
            return None
        is_switch = record.op.removeprefix("Ref") == "Switch"
        if (
            is_switch
            and not self._loops(record)
            and not self._is_of_one_branch(record)
        ):
            here = self._contexts[source.node]
            return self._branch(here, self._predicate(record), source.output)
        return self._waited(source.node)

    def _waited(self, name: str) -> _Context | None:
        here = self._contexts.get(name)
        is_exit = self._records[name].op.removeprefix("Ref") == "Exit"
        return here.outer if is_exit and here is not None else here

    def _is_of_one_branch(self, record: Record) -> bool:
        """Return whether a Switch is inside the branch that it leads to; others lead to both."""
        if record.op.removeprefix("Ref") != "Switch" or self._loops(record):
            return False
        is_gate = record.inputs[0] == record.inputs[1]
        return not is_gate and len(self._used[record.name]) < 2

    def _loops(self, record: Record) -> bool:
        return self._records[record.inputs[1].node].op == "LoopCond"

    def _note_pivot(self, record: Record, here: _Context) -> None:
        for source in record.inputs:
            switch = self._records[source.node]
            side = here.branch if here.pred else 1
            if switch.op != "Switch" or source.output != side:
                continue
            if self._loops(switch) != bool(here.pred):
                if record.op == "Identity":
                    here.pivot = here.pivot or f"{record.name}:0"
                elif record.op != "NextIteration":
                    here.step = here.step or f"{record.name}:0"

    def _merged(self, record: Record) -> _Context | None:
        """Return where a Merge is: in the loop whose turns it begins, or around two branches."""
        known = [one for one in record.inputs if one.node in self._contexts]
        inside = self._after(known[0])
        if len(known) < len(record.inputs):
            return inside
        if inside is None or not inside.pred:
            raise _UnclearError(f"{record} ends no branch")
        return inside.outer

    def _entered(self, record: Record, around: _Context | None) -> _Context:
        name = record.attributes["frame_name"]
        if name not in self._frames:
            self._frames[name] = self._made(_Context(around, name))
        frame = self._frames[name]
        if frame.outer is not around:
            if frame.outer is not None and frame.outer.is_inside(around):
                return frame
            raise _UnclearError(f"{record} enters a loop that is elsewhere")
        return frame

    def _branch(self, around: _Context | None, pred: Source, side: int) -> _Context:
        root = self._root(pred)
        key = (around, root, side)
        if key not in self._branches:
            scope, slash, _ = str(pred).rpartition("/")
            name = f"{scope}{slash}cond_text{'' if side else '_1'}"
            self._branches[key] = self._made(_Context(around, name, str(pred), side))
        return self._branches[key]

    def _predicate(self, switch: Record) -> Source:
        """Return the predicate by which a Switch knows its branch: of a gate the one beside it.

        Each branch of TensorFlow 1 has one of its own, though several ask the same.
        """
        asked = switch.inputs[1]
        if switch.inputs[0] != asked:
            return asked
        name = f"{switch.name.rpartition('/')[0]}/{_OWN}".lstrip("/")
        beside = self._records.get(name)
        is_own = beside is not None and list(beside.inputs) == [asked]
        return Source(name, 0) if is_own else asked

    def _root(self, pred: Source) -> Source:
        """Return what a predicate is passed on from: a branch may know it by several names."""
        record = self._records[pred.node]
        while record.op == "Identity" and pred.node.rpartition("/")[2] != _OWN:
            source = record.inputs[0]
            if self._contexts.get(source.node) is not self._contexts[record.name]:
                break
            pred, record = source, self._records[source.node]
        return pred

    def _made(self, context: _Context) -> _Context:
        outer = context.outer
        (self.outermost if outer is None else outer.nested).append(context)
        return context

    def _innermost(self, contexts: Iterable[_Context | None]) -> _Context | None:
        found: _Context | None = None
        for one in contexts:
            if one is None or (found is not None and found.is_inside(one)):
                continue
            if not one.is_inside(found):
                raise _UnclearError(f"{one.name} is beside what it is used with")
            found = one
        return found


def _with_pivots(
    contexts: Iterable[_Context], outer: _Context | None
) -> list[_Context]:
    """Return contexts without those branches of which nothing says whether they are taken.

    Gradients have such, which TensorFlow notes nothing of: what they have is of what is around.
    """
    found: list[_Context] = []
    for one in contexts:
        nested = _with_pivots(one.nested, one)
        if one.pivot or not one.pred:
            one.nested = nested
            found.append(one)
            continue
        for inner in nested:
            inner.outer = outer
        found += nested
        if outer is not None:
            outer.members += one.members
    return found


def _noted(context: _Context) -> ContextInfo:
    nested = tuple(map(_noted, context.nested))
    inner = [name for one in nested for name in one.values]
    own = [f"{x.name}:{i}" for x in context.members for i in range(_outputs(x))]
    if context.pred:
        return _branch_info(context, nested, [*own, *inner])
    return _loop_info(context, nested, [*own, *inner])


def _branch_info(
    context: _Context, nested: tuple[ContextInfo, ...], values: list[str]
) -> BranchInfo:
    external = {context.pred: context.pred}
    for one in _of(context, "Switch"):
        if str(one.inputs[1]) == context.pred:
            external[str(one.inputs[0])] = f"{one.name}:{context.branch}"
    return BranchInfo(
        context.name,
        context.pred,
        context.pivot,
        context.branch,
        tuple(dict.fromkeys([context.pred, *values])),
        external,
        nested,
    )


def _loop_info(
    context: _Context, nested: tuple[ContextInfo, ...], values: list[str]
) -> LoopInfo:
    entered = _of(context, "Enter")
    fixed = [one for one in entered if one.attributes["is_constant"]]
    conditions, merges = _of(context, "LoopCond"), _of(context, "Merge")
    pivot = context.pivot or context.step
    if not (pivot and conditions and merges):
        raise _UnclearError(f"the loop {context.name} lacks a part")
    return LoopInfo(
        context.name,
        max(one.attributes["parallel_iterations"] for one in entered),
        pivot_name=f"{conditions[0].name}:0",
        pivot_for_pred_name=f"{merges[0].name}:0",
        pivot_for_body_name=pivot,
        loop_exit_names=tuple([f"{x.name}:0" for x in _of(context, "Exit")]),
        loop_enter_names=tuple([f"{x.name}:0" for x in entered if x not in fixed]),
        values=tuple(values),
        external_values={str(x.inputs[0]): f"{x.name}:0" for x in fixed},
        nested=nested,
    )


def _of(context: _Context, op: str) -> list[Record]:
    return [x for x in context.members if x.op.removeprefix("Ref") == op]


def _outputs(record: Record) -> int:
    """Return how many outputs a node has."""
    signature = record.signature
    if signature is None:
        return 1
    counts = [_count(record, one.number, one.kind) for one in signature.outputs]
    return sum(counts)


def _count(record: Record, number: str, kind: str) -> int:
    if not number:
        return 1
    if number == "*":
        return len(record.attributes[kind])
    return int(record.attributes[number])
