"""Datasets by TensorFlow's names and argument orders, eagerly, in graphs and in functions.

What they do stands in tensorlite/data. In a graph, functions are traced where they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    SparseTensorValue,
)
from tensorlite.compat.shared.specs.tensor_specs import told
from tensorlite.compat.views import in_graph, lifted, plain
from tensorlite.core import nest
from tensorlite.core.dispatch import constant, interpreted_by, tracer
from tensorlite.core.dtypes import as_dtype, int64
from tensorlite.core.errors import DTypeError, FailedPreconditionError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data import files
from tensorlite.data.background import AUTOTUNE
from tensorlite.data.composites import each, structure_of
from tensorlite.data.dataset import Dataset as Base
from tensorlite.data.elements import tensors
from tensorlite.data.functions import Prepared, prepared
from tensorlite.data.reducing import cardinality_of, only_element
from tensorlite.data.running import NumpyIterator
from tensorlite.data.variants import is_dataset
from tensorlite.function.staging import converted
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.graph import active_graph, built
from tensorlite.graph_mode.streams import seeds_of
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse, sparse_spec

T = TypeVar("T")

_RENAMED = {
    "map_func": "fn",
    "tensors": "tensors_",
    "transformation_func": "transformation",
}
_METHODS = (
    *(
        "apply",
        "batch",
        "bucket_by_sequence_length",
        "cache",
        "enumerate",
    ),
    *(
        "filter",
        "flat_map",
        "group_by_reducer",
        "group_by_window",
        "ignore_errors",
        "interleave",
        "padded_batch",
        "prefetch",
    ),
    *("repeat", "scan", "shard", "shuffle", "skip", "take", "take_while", "unbatch"),
    *("unique", "window", "with_options", "ragged_batch"),
    *("rebatch", "rejection_resample", "save", "snapshot", "sparse_batch"),
)
_BEGINNINGS = (
    *("choose_from_datasets", "counter", "from_generator", "from_list"),
    *("from_tensor_slices", "from_tensors", "list_files", "load", "random"),
    *("range", "sample_from_datasets"),
)


def _as_given(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that takes TensorFlow's arguments: its names, its shapes, its tensors."""
    takes = signature(method)

    @wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("name", None)
        named = {_RENAMED.get(key, key): _plain(x) for key, x in kwargs.items()}
        given = takes.bind(self, *[_plain(x) for x in args], **named)
        if "seed" in takes.parameters:
            given.arguments["seed"] = seeds_given(given.arguments.get("seed"))
        return method(*given.args, **given.kwargs)

    return called


def seeds_given(seed: Any) -> Any:
    """Return TensorFlow's two seeds for one; a tensor as it is."""
    if isinstance(seed, np.integer):
        seed = int(seed)
    return seeds_of(seed) if seed is None or isinstance(seed, int) else seed


def _plain(value: Any) -> Any:
    """Return an argument with tensors for what stands for them, and tuples for shapes."""
    return value if isinstance(value, Base) else _read(plain(_whole(value)))


def _whole(value: Any) -> Any:
    """Return an argument with sparse tensors for their values, which are of no graph yet."""
    if type(value) in {dict, tuple}:
        return nest.rebuild(value, [_whole(x) for x in nest.children(value)])
    return tensors(value) if isinstance(value, SparseTensorValue) else value


def _read(value: Any) -> Any:
    """Return an argument with what variables of the graph that is built have when it is run."""
    if isinstance(value, GraphVariable) and active_graph() is value.graph:
        with built(value.graph):
            return value.__tensor__()
    if type(value) in {dict, list, tuple}:
        return nest.rebuild(value, [_read(x) for x in nest.children(value)])
    return value


def _calls(asked: Any) -> Any:
    """Return how many calls are made at once; what a session is yet to say makes no difference."""
    return AUTOTUNE if isinstance(plain(asked), SymbolicTensor) else asked


class Dataset(Base[T]):
    """A dataset, with TensorFlow's arguments."""

    @property
    def element_spec(self) -> Any:
        """Specification of the elements, with TensorFlow's classes."""
        return told(super().element_spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Return an iterator over the elements as NumPy arrays, numbers and bytes.

        RuntimeError is raised where a graph is built, TypeError for elements that are datasets.
        """
        if tracer() is not None or active_graph() is not None:
            raise FailedPreconditionError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode: loop over "
                "the dataset, or get a session's values"
            )
        known = None if callable(self.spec) else self.spec
        wrong = [x for x in nest.flatten(known) if is_dataset(x)]
        if wrong:
            raise DTypeError(
                "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
                f"values of type {type(wrong[0])}; make elements of them by flat_map"
            )
        return super().as_numpy_iterator()

    def _prepared(
        self, fn: Callable[..., Any], specs: Callable[[], Sequence[Any]]
    ) -> Prepared:
        graph = active_graph()
        if graph is None:
            return prepared(fn, specs)
        with built(graph):
            return prepared(lifted(converted(fn)), specs)

    def map(
        self,
        map_func: Any,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: Any = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Any:
        """Return a dataset of what a function makes of each element.

        How many calls go on at a time has no effect on what comes out; `synchronous` and
        `use_unbounded_threadpool` have none at all.
        """
        return super().map(
            map_func,
            num_parallel_calls=_calls(num_parallel_calls),
            deterministic=deterministic,
        )

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Return tuples of the elements of several datasets, up to the shortest.

        A structure of datasets, by position or as `datasets`, gives structures of elements.
        """
        if bool(args) is (datasets is not None):
            raise TypeError(
                "Both `*args` and `datasets` cannot be set."
                if args
                else "Must pass at least one dataset to `zip`."
            )
        return super().zip(*(args or (datasets,)))

    def concatenate(self, dataset: Any, name: str | None = None) -> Any:
        """Return a dataset of these elements, and those of another behind them.

        TypeError if their dtypes differ.
        """
        mine, others = self.element_spec, dataset.element_spec
        if None not in (mine, others) and _kinds(mine) != _kinds(others):
            raise TypeError(
                f"Two datasets to concatenate have different types {mine} and {others}: "
                "Incompatible dataset elements"
            )
        return super().concatenate(dataset)

    def reduce(
        self, initial_state: Any, reduce_func: Any, name: str | None = None
    ) -> Any:
        """Return what is left of reduce_func(state, element) over all elements."""
        graph = active_graph()
        if graph is None:
            return super().reduce(initial_state, reduce_func)
        given = plain(initial_state)
        return in_graph(
            lambda: super(Dataset, self).reduce(given, reduce_func), None, name
        )

    def get_single_element(self, name: str | None = None) -> Any:
        """Return the one element; raises if there are none or several."""
        graph = active_graph()
        if graph is None:
            return super().get_single_element()
        spec = super().element_spec
        return in_graph(
            lambda: only_element(self, spec), "DatasetToSingleElement", name
        )

    def cardinality(self, name: str | None = None) -> Any:
        """Return how many elements there are, as int64; -1 for endless, -2 for unknown."""
        graph = active_graph()
        if graph is not None:
            return in_graph(lambda: cardinality_of(self), "DatasetCardinality", name)
        with interpreted_by(None):
            return constant(self.size, int64)


for _name in _METHODS:
    setattr(Dataset, _name, _as_given(getattr(Base, _name)))
for _name in _BEGINNINGS:
    setattr(Dataset, _name, classmethod(_as_given(getattr(Base, _name).__func__)))


def _kinds(spec: Any) -> Any:
    """Return the dtypes of a dataset's elements; of datasets among them, those of theirs."""
    if is_dataset(spec):
        return Base, _kinds(spec.element_spec)
    return each(lambda leaf: _kinds(leaf) if is_dataset(leaf) else leaf.dtype, spec)


def types_of(spec: Any) -> Any:
    """Return the dtypes of a dataset's elements; of datasets among them, these."""
    return each(lambda leaf: leaf if is_dataset(leaf) else leaf.dtype, spec)


def shapes_of(spec: Any) -> Any:
    """Return the shapes of a dataset's elements; of datasets among them, these."""
    return each(lambda leaf: leaf if is_dataset(leaf) else _shape(leaf), spec)


def _shape(leaf: Any) -> Any:
    if isinstance(leaf, PlainSparse):
        return as_shape(structure_of(leaf).get_shape())
    return as_shape(leaf.shape)


def classes_of(spec: Any) -> Any:
    """Return of which class the elements of a dataset are; where that is not all, the spec."""

    def one(leaf: Any) -> Any:
        if isinstance(leaf, PlainSparse):
            return SparseTensor
        return Tensor if isinstance(leaf, TensorSpec) else leaf

    return each(one, spec)


def specs_of(types: Any, shapes: Any, classes: Any = None) -> Any:
    """Return the specs that dtypes and shapes of one structure make, and classes if given."""
    if isinstance(types, dict):
        inner, kinds = shapes or {}, classes or {}
        return {
            key: specs_of(dtype, inner.get(key), kinds.get(key))
            for key, dtype in types.items()
        }
    if isinstance(types, (list, tuple)):
        nothing = [None] * len(types)
        for what, given in (("shapes", shapes), ("classes", classes)):
            if given is not None and len(given) != len(types):
                raise TypeError(
                    f"The {what} {given} are not of the structure of the types {types}"
                )
        parts = zip(types, shapes or nothing, classes or nothing, strict=True)
        return nest.rebuild(types, [specs_of(*part) for part in parts])
    whole = TensorSpec(plain(TensorShape(shapes)), as_dtype(types))
    is_sparse = isinstance(classes, type) and issubclass(classes, PlainSparse)
    return sparse_spec(whole.dtype, whole.shape) if is_sparse else whole


def of_files(kind: Any, following: Any) -> Any:
    """Return a class of datasets of files and the like, whose steps are those of another class."""

    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("name", None)
        given = {key: _plain(x) for key, x in kwargs.items()}
        kind.__init__(self, *[_plain(x) for x in args], **given)

    def steps(cls: Any) -> Any:
        return following

    members = {
        "__init__": begin,
        "_steps": classmethod(steps),
        "__doc__": kind.__doc__,
    }
    return type(kind.__name__, (kind, following), members)


FILES = (files.TFRecordDataset, files.TextLineDataset, files.FixedLengthRecordDataset)


__all__ = [
    "FILES",
    "Dataset",
    "of_files",
    "seeds_given",
    "shapes_of",
    "specs_of",
    "types_of",
]
