"""Printing, assertions, numeric checks, calls of Python: in order, with the user's words."""

from __future__ import annotations

import io
import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite import debugging
from tensorlite.core.errors import (
    AssertionFailedError,
    DTypeError,
    InvalidArgumentError,
    NumericsError,
    ShapeError,
)
from tensorlite.graph.trace import trace
from tensorlite.ops.control.effects import Timestamp
from tests.interpreter import traced


def test_print_shows_values_structures_and_elides(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tl.print(
        "x", tl.arange(20), {"b": (tl.asarray(1), "s"), "a": None}, sep="|", end="!\n"
    )
    assert (
        capsys.readouterr().out
        == "x|[ 0  1  2 ... 17 18 19]|{'b': (1, 's'), 'a': None}!\n"
    )
    tl.print(tl.arange(8), summarize=-1, output_stream="stderr")
    assert capsys.readouterr().err == "[0 1 2 3 4 5 6 7]\n"


def test_print_writes_to_files_streams_and_logs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, stream = tmp_path / "log.txt", io.StringIO()
    for target in (f"file://{path}", f"file://{path}", stream):
        tl.print(tl.asarray(1.5), output_stream=target)
    assert path.read_text() == "1.5\n1.5\n"
    assert stream.getvalue() == "1.5\n"
    with caplog.at_level(logging.INFO):
        tl.print("hello", output_stream="log(info)")
    assert caplog.messages == ["hello"]
    with pytest.raises(InvalidArgumentError, match="allowed are stdout"):
        tl.print(1, output_stream="nowhere")


def test_effects_of_a_trace_happen_in_program_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def program(x: Any) -> Any:
        tl.print("first", x)

        def body(i: Any) -> Any:
            tl.print("turn", i)
            return (i + 1,)

        tl.while_loop(lambda i: i < 2, body, (0,))
        tl.cond(x > 0, lambda: tl.print("positive"), lambda: tl.print("negative"))
        tl.print("last")
        return x

    call = traced(program)
    call(-1.0)
    lines = ["first -1.0", "turn 0", "turn 1", "negative", "last", ""]
    assert capsys.readouterr().out == "\n".join(lines)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (debugging.assert_equal, ([1, 2], [1, 2]), ([1, 2], [1, 3])),
        (debugging.assert_none_equal, ([1, 2], [2, 1]), ([1, 2], [2, 2])),
        (debugging.assert_less, ([1], [2]), ([2], [2])),
        (debugging.assert_less_equal, ([2], [2]), ([3], [2])),
        (debugging.assert_greater, ([3], [2]), ([2], [2])),
        (debugging.assert_greater_equal, ([2], [2]), ([1], [2])),
        (debugging.assert_positive, ([1],), ([0],)),
        (debugging.assert_negative, ([-1],), ([0],)),
        (debugging.assert_non_negative, ([0],), ([-1],)),
        (debugging.assert_non_positive, ([0],), ([1],)),
        (debugging.assert_near, ([1.0], [1.000001]), ([1.0], [1.1])),
        (debugging.assert_all_finite, ([1.0],), ([float("nan")],)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_assertions_hold_or_tell_values_and_message(
    check: Any, good: Any, bad: Any
) -> None:
    def program(*xs: Any) -> Any:
        check(*xs, message="my words")
        return xs[0]

    for call in (program, traced(program)):
        call(*map(tl.asarray, good))
        with pytest.raises(AssertionFailedError, match=r"my words; \["):
            call(*map(tl.asarray, bad))


def test_shape_assertions_are_checked_at_once_where_shapes_are_known() -> None:
    x = tl.zeros((2, 3))
    debugging.assert_shapes([(x, ("n", 3)), (tl.zeros(2), ("n",))])
    debugging.assert_rank_at_least(x, 1)
    debugging.assert_scalar(1.0)
    debugging.assert_type(x, tl.float32)
    with pytest.raises(AssertionFailedError, match="it is 4"):
        debugging.assert_shapes([(x, ("n", 3)), (tl.zeros(4), ("n",))])

    def too_deep(x: Any) -> Any:
        debugging.assert_rank(x, 1, "why")
        return [x]

    with pytest.raises(
        AssertionFailedError, match=r"has 1 axes: why; its shape is \[2, 3\]"
    ):
        trace(too_deep, [x.spec])
    with pytest.raises(AssertionFailedError, match="float32"):
        debugging.assert_type(x, tl.int32)


def test_unknown_sizes_are_asserted_when_the_graph_runs() -> None:
    def program(x: Any) -> Any:
        debugging.assert_shapes([(tl.boolean_mask(x, x > 0), (2,))])
        return x

    call = traced(program)
    call([1.0, -1.0, 2.0])
    with pytest.raises(AssertionFailedError, match="is 2"):
        call([1.0, 1.0, 2.0])


def test_check_numerics_passes_finite_tensors_and_checks_gradients() -> None:
    x = tl.asarray([1.0, 4.0])
    assert debugging.check_numerics(x, "x").tolist() == [1, 4]
    with pytest.raises(NumericsError, match="my x holds 1 NaN and 1 infinite of 3"):
        debugging.check_numerics(tl.asarray([1.0, np.nan, np.inf]), "my x")
    bad = tl.grad(lambda x: tl.sqrt(debugging.check_numerics(x, "x")))
    with (
        np.errstate(all="ignore"),
        pytest.raises(NumericsError, match="the gradient of x"),
    ):
        bad(tl.asarray(0.0))


def test_checked_block_names_operator_ranges_and_line() -> None:
    x = tl.asarray([1.0, -1.0])
    with np.errstate(all="ignore"):
        with debugging.check_numerics(), pytest.raises(NumericsError) as found:
            tl.log(x)
        text = str(found.value)
        assert "Log" in text
        assert "float32[2] in [-1.0, 1.0]" in text
        assert "test_effects.py" in text
        with (
            debugging.check_numerics(),
            pytest.raises(NumericsError, match=r"Div|Sqrt|Mul"),
        ):
            tl.grad(tl.sqrt)(tl.asarray(0.0))


def test_operators_inside_traced_functions_and_their_gradients_are_found() -> None:
    call = tl.function(lambda x: tl.sqrt(x - 1.0))
    with np.errstate(all="ignore"), debugging.check_numerics():
        with pytest.raises(
            NumericsError, match=r"result of Sqrt holds 1 NaN"
        ) as found:
            call(tl.asarray(0.0))
        assert any("test_effects.py" in x for x in found.value.__notes__)
        with pytest.raises(
            NumericsError, match="result of RealDiv holds 0 NaN and 1"
        ):
            tl.grad(call)(tl.asarray(1.0))
        with pytest.raises(NumericsError, match=r"Call.* holds.*run_eagerly"):
            call(0.0)  # computed as it was compiled
    with np.errstate(all="ignore"):
        assert np.isnan(call(tl.asarray(0.0)).item())


def test_operators_of_loops_branches_and_sessions_are_found() -> None:
    def program(x: Any) -> Any:
        for _ in tl.arange(3):
            if x > 0.0:
                x = tl.log(x)
        return tl.sqrt(x)

    call = tl.function(program)
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        y = tl.log(x) * 2.0
    with np.errstate(all="ignore"), debugging.check_numerics():
        with pytest.raises(
            NumericsError, match=r"result of Sqrt holds 1 NaN.*\[-0\.3"
        ):
            call(tl.asarray(2.0))
        with pytest.raises(
            NumericsError, match="result of Log holds 0 NaN and 1 inf"
        ):
            tl.Session(graph).run(y, {x: 0.0})
    with np.errstate(all="ignore"):
        assert tl.Session(graph).run(y, {x: 0.0}) == -np.inf


def test_what_optimizers_write_is_checked() -> None:
    v, optimizer = tl.Variable([1.0, 2.0], name="weights"), tl.optimizers.Adam(1.0)

    def step(scale: Any) -> None:
        optimizer.apply_gradients([(tl.asarray([1.0, 1e30]) * scale, v)])

    step(1e-30)
    for run in (step, tl.function(step)):
        with (
            np.errstate(all="ignore"),
            debugging.check_numerics(),
            pytest.raises(
                NumericsError, match=r"wrote to <variable .* infinite of 2"
            ),
        ):
            run(tl.asarray(1.0))


def test_operators_traced_in_a_checked_block_are_checked_when_they_run() -> None:
    def program(x: Any) -> Any:
        with debugging.check_numerics():
            return tl.log(x) * 2.0

    call = traced(program)
    assert call(1.0).item() == 0.0
    with (
        np.errstate(all="ignore"),
        pytest.raises(NumericsError, match="result of Log, made at"),
    ):
        call(-1.0)


def cubed(x: Any) -> Any:
    assert isinstance(x.numpy(), np.ndarray)  # only eager tensors have values
    return x * x * x


def test_py_function_runs_eagerly_in_a_trace_and_is_differentiable() -> None:
    def program(x: Any) -> Any:
        return tl.py_function(cubed, [x], tl.TensorSpec((), tl.float64)) * 2.0

    x = tl.asarray(np.float64(3.0))
    for call in (program, traced(program)):
        assert call(x).item() == 54.0
        assert tl.grad(call)(x).item() == 54.0
        assert tl.grad(tl.grad(call))(x).item() == 36.0


def test_py_function_holds_the_function_to_its_promise() -> None:
    for call in (lambda f: f, traced):
        with pytest.raises(DTypeError, match="Tout promises int32"):
            call(lambda x: tl.py_function(cubed, [x], tl.int32))(2.0)
        with pytest.raises(ShapeError, match=r"Tout promises float32\[3\]"):
            call(lambda x: tl.py_function(cubed, [x], tl.TensorSpec((3,))))(2.0)
        with pytest.raises(InvalidArgumentError, match="returned 1 values"):
            call(lambda x: tl.py_function(cubed, [x], [tl.float32, tl.float32])[0])(
                2.0
            )


def test_numpy_function_gets_arrays_and_has_no_gradient() -> None:
    call = traced(lambda x: tl.numpy_function(np.cumsum, [x], tl.TensorSpec((2,))))
    assert call([1.0, 2.0]).tolist() == [1, 3]
    with tl.GradientTape() as tape:
        x = tl.asarray([1.0, 2.0])
        tape.watch(x)
        y = call(x)
    assert tape.gradient(y, x) is None


def test_timestamps_are_of_when_they_run() -> None:
    graph = tl.Graph()
    with graph.as_default():
        now = graph.add(Timestamp(), ()).outputs[0]
    session, before = tl.Session(graph), time.time()
    first, second = session.run(now), session.run(now)
    assert before <= first <= second <= time.time()
