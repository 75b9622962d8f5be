"""Recipes of datasets whose elements other datasets give: of generators, of files, of batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import Composed, Pipeline, Recipe, assembled, no_recipe
from tensorlite.data.functions import prepared
from tensorlite.data.ordering import Draws
from tensorlite.data.recipes import Order


def inside(
    made: Callable[[Any], Pipeline[Any]],
    of: Pipeline[Any],
    kind: str = "FlatMapDataset",
    numbers: Mapping[str, Any] | None = None,
) -> Recipe:
    """Return the recipe of the elements of datasets, one of which is made of each element."""
    ready = prepared(made, lambda: (of.element_spec,))
    return Recipe(kind, (of,), functions={"f": ready}, numbers=numbers or {})


def given_once(of: Pipeline[Any], value: Tensor | Composed, spec: TensorSpec) -> Any:
    """Return a dataset of one element, for graphs alone."""
    return _begun(of, "TensorDataset", value, spec)


def given_by_rows(of: Pipeline[Any], value: Composed, spec: TensorSpec) -> Any:
    """Return a dataset of the rows of a tensor, for graphs alone."""
    return _begun(of, "TensorSliceDataset", value, spec)


def _begun(of: Pipeline[Any], kind: str, value: Any, spec: TensorSpec) -> Any:
    steps = of._steps()  # noqa: SLF001  a kin
    return assembled(
        steps, lambda: iter(()), 1, spec, recipe=lambda: Recipe(kind, state=(value,))
    )


def generating(of: Pipeline[Any]) -> Recipe:
    """Return the recipe of what a generator of Python gives: it begins for an element's sake."""
    with interpreted_by(None):
        nothing = to_tensor(np.asarray(0, np.int32))
    own = of._altered(recipe=no_recipe)  # noqa: SLF001  a kin
    once = given_once(of, nothing, TensorSpec((), dtypes.int32))
    return inside(lambda _: own, once)


def in_turns(
    cycle: Any, block: Any = 1, sloppy: Any = False, ahead: Any = (None, None)
) -> dict[str, Any]:
    """Return the numbers of what reads several datasets at once, some elements ahead."""
    output, given = ahead
    numbers = {"cycle_length": cycle, "block_length": block, "sloppy": sloppy}
    output = 2 * block if output is None else output
    given = 2 * cycle if given is None else given
    return numbers | {
        "buffer_output_elements": output,
        "prefetch_input_elements": given,
    }


def read_in_turns(of: Any, fn: Callable[..., Any], numbers: Any, ahead: Any) -> Any:
    """Return elements of the datasets that a function makes, in turns, some of them read ahead.

    `numbers` are how many datasets are open, how many elements each gives in its turn, and whether
    these may come in another order.
    """
    cycle, block, sloppy = numbers
    made = of.interleave(fn, cycle, block)

    def recipe() -> Recipe:
        plain: Recipe = made.recipe()
        given = in_turns(cycle, block, sloppy, ahead)
        return replace(plain, kind="ParallelInterleaveDataset", numbers=given)

    return made._altered(recipe=recipe)  # noqa: SLF001  a kin


def mapped_to_batches(
    of: Any, fn: Callable[..., Any], rows: Any, calls: Any, drop_remainder: Any
) -> Any:
    """Return batches of what a function makes of elements, as one step."""
    mapped = of.map(fn)
    made = mapped.batch(rows, drop_remainder)

    def recipe() -> Recipe:
        plain: Recipe = mapped.recipe()
        size, drop = made.recipe().numbers.values()
        numbers = {"batch_size": size, "num_parallel_calls": calls}
        numbers["drop_remainder"] = drop
        return replace(plain, kind="MapAndBatchDataset", numbers=numbers)

    return made._altered(recipe=recipe)  # noqa: SLF001  a kin


def shuffled_again(of: Any, most: Any, count: Any, seeds: Any) -> Any:
    """Return elements over and over, in an order that goes on with its random words."""
    return of.shuffled(most, Draws(seeds, Order.CONTINUED)).repeat(count)
