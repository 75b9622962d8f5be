"""Random programs give the same bits however they are spread over devices, and in any order.

Programs have branches, nested loops, scans, calls of Python, a variable that they read and write,
and gradients; some parts ask for devices, the others get any. What is compared with is the same
program where nothing asks for devices, on the runner that it gets there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.xp import set_cpu_count
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.placed import Placed
from tensorlite.passes.units import Units
from tensorlite.passes.verify import verify
from tensorlite.runtime import program as frame_programs

Values = list[tl.Tensor]
Statement = Callable[[Values, tl.Variable], Values]
Arrays = tuple[np.ndarray[Any, Any], ...]
DEVICES = 4
WIDTH = 3
asking: ContextVar[Sequence[str]] = ContextVar("asking", default=())
"""The devices that programs ask for as they are traced; none: they ask for none."""
LOCAL = tuple([f"CPU:{i}" for i in range(DEVICES)])


@pytest.fixture(autouse=True, scope="module")
def _devices() -> Iterator[None]:
    set_cpu_count(DEVICES)
    yield
    set_cpu_count(1)


def small(x: tl.Tensor) -> tl.Tensor:
    """Return `x` squeezed, so that no program overflows."""
    return x / (1.0 + tl.abs(x))


BINARY = (
    lambda x, y: x + y,
    lambda x, y: x * y - 0.5,
    lambda x, y: tl.sin(x) - y,
    tl.maximum,
)


@st.composite
def assignment(draw: st.DrawFn) -> Statement:
    """Return a statement that sets one value from two."""
    target, a, b = [draw(st.integers(0, WIDTH - 1)) for _ in range(3)]
    op = draw(st.sampled_from(BINARY))

    def run(values: Values, w: tl.Variable) -> Values:
        result = small(op(values[a], values[b]))
        return [result if i == target else x for i, x in enumerate(values)]

    return run


@st.composite
def update(draw: st.DrawFn) -> Statement:
    """Return a statement that changes the variable, and perhaps reads it."""
    source, target = draw(st.integers(0, WIDTH - 1)), draw(st.integers(-1, WIDTH - 1))

    def run(values: Values, w: tl.Variable) -> Values:
        w.assign(small(w + values[source]))
        return [x + w * 0.25 if i == target else x for i, x in enumerate(values)]

    return run


@st.composite
def exchange(draw: st.DrawFn) -> Statement:
    """Return a statement that changes which value is which."""
    order = draw(st.permutations(range(WIDTH)))

    def run(values: Values, w: tl.Variable) -> Values:
        return [values[i] for i in order]

    return run


@st.composite
def foreign(draw: st.DrawFn) -> Statement:
    """Return a statement that calls Python, which may give anything as far as is known."""
    source, target = draw(st.integers(0, WIDTH - 1)), draw(st.integers(0, WIDTH - 1))

    def run(values: Values, w: tl.Variable) -> Values:
        x = values[source]
        made = tl.py_function(lambda x: x * 0.75 - 0.1, [x], x.dtype)
        result = small(tl.reshape(made, (3,)))
        return [result if i == target else x for i, x in enumerate(values)]

    return run


@st.composite
def scanned(draw: st.DrawFn) -> Statement:
    """Return a statement that runs over the elements of a value."""
    source, target = draw(st.integers(0, WIDTH - 1)), draw(st.integers(0, WIDTH - 1))

    def run(values: Values, w: tl.Variable) -> Values:
        result = tl.scan(lambda y, x: small(y * 0.5 + x), values[source])
        return [result if i == target else x for i, x in enumerate(values)]

    return run


@st.composite
def somewhere(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs another on a device."""
    body, device = draw(inner), draw(st.integers(0, DEVICES - 1))

    def run(values: Values, w: tl.Variable) -> Values:
        names = asking.get()
        with tl.device(names[device]) if names else nullcontext():
            return body(values, w)

    return run


@st.composite
def conditional(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs one of two others, as a value says."""
    first, second = draw(inner), draw(inner)
    tested, bound = (
        draw(st.integers(0, WIDTH - 1)),
        draw(st.sampled_from([-0.5, 0.2])),
    )

    def run(values: Values, w: tl.Variable) -> Values:
        flag = tl.sum(values[tested]) > bound
        chosen = tl.cond(
            flag, lambda: tuple(first(values, w)), lambda: tuple(second(values, w))
        )
        return list(chosen)

    return run


@st.composite
def loop(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs another a number of times that a value decides."""
    body, most = draw(inner), draw(st.integers(0, 4))
    parallel, counts = draw(st.sampled_from([1, 2, 10])), draw(st.booleans())

    def run(values: Values, w: tl.Variable) -> Values:
        def turn(i: tl.Tensor, *state: tl.Tensor) -> tuple[tl.Tensor, ...]:
            return i + 1, *body(list(state), w)

        def goes_on(i: tl.Tensor, first: tl.Tensor, *_: tl.Tensor) -> tl.Tensor:
            if counts:
                w.assign(small(w + first))
                first = first + w
            return tl.logical_and(i < most, tl.sum(first) < 2.0)

        return list(
            tl.while_loop(
                goes_on,
                turn,
                (tl.asarray(0), *values),
                parallel_iterations=parallel,
            )[1:]
        )

    return run


@st.composite
def sequence(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs others one after the other."""
    parts = draw(st.lists(inner, min_size=1, max_size=3))

    def run(values: Values, w: tl.Variable) -> Values:
        for part in parts:
            values = part(values, w)
        return values

    return run


def programs(*simple: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    """Return programs made of simple statements."""
    return st.recursive(
        st.one_of(*simple),
        lambda inner: st.one_of(
            conditional(inner), loop(inner), sequence(inner), somewhere(inner)
        ),
        max_leaves=12,
    )


statements = programs(assignment(), update(), exchange(), foreign(), scanned())


class Anywhere:
    """A choice that is drawn: any device for each group, or often the first one."""

    def __init__(self, seed: int, count: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.count = count
        self.stays = self.random.choice([0.0, 0.8, 1.0])

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> list[DeviceName]:
        """Return one device for each group."""
        return [self.drawn(list(places)[: self.count]) for places in allowed]

    def drawn(self, places: Sequence[DeviceName]) -> DeviceName:
        """Return one of some devices."""
        if self.random.random() < self.stays:
            return places[0]
        return self.random.choice(places)


def traced(
    program: Statement, w: tl.Variable, graded: bool, asks: Sequence[str]
) -> ConcreteFunction:
    """Return the trace of a program, with the gradients of its results if asked for."""

    @tl.function(autograph=False)
    def run(*values: tl.Tensor) -> tuple[tl.Tensor, ...]:
        if not graded:
            return tuple(program(list(values), w))
        with tl.GradientTape() as tape:
            tape.watch(values)
            results = program(list(values), w)
            loss = tl.add_n([tl.sum(x * x) for x in results])
        gradients = tape.gradient(loss, values, unconnected="zero")
        return (*results, *gradients)

    token = asking.set(asks)
    try:
        return run.get_concrete_function(*[tl.TensorSpec((3,))] * WIDTH)
    finally:
        asking.reset(token)


def check(program: Statement, seed: int, graded: bool, *, calm: bool) -> None:
    """Compare one placement, and one order of things unless `calm`, with one device."""
    rng = np.random.default_rng(seed)
    start = rng.uniform(-1, 1, 3).astype(np.float32)
    w = tl.Variable(start)
    fed = [rng.uniform(-1, 1, 3).astype(np.float32) for _ in range(WIDTH)]
    concrete = traced(program, w, graded, asks=())
    captured = [x.array for x in concrete.captured]
    expected = (*concrete.callee.run([*fed, *captured]), w.numpy())
    concrete = traced(program, w, graded, asks=LOCAL)
    arrays = [*fed, *[x.array for x in concrete.captured]]
    policy = Anywhere(seed, int(rng.integers(2, DEVICES + 1)))
    runner = "frames" if rng.integers(4) == 0 else None
    placed = Placed(concrete.callee.optimised, runner, policy=policy)
    for part in placed.division.graphs.values():
        verify(part)
    w.assign(start)
    if calm:
        found = placed.run(arrays)
    else:
        with tl.debugging.faults(seed, delay=float(rng.uniform(0, 0.9))):
            found = placed.run(arrays)
    for x, y in zip((*found, w.numpy()), expected, strict=True):
        assert x.dtype == y.dtype
        assert x.tobytes() == y.tobytes()


CASES = (statements, st.integers(0, 2**32 - 1), st.booleans())


@settings(max_examples=60)
@given(*CASES)
def test_a_program_gives_the_same_bits_on_several_devices(
    program: Statement, seed: int, graded: bool
) -> None:
    check(program, seed, graded, calm=True)


@settings(max_examples=60)
@given(*CASES)
def test_a_program_gives_the_same_bits_on_several_threads(
    program: Statement, seed: int, graded: bool
) -> None:
    with patch.object(frame_programs, "HEAVY", 0):
        check(program, seed, graded, calm=True)


@settings(max_examples=60)
@given(*CASES)
def test_a_program_gives_the_same_bits_in_any_order(
    program: Statement, seed: int, graded: bool
) -> None:
    check(program, seed, graded, calm=False)


@pytest.mark.slow
@settings(max_examples=2000)
@given(*CASES)
def test_many_programs_give_the_same_bits_in_any_order_on_any_devices(
    program: Statement, seed: int, graded: bool
) -> None:
    check(program, seed, graded, calm=False)
