"""tl.function: which calls share a trace, signatures, and the diary of traces."""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import RetraceWarning


def test_one_trace_for_each_kind_of_arguments() -> None:
    calls = []

    def body(x: Any, n: int = 2, *, flag: bool = False) -> Any:
        calls.append(n)
        return x * n + flag

    f = tl.function(body, autograph=False)
    for _ in range(3):
        assert float(f(tl.asarray(2.0))) == 4.0
    f(tl.asarray(2.0), 3)
    f(tl.asarray(2.0), n=3)
    f(tl.asarray(2.0), flag=True)
    f(tl.asarray([2.0]))
    assert calls == [2, 3, 2, 2]
    assert f.trace_count == 4


def test_minus_zero_and_one_are_their_own_arguments() -> None:
    f = tl.function(lambda x, k: x / k if k else x + k)
    one = tl.asarray(1.0)
    assert float(f(one, True)) == 1.0
    assert float(f(one, 1)) == 1.0
    assert f.trace_count == 2


def test_input_signature_allows_one_trace_and_names_what_does_not_fit() -> None:
    @tl.function(input_signature=[tl.TensorSpec((None, 2), tl.float32)])
    def f(x: Any) -> Any:
        return tl.sum(x)

    assert float(f(tl.ones((3, 2)))) == 6.0
    assert float(f([[1.0, 2.0]])) == 3.0
    assert f.trace_count == 1
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"argument x is float32\[3\]; input_"
    ):
        f(tl.ones(3))
    with pytest.raises(tl.errors.DTypeError, match=r"argument x is int32"):
        f(tl.ones((3, 2), dtype=tl.int32))


def test_reduce_retracing_makes_sizes_and_numbers_general() -> None:
    @tl.function(reduce_retracing=True)
    def f(x: Any, k: Any) -> Any:
        return tl.sum(x) * k

    for n in range(2, 9):
        assert float(f(tl.ones(n), n)) == n * n
    assert f.trace_count == 2


def test_the_diary_says_why_where_and_what_avoids_it() -> None:
    @tl.function
    def f(x: Any, k: Any) -> Any:
        return x * k

    f(tl.ones(2), 1)
    f(tl.ones(3), 1)
    f(tl.ones(3), 2)
    first, second, third = f.traces()
    assert first.reason == "first trace"
    assert second.reason == "x: float32[2] -> float32[3]"
    assert (second.argument, second.old, second.new) == (
        "x",
        "float32[2]",
        "float32[3]",
    )
    assert third.reason == "k: int 1 -> int 2"
    assert third.avoided_by.endswith("or reduce_retracing=True")
    assert second.line.file == __file__
    assert second.milliseconds > 0
    assert second.nodes >= 2
    table = str(f.traces())
    assert "called at" in table
    assert "x: float32[2] -> float32[3]" in table


def test_many_traces_warn_with_the_cause_and_the_remedy() -> None:
    f = tl.function(lambda x: x + 1)
    for n in range(4):
        f(tl.ones(n))
    with pytest.warns(
        RetraceWarning, match=r"traced 5 times.*x: .*input_signature=\[tl.Tensor"
    ):
        f(tl.ones(9))


def test_keyword_only_parameters_keep_their_values() -> None:
    """Structures are packed in the order of names, which need not be that of the parameters."""

    def f(x: Any, *, zeta: Any = 2.0, alpha: Any = None, kind: str = "k") -> Any:
        assert alpha is None
        assert kind == "k"
        return x * zeta

    assert float(tl.function(f)(tl.asarray(3.0))) == 6.0
    assert float(tl.function(f)(tl.asarray(3.0), zeta=tl.asarray(4.0))) == 12.0
    signed = tl.function(f, input_signature=[tl.TensorSpec(())])
    assert float(signed(tl.asarray(3.0))) == 6.0


def test_input_signature_names_keyword_only_parameters_in_their_order() -> None:
    def f(x: Any, *, zeta: Any, alpha: Any) -> Any:
        return x + zeta - tl.astype(alpha, tl.float32)

    specs = [tl.TensorSpec(()), tl.TensorSpec(()), tl.TensorSpec((), tl.int32)]
    signed = tl.function(f, input_signature=specs)
    assert float(signed(1.0, alpha=tl.asarray(2), zeta=4.0)) == 3.0
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="1 members for the keyword-only"
    ):
        tl.function(f, input_signature=specs[:2])(1.0, alpha=tl.asarray(2), zeta=4.0)
