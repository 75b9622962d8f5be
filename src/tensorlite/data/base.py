"""Pipeline: what every dataset has: a source of elements, their number, specs, and ways to rewind.

The steps that make one dataset of another stand in creating.py, transforming.py, grouping.py,
keyed.py, ordering.py and running.py; Dataset, which joins these, in dataset.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from tensorlite.core import texts
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.scope import scope
from tensorlite.core.tensor import Tensor
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.options import Options

if TYPE_CHECKING:
    from tensorlite.data.functions import Prepared

T = TypeVar("T")

INFINITE = -1
UNKNOWN = -2


class UnknownLengthError(InvalidArgumentError, TypeError):
    """What `len` raises where there is no number; `list` asks first, and goes on at a TypeError."""


class Nodes(Protocol):
    """What makes nodes in a graph for what datasets are given (variants.py)."""

    def constant(self, value: Any, name: str) -> Tensor:
        """Return a constant of a name below the scope."""

    def node(self, op: Op, inputs: Sequence[Tensor], name: str) -> Tensor:
        """Return what a node of a name below the scope computes."""

    def inside(self, name: str) -> AbstractContextManager[str]:
        """Put a name before those of what is made inside; gives the whole of it."""

    def last(self, op: Op, inputs: Sequence[Tensor], whole: str) -> Tensor:
        """Return what a node inside of a scope computes that bears its name itself."""


Composed: TypeAlias = Callable[[Nodes, Mapping[str, Tensor]], Tensor]
"""What makes a tensor of nodes, and of the numbers before it by their names."""


@dataclass(frozen=True)
class Recipe:
    """How an operator makes a dataset, for graphs that have datasets as tensors (variants.py)."""

    kind: str
    """The operator's name."""
    made_of: tuple[Pipeline[Any], ...] = ()
    state: tuple[Tensor | Composed, ...] = ()
    functions: Mapping[str, Prepared] = field(default_factory=dict)
    """By the names of the attributes that they are."""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """What else it is given, by names: numbers that are int64, tensors, and what makes these.

    What stands behind a colon tells names apart and is not written.
    """
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The other attributes."""


class Chance(Protocol):
    """Random choices of a dataset, which can be made once more."""

    def rewind(self) -> None:
        """Let the next run be like the first."""

    def place(self) -> tuple[int, int, int]:
        """Return two seeds, and the number of the next run; -1 where runs have no numbers."""

    def go_to(self, place: Sequence[int]) -> None:
        """Let the next run be that of a place."""


def no_recipe() -> Recipe | None:
    """Return None: no operator makes this dataset."""
    return None


@dataclass(frozen=True, eq=False)
class Pipeline(Generic[T]):
    """Elements, each a tensor or a structure of tensors, in an order that can be run through again.

    See Dataset.
    """

    is_leaf: ClassVar[bool] = True
    """To structures it is one value, not a container of its fields."""

    source: Callable[[], Iterator[T]]
    """Starts a run through the elements."""
    size: int = UNKNOWN
    """The number of elements, INFINITE or UNKNOWN."""
    spec: Any = None
    """The specs of an element's tensors, in its structure, or a function that finds them."""
    chances: tuple[Chance, ...] = ()
    """What draws at random: of every shuffle that it goes through."""
    captures: tuple[Tensor, ...] = ()
    """Tensors of a graph that it was made with."""
    settings: Options = field(default_factory=Options)
    """What `with_options` was given."""
    recipe: Callable[[], Recipe | None] = no_recipe
    """Returns which operator of graphs makes it, None where there is none."""
    from_ragged: bool = False
    """Whether it began with ragged tensors, of whose rows batches are ragged, too."""
    within: str = field(default_factory=lambda: scope.get().name)
    """The name scope in which it was made, which its nodes in graphs are in, too."""
    serial: int = field(default_factory=itertools.count().__next__)
    """Its place among all datasets, in which order their nodes are made."""

    def rewind(self) -> None:
        """Let the next run be like the very first: shuffles draw their orders from the beginning.

        So a run can be taken up again in the middle: rewind, and skip what was there already.

        >>> numbers = tl.data.Dataset.range(9).shuffle(9)
        >>> first = [int(x) for x in numbers]
        >>> numbers.rewind()
        >>> first == [int(x) for x in numbers]
        True
        """
        for chance in self.chances:
            chance.rewind()

    def cardinality(self) -> Any:
        """Return the number of elements, tl.data.INFINITE or tl.data.UNKNOWN.

        >>> tl.data.Dataset.range(10).batch(4).cardinality()
        3
        """
        return self.size

    @property
    def element_spec(self) -> Any:
        """The specs of an element's tensors; InvalidArgumentError when they are not known."""
        found = self._spec()
        if found is None:
            raise InvalidArgumentError(
                "the specs of this dataset's elements are not known: give element_spec= to "
                "from_generator or map"
            )
        return found

    def _spec(self) -> Any:
        return self.spec() if callable(self.spec) else self.spec

    @classmethod
    def _steps(cls) -> Any:
        """Return the class of the datasets that are made of this one."""
        return cls

    def _altered(self, **changes: Any) -> Any:
        """Return a dataset like this one, but for some fields."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return self._steps()(**{**own, **changes})

    def _made(
        self,
        source: Callable[[], Iterator[Any]],
        size: int = UNKNOWN,
        spec: Any = None,
        *others: Pipeline[Any],
        captures: tuple[Tensor, ...] = (),
        chances: tuple[Chance, ...] = (),
        recipe: Callable[[], Recipe | None] = no_recipe,
    ) -> Any:
        """Return a dataset made of this one, and of others."""
        return assembled(
            self._steps(),
            source,
            size,
            spec,
            self,
            *others,
            captures=captures,
            chances=chances,
            recipe=recipe,
        )

    def __iter__(self) -> DatasetIterator[T]:
        return DatasetIterator(self)

    def __len__(self) -> int:
        if self.size < 0:
            raise UnknownLengthError(
                "len() of a dataset whose size is infinite or unknown"
            )
        return self.size

    def __bool__(self) -> bool:
        return True

    def _kind(self) -> str:
        """Return what TensorFlow's class of such datasets is called."""
        recipe = self.recipe()
        found = "VariantDataset" if recipe is None else recipe.kind
        return found.rstrip("V0123456789")

    def __tl_for__(self, *loop: Any) -> bool:
        """Stage a `for` over this dataset, if it stands in a trace; return whether it does."""
        if tracer() is None:
            return False
        return DatasetIterator(self).__tl_for__(*loop)

    def __repr__(self) -> str:
        if texts.wanted():
            return f"<_{self._kind()} element_spec={self._spec()!r}>"
        size = {INFINITE: "infinite", UNKNOWN: "unknown"}.get(self.size, self.size)
        return f"Dataset(size={size})"


def assembled(
    kind: Any,
    source: Callable[[], Iterator[Any]],
    size: int,
    spec: Any,
    *made_of: Pipeline[Any],
    captures: tuple[Tensor, ...] = (),
    chances: tuple[Chance, ...] = (),
    recipe: Callable[[], Recipe | None] = no_recipe,
    from_ragged: bool = False,
) -> Any:
    """Return a dataset of a class, which is made of others and has what those have."""
    all_captures = [x for one in made_of for x in one.captures]
    all_chances = [x for one in made_of for x in one.chances]
    return kind(
        source,
        size,
        spec,
        (*all_chances, *chances),
        tuple({id(x): x for x in (*all_captures, *captures)}.values()),
        reduce(Options.merge, [one.settings for one in made_of], Options()),
        recipe,
        from_ragged or any(one.from_ragged for one in made_of),
    )
