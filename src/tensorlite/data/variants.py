"""Datasets as values of tensors, of dtype variant: how they come into graphs, and out of them.

The elements of a dataset that a tensor holds are flat: a tensor, or a tuple of them. Structures are
Python's, beside the graph. The operators stand in beginnings.py and steps.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import KW_ONLY
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.constant import Const
from tensorlite.core.dispatch import call, interpreted_by, to_tensor
from tensorlite.core.op import REGISTRY, Effect, Op, Role
from tensorlite.core.opaque import Opaque
from tensorlite.core.provenance import user_line
from tensorlite.core.scope import scope, scoped
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.data.base import UNKNOWN, Composed, Pipeline, Recipe, assembled
from tensorlite.data.composites import COMPOSITES, each, leaves
from tensorlite.data.encoding import (
    ENCODED,
    closed,
    decoded,
    encoded,
    is_composite,
    opened,
)
from tensorlite.data.given import known_as, value_of
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.trace import outermost
from tensorlite.ops.sparse.tensor import SparseTensor

DATASET = TensorSpec((), dtypes.variant)
"""The spec of a tensor that holds a dataset."""


joining: ContextVar[bool] = ContextVar("joining", default=False)
"""Whether datasets are made of steps that are joined."""


class Held(Opaque):
    """A dataset as the value of a tensor, and what it would be if its steps were joined."""

    def __init__(
        self,
        dataset: Pipeline[Any],
        joined: Callable[[], Pipeline[Any]] | None = None,
    ) -> None:
        self.dataset = dataset
        self.joined = joined or (lambda: dataset)
        """Returns the dataset, of which steps are one where TensorFlow would join them."""

    @property
    def spec(self) -> TensorSpec:
        """The spec of a tensor that holds it."""
        return DATASET

    def __repr__(self) -> str:
        return f"<variant: {self.dataset!r}>"


class DatasetOp(Op, abstract=True):
    """Makes a dataset of others and of tensors: `made` gets datasets and arrays."""

    effect = Effect.DRAW
    differentiable = False
    _: KW_ONLY
    specs: tuple[TensorSpec, ...] = ()
    """The specs of the elements' tensors."""

    def infer(self, *given: TensorSpec) -> TensorSpec:
        """Return the spec of a dataset, behind which those of its elements lie."""
        return TensorSpec((), dtypes.variant, inner=self.specs)

    def kernel(self, xp: Xp, *given: Array) -> Held:
        """Return the dataset."""

        def joined() -> Pipeline[Any]:
            token = joining.set(True)
            try:
                with interpreted_by(None):
                    return self.made_jointly(*[_joined(x) for x in given])
            finally:
                joining.reset(token)

        with interpreted_by(None):
            return Held(self.made(*[_opened(x) for x in given]), joined)

    made: ClassVar[Callable[..., Pipeline[Any]]]

    def made_jointly(self, *given: Any) -> Pipeline[Any]:
        """Return the dataset where it may be one step with what it is made of."""
        return self.made(*given)


def bound(dataset: Pipeline[Any], known: Mapping[int, Tensor]) -> Pipeline[Any]:
    """Return a dataset that was made with tensors of a graph, which have these values."""
    made: Pipeline[Any] = dataset._altered(  # noqa: SLF001  a kin
        source=lambda: _Bound(dataset, known), captures=()
    )
    return made


class _Bound:
    """A run through a dataset where tensors of a graph have values; it goes on behind an error."""

    def __init__(self, dataset: Pipeline[Any], known: Mapping[int, Tensor]) -> None:
        self._known = known
        with known_as(known):
            self._items = dataset.source()

    def __iter__(self) -> Iterator[Any]:
        """Return this iterator."""
        return self

    def __next__(self) -> Any:
        """Return the next element."""
        with known_as(self._known):
            return next(self._items)


def _opened(x: Any) -> Any:
    return x.dataset if isinstance(x, Held) else x


def _joined(x: Any) -> Any:
    return x.joined() if isinstance(x, Held) else x


def function_of(compiled: Compiled, captured: Sequence[Array]) -> Callable[..., Any]:
    """Return a function of an element's tensors, which returns a tuple of what a graph computes.

    The steps of datasets among these are joined where those of the dataset are that calls it.
    """
    opened = _leaf_joined if joining.get() else leaf_of

    def called(*leaves: Any) -> Any:
        given = [held(x).array for x in leaves_of(leaves)]
        outputs = compiled.run([*given, *captured])
        return tuple([opened(x) for x in outputs])

    return called


def held(leaf: Any) -> Tensor:
    """Return an element's leaf as a tensor; a dataset as one that holds it."""
    if is_dataset(leaf):
        return EagerTensor(Held(leaf))
    return EagerTensor(closed(leaf)) if is_composite(leaf) else to_tensor(leaf)


def leaf_of(x: Array) -> Any:
    """Return the leaf of an element that an array is; the dataset that it holds."""
    if isinstance(x, Opaque):
        return x.dataset if isinstance(x, Held) else EagerTensor(x)
    return opened(x)


def _leaf_joined(x: Array) -> Any:
    return x.joined() if isinstance(x, Held) else leaf_of(x)


def leaves_of(element: Any) -> list[Any]:
    """Return what an element is made of, sparse and ragged tensors whole; None is nothing."""
    return [leaf for leaf in leaves(element) if leaf is not None]


def element_of(spec: Any, given: Sequence[Any]) -> Any:
    """Return the element of a spec whose leaves these are, in their order."""
    source = iter(given)

    def leaf(known: Any) -> Any:
        if known is None:
            return None
        found = next(source)
        if is_composite(known) and is_composite(found):
            return nest.pack_like(known, nest.flatten(found))
        return found

    return each(leaf, spec)


def tensors_of(element: Any) -> list[Tensor]:
    """Return the tensors that an element of a graph is given on as, one for each leaf."""
    return [_as_one(leaf) for leaf in leaves_of(element)]


def _as_one(leaf: Any) -> Tensor:
    if is_dataset(leaf):
        return as_tensor(leaf)
    return encoded(leaf) if is_composite(leaf) else to_tensor(leaf)


def element_given(spec: Any, tensors: Sequence[Tensor]) -> Any:
    """Return the element of a graph that is given as tensors, one for each leaf of its spec."""
    pairs = zip(leaves_of(spec), tensors, strict=True)
    return element_of(spec, [_leaf_given(known, x) for known, x in pairs])


def _leaf_given(known: Any, x: Tensor) -> Any:
    if is_dataset(known):
        return of_tensor(x, known)
    return decoded(known, x) if is_composite(known) else x


def changed(
    dataset: Pipeline[Any], change: Callable[[Any], Any], spec: Any = None
) -> Any:
    """Return a dataset of what becomes of a dataset's elements."""
    return assembled(
        dataset._steps(),  # noqa: SLF001  a kin
        lambda: map(change, dataset.source()),
        dataset.size,
        dataset.spec if spec is None else spec,
        dataset,
    )


def structured(dataset: Pipeline[Any], spec: Any) -> Any:
    """Return a dataset with a structure for its elements, which are flat."""

    def element(flat: Any) -> Any:
        return nest.pack_like(spec, nest.flatten(flat))

    return changed(dataset, element, spec)


def made_as_called() -> bool:
    """Return whether the graph that is being made has a node for all that programs call."""
    tracer = outermost()
    return tracer is not None and tracer.graph.as_called


def as_inputs(
    dataset: Pipeline[Any], state: Sequence[Tensor], name: str
) -> list[Tensor]:
    """Return a tensor that holds a dataset, and those of a state, named below a scope."""
    making = _Making(by_value=False)
    held = making.tensor(dataset)
    with making.inside(name):
        return [held, *making.components(state)]


def of_tensor(x: Tensor, like: Pipeline[Any]) -> Any:
    """Return the dataset that a tensor holds, with the elements of another."""
    spec = like.element_spec

    def source() -> Iterator[Any]:
        elements: Iterator[Any] = structured(
            leaf_of(value_of(x).array), spec
        ).source()
        return elements

    return assembled(
        like._steps(),  # noqa: SLF001  a kin
        source,
        UNKNOWN,
        spec,
        captures=(x,),
        recipe=lambda: Recipe("", state=(x,)),
    )


def as_tensor(dataset: Pipeline[Any], by_value: bool = False) -> Tensor:
    """Return a tensor that holds a dataset, in the graph that is being made.

    What datasets are made of, as far as there are operators for it, are nodes of that graph. Asked
    for `by_value`, so is what they take of graphs around, where that is known without running them.
    """
    return _Making(by_value).tensor(dataset)


_EXPERIMENTS = {"GroupByReducerDataset": "ExperimentalGroupByReducerDataset"}
"""What operators are called by that version 1's programs know as experiments."""
_GIVEN = "normalize_element"
"""Below what TensorFlow has the tensors that datasets are made of, by their numbers."""


class _Making:
    """Nodes for datasets, one for each though others are made of it twice."""

    def __init__(self, by_value: bool) -> None:
        tracer = outermost()
        assert tracer is not None
        self._graph = tracer.graph
        self._by_value = by_value
        self._known: dict[int, Tensor] = {}
        self._copies: dict[Node, Node] = {}

    def tensor(self, dataset: Pipeline[Any]) -> Tensor:
        """Return the tensor that holds a dataset."""
        if id(dataset) not in self._known:
            token = scope.set(scope.get()._replace(name=dataset.within))
            try:
                self._known[id(dataset)] = self._made(dataset)
            finally:
                scope.reset(token)
        return self._known[id(dataset)]

    def _made(self, dataset: Pipeline[Any]) -> Tensor:
        recipe = dataset.recipe()
        if recipe is None or not _is_plain(dataset, recipe):
            names = tuple([id(x) for x in dataset.captures])
            kind: Any = REGISTRY["PythonDataset"]
            op = kind(dataset, names, specs=leaf_specs(dataset.element_spec))
            return call(op, *[self._own(x, "") for x in dataset.captures])
        if not recipe.kind:
            return self._own(recipe.state[0], "")
        functions = recipe.functions.values()
        for one in sorted(recipe.made_of, key=lambda x: x.serial):
            self.tensor(one)
        inputs = [self.tensor(one) for one in recipe.made_of]
        inputs += self.components(recipe.state, recipe.kind == "TensorSliceDataset")
        inputs += [self._own(x, "captured") for one in functions for x in one.given]
        numbers: dict[str, Tensor] = {}
        for name in sorted(recipe.numbers, key=lambda name: "/" in name):
            x = recipe.numbers[name]
            numbers[name] = self._own(x, self._below_operator(name), numbers)
        inputs += [numbers[name] for name in recipe.numbers]
        kind = REGISTRY[recipe.kind]
        made = kind(
            specs=leaf_specs(dataset.element_spec),
            **{name: one.compiled for name, one in recipe.functions.items()},
            **recipe.settings,
        )
        found = call(made, *inputs)
        own = _EXPERIMENTS.get(recipe.kind)
        if own and self._graph.as_called and isinstance(found, SymbolicTensor):
            self._graph.rename(found.node, self._graph.free_name(scoped(own)))
        return found

    def _below_operator(self, name: str) -> str:
        """Return the name of a constant, which may be below that which the operator will have."""
        operator, below, own = name.partition(":")[0].rpartition("/")
        if not below:
            return own
        taken, free = {node.name for node in self._graph.nodes}, operator
        number = 0
        while scoped(free) in taken:
            number += 1
            free = f"{operator}_{number}"
        return f"{free}/{own}"

    def components(
        self, given: Sequence[Tensor | Composed | Any], rows: bool = False
    ) -> list[Tensor]:
        """Return the tensors that something is made of, by the names that they have there.

        What has several is one here, or by `rows`.
        """
        if not given:
            return []
        made = [x(self, {}) if isinstance(x, FunctionType) else x for x in given]
        with self.inside(_GIVEN):
            own = [self._component(x, f"component_{i}") for i, x in enumerate(made)]
        return [encoded(x, rows) if is_composite(x) else x for x in own]

    def _component(self, given: Any, name: str) -> Any:
        if not is_composite(given):
            return self._own(given, name)
        if isinstance(given, SparseTensor) and self._graph.as_called:
            with self.inside("SparseTensor"):
                return SparseTensor(
                    self._own(given.indices, "indices"),
                    self._own(given.values, "values"),
                    self._own(given.dense_shape, "dense_shape"),
                )
        parts = [self._own(x, name) for x in nest.flatten(given)]
        return nest.pack_like(given, parts)

    def _own(
        self, value: Any, name: str, before: Mapping[str, Tensor] | None = None
    ) -> Tensor:
        """Return what an operator is given as a tensor: constants have a name of their own."""
        if isinstance(value, FunctionType):
            return self._own(value(self, before or {}), name)
        if isinstance(value, SymbolicTensor):
            return self._copied(value) if self._by_value else value
        if isinstance(value, EagerTensor) and isinstance(value.array, Opaque):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            value = np.asarray(value, np.int64)
        return self.constant(value, name)

    def constant(self, value: Any, name: str) -> Tensor:
        """Return a constant of a name below the scope."""
        with interpreted_by(None):
            return self.node(Const(to_host(to_tensor(value).array)), (), name)

    def node(self, op: Op, inputs: Sequence[Tensor], name: str) -> Tensor:
        """Return what a node of a name below the scope computes."""
        given = [self._own(x, "") for x in inputs]
        own = [x for x in given if isinstance(x, SymbolicTensor)]
        node = self._graph.add(op, own, name=scoped(name), line=user_line())
        return node.outputs[0]

    @contextmanager
    def inside(self, name: str) -> Iterator[str]:
        """Put a name before those of what is made inside; gives the whole of it."""
        whole = self._graph.free_name(scoped(name))
        token = scope.set(scope.get()._replace(name=whole))
        try:
            yield whole
        finally:
            scope.reset(token)

    def last(self, op: Op, inputs: Sequence[Tensor], whole: str) -> Tensor:
        """Return what a node computes that bears the name of a scope itself."""
        made = self.node(op, inputs, op.name)
        assert isinstance(made, SymbolicTensor)
        self._graph.rename(made.node, whole)
        return made

    def _copied(self, x: SymbolicTensor) -> SymbolicTensor:
        """Return a tensor computed anew in this graph, if that gives what it does outside."""
        if x.node.graph is self._graph or not all(map(_is_pure, _behind(x.node))):
            return x
        for node in _behind(x.node):
            if node not in self._copies:
                inputs = [self._copies[y.node].outputs[y.index] for y in node.inputs]
                self._copies[node] = self._graph.add(
                    node.op, inputs, name=node.name, line=node.line
                )
        return self._copies[x.node].outputs[x.index]


def _behind(node: Node) -> list[Node]:
    """Return the nodes that one is computed of, in an order in which that can be done."""
    found: dict[Node, None] = {}
    for x in node.inputs:
        found |= dict.fromkeys(_behind(x.node))
    return [*found, node]


def _is_pure(node: Node) -> bool:
    """Return whether a node gives the same wherever it is, and is given nothing."""
    is_known = node.op.effect is Effect.NONE and node.op.role is Role.PLAIN
    return is_known and not node.control


def _is_plain(dataset: Pipeline[Any], recipe: Recipe) -> bool:
    """Return whether elements are what graphs have as single values, and functions are graphs."""
    specs = [one.element_spec for one in (dataset, *recipe.made_of)]
    return all(one.compiled is not None for one in recipe.functions.values()) and all(
        isinstance(leaf, (TensorSpec, Pipeline, *COMPOSITES))
        for spec in specs
        for leaf in _leaves(spec)
    )


def _leaves(spec: Any) -> list[Any]:
    """Return the specs in plain structures; what is another composite is as it is."""
    if is_composite(spec):
        return [spec]
    if isinstance(spec, (tuple, list)):
        return [leaf for member in spec for leaf in _leaves(member)]
    if isinstance(spec, Mapping):
        return [leaf for member in spec.values() for leaf in _leaves(member)]
    return [spec]


def is_dataset(leaf: Any) -> bool:
    """Return whether a leaf of an element, or of what is known of one, is a dataset."""
    return isinstance(leaf, Pipeline)


def leaf_specs(spec: Any) -> tuple[TensorSpec, ...]:
    """Return the specs of an element's leaves: of datasets, and what has several, variants'."""
    return tuple([_leaf_spec(leaf) for leaf in leaves_of(spec)])


def _leaf_spec(leaf: Any) -> TensorSpec:
    if is_dataset(leaf):
        return DATASET
    found: TensorSpec = ENCODED if is_composite(leaf) else leaf
    return found
