"""Iterators over datasets in graphs that are built by hand: at most once, again, or any by handle.

The operators are in data/iterator_ops.py; what datasets are made of is in data/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core import nest
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call, calls, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import Pipeline
from tensorlite.data.iterator_ops import (
    IteratorFromStringHandleV2,
    IteratorToStringHandle,
    IteratorV2,
    MakeIterator,
    OneShotIterator,
)
from tensorlite.data.iterators import IteratorGetNext, present
from tensorlite.data.steps import ModelDataset, OptimizeDataset
from tensorlite.data.variants import as_tensor, element_given, leaf_specs
from tensorlite.function.compile import Compiled
from tensorlite.graph.trace import trace
from tensorlite.graph_mode.graph import Graph, built, get_default_graph, titled
from tensorlite.ops.fetchable import effect


class Iterator:
    """A place in a dataset that each session has of its own, in a graph.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.sessions import Session
    >>> with Graph().as_default() as graph:
    ...     x = one_shot(tl.data.Dataset.range(2)).get_next()
    >>> session = Session(graph=graph)
    >>> int(session.run(x)), int(session.run(x))
    (0, 1)
    """

    def __init__(self, handle: Tensor, spec: Any) -> None:
        self.handle = handle
        self.element_spec = spec
        self._initializer: Any = None
        with _building():
            self.string = call(IteratorToStringHandle(), handle)

    def begins_by(self, initializer: Any) -> None:
        """Let this be what a session runs to begin."""
        self._initializer = initializer

    @property
    def initializer(self) -> Any:
        """What a session runs to begin; ValueError for an iterator that begins by itself."""
        if self._initializer is None:
            raise InvalidArgumentError(
                "Iterator does not have an initializer. Make it by make_initializable_iterator, or "
                "run one that make_initializer gives"
            )
        return self._initializer

    def get_next(self) -> Any:
        """Return the next element, in the structure of the dataset's."""
        return self.element(self.next_tensors())

    def next_tensors(self) -> Sequence[Tensor]:
        """Return the tensors that the next element is given as, one for each of its leaves."""
        with _building():
            op = IteratorGetNext(leaf_specs(self.element_spec))
            return tuple(calls(op, self.handle))

    def element(self, given: Sequence[Tensor]) -> Any:
        """Return the element that is given as tensors, in the structure of the dataset's."""
        with _building():
            return element_given(self.element_spec, given)

    def make_initializer(self, dataset: Pipeline[Any]) -> Any:
        """Return what a session runs to begin a dataset, whose elements are of the same specs."""
        return self.beginning(self.held(dataset))

    def held(self, dataset: Pipeline[Any]) -> Tensor:
        """Return a tensor that holds a dataset, whose elements this may give."""
        spec = dataset.element_spec
        if nest.paths(self.element_spec) != nest.paths(spec):
            raise InvalidArgumentError(
                f"make_initializer: the dataset's elements are of another structure, {spec}, than "
                f"the iterator's, {self.element_spec}"
            )
        if not _covers(self.element_spec, spec):
            raise DTypeError(
                f"make_initializer: the dataset's elements are {spec}, the iterator's "
                f"{self.element_spec}"
            )
        with _building():
            return as_tensor(dataset)

    def beginning(self, held: Tensor) -> Any:
        """Return what a session runs to begin the dataset that a tensor holds."""
        with _building():
            return effect(MakeIterator(), held, self.handle)

    def string_handle(self) -> Tensor:
        """Return the string that stands for this iterator in a session, from a node of its own."""
        with _building():
            return call(IteratorToStringHandle(), self.handle)


def _building() -> Any:
    return built(get_default_graph())


def _covers(wanted: Any, given: Any) -> bool:
    """Return whether an iterator may give a dataset's elements; unknown sizes may be right."""
    first, second = present(wanted), present(given)
    pairs = list(zip(first, second, strict=False))
    return len(first) == len(second) and all(_may_be(a, b) for a, b in pairs)


def _may_be(a: TensorSpec, b: TensorSpec) -> bool:
    if a.shape is None or b.shape is None:
        return a.dtype is b.dtype
    sizes = zip(a.shape, b.shape, strict=False)
    fits = len(a.shape) == len(b.shape) and all(
        x == y or None in (x, y) for x, y in sizes
    )
    return fits and a.dtype is b.dtype


def _made(
    make: Callable[[str], Op], name: str, inputs: tuple[Tensor, ...] = ()
) -> Tensor:
    """Return the handle that a node makes, by the name that its sessions know it by."""
    with _building():
        return call(make(f"{name} {_number(get_default_graph())}"), *inputs)


def _number(graph: Graph) -> int:
    """Return a number that no other iterator of a graph has."""
    found: int = graph.scopes.get("iterators", 0)
    graph.scopes["iterators"] = found + 1
    return found


def one_shot(dataset: Pipeline[Any]) -> Iterator:
    """Return an iterator that begins by itself, and ends for good at the dataset's end.

    Its function makes the dataset; as in TensorFlow, so do nodes beside it, which nothing takes.
    """
    one_of(dataset, Pipeline, "dataset", "a dataset")
    specs = leaf_specs(dataset.element_spec)
    with _building():
        as_tensor(dataset)
        made = trace(
            lambda: [
                _optimised(as_tensor(dataset, by_value=True), dataset.element_spec)
            ],
            (),
            "make_dataset",
        )
    factory = Compiled(made.graph)
    handle = _made(
        lambda name: OneShotIterator(factory, specs, shared_name=name),
        "OneShotIterator",
        tuple(made.captured),
    )
    return Iterator(handle, dataset.element_spec)


def initializable(dataset: Pipeline[Any], shared_name: str | None = None) -> Iterator:
    """Return an iterator that begins, and begins again, when its initializer is run."""
    one_of(dataset, Pipeline, "dataset", "a dataset")
    with _building():
        held = _optimised(as_tensor(dataset), dataset.element_spec)
    found = reinitializable(dataset.element_spec, shared_name)
    found.begins_by(found.beginning(held))
    return found


_REWRITES = ("map_and_batch_fusion", "noop_elimination", "shuffle_and_repeat_fusion")
"""What TensorFlow 1 rewrites in datasets that nobody asks otherwise of."""


def _optimised(held: Tensor, spec: Any) -> Tensor:
    """Return a dataset behind what TensorFlow is told to make of it."""
    specs = leaf_specs(spec)
    names = titled(to_tensor(list(_REWRITES)), "optimizations")
    return call(
        ModelDataset(specs=specs), call(OptimizeDataset(specs=specs), held, names)
    )


def reinitializable(spec: Any, shared_name: str | None = None) -> Iterator:
    """Return an iterator for all datasets whose elements are of these specs."""
    handle = _made(
        lambda name: IteratorV2(leaf_specs(spec), shared_name=shared_name or name),
        "IteratorV2",
    )
    return Iterator(handle, spec)


def by_string(string_handle: Any, spec: Any) -> Iterator:
    """Return the iterator that a string stands for, which is fed in each run."""
    with _building():
        op = IteratorFromStringHandleV2(leaf_specs(spec))
        handle = call(op, to_tensor(string_handle))
    return Iterator(handle, spec)
