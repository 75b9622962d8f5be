"""Options of datasets: their names, kinds and defaults are those of TensorFlow's."""

from __future__ import annotations

import pytest

from tensorlite.data import Dataset, Options
from tensorlite.data.options import OptimizationOptions, ThreadingOptions


def test_options_are_equal_by_what_they_hold() -> None:
    first, second = Options(), Options()
    assert first == second == Dataset.range(0).options()
    first.experimental_optimization.autotune = True
    assert first != second
    assert first.experimental_optimization != OptimizationOptions()


def test_options_of_several_steps_and_datasets_are_joined() -> None:
    tuned, ordered = Options(), Options()
    tuned.experimental_optimization.autotune = True
    ordered.deterministic = False
    numbers = Dataset.range(2)
    found = numbers.with_options(tuned).with_options(ordered).cache().options()
    assert found.experimental_optimization.autotune is True
    assert found.deterministic is False


def test_older_names_are_the_same_options() -> None:
    options = Options()
    options.experimental_threading = ThreadingOptions(private_threadpool_size=3)
    options.experimental_deterministic = False
    assert options.threading.private_threadpool_size == 3
    assert options.deterministic is False


def test_other_names_and_kinds_are_refused() -> None:
    options = Options()
    with pytest.raises(
        AttributeError, match="Cannot set the property foo on Options"
    ):
        options.foo = 1
    with pytest.raises(TypeError, match=r'"deterministic" must be of type .*bool'):
        options.deterministic = "x"  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r'"threading" must be of type .*Threading'):
        options.experimental_threading = 3
