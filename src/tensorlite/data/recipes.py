"""Recipes of datasets that need more than a line: which operator makes them, and of what.

The operators stand in beginnings.py and steps.py, what makes tensors of recipes in variants.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Any, Protocol

import numpy as np

from tensorlite.core import nest
from tensorlite.data.base import Pipeline, Recipe
from tensorlite.data.composed import second_seed
from tensorlite.data.elements import (
    is_shape,
    not_nested,
    padding_for,
    shape_from,
    spread,
)
from tensorlite.data.functions import Prepared
from tensorlite.data.given import is_symbolic
from tensorlite.ops.random.words import DEFAULT_SEED, seeds_of

MOST = 2**63 - 1
"""Where numbers end that go on without end."""
SHUFFLED_ON = "ShuffleAndRepeatDataset"
"""What goes on with its random words when it is repeated; it has no other operator."""


class Order(Enum):
    """What the second and later runs of something random have to do with the first."""

    SAME = auto()
    ANEW = auto()
    """They have seeds of their own, which the first seeds gave."""
    CONTINUED = auto()
    """They go on with the words of the one before."""


def bounds_of(limits: Sequence[Any]) -> tuple[Any, Any, Any]:
    """Return start, stop and step of as many arguments as Python's `range` takes."""
    first, *others = limits
    start, stop = (0, first) if not others else (first, others[0])
    return start, stop, others[1] if len(others) > 1 else 1


def ranging(start: Any, stop: Any, step: Any) -> Recipe:
    """Return the recipe of numbers."""
    return Recipe(
        "RangeDataset", numbers={"start": start, "stop": stop, "step": step}
    )


def mapping(
    of: Pipeline[Any], ready: Prepared, at_a_time: int | None, in_order: bool
) -> Recipe:
    """Return the recipe of what a function makes of elements, by several threads if asked."""
    if at_a_time is None:
        return Recipe("MapDataset", (of,), functions={"f": ready})
    calls = np.asarray(at_a_time, np.int32)
    return Recipe(
        "ParallelMapDataset",
        (of,),
        functions={"f": ready},
        numbers={"num_parallel_calls": calls},
        settings={"deterministic": in_order},
    )


def batching(of: Pipeline[Any], rows: Any, drop_remainder: bool) -> Recipe:
    """Return the recipe of batches."""
    numbers = {"batch_size": rows, "drop_remainder": drop_remainder}
    return Recipe("BatchDatasetV2", (of,), numbers=numbers)


def in_sparse_rows(
    of: Pipeline[Any], rows: Any, sizes: Sequence[Any]
) -> Recipe | None:
    """Return the recipe of sparse batches, -1 for the largest size in a batch."""
    if nest.is_nested(of.element_spec):
        return None
    row_shape = np.asarray([-1 if n is None else n for n in sizes], np.int64)
    kind = "DenseToSparseBatchDataset"
    numbers = {f"{kind}/batch_size": rows, "Const": row_shape}
    return Recipe(kind, (of,), numbers=numbers)


def padding(
    of: Pipeline[Any], rows: Any, shapes: Any, values: Any, drop_remainder: bool
) -> Recipe | None:
    """Return the recipe of batches that are filled up; None where ranks are not known."""
    specs = nest.flatten(of.element_spec)
    sizes = [
        _sizes(given, spec.shape)
        for given, spec in zip(
            spread(shapes, of.element_spec, is_shape), specs, strict=True
        )
    ]
    if any(size is None for size in sizes):
        return None
    fillers = [
        x if is_symbolic(x) else np.asarray(padding_for(spec.dtype.numpy, x), kind)
        for x, spec, kind in zip(
            spread(values, of.element_spec, not_nested),
            specs,
            [spec.dtype.numpy for spec in specs],
            strict=True,
        )
    ]
    numbers: dict[str, Any] = {"batch_size": rows}
    numbers |= {f"Const:{i}": size for i, size in enumerate(sizes)}
    numbers |= {f"padding_value:{i}": x for i, x in enumerate(fillers)}
    return Recipe(
        "PaddedBatchDatasetV2",
        (of,),
        numbers=numbers | {"drop_remainder": drop_remainder},
        settings={"number": len(specs)},
    )


def interleaving(
    of: Pipeline[Any], ready: Prepared, cycle: Any, block: Any, at_a_time: Any
) -> Recipe:
    """Return the recipe of elements in turns, by several threads if asked."""
    numbers = {"cycle_length": cycle, "block_length": block}
    if at_a_time is None:
        return Recipe(
            "InterleaveDataset", (of,), functions={"f": ready}, numbers=numbers
        )
    return Recipe(
        "ParallelInterleaveDatasetV2",
        (of,),
        functions={"f": ready},
        numbers={**numbers, "num_parallel_calls": at_a_time},
    )


def windowing(
    of: Pipeline[Any], numbers: Sequence[Any], drop_remainder: bool
) -> Recipe:
    """Return the recipe of windows of a size, so far apart, with steps between elements."""
    named = dict(zip(("size", "shift", "stride"), numbers, strict=True))
    last = {"drop_remainder": drop_remainder}
    return Recipe("WindowDataset", (of,), numbers=named | last)


def keying(
    of: Pipeline[Any], keyed: Prepared, reduced: Prepared, sized: Prepared
) -> Recipe:
    """Return the recipe of what becomes of groups of elements of one key."""
    functions = {"key_func": keyed, "reduce_func": reduced, "window_size_func": sized}
    return Recipe("GroupByWindowDataset", (of,), functions=functions)


def reducing_by_key(of: Pipeline[Any], prepared: Sequence[Prepared]) -> Recipe:
    """Return the recipe of what becomes of a state for each key, which elements change."""
    names = ("key_func", "init_func", "reduce_func", "finalize_func")
    functions = dict(zip(names, prepared, strict=True))
    return Recipe("GroupByReducerDataset", (of,), functions=functions)


def _sizes(given: Any, shape: tuple[int | None, ...] | None) -> Any:
    """Return what is asked for as a tensor, -1 for the largest size in a batch."""
    if is_symbolic(given):
        return given
    wanted = shape_from(given)
    if wanted is None:
        wanted = shape
    if wanted is None:
        return None
    return np.asarray([-1 if n is None else n for n in wanted], np.int64)


def shuffling(of: Pipeline[Any], most: Any, seed: Any, order: Order) -> Recipe:
    """Return the recipe of elements in a random order; zeros for seeds that nobody gave."""
    numbers = {"buffer_size": most, **seeding(seed)}
    if order is Order.CONTINUED:
        return Recipe(SHUFFLED_ON, (of,), numbers=numbers)
    anew = {"reshuffle_each_iteration": order is not Order.SAME}
    return Recipe("ShuffleDataset", (of,), numbers=numbers, settings=anew)


def seeding(given: Any) -> dict[str, Any]:
    """Return the numbers of two seeds: zeros where nobody gave one, else not two zeros."""
    if given is None:
        return {"seed": 0, "seed2": 0}
    first, second = (DEFAULT_SEED, given) if is_symbolic(given) else seeds_of(given)
    return {"seed": first, "seed2": second_seed(second)}


class Drawing(Protocol):
    """Random choices: the seeds that were given for them, and what runs have to do with others."""

    given: Any
    order: Order


def randomly(draws: Drawing) -> Recipe | None:
    """Return the recipe of random numbers, the same in each run; others have none."""
    is_same = draws.order is Order.SAME
    return Recipe("RandomDataset", numbers=seeding(draws.given)) if is_same else None


def repeating(of: Pipeline[Any], times: Any) -> Recipe:
    """Return the recipe of elements over and over; with what shuffles on, it is one operator."""
    before = of.recipe()
    if before is not None and before.kind == SHUFFLED_ON:
        return replace(before, numbers={**before.numbers, "count": times})
    return Recipe("RepeatDataset", (of,), numbers={"count": times})
