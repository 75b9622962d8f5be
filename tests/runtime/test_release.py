"""What a step knew is let go when it is over, well or not, without the garbage collector's help.

Else large arrays, and locks that are released with the last who has them, live on for a while.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import set_cpu_count


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    set_cpu_count(2)
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    set_cpu_count(1)


def halves(x: tl.Tensor) -> tl.Tensor:
    """Return half of `x`, part of the work being another device's."""
    with tl.device("CPU:1"):
        x = x + x
    return x * 0.25


def nested(x: tl.Tensor) -> tl.Tensor:
    """Return `x` halved nine times, in a loop in a loop on two devices."""

    def turn(i: tl.Tensor, x: tl.Tensor) -> Any:
        return i + 1, tl.while_loop(lambda j, _: j < 3, inner, (i * 0, x))[1]

    def inner(j: tl.Tensor, x: tl.Tensor) -> Any:
        return j + 1, halves(x)

    made: tl.Tensor = tl.while_loop(lambda i, _: i < 3, turn, (tl.asarray(0), x))[1]
    return made


def fails(x: tl.Tensor) -> tl.Tensor:
    """Raise an error, in a loop."""

    def kernel(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if x[0] == 3:
            raise ZeroDivisionError("on purpose")
        return x + 1

    def turn(x: tl.Tensor) -> tl.Tensor:
        made = tl.numpy_function(kernel, [halves(x) * 2.0], tl.float32)
        return tl.reshape(made, (100,))

    made: tl.Tensor = tl.while_loop(lambda x: x[0] < 9.0, turn, (x,))[0]
    return made


@pytest.mark.parametrize("runner", [None, "frames"])
@pytest.mark.parametrize("function", [halves, nested, fails])
def test_arrays_go_with_the_step(
    function: Callable[[tl.Tensor], tl.Tensor], runner: str | None
) -> None:
    step = tl.function(function, runner=runner)
    known = []
    for _ in range(3):
        x = tl.asarray(np.zeros(100, np.float32))
        known.append(weakref.ref(x.array))
        with suppress(tl.errors.KernelError):
            known.append(weakref.ref(step(x).array))
        del x
        if len(known) <= 2:
            gc.collect()  # what tracing left
    assert not [ref for ref in known if ref() is not None]
    assert gc.collect() == 0


def test_an_error_that_is_kept_keeps_no_arrays_of_its_step() -> None:
    known: list[Any] = []

    def noted(y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        known.append(weakref.ref(y))
        return y + 0

    @tl.function
    def step(x: tl.Tensor) -> tl.Tensor:
        y = x + 1.0
        with tl.device("CPU:1"):
            z = tl.numpy_function(noted, [y], tl.float32)
        return tl.add(y + z, fails(tl.reshape(z, (100,)) * 0.0))

    with pytest.raises(tl.errors.KernelError) as caught:
        step(tl.asarray(np.zeros(100, np.float32)))
    assert len(known) == 1
    assert known[0]() is None
    assert caught.value.__traceback__ is not None


@pytest.mark.parametrize("device", ["CPU:0", "CPU:1"], ids=["alone", "beside"])
def test_what_a_condition_needs_is_let_go_before_the_turn_that_it_allows(
    device: str,
) -> None:
    large: list[weakref.ref[np.ndarray[Any, Any]]] = []
    alive: list[bool] = []

    def total(x: np.ndarray[Any, Any]) -> Any:
        large.append(weakref.ref(x))
        return x.sum()

    def looks(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        alive.append(large[-1]() is not None)
        return x

    def called(function: Callable[..., Any], x: tl.Tensor) -> tl.Tensor:
        made: tl.Tensor = tl.numpy_function(function, [x], tl.float32, stateful=False)
        return tl.reshape(made, ())

    def turn(x: tl.Tensor) -> tl.Tensor:
        with tl.device(device):
            more = x + 1.0
        return called(looks, x) * 0.0 + more

    @tl.function(runner="frames")
    def f(x: tl.Tensor) -> tl.Tensor:
        made: tl.Tensor = tl.while_loop(
            lambda x: called(total, x + tl.zeros(1000)) < 3000.0, turn, (x,)
        )[0]
        return made

    assert f(tl.asarray(0.0)).item() == 3.0
    assert alive == [False] * 3
