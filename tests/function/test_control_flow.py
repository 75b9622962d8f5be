"""Every construct of Python's control flow: traced, on all runners, as it is eagerly."""

# The programs spell out the constructs that shorter code would avoid.
# ruff: noqa: PERF401, PLC3002, SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl

RUNNERS = ["structured", "frames"]
Program = Callable[..., Any]


def branch(x: Any) -> Any:
    if x > 0:
        y = x * 2
    elif x < -5:
        y = x * x
    else:
        y = x - 1
    return y


def early_returns(x: Any) -> Any:
    if x > 3:
        return x * 2
    if x > 1:
        y = x + 1
        if y > 2.5:
            return y * y
    for i in range(3):
        if x + i > 2:
            return x + i
    return x


def return_in_loop(x: Any) -> Any:
    while True:
        x = x - 1
        if x < 3 and not (x > 7 or x == 5):
            return x * 10


def return_in_nested_loops(x: Any) -> Any:
    for i in tl.range(4):
        for j in tl.range(4):
            if x + i * j > 6:
                return x * 100
    return x


def while_break_continue(x: Any) -> Any:
    total = 0.0
    x = x * x + 1
    while x < 100:
        x = x * 2
        if x < 8:
            continue
        total = total + x
        if x > 50:
            break
    else:
        total = total - 1
    return total


def for_else(x: Any) -> Any:
    total: Any = 0
    for i in tl.range(5):
        if x + i > 6:
            break
        total += i
    else:
        total = total + 100
    return x * total


def rows(x: Any) -> Any:
    total: Any = 0.0
    for row in x:
        if tl.sum(row) < 0:
            continue
        total = total + tl.sum(row * row)
    return total


def appended(x: Any) -> Any:
    out = []
    for row in x:
        out.append(row * row)
    return tl.stack(out)


def appended_sometimes(x: Any) -> Any:
    out = []
    for row in x:
        if tl.sum(row) > 0:
            out.append(row + 1)
    return tl.stack(out)


def python_list(x: Any) -> Any:
    out = []
    for i in range(3):
        out.append(x * i)
    return tl.stack(out)


def items(x: Any) -> Any:
    for i in tl.range(2):
        x[i] = x[i] * 2
        x[0, :] += 1.0
    return x


def enumerated(x: Any) -> Any:
    total: Any = 0
    for i, (a, b) in enumerate(zip(x, x, strict=False)):
        for j in tl.range(2):
            total += tl.sum(a * b) + j + i
    return total


def nested_with_branch(x: Any) -> Any:
    total = 0
    for i in tl.range(3):
        j = 0
        while j < i + 1:
            total = total + x * j if i > 1 else total - x
            j += 1
    return total


def chains(x: Any) -> Any:
    return x if 0 < x < 5 else -x


def conditional_expression(x: Any) -> Any:
    return (x + 1 if x > 0 else x - 1) * (2 if x > 100 else 3)


def booleans(x: Any) -> Any:
    a = x > 0 and x < 4
    b = not a or x == 9
    return tl.where(b, x, x * 2)


def membership(x: Any) -> Any:
    return x * 2 if x in (1.0, 3.0) else x


def asserted(x: Any) -> Any:
    assert x < 1000, "too large"
    return x * 2


def helper(x: Any, scale: float = 2.0) -> Any:
    if x > 0:
        return x * scale
    return -x


def calls_helper(x: Any) -> Any:
    return helper(x) + helper(x - 4, scale=3.0)


def inner_function(x: Any) -> Any:
    k = 2.0

    def inner(y: Any) -> Any:
        nonlocal k
        k = k + 1
        return y * k if y > 0 else y - k

    return inner(x) + inner(x)


def lambdas(x: Any) -> Any:
    double: Program = lambda y: y * 2 if y > 0 else y  # noqa: E731
    return double(x) + (lambda y: y and y)(x > 1) * 1.0


def with_and_try(x: Any) -> Any:
    with tl.name_scope("inside"):
        if x > 0:
            y = x * 3
        else:
            y = x
    try:
        y = y + 1 if y > 2 else y
    finally:
        y = y * 2
    return y


def comprehension(x: Any) -> Any:
    return tl.stack([x * i if x > 1 else x for i in range(3) if i != 1])


def maximum_of(x: Any) -> Any:
    return max(x, 2.0) + min(x, 1.0) + abs(x) + float(int(x))


def python_for_tensor_break(x: Any) -> Any:
    for i in [1.0, 2.0, 3.0]:
        if x > 4:
            break
        x = x + i
    return x


def temporaries(x: Any) -> Any:
    if x > 0:
        label = "positive"
        y = x
    else:
        label = "negative"
        y = -x
    del label
    return y


def walrus(x: Any) -> Any:
    n = x
    while (half := n / 2) > 1:
        n = half
    return n


def grows(x: Any) -> Any:
    y = x[:1]
    while tl.shape(y)[0] < 5:
        y = tl.concat([y, y[:1] + 1])
    return tl.sum(y)


def python_values(x: Any) -> Any:
    flag, names = True, []
    for name in ("a", "b"):
        names.append(name)
        if flag and name == "a":
            x = x + 1
    return x * len(names)


def structures(x: Any) -> Any:
    state = {"a": x, "b": (x, 1)}
    for _ in tl.range(3):
        a, (b, c) = state["a"], state["b"]
        state = {"a": b + c, "b": (a, c + 1)}
    return state["a"] + state["b"][1]


def match_python(x: Any, kind: str = "square") -> Any:
    match kind:
        case "square":
            return x * x
        case _:
            return x


SCALARS = [
    branch,
    early_returns,
    return_in_nested_loops,
    while_break_continue,
    for_else,
    python_list,
    nested_with_branch,
    chains,
    conditional_expression,
    booleans,
    membership,
    asserted,
    calls_helper,
    inner_function,
    lambdas,
    with_and_try,
    comprehension,
    maximum_of,
    python_for_tensor_break,
    temporaries,
    walrus,
    python_values,
    structures,
    match_python,
]
MATRICES = [rows, appended, appended_sometimes, items, enumerated, grows]
VALUES = [7.5, 3.0, 2.0, 1.0, -3.0, -7.0]
MATRIX = np.asarray([[1.0, 2.0], [-3.0, 1.0], [4.0, 0.5]], np.float32)


def gradient(program: Program, value: Any) -> tuple[Any, Any]:
    """Return what a program gives and the gradient of its sum."""
    x = tl.asarray(value)
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = program(x * 1)
        total = tl.sum(y)
    return y, tape.gradient(total, x, unconnected="zero")


def check(program: Program, value: Any, runner: str) -> None:
    """Hold a program's traced value and gradient against the eager ones."""
    expected = gradient(program, value)
    found = gradient(tl.function(runner=runner)(program), value)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6)
    assert found[0].dtype == expected[0].dtype


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("program", SCALARS, ids=lambda p: p.__name__)
def test_scalar_programs(program: Program, runner: str) -> None:
    for value in VALUES:
        check(program, np.float32(value), runner)


@pytest.mark.parametrize("runner", RUNNERS)
def test_return_in_an_endless_loop(runner: str) -> None:
    for value in (3.5, 7.5, 12.0):
        check(return_in_loop, np.float32(value), runner)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("program", MATRICES, ids=lambda p: p.__name__)
def test_matrix_programs(program: Program, runner: str) -> None:
    check(program, MATRIX, runner)


@pytest.mark.parametrize("program", MATRICES, ids=lambda p: p.__name__)
def test_matrix_programs_of_unknown_size(program: Program) -> None:
    traced = tl.function(input_signature=[tl.TensorSpec((None, None), tl.float32)])(
        program
    )
    for rows_ in (3, 2):
        np.testing.assert_allclose(
            np.asarray(traced(tl.asarray(MATRIX[:rows_]))),
            np.asarray(program(tl.asarray(MATRIX[:rows_]))),
        )
    assert traced.trace_count == 1


@pytest.mark.parametrize(
    "program", [branch, nested_with_branch, while_break_continue]
)
def test_second_order(program: Program) -> None:
    def second(fn: Program) -> Any:
        x = tl.asarray(1.5)
        with tl.GradientTape() as outer:
            outer.watch(x)
            with tl.GradientTape() as inner:
                inner.watch(x)
                y = fn(x * x * x)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    np.testing.assert_allclose(
        np.asarray(second(tl.function(program))),
        np.asarray(second(program)),
        rtol=1e-6,
    )


def test_gradient_inside_the_trace() -> None:
    @tl.function
    def slope(x: Any) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = x
            i = 0
            while i < 3:
                y = y * x
                i += 1
        return tape.gradient(y, x)

    assert float(slope(tl.asarray(2.0))) == 32.0


def test_recursion_on_data() -> None:
    @tl.function
    def fib(n: Any) -> Any:
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)

    assert int(fib(tl.asarray(12))) == 144
    assert fib.trace_count == 1


def test_recursion_with_cond_and_a_variable() -> None:
    step = tl.Variable(2)

    @tl.function
    def climb(n: Any) -> Any:
        return tl.cond(n < 1, lambda: n, lambda: step + climb(n - 1))

    assert int(climb(tl.asarray(5))) == 10


def test_methods_and_super() -> None:
    class Base:
        def scale(self, x: Any) -> Any:
            return x * 2 if x > 0 else x

    class Child(Base):
        __factor = 3.0

        @tl.function
        def scale(self, x: Any) -> Any:
            if x < 100:
                x = super().scale(x) * self.__factor
            return x

    child = Child()
    assert float(child.scale(tl.asarray(2.0))) == 12.0
    assert float(Child().scale(tl.asarray(-2.0))) == -6.0
    assert child.scale.trace_count == 1
    assert Child.scale.trace_count == 0


def test_gradients_reach_constants_that_branches_and_loops_use() -> None:
    """They are made again inside, where no tape watches them."""

    @tl.function
    def slope(n: Any) -> Any:
        x = tl.asarray(0.5)
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.asarray(0.5)
            for _ in range(n):
                y = y + x
            if n > 2:
                y = y * x
        return tape.gradient(y, x)

    assert float(slope(tl.asarray(2))) == 2.0
    assert float(slope(tl.asarray(4))) == 0.5 * 4 + 2.5
