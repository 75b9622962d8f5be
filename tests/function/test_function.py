"""tl.function: variables, methods, effects and errors."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import SideEffectWarning

COUNT = [0]


def test_structures_in_and_out() -> None:
    @tl.function
    def f(state: Any) -> Any:
        a, b = state["a"], state["b"]
        return {"sum": a + b[0], "rest": (b[1], None, "name"), "n": 3}

    out = f({"a": tl.asarray(1.0), "b": [tl.asarray(2.0), np.float32(5.0)]})
    assert float(out["sum"]) == 3.0
    assert float(out["rest"][0]) == 5.0
    assert out["rest"][1:] == (None, "name")
    assert out["n"] == 3
    f({"b": [tl.asarray(2.0), tl.asarray(5.0)], "a": tl.asarray(1.0)})
    assert f.trace_count <= 2


def test_variables_are_captured_by_reference_and_tell_functions_apart() -> None:
    v, w = tl.Variable(1.0), tl.Variable(10.0)

    @tl.function
    def f(x: Any, u: Any) -> Any:
        return x * v + u

    assert float(f(tl.asarray(2.0), w)) == 12.0
    v.assign(3.0)
    w.assign(20.0)
    assert float(f(tl.asarray(2.0), w)) == 26.0
    assert f.trace_count == 1
    assert float(f(tl.asarray(2.0), v)) == 9.0
    assert f.trace_count == 2


def test_a_variable_made_in_the_function_is_made_once() -> None:
    @tl.function
    def total(x: Any) -> Any:
        v = tl.Variable(tl.zeros(()) + 1.0)
        v.assign_add(tl.sum(x))
        return v.value()

    assert float(total(tl.asarray(2.0))) == 3.0
    assert float(total(tl.asarray(2.0))) == 5.0
    assert float(total(tl.asarray([2.0, 3.0]))) == 10.0


def test_a_variable_that_differs_from_trace_to_trace_is_refused() -> None:
    @tl.function
    def f(x: Any) -> Any:
        return tl.Variable(tl.zeros(x.shape)) + x

    f(tl.ones(2))
    with pytest.raises(
        tl.errors.TracingError, match=r"the variable made at .*test_function.py"
    ):
        f(tl.ones(3))
    assert float(tl.sum(f(tl.ones(2)))) == 2.0


def test_a_variable_starts_from_what_the_first_call_was_given() -> None:
    @tl.function
    def f(x: Any) -> Any:
        return tl.Variable(x * 2) + x

    with pytest.raises(tl.errors.SymbolicTensorError, match="depends on x"):
        f.get_concrete_function(tl.TensorSpec((2,), tl.float32))
    assert f(tl.ones(2)).tolist() == [3.0, 3.0]
    assert f(tl.zeros(2)).tolist() == [2.0, 2.0]


def test_a_variable_starts_from_what_lies_outside_of_the_trace() -> None:
    outside = tl.Variable(5.0)
    made: list[Any] = []

    @tl.function
    def inner(y: Any) -> Any:
        if y > 0.0 and not made:
            made.append(tl.Variable(outside * y + tl.random.uniform(())))
        return y

    @tl.function
    def outer(x: Any) -> Any:
        return inner(x + 1.0)

    assert float(outer(tl.asarray(2.0))) == 3.0
    assert 15.0 <= float(made[0]) < 16.0


def test_methods_have_traces_of_their_own_and_keep_no_object_alive() -> None:
    class Model:
        def __init__(self, k: float) -> None:
            self.k = k

        @tl.function
        def apply(self, x: Any) -> Any:
            return x * self.k

    a, b = Model(2.0), Model(3.0)
    x = tl.asarray(1.0)
    assert (float(a.apply(x)), float(b.apply(x)), float(Model(5.0).apply(x))) == (
        2.0,
        3.0,
        5.0,
    )
    assert float(a.apply(x)) == 2.0
    assert a.apply.trace_count == 1
    gone = weakref.ref(b)
    del b
    gc.collect()
    assert gone() is None


def test_effects_on_python_state_are_told_with_their_lines() -> None:
    class Counter:
        n = 0

    counter = Counter()

    @tl.function
    def f(x: Any) -> Any:
        global COUNT  # noqa: PLW0603
        counter.n = counter.n + 1
        COUNT = [1]
        return x

    with pytest.warns(
        SideEffectWarning, match=r"counter.n \(line \d+\), COUNT \(line \d+\)"
    ):
        f(tl.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(tl.ones(2))
    assert counter.n == 1


def test_run_eagerly_runs_python_each_time() -> None:
    seen = []

    def body(x: Any) -> Any:
        seen.append(x)
        return x

    f = tl.function(body, autograph=False)
    with tl.debugging.run_eagerly():
        f(tl.ones(2))
        f(tl.ones(2))
    assert len(seen) == 2
    assert f.trace_count == 0


def test_nested_traced_functions_are_calls() -> None:
    @tl.function
    def inner(x: Any) -> Any:
        return x * x if x > 0 else x

    @tl.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x + 1)

    assert float(outer(tl.asarray(2.0))) == 13.0
    graph = outer.get_concrete_function(tl.TensorSpec((), tl.float32)).graph
    assert [n.op.name for n in graph.nodes].count("PartitionedCall") == 2


def test_gradients_of_any_order_from_outer_tapes() -> None:
    v = tl.Variable(3.0)

    @tl.function
    def cube(x: Any) -> Any:
        return x * x * x * v

    x = tl.asarray(2.0)
    with tl.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tl.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    assert float(inner.gradient(y, v)) == 8.0
    assert float(first) == 36.0
    assert float(outer.gradient(first, x)) == 36.0


def test_concrete_functions() -> None:
    @tl.function
    def f(x: Any, n: int) -> Any:
        return x * n, {"n": n}

    concrete = f.get_concrete_function(tl.TensorSpec((None,), tl.float32), 3)
    assert concrete.structured_outputs == (
        tl.TensorSpec((None,), tl.float32),
        {"n": 3},
    )
    assert "Mul" in concrete.text()
    assert concrete.dot().startswith("digraph")
    assert [str(d) for d in concrete.partitions] == ["/device:CPU:0"]
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"cast .*\(2, 2\).* to .*None"
    ):
        concrete(tl.ones((2, 2)))


def test_lowered_graphs_hold_primitives() -> None:
    @tl.function
    def f(x: Any) -> Any:
        while x < 10:
            x = x + 1 if x > 5 else x + 2
        return x

    spec = tl.TensorSpec((), tl.float32)
    names = {n.op.name for n in f.get_concrete_function(spec).lowered.nodes}
    wanted = {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"}
    assert wanted <= names


def bound_in_one_branch(x: Any) -> Any:
    if x > 0:
        y = x
    return x + y  # type: ignore[possibly-undefined]


def bound_in_the_loop(x: Any) -> Any:
    for i in tl.range(x):
        last = object(), i
    return last  # type: ignore[possibly-undefined]


def tensor_then_none(x: Any) -> Any:
    best = x[0]
    for _ in x:
        best = None
    return best


def thing_in_a_branch(x: Any) -> Any:
    name = "positive" if x > 0 else print
    return x, name


def dtype_changes(x: Any) -> Any:
    while tl.sum(x) < 10:
        x = tl.astype(x, tl.float64) * 2
    return x


def no_value_on_one_path(x: Any) -> Any:  # noqa: RET503
    if x > 0:
        return x


ERRORS = [
    (
        bound_in_one_branch,
        1.0,
        tl.errors.UndefinedNameError,
        "'y' may have no value here: the if",
    ),
    (
        bound_in_the_loop,
        3,
        tl.errors.UndefinedNameError,
        "'last' may have no value here: the loop",
    ),
    (
        tensor_then_none,
        [1.0],
        tl.errors.LoopError,
        "'best' is a tensor first and then",
    ),
    (
        thing_in_a_branch,
        1.0,
        tl.errors.BranchError,
        "'positive' in one branch and a builtin",
    ),
    (dtype_changes, 1.0, tl.errors.LoopError, "'?x'? is float32"),
    (
        no_value_on_one_path,
        1.0,
        tl.errors.BranchError,
        "a tensor in one branch and None",
    ),
]


@pytest.mark.parametrize(("program", "value", "kind", "text"), ERRORS)
def test_errors_of_control_flow(
    program: Any, value: Any, kind: Any, text: str
) -> None:
    with pytest.raises(kind, match=text) as caught:
        tl.function(program)(tl.asarray(value))
    assert any("test_function.py" in note for note in caught.value.__notes__)


def test_errors_point_at_the_users_line() -> None:
    @tl.function
    def f(x: Any) -> Any:
        if x > 0:
            y = x + 1
            y = tl.reshape(y, (5,))
        else:
            y = x
        return y

    with pytest.raises(tl.errors.ShapeError) as caught:
        f(tl.asarray(1.0))
    lines = [
        (entry.path, entry.frame.code.name, str(entry.statement).strip())
        for entry in caught.traceback
    ]
    mine = [(name, text) for path, name, text in lines if str(path) == __file__]
    assert mine[-1] == ("f", "y = tl.reshape(y, (5,))")


def test_a_function_without_source_says_the_remedy() -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    if x > 0:\n        return x\n    return -x", space)
    with pytest.raises(tl.errors.SymbolicTensorError, match=r"tl\.cond, tl\.where"):
        tl.function(space["f"])(tl.asarray(1.0))


def test_asserts_hold_when_the_graph_runs() -> None:
    @tl.function
    def f(x: Any) -> Any:
        assert x > 0, "must be positive"
        return x

    assert float(f(tl.asarray(1.0))) == 1.0
    with pytest.raises(
        tl.errors.AssertionFailedError, match="x > 0: must be positive"
    ):
        f(tl.asarray(-1.0))


def test_recursion_that_never_returns_asks_for_a_signature() -> None:
    @tl.function
    def f(x: Any) -> Any:
        return f(x) + 1

    with pytest.raises(tl.errors.TracingError, match="output_signature="):
        f(tl.asarray(1.0))


def test_options_are_checked() -> None:
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="runner='fast'; allowed are straight"
    ):
        tl.function(lambda x: x, runner="fast")
    with pytest.raises(tl.errors.InvalidArgumentError, match="no option jit"):
        tl.function(lambda x: x, jit=True)  # type: ignore[call-overload]


def test_assigned_items_are_seen_through_other_names() -> None:
    @tl.function
    def f(x: Any) -> Any:
        y = x * 1
        z = y
        y[0] = 5.0
        return z

    assert float(f(tl.ones(3))[0]) == 5.0


def test_progress_of_a_loop_in_a_graph(capsys: Any) -> None:
    @tl.function
    def f(x: Any) -> Any:
        for i in tl.range(4, progress="rows"):
            x = x + i
        return x

    assert float(f(tl.asarray(0.0))) == 6.0
    assert "rows: 4/4 (100 %)" in capsys.readouterr().err


def test_do_not_convert() -> None:
    @tl.do_not_convert
    def plain(x: Any) -> Any:
        return x if x > 0 else -x

    with pytest.raises(tl.errors.SymbolicTensorError):
        tl.function(lambda x: plain(x))(tl.asarray(1.0))  # noqa: PLW0108


def test_threads_may_call_a_function_while_another_traces_it() -> None:
    @tl.function
    def f(x: Any) -> Any:
        return tl.sum(x) * 2 if tl.sum(x) > 0 else tl.sum(x)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: float(f(tl.ones(n % 3 + 1))), range(48)))
    assert found == [2.0 * (n % 3 + 1) for n in range(48)]
    assert f.trace_count == 3


def test_a_tensor_that_leaks_from_a_trace_says_where_it_was_made() -> None:
    kept: list[Any] = []

    @tl.function
    def f(x: Any) -> Any:
        kept.append(x)
        return x

    with pytest.warns(SideEffectWarning, match=r"kept.append \(line \d+\)"):
        f(tl.ones(1))
    with pytest.raises(
        tl.errors.LeakedTensorError, match=r"test_function.py:\d+ in f\(\) while"
    ):
        kept[0].numpy()


def test_a_device_scope_makes_a_trace_of_its_own() -> None:
    @tl.function
    def f(x: Any) -> Any:
        return x + 1

    f(tl.ones(1))
    with tl.device("/job:worker/task:1"):
        concrete = f.get_concrete_function(tl.TensorSpec((1,), tl.float32))
    assert {str(x.node.device) for x in concrete.graph.outputs} == {
        "/job:worker/task:1"
    }
    assert f.traces()[1].reason == "another device scope"


@pytest.mark.parametrize("reduced", [False, True])
def test_the_first_arguments_are_not_kept(reduced: bool) -> None:
    f = tl.function(lambda x: x * 2.0, reduce_retracing=reduced)
    known = []

    def call(n: int) -> None:
        x = tl.ones(n)
        known.append(weakref.ref(x.array))
        f(x)

    for n in (3, 4, 5):
        call(n)
    gc.collect()
    assert not [ref for ref in known if ref() is not None]
    assert "x: " in f.traces()[1].reason


def test_threads_that_call_a_function_first_at_once_make_one_trace() -> None:
    begin = threading.Barrier(8)
    f = tl.function(lambda x: x * 2.0)

    def call(k: int) -> float:
        begin.wait(30)
        return float(f(tl.asarray(float(k))))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(8))) == [2.0 * k for k in range(8)]
    assert f.trace_count == 1
