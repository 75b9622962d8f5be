"""Programs as users write them, with closures, classes, decorators and lists in control flow."""

# The programs spell out what shorter code would avoid.
# ruff: noqa: PERF401, RET504, TRY301
from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import SideEffectWarning

VECTOR = np.asarray([1.0, 2.0, 3.0], np.float32)
Program = Callable[..., Any]


def dictionary(x: Any) -> Any:
    d = {"a": x, "b": x * 2}
    while tl.sum(d["a"]) < 10:
        d["a"] = d["a"] + d["b"]
    return d["a"]


def exchanged(x: Any) -> Any:
    d = [x, x * 2]
    for _ in tl.range(3):
        d[0], d[1] = d[1], d[0] + d[1]
    return d[0]


def generator(x: Any) -> Any:
    def numbers() -> Iterator[Any]:
        for i in range(3):
            yield tl.sum(x) * i

    total = 0.0
    for y in numbers():
        if y > 1:
            total = total + y
    return total


def doubling(function: Program) -> Program:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return result * 2 if tl.sum(result) > 0 else result

    return wrapper


@doubling
def decorated(x: Any) -> Any:
    if tl.sum(x) > 10:
        return x
    return x + 1


def caught(x: Any) -> Any:
    for i in range(3):
        try:
            if i == 1:
                raise ValueError
            x = x + 1
            if tl.sum(x) > 3:
                x = x * 2
        except ValueError:
            continue
    return x


def returned_from_with(x: Any) -> Any:
    with tl.name_scope("a"):
        if tl.sum(x) > 10:
            return x
        y = x * 3
    return y


def recurrent(x: Any) -> Any:
    h, c, i, states = tl.zeros(()), tl.zeros(()), 0, []
    while i < tl.shape(x)[0]:
        g = tl.tanh(x[i] + h)
        c = c * 0.5 + g
        h = tl.tanh(c)
        states.append(h)
        i += 1
    return tl.stack(states) * h


def lists_of_lists(x: Any) -> Any:
    a, b = [], []
    for v in x:
        a.append(v)
        if v > 1:
            b.append(v * 2)
        for w in x:
            a.append(w * v)
    return tl.stack(a), tl.stack(b)


def list_returned(x: Any) -> Any:
    out = []
    for v in x:
        out.append(v + 1)
    return out


def last_of_list(x: Any) -> Any:
    out = [x[0]]
    for _ in tl.range(3):
        out.append(out[-1] * 2 + len(out))
    return out[-1]


class Rectifier:
    def __init__(self, slope: float) -> None:
        self.slope = slope

    def __call__(self, x: Any) -> Any:
        return x if tl.sum(x) > 100 else x * self.slope


def callable_object(x: Any) -> Any:
    class Local(Rectifier):
        def __call__(self, x: Any) -> Any:
            return super().__call__(x) if tl.sum(x) > 0 else x

    return Rectifier(2.0)(x) + Local(3.0)(x)


def starred(x: Any) -> Any:
    a, *b = [x, x + 1, x + 2]
    total = a
    for v in b:
        if tl.sum(v) > 10:
            total = total + v
    return total


def given_functions(x: Any) -> Any:
    return tl.map_fn(leaky, x - 2)


def leaky(v: Any) -> Any:
    return v if v > 0 else v * 0.1


def while_or(x: Any) -> Any:
    i, s = 0, tl.sum(x)
    while i < 10 and (s > 0 or i < 3):
        s = s - 1
        i += 1
    return s * i


def countdown(x: Any) -> Any:
    total = 0
    for i in range(tl.shape(x)[0], 0, -2):
        total += i
    return x * total


def deep(x: Any) -> Any:
    s = tl.sum(x)
    for a in tl.range(2):
        for b in tl.range(2):
            for c in tl.range(2):
                if a + b + c > 1:
                    s = s + 1.5
                else:
                    while s < 9:
                        s = s * 2
    return s


PROGRAMS = [
    dictionary,
    exchanged,
    generator,
    decorated,
    caught,
    returned_from_with,
    recurrent,
    lists_of_lists,
    list_returned,
    last_of_list,
    callable_object,
    starred,
    given_functions,
    while_or,
    countdown,
    deep,
]


@pytest.mark.parametrize("runner", ["structured", "frames"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Program, runner: str) -> None:
    expected = tl.nest.flatten(program(tl.asarray(VECTOR)))
    found = tl.nest.flatten(tl.function(runner=runner)(program)(tl.asarray(VECTOR)))
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)
        assert a.dtype == b.dtype


def test_attributes_are_carried_through_loops_with_a_warning() -> None:
    class Sum:
        total: Any = 0.0

    keeper = Sum()

    @tl.function
    def f(x: Any) -> Any:
        keeper.total = 0.0
        for v in x:
            keeper.total = keeper.total + v
        return keeper.total

    with pytest.warns(SideEffectWarning, match=r"keeper.total \(line \d+\)"):
        assert float(f(tl.asarray(VECTOR))) == 6.0


def test_raise_under_a_condition_on_a_tensor_happens_when_the_graph_runs() -> None:
    @tl.function
    def f(x: Any) -> Any:
        if x > 5:
            raise RuntimeError("too large")
        if x > 3:
            y = x * 2
        else:
            raise KeyError(x.dtype.name)
        return y

    assert float(f(tl.asarray(4.0))) == 8.0
    with pytest.raises(
        tl.errors.AssertionFailedError, match="RuntimeError: too large"
    ):
        f(tl.asarray(6.0))
    with pytest.raises(tl.errors.AssertionFailedError, match="KeyError: 'float32'"):
        f(tl.asarray(1.0))


def test_raise_under_a_python_condition_is_pythons() -> None:
    @tl.function
    def f(x: Any) -> Any:
        if x is None:
            raise ValueError("no x")
        return x

    with pytest.raises(ValueError, match="no x"):
        f(None)


def test_assignments_in_branches_and_loops_are_ordered() -> None:
    v = tl.Variable(0.0)

    @tl.function
    def f(x: Any) -> Any:
        for i in tl.range(3):
            if i > 0:
                v.assign_add(x)
            else:
                v.assign(x * 10)
        return v.value()

    assert float(f(tl.asarray(2.0))) == 24.0
    assert float(f(tl.asarray(1.0))) == 12.0


def test_prints_in_loops_are_ordered(capsys: Any) -> None:
    @tl.function
    def f(n: Any) -> Any:
        for i in tl.range(n):
            tl.print("turn", i)
        tl.print("end")
        return n

    f(tl.asarray(2))
    assert capsys.readouterr().out == "turn 0\nturn 1\nend\n"


def test_mutual_recursion() -> None:
    one = tl.Variable(1)

    @tl.function
    def even(n: Any) -> Any:
        if n == 0:
            return tl.asarray(True)
        return odd(n - one)

    @tl.function
    def odd(n: Any) -> Any:
        if n == 0:
            return tl.asarray(False)
        return even(n - one)

    assert [bool(even(tl.asarray(n))) for n in range(5)] == [
        True,
        False,
        True,
        False,
        True,
    ]
    assert [bool(odd(tl.asarray(n))) for n in range(5)] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_output_signature_tells_what_a_recursive_function_returns() -> None:
    spec = tl.TensorSpec((), tl.int32)

    @tl.function(output_signature=spec)
    def ackermann(m: Any, n: Any) -> Any:
        if m > 0:
            if n > 0:
                return ackermann(m - 1, ackermann(m, n - 1))
            return ackermann(m - 1, tl.ones_like(n))
        return n + 1

    assert int(ackermann(tl.asarray(2), tl.asarray(3))) == 9


def test_breakpoints_and_line_tracers_see_the_users_lines() -> None:
    seen = []

    def tracer(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename == __file__ and event == "line":
            seen.append((frame.f_code.co_name, frame.f_lineno))
        return tracer

    traced = tl.function(returned_from_with)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        traced(tl.asarray(VECTOR))
    finally:
        sys.settrace(before)
    first = returned_from_with.__code__.co_firstlineno
    assert {line for name, line in seen if name == "returned_from_with"} >= {
        first + offset for offset in range(1, 6)
    }


def test_lists_of_a_loop_have_truth_and_functions_in_lists_are_converted() -> None:
    @tl.function
    def f(x: Any) -> Any:
        out: list[Any] = []
        for v in x:
            if v > 1 and not out:
                out.append(v)
        return tl.switch_case(len(out), [leaky_sum(x), lambda: out[0]])

    def leaky_sum(x: Any) -> Program:
        def total() -> Any:
            return tl.sum(x) if tl.sum(x) > 100 else tl.sum(x) * 0.5

        return total

    assert float(f(tl.asarray(VECTOR))) == 2.0
    assert float(f(tl.asarray(VECTOR * 0.1))) == pytest.approx(0.3)


def changed_by_one_read_by_the_other(x: Any) -> Any:
    total, i, kinds = 3, 0, {"a": 1}
    if tl.sum(x) > 100:
        i += 1
        kinds["a"] = 5
    else:
        total = total + i + kinds["a"]
        i += 2
    return total + x


def returned_by_both(x: Any) -> Any:
    i = 0
    if tl.sum(x) > 100:
        i += 1
        return x + i
    return x - i


def changed_in_vain(x: Any) -> Any:
    i: Any = 0.0
    n = tl.sum(x)
    while n > 0:
        n = n - 3
        i = n * 2
    if tl.sum(x) > 100:
        i += 1
    i = x
    return i


def nested(x: Any) -> Any:
    i, total = 0, 0
    if tl.sum(x) > 0:
        if tl.sum(x) > 100:
            i += 1
        else:
            total += i + 7
            i += 2
    else:
        total += i
    return total + x


@pytest.mark.parametrize(
    "program",
    [changed_by_one_read_by_the_other, returned_by_both, changed_in_vain, nested],
)
@pytest.mark.parametrize("factor", [-1.0, 1.0, 100.0])
def test_branches_do_not_see_what_the_other_one_did_to_variables_of_their_own(
    program: Program, factor: float
) -> None:
    x = tl.asarray(VECTOR * factor)
    np.testing.assert_array_equal(tl.function(program)(x), program(x))


def test_python_s_functions_are_those_of_tensors() -> None:
    spec = tl.TensorSpec((None,), tl.int32)

    @tl.function(input_signature=[spec])
    def f(x: Any) -> Any:
        smallest_last = sorted(x, key=lambda v: -v)
        return sorted(x), sorted(x, reverse=True), smallest_last, len(range(len(x)))

    rising, falling, keyed, count = f(tl.asarray([2, 1, 3]))
    assert rising.tolist() == [1, 2, 3]
    assert falling.tolist() == keyed.tolist() == [3, 2, 1]
    assert int(count) == 3
    read: Any = tl.function(lambda text: (float(text), int(text)))(tl.asarray("12"))
    assert [x.item() for x in read] == [12.0, 12]
    total = tl.function(lambda d: abs(d).reduce(tl.asarray(0), tl.add))
    assert int(total(tl.data.Dataset.from_tensor_slices([-1, 2]))) == 3
