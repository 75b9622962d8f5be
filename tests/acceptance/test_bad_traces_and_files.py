"""Mistakes in traces, loops, gradients and files: told with the user's line, state as it was.

Wrong arguments of single functions are in test_bad_input.py.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import RetraceWarning

E = tl.errors
TRUE = tl.asarray(True)


def told(error: BaseException) -> str:
    """Return the message of an error with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def test_a_failed_trace_leaves_nothing_behind() -> None:
    """Neither a trace, nor an open interpreter, nor a changed variable."""
    v = tl.Variable(tl.ones((2,)))

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        v.assign_add(tl.ones((2,)))
        return tl.reshape(x, (5,))

    with pytest.raises(E.ShapeError):
        f(tl.ones((2,)))
    assert tl.executing_eagerly()
    assert f.trace_count == 0
    assert v.numpy().tolist() == [1, 1]
    assert f(tl.ones((5,))).shape == (5,)


def test_values_that_do_not_fit_leave_tensors_and_variables_as_they_were() -> None:
    v = tl.Variable(tl.ones((2, 3)))
    with pytest.raises(
        E.ShapeError,
        match=r"\[2, 3\] of the variable and \[3, 2\] of the value are inc",
    ):
        v.assign(tl.ones((3, 2)))
    with pytest.raises(
        E.DTypeError, match=r"holds tl.float32, the value is tl.int32"
    ):
        v.assign(tl.ones((2, 3), dtype=tl.int32))
    x = tl.asarray([1, 2, 3])
    with pytest.raises(E.DTypeError, match="would lose something; cast"):
        x[0] = 1.5
    with pytest.raises(E.PlaceError, match="index 7"):
        x[7] = 1
    assert v.numpy().tolist() == [[1, 1, 1]] * 2
    assert x.tolist() == [1, 2, 3]


def test_structures_that_differ() -> None:
    with pytest.raises(E.BranchError, match="unlike structures") as caught:
        tl.function(lambda: tl.cond(TRUE, lambda: (1, 2), lambda: 3))()
    assert isinstance(caught.value, ValueError)
    assert "test_bad_traces_and_files.py:" in told(caught.value)


def test_nan_gradients_under_check_numerics() -> None:
    v = tl.Variable(0.0)
    with (
        np.errstate(all="ignore"),
        tl.debugging.check_numerics(),
        pytest.raises(E.NumericsError) as caught,
        tl.GradientTape() as tape,
    ):
        tape.gradient(tl.sqrt(v) * 0.0, v)
    assert isinstance(caught.value, ArithmeticError)
    assert "test_bad_traces_and_files.py:" in told(caught.value)
    assert float(v) == 0.0
    assert tl.executing_eagerly()


def test_a_symbolic_tensor_that_leaks() -> None:
    kept: list[Any] = []

    def f(x: tl.Tensor) -> tl.Tensor:
        kept.append(x * 2)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tl.function(f)(tl.ones(2))
    with pytest.raises(
        E.LeakedTensorError, match=r"test_bad_traces_and_files.py:\d+ in f\(\)"
    ):
        kept[0] + 1
    with pytest.raises(E.LeakedTensorError, match="Return it"):
        tl.function(lambda y: y + kept[0])(tl.ones(2))


def test_python_side_effects_in_a_trace() -> None:
    kept: list[Any] = []

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        kept.append(1)
        print("once")
        return x

    with pytest.warns(E.SideEffectWarning) as caught:
        f(tl.ones(2))
    text = "\n".join(str(one.message) for one in caught)
    assert "kept.append (line" in text
    assert "print" in text


def test_bool_of_a_symbolic_tensor_without_source() -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    return x if x > 0 else -x", space)
    with pytest.raises(E.SymbolicTensorError, match="source") as caught:
        tl.function(space["f"])(tl.asarray(1.0))
    assert isinstance(caught.value, TypeError)
    assert "tl.cond" in told(caught.value)


def test_a_loop_variable_that_changes_its_dtype() -> None:
    def f(x: tl.Tensor) -> tl.Tensor:
        while tl.sum(x) < 10:
            x = tl.astype(x, tl.float64) * 2
        return x

    with pytest.raises(
        E.LoopError, match=r"'x' is float32.*float64.*tl.astype"
    ) as caught:
        tl.function(f)(tl.ones(1))
    assert isinstance(caught.value, ValueError)
    assert "test_bad_traces_and_files.py:" in told(caught.value)


def test_a_loop_variable_that_changes_its_rank() -> None:
    def f(x: tl.Tensor) -> tl.Tensor:
        while tl.sum(x) < 10:
            x = tl.stack([x, x])
        return x

    with pytest.raises(E.LoopError, match="x") as caught:
        tl.function(f)(tl.ones(1))
    assert "test_bad_traces_and_files.py:" in told(caught.value)


def test_a_name_bound_in_only_one_branch() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            y = x
        return y  # type: ignore[possibly-undefined]

    with pytest.raises(E.UndefinedNameError, match="'y' may have no value") as caught:
        tl.function(f)(tl.asarray(1.0))
    assert isinstance(caught.value, NameError)
    assert "test_bad_traces_and_files.py:" in told(caught.value)


def test_a_variable_created_on_every_trace() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        v = tl.Variable(tl.zeros(x.shape))
        return v + x

    assert f(tl.ones(2)).tolist() == [1, 1]
    with pytest.raises(E.TracingError) as caught:
        f(tl.ones(3))
    assert "ariable" in told(caught.value)
    assert "test_bad_traces_and_files.py:" in told(caught.value)
    assert f(tl.ones(2)).tolist() == [1, 1]


@pytest.mark.parametrize("damage", ["torn", "foreign"])
def test_a_torn_or_foreign_checkpoint(tmp_path: Path, damage: str) -> None:
    v = tl.Variable([1.0, 2.0])
    checkpoint = tl.checkpoint.Checkpoint(v=v)
    checkpoint.save(tmp_path / "c")
    v.assign([5.0, 6.0])
    payload, manifest = tmp_path / "c.safetensors", tmp_path / "c.json"
    if damage == "torn":
        payload.write_bytes(payload.read_bytes()[:-4])
    else:
        manifest.write_text(json.dumps({"made by": "something else"}))
    with pytest.raises(E.CheckpointError) as caught:
        checkpoint.restore(tmp_path / "c")
    assert isinstance(caught.value, OSError)
    assert str(tmp_path) in told(caught.value)
    assert "test_bad_traces_and_files.py:" in told(caught.value)
    assert v.numpy().tolist() == [5, 6]


def test_many_traces_are_warned_of_with_the_remedy() -> None:
    f = tl.function(lambda n: n + 1)
    with pytest.warns(
        RetraceWarning, match="tensor|input_signature|reduce_retracing"
    ):
        list(map(f, range(20)))
