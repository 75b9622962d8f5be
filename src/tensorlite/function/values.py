"""The variables of converted code: where they lie, those not bound, and how two values are one.

Branches and loops, which read and write them, are in branches.py and loops.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from types import CellType, FunctionType
from typing import Any, NoReturn, TypeAlias

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import to_tensor, tracer
from tensorlite.core.dtypes import DType, weak
from tensorlite.core.errors import (
    BranchError,
    ConditionError,
    StructureError,
    TracingError,
    UndefinedNameError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.function.jumps import PREFIX
from tensorlite.function.staged_list import StagedList
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.arrays.shape import astype, reshape

Branch = Callable[[], Any]
SCALARS = (bool, int, float, complex)


class UnknownResultError(TracingError):
    """A traced function calls itself, and what it returns is not known yet."""


class _Missing:
    """Stands for the value of a name that is not bound."""

    def __repr__(self) -> str:
        return "<not bound>"


MISSING = _Missing()


class Unusable:
    """A variable's value that a trace does not have; every use raises, saying why.

    A name that one branch binds and the other does not is one, and so is a name whose values in
    two branches are no tensors and differ.
    """

    def __init__(self, error: type[TracingError], message: str) -> None:
        object.__setattr__(self, "_error", error)
        object.__setattr__(self, "_message", message)

    def raise_(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise the error that this value stands for."""
        raise object.__getattribute__(self, "_error")(
            object.__getattribute__(self, "_message")
        )

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "raise_", "__repr__"):
            return object.__getattribute__(self, name)
        return object.__getattribute__(self, "raise_")()

    def __repr__(self) -> str:
        return f"<unusable: {object.__getattribute__(self, '_message')}>"


_USES = """abs add and bool call contains delitem enter eq exit float floordiv format ge getitem gt
hash index int invert iter le len lshift lt matmul mod mul ne neg next or pos pow radd rand
rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub rtruediv rxor setattr setitem str
sub truediv xor"""
for _use in _USES.split():
    setattr(Unusable, f"__{_use}__", Unusable.raise_)


def undefined(name: str, where: str) -> Unusable:
    """Return the value of a name that is bound only sometimes."""
    return Unusable(
        UndefinedNameError,
        f"{name!r} may have no value here: {where}. Bind it before, or on every path",
    )


def is_internal(name: str) -> bool:
    """Return whether a name was given by the conversion: a flag or a returned value."""
    return name.startswith(PREFIX)


class Globals:
    """A global variable, read and written as a cell is."""

    def __init__(self, table: dict[str, Any], name: str) -> None:
        self._table = table
        self._name = name

    @property
    def cell_contents(self) -> Any:
        """The value; ValueError when the name is not bound."""
        if self._name not in self._table:
            raise ValueError(self._name)
        return self._table[self._name]

    @cell_contents.setter
    def cell_contents(self, value: Any) -> None:
        """Set, or take away, the value."""
        self._table[self._name] = value

    @cell_contents.deleter
    def cell_contents(self) -> None:
        """Set, or take away, the value."""
        self._table.pop(self._name, None)


class Attribute:
    """An attribute of an object, read and written as a cell is."""

    def __init__(self, owner: object, name: str) -> None:
        self._owner = owner
        self._name = name

    @property
    def cell_contents(self) -> Any:
        """The value; ValueError when the object has none."""
        found = getattr(self._owner, self._name, MISSING)
        if found is MISSING:
            raise ValueError(self._name)
        return found

    @cell_contents.setter
    def cell_contents(self, value: Any) -> None:
        """Set, or take away, the value."""
        if getattr(self._owner, self._name, MISSING) is not value:
            setattr(self._owner, self._name, value)

    @cell_contents.deleter
    def cell_contents(self) -> None:
        """Set, or take away, the value."""
        delattr(self._owner, self._name)


Cell: TypeAlias = "CellType | Globals | Attribute"


class Places:
    """The variables that some functions share: read all, write all."""

    def __init__(
        self,
        names: Iterable[str],
        *functions: Callable[..., Any],
        first: Mapping[str, CellType] | None = None,
    ) -> None:
        """Take variables that lie in no function first, and names of those that do."""
        self._cells: dict[str, Cell] = dict(first or {})
        for name in names:
            cell = (
                _attribute(name, functions)
                if "." in name
                else _place(name, functions)
            )
            if cell is not None:
                self._cells[name] = cell

    def add(self, name: str, cell: CellType) -> None:
        """Add a variable that lies in no function."""
        self._cells[name] = cell

    def read(self) -> dict[str, Any]:
        """Return the values; MISSING for names that are not bound."""
        return {name: _contents(cell) for name, cell in self._cells.items()}

    def write(self, values: dict[str, Any]) -> None:
        """Bind the names to values, or unbind them."""
        for name, value in values.items():
            cell = self._cells[name]
            if value is not MISSING:
                cell.cell_contents = value
            elif _contents(cell) is not MISSING:
                del cell.cell_contents


def _place(name: str, functions: Sequence[Callable[..., Any]]) -> CellType | Globals:
    for function in functions:
        assert isinstance(function, FunctionType)
        free = function.__code__.co_freevars
        if name in free:
            assert function.__closure__ is not None
            return function.__closure__[free.index(name)]
    assert isinstance(functions[0], FunctionType)
    return Globals(functions[0].__globals__, name)


def _attribute(
    name: str, functions: Sequence[Callable[..., Any]]
) -> Attribute | None:
    """Return the place of a dotted name; None while the object it belongs to is not there."""
    root, *path, last = name.split(".")
    owner = _contents(_place(root, functions))
    for part in path:
        owner = getattr(owner, part, MISSING)
    return None if owner is MISSING else Attribute(owner, last)


def _contents(cell: Cell) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def copied(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with lists and dicts copied, so that one branch does not change the other's."""
    kinds = (list, dict, StagedList)
    return {k: v.copy() if type(v) in kinds else v for k, v in values.items()}


def is_symbolic(value: object) -> bool:
    """Return whether a value is decided only when the graph runs."""
    if isinstance(value, SymbolicTensor):
        return True
    return (
        isinstance(value, Operand)
        and not isinstance(value, Tensor)
        and tracer() is not None
    )


def is_leaf_tensor(value: object) -> bool:
    """Return whether a value can be a tensor in a graph: tensors, variables, arrays and numbers."""
    return isinstance(value, (Operand, np.ndarray, np.generic, *SCALARS))


def may_be_tensor(value: object) -> bool:
    """Return whether a value becomes a tensor where it differs: texts do, beside leaves."""
    return is_leaf_tensor(value) or isinstance(value, (str, bytes))


def truth(value: Any, what: str) -> Tensor:
    """Return the truth value of a symbolic tensor as a 0-d bool; `what` names it in the error."""
    if isinstance(value, StagedList):
        return value.length() > 0
    x = to_tensor(value)
    if x.spec.shape != ():
        if x.spec.size not in (None, 1):
            raise ConditionError(
                f"{what} is {x.spec}, which has more than one truth value; reduce it with tl.any "
                "or tl.all"
            )
        x = reshape(x, ())
    return x if x.dtype is dtypes.bool_ else astype(x, dtypes.bool_)


def same(a: Any, b: Any) -> bool:
    """Return whether two values that are no tensors are one and the same."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, (Operand, np.ndarray)):
        return False
    try:
        return bool(a == b)
    except Exception:  # noqa: BLE001  a class whose equality fails has none
        return False


def adapted(a: Any, b: Any) -> tuple[DType | None, DType | None]:
    """Return the dtypes that two leaves take beside each other; None for one that has its own."""
    first, second = type(a) in SCALARS, type(b) in SCALARS
    if first and second:
        both = promote_python(a, b)
        return both, both
    if first:
        return _beside(a, dtype_of(b)), None
    return None, _beside(b, dtype_of(a)) if second else None


def promote_python(a: complex, b: complex) -> DType | None:
    """Return the dtype of two Python numbers, None when one is a bool and the other is not."""
    if isinstance(a, bool) != isinstance(b, bool):
        return None
    kinds = [dtypes.as_dtype(type(x)) for x in (a, b)]
    return kinds[0] if kinds[0] is kinds[1] else dtypes.promote(*kinds)


def dtype_of(value: Any) -> DType:
    """Return the dtype of a leaf that can be a tensor."""
    if type(value) in SCALARS:
        return dtypes.as_dtype(type(value))
    return dtypes.as_dtype(value.dtype)


def _beside(scalar: complex, dtype: DType) -> DType | None:
    """Return the dtype of a Python number beside a tensor: the tensor's, if that can hold it."""
    if isinstance(scalar, bool) != (dtype is dtypes.bool_):
        return None
    return weak(scalar, dtype)


class Merge:
    """Two values of a variable, from two branches, made one: which leaves must be chosen between.

    `pairs` are the leaves that differ, as tensors of one dtype; `build` makes the value of them.
    """

    def __init__(self, name: str, a: Any, b: Any) -> None:
        self.name = name
        self.value = a
        self.leaves: list[tuple[Any, Any]] = []
        self._chosen: list[bool] = []
        try:
            nest.assert_same(a, b)
        except StructureError as error:
            raise BranchError(
                f"{self.name} differs between the branches: {error}"
            ) from None
        for path, x, y in zip(
            nest.paths(a), nest.flatten(a), nest.flatten(b), strict=True
        ):
            self._leaf(path, x, y)

    def _leaf(self, path: str, x: Any, y: Any) -> None:
        if isinstance(x, StagedList) and isinstance(y, StagedList):
            x, y = x.handle, y.handle
        kept = same(x, y)
        self._chosen.append(not kept)
        if kept:
            return
        if not (may_be_tensor(x) and may_be_tensor(y)):
            raise BranchError(
                f"{self.name}{path} is {_told(x)} in one branch and {_told(y)} in the other; a "
                "condition on a tensor can only choose between tensors, numbers and texts"
            )
        self.leaves.append((x, y))

    def build(self, chosen: Iterable[Any]) -> Any:
        """Return the value, with tensors in place of the leaves that differ."""
        source = iter(chosen)
        leaves = nest.flatten(self.value)
        for i, leaf in enumerate(leaves):
            if self._chosen[i]:
                made = next(source)
                is_list = isinstance(leaf, StagedList)
                leaves[i] = StagedList(made, leaf.element) if is_list else made
        return nest.pack_like(self.value, leaves)


def _told(value: object) -> str:
    if value is MISSING:
        return "not bound"
    if isinstance(value, Operand):
        return "a tensor"
    return (
        repr(value)
        if isinstance(value, (str, *SCALARS)) or value is None
        else (f"a {type(value).__name__}")
    )


scratch: ContextVar[bool] = ContextVar("scratch", default=False)
"""Whether a loop's body is run only to learn what it makes: nothing is to be printed or warned."""


class WeakNumber(Exception):  # noqa: N818  a signal between loops, which no user sees
    """A variable that starts as a Python number turns out to be of another dtype in an inner block.

    The loop that turned the number into a tensor catches this, and starts again with that dtype.
    """

    def __init__(self, owner: object, place: int, dtype: DType) -> None:
        super().__init__(owner, place, dtype)
        self.owner = owner
        self.place = place
        self.dtype = dtype


weak_numbers: ContextVar[dict[int, tuple[object, int, Tensor]]] = ContextVar(
    "weak_numbers"
)
"""By id: tensors that stand for Python numbers, the loops that made them, and which they are."""


def adapt_weak(x: object, dtype: DType) -> None:
    """Raise WeakNumber if `x` stands for a Python number that can be of `dtype` as well."""
    found = weak_numbers.get({}).get(id(x))
    if found is None or not isinstance(x, Tensor) or x.dtype is dtype:
        return
    if (
        x.dtype is not dtypes.bool_
        and dtype.is_numeric
        and (x.dtype.is_integer or not dtype.is_integer)
    ):
        raise WeakNumber(found[0], found[1], dtype)
