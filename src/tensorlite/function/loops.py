"""What converted code calls for while and for.

A loop runs as Python as long as its test, or what it runs over, is Python's. When the test turns
out symbolic, what remains is one While over the variables that the body changes. How these become
tensors is in carried.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CellType
from typing import Any, NamedTuple

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import LoopError, note
from tensorlite.core.spec import TensorSpec, join
from tensorlite.core.tensor import Tensor
from tensorlite.function.branches import and_, in_branch, stage_places, zeros_of_spec
from tensorlite.function.carried import INDEX, Carried, Values
from tensorlite.function.iterables import Staged, counted, staged
from tensorlite.function.naming import ended, under
from tensorlite.function.staged_list import StagedList
from tensorlite.function.values import (
    MISSING,
    SCALARS,
    Branch,
    Places,
    WeakNumber,
    adapt_weak,
    adapted,
    dtype_of,
    is_internal,
    is_leaf_tensor,
    is_symbolic,
    same,
    scratch,
    truth,
    undefined,
    weak_numbers,
)
from tensorlite.graph.trace import Tracer
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.control.loops import while_loop

MORE, ITEM, RAN = "_tl_more", "_tl_item", "_tl_ran"
GOING = "the condition to go on of a for"


class Carry(NamedTuple):
    """What the source says of a loop: which variables it changes, by their names, and its place."""

    names: Sequence[str]
    lists: Sequence[str]
    """Those that are appended to."""
    needed: Sequence[str]
    """Those that are read outside of the loop afterwards, which so must have a value then."""
    line: int


def while_(
    test: Branch,
    body: Branch,
    carry: Carry,
    again: bool,
) -> None:
    """Run `body` as long as `test`; `again` says that the test binds names that the body reads."""
    while True:
        going = test()
        if is_symbolic(going):
            break
        if not going:
            return
        body()
    places = Places(carry.names, body, test)

    def turn() -> None:
        if again:
            test()
        body()

    _Loop(places, test, turn, carry).stage()


def for_(
    source: Any,
    body: Callable[[Any], None],
    going: Branch | None,
    carry: Carry,
) -> None:
    """Run `body` of every item of `source`, as long as `going` (if there is one) says."""
    hook = getattr(source, "__tl_for__", None)
    if hook is not None and hook(body, going, carry):
        return
    items = counted(source) or staged(source)
    if items is None:
        _python_for(source, body, going, carry)
    else:
        stage_for(items, body, going, carry)


def _python_for(
    source: Any,
    body: Callable[[Any], None],
    going: Branch | None,
    carry: Carry,
) -> None:
    """Unroll: once `going` is symbolic, each further turn stands under a condition."""
    on: Any = True
    for item in source:
        if is_symbolic(on):
            turn = _turn(body, item)
            pred = truth(
                on, f"the condition to go on of the for at line {carry.line}"
            )
            stage_places(pred, turn, _nothing, Places(carry.names, body), carry.line)
        else:
            body(item)
        if going is not None:
            on = going()
            if not is_symbolic(on) and not on:
                return


def _turn(body: Callable[[Any], None], item: Any) -> Branch:
    return lambda: body(item)


def _nothing() -> None:
    """Do nothing: the branch in which a loop has ended."""


def stage_for(
    items: Staged,
    body: Callable[[Any], None],
    going: Branch | None,
    carry: Carry,
) -> None:
    """Make a While of a `for`."""
    index = CellType(items.first())
    places = Places(carry.names, body, first={INDEX: index})
    end = items.end()

    def test() -> Any:
        more = items.is_before(index.cell_contents, end)
        return more if going is None else and_(going(), lambda: more)

    def turn() -> None:
        here = index.cell_contents
        body(items.at(here))
        items.after(here)
        index.cell_contents = items.following(here)

    _Loop(places, test, turn, carry).stage()


class Stream(ABC):
    """Items that come one after the other, until there are none: a dataset as a graph reads it."""

    @abstractmethod
    def following(self) -> tuple[Tensor, Any]:
        """Return whether there is a next item, a 0-d bool, and that item, or zeros."""


def stage_stream(
    stream: Stream,
    body: Callable[[Any], None],
    going: Branch | None,
    carry: Carry,
) -> None:
    """Make a While of a `for` over a stream, which reads no item after a turn that breaks off."""
    places = Places(carry.names, body)
    more, item = map(CellType, stream.following())
    read = Places((), body)
    for one in places, read:
        one.add(MORE, more)
        one.add(ITEM, item)

    def test() -> Any:
        there = more.cell_contents
        return there if going is None else and_(going(), lambda: there)

    def following() -> None:
        more.cell_contents, item.cell_contents = stream.following()

    def turn() -> None:
        body(item.cell_contents)
        on = True if going is None else going()
        if is_symbolic(on):
            stage_places(truth(on, GOING), following, _nothing, read, carry.line)
        elif on:
            following()

    _Loop(places, test, turn, carry).stage()


class _Loop:
    """The staging of one loop: variables become tensors, the loop a While, and they are bound."""

    def __init__(
        self,
        places: Places,
        test: Branch,
        turn: Branch,
        carry: Carry,
    ) -> None:
        self.places = places
        self.test = test
        self.turn = turn
        self.carry = carry
        self.lists = carry.lists
        self.line = carry.line
        self._late: list[str] = []
        """Variables that have no value before the loop, and a tensor after it, which is read."""

    def stage(self) -> None:
        """Add the loop to the graph and bind the variables to what they are after it."""
        before = self.places.read()
        try:
            self._turn_ahead(before)
            after = self._staged(self.places.read())
        except Exception as error:
            self.places.write(before)
            if isinstance(error, LoopError):
                note(error, f"in the loop at line {self.line}")
            raise
        self.places.write(after)

    def _turn_ahead(self, start: Values) -> None:
        """Take one turn in front of the loop, if that makes tensors of what is None before it.

        So the turn sees None, as it may ask for it, and the loop has tensors to begin with.
        """
        empty = [name for name, value in start.items() if value is None]
        if not empty:
            return
        after = self._tried(start)
        self.places.write(start)
        late = [name for name in empty if _is_whole(after[name])]
        if late:
            self._assert_turn(self._goes_on(), late)
            self.turn()

    def _goes_on(self) -> Tensor:
        return truth(self.test(), f"the condition of the loop at line {self.line}")

    def _assert_turn(self, made: Tensor, late: Sequence[str]) -> None:
        names = ", ".join(late)
        where = f"the loop at line {self.line}"
        assert_true(made, f"{where} must make a turn, to give a value to: {names}")

    def _staged(self, start: Values) -> Values:
        absent = [name for name, value in start.items() if value is MISSING]
        start = self._begun(self._settled(start), absent)
        carried = {
            name: value for name, value in start.items() if value is not MISSING
        }
        form = Carried(carried)
        self._bare = [name for name in absent if name not in carried]

        def cond(*leaves: Tensor) -> Tensor:
            self._bind(form, leaves)
            return self._goes_on()

        def body(*leaves: Tensor) -> list[Any]:
            self._bind(form, leaves)
            with self._marked(form, leaves):
                self.turn()
                if self._late:
                    self.places.write({RAN: constant(True)})
                return form.tensors_of(self.places.read())

        try:
            with under("while"):
                made = while_loop(cond, body, form.first, names=form.labels)
                found = ended(made, "Exit")
        except WeakNumber as change:
            if change.owner is not self:
                raise
            adapt_weak(form.first[change.place], change.dtype)
            return self._staged(form.retyped(change.place, change.dtype, start))
        after = form.values_of(found)
        if self._late:
            self._assert_turn(after[RAN], self._late)
        where = f"the loop at line {self.line} binds it, and may make no turn"
        after.update({name: undefined(name, where) for name in self._bare})
        return after

    def _begun(self, start: Values, absent: Sequence[str]) -> Values:
        """Return first values with a flag that says of the variables without one that they got it.

        Such a variable has zeros at first, which nothing sees: there must be a turn.
        """
        self._late += [
            name
            for name in absent
            if start[name] is not MISSING and not is_internal(name)
        ]
        if not self._late or RAN in start:
            return start
        self.places.add(RAN, CellType(None))
        return {**start, RAN: constant(False)}

    @contextmanager
    def _marked(self, form: Carried, leaves: Sequence[Tensor]) -> Iterator[None]:
        """Mark, for the blocks inside, which variables stand for Python numbers."""
        marks = dict(weak_numbers.get({}))
        for place, (first, leaf) in enumerate(zip(form.first, leaves, strict=True)):
            if type(first) in SCALARS or id(first) in marks:
                marks[id(leaf)] = self, place, leaf
        tokens = weak_numbers.set(marks), in_branch.set(False)
        try:
            yield
        finally:
            weak_numbers.reset(tokens[0])
            in_branch.reset(tokens[1])

    def _bind(self, form: Carried, leaves: Sequence[Tensor]) -> None:
        self.places.write(
            {**form.values_of(leaves), **dict.fromkeys(self._bare, MISSING)}
        )

    def _settled(self, start: Values) -> Values:
        """Return the first values, typed as a turn of the loop needs them.

        Python numbers take the dtype that the body gives them, lists become staged lists, texts
        tensors, and values that do not exist yet become zeros. What the body makes is found out by
        running it in a graph that is thrown away.
        """
        for _ in range(4):
            if not self._open(start):
                return start
            after = self._tried(start)
            changed = {
                name: self._fitted(name, start[name], after[name]) for name in start
            }
            if all(changed[name] is start[name] for name in start):
                return changed
            start = changed
        return start

    def _open(self, start: Values) -> bool:
        for name, value in start.items():
            if value is MISSING or isinstance(value, str):
                return True
            if name in self.lists and isinstance(value, list):
                return True
        return False

    def _tried(self, start: Values) -> Values:
        """Return what one turn makes of the first values."""
        token = scratch.set(True)
        try:
            with Tracer("scratch") as tracer:
                inside = {
                    name: Probe(tracer, value)
                    if name in self.lists and type(value) is list
                    else _symbol(tracer, value)
                    for name, value in start.items()
                }
                self.places.write(inside)
                self.test()
                self.turn()
                after = self.places.read()
                return {name: _specified(value) for name, value in after.items()}
        finally:
            scratch.reset(token)

    def _fitted(self, name: str, value: Any, after: Any) -> Any:
        if value is MISSING:
            wanted = name in self.carry.needed and _is_whole(after)
            made = wanted or is_internal(name)
            return placeholder_for_specs(after) if made else value
        if isinstance(value, str):
            return value if same(value, after) else to_tensor(value)
        if name in self.lists and type(value) is list:
            return self._listed(name, value, after)
        if type(value) in SCALARS and isinstance(after, TensorSpec):
            dtype = adapted(value, _Typed(after.dtype))[0]
            return to_tensor(value, dtype if dtype is not None else dtype_of(value))
        return value

    def _listed(self, name: str, value: list[Any], after: Any) -> Any:
        """Return a list as a staged one, if all that is appended are tensors of one dtype."""
        if not isinstance(after, Probe) or not after.specs or not after.fits:
            return value
        first, *rest = after.specs
        element = first.without_value()
        for other in rest:
            if other.dtype is not element.dtype:
                raise LoopError(
                    f"the list {name!r} gets elements {element} and {other}"
                )
            element = join(element, other)
        return StagedList.of(value, element)


class Probe:
    """Stands for a list while a loop's body is tried: finds out what is appended to it."""

    def __init__(self, tracer: Tracer, values: list[Any]) -> None:
        self._tracer = tracer
        self.specs: list[TensorSpec] = []
        self.fits = True
        for value in values:
            self.append(value)

    def append(self, value: Any) -> None:
        """Note the spec of an element."""
        if is_leaf_tensor(value):
            self.specs.append(to_tensor(value).spec)
        else:
            self.fits = False

    def length(self) -> Tensor:
        """Return a stand-in for the number of elements."""
        return self._tracer.graph.add_input(TensorSpec((), dtypes.int32))

    def __getitem__(self, key: Any) -> Tensor:
        return self._tracer.graph.add_input(self.specs[0].without_value())


class _Typed:
    """A value of which only the dtype is known."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype


def _symbol(tracer: Tracer, value: Any) -> Any:
    """Return a loop variable as the body is tried on it."""
    if value is MISSING:
        return value
    if isinstance(value, StagedList):
        return StagedList(value.handle, value.element)
    leaves = [
        tracer.graph.add_input(TensorSpec((), dtype_of(leaf)))
        if type(leaf) in SCALARS
        else leaf
        for leaf in nest.flatten(value)
    ]
    return nest.pack_like(value, leaves)


def _specified(value: Any) -> Any:
    """Return a value with the specs of its tensors in their places."""
    if value is MISSING or isinstance(value, StagedList):
        return value
    leaves = [
        to_tensor(leaf).spec if is_leaf_tensor(leaf) else leaf
        for leaf in nest.flatten(value)
    ]
    return nest.pack_like(value, leaves)


def _is_whole(value: Any) -> bool:
    """Return whether a value after a turn is made of tensors."""
    leaves = nest.flatten(value)
    return bool(leaves) and all(isinstance(leaf, TensorSpec) for leaf in leaves)


def placeholder_for_specs(value: Any) -> Any:
    """Return zeros for the specs in a structure: what stands for a value that is not there yet."""
    if value is MISSING:
        return value
    leaves = [
        zeros_of_spec(leaf) if isinstance(leaf, TensorSpec) else leaf
        for leaf in nest.flatten(value)
    ]
    return nest.pack_like(value, leaves)
