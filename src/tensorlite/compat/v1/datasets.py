"""Datasets of TensorFlow 1, with iterators that sessions run: what `tf.data` has, see data.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from tensorlite.compat.shared import (
    arrays as shared_arrays,
    checks,
    elementwise,
    parsing,
)
from tensorlite.compat.shared.datasets import tf_data
from tensorlite.compat.shared.datasets.data_specs import DatasetSpec
from tensorlite.compat.shared.datasets.tf_data import (
    FILES,
    classes_of,
    of_files,
    seeds_given,
    shapes_of,
    specs_of,
    types_of,
)
from tensorlite.compat.v1.functions import arrays, strings_older
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core import nest
from tensorlite.core.dtypes import int64, string
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
)
from tensorlite.data.background import AUTOTUNE
from tensorlite.data.iterators import DatasetIterator, advanced
from tensorlite.data.options import Options
from tensorlite.data.ordering import Draws
from tensorlite.data.recipes import Order
from tensorlite.data.sparse_slices import sparse_rows_of
from tensorlite.graph_mode import iterators
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]

T = TypeVar("T")


class HasElements(Protocol):
    """What knows of which structure its elements are: a dataset, an iterator."""

    @property
    def element_spec(self) -> Any:
        """Dtypes, shapes and kinds of the elements, in their structure."""


class OfElements:
    """What datasets and iterators tell of their elements, as TensorFlow 1 asks for it."""

    @property
    def output_types(self: HasElements) -> Any:
        """Dtypes of the elements, in their structure."""
        return types_of(self.element_spec)

    @property
    def output_shapes(self: HasElements) -> Any:
        """Shapes of the elements, in their structure."""
        return shapes_of(self.element_spec)

    @property
    def output_classes(self: HasElements) -> Any:
        """Classes of the elements' parts, in their structure: Tensor, SparseTensor, ..."""
        return classes_of(self.element_spec)


class Dataset(tf_data.Dataset[T], OfElements):
    """A dataset whose iterators stand in graphs, unless the program runs eagerly."""

    to_repeat: Callable[[], Any] | None = None
    """Gives, of what was shuffled, what is repeated: of TensorFlow 1's datasets the two are one."""

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Any:
        """Return the dataset in an order drawn from a buffer of buffer_size elements.

        Each run through it, and each round of a repeat, has another order, unless
        reshuffle_each_iteration is False.
        """
        seeds, most = seeds_given(seed), plain(buffer_size)
        made: Any = super().shuffle(most, seeds, reshuffle_each_iteration)
        if reshuffle_each_iteration is not False:
            order = Draws(seeds, Order.CONTINUED)
            made.to_repeat = lambda: self.shuffled(most, order)
        return made

    def repeat(self, count: Any = None, name: str | None = None) -> Any:
        """Return the dataset count times one after another, without end if None or -1."""
        made: Any = super().repeat(count)
        if self.to_repeat is None:
            return made
        joined = tf_data.Dataset.repeat(self.to_repeat(), count)
        return joined._altered(recipe=made.recipe)  # noqa: SLF001  a kin

    def make_one_shot_iterator(self) -> Any:
        """Return an iterator that needs no initializer, and that runs through it once."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """Return an iterator that begins when its `initializer` is run."""
        return make_initializable_iterator(self, shared_name)

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: Any = None
    ) -> Any:
        """Return the names of the files that match patterns, shuffled unless that is refused.

        They are looked for when an iterator begins; InvalidArgumentError if none matches.
        """
        if active_graph() is None:
            asked = True if shuffle is None else shuffle
            return super().list_files(file_pattern, asked, seed)
        with name_scope("list_files"):
            names = _names_of_files(file_pattern)
            made: Any = cls.from_tensor_slices(names)
            if shuffle is False:
                return made
            count = arrays.shape(names, out_type=int64)[0]
            return made.shuffle(elementwise.maximum(count, 1), seed)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """Return a dataset of the rows of a SparseTensor, as (indices, values, shape)."""
        return sparse_rows_of(Dataset, plain(sparse_tensor))

    def filter_with_legacy_function(self, predicate: Any) -> Any:
        """Return the dataset of elements for which the predicate is true, as filter does."""
        return self.filter(predicate)

    def map_with_legacy_function(
        self, map_func: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Return the dataset of what map_func gives of each element, as map does."""
        return self.map(map_func, *args, **kwargs)

    def __iter__(self) -> EagerIterator[T]:
        if active_graph() is not None:
            raise RuntimeError(
                "dataset.__iter__() is only supported when eager execution is enabled; use "
                "dataset.make_one_shot_iterator().get_next() in a graph"
            )
        return EagerIterator(self)


def _names_of_files(file_pattern: Any) -> Any:
    """Return the names of files that match patterns, which there must be as they are read."""
    patterns = framework.convert_to_tensor(file_pattern, string, "file_pattern")
    found = parsing.matching_files(patterns)
    is_any = elementwise.greater(arrays.shape(found)[0], 0, name="match_not_empty")
    listed = strings_older.reduce_join(patterns, separator=", ")
    said = elementwise.add("No files matched pattern: ", listed, name="message")
    checked = checks.Assert(is_any, [said], summarize=1, name="assert_not_empty")
    with framework.control_dependencies([checked]):
        return shared_arrays.identity(found)


class EagerIterator(DatasetIterator[T], OfElements):
    """A run through a dataset where programs run at once."""

    def next(self) -> T:
        """Return the next element; StopIteration is raised behind the last."""
        return next(self)


TFRecordDataset: Any = of_files(FILES[0], Dataset)
TextLineDataset: Any = of_files(FILES[1], Dataset)
FixedLengthRecordDataset: Any = of_files(FILES[2], Dataset)


class GraphOptional:
    """An element that a graph's iterator gives when it runs, or none."""

    def __init__(self, has_value: Any, element: Any, spec: Any) -> None:
        self._has_value, self._element = has_value, element
        self.element_spec = spec
        """Dtypes, shapes and kinds of the element, in its structure."""

    def has_value(self, name: str | None = None) -> Any:
        """Return whether there is an element, as a tensor."""
        return shared_arrays.identity(self._has_value, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """Return the element; InvalidArgumentError is raised if there is none when this runs."""
        said = ["The given optional does not have a value."]
        with name_scope(name or "OptionalGetValue"):
            checked = checks.Assert(self._has_value, said)
            with framework.control_dependencies([checked]):
                return nest.map_structure(_given, self._element)


def _given(leaf: Any) -> Any:
    return None if leaf is None else shared_arrays.identity(leaf)


class Iterator(OfElements):
    """An iterator of a graph."""

    def __init__(self, made: iterators.Iterator) -> None:
        self._made = made
        get_default_graph().add_to_collection("iterators", shown(made.handle))

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Return an iterator of elements of these types.

        make_initializer says later over which dataset it runs.
        """
        spec = specs_of(output_types, output_shapes, output_classes)
        return Iterator(iterators.reinitializable(spec, shared_name))

    @staticmethod
    def from_string_handle(
        string_handle: Any,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Return an iterator that gives the elements of the one whose handle is fed."""
        spec = specs_of(output_types, output_shapes, output_classes)
        return Iterator(iterators.by_string(plain(string_handle), spec))

    @property
    def initializer(self) -> Any:
        """Operator that lets the iterator begin at the first element."""
        return _named(lambda: self._made.initializer, "MakeIterator", None)

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element, new at each run; behind the last, OutOfRangeError is raised."""
        found = plain(_named(self._made.next_tensors, "IteratorGetNext", name))
        return in_graph(lambda: self._made.element(found), None, inner=None)

    def get_next_as_optional(self) -> GraphOptional:
        """Return the next element, new at each run, or that there is none."""
        spec = self.element_spec
        more, element = _named(
            lambda: advanced(self._made.handle, spec),
            "IteratorGetNextAsOptional",
            None,
        )
        return GraphOptional(more, element, spec)

    def string_handle(self, name: str | None = None) -> Any:
        """Return the iterator's handle, a string tensor that is fed to from_string_handle."""
        if name is None:
            return shown(self._made.string)
        return _named(self._made.string_handle, "IteratorToStringHandle", name)

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """Return an operator that lets the iterator begin at the dataset's first element."""
        held = self._made.held(dataset)
        return _named(lambda: self._made.beginning(held), "make_initializer", name)

    @property
    def element_spec(self) -> Any:
        """Dtypes, shapes and kinds of the elements, in their structure."""
        return self._made.element_spec


def _named(make: Callable[[], Any], default: str, name: str | None) -> Any:
    return in_graph(make, default, name)


def make_one_shot_iterator(dataset: Any) -> Any:
    """Return an iterator that needs no initializer, and that runs through the dataset once."""
    if active_graph() is None:
        return iter(dataset)
    return Iterator(iterators.one_shot(dataset))


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Any:
    """Return an iterator that begins when its `initializer` is run; for graphs alone.

    Where programs run at once, InvalidArgumentError is raised.
    """
    if active_graph() is None:
        raise InvalidArgumentError(
            "make_initializable_iterator is for graphs; eagerly, iterate over the dataset: "
            "for element in dataset"
        )
    return Iterator(iterators.initializable(dataset, shared_name))


def get_output_types(dataset_or_iterator: Any) -> Any:
    """Return the dtypes of the elements of a dataset or iterator, in their structure."""
    return types_of(_spec_of_elements(dataset_or_iterator))


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """Return the shapes of the elements of a dataset or iterator, in their structure."""
    return shapes_of(_spec_of_elements(dataset_or_iterator))


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """Return the classes of the elements' parts of a dataset or iterator."""
    return classes_of(_spec_of_elements(dataset_or_iterator))


def _spec_of_elements(given: Any) -> Any:
    if not hasattr(given, "element_spec"):
        raise DTypeError(f"{given!r} is no dataset or iterator")
    return given.element_spec
