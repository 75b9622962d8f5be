"""Where datasets begin: tensors, generators, numbers, files' names, and other datasets."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.check import a_function
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import InvalidArgumentError, NoMatchError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import INFINITE, UNKNOWN, Pipeline, Recipe, assembled
from tensorlite.data.composites import (
    COMPOSITES,
    RaggedRow,
    each,
    has_ragged,
    leaves,
    packed,
    row_spec,
    structure_of,
)
from tensorlite.data.declared import declared_specs
from tensorlite.data.elements import (
    as_declared,
    joined,
    row_readers,
    rows_of,
    spec_of,
    tensors,
)
from tensorlite.data.given import (
    captured,
    is_symbolic,
    known_number,
    number,
    number_now,
    value_of,
)
from tensorlite.data.inside import generating
from tensorlite.data.ordering import Draws, mixed
from tensorlite.data.recipes import MOST, Order, bounds_of, randomly, ranging
from tensorlite.data.resuming import Zipped
from tensorlite.data.several import Datasets, Odds, check_choices, drawn
from tensorlite.ops.records.files import matching

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")
U = TypeVar("U")


class Creating(Pipeline[T]):
    """What a Dataset offers to begin with."""

    @classmethod
    def from_tensors(cls, tensors_: U) -> Dataset[U]:
        """Return a dataset of one element: the tensors as they are.

        >>> print(next(iter(tl.data.Dataset.from_tensors([1, 2]))))
        [1 2]
        """
        whole = tensors(tensors_)
        given = captured(whole)
        spec = spec_of(whole)

        def source() -> Iterator[Any]:
            yield nest.map_structure(value_of, whole) if given else whole

        made: Dataset[U] = assembled(
            cls._steps(),
            source,
            1,
            spec,
            captures=given,
            recipe=lambda: Recipe("TensorDataset", state=tuple(leaves(whole))),
            from_ragged=has_ragged(whole),
        )
        return made

    @classmethod
    def from_tensor_slices(cls, tensors_: U) -> Dataset[U]:
        """Return the rows of a tensor, or of all tensors in a structure, row by row.

        Raises InvalidArgumentError when the tensors have different numbers of rows.

        >>> x, y = next(iter(tl.data.Dataset.from_tensor_slices(([1.0, 2.0], np.asarray([3, 4])))))
        >>> print(x, y)
        1.0 3
        """
        whole = tensors(tensors_)
        given = captured(whole)
        size = UNKNOWN if given else rows_of(whole, "from_tensor_slices")
        spec = each(_row_spec, whole)

        def source() -> Iterator[Any]:
            found = nest.map_structure(value_of, whole) if given else whole
            readers = row_readers(found)
            count = rows_of(found, "from_tensor_slices") if given else size
            for i in builtins.range(count):
                yield packed(whole, [read(i) for read in readers])

        made: Dataset[U] = assembled(
            cls._steps(),
            source,
            size,
            spec,
            captures=given,
            recipe=lambda: (
                None
                if any(isinstance(leaf, RaggedRow) for leaf in leaves(spec))
                else Recipe("TensorSliceDataset", state=tuple(leaves(whole)))
            ),
            from_ragged=has_ragged(whole),
        )
        return made

    @classmethod
    def from_list(cls, elements: Sequence[U]) -> Dataset[U]:
        """Return the elements of a list, which may differ in shape.

        >>> words = tl.data.Dataset.from_list([[1], [2, 3]])
        >>> print(words.element_spec)
        int32[?]
        """
        if not isinstance(elements, (list, tuple)) or not elements:
            raise InvalidArgumentError(
                f"from_list: {elements!r}; allowed are lists and tuples of elements"
            )
        whole = [tensors(element) for element in elements]
        made: Dataset[U] = assembled(
            cls._steps(),
            lambda: iter(whole),
            len(whole),
            reduce(joined, map(spec_of, whole)),
        )
        return made

    @classmethod
    def range(
        cls, *bounds: Any, output_type: DTypeLike = dtypes.int64
    ) -> Dataset[Tensor]:
        """Return the numbers of Python's `range`, as 0-d tensors, int64 unless said otherwise.

        >>> print([int(i) for i in tl.data.Dataset.range(1, 7, 2)])
        [1, 3, 5]
        """
        limits = [number(bound, "range: a bound") for bound in bounds]
        kind = as_dtype(output_type)
        if len(limits) > 2 and known_number(limits[2]) == 0:
            raise InvalidArgumentError("range: step is 0; allowed are other numbers")
        later = any(known_number(limit) is None for limit in limits)
        size = UNKNOWN if later else len(builtins.range(*limits))

        def source() -> Iterator[Tensor]:
            for i in builtins.range(
                *[number_now(limit, "range") for limit in limits]
            ):
                yield constant(i, kind)

        made: Dataset[Tensor] = assembled(
            cls._steps(),
            source,
            size,
            TensorSpec((), kind),
            captures=captured(*limits),
            recipe=lambda: ranging(*bounds_of(limits)),
        )
        return made

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: Any = None,
        *,
        element_spec: Any = None,
    ) -> Dataset[Any]:
        """Return what `generator` yields, called anew for each run with `args`, as tensors.

        Dtypes and shapes, or specs as `output_signature` (or `element_spec`), say what that is:
        values are converted to it and checked. Without them each value's own dtype is taken, and
        the dataset cannot be looped over in a traced function.

        >>> words = tl.data.Dataset.from_generator(lambda: iter([1.0, 2.0]))
        >>> print([float(x) for x in words])
        [1.0, 2.0]
        >>> typed = tl.data.Dataset.from_generator(lambda: iter([1, 2]), tl.float64)
        >>> next(iter(typed)).dtype
        tl.float64
        """
        a_function(generator, "from_generator: `generator`")
        specs = output_signature if output_signature is not None else element_spec
        if specs is None:
            specs = declared_specs(output_types, output_shapes)
        given = [] if args is None else [tensors(x) for x in args]

        def element(value: Any) -> Any:
            return tensors(value) if specs is None else as_declared(value, specs)

        def source() -> Iterator[Any]:
            values = [value_of(x).numpy() for x in given]
            return builtins.map(element, generator(*values))

        made: Dataset[Any] = assembled(
            cls._steps(),
            source,
            UNKNOWN,
            specs,
            captures=captured(given),
            recipe=lambda: None if specs is None else generating(made),
        )
        return made

    @classmethod
    def zip(cls, *datasets: Any) -> Dataset[Any]:
        """Return tuples of the elements of several datasets, up to the shortest.

        A structure of datasets gives structures of elements.

        >>> both = tl.data.Dataset.zip(tl.data.Dataset.range(2), tl.data.Dataset.range(5, 9))
        >>> print([(int(a), int(b)) for a, b in both])
        [(0, 5), (1, 6)]
        """
        alone = len(datasets) == 1 and nest.is_nested(datasets[0])
        form = datasets[0] if alone else datasets
        form = tuple(form) if isinstance(form, list) else form
        parts = nest.flatten(form)
        finite = [d.size for d in parts if d.size != INFINITE]
        size = UNKNOWN if UNKNOWN in finite else min(finite, default=INFINITE)

        def source() -> Iterator[Any]:
            rows = Zipped([d.source() for d in parts])
            return builtins.map(partial(_structured, form), rows)

        def spec() -> Any:
            return _structured(form, [d.element_spec for d in parts])

        made: Dataset[Any] = assembled(
            cls._steps(),
            source,
            size,
            spec,
            *parts,
            recipe=lambda: Recipe("ZipDataset", tuple(parts)),
        )
        return made

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[Any],
        weights: Any = None,
        seed: int | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset[Any]:
        """Return elements of several datasets, each drawn from one of them by its weight.

        Without weights each is as likely; a dataset of weights has those of each draw. When one is
        exhausted the others go on, unless `stop_on_empty_dataset`. With
        `rerandomize_each_iteration` every run draws anew.

        >>> two = [tl.data.Dataset.range(3), tl.data.Dataset.range(10, 13)]
        >>> mixed = tl.data.Dataset.sample_from_datasets(two, seed=1)
        >>> print(sorted(int(x) for x in mixed))
        [0, 1, 2, 10, 11, 12]
        """
        odds = Odds(weights, len(datasets))
        draws = Draws(seed, _order_of_runs(rerandomize_each_iteration))

        def source() -> Iterator[Any]:
            readers = [d.source() for d in datasets]
            words = draws.for_a_run()
            return drawn(words, readers, odds.for_a_run(), stop_on_empty_dataset)

        made: Dataset[Any] = assembled(
            cls._steps(),
            source,
            _total(datasets) if not stop_on_empty_dataset else UNKNOWN,
            lambda: _common_spec(datasets),
            *datasets,
            *odds.datasets,
            captures=odds.captures,
            chances=(draws,),
            recipe=lambda: cls._as_choices(
                datasets, odds, draws, stop_on_empty_dataset
            ),
        )
        return made

    @classmethod
    def _as_choices(
        cls, datasets: Sequence[Any], odds: Odds, draws: Draws, stop: bool
    ) -> Recipe | None:
        """Return the recipe of a choice of datasets by random numbers, where odds are known."""
        draw = odds.drawing()
        if draw is None:
            return None
        places = cls._random(draws).batch(2).map(draw)
        return cls.choose_from_datasets(datasets, places, stop).recipe()

    @classmethod
    def choose_from_datasets(
        cls,
        datasets: Sequence[Any],
        choice_dataset: Any,
        stop_on_empty_dataset: bool = True,
    ) -> Dataset[Any]:
        """Return elements of the datasets at the places that `choice_dataset` says, in turn.

        InvalidArgumentError is raised where there are no datasets, or none of a place; DTypeError
        where places are no whole numbers.

        >>> two = [tl.data.Dataset.range(3), tl.data.Dataset.range(10, 13)]
        >>> places = tl.data.Dataset.range(2).repeat(2)
        >>> print([int(x) for x in tl.data.Dataset.choose_from_datasets(two, places)])
        [0, 10, 1, 11]
        """
        check_choices(datasets, choice_dataset)

        def source() -> Iterator[Any]:
            readers = [d.source() for d in datasets]
            end, gone = object(), set[int]()
            for place in choice_dataset.source():
                at = int(nest.flatten(place)[0])
                if not 0 <= at < len(readers):
                    raise InvalidArgumentError(
                        f"choose_from_datasets: place {at} is out of range; there are "
                        f"{len(readers)} datasets"
                    )
                element = next(readers[at], end)
                if element is not end:
                    yield element
                gone |= {at} if element is end else set()
                if gone and (stop_on_empty_dataset or len(gone) == len(readers)):
                    return

        made: Dataset[Any] = assembled(
            cls._steps(),
            source,
            UNKNOWN,
            lambda: _common_spec(datasets),
            *datasets,
            choice_dataset,
            recipe=lambda: Recipe(
                "DirectedInterleaveDataset",
                (choice_dataset, *datasets),
                settings={
                    "N": len(datasets),
                    "stop_on_empty_dataset": bool(stop_on_empty_dataset),
                },
            ),
        )
        return made

    @classmethod
    def random(
        cls, seed: Any = None, rerandomize_each_iteration: bool | None = None
    ) -> Dataset[Tensor]:
        """Return random int64 numbers of [0, 2**32), without end; other ones in every run if asked.

        >>> numbers = tl.data.Dataset.random(seed=4).take(2)
        >>> list(numbers)[0].dtype
        tl.int64
        """
        return cls._random(Draws(seed, _order_of_runs(rerandomize_each_iteration)))

    @classmethod
    def _random(cls, draws: Draws) -> Dataset[Tensor]:
        def source() -> Iterator[Tensor]:
            words = draws.for_a_run()
            while True:
                yield constant(words.next(), dtypes.int64)

        made: Dataset[Tensor] = assembled(
            cls._steps(),
            source,
            INFINITE,
            TensorSpec((), dtypes.int64),
            chances=(draws,),
            recipe=lambda: randomly(draws),
        )
        return made

    @classmethod
    def counter(
        cls, start: int = 0, step: int = 1, dtype: DTypeLike = dtypes.int64
    ) -> Dataset[Tensor]:
        """Return `start`, `start + step` and so on, without end, int64 unless said otherwise.

        >>> print([int(x) for x in tl.data.Dataset.counter(5, 2).take(3)])
        [5, 7, 9]
        """
        kind = as_dtype(dtype)

        def source() -> Iterator[Tensor]:
            return (constant(i, kind) for i in itertools.count(start, step))

        made: Dataset[Tensor] = assembled(
            cls._steps(),
            source,
            INFINITE,
            TensorSpec((), kind),
            recipe=lambda: ranging(start, MOST if step > 0 else -MOST, step),
        )
        return made

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = True, seed: int | None = None
    ) -> Dataset[Tensor]:
        """Return the names of the files that match patterns, shuffled unless that is refused.

        Raises NotFoundError when none does. In their own order they are sorted.
        """
        patterns = tensors(file_pattern)
        now = () if is_symbolic(patterns) else tuple(_matching(patterns))
        draws = Draws(seed, Order.ANEW)

        def source() -> Iterator[Tensor]:
            names = list(now or _matching(value_of(patterns)))
            ordered = iter(names)
            if shuffle is not False:
                ordered = mixed(ordered, len(names), draws.for_a_run())
            return (constant(name, dtypes.string) for name in ordered)

        made: Dataset[Tensor] = assembled(
            cls._steps(),
            source,
            len(now) if now else UNKNOWN,
            TensorSpec((), dtypes.string),
            captures=captured(patterns),
            chances=(draws,),
        )
        return made


def _order_of_runs(anew: bool | None) -> Order:
    return Order.ANEW if anew else Order.SAME


def _row_spec(leaf: Any) -> Any:
    if isinstance(leaf, COMPOSITES):
        return row_spec(structure_of(leaf))
    if isinstance(leaf, Datasets):
        return leaf[0]
    if not isinstance(leaf, Tensor):
        return leaf
    shape = leaf.spec.shape
    return TensorSpec(None if shape is None else shape[1:], leaf.dtype)


def _structured(form: Any, values: Iterable[Any]) -> Any:
    """Return a structure of elements in the place of one of datasets, which elements may share."""
    left = builtins.iter(values)
    if not nest.is_nested(form):
        return next(left)
    return nest.rebuild(
        form, [_structured(member, left) for member in nest.children(form)]
    )


def _common_spec(datasets: Sequence[Any]) -> Any:
    found = datasets[0].element_spec
    for other in datasets[1:]:
        found = joined(found, other.element_spec)
    return found


def _total(datasets: Sequence[Any]) -> int:
    sizes = [d.size for d in datasets]
    if UNKNOWN in sizes or INFINITE in sizes:
        return INFINITE if INFINITE in sizes else UNKNOWN
    return sum(sizes)


def _matching(patterns: Any) -> list[bytes]:
    """Return the names of files that match, sorted; NoMatchError if there are none."""
    listed = np.ravel(patterns.numpy()).tolist()
    texts = [x.decode() if isinstance(x, bytes) else x for x in listed]
    found = matching(texts, recursive=True)
    if not found:
        raise NoMatchError(f"list_files: No files matched pattern: {texts}")
    return [name.encode() for name in found]
