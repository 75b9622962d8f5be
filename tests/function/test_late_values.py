"""Variables that get their kind in a loop or a branch: none before, None, texts; whole datasets."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tensorlite as tl


def last_of(n: Any) -> Any:
    for i in tl.range(n):
        last = i, i * 0.5
    return last  # type: ignore[possibly-undefined]


def best_of(xs: Any) -> Any:
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


def named(x: Any) -> Any:
    return "positive" if x > 0 else "negative"


def parity(n: Any) -> Any:
    text = "none yet"
    for i in tl.range(n):
        text = "even" if i % 2 == 0 else "odd"
    return text


def late_while(n: Any) -> Any:
    while n > 0:
        seen = n * 10
        n -= 1
    return seen  # type: ignore[possibly-undefined]


def traced(program: Any) -> Any:
    return tl.function(program)


def test_a_loop_gives_a_variable_its_first_value() -> None:
    last, half = traced(last_of)(tl.constant(4))
    assert (int(last), float(half)) == (3, 1.5)
    assert int(traced(late_while)(tl.constant(3))) == 10


@pytest.mark.parametrize(
    ("program", "name"), [(last_of, "last"), (late_while, "seen")]
)
def test_without_a_turn_there_is_no_value(program: Any, name: str) -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match=f"a turn.*: {name}"):
        traced(program)(tl.constant(0))


def unpacking(n: Any) -> Any:
    total = tl.constant(0)
    for i in tl.range(n):
        low, (high, *_) = i, (i + 1, i)
        total += low * high
    return total


def capturing(n: Any) -> Any:
    total = tl.constant(0)
    for i in tl.range(n):
        scale = i + 1

        def scaled(x: Any, by: Any = None) -> Any:
            return x * (scale if by is None else by)  # noqa: B023  called in this turn

        total += scaled(i)
    return total


def trying(n: Any) -> Any:
    total = tl.constant(0)
    for i in tl.range(n):
        try:
            above = i + 1
            total += i * above
        except ZeroDivisionError:
            pass
    return total


@pytest.mark.parametrize("program", [unpacking, capturing, trying])
def test_what_only_a_turn_needs_is_no_reason_for_a_turn(program: Any) -> None:
    found = [int(traced(program)(tl.constant(n))) for n in (0, 3)]
    assert found == [0, 2 + 6]


def test_a_turn_that_asks_for_none_sees_it() -> None:
    assert float(traced(best_of)(tl.constant([-3.0, -1.0, -2.0]))) == -1.0
    empty = traced(best_of).get_concrete_function(tl.TensorSpec((None,), tl.float32))
    assert float(empty(tl.constant([-7.0]))) == -7.0


def test_texts_are_chosen_where_the_graph_runs() -> None:
    assert [traced(named)(tl.constant(x)).item() for x in (1.0, -1.0)] == [
        "positive",
        "negative",
    ]
    assert [traced(parity)(tl.constant(n)).item() for n in (0, 1, 2)] == [
        "none yet",
        "even",
        "odd",
    ]


def test_errors_of_branches_and_loops_are_of_both_python_s_kinds() -> None:
    for kind in (tl.errors.BranchError, tl.errors.LoopError):
        assert issubclass(kind, ValueError)
        assert issubclass(kind, TypeError)
    assert issubclass(tl.errors.UndefinedNameError, ValueError)

    @tl.function
    def f(x: Any) -> Any:
        return 1 if x > 0 else 2

    with pytest.raises(ValueError, match="more than one truth value"):
        f(tl.constant([1.0, 2.0]))


def numbered(numbers: Any) -> Any:
    total = tl.constant(0, tl.int64)
    for i, x in enumerate(numbers):
        total += i * x
    for a, b in zip(numbers, numbers.skip(1), strict=False):
        total += 100 * a * b
    return total


def changed(numbers: Any) -> Any:
    total = tl.constant(0, tl.int64)
    for x in map(lambda x: x * 2 if x > 1 else x, numbers):  # noqa: C417
        total += x
    for x in filter(lambda x: x > 2, numbers):
        total += 100 * x
    return total


def judged(numbers: Any) -> Any:
    return any(numbers.map(lambda x: x > 3)), all(numbers.map(lambda x: x > 3))


def test_python_s_functions_take_datasets_in_traces() -> None:
    numbers = tl.data.Dataset.range(5)
    plain = list(range(5))
    pairs = itertools.pairwise(plain)
    expected = sum(i * i for i in plain) + sum(100 * a * b for a, b in pairs)
    assert int(traced(numbered)(numbers)) == expected
    assert int(traced(changed)(numbers)) == 0 + 1 + 4 + 6 + 8 + 100 * (3 + 4)
    found = traced(judged)(numbers)
    assert [bool(x) for x in found] == [True, False]


def test_python_s_functions_are_its_own_beside_lists() -> None:
    @tl.function
    def f(x: Any) -> Any:
        doubled = [*map(lambda v: v * 2, [x, x])]  # noqa: C417
        chosen = list(filter(None, [0, 2]))
        return doubled[1] + chosen[0] + int(any([0, 1])) + int(all([0, 1]))

    assert float(f(tl.constant(5.0))) == 13.0
