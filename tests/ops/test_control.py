"""Branches, loops and what is built of them: eager, traced, and differentiated to third order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import BranchError, LoopError, ShapeError
from tensorlite.core.op import Effect
from tensorlite.graph.trace import Traced, trace
from tests.interpreter import run_graph, traced

X = np.random.default_rng(0).normal(size=(4, 3))


def derivative(f: Callable[[Any], Any], order: int) -> Callable[[Any], Any]:
    """Return the gradient of the gradient (...) of the sum of `f`, scaled lest ones hide faults."""
    if order == 0:
        return f
    inner = derivative(f, order - 1)

    def gradient(x: Any) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.sum(inner(x) * 1.5)
        return tape.gradient(y, x, unconnected="zero")

    return gradient


def branch(x: Any) -> Any:
    return tl.cond(tl.sum(x) > 0, lambda: x * x * x, lambda: 2.0 * x * x)


def other_branch(x: Any) -> Any:
    return branch(-x)


def branch_without_path(x: Any) -> Any:
    return x * tl.cond(
        x[0, 0] > 100, lambda: x * x, lambda: tl.ones((4, 3), dtype=tl.float64)
    )


def loop(x: Any) -> Any:
    return tl.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x * y), (0, x))[
        1
    ]


def loop_without_turns(x: Any) -> Any:
    return tl.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y * x), (0, x * x))[
        1
    ]


def bounded_loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, y * x

    return tl.while_loop(lambda i, y: i > -1, body, (0, x), maximum_iterations=3)[1]


def nested(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        _, z = tl.while_loop(
            lambda j, z: j < i + 1, lambda j, z: (j + 1, z * x + y), (0, y)
        )
        return i + 1, tl.cond(tl.sum(z) > 1, lambda: z * 0.1 * z, lambda: z - y * z)

    return tl.while_loop(lambda i, y: i < 2, body, (0, x))[1]


def swapped(x: Any) -> Any:
    def body(i: Any, a: Any, b: Any) -> Any:
        return i + 1, b * x, a

    return tl.while_loop(lambda i, a, b: i < 3, body, (0, x, x * x))[1]


def growing(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, tl.concat([y, y[:1] * x[:1]])

    return tl.while_loop(lambda i, y: i < 3, body, (0, x))[1]


def array_in_loop(x: Any) -> Any:
    def body(i: Any, array: Any) -> Any:
        return i + 1, array.write(
            i, tl.cond(i > 1, lambda: x[0] * x[1], lambda: x[2] * x[2])
        )

    array = tl.TensorArray(tl.float64, dynamic_size=True)
    _, array = tl.while_loop(lambda i, array: i < 4, body, (0, array))
    return tl.reshape(array.concat(), (4, 3)) * array.gather([3]) + array.read(1)


def tape_in_loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(y)
            z = tl.sum(y * y * y * x)
        return i + 1, tape.gradient(z, y) * 0.1

    return tl.while_loop(lambda i, y: i < 2, body, (0, x * 1.0))[1]


def switch(x: Any) -> Any:
    place = tl.astype(tl.sum(x * 0) + 1, tl.int32)
    return tl.switch_case(place, [lambda: x, lambda: x * x * x, lambda: x * 0])


def mapped(x: Any) -> Any:
    return tl.map_fn(lambda row: row * row * tl.sum(row), x)


def scanned(x: Any) -> Any:
    return tl.scan(lambda state, row: state * row + row, x)


def scanned_back(x: Any) -> Any:
    return tl.scan(
        lambda state, row: state * row + row, x, initializer=x[1], reverse=True
    )


def folded(x: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        return tl.cond(
            tl.sum(row) > 0, lambda: state * row * row, lambda: state - row
        )

    return tl.foldl(step, x) + tl.foldr(step, x)


def calls_in_loop(x: Any) -> Any:
    inner = traced(
        lambda y, z: tl.cond(tl.sum(y) > 0, lambda: y * y * z, lambda: y * z)
    )
    outer = traced(lambda y: inner(y, x) * inner(x, y) * 0.1)

    def body(i: Any, y: Any) -> Any:
        return i + 1, outer(y) + inner(y, y)

    return tl.while_loop(lambda i, y: i < 2, body, (0, x * 1.0))[1] + outer(x)


def constants(x: Any) -> Any:
    table = tl.asarray(X)
    y = tl.cond(x[0, 0] > 100, lambda: x, lambda: table)
    return tl.while_loop(
        lambda i, y: i < 2, lambda i, y: (i + 1, y * table), (0, y * x)
    )[1]


PROGRAMS = [
    calls_in_loop,
    constants,
    branch,
    other_branch,
    branch_without_path,
    loop,
    loop_without_turns,
    bounded_loop,
    nested,
    swapped,
    growing,
    array_in_loop,
    tape_in_loop,
    switch,
    mapped,
    scanned,
    scanned_back,
    folded,
]


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_traced_equals_eager_to_third_order(
    program: Callable[[Any], Any], order: int
) -> None:
    x = tl.asarray(X)
    eager = derivative(program, order)(x).numpy()
    tape_outside = derivative(traced(program), order)(x).numpy()
    tape_inside = traced(derivative(program, order))(x).numpy()
    np.testing.assert_allclose(tape_outside, eager, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(tape_inside, eager, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "program", [nested, growing, scanned], ids=lambda f: f.__name__
)
def test_unknown_sizes_change_nothing(program: Callable[[Any], Any]) -> None:
    second = derivative(program, 2)
    made = trace(lambda x: [second(x)], [tl.TensorSpec((None, 3), tl.float64)])
    found = run_graph(made.graph, [tl.asarray(X), *made.captured])[0]
    np.testing.assert_allclose(
        found.numpy(), second(tl.asarray(X)).numpy(), rtol=1e-9, atol=1e-9
    )


def test_variables_in_loops_and_branches_have_gradients_of_second_order() -> None:
    w = tl.Variable(np.float64(0.7))

    def program(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, tl.cond(i < 2, lambda: y * w * w, lambda: y + w * x)

        return tl.while_loop(lambda i, y: i < 3, body, (0, x))[1]

    def second(f: Callable[[Any], Any]) -> Any:
        with tl.GradientTape() as outer:
            with tl.GradientTape() as inner:
                y = tl.sum(f(tl.asarray(X)))
            first = inner.gradient(y, w)
        return outer.gradient(first, w)

    total = X.sum()
    assert second(program).item() == pytest.approx(12 * 0.7**2 * total)
    assert second(traced(program)).item() == pytest.approx(12 * 0.7**2 * total)
    inside = traced(lambda x: second(program) + 0 * x[0, 0])
    assert inside(X).item() == pytest.approx(12 * 0.7**2 * total)


def test_python_values_pass_through_branches() -> None:
    def choose(x: Any) -> Any:
        result = tl.cond(
            x > 0,
            lambda: {"y": x, "n": 3, "name": "a"},
            lambda: {"y": -x, "n": 3, "name": "a"},
        )
        assert (result["n"], result["name"]) == (3, "a")
        return result["y"]

    assert traced(choose)(-2.0).item() == 2.0


def test_numbers_of_branches_meet_in_one_dtype() -> None:
    mixed = traced(lambda x: tl.cond(x > 0, lambda: 1, lambda: 2.5))
    assert (mixed(1.0).dtype, mixed(1.0).item(), mixed(-1.0).item()) == (
        tl.float32,
        1.0,
        2.5,
    )
    beside = traced(lambda x: tl.cond(x > 0, lambda: x, lambda: 0))
    assert beside(-1.0).item() == 0.0


@pytest.mark.parametrize(
    ("then", "other", "message"),
    [
        (
            lambda x: x,
            lambda x: tl.astype(x, tl.int32),
            r"float32\[\] in one branch and int32\[\]",
        ),
        (lambda x: x, lambda x: None, "and None in the other"),
        (lambda x: (x, x), lambda x: x, "unlike structures"),
        (lambda x: "a", lambda x: "b", "'a' in one branch and 'b'"),
        (lambda x: True, lambda x: 1, "True in one branch and 1"),
    ],
)
def test_unlike_branches_are_refused(then: Any, other: Any, message: str) -> None:
    with pytest.raises(BranchError, match=message):
        traced(lambda x: tl.cond(x > 0, lambda: then(x), lambda: other(x)))(1.0)


def test_branch_error_names_the_variable() -> None:
    def choose(x: Any) -> Any:
        return tl.cond(
            x > 0, lambda: (x, 1), lambda: (x, None), names=("loss", "steps")
        )[0]

    with pytest.raises(BranchError, match="'steps' is 1 in one branch"):
        traced(choose)(1.0)


def test_a_predicate_of_several_elements_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"reduce it with tl\.all"):
        tl.cond(tl.asarray([True, False]), lambda: 1, lambda: 2)


@pytest.mark.parametrize(
    ("start", "after", "message"),
    [
        (
            tl.asarray(0),
            lambda v: v + 0.5,
            r"is int32\[\] before a turn and float32\[\] after",
        ),
        (
            tl.zeros(2),
            lambda v: v[None],
            r"float32\[2\] before a turn and float32\[1, 2\]",
        ),
        (None, lambda v: tl.zeros(2), "is None before a turn"),
        (tl.zeros(2), lambda v: 1.0, "the scalar 1.0"),
        (tl.zeros(2), lambda v: (v, v), "changes its structure"),
    ],
)
def test_variables_that_change_their_kind_are_refused(
    start: Any, after: Any, message: str
) -> None:
    def program(x: Any) -> Any:
        def body(i: Any, v: Any) -> Any:
            return i + 1, after(v)

        return tl.while_loop(lambda i, v: i < x, body, (0, start), names=("i", "v"))[
            0
        ]

    with pytest.raises(LoopError, match=message):
        traced(program)(3)


def test_loop_error_names_the_variable_and_the_line() -> None:
    def program(x: Any) -> Any:
        def body(i: Any, v: Any) -> Any:
            return i + 1, v[None]

        return tl.while_loop(lambda i, v: i < 3, body, (0, x), names=("i", "state"))[
            1
        ]

    with pytest.raises(LoopError, match=r"'state' .*test_control\.py:\d+ in program"):
        traced(program)(1.0)


def test_a_number_takes_the_dtype_that_the_body_gives_it() -> None:
    program = traced(
        lambda x: tl.while_loop(
            lambda i, t: i < 3, lambda i, t: (i + 1, t + x), (0, 0)
        )[1]
    )
    assert program(0.5).item() == 1.5


def sizes_of(made: Traced) -> Any:
    return made.graph.output_specs[0].shape


def test_sizes_that_change_become_unknown_and_others_stay_known() -> None:
    def program(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, tl.concat([y, x])

        return [tl.while_loop(lambda i, y: i < 3, body, (0, x))[1]]

    assert sizes_of(trace(program, [tl.TensorSpec((4, 3))])) == (None, 3)


def test_shape_invariants_open_sizes_and_hold_the_body_to_the_others() -> None:
    def program(x: Any, invariants: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, tl.concat([y, x])

        return [tl.while_loop(lambda i, y: i < 3, body, (0, x), invariants)[1]]

    spec = tl.TensorSpec((4, 3))
    opened = trace(lambda x: program(x, [None, (None, None)]), [spec])
    assert sizes_of(opened) == (None, None)
    with pytest.raises(LoopError, match="after one turn"):
        trace(lambda x: program(x, [None, (4, 3)]), [spec])
    with pytest.raises(LoopError, match="is not compatible with"):
        trace(lambda x: program(x, [None, (5, 3)]), [spec])


def test_python_predicates_decide_at_trace_time() -> None:
    made = trace(
        lambda x: [tl.cond(True, lambda: x, lambda: x * 2)], [tl.TensorSpec(())]
    )
    assert [node.op.name for node in made.graph.nodes] == ["Placeholder"]


def test_effects_of_regions_are_those_of_their_graphs() -> None:
    v = tl.Variable(1.0)

    def program(x: Any) -> Any:
        tl.cond(x > 0, lambda: v.assign_add(x), lambda: None)
        return [tl.cond(x > 1, lambda: v + 0.0, lambda: x)]

    made = trace(program, [tl.TensorSpec(())])
    write, read = [node for node in made.graph.nodes if node.op.name == "If"]
    assert (write.op.effect, read.op.effect) == (Effect.WRITE, Effect.READ)
    assert read.control == (write,)
    assert made.graph.effects == [write]
    assert run_graph(made.graph, [tl.asarray(5.0), *made.captured])[0].item() == 6.0


def test_forward_loop_is_extended_once_however_often_its_gradient_is_taken() -> None:
    def program(x: Any) -> Any:
        with tl.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = loop(x)
        return [tape.gradient(y, x), tape.gradient(y, x, x)]

    made = trace(program, [tl.TensorSpec((2,), tl.float64)])
    forward = next(node for node in made.graph.nodes if node.op.name == "While")
    # i, y, the captured x, and one list of what is saved.
    assert len(forward.outputs) == 4


def test_persistent_tape_of_an_eager_call_answers_second_order() -> None:
    call = traced(loop)

    def second(f: Callable[[Any], Any]) -> Any:
        with tl.GradientTape(persistent=True) as tape:
            x = tl.asarray(X)
            tape.watch(x)
            first = tape.gradient(f(x), x)
        return tape.gradient(first, x)

    np.testing.assert_allclose(second(call).numpy(), second(loop).numpy())


def test_switch_case_outside_its_range_runs_the_default() -> None:
    def program(i: Any) -> Any:
        return tl.switch_case(i, [lambda: 10, lambda: 20, lambda: 30], lambda: -1)

    for f in (program, traced(program)):
        assert [int(f(tl.asarray(i))) for i in (-1, 0, 1, 2, 3)] == [
            -1,
            10,
            20,
            30,
            -1,
        ]


def test_map_fn_over_no_rows() -> None:
    assert tl.map_fn(lambda row: row * 2, tl.zeros((0, 3))).shape == (0, 3)


@tl.function
def power(x: Any, n: Any) -> Any:
    """Return a power by a function that calls itself."""
    if n == 0:
        return tl.ones_like(x)
    return x * power(x, n - 1)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_functions_that_call_themselves_have_gradients(order: int) -> None:
    call: Callable[..., Any] = power
    for _ in range(order):
        call = tl.grad(call)
    x, n = tl.asarray(np.float64(2.0)), tl.asarray(4)
    expected = [16.0, 32.0, 48.0, 48.0][order]
    assert call(x, n).item() == expected
    assert tl.function(lambda n: call(x, n))(n).item() == expected
