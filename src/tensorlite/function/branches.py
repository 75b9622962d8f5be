"""What converted code calls for if, and, or, not, comparisons and assertions.

Python's values are decided at once, as Python would; symbolic tensors make an If of both branches.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from operator import eq
from typing import Any

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import calls, constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import (
    BranchError,
    TensorliteError,
    note,
)
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.naming import ended, under
from tensorlite.function.values import (
    MISSING,
    Branch,
    Merge,
    Places,
    UnknownResultError,
    Unusable,
    adapt_weak,
    adapted,
    copied,
    is_internal,
    is_symbolic,
    truth,
    undefined,
)
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.trace import Tracer, close, outermost
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.control.regions import If
from tensorlite.ops.math.arithmetic import sum as sum_
from tensorlite.ops.math.compare import logical_not


def if_(
    test: Any,
    then: Branch,
    orelse: Branch,
    names: Sequence[str],
    kept: Sequence[str],
    line: int,
) -> None:
    """Run the branch that `test` says, or stage both; `names` are variables used afterwards.

    Those `kept` are of the branches alone: each finds in them what was there before both.
    """
    if not is_symbolic(test):
        (then if test else orelse)()
        return
    pred = truth(test, f"the condition of the if at line {line}")
    stage(pred, then, orelse, names, line, kept)


def if_guard(
    test: Any,
    then: Branch,
    orelse: Branch,
    names: Sequence[str],
    kept: Sequence[str],
    line: int,
    jumping: int,
) -> None:
    """Do what `if_` does of an `if` one branch of which jumps over the rest of its block.

    The rest of the block is in the other branch. Names that only that one binds are used only
    where no jump was made, so that they may be anything where one was.
    """
    if not is_symbolic(test):
        (then if test else orelse)()
        return
    pred = truth(test, f"the condition of the jump before line {line}")
    stage(pred, then, orelse, names, line, kept, jumping)


def if_return(
    test: Any,
    then: Branch,
    orelse: Branch,
    names: Sequence[str],
    kept: Sequence[str],
    line: int,
) -> Any:
    """Return what the branch that `test` says returns, or stage both."""
    if not is_symbolic(test):
        return (then if test else orelse)()
    pred = truth(test, f"the condition of the if at line {line}")
    return stage(pred, then, orelse, names, line, kept)


def if_expression(test: Any, then: Branch, orelse: Branch, line: int) -> Any:
    """Return `then() if test else orelse()`."""
    return if_return(test, then, orelse, (), (), line)


def and_(first: Any, second: Branch) -> Any:
    """Return `first and second()`."""
    if not is_symbolic(first):
        return second() if first else first
    pred = truth(first, "an operand of `and`")
    return stage(
        pred, lambda: _boolean(first, second()), lambda: _boolean(first, first), (), 0
    )


def or_(first: Any, second: Branch) -> Any:
    """Return `first or second()`."""
    if not is_symbolic(first):
        return first or second()
    pred = truth(first, "an operand of `or`")
    return stage(
        pred, lambda: _boolean(first, first), lambda: _boolean(first, second()), (), 0
    )


def _boolean(first: Any, value: Any) -> Any:
    """Return an operand's value beside a tensor: of tensors that are bool, as a 0-d bool."""
    return (
        truth(value, "an operand")
        if to_tensor(first).dtype is dtypes.bool_
        else value
    )


def not_(value: Any) -> Any:
    """Return `not value`."""
    return (
        logical_not(truth(value, "the operand of `not`"))
        if is_symbolic(value)
        else not value
    )


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
}


def compare(left: Any, kinds: Sequence[str], *rest: Branch) -> Any:
    """Return `left < a() < b() ...`, evaluating each operand once and none too many."""
    right = rest[0]()
    result = _compared(kinds[0], left, right)
    if len(rest) == 1:
        return result
    return and_(result, lambda: compare(right, kinds[1:], *rest[1:]))


def _compared(kind: str, left: Any, right: Any) -> Any:
    if kind in _COMPARE:
        return _COMPARE[kind](left, right)
    inside = contained(left, right)
    return not_(inside) if kind == "NotIn" else inside


def contained(item: Any, container: Any) -> Any:
    """Return `item in container`, where either may be symbolic."""
    if is_symbolic(container):
        return any_equal(to_tensor(container) == item)
    if is_symbolic(item) and isinstance(container, (list, tuple, range)):
        result: Any = False
        for other in container:
            result = or_(result, partial(eq, item, other))
        return result
    return item in container


def any_equal(equal: Tensor) -> Tensor:
    """Return whether any element of a bool tensor holds."""
    return sum_(astype(equal, dtypes.int32)) > 0


def assert_(test: Any, message: Branch, text: str) -> None:
    """Assert `test`; of a symbolic tensor, when the graph runs."""
    if is_symbolic(test):
        told = message()
        assert_true(to_tensor(test), text if told is None else f"{text}: {told}")
    elif not test:
        told = message()
        raise AssertionError(text if told is None else told)


class RaisedError(Exception):
    """A branch raises: what it would raise is an assertion in its graph."""


in_branch: ContextVar[bool] = ContextVar("in_branch", default=False)
"""Whether what is traced is a branch of a staged conditional, no loop's body in between."""


def raised(error: Branch) -> Any:
    """Return what `raise error()` raises: under a condition on a tensor, a signal to the branch."""
    found = error()
    if not in_branch.get():
        return found
    kind = found if isinstance(found, type) else type(found)
    assert_true(constant(False), f"{kind.__name__}: {'' if kind is found else found}")
    return RaisedError(str(found))


class _Side:
    """One branch as it is traced: its graph, the variables after it, and what it returned."""

    def __init__(self, name: str) -> None:
        self.tracer = Tracer(name)
        self.after: dict[str, Any] = {}
        self.result: Any = None
        self.unknown: UnknownResultError | None = None
        self.raised: RaisedError | None = None

    def run(
        self, branch: Branch, places: Places, before: dict[str, Any], line: int
    ) -> None:
        places.write(copied(before))
        token = in_branch.set(True)
        try:
            with self.tracer:
                self.result = branch()
            self.after = places.read()
        except RaisedError as error:
            self.raised = error
        except UnknownResultError as error:
            self.unknown = error
        except Exception as error:
            if line and not isinstance(error, TensorliteError):
                note(
                    error,
                    f"while tracing the if at line {line}: both its branches are traced",
                )
            raise
        finally:
            in_branch.reset(token)
            places.write(before)

    def like(self, other: _Side) -> None:
        """Let this branch, which raises, make what the other one makes."""
        with self.tracer:
            self.result = placeholder_for(other.result)
            self.after = {
                name: value if value is MISSING else placeholder_for(value)
                for name, value in other.after.items()
            }


def stage(
    pred: Tensor,
    then: Branch,
    orelse: Branch,
    names: Sequence[str],
    line: int,
    kept: Sequence[str] = (),
    jumping: int | None = None,
) -> Any:
    """Trace both branches, bind the variables to what the chosen one makes; return its result."""
    places = Places(names, then, orelse) if names else Places(())
    if kept:
        own = Places(kept, then, orelse)
        then, orelse = _alone(then, own), _alone(orelse, own)
    return stage_places(pred, then, orelse, places, line, jumping)


def _alone(branch: Branch, own: Places) -> Branch:
    """Return a branch that puts back, when it is through, the variables that are its own."""

    def run() -> Any:
        before = own.read()
        own.write(copied(before))
        try:
            return branch()
        finally:
            own.write(before)

    return run


def stage_places(
    pred: Tensor,
    then: Branch,
    orelse: Branch,
    places: Places,
    line: int,
    jumping: int | None = None,
) -> Any:
    """Do what `stage` does, of variables at known places; names that `jumping` leaves are zeros."""
    with under("cond"):
        return _staged(pred, then, orelse, places, line, jumping)


def _staged(
    pred: Tensor,
    then: Branch,
    orelse: Branch,
    places: Places,
    line: int,
    jumping: int | None,
) -> Any:
    before = places.read()
    sides = _Side("then"), _Side("else")
    for side, branch in zip(sides, (then, orelse), strict=True):
        side.run(branch, places, before, line)
    unknown = [side for side in sides if side.unknown is not None]
    if unknown:
        return _known_side(sides, places)
    raising = [side for side in sides if side.raised is not None]
    if len(raising) == 1:
        raising[0].like(sides[1] if raising[0] is sides[0] else sides[0])
    merges, after = _merged(sides, line, jumping)
    try:
        result = Merge("the returned value", sides[0].result, sides[1].result)
    except BranchError as error:
        note(error, f"in the if at line {line}")
        raise
    every = [*merges.values(), result]
    chosen = iter(_choose(pred, sides, every))
    values = [merge.build([next(chosen) for _ in merge.leaves]) for merge in every]
    after.update(zip(merges, values[:-1], strict=True))
    places.write(after)
    if len(raising) == 2 and raising[0].raised is not None:
        raise raising[0].raised
    return values[-1]


def _merged(
    sides: tuple[_Side, _Side], line: int, jumping: int | None
) -> tuple[dict[str, Merge], dict[str, Any]]:
    """Return the variables to choose between, and those whose value is settled already."""
    merges: dict[str, Merge] = {}
    settled: dict[str, Any] = {}
    for name in sides[0].after:
        missing = [side for side in sides if side.after[name] is MISSING]
        jumped = jumping is not None and missing == [sides[jumping]]
        if len(missing) == 1 and (jumped or is_internal(name)):
            bound = sides[1] if missing[0] is sides[0] else sides[0]
            with missing[0].tracer:
                missing[0].after[name] = placeholder_for(bound.after[name])
        elif missing:
            where = f"the if at line {line} binds it in one branch only"
            settled[name] = MISSING if len(missing) == 2 else undefined(name, where)
            continue
        try:
            merges[name] = Merge(repr(name), *(side.after[name] for side in sides))
        except BranchError as error:
            settled[name] = Unusable(BranchError, f"{error} (the if at line {line})")
    return merges, settled


def placeholder_for(value: Any) -> Any:
    """Return a value like the given one, with zeros in place of its tensors.

    It stands where a returned value does not exist because the function has not returned yet; the
    flag beside it says so, and it is never seen.
    """
    leaves = [
        zeros_of_spec(to_tensor(leaf).spec) if isinstance(leaf, Operand) else leaf
        for leaf in nest.flatten(value)
    ]
    return nest.pack_like(value, leaves)


def zeros_of_spec(spec: TensorSpec) -> Tensor:
    """Return zeros of a spec, with sizes 0 where it does not know them."""
    sizes = () if spec.shape is None else tuple([size or 0 for size in spec.shape])
    return constant(np.zeros(sizes, spec.dtype.numpy))


def _choose(
    pred: Tensor, sides: tuple[_Side, _Side], merges: Sequence[Merge]
) -> Sequence[Tensor]:
    """Return the outputs of an If: each leaf that differs, from the branch that is chosen."""
    outputs: tuple[list[SymbolicTensor], list[SymbolicTensor]] = ([], [])
    for merge in merges:
        for pair in merge.leaves:
            made = [
                _owned(side, value, dtype)
                for side, value, dtype in zip(
                    sides, pair, adapted(*pair), strict=True
                )
            ]
            if made[0].dtype is not made[1].dtype:
                adapt_weak(pair[0], made[1].dtype)
                adapt_weak(pair[1], made[0].dtype)
                raise BranchError(
                    f"{merge.name} is {made[0].spec} in one branch and {made[1].spec} in the "
                    "other; cast one of them with tl.astype"
                )
            for out, x in zip(outputs, made, strict=True):
                out.append(x)
    tracers = [side.tracer for side in sides]
    if not outputs[0] and not any(tracer.effects for tracer in tracers):
        return ()
    outer = unite(tracers)
    graphs = [
        close(t, out, None).graph for t, out in zip(tracers, outputs, strict=True)
    ]
    return ended(calls(If(*graphs), pred, *outer), "Merge")


def _owned(side: _Side, value: Any, dtype: DType | None) -> SymbolicTensor:
    with side.tracer:
        return side.tracer.own(to_tensor(value, dtype))


def unite(tracers: Sequence[Tracer]) -> list[Tensor]:
    """Give graphs without arguments the same inputs in the same order; return what feeds them."""
    outer = {key: x for t in tracers for key, (x, _) in t.captures.items()}
    for tracer in tracers:
        for x in outer.values():
            tracer.own(x) if id(x) in tracer.captures else _added(tracer, x)
        tracer.graph.inputs = [tracer.captures[key][1] for key in outer]
    return list(outer.values())


def _added(tracer: Tracer, x: Tensor) -> None:
    inner = tracer.graph.add_input(x.spec.without_value(), name="capture")
    tracer.captures[id(x)] = (x, inner)


def _known_side(sides: tuple[_Side, _Side], places: Places) -> Any:
    """Go on with what the one branch makes that does not call a function being traced.

    This trace only finds out what the function returns; it is made again when that is known.
    """
    known = [side for side in sides if side.unknown is None]
    if not known:
        assert sides[0].unknown is not None
        raise sides[0].unknown
    places.write({name: stand_in(value) for name, value in known[0].after.items()})
    return stand_in(known[0].result)


def stand_in(value: Any) -> Any:
    """Return a value with new inputs of the graph at hand in place of its symbolic tensors."""
    top = outermost()
    assert top is not None
    leaves = [
        top.graph.add_input(leaf.spec.without_value())
        if isinstance(leaf, SymbolicTensor)
        else leaf
        for leaf in nest.flatten(value)
    ]
    return nest.pack_like(value, leaves)
